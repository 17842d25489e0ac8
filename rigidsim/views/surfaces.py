"""Triangles of the surfaces of shapes: of solids, and of the parts of planes that a picture shows.

Surfaces are shared: a solid is a surface, stretched along its own axes, then turned and moved. All balls are one
surface, as are all boxes and all cylinders. Of a plane a square is shown, cut where the planes of a body meet.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import numpy as np

from rigidsim.physics.quaternion import rotate, rotate_back
from rigidsim.scene.schema.shapes import HalfSpace, Hull, Profile, Solid, Triangulated, ball
from rigidsim.scene.values.rotation import Vector, three_numbers

FINEST, COARSEST = 48, 12
"""Straight edges of a circle; with 48 they are at most 0.2 % of the radius inside it."""
MOST_TRIANGLES = 300_000


class Triangles(NamedTuple):
    """Triangles: `vertices` and unit outward `normals` (n, 3), and `faces` (m, 3), rows of vertices, counter-clockwise
    as seen from outside. Vertices are repeated where the surface has an edge.
    """

    vertices: np.ndarray
    normals: np.ndarray
    faces: np.ndarray


class Stretched(NamedTuple):
    """A surface, and by what it is stretched along its axes to be that of a shape. `key` is equal for equal surfaces;
    `is_exact` is false for a box in place of a mesh whose file cannot be read.
    """

    key: tuple
    surface: Triangles
    scale: Vector
    is_exact: bool = True


def segments_for(count: int) -> int:
    """The edges of a circle with which so many balls have about `MOST_TRIANGLES`."""
    return min(FINEST, max(COARSEST, 4 * round(math.sqrt(MOST_TRIANGLES / max(1, count)) / 4)))


def surface_of(shape: Solid, segments: int = FINEST) -> Stretched:
    """The surface of a solid, with so many edges of a circle, in the axes of the shape."""
    if isinstance(shape, Triangulated):
        return _triangulated(shape)
    if isinstance(shape, Hull):
        solid = shape.solid
        inner = _faceted(np.array(solid.corners), np.array(solid.triangles))
        return Stretched(("hull", solid.corners), inner, shape.scale)
    profile, size = shape.faces(segments)
    scale = three_numbers(s * part for s, part in zip(shape.scale, size, strict=True))
    key = (segments, profile)
    return Stretched(key, _surface(*key), scale)


def marker(segments: int = FINEST) -> Triangles:
    """A ball of radius 1, for a body without shapes."""
    return _surface(segments, ball(segments))


@cache
def _surface(segments: int, profile: Profile | None) -> Triangles:
    return _box() if profile is None else _revolved(segments, profile)


def _revolved(segments: int, profile: Profile) -> Triangles:
    """The surface that pieces of a profile, each of points (r, z, normal r, normal z), sweep about z; from the top down
    as seen with the axis at the left.
    """
    angles = 2 * np.pi * np.arange(segments + 1) / segments
    turn = np.stack([np.cos(angles), np.sin(angles)], axis=-1)
    vertices: list[np.ndarray] = []
    normals: list[np.ndarray] = []
    faces, count = [], 0
    for piece in profile:
        r, z, n_r, n_z = np.array(piece).T
        for found, out, up in ((vertices, r, z), (normals, n_r, n_z)):
            around = out[:, None, None] * turn[None]
            height = np.broadcast_to(up[:, None, None], (*around.shape[:2], 1))
            found.append(np.concatenate([around, height], axis=-1).reshape(-1, 3))
        faces.append(_strips(len(piece), segments + 1) + count)
        count += len(piece) * (segments + 1)
    whole = Triangles(np.concatenate(vertices), np.concatenate(normals), np.concatenate(faces))
    a, b, c = (whole.vertices[whole.faces[:, k]] for k in range(3))
    area = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    return whole._replace(faces=whole.faces[area > 1e-9 * area.max()])  # without those at the poles


def _strips(rows: int, columns: int) -> np.ndarray:
    """Two triangles for each cell of a grid of vertices."""
    i, j = np.meshgrid(np.arange(rows - 1), np.arange(columns - 1), indexing="ij")
    a, b = (i * columns + j).ravel(), (i * columns + j + 1).ravel()
    c, d = a + columns, b + columns
    return np.concatenate([np.stack([a, c, b], axis=-1), np.stack([b, c, d], axis=-1)])


def _box() -> Triangles:
    """The cube of edge 1 about the origin."""
    corners, up = np.array([[-1.0, -1, 1], [1, -1, 1], [1, 1, 1], [-1, 1, 1]]) / 2, np.tile([0.0, 0, 1], (4, 1))
    cycle, faces = np.roll(np.eye(3), 1, axis=0), np.array([[0, 1, 2], [0, 2, 3]])
    turns = [np.diag([sign, 1, sign]) @ np.linalg.matrix_power(cycle, k) for k in range(3) for sign in (1, -1)]
    return Triangles(
        np.concatenate([corners @ turn for turn in turns]),
        np.concatenate([up @ turn for turn in turns]),
        np.concatenate([faces + 4 * k for k in range(6)]),
    )


def _triangulated(shape: Triangulated) -> Stretched:
    found = shape.triangles()
    if found is None:
        lower, upper = map(np.array, shape.bounds())
        box = _box()
        inner = box._replace(vertices=(lower + upper) / 2 + (upper - lower) * box.vertices)
        return Stretched(("box", shape.source), inner, shape.scale, is_exact=False)
    return Stretched((shape.type, shape.source), _faceted(*found), shape.scale)


def _faceted(vertices: np.ndarray, faces: np.ndarray) -> Triangles:
    """Triangles with the normals of their own planes."""
    corners = vertices[faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    lengths = np.linalg.norm(normals, axis=1, keepdims=True)
    normals = normals / np.where(lengths > 0, lengths, 1.0)
    return Triangles(corners.reshape(-1, 3), np.repeat(normals, 3, axis=0), np.arange(faces.size).reshape(-1, 3))


def grounds(planes: list[HalfSpace], metres: float, centre: np.ndarray, size: float) -> Iterator[tuple]:
    """What is shown of the planes of a body with this unit of length: the squares of edge 2 `size` nearest to `centre`
    (m), without what is below another plane; each as its surface, in the plane z = 0 of its own axes, and its position
    (m) and orientation in the body.
    """
    turns = [plane.core().orientation for plane in planes]
    normals = [np.array(rotate(turn, (0.0, 0.0, 1.0))) for turn in turns]
    feet = [metres * np.array(plane.core().position) for plane in planes]
    for k, (turn, foot) in enumerate(zip(turns, feet, strict=True)):
        middle = np.array(rotate_back(turn, tuple(centre - foot)))[:2]
        polygon = middle + size * np.array([[-1.0, -1], [1, -1], [1, 1], [-1, 1]])
        for other in (j for j in range(len(planes)) if j != k):
            slope = np.array(rotate_back(turn, tuple(normals[other])))[:2]
            polygon = _cut(polygon, slope, float(normals[other] @ (foot - feet[other])))
        if len(polygon) >= 3:
            yield _fan(polygon), foot, turn


def _cut(polygon: np.ndarray, slope: np.ndarray, height: float) -> np.ndarray:
    """The part of a convex polygon (n, 2) where slope . x + height >= 0 (Sutherland and Hodgman 1974)."""
    heights, kept = polygon @ slope + height, []
    for k, (here, above) in enumerate(zip(polygon, heights, strict=True)):
        before, last = polygon[k - 1], heights[k - 1]
        if (above >= 0) != (last >= 0):
            kept.append(before + (here - before) * (last / (last - above)))
        if above >= 0:
            kept.append(here)
    return np.array(kept).reshape(-1, 2)


def _fan(polygon: np.ndarray) -> Triangles:
    n = len(polygon)
    faces = np.stack([np.zeros(n - 2, int), np.arange(1, n - 1), np.arange(2, n)], axis=-1)
    return Triangles(np.column_stack([polygon, np.zeros(n)]), np.tile([0.0, 0, 1], (n, 1)), faces)
