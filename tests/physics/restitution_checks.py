"""What the formulas of restitution have to give, from NumPy and mpmath."""

from __future__ import annotations

import mpmath
import numpy as np

NEVER = 1e300
EPS = np.finfo(float).eps
N = np.array([2.0, -1.0, 2.0]) / 3.0
R_A, R_B = np.array([0.3, -0.2, 0.5]), np.array([-0.4, 0.1, 0.2])
TENSOR_A, TENSOR_B = (1.3, 1.7, 2.1, 0.2, -0.1, 0.3), (0.9, 1.1, 0.8, -0.15, 0.25, 0.1)
W = 0.7


def matrix(t) -> np.ndarray:
    return np.array([[t[0], t[3], t[4]], [t[3], t[1], t[5]], [t[4], t[5], t[2]]])


def packed(t) -> tuple:
    return (t[0, 0], t[1, 1], t[2, 2], t[0, 1], t[0, 2], t[1, 2])


def skew(v) -> np.ndarray:
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def mass_matrix() -> np.ndarray:
    """K from the matrices of the cross products."""
    of_A, of_B = (skew(r) @ matrix(t) @ skew(r) for r, t in ((R_A, TENSOR_A), (R_B, TENSOR_B)))
    return W * np.eye(3) - of_A - of_B


def touching_times() -> list:
    """The roots to fifty digits; of two positive ones the first at which the gap closes."""
    cases = [
        (1.0, 0.0, -9.8), (1.0, -2.0, 0.0), (1.0, -2.0, -9.8), (1.0, -2.0, 1.5), (0.3, 2.0, -9.8), (-0.1, 2.0, -9.8),
        (1e-12, -3.0, -9.81), (1e-12, 3.0, -9.81), (-1e-12, -3.0, 9.81), (-0.01, -2.0, -9.81), (0.0, 0.0, -1.0),
    ]  # fmt: skip
    checks = []
    with mpmath.workdps(50):
        for g, u, a in cases:
            s = mpmath.sqrt(mpmath.mpf(u) ** 2 - 2 * mpmath.mpf(a) * mpmath.mpf(g))
            t = float(-(u + s) / a) if a else -g / u
            checks.append(((g, u, a), t, 4 * EPS * abs(t)))
    # It turns before it touches, it parts, it stays, it overlaps and never comes apart; the last one overlaps deeply.
    never = [(1.0, -1.0, 2.0), (1.0, 2.0, 1.0), (1.0, 2.0, 0.0), (0.0, 0.0, 0.0), (-1.0, 1.0, -9.81), (0.1, 0.0, 2.0)]
    return [*checks, *(((g, u, a), NEVER, 0.0) for g, u, a in never), ((-1.0, -1.0, -9.81), -2.0, 0.0)]


def impact(K, n, u, e, mu) -> np.ndarray:
    """The line from the frictionless impulse to the one that also sticks, cut where it leaves the cone."""
    slippery = -(1 + e) * (n @ u) / (n @ K @ n) * n
    sticky = -np.linalg.solve(K, u + e * (n @ u) / (n @ K @ n) * K @ n)
    across = np.eye(3) - np.outer(n, n)

    def outside(k: float) -> float:
        P = slippery + k * (sticky - slippery)
        return np.linalg.norm(across @ P) - mu * (n @ P)

    if outside(1.0) <= 0.0:
        return sticky
    low, high = 0.0, 1.0
    for _ in range(200):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if outside(middle) > 0.0 else (middle, high)
    return slippery + low * (sticky - slippery)


