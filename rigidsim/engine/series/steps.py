"""Steps by series: the coefficients at the beginning of a step, its length, and the state inside it."""

from __future__ import annotations

from typing import Any, NamedTuple

from rigidsim.engine.model.layout import (
    CROSSING,
    EACH,
    NO_ROW,
    NORMS,
    NUMBERS,
    RATE_DRIVEN,
    SCALAR,
    STAGE,
    STEP,
    UNWRAPPED,
    coefficients_of,
    factors_of,
    numbers_of,
)
from rigidsim.engine.model.programs import fill
from rigidsim.engine.series.recurrences import CODE
from rigidsim.jit import constant, inlined, lanewise, routine
from rigidsim.physics.elementary import NAN, select
from rigidsim.physics.exponentials import power_of_two
from rigidsim.physics.functions import absolute, smaller
from rigidsim.physics.quaternion import renormalised
from rigidsim.physics.series import product_terms
from rigidsim.physics.step_control import NO_LIMIT, group_logarithm, longest_step, rough_power_of_two
from rigidsim.physics.summation import compensated_sum

PRODUCT = CODE["multiply"]
SIDE_BY_SIDE = 16  # products; their sums and factors are to fit in the processor's registers
MUCH = 2.0  # log2 of a share of a length: entire functions differ by less from term to term
LEAST_PART = 2.0**-40  # of a step: crossings nearer to each other are one
MOST_PARTS = 1000  # that are looked at for one guard
HALVINGS = 52  # of a part, to find where the sign changes
QUICK, MOST_QUICK = 1e-6, 100.0  # of a step; so many shorter ones in a row
BEYOND = 1e-13  # of the way to a change, by which a step ends later, so that the sign has changed for good
BEYOND_KINK = 1e-9
"""The same where a root or length passes zero and nothing is divided by it.

|x| differs there from its series by 2 |x|, which changes the motion by 1e-18 of what the way does. Nearer to the zero
coefficients of order k are too large: they grow as |x|^(1 - k).
"""
SPARE, MOST_SPARE, GROWTH = 1e-16, 1e-7, 4.0  # of a step, besides: 2^GROWTH times as much after each quick one
LATER = 1.0 + 2.0**-51  # times a time: a later one, as late in a run a time has fewer digits than a step


class Expansion(NamedTuple):
    """The series of a step, by the equations of one number."""

    given: Any  # the tables of all equations
    number: int
    order: int
    series: Any  # the coefficients of all numbers
    step: Any  # STEP of each lane at its beginning
    trial: Any  # and at its end


# --- bodies at rest


@lanewise
def look_at(body: STAGE, resting: SCALAR, lane):
    """Whether a body turns."""
    a, b, c = body.omega
    resting.value = select(a == 0.0, select(b == 0.0, select(c == 0.0, resting.value, 0.0), 0.0), 0.0)


@inlined
def rests(given, resting, block):
    """Whether the equations with bodies at rest are those of the present state: none of these turns in any lane."""
    phase, state, lanes = block.phase, block.state, block.lanes
    if given.resting is None or given.number[phase, 1] == NO_ROW:
        return False
    fill(resting, 1.0, lanes)
    for row in range(given.resting.shape[1]):
        if given.resting[phase, row] == 1:
            look_at(state[row], resting, lanes)
    total = 0.0
    for k in range(len(lanes)):
        total = total + resting[k]
    return total == len(lanes)


# --- coefficients


@lanewise
def take(row: NUMBERS, column, term: NUMBERS, lane):
    """x_0 from a number of the state."""
    term[0] = row[column]


@routine
def begin_terms(given, terms, begin, end, series, lanes):
    """x_0 of all operations, in order, of numbers in the places of a table of terms."""
    numbers, n = series.reshape(-1), len(lanes)
    for r in range(begin, end):
        operation = given.run[r].operation
        for code, value, takes in given.values:
            if operation == code:
                for m in range(given.run[r].begin, given.run[r].end):
                    a, b, c = numbers[terms[m].a :], numbers[terms[m].b :], numbers[terms[m].c :]
                    rows, x = (a, b, c), numbers[terms[m].x :]
                    for lane in range(n):
                        SCALAR(x, lane, n).value = value(*numbers_of(rows[:takes], lane, n))
                break


