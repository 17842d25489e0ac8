"""What a scene asks for that has no effect: after its end, between its samples, within one body."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rigidsim.scene.hierarchy.findings import nodes
from rigidsim.scene.hierarchy.references import node_path
from rigidsim.scene.text.document import Path

if TYPE_CHECKING:
    from rigidsim.scene.scene import Scene

SAMPLES = 100
"""How many are advised, about."""


def idle_notes(scene: Scene) -> Iterator[tuple[Path, str]]:
    """Each force that begins, and each impulse, reparenting and sample that is due, when the simulation is over; each
    spring between parts of one body.
    """
    end, every = scene.simulation.duration, scene.simulation.record_every
    if every is not None and every > end:
        step = scene.simulation.step
        message = f"it is longer than the duration of {end:.12g} s, so that only the start and the end are recorded"
        often = step * max(1, round(end / step / SAMPLES))
        yield ("simulation", "record_every"), f"{message}; {often:.12g} s would show the motion"
    wholes = _wholes(scene)
    for node in nodes(scene):
        for index, force in enumerate(node.body.forces):
            if force.during is not None and force.during[0] >= end:
                place = (*node.path, "forces", index, "during")
                yield place, f"it begins at {force.during[0]:.12g} s, but the simulation ends at {end:.12g} s"
            whole = wholes.get(node_path(node.path))
            if whole is not None and whole == wholes.get(getattr(force, "to", None)):
                message = f"both ends are parts of '{whole}', so it does nothing; name another body in 'to'"
                yield (*node.path, "forces", index, "to"), message
        yield from _events((*node.path, "impulses"), node.body.impulses, end)
    yield from _events(("reparent",), scene.reparent, end)


def _events(place: Path, events: tuple, end: float) -> Iterator[tuple[Path, str]]:
    for index, event in enumerate(events):
        if event.time > end:
            message = f"at {event.time:.12g} s it is too late: the simulation ends at {end:.12g} s"
            yield (*place, index, "time"), message


def _wholes(scene: Scene) -> dict[str, str]:
    """The free body that each body is part of throughout, as far as it is known to be."""
    changed, found = {event.body for event in scene.reparent}, {}
    for node in nodes(scene):
        path = node_path(node.path)
        above = found.get(path.rpartition("/")[0])
        if node.body.kind == "free":
            found[path] = path
        elif node.body.kind == "fixed" and above is not None and path not in changed:
            found[path] = above
    return found
