"""The shapes a body may have: solids, which can give it mass, centre and inertia, and half spaces, which cannot."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import pairwise, product
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, NamedTuple

import numpy as np
from pydantic import AfterValidator, ConfigDict, Field, model_validator
from pydantic.config import JsonDict

from rigidsim.containers.columns import hypot
from rigidsim.physics import solids
from rigidsim.physics.distances import BOX, CONE, CYLINDER, ELLIPSOID, HALF_SPACE, HULL, MESH, POINT, SEGMENT, Core
from rigidsim.physics.inertia import rotated
from rigidsim.physics.quaternion import rotate, turn_of_z
from rigidsim.physics.vector import add, norm, scaled, sub
from rigidsim.scene.schema.hulls import HullFile, HullSolid, Points, PointsFile, hull_of
from rigidsim.scene.schema.inertia import Symmetric
from rigidsim.scene.schema.material import Surfaced
from rigidsim.scene.schema.meshes import MeshFile, flaw_of, surface_of_file
from rigidsim.scene.schema.orientation import Orientation
from rigidsim.scene.schema.terrain import GridFile, HeightFile, Heights, grid_of, triangles_of_grid
from rigidsim.scene.values.base import Parsed, by_type, invalid, list_of, one_of, three, word_of
from rigidsim.scene.values.quantities import (
    DENSITY,
    LENGTH,
    MASS,
    NUMBER_ONLY,
    not_negative,
    positive,
    quantity,
    vector,
)
from rigidsim.scene.values.rotation import IDENTITY, Vector, three_numbers
from rigidsim.scene.values.vectors import ZERO, Normal


class Measures(NamedTuple):
    """Volume, centroid and covariance (see `physics.solids`) of a solid, in its body's units and axes."""

    volume: float
    centroid: Vector
    covariance: Symmetric


Profile = tuple[tuple[tuple[float, float, float, float], ...], ...]
"""Pieces of a curve that sweeps a surface about z, each of points (r, z, r and z of the outward normal)."""
Faces = tuple[Profile | None, Vector]
"""The surface that a solid's own is a stretched copy of, what a profile sweeps or (None) the cube of edge 1 about the
origin, and by what it is stretched along x, y and z.
"""

_factor = positive(NUMBER_ONLY)
Stretch = Annotated[
    Parsed[
        Vector,
        one_of(
            lambda value: "list" if isinstance(value, list | tuple) else "number",
            number=_factor,
            list=three(_factor),
        ),
    ],
    AfterValidator(lambda written: written if isinstance(written, tuple) else (written,) * 3),
]
"""One factor, or one for each axis of the shape; its value has three factors."""


Spacing = Annotated[
    Parsed[
        tuple[float, float],
        one_of(
            lambda value: "list" if isinstance(value, list | tuple) else "number",
            number=positive(LENGTH),
            list=list_of(positive(LENGTH), 2, "[x, y]"),
        ),
    ],
    AfterValidator(lambda written: written if isinstance(written, tuple) else (written,) * 2),
]
"""One length, or one for each axis; its value has two."""


ONE_WEIGHT: JsonDict = {"not": {"required": ["mass", "density"]}}
"""For the JSON Schema: not both keys."""


