"""The border to numpy-quaternion: the only module that imports `quaternion`, and only when asked to.

Arrays inside the program and in files are float64 (..., 4), scalar first.
"""

from __future__ import annotations

import numpy as np


def as_quaternions(wxyz: np.ndarray) -> np.ndarray:
    """Array of numpy-quaternion values, one dimension fewer, from (..., 4) with the scalar first. A copy."""
    import quaternion

    return quaternion.as_quat_array(np.array(wxyz, dtype=np.float64, order="C"))


def as_components(quaternions: object) -> np.ndarray:
    """Array (..., 4) with the scalar first, from one numpy-quaternion value or an array of them. A copy."""
    import quaternion

    return np.array(quaternion.as_float_array(quaternions), dtype=np.float64)
