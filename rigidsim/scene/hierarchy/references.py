"""What one part of a scene calls another by: paths of bodies, and words for the nearest frames."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from difflib import get_close_matches
from itertools import chain, islice
from typing import TYPE_CHECKING

from rigidsim.engine.laws import declaration as laws
from rigidsim.scene.expressions import Expression
from rigidsim.scene.hierarchy.findings import Finding, nodes
from rigidsim.scene.text.document import Path, shown

if TYPE_CHECKING:
    from rigidsim.scene.scene import Scene
    from rigidsim.scene.schema.forces import Declared

WORLD = "world"
AXES = ("body", "parent", "world")
SEEN = ("self", "parent", "world")
ALLOWED = {laws.AXES: AXES, laws.END: (WORLD,), laws.MEDIUM: (WORLD,), laws.CENTER: ()}
"""The words that may stand for a body, by the form of a force's key."""
MOST_NAMED = 10
MOST_HINTED, MOST_COMPARED = 20, 3000
"""How many names get a suggestion, and how many paths each is compared with: a scene may have 100 000 of both."""


def node_path(path: Path) -> str:
    """The path of a body, from the path of its place in the file."""
    return "/".join(str(part) for part in path[1::2])


def reference_findings(scene: Scene) -> Iterator[Finding]:
    """Every path that leads to no body."""
    known = _Paths(node_path(node.path) for node in nodes(scene))
    for place, name, words in references(scene):
        yield from known.unknown(place, name, words)


def references(scene: Scene) -> Iterator[tuple[Path, str, Collection[str]]]:
    """Every name of a body that the scene mentions: where, the name, and the words that could stand there as well."""
    for node in nodes(scene):
        for index, force in enumerate(node.body.forces):
            yield from _of_force((*node.path, "forces", index), force)
        for index, impulse in enumerate(node.body.impulses):
            yield (*node.path, "impulses", index, "frame"), impulse.frame, AXES
    source = scene.world.source
    if source is not None and isinstance(source.center, str):
        yield ("world", "gravity", "center"), source.center, ()
    if scene.world.mutual_gravity is not None:
        for index, path in enumerate(scene.world.mutual_gravity.bodies or ()):
            yield ("world", "mutual_gravity", "bodies", index), path, ()
    for index, event in enumerate(scene.reparent):
        yield ("reparent", index, "body"), event.body, ()
        yield ("reparent", index, "to"), event.to, (WORLD,)


def _of_force(place: Path, force: Declared) -> Iterator[tuple[Path, str, Collection[str]]]:
    for key in force.kind.keys:
        value = getattr(force, key.name)
        if key.form in ALLOWED and isinstance(value, str):
            yield (*place, key.name), value, ALLOWED[key.form]
        for index, part in enumerate(value) if isinstance(value, tuple) else [(None, value)]:
            if isinstance(part, Expression):
                where = (*place, key.name) if index is None else (*place, key.name, index)
                for state in part.states:
                    yield where, state.body, SEEN
                    yield where, state.observer, SEEN


class _Paths:
    """The paths of all bodies, and what is said of others."""

    def __init__(self, paths: Iterable[str]):
        self._paths = dict.fromkeys(paths)
        self._hints: dict[tuple[str, ...], str] = {}

    def unknown(self, place: Path, name: str, words: Collection[str] = ()) -> Iterator[Finding]:
        """A finding if no body has this path, and it is none of the words either."""
        if name in self._paths or name in words:
            return
        asked = (name, *words)
        if asked not in self._hints:
            self._hints[asked] = self._hint(name, words) if len(self._hints) < MOST_HINTED else ""
        yield Finding("reference", f"there is no body '{shown(name)}'", place, self._hints[asked])

    def _hint(self, name: str, words: Collection[str]) -> str:
        numbered = re.compile("/".join(f"{re.escape(part)}(_[0-9]+)?" for part in name.split("/")))
        copies = [path for path in self._paths if numbered.fullmatch(path)]
        if len(copies) > 1:
            return f"there are {shown(copies[0])} ... {shown(copies[-1])}"
        compared = list(islice(chain(words, self._paths), MOST_COMPARED))
        close = [path for path in self._paths if path.endswith(f"/{name}")] or get_close_matches(name, compared, n=1)
        named = [*map(shown, compared[: len(words) + MOST_NAMED]), *["..."][: len(self._paths) > MOST_NAMED]]
        return f"did you mean '{shown(close[0])}'?" if close else f"there are: {', '.join(named)}"
