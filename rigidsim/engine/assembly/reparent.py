"""Reparenting: a new tree, with the same motion in the world.

Positions and velocities relative to the parent are recomputed along the new tree; the rotation of a free body is
relative to the world and does not change. Two bodies that become one keep their total momenta (a plastic impact); a
part that becomes a free body keeps the velocity it had as a part. A node that becomes fixed moves with its new parent.
The velocity jumps that this causes are passed to descendants as those of impulses are, see `engine/impulses.py`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rigidsim.engine import layout
from rigidsim.engine.assembly.blueprint import World
from rigidsim.engine.assembly.constants import model_of
from rigidsim.engine.model import Model, MotionSamples, followed, windings, zeros
from rigidsim.physics.frames import compose_velocity, local_velocity, stretch, stretch_back
from rigidsim.physics.impulses import (
    combined_angular_momentum,
    mass_share,
    plastic_origin_jump,
    rate_jump,
    reduced_mass,
)
from rigidsim.physics.quaternion import rotate, rotate_back
from rigidsim.physics.rigid_body import angular_momentum, point_velocity
from rigidsim.physics.summation import compensated_sum
from rigidsim.physics.vector import add, cross, negated, projection, scaled, sub
from rigidsim.tree.history import TreeChange
from rigidsim.tree.motion import seen
from rigidsim.tree.nodes import Node, Tree

ZERO = (0.0, 0.0, 0.0)


class Jump(NamedTuple):
    """The change of a frame's motion in the world, world axes: velocity of its origin (m/s), angular velocity
    (rad/s).
    """

    dv: tuple
    domega: tuple


class ImpactState(NamedTuple):
    """A free body before an impact, world axes: its centre of mass relative to its origin (m), and its angular momentum
    about the centre of mass.
    """

    mass: float
    r: tuple
    omega: tuple
    L: tuple


def numbers_of(sample: MotionSamples, index: int) -> tuple:
    """The motion of one node in one sample, as tuples of numbers."""
    return tuple(tuple(map(float, array[index])) for array in sample)


class MotionSnapshot:
    """The motion of every node in one sample, whose arrays are (node, component), from which the motion of one node
    relative to another is computed along the tree.
    """

    def __init__(self, tree: Tree, local: MotionSamples, world: MotionSamples):
        self._tree, self._local, self._world = tree, local, world

    def world(self, node: Node | None) -> tuple:
        """(q, omega) in the world."""
        if node is None:
            return (1.0, 0.0, 0.0, 0.0), ZERO
        _, orientation, _, rate = numbers_of(self._world, node.index)
        return orientation, rate

    def seen(self, frame: int, observer: int) -> tuple:
        """(p, q, v, omega) of a frame's origin in another frame, in its axes and units of length."""
        return seen(self._tree, frame, observer, self._link)

    def _link(self, node: Node) -> tuple:
        position, orientation, velocity, rate = numbers_of(self._local, node.index)
        return (position, orientation, node.scale), velocity, rate


def carrier_row(world: World, body: int) -> int:
    """The row to whose work the energy of a reparenting is added: that of the free body that carries the node, else the
    first; NO_ROW without free bodies.
    """
    row = int(world.model.node[body, layout.NODE.carrier])
    return row if row >= 0 else 0 if len(world.model.moved_node) else layout.NO_ROW


def parted(before: Tree, after: Tree, body: int) -> list[Node]:
    """A node that is free after a reparenting; if it was a part of another body, that body comes first."""
    left = before.carrier(before.nodes[body])
    return [after.nodes[index] for index in dict.fromkeys((left.index, body) if left else (body,))]


def reparented(
    world: World, event: TreeChange, state: np.ndarray, local: MotionSamples, in_world: MotionSamples
) -> tuple[World, dict[int, Jump]]:
    """The world after the reparenting, and the jumps of the nodes whose motion it changes. `state` is the state before;
    `local` and `in_world` are one sample of the motion of every node, arrays (node, component). The state of a body
    with an impossible inertia is NaN.
    """
    instant = MotionSnapshot(world.tree, local, in_world)
    tree = changed_tree(world.tree, event, instant)
    n_moved = len(world.model.moved_node)
    before = dict(zip(world.model.moved_node.tolist(), state[:n_moved].copy(), strict=True))
    model = model_of(world.blueprint, tree)
    rows = {node.index: before.get(node.index) for node in tree.free()}
    moved, jumps = tree.nodes[event.body], {}
    if moved.is_free():
        # If it was a part of another body, the centre of mass of that body has changed.
        for node in parted(world.tree, tree, event.body):
            rows[node.index] = free_state(node, tree, instant, before.get(node.index))
    elif moved.index in before:
        carrier = tree.carrier(moved)
        rows[carrier.index], jumps[carrier.index] = impact(world, model, instant, before, moved.index, carrier)
    if event.kind == "fixed":
        jumps[moved.index] = stop(tree, instant, moved)
    for node in tree.free():
        if tree.composite(node).fault:
            rows[node.index][:] = np.nan
    after = np.array([*rows.values(), *state[n_moved:]], dtype=np.float64).reshape(-1, layout.STATE.width)
    forget_signs(model, after)
    return World(world.blueprint, tree, model, after), jumps


