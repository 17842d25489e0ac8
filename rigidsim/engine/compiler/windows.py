"""The times of a scene: when loads begin and end, when impulses and reparentings happen."""

from __future__ import annotations

from rigidsim.engine.assembly.schedule import Schedule, ScheduledReparenting
from rigidsim.engine.assembly.tree import Tree
from rigidsim.engine.laws.registry import BY_NAME
from rigidsim.scene import Scene


def schedule_of(scene: Scene, tree: Tree) -> Schedule:
    """All that a scene schedules; `tree` numbers its bodies."""
    times, stops = [], []
    for _, body, _ in scene.walk():
        for force in body.forces:
            times += force.during or ()
            # What stores energy brings it and takes it away as it comes and goes.
            stops += (force.during or ()) if BY_NAME[force.type].stores else ()
        stops += [impulse.time for impulse in body.impulses]
    return Schedule(scene.simulation.step, times, stops, reparentings_of(scene, tree))


def reparentings_of(scene: Scene, tree: Tree) -> tuple[ScheduledReparenting, ...]:
    """The reparentings, with numbers for names."""
    return tuple(
        ScheduledReparenting(number, tree.by_path[event.body].index, tree.frame_of(event.to), event.motion, event.time)
        for number, event in enumerate(scene.reparent)
    )
