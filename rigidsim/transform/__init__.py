"""Transforms as people compute with them: x -> R S x + T in any number of dimensions, and how they move.

The matrix form, the same in every dimension, is the reference for the quaternion formulas of `physics`. In three
dimensions numpy-quaternion values go in and come out; that library is imported when a quaternion is asked for.
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
