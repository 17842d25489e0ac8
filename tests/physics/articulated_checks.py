"""What the formulas of articulated bodies have to give, from matrices of six rows: see formula_checks.py."""

from __future__ import annotations

import numpy as np

EPS = np.finfo(float).eps
RNG = np.random.default_rng(25)
FACTOR = RNG.normal(size=(6, 6))
WHOLE = FACTOR @ FACTOR.T + np.eye(6)  # symmetric and positive, as any articulated inertia
MORE = FACTOR.T @ FACTOR
D, U, R = (RNG.normal(size=3) for _ in range(3))
AXIS = U / np.linalg.norm(U)
WRENCH, MOTION = RNG.normal(size=6), RNG.normal(size=6)
DIGITS = 64 * EPS * np.abs(WHOLE).max()


def skew(v) -> np.ndarray:
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def packed(m: np.ndarray) -> tuple:
    """A, B, M of a matrix."""
    return symmetric(m[:3, :3]), tuple(m[:3, 3:].ravel()), symmetric(m[3:, 3:])


def symmetric(t) -> tuple:
    return (t[0, 0], t[1, 1], t[2, 2], t[0, 1], t[0, 2], t[1, 2])


def two(v) -> tuple:
    return tuple(v[:3]), tuple(v[3:])


def shift(d) -> np.ndarray:
    """(alpha, a) of a point at d from that of the given accelerations."""
    return np.block([[np.eye(3), np.zeros((3, 3))], [-skew(d), np.eye(3)]])


INERTIA = packed(WHOLE)
A, B, M = WHOLE[:3, :3], WHOLE[:3, 3:], WHOLE[3:, 3:]
S = np.r_[AXIS, np.cross(AXIS, R)]
K = 1.0 / (S @ WHOLE @ S)
APPARENT = WHOLE - K * np.outer(WHOLE @ S, WHOLE @ S)
INVERSE = np.linalg.inv(A)
ALPHA = -np.linalg.solve(A, B @ D + WRENCH[:3])
W, P = RNG.normal(size=3), RNG.normal(size=3)
SLIP = np.array([0.3, -0.2, 0.5])
BIAS = skew(W) @ skew(W) @ D + skew(P) @ skew(P) @ R + np.cross(U, R) + 2 * np.cross(W, SLIP)

ARTICULATED_EQUIVALENT = {"articulated.ball_factor: negated columns_of(B)": 1}  # squared
ARTICULATED_CHECKS = {
    "rows_of": [((B.ravel(),), B.ravel(), 0.0)],
    "columns_of": [((B.ravel(),), B.T.ravel(), 0.0)],
    "plus": [((INERTIA[1], packed(MORE)[1]), np.ravel(B + MORE[:3, 3:]), 0.0)],
    "dots": [((tuple(map(tuple, B)), D), B @ D, DIGITS)],
    "inertia_times": [((INERTIA, *two(MOTION)), two(WHOLE @ MOTION), DIGITS)],
    "shifted_inertia": [((INERTIA, D), packed(shift(D).T @ WHOLE @ shift(D)), DIGITS)],
    "shifted_wrench": [((*two(WRENCH), D), two(shift(D).T @ WRENCH), DIGITS)],
    "turning_motion": [((AXIS, R), two(S), DIGITS)],
    "coordinate_factor": [((two(S), INERTIA, 0.4), (two(WHOLE @ S), 1.0 / (1.0 / K + 0.4)), DIGITS)],
    "rotor_energy": [((0.4, -1.5), 0.45, 4 * EPS)],
    "rotor_jump": [((0.4, -1.5, 0.7), 0.2 * (0.8 * 0.8 - 1.5 * 1.5), 4 * EPS)],
    "_less_outer": [((symmetric(A), 0.7, D), symmetric(A - 0.7 * np.outer(D, D)), DIGITS)],
    "apparent_inertia": [((INERTIA, two(WHOLE @ S), K), packed(APPARENT), DIGITS)],
    "coordinate_force": [((two(S), 0.4, *two(WRENCH)), 0.4 - S @ WRENCH, DIGITS)],
    "coordinate_acceleration": [((K, 0.4, two(WHOLE @ S), *two(MOTION)), K * (0.4 - S @ WHOLE @ MOTION), DIGITS)],
    "ball_factor": [((INERTIA,), (symmetric(INVERSE), symmetric(M - B.T @ INVERSE @ B)), DIGITS)],
    "apparent_force": [
        ((symmetric(INVERSE), B.ravel(), *two(WRENCH)), WRENCH[3:] - B.T @ INVERSE @ WRENCH[:3], DIGITS)
    ],
    "ball_acceleration": [((symmetric(INVERSE), B.ravel(), WRENCH[:3], D), ALPHA, DIGITS)],
    "free_acceleration": [((INERTIA, *two(WRENCH)), two(-np.linalg.solve(WHOLE, WRENCH)), DIGITS)],
    "bias_acceleration": [((W, P, U, D, R, SLIP), BIAS, DIGITS)],
    "servo_torque": [
        ((0.7, -0.4, (0.9, 0.1), 3.0, 0.6, 5.0), 3.0 * 0.2 + 0.6 * 0.5, 4 * EPS),
        ((0.7, -0.4, (0.9, 0.1), 3.0, 0.6, 0.5), 0.5, 0.0),
        ((0.7, 0.4, (0.1, 0.1), 3.0, 0.6, 0.5), -0.5, 0.0),
    ],
    "spring_torque": [((0.7, -0.4, 3.0, 0.2, 0.6), -3.0 * 0.5 + 0.6 * 0.4, 4 * EPS)],
}  # fmt: skip