def impacts() -> list:
    K, u = mass_matrix(), np.array([0.7, -2.4, -2.1])
    pushed = u - 3.0 * N
    rebound, P = -1.5 * (N @ u) / (N @ K @ N), impact(K, N, u, 0.5, 1e9)
    cone = np.linalg.norm(P - (N @ P) * N) / (N @ P)
    assert abs(N @ P - rebound) > 0.1 * rebound  # else both cones would slide, or stick, whatever P_n is
    cases = [
        (u, 0.5, 0.99 * cone),
        (u, 0.5, 1.01 * cone),
        (u, 0.5, 0.3),
        (u, 0.0, 0.1),
        (pushed, 0.8, 2.0),
        (pushed, 1.0, 0.05),
        (-2.0 * N, 0.5, 0.0),
        (u, 0.4, 0.0),
    ]
    return [((packed(K), N, u, e, mu), impact(K, N, u, e, mu), 1e-13) for u, e, mu in cases]


def couplings() -> list:
    n_2, s_B = np.array([0.6, 0.0, 0.8]), np.array([0.5, -0.2, 0.4])
    b_1, b_2 = np.cross(R_B, N), np.cross(s_B, n_2)
    v = W * n_2 + np.cross(matrix(TENSOR_B) @ b_2, R_B)
    return [((W, N, n_2, TENSOR_B, b_1, b_2), N @ v, 1e-14)]


def plastic_impulses() -> list:
    """As `impact` with Q in place of e P_1; nothing where the place separates faster than Q could part it."""
    K, checks = mass_matrix(), []
    k_n, inverse_K = N @ K @ N, packed(np.linalg.inv(K))
    across = np.eye(3) - np.outer(N, N)
    sticking = -np.linalg.solve(K, np.array([0.7, -2.4, -2.1]))
    cone = np.linalg.norm(across @ sticking) / (N @ sticking + 0.5)
    for u, Q, mu in (
        (np.array([0.7, -2.4, -2.1]), 0.5, 0.99 * cone),
        (np.array([0.7, -2.4, -2.1]), 0.5, 1.01 * cone),
        (0.9 * k_n * N + np.array([0.1, 0.2, 0.0]), 1.0, 0.3),
        (np.array([0.7, -2.4, -2.1]), 0.5, 0.2),
        (np.array([0.7, -2.4, -2.1]), 0.0, 0.2),
        (np.array([0.7, -2.4, -2.1]), 0.5, 9.0),
        (np.array([0.3, -0.2, 0.1]), 1.5, 0.3),  # it parts, but less than Q would part it
        (np.array([0.3, -0.2, 0.1]), 1.5, 0.0),
    ):
        start, end = -(N @ u) / k_n * N, -np.linalg.solve(K, u)
        low, high = 0.0, 1.0
        for _ in range(200):
            k = 1.0 if low == 0.0 and high == 1.0 and _ == 0 else 0.5 * (low + high)
            P = start + k * (end - start)
            outside = np.linalg.norm(across @ P) - mu * (N @ P + Q) > 0.0
            low, high = (low, k) if outside else (k, high)
        checks.append(((k_n, inverse_K, N, u, Q, mu), start + low * (end - start), 1e-13))
    parted = ((1.1 * k_n * N + np.array([0.1, 0.2, 0.0]), 1.0), (np.array([1.0, 0.5, 2.0]), 0.1))
    return [*checks, *(((k_n, inverse_K, N, u, Q, 0.4), -Q * N, 1e-15) for u, Q in parted)]


def shares() -> dict[str, list]:
    combined = [((0.8, 2.0), 0.4**0.5, 1e-15), ((2.0, 1.0), 1.0, 0.0), ((0.0, 2.0), 0.0, 0.0), ((-1.0, 2.0), 0.0, 0.0)]
    least = [((-1.0, 4.0), 0.25, 1e-15), ((-5.0, 4.0), 1.0, 0.0), ((2.0, 4.0), 0.0, 0.0), ((-1.0, 0.0), 0.0, 0.0)]
    return {"combined_restitution": [*combined, ((1.0, 0.0), 0.0, 0.0)], "least_energy": least}


