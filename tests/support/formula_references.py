"""What the formulas of `physics` have to give: arguments and results from matrices, in any kind of number.

A body in its parent: A2 parent in the world, A1 body in the parent, A3 = A2 o A1, and a change of the parent's motion.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rigidsim.transform import DynamicTransform, MotionDelta, Transform, cancellation, parent_changed_deltas
from rigidsim.transform.skew import cross_matrix, unskew
from support.smooth_paths import MP, exact, exponential


@dataclass
class Situation:
    """Two transforms in motion with their quaternions, a change of motion and two vectors."""

    A2: DynamicTransform
    A1: DynamicTransform
    q2: tuple
    q1: tuple
    change: MotionDelta
    x: np.ndarray
    y: np.ndarray


def random_situation(seed: int) -> Situation:
    """In mpmath numbers."""
    rng = np.random.default_rng(seed)

    def vector():
        return exact(rng.normal(size=3))

    def skew():
        return cross_matrix(vector())

    def dynamic():
        theta, scale = vector(), MP.mpf(rng.uniform(0.3, 3.0))
        angle = MP.sqrt(sum(theta * theta))
        q = (MP.cos(angle / 2), *(MP.sin(angle / 2) / angle * theta))
        transform = Transform(vector(), exponential(cross_matrix(theta)), scale)
        return DynamicTransform(transform, vector(), vector(), skew(), skew()), q

    (A2, q2), (A1, q1) = dynamic(), dynamic()
    return Situation(A2, A1, q2, q1, MotionDelta(vector(), vector(), skew(), skew()), vector(), vector())


def quaternion_product(p, q) -> tuple:
    """(a, u)(b, v) = (a b - u.v, a v + b u + u x v)."""
    a, u, b, v = p[0], np.array(p[1:]), q[0], np.array(q[1:])
    return (a * b - sum(u * v), *(a * v + b * u + cross_matrix(u) @ v))


def tuples(value):
    """Arrays as the tuples that formulas take."""
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    return tuple(tuples(part) for part in value) if isinstance(value, tuple | list) else value


def flat(value) -> list:
    """The numbers of nested tuples and arrays, in order."""
    value = tuples(value)
    return [number for part in value for number in flat(part)] if isinstance(value, tuple) else [value]


def references(s: Situation) -> dict[str, tuple[tuple, object]]:
    """`module.formula` -> (arguments, what it has to give)."""
    return {**algebra(s), **frames(s), **inertial_terms(s), **jumps(s)}


def algebra(s: Situation) -> dict[str, tuple[tuple, object]]:
    """Vectors and quaternions."""
    x, y, R2, q2 = s.x, s.y, s.A2.transform.rotation, s.q2
    doubled = tuple(2 * c for c in q2)
    return {
        "vector.add": ((x, y), x + y),
        "vector.sub": ((x, y), x - y),
        "vector.negated": ((x,), -x),
        "vector.scaled": ((y[0], x), y[0] * x),
        "vector.dot": ((x, y), sum(x * y)),
        "vector.cross": ((x, y), cross_matrix(x) @ y),
        "vector.norm": ((x,), sum(x * x) ** (sum(x * 0) + 0.5)),
        "vector.projection": ((x, y), sum(x * y) * x),
        "vector.rejection": ((x, y), y - sum(x * y) * x),
        "quaternion.product": ((s.q2, s.q1), quaternion_product(s.q2, s.q1)),
        "quaternion.conjugate": ((q2,), (q2[0], *(-c for c in q2[1:]))),
        "quaternion.rotate": ((q2, x), R2 @ x),
        "quaternion.rotate_back": ((q2, x), R2.T @ x),
        "quaternion.normalised": ((doubled,), q2),
        "quaternion.to_matrix": ((q2,), R2),
    }


def frames(s: Situation) -> dict[str, tuple[tuple, object]]:
    """Composition, inverse, global to local."""
    A2, A1, q2 = s.A2, s.A1, s.q2
    A3, inverse = A2 @ A1, A2.inverse()
    s2, J2 = A2.transform.scale[()], A2.transform.jacobian
    d, drift, surge = J2 @ A1.transform.translation, J2 @ A1.velocity, J2 @ A1.acceleration
    X2, X1 = ((A.transform.translation, q, A.transform.scale[()]) for A, q in ((A2, s.q2), (A1, s.q1)))
    q_back = (q2[0], *(-c for c in q2[1:]))
    X3 = (A3.transform.translation, quaternion_product(s.q2, s.q1), A3.transform.scale[()])
    X_inverse = (inverse.transform.translation, q_back, inverse.transform.scale[()])
    v2, a2, w2, al2 = A2.velocity, A2.acceleration, A2.omega, A2.alpha
    return {
        "frames.stretch": ((q2, s2, s.x), J2 @ s.x),
        "frames.stretch_back": ((q2, s2, s.x), A2.transform.normal().jacobian.T @ s.x),
        "frames.compose_position": ((A2.transform.translation, d), A3.transform.translation),
        "frames.compose_velocity": ((v2, w2, d, drift), A3.velocity),
        "frames.compose_acceleration": ((a2, w2, al2, d, drift, surge), A3.acceleration),
        "frames.compose_rate": ((w2, q2, A1.omega), A3.omega),
        "frames.compose_angular_acceleration": ((w2, al2, q2, A1.alpha, A3.omega), A3.alpha),
        "frames.compose_pose": ((X2, X1), X3),
        "frames.compose_motion": ((X2, v2, w2, X1, A1.velocity, A1.omega), (X3, A3.velocity, A3.omega)),
        "frames.inverse_pose": ((X2,), X_inverse),
        "frames.inverse_velocity": ((X2, v2, w2), (inverse.velocity, inverse.omega)),
        "frames.inverse_acceleration": ((X2, v2, w2, a2, al2), (inverse.acceleration, inverse.alpha)),
        "frames.local_velocity": ((v2, w2, q2, s2, d, A3.velocity), A1.velocity),
        "frames.local_rate": ((w2, q2, A3.omega), A1.omega),
        "frames.local_motion": ((X2, v2, w2, X3, A3.velocity, A3.omega), (X1, A1.velocity, A1.omega)),
        "frames.local_acceleration": ((a2, w2, al2, q2, s2, d, drift, A3.acceleration), A1.acceleration),
        "frames.local_angular_acceleration": ((w2, al2, q2, A3.omega, A3.alpha), A1.alpha),
    }


def inertial_terms(s: Situation) -> dict[str, tuple[tuple, object]]:
    """The four terms and their sum, as matrices."""
    w, al = s.A2.angular_velocity, s.A2.angular_acceleration
    a2, omega, alpha, d, drift = s.A2.acceleration, s.A2.omega, s.A2.alpha, s.x, s.y
    return {
        "inertial_terms.linear_term": ((a2,), -a2),
        "inertial_terms.euler_term": ((alpha, d), -(al @ d)),
        "inertial_terms.centrifugal_term": ((omega, d), -(w @ w @ d)),
        "inertial_terms.coriolis_term": ((omega, drift), -2 * (w @ drift)),
        "inertial_terms.inertial_acceleration": (
            (a2, omega, alpha, d, drift),
            -a2 - (al + w @ w) @ d - 2 * (w @ drift),
        ),
    }


def jumps(s: Situation) -> dict[str, tuple[tuple, object]]:
    """Changes of velocity without displacement and turn, from `transform.deltas`."""
    A2, w2, J2, none = s.A2, s.A2.omega, s.A2.transform.jacobian, np.zeros(3)
    dv, dw, still = s.change.velocity, unskew(s.change.angular_velocity), (1.0, 0.0, 0.0, 0.0)
    d, drift = J2 @ s.A1.transform.translation, J2 @ s.A1.velocity
    inherited, cancelling = parent_changed_deltas(A2, s.A1, s.change), cancellation(A2, s.A1, s.change)
    return {
        "corrections.inherited_velocity": ((dv, still, w2, dw, d, drift), inherited.velocity),
        "corrections.relative_velocity_change": ((still, w2, dw, d, drift, none, -dv), J2 @ cancelling.velocity),
    }