def stop(tree: Tree, instant: MotionSnapshot, node: Node) -> Jump:
    """The jump of a node that becomes fixed: it loses its motion relative to its new parent."""
    q_WP, _ = instant.world(tree.parent(node))
    _, _, v, omega = instant.seen(node.frame, node.parent)
    return Jump(negated(stretch(q_WP, node.parent_metres, v)), negated(rotate(q_WP, omega)))


def changed_tree(tree: Tree, event: TreeChange, instant: MotionSnapshot) -> Tree:
    """The tree with one node under another parent; a node that becomes fixed keeps its present pose there."""
    p, q, _, _ = instant.seen(1 + event.body, event.to)
    return tree.moved(event.body, event.to, event.kind, (p, q) if event.kind == "fixed" else None)


def forget_signs(model: Model, state: np.ndarray) -> None:
    """In place: reset the recorded cosines. The frames of a load may be different ones now, and a quaternion has two
    signs; passing half a turn is detected from here on.
    """
    for row, (table, value) in zip(state[len(state) - followed(model) :], windings(model), strict=True):
        if not table.counts_turns(value):
            row[layout.WOUND.last] = 0.0


def free_state(node: Node, tree: Tree, instant: MotionSnapshot, before: np.ndarray | None) -> np.ndarray:
    """The state of a free body that keeps its motion, relative to its new parent; its rotation in the world stays."""
    p, q, v, omega = instant.seen(node.frame, node.parent)
    row = zeros(layout.STATE.width)
    if before is None:
        q_WB, omega_WB = instant.world(node)
        row[layout.STATE.q] = q_WB
        row[layout.STATE.omega] = rotate_back(q_WB, omega_WB)
    else:
        row[:] = before
    r = stretch(q, node.scale, tree.composite(node).mass.center)
    begin(row, "p", add(p, r))
    begin(row, "v", point_velocity(v, omega, r))
    return row


def begin(row: np.ndarray, part: str, value) -> None:
    """Set one compensated sum of a state, in place."""
    row[getattr(layout.STATE, part)], row[getattr(layout.STATE, f"{part}_low")] = value, 0.0


def increase(row: np.ndarray, part: str, change) -> None:
    """Add to one compensated sum of a state, in place."""
    high, low = getattr(layout.STATE, part), getattr(layout.STATE, f"{part}_low")
    row[high], row[low] = compensated_sum(row[high], row[low], np.asarray(change))


def moving(world: World, instant: MotionSnapshot, before: dict, index: int) -> ImpactState:
    """The state before the impact of a free body."""
    node = world.tree.nodes[index]
    constants = tuple(map(float, world.model.body[world.model.node[index, layout.NODE.row]]))
    q_WB, omega = instant.world(node)
    r = rotate(q_WB, constants[layout.BODY.com])
    L_B = angular_momentum(constants[layout.BODY.inertia], tuple(map(float, before[index][layout.STATE.omega])))
    return ImpactState(constants[layout.BODY.mass], r, omega, rotate(q_WB, L_B))


def impact(
    world: World, model: Model, instant: MotionSnapshot, before: dict, other: int, carrier: Node
) -> tuple[np.ndarray, Jump]:
    """Two free bodies become one: its state, and the jump of the carrier's frame. In a planar scene the component of
    the angular momentum that would tilt the body is absorbed by the plane constraint.
    """
    one, two = (moving(world, instant, before, index) for index in (carrier.index, other))
    q_WB, _ = instant.world(carrier)
    p, _, v, _ = instant.seen(1 + other, carrier.frame)
    arm, drift = (stretch(q_WB, carrier.metres, x) for x in (p, v))
    approach = compose_velocity(ZERO, one.omega, arm, drift)  # of the origins
    s = sub(add(arm, two.r), one.r)
    u = sub(point_velocity(approach, two.omega, two.r), cross(one.omega, one.r))
    L = combined_angular_momentum(one.L, two.L, reduced_mass(one.mass, two.mass), s, u)
    if world.blueprint.normal:
        L = projection(world.blueprint.normal, L)
    body = model.body[model.node[carrier.index, layout.NODE.row]]
    omega_B = rate_jump(tuple(map(float, body[layout.BODY.inverse])), rotate_back(q_WB, L))  # from rest
    omega = rotate(q_WB, omega_B)

    b, row = mass_share(one.mass, two.mass), before[carrier.index].copy()
    q_WP, omega_WP = instant.world(world.tree.parent(carrier))
    shift, scale = scaled(b, s), carrier.parent_metres
    increase(row, "p", stretch_back(q_WP, scale, shift))
    increase(row, "v", local_velocity(ZERO, omega_WP, q_WP, scale, shift, scaled(b, u)))
    begin(row, "omega", omega_B)
    for part in (layout.STATE.work_low, layout.STATE.work):
        increase(row, "work", before[other][part])
    return row, Jump(plastic_origin_jump(b, s, u, one.r, one.omega, omega), sub(omega, one.omega))
