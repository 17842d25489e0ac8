"""Functions of numbers, for expressions in scenes: each takes numbers and returns one.

None calls the platform's library for a transcendental function: floats, columns and compiled code give the same bits on
every machine. Errors are measured against fifty digits, in units in the last place (ulp) of the result. Outside its
domain a function returns NaN, at a pole an infinity; the result for NaN is NaN.
"""

from __future__ import annotations

import numpy as np

from rigidsim.jit import formula
from rigidsim.physics.elementary import (
    INFINITY,
    NAN,
    arc_tangent,
    context_of,
    has_own,
    select,
    sin_cos,
    sqrt,
    with_sign,
)
from rigidsim.physics.exponentials import exponential, exponential_less_one, logarithm

# --- steps, signs, conditions


@formula
def floored(x):
    """The largest integer not above x. Exact."""
    context = context_of(x)
    if context is not None:
        return context.floor(x)
    return np.floor(x) if isinstance(x, np.ndarray) else float(np.floor(x))


@formula
def remainder(x, y):
    """x - y floor(x/y), with the sign of y, as Python's `%`; NaN for y = 0. C's exact fmod, plus y at most."""
    if isinstance(x, np.ndarray) or isinstance(y, np.ndarray):
        if context_of(x, y) is None:
            with np.errstate(invalid="ignore"):
                return np.remainder(x, y)
    elif isinstance(x, (float, int)) and isinstance(y, (float, int)):
        return float(x) % float(y) if y != 0 else NAN
    return x % y


@formula
def is_less(x, y):
    """1 where x < y, else 0."""
    return select(x < y, 1.0, 0.0)


@formula
def is_at_most(x, y):
    """1 where x <= y, else 0."""
    return select(x <= y, 1.0, 0.0)


@formula
def is_equal(x, y):
    """1 where x = y, else 0."""
    return select(x == y, 1.0, 0.0)


@formula
def is_not(x):
    """1 for 0 and 0 for 1."""
    return 1.0 - x


@formula
def choice(condition, a, b):
    """a where the condition is 1, b where it is 0; both must be defined."""
    return select(condition != 0.0, a, b)


@formula
def absolute(x):
    """|x|. Exact; +0 for -0."""
    return select(x < 0.0, -x, x + 0.0)


@formula
def sign(x):
    """1, 0 or -1 with the sign of x. Exact."""
    return select(x > 0.0, 1.0, select(x < 0.0, -1.0, select(x == 0.0, 0.0, x)))


@formula
def smaller(a, b):
    """The smaller of two numbers. Exact; NaN if either is."""
    return select(a < b, a, select(a == a, b, a))


@formula
def larger(a, b):
    """The larger of two numbers. Exact; NaN if either is."""
    return select(a > b, a, select(a == a, b, a))


@formula
def quotient(a, b):
    """a/b, correctly rounded, as in IEEE 754: a/0 is infinite with the sign of both, 0/0 is NaN, on floats too."""
    context = context_of(a, b)
    if has_own(context, "quotient"):
        return context.quotient(a, b)
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        with np.errstate(all="ignore"):
            return a / b
    return a / b if b != 0.0 else INFINITY * a * with_sign(1.0, b)


# --- powers


@formula
def whole_power(x, n):
    """x^n, n = 0, 1, ... 63, by repeated squaring: exact if all products are, else within 0.75 n + 1 ulp. Measured."""
    n_2, n_4, n_8 = floored(0.5 * n), floored(0.25 * n), floored(0.125 * n)
    n_16, n_32 = floored(0.0625 * n), floored(0.03125 * n)
    x_2 = x * x
    x_4 = x_2 * x_2
    x_8 = x_4 * x_4
    x_16 = x_8 * x_8
    p = select(n > 2.0 * n_2, x, 1.0) * select(n_2 > 2.0 * n_4, x_2, 1.0)
    q = select(n_4 > 2.0 * n_8, x_4, 1.0) * select(n_8 > 2.0 * n_16, x_8, 1.0)
    r = select(n_16 > 2.0 * n_32, x_16, 1.0) * select(n_32 > 0.5, x_16 * x_16, 1.0)
    return p * q * r


