"""Warnings about parts of a scene without effect: after its end, between its samples, within one body."""

from __future__ import annotations

from collections.abc import Iterator

from rigidsim.scene.hierarchy.nodes import Hierarchy, SceneNode
from rigidsim.scene.text.document import Path

SAMPLES = 100
"""The advised number of samples."""


def idle_notes(hierarchy: Hierarchy) -> Iterator[tuple[Path, str]]:
    """Forces, impulses, reparentings and samples after the end of the simulation; springs between parts of one body."""
    end, every = hierarchy.scene.simulation.duration, hierarchy.scene.simulation.record_every
    if every is not None and every > end:
        step = hierarchy.scene.simulation.step
        message = f"it is longer than the duration of {end:.12g} s, so that only the start and the end are recorded"
        often = step * max(1, round(end / step / SAMPLES))
        yield ("simulation", "record_every"), f"{message}; use {often:.12g} s to show the motion"
    changed = {event.body for event in hierarchy.scene.reparent}
    for node in hierarchy:
        for index, force in enumerate(node.body.forces):
            if force.during is not None and force.during[0] >= end:
                place = (*node.place, "forces", index, "during")
                yield place, f"it begins at {force.during[0]:.12g} s, but the simulation ends at {end:.12g} s"
            whole = _whole(node, changed)
            if whole is not None and whole is _whole(hierarchy.get(getattr(force, "to", None)), changed):
                message = f"both ends are parts of '{whole.path}', so it has no effect; choose another body in 'to'"
                yield (*node.place, "forces", index, "to"), message
        yield from _events((*node.place, "impulses"), node.body.impulses, end)
    yield from _events(("reparent",), hierarchy.scene.reparent, end)


def _events(place: Path, events: tuple, end: float) -> Iterator[tuple[Path, str]]:
    for index, event in enumerate(events):
        if event.time > end:
            message = f"at {event.time:.12g} s it is too late: the simulation ends at {end:.12g} s"
            yield (*place, index, "time"), message


def _whole(node: SceneNode | None, changed: set[str]) -> SceneNode | None:
    """The free body of which a node is a part during the whole run, if that is known."""
    if node is None or any(part.kind == "fixed" and part.path in changed for part in node.rigid_line()):
        return None
    return node.carrier
