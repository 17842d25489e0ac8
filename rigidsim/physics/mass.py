"""Mass of composite bodies: the lumps of the parts, their placements on the moved base, checks of inertia tensors."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from rigidsim.physics.elementary import context_of
from rigidsim.physics.frames import compose_pose, stretch
from rigidsim.physics.inertia import displaced, rotated
from rigidsim.physics.vector import add, scaled, sub

NO_TURN = (1.0, 0.0, 0.0, 0.0)
TOLERANCE = 1e-9
"""Tolerance for rounding in a scene, relative to the largest moment: of symmetry and of the triangle inequality."""
SMALLEST_RATIO = 4 * sys.float_info.epsilon
"""A moment smaller than this fraction of the largest is lost in the rounding of the tensor."""


class Lump(NamedTuple):
    """Mass (kg), centre of mass (coordinates of some body) and inertia about it (kg m^2, axes of that body)."""

    mass: float
    center: tuple
    inertia: tuple

    @property
    def is_point(self) -> bool:
        """Whether all the mass is in one point, so that torques have no effect."""
        return not any(self.inertia)


class Placement(NamedTuple):
    """The pose of a part on its moved base: x -> scale R x + origin."""

    origin: tuple = (0.0, 0.0, 0.0)
    rotation: tuple = NO_TURN
    scale: float = 1.0

    def point(self, x: tuple) -> tuple:
        """A point of the part in the moved base's coordinates."""
        return add(self.origin, stretch(self.rotation, self.scale, x))

    def below(self, position: tuple, orientation: tuple, scale: float) -> Placement:
        """The placement on the moved base of a child of this part, given its pose relative to this part."""
        return Placement(*compose_pose(self, (position, orientation, scale)))


def placed(lump: Lump, at: Placement) -> Lump:
    """A part's lump in the coordinates and axes of its moved base. Without a rotation the inertia keeps its bits."""
    inertia = lump.inertia if at.rotation == NO_TURN else rotated(at.rotation, lump.inertia)
    return Lump(lump.mass, at.point(lump.center), inertia)


def total_of(numbers: Sequence) -> Any:
    """The sum from left to right. Python's own `sum` rounds differently from version to version."""
    total = 0.0
    for number in numbers:
        total = total + number
    return total


def joined(parts: Sequence[Lump], metres_per_unit: float) -> Lump:
    """The combined mass, centre of mass and inertia of lumps in the same coordinates; a single lump is unchanged."""
    if len(parts) == 1:
        return parts[0]
    total = total_of([part.mass for part in parts])
    center = (0.0, 0.0, 0.0)
    for part in parts:
        center = add(center, scaled(part.mass / total, part.center))
    combined = [0.0] * 6
    for part in parts:
        offset = scaled(metres_per_unit, sub(part.center, center))
        combined = [a + b for a, b in zip(combined, displaced(part.inertia, part.mass, offset), strict=True)]
    return Lump(total, center, tuple(combined))


def unpacked(tensor: tuple) -> tuple:
    """The rows of a symmetric tensor (xx, yy, zz, xy, xz, yz)."""
    xx, yy, zz, xy, xz, yz = tensor
    return ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))


def principal_moments(rows: tuple) -> list[float]:
    """The eigenvalues of a tensor given by its rows, smallest first; of a diagonal one exactly its entries."""
    if rows[0][1] == rows[0][2] == rows[1][2] == 0:
        moments = [rows[i][i] for i in range(3)]
        context = context_of(*moments)
        return context.ordered(moments) if context else sorted(moments)
    context = context_of(*rows[0], *rows[1], *rows[2])
    if context is not None:
        return context.eigenvalues(rows)
    largest = max(abs(entry) for row in rows for entry in row)
    return [float(moment) * largest for moment in np.linalg.eigvalsh(np.array(rows) / largest)]


def inertia_fault(rows: tuple) -> tuple[str, str] | None:
    """A message and a hint if no rigid body can have this tensor, given by its rows; None for a possible inertia."""
    if not all(-math.inf < entry < math.inf for row in rows for entry in row):
        return "the inertia is outside the range of float64", ""
    a, b, c = principal_moments(rows)
    if a <= SMALLEST_RATIO * c:
        hint = "write inertia: point for a particle; a thin rod has a small moment about its own axis"
        return f"the inertia is not positive definite: {_in_words(a, b, c)}", hint
    if a + b < c * (1 - TOLERANCE):
        failed = f"{a:.9g} + {b:.9g} = {a + b:.9g} < {c:.9g}, short by {c - a - b:.3g}"
        hint = "no moment of a rigid body exceeds the sum of the other two"
        return f"{_in_words(a, b, c)}, which violate the triangle inequality: {failed}", hint
    return None


def _in_words(a: float, b: float, c: float) -> str:
    return f"the principal moments are {a:.9g}, {b:.9g} and {c:.9g} kg m^2"
