"""Reparenting: a new tree, the same motion in the world.

What is relative to a parent is derived anew, along the tree; a body's own rotation does not change. Two bodies that
become one keep their joint momenta (a plastic impact); a part that becomes a body keeps the velocity it had as a part;
what hangs on them keeps its motion in the world.
"""

from __future__ import annotations

import copy

import numpy as np

from rigidsim.engine import layout
from rigidsim.engine.chain import Chain
from rigidsim.engine.compiler import Compiled, compiled
from rigidsim.engine.compiler.constants import model_of
from rigidsim.engine.compiler.plane import about
from rigidsim.engine.compiler.tree import Node, Tree
from rigidsim.engine.model import zeros
from rigidsim.physics.deltas import cancelling_velocity, inherited_velocity
from rigidsim.physics.frames import stretch, stretch_back
from rigidsim.physics.inertia import apply
from rigidsim.physics.quaternion import rotate, rotate_back
from rigidsim.physics.rigid_body import point_velocity
from rigidsim.physics.vector import add, cross, scaled, sub
from rigidsim.scene.events import Reparenting
from rigidsim.scene.references import WORLD


class Instant:
    """The motion of every node at an instant, from one sample: relative to each other, along a tree."""

    def __init__(self, tree: Tree, local: np.ndarray, world: np.ndarray):
        self._tree, self._local, self._world = tree, local, world

    def world(self, node: Node | None) -> tuple:
        """(q, omega) in the world."""
        if node is None:
            return (1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        row = tuple(map(float, self._world[node.index]))
        return row[layout.O_Q : layout.O_Q + 4], row[layout.O_OMEGA : layout.O_OMEGA + 3]

    def seen(self, path: str, observer: str) -> tuple:
        """(p, q, v, omega) of a node's origin in the frame of another, in its axes and units of length."""
        inwards, outwards = ([] if name == WORLD else self._tree.by_path[name].lineage() for name in (observer, path))
        while inwards and outwards and inwards[-1] is outwards[-1]:
            inwards.pop()
            outwards.pop()
        return self._chain(outwards).seen_from(self._chain(inwards))

    def _chain(self, branch: list[Node]) -> Chain:
        chain = Chain.identity()
        for node in branch:
            row = tuple(map(float, self._local[node.index]))
            pose = (row[layout.O_P : layout.O_P + 3], row[layout.O_Q : layout.O_Q + 4], node.scale)
            chain = chain.below(pose, row[layout.O_V : layout.O_V + 3], row[layout.O_OMEGA : layout.O_OMEGA + 3])
        return chain


def carrier_row(world: Compiled, path: str) -> int:
    """The row of the free body that carries a node, or NOBODY."""
    carrier = world.tree.carrier(world.tree.by_path[path])
    return layout.NOBODY if carrier is None else world.tree.free().index(carrier)


def reparented(world: Compiled, event: Reparenting, state: np.ndarray, local, in_world) -> Compiled:
    """A world after the event. `state` is its state before, `local` and `in_world` a sample of the motion of every
    node, (node, SAMPLE_ROWS).
    """
    instant = Instant(world.tree, local, in_world)
    tree = changed_tree(world.tree, event, instant)
    n_free = len(world.tree.free())
    before = dict(zip((node.path for node in world.tree.free()), state[:n_free], strict=True))
    made = model_of(world.scene, tree, world.start, world.schedule)
    rows = {node.path: before.get(node.path) for node in tree.free()}
    moved, jumps = tree.by_path[event.body], {}
    if moved.is_free():
        left = world.tree.carrier(world.tree.by_path[event.body])
        # If it was a part of another body, that one's centre of mass is now elsewhere.
        for path in {moved.path: None, left.path: None}:
            node = tree.by_path[path]
            rows[path] = free_state(node, tree, instant, before.get(path))
            if tree.carried(node).mass.is_point and any(instant.world(node)[1]):
                jumps[path] = stop_turning(node, tree, rows[path], instant)
    elif moved.path in before:
        carrier = tree.carrier(moved)
        impact = Impact(world, tree, made.model, instant, before, moved.path, carrier.path)
        rows[carrier.path] = impact.joint_state()
        jumps = impact.jump
    protect(tree, rows, instant, jumps)
    after = np.array([*(rows[node.path] for node in tree.free()), *state[n_free:]], dtype=np.float64)
    return compiled(world.scene, tree, world.start, world.schedule, made, after.reshape(-1, layout.STATE_ROWS))


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


def free_state(node: Node, tree: Tree, instant: Instant, before: np.ndarray | None) -> np.ndarray:
    """The state of a free body that goes on as it moves, seen from its parent; a body's own rotation stays."""
    parent = WORLD if node.parent is None else node.parent.path
    p, q, v, omega = instant.seen(node.path, parent)
    row = zeros(layout.STATE_ROWS)
    if before is None:
        q_WB, omega_WB = instant.world(node)
        row[layout.S_Q : layout.S_Q + 4] = q_WB
        row[layout.S_OMEGA : layout.S_OMEGA + 3] = rotate_back(q_WB, omega_WB)
    else:
        row[:] = before
    r = stretch(q, node.scale, tuple(tree.carried(node).mass.center_of_mass))
    row[layout.S_P : layout.S_P + 3] = add(p, r)
    row[layout.S_V : layout.S_V + 3] = point_velocity(v, omega, r)
    return row


class Impact:
    """Two free bodies that become one: what struck, and the carrier it is fixed to from then on; world axes, m."""

    def __init__(self, world: Compiled, tree: Tree, model, instant: Instant, before: dict, struck: str, carrier: str):
        self.instant, self.paths = instant, (carrier, struck)
        self.carrier = tree.by_path[carrier]
        self.before = before[carrier], before[struck]
        old = world.model.body
        index = [node.path for node in world.tree.free()]
        rows = old[index.index(carrier)], old[index.index(struck)]
        self.m_1, self.m_2 = (float(row[layout.B_MASS]) for row in rows)
        self.q, self.omega = instant.world(self.carrier)
        self.com = rotate(self.q, tuple(rows[0][layout.B_COM : layout.B_COM + 3]))
        q_2, omega_2 = instant.world(tree.by_path[struck])
        com_2 = rotate(q_2, tuple(rows[1][layout.B_COM : layout.B_COM + 3]))

        p, _, v, _ = instant.seen(struck, carrier)
        metres = self.carrier.metres
        self.arm = rotate(self.q, scaled(metres, p))  # from the carrier's origin to the other's
        turning = cross(self.omega, self.arm)
        approach = add(rotate(self.q, scaled(metres, v)), turning)  # of the origins
        self.origin_velocity = approach
        self.s = sub(add(self.arm, com_2), self.com)
        self.u = sub(add(approach, cross(omega_2, com_2)), cross(self.omega, self.com))
        L = self._angular_momentum(rows, (self.omega, q_2, omega_2))
        if world.scene.world.normal:
            L = about(world.scene.world.normal, L)
        joint = model.body[[node.path for node in tree.free()].index(carrier)]
        inverse = tuple(joint[layout.B_INVERSE : layout.B_INVERSE + 6])
        self.rate_B = apply(inverse, rotate_back(self.q, L))
        self.jump = self._jump(omega_2)

    def _angular_momentum(self, rows, rates) -> tuple:
        """About the joint centre of mass: both spins, and the reduced mass on its arm."""
        omega_1, q_2, omega_2 = rates
        inertia = slice(layout.B_INERTIA, layout.B_INERTIA + 6)
        spin_1 = rotate(self.q, apply(tuple(rows[0][inertia]), rotate_back(self.q, omega_1)))
        spin_2 = rotate(q_2, apply(tuple(rows[1][inertia]), rotate_back(q_2, omega_2)))
        reduced = self.m_1 * self.m_2 / (self.m_1 + self.m_2)
        return add(add(spin_1, spin_2), scaled(reduced, cross(self.s, self.u)))

    @property
    def share(self) -> float:
        """The part of the joint mass that the struck body brings."""
        return self.m_2 / (self.m_1 + self.m_2)

    def _jump(self, omega_2) -> dict[str, tuple]:
        """(dv of the origin, domega) of both nodes' frames, by path."""
        omega = rotate(self.q, self.rate_B)
        to_joint = add(self.com, scaled(self.share, self.s))  # from the carrier's origin
        at_com = add(cross(self.omega, self.com), scaled(self.share, self.u))  # relative to the origin's old velocity
        dv = sub(at_com, cross(omega, to_joint))
        dv_2 = sub(add(dv, cross(omega, self.arm)), self.origin_velocity)
        carrier, struck = self.paths
        return {carrier: (dv, sub(omega, self.omega)), struck: (dv_2, sub(omega, omega_2))}

    def joint_state(self) -> np.ndarray:
        """The state of the two as one body."""
        parent = self.carrier.parent
        q_WP, omega_WP = self.instant.world(parent)
        scale = self.carrier.parent_metres
        row = self.before[0].copy()
        shift = scaled(self.share, self.s)
        drift = sub(scaled(self.share, self.u), cross(omega_WP, shift))
        place, velocity = slice(layout.S_P, layout.S_P + 3), slice(layout.S_V, layout.S_V + 3)
        row[place] = add(tuple(row[place]), stretch_back(q_WP, scale, shift))
        row[velocity] = add(tuple(row[velocity]), stretch_back(q_WP, scale, drift))
        row[layout.S_OMEGA : layout.S_OMEGA + 3] = self.rate_B
        row[layout.S_WORK] += self.before[1][layout.S_WORK]
        return row


def stop_turning(node: Node, tree: Tree, row: np.ndarray, instant: Instant) -> tuple:
    """A particle that is left does not turn, as no particle does; in place. Returns the jump of its frame, (dv of the
    origin, domega).
    """
    q_WB, omega = instant.world(node)
    r = rotate(q_WB, scaled(node.metres, tuple(tree.carried(node).mass.center_of_mass)))
    row[layout.S_OMEGA : layout.S_OMEGA + 3] = 0.0
    return cross(omega, r), scaled(-1.0, omega)


def protect(tree: Tree, rows: dict, instant: Instant, jumps: dict[str, tuple]) -> None:
    """The first free descendants of nodes whose frames jump, (dv, domega) by path, keep their motion in the world; in
    place.
    """
    jumps = dict(jumps)
    for node in tree.outwards():
        if node.parent is None or node.path in jumps or node.parent.path not in jumps:
            continue
        dv, domega = jumps[node.parent.path]
        q_WP, _ = instant.world(node.parent)
        if node.is_free():
            row, velocity = rows[node.path].copy(), slice(layout.S_V, layout.S_V + 3)
            d = stretch(q_WP, node.parent_metres, tuple(row[layout.S_P : layout.S_P + 3]))
            change = cancelling_velocity(q_WP, node.parent_metres, dv, domega, d)
            row[velocity] = add(tuple(row[velocity]), change)
            rows[node.path] = row
        else:
            p, _, _, _ = instant.seen(node.path, node.parent.path)
            d = stretch(q_WP, node.parent_metres, p)
            jumps[node.path] = (inherited_velocity(dv, domega, d), domega)
