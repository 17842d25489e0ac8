"""Reparenting: a new tree, the same motion in the world.

What is relative to a parent is derived anew, along the tree; a body's own rotation does not change. Two bodies that
become one keep their joint momenta (a plastic impact); a part that becomes a body keeps the velocity it had as a part.
A node that is fixed anew moves with its new parent. Jumps go outwards, as those of impulses do: free bodies keep their
motion in the world, or are carried if they inherit impulses.
"""

from __future__ import annotations

import copy
from typing import NamedTuple

import numpy as np

from rigidsim.engine import layout
from rigidsim.engine.chain import Chain
from rigidsim.engine.compiler import Compiled, compiled
from rigidsim.engine.compiler.constants import Assembled, model_of
from rigidsim.engine.compiler.plane import about
from rigidsim.engine.compiler.tree import Node, Tree
from rigidsim.engine.model import Model, followed, windings, zeros
from rigidsim.physics.deltas import cancelling_velocity, inherited_velocity
from rigidsim.physics.frames import compose_velocity, local_velocity, stretch, stretch_back
from rigidsim.physics.impulses import (
    joint_angular_momentum,
    mass_share,
    plastic_origin_jump,
    rate_jump,
    reduced_mass,
)
from rigidsim.physics.quaternion import rotate, rotate_back
from rigidsim.physics.rigid_body import angular_momentum, point_velocity
from rigidsim.physics.summation import compensated_sum
from rigidsim.physics.vector import add, cross, negated, scaled, sub
from rigidsim.scene.hierarchy.references import WORLD
from rigidsim.scene.schema.events import Reparenting

ZERO = (0.0, 0.0, 0.0)
PLACE, VELOCITY = slice(layout.S_P, layout.S_P + 3), slice(layout.S_V, layout.S_V + 3)
RATE, WORK = slice(layout.S_OMEGA, layout.S_OMEGA + 3), slice(layout.S_WORK, layout.S_WORK + 1)
PLACE_LOW, VELOCITY_LOW = slice(layout.S_P_LOW, layout.S_P_LOW + 3), slice(layout.S_V_LOW, layout.S_V_LOW + 3)
RATE_LOW, WORK_LOW = slice(layout.S_OMEGA_LOW, layout.S_OMEGA_LOW + 3), slice(layout.S_WORK_LOW, layout.S_WORK_LOW + 1)
LOW = {PLACE.start: PLACE_LOW, VELOCITY.start: VELOCITY_LOW, RATE.start: RATE_LOW, WORK.start: WORK_LOW}


class Jump(NamedTuple):
    """The change of a frame's motion in the world, world axes: of its origin, m/s, and of its rate, rad/s."""

    dv: tuple
    domega: tuple


REST = Jump(ZERO, ZERO)


class Moving(NamedTuple):
    """A free body before an impact, world axes: its centre of mass from its origin, m, and its angular momentum about
    it.
    """

    mass: float
    r: tuple
    omega: tuple
    L: tuple


class Instant:
    """The motion of every node at an instant, from one sample: relative to each other, along a tree."""

    def __init__(self, tree: Tree, local: np.ndarray, world: np.ndarray):
        self._tree, self._local, self._world = tree, local, world

    def world(self, node: Node | None) -> tuple:
        """(q, omega) in the world."""
        if node is None:
            return (1.0, 0.0, 0.0, 0.0), ZERO
        row = tuple(map(float, self._world[node.index]))
        return row[layout.O_Q : layout.O_Q + 4], row[layout.O_OMEGA : layout.O_OMEGA + 3]

    def seen(self, path: str, observer: str) -> tuple:
        """(p, q, v, omega) of a node's origin in the frame of another, in its axes and units of length."""
        inwards, outwards = self._tree.branches(*map(self._tree.frame_of, (observer, path)))
        return self._chain(outwards).seen_from(self._chain(inwards))

    def _chain(self, branch: list[Node]) -> Chain:
        return Chain.of(self._link(node.scale, tuple(map(float, self._local[node.index]))) for node in branch)

    @staticmethod
    def _link(scale: float, row: tuple) -> tuple:
        pose = (row[layout.O_P : layout.O_P + 3], row[layout.O_Q : layout.O_Q + 4], scale)
        return pose, row[layout.O_V : layout.O_V + 3], row[layout.O_OMEGA : layout.O_OMEGA + 3]


def carrier_row(world: Compiled, path: str) -> int:
    """The row that the energy of a reparenting is booked on: of the free body that carries the node, else the first;
    NOBODY if nothing is free.
    """
    free, carrier = world.tree.free(), world.tree.carrier(world.tree.by_path[path])
    return layout.NOBODY if not free else 0 if carrier is None else free.index(carrier)


