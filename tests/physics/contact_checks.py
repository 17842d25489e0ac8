"""What the formulas of contact have to give, from matrices: see formula_checks.py."""

from __future__ import annotations

import math

import numpy as np
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

EPS = np.finfo(float).eps
V_A, V_B, OMEGA_A, OMEGA_B, R_A, R_B = (
    np.array(v)
    for v in (
        (0.7, -1.1, 0.4), (0.5, 0.3, -0.9), (1.1, 0.6, -0.7), (-0.2, 0.8, 1.3), (0.4, -0.3, 0.6), (-0.5, 0.2, 0.9),
    )
)  # fmt: skip
NORMALS = [
    np.array(n) / np.linalg.norm(n) for n in ((0.3, -0.8, 0.5), (0.4, 0.5, -1.1), (-0.6, 0.8, 0.0), (0, 0.6, 0.8))
]
NORMALS += [np.array(n, float) for n in ((1, 0, 0), (0, 1, 0), (0, 0, 1), (0, 0, -1))]
TENSOR_A, TENSOR_B = (1.3, 1.7, 2.1, 0.2, -0.1, 0.3), (0.9, 0.6, 0.8, -0.2, 0.15, 0.1)


def matrix(tensor) -> np.ndarray:
    xx, yy, zz, xy, xz, yz = tensor
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def packed(t) -> tuple:
    return (t[0, 0], t[1, 1], t[2, 2], t[0, 1], t[0, 2], t[1, 2])


def skew(v) -> np.ndarray:
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def mobility(w: float) -> np.ndarray:
    """K."""
    parts = (skew(r) @ matrix(tensor) @ skew(r) for r, tensor in ((R_A, TENSOR_A), (R_B, TENSOR_B)))
    return w * np.eye(3) - sum(parts)


def rates_of(P) -> np.ndarray:
    """omega_B - omega_A by an impulse."""
    return matrix(TENSOR_A) @ np.cross(R_A, P) + matrix(TENSOR_B) @ np.cross(R_B, P)


def slips() -> dict[str, list]:
    u = V_B + skew(OMEGA_B) @ R_B - V_A - skew(OMEGA_A) @ R_A
    n, (a, b) = NORMALS[0], (0.3, 0.8)
    balls = V_B - b * np.cross(OMEGA_B, n) - V_A - a * np.cross(OMEGA_A, n)
    return {
        "slip": [((V_A, OMEGA_A, R_A, V_B, OMEGA_B, R_B), u, 4 * EPS)],
        "slip_of_balls": [((V_A, OMEGA_A, a, V_B, OMEGA_B, b, n), balls, 4 * EPS)],
        "slip_of_impulse": [((0.7, TENSOR_A, R_A, TENSOR_B, R_B, V_A), mobility(0.7) @ V_A, 8 * EPS)],
        "rates_of_impulse": [((TENSOR_A, R_A, TENSOR_B, R_B, V_A), rates_of(V_A), 8 * EPS)],
        "mean_velocity": [((V_A, V_B, OMEGA_A), V_A - (V_B + OMEGA_A) / 2, 2 * EPS)],
    }  # fmt: skip


def across(n) -> tuple[np.ndarray, np.ndarray]:
    """Two unit vectors, the first level if n is more level than steep, else without an x."""
    t = np.cross((0, 0, 1) if n[2] * n[2] < 0.5 else (1, 0, 0), n)
    t = t / np.linalg.norm(t)
    return t, np.cross(n, t)