class Solid(Surfaced):
    """The part that all solids share: x -> position + R S x maps the shape's own coordinates to the body's."""

    if TYPE_CHECKING:  # the first key of each
        type: str

    model_config = ConfigDict(json_schema_extra=ONE_WEIGHT)

    position: Parsed[Vector, vector(LENGTH)] = Field(ZERO, description="Position of the shape's origin in the body.")
    orientation: Orientation = Field(IDENTITY, description="Orientation of the shape relative to the body.")
    scale: Stretch = Field(
        (1.0, 1.0, 1.0), description="Factor that stretches the shape, or three, one for each of its own axes."
    )
    mass: Parsed[float | None, positive(MASS)] = Field(
        None,
        description="Mass of the shape; shapes without mass or density share the body's by their volumes.",
    )
    density: Parsed[float | None, positive(DENSITY)] = Field(None, description="Density of the shape.")

    @model_validator(mode="after")
    def _require_one_weight(self) -> Solid:
        if self.mass is not None and self.density is not None:
            raise invalid("mass", "this shape has both a mass and a density", "omit one of them")
        return self

    @property
    def has_weight(self) -> bool:
        """Whether the shape has a mass or density of its own."""
        return self.mass is not None or self.density is not None

    def flaw(self) -> tuple[str, str] | None:
        """Why it encloses no volume, and a hint; None if it does."""
        return None

    @property
    def is_stretched(self) -> bool:
        """Whether it is scaled by different numbers along its axes."""
        x, y, z = self.scale
        return not x == y == z

    def measures(self) -> Measures:
        """Volume, centroid and covariance in body units and axes."""
        own = self._own_measures()
        volume, covariance = solids.stretched(self.scale, own.volume, own.covariance)
        if self.orientation != IDENTITY:
            covariance = rotated(self.orientation, covariance)
        return Measures(volume, self.placed(own.centroid), covariance)

    def core(self) -> Core | None:
        """What it collides with, in the units and axes of the body; None if it cannot collide."""
        return None

    def _core(self, kind: int, half: Iterable[float]) -> Core:
        """A core with these half sizes, before it is stretched."""
        return Core(kind, self.position, self.orientation, tuple(s * h for s, h in zip(self.scale, half, strict=True)))

    def faces(self, segments: int) -> Faces:
        """Its surface, with so many edges of a circle."""
        raise NotImplementedError

    def placed(self, x: Iterable[float]) -> Vector:
        """A point of the shape in body coordinates."""
        stretched = three_numbers(s * part for s, part in zip(self.scale, x, strict=True))
        return add(self.position, rotate(self.orientation, stretched))

    def reach(self, center: Vector) -> float:
        """No point of the shape is farther than this from a point of the body, in body units."""
        corners = product(*zip(*self.bounds(), strict=True))
        return max(norm(sub(self.placed(corner), center)) for corner in corners)

    def _own_measures(self) -> Measures:
        raise NotImplementedError

    def bounds(self) -> tuple[Vector, Vector]:
        """Opposite corners of a box around the solid in its own axes, before it is stretched."""
        profile, size = self.faces(4)
        points = [(0.5, -0.5), (0.5, 0.5)] if profile is None else [point[:2] for piece in profile for point in piece]
        radius, height = max(r for r, _ in points), [z for _, z in points]
        low, high = (-radius, -radius, min(height)), (radius, radius, max(height))
        return _product(size, low), _product(size, high)


def _product(a: Vector, b: Vector) -> Vector:
    """The products of their components."""
    return a[0] * b[0], a[1] * b[1], a[2] * b[2]


def _symmetric(measured: tuple[float, Vector], centroid: Vector = ZERO) -> Measures:
    volume, moments = measured
    return Measures(volume, centroid, (*moments, 0.0, 0.0, 0.0))


def _straight(*points: tuple[float, float]) -> Profile:
    """Straight pieces from one (r, z) to the next, each point with the normal of its piece."""
    pieces = []
    for (r_0, z_0), (r_1, z_1) in pairwise(points):
        length = math.hypot(r_1 - r_0, z_1 - z_0)
        n = ((z_0 - z_1) / length, (r_1 - r_0) / length)
        pieces.append(((r_0, z_0, *n), (r_1, z_1, *n)))
    return tuple(pieces)


