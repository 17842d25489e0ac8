"""Bounds of the rounding of operations, from those of their operands: a running error analysis.

Each takes the result x, the operands, and their bounds e >= 0. It returns a bound of the rounding of x to first order
in UNIT: what the bounds of the operands make of it, and a last digit of its own. Sums with 0, and products and
quotients with powers of two, are exact: so equations that have such numbers as constants, which are left out or change
places there, have the same bounds.
Source: Higham, Accuracy and Stability of Numerical Algorithms (2002), section 3.3.
"""

from __future__ import annotations

from rigidsim.jit import formula
from rigidsim.physics.elementary import select
from rigidsim.physics.exponentials import logarithm
from rigidsim.physics.functions import absolute, choice

UNIT = 1.1102230246251565e-16  # of a double
TINY = 1e-300
SPLIT = 4503599627370497.0  # 2^52 + 1


@formula
def below_leading_bit(x):
    """x less its leading bit, by Veltkamp's splitting: 0 for 0 and for plus or minus a power of two."""
    spread = SPLIT * x
    return x - (spread - (spread - x))


@formula
def last_digit(x, inexact):
    """u |x|, or 0 of an exact result, of which the second number is 0."""
    return select(inexact == 0.0, 0.0, UNIT * absolute(x))


@formula
def of_one(x, _given, errors):
    """Of -a, and of what has the value of a: e_a."""
    return errors[0]


@formula
def of_none(_x, _given, _errors):
    """Of what is exact: 0."""
    return 0.0


@formula
def of_sum(x, given, errors):
    """Of a + b and a - b: e_a + e_b + u |x|, without the last digit if a or b is 0."""
    return errors[0] + errors[1] + last_digit(x, given[0] * given[1])


@formula
def of_product(x, given, errors):
    """Of a b: |a| e_b + |b| e_a + u |x|, without the last digit if a or b is a power of two."""
    inexact = below_leading_bit(given[0]) * below_leading_bit(given[1])
    return absolute(given[0]) * errors[1] + absolute(given[1]) * errors[0] + last_digit(x, inexact)


@formula
def of_quotient(x, given, errors):
    """Of a/b: (e_a + |x| e_b)/|b| + u |x|, without the last digit if b is a power of two."""
    size, own = absolute(given[1]), last_digit(x, below_leading_bit(given[1]))
    return (errors[0] + absolute(x) * errors[1]) / select(size > TINY, size, 1.0) + own


@formula
def of_root(x, _given, errors):
    """Of sqrt(a): e_a/(2 x) + u x."""
    return errors[0] / select(x > TINY, 2.0 * x, 1.0) + UNIT * x


@formula
def of_length(x, _given, errors):
    """Of |(a, b, c)|: e_a + e_b + e_c + u x."""
    return errors[0] + errors[1] + errors[2] + UNIT * x


@formula
def of_choice(_x, given, errors):
    """Of the one of b and c that a chooses."""
    return choice(given[0], errors[1], errors[2])


@formula
def of_wave(_x, _given, errors):
    """Of a function with slopes up to 1 and values near it, such as the sine: e_a + u."""
    return errors[0] + UNIT


@formula
def of_exponential(x, _given, errors):
    """Of exp(a): |x| (e_a + u)."""
    return absolute(x) * (errors[0] + UNIT)


@formula
def of_exponential_less_one(x, _given, errors):
    """Of exp(a) - 1: |x + 1| e_a + u |x|."""
    return absolute(x + 1.0) * errors[0] + UNIT * absolute(x)


@formula
def of_logarithm(x, given, errors):
    """Of log(a): e_a/a + u |x|."""
    return errors[0] / select(given[0] > TINY, given[0], 1.0) + UNIT * absolute(x)


@formula
def of_power(x, given, errors):
    """Of a^b: |x| (|b| e_a/a + |log a| e_b + u)."""
    base = select(given[0] > TINY, given[0], 1.0)
    return absolute(x) * (absolute(given[1]) * errors[0] / base + absolute(logarithm(base)) * errors[1] + UNIT)


@formula
def of_angle(x, given, errors):
    """Of atan2(a, b): (|b| e_a + |a| e_b)/(a^2 + b^2) + u |x|."""
    square = given[0] * given[0] + given[1] * given[1]
    change = absolute(given[1]) * errors[0] + absolute(given[0]) * errors[1]
    return change / select(square > TINY, square, 1.0) + UNIT * absolute(x)