@inlined
def grow_products(given, begin, end, k, numbers, lanes):
    """x_k of some products side by side, with the bits that they have one after the other."""
    n = len(lanes)
    for lane in range(n):
        grown = product_terms(factors_of(given.term, begin, end, k, numbers, lane, n))
        for m in range(begin, end):
            NUMBERS(numbers[given.term[m].x :], lane, n)[k] = grown[m - begin]


@routine
def grow_terms(given, begin, end, orders, series, lanes):
    """x_k of all operations that vary, in order. `orders` is (k,), a tuple, so that k is known in the code."""
    numbers, n, k = series.reshape(-1), len(lanes), orders[0]
    for r in range(begin, end):
        growth = given.run[r].growth
        if type(begin) is int and growth == PRODUCT:  # straight code
            for m in range(given.run[r].begin, given.run[r].end, SIDE_BY_SIDE):
                grow_products(given, m, min(m + SIDE_BY_SIDE, given.run[r].end), k, numbers, lanes)
            continue
        for code, value, takes in given.growths:
            if growth == code:
                for m in range(given.run[r].begin, given.run[r].end):
                    a, b, c = numbers[given.term[m].a :], numbers[given.term[m].b :], numbers[given.term[m].c :]
                    rows = (a, b, c, numbers[given.term[m].x :])
                    for lane in range(n):
                        NUMBERS(rows[3], lane, n)[k] = value(*coefficients_of(takes, k, rows, lane, n))
                break


@inlined
def expand(expansion, orders, state, lanes):
    """The coefficients of all numbers of the equations up to the last of `orders`, from the state at the time of each
    lane.
    """
    given, number, series = expansion.given, expansion.number, expansion.series
    first, n = given.begin[number], len(given.variable)
    begin, middle, end = given.first[number], given.integrated[number], given.first[number + 1]
    take(expansion.step, STEP.place("t"), series[first], lanes)
    for i in range(n):
        take(state[given.variable[i].state], given.variable[i].column, series[first + i + 1], lanes)
    for k in range(len(given.winding)):
        take(state[given.winding[k]], 0, series[first + n + 1 + k], lanes)
    begin_terms(given, given.term, middle, end, series, lanes)
    for k in orders[:-1]:
        grow_terms(given, begin, end, (k,), series, lanes)
    grow_terms(given, begin, middle, orders[-1:], series, lanes)


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
    norms.fourth_last += term[order - 3] * term[order - 3]
    norms.third_last += term[order - 2] * term[order - 2]
    norms.before_last += term[order - 1] * term[order - 1]
    norms.last += term[order] * term[order]


@lanewise
def shorten(order, tolerance, row, norms: NORMS, lane):
    """The longest step that a vector in this row of the state allows, if it is shorter than that of the others. By
    symmetry the last two coefficients may both vanish (a pendulum at 90 degrees has every fourth), so the two before
    count where they allow much less.
    """
    middle = order // 2
    references = (
        (0, group_logarithm(norms.value)), (1, group_logarithm(norms.rate)), (2, group_logarithm(norms.second)),
        (middle, group_logarithm(norms.middle)), (middle + 1, group_logarithm(norms.after)),
    )  # fmt: skip
    earlier = (*references[:4], references[3])
    last = smaller(
        longest_step(tolerance, references, norms.before_last, order - 1),
        longest_step(tolerance, references, norms.last, order),
    )
    before = smaller(
        longest_step(tolerance, earlier, norms.fourth_last, order - 3),
        longest_step(tolerance, earlier, norms.third_last, order - 2),
    )
    y = select(before + MUCH < last, before, last)
    norms.length = select(y < norms.length, y, norms.length)
    size = norms.value + norms.before_last + norms.last
    fails = select(size - size == 0.0, 0.0, 1.0) > norms.failed + 1.0
    norms.failed = select(fails, 1.0 * row, norms.failed)


