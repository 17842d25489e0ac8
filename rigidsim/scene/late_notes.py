"""What a scene asks for after its end."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rigidsim.scene.document import Path
from rigidsim.scene.findings import nodes

if TYPE_CHECKING:
    from rigidsim.scene.scene import Scene


def late_notes(scene: Scene) -> Iterator[tuple[Path, str]]:
    """Each force that begins, and each impulse and reparenting that is due, when the simulation is over."""
    end = scene.simulation.duration
    for node in nodes(scene):
        for index, force in enumerate(node.body.forces):
            if force.during is not None and force.during[0] >= end:
                place = (*node.path, "forces", index, "during")
                yield place, f"it begins at {force.during[0]:.12g} s, but the simulation ends at {end:.12g} s"
        yield from _events((*node.path, "impulses"), node.body.impulses, end)
    yield from _events(("reparent",), scene.reparent, end)


def _events(place: Path, events: tuple, end: float) -> Iterator[tuple[Path, str]]:
    for index, event in enumerate(events):
        if event.time > end:
            message = f"at {event.time:.12g} s it is too late: the simulation ends at {end:.12g} s"
            yield (*place, index, "time"), message
