"""What the support functions of curved solids have to give, from NumPy: see formula_checks.py."""

from __future__ import annotations

import numpy as np

EPS = np.finfo(float).eps
HALF, N, THETA = np.array([0.7, 1.9, 1.2]), np.array([0.48, -0.6, 0.64]), np.array([0.2, -0.5, 0.3])
LENGTH = np.linalg.norm(HALF * N)
FARTHEST = HALF**2 * N / LENGTH
HESSIAN = (np.diag(HALF**2) - np.outer(FARTHEST, FARTHEST)) / LENGTH
ACROSS = np.linalg.norm((HALF * N)[:2])
RIM = (HALF**2 * N)[:2] / ACROSS
OF_RIM = (np.diag(HALF[:2] ** 2) - np.outer(RIM, RIM)) / ACROSS
U = np.array([2.0, -3.0, 6.0]) / 7.0
TURNED = np.cross(THETA, N)
MOVED = HESSIAN @ TURNED


def packed(t) -> tuple:
    return (t[0, 0], t[1, 1], t[2, 2], t[0, 1], t[0, 2], t[1, 2])


SUPPORT_EQUIVALENT = {
    # Twice nothing, and what keeps a quotient away from 0/0.
    "supports.farthest_on_rim: doubled 0.0": 1,
    "supports.farthest_on_rim: doubled 1.0": 1,
    "supports.bend_of_rim: doubled 0.0": 1,
    "supports.bend_of_rim: doubled 1.0": 1,
    "supports.bend_of_parallel: doubled 0.0": 3,
    "supports.bend_of_parallel: doubled 1.0": 1,
    "supports.largest_radius: doubled 0.0": 2,
    "supports.bulge: negated cross(theta, n)": 1,  # squared
}
SUPPORT_CHECKS = {
    "farthest_on_ellipsoid": [((HALF, N), (tuple(FARTHEST), LENGTH), 8 * EPS)],
    "bend_of_ellipsoid": [((HALF, FARTHEST, LENGTH), packed(HESSIAN), 16 * EPS)],
    "farthest_on_rim": [
        ((HALF, N), (*RIM, ACROSS), 8 * EPS),
        ((HALF, (0.0, 0.0, 1.0)), (HALF[0], 0.0, 0.0), 0.0),
    ],
    "bend_of_rim": [
        ((HALF, *RIM, ACROSS), (OF_RIM[0, 0], OF_RIM[1, 1], OF_RIM[0, 1]), 16 * EPS),
        ((HALF, HALF[0], 0.0, 0.0), (0.0, 0.0, 0.0), 0.0),
    ],
    "bend_of_parallel": [
        ((0.6, 0.8, U), packed(0.75 * np.outer(U, U)), 4 * EPS),
        ((0.0, 0.0, U), (0.0, 0.0, 0.0, 0.0, 0.0, 0.0), 0.0),
    ],
    "rolled_on": [((packed(HESSIAN), N, THETA), -(MOVED + np.cross(THETA, MOVED) / 2), 16 * EPS)],
    "bulge": [((packed(HESSIAN), N, THETA), 0.5 * (TURNED @ MOVED) * N, 16 * EPS)],
    "largest_radius": [
        ((packed(HESSIAN),), np.linalg.eigvalsh(HESSIAN)[-1], 64 * EPS),
        (((2.0, 2.0, 0.0, 0.0, 0.0, 0.0),), 2.0, 4 * EPS),
    ],
}  # fmt: skip