def masses() -> dict[str, list]:
    cases, w = [], 0.7
    for n in NORMALS[:2]:
        t, b = across(n)
        K = mobility(w)
        E = np.column_stack((t, b))
        inverse = E @ np.linalg.inv(E.T @ K @ E) @ E.T
        largest = np.linalg.eigvalsh(E.T @ K @ E)[-1]
        cases.append(((w, t, b, K @ t, K @ b), (*packed(inverse), 1 / largest), 1e-14))
    t, b = across(NORMALS[0])
    none = ((0.0, t, b, 0 * t, 0 * b), np.zeros(7), 0.0)
    singular = np.outer(t + b, t + b) * 3.0  # what rounding may leave of a K whose smaller eigenvalue is w
    floor = ((0.5, t, b, singular @ t, singular @ b), (*packed(floored(t, b)), 1 / 6.0), 1e-13)
    skewed = np.array([[1.0, -0.3, 0.1], [-0.3, 0.5, -0.2], [0.1, -0.2, 0.4]])
    bounds = [((packed(np.roll(m, (k, k), (0, 1))),), 1.4, 4 * EPS) for m in (skewed, np.abs(skewed)) for k in range(3)]
    return {
        "effective_mass": [((4.0,), 0.25, 0.0), ((0.0,), 0.0, 0.0), ((1e-299,), 1e299, 1e284), ((1e-301,), 0.0, 0.0)],
        "tangents": [((n,), across(n), 2 * EPS) for n in NORMALS] + [((np.zeros(3),), np.zeros((2, 3)), 0.0)],
        "tangent_mass": [*cases, none, floor],
        "eigenvalue_bound": [((TENSOR_A,), max(np.abs(matrix(TENSOR_A)).sum(1)), 4 * EPS), *bounds],
    }


def floored(t, b) -> np.ndarray:
    """The adjugate of 3 (t + b)(t + b)^T in the plane of t and b, over the floor 0.5^2 of its determinant."""
    return 3.0 * np.outer(t - b, t - b) / 0.25


def impulses() -> dict[str, list]:
    s, turn = 1.25e-3, math.pi / 2
    a, b = turn * (4 + turn), 0.1 * turn * (4 + 0.1 * turn)
    n, K = NORMALS[0], mobility(0.7)
    E = np.column_stack(across(n))
    inverse, m_t = E @ np.linalg.inv(E.T @ K @ E) @ E.T, 1 / np.linalg.eigvalsh(E.T @ K @ E)[-1]
    p_t = E @ (0.2, -0.3)
    stick, slide = p_t - inverse @ V_A, p_t - m_t * E @ E.T @ V_A
    size, limit = np.linalg.norm(stick), 0.1
    assert limit < min(size, np.linalg.norm(slide))
    friction = [
        ((p_t, n, V_A, packed(inverse), m_t, 1.01 * size), stick, 8 * EPS),
        ((p_t, n, V_A, packed(inverse), m_t, limit), limit * slide / np.linalg.norm(slide), 8 * EPS),
        ((p_t, n, V_A, packed(inverse), m_t, 0.0), np.zeros(3), 0.0),
    ]  # fmt: skip
    ball = [((R_A, 1.0), R_A, 0.0), ((R_A, 0.5), 0.5 * R_A / np.linalg.norm(R_A), EPS), ((0 * R_A, 0.0), 0 * R_A, 0.0)]
    moved = R_A - 0.3 * V_A
    beside = -0.4 * E @ E.T @ (R_A - R_B)
    return {
        "friction_shift": [((0.6, R_A, R_B, n), beside, 4 * EPS), ((1.0, R_A, R_B, n), np.zeros(3), 0.0)],
        "softness": [
            ((s, 1.0), (turn / s / (4 + turn), a / (1 + a), 1 / (1 + a)), 1e-13),
            ((0.1 * s, 0.1), (turn / s / (4 + 0.1 * turn), b / (1 + b), 1 / (1 + b)), 1e-13),
        ],
        "normal_impulse": [
            ((2.0, 0.3, -0.4, 0.15, 0.9, 0.1), 2.0 + 0.3 * 0.9 * 0.25 - 0.2, 2 * EPS),
            ((2.0, 0.3, 20.0, 0.15, 0.9, 0.1), 0.0, 0.0),
            ((0.1, 0.3, 0.1, 0.1, 0.5, 0.2), 0.05, EPS),
        ],
        "within_ball": ball,
        "friction_impulse": friction,
        "opposing_impulse": [
            ((R_A, 0.3, V_A, 2.0), moved, EPS), ((R_A, 0.3, V_A, 0.2), 0.2 * moved / np.linalg.norm(moved), 2 * EPS),
        ],
    }  # fmt: skip


