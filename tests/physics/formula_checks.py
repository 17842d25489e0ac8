"""What each formula has to give, from NumPy, SciPy and mpmath: (arguments, expected, largest error allowed)."""

from __future__ import annotations

import math

import mpmath
import numpy as np
from scipy.interpolate import CubicHermiteSpline
from scipy.spatial.transform import Rotation

from articulated_checks import ARTICULATED_CHECKS
from contact_checks import CONTACT_CHECKS
from contact_mode_checks import CONTACT_MODE_CHECKS
from control_checks import CONTROL_LAWS, NOISE_CHECKS
from force_checks import DRIVEN, FORCE_CHECKS
from function_checks import FUNCTION_CHECKS, arc_tangents
from geometry_checks import GEOMETRY_CHECKS
from loop_checks import LOOP_CHECKS
from mode_checks import MODE_CHECKS, ROOT_CHECKS
from reduction_checks import CANONICAL, REDUCTION_CHECKS
from restitution_checks import RESTITUTION_CHECKS
from rigidsim.physics.quaternion import conjugate, product
from solid_checks import solids
from step_checks import ROUNDING_CHECKS, STEP_CHECKS, TERMS, TURNING
from support.formula_references import random_situation, references
from support.smooth_paths import exact
from support_checks import SUPPORT_CHECKS

EPS = np.finfo(float).eps
V = [np.array(v) for v in ((0.7, -1.1, 0.4), (0.5, 0.3, -0.9), (-0.2, 0.8, 1.3), (1.1, 0.6, -0.7))]
Q = np.array([0.4, 0.5, -0.6, 0.3]) / np.sqrt(0.86)
R = Rotation.from_quat(Q[[1, 2, 3, 0]]).as_matrix()
TENSOR = (1.3, 1.7, 2.1, 0.2, -0.1, 0.3)
I_B = np.array([[1.3, 0.2, -0.1], [0.2, 1.7, 0.3], [-0.1, 0.3, 2.1]])
MASS, STEP = 2.5, 0.3


def skew(v) -> np.ndarray:
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def packed(t) -> tuple:
    return (t[0, 0], t[1, 1], t[2, 2], t[0, 1], t[0, 2], t[1, 2])


def wxyz(rotation: Rotation) -> np.ndarray:
    return rotation.as_quat()[[3, 0, 1, 2]]


def left_factor(p) -> np.ndarray:
    """The matrix of q -> p q."""
    w, x, y, z = p
    return np.array([[w, -x, -y, -z], [x, w, -z, y], [y, z, w, -x], [z, -y, x, w]])


def truncated(x, terms: int) -> np.ndarray:
    """The normalised exponential with so many terms of cosine and sine."""
    n2 = float(np.dot(x, x))
    c = sum((-n2) ** k / math.factorial(2 * k) for k in range(terms))
    s = sum((-n2) ** k / math.factorial(2 * k + 1) for k in range(terms))
    q = np.array([c, *(s * np.array(x))])
    return q / np.linalg.norm(q)


def exact_exponential(x) -> np.ndarray:
    n = math.sqrt(float(np.dot(x, x)))
    return np.array([math.cos(n), *(np.sinc(n / np.pi) * np.array(x))])


def exponentials() -> dict[str, list]:
    sizes = [V[0], 0.4 * V[1], 5e-5 * V[2], 9e-5 * V[0] / np.linalg.norm(V[0])]
    q = [exact_exponential(x) for x in (*sizes, 3e-9 * V[1])]
    tight = [4 * EPS * np.maximum(np.abs(part), 1e-30) for part in q]
    halves = [np.array(x) for x in (*sizes, 3e-9 * V[1])]
    return {
        "exp_cubic": [((x,), truncated(x, 2), 8 * EPS) for x in sizes],
        "exp_septic": [((x,), truncated(x, 4), 8 * EPS) for x in sizes],
        "exp_full": [((x,), e, t) for x, e, t in zip(sizes, q, tight, strict=False)],
        "log": [((s * e,), x, 8 * EPS * np.abs(x)) for e, x in zip(q, halves, strict=True) for s in (1, -1)],
    }


