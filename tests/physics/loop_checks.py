"""What the formulas of loops have to give: see formula_checks.py."""

from __future__ import annotations

import math

import numpy as np
from scipy.spatial.transform import Rotation

EPS = np.finfo(float).eps
RNG = np.random.default_rng(52)
ARM, E, N, V, A, P, Q = (RNG.normal(size=3) for _ in range(7))
AXIS, ACROSS = E / np.linalg.norm(E), N / np.linalg.norm(N)
TURNING = np.cross(np.cross(Q, ACROSS), AXIS) + np.cross(ACROSS, np.cross(P, AXIS))
SIZE = np.linalg.norm(ARM)
ALONG = ARM @ V / SIZE
FEW = 16 * EPS
TENSOR = np.array([[0.5, 0.01, 0.02], [0.01, 0.3, 0.03], [0.02, 0.03, 0.2]])


def parts(*vectors) -> tuple:
    return tuple(tuple(vector) for vector in vectors)


# Angles between two bodies: a and e are fixed in the first, b and f in the second; both turn at constant rates.
B_AXIS = ACROSS
E_1, F_2 = (np.cross(x, y) / np.linalg.norm(np.cross(x, y)) for x, y in ((AXIS, V), (B_AXIS, A)))


def turned(omega, t, vector):
    """A vector that turns for t s."""
    return Rotation.from_rotvec(t * np.asarray(omega)).apply(vector)


def swing_at(t, omega_1, omega_2):
    """The angle between a and b after t s."""
    a, b = turned(omega_1, t, AXIS), turned(omega_2, t, B_AXIS)
    return math.atan2(np.linalg.norm(np.cross(a, b)), a @ b)


def twist_at(t, omega_1, omega_2):
    """The twist of the rotation from the first body to the second, by its quaternion."""
    first, second = (
        np.column_stack([turned(omega, t, x) for x in (e, np.cross(u, e), u)])
        for omega, u, e in ((omega_1, AXIS, E_1), (omega_2, B_AXIS, F_2))
    )
    *v, w = Rotation.from_matrix(second @ first.T).as_quat()
    return math.remainder(2.0 * math.atan2(np.dot(v, turned(omega_1, t, AXIS)), w), 2.0 * math.pi)


def turn_at(t, omega_1, omega_2):
    """The angle of the rotation that is left of those of both bodies, after the first one of the second."""
    first, second = (Rotation.from_rotvec(t * np.asarray(omega)) for omega in (omega_1, omega_2))
    return (second * FIRST_TURN * first.inv()).magnitude()


def derivatives(angle, h=1e-3):
    """(rate, second derivative) of an angle at t = 0, from its values: errors of h^6 and of rounding."""
    x = [angle(k * h) for k in range(-3, 4)]
    rate = np.dot([-1 / 60, 3 / 20, -3 / 4, 0, 3 / 4, -3 / 20, 1 / 60], x) / h
    return rate, np.dot([1 / 90, -3 / 20, 3 / 2, -49 / 18, 3 / 2, -3 / 20, 1 / 90], x) / h**2


def angle_check(angle):
    """(direction, angle, bias): a component of the direction is the rate as the second body turns about that axis."""
    axes = [derivatives(lambda t, e=e: angle(t, np.zeros(3), e))[0] for e in np.eye(3)]
    return tuple(axes), angle(0.0, P, Q), derivatives(lambda t: angle(t, P, Q))[1]


