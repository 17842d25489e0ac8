"""Jumps of motion in a hierarchy: the change that a child inherits from its parent, and the change that cancels it.

A2 is the parent in the world, A1 the child relative to it, A3 = A2 o A1; no pose changes. d = J2 T1.
Source: "The Dynamics of a Transform Hierarchy" (cwzx), local and global deltas, counteracting the inherited effect. The
cancellation there is the linear case of this one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rigidsim.transform.arrays import TransformError, commutator, conjugated_back, times
from rigidsim.transform.dynamic import RATES, DynamicTransform


@dataclass(frozen=True, eq=False)
class MotionDelta:
    """Changes of velocity, acceleration (..., n) and of the angular rates, skew matrices (..., n, n)."""

    velocity: np.ndarray
    acceleration: np.ndarray
    angular_velocity: np.ndarray
    angular_acceleration: np.ndarray

    def __post_init__(self) -> None:
        n = np.shape(self.velocity)[-1] if np.ndim(self.velocity) else 0
        for name, (_, checked) in RATES.items():
            object.__setattr__(self, name, checked(getattr(self, name), name, n))

    @classmethod
    def between(cls, before: DynamicTransform, after: DynamicTransform) -> MotionDelta:
        """The difference of two motions; the poses are ignored."""
        return cls(*(getattr(after, name) - getattr(before, name) for name in cls.__dataclass_fields__))

    def added_to(self, motion: DynamicTransform) -> DynamicTransform:
        """The changed motion at the same pose."""
        changed = (getattr(motion, name) + getattr(self, name) for name in self.__dataclass_fields__)
        return DynamicTransform(motion.transform, *changed)

    @property
    def n(self) -> int:
        """The number of dimensions."""
        return self.velocity.shape[-1]


def parent_changed_deltas(parent: DynamicTransform, child: DynamicTransform, change: MotionDelta) -> MotionDelta:
    """The change of the child's world motion when its parent's motion changes and its own local motion does not.

    `parent` (A2) before the change and `change` are in the world; `child` (A1) is relative to the parent.
    dv3 = dv2 + dw2 d; da3 = da2 + (dal2 + dw2 w2 + w2 dw2 + dw2^2) d + 2 dw2 J2 v1; dw3 = dw2;
    dal3 = dal2 + [dw2, w3 - w2].
    """
    d, drift = _arm_and_drift(parent, child, change)
    dw2, dal2 = change.angular_velocity, change.angular_acceleration
    rate = (parent @ child).angular_velocity - parent.angular_velocity
    return MotionDelta(
        change.velocity + times(dw2, d),
        change.acceleration + times(_swept(parent, change), d) + 2.0 * times(dw2, drift),
        dw2,
        dal2 + commutator(dw2, rate),
    )


def cancellation(parent: DynamicTransform, child: DynamicTransform, change: MotionDelta) -> MotionDelta:
    """The local change of the child that keeps its world motion constant when its parent's motion changes.

    Arguments as in `parent_changed_deltas`; w2 and w3 are the values before the change.
    dv1 = -J2^-1(dv2 + dw2 d); dw1 = -R2^T dw2 R2;
    da1 = -J2^-1(da2 + (dal2 + dw2 w2 + w2 dw2 + dw2^2) d + 2 dw2 J2 v1 + 2 (w2 + dw2) J2 dv1);
    dal1 = -R2^T(dal2 + [dw2, w3]) R2.
    """
    d, drift = _arm_and_drift(parent, child, change)
    R2, w2 = parent.transform.rotation, parent.angular_velocity
    back = parent.transform.inverse().jacobian
    dw2, dal2 = change.angular_velocity, change.angular_acceleration
    gained = change.velocity + times(dw2, d)  # -J2 dv1
    swept = times(_swept(parent, change), d) + 2.0 * times(dw2, drift) - 2.0 * times(w2 + dw2, gained)
    w3 = (parent @ child).angular_velocity
    return MotionDelta(
        -times(back, gained),
        -times(back, change.acceleration + swept),
        -conjugated_back(R2, dw2),
        -conjugated_back(R2, dal2 + commutator(dw2, w3)),
    )


def _arm_and_drift(
    parent: DynamicTransform, child: DynamicTransform, change: MotionDelta
) -> tuple[np.ndarray, np.ndarray]:
    """d = J2 T1 and J2 v1."""
    if not parent.n == child.n == change.n:
        raise TransformError(
            f"parent, child and change must have the same number of dimensions, got {parent.n}, {child.n}, {change.n}"
        )
    J2 = parent.transform.jacobian
    return times(J2, child.transform.translation), times(J2, child.velocity)


def _swept(parent: DynamicTransform, change: MotionDelta) -> np.ndarray:
    """dal2 + dw2 w2 + w2 dw2 + dw2^2, the change of al2 + w2^2."""
    w2, dw2 = parent.angular_velocity, change.angular_velocity
    return change.angular_acceleration + dw2 @ w2 + w2 @ dw2 + dw2 @ dw2
