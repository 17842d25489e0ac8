"""The triggers of a scene: what happens when a condition becomes true."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from rigidsim.scene.hierarchy.nodes import Hierarchy
from rigidsim.scene.schema.when import When
from rigidsim.scene.text.document import Path, path_text

REPARENT, IMPULSE, STOP = "reparent", "impulse", "stop"


class Trigger(NamedTuple):
    """A condition with what happens then."""

    kind: str
    id: str  # that of the event
    place: Path
    number: int  # among the reparentings, or the impulses of the body
    when: When


def triggers_in(hierarchy: Hierarchy) -> Iterator[Trigger]:
    """Every trigger, in the order in which they happen at one instant: reparentings, impulses, the end of the run; of
    one kind in the order of the file.
    """
    scene = hierarchy.scene
    for number, event in enumerate(scene.reparent):
        if event.when is not None:
            yield Trigger(REPARENT, f"reparent[{number}]", ("reparent", number), number, event.when)
    for node in hierarchy:
        for number, impulse in enumerate(node.body.impulses):
            if impulse.when is not None:
                place = (*node.place, "impulses", number)
                yield Trigger(IMPULSE, f"{node.path}.impulses[{number}]", place, number, impulse.when)
    if scene.simulation.stop is not None:
        place = ("simulation", "stop")
        yield Trigger(STOP, path_text(place), place, 0, scene.simulation.stop.when)