def quaternion() -> dict[str, list]:
    S = skew(V[0])
    off = 1e-6
    return {
        **exponentials(),
        "to_matrix": [((Q,), R, 8 * EPS)],
        "angle_over_sine": [
            *(((0.36, w), math.atan2(0.6, w) / 0.6, 4 * EPS) for w in (0.8, -0.8)),
            *(((n2, 1.0), 1.0, EPS) for n2 in (0.0, 1e-17, 2e-16)),
        ],
        "swing": [
            ((Q, V[0]), R @ V[0] - V[0], 1e-14),
            (((1.0, 1e-20, 0.0, 0.0), (0, 1, 0)), (0, -2e-40, 2e-20), 1e-54),
        ],
        "normalised": [((3 * Q,), Q, 4 * EPS)],
        "turn_of_z": [
            (((0, 0, 1.0),), (1, 0, 0, 0), 0),
            (((0, 0, -1.0),), (0, 1, 0, 0), 0),
            (((0.48, 0.36, 0.8),), np.array([1.8, -0.36, 0.48, 0]) / np.sqrt(3.6), 4 * EPS),
            (((0.48, 0.36, -0.8),), np.array([-0.36, 1.8, 0, 0.48]) / np.sqrt(3.6), 4 * EPS),
        ],
        "renormalised": [(((1 + off) * Q,), Q * (1 - 1.5 * off**2), 1e-15)],
        "dexp": [((V[0], V[1]), (np.eye(3) - S / 2 + S @ S / 6 - S @ S @ S / 24) @ V[1], 1e-14)],
        "dexp_inverse": [((V[0], V[1]), (np.eye(3) + S / 2 + S @ S / 12) @ V[1], 1e-14)],
    }


def elementary() -> dict[str, list]:
    points = np.concatenate([np.linspace(-9, 9, 181), np.pi / 4 * np.array([0.999, -0.999, 2.999]), [1.5e6, -1.2e6]])
    return {
        "reduced_sin_cos": [
            ((float(x),), (float(mpmath.sin(x)), float(mpmath.cos(x))), 1.3 * EPS) for x in map(float, points)
        ]
    }


def inertia() -> dict[str, list]:
    r = V[1]
    steiner = I_B + MASS * (r @ r * np.eye(3) - np.outer(r, r))
    return {
        "apply": [((TENSOR, V[0]), I_B @ V[0], 1e-14)],
        "inverse": [((TENSOR,), packed(np.linalg.inv(I_B)), 1e-14)],
        "rotated": [((Q, TENSOR), packed(R @ I_B @ R.T), 1e-14)],
        "multiplied": [((0.7, TENSOR), packed(0.7 * I_B), 1e-15)],
        "conjugated": [((R.tolist(), TENSOR), packed(R @ I_B @ R.T), 1e-14)],
        "displaced": [((TENSOR, MASS, r), packed(steiner), 1e-14)],
        **eigenvalue_search(),
    }


def plane_rotation(a_pp: float, a_qq: float, a_pq: float) -> tuple[float, float]:
    """Cosine and sine of the smaller angle that makes a symmetric 2 x 2 matrix diagonal."""
    angle = 0.5 * math.atan(2 * a_pq / (a_qq - a_pp))
    return math.cos(angle), math.sin(angle)


def eigenvalue_search() -> dict[str, list]:
    planes = [(1.3, 2.1, 0.4), (2.1, 1.3, 0.4), (1.3, 2.1, -0.7), (5.0, 1.0, 0.3)]
    angle = 0.6
    w, u = math.cos(angle / 2), math.sin(angle / 2)
    turns = [np.array([w, *(u * np.eye(3)[axis])]) for axis in range(3)]
    return {
        "_jacobi_rotation": [*((p, plane_rotation(*p), 4 * EPS) for p in planes), ((1.0, 2.0, 0.0), (1.0, 0.0), 0.0)],
        "_turned": [
            ((Q, axis, math.cos(angle), math.sin(angle)), left_factor(Q) @ turns[axis], 4 * EPS) for axis in range(3)
        ],
    }


