"""The parts of planes that a picture shows: squares, cut where the planes of a body meet."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from rigidsim.physics.quaternion import rotate_back
from rigidsim.scene.hierarchy.outlines import turn_of_z
from rigidsim.scene.schema.shapes import HalfSpace
from rigidsim.scene.values.rotation import Quaternion
from rigidsim.views.surfaces import Triangles


class Ground(NamedTuple):
    """A convex polygon in the plane z = 0 of its own axes, and its place in the body, m."""

    surface: Triangles
    position: np.ndarray
    orientation: Quaternion


def grounds(planes: list[HalfSpace], metres: float, centre: np.ndarray, size: float) -> list[Ground]:
    """What is shown of the planes of a body with this unit of length: the squares of edge 2 `size` nearest to `centre`
    (m), without what is below another plane.
    """
    normals = [np.array(plane.normal) / math.hypot(*plane.normal) for plane in planes]
    feet = [metres * plane.offset * n for plane, n in zip(planes, normals, strict=True)]
    found = []
    for k, (n, foot) in enumerate(zip(normals, feet, strict=True)):
        turn = turn_of_z(tuple(n.tolist()))
        middle = np.array(rotate_back(turn, tuple(centre - foot)))[:2]
        polygon = middle + size * np.array([[-1.0, -1], [1, -1], [1, 1], [-1, 1]])
        for other in (j for j in range(len(planes)) if j != k):
            slope = np.array(rotate_back(turn, tuple(normals[other])))[:2]
            polygon = _cut(polygon, slope, normals[other] @ (foot - feet[other]))
        if len(polygon) >= 3:
            found.append(Ground(_fan(polygon), foot, turn))
    return found


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
