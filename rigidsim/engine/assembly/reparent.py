"""Reparenting: a new tree, with the same motion in the world.

Positions and velocities relative to the parent are recomputed along the new tree; the rotation of a free body is
relative to the world and does not change. Two bodies that become one keep their total momenta (a plastic impact); a
part that becomes a free body keeps the velocity it had as a part, and so does a body that a joint lets go. A node that
becomes fixed moves with its new parent. The velocity jumps that this causes are passed to descendants as those of
impulses are, see `engine/events/impulses.py`.

Of bodies that joints hold together the impact is that of momenta: what they had beyond those of a motion that the new
tree allows acts on the new tree as impulses (`impulses_of`). That is the projection of the velocities by the mass
matrix: v' = v - M^-1 J^T (J M^-1 J^T)^-1 J v with the rows J of the new joint, which loses the energy
1/2 u . (J M^-1 J^T)^-1 u, u = J v (Featherstone, Rigid Body Dynamics Algorithms, 2008, 11.8).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from rigidsim.containers.optional import not_none
from rigidsim.engine.assembly.blueprint import World
from rigidsim.engine.assembly.constants import model_of
from rigidsim.engine.assembly.joints import joint_states, moved_rows
from rigidsim.engine.model import layout
from rigidsim.engine.model.arrays import Model, MotionSamples, followed, windings
from rigidsim.jit.layouts import zeros
from rigidsim.physics.frames import compose_velocity, local_velocity, stretch, stretch_back
from rigidsim.physics.impulses import (
    combined_angular_momentum,
    mass_share,
    moment,
    plastic_origin_jump,
    rate_jump,
    reduced_mass,
)
from rigidsim.physics.inertia import apply, multiplied
from rigidsim.physics.quaternion import rotate, rotate_back
from rigidsim.physics.rigid_body import angular_momentum, point_velocity
from rigidsim.physics.summation import compensated_sum
from rigidsim.physics.vector import ZERO, add, cross, dot, norm, projection, rejection, scaled, sub
from rigidsim.tree.history import TreeChange
from rigidsim.tree.joints import NO_TURN, Joint
from rigidsim.tree.motion import seen
from rigidsim.tree.nodes import Node, Tree

FITS = 1e-6
"""How far a body may be from where a joint allows it when it begins to hang on it, in parts of the joint's size and in
rad.
"""


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


class Reparented(NamedTuple):
    """A world after a reparenting, in which the bodies that joints hold together still move as before, as far as the
    new tree allows it.
    """

    world: World
    jumps: dict[int, Jump]  # of the nodes whose motion it has changed
    struck: tuple[int, ...]  # nodes whose momenta are still to be handed over
    misfit: str = ""  # why the body cannot hang on its joint


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


def moved_base_row(world: World, body: int) -> int:
    """The row to whose work the energy of a reparenting is added: that of the free body that carries the node, else the
    first; NO_ROW without free bodies.
    """
    row = int(world.model.node[body, layout.NODE.moved_base])
    return row if row >= 0 else 0 if len(world.model.moved_node) else layout.NO_ROW


def parted(before: Tree, after: Tree, body: int) -> list[Node]:
    """A node that is free after a reparenting; if it was a part of another body, that body comes first."""
    left = before.moved_base(before.nodes[body])
    return [after.nodes[index] for index in dict.fromkeys((left.index, body) if left else (body,))]


def reparented(
    world: World, event: TreeChange, state: np.ndarray, local: MotionSamples, in_world: MotionSamples
) -> Reparented:
    """The world after the reparenting. `state` is the state before; `local` and `in_world` are one sample of the motion
    of every node, arrays (node, component). The state of a body with an impossible inertia, or that does not fit its
    joint, is NaN.
    """
    instant = MotionSnapshot(world.tree, local, in_world)
    tree = changed_tree(world.tree, event, instant)
    n_moved, model = len(world.model.moved_node), model_of(world.blueprint, tree)
    before: dict[int, list[np.ndarray]] = {}
    for row, numbers in zip(moved_rows(world.tree), state[:n_moved].copy(), strict=True):
        before.setdefault(row.node.index, []).append(numbers)
    rows = {node.index: before.get(node.index, []) for node in tree.moved_nodes()}
    moved, misfit = tree.nodes[event.body], ""
    jumps: dict[int, Jump] = {}
    struck: tuple[int, ...] = ()
    if moved.is_moved():
        # If it was a part of another body, the centre of mass of that body has changed.
        for node in parted(world.tree, tree, event.body):
            if node.is_free():
                rows[node.index] = [free_state(node, tree, instant, turning_row(world.tree.nodes[node.index], before))]
    elif (
        (moved_base := tree.moved_base(moved)) is not None
        and moved.index in before
        and is_alone(model, tree.row(moved_base))
    ):
        after_impact, jumps[moved_base.index] = impact(world, model, instant, before, moved.index, moved_base)
        rows[moved_base.index] = [after_impact]
    elif moved_base is not None:
        struck = connected(tree, moved)
        if moved_base.is_free():
            rows[moved_base.index] = [free_state(moved_base, tree, instant, before[moved_base.index][0])]
        keep_work(before.get(moved.index, ()), rows[moved_base.index][-1])
    if event.kind == "fixed":
        jumps[moved.index] = stop(tree, instant, moved)
    if event.joint is not None:
        struck = connected(tree, moved)
        rows[moved.index], jumps[moved.index] = onto_joint(world.tree, tree, instant, before, moved, event.joint)
        misfit = misfit_of(tree, instant, moved)
    if moved.is_moved() and turning_row(world.tree.nodes[moved.index], before, moved) is None:
        keep_work(before.get(moved.index, ()), rows[moved.index][-1])
    for node in tree.moved_nodes():
        if tree.composite(node).fault or (misfit and node is moved):
            for numbers in rows[node.index]:
                numbers[:] = np.nan
    after = np.array([*(row for of_node in rows.values() for row in of_node), *state[n_moved:]], dtype=np.float64)
    after = after.reshape(-1, layout.STATE.width)
    forget_signs(model, after)
    return Reparented(World(world.blueprint, tree, model, after), jumps, struck, misfit)


def is_alone(model: Model, row: int) -> bool:
    """Whether a moved row is that of a free body on which no joints are."""
    return model.joints is None or model.joints.joint[row, layout.JOINT.root] == layout.NO_ROW


def connected(tree: Tree, node: Node) -> tuple[int, ...]:
    """A node, and the jointed ones among its descendants to which joints and fixed parts lead from it."""
    found, frames = [node.index], {node.frame}
    for index in tree.subtree(node.index)[1:]:
        below = tree.nodes[index]
        if below.kind in ("fixed", "jointed") and below.parent in frames:
            frames.add(below.frame)
            found += [index] if below.kind == "jointed" else []
    return tuple(found)


def turning_row(node: Node, before: Mapping[int, list[np.ndarray]], after: Node | None = None) -> np.ndarray | None:
    """The row of a node that has its rotation in the world, as those of free bodies and of balls have; None if there is
    none, or if the node has none `after`.
    """
    ends = (node, after or node)
    is_there = all(one.is_free() or (one.kind == "jointed" and not_none(one.joint).has_attitude) for one in ends)
    return before[node.index][0] if is_there else None


def keep_work(lost: Sequence[np.ndarray], row: np.ndarray) -> None:
    """Add the work that was done on rows that are no more to one that is, in place."""
    for one in lost:
        for part in (layout.STATE.work_low, layout.STATE.work):
            increase(row, "work", one[part])


def stop(tree: Tree, instant: MotionSnapshot, node: Node) -> Jump:
    """The jump of a node that becomes fixed: it loses its motion relative to its new parent."""
    return jump_to(ZERO, ZERO, tree, instant, node)


def jump_to(v_PB: tuple, omega_PB: tuple, tree: Tree, instant: MotionSnapshot, node: Node) -> Jump:
    """The jump of a node to this motion relative to its new parent."""
    q_WP, _ = instant.world(tree.parent(node))
    _, _, v, omega = instant.seen(node.frame, node.parent)
    return Jump(stretch(q_WP, node.parent_metres, sub(v_PB, v)), rotate(q_WP, sub(omega_PB, omega)))


def changed_tree(tree: Tree, event: TreeChange, instant: MotionSnapshot) -> Tree:
    """The tree with one node under another parent; a node that becomes fixed keeps its present pose there, and so does
    one on a joint of which the pose at zero is not given.
    """
    p, q, _, _ = instant.seen(1 + event.body, event.to)
    joint, metres = event.joint, tree.metres(event.to)
    if joint is not None:
        angles = [0.0] * len(joint.coordinates) if joint.orientation is None else joint.angles_at(q)
        joint = joint.beginning(p, q, [(x, 0.0) for x in angles], tree.nodes[event.body].metres / metres, metres)
    return tree.moved(event.body, event.to, event.kind, (p, q) if event.kind == "fixed" else None, joint)


def onto_joint(
    before_tree: Tree,
    tree: Tree,
    instant: MotionSnapshot,
    before: Mapping[int, list[np.ndarray]],
    node: Node,
    given: Joint,
) -> tuple[list[np.ndarray], Jump]:
    """The state of a body that begins to hang on a joint, and the jump to it: rates along and about the axes as they
    are, which impulses correct; nothing else moves it relative to its parent.
    """
    joint, (p, q, v, omega) = not_none(node.joint), instant.seen(node.frame, node.parent)
    if joint.has_attitude:
        q_WB, omega_WB = instant.world(node)
        row, turning = zeros(layout.STATE.width), turning_row(before_tree.nodes[node.index], before)
        row[layout.STATE.q], row[layout.STATE.omega] = q_WB, rotate_back(q_WB, omega_WB)
        if turning is not None:
            row[:] = turning
            begin(row, "p", ZERO)
            begin(row, "v", ZERO)
        return [row], jump_to(joint.held(q, omega, node.scale)[2], omega, tree, instant, node)
    nearest = zip(joint.coordinates, joint.coordinates_at(p, q, node.scale, node.parent_metres), strict=True)
    begins = {True: given.orientation is None, False: given.position is None}  # at zero, without rounding
    found = [0.0 if begins[one.turns] else x for one, x in nearest]
    v_J = point_velocity(v, omega, stretch(q, node.scale, joint.at))
    axes = joint.directions([(x, 0.0) for x in found])
    motion = [
        (x, dot(omega, axis) if one.turns else node.parent_metres * dot(v_J, axis))
        for x, one, axis in zip(found, joint.coordinates, axes, strict=True)
    ]
    _, _, v_PB, omega_PB = joint.moved(motion, node.scale, node.parent_metres)
    rows = [np.array(row) for row in joint_states(joint, motion, NO_TURN, ZERO)]
    return rows, jump_to(v_PB, omega_PB, tree, instant, node)


def misfit_of(tree: Tree, instant: MotionSnapshot, node: Node) -> str:
    """Why a body cannot hang on its new joint where it is; empty if it can."""
    joint, (p, q, _, _) = not_none(node.joint), instant.seen(node.frame, node.parent)
    found = joint.coordinates_at(p, q, node.scale, node.parent_metres)
    gap, turn = joint.gap(p, q, found, node.scale, node.parent_metres)
    size = size_of(joint, tree, node)
    if gap <= FITS * size and turn <= FITS:
        return ""
    parent = tree.parent(node)
    return (
        f"'{node.path}' is {gap:.3g} m and {turn:.3g} rad away from where its {joint.type} joint on"
        f" '{parent.path if parent else 'world'}' allows it; expected at most {FITS * size:.2g} m and"
        f" {FITS:g} rad"
    )


def size_of(joint: Joint, tree: Tree, node: Node) -> float:
    """The largest of the lengths of which a joint and its body are made, m."""
    lump = tree.lump(node)
    pivot = add(joint.position, stretch(joint.orientation, node.scale, joint.at))
    arms = node.parent_metres * norm(pivot), norm(sub(lump.center, scaled(node.metres, joint.at)))
    gyration = math.sqrt((lump.inertia[0] + lump.inertia[1] + lump.inertia[2]) / lump.mass) if lump.mass else 0.0
    return max(*arms, gyration)


def impulses_of(
    struck: Sequence[int], to: int, before: World, after: World, old: MotionSnapshot, new: MotionSnapshot
) -> dict[int, tuple[tuple, tuple]]:
    """The momenta of some bodies in the motion `old` beyond those in `new`, seen from the frame `to`, which has one
    motion in both: impulses (N s) and angular impulses (N m s) about the centre of mass, world axes, by rows of the new
    model.
    """
    found: dict[int, tuple[tuple, tuple]] = {}
    tree, metres, normal = after.tree, after.tree.metres(to), before.blueprint.normal
    q_WP, _ = old.world(tree.node(to))
    for index in struck:
        node, moved_base = tree.nodes[index], tree.moved_base(tree.nodes[index])
        mass, com, inertia = (tree if node.is_moved() else before.tree).lump(node)
        if moved_base is None or not mass:
            continue
        if node.joint is not None and node.joint.is_tank:
            full, mass = mass, layout.CONTENT.view(after.state[tree.row(node)]).mass
            inertia = multiplied(mass / full, inertia)
        (_, q, v, omega), (_, _, v_new, omega_new) = (motion.seen(node.frame, to) for motion in (old, new))
        q_WB, _ = old.world(node)
        domega = sub(omega, omega_new)
        P = rotate(q_WP, scaled(mass, point_velocity(scaled(metres, sub(v, v_new)), domega, rotate(q, com))))
        K = rotate(q_WB, apply(inertia, rotate_back(q_WB, rotate(q_WP, domega))))
        if moved_base is not node:
            p, q_rel, _, _ = old.seen(node.frame, moved_base.frame)
            lever = sub(add(scaled(moved_base.metres, p), rotate(q_rel, com)), tree.lump(moved_base).center)
            K = moment(rotate(old.world(moved_base)[0], lever), P, K)
        if normal:
            P, K = rejection(normal, P), projection(normal, K)
        J, L = found.get(tree.row(moved_base), (ZERO, ZERO))
        found[tree.row(moved_base)] = add(J, P), add(L, K)
    return found


def forget_signs(model: Model, state: np.ndarray) -> None:
    """In place: reset the recorded cosines. The frames of a load may be different ones now, and a quaternion has two
    signs; passing half a turn is detected from here on.
    """
    for row, (table, value) in zip(state[len(state) - followed(model) :], windings(model), strict=False):
        if not table.counts_turns(value):
            row[layout.UNWRAPPED.last] = 0.0


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
    omega_B = rotate_back(q_WB, omega) if node.joint else tuple(map(float, before[index][0][layout.STATE.omega]))
    L_B = angular_momentum(constants[layout.BODY.inertia], omega_B)
    return ImpactState(constants[layout.BODY.mass], r, omega, rotate(q_WB, L_B))


def impact(
    world: World, model: Model, instant: MotionSnapshot, before: dict, other: int, moved_base: Node
) -> tuple[np.ndarray, Jump]:
    """Two free bodies become one: its state, and the jump of the moved base's frame. In a planar scene the component of
    the angular momentum that would tilt the body is absorbed by the plane constraint.
    """
    one, two = (moving(world, instant, before, index) for index in (moved_base.index, other))
    q_WB, _ = instant.world(moved_base)
    p, _, v, _ = instant.seen(1 + other, moved_base.frame)
    arm, drift = (stretch(q_WB, moved_base.metres, x) for x in (p, v))
    approach = compose_velocity(ZERO, one.omega, arm, drift)  # of the origins
    s = sub(add(arm, two.r), one.r)
    u = sub(point_velocity(approach, two.omega, two.r), cross(one.omega, one.r))
    L = combined_angular_momentum(one.L, two.L, reduced_mass(one.mass, two.mass), s, u)
    if world.blueprint.normal:
        L = projection(world.blueprint.normal, L)
    body = model.body[model.node[moved_base.index, layout.NODE.row]]
    omega_B = rate_jump(tuple(map(float, body[layout.BODY.inverse])), rotate_back(q_WB, L))  # from rest
    omega = rotate(q_WB, omega_B)

    b, row = mass_share(one.mass, two.mass), before[moved_base.index][0].copy()
    q_WP, omega_WP = instant.world(world.tree.parent(moved_base))
    shift, scale = scaled(b, s), moved_base.parent_metres
    increase(row, "p", stretch_back(q_WP, scale, shift))
    increase(row, "v", local_velocity(ZERO, omega_WP, q_WP, scale, shift, scaled(b, u)))
    begin(row, "omega", omega_B)
    keep_work(before[other], row)
    return row, Jump(plastic_origin_jump(b, s, u, one.r, one.omega, omega), sub(omega, one.omega))