def rigid_body() -> dict[str, list]:
    f, g, w, p = V
    L = I_B @ w
    return {
        "acceleration": [((MASS, f, g), g + f / MASS, 1e-15)],
        "angular_momentum": [((TENSOR, w), L, 1e-14)],
        "gyroscopic_torque": [((TENSOR, w), np.cross(L, w), 1e-14)],
        "angular_acceleration": [
            ((TENSOR, packed(np.linalg.inv(I_B)), w, f), np.linalg.solve(I_B, f + np.cross(L, w)), 1e-14)
        ],
        "takes_torque": [((tuple(map(float, row)),), float(row.any()), 0.0) for row in np.eye(6)[[0, 1, 2]]]
        + [((np.zeros(6),), 0.0, 0.0), ((TENSOR,), 1.0, 0.0)],
        "kinetic_energy": [((MASS, TENSOR, p, w), MASS * p @ p / 2 + w @ L / 2, 1e-14)],
        "uniform_potential": [((MASS, g, p), -MASS * g @ p, 1e-14)],
        "momentum": [((MASS, p), MASS * p, 1e-15)],
        "orbital_angular_momentum": [((MASS, p, f), MASS * np.cross(p, f), 1e-14)],
        "power": [((f, g, w, p), f @ g + w @ p, 1e-14)],
        "point_velocity": [((f, w, p), f + np.cross(w, p), 1e-14)],
        "point_acceleration": [((f, w, g, p), f + np.cross(g, p) + np.cross(w, np.cross(w, p)), 1e-14)],
        "proper_acceleration": [((Q, f, g), Rotation.from_quat(Q, scalar_first=True).inv().apply(f - g), 1e-14)],
        "origin_from_com": [((p, f), p - f, 1e-15)],
    }


def prescribed() -> dict[str, list]:
    axis, t = np.array([0.6, 0.0, 0.8]), 1.7
    turn = exact_exponential((0.9 * t + 0.4 * t * t / 2) / 2 * axis)
    return {
        "prescribed_position": [((V[0], V[1], V[2], t), V[0] + t * V[1] + t * t / 2 * V[2], 1e-14)],
        "prescribed_velocity": [((V[1], V[2], t), V[1] + t * V[2], 1e-14)],
        "prescribed_rotation": [((Q, axis, 0.9, 0.4, t), left_factor(turn) @ Q, 1e-14)],
    }


def magnus() -> dict[str, list]:
    w, alpha = V[0], V[1]
    end, middle = w + STEP * alpha, w + STEP * alpha / 2
    triple = np.cross(middle, np.cross(middle, np.cross(middle, alpha)))
    return {
        "magnus_1": [((w, end, STEP), STEP * middle, 1e-15)],
        "magnus_2": [((w, end, STEP), STEP**3 / 12 * np.cross(alpha, w), 1e-16)],
        "magnus_3": [((w, alpha, STEP), STEP**5 / 240 * np.cross(alpha, np.cross(alpha, w)), 1e-18)],
        "magnus_4": [((w, end, alpha, STEP), STEP**5 / 720 * triple, 1e-18)],
    }


def interpolation() -> dict[str, list]:
    p_0, p_1, v_0, v_1 = V
    spline = CubicHermiteSpline([0, STEP], [p_0, p_1], [v_0, v_1])
    x = 0.3
    return {
        "hermite": [((p_0, p_1, v_0, v_1, STEP, x), spline(x * STEP), 1e-14)],
        "hermite_rate": [((p_0, p_1, v_0, v_1, STEP, x), spline.derivative()(x * STEP), 1e-13)],
        "hermite_rotation": [rotation_between(x, sign) for sign in (1.0, -1.0)],
    }


def rotation_between(x: float, sign: float) -> tuple:
    """Interpolation in the rotation vector from the first orientation, with matrices."""
    first = Rotation.from_quat(Q[[1, 2, 3, 0]])
    turn = np.array([0.3, -0.2, 0.25])
    second = first * Rotation.from_rotvec(turn)
    S = skew(turn)
    end_rate = (np.eye(3) + S / 2 + S @ S / 12) @ second.inv().apply(V[1])
    spline = CubicHermiteSpline([0, STEP], [0 * turn, turn], [first.inv().apply(V[0]), end_rate])
    sigma, rate = spline(x * STEP), spline.derivative()(x * STEP)
    S = skew(sigma)
    omega_B = (np.eye(3) - S / 2 + S @ S / 6 - S @ S @ S / 24) @ rate
    found = first * Rotation.from_rotvec(sigma)
    q = wxyz(found) * np.sign(wxyz(found) @ Q)
    arguments = (Q, sign * wxyz(second), V[0], V[1], STEP, x)
    return arguments, np.concatenate([q, found.apply(omega_B)]), 1e-13


