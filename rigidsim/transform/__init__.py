"""Transforms x -> R S x + T in any number of dimensions, with velocities and accelerations.

The matrix form is the reference for the quaternion formulas of `physics`. In three dimensions numpy-quaternion values
are accepted and returned; that library is imported on first use.
"""

from rigidsim.transform.deltas import MotionDelta, cancellation, parent_changed_deltas
from rigidsim.transform.dynamic import DynamicTransform
from rigidsim.transform.quaternions import as_quaternions
from rigidsim.transform.similarity import Transform
from rigidsim.transform.trs import TRS, accumulate_componentwise, accumulate_matrices

__all__ = [
    "TRS",
    "DynamicTransform",
    "MotionDelta",
    "Transform",
    "accumulate_componentwise",
    "accumulate_matrices",
    "as_quaternions",
    "cancellation",
    "parent_changed_deltas",
]
