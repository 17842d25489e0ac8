"""Numbers: the few functions that depend on the type of their arguments.

Every formula is built from `+ - * /` and these. A float, a NumPy column, an mpmath number and a compiled value each
take their own branch; floats, columns and compiled values give the same bits.
"""

from __future__ import annotations

import math
from functools import reduce

import numpy as np

from rigidsim.jit import formula

# pi/2 in three pieces of 33 bits (the last one of 53), so that k * HALF_PI_n is exact for |k| <= 2^20
# (Cody and Waite, Software Manual for the Elementary Functions, 1980).
HALF_PI_1 = 1.5707963267341256
HALF_PI_2 = 6.077100506303966e-11
HALF_PI_3 = 2.0222662487959506e-21
TWO_OVER_PI = 0.6366197723675814
# Adding and subtracting 1.5 * 2^52 rounds to the nearest integer, ties to even, without a call.
ROUNDER = 6755399441055744.0
MOST_QUARTERS_SQUARED = 4.05285e29  # (2/pi 1e15)^2: for 1e15 rad, beyond which a reduced angle has no correct digit
INFINITY, NAN = float("inf"), float("nan")
# pi, pi/2, pi/4 and atan(1/2) are the sums of two doubles each.
PI_HI, PI_LO = 3.141592653589793, 1.2246467991473532e-16
HALF_PI_HI, HALF_PI_LO = 1.5707963267948966, 6.123233995736766e-17
QUARTER_PI_HI, QUARTER_PI_LO = 0.7853981633974483, 3.061616997868383e-17
ATAN_HALF_HI, ATAN_HALF_LO = 0.4636476090008061, 2.2698777452961687e-17
# (sin r - r)/r^3 and (cos r - 1)/r^2 in powers of r^2: the divisors of Taylor's terms, the highest first.
SINE = tuple((2 - n % 4) * math.factorial(n) for n in range(17, 1, -2))
COSINE = tuple((1 - n % 4) * math.factorial(n) for n in range(16, 0, -2))
ATAN_TAIL = (
    -0.014773184616983806, 0.033128134256069586, -0.04492259293193656, 0.05216679739313656, -0.05876946456755061,
    0.06666241923359964, -0.07692285554889286, 0.09090908355602592, -0.11111111096645038, 0.14285714285566806,
    -0.1999999999999941, 0.3333333333333333,
)  # fmt: skip


def polynomial(x, coefficients):
    """The sum of coefficients, the highest first, times powers of x, by Horner's rule."""
    first, *others = coefficients
    return reduce(lambda total, c: c + x * total, others, first)


def reciprocal_series(x, divisors):
    """The sum of powers of x over divisors, the highest first, by Horner's rule."""
    first, second, *others = divisors
    return reduce(lambda total, d: 1.0 / d + x * total, others, 1.0 / second + x / first)


def context_of(*numbers):
    """The function set of the mpmath, dual, column or traced numbers among the arguments. That of dual numbers has
    precedence, since their parts may be any others.
    """
    contexts = [number.context for number in numbers if hasattr(number, "context")]
    return max(contexts, key=lambda context: getattr(context, "precedence", 0), default=None)


def has_own(context, name: str) -> bool:
    """Whether a function set has its own function of this name, in place of the formula here."""
    return context is not None and hasattr(context, name)


def _own_context(x):
    """The function set of an mpmath or dual number; TypeError for anything else."""
    context = context_of(x)
    if context is None:
        raise TypeError(f"expected a number or an array of numbers, got {type(x).__name__}")
    return context


@formula
def sqrt(x):
    """Square root; unit of the result: the root of the argument's. IEEE 754, correctly rounded for floats; NaN for
    x < 0.
    """
    if isinstance(x, (float, int)):
        return math.sqrt(x) if x >= 0.0 else NAN
    return np.sqrt(x) if isinstance(x, np.ndarray) else _own_context(x).sqrt(x)


@formula
def select(condition, a, b):
    """`a` where the condition holds, else `b`; both are evaluated, so both must be defined."""
    if isinstance(condition, (bool, np.bool_)):
        return a if condition else b
    context = context_of(condition, a, b)
    if has_own(context, "select"):
        return context.select(condition, a, b)
    return np.where(condition, a, b) if isinstance(condition, np.ndarray) else a if condition else b


@formula
def at_start(x):
    """x; in a series its value at the beginning of the step, for what is decided there once."""
    context = context_of(x)
    return context.at_start(x) if has_own(context, "at_start") else x


@formula
def select3(condition, a, b):
    """`select` of each of three components."""
    return (select(condition, a[0], b[0]), select(condition, a[1], b[1]), select(condition, a[2], b[2]))


