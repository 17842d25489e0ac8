"""The length of steps by tolerance: the error of a step, the first step, the next one; that of a series of Taylor.

Sources: Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I (1993), II.4, II.5; Soederlind, ACM TOMS 29
(2003) 1.
"""

from __future__ import annotations

from rigidsim.jit import formula
from rigidsim.physics.elementary import ROUNDER, select, sqrt
from rigidsim.physics.exponentials import exponential, logarithm, power_of_two, split
from rigidsim.physics.functions import floored, larger
from rigidsim.physics.vector import dot

AIM = 0.015  # the error of a step that is neither too long nor too short, in units of the tolerance
LEAST_RATIO, MOST_RATIO = 0.2, 6.0
CUT = 0.999  # of what was wanted: a step is shorter only by rounding above it
LEAST_ERROR = 1e-12  # of which the logarithm is taken
FIRST = 0.01  # of the time in which something changes as much as its size
PARTS_PER_RADIAN, MOST_PARTS = 4.0, 1000.0
VANISHES = 1e-290  # a square below it is that of a vector that is zero
LEAST_CUT, MOST_CUT = 0.125, 0.8  # of a step whose defect is too large
MOST_GROWTH = 4.0  # from one step by series to the next
LEAST_NORMAL, HUGE = 1e-300, 1e300
NO_LIMIT = 60.0  # 2^60 s: no limit


@formula
def step_error(h, fifth, third, before, after, rtol, atol):
    """e5^2/sqrt(e5^2 + e3^2/100) in units of the tolerance atol + rtol max(|y|, |y'|): of a vector y that a step of
    length h (s) takes to y'.

    e5 = h |fifth| and e3 = h |third| are its differences from embedded methods of order 5 and 3, so this is of order 8.
    Lengths of vectors are those in any axes. Source: the error of DOP853, Hairer, Norsett, Wanner (1993), II.10.
    """
    one, two = dot(before, before), dot(after, after)
    allowed = atol + rtol * sqrt(select(one > two, one, two))
    scale = (h / allowed) * (h / allowed)
    e5, e3 = scale * dot(fifth, fifth), scale * dot(third, third)
    return select(e5 == 0.0, 0.0, e5 / sqrt(select(e5 == 0.0, 1.0, e5 + 0.01 * e3)))


@formula
def worse(a, b):
    """The larger one of two errors; NaN if one is."""
    return select(b <= a, a, select(a == a, b, a))


@formula
def first_length(h, size, rate):
    """The shorter one of h and FIRST size/|rate|, s: the time in which a quantity of this size, whose rate is a vector,
    changes by a hundredth of it.
    """
    square = dot(rate, rate)
    found = FIRST * size / sqrt(select(square > 0.0, square, 1.0))
    return select(square > 0.0, select(found < h, found, h), h)


@formula
def length_asked(h, wanted, error):
    """The length, s, that a step of length h asks for by its error, in units of the tolerance: with which that would be
    AIM, if it is of order 8.

    h (AIM/error)^(1/8), h/5 at least, also if the error is NaN. A step that was shorter than `wanted`, because of a
    stop, asks for no less than that, unless its error is above 1.
    """
    ratio = exponential(-0.125 * logarithm(select(error > LEAST_ERROR, error, LEAST_ERROR) / AIM))
    asked = h * select(ratio > LEAST_RATIO, select(error == error, ratio, LEAST_RATIO), LEAST_RATIO)
    return select(error <= 1.0, larger(asked, select(h < CUT * wanted, wanted, asked)), asked)


@formula
def next_length(wanted, asked, last, error):
    """The length of the next step, s: the geometric mean of what this step asks for and what the last one did (0 if
    there was none), up to six times what was wanted for this one; of the step in place of this one, if its error is
    above 1, what this one asks for.

    sqrt(h (AIM/e)^(1/8) h' (AIM/e')^(1/8)), of lengths h and errors e, is the controller H211b with b = 2, for an error
    of order 8: a filter, so that the lengths vary less than the errors ask. Source: Soederlind (2003), section 5.
    """
    grown = sqrt(asked * select(last > 0.0, last, asked))
    most = MOST_RATIO * wanted
    return select(error <= 1.0, select(grown < most, grown, most), asked)


