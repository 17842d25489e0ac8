"""What the formulas of contacts that last have to give: see formula_checks.py."""

from __future__ import annotations

import numpy as np

EPS = np.finfo(float).eps
FEW = 64 * EPS
N = np.array([2.0, -1.0, 2.0]) / 3.0
V_A, W_A = np.array([0.3, -0.7, 0.2]), np.array([1.1, 0.4, -0.6])
V_B, W_B = np.array([-0.5, 0.1, 0.9]), np.array([-0.2, 0.8, 0.5])
C_A, C_B = np.array([0.2, 0.5, -0.1]), np.array([-0.4, 0.3, 0.6])
BEND_A, BEND_B = (0.4, 0.3, 0.5, 0.05, -0.02, 0.01), (0.2, 0.6, 0.3, -0.03, 0.04, 0.02)
D = 0.35


def matrix(t) -> np.ndarray:
    return np.array([[t[0], t[3], t[4]], [t[3], t[1], t[5]], [t[4], t[5], t[2]]])


def packed(t) -> tuple:
    return (t[0, 0], t[1, 1], t[2, 2], t[0, 1], t[0, 2], t[1, 2])


M = D * np.eye(3) + matrix(BEND_A) + matrix(BEND_B)
X = V_B + np.cross(W_B, C_B) - V_A - np.cross(W_A, C_A)
X = X + matrix(BEND_A) @ np.cross(W_A, N) + matrix(BEND_B) @ np.cross(W_B, N)
E = np.cross(N, [1.0, 0.0, 0.0]) / np.linalg.norm(np.cross(N, [1.0, 0.0, 0.0]))  # edges are across the normal
F = np.cross(N, [0.0, 1.0, 1.0]) / np.linalg.norm(np.cross(N, [0.0, 1.0, 1.0]))


def across(x) -> np.ndarray:
    return x - N * (N @ x)


def solved(*rows) -> np.ndarray:
    """n' from three linear equations (row, right side)."""
    return np.linalg.solve(np.array([row for row, _ in rows]), [right for _, right in rows])


def between_points() -> np.ndarray:
    return solved((N, 0.0), (across(E) @ M, E @ X), (np.cross(N, E) @ M, np.cross(N, E) @ X))


def beside_edge() -> np.ndarray:
    return solved((N, 0.0), (E, -np.cross(W_A, E) @ N), (np.cross(N, E) @ M, np.cross(N, E) @ X))


def between_edges() -> np.ndarray:
    return solved((N, 0.0), (E, -np.cross(W_A, E) @ N), (F, -np.cross(W_B, F) @ N))


def run_along() -> float:
    """The part along E of what M n' leaves of X, in parts along E and F."""
    left = across(X - M @ between_edges())
    return float(np.linalg.lstsq(np.array([E, F]).T, left, rcond=None)[0][0])


def shared() -> np.ndarray:
    """Forces at two points of a line: their parts along it are as 3 to 1, as N_1 to N_2."""
    f_1, f_2 = np.array([1.0, 0.2, 3.0]), np.array([-0.4, 0.5, 1.0])
    return 0.75 * (E @ (f_1 + f_2)) * E - (E @ f_1) * E


DIRECTION = np.array([0.3, 0.2, -0.4])
CONTACT_MODE_CHECKS = {
    "core_distance": [((D, BEND_A, BEND_B), packed(M), FEW)],
    "drift_of_cores": [((V_A, W_A, C_A, BEND_A, V_B, W_B, C_B, BEND_B, N), X, FEW)],
    "normal_between_points": [((N, packed(M), X), between_points(), FEW * 16)],
    "normal_beside_edge": [((N, E, W_A, packed(M), X), beside_edge(), FEW * 16)],
    "normal_between_edges": [((N, E, W_A, F, W_B), between_edges(), FEW * 16)],
    "run_along_edge": [((N, between_edges(), E, F, packed(M), X), run_along(), FEW * 16)],
    "core_rate": [
        (
            (V_A, W_A, C_A, BEND_A, N, DIRECTION),
            V_A + np.cross(W_A, C_A) + matrix(BEND_A) @ (DIRECTION - np.cross(W_A, N)),
            FEW,
        )
    ],
    "slip_bias": [
        ((V_A, W_A, V_B, W_B, X), np.cross(W_B, X - V_B) - np.cross(W_A, X - V_A), FEW),
    ],
    "push_of_sliding": [((N, 0.3, E), N - 0.3 * E, FEW)],
    "unit_across": [
        ((N, DIRECTION, E), across(DIRECTION) / np.linalg.norm(across(DIRECTION)), FEW),
        ((N, np.zeros(3), E), E, FEW),
        ((N, np.zeros(3), np.zeros(3)), np.zeros(3), 0.0),
    ],
    "slip_limit": [((0.3, 2.0, DIRECTION), 0.6 - np.linalg.norm(DIRECTION), FEW)],
    "time_to_stop": [((3.0, -2.0), 1.5, 0.0), ((3.0, 2.0), -1.0, 0.0), ((3.0, 0.0), -1.0, 0.0)],
    "time_of_rebounds": [
        ((0.8, 9.81, 0.8), sum(2 * 0.8 * 0.8**k / 9.81 for k in range(400)), 400 * EPS),
    ],
    "shared_along": [
        ((E, (1.0, 0.2, 3.0), 3.0, (-0.4, 0.5, 1.0), 1.0), shared(), FEW),
        ((E, (1.0, 0.2, 3.0), 0.0, (-0.4, 0.5, 1.0), 0.0), 0.5 * (E @ [-1.4, 0.3, -2.0]) * E, FEW),
    ],
}  # fmt: skip
CONTACT_MODE_EQUIVALENT = {
    # Both vectors across the normal change their signs.
    "contact_modes.normal_between_points: negated tangents(n)": 1,
    "contact_modes.normal_beside_edge: negated cross(n, e)": 1,
    # Twice nothing; a divisor that is not used; a time that only says no.
    "contact_modes.unit_across: doubled 0.0": 1,
    "contact_modes.unit_across: doubled 1.0": 1,
    "contact_modes.time_to_stop: doubled 0.0": 1,
    "contact_modes.time_to_stop: doubled 1.0": 1,
    "contact_modes.shared_along: doubled 0.0": 1,
}