@formula
def reduced_sin_cos(x):
    """(sin x, cos x) by reduction to |r| <= pi/4 and Taylor's polynomials to r^17 and r^16.

    x = k pi/2 + r, k the nearest integer; the truncation errors r^19/19! and r^18/18! are below 9e-20 and 2e-18.
    Measured against fifty digits: absolute error below 2e-16 for |x| <= 1.6e6 rad (where k * HALF_PI_1 is exact);
    beyond it grows as 1.2e-16 |x|, no faster than the rounding of the argument itself, to 0.12 at 1e15 rad; past that
    the result is NaN. No table, no branch, no library call: the same bits on every machine and in every lane.
    """
    k = (x * TWO_OVER_PI + ROUNDER) - ROUNDER
    r = ((x - k * HALF_PI_1) - k * HALF_PI_2) - k * HALF_PI_3
    r2 = r * r
    s = r + r * r2 * reciprocal_series(r2, SINE)
    c = 1.0 + r2 * reciprocal_series(r2, COSINE)
    half = (k * 0.5 + ROUNDER) - ROUNDER
    odd = k - 2.0 * half  # -1, 0 or 1; nearest-even rounding leaves it 0 for even k
    quarter = (half * 0.5 + ROUNDER) - ROUNDER
    turned = half - 2.0 * quarter  # half's parity: 0, or +-1
    is_odd = odd * odd > 0.5
    sign_s = select(k * k <= MOST_QUARTERS_SQUARED, 1.0 - 2.0 * turned * turned, NAN)
    sin_x = select(is_odd, odd * c, s)
    cos_x = select(is_odd, -odd * s, c)
    return (sign_s * sin_x, sign_s * cos_x)


@formula
def sin_cos(x):
    """(sin x, cos x) of an angle in radians; `reduced_sin_cos`. mpmath and dual numbers have their own."""
    if isinstance(x, np.ndarray):
        with np.errstate(over="ignore", invalid="ignore"):  # for arguments that are too large
            return reduced_sin_cos(x)
    if isinstance(x, (float, int)):
        return reduced_sin_cos(x)
    context = _own_context(x)
    return (context.sin(x), context.cos(x)) if has_own(context, "sin") else reduced_sin_cos(x)


@formula
def with_sign(size, x):
    """|size| with the sign of x, including that of a zero."""
    context = context_of(size, x)
    if has_own(context, "copysign"):
        return context.copysign(size, x)
    return np.copysign(size, x) if isinstance(x, np.ndarray) else math.copysign(size, x)


@formula
def atan_tail(z):
    """(t - atan t)/t^3 with z = t^2, for |t| <= 7/16: the polynomial through the twelve Chebyshev nodes.

    t^3 times its error, relative to t, is below 3.6e-18.
    """
    return polynomial(z, ATAN_TAIL)


@formula
def reduced_arc_tangent(y, x):
    """The angle of (x, y), rad, by reduction to t = tan(a - c) with c = 0, atan(1/2) or pi/4, and a polynomial.

    a is the angle to the nearer axis, the slope of a in [0, 1]; c and the axis's angle are added in two doubles each.
    Measured against fifty digits: below 1.1 units in the last place in all quadrants. Zeros keep their signs as in
    IEEE 754; two infinities make a diagonal; NaN gives NaN.
    """
    back = with_sign(1.0, x) < 0.0
    size_y, size_x = select(y < 0.0, -y, y), select(back, -x, x)
    steep = size_y > size_x
    n, d = select(steep, size_x, size_y), select(steep, size_y, size_x)
    infinite = n == INFINITY
    n, d = select(infinite, 1.0, n), select(infinite, select(d == d, 1.0, d), select(d == 0.0, 1.0, d))
    scale = select(d > 1e300, 7.888609052210118e-31, select(d < 1e-200, 1.6069380442589903e60, 1.0))  # 2^-100, 2^200
    n, d = scale * n, scale * d
    near, diagonal = n > 0.4375 * d, n > 0.6875 * d
    t = select(diagonal, n - d, select(near, n - 0.5 * d, n)) / select(diagonal, n + d, select(near, d + 0.5 * n, d))
    c_hi = select(diagonal, QUARTER_PI_HI, select(near, ATAN_HALF_HI, 0.0))
    c_lo = select(diagonal, QUARTER_PI_LO, select(near, ATAN_HALF_LO, 0.0))
    axis_hi = select(steep, HALF_PI_HI, select(back, PI_HI, 0.0))
    axis_lo = select(steep, HALF_PI_LO, select(back, PI_LO, 0.0))
    turn = select(steep == back, 1.0, -1.0)
    z = t * t
    high = axis_hi + turn * c_hi
    low = (axis_hi - high) + turn * c_hi
    return with_sign(high + (low + (axis_lo + turn * (c_lo + (t - t * z * atan_tail(z))))), y)


@formula
def arc_tangent(y, x):
    """Angle of the point (x, y) from the x axis, rad, in [-pi, pi]; `reduced_arc_tangent`, the same bits on every
    machine. mpmath and dual numbers have their own.
    """
    context = context_of(y, x)
    return context.atan2(y, x) if has_own(context, "atan2") else reduced_arc_tangent(y, x)
