"""How fast small differences of a motion grow, and for how long it is predictable."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

VISIBLE = 1e-3
"""A millimetre, or a milliradian: a difference that counts."""
FIRST_PART = 0.25
"""Of a run, in which differences find the direction that grows fastest."""
LEAST = 8.0
"""Growth is exponential if the factors e in a run are more than those of powers of time: t^3 has 4 after a quarter."""


class Growth(NamedTuple):
    """The growth of a small difference: its rate (1/s), the largest Lyapunov exponent of this run, 0 if it is not
    exponential; the time (s) at which it is a millimetre or a milliradian, infinite if it never is; and whether the run
    lasts so long.
    """

    rate: float
    horizon: float
    is_reached: bool


def growth_of(time: np.ndarray, apart: np.ndarray) -> Growth:
    """The growth of a difference of two motions, m or rad at each time. The rate is the slope of the logarithm of its
    largest value up to a time, by least squares, after the first quarter. Beyond the run it is extrapolated.
    """
    if len(time) < 2:
        return Growth(0.0, math.inf, False)
    largest = np.maximum.accumulate(np.where(np.isfinite(apart), apart, np.inf))
    far = np.flatnonzero(largest > VISIBLE)
    used = (time >= FIRST_PART * time[-1]) & (largest > 0.0) & np.isfinite(largest)
    if used.sum() < 3:
        return Growth(0.0, float(time[far[0]]) if len(far) else math.inf, bool(len(far)))
    slope = float(np.polyfit(time[used], np.log(largest[used]), 1)[0])
    rate = slope if slope * (time[used][-1] - time[used][0]) > LEAST * (1.0 - FIRST_PART) else 0.0
    if len(far):
        return Growth(rate, float(time[far[0]]), True)
    rest = math.log(VISIBLE / float(largest[-1])) / rate if rate else math.inf
    return Growth(rate, float(time[-1]) + rest, False)
