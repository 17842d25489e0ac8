"""Whether a step by series is right: the defect, by which the slope of the series misses the rates.

The coefficients at the beginning of a step do not tell what comes within it: those that are looked at may vanish or be
small. So each step is verified. At points c h inside of it, the rates f of the state P(c h) are computed once more, and
d = f(P) - P' is what the series leaves of the equations: P is the exact solution of y' = f(y) - d. The integral of |d|
over the step bounds its error, as long as neighbouring solutions do not part much within it.
Source: Enright, Applied Numer. Math. 31 (1999) 129, on the control of the defect.
"""

from __future__ import annotations

import math

import numpy as np

from rigidsim.engine.layout import DEFECT, NUMBERS, SCALAR, STEP, numbers_of
from rigidsim.engine.series.steps import at_length, begin_terms
from rigidsim.jit import inlined, lanewise, routine
from rigidsim.physics.elementary import select
from rigidsim.physics.functions import absolute, larger
from rigidsim.physics.rounding import UNIT
from rigidsim.physics.step_control import length_by_defect, root_of_square, worse

LEAST_POINTS, ORDERS_PER_POINT = 4, 3
NOISE = 4.0  # times the bound at the beginning of a step: the rounding of rates and slopes inside of it
ROUNDING = 16.0 * 2.0**-52  # of a rate