def allowed_inverses() -> list:
    """Of matrices of each rank, and of some that are nearly singular: n n/k_n + V S^+ V^T by NumPy."""
    columns = np.array([[1.0, 0.3, -0.4], [0.2, 1.1, 0.5], [0.6, -0.7, 0.9]])
    n, checks = np.array([0.48, 0.6, 0.64]), []
    cases = [
        ((1.3, 0.7, 0.4), 1e-9), ((1.3, 0.7, 0.0), 1e-9), ((1.3, 0.0, 0.0), 1e-9), ((1.3, 0.7, 0.4), 0.1),
        ((1.3, 0.7, 0.4), 5.0), ((1.3, 0.7, 1e-7), 1e-9), ((1.3, 0.7, 1e-11), 1e-9),
    ]  # fmt: skip
    for sizes, least in cases:
        K = columns @ np.diag(sizes) @ columns.T
        k_n, across = n @ K @ n, np.linalg.svd(n[None])[2][1:].T
        V = across - np.outer(n, K @ n) @ across / k_n
        S = V.T @ K @ V
        values, vectors = np.linalg.eigh(S)
        kept = (values > 0.5e-9 * np.trace(S)) & (np.trace(S) > least)
        inverse = (vectors[:, kept] / values[kept]) @ vectors[:, kept].T
        found = np.outer(n, n) / k_n + V @ inverse @ V.T
        checks.append(((packed(K), n, least), packed(found), 1e-6 * np.abs(found).max()))
    return checks


ACROSS = [
    ((2.0, 0.5, 1.0, 0.1), (1.0 / 1.75, -0.5 / 1.75, 2.0 / 1.75), 1e-15),
    ((4.0, 2.0, 1.0, 0.1), (0.16, 0.08, 0.04), 1e-15),
    ((2.0, 0.5, 1.0, 3.0), (0.0, 0.0, 0.0), 0.0),
    ((1000.0, 0.0, 1e-5, 0.1), (1e-3, 0.0, 1e5), 2e-10),
    ((1000.0, 0.0, 5e-7, 0.1), (1e-3 - 1e-12, 0.0, 5e-13), 1e-17),
    ((2.0, 0.5, 1.0, 2.9), (1.0 / 1.75, -0.5 / 1.75, 2.0 / 1.75), 1e-15),
]

RESTITUTION_CHECKS = {
    "_inverse_across": ACROSS,
    "allowed_inverse": allowed_inverses(),
    "touching_time": touching_times(),
    "inverse_effective_mass": [((W, TENSOR_A, R_A, TENSOR_B, R_B), packed(mass_matrix()), 1e-14)],
    "coupling": couplings(),
    "plastic_impulse": plastic_impulses(),
    "impact_impulse": impacts(),
    **shares(),
}

# Alterations that change nothing a double can show.
RESTITUTION_EQUIVALENT = {
    # Twice nothing; the length of a negated vector; what keeps a branch that is not taken away from a division by zero.
    "restitution.inverse_effective_mass: doubled 0.0": 6,
    "restitution.touching_time: doubled 0.0": 5,
    "restitution.touching_time: doubled 1.0": 2,
    "restitution.plastic_impulse: negated rejection(n, D)": 1,
    "restitution.plastic_impulse: doubled 1.0": 1,
    # The sign of a direction.
    "restitution.allowed_inverse: negated sub(b, scaled(dot(b, K_n) / k_n, n))": 1,
    "restitution.allowed_inverse: negated sub(t, scaled(dot(t, K_n) / k_n, n))": 1,
    "restitution.allowed_inverse: negated tangents(n)": 1,
    # Divisors and dividends of branches that are not taken, and shares that are cut to 1.
    "restitution._inverse_across: doubled 0.0": 3,
    "restitution._inverse_across: doubled 1.0": 2,
    "restitution.combined_restitution: doubled 0.0": 3,
    "restitution.combined_restitution: doubled 1.0": 1,
    "restitution.least_energy: doubled 0.0": 3,
    "restitution.least_energy: doubled 1.0": 1,
}
