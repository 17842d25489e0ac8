"""What the formulas of distances and of corrections have to give, from NumPy: see formula_checks.py."""

from __future__ import annotations

import numpy as np
from scipy.optimize import lsq_linear
from scipy.spatial.transform import Rotation

EPS = np.finfo(float).eps
D, U, V = np.array([0.4, -0.9, 0.7]), np.array([2.0, -1.0, 2.0]) / 3.0, np.array([0.6, 0.0, -0.8])
HALF = (0.5, 0.8, 1.1)


def nearest(d, u, h, v, k) -> np.ndarray:
    """s and t by bounded least squares."""
    return lsq_linear(np.column_stack((u, -v)), d, ([-h, -k], [h, k]), tol=1e-14).x


def segments() -> list:
    """Within both, cut at either, at both, and on parallel lines, whose nearest points are those of the middle."""
    cases = [(D, U, 2.0, V, 2.0), (D, U, 0.2, V, 2.0), (D, U, 2.0, V, 0.1), (D, U, 0.1, V, 0.2), (-D, U, 0.3, V, 0.7)]
    found = [((d, u, h, v, k), nearest(d, u, h, v, k), 1e-7) for d, u, h, v, k in cases]
    exact = np.linalg.solve(np.array([[1.0, -U @ V], [U @ V, -1.0]]), [D @ U, D @ V])
    return [((D, U, 2.0, V, 2.0), exact, 16 * EPS), *found, ((D, U, 0.4, U, 5.0), (0.0, -D @ U), 4 * EPS)]


def above(rho, z, corners) -> tuple:
    """(n_r, n_z, h, r) of a point above a solid of revolution, from the edges of its section, counter-clockwise from
    the base: the nearest point of an edge, or the nearest line from inside.
    """
    x, best = np.array([rho, z]), None
    edges = [(np.array(a), np.array(b)) for a, b in zip(corners, corners[1:] + corners[:1], strict=True)]
    outward = [np.array([(b - a)[1], (a - b)[0]]) / np.linalg.norm(b - a) for a, b in edges]
    heights = [float(n @ (x - a)) for n, (a, b) in zip(outward, edges, strict=True)]
    if max(heights) <= 0.0:
        k = int(np.argmax(heights))
        foot = x - heights[k] * outward[k]
        return (*outward[k], heights[k], 0.0 if outward[k][0] == 0.0 else foot[0])
    for n, (a, b) in zip(outward, edges, strict=True):
        share = np.clip((x - a) @ (b - a) / ((b - a) @ (b - a)), 0.0, 1.0)
        way = x - (a + share * (b - a))
        if best is None or np.linalg.norm(way) < best[2]:
            flat = n[0] == 0.0 and 0.0 < share < 1.0
            best = (*(way / np.linalg.norm(way)), np.linalg.norm(way), 0.0 if flat else (x - way)[0])
    return best


def round_solids() -> dict[str, list]:
    """Above and inside of each face, beyond the rims and the apex, on both sides of what divides these regions."""
    a, c = 0.75, 0.9
    rectangle, triangle = [(-a, -c), (a, -c), (a, c), (-a, c)], [(-a, -c), (a, -c), (0.0, c)]
    of_cylinder = [(1.9, 0.3), (1.0, -0.9), (0.2, 1.7), (0.3, -3.0), (1.6, 1.4), (2.0, -1.1), (0.6, 0.2), (0.7, -0.6)]
    of_cylinder += [(0.1, 0.9), (0.2, -0.85), (0.76, 3.0), (0.7, 1.2), (4.0, 0.87)]
    of_cone = [(1.0, 0.4), (0.8, -0.9), (0.3, -1.5), (1.1, -1.4), (1.2, -1.05), (0.9, -0.99), (0.1, 1.6), (0.5, 1.1)]
    of_cone += [(0.3, 0.1), (0.1, 0.6), (0.2, -0.9), (0.05, -0.8), (0.7, -1.2), (0.74, -0.98), (0.6, 1.4), (0.76, -3.0)]
    of_cone += [(0.2, 1.05), (0.01, 1.3), (0.3, 1.2), (2.0, -0.6)]
    return {
        "above_cylinder": [((*x, a, c), above(*x, rectangle), 8 * EPS) for x in of_cylinder],
        "above_cone": [((*x, a, c), above(*x, triangle), 16 * EPS) for x in of_cone],
    }


