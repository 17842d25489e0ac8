"""Rotations on plain floats: quaternions (w, x, y, z), Hamilton and active, and 3x3 matrices.

Sums are written out in a fixed order, so that every machine gives the same bits.
"""

from __future__ import annotations

import math
import sys
from functools import reduce

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]
Matrix = tuple[Vector, Vector, Vector]

IDENTITY: Quaternion = (1.0, 0.0, 0.0, 0.0)
ALREADY_UNIT = 8 * sys.float_info.epsilon
"""A squared norm this near one is left alone, so that normalising twice is normalising once."""


def rotation_matrix(q: Quaternion) -> Matrix:
    """The matrix of a unit quaternion: its columns are the body's axes in the parent's."""
    w, x, y, z = q
    return (
        (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
        (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
        (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
    )


def matrix_product(a: Matrix, b: Matrix) -> Matrix:
    """The product a b."""
    return tuple(tuple(a[i][0] * b[0][j] + a[i][1] * b[1][j] + a[i][2] * b[2][j] for j in range(3)) for i in range(3))


def matrix_vector(a: Matrix, v: Vector) -> Vector:
    """The product a v."""
    return tuple(row[0] * v[0] + row[1] * v[1] + row[2] * v[2] for row in a)


def quaternion_product(p: Quaternion, q: Quaternion) -> Quaternion:
    """The rotation q followed by the rotation p."""
    pw, px, py, pz = p
    qw, qx, qy, qz = q
    return (
        pw * qw - px * qx - py * qy - pz * qz,
        pw * qx + px * qw + py * qz - pz * qy,
        pw * qy - px * qz + py * qw + pz * qx,
        pw * qz + px * qy - py * qx + pz * qw,
    )


def from_axis_angle(axis: Vector, angle: float) -> Quaternion:
    """The rotation by `angle` about the unit vector `axis`."""
    s = math.sin(angle / 2)
    return normalised((math.cos(angle / 2), s * axis[0], s * axis[1], s * axis[2]))


def from_euler(angles: Vector, order: str) -> Quaternion:
    """Three turns in turn: about the parent's axes if `order` is lower case, about the body's own if upper case."""
    turns = [from_axis_angle(_unit_axis(letter), angle) for letter, angle in zip(order, angles, strict=True)]
    if order.islower():
        turns.reverse()
    return normalised(reduce(quaternion_product, turns))


def from_matrix(m: Matrix) -> Quaternion:
    """The unit quaternion of a rotation matrix, by the largest of its four squares (Shepperd 1978)."""
    trace = m[0][0] + m[1][1] + m[2][2]
    i = max(range(3), key=lambda k: m[k][k])
    if trace >= m[i][i]:
        q = (1 + trace, m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1])
        return normalised(q)
    j, k = (i + 1) % 3, (i + 2) % 3
    q = [m[k][j] - m[j][k], 0.0, 0.0, 0.0]
    q[1 + i] = 1 + m[i][i] - m[j][j] - m[k][k]
    q[1 + j] = m[j][i] + m[i][j]
    q[1 + k] = m[k][i] + m[i][k]
    return normalised(tuple(q))


def normalised(q: Quaternion) -> Quaternion:
    """q divided by its norm; a unit quaternion comes back unchanged."""
    w, x, y, z = q
    if abs(w * w + x * x + y * y + z * z - 1) <= ALREADY_UNIT:
        return q
    norm = math.hypot(w, x, y, z)
    return (w / norm, x / norm, y / norm, z / norm)


def _unit_axis(letter: str) -> Vector:
    return tuple(float(letter.lower() == axis) for axis in "xyz")


def determinant(m: Matrix) -> float:
    """The determinant: 1 for a rotation, -1 for a reflection."""
    (a, b, c), (d, e, f), (g, h, i) = m
    return a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)