def parted(before: Tree, after: Tree, path: str) -> list[Node]:
    """A body that is free after a reparenting; if it was a part, the one that carried it comes first."""
    left = before.carrier(before.by_path[path])
    return [after.by_path[name] for name in dict.fromkeys((left.path, path))]


def jumping(before: Tree, after: Tree, event: Reparenting) -> Node | None:
    """The node whose jump passes on to all that hangs on it, if the event makes one jump."""
    moved = after.by_path[event.body]
    if event.motion == "fixed":
        return after.carrier(moved) if before.by_path[event.body].is_free() else moved
    return None


def reparented(world: Compiled, event: Reparenting, state: np.ndarray, local, in_world) -> Compiled:
    """A world after the event. `state` is its state before, `local` and `in_world` a sample of the motion of every
    node, (node, SAMPLE_ROWS). A body that comes out with an impossible inertia gets a state of no numbers.
    """
    instant = Instant(world.tree, local, in_world)
    tree = changed_tree(world.tree, event, instant)
    n_free = len(world.tree.free())
    before = dict(zip((node.path for node in world.tree.free()), state[:n_free].copy(), strict=True))
    made = model_of(world.scene, tree, world.start, world.schedule)
    rows = {node.path: before.get(node.path) for node in tree.free()}
    moved, jumps = tree.by_path[event.body], {}
    if moved.is_free():
        # If it was a part of another body, that one's centre of mass is now elsewhere.
        for node in parted(world.tree, tree, event.body):
            rows[node.path] = free_state(node, tree, instant, before.get(node.path))
    elif moved.path in before:
        carrier = tree.carrier(moved)
        rows[carrier.path], jumps[carrier.path] = impact(world, made, instant, before, moved.path, carrier)
    pass_on(tree, made, rows, instant, jumps, event)
    for node in tree.free():
        if tree.carried(node).fault:
            rows[node.path][:] = np.nan
    after = np.array([*rows.values(), *state[n_free:]], dtype=np.float64).reshape(-1, layout.STATE_ROWS)
    forget_signs(made.model, after)
    return compiled(world.scene, tree, world.start, world.schedule, made, after)


def changed_tree(tree: Tree, event: Reparenting, instant: Instant) -> Tree:
    """The tree with one node under another parent; a node that becomes fixed keeps its present pose there."""
    metres = tree.by_path[event.body].metres
    p, q, _, _ = instant.seen(event.body, event.to)
    nodes = copy.deepcopy({node.path: node for node in tree.nodes}, {id(node.spec): node.spec for node in tree.nodes})
    node, parent = nodes[event.body], nodes.get(event.to)
    if node.parent is not None:
        del node.parent.children[node.path]
    node.parent, node.kind = parent, event.motion
    if parent is not None:
        parent.children[node.path] = node
    node.scale = metres / node.parent_metres
    if event.motion == "fixed":
        node.position, node.orientation = p, q
    return Tree(list(nodes.values()))


def forget_signs(model: Model, state: np.ndarray) -> None:
    """In place: the frames of what turns over may be others now, and a quaternion has two signs; whether it passes
    half a turn is seen from here on.
    """
    for row, (table, value) in zip(state[len(state) - followed(model) :], windings(model), strict=True):
        if not table.counts_turns(value):
            row[layout.S_WOUND] = 0.0


def free_state(node: Node, tree: Tree, instant: Instant, before: np.ndarray | None) -> np.ndarray:
    """The state of a free body that goes on as it moves, seen from its parent; a body's own rotation stays."""
    p, q, v, omega = instant.seen(node.path, parent_path(node))
    row = zeros(layout.STATE_ROWS)
    if before is None:
        q_WB, omega_WB = instant.world(node)
        row[layout.S_Q : layout.S_Q + 4] = q_WB
        row[RATE] = rotate_back(q_WB, omega_WB)
    else:
        row[:] = before
    r = stretch(q, node.scale, tuple(tree.carried(node).mass.center_of_mass))
    begin(row, PLACE, add(p, r))
    begin(row, VELOCITY, point_velocity(v, omega, r))
    return row


def begin(row: np.ndarray, part: slice, value) -> None:
    """Set one of the sums of a state, in place."""
    row[part], row[LOW[part.start]] = value, 0.0


def increase(row: np.ndarray, part: slice, change) -> None:
    """Add to one of the sums of a state, in place."""
    low = LOW[part.start]
    row[part], row[low] = compensated_sum(row[part], row[low], np.asarray(change))


def parent_path(node: Node) -> str:
    """Of its parent, which may be the world."""
    return WORLD if node.parent is None else node.parent.path