def quadrature(order: int) -> np.ndarray:
    """(2, 1 + points) the points in a step of length 1 at which the defect of a series of this order is looked at,
    and their weights.

    The first is the beginning, where the rounding of rates is bounded. The others are those of Fejer's first rule,
    c_k = sin^2(pi (2 k + 1)/(4 n)): none is at the end, which may be that of a branch.
    """
    n = max(LEAST_POINTS, order // ORDERS_PER_POINT)
    angles = [math.pi * (2 * k + 1) / (2 * n) for k in range(n)]
    sums = [sum(math.cos(2 * j * angle) / (4 * j * j - 1) for j in range(1, n // 2 + 1)) for angle in angles]
    points = [[0.5 - 0.5 * math.cos(angle), (1.0 - 2.0 * each) / n] for angle, each in zip(angles, sums, strict=True)]
    return np.ascontiguousarray(np.transpose([[0.0, 0.0], *points]))


@lanewise
def set_time(c, step: STEP, trial: STEP, now: NUMBERS, lane):
    """The time at a point."""
    now[0] = step.t + c * (trial.t - step.t)


@lanewise
def set_value(order, c, step: STEP, trial: STEP, term: NUMBERS, now: NUMBERS, lane):
    """P at a point."""
    now[0] = at_length(order, c * (trial.t - step.t), term)


@lanewise
def set_rounding(step: STEP, trial: STEP, term: NUMBERS, rounding: NUMBERS, lane):
    """That of a number of the state, which changes in the step."""
    rounding[0] = UNIT * (absolute(term[0]) + absolute(term[1] * (trial.t - step.t)))


@lanewise
def set_last_digit(now: NUMBERS, rounding: NUMBERS, lane):
    """The rounding of a number that does not change."""
    rounding[0] = UNIT * absolute(now[0])


@lanewise
def set_held(term: NUMBERS, now: NUMBERS, lane):
    """A number that does not change."""
    now[0] = term[0]


@lanewise
def begin_point(defect: DEFECT, lane):
    """Of the first component."""
    defect.square, defect.part, defect.slope = 0.0, 0.0, 0.0


@lanewise
def add_component(order, c, step: STEP, trial: STEP, term: NUMBERS, now: NUMBERS, rate: NUMBERS, defect: DEFECT, lane):
    """Add that of one component: d = f - P', with P' by Horner's rule, and its size."""
    length = trial.t - step.t
    h = c * length
    slope = order * term[order]
    for j in range(1, order):
        slope = slope * h + (order - j) * term[order - j]
    d = rate[0] - slope
    defect.square += d * d
    defect.slope += slope * slope + rate[0] * rate[0]
    defect.part += now[0] * now[0]


@lanewise
def end_point(weight, step: STEP, trial: STEP, defect: DEFECT, lane):
    """Add the defect at a point, beyond rounding, to the integral of that of a vector."""
    slope, length = root_of_square(defect.slope), trial.t - step.t
    beyond = root_of_square(defect.square) - (defect.rounding + ROUNDING * slope)
    defect.total += weight * select(beyond < 0.0, 0.0, beyond)  # NaN stays
    defect.size = larger(larger(defect.size, root_of_square(defect.part)), length * slope)


@lanewise
def begin_verdict(trial: STEP, error: SCALAR, lane):
    """No error."""
    error.value = trial.error


@lanewise
def add_error(tolerance, step: STEP, trial: STEP, defect: DEFECT, error: SCALAR, lane):
    """The error of a vector, in units of the tolerance times its size or its change in the step."""
    allowed = tolerance * defect.size
    e = (trial.t - step.t) * defect.total / select(allowed > 0.0, allowed, 1.0)
    error.value = worse(error.value, select(defect.total == 0.0, 0.0, e))


@lanewise
def judge_defect(order, step: STEP, trial: STEP, error: SCALAR, lane):
    """Repeat a step that is wrong with a shorter one. One whose coefficients are not finite fails as it is; in one that
    a branch ends at once, rounding decides the answer.
    """
    counts = select(trial.h > 0.0, trial.quick == 0.0, False)
    fails = select(counts, select(error.value <= 1.0, 0.0, 1.0), 0.0) > 0.0
    trial.error = select(fails, select(error.value > 1.0, error.value, 2.0), trial.error)
    trial.h = select(fails, length_by_defect(trial.t - step.t, error.value, 1.0 * order), trial.h)


@inlined
def look_at(k, given, number, order, step, trial, scratch, lanes):
    """The defects of all vectors at point k."""
    first, series, probe, c = given.begin[number], scratch.series, scratch.probe, scratch.points[0, k]
    set_time(c, step, trial, probe[first], lanes)
    for g in range(len(given.group)):
        for i in range(given.group[g].begin, given.group[g].end):
            if given.varies[number, g] == 1:
                set_value(order, c, step, trial, series[first + i + 1], probe[first + i + 1], lanes)
            else:
                set_held(series[first + i + 1], probe[first + i + 1], lanes)
    for w in range(len(given.winding)):
        row = first + len(given.variable) + 1 + w
        set_value(order - 1, c, step, trial, series[given.now[number, w, 0]], probe[row], lanes)
    begin_terms(given, given.integrated[number], given.first[number + 1], order + 1, probe, lanes)


@routine
def bound_rounding(given, begin, end, width, probe, rounding, lanes):
    """A bound of the rounding of all operations, in order (a running error analysis)."""
    numbers, errors, n = probe.reshape(-1), rounding.reshape(-1), len(lanes)
    for r in range(begin, end):
        operation = given.run[r].operation
        for code, bound, takes in given.roundings:
            if operation == code:
                for m in range(given.run[r].begin, given.run[r].end):
                    a, b, c = given.term[m].a // width, given.term[m].b // width, given.term[m].c // width
                    x = given.term[m].x // width
                    rows, errs = (numbers[a:], numbers[b:], numbers[c:]), (errors[a:], errors[b:], errors[c:])
                    for lane in range(n):
                        now = SCALAR(numbers[x:], lane, n).value
                        operands, bounds = numbers_of(rows[:takes], lane, n), numbers_of(errs[:takes], lane, n)
                        SCALAR(errors[x:], lane, n).value = bound(now, operands, bounds)
                break


@inlined
def look_at_rounding(given, number, order, step, trial, scratch, lanes):
    """Bounds of the rounding of all numbers at the beginning of the step."""
    first, series, probe, rounding = given.begin[number], scratch.series, scratch.probe, scratch.rounding
    set_last_digit(probe[first], rounding[first], lanes)
    for g in range(len(given.group)):
        for i in range(given.group[g].begin, given.group[g].end):
            if given.varies[number, g] == 1:
                set_rounding(step, trial, series[first + i + 1], rounding[first + i + 1], lanes)
            else:
                set_last_digit(probe[first + i + 1], rounding[first + i + 1], lanes)
    for w in range(len(given.winding)):
        row = first + len(given.variable) + 1 + w
        set_last_digit(probe[row], rounding[row], lanes)
    bound_rounding(given, given.integrated[number], given.first[number + 1], order + 1, probe, rounding, lanes)


@lanewise
def begin_vector(defect: DEFECT, lane):
    """Nothing was looked at."""
    defect.square, defect.total, defect.size = 0.0, 0.0, 0.0


@lanewise
def add_rounding(rounding: NUMBERS, defect: DEFECT, lane):
    """Add that of one component of the rate."""
    defect.square += rounding[0] * rounding[0]


@lanewise
def end_rounding(defect: DEFECT, lane):
    """The rounding of the rate of a vector."""
    defect.rounding = NOISE * root_of_square(defect.square)


@routine
def verify(given, number, order, tolerance, step, trial, scratch, lanes):
    """Whether the trial of each lane is right, and the length of the step in its place if it is not."""
    first, series, probe, points = given.begin[number], scratch.series, scratch.probe, scratch.points
    look_at(0, given, number, order, step, trial, scratch, lanes)
    look_at_rounding(given, number, order, step, trial, scratch, lanes)
    for g in range(len(given.group)):
        if given.varies[number, g] == 1:
            begin_vector(scratch.defect[g], lanes)
            for i in range(given.group[g].begin, given.group[g].end):
                add_rounding(scratch.rounding[given.rate[number, i]], scratch.defect[g], lanes)
            end_rounding(scratch.defect[g], lanes)
    k = 1
    while k < points.shape[1]:  # `for` would be written out in straight code
        look_at(k, given, number, order, step, trial, scratch, lanes)
        for g in range(len(given.group)):
            if given.varies[number, g] == 1:
                begin_point(scratch.defect[g], lanes)
                for i in range(given.group[g].begin, given.group[g].end):
                    term, now, rate = series[first + i + 1], probe[first + i + 1], probe[given.rate[number, i]]
                    add_component(order, points[0, k], step, trial, term, now, rate, scratch.defect[g], lanes)
                end_point(points[1, k], step, trial, scratch.defect[g], lanes)
        k += 1
    begin_verdict(trial, scratch.by, lanes)
    for g in range(len(given.group)):
        if given.varies[number, g] == 1:
            add_error(tolerance, step, trial, scratch.defect[g], scratch.by, lanes)
    judge_defect(order, step, trial, scratch.by, lanes)
