"""The schedule of a scene: the times at which loads begin and end, and those of impulses and reparentings."""

from __future__ import annotations

from rigidsim.engine.assembly.schedule import Schedule, ScheduledReparenting
from rigidsim.engine.assembly.tree import Tree
from rigidsim.engine.laws.registry import BY_NAME
from rigidsim.scene import Scene


def schedule_of(scene: Scene, tree: Tree) -> Schedule:
    """The schedule of a scene; bodies are given by their numbers in `tree`."""
    times, stops = [], []
    for _, body, _ in scene.walk():
        for force in body.forces:
            times += force.during or ()
            # A load that stores energy adds it when the load begins, and removes it when the load ends.
            stops += (force.during or ()) if BY_NAME[force.type].stores else ()
        stops += [impulse.time for impulse in body.impulses]
    return Schedule(scene.simulation.step, times, stops, reparentings_of(scene, tree))


def reparentings_of(scene: Scene, tree: Tree) -> tuple[ScheduledReparenting, ...]:
    """The reparentings, with bodies and parents as numbers."""
    return tuple(
        ScheduledReparenting(number, tree.by_path[event.body].index, tree.frame_of(event.to), event.motion, event.time)
        for number, event in enumerate(scene.reparent)
    )
