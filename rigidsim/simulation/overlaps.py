"""Shapes that overlap at the start, and the warnings about them."""

from __future__ import annotations

import numpy as np

from rigidsim.engine.assembly.blueprint import World
from rigidsim.engine.contact.overlaps import Overlap, overlaps
from rigidsim.engine.model import contact_layout as at
from rigidsim.engine.model import layout
from rigidsim.physics.frames import stretch
from rigidsim.physics.quaternion import product, rotate
from rigidsim.physics.vector import add
from rigidsim.simulation.events import shapes_of

MOST_NAMED = 5
NO_WAY, IDENTITY = (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0)


def overlap_warnings(world: World) -> tuple[str, ...]:
    """One sentence for each of the deepest overlaps at the start of a world, and one for the others."""
    found, names = starting_overlaps(world), shapes_of(world)
    warnings = [
        f"{names[one]} and {names[other]} overlap by {depth:.3g} m at the start; they are pushed apart"
        for one, other, depth in found[:MOST_NAMED]
    ]
    if len(found) > MOST_NAMED:
        warnings.append(f"at least {len(found) - MOST_NAMED} further pairs of shapes overlap at the start")
    return tuple(warnings)


def starting_overlaps(world: World) -> list[Overlap]:
    """The overlaps of shapes that collide at t = 0, before any event, the deepest first."""
    return overlaps(world.model.contacts, starting_poses(world)) if world.model.contacts else []


def starting_poses(world: World) -> np.ndarray:
    """(shape, POSE_ROWS) at t = 0; positions relative to the common ancestor of what the shape can meet."""
    tree = world.tree
    turns = {0: IDENTITY}  # of each frame in the world
    for node in tree:
        turns[node.frame] = product(turns[node.parent], node.orientation)
    contacts = world.model.contacts
    assert contacts is not None
    ways = [NO_WAY]  # that of the reference frame first
    for index, above in contacts.way.tolist():
        node = tree.nodes[index]
        ways.append(add(ways[above + 1], stretch(turns[node.parent], node.parent_metres, node.position)))
    p_WC, q_WB = [], []
    for index, row, way in contacts.body.tolist():
        q = turns[tree.nodes[index].frame]
        com = tuple(world.model.body[row, layout.BODY.com]) if row != layout.NO_ROW else NO_WAY
        p_WC.append(add(ways[way + 1], rotate(q, com)))
        q_WB.append(q)
    body, value = contacts.shape[:, at.SHAPE.body], contacts.shape_value.T
    p, q = tuple(np.array(p_WC)[body].T), tuple(np.array(q_WB)[body].T)
    place = add(p, rotate(q, tuple(value[at.SOLID.p])))
    return np.stack([*place, *product(q, tuple(value[at.SOLID.q]))], axis=-1)