@lanewise
def begin_norms(norms: NORMS, lane):
    """No limit."""
    norms.length, norms.failed = NO_LIMIT, -1.0


@lanewise
def clear_norms(norms: NORMS, lane):
    """Of the next vector."""
    norms.value, norms.rate, norms.second, norms.middle = 0.0, 0.0, 0.0, 0.0
    norms.after, norms.fourth_last, norms.third_last, norms.before_last, norms.last = 0.0, 0.0, 0.0, 0.0, 0.0


@constant
@lanewise
def choose(longest, step: STEP, trial: STEP, norms: NORMS, lane):
    """The length of the step, at most what the one before leaves; none if a coefficient is not finite."""
    h = rough_power_of_two(norms.length)
    fails = norms.failed >= 0.0
    most = select(step.h > 0.0, select(step.h < longest, step.h, longest), longest)
    trial.h = select(fails, -1.0, select(h > most, most, h))
    trial.error = select(fails, NAN, 0.0)
    trial.worst = select(fails, norms.failed, 0.0)
    trial.t = step.t + select(fails, 0.0, trial.h)


@inlined
def choose_length(expansion, tolerance, longest, norms, lanes):
    """The length of the step from the last two coefficients of each vector."""
    given, number, order, series = expansion.given, expansion.number, expansion.order, expansion.series
    begin_norms(norms, lanes)
    for g in range(len(given.group)):
        if given.group[g].limits == 1 and given.varies[number, g] == 1:
            clear_norms(norms, lanes)
            for i in range(given.group[g].begin, given.group[g].end):
                add_squares(order, series[given.begin[number] + i + 1], norms, lanes)
            shorten(order, tolerance, given.variable[given.group[g].begin].state, norms, lanes)
    choose(longest, expansion.step, expansion.trial, norms, lanes)


# --- branches


@inlined
def at_length(order, h, guard):
    """A guard after a time h, s, by Horner's rule."""
    total = guard[order]
    for j in range(1, order + 1):
        total = total * h + guard[order - j]
    return total


@inlined
def differs(order, h, guard, answer):
    """Whether the comparison has another answer after a time h, s."""
    return select(at_length(order, h, guard) < 0.0, 1.0, 0.0) != answer[0]


@inlined
def kept(first, answer):
    """The size of a guard while the comparison has its answer, which is negative where it has another."""
    return select(answer[0] != 0.0, -first, first)


@lanewise
def begin_search(order, step: STEP, trial: STEP, guard: NUMBERS, answer: NUMBERS, crossing: CROSSING, lane):
    """Search the whole step if the sum of |c_j| h^j, j > 0, may exceed the guard at its beginning."""
    length = trial.t - step.t
    total = absolute(guard[order])
    for j in range(1, order):
        total = total * length + absolute(guard[order - j])
    crossing.length = length
    crossing.begin, crossing.end, crossing.found = 0.0, length, 0.0
    crossing.open = select(kept(guard[0], answer) < total * length, 1.0, 0.0)


@lanewise
def shift(order, guard: NUMBERS, crossing: CROSSING, shifted: NUMBERS, lane):
    """The polynomial of a guard about the middle of the part, in units of half its length: Horner's rule, repeated."""
    half = 0.5 * (crossing.end - crossing.begin)
    middle = crossing.begin + half
    for j in range(order + 1):
        shifted[j] = guard[j]
    for i in range(order):
        for j in range(order - i):
            shifted[order - 1 - j] = shifted[order - 1 - j] + middle * shifted[order - j]
    power = half
    for j in range(1, order + 1):
        shifted[j] = shifted[j] * power
        power = power * half


