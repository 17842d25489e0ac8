"""What one part of a scene calls another by: paths of bodies, and words for the nearest frames."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from typing import TYPE_CHECKING

from rigidsim.scene.document import Path, shown
from rigidsim.scene.expressions import Expression
from rigidsim.scene.findings import Finding, nodes

if TYPE_CHECKING:
    from rigidsim.scene.scene import Scene

WORLD = "world"
AXES = ("body", "parent", "world")
SEEN = ("self", "parent", "world")
MOST_NAMED = 10


def node_path(path: Path) -> str:
    """The path of a body, from the path of its place in the file."""
    return "/".join(str(part) for part in path[1::2])


def reference_findings(scene: Scene) -> Iterator[Finding]:
    """Every path that leads to no body."""
    known = [node_path(node.path) for node in nodes(scene)]
    for node in nodes(scene):
        for index, force in enumerate(node.body.forces):
            yield from _force_findings((*node.path, "forces", index), force, known)
        for index, impulse in enumerate(node.body.impulses):
            yield from _unknown((*node.path, "impulses", index, "frame"), impulse.frame, known, AXES)
    source = scene.world.source
    if source is not None and isinstance(source.center, str):
        yield from _unknown(("world", "gravity", "center"), source.center, known)
    if scene.world.mutual_gravity is not None:
        for index, path in enumerate(scene.world.mutual_gravity.bodies or ()):
            yield from _unknown(("world", "mutual_gravity", "bodies", index), path, known)
    for index, event in enumerate(scene.reparent):
        yield from _unknown(("reparent", index, "body"), event.body, known)
        yield from _unknown(("reparent", index, "to"), event.to, known, (WORLD,))


def _force_findings(place: Path, force: object, known: list[str]) -> Iterator[Finding]:
    words = {"frame": AXES, "to": (WORLD,), "medium": (WORLD,)}
    for key, allowed in words.items():
        if hasattr(force, key):
            yield from _unknown((*place, key), getattr(force, key), known, allowed)
    if isinstance(getattr(force, "center", None), str):
        yield from _unknown((*place, "center"), force.center, known)
    for key in type(force).model_fields:
        value = getattr(force, key)
        for index, part in enumerate(value) if isinstance(value, tuple) else [(None, value)]:
            if isinstance(part, Expression):
                where = (*place, key) if index is None else (*place, key, index)
                for state in part.states:
                    yield from _unknown(where, state.body, known, SEEN)
                    yield from _unknown(where, state.observer, known, SEEN)


def _unknown(place: Path, name: str, known: list[str], words: Iterable[str] = ()) -> Iterator[Finding]:
    if name in known or name in words:
        return
    close = [path for path in known if path.endswith(f"/{name}")] or get_close_matches(name, [*known, *words], n=1)
    choice = [*words, *known[:MOST_NAMED]]
    hint = f"did you mean '{shown(close[0])}'?" if close else f"there are: {', '.join(map(shown, choice))}"
    yield Finding("reference", f"there is no body '{shown(name)}'", place, hint)