def motion() -> dict[str, list]:
    shares = [(0.4 * V_A, 0.4), (1.3 * V_A, 1.0), (-0.2 * V_A, 0.0), (0.4 * V_A + np.cross(V_A, V_B), 0.4), (V_A, 1.0)]
    still = [((0 * V_A, V_B), np.zeros(3), 0.0), ((0 * V_A, 0 * V_B), np.zeros(3), 0.0)]
    theta = 0.1 * OMEGA_A
    first, second = skew(theta) @ R_A, skew(theta) @ skew(theta) @ R_A / 2
    exact = Rotation.from_rotvec(theta).apply(R_A)
    assert np.linalg.norm(R_A + first + second - exact) < np.linalg.norm(theta) ** 3 / 6
    return {
        "lasting_share": [((V_A @ V_A, V_A @ new), share, 4 * EPS) for new, share in shares] + [((0.0, 0.0), 0.0, 0.0)],
        "initial_velocity_change": [((0.7, R_A, V_A, V_B), R_A * (2 / 0.7) - (V_A + V_B), 4 * EPS)],
        "lasting": [((V_A, new), share * V_A, 4 * EPS) for new, share in shares] + still,
        "sagitta": [((R_A, theta), second, 4 * EPS)],
        "small_swing": [((R_A, theta), first + second, 4 * EPS)],
    }


def arcs() -> dict[str, list]:
    """From the matrix exponential; polynomials of the third degree, and arcs, are exact between the ends."""
    t, h, arc, between = 0.7, 1.3, [], []

    def evenly(t: float, v: np.ndarray, omega: np.ndarray) -> tuple:
        """The integral of exp([omega] s) v, and the velocity."""
        both = expm(t * np.block([[skew(omega), v[:, None]], [np.zeros((1, 4))]]))
        return both[:3, 3], both[:3, :3] @ v

    for v, omega in ((V_A, OMEGA_A), (V_A, 0 * OMEGA_A), (np.cross(V_B, OMEGA_B), OMEGA_B), (OMEGA_A, OMEGA_A)):
        arc.append(((t, v, omega), evenly(t, v, omega), 16 * EPS))
        w, wt = 0.01 * V_B, 0.005 * R_B  # too little to make the straight line the nearer one
        (way, u), (end, u_end) = evenly(t, v, omega), evenly(h, v, omega)
        added = [t**2 * w + t**3 * wt, 2 * t * w + 3 * t**2 * wt, 2 * w + 6 * t * wt]
        given = (t, h, v, omega, end + h**2 * w + h**3 * wt, u_end + 2 * h * w + 3 * h**2 * wt)
        between.append((given, (way + added[0], u + added[1], np.cross(omega, u) + added[2]), 64 * EPS))
    between.append(((t, h, V_A, OMEGA_A, h * V_A, V_A), (t * V_A, V_A, 0 * V_A), 4 * EPS))
    return {"arc": arc, "between_ends": between}


def works() -> dict[str, list]:
    """By the projections on the normal and across it."""
    impact, friction = [], []
    for n in NORMALS:
        along, across = np.outer(n, n), np.eye(3) - np.outer(n, n)
        impact.append(((n, V_A, V_B), (V_A @ along @ V_B, V_A @ across @ V_B), 8 * EPS))
        friction.append(((n, V_A, V_B, R_A, OMEGA_B), V_A @ across @ V_B + R_A @ OMEGA_B, 8 * EPS))
    return {"impact_energy": impact, "friction_work": friction}


CONTACT_CHECKS = {"contact": slips() | masses() | impulses() | motion() | arcs(), "contact_energy": works()}

# Alterations that change nothing a double can show, and in how many places each stands: see test_alterations.py.
CONTACT_EQUIVALENT = {
    # What keeps the other branch away from 0/0.
    "contact.effective_mass: doubled 1.0": 1,
    "contact.within_ball: doubled 1.0": 1,
    "contact.lasting_share: other operator in square + LEAST": 1,
    # Twice nothing.
    "contact.effective_mass: doubled 0.0": 1,
    "contact.tangents: doubled 0.0": 2,
    "contact.eigenvalue_bound: doubled 0.0": 3,
    "contact.normal_impulse: doubled 0.0": 2,
    "contact.lasting_share: doubled 0.0": 2,
    "contact.arc: doubled 0.0": 1,
    "contact.arc: doubled 1.0": 1,
    "contact.between_ends: doubled 0.0": 3,
    # Squares of negated vectors, and both quaternions of a turn.
    "contact.between_ends: negated sub(v_end, arc(h, v, omega)[1])": 1,
    "contact.between_ends: negated sub(v_end, v)": 1,
    "contact.arc: negated exp_full(scaled(0.5 * t, omega))": 1,
}