@lanewise
def bracket(order, guard: NUMBERS, answer: NUMBERS, shifted: NUMBERS, crossing: CROSSING, lane):
    """Go on to the next part if the answer does not change in this one; else to its first half, unless the guard is
    monotonic: then it changes at most once, which the end shows.
    """
    slope, rest = absolute(shifted[1]), absolute(shifted[order])
    slopes = order * rest
    for j in range(2, order):
        size = absolute(shifted[j])
        rest = rest + size
        slopes = slopes + j * size
    begin, end, length = crossing.begin, crossing.end, crossing.end - crossing.begin
    may_vanish = select(kept(shifted[0], answer) < slope + rest, slope < slopes, False)
    passes = select(length > LEAST_PART * crossing.length, select(may_vanish, 0.0, 1.0), 1.0)
    found = select(differs(order, end, guard, answer), passes, 0.0)
    further = select(end + 2.0 * length < crossing.length, end + 2.0 * length, crossing.length)
    next_begin = select(passes > found, end, begin)
    next_end = select(found > 0.0, end, select(passes > 0.0, further, begin + 0.5 * length))
    is_open = crossing.open > 0.0
    crossing.found = select(is_open, found, crossing.found)
    crossing.begin = select(is_open, next_begin, begin)
    crossing.end = select(is_open, next_end, end)
    crossing.open = select(next_begin < crossing.length, crossing.open * (1.0 - found), 0.0)


@lanewise
def halve(order, guard: NUMBERS, answer: NUMBERS, crossing: CROSSING, lane):
    """Halve the part of the step in which the answer changes."""
    h = 0.5 * (crossing.begin + crossing.end)
    ends = differs(order, h, guard, answer)
    crossing.begin = select(ends, crossing.begin, h)
    crossing.end = select(ends, h, crossing.end)


@lanewise
def end_beyond(share, step: STEP, trial: STEP, crossing: CROSSING, lane):
    """End the step where the answer has changed, or where the search has ended, later by a share of the way; farther
    beyond it after quick steps: the guard may be the difference of large numbers, whose rounding hides its sign there.
    """
    last = select(crossing.open > 0.0, crossing.begin, crossing.end)
    grown = SPARE * power_of_two(GROWTH * step.quick)
    beyond = share * last + select(grown < MOST_SPARE, grown, MOST_SPARE) * crossing.length
    end = LATER * (step.t + (last + beyond))
    trial.t = select(crossing.found + crossing.open > 0.0, select(end < trial.t, end, trial.t), trial.t)


@lanewise
def end_at(stop: EACH, step: STEP, trial: STEP, crossing: CROSSING, lane):
    """End the step at `stop` at the latest."""
    trial.t = select(trial.t > stop, stop, trial.t)
    crossing.whole = trial.t - step.t


@lanewise
def count_quick(step: STEP, trial: STEP, crossing: CROSSING, lane):
    """Fail where branches end one step after the other at once: the motion does not leave the place where they meet."""
    quick = select(trial.t - step.t < QUICK * crossing.whole, step.quick + 1.0, 0.0)
    trial.quick = quick
    stays = quick > MOST_QUICK
    trial.h = select(stays, -1.0, trial.h)
    trial.error = select(stays, NAN, trial.error)


@inlined
def lanes_with(column, crossing, lanes):
    """The number of lanes in which a column is 1."""
    total = 0.0
    for k in range(len(lanes)):
        total = total + crossing[column * len(lanes) + k]
    return total


@routine
def stop_at_branch(expansion, share, guard, answer, shifted, crossing, lanes):
    """Shorten the steps in which a comparison gets another answer, to the first time at which it does. Guards are
    known to one order less than the state.

    Parts of the step, from its beginning on, are halved until the guard has no zero in them, because it is larger in
    the middle than the sum of its other terms can be, or at most one, because its slope is.
    """
    order, step, trial = expansion.order - 1, expansion.step, expansion.trial
    begin_search(order, step, trial, guard, answer, crossing, lanes)
    parts = 0
    while parts < MOST_PARTS and lanes_with(CROSSING.place("open"), crossing, lanes) > 0.0:
        shift(order, guard, crossing, shifted, lanes)
        bracket(order, guard, answer, shifted, crossing, lanes)
        parts += 1
    if lanes_with(CROSSING.place("found"), crossing, lanes) > 0.0:
        count = 0
        while count < HALVINGS:  # `for` would be written out in straight code
            halve(order, guard, answer, crossing, lanes)
            count += 1
    end_beyond(share, step, trial, crossing, lanes)


