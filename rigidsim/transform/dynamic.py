"""`DynamicTransform`: a transform with velocities and accelerations in n dimensions.

S is constant, v = dT/dt, a = dv/dt, dR/dt = omega R with omega skew-symmetric, alpha = d omega/dt; all in the axes of
the frame that the transform maps to. d = J2 T1 is the child's arm from its parent's origin.
Source: "The Dynamics of a Transform Hierarchy" (cwzx), A3 = A2 o A1: A1 child to parent, A2 parent to world.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from rigidsim.arguments import instance
from rigidsim.transform.arrays import (
    batch_index,
    common_batch,
    commutator,
    conjugated,
    conjugated_back,
    skew_matrices,
    spread,
    times,
    vectors,
)
from rigidsim.transform.similarity import Transform
from rigidsim.transform.skew import skew, unskew

RATES = {
    **dict.fromkeys(("velocity", "acceleration"), (1, vectors)),
    **dict.fromkeys(("angular_velocity", "angular_acceleration"), (2, skew_matrices)),
}
"""The parts of a motion: how many axes each has besides those of the batch, and what checks it."""


NO_RATE = cast(np.ndarray, None)
"""Of a rate that is not given: zero, of the shape of the transform."""


@dataclass(frozen=True, eq=False)
class DynamicTransform:
    """A transform and its motion: velocity, acceleration (..., n), angular rates as skew matrices (..., n, n).

    The defaults are zero. Leading axes are a batch and broadcast. The arrays are read-only.
    """

    transform: Transform
    velocity: np.ndarray = NO_RATE
    acceleration: np.ndarray = NO_RATE
    angular_velocity: np.ndarray = NO_RATE
    angular_acceleration: np.ndarray = NO_RATE

    def __post_init__(self) -> None:
        n, fields = instance(self.transform, Transform, "transform").n, {}
        for name, (axes, checked) in RATES.items():
            given = getattr(self, name)
            fields[name] = np.zeros((n,) * axes) if given is None else checked(given, name, n)
        shapes = [array.shape[: array.ndim - RATES[name][0]] for name, array in fields.items()]
        batch = common_batch("dynamic transform", self.transform.shape, *shapes)
        if batch != self.transform.shape:
            A = self.transform
            spread_transform = Transform(A.translation, A.rotation, np.broadcast_to(A.scale, batch))
            object.__setattr__(self, "transform", spread_transform)
        for name, array in fields.items():
            object.__setattr__(self, name, spread(array, batch, RATES[name][0]))

    # --- construction

    @classmethod
    def identity(cls, n: int) -> DynamicTransform:
        """The identity transform at rest: a frame relative to itself."""
        return cls(Transform.identity(n))

    @classmethod
    def from_rates(
        cls, transform: Transform, velocity: Any, acceleration: Any, omega: object, alpha: object
    ) -> DynamicTransform:
        """From angular rates as vectors (..., 3) in three dimensions, as numbers (...) in two."""
        n = instance(transform, Transform, "transform").n
        return cls(transform, velocity, acceleration, skew(omega, n), skew(alpha, n))

    # --- the group

    def __matmul__(self, other: DynamicTransform) -> DynamicTransform:
        """The composition A3 = A2 o A1 of self = A2, parent to world, and other = A1, child to parent.

        v3 = v2 + J2 v1 + w2 d; a3 = a2 + J2 a1 + al2 d + w2^2 d + 2 w2 J2 v1; w3 = w2 + R2 w1 R2^T;
        al3 = al2 + R2 al1 R2^T + [w2, w3].
        """
        if not isinstance(other, DynamicTransform):
            return NotImplemented
        A3 = self.transform @ other.transform
        R2, w2, al2 = self.transform.rotation, self.angular_velocity, self.angular_acceleration
        w3 = w2 + conjugated(R2, other.angular_velocity)
        al3 = al2 + conjugated(R2, other.angular_acceleration) + commutator(w2, w3)
        T1, v1, a1 = other.transform.translation, other.velocity, other.acceleration
        return DynamicTransform(A3, self.point_velocity(T1, v1), self.point_acceleration(T1, v1, a1), w3, al3)

    __mul__ = __matmul__

    def inverse(self) -> DynamicTransform:
        """The motion of the parent relative to the child.

        v' = J^-1(w T - v); a' = J^-1(al T - w^2 T + 2 w v - a); w' = -R^T w R; al' = -R^T al R.
        """
        A = self.transform.inverse()
        T, R, v, a = self.transform.translation, self.transform.rotation, self.velocity, self.acceleration
        w, al = self.angular_velocity, self.angular_acceleration
        sweep = times(al, T) - times(w, times(w, T)) + 2.0 * times(w, v)
        velocity, acceleration = times(A.jacobian, times(w, T) - v), times(A.jacobian, sweep - a)
        return DynamicTransform(A, velocity, acceleration, -conjugated_back(R, w), -conjugated_back(R, al))

    # --- points, and children given in the world

    def point_velocity(self, points: object, velocity: object | None = None) -> np.ndarray:
        """v + w J x + J u: of points x (..., n) with the velocity u, default 0, in the child's coordinates.

        Parameters
        ----------
        points : object
            Points of the child, (..., n).
        velocity : object, optional
            Their velocity in the child; by default 0.

        Returns
        -------
        np.ndarray
            Velocities in the parent, (..., n).
        """
        moved = times(self.angular_velocity, self._turned(points, "points"))
        return self.velocity + moved + self._turned(velocity, "velocity")

    def point_acceleration(
        self, points: object, velocity: object | None = None, acceleration: object | None = None
    ) -> np.ndarray:
        """a + (al + w^2) J x + 2 w J u + J b: of points x with velocity u and acceleration b, child's coordinates.

        Parameters
        ----------
        points : object
            Points of the child, (..., n).
        velocity : object, optional
            Their velocity in the child; by default 0.
        acceleration : object, optional
            Their acceleration in the child; by default 0.

        Returns
        -------
        np.ndarray
            Accelerations in the parent, (..., n).
        """
        d, drift, surge = (
            self._turned(given, name)
            for given, name in ((points, "points"), (velocity, "velocity"), (acceleration, "acceleration"))
        )
        w, al = self.angular_velocity, self.angular_acceleration
        return self.acceleration + times(al, d) + times(w, times(w, d)) + 2.0 * times(w, drift) + surge

    def global_to_local(self, child: DynamicTransform) -> DynamicTransform:
        """A1 = A2^-1 o A3: `child` (A3) relative to self (A2), both given in the world.

        v1 = J2^-1(v3 - v2 - w2 d); a1 = J2^-1(a3 - a2 - (al2 + w2^2) d - 2 w2 J2 v1); w1 = R2^T(w3 - w2) R2;
        al1 = R2^T(al3 - al2 + [w3, w2]) R2. The scale becomes S3/S2.

        Parameters
        ----------
        child : DynamicTransform
            A transform in the world.

        Returns
        -------
        DynamicTransform
            The child relative to this one.
        """
        child = instance(child, DynamicTransform, "child")
        R2, w2, al2 = self.transform.rotation, self.angular_velocity, self.angular_acceleration
        w3, al3 = child.angular_velocity, child.angular_acceleration
        inverse = self.transform.inverse()
        A1 = inverse @ child.transform
        v1 = times(inverse.jacobian, child.velocity - self.point_velocity(A1.translation))
        a1 = times(inverse.jacobian, child.acceleration - self.point_acceleration(A1.translation, v1))
        al1 = conjugated_back(R2, al3 - al2 + commutator(w3, w2))
        return DynamicTransform(A1, v1, a1, conjugated_back(R2, w3 - w2), al1)

    def reparented(self, new_parent: DynamicTransform, old_parent: DynamicTransform | None = None) -> DynamicTransform:
        """The same pose and motion in the world, relative to another parent; both parents are given in the world.

        Self is relative to `old_parent`, by default to the world.

        Parameters
        ----------
        new_parent : DynamicTransform
            The new parent in the world.
        old_parent : DynamicTransform, optional
            The old parent in the world; by default the world.

        Returns
        -------
        DynamicTransform
            Relative to the new parent.
        """
        new_parent = instance(new_parent, DynamicTransform, "new_parent")
        in_world = self if old_parent is None else instance(old_parent, DynamicTransform, "old_parent") @ self
        return new_parent.global_to_local(in_world)

    # --- jumps of a child's motion; self is its parent in the world

    def transform_delta_velocity(self, dv1: object) -> np.ndarray:
        """dv3 = J2 dv1.

        Parameters
        ----------
        dv1 : object
            A change of velocity in the child's axes.

        Returns
        -------
        np.ndarray
            In the parent's axes.
        """
        return self._turned(dv1, "dv1")

    def transform_delta_acceleration(self, dv1: object, da1: object) -> np.ndarray:
        """da3 = J2 da1 + 2 w2 J2 dv1.

        Parameters
        ----------
        dv1 : object
            A change of velocity in the child's axes.
        da1 : object
            A change of acceleration in the child's axes.

        Returns
        -------
        np.ndarray
            In the parent's axes.
        """
        return self._turned(da1, "da1") + 2.0 * times(self.angular_velocity, self._turned(dv1, "dv1"))

    def transform_delta_angular_velocity(self, dw1: object) -> np.ndarray:
        """dw3 = R2 dw1 R2^T.

        Parameters
        ----------
        dw1 : object
            A change of angular velocity in the child's axes.

        Returns
        -------
        np.ndarray
            In the parent's axes.
        """
        return conjugated(self.transform.rotation, skew_matrices(dw1, "dw1", self.n))

    def transform_delta_angular_acceleration(self, dw1: object, dal1: object) -> np.ndarray:
        """dal3 = R2 dal1 R2^T + [w2, dw3].

        Parameters
        ----------
        dw1 : object
            A change of angular velocity in the child's axes.
        dal1 : object
            A change of angular acceleration in the child's axes.

        Returns
        -------
        np.ndarray
            In the parent's axes.
        """
        turned = conjugated(self.transform.rotation, skew_matrices(dal1, "dal1", self.n))
        return turned + commutator(self.angular_velocity, self.transform_delta_angular_velocity(dw1))

    def inverse_transform_delta_velocity(self, dv3: object) -> np.ndarray:
        """dv1 = J2^-1 dv3.

        Parameters
        ----------
        dv3 : object
            A change of velocity in the parent's axes.

        Returns
        -------
        np.ndarray
            In the child's axes.
        """
        return self._turned_back(vectors(dv3, "dv3", self.n))

    def inverse_transform_delta_acceleration(self, dv3: object, da3: object) -> np.ndarray:
        """da1 = J2^-1(da3 - 2 w2 dv3).

        Parameters
        ----------
        dv3 : object
            A change of velocity in the parent's axes.
        da3 : object
            A change of acceleration in the parent's axes.

        Returns
        -------
        np.ndarray
            In the child's axes.
        """
        swept = 2.0 * times(self.angular_velocity, vectors(dv3, "dv3", self.n))
        return self._turned_back(vectors(da3, "da3", self.n) - swept)

    def inverse_transform_delta_angular_velocity(self, dw3: object) -> np.ndarray:
        """dw1 = R2^T dw3 R2.

        Parameters
        ----------
        dw3 : object
            A change of angular velocity in the parent's axes.

        Returns
        -------
        np.ndarray
            In the child's axes.
        """
        return conjugated_back(self.transform.rotation, skew_matrices(dw3, "dw3", self.n))

    def inverse_transform_delta_angular_acceleration(self, dw3: object, dal3: object) -> np.ndarray:
        """dal1 = R2^T(dal3 + [dw3, w2]) R2.

        Parameters
        ----------
        dw3 : object
            A change of angular velocity in the parent's axes.
        dal3 : object
            A change of angular acceleration in the parent's axes.

        Returns
        -------
        np.ndarray
            In the child's axes.
        """
        dw3, dal3 = skew_matrices(dw3, "dw3", self.n), skew_matrices(dal3, "dal3", self.n)
        return conjugated_back(self.transform.rotation, dal3 + commutator(dw3, self.angular_velocity))

    # --- properties

    @property
    def n(self) -> int:
        """The number of dimensions."""
        return self.transform.n

    @property
    def shape(self) -> tuple[int, ...]:
        """The batch shape: () for a single one."""
        return self.transform.shape

    def __getitem__(self, index: object) -> DynamicTransform:
        """A part of the batch, by an index of the leading axes."""
        rates = (getattr(self, name)[batch_index(index, axes)] for name, (axes, _) in RATES.items())
        return DynamicTransform(self.transform[index], *rates)

    @property
    def omega(self) -> np.ndarray:
        """The angular velocity as vectors (..., 3) in three dimensions, as numbers (...) in two."""
        return unskew(self.angular_velocity)

    @property
    def alpha(self) -> np.ndarray:
        """The angular acceleration as vectors (..., 3) in three dimensions, as numbers (...) in two."""
        return unskew(self.angular_acceleration)

    def _turned(self, given: object | None, name: str) -> np.ndarray:
        """J times vectors in the child's coordinates; zero for None."""
        return np.zeros(self.n) if given is None else times(self.transform.jacobian, vectors(given, name, self.n))

    def _turned_back(self, vector: np.ndarray) -> np.ndarray:
        return times(self.transform.inverse().jacobian, vector)
