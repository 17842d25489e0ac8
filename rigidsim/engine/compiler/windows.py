"""The times of a scene: when loads begin and end, when impulses and reparentings happen."""

from __future__ import annotations

from rigidsim.engine.assembly.schedule import Schedule, ScheduledReparenting
from rigidsim.engine.assembly.tree import Tree
from rigidsim.scene import Scene
from rigidsim.scene.schema.forces import Spring, TorsionSpring
from rigidsim.scene.schema.gravity import PointGravity

STORES_ENERGY = (Spring, TorsionSpring, PointGravity)
"""What brings energy and takes it away as it comes and goes."""


def schedule_of(scene: Scene, tree: Tree) -> Schedule:
    """All that a scene schedules; `tree` numbers its bodies."""
    times, stops = [], []
    for _, body, _ in scene.walk():
        for force in body.forces:
            during = getattr(force, "during", None) or ()
            times += during
            stops += during if isinstance(force, STORES_ENERGY) else ()
        stops += [impulse.time for impulse in body.impulses]
    return Schedule(scene.simulation.step, times, stops, reparentings_of(scene, tree))


def reparentings_of(scene: Scene, tree: Tree) -> tuple[ScheduledReparenting, ...]:
    """The reparentings, with numbers for names."""
    return tuple(
        ScheduledReparenting(number, tree.by_path[event.body].index, tree.frame_of(event.to), event.motion, event.time)
        for number, event in enumerate(scene.reparent)
    )
