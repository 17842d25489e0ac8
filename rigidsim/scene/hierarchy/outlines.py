"""The shapes that can collide: a core, which is a point, a segment, a box or a half space, thickened by a radius."""

from __future__ import annotations

import math
from typing import NamedTuple

from rigidsim.physics.quaternion import normalised, product
from rigidsim.physics.vector import norm, scaled
from rigidsim.scene.schema.shapes import HalfSpace, Shape
from rigidsim.scene.values.rotation import IDENTITY, Quaternion, Vector
from rigidsim.structures.columns import hypot

FLAT = (0.0, 0.0, 0.0)


class Outline(NamedTuple):
    """The surface of a shape, in the coordinates of its body. A segment is along z; a half space is below z = 0."""

    kind: str  # sphere, capsule, box or plane
    position: Vector
    orientation: Quaternion
    half: Vector  # half sizes of the core
    radius: float  # of the thickening

    @property
    def sizes(self) -> tuple[float, ...]:
        """All its half sizes and radii; none of a half space."""
        return {"plane": (), "sphere": (self.radius,), "capsule": (self.half[2], self.radius)}.get(self.kind, self.half)

    @property
    def bound(self) -> float:
        """The radius of a sphere around it."""
        return math.inf if self.kind == "plane" else norm(self.half) + self.radius

    @property
    def curvature(self) -> float:
        """The smaller radius of curvature of the surface; 0 if it is flat."""
        return self.radius


def outline_of(shape: Shape) -> Outline | None:
    """The outline of a shape; None for a shape that cannot collide."""
    if isinstance(shape, HalfSpace):
        n = scaled(1 / hypot(*shape.normal), shape.normal)
        return Outline("plane", scaled(shape.offset, n), turn_of_z(n), FLAT, 0.0)
    pose = (shape.type, shape.position, shape.orientation)
    if shape.type == "box":
        return Outline(*pose, tuple(s * edge / 2 for s, edge in zip(shape.scale, shape.size, strict=True)), 0.0)
    if is_stretched(shape):
        return None
    if shape.type == "sphere":
        return Outline(*pose, FLAT, shape.scale[0] * shape.radius)
    if shape.type == "capsule":
        return Outline(*pose, (0.0, 0.0, shape.scale[2] * shape.length / 2), shape.scale[0] * shape.radius)
    return None


def is_stretched(shape: Shape) -> bool:
    """Whether a solid is scaled by different numbers along its axes."""
    x, y, z = shape.scale
    return not x == y == z


def described(shape: Shape) -> str:
    """A shape in words: `a stretched sphere`."""
    kind = f"{'stretched ' if is_stretched(shape) else ''}{shape.type}"
    return f"{'an' if kind[0] == 'e' else 'a'} {kind}"


def turn_of_z(n: Vector) -> Quaternion:
    """A rotation that takes the z axis to a unit vector."""
    x, y, z = n
    if z >= 0:
        return IDENTITY if z == 1 else normalised((1 + z, -y, x, 0.0))
    # First half a turn about x; the sum 1 + z would lose digits.
    return product(normalised((1 - z, y, -x, 0.0)), (0.0, 1.0, 0.0, 0.0))
