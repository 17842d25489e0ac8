"""The length of a step of a series of Taylor."""

from __future__ import annotations

from rigidsim.jit import formula
from rigidsim.physics.elementary import ROUNDER, select
from rigidsim.physics.exponentials import power_of_two, split

VANISHES = 1e-290  # a square below it is that of a vector that is zero
NO_LIMIT = 60.0  # 2^60 s: no limit


@formula
def rough_logarithm(x):
    """log2 x within 0.008, for normal x > 0: exponent and, of the fraction, the parabola through 1/2, 3/4 and 1."""
    m, e = split(x)
    return e + ((m - 0.5) * (2.339850002884625 - 1.359400011538499 * (m - 0.75)) - 1.0)


@formula
def rough_power_of_two(y):
    """2^y within 0.3 %, for |y| <= 1022: the nearest integer and, of the rest in [-1/2, 1/2], a parabola."""
    k = (y + ROUNDER) - ROUNDER
    r = y - k
    return power_of_two(k) * (1.0 + r * (0.7071067811865476 + 0.24264068711928515 * r))


@formula
def group_logarithm(square):
    """log2 |x| of a vector, from |x|^2."""
    return 0.5 * rough_logarithm(select(square > VANISHES, square, VANISHES))


@formula
def longest_step(tolerance, references, last, k):
    """log2 of the longest step h, s, whose term |x_k| h^k is at most a share 2^tolerance of another term |x_j| h^j of the
    same vector: max over j of (tolerance + log2 |x_j| - log2 |x_k|)/(k - j). `references` has pairs (j, log2 |x_j|),
    `last` is |x_k|^2. Without units or scales of its own: the error is a share of what the vector is, or of how much
    it changes in the step. After Jorba and Zou, Exp. Math. 14 (2005), section 3.2, where x_0 is the only reference.
    """
    size, best = group_logarithm(last), -NO_LIMIT
    for j, reference in references:
        y = (tolerance + reference - size) / (k - j)
        best = select(y > best, y, best)
    return select(last > VANISHES, best, NO_LIMIT)
