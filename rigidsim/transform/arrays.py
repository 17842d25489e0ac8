"""Arrays of vectors and matrices: the last one or two axes are those of the vector or matrix, the others a batch.

Numbers are float64, or objects such as mpmath numbers, which keep their precision. Stored arrays are read-only copies.
"""

from __future__ import annotations

import numpy as np

from rigidsim.errors import UsageError

ORTHONORMAL_TOLERANCE = 1e-6
"""Largest deviation of an entry of R^T R from the identity."""
SKEW_TOLERANCE = 1e-9
"""Largest symmetric part of a skew matrix, relative to its largest entry; it is removed."""


class TransformError(UsageError, ValueError):
    """Arrays that do not define a transform: a wrong shape, a matrix that is not a rotation."""


def numbers(value: object, name: str) -> np.ndarray:
    """A copy of the value as a finite float64 array, or as an object array if it has numbers of another type."""
    try:
        array = np.array(value)
        if array.dtype == object:
            return np.asarray(array * 1.0, dtype=object)
    except (TypeError, ValueError):
        raise TransformError(f"{name} must be an array of numbers, got {value!r:.80}") from None
    if array.dtype.kind not in "biuf":
        raise TransformError(f"{name} must be an array of real numbers, got {array.dtype}")
    if not np.isfinite(array).all():
        raise TransformError(f"{name} must be finite, but contains inf or nan")
    return array.astype(np.float64)


def vectors(value: object, name: str, n: int | None = None) -> np.ndarray:
    """Numbers of shape (..., n)."""
    array = numbers(value, name)
    length = "n" if n is None else n
    if array.ndim == 0 or (n is not None and array.shape[-1] != n):
        raise TransformError(f"{name} must have a shape (..., {length}), got {array.shape}")
    return array


def matrices(value: object, name: str, n: int) -> np.ndarray:
    """Numbers of shape (..., n, n)."""
    array = numbers(value, name)
    if array.ndim < 2 or array.shape[-2:] != (n, n):
        raise TransformError(f"{name} must have a shape (..., {n}, {n}), got {array.shape}")
    return array


def rotations(value: object, name: str, n: int) -> np.ndarray:
    """Matrices (..., n, n); float ones are checked to be orthonormal with determinant 1."""
    array = matrices(value, name, n)
    if array.dtype != object and array.size:
        error = np.abs(transposed(array) @ array - np.eye(n)).max()
        if not error <= ORTHONORMAL_TOLERANCE:
            raise TransformError(f"{name} is not orthonormal: R^T R differs from the identity by {error:.3g}")
        if (np.linalg.det(array) < 0.0).any():
            raise TransformError(f"{name} is a reflection (determinant -1), not a rotation")
    return array


def skew_matrices(value: object, name: str, n: int) -> np.ndarray:
    """Skew-symmetric matrices (..., n, n); float ones are checked, and made exactly skew-symmetric."""
    array = matrices(value, name, n)
    if array.dtype != object and array.size:
        error, largest = np.abs(array + transposed(array)).max(), np.abs(array).max()
        if not error <= SKEW_TOLERANCE * largest:
            raise TransformError(f"{name} is not skew-symmetric: an entry of M + M^T is {error:.3g} instead of 0")
    return skew_part(array)


def common_batch(name: str, *shapes: tuple[int, ...]) -> tuple[int, ...]:
    """The broadcast batch shape."""
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        raise TransformError(f"the batch shapes of the parts of a {name} do not broadcast: {shapes}") from None


def spread(array: np.ndarray, batch: tuple[int, ...], own_axes: int) -> np.ndarray:
    """A read-only view, broadcast to a batch shape before the last `own_axes` axes."""
    return np.broadcast_to(array, batch + array.shape[array.ndim - own_axes :])


def batch_index(index: object, own_axes: int) -> tuple:
    """An index of the batch axes, extended by the `own_axes` last axes."""
    given = index if isinstance(index, tuple) else (index,)
    if not any(item is Ellipsis for item in given):
        given = (*given, Ellipsis)
    return given + (slice(None),) * own_axes


def times(matrix: np.ndarray, vector: np.ndarray) -> np.ndarray:
    """Matrix (..., n, n) times vector (..., n)."""
    return (matrix @ vector[..., None])[..., 0]


def transposed(matrix: np.ndarray) -> np.ndarray:
    """The transpose of each matrix."""
    return np.swapaxes(matrix, -1, -2)


def skew_part(matrix: np.ndarray) -> np.ndarray:
    """(M - M^T)/2, exactly skew-symmetric."""
    return (matrix - transposed(matrix)) / 2


def commutator(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """[a, b] = a b - b a of skew matrices; as b a = (a b)^T, exactly skew-symmetric."""
    product = a @ b
    return product - transposed(product)


def conjugated(rotation: np.ndarray, omega: np.ndarray) -> np.ndarray:
    """R omega R^T: a skew matrix in other axes."""
    return skew_part(rotation @ omega @ transposed(rotation))


def conjugated_back(rotation: np.ndarray, omega: np.ndarray) -> np.ndarray:
    """R^T omega R, the inverse of `conjugated`."""
    return conjugated(transposed(rotation), omega)
