"""Steps by series: the coefficients at the beginning of a step, its length, and the state inside it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rigidsim.engine.layout import CROSSING, NO_ROW, NORMS, NUMBERS, SCALAR, STAGE, STEP, TERM, numbers_of
from rigidsim.engine.series.recurrences import OPERATIONS
from rigidsim.jit import inlined, lanewise, routine
from rigidsim.jit.kernels import kernel
from rigidsim.jit.layouts import Straight
from rigidsim.physics.elementary import select
from rigidsim.physics.quaternion import renormalised
from rigidsim.physics.step_lengths import group_logarithm, longest_step, rough_power_of_two
from rigidsim.physics.summation import compensated_sum

PARTS = 8  # of a step, at whose ends the sign of a margin is looked at
HALVINGS = 48  # of such a part, to find where the sign changes
BEYOND = 1e-12  # of a step, by which it ends after that, so that the sign has changed for good
NUMBERED = tuple(enumerate(OPERATIONS))
GROWING = tuple([(number, one) for number, one in NUMBERED if one.recurrence])

# --- coefficients


@lanewise
def take(row: NUMBERS, column, term: NUMBERS, lane):
    """x_0 from a number of the state."""
    term[0] = row[column]


@lanewise
def integrate(k, rate: NUMBERS, term: NUMBERS, lane):
    """x_k = f_(k-1)/k, with f the rate of x."""
    term[k] = (1.0 / k) * rate[k - 1]


@routine
def begin_terms(terms: TERM, begin, end, series, lanes):
    """x_0 of all operations, in order."""
    n = len(lanes)
    for m in range(begin, end):
        operation, out = terms[m].operation, series[terms[m].out]
        rows = (series[terms[m].a], series[terms[m].b], series[terms[m].c])
        for number, candidate in NUMBERED:
            if operation == number:
                for lane in range(n):
                    SCALAR(out, lane, n).value = candidate.value(*numbers_of(rows[: candidate.takes], lane, n))
                break


@routine
def grow_terms(terms: TERM, begin, end, k, series, lanes):
    """x_k of all operations that vary, in order."""
    for m in range(begin, end):
        growth, out = terms[m].growth, series[terms[m].out]
        a, b, c = series[terms[m].x], series[terms[m].y], series[terms[m].z]
        for number, candidate in GROWING:
            if growth == number:
                candidate.recurrence(k, a, b, c, out, lanes)
                break


@inlined
def expand(given, era, order, state, step, series, lanes):
    """The coefficients of all numbers of the equations up to `order`, from the state at the time of each lane."""
    begin, end, n = given.first[era], given.first[era + 1], len(given.variable)
    take(step, STEP.place("t"), series[0], lanes)
    for i in range(n):
        take(state[given.variable[i].row], given.variable[i].column, series[i + 1], lanes)
    for k in range(len(given.winding)):
        take(state[given.winding[k]], 0, series[n + 1 + k], lanes)
    begin_terms(given.term, begin, end, series, lanes)
    for k in range(1, order):
        for i in range(n):
            integrate(k, series[given.rate[era, i]], series[i + 1], lanes)
        grow_terms(given.term, begin, end, k, series, lanes)
    for i in range(n):
        integrate(order, series[given.rate[era, i]], series[i + 1], lanes)


# --- length of a step


@lanewise
def add_squares(order, term: NUMBERS, norms: NORMS, lane):
    """Add those of the coefficients of one component to the norms of its vector."""
    middle = order // 2
    norms.value += term[0] * term[0]
    norms.rate += term[1] * term[1]
    norms.second += term[2] * term[2]
    norms.middle += term[middle] * term[middle]
    norms.after += term[middle + 1] * term[middle + 1]
    norms.before_last += term[order - 1] * term[order - 1]
    norms.last += term[order] * term[order]


@lanewise
def shorten(order, tolerance, norms: NORMS, lane):
    """The longest step that a vector allows, if it is shorter than that of the others."""
    middle = order // 2
    references = (
        (0, group_logarithm(norms.value)), (1, group_logarithm(norms.rate)), (2, group_logarithm(norms.second)),
        (middle, group_logarithm(norms.middle)), (middle + 1, group_logarithm(norms.after)),
    )  # fmt: skip
    y = longest_step(tolerance, references, norms.before_last, order - 1)
    norms.length = select(y < norms.length, y, norms.length)
    y = longest_step(tolerance, references, norms.last, order)
    norms.length = select(y < norms.length, y, norms.length)
    norms.check += 0.0 * (norms.before_last + norms.last)  # not a number, if one of them is none


@lanewise
def begin_norms(norms: NORMS, lane):
    """No limit."""
    norms.length, norms.check = 1000.0, 0.0


@lanewise
def clear_norms(norms: NORMS, lane):
    """Of the next vector."""
    norms.value, norms.rate, norms.second, norms.middle = 0.0, 0.0, 0.0, 0.0
    norms.after, norms.before_last, norms.last = 0.0, 0.0, 0.0


@lanewise
def choose(longest, step: STEP, norms: NORMS, lane):
    """The length of the step."""
    h = rough_power_of_two(norms.length) + norms.check
    step.h = select(h > longest, longest, h)


@lanewise
def end_step(stop, step: STEP, lane):
    """Where the step ends: at `stop` at the latest. Its length is what doubles make of that."""
    end = step.t + step.h
    step.end = select(end > stop, stop, end)
    step.h = step.end - step.t


@inlined
def choose_length(given, order, tolerance, longest, step, series, norms, lanes):
    """The length of the step from the last two coefficients of each vector."""
    begin_norms(norms, lanes)
    for g in range(len(given.group)):
        clear_norms(norms, lanes)
        for i in range(given.group[g, 0], given.group[g, 1]):
            add_squares(order, series[i], norms, lanes)
        shorten(order, tolerance, norms, lanes)
    choose(longest, step, norms, lanes)


# --- branches


@lanewise
def no_crossing(step: STEP, crossing: CROSSING, lane):
    """Nothing found up to now."""
    crossing.begin, crossing.end, crossing.found = 0.0, step.h, 0.0


@lanewise
def look(order, share, before, margin: NUMBERS, answer: NUMBERS, step: STEP, crossing: CROSSING, lane):
    """Whether the comparison has another answer after a share of the step, and had not before."""
    h = share * step.h
    total = margin[order]
    for j in range(1, order + 1):
        total = total * h + margin[order - j]
    differs = select(total < 0.0, 1.0, 0.0) != answer[0]
    first = select(differs, 1.0, 0.0) > crossing.found
    crossing.begin = select(first, before * step.h, crossing.begin)
    crossing.end = select(first, h, crossing.end)
    crossing.found = select(first, 1.0, crossing.found)


@lanewise
def halve(order, margin: NUMBERS, answer: NUMBERS, crossing: CROSSING, lane):
    """Halve the part of the step in which the answer changes."""
    h = 0.5 * (crossing.begin + crossing.end)
    total = margin[order]
    for j in range(1, order + 1):
        total = total * h + margin[order - j]
    differs = select(total < 0.0, 1.0, 0.0) != answer[0]
    crossing.begin = select(differs, crossing.begin, h)
    crossing.end = select(differs, h, crossing.end)


@lanewise
def end_beyond(step: STEP, crossing: CROSSING, lane):
    """End the step where the answer has changed."""
    step.h = select(crossing.found > 0.0, crossing.end + BEYOND * step.h, step.h)


@routine
def stop_at_branch(order, margin, answer, step, crossing, lanes):
    """Shorten the steps in which a comparison gets another answer."""
    no_crossing(step, crossing, lanes)
    for part in range(PARTS):
        look(order, (part + 1.0) / PARTS, (1.0 * part) / PARTS, margin, answer, step, crossing, lanes)
    found = 0.0
    for k in range(len(lanes)):
        found = found + crossing[2 * len(lanes) + k]
    if found > 0.0:
        for _ in range(HALVINGS):
            halve(order, margin, answer, crossing, lanes)
        end_beyond(step, crossing, lanes)


@inlined
def stop_at_branches(given, era, order, step, series, crossing, lanes):
    """A step ends where a branch of the equations does. Margins are known to one order less than the state."""
    for m in range(given.first_margin[era], given.first_margin[era + 1]):
        stop_at_branch(order - 1, series[given.margin[m, 0]], series[given.margin[m, 1]], step, crossing, lanes)


# --- the state inside a step


@lanewise
def change(order, time: SCALAR, step: STEP, term: NUMBERS, target: SCALAR, lane):
    """x(t) - x_0 by Horner's rule."""
    h = time.value - step.t
    total = term[order]
    for j in range(1, order):
        total = total * h + term[order - j]
    target.value = total * h


