"""The exponential and the logarithm, from exact powers of two and polynomials: no library call.

Errors are measured against fifty digits, in units in the last place (ulp) of the result. NaN gives NaN.
"""

from __future__ import annotations

import math

import numpy as np

from rigidsim.jit import formula
from rigidsim.physics.elementary import (
    INFINITY,
    NAN,
    ROUNDER,
    context_of,
    has_own,
    polynomial,
    reciprocal_series,
    select,
)

# ln 2 as 41 bits and a remainder, so that k * LN2_HI is exact for |k| < 2^12 (Cody and Waite, 1980).
LN2_HI, LN2_LO, LOG2_E = 0.693147180559663, 2.8235290563031577e-13, 1.4426950408889634
LARGEST_EXPONENT = 709.782712893384  # exp of the next double is infinite
# Adding it to an integer k leaves k + 1023, the exponent field of 2^k, in the last bits.
FIELD = ROUNDER + 1023.0
FACTORIALS = tuple(math.factorial(n) for n in range(13, 1, -1))
LOG_TAIL = tuple(2.0 / n for n in range(21, 1, -2))

# --- powers of two, exactly: the only bit operations


@formula
def power_of_two(k):
    """2^k for an integer k in [-1022, 1023], exact."""
    context = context_of(k)
    if has_own(context, "bits"):
        return context.bits(context.bits(k + FIELD, "i") << 52, "f")
    if isinstance(k, np.ndarray):
        return ((k + FIELD).view(np.int64) << 52).view(np.float64)
    return math.ldexp(1.0, int(k))


@formula
def split(x):
    """(m, e) with x = m 2^e and m in [1/2, 1), exact, for normal x > 0."""
    context = context_of(x)
    if has_own(context, "bits"):  # the fields of the double: 52 bits of m, eleven of e + 1022
        field = context.bits(x, "i")
        m = context.bits((field & 0x000FFFFFFFFFFFFF) | 0x3FE0000000000000, "f")
        return m, context.bits((field >> 52) | 0x4330000000000000, "f") - 4503599627371518.0  # 2^52 + 1022
    if isinstance(x, np.ndarray):
        m, e = np.frexp(x)
        return m, e.astype(np.float64)
    m, e = math.frexp(x)
    return m, float(e)


# --- exponential and logarithm


@formula
def exponential_parts(x):
    """(k, r, s) with exp x = 2^k (1 + r + s): x = k ln 2 + r, |r| <= ln(2)/2, and s Taylor's terms r^2/2! to r^13/13!
    with the rounding error of r. The next term is below 5e-18. |x| <= 750.
    """
    k = (x * LOG2_E + ROUNDER) - ROUNDER
    high, low = x - k * LN2_HI, k * LN2_LO
    r = high - low
    s = reciprocal_series(r, FACTORIALS)
    return (k, r, ((high - r) - low) + r * r * s)


@formula
def reduced_exponential(x):
    """exp x by `exponential_parts` and two exact factors 2^(k/2); 0.86 ulp measured, one of the smallest double where
    the result is subnormal. Infinite above 709.78, 0 below -745.2.
    """
    k, r, s = exponential_parts(select(x < LARGEST_EXPONENT, select(x > -746.0, x, -746.0), LARGEST_EXPONENT))
    half = (0.5 * k + ROUNDER) - ROUNDER
    e = ((1.0 + (r + s)) * power_of_two(half)) * power_of_two(k - half)
    return select(x > LARGEST_EXPONENT, INFINITY, select(x == x, e, x))


@formula
def exponential(x):
    """e^x: `reduced_exponential`. mpmath and dual numbers have their own."""
    context = context_of(x)
    return context.exp(x) if has_own(context, "exp") else reduced_exponential(x)


@formula
def reduced_exponential_less_one(x):
    """e^x - 1 = 2^k (r + s) + (2^k - 1), see `exponential_parts`, accurate for small x, too; x <= 709. 1.35 ulp."""
    k, r, s = exponential_parts(select(x < 709.0, select(x > -60.0, x, -60.0), 709.0))
    scale = power_of_two(k)
    return select(x == x, scale * (r + s) + (scale - 1.0), x)


@formula
def exponential_less_one(x):
    """e^x - 1: `reduced_exponential_less_one`. mpmath and dual numbers have their own."""
    context = context_of(x)
    return context.expm1(x) if has_own(context, "expm1") else reduced_exponential_less_one(x)


@formula
def log_tail(z):
    """2 atanh(s)/s - 2 with z = s^2 <= 0.0295, by Taylor's terms 2 z/3 to 2 z^10/21; the next is below 2e-18."""
    return z * polynomial(z, LOG_TAIL)


@formula
def reduced_logarithm(x):
    """ln x of x = 2^k (1 + f), f in [-0.293, 0.414]: k ln 2 + 2 atanh(f/(2 + f)); 0.75 ulp measured. ln 0 = -inf.

    With s = f/(2 + f) and R = `log_tail`, ln(1 + f) = f - (f^2/2 - s (f^2/2 + R)): the large term stays exact.
    Source: the arrangement of fdlibm's log (Ng, Sun Microsystems, 1993).
    """
    regular = select(x > 0.0, x, 1.0) < INFINITY
    y = select(regular, select(x > 0.0, x, 1.0), 1.0)
    tiny = y < 2.2250738585072014e-308
    m, e = split(y * select(tiny, 18014398509481984.0, 1.0))  # 2^54
    k = select(tiny, e - 54.0, e)
    lower = m < 0.7071067811865476
    f, k = select(lower, 2.0 * m, m) - 1.0, select(lower, k - 1.0, k)
    s, square = f / (2.0 + f), 0.5 * f * f
    value = k * LN2_HI - ((square - (s * (square + log_tail(s * s)) + k * LN2_LO)) - f)
    value = select(regular, value, x)
    return select(x > 0.0, value, select(x == 0.0, -INFINITY, NAN))


@formula
def logarithm(x):
    """ln x: `reduced_logarithm`. mpmath and dual numbers have their own."""
    context = context_of(x)
    return context.log(x) if has_own(context, "log") else reduced_logarithm(x)
