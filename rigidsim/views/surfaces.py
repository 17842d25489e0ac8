"""Triangles of the surfaces of shapes.

Surfaces are shared: a shape is a surface, stretched along its own axes, then turned and moved. All balls are one
surface, as are all boxes and all cylinders.
"""

from __future__ import annotations

import math
from functools import cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from rigidsim.scene.schema.meshes import surface_of_file
from rigidsim.scene.schema.shapes import Mesh, Solid
from rigidsim.scene.values.rotation import Quaternion, Vector

FINEST, COARSEST = 48, 12
"""Straight edges of a circle; with 48 they are at most 0.2 % of the radius inside it."""
MOST_TRIANGLES = 300_000
ROUND, BOX = "round", "box"


class Triangles(NamedTuple):
    """Triangles: `vertices` and unit outward `normals` (n, 3), and `faces` (m, 3), rows of vertices, counter-clockwise
    as seen from outside. Vertices are repeated where the surface has an edge.
    """

    vertices: np.ndarray
    normals: np.ndarray
    faces: np.ndarray


class Placed(NamedTuple):
    """A surface in a body: x -> position + R(orientation) (scale x), in the units of the body. `key` is equal for equal
    surfaces; `is_exact` is false for a box in place of a mesh whose file cannot be read.
    """

    key: tuple
    surface: Triangles
    position: Vector
    orientation: Quaternion
    scale: Vector
    is_exact: bool = True


def segments_for(count: int) -> int:
    """The edges of a circle with which so many balls have about `MOST_TRIANGLES`."""
    return min(FINEST, max(COARSEST, 4 * round(math.sqrt(MOST_TRIANGLES / max(1, count)) / 4)))


def surface_of(shape: Solid, segments: int = FINEST) -> Placed:
    """The surface of a solid, with so many edges of a circle."""
    if shape.type == "mesh":
        return _mesh(shape)
    key, size = _SOLIDS[shape.type](shape, segments)
    scale = tuple(s * part for s, part in zip(shape.scale, size, strict=True))
    return Placed(key, _surface(*key), shape.position, shape.orientation, scale)


def marker(segments: int = FINEST) -> Triangles:
    """A ball of radius 1, for a body without shapes."""
    return _surface(ROUND, segments, *_ball(segments))


def _flat(*points: tuple[float, float]) -> tuple:
    """Straight pieces of a profile from one (r, z) to the next, each point with the normal of its piece."""
    pieces = []
    for (r_0, z_0), (r_1, z_1) in pairwise(points):
        length = math.hypot(r_1 - r_0, z_1 - z_0)
        n = ((z_0 - z_1) / length, (r_1 - r_0) / length)
        pieces.append(((r_0, z_0, *n), (r_1, z_1, *n)))
    return tuple(pieces)


_CYLINDER = _flat((0, 0.5), (1, 0.5), (1, -0.5), (0, -0.5))
_CONE = _flat((0, 0.5), (1, -0.5), (0, -0.5))


def _tube(ratio: float) -> tuple:
    return _flat((ratio, 0.5), (1, 0.5), (1, -0.5), (ratio, -0.5), (ratio, 0.5))


def _ball(segments: int) -> tuple:
    angles = (2 * math.pi * k / segments for k in range(segments // 2 + 1))
    return (tuple((math.sin(a), math.cos(a), math.sin(a), math.cos(a)) for a in angles),)


def _capsule(half: float, segments: int) -> tuple:
    """The profile of a capsule of radius 1 whose cylinder has this half length."""
    (ball,) = _ball(segments)
    middle = len(ball) // 2
    top = tuple((r, z + half, *n) for r, z, *n in ball[: middle + 1])
    return ((*top, *((r, z - half, *n) for r, z, *n in ball[middle:])),)


def _of_ball(segments: int, *radii: float) -> tuple[tuple, Vector]:
    return (ROUND, segments, *_ball(segments)), radii


def _of_round(shape: Solid, segments: int, profile: tuple, is_long: bool = True) -> tuple[tuple, Vector]:
    return (ROUND, segments, *profile), (shape.radius, shape.radius, shape.length if is_long else shape.radius)


_SOLIDS = {
    "box": lambda shape, _: ((BOX,), shape.size),
    "sphere": lambda shape, n: _of_ball(n, *[shape.radius] * 3),
    "ellipsoid": lambda shape, n: _of_ball(n, *shape.radii),
    "cylinder": lambda shape, n: _of_round(shape, n, _CYLINDER),
    "cone": lambda shape, n: _of_round(shape, n, _CONE),
    "tube": lambda shape, n: _of_round(shape, n, _tube(shape.inner_radius / shape.radius)),
    "capsule": lambda shape, n: _of_round(shape, n, _capsule(shape.length / 2 / shape.radius, n), is_long=False),
}
"""For each kind of solid the key of its surface, and by what that is stretched."""


@cache
def _surface(kind: str, segments: int = 0, *profile: tuple) -> Triangles:
    return _box() if kind == BOX else _revolved(segments, profile)


def _revolved(segments: int, profile: tuple) -> Triangles:
    """The surface that pieces of a profile, each of points (r, z, normal r, normal z), sweep about z; from the top down
    as seen with the axis at the left.
    """
    angles = 2 * np.pi * np.arange(segments + 1) / segments
    turn = np.stack([np.cos(angles), np.sin(angles)], axis=-1)
    vertices, normals, faces, count = [], [], [], 0
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


def _mesh(shape: Mesh) -> Placed:
    pose = (shape.position, shape.orientation)
    found = surface_of_file(shape.file)
    if found is None:
        lower, upper = np.array(shape.file.lower), np.array(shape.file.upper)
        box = _box()
        inner = box._replace(vertices=(lower + upper) / 2 + (upper - lower) * box.vertices)
        return Placed((BOX, shape.file.path), inner, *pose, shape.scale, is_exact=False)
    vertices, faces = found
    return Placed(("mesh", shape.file.path), _faceted(vertices, faces), *pose, shape.scale)


def _faceted(vertices: np.ndarray, faces: np.ndarray) -> Triangles:
    """Triangles with the normals of their own planes."""
    corners = vertices[faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    lengths = np.linalg.norm(normals, axis=1, keepdims=True)
    normals = normals / np.where(lengths > 0, lengths, 1.0)
    return Triangles(corners.reshape(-1, 3), np.repeat(normals, 3, axis=0), np.arange(faces.size).reshape(-1, 3))
