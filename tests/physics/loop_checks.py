"""What the formulas of loops have to give: see formula_checks.py."""

from __future__ import annotations

import numpy as np

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


LOOP_EQUIVALENT = {
    "loops.closing_error: negated sub(after, before)": 1,  # squared
    "loops.distance_apart: doubled 0.0": 3,
    "loops.distance_apart: doubled 1.0": 1,  # where the size is zero, the quotient is not used
    "loops.distance_apart: negated dot(e, v)": 1,  # squared
    "loops.inverse_pivot: doubled 0.0": 3,  # of a margin only the sign counts
    "loops.inverse_pivot: doubled 1.0": 2,
    "loops.unheld_mobility: doubled 0.0": 2,  # without mass there is no inertia either, and the quotient is not used
    "loops.unheld_mobility: doubled 1.0": 1,
}
LOOP_CHECKS = {
    "pull_moment": [(parts(ARM, E, N), np.cross(ARM, E) + N, FEW)],
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
    "closing_error": [
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
