"""Conversion of skew-symmetric matrices: to vectors in three dimensions, to numbers in two."""

from __future__ import annotations

import numpy as np

from rigidsim.transform.arrays import TransformError, numbers, vectors


def cross_matrix(vector: object) -> np.ndarray:
    """The matrix of x -> vector x x, (..., 3, 3) from (..., 3)."""
    v = vectors(vector, "vector", 3)
    matrix = np.zeros((*v.shape, 3), v.dtype)
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        matrix[..., k, j], matrix[..., j, k] = v[..., i], -v[..., i]
    return matrix


def perpendicular_matrix(scalar: object) -> np.ndarray:
    """The matrix of (x, y) -> scalar (-y, x), (..., 2, 2) from (...)."""
    s = numbers(scalar, "scalar")
    matrix = np.zeros((*s.shape, 2, 2), s.dtype)
    matrix[..., 1, 0], matrix[..., 0, 1] = s, -s
    return matrix


def no_numbers(n: int) -> TransformError:
    """The error where an angular rate has no vector and is no number."""
    return TransformError(
        f"in {n} dimensions an angular velocity is a skew matrix; vectors and numbers need n = 3 and n = 2"
    )


def skew(rate: object, n: int) -> np.ndarray:
    """The skew matrix of an angular rate: a vector in three dimensions, a number in two."""
    if n == 3:
        return cross_matrix(rate)
    if n == 2:
        return perpendicular_matrix(rate)
    raise no_numbers(n)


def unskew(matrix: np.ndarray) -> np.ndarray:
    """The inverse of `skew`: (..., 3) in three dimensions, (...) in two."""
    n = matrix.shape[-1]
    if n == 3:
        return np.stack([matrix[..., 2, 1], matrix[..., 0, 2], matrix[..., 1, 0]], axis=-1)
    if n == 2:
        return matrix[..., 1, 0].copy()
    raise no_numbers(n)
