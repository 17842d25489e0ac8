"""The coefficients of the series of each operation.

With x(t + s) = x_0 + x_1 s + x_2 s^2 + ..., x_0 is the value of the operation, and each x_k with k > 0 follows from the
coefficients of the operands up to k and its own below k. `theta` is k x_k, the coefficients of s dx/ds, so that the
chain rule of f(u), theta f = f'(u) theta u, needs those of the slope f'(u) below k only.

Source: Moore, Interval Analysis (1966), chapter 11; Griewank and Walther, Evaluating Derivatives (2008), table 13.1.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import add, mul, neg, pos, sub
from typing import NamedTuple

from rigidsim.engine.layout import NUMBERS
from rigidsim.engine.series.graph import HELD, OF_TWO
from rigidsim.jit import lanewise
from rigidsim.physics.elementary import select, sqrt
from rigidsim.physics.functions import choice, quotient

# --- of one coefficient; each takes three operands, of which it may need fewer


@lanewise
def copied(k, a: NUMBERS, b: NUMBERS, c: NUMBERS, out: NUMBERS, lane):
    """x_k = a_k, of a sum with a held number b."""
    out[k] = a[k]


@lanewise
def negated(k, a: NUMBERS, b: NUMBERS, c: NUMBERS, out: NUMBERS, lane):
    """x_k = -a_k."""
    out[k] = -a[k]


@lanewise
def opposed(k, a: NUMBERS, b: NUMBERS, c: NUMBERS, out: NUMBERS, lane):
    """x_k = -b_k, of a difference from a held number a."""
    out[k] = -b[k]


@lanewise
def summed(k, a: NUMBERS, b: NUMBERS, c: NUMBERS, out: NUMBERS, lane):
    """x_k = a_k + b_k."""
    out[k] = a[k] + b[k]


@lanewise
def subtracted(k, a: NUMBERS, b: NUMBERS, c: NUMBERS, out: NUMBERS, lane):
    """x_k = a_k - b_k."""
    out[k] = a[k] - b[k]


@lanewise
def scaled(k, a: NUMBERS, b: NUMBERS, c: NUMBERS, out: NUMBERS, lane):
    """x_k = b_0 a_k, of a product with a held number b."""
    out[k] = b[0] * a[k]


@lanewise
def shared(k, a: NUMBERS, b: NUMBERS, c: NUMBERS, out: NUMBERS, lane):
    """x_k = a_k / b_0, of a quotient by a held number b."""
    out[k] = a[k] / b[0]


@lanewise
def chosen(k, a: NUMBERS, b: NUMBERS, c: NUMBERS, out: NUMBERS, lane):
    """x_k = b_k where the held condition a is 1, else c_k."""
    out[k] = select(a[0] != 0.0, b[k], c[k])


@lanewise
def weighted(k, a: NUMBERS, b: NUMBERS, c: NUMBERS, out: NUMBERS, lane):
    """x_k = k a_k."""
    out[k] = k * a[k]


# --- of products: sums over the coefficients of two factors


@lanewise
def multiplied(k, a: NUMBERS, b: NUMBERS, c: NUMBERS, out: NUMBERS, lane):
    """x_k = sum of a_j b_(k-j), j = 0 to k; in pairs, so that a product of equal factors has the bits of a square."""
    total, middle = a[0] * b[k] + a[k] * b[0], a[k // 2] * b[k // 2]
    for j in range(1, (k + 1) // 2):
        total = total + (a[j] * b[k - j] + a[k - j] * b[j])
    out[k] = select(k % 2 == 0, total + middle, total)


@lanewise
def squared(k, a: NUMBERS, b: NUMBERS, c: NUMBERS, out: NUMBERS, lane):
    """x_k = 2 sum of a_j a_(k-j), j = 0 to (k-1)/2; for an even k also a_(k/2)^2."""
    total, middle = a[0] * a[k], a[k // 2]
    for j in range(1, (k + 1) // 2):
        total = total + a[j] * a[k - j]
    twice = total + total
    out[k] = select(k % 2 == 0, twice + middle * middle, twice)


@lanewise
def divided(k, a: NUMBERS, b: NUMBERS, c: NUMBERS, out: NUMBERS, lane):
    """x_k = (a_k - sum of b_j x_(k-j), j = 1 to k)/b_0."""
    total = a[k] - b[1] * out[k - 1]
    for j in range(2, k + 1):
        total = total - b[j] * out[k - j]
    out[k] = total * (1.0 / b[0])


@lanewise
def rooted(k, a: NUMBERS, b: NUMBERS, c: NUMBERS, out: NUMBERS, lane):
    """x_k = (a_k/2 - sum of x_j x_(k-j), j = 1 to (k-1)/2)/x_0; for an even k the sum has x_(k/2)^2/2, too."""
    total, middle = 0.5 * a[k], out[k // 2]
    for j in range(1, (k + 1) // 2):
        total = total - out[j] * out[k - j]
    out[k] = select(k % 2 == 0, total - 0.5 * middle * middle, total) * (1.0 / out[0])


@lanewise
def grown(k, a: NUMBERS, b: NUMBERS, c: NUMBERS, out: NUMBERS, lane):
    """x_k = (1/k) sum of b_j c_(k-j), j = 1 to k, with b the row of theta u and c that of the slope."""
    total = b[1] * c[k - 1]
    for j in range(2, k + 1):
        total = total + b[j] * c[k - j]
    out[k] = (1.0 / k) * total


@lanewise
def grown_further(k, a: NUMBERS, b: NUMBERS, c: NUMBERS, out: NUMBERS, lane):
    """The same in addition to a_k, of a function of several numbers."""
    total = b[1] * c[k - 1]
    for j in range(2, k + 1):
        total = total + b[j] * c[k - j]
    out[k] = a[k] + (1.0 / k) * total


# --- the table of operations


class Operation(NamedTuple):
    """An operation: its name, the formula of its value, of so many numbers, and its recurrence for k > 0, if it has
    one: what is held has none.
    """

    name: str
    value: Callable
    takes: int
    recurrence: Callable | None = None


OPERATIONS = (
    Operation("add", add, 2, summed),
    Operation("subtract", sub, 2, subtracted),
    Operation("multiply", mul, 2, multiplied),
    Operation("square", mul, 2, squared),
    Operation("scale", mul, 2, scaled),
    Operation("negate", neg, 1, negated),
    Operation("divide", quotient, 2, divided),
    Operation("sqrt", sqrt, 1, rooted),
    Operation("grow", pos, 1, grown),
    Operation("theta", sub, 2, weighted),
    Operation("choose", choice, 3, chosen),
    *(Operation(name, value, 2 if name in OF_TWO else 1) for name, value in HELD.items()),
    Operation("copy", pos, 1, copied),
    Operation("oppose", neg, 1, opposed),
    Operation("share", quotient, 2, shared),
    Operation("grow_further", pos, 1, grown_further),
)
CODE = {operation.name: code for code, operation in enumerate(OPERATIONS)}
