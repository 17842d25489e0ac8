"""Pose and motion of the bodies at t = 0, as far as the scene determines them without a run."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rigidsim.physics.frames import compose_pose, compose_rate, stretch
from rigidsim.physics.operations import JETS
from rigidsim.physics.prescribed import turned_further
from rigidsim.physics.quaternion import product, rotate
from rigidsim.physics.vector import add, cross, scaled, sub
from rigidsim.scene.expressions import Expression
from rigidsim.scene.expressions.tree import Time
from rigidsim.scene.hierarchy.mass import carried_mass
from rigidsim.scene.hierarchy.nodes import Hierarchy, SceneNode
from rigidsim.scene.schema.body import Body
from rigidsim.scene.schema.names import WORLD
from rigidsim.scene.values.rotation import IDENTITY, Quaternion, Vector
from rigidsim.scene.values.vectors import ZERO, PrescribedVector, at_time


class Start(NamedTuple):
    """A body's frame at t = 0, in the world: its origin, axes and scale, and how it moves."""

    p: Vector = ZERO
    q: Quaternion = IDENTITY
    s: float = 1.0
    v: Vector = ZERO
    omega: Vector = ZERO

    def point(self, x: Vector) -> Vector:
        """A point of the body in the world, m."""
        return add(self.p, stretch(self.q, self.s, x))

    def velocity_at(self, point: Vector) -> Vector:
        """The velocity of the point of the body that is at a given point of the world, m/s."""
        return add(self.v, cross(self.omega, sub(point, self.p)))


class Starts:
    """The motion of each body at t = 0, by its path; the world is at rest."""

    def __init__(self, hierarchy: Hierarchy):
        self._hierarchy = hierarchy
        self._found = {WORLD: Start()}

    def __getitem__(self, path: str) -> Start:
        if path not in self._found:
            node = self._hierarchy[path]
            self._found[path] = _start(node.body, self.above(node))
        return self._found[path]

    def above(self, node: SceneNode) -> Start:
        """The motion of a node's parent at t = 0."""
        return self[WORLD if node.parent is None else node.parent.path]


def columns(part: Expression | float, t: np.ndarray | float) -> tuple:
    """Value, first and second derivative with respect to time, at each of these times (s)."""
    jet = (part, 0.0, 0.0)
    if isinstance(part, Expression):
        jet = part.evaluate({Time(): (t, 1.0, 0.0)}, JETS)
    return tuple(np.broadcast_to(column, np.shape(t)) for column in jet)


def largest(column: np.ndarray | float) -> float:
    """The largest absolute value of the finite numbers."""
    sizes = np.abs(column)
    return float(np.max(sizes, where=np.isfinite(sizes), initial=0.0))


def turned(body: Body, t: np.ndarray | float) -> tuple:
    """(q_PB, omega_PB) of a prescribed body at each of these times (s); of one whose rates are given, q_PB at t = 0."""
    motion = body.prescribed
    if motion.orientation is None:
        given, change = motion.angular_velocity, motion.angular_acceleration
        now, more = (tuple(columns(part, t)[0] for part in vector.value) for vector in (given, change))
        omega = add(_in_parent_axes(now, given, body), scaled(np.asarray(t), _in_parent_axes(more, change, body)))
        return body.orientation, omega
    so_far = (IDENTITY, ZERO, ZERO)
    for axis, angle in motion.orientation.turns:
        so_far = turned_further(so_far, axis, columns(angle, t))
    return product(so_far[0], body.orientation), so_far[1]


def _start(body: Body, parent: Start) -> Start:
    motion, position, q_PB = body.prescribed, body.position, body.orientation
    if motion is not None:
        q_PB = tuple(map(float, turned(body, 0.0)[0]))
        position = position if motion.position is None else at_time(motion.position, 0.0)
    p, q, s = compose_pose((parent.p, parent.q, parent.s), (position, q_PB, body.scale))
    carried = Start(p, q, s, parent.velocity_at(p), parent.omega)
    if motion is not None:
        drift = (columns(part, 0.0)[1] for part in motion.position or ())
        drift = tuple(map(float, drift)) or _in_parent_axes(motion.velocity.start, motion.velocity, body)
        omega = compose_rate(parent.omega, parent.q, tuple(map(float, turned(body, 0.0)[1])))
        return carried._replace(v=add(carried.v, stretch(parent.q, parent.s, drift)), omega=omega)
    if body.kind != "free":
        return carried
    axes = {"parent": parent.q, "body": q, "world": IDENTITY}
    v, omega = (rotate(axes[given.frame], given.start) for given in (body.velocity, body.angular_velocity))
    v = v if body.velocity.relative_to == "world" else add(carried.v, scaled(parent.s, v))
    omega = omega if body.angular_velocity.relative_to == "world" else add(parent.omega, omega)
    return carried._replace(v=v, omega=ZERO if _is_particle(body, s) else omega)


def _is_particle(body: Body, metres_per_unit: float) -> bool:
    """Whether a free body is a particle, which does not rotate in the world."""
    return body.inertia is not None and body.inertia.is_point and carried_mass(body, metres_per_unit).is_point


def _in_parent_axes(vector: Vector, given: PrescribedVector, body: Body) -> Vector:
    return rotate(body.orientation, vector) if given.frame == "body" else vector
