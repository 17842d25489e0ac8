"""Convex hulls of points, from the scene or the vertices of a mesh file: corners, triangles, and the solid inside.

scipy finds which points are corners, and the triangles between them.
"""

from __future__ import annotations

import contextlib
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
from pydantic import AfterValidator, BeforeValidator, Field

from rigidsim.containers.columns import is_column
from rigidsim.scene.schema.inertia import Symmetric
from rigidsim.scene.schema.meshes import enclosed, mesh_status, vertices_of_file
from rigidsim.scene.text.document import shown
from rigidsim.scene.values.base import Parsed, SceneModel, invalid
from rigidsim.scene.values.files import file_of
from rigidsim.scene.values.quantities import LENGTH, vector
from rigidsim.scene.values.rotation import Vector

FEWEST, MOST = 4, 4000
"""Corners of a hull."""
FLAT = 1e-9
"""A hull is flat if its volume is smaller than this fraction of the cube of its largest size."""


class HullSolid(NamedTuple):
    """A convex hull: its corners, triangles of them, counter-clockwise as seen from outside, and the solid inside."""

    corners: tuple[Vector, ...]
    triangles: tuple[tuple[int, int, int], ...]
    volume: float
    centroid: Vector
    covariance: Symmetric
    lower: Vector
    upper: Vector


@lru_cache(maxsize=256)
def hull_of(points: tuple[Vector, ...]) -> HullSolid:
    """The convex hull of points that are not in one plane."""
    from scipy.spatial import ConvexHull, QhullError

    cloud = np.unique(np.array(points) + 0.0, axis=0)
    if len(cloud) < FEWEST:
        raise invalid("hull", f"a hull needs at least {FEWEST} different points, got {len(cloud)}")
    size = np.ptp(cloud, axis=0).max()
    try:
        hull = ConvexHull((cloud - cloud.mean(axis=0)) / size)
    except QhullError:
        hull = None
    if hull is None or hull.volume < FLAT:
        raise invalid("hull", "the points are in one plane, or almost, so their hull has no volume")
    kept = np.sort(hull.vertices)
    if len(kept) > MOST:
        raise invalid("hull", f"the hull has {len(kept)} corners, at most {MOST} are possible", "simplify the mesh")
    corners, triangles = cloud[kept], np.searchsorted(kept, hull.simplices)
    a, b, c = (hull.points[kept][triangles[:, k]] for k in range(3))
    inward = np.einsum("ij,ij->i", np.cross(b - a, c - a), hull.equations[:, :3]) < 0
    triangles[inward] = triangles[inward][:, ::-1]
    lower, upper = corners.min(axis=0), corners.max(axis=0)
    plain, faces = (tuple(map(tuple, table.tolist())) for table in (corners, triangles))
    volume, centroid, covariance = enclosed(corners, triangles)
    return HullSolid(plain, faces, volume, centroid, covariance, tuple(lower.tolist()), tuple(upper.tolist()))


def corners_of(points: np.ndarray) -> np.ndarray:
    """The corners of the convex hull of points (n, 3), in their order; all points if they are in one plane."""
    from scipy.spatial import ConvexHull, QhullError

    with contextlib.suppress(QhullError):
        points = points[np.sort(ConvexHull(points).vertices)]
    return points


def _require_points(value: Any) -> Any:
    if not isinstance(value, list | tuple):
        raise invalid("not-a-list", f"expected a list of points [x, y, z], got {shown(value)}")
    if len(value) < FEWEST:
        raise invalid("hull", f"a hull needs at least {FEWEST} points, got {len(value)}")
    return value


def _require_volume(points: tuple[Vector, ...]) -> tuple[Vector, ...]:
    if any(is_column(part) for point in points for part in point):
        raise invalid("hull", "the points of a hull cannot be varied", "vary its scale, or write a scene for each hull")
    hull_of(points)
    return points


Points = Annotated[
    tuple[Parsed[Vector, vector(LENGTH)], ...],
    Field(strict=False),
    AfterValidator(_require_volume),
    BeforeValidator(_require_points),
]
"""Points that are not in one plane."""


class PointsFile(SceneModel):
    """A mesh file and the corners of its convex hull, in the file's coordinates."""

    path: str = Field(description="Path of the mesh file.")
    points: Points = Field(description="Corners of the convex hull of its vertices.")


def _hull_file(path: Path) -> PointsFile:
    mesh_status(path)
    return PointsFile(path=str(path), points=hull_of(tuple(map(tuple, vertices_of_file(path).tolist()))).corners)


HullFile = file_of("mesh file", PointsFile, _hull_file)
