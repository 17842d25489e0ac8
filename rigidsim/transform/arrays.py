"""Arrays of vectors and matrices: any leading axes, the last one or two are the vector's or the matrix's own.

Numbers are float64, or objects such as mpmath's, which keep all their digits. What is stored is a read-only copy.
"""

from __future__ import annotations

import numpy as np

from rigidsim.errors import UsageError

ORTHONORMAL_TOLERANCE = 1e-6
"""How far the entries of R^T R may be from those of the identity."""
SKEW_TOLERANCE = 1e-9
"""How large the symmetric part of a skew matrix may be, relative to its largest entry; it is removed."""


class TransformError(UsageError, ValueError):
    """Arrays that make no transform: a shape that does not fit, a matrix that is no rotation."""


def numbers(value: object, name: str) -> np.ndarray:
    """A copy of the value as float64, or as objects if it has numbers of another kind; finite."""
    try:
        array = np.array(value)
        if array.dtype == object:
            return np.asarray(array * 1.0, dtype=object)
    except (TypeError, ValueError):
        raise TransformError(f"{name} must be an array of numbers, not {value!r:.80}") from None
    if array.dtype.kind not in "biuf":
        raise TransformError(f"{name} must be an array of real numbers, not of {array.dtype}")
    if not np.isfinite(array).all():
        raise TransformError(f"{name} has a value that is not finite")
    return array.astype(np.float64)


def vectors(value: object, name: str, n: int | None = None) -> np.ndarray:
    """Numbers of shape (..., n)."""
    array = numbers(value, name)
    wanted = "n" if n is None else n
    if array.ndim == 0 or (n is not None and array.shape[-1] != n):
        raise TransformError(f"{name} has shape {array.shape}; a shape (..., {wanted}) is needed")
    return array


def matrices(value: object, name: str, n: int) -> np.ndarray:
    """Numbers of shape (..., n, n)."""
    array = numbers(value, name)
    if array.ndim < 2 or array.shape[-2:] != (n, n):
        raise TransformError(f"{name} has shape {array.shape}; a shape (..., {n}, {n}) is needed")
    return array


def rotations(value: object, name: str, n: int) -> np.ndarray:
    """Matrices (..., n, n), checked to be orthonormal with determinant 1 if they are of floats."""
    array = matrices(value, name, n)
    if array.dtype != object and array.size:
        error = np.abs(transposed(array) @ array - np.eye(n)).max()
        if not error <= ORTHONORMAL_TOLERANCE:
            raise TransformError(f"{name} is not orthonormal: R^T R misses the identity by {error:.3g}")
        if (np.linalg.det(array) < 0.0).any():
            raise TransformError(f"{name} is a reflection (determinant -1), not a rotation")
    return array


def skew_matrices(value: object, name: str, n: int) -> np.ndarray:
    """Matrices (..., n, n), checked to be skew-symmetric if they are of floats; exactly skew-symmetric afterwards."""
    array = matrices(value, name, n)
    if array.dtype != object and array.size:
        error, largest = np.abs(array + transposed(array)).max(), np.abs(array).max()
        if not error <= SKEW_TOLERANCE * largest:
            raise TransformError(f"{name} is not skew-symmetric: it and its transpose add up to {error:.3g}, not 0")
    return skew_part(array)


def common_batch(name: str, *shapes: tuple[int, ...]) -> tuple[int, ...]:
    """The leading axes that the arrays have together."""
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        raise TransformError(f"the leading axes of the parts of a {name} do not broadcast: {shapes}") from None


def spread(array: np.ndarray, batch: tuple[int, ...], own_axes: int) -> np.ndarray:
    """A read-only view with these leading axes before the array's own last `own_axes`."""
    return np.broadcast_to(array, batch + array.shape[array.ndim - own_axes :])


def batch_index(index: object, own_axes: int) -> tuple:
    """An index of the leading axes as one of an array with `own_axes` more."""
    given = index if isinstance(index, tuple) else (index,)
    if not any(item is Ellipsis for item in given):
        given = (*given, Ellipsis)
    return given + (slice(None),) * own_axes


def times(matrix: np.ndarray, vector: np.ndarray) -> np.ndarray:
    """Matrix (..., n, n) times vector (..., n)."""
    return (matrix @ vector[..., None])[..., 0]


def transposed(matrix: np.ndarray) -> np.ndarray:
    """The transpose of every matrix."""
    return np.swapaxes(matrix, -1, -2)


def skew_part(matrix: np.ndarray) -> np.ndarray:
    """(M - M^T)/2, skew-symmetric to the last bit."""
    return (matrix - transposed(matrix)) / 2


def commutator(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """[a, b] = a b - b a of skew matrices; as b a = (a b)^T, skew-symmetric to the last bit."""
    product = a @ b
    return product - transposed(product)


def conjugated(rotation: np.ndarray, omega: np.ndarray) -> np.ndarray:
    """R omega R^T: a skew matrix in other axes."""
    return skew_part(rotation @ omega @ transposed(rotation))


def conjugated_back(rotation: np.ndarray, omega: np.ndarray) -> np.ndarray:
    """R^T omega R, the inverse of `conjugated`."""
    return conjugated(transposed(rotation), omega)
