"""The mass that a free body carries: its own and that of everything fixed to it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rigidsim.scene.inertia import turned
from rigidsim.scene.rotation import IDENTITY, Matrix, Vector, matrix_product, matrix_vector, rotation_matrix

if TYPE_CHECKING:
    from rigidsim.scene.schema import Body


NO_ROTATION = rotation_matrix(IDENTITY)
ZERO: Matrix = ((0.0,) * 3,) * 3


@dataclass(frozen=True)
class MassProperties:
    """Mass (kg), centre of mass (body coordinates) and inertia about it (kg m^2, body axes).

    A point has no inertia and does not rotate.
    """

    mass: float
    center_of_mass: Vector
    inertia: np.ndarray

    @property
    def is_point(self) -> bool:
        """Whether all the mass is in one point."""
        return not self.inertia.any()


@dataclass(frozen=True)
class Placement:
    """Where a fixed part sits on its carrier: x -> scale rotation x + origin."""

    origin: Vector = (0.0, 0.0, 0.0)
    rotation: Matrix = NO_ROTATION
    scale: float = 1.0

    def point(self, x: Vector) -> Vector:
        """A point of the part in the carrier's coordinates."""
        x, y, z = matrix_vector(self.rotation, x)
        a, b, c = self.origin
        return (self.scale * x + a, self.scale * y + b, self.scale * z + c)

    def of_child(self, child: Body) -> Placement:
        """Where a child fixed to this part sits on the carrier."""
        rotation = matrix_product(self.rotation, rotation_matrix(child.orientation))
        return Placement(self.point(child.position), rotation, self.scale * child.scale)


def fixed_parts(carrier: Body) -> Iterator[tuple[tuple[str, ...], Body, Placement]]:
    """The carrier itself and all that is fixed to it, directly or through fixed parts, as (names, part, placement)."""
    waiting = [((), carrier, Placement())]
    while waiting:
        names, part, placement = waiting.pop()
        yield names, part, placement
        fixed = [(name, child) for name, child in part.children.items() if child.kind == "fixed"]
        waiting.extend(((*names, name), child, placement.of_child(child)) for name, child in reversed(fixed))


def carried_mass(body: Body, metres_per_unit: float = 1.0) -> MassProperties:
    """The joint mass, centre of mass and inertia of a free body and the parts fixed to it, in its own coordinates.

    `metres_per_unit` is the length of the body's coordinate unit: the product of the scales from the world down to it.
    """
    parts = [_of_part(part, at, metres_per_unit) for _, part, at in fixed_parts(body) if part.mass is not None]
    if len(parts) == 1:
        mass, center, tensor = parts[0]
        return MassProperties(mass, center, np.array(tensor))
    total = sum(mass for mass, _, _ in parts)
    center = tuple(sum(mass * point[axis] for mass, point, _ in parts) / total for axis in range(3))
    joint = ZERO
    for mass, point, tensor in parts:
        offset = tuple((point[axis] - center[axis]) * metres_per_unit for axis in range(3))
        joint = _with_offset(_sum(joint, tensor), mass, offset)
    return MassProperties(total, center, np.array(joint))


def own_inertia(part: Body, metres_per_unit: float) -> Matrix:
    """The inertia of one body about its own centre of mass, in its own axes."""
    tensor = part.inertia.tensor
    if part.inertia.about == "com":
        return tensor
    return _with_offset(tensor, -part.mass, tuple(metres_per_unit * x for x in part.center_of_mass))


def _with_offset(tensor: Matrix, mass: float, offset: Vector) -> Matrix:
    """The tensor plus that of a point mass at `offset` (metres): the parallel-axis theorem."""
    x, y, z = offset
    unit = (
        (y * y + z * z, -x * y, -x * z),
        (-x * y, x * x + z * z, -y * z),
        (-x * z, -y * z, x * x + y * y),
    )
    return _sum(tensor, tuple(tuple(mass * entry for entry in row) for row in unit))


def _sum(a: Matrix, b: Matrix) -> Matrix:
    return tuple(tuple(a[i][j] + b[i][j] for j in range(3)) for i in range(3))


def _of_part(part: Body, at: Placement, metres_per_unit: float) -> tuple[float, Vector, Matrix]:
    tensor = own_inertia(part, metres_per_unit * at.scale)
    # The carrier's own mass is not moved, so that a body without parts keeps its numbers bit for bit.
    return part.mass, at.point(part.center_of_mass), turned(tensor, at.rotation)