@formula
def reduced_power(x, y):
    """x^y; for y = n or n + 1/2 below 64 `whole_power` and a root, or their reciprocal; else +-exp(y ln|x|), within
    1.7 |y ln|x|| + 2 ulp. Measured.

    0^0 = 1, 0^-1 = inf; a negative x has powers for integer y only. x^0, x, x^2, x^0.5 are correctly rounded.
    """
    base, size, half, steps = absolute(x), absolute(y), 0.5 * y, 2.0 * y
    whole, odd = floored(y) == y, half > floored(half)
    direct = select(floored(steps) == steps, size, 99.0) < 64.0
    p = whole_power(x, select(direct, floored(size), 0.0)) * select(whole, 1.0, sqrt(base))
    p = select(y < 0.0, quotient(1.0, p), p)
    ln = logarithm(base)
    g = exponential(y * ln)
    shift = y - 0.5 * floored(steps)  # 0 where it is used, with the derivative of y
    p = p * (1.0 + shift * select(absolute(ln) < INFINITY, ln, 0.0))
    p = select(direct, p, select(x < 0.0, select(odd, -g, g), g))
    return select(x == x, select(x < 0.0, select(whole, p, NAN), p), x)


@formula
def power(x, y):
    """x^y: `reduced_power`. mpmath and dual numbers have their own."""
    context = context_of(x, y)
    if context is not None:
        return context.power(x, y) if hasattr(context, "power") else reduced_power(x, y)
    if isinstance(x, np.ndarray) or isinstance(y, np.ndarray):
        with np.errstate(over="ignore", invalid="ignore"):  # squares that are not selected may overflow
            return reduced_power(x, y)
    return reduced_power(float(x), float(y))


@formula
def hypotenuse(a, b):
    """sqrt(a^2 + b^2) without overflow inside, by an exact scale; 1.1 ulp measured."""
    size = larger(absolute(a), absolute(b))
    scale = select(size > 1e150, 2.409919865102884e-181, select(size < 1e-150, 4.149515568880993e180, 1.0))  # 2^-+600
    p, q = scale * a, scale * b
    return sqrt(p * p + q * q) / scale


# --- circular functions


@formula
def sine(x):
    """sin x, x in rad: the first of `sin_cos`; 1.4 ulp measured to 1000 rad, 1.9 to 1.6e6."""
    return sin_cos(x)[0]


@formula
def cosine(x):
    """cos x, x in rad: the second of `sin_cos`; 1.4 ulp measured to 1000 rad, 2.0 to 1.6e6."""
    return sin_cos(x)[1]


@formula
def tangent(x):
    """tan x = sin x/cos x, x in rad; 2.8 ulp measured to 1000 rad."""
    s, c = sin_cos(x)
    return quotient(s, c)


@formula
def arc_sine(x):
    """The angle in [-pi/2, pi/2], rad, whose sine is x: that of the point (sqrt((1 - x)(1 + x)), x). 1.6 ulp."""
    w = (1.0 - x) * (1.0 + x)
    return select(w < 0.0, NAN, arc_tangent(x, sqrt(select(w < 0.0, 0.0, w))))


@formula
def arc_cosine(x):
    """The angle in [0, pi], rad, whose cosine is x: that of the point (x, sqrt((1 - x)(1 + x))). 1.8 ulp."""
    w = (1.0 - x) * (1.0 + x)
    return select(w < 0.0, NAN, arc_tangent(sqrt(select(w < 0.0, 0.0, w)), x))


@formula
def arc_slope(x):
    """The angle in [-pi/2, pi/2], rad, whose tangent is x: the arc tangent of one number. 0.8 ulp."""
    return arc_tangent(x, 1.0)


# --- hyperbolic functions


@formula
def hyperbolic_sine(x):
    """sinh x = (u + u/(1 + u))/2 with u = e^|x| - 1 up to |x| = 1; above, w - 1/(4 w) with w = e^|x|/2 as a square.

    2.9 ulp measured.
    """
    a = absolute(x)
    u = exponential_less_one(select(a > 1.0, 1.0, a))
    h = exponential(0.5 * a)
    w = 0.5 * h * h
    size = select(a > 1.0, w - 0.25 / w, 0.5 * (u + u / (1.0 + u)))
    return select(x == x, select(x < 0.0, -size, size), x)


@formula
def hyperbolic_cosine(x):
    """cosh x = w + 1/(4 w) with w = e^|x|/2, a square so that it does not overflow before cosh does. 2.6 ulp."""
    h = exponential(0.5 * absolute(x))
    w = 0.5 * h * h
    return w + 0.25 / w


@formula
def hyperbolic_tangent(x):
    """tanh |x| = -u/(2 + u) with u = e^(-2|x|) - 1, which no |x| lets overflow, nor its derivatives. 2.5 ulp."""
    u = exponential_less_one(-2.0 * absolute(x))
    t = (0.0 - u) / (2.0 + u)
    return select(x < 0.0, -t, t)
