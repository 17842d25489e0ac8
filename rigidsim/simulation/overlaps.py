"""Warnings about shapes that overlap at the start."""

from __future__ import annotations

from rigidsim.engine.assembly.blueprint import World
from rigidsim.engine.building import build_world
from rigidsim.engine.building.overlaps import starting_overlaps
from rigidsim.scene import Scene
from rigidsim.simulation.contacts import shapes_of

MOST_TOLD = 5


def overlap_warnings(scene: Scene, world: World | None = None) -> tuple[str, ...]:
    """One sentence for each of the deepest overlaps at t = 0, and one for the others."""
    world = world or build_world(scene)
    found, names = starting_overlaps(scene, world), shapes_of(world)
    told = [
        f"{names[one]} and {names[other]} overlap by {depth:.3g} m at the start; they are pushed apart"
        for one, other, depth in found[:MOST_TOLD]
    ]
    more = len(found) - len(told)
    return (*told, *([f"at least {more} further pairs of shapes overlap at the start"] if more > 0 else []))
