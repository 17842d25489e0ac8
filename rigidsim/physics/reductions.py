"""Reductions of samples to one number: what each keeps from sample to sample, and its result.

A memory is six numbers: the number of samples so far, and five whose meaning depends on the reduction. Each `fold`
takes the memory, the time of the sample (s) and up to three values at it, and returns the next memory. Columns, floats
and compiled code give the same bits, because the order of all sums is that of the samples.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from rigidsim.jit import formula
from rigidsim.physics.elementary import NAN, select, sqrt
from rigidsim.physics.functions import absolute, larger, quotient, smaller
from rigidsim.physics.summation import compensated_sum

MEMORY = 6
"""The numbers of a memory."""


@formula
def between(t, t_0, x_0, t_1, x_1):
    """The linear interpolation at t between (t_0, x_0) and (t_1, x_1)."""
    return x_0 + quotient(t - t_0, t_1 - t_0) * (x_1 - x_0)


@formula
def fold_max(memory, t, x, y, z):
    """(n, largest): NaN if any value is."""
    n, a, b, c, d, e = memory
    return (n + 1.0, select(n == 0.0, x, larger(a, x)), b, c, d, e)


@formula
def fold_min(memory, t, x, y, z):
    """(n, smallest): NaN if any value is."""
    n, a, b, c, d, e = memory
    return (n + 1.0, select(n == 0.0, x, smaller(a, x)), b, c, d, e)


@formula
def fold_mean(memory, t, x, y, z):
    """(n, sum, low part of the sum)."""
    n, a, b, c, d, e = memory
    total, low = compensated_sum(a, b, x)
    return (n + 1.0, total, low, c, d, e)


@formula
def fold_rms(memory, t, x, y, z):
    """(n, sum of squares, low part of the sum)."""
    n, a, b, c, d, e = memory
    total, low = compensated_sum(a, b, x * x)
    return (n + 1.0, total, low, c, d, e)


@formula
def fold_integral(memory, t, x, y, z):
    """(n, sum, low part of the sum, last t, last x): the integral of x over t, by the trapezoidal rule."""
    n, a, b, c, d, e = memory
    part = select(n == 0.0, 0.0, 0.5 * (t - c) * (d + x))
    total, low = compensated_sum(a, b, part)
    return (n + 1.0, total, low, t, x, e)


@formula
def fold_time_of_max(memory, t, x, y, z):
    """(n, time, largest): when x is the largest, at first; NaN if any value is."""
    n, a, b, c, d, e = memory
    time = select(n == 0.0, t, select(x > b, t, a))
    return (n + 1.0, select(x == x, time, NAN), select(n == 0.0, x, larger(b, x)), c, d, e)


@formula
def fold_time_of_min(memory, t, x, y, z):
    """(n, time, smallest): when x is the smallest, at first; NaN if any value is."""
    n, a, b, c, d, e = memory
    time = select(n == 0.0, t, select(x < b, t, a))
    return (n + 1.0, select(x == x, time, NAN), select(n == 0.0, x, smaller(b, x)), c, d, e)


@formula
def fold_final(memory, t, x, y, z):
    """(n, last value)."""
    n, _, b, c, d, e = memory
    return (n + 1.0, x, b, c, d, e)


@formula
def fold_at(memory, t, x, y, z):
    """(n, result, last t, last x): x at the time y, by linear interpolation; NaN until then, and before t = 0."""
    n, a, b, c, d, e = memory
    inside = select(n == 0.0, NAN, select(b < y, between(y, b, c, t, x), a))
    return (n + 1.0, select(t == y, x, select(t < y, NAN, inside)), t, x, d, e)


@formula
def fold_first(memory, t, x, y, z):
    """(n, result, last x, last z, found): x where the condition y first holds, 1 or 0. The margin z is 0 where the
    condition begins to hold; x is interpolated linearly to where z is 0. NaN while it never held.
    """
    n, a, b, c, d, e = memory
    part = quotient(c, c - z)
    part = select(part >= 0.0, select(part <= 1.0, part, 1.0), 1.0)
    here = select(n == 0.0, x, select(part == 1.0, x, b + part * (x - b)))
    result = select(d > 0.0, a, select(y > 0.0, here, NAN))
    return (n + 1.0, result, x, z, select(y > 0.0, 1.0, d), e)


@formula
def fold_drift(memory, t, x, y, z):
    """(n, first total, first potential energy, largest deviation of the total, size) of kinetic energy x, potential
    energy y and work z. The size is the largest kinetic energy, change of potential energy, or work.
    """
    n, a, b, c, d, e = memory
    total = (x + y) + -z
    first, origin = select(n == 0.0, total, a), select(n == 0.0, y, b)
    size = larger(larger(absolute(x), absolute(y - origin)), absolute(z))
    return (n + 1.0, first, origin, larger(c, absolute(total - first)), larger(d, size), e)


@formula
def kept(memory):
    """The result that a memory has in its second number."""
    return memory[1]


@formula
def mean_of(memory):
    """The mean."""
    return quotient(memory[1], memory[0])


@formula
def rms_of(memory):
    """The root of the mean of the squares."""
    return sqrt(quotient(memory[1], memory[0]))


@formula
def drift_of(memory):
    """The largest deviation relative to the size; 0 if nothing moves."""
    return select(memory[4] > 0.0, quotient(memory[3], memory[4]), 0.0)


class Fold(NamedTuple):
    """One reduction: its name in expressions, what it keeps, and its result."""

    name: str
    fold: Callable
    result: Callable


FOLDS = (
    Fold("max", fold_max, kept),
    Fold("min", fold_min, kept),
    Fold("mean", fold_mean, mean_of),
    Fold("rms", fold_rms, rms_of),
    Fold("integral", fold_integral, kept),
    Fold("time_of_max", fold_time_of_max, kept),
    Fold("time_of_min", fold_time_of_min, kept),
    Fold("final", fold_final, kept),
    Fold("at", fold_at, kept),
    Fold("first", fold_first, kept),
    Fold("drift", fold_drift, drift_of),
)
