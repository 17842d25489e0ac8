"""The mass that a free body carries: its own and that of everything fixed to it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rigidsim.physics.frames import compose_pose, stretch
from rigidsim.physics.inertia import displaced
from rigidsim.physics.vector import add, scaled, sub
from rigidsim.scene.inertia import packed, turned, unpacked
from rigidsim.scene.rotation import IDENTITY, Matrix, Quaternion, Vector

if TYPE_CHECKING:
    from rigidsim.scene.schema import Body


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


class Placement(NamedTuple):
    """Where a fixed part sits on its carrier, a pose: x -> scale R x + origin."""

    origin: Vector = (0.0, 0.0, 0.0)
    rotation: Quaternion = IDENTITY
    scale: float = 1.0

    def point(self, x: Vector) -> Vector:
        """A point of the part in the carrier's coordinates."""
        return add(self.origin, stretch(self.rotation, self.scale, x))

    def of_child(self, child: Body) -> Placement:
        """Where a child fixed to this part sits on the carrier."""
        return Placement(*compose_pose(self, (child.position, child.orientation, child.scale)))


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
    center = (0.0, 0.0, 0.0)
    for mass, point, _ in parts:
        center = add(center, scaled(mass / total, point))
    joint = [0.0] * 6
    for mass, point, tensor in parts:
        offset = scaled(metres_per_unit, sub(point, center))
        joint = [a + b for a, b in zip(joint, displaced(packed(tensor), mass, offset), strict=True)]
    return MassProperties(total, center, np.array(unpacked(joint)))


def own_inertia(part: Body, metres_per_unit: float) -> Matrix:
    """The inertia of one body about its own centre of mass, in its own axes."""
    tensor = part.inertia.tensor
    if part.inertia.about == "com":
        return tensor
    return unpacked(displaced(packed(tensor), -part.mass, scaled(metres_per_unit, part.center_of_mass)))


def _of_part(part: Body, at: Placement, metres_per_unit: float) -> tuple[float, Vector, Matrix]:
    tensor = own_inertia(part, metres_per_unit * at.scale)
    # The carrier's own mass is not moved, so that a body without parts keeps its numbers bit for bit.
    return part.mass, at.point(part.center_of_mass), turned(tensor, at.rotation)