def distances() -> dict[str, list]:
    r = 1.0 / np.sqrt(2.0)
    n = np.cross(U, V) / np.linalg.norm(np.cross(U, V))
    inside = [(0.3, 0.1, -0.2), (-0.3, -0.1, 0.2), (0.1, 0.7, 0.3), (0.1, -0.7, 0.3), (0.1, 0.3, 1.0), (0.1, 0.3, -1.0)]
    faces = [(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)]
    depths = [0.2, 0.2, 0.1, 0.1, 0.1, 0.1]
    duff = [
        (np.array(a, float), b) for a, b in (((0, 0, 1), (1, 0, 0)), ((0, 0, -1), (1, 0, 0)), ((1, 0, 0), (0, 0, -1)))
    ]
    some = np.array([0.48, 0.6, -0.64])
    return round_solids() | {
        "clamped": [((0.3, 1.0), 0.3, 0), ((1.3, 1.0), 1.0, 0), ((-1.3, 1.0), -1.0, 0), ((-0.3, 0.25), -0.25, 0)],
        "direction": [
            (((3.0, 4.0, 12.0), 1.0, (0.0, 0.0, 1.0)), (3 / 13, 4 / 13, 12 / 13, 13), 4 * EPS),
            (((3.0, 4.0, 12.0), 13.0, (0.0, 0.0, 1.0)), (0.0, 0.0, 1.0, 13.0), 4 * EPS),
        ],
        "across": [
            *(((a,), b, 0) for a, b in duff),
            ((some,), (1 - some[0] ** 2 / 1.64, -some[0] * some[1] / 1.64, some[0]), 4 * EPS),
            ((-some,), (1 - some[0] ** 2 / 1.64, -some[0] * some[1] / 1.64, some[0]), 4 * EPS),
        ],
        "common_normal": [
            ((U, V, n + U), n, 4 * EPS), ((U, V, -n + U), -n, 4 * EPS),
            (((0.0, 0.0, 1.0), (0.0, 0.0, 1.0), (1.0, 2.0, 3.0)), (1, 0, 0), 0),
            (((0.0, 0.0, 1.0), (0.0, 0.0, 1.0), (-1.0, 2.0, 3.0)), (-1, 0, 0), 0),
        ],
        "nearest_on_segments": segments(),
        "nearest_in_box": [
            (((0.9, -0.3, -2.0), HALF), (0.5, -0.3, -1.1), 0), (((-0.9, 1.3, 2.0), HALF), (-0.5, 0.8, 1.1), 0),
        ],
        "way_out_of_box": [((x, HALF), (*f, d), 4 * EPS) for x, f, d in zip(inside, faces, depths, strict=True)],
        "reach_along": [(((x, y, z), HALF), 0.5 * r + 0.95, 4 * EPS) for x, y, z in ((r, 0.5, -0.5), (-r, -0.5, 0.5))],
    }  # fmt: skip


THETA, DX, DV, DOMEGA, OMEGA, DRIFT = (
    np.array(v) for v in ((0.05, -0.03, 0.08), (0.2, 0.1, -0.3), (1.0, -2.0, 0.5), (0.7, 0.2, -0.4), (1.1, 0.6, -0.7),
                          (-0.5, 0.2, 0.9))
)  # fmt: skip


