"""The shapes a body may have: solids, which can give it mass, centre and inertia, and half spaces, which cannot."""

from __future__ import annotations

from difflib import get_close_matches
from itertools import product
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Discriminator, Field, model_validator

from rigidsim.physics import solids
from rigidsim.physics.inertia import rotated
from rigidsim.physics.quaternion import rotate
from rigidsim.physics.vector import add, norm, sub
from rigidsim.scene.schema.inertia import Symmetric
from rigidsim.scene.schema.material import Surfaced
from rigidsim.scene.schema.meshes import MeshFile
from rigidsim.scene.schema.orientation import Orientation
from rigidsim.scene.text.document import shown
from rigidsim.scene.values.base import any_of, by_form, form, invalid, list_of, word_of
from rigidsim.scene.values.quantities import (
    DENSITY,
    LENGTH,
    MASS,
    NUMBER_ONLY,
    positive,
    quantity,
    vector,
)
from rigidsim.scene.values.rotation import IDENTITY, Vector
from rigidsim.scene.values.vectors import ZERO
from rigidsim.structures.columns import hypot

SHORT_NORMAL, LONG_NORMAL = 1e-150, 1e150


class Measures(NamedTuple):
    """Volume, centroid and covariance (see `physics.solids`) of a solid, in its body's units and axes."""

    volume: float
    centroid: Vector
    covariance: Symmetric


Bounds = tuple[Vector, Vector]
"""Opposite corners of a box around a solid, in the solid's own axes, before it is stretched."""

_factor = positive(NUMBER_ONLY)
Stretch = Annotated[
    Annotated[_factor, form("number")] | Annotated[list_of(_factor, 3, "[x, y, z]"), form("list")],
    Discriminator(by_form(lambda value: "list" if isinstance(value, list | tuple) else "number")),
    AfterValidator(lambda written: written if isinstance(written, tuple) else (written,) * 3),
]
"""One factor, or one for each axis of the shape; its value has three factors."""


ONE_WEIGHT = {"not": {"required": ["mass", "density"]}}
"""For the JSON Schema: not both keys."""


class Solid(Surfaced):
    """The part that all solids share: x -> position + R S x maps the shape's own coordinates to the body's."""

    model_config = ConfigDict(json_schema_extra=ONE_WEIGHT)

    position: vector(LENGTH) = Field(ZERO, description="Position of the shape's origin in the body.")
    orientation: Orientation = Field(IDENTITY, description="Orientation of the shape relative to the body.")
    scale: Stretch = Field(
        (1.0, 1.0, 1.0), description="Factor that stretches the shape, or three, one for each of its own axes."
    )
    mass: positive(MASS) = Field(
        None,
        description="Mass of the shape; shapes without mass or density share the body's by their volumes.",
    )
    density: positive(DENSITY) = Field(None, description="Density of the shape.")

    @model_validator(mode="after")
    def _require_one_weight(self) -> Solid:
        if self.mass is not None and self.density is not None:
            raise invalid("mass", "this shape has both a mass and a density", "omit one of them")
        return self

    @property
    def has_weight(self) -> bool:
        """Whether the shape has a mass or density of its own."""
        return self.mass is not None or self.density is not None

    def measures(self) -> Measures:
        """Volume, centroid and covariance in body units and axes."""
        own = self._own_measures()
        volume, covariance = solids.stretched(self.scale, own.volume, own.covariance)
        if self.orientation != IDENTITY:
            covariance = rotated(self.orientation, covariance)
        return Measures(volume, self.placed(own.centroid), covariance)

    def placed(self, x: Vector) -> Vector:
        """A point of the shape in body coordinates."""
        stretched = tuple(s * part for s, part in zip(self.scale, x, strict=True))
        return add(self.position, rotate(self.orientation, stretched))

    def reach(self, center: Vector) -> float:
        """No point of the shape is farther than this from a point of the body, in body units."""
        corners = product(*zip(*self._bounds(), strict=True))
        return max(norm(sub(self.placed(corner), center)) for corner in corners)

    def _own_measures(self) -> Measures:
        raise NotImplementedError

    def _bounds(self) -> Bounds:
        raise NotImplementedError


def _symmetric(measured: tuple[float, Vector], centroid: Vector = ZERO) -> Measures:
    volume, moments = measured
    return Measures(volume, centroid, (*moments, 0.0, 0.0, 0.0))


def _around(half_x: float, half_y: float, half_z: float) -> Bounds:
    return (-half_x, -half_y, -half_z), (half_x, half_y, half_z)


class Box(Solid):
    """A box about its middle; `size` has its three edges."""

    type: Literal["box"]
    size: list_of(positive(LENGTH), 3, "[x, y, z]") = Field(description="Lengths of the edges along x, y and z.")

    def _own_measures(self) -> Measures:
        return _symmetric(solids.box(self.size))

    def _bounds(self) -> Bounds:
        return _around(*(edge / 2 for edge in self.size))


