"""Checks of what is to be recorded: bodies that do not exist."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from difflib import get_close_matches

from rigidsim.scene.checks.findings import Finding
from rigidsim.scene.checks.references import KnownPaths
from rigidsim.scene.hierarchy.nodes import Hierarchy
from rigidsim.scene.hierarchy.patterns import is_pattern, matches
from rigidsim.scene.schema.record import RecordedPart
from rigidsim.scene.text.document import shown


def record_findings(hierarchy: Hierarchy) -> Iterator[Finding]:
    """Every path and pattern of `simulation.record` that stands for no body."""
    parts = [
        (index, part)
        for index, part in enumerate(hierarchy.scene.simulation.record or ())
        if isinstance(part, RecordedPart)
    ]
    if not parts:
        return
    paths = dict.fromkeys(node.path for node in hierarchy)
    known = KnownPaths(paths)
    for index, part in parts:
        for number, name in enumerate(part.bodies):
            place = ("simulation", "record", index, "bodies", number)
            if not is_pattern(name):
                yield from known.unknown(place, name)
            elif not matches(name, paths):
                yield Finding("reference", f"no body matches '{shown(name)}'", place, _hint(name, paths))


def _hint(pattern: str, paths: Collection[str]) -> str:
    """The pattern with each name that no body has replaced by a similar one, if that matches anything."""
    names = {name for path in paths for name in path.split("/")}
    parts = [
        part if part in names else (get_close_matches(part, names, n=1) or [part])[0] for part in pattern.split("/")
    ]
    for candidate in ("/".join(parts), f"**/{pattern.lstrip('*/')}", pattern.removesuffix("/**").removesuffix("/*")):
        if candidate != pattern and matches(candidate, paths):
            return f"did you mean '{shown(candidate)}'?"
    return "* stands for any part of one name, ** for any part of a path"
