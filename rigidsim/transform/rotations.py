"""Rotation matrices of three dimensions from quaternions, axes and Euler angles, and back; any leading axes.

Quaternions (..., 4), scalar first, Hamilton, active. Built on the formulas of `physics`.
"""

from __future__ import annotations

from functools import reduce

import numpy as np

from rigidsim.physics.elementary import sin_cos
from rigidsim.physics.quaternion import log, normalised, product, to_matrix
from rigidsim.transform.arrays import TransformError, numbers, vectors

GIMBAL_TOLERANCE = 1e-7
"""Distance of the middle Euler angle from its limits, rad, below which the last angle is set to 0."""
QUATERNION_TOLERANCE = 1e-3
"""Largest deviation of the norm of a quaternion from 1; within it, the quaternion is normalised."""


def columns(array: np.ndarray) -> tuple[np.ndarray, ...]:
    """The components of vectors (..., k) as a tuple, the argument of formulas."""
    return tuple(array[..., i] for i in range(array.shape[-1]))


def matrix_from_quaternion(wxyz: np.ndarray) -> np.ndarray:
    """Rotation matrices (..., 3, 3) of quaternions (..., 4)."""
    q = vectors(wxyz, "quaternion", 4)
    if not (np.abs(np.linalg.norm(q, axis=-1) - 1.0) <= QUATERNION_TOLERANCE).all():
        raise TransformError("the norm of a quaternion must be 1")
    return np.stack([np.stack(row, axis=-1) for row in to_matrix(normalised(columns(q)))], axis=-2)


def quaternion_from_matrix(matrix: np.ndarray) -> np.ndarray:
    """Unit quaternions (..., 4) of rotation matrices, w >= 0, by the largest of the four squares (Shepperd 1978)."""
    m = np.asarray(matrix, dtype=np.float64)
    candidates = np.empty((*m.shape[:-2], 4, 4))  # row r is 4 q_r times the quaternion q
    off = [(m[..., k, j] - m[..., j, k]) for j, k in ((1, 2), (2, 0), (0, 1))]
    candidates[..., 0, 0] = 1.0 + m[..., 0, 0] + m[..., 1, 1] + m[..., 2, 2]
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        candidates[..., 0, 1 + i] = candidates[..., 1 + i, 0] = off[i]
        candidates[..., 1 + i, 1 + i] = 1.0 + m[..., i, i] - m[..., j, j] - m[..., k, k]
        candidates[..., 1 + i, 1 + j] = candidates[..., 1 + j, 1 + i] = m[..., j, i] + m[..., i, j]
    row = np.diagonal(candidates, axis1=-2, axis2=-1).argmax(axis=-1)
    q = np.take_along_axis(candidates, row[..., None, None], axis=-2)[..., 0, :]
    q = q / np.linalg.norm(q, axis=-1, keepdims=True)
    return np.where(q[..., :1] < 0.0, -q, q)


def quaternion_from_axis_angle(axis: np.ndarray, angle: np.ndarray) -> np.ndarray:
    """Unit quaternions of rotations by `angle` (...), rad, about `axis` (..., 3) of any nonzero length."""
    axis, angle = vectors(axis, "axis", 3), numbers(angle, "angle")
    largest = np.abs(axis).max(axis=-1, keepdims=True)
    if (largest == 0.0).any():
        raise TransformError("the axis must not be zero")
    unit = axis / largest
    unit = unit / np.linalg.norm(unit, axis=-1, keepdims=True)
    s, c = sin_cos(angle / 2.0)
    return np.stack(np.broadcast_arrays(c, *(s * component for component in columns(unit))), axis=-1)


def axis_angle_from_quaternion(wxyz: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(axis, angle) with 0 <= angle <= pi; the axis of the identity is x."""
    with np.errstate(divide="ignore"):  # both branches of the logarithm are evaluated
        half = np.stack(log(columns(wxyz)), axis=-1)
    length = np.linalg.norm(half, axis=-1)
    none = length == 0.0
    axis = np.where(none[..., None], [1.0, 0.0, 0.0], half / np.where(none, 1.0, length)[..., None])
    return axis, 2.0 * length


def check_order(order: str) -> None:
    """Raise TransformError unless `order` is three of x, y, z, in one case, with no axis twice in succession."""
    letters = str(order)
    if len(letters) != 3 or set(letters.lower()) - set("xyz") or not (letters.islower() or letters.isupper()):
        raise TransformError(f"the order of axes must be three of x, y, z, all lower or all upper case, got {order!r}")
    if letters[0] == letters[1] or letters[1] == letters[2]:
        raise TransformError(f"the order of axes must not repeat an axis in succession, got {order!r}")


def quaternion_from_euler(angles: np.ndarray, order: str) -> np.ndarray:
    """Unit quaternions of three rotations (rad): about the parent's axes if `order` is lower case, else body axes."""
    check_order(order)
    angles = vectors(angles, "angles", 3)
    axes = [np.eye(3)["xyz".index(letter)] for letter in order.lower()]
    turns = [columns(quaternion_from_axis_angle(axis, angles[..., i])) for i, axis in enumerate(axes)]
    if order.islower():
        turns.reverse()
    return np.stack(normalised(reduce(product, turns)), axis=-1)


def euler_from_quaternion(wxyz: np.ndarray, order: str) -> np.ndarray:
    """Euler angles (..., 3) of unit quaternions; the middle one in [0, pi] if first and last axis agree, else +-pi/2.

    Source: Bernardes and Viollet, "Quaternion to Euler angles conversion", PLoS ONE 17 (2022).
    """
    check_order(order)
    extrinsic = order.islower()
    i, j, k = ("xyz".index(letter) for letter in (order if extrinsic else order[::-1]).lower())
    symmetric = i == k
    k = 3 - i - j if symmetric else k
    sign = (i - j) * (j - k) * (k - i) // 2
    w, u = wxyz[..., 0], wxyz[..., 1:]
    a, b, c, d = w, u[..., i], u[..., j], u[..., k] * sign
    if not symmetric:
        a, b, c, d = a - c, b + d, c + a, d - b
    middle = 2.0 * np.arctan2(np.hypot(c, d), np.hypot(a, b))
    half_sum, half_difference = np.arctan2(b, a), np.arctan2(d, c)
    low, high = middle <= GIMBAL_TOLERANCE, middle >= np.pi - GIMBAL_TOLERANCE
    outer = [half_sum - half_difference, half_sum + half_difference]  # about the i axis, about the k axis
    first, last = (0, 1) if extrinsic else (1, 0)
    flipped = half_difference if first else -half_difference
    outer[first] = np.where(low, 2.0 * half_sum, np.where(high, 2.0 * flipped, outer[first]))
    outer[last] = np.where(low | high, 0.0, outer[last])
    if not symmetric:
        outer[1], middle = outer[1] * sign, middle - np.pi / 2.0
    return _wrapped(np.stack([outer[first], middle, outer[last]], axis=-1))


def _wrapped(angles: np.ndarray) -> np.ndarray:
    """Angles wrapped to [-pi, pi]; those within it are unchanged."""
    return np.where(np.abs(angles) > np.pi, angles - 2.0 * np.pi * np.round(angles / (2.0 * np.pi)), angles)