@lanewise
def add_change(source: NUMBERS, column, low, by: SCALAR, target: NUMBERS, lane):
    """Add a change to a compensated sum."""
    high, rest = compensated_sum(source[column], source[low], by.value)
    target[column] = high
    target[low] = rest


@lanewise
def add_plain(source: NUMBERS, column, by: SCALAR, target: NUMBERS, lane):
    """Add a change to a number without a low part."""
    target[column] = source[column] + by.value


@lanewise
def unit(target: STAGE, lane):
    """The orientation, of length 1."""
    target.q = renormalised(target.q)


@inlined
def place_at(given, order, time, state, step, series, by, target, lanes):
    """The state at a time of each lane inside its step, in `target`, which may be the state itself."""
    for i in range(len(given.variable)):
        row, column, low = given.variable[i].row, given.variable[i].column, given.variable[i].low
        change(order, time, step, series[i + 1], by, lanes)
        if low == NO_ROW:
            add_plain(state[row], column, by, target[row], lanes)
        else:
            add_change(state[row], column, low, by, target[row], lanes)
    for row in range(given.n_posed):
        unit(target[row], lanes)


# --- a library of its own for now


class Work(NamedTuple):
    """Arrays of a step."""

    series: np.ndarray  # (row, (order + 1) * lanes)
    norms: NORMS
    crossing: CROSSING
    by: SCALAR
    time: SCALAR
    trial: np.ndarray