FIRST_TURN = Rotation.from_rotvec([0.3, -0.8, 0.5])
TRIAD = np.linalg.qr(RNG.normal(size=(3, 3)))[0].T
LEAST_TURN = np.cross(AXIS, B_AXIS) / np.linalg.norm(np.cross(AXIS, B_AXIS)) * swing_at(0.0, P, Q)
ROUGH = 1e-8  # of the differences
LOOP_EQUIVALENT = {
    "loops.closure_error: negated sub(after, before)": 1,  # squared
    "loops.distance_apart: doubled 0.0": 3,
    "loops.distance_apart: doubled 1.0": 1,  # where the size is zero, the quotient is not used
    "loops.distance_apart: negated dot(e, v)": 1,  # squared
    "loops.inverse_pivot: doubled 0.0": 3,  # of a margin only the sign counts
    "loops.inverse_pivot: doubled 1.0": 2,
    # Where the axes are parallel or opposite, no quotient is used.
    "loops.swing_angle: doubled 0.0": 3,
    "loops.swing_angle: doubled 1.0": 1,
    "loops.least_turned: doubled 0.0": 2,
    "loops.least_turned: doubled 1.0": 1,
    "loops.twist_angle: doubled 0.0": 2,
    "loops.twist_angle: doubled 1.0": 1,
    "loops.turn_angle: doubled 0.0": 3,
    "loops.turn_angle: doubled 1.0": 1,
    "loops.turn_angle: negated dot(n, relative)": 1,  # squared
    "loops.unheld_mobility: doubled 0.0": 2,  # without mass there is no inertia either, and the quotient is not used
    "loops.unheld_mobility: doubled 1.0": 1,
}
LOOP_CHECKS = {
    "point_motion": [
        (parts(V, A, P, Q, ARM), parts(V + np.cross(P, ARM), A + np.cross(Q, ARM) + np.cross(P, np.cross(P, ARM))), FEW)
    ],
    "axes_apart": [
        (
            parts(AXIS, ACROSS, P, Q),
            (tuple(np.cross(ACROSS, AXIS)), AXIS @ ACROSS, (Q - P) @ TURNING),
            FEW,
        )
    ],
    "distance_apart": [
        ((*parts(ARM, V), 0.7), (tuple(ARM / SIZE), SIZE - 0.7, (V @ V - ALONG * ALONG) / SIZE), FEW),
        (((0.0, 0.0, 0.0), tuple(V), 0.7), ((0.0, 0.0, 0.0), -0.7, 0.0), 0.0),
    ],
    "swing_angle": [
        (parts(AXIS, B_AXIS, P, Q), angle_check(swing_at), ROUGH),
        (parts(E_1, E_1, P, Q), ((0.0,) * 3, 0.0, 0.0), FEW),
    ],
    "least_turned": [
        (parts(AXIS, B_AXIS, E_1), tuple(Rotation.from_rotvec(LEAST_TURN).apply(E_1)), FEW),
        (parts(AXIS, -AXIS, E_1), tuple(E_1), FEW),
    ],
    "twist_angle": [
        (parts(AXIS, B_AXIS, E_1, F_2, P, Q), angle_check(twist_at), ROUGH),
        (
            ((0.0, 0.0, 1.0), (0.0, 0.0, -1.0), (1.0, 0.0, 0.0), (1.0, 0.0, 0.0), *parts(P, Q)),
            ((0.0,) * 3, 0.0, 0.0),
            0,
        ),
    ],
    "turn_angle": [
        ((parts(*TRIAD), parts(*FIRST_TURN.apply(TRIAD)), *parts(P, Q)), angle_check(turn_at), ROUGH),
        ((parts(*np.eye(3)), parts(*np.eye(3)), *parts(P, Q)), ((0.0,) * 3, 0.0, 0.0), 0),
    ],
    "closure_error": [
        ((*parts(ARM, V), 1e-2), np.linalg.norm(V - ARM) / (1 + SIZE), FEW),
        ((*parts(0 * ARM, 1e-12 * V), 1e-16), np.linalg.norm(V), FEW),
        ((*parts(ARM, ARM), 1e-9), 0.0, 0.0),
    ],
    "inverse_pivot": [
        ((4.0, 8.0, 0.0), 0.25, 0.0),
        ((7e-12, 8.0, 0.0), 0.0, 0.0),
        ((0.0, 0.0, 0.0), 0.0, 0.0),
        ((9e-12, 8.0, 0.0), 1 / 9e-12, 0.0),
        ((9e-12, 8.0, 200.0), 0.0, 0.0),
        ((1e-11, 8.0, 100.0), 1e11, 0.0),
    ],
    "unheld_mobility": [
        ((2.0, (0.5, 0.3, 0.2, 0.01, 0.02, 0.03), *parts(E, N)), E @ E / 2 + N @ TENSOR @ N, FEW * (E @ E + N @ N)),
        ((0.0, (0.0,) * 6, *parts(E, N)), 0.0, 0.0),
    ],
}