def summation() -> dict[str, list]:
    """In binary, where it is exact: a change is never lost, but for what is below an eps of a change that is larger
    than the sum.
    """
    tiny = 2.0**-60
    sums = [
        ((1.0, 0.0, tiny), (1.0, tiny)),
        ((1.0, tiny, 2 * tiny), (1.0, 3 * tiny)),
        ((1.0, 2.0**-53, 2.0**-54), (1.0 + 2.0**-52, 2.0**-53 + 2.0**-54 - 2.0**-52)),
        ((-1.0, tiny, -tiny / 2), (-1.0, tiny / 2)),
        ((3.0, 0.0, -3.0 - 2.0**-50), (-(2.0**-50), 0.0)),
        ((0.0, 0.0, 0.7), (0.7, 0.0)),
        ((tiny, 0.0, 1.0), (1.0, 0.0)),
    ]
    return {"compensated_sum": [(arguments, expected, 0.0) for arguments, expected in sums]}


def frames() -> dict[str, list]:
    """A step of a body seen from its parent, by matrices, and a very small one, of which the digits stay; with either
    quaternion of the parent.
    """
    (p, v, y, dy), (du, w_0, w_1) = V, np.random.default_rng(5).normal(size=(3, 3))
    q_1, s = np.array([0.5, -0.1, 0.7, math.sqrt(0.25)]), 0.8
    end = Rotation.from_quat(q_1[[1, 2, 3, 0]]).as_matrix()
    changed = du - np.cross(w_1 - w_0, y) - np.cross(w_1, dy)
    expected = [end.T @ R @ p - p + end.T @ dy / s, end.T @ R @ v - v + end.T @ changed / s]
    given = w_0, w_1, s, p, v, y, dy, du
    turned, none = Q + 1e-12 * np.array([-Q[1], Q[0], Q[3], -Q[2]]), np.zeros(3)
    turn = np.array([2 * float(x) for x in product(conjugate(exact(turned)), exact(Q))[1:]])  # of these roundings
    small = (none, none, 1.0, p, v, none, none, none), np.concatenate([np.cross(turn, p), np.cross(turn, v)])
    return {
        "changes_in_parent": [
            case
            for sign in (1.0, -1.0)
            for case in (
                ((Q, sign * q_1, *given), np.concatenate(expected), 1e-14),
                ((Q, sign * turned, *small[0]), small[1], 1e-23),
            )
        ],
    }


def of_frames() -> dict[str, dict[str, list]]:
    """Vectors, quaternions, frames and changes of motion: one random situation at sixty digits."""
    checks: dict[str, dict[str, list]] = {}
    for name, (arguments, expected) in references(random_situation(7)).items():
        module, formula = name.split(".")
        checks.setdefault(module, {})[formula] = [(arguments, expected, 1e-30)]
    return checks


CHECKS = {
    "summation": summation(),
    "vector": {"transposed": [((R.tolist(),), R.T, 0)]},
    "quaternion": quaternion() | CANONICAL | {"dexp_inverse_full": TURNING},
    "elementary": elementary() | arc_tangents(),
    "inertia": inertia(),
    "rigid_body": rigid_body(),
    "prescribed": prescribed() | DRIVEN,
    "magnus": magnus(),
    "interpolation": interpolation(),
    "frames": frames(),
    "solids": solids(),
    "restitution": RESTITUTION_CHECKS,
    "contact_modes": CONTACT_MODE_CHECKS,
    "articulated": ARTICULATED_CHECKS,
    "loops": LOOP_CHECKS,
    "modes": MODE_CHECKS,
    "roots": ROOT_CHECKS,
    "step_control": STEP_CHECKS,
    "series": TERMS,
    "rounding": ROUNDING_CHECKS,
    "supports": SUPPORT_CHECKS,
    "control": CONTROL_LAWS,
    "noise": NOISE_CHECKS,
    **CONTACT_CHECKS,
    **FORCE_CHECKS,
    **FUNCTION_CHECKS,
    **GEOMETRY_CHECKS,
    **REDUCTION_CHECKS,
}
for module, checks in of_frames().items():
    for formula, cases in checks.items():
        CHECKS.setdefault(module, {}).setdefault(formula, []).extend(cases)
