"""Unit quaternions (w, x, y, z) from axes, angles and matrices, as a scene may give them.

Built on the formulas of `physics`, whose sums have a fixed order: every machine reads the same bits from a scene.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from functools import reduce

from rigidsim.containers.columns import hypot
from rigidsim.physics.elementary import sin_cos
from rigidsim.physics.quaternion import product

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]
Matrix = tuple[Vector, Vector, Vector]


def three_numbers(numbers: Iterable[float]) -> Vector:
    """A vector of its three components."""
    x, y, z = numbers
    return x, y, z


IDENTITY: Quaternion = (1.0, 0.0, 0.0, 0.0)
ALREADY_UNIT = 8 * sys.float_info.epsilon
"""A squared norm this close to one is left unchanged, so that normalising twice has the result of normalising once."""


def from_axis_angle(axis: Vector, angle: float) -> Quaternion:
    """The rotation by `angle` about the unit vector `axis`."""
    s, c = sin_cos(angle / 2)
    return normalised((c, s * axis[0], s * axis[1], s * axis[2]))


def from_euler(angles: Vector, order: str) -> Quaternion:
    """Three consecutive rotations: about the parent's axes if `order` is lower case, about the body's if upper case."""
    return normalised(reduce(product, [from_axis_angle(*turn) for turn in turns_in_order(angles, order)]))


def turns_in_order(angles: Vector, order: str) -> list[tuple[Vector, float]]:
    """The unit axes and the angles of three rotations, the outermost first: the last one for the parent's axes (lower
    case), the first one for the body's own.
    """
    axes = [three_numbers(float(letter == axis) for axis in "xyz") for letter in order.lower()]
    turns = list(zip(axes, angles, strict=True))
    return turns[::-1] if order.islower() else turns


def unit(v: Vector) -> Vector:
    """The vector divided by its length; by its largest component before, so that no square overflows or vanishes."""
    largest = max(map(abs, v))
    x, y, z = (part / largest for part in v)
    length = hypot(x, y, z)
    return x / length, y / length, z / length


def from_matrix(m: Matrix) -> Quaternion:
    """The unit quaternion of a rotation matrix, by the largest of its four squares (Shepperd 1978)."""
    trace = m[0][0] + m[1][1] + m[2][2]
    i = max(range(3), key=lambda k: m[k][k])
    if trace >= m[i][i]:
        return normalised((1 + trace, m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1]))
    j, k = (i + 1) % 3, (i + 2) % 3
    q = [m[k][j] - m[j][k], 0.0, 0.0, 0.0]
    q[1 + i] = 1 + m[i][i] - m[j][j] - m[k][k]
    q[1 + j] = m[j][i] + m[i][j]
    q[1 + k] = m[k][i] + m[i][k]
    return normalised((q[0], q[1], q[2], q[3]))


def normalised(q: Quaternion) -> Quaternion:
    """q divided by its norm; a unit quaternion is returned unchanged."""
    w, x, y, z = q
    if abs(w * w + x * x + y * y + z * z - 1) <= ALREADY_UNIT:
        return q
    norm = hypot(w, x, y, z)
    return (w / norm, x / norm, y / norm, z / norm)


def determinant(m: Matrix) -> float:
    """The determinant: 1 for a rotation, -1 for a reflection."""
    (a, b, c), (d, e, f), (g, h, i) = m
    return a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)
