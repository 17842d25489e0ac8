"""Mass put together: what each part brings, where it sits on its carrier, and what no rigid body can have."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rigidsim.physics.frames import compose_pose, stretch
from rigidsim.physics.inertia import displaced, rotated
from rigidsim.physics.vector import add, scaled, sub

NO_TURN = (1.0, 0.0, 0.0, 0.0)
TOLERANCE = 1e-9
"""How far, relative to the largest moment, rounding in a scene may break symmetry or the triangle inequality."""
SMALLEST_RATIO = 4 * sys.float_info.epsilon
"""A moment smaller than this part of the largest is lost in the rounding of the tensor."""


class Lump(NamedTuple):
    """Mass (kg), centre of mass (coordinates of some body) and inertia about it (kg m^2, axes of that body)."""

    mass: float
    center: tuple
    inertia: tuple

    @property
    def is_point(self) -> bool:
        """Whether all the mass is in one point, so that no torque turns it."""
        return not any(self.inertia)


class Placement(NamedTuple):
    """Where a part sits on its carrier, a pose: x -> scale R x + origin."""

    origin: tuple = (0.0, 0.0, 0.0)
    rotation: tuple = NO_TURN
    scale: float = 1.0

    def point(self, x: tuple) -> tuple:
        """A point of the part in the carrier's coordinates."""
        return add(self.origin, stretch(self.rotation, self.scale, x))

    def below(self, position: tuple, orientation: tuple, scale: float) -> Placement:
        """Where a part of this part sits on the carrier, given its pose here."""
        return Placement(*compose_pose(self, (position, orientation, scale)))


def placed(lump: Lump, at: Placement) -> Lump:
    """A part's lump in the coordinates and axes of its carrier. Without a turn it keeps its inertia bit for bit."""
    inertia = lump.inertia if at.rotation == NO_TURN else rotated(at.rotation, lump.inertia)
    return Lump(lump.mass, at.point(lump.center), inertia)


def joined(parts: Sequence[Lump], metres_per_unit: float) -> Lump:
    """The joint mass, centre of mass and inertia of lumps in the same coordinates; one alone keeps its numbers."""
    if len(parts) == 1:
        return parts[0]
    total = sum(part.mass for part in parts)
    center = (0.0, 0.0, 0.0)
    for part in parts:
        center = add(center, scaled(part.mass / total, part.center))
    joint = [0.0] * 6
    for part in parts:
        offset = scaled(metres_per_unit, sub(part.center, center))
        joint = [a + b for a, b in zip(joint, displaced(part.inertia, part.mass, offset), strict=True)]
    return Lump(total, center, tuple(joint))


def unpacked(tensor: tuple) -> tuple:
    """The rows of a symmetric tensor (xx, yy, zz, xy, xz, yz)."""
    xx, yy, zz, xy, xz, yz = tensor
    return ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))


def principal_moments(rows: tuple) -> list[float]:
    """The eigenvalues of a tensor given by its rows, smallest first; of a diagonal one exactly its entries."""
    if rows[0][1] == rows[0][2] == rows[1][2] == 0:
        return sorted(rows[i][i] for i in range(3))
    largest = max(abs(entry) for row in rows for entry in row)
    return [float(moment) * largest for moment in np.linalg.eigvalsh(np.array(rows) / largest)]


def inertia_fault(rows: tuple) -> tuple[str, str] | None:
    """Why no rigid body has this tensor, given by its rows, as a message and a hint; None for a possible inertia."""
    if not all(math.isfinite(entry) for row in rows for entry in row):
        return "the inertia is beyond the range of numbers", ""
    a, b, c = principal_moments(rows)
    moments = f"the principal moments are {a:.9g}, {b:.9g} and {c:.9g} kg m^2"
    if a <= SMALLEST_RATIO * c:
        hint = "write inertia: point for a particle; a thin rod has a small moment about its own axis"
        return f"the inertia is not positive definite: {moments}", hint
    if a + b < c * (1 - TOLERANCE):
        failed = f"{a:.9g} + {b:.9g} = {a + b:.9g} < {c:.9g}, short by {c - a - b:.3g}"
        hint = "no moment of a rigid body exceeds the sum of the other two"
        return f"{moments}, which break the triangle inequality: {failed}", hint
    return None
