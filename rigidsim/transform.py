"""The border to numpy-quaternion: rotations as people compute with them.

Arrays inside the program and in files are float64 (..., 4), scalar first; this module is the only one that imports
`quaternion`, and only when asked to.
"""

from __future__ import annotations

import numpy as np


def as_quaternions(wxyz: np.ndarray) -> np.ndarray:
    """Array of numpy-quaternion values, one dimension fewer, from (..., 4) with the scalar first. A copy."""
    import quaternion

    return quaternion.as_quat_array(np.array(wxyz, dtype=np.float64, order="C"))