def corrections() -> dict[str, list]:
    """A frame before and after, by matrices. The truncated exponential is good to 1e-16 at these angles."""
    turn = Rotation.from_rotvec(THETA)
    R, e = turn.as_matrix(), turn.as_quat(scalar_first=True)
    q = np.array([0.5, -0.5, 0.1, 0.7]) / np.linalg.norm([0.5, -0.5, 0.1, 0.7])
    q_after = (turn * Rotation.from_quat(q, scalar_first=True)).as_quat(scalar_first=True)
    q_after *= np.sign(q_after[0] * q[0])
    cross, after = np.cross, OMEGA + DOMEGA
    carried = DV + cross(after, R @ D) - cross(OMEGA, D) + R @ DRIFT - DRIFT
    within = R.T @ (DRIFT + cross(OMEGA, D) - cross(after, D + DX) + DV) - DRIFT
    inertia = np.array([[1.0, 0.1, -0.2], [0.1, 2.0, 0.3], [-0.2, 0.3, 3.0]])
    momentum = R @ inertia @ R.T @ after - inertia @ OMEGA
    return {
        "turn": [((THETA,), e, 2 * EPS)],
        "joined_turn": [((THETA, DX), THETA + DX + cross(THETA, DX) / 2, 4 * EPS), ((THETA, -THETA), 0 * THETA, EPS)],
        "turned": [((e, q), q_after, 4 * EPS)],
        "inherited_displacement": [((DX, e, D), DX + R @ D - D, 4 * EPS)],
        "inherited_velocity": [((DV, e, OMEGA, DOMEGA, D, DRIFT), carried, 16 * EPS)],
        "inherited_angular_momentum": [(((1.0, 2.0, 3.0, 0.1, -0.2, 0.3), e, OMEGA, DOMEGA), momentum, 64 * EPS)],
        "inherited_rate": [((DOMEGA, e, OMEGA, DV), DOMEGA + R @ (DV - OMEGA) - (DV - OMEGA), 8 * EPS)],
        "change_within": [((e, D, DX), R.T @ (D + DX) - D, 4 * EPS)],
        "relative_velocity_change": [((e, OMEGA, DOMEGA, D, DRIFT, DX, DV), within, 16 * EPS)],
        "origin_displacement": [((DX, e, D), DX - (R @ D - D), 4 * EPS)],
        "origin_velocity_change": [((DV, e, OMEGA, DOMEGA, D), DV - (cross(after, R @ D) - cross(OMEGA, D)), 16 * EPS)],
    }


GEOMETRY_CHECKS = {"distances": distances(), "corrections": corrections()}
# Twice nothing; what only keeps an unused branch from 0/0; thresholds of what rounding leaves; signs that d decides;
# the turn -e, which is the turn e.
GEOMETRY_EQUIVALENT = {
    "distances.direction: doubled 1.0": 1,
    "distances.across: doubled 0.0": 1,
    "distances.common_normal: negated direction(cross(u_1, u_2), 1e-06, across(u_1))": 1,
    "distances.common_normal: negated cross(u_1, u_2)": 1,
    "distances.common_normal: doubled 1e-06": 1,
    "distances.common_normal: negated across(u_1)": 1,
    "distances.common_normal: doubled 0.0": 1,
    "distances.nearest_on_segments: doubled 1e-30": 1,
    "distances.nearest_on_segments: doubled 1.0": 1,
    "distances.nearest_on_segments: doubled 0.0": 1,
    "distances.way_out_of_box: doubled 0.0": 6,
    "distances.above_cylinder: doubled 0.0": 5,
    "distances.above_cylinder: doubled 1.0": 1,
    # Its sign is that of z.
    "distances.above_cylinder: negated select(by_rim, beyond / over, select(by_side, 0.0, 1.0))": 1,
    "distances.above_cylinder: negated select(by_side, 0.0, 1.0)": 1,
    "distances.above_cone: doubled 0.0": 4,
    "distances.above_cone: doubled 1.0": 1,
    "corrections.inherited_angular_momentum: negated conjugate(e)": 1,
    "corrections.change_within: negated conjugate(e)": 1,
}