def ball(segments: int, half: float = 0.0) -> Profile:
    """The profile of a ball of radius 1, or of a capsule whose cylinder has this half length."""
    angles = [2 * math.pi * k / segments for k in range(segments // 2 + 1)]
    points = [(math.sin(a), math.cos(a), math.sin(a), math.cos(a)) for a in angles]
    if half == 0.0:
        return (tuple(points),)
    middle = segments // 4
    top = [(r, z + half, n_r, n_z) for r, z, n_r, n_z in points[: middle + 1]]
    return ((*top, *[(r, z - half, n_r, n_z) for r, z, n_r, n_z in points[middle:]]),)


class Box(Solid):
    """A box about its middle; `size` has its three edges."""

    type: Literal["box"]
    size: Parsed[Vector, three(positive(LENGTH))] = Field(description="Lengths of the edges along x, y and z.")

    def core(self) -> Core:
        return self._core(BOX, tuple(edge / 2 for edge in self.size))

    def faces(self, segments: int) -> Faces:
        return None, self.size

    def _own_measures(self) -> Measures:
        return _symmetric(solids.box(self.size))


class Sphere(Solid):
    """A ball about its centre; stretched, an ellipsoid."""

    type: Literal["sphere"]
    radius: Parsed[float, positive(LENGTH)] = Field(description="Radius of the sphere.")

    def core(self) -> Core:
        if self.is_stretched:
            return self._core(ELLIPSOID, (self.radius,) * 3)
        return Core(POINT, self.position, self.orientation, radius=self.scale[0] * self.radius)

    def faces(self, segments: int) -> Faces:
        return ball(segments), (self.radius,) * 3

    def _own_measures(self) -> Measures:
        return _symmetric(solids.sphere(self.radius))


class Ellipsoid(Solid):
    """An ellipsoid about its centre; `radii` has its three semi-axes."""

    type: Literal["ellipsoid"]
    radii: Parsed[Vector, three(positive(LENGTH))] = Field(description="Semi-axes along x, y and z.")

    def core(self) -> Core:
        return self._core(ELLIPSOID, self.radii)

    def faces(self, segments: int) -> Faces:
        return ball(segments), self.radii

    def _own_measures(self) -> Measures:
        return _symmetric(solids.ellipsoid(self.radii))


class Round(Solid):
    """A solid of revolution about z, its origin the middle of its height."""

    radius: Parsed[float, positive(LENGTH)] = Field(description="Radius of the circle about z.")
    length: Parsed[float, positive(LENGTH)] = Field(
        description="Length along z; that of a capsule without its two half spheres."
    )

    def faces(self, segments: int) -> Faces:
        return self._profile(), (self.radius, self.radius, self.length)

    def _profile(self) -> Profile:
        """That of radius 1 and length 1."""
        raise NotImplementedError


class Cylinder(Round):
    """A cylinder along z."""

    type: Literal["cylinder"]

    def core(self) -> Core:
        return self._core(CYLINDER, (self.radius, self.radius, self.length / 2))

    def _profile(self) -> Profile:
        return _straight((0, 0.5), (1, 0.5), (1, -0.5), (0, -0.5))

    def _own_measures(self) -> Measures:
        return _symmetric(solids.cylinder(self.radius, self.length))


class Capsule(Round):
    """A cylinder along z between two half balls; `length` is the cylinder's."""

    type: Literal["capsule"]

    def core(self) -> Core | None:
        if self.is_stretched:
            return None
        half = (0.0, 0.0, self.scale[2] * self.length / 2)
        return Core(SEGMENT, self.position, self.orientation, half, self.scale[0] * self.radius)

    def faces(self, segments: int) -> Faces:
        return ball(segments, self.length / 2 / self.radius), (self.radius,) * 3

    def _own_measures(self) -> Measures:
        return _symmetric(solids.capsule(self.radius, self.length))


class Cone(Round):
    """A cone along z: base at -length/2, apex at +length/2."""

    type: Literal["cone"]

    def core(self) -> Core:
        return self._core(CONE, (self.radius, self.radius, self.length / 2))

    def _profile(self) -> Profile:
        return _straight((0, 0.5), (1, -0.5), (0, -0.5))

    def _own_measures(self) -> Measures:
        return _symmetric(solids.cone(self.radius, self.length), (0.0, 0.0, solids.cone_centroid(self.length)))


class Tube(Round):
    """A cylinder along z with a cylindrical hole along its axis."""

    type: Literal["tube"]
    inner_radius: Parsed[float, positive(LENGTH)] = Field(description="Radius of the hole, smaller than radius.")

    @model_validator(mode="after")
    def _require_wall(self) -> Tube:
        if self.inner_radius >= self.radius:
            message = f"the inner radius of {self.inner_radius:g} m is not smaller than the radius of {self.radius:g} m"
            raise invalid("shape", message)
        return self

    def _profile(self) -> Profile:
        ratio = self.inner_radius / self.radius
        return _straight((ratio, 0.5), (1, 0.5), (1, -0.5), (ratio, -0.5), (ratio, 0.5))

    def _own_measures(self) -> Measures:
        return _symmetric(solids.tube(self.radius, self.inner_radius, self.length))


class Triangulated(Solid):
    """A surface of triangles, of which each collides."""

    radius: Parsed[float, not_negative(LENGTH)] = Field(
        0.0, description="By how much the surface is thickened where it collides."
    )

    def triangles(self) -> tuple[np.ndarray, np.ndarray] | None:
        """Vertices (n, 3) and faces (m, 3), before it is stretched; None if its file cannot be read, or has changed."""
        raise NotImplementedError

    @property
    def path(self) -> str:
        """The path of its file, if it has one."""
        return ""

    @property
    def is_two_sided(self) -> bool:
        """Whether it collides on both sides."""
        return False

    @property
    def source(self) -> tuple:
        """What its triangles are made of, equal for equal ones."""
        raise NotImplementedError

    def core(self) -> Core:
        lower, upper = self.bounds()
        middle = tuple((u + v) / 2 for u, v in zip(upper, lower, strict=True))
        half = tuple(s * (u - v) / 2 for s, u, v in zip(self.scale, upper, lower, strict=True))
        return Core(MESH, self.placed(middle), self.orientation, half, self.radius)

    def collided(self) -> tuple[np.ndarray, np.ndarray] | None:
        """Vertices and faces of its core, in the axes of that and about its centre."""
        found = self.triangles()
        if found is None:
            return None
        (vertices, faces), (lower, upper) = found, self.bounds()
        middle = [float(u + v) / 2 for u, v in zip(upper, lower, strict=True)]
        return (vertices - middle) * [float(s) for s in self.scale], faces


class Mesh(Triangulated):
    """A surface of triangles in the coordinates of its file; the inside, if it is closed."""

    type: Literal["mesh"]
    file: MeshFile = Field(
        description="Path of an .stl, .obj, .ply or .off file, relative to the scene's folder. A mesh that gives its"
        " body mass has a closed surface."
    )

    def triangles(self) -> tuple[np.ndarray, np.ndarray] | None:
        return surface_of_file(self.file)

    @property
    def path(self) -> str:
        return self.file.path

    @property
    def is_two_sided(self) -> bool:
        return self.file.volume is None

    @property
    def source(self) -> tuple:
        return (self.file,)

    def flaw(self) -> tuple[str, str] | None:
        found = None if self.file.volume is not None else self.triangles()
        return None if found is None else flaw_of(*found)

    def _own_measures(self) -> Measures:
        return Measures(self.file.volume, self.file.centroid, self.file.covariance)

    def bounds(self) -> tuple[Vector, Vector]:
        return self.file.lower, self.file.upper


ONE_GRID: JsonDict = {"oneOf": [{"required": ["heights"]}, {"required": ["file"]}], **ONE_WEIGHT}
"""For the JSON Schema: one of both keys."""


class Terrain(Triangulated):
    """Ground by a grid of heights above the plane z = 0 of its own axes, the origin below the middle of the grid."""

    model_config = ConfigDict(json_schema_extra=ONE_GRID)

    type: Literal["terrain"]
    heights: Parsed[tuple[tuple[float, ...], ...] | None, Heights] = Field(
        None, description="Rows of heights along x, one after the other along y."
    )
    file: Parsed[HeightFile | None, GridFile] = Field(
        None, description="Path of a .npy or .csv file of heights, relative to the scene's folder, not heights."
    )
    spacing: Spacing = Field(description="Distance of neighbours in the grid, or [x, y].")

    @model_validator(mode="after")
    def _require_one_source(self) -> Terrain:
        if (self.heights is None) == (self.file is None):
            hint = "write heights: [[0, 0.1], [0, 0.2]] or file: path"
            raise invalid("shape", "a terrain has either heights or a file", hint)
        return self

    def triangles(self) -> tuple[np.ndarray, np.ndarray] | None:
        grid = np.array(self.heights) if self.file is None else grid_of(self.file)
        along, across = self.spacing
        return None if grid is None else triangles_of_grid(grid, (float(along), float(across)))

    @property
    def path(self) -> str:
        return "" if self.file is None else self.file.path

    @property
    def source(self) -> tuple:
        return self.file or self.heights, *map(float, self.spacing)

    def flaw(self) -> tuple[str, str] | None:
        return "a terrain encloses no volume", "give the body a mass and an inertia, or make it fixed"

    def bounds(self) -> tuple[Vector, Vector]:
        if self.file is not None:
            counts, ends = (self.file.columns, self.file.rows), (self.file.lowest, self.file.highest)
        else:
            rows = self.heights or ()
            heights = [height for row in rows for height in row]
            counts, ends = (len(rows[0]), len(rows)), (min(heights), max(heights))
        x, y = ((count - 1) * step / 2 for count, step in zip(counts, self.spacing, strict=True))
        return (-x, -y, ends[0]), (x, y, ends[1])


ONE_SOURCE: JsonDict = {"oneOf": [{"required": ["points"]}, {"required": ["file"]}], **ONE_WEIGHT}
"""For the JSON Schema: one of both keys."""


class Hull(Solid):
    """The convex hull of points, or of the vertices of a mesh file, whose surface may be open."""

    model_config = ConfigDict(json_schema_extra=ONE_SOURCE)

    type: Literal["hull"]
    points: Parsed[Points | None, Points] = Field(
        None, description="At least four points [x, y, z] that are not in one plane."
    )
    file: Parsed[PointsFile | None, HullFile] = Field(
        None,
        description="Path of an .stl, .obj, .ply or .off file, relative to the scene's folder, not points.",
    )

    @model_validator(mode="after")
    def _require_one_source(self) -> Hull:
        if (self.points is None) == (self.file is None):
            raise invalid("shape", "a hull has either points or a file", "write points: [[x, y, z], ...] or file: path")
        return self

    @property
    def solid(self) -> HullSolid:
        """The hull before it is stretched."""
        return hull_of(self.points if self.file is None else self.file.points)

    def core(self) -> Core:
        solid = self.solid
        middle, half = (
            tuple((u + sign * v) / 2 for u, v in zip(solid.upper, solid.lower, strict=True)) for sign in (1, -1)
        )
        corners = tuple(
            tuple(s * (x - m) for s, x, m in zip(self.scale, corner, middle, strict=True)) for corner in solid.corners
        )
        half = tuple(s * h for s, h in zip(self.scale, half, strict=True))
        return Core(HULL, self.placed(middle), self.orientation, half, corners=corners)

    def _own_measures(self) -> Measures:
        return Measures(self.solid.volume, self.solid.centroid, self.solid.covariance)

    def bounds(self) -> tuple[Vector, Vector]:
        return self.solid.lower, self.solid.upper


class HalfSpace(Surfaced):
    """All points x of the body with n . x <= offset, n the normal's direction: a floor, without mass."""

    type: Literal["plane"]
    normal: Normal = Field((0.0, 0.0, 1.0), description="Outward normal of the plane, of any length but zero.")
    offset: Parsed[float, quantity(LENGTH)] = Field(
        0.0, description="Distance of the plane from the body's origin along the normal."
    )
    is_stretched: ClassVar[bool] = False
    is_two_sided: ClassVar[bool] = False

    def core(self) -> Core:
        """What it collides with, in the units and axes of the body."""
        n = scaled(1 / hypot(*self.normal), self.normal)
        return Core(HALF_SPACE, scaled(self.offset, n), turn_of_z(n))


SHAPES = {
    word_of(shape, "type"): shape
    for shape in (Box, Sphere, Ellipsoid, Cylinder, Capsule, Cone, Tube, Hull, Mesh, Terrain, HalfSpace)
}


def described(shape: Shape) -> str:
    """A shape in words: `a stretched sphere`."""
    kind = f"{'stretched ' if shape.is_stretched else ''}{shape.type}"
    return f"{'an' if kind[0] == 'e' else 'a'} {kind}"


Shape = Parsed[Solid | HalfSpace, by_type(SHAPES, "shape")]
"""A shape of a body, selected by its `type`."""
