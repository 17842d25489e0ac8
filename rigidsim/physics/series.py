"""Coefficients of series of Taylor: that of order k of a result, from those of its operands up to k and its own below.

x(t + s) = x_0 + x_1 s + x_2 s^2 + ...; a tuple has the coefficients from x_0 on.
Source: Moore, Interval Analysis (1966), chapter 11; Griewank and Walther, Evaluating Derivatives (2008), table 13.1.
"""

from __future__ import annotations

from functools import reduce
from itertools import chain, starmap
from operator import add, mul, sub

from rigidsim.jit import formula
from rigidsim.physics.elementary import NAN, select
from rigidsim.physics.vector import norm


def halves(x):
    """The first half of a tuple, the other one from its end, and what is between them: one number, or nothing."""
    n = len(x) // 2
    return x[:n], x[: -n - 1 : -1], x[n : len(x) - n]


@formula
def integral_term(k, rate):
    """x_k = f_(k-1)/k of a number, from that of its rate f."""
    return (1.0 / k) * rate


def summands(a, b):
    """a_j b_(k-j) + a_(k-j) b_j, j < k/2, and for an even k a_(k/2) b_(k/2), one after the other."""
    (a_first, a_last, a_middle), (b_first, b_last, b_middle) = halves(a), halves(b)
    return chain(map(add, map(mul, a_first, b_last), map(mul, a_last, b_first)), map(mul, a_middle, b_middle))


@formula
def product_term(a, b):
    """x_k = sum of a_j b_(k-j), j = 0 to k, of a product; in pairs, so that it has the bits of `square_term` if a is
    b.
    """
    return reduce(add, summands(a, b))


@formula
def product_terms(factors):
    """`product_term` of each of several pairs (a, b); all sums grow at the same time, so that code that has each
    summand in a line of its own reads a coefficient once for all products in which it is.
    """
    return reduce(lambda sums, more: tuple(map(add, sums, more)), zip(*starmap(summands, factors), strict=True))


@formula
def square_term(a):
    """x_k = 2 sum of a_j a_(k-j), j < k/2, of a square; for an even k also a_(k/2)^2."""
    first, last, middle = halves(a)
    half = reduce(add, map(mul, first, last))
    return reduce(add, [half + half, *map(mul, middle, middle)])


@formula
def quotient_term(a, b, x):
    """x_k = (a - sum of b_j x_(k-j), j = 1 to k)/b_0 of a quotient x, from the coefficient a of order k."""
    return reduce(sub, map(mul, b[1:], x[::-1]), a) * (1.0 / b[0])


@formula
def share_term(a, b):
    """x_k = a/b of a quotient by a number b that does not change, from the coefficient a of order k."""
    return a * (1.0 / b)


@formula
def root_term(a, x):
    """x_k = (a - sum of x_j x_(k-j), j = 1 to k - 1)/(2 x_0) of a square root x, from the coefficient a of order k."""
    first, last, middle = halves(x[1:])
    return reduce(sub, [*map(mul, first, last), *[0.5 * m * m for m in middle]], 0.5 * a) * (1.0 / x[0])


@formula
def chain_term(k, theta, slope):
    """x_k = (1/k) sum of theta_j f'_(k-j), j = 1 to k, of x = f(u): from the slope f' = df/du up to order k - 1, and
    theta_j = j u_j, the coefficients of s du/ds, up to k.
    """
    return (1.0 / k) * reduce(add, map(mul, theta[1:], slope[::-1]))


def length_from(m, x, y, z, s, otherwise):
    """`length_term` if s_m is the first coefficient that is not zero."""
    if not s[m:]:
        return otherwise
    square = square_term(x[m:]) + square_term(y[m:]) + square_term(z[m:])
    is_first = s[m] > 0.0
    return select(is_first, root_term(square, (select(is_first, s[m], 1.0), *s[m + 1 :])), otherwise)


@formula
def length_value(x, y, z):
    """x_0 = |v|, of the length of a vector."""
    return norm((x, y, z))


@formula
def length_term(x, y, z, s):
    """s_k of the length s of a vector v, from the coefficients of its parts up to k.

    s^2 = v . v gives a root as in `root_term`. Where v is zero at the beginning, v = t^m u and s = t^m |u| for t > 0:
    the same of u, here for m <= 2, beyond which the result is NaN. A vector that stays zero has the length 0.
    """
    is_zero = reduce(add, map(mul, s, s)) == 0.0
    found = select(is_zero, norm((x[-1], y[-1], z[-1])), NAN)
    return length_from(0, x, y, z, s, length_from(1, x, y, z, s, length_from(2, x, y, z, s, found)))
