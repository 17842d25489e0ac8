"""The distance along a ray to the nearest shape, for range finders, in all lanes.

All shapes but surfaces of triangles are convex, so a ray is inside between two of its parameters at most; that of the
nearer one, or 0 if it begins inside, is the distance. Of triangles it is the nearest that the ray meets, from either
side (Moller and Trumbore, J. Graphics Tools 2, 1997).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rigidsim.engine.assembly.blueprint import RayRecord, Target
from rigidsim.engine.model.arrays import Samples
from rigidsim.physics.distances import BOX, CONE, CYLINDER, ELLIPSOID, HALF_SPACE, POINT, SEGMENT

Span = tuple[float, float]
"""The parameters between which a ray is inside, the first greater than the second if it never is."""
NOWHERE: Span = (np.inf, -np.inf)
EVERYWHERE: Span = (-np.inf, np.inf)


def distance(ray: RayRecord, samples: Samples, n_lane: int) -> np.ndarray:
    """(lane) m, the distance of the nearest shape, at most the longest range, in the first sample."""
    found = np.full(n_lane, float(ray.longest))
    for lane in range(n_lane):
        position, orientation = (
            array[0, :, lane::n_lane] for array in (samples.world.position, samples.world.orientation)
        )
        origin, direction = position[ray.node], matrix(orientation[ray.node]) @ ray.direction
        for one in ray.shapes:
            turn = matrix(orientation[one.node])
            start = turn.T @ (origin - position[one.node]) / one.metres
            found[lane] = min(found[lane], met(one, start, turn.T @ direction) * one.metres)
    return found


def matrix(q: Sequence[float] | np.ndarray) -> np.ndarray:
    """The rotation matrix of a unit quaternion."""
    w, x, y, z = map(float, q)
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ])  # fmt: skip


def met(shape: Target, origin: np.ndarray, direction: np.ndarray) -> float:
    """How far from its origin a ray meets a shape, inf if never, in the units and axes of the shape's node."""
    core, turn = shape.core, matrix(shape.core.orientation)
    p, u = turn.T @ (origin - np.array(core.position, float)), turn.T @ direction
    if shape.triangles is not None:
        return nearest_triangle(shape.triangles, p, u)
    enters, leaves = span_of(core.kind, np.array(core.half, float), float(core.radius), p, u)
    return max(enters, 0.0) if enters <= leaves and leaves >= 0.0 else np.inf


def span_of(kind: int, half: np.ndarray, radius: float, p: np.ndarray, u: np.ndarray) -> Span:
    """Where the ray p + s u, |u| = 1, is inside a core, in its own axes."""
    if kind == HALF_SPACE:
        return slab(p[2], u[2], -np.inf, 0.0)
    if kind == BOX:
        return both(*(slab(p[k], u[k], -half[k], half[k]) for k in range(3)))
    if kind == POINT:
        return ball(p, u, radius)
    if kind == ELLIPSOID:
        return quadric(u / half @ (u / half), p / half @ (u / half), p / half @ (p / half) - 1.0)
    if kind == SEGMENT:
        side = both(quadric(*around_axis(p, u, (radius, radius))), slab(p[2], u[2], -half[2], half[2]))
        ends = (ball(p - (0.0, 0.0, end), u, radius) for end in (-half[2], half[2]))
        spans = [one for one in (side, *ends) if one[0] <= one[1]]
        return (min(one[0] for one in spans), max(one[1] for one in spans)) if spans else NOWHERE
    between = slab(p[2], u[2], -half[2], half[2])
    if kind == CYLINDER:
        return both(between, quadric(*around_axis(p, u, tuple(half))))
    if kind == CONE:
        return cone(p, u, half, between)
    raise ValueError(f"no ray meets a core of kind {kind}")


def slab(p: float, u: float, low: float, high: float) -> Span:
    """Where low <= p + s u <= high."""
    if u == 0.0:
        return EVERYWHERE if low <= p <= high else NOWHERE
    one, other = (low - p) / u, (high - p) / u
    return min(one, other), max(one, other)


def both(*spans: Span) -> Span:
    """Where all of them are."""
    return max(one[0] for one in spans), min(one[1] for one in spans)


def quadric(a: float, b: float, c: float) -> Span:
    """Where a s^2 + 2 b s + c <= 0, a >= 0; the roots from their sum and product, without cancellation."""
    if a == 0.0:
        return EVERYWHERE if c <= 0.0 else NOWHERE
    square = b * b - a * c
    if square < 0.0:
        return NOWHERE
    far = -(b + np.copysign(np.sqrt(square), b))
    one, other = far / a, (c / far if far != 0.0 else 0.0)
    return min(one, other), max(one, other)


def ball(p: np.ndarray, u: np.ndarray, radius: float) -> Span:
    """Where p + s u is in a ball about the origin."""
    return quadric(1.0, p @ u, p @ p - radius * radius)


def around_axis(p: np.ndarray, u: np.ndarray, radii: tuple) -> tuple[float, float, float]:
    """The quadric of an elliptic cylinder about z."""
    q, v = p[:2] / radii[:2], u[:2] / radii[:2]
    return v @ v, q @ v, q @ q - 1.0


def cone(p: np.ndarray, u: np.ndarray, half: np.ndarray, between: Span) -> Span:
    """Where p + s u is in a cone with its base at -half[2] and its apex at half[2]; `between` are both planes.

    There it is inside where f(s) = (h - z)/(2 h) - |(x/a, y/b)| >= 0, a concave function, whose zeros are roots of a
    quadratic.
    """
    begin, end = between
    if begin > end:
        return NOWHERE
    rise, level = -u[2] / (2.0 * half[2]), (half[2] - p[2]) / (2.0 * half[2])
    v, q = u[:2] / half[:2], p[:2] / half[:2]
    a, b, c = v @ v - rise * rise, q @ v - level * rise, q @ q - level * level

    def inside(s: float) -> bool:
        return level + s * rise >= np.hypot(*(q + s * v))

    if a == 0.0:
        roots = [] if b == 0.0 else [-c / (2.0 * b)]
    else:
        square = b * b - a * c
        far = -(b + np.copysign(np.sqrt(max(square, 0.0)), b))
        roots = [] if square < 0.0 else sorted((far / a, c / far if far != 0.0 else 0.0))
    roots = [s for s in roots if begin <= s <= end]
    spans = [s for s in (begin, end) if np.isfinite(s) and inside(s)] + roots
    return (min(spans), max(spans)) if spans else NOWHERE


def nearest_triangle(corners: np.ndarray, p: np.ndarray, u: np.ndarray) -> float:
    """How far the nearest triangle is along p + s u."""
    a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
    one, other = b - a, c - a
    across = np.cross(u, other)
    volume = np.einsum("ij,ij->i", one, across)
    apart = p - a
    with np.errstate(divide="ignore", invalid="ignore"):
        x = np.einsum("ij,ij->i", apart, across) / volume
        around = np.cross(apart, one)
        y = around @ u / volume
        s = np.einsum("ij,ij->i", other, around) / volume
        hits = (x >= 0.0) & (y >= 0.0) & (x + y <= 1.0) & (s >= 0.0) & np.isfinite(s)
    return float(s[hits].min()) if hits.any() else np.inf
