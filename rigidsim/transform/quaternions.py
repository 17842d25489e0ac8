"""Conversions to and from numpy-quaternion: the only module that imports `quaternion`, on first use.

Arrays in memory and in files are float64 (..., 4), scalar first.
"""

from __future__ import annotations

import numpy as np

from rigidsim.arguments import numbers, refuse
from rigidsim.transform.arrays import TransformError


def as_quaternions(wxyz: np.ndarray) -> np.ndarray:
    """Array of numpy-quaternion values, one dimension fewer, from (..., 4) with the scalar first. A copy."""
    import quaternion

    array = numbers(wxyz, "a quaternion")
    if array.ndim == 0 or array.shape[-1] != 4:
        raise TransformError(f"a quaternion must have a shape (..., 4), got {array.shape}")
    return quaternion.as_quat_array(np.array(array, order="C"))


def as_components(quaternions: object) -> np.ndarray:
    """Array (..., 4) with the scalar first, from one numpy-quaternion value or an array of them. A copy."""
    import quaternion

    try:
        return np.array(quaternion.as_float_array(quaternions), dtype=np.float64)
    except (TypeError, ValueError):
        refuse("a quaternion", "a numpy-quaternion value or an array of them", quaternions)
