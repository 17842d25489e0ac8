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

from rigidsim.engine.layout import DEFECT, EACH, NO_ROW, NUMBERS, SCALAR, STEP, numbers_of
from rigidsim.engine.series.steps import at_length, begin_terms
from rigidsim.jit import inlined, lanewise, routine
from rigidsim.physics.elementary import select
from rigidsim.physics.functions import absolute, floored, larger
from rigidsim.physics.rounding import UNIT
from rigidsim.physics.step_control import energy_scale, length_by_defect, root_of_square, worse

FEW_POINTS, LEAST_POINTS, ORDERS_PER_POINT = 2, 4, 3
NOISE = 4.0  # times the bound at the beginning of a step: the rounding of rates and slopes inside of it
ROUNDING = 16.0 * 2.0**-52  # of a rate


def quadrature(order: int, is_explicit: bool) -> np.ndarray:
    """(2, points) the points in a part of length 1 at which the defect of a series of this order is looked at, and
    their weights; fewer if rates have no functions of a scene's own.

    They are those of Fejer's first rule, c_k = sin^2(pi (2 k + 1)/(4 n)): none is at the end, which may be that of a
    branch.
    """
    n = max(LEAST_POINTS, order // ORDERS_PER_POINT) if is_explicit else FEW_POINTS
    angles = [math.pi * (2 * k + 1) / (2 * n) for k in range(n)]
    sums = [sum(math.cos(2 * j * angle) / (4 * j * j - 1) for j in range(1, n // 2 + 1)) for angle in angles]
    points = [[0.5 - 0.5 * math.cos(angle), (1.0 - 2.0 * each) / n] for angle, each in zip(angles, sums, strict=True)]
    return np.ascontiguousarray(np.transpose(points))


@lanewise
def count_parts(look, step: STEP, trial: STEP, parts: SCALAR, lane):
    """How many parts of a step are looked at, each at all points: none is longer than `look`, s."""
    count = floored((trial.t - step.t) / look) + 1.0
    parts.value = select(count > 1.0, count, 1.0)


@inlined
def most_parts(parts, lanes):
    """The largest number of all lanes."""
    most = 1.0
    for k in range(len(lanes)):
        if parts[k] > most:
            most = parts[k]
    return most


@lanewise
def set_place(part, c, parts: SCALAR, place: SCALAR, lane):
    """Where a point is, as a share of the step; in the first part for lanes that have fewer."""
    place.value = (select(part < parts.value, part, 0.0) + c) / parts.value


@lanewise
def set_time(place: EACH, step: STEP, trial: STEP, now: NUMBERS, lane):
    """The time at a point."""
    now[0] = step.t + place * (trial.t - step.t)


@lanewise
def set_value(order, place: EACH, step: STEP, trial: STEP, term: NUMBERS, now: NUMBERS, slope: NUMBERS, lane):
    """P and P' at a point, by Horner's rule."""
    h = place * (trial.t - step.t)
    total = term[order]
    rise = total
    for j in range(1, order):
        total = total * h + term[order - j]
        rise = rise * h + total
    now[0], slope[0] = total * h + term[0], rise


@lanewise
def set_winding(order, place: EACH, step: STEP, trial: STEP, term: NUMBERS, now: NUMBERS, lane):
    """The winding at a point."""
    now[0] = at_length(order, place * (trial.t - step.t), term)


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
    defect.square, defect.part, defect.slope, defect.rate = 0.0, 0.0, 0.0, 0.0


@lanewise
def add_component(now: NUMBERS, rate: NUMBERS, slope: NUMBERS, defect: DEFECT, lane):
    """Add d = f - P' of one component, and its size."""
    d = rate[0] - slope[0]
    defect.square += d * d
    defect.slope += slope[0] * slope[0]
    defect.rate += rate[0] * rate[0]
    defect.part += now[0] * now[0]


@lanewise
def end_point(part, weight, parts: SCALAR, step: STEP, trial: STEP, defect: DEFECT, lane):
    """Add the defect at a point, beyond rounding, to the integral of that of a vector."""
    slope, length = root_of_square(defect.slope + defect.rate), trial.t - step.t
    beyond = root_of_square(defect.square) - (defect.rounding + ROUNDING * slope)
    more = weight / parts.value * select(beyond < 0.0, 0.0, beyond)  # NaN stays
    counts = part < parts.value
    defect.total = select(counts, defect.total + more, defect.total)
    size = larger(larger(defect.size, root_of_square(defect.part)), length * slope)
    defect.size = select(counts, size, defect.size)


@lanewise
def add_energy(part, parts: SCALAR, velocity: DEFECT, turning: DEFECT, work: DEFECT, lane):
    """What work is small beside: the kinetic energy, by which forces of this power change the velocities. There is no
    defect where the rates of these are noise.
    """
    noise = velocity.rounding * velocity.rounding + turning.rounding * turning.rounding
    is_noise = select(noise > 0.0, velocity.rate + turning.rate <= noise, False)
    work.square = select(is_noise, 0.0, work.square)
    found = energy_scale(work.rate, (velocity.part, velocity.rate), (turning.part, turning.rate))
    work.size = select(part < parts.value, larger(work.size, found), work.size)


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
def exempt(trial: STEP, error: SCALAR, lane):
    """No error is that of a step that fails as it is, because coefficients are not finite, or that a branch ends at
    once, where rounding decides the answer.
    """
    counts = select(trial.h > 0.0, trial.quick == 0.0, False)
    error.value = select(counts, select(error.value <= 1.0, 0.0, error.value), 0.0)


@lanewise
def judge_defect(order, step: STEP, trial: STEP, error: SCALAR, lane):
    """Repeat a step that is wrong with a shorter one."""
    fails = error.value != 0.0
    trial.error = select(fails, select(error.value > 1.0, error.value, 2.0), trial.error)
    trial.h = select(fails, length_by_defect(trial.t - step.t, error.value, 1.0 * order), trial.h)


@inlined
def any_fails(error, lanes):
    """Whether any step is wrong."""
    fails = False
    for k in range(len(lanes)):
        if error[k] != 0.0:
            fails = True
    return fails


@inlined
def look_at(given, number, order, step, trial, scratch, lanes):
    """All numbers of the equations, and the slopes of the state, at `scratch.place`."""
    first, series, probe, place = given.begin[number], scratch.series, scratch.probe, scratch.place
    set_time(place, step, trial, probe[first], lanes)
    for g in range(len(given.group)):
        for i in range(given.group[g].begin, given.group[g].end):
            if given.varies[number, g] == 1:
                set_value(
                    order, place, step, trial, series[first + i + 1], probe[first + i + 1], scratch.slope[i], lanes
                )
            else:
                set_held(series[first + i + 1], probe[first + i + 1], scratch.slope[i], lanes)
    for w in range(len(given.winding)):
        row = first + len(given.variable) + 1 + w
        set_winding(order - 1, place, step, trial, series[given.now[number, w, 0]], probe[row], lanes)
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
def look_at_rounding(given, number, order, step, trial, scratch, lanes):
    """Bounds of the rounding of the rates of all vectors, at the beginning of the step."""
    first, series, probe, rounding = given.begin[number], scratch.series, scratch.probe, scratch.rounding
    set_place(0.0, 0.0, scratch.parts, scratch.place, lanes)
    look_at(given, number, order, step, trial, scratch, lanes)
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
    """Nothing was looked at."""
    defect.total, defect.size = 0.0, 0.0


@lanewise
def forget_rounding(defect: DEFECT, lane):
    """The rounding of the rate is not known yet; a vector that does not vary has no size."""
    defect.rounding, defect.part, defect.rate = 0.0, 0.0, 0.0


@lanewise
def add_rounding(rounding: NUMBERS, defect: DEFECT, lane):
    """Add that of one component of the rate."""
    defect.square += rounding[0] * rounding[0]


@lanewise
def end_rounding(defect: DEFECT, lane):
    """The rounding of the rate of a vector."""
    defect.rounding = NOISE * root_of_square(defect.square)


@inlined
def integrate_defect(given, number, order, tolerance, step, trial, scratch, lanes):
    """The error of each lane: that of the vector whose defect is the largest."""
    first, probe, points, parts, defect = (
        given.begin[number],
        scratch.probe,
        scratch.points,
        scratch.parts,
        scratch.defect,
    )
    for g in range(len(given.group)):
        begin_vector(defect[g], lanes)
    p = 0.0
    while p < most_parts(parts, lanes):
        k = 0
        while k < points.shape[1]:  # `for` would be written out in straight code
            set_place(p, points[0, k], parts, scratch.place, lanes)
            look_at(given, number, order, step, trial, scratch, lanes)
            for g in range(len(given.group)):
                if given.varies[number, g] == 1:
                    begin_point(defect[g], lanes)
                    for i in range(given.group[g].begin, given.group[g].end):
                        now, rate = probe[first + i + 1], probe[given.rate[number, i]]
                        add_component(now, rate, scratch.slope[i], defect[g], lanes)
                    if given.group[g].velocity != NO_ROW:
                        v = given.group[g].velocity
                        add_energy(p, parts, defect[v], defect[v + 1], defect[g], lanes)
                    end_point(p, points[1, k], parts, step, trial, defect[g], lanes)
            k += 1
        p += 1.0
    begin_verdict(trial, scratch.by, lanes)
    for g in range(len(given.group)):
        if given.varies[number, g] == 1:
            add_error(tolerance, step, trial, defect[g], scratch.by, lanes)
    exempt(trial, scratch.by, lanes)


@routine
def verify(given, number, order, tolerance, step, trial, scratch, lanes):
    """Whether the trial of each lane is right, and the length of the step in its place if it is not."""
    count_parts(scratch.look[0], step, trial, scratch.parts, lanes)
    for g in range(len(given.group)):
        forget_rounding(scratch.defect[g], lanes)
    turn = 0
    while turn < 2:  # again with a bound of the rounding of rates, which is seldom needed
        integrate_defect(given, number, order, tolerance, step, trial, scratch, lanes)
        turn += 1
        if turn == 1:
            if any_fails(scratch.by, lanes):
                look_at_rounding(given, number, order, step, trial, scratch, lanes)
            else:
                turn = 2
    judge_defect(order, step, trial, scratch.by, lanes)
