"""The errors of readings: normal deviates from uniform ones, and rounding.

Source: Box and Muller, Ann. Math. Stat. 29 (1958).
"""

from __future__ import annotations

from rigidsim.jit import formula
from rigidsim.physics.elementary import select, sin_cos, sqrt
from rigidsim.physics.exponentials import logarithm
from rigidsim.physics.functions import floored

TURN = 6.283185307179586


@formula
def normal_pair(a, b):
    """Two independent numbers of mean 0 and variance 1 from two that are uniform, a in (0, 1] and b in [0, 1):
    sqrt(-2 ln a) times the cosine and the sine of 2 pi b.
    """
    r = sqrt(-2.0 * logarithm(a))
    s, c = sin_cos(TURN * b)
    return r * c, r * s


@formula
def quantised(x, quantum):
    """The whole multiple of the quantum nearest to x, the greater one of two; x itself if the quantum is 0."""
    exists = quantum > 0.0
    return select(exists, floored(x / select(exists, quantum, 1.0) + 0.5) * quantum, x)