class Sphere(Solid):
    """A ball about its centre; stretched, an ellipsoid."""

    type: Literal["sphere"]
    radius: positive(LENGTH) = Field(description="Radius of the sphere.")

    def _own_measures(self) -> Measures:
        return _symmetric(solids.sphere(self.radius))

    def _bounds(self) -> Bounds:
        return _around(self.radius, self.radius, self.radius)


class Ellipsoid(Solid):
    """An ellipsoid about its centre; `radii` has its three semi-axes."""

    type: Literal["ellipsoid"]
    radii: list_of(positive(LENGTH), 3, "[x, y, z]") = Field(description="Semi-axes along x, y and z.")

    def _own_measures(self) -> Measures:
        return _symmetric(solids.ellipsoid(self.radii))

    def _bounds(self) -> Bounds:
        return _around(*self.radii)


class Round(Solid):
    """A solid of revolution about z, its origin the middle of its height."""

    radius: positive(LENGTH) = Field(description="Radius of the circle about z.")
    length: positive(LENGTH) = Field(description="Length along z; that of a capsule without its two half spheres.")

    def _bounds(self) -> Bounds:
        return _around(self.radius, self.radius, self.length / 2)


class Cylinder(Round):
    """A cylinder along z."""

    type: Literal["cylinder"]

    def _own_measures(self) -> Measures:
        return _symmetric(solids.cylinder(self.radius, self.length))


class Capsule(Round):
    """A cylinder along z between two half balls; `length` is the cylinder's."""

    type: Literal["capsule"]

    def _own_measures(self) -> Measures:
        return _symmetric(solids.capsule(self.radius, self.length))

    def _bounds(self) -> Bounds:
        return _around(self.radius, self.radius, self.length / 2 + self.radius)


class Cone(Round):
    """A cone along z: base at -length/2, apex at +length/2."""

    type: Literal["cone"]

    def _own_measures(self) -> Measures:
        return _symmetric(solids.cone(self.radius, self.length), (0.0, 0.0, solids.cone_centroid(self.length)))


class Tube(Round):
    """A cylinder along z with a cylindrical hole along its axis."""

    type: Literal["tube"]
    inner_radius: positive(LENGTH) = Field(description="Radius of the hole, smaller than radius.")

    @model_validator(mode="after")
    def _require_wall(self) -> Tube:
        if self.inner_radius >= self.radius:
            message = f"the inner radius of {self.inner_radius:g} m is not smaller than the radius of {self.radius:g} m"
            raise invalid("shape", message)
        return self

    def _own_measures(self) -> Measures:
        return _symmetric(solids.tube(self.radius, self.inner_radius, self.length))


class Mesh(Solid):
    """The inside of a closed surface of triangles, in the coordinates of its file."""

    type: Literal["mesh"]
    file: MeshFile = Field(
        description="Path of an .stl, .obj, .ply or .off file with a closed surface, relative to the scene's folder."
    )

    def _own_measures(self) -> Measures:
        return Measures(self.file.volume, self.file.centroid, self.file.covariance)

    def _bounds(self) -> Bounds:
        return self.file.lower, self.file.upper


def _check_normal(normal: Vector) -> Vector:
    if not SHORT_NORMAL < hypot(*normal) < LONG_NORMAL:
        raise invalid("shape", "the normal of the plane has no direction", "write normal: [0, 0, 1]")
    return normal


class HalfSpace(Surfaced):
    """All points x of the body with n . x <= offset, n the normal's direction: a floor, without mass."""

    type: Literal["plane"]
    normal: Annotated[vector(NUMBER_ONLY), AfterValidator(_check_normal)] = Field(
        (0.0, 0.0, 1.0), description="Outward normal of the plane, of any length but zero."
    )
    offset: quantity(LENGTH) = Field(0.0, description="Distance of the plane from the body's origin along the normal.")


SHAPES = {
    word_of(shape, "type"): shape for shape in (Box, Sphere, Ellipsoid, Cylinder, Capsule, Cone, Tube, Mesh, HalfSpace)
}


def _require_type(value: Any) -> Any:
    if not isinstance(value, dict):
        raise invalid("not-a-mapping", f"expected a mapping of keys to values, got {shown(value)}")
    if "type" not in value:
        raise invalid("missing-key", "the shape has no 'type'", f"types: {', '.join(SHAPES)}")
    kind = value["type"]
    if not isinstance(kind, str) or kind not in SHAPES:
        close = get_close_matches(kind, SHAPES, n=1) if isinstance(kind, str) else []
        hint = f"did you mean '{close[0]}'?" if close else f"there are {', '.join(SHAPES)}"
        raise invalid("shape", f"{shown(kind)} is not a shape", hint)
    return value


Shape = Annotated[
    any_of(SHAPES),
    Discriminator(by_form(lambda value: value["type"])),
    BeforeValidator(_require_type),
]
"""A shape of a body, selected by its `type`."""