@lanewise
def choose_time(wanted, step: STEP, time: SCALAR, lane):
    """The end of a step that does not reach as far as wanted, else its beginning."""
    time.value = select(step.end < wanted, step.end, step.t)


@lanewise
def set_time(wanted, time: SCALAR, lane):
    """The same time in all lanes."""
    time.value = wanted


@lanewise
def begin_next(time: SCALAR, step: STEP, lane):
    """The next step begins at this time."""
    step.t = time.value


@inlined
def reached(step, lanes):
    """The time that every lane's step covers, s."""
    least = 1e300
    for k in range(len(lanes)):
        least = min(least, step[2 * len(lanes) + k])
    return least


@inlined
def attempt(given, era, order, tolerance, longest, stop, state, step, work, lanes):
    """Expand the state of each lane, and choose how long its step is."""
    expand(given, era, order, state, step, work.series, lanes)
    choose_length(given, order, tolerance, longest, step, work.series, work.norms, lanes)
    stop_at_branches(given, era, order, step, work.series, work.crossing, lanes)
    end_step(stop, step, lanes)


@inlined
def go_on(given, order, wanted, state, step, work, lanes):
    """Take the steps of the lanes that do not reach as far as wanted."""
    choose_time(wanted, step, work.time, lanes)
    place_at(given, order, work.time, state, step, work.series, work.by, state, lanes)
    begin_next(work.time, step, lanes)


@kernel(straight=Straight(known=("given", "era", "order"), local={"state": True, "step": True, "work": ("trial",)}))
def fly(given, era, order, tolerance, longest, wanted, stop, state, step, work, lanes):
    """The state at a time in `work.trial`."""
    n = 0
    while True:
        attempt(given, era, order, tolerance, longest, stop, state, step, work, lanes)
        n += 1
        if reached(step, lanes) >= wanted:
            break
        go_on(given, order, wanted, state, step, work, lanes)
    set_time(wanted, work.time, lanes)
    place_at(given, order, work.time, state, step, work.series, work.by, work.trial, lanes)
    return n
