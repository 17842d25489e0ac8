"""The shapes of a scene that overlap at the start."""

from __future__ import annotations

import numpy as np

from rigidsim.engine import layout
from rigidsim.engine.assembly.blueprint import World
from rigidsim.engine.building.bodies import written_bodies
from rigidsim.engine.building.initial import initial_frames
from rigidsim.engine.contact import columns as at
from rigidsim.engine.contact.overlaps import Overlap, overlaps
from rigidsim.physics.frames import stretch
from rigidsim.physics.quaternion import product, rotate
from rigidsim.physics.vector import add
from rigidsim.scene import Scene


def starting_overlaps(scene: Scene, world: World) -> list[Overlap]:
    """The deepest overlaps of shapes that collide at t = 0, before any event; `world` is that of the scene."""
    return overlaps(world.model.contacts, starting_poses(scene, world)) if world.model.contacts else []


def starting_poses(scene: Scene, world: World) -> np.ndarray:
    """(shape, POSE_ROWS) at t = 0; positions relative to the common ancestor of what the shape can meet."""
    contacts, tree = world.model.contacts, world.tree
    frames = initial_frames(tree, written_bodies(scene))
    ways = [(0.0, 0.0, 0.0)]  # that of the reference frame first
    for node, above in contacts.way.tolist():
        parent = frames[tree.nodes[node].parent]
        ways.append(add(ways[above + 1], stretch(parent.q, parent.scale, frames[node + 1].local_p)))
    p_WC, q_WB = [], []
    for node, row, way, *_ in contacts.body.tolist():
        q = frames[node + 1].q
        com = tuple(world.model.body[row, layout.B_COM : layout.B_COM + 3]) if row != layout.NO_ROW else (0.0, 0.0, 0.0)
        p_WC.append(add(ways[way + 1], rotate(q, com)))
        q_WB.append(q)
    body, value = contacts.shape[:, at.SHAPE_BODY], contacts.shape_value.T
    p, q = tuple(np.array(p_WC)[body].T), tuple(np.array(q_WB)[body].T)
    place = add(p, rotate(q, tuple(value[at.V_P : at.V_P + 3])))
    return np.stack([*place, *product(q, tuple(value[at.V_Q : at.V_Q + 4]))], axis=-1)
