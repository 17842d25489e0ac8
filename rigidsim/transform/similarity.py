"""`Transform`: x -> R S x + T in n dimensions, R a rotation, S > 0 one number.

Source: "The Dynamics of a Transform Hierarchy" (cwzx): composition, identity, inverse, linear part, normal transform.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from rigidsim.arguments import clipped, instance, whole_number
from rigidsim.transform import rotations as turns
from rigidsim.transform.arrays import (
    TransformError,
    batch_index,
    common_batch,
    matrices,
    numbers,
    rotations,
    spread,
    times,
    transposed,
    vectors,
)
from rigidsim.transform.quaternions import as_components, as_quaternions
from rigidsim.transform.skew import perpendicular_matrix

ONE = cast(np.ndarray, 1.0)
"""The scale that is not given; `Transform` makes an array of it."""


@dataclass(frozen=True, eq=False)
class Transform:
    """x -> R S x + T: translation (..., n), rotation (..., n, n), scale (...).

    Leading axes are a batch and broadcast, here and in every operation. The arrays are read-only.
    """

    translation: np.ndarray
    rotation: np.ndarray
    scale: np.ndarray = ONE

    __array_ufunc__ = None  # `array @ transform` calls our methods, which reject it

    def __post_init__(self) -> None:
        T = vectors(self.translation, "translation")
        R = rotations(self.rotation, "rotation", T.shape[-1])
        S = numbers(self.scale, "scale")
        if not np.all(S > 0):
            raise TransformError(f"the scale must be positive, got {clipped(self.scale)}")
        batch = common_batch("transform", T.shape[:-1], R.shape[:-2], S.shape)
        object.__setattr__(self, "translation", spread(T, batch, 1))
        object.__setattr__(self, "rotation", spread(R, batch, 2))
        object.__setattr__(self, "scale", spread(S, batch, 0))

    # --- construction

    @classmethod
    def identity(cls, n: int) -> Transform:
        """x -> x in n dimensions."""
        n = whole_number(n, "the number of dimensions", least=1)
        return cls(np.zeros(n), np.eye(n))

    @classmethod
    def from_matrix(cls, matrix: object) -> Transform:
        """From the augmented matrix (..., n+1, n+1), the inverse of `matrix`."""
        M = numbers(matrix, "matrix")
        size = M.shape[-1] if M.ndim else 0
        M = matrices(M, "matrix", size)
        if size < 2 or (np.abs(M[..., -1, :] - np.eye(size)[-1]) > 0.0).any():
            raise TransformError("the last row of an augmented matrix must be (0, ..., 0, 1)")
        J = M[..., :-1, :-1]
        S = np.sqrt((J * J).sum(axis=(-2, -1)) / (size - 1))
        if not np.all(S > 0):
            raise TransformError("the linear part of the matrix is zero")
        return cls(M[..., :-1, -1], J / S[..., None, None], S)

    @classmethod
    def from_quaternion(cls, translation: Any, quaternion: Any, scale: Any = 1.0) -> Transform:
        """In 3-D, from unit quaternions of numpy-quaternion; q and -q are the same rotation."""
        return cls(translation, turns.matrix_from_quaternion(as_components(quaternion)), scale)

    @classmethod
    def from_axis_angle(
        cls, axis: Any, angle: Any, *, translation: Any = (0.0, 0.0, 0.0), scale: Any = 1.0
    ) -> Transform:
        """In 3-D, a rotation by `angle` (rad) about `axis` of any nonzero length."""
        return cls(translation, turns.matrix_from_quaternion(turns.quaternion_from_axis_angle(axis, angle)), scale)

    @classmethod
    def from_euler(cls, angles: Any, order: str, *, translation: Any = (0.0, 0.0, 0.0), scale: Any = 1.0) -> Transform:
        """In 3-D, three successive rotations (rad) about the parent's axes (`order` "xyz") or body axes ("XYZ")."""
        return cls(translation, turns.matrix_from_quaternion(turns.quaternion_from_euler(angles, order)), scale)

    @classmethod
    def from_angle(cls, angle: object, *, translation: Any = (0.0, 0.0), scale: Any = 1.0) -> Transform:
        """In 2-D, a rotation by `angle` (rad) from the first axis towards the second."""
        angle = numbers(angle, "angle")
        c, s = np.cos(angle)[..., None, None], np.sin(angle)
        return cls(translation, c * np.eye(2) + perpendicular_matrix(s), scale)

    # --- operations

    def apply(self, points: object) -> np.ndarray:
        """R S x + T of points (..., n).

        Parameters
        ----------
        points : object
            Points, (..., n).

        Returns
        -------
        np.ndarray
            The points in the parent, (..., n).
        """
        return self.translation + times(self.jacobian, vectors(points, "points", self.n))

    __call__ = apply

    def __matmul__(self, other: Transform) -> Transform:
        """The composition: `(a @ b)(x) = a(b(x))`, b first."""
        if not isinstance(other, Transform):
            return NotImplemented
        self._require_same(other, "cannot be composed")
        return Transform(self.apply(other.translation), self.rotation @ other.rotation, self.scale * other.scale)

    __mul__ = __matmul__

    def inverse(self) -> Transform:
        """The inverse: S' = 1/S, R' = R^T, T' = -S' R' T."""
        S, R = np.asarray(1.0 / self.scale), transposed(self.rotation)
        return Transform(-S[..., None] * times(R, self.translation), R, S)

    def linear(self) -> Transform:
        """x -> R S x, without translation: the transform of displacements and velocities."""
        return Transform(np.zeros(self.n), self.rotation, self.scale)

    def normal(self) -> Transform:
        """The inverse transpose of the linear part, R / S: the transform of normals (gradients)."""
        return Transform(np.zeros(self.n), self.rotation, 1.0 / self.scale)

    # --- properties

    @property
    def n(self) -> int:
        """The number of dimensions."""
        return self.translation.shape[-1]

    @property
    def shape(self) -> tuple[int, ...]:
        """The batch shape: () for a single transform."""
        return self.scale.shape

    def __getitem__(self, index: object) -> Transform:
        """A part of the batch, by an index of the leading axes."""
        parts = (self.translation, 1), (self.rotation, 2), (self.scale, 0)
        return Transform(*(array[batch_index(index, own_axes)] for array, own_axes in parts))

    @property
    def jacobian(self) -> np.ndarray:
        """J = R S (..., n, n)."""
        return self.rotation * self.scale[..., None, None]

    @property
    def matrix(self) -> np.ndarray:
        """The augmented matrix (..., n+1, n+1): M (x, 1) = (R S x + T, 1)."""
        J = self.jacobian
        M = np.zeros((*self.shape, self.n + 1, self.n + 1), J.dtype)
        M[..., :-1, :-1], M[..., :-1, -1], M[..., -1, -1] = J, self.translation, 1.0
        return M

    @property
    def angle(self) -> np.ndarray:
        """In 2-D, the angle of the rotation, rad, in [-pi, pi]."""
        self._require(2, "angle")
        return np.arctan2(self.rotation[..., 1, 0], self.rotation[..., 0, 0])

    @property
    def quaternion(self) -> Any:
        """In 3-D, the rotation as numpy-quaternion values with w >= 0."""
        return as_quaternions(self._wxyz("quaternion"))

    @property
    def axis_angle(self) -> tuple[np.ndarray, np.ndarray]:
        """In 3-D, the unit axis (..., 3) and the angle, rad, in [0, pi]; the axis of the identity is x."""
        return turns.axis_angle_from_quaternion(self._wxyz("axis and angle"))

    def euler(self, order: str) -> np.ndarray:
        """In 3-D, the Euler angles (..., 3), rad, the inverse of `from_euler`; in gimbal lock the last one is 0.

        Parameters
        ----------
        order : str
            The axes, as in `from_euler`.

        Returns
        -------
        np.ndarray
            The angles, rad, (..., 3).
        """
        return turns.euler_from_quaternion(self._wxyz("Euler angles"), order)

    def isclose(self, other: Transform, rtol: float = 1e-9, atol: float = 1e-12) -> np.ndarray:
        """Whether all entries of the augmented matrices agree within atol + rtol times the largest entry; (...).

        Parameters
        ----------
        other : Transform
            Another transform.
        rtol : float, optional
            Tolerance relative to the largest entry.
        atol : float, optional
            Absolute tolerance.

        Returns
        -------
        np.ndarray
            For each pair whether they agree.
        """
        self._require_same(instance(other, Transform, "other"), "cannot be compared")
        relative, absolute = numbers(rtol, "rtol"), numbers(atol, "atol")
        a, b = self.matrix, other.matrix
        largest = np.abs(b).max(axis=(-2, -1), keepdims=True)
        return (np.abs(a - b) <= absolute + relative * largest).all(axis=(-2, -1))

    def _require_same(self, other: Transform, fault: str) -> None:
        if other.n != self.n:
            raise TransformError(f"transforms of {self.n} and of {other.n} dimensions {fault}")

    def _wxyz(self, what: str) -> np.ndarray:
        self._require(3, what)
        return turns.quaternion_from_matrix(self.rotation)

    def _require(self, n: int, what: str) -> None:
        if self.n != n:
            raise TransformError(f"a transform in {self.n} dimensions has no {what}, which requires {n} dimensions")