def moving(world: Compiled, instant: Instant, before: dict, path: str) -> Moving:
    """A free body of the world before."""
    node = world.tree.by_path[path]
    constants = tuple(map(float, world.model.body[world.tree.free().index(node)]))
    q_WB, omega = instant.world(node)
    r = rotate(q_WB, constants[layout.B_COM : layout.B_COM + 3])
    L_B = angular_momentum(constants[layout.B_INERTIA : layout.B_INERTIA + 6], tuple(map(float, before[path][RATE])))
    return Moving(constants[layout.B_MASS], r, omega, rotate(q_WB, L_B))


def impact(
    world: Compiled, made: Assembled, instant: Instant, before: dict, struck: str, carrier: Node
) -> tuple[np.ndarray, Jump]:
    """Two free bodies become one: its state, and the jump of the carrier's frame. In a plane, that takes up what would
    tilt it.
    """
    one, two = (moving(world, instant, before, path) for path in (carrier.path, struck))
    q_WB, _ = instant.world(carrier)
    p, _, v, _ = instant.seen(struck, carrier.path)
    arm, drift = (stretch(q_WB, carrier.metres, x) for x in (p, v))
    approach = compose_velocity(ZERO, one.omega, arm, drift)  # of the origins
    s = sub(add(arm, two.r), one.r)
    u = sub(point_velocity(approach, two.omega, two.r), cross(one.omega, one.r))
    L = joint_angular_momentum(one.L, two.L, reduced_mass(one.mass, two.mass), s, u)
    if world.scene.world.normal:
        L = about(world.scene.world.normal, L)
    joint = made.model.body[list(made.model.free_node).index(carrier.index)]
    inverse = tuple(map(float, joint[layout.B_INVERSE : layout.B_INVERSE + 6]))
    omega_B = rate_jump(inverse, rotate_back(q_WB, L))  # from rest
    omega = rotate(q_WB, omega_B)

    b, row = mass_share(one.mass, two.mass), before[carrier.path].copy()
    q_WP, omega_WP = instant.world(carrier.parent)
    shift, scale = scaled(b, s), carrier.parent_metres
    increase(row, PLACE, stretch_back(q_WP, scale, shift))
    increase(row, VELOCITY, local_velocity(ZERO, omega_WP, q_WP, scale, shift, scaled(b, u)))
    begin(row, RATE, omega_B)
    for part in (WORK_LOW, WORK):
        increase(row, WORK, before[struck][part])
    return row, Jump(plastic_origin_jump(b, s, u, one.r, one.omega, omega), sub(omega, one.omega))


def pass_on(tree: Tree, made: Assembled, rows: dict, instant: Instant, jumps: dict, event: Reparenting) -> None:
    """Jumps of frames, by path, go outwards to all that hangs on them; `rows` are changed in place. A node that is
    fixed anew gives up its motion relative to its new parent.
    """
    bodies = dict(zip(rows, made.model.body, strict=True))
    for node in tree.outwards():
        above = jumps.get(node.parent.path, REST) if node.parent else REST
        is_fixed_anew = node.path == event.body and event.motion == "fixed"
        if node.path in jumps or (above is REST and not is_fixed_anew):
            continue
        if not node.is_free():
            q_WP, _ = instant.world(node.parent)
            p, _, v, omega = instant.seen(node.path, parent_path(node))
            dv, domega = inherited_velocity(*above, stretch(q_WP, node.parent_metres, p)), above.domega
            if is_fixed_anew:
                dv, domega = sub(dv, stretch(q_WP, node.parent_metres, v)), sub(domega, rotate(q_WP, omega))
            jumps[node.path] = Jump(dv, domega)
        elif node.spec.inherit_impulses:
            jumps[node.path] = carry(node, bodies[node.path], rows[node.path], instant, above)
        else:
            q_WP, _ = instant.world(node.parent)
            d = stretch(q_WP, node.parent_metres, tuple(map(float, rows[node.path][PLACE])))
            increase(rows[node.path], VELOCITY, cancelling_velocity(q_WP, node.parent_metres, *above, d))


def carry(node: Node, body: np.ndarray, row: np.ndarray, instant: Instant, above: Jump) -> Jump:
    """A free body that inherits what its parent's frame does; in place. Returns the jump of its own frame."""
    (q_WP, _), (q_WB, _) = (instant.world(each) for each in (node.parent, node))
    d = stretch(q_WP, node.parent_metres, tuple(map(float, row[PLACE])))
    turns = np.any(body[layout.B_INVERSE : layout.B_INVERSE + 6])  # a particle does not
    domega = above.domega if turns else ZERO
    row[RATE] += rotate_back(q_WB, domega)
    r = rotate(q_WB, tuple(map(float, body[layout.B_COM : layout.B_COM + 3])))
    return Jump(point_velocity(inherited_velocity(*above, d), domega, negated(r)), domega)
