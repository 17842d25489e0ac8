"""The frames that matter for warnings: those that free bodies move in, and those that loads or expressions read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from rigidsim.scene.hierarchy.nodes import Hierarchy, SceneNode
from rigidsim.scene.hierarchy.references import references
from rigidsim.scene.schema.names import WORLD


class Stay(NamedTuple):
    """The time (s) that a free body spends in a frame."""

    frame: SceneNode
    begin: float
    end: float


def stays(hierarchy: Hierarchy) -> Iterator[Stay]:
    """The parents of each free body over time, without the world."""
    below = (node for node in hierarchy if node.kind == "free" and node.parent is not None)
    now = {node.path: (node.parent, 0.0) for node in below}
    for event in sorted(hierarchy.scene.reparent, key=lambda event: event.time):
        if event.time > hierarchy.scene.simulation.duration:
            break
        if event.body in now:
            yield Stay(*now.pop(event.body), event.time)
        if event.motion == "free" and event.to != WORLD:
            now[event.body] = (hierarchy[event.to], event.time)
    for frame, begin in now.values():
        yield Stay(frame, begin, hierarchy.scene.simulation.duration)


def flown_in(hierarchy: Hierarchy) -> set[str]:
    """The paths of all bodies that are ancestors of free bodies at some time."""
    return _with_those_above(hierarchy, (stay.frame.path for stay in stays(hierarchy)))


def frames_that_matter(hierarchy: Hierarchy) -> set[str]:
    """The paths of all bodies that are read, or that are ancestors of free bodies or of bodies that are read."""
    return flown_in(hierarchy) | _with_those_above(hierarchy, (name for _, name, _ in references(hierarchy)))


def _with_those_above(hierarchy: Hierarchy, names: Iterable[str]) -> set[str]:
    """These paths, as far as they are bodies, and those of their ancestors."""
    found: set[str] = set()
    for name in names:
        node = hierarchy.get(name)
        while node is not None and node.path not in found:
            found.add(node.path)
            node = node.parent
    return found