@inlined
def stop_at_branches(expansion, shifted, crossing, lanes):
    """A step ends where a branch of the equations does."""
    given, number, series = expansion.given, expansion.number, expansion.series
    for m in range(given.first_guard[number], given.first_guard[number + 1]):
        guard, answer = series[given.guard[m, 0]], series[given.guard[m, 1]]
        share = select(given.guard[m, 2] == 1, BEYOND_KINK, BEYOND)
        stop_at_branch(expansion, share, guard, answer, shifted, crossing, lanes)
    count_quick(expansion.step, expansion.trial, crossing, lanes)


# --- the state inside a step


@lanewise
def change(order, t: EACH, step: STEP, term: NUMBERS, by: SCALAR, lane):
    """x(t) - x_0 by Horner's rule."""
    h = t - step.t
    total = term[order]
    for j in range(1, order):
        total = total * h + term[order - j]
    by.value = total * h


@lanewise
def keep(source: NUMBERS, column, target: NUMBERS, lane):
    """A number that does not change: as if zero was added, of which -0.0 becomes 0.0."""
    target[column] = source[column] + 0.0


@lanewise
def add_change(source: NUMBERS, column, low, by: SCALAR, target: NUMBERS, lane):
    """Add a change to a compensated sum."""
    target[column], target[low] = compensated_sum(source[column], source[low], by.value)


@lanewise
def add_rounded(source: NUMBERS, column, low, by: SCALAR, target: NUMBERS, lane):
    """The same without the low part."""
    target[column], _ = compensated_sum(source[column], source[low], by.value)


@lanewise
def add_plain(source: NUMBERS, column, by: SCALAR, target: NUMBERS, lane):
    """Add a change to a number that has no low part; where it is zero, whatever its sign, as `keep` does."""
    target[column] = (source[column] + by.value) + 0.0


@lanewise
def unit(target: STAGE, lane):
    """The orientation, of length 1."""
    target.q = renormalised(target.q)


@lanewise
def place_rate_driven(t: EACH, target: RATE_DRIVEN, lane):
    """The pose of a rate-driven node is that at time t."""
    target.since = t


@lanewise
def wind(now: NUMBERS, by: SCALAR, target: UNWRAPPED, lane):
    """The winding at the time of a change."""
    target.last = now[0] + by.value


@lanewise
def keep_winding(t: EACH, over: NUMBERS, before: UNWRAPPED, trial: UNWRAPPED, lane):
    """The time when half a turn, at which the torque reverses, was first passed (`relations.keep_winding`)."""
    passes = over[0] * trial.last * before.last < 0.0
    trial.passed = select(passes, select(before.passed == 0.0, t, before.passed), before.passed)


@inlined
def place_at(expansion, t, n_moved, keeps, state, by, target, lanes):
    """The state at time t (s) inside the step of each lane, in `target`; with the low parts of sums if it `keeps`
    them.
    """
    given, number, order, step = expansion.given, expansion.number, expansion.order, expansion.step
    for g in range(len(given.group)):
        for i in range(given.group[g].begin, given.group[g].end):
            row, column, low = given.variable[i].state, given.variable[i].column, given.variable[i].low
            if given.varies[number, g] == 0:
                keep(state[row], column, target[row], lanes)
                if keeps and low != NO_ROW:
                    keep(state[row], low, target[row], lanes)
            else:
                change(order, t, step, expansion.series[given.begin[number] + i + 1], by, lanes)
                if low == NO_ROW:
                    add_plain(state[row], column, by, target[row], lanes)
                elif keeps:
                    add_change(state[row], column, low, by, target[row], lanes)
                else:
                    add_rounded(state[row], column, low, by, target[row], lanes)
    for row in range(given.n_posed):
        unit(target[row], lanes)
        if row >= n_moved:
            place_rate_driven(t, target[row], lanes)
    for k in range(len(given.winding)):
        now = expansion.series[given.now[number, k, 0]]
        change(order - 1, t, step, now, by, lanes)
        wind(now, by, target[given.winding[k]], lanes)
