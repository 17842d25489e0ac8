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

from rigidsim.engine.model.layout import DEFECT, NUMBERS, SCALAR, STEP, numbers_of
from rigidsim.engine.model.programs import fill
from rigidsim.engine.series.steps import at_length, begin_terms
from rigidsim.jit import inlined, lanewise, routine
from rigidsim.physics.elementary import select
from rigidsim.physics.functions import absolute, larger
from rigidsim.physics.rounding import UNIT
from rigidsim.physics.step_control import MOST_CUT, MOST_GROWTH, length_by_defect, root_of_square, worse

LEAST_POINTS, ORDERS_PER_POINT = 4, 3
NOISE = 4.0  # times the bound of the rounding of rates: that of slopes, too
ROUNDING = 16.0 * 2.0**-52  # of a rate


def quadrature(order: int) -> np.ndarray:
    """(2, points) the points in a step of length 1 at which the defect of a series of this order is looked at, and
    their weights.

    They are those of Fejer's first rule, c_k = sin^2(pi (2 k + 1)/(4 n)): none is at the end, which may be that of a
    branch.
    """
    n = max(LEAST_POINTS, order // ORDERS_PER_POINT)
    angles = [math.pi * (2 * k + 1) / (2 * n) for k in range(n)]
    sums = [sum(math.cos(2 * j * angle) / (4 * j * j - 1) for j in range(1, n // 2 + 1)) for angle in angles]
    points = [[0.5 - 0.5 * math.cos(angle), (1.0 - 2.0 * each) / n] for angle, each in zip(angles, sums, strict=True)]
    return np.ascontiguousarray(np.transpose(points))


@lanewise
def set_time(c, step: STEP, trial: STEP, now: NUMBERS, lane):
    """The time at a point."""
    now[0] = step.t + c * (trial.t - step.t)


@lanewise
def set_value(order, c, step: STEP, trial: STEP, term: NUMBERS, now: NUMBERS, slope: NUMBERS, lane):
    """P and P' at a point, by Horner's rule."""
    h = c * (trial.t - step.t)
    total = term[order]
    rise = total
    for j in range(1, order):
        total = total * h + term[order - j]
        rise = rise * h + total
    now[0], slope[0] = total * h + term[0], rise


@lanewise
def set_winding(order, c, step: STEP, trial: STEP, term: NUMBERS, now: NUMBERS, lane):
    """The winding at a point."""
    now[0] = at_length(order, c * (trial.t - step.t), term)


@lanewise
def set_held(term: NUMBERS, now: NUMBERS, slope: NUMBERS, lane):
    """A number that does not change."""
    now[0], slope[0] = term[0], 0.0


@lanewise
def set_rounding(step: STEP, trial: STEP, term: NUMBERS, rounding: NUMBERS, lane):
    """That of a number of the state, which changes in the step."""
    rounding[0] = UNIT * (absolute(term[0]) + absolute(term[1] * (trial.t - step.t)))


@lanewise
def set_last_digit(now: NUMBERS, rounding: NUMBERS, lane):
    """The rounding of a number that does not change."""
    rounding[0] = UNIT * absolute(now[0])


@lanewise
def begin_point(defect: DEFECT, lane):
    """Of the first component."""
    defect.square, defect.part, defect.slope = 0.0, 0.0, 0.0


@lanewise
def add_component(now: NUMBERS, rate: NUMBERS, slope: NUMBERS, defect: DEFECT, lane):
    """Add d = f - P' of one component, and its size."""
    d = rate[0] - slope[0]
    defect.square += d * d
    defect.slope += slope[0] * slope[0] + rate[0] * rate[0]
    defect.part += now[0] * now[0]


@lanewise
def end_point(weight, step: STEP, trial: STEP, defect: DEFECT, lane):
    """Add the defect at a point, beyond rounding, to the integral of that of a vector."""
    slope, length = root_of_square(defect.slope), trial.t - step.t
    beyond = root_of_square(defect.square) - (defect.rounding + ROUNDING * slope)
    defect.total += weight * select(beyond < 0.0, 0.0, beyond)  # NaN stays
    defect.magnitude = larger(larger(defect.magnitude, root_of_square(defect.part)), length * slope)


@lanewise
def begin_verdict(trial: STEP, error: SCALAR, lane):
    """No error."""
    error.value = trial.error


@lanewise
def add_error(tolerance, step: STEP, trial: STEP, defect: DEFECT, error: SCALAR, lane):
    """The error of a vector, in units of the tolerance times its size or its change in the step."""
    allowed = tolerance * defect.magnitude
    e = (trial.t - step.t) * defect.total / select(allowed > 0.0, allowed, 1.0)
    error.value = worse(error.value, select(defect.total == 0.0, 0.0, e))


@lanewise
def exempt(trial: STEP, error: SCALAR, lane):
    """No error is that of a step that fails as it is, because coefficients are not finite, or that a branch ends at
    once, where rounding decides the answer.
    """
    counts = select(trial.h > 0.0, trial.quick == 0.0, False)
    error.value = select(counts, error.value, 0.0)


@lanewise
def prefer_first(first: SCALAR, error: SCALAR, lane):
    """The error of a step that passes whatever its rounding: it must not depend on other lanes."""
    error.value = select(first.value <= 1.0, first.value, error.value)


@lanewise
def judge_defect(order, step: STEP, trial: STEP, error: SCALAR, lane):
    """Repeat a step that is wrong with a shorter one. After one that the step before held, its defect holds the next:
    the coefficients would ask for a step that is wrong, too.
    """
    length, passes, is_held = trial.t - step.t, error.value <= 1.0, trial.h == step.h
    following = select(is_held, length_by_defect(length, error.value, 1.0 * order, MOST_GROWTH), MOST_GROWTH * trial.h)
    again = length_by_defect(length, error.value, 1.0 * order, MOST_CUT)
    trial.h = select(trial.h > 0.0, select(passes, following, again), trial.h)
    trial.error = select(passes, trial.error, select(error.value > 1.0, error.value, 2.0))


@inlined
def any_fails(error, lanes):
    """Whether any step is wrong."""
    fails = False
    for k in range(len(lanes)):
        if not error[k] <= 1.0:
            fails = True
    return fails


@inlined
def look_at(c, expansion, scratch, lanes):
    """All numbers of the equations, and the slopes of the state, at a point."""
    given, number, order, series, step, trial = expansion
    first, probe = given.begin[number], scratch.probe
    set_time(c, step, trial, probe[first], lanes)
    for g in range(len(given.group)):
        for i in range(given.group[g].begin, given.group[g].end):
            if given.varies[number, g] == 1:
                now, slope = probe[first + i + 1], scratch.slope[i]
                set_value(order, c, step, trial, series[first + i + 1], now, slope, lanes)
            else:
                set_held(series[first + i + 1], probe[first + i + 1], scratch.slope[i], lanes)
    for w in range(len(given.winding)):
        row = first + len(given.variable) + 1 + w
        set_winding(order - 1, c, step, trial, series[given.now[number, w, 0]], probe[row], lanes)
    begin_terms(given, given.alone, given.integrated[number], given.first[number + 1], probe, lanes)


@routine
def bound_rounding(given, begin, end, probe, rounding, lanes):
    """A bound of the rounding of all operations, in order (a running error analysis)."""
    numbers, errors, n = probe.reshape(-1), rounding.reshape(-1), len(lanes)
    for r in range(begin, end):
        operation = given.run[r].operation
        for code, bound, takes in given.roundings:
            if operation == code:
                for m in range(given.run[r].begin, given.run[r].end):
                    a, b, c, x = given.alone[m].a, given.alone[m].b, given.alone[m].c, given.alone[m].x
                    rows, errs = (numbers[a:], numbers[b:], numbers[c:]), (errors[a:], errors[b:], errors[c:])
                    for lane in range(n):
                        now = SCALAR(numbers[x:], lane, n).value
                        operands, bounds = numbers_of(rows[:takes], lane, n), numbers_of(errs[:takes], lane, n)
                        SCALAR(errors[x:], lane, n).value = bound(now, operands, bounds)
                break


@inlined
def look_at_rounding(expansion, scratch, lanes):
    """Bounds of the rounding of the rates of all vectors, at the point that was looked at."""
    given, number, _, series, step, trial = expansion
    first, probe, rounding = given.begin[number], scratch.probe, scratch.rounding
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
    bound_rounding(given, given.integrated[number], given.first[number + 1], probe, rounding, lanes)
    for g in range(len(given.group)):
        if given.varies[number, g] == 1:
            begin_point(scratch.defect[g], lanes)
            for i in range(given.group[g].begin, given.group[g].end):
                add_rounding(rounding[given.rate[number, i]], scratch.defect[g], lanes)
            end_rounding(scratch.defect[g], lanes)


@lanewise
def begin_vector(defect: DEFECT, lane):
    """Nothing was looked at, and rounding is not known."""
    defect.total, defect.magnitude, defect.rounding = 0.0, 0.0, 0.0


@lanewise
def add_rounding(rounding: NUMBERS, defect: DEFECT, lane):
    """Add that of one component of the rate."""
    defect.square += rounding[0] * rounding[0]


@lanewise
def end_rounding(defect: DEFECT, lane):
    """The rounding of the rate of a vector."""
    defect.rounding = NOISE * root_of_square(defect.square)


@routine
def integrate_defect(with_rounding, expansion, tolerance, scratch, lanes):
    """The error of each lane: that of the vector whose defect is the largest, beyond the rounding of rates if that is
    bounded (1, else 0).
    """
    given, number, _, _, step, trial = expansion
    first, probe, points, defect = given.begin[number], scratch.probe, scratch.points, scratch.defect
    for g in range(len(given.group)):
        begin_vector(defect[g], lanes)
    k = 0
    while k < points.shape[1]:  # `for` would be written out in straight code
        look_at(points[0, k], expansion, scratch, lanes)
        if with_rounding == 1:
            look_at_rounding(expansion, scratch, lanes)
        for g in range(len(given.group)):
            if given.varies[number, g] == 1:
                begin_point(defect[g], lanes)
                for i in range(given.group[g].begin, given.group[g].end):
                    add_component(
                        probe[first + i + 1], probe[given.rate[number, i]], scratch.slope[i], defect[g], lanes
                    )
                end_point(points[1, k], step, trial, defect[g], lanes)
        k += 1
    begin_verdict(trial, scratch.by, lanes)
    for g in range(len(given.group)):
        if given.varies[number, g] == 1:
            add_error(tolerance, step, trial, defect[g], scratch.by, lanes)
    exempt(trial, scratch.by, lanes)


@routine
def verify(expansion, tolerance, scratch, lanes):
    """Whether the trial of each lane is right, and the length of the step in its place if it is not. Rounding is
    bounded only where the defect is too large, which is seldom by rounding alone.
    """
    with_rounding, looks = 0, 1
    while looks == 1:  # written once in straight code
        integrate_defect(with_rounding, expansion, tolerance, scratch, lanes)
        looks = 0
        if with_rounding == 1:
            prefer_first(scratch.first, scratch.by, lanes)
        elif any_fails(scratch.by, lanes):
            fill(scratch.first, scratch.by, lanes)
            with_rounding, looks = 1, 1
    judge_defect(expansion.order, expansion.step, expansion.trial, scratch.by, lanes)
