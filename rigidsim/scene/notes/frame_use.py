"""Which frames matter to something: those that free bodies move in, and those that something looks at."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from rigidsim.scene.hierarchy.findings import nodes
from rigidsim.scene.hierarchy.references import WORLD, node_path, references

if TYPE_CHECKING:
    from rigidsim.scene.scene import Scene


class Stay(NamedTuple):
    """The time (s) that a free body spends in a frame."""

    frame: str
    begin: float
    end: float


def stays(scene: Scene) -> Iterator[Stay]:
    """Where each free body moves, but for the world: in its parent, and from a reparenting on in the new one."""
    kinds = {node_path(node.path): node.body.kind for node in nodes(scene)}
    now = {path: (path.rpartition("/")[0], 0.0) for path, kind in kinds.items() if kind == "free" and "/" in path}
    for event in sorted(scene.reparent, key=lambda event: event.time):
        if event.time > scene.simulation.duration:
            break
        if event.body in now:
            yield Stay(*now.pop(event.body), event.time)
        if event.motion == "free" and event.to != WORLD:
            now[event.body] = (event.to, event.time)
    for frame, begin in now.values():
        yield Stay(frame, begin, scene.simulation.duration)


def flown_in(scene: Scene) -> set[str]:
    """The paths of all bodies that carry free bodies at some time."""
    return _with_those_above(stay.frame for stay in stays(scene))


def frames_that_matter(scene: Scene) -> set[str]:
    """The paths of all bodies that carry free bodies or something that is looked at, or are it."""
    return flown_in(scene) | _with_those_above(name for _, name, _ in references(scene))


def _with_those_above(paths: Iterable[str]) -> set[str]:
    found: set[str] = set()
    for path in paths:
        while path and path not in found:
            found.add(path)
            path = path.rpartition("/")[0]
    return found