@formula
def parts_of_step(square):
    """The number of parts of a step of given length, from the square of the largest turn in it, rad^2: one up to a
    radian, else as many as make each part a quarter of a radian or less; 1000 at most.

    A quarter of a radian leaves `rkmk4` an error of 1.5e-5 of the angle (a body with moments of inertia 1, 2, 3).
    """
    parts = floored(PARTS_PER_RADIAN * sqrt(square)) + 1.0
    return select(square > 1.0, select(parts < MOST_PARTS, parts, MOST_PARTS), 1.0)


# --- of a series of Taylor


@formula
def rough_logarithm(x):
    """log2 x within 0.009, for normal x > 0: exponent and, of the fraction, the parabola through 1/2, 3/4 and 1."""
    m, e = split(x)
    return e + ((m - 0.5) * (2.339850002884625 - 1.359400011538499 * (m - 0.75)) - 1.0)


@formula
def rough_power_of_two(y):
    """2^y within 0.4 %, for |y| <= 1022: the nearest integer and, of the rest in [-1/2, 1/2], a parabola."""
    k = (y + ROUNDER) - ROUNDER
    r = y - k
    return power_of_two(k) * (1.0 + r * (0.7071067811865476 + 0.24264068711928515 * r))


@formula
def group_logarithm(square):
    """log2 |x| of a vector, from |x|^2."""
    return 0.5 * rough_logarithm(select(square > VANISHES, square, VANISHES))


@formula
def step_within(tolerance, reference, size, apart):
    """log2 of the step h, s, with |x_k| h^k = 2^tolerance |x_j| h^j, from log2 |x_j|, log2 |x_k| and k - j."""
    return (tolerance + reference - size) / apart


@formula
def longest_step(tolerance, references, last, k):
    """log2 of the longest step h, s, whose term |x_k| h^k is at most a share 2^tolerance of another term |x_j| h^j of
    the same vector: the largest `step_within` of five pairs (j, log2 |x_j|); `last` is |x_k|^2.

    Without units or scales of its own: the error is a share of what the vector is, or of how much it changes in the
    step. After Jorba and Zou, Exp. Math. 14 (2005), section 3.2, where x_0 is the only reference.
    """
    size, (a, b, c, d, e) = group_logarithm(last), references
    best = larger(
        larger(step_within(tolerance, a[1], size, k - a[0]), step_within(tolerance, b[1], size, k - b[0])),
        larger(step_within(tolerance, c[1], size, k - c[0]), step_within(tolerance, d[1], size, k - d[0])),
    )
    return select(last > VANISHES, larger(best, step_within(tolerance, e[1], size, k - e[0])), NO_LIMIT)


@formula
def root_of_square(square):
    """sqrt(x^2) where x^2 does not vanish, else 0: NaN stays NaN."""
    return select(square == 0.0, 0.0, sqrt(select(square == 0.0, 1.0, square)))


@formula
def length_by_defect(h, error, order, most):
    """The length, s, of the step after one of length h, or in its place, whose integrated defect is `error` times the
    tolerance.

    0.9 h error^(-1/(order + 1)), since the defect of a series grows as h^order; at least h/8, also if it is not a
    number, and at most `most` h.
    """
    known = select(error < HUGE, select(error > LEAST_NORMAL, error, LEAST_NORMAL), HUGE)
    ratio = 0.9 * rough_power_of_two(-rough_logarithm(known) / (order + 1.0))
    return h * select(ratio > LEAST_CUT, select(ratio < most, ratio, most), LEAST_CUT)
