"""Steps that are divided at events: a coordinate of a joint reaches a stop or a rate that can be held, or what holds
its rate would have to be more than there is.

Between two events modes are constant, so the step of a method has its order. A step that goes beyond one is taken back,
and is taken again with another length, until the event is at its end; there `modes.py` says what happens, and the rest
of the step goes on. Each lane does so for itself; lanes that wait for others, or took a step in vain, are put back.
"""

from __future__ import annotations

from typing import NamedTuple

from rigidsim.engine.constraints.loops import measure_all
from rigidsim.engine.dynamics.articulated import set_wanted
from rigidsim.engine.dynamics.drive import drive
from rigidsim.engine.dynamics.relations import step_row
from rigidsim.engine.evaluate import evaluate
from rigidsim.engine.integrators.parts import note_turns, put_back
from rigidsim.engine.model.arrays import StepPart, in_state
from rigidsim.engine.model.layout import (
    CONSTRAINT,
    COORDINATE,
    FAULT,
    GUARDS,
    JOINT_VALUE,
    RATE,
    SCALAR,
    SEARCH,
    STEP,
    TRIGGERED,
    copy_numbers,
    copy_rows,
    largest_of,
)
from rigidsim.engine.model.programs import fill
from rigidsim.jit import inlined, lanewise, routine
from rigidsim.physics.elementary import INFINITY, select
from rigidsim.physics.functions import absolute, remainder
from rigidsim.physics.modes import (
    FAR,
    constraint_bounds,
    constraint_guards,
    crossing,
    dip,
    rate_guards,
    sliding,
    sliding_force,
    stop_guards,
    tracks,
)
from rigidsim.physics.step_control import parts_of_step

NEAR = 1e-13  # of the longest part: times that are one
# Trials for an event: the first ones are at times that interpolation expects, then every other one, as an interpolant
# that begins at a stop approaches from one side; the others halve the bracket.
FEW, MOST = 8.0, 40.0
MOST_EVENTS = 1000.0  # in a step; what is left of it is taken as if there were none
# Of the grid, for methods that choose their steps: a rebound that is none, and the time for which events are counted.
SHORT = 1e-4
ABOUT = 1e-9  # of a part: what is left is no part of its own
# Of rates, and rad/s or m/s besides: if the rate that a servo wants differs by more from that to which a step led what
# it held, it is another one. The error of a step that resolves the goal is less.
JUMP, LEAST_JUMP = 1e-3, 1e-9


@inlined
def short(model):
    """With methods that choose their steps: what a rebound lasts that is none, s. Contact acts at the grid."""
    return model.step if model.contacts is not None else SHORT * model.step


class ModeRows(NamedTuple):
    """The rows of a coordinate that has modes: its constants, its state, and its constraint force."""

    value: JOINT_VALUE
    mode: COORDINATE
    constraint: CONSTRAINT


@inlined
def mode_rows(n, block):
    """Those of number n among what has modes."""
    i = block.model.joints.modes[n]
    return ModeRows(block.model.joints.value[i], block.state[i], block.scratch.joints.modes.constraint[n])


# --- trials


@lanewise
def begin_lane(count: SCALAR, h, search: SEARCH, lane):
    """Nothing of a step of length h (s) is done; its parts are as short as what turns in it wants."""
    longest = h / parts_of_step(count.value)
    search.done = 0.0
    search.longest = longest
    search.length = longest
    search.tried = 0.0
    search.events = 0.0


@inlined
def kept_rows(block):
    """The rows that a step may change, each with those that keep them as it begins."""
    kept = block.scratch.joints.modes
    return (block.state, kept.state), (block.scratch.fault, kept.first_fault)


@inlined
def keep_step(block, buffer):
    """Keep everything as a step begins, as its events may have no room."""
    for rows, first in kept_rows(block):
        copy_rows(0, len(rows), rows, first)
    copy_numbers(2, buffer.filled, buffer.kept)


@inlined
def put_step_back(block, buffer):
    """Put everything back as it was when the step began."""
    for rows, first in kept_rows(block):
        copy_rows(0, len(rows), first, rows)
    copy_numbers(2, buffer.kept, buffer.filled)


@inlined
def begin_search(h, block):
    """Begin a step of length h, s."""
    note_turns(h, block)
    begin_lane(block.scratch.part.parts, h, block.scratch.joints.modes.search, block.lanes)


@lanewise
def set_trial(t, t_end, h, search: SEARCH, part: StepPart, lane):
    """The times of the next trial in a step from t to t_end = t + h, s; it has no length in a lane that waits."""
    rest, done = h - search.done, search.done
    waits, is_last = rest <= 0.0, search.length * (1.0 + ABOUT) >= rest
    whole = select(is_last, rest, search.length)
    part.begin.value = select(waits, t_end, t + done)
    part.end.value = select(is_last, t_end, t + done + whole)
    part.length.value = select(waits, 0.0, whole)
    search.length = whole


@routine
def begin_trial(t, t_end, h, block):
    """Set the times of the next trial, and keep the state. Returns the largest length of a trial: 0 if all is done."""
    state, scratch = block.state, block.scratch
    part, found = scratch.part, scratch.joints.modes
    set_trial(t, t_end, h, found.search, part, block.lanes)
    longest = largest_of(part.length, block.lanes)
    if longest > 0.0:
        copy_rows(0, len(state), state, found.before)
        copy_rows(0, len(scratch.fault), scratch.fault, found.fault)
    return longest


# --- guards


@lanewise
def write_guards(rows: ModeRows, rate: RATE, guards: GUARDS, lane):
    """The guards of a coordinate in a state that was evaluated."""
    value, mode, constraint = rows
    x, v, slip, lag, stops = mode.x, mode.v, mode.slip, mode.lag, (value.low, value.high)
    below, above = stop_guards(x, v, slip, stops)
    wanted, rests = (constraint.wanted, constraint.wanted_dot), select(slip == 0.0, value.tracking > 0.0, False)
    first, second = rate_guards(v, rate.a[0], slip, lag, value.friction, wanted, value.largest)
    upper, lower = constraint_guards(
        constraint.torque, constraint_bounds(x, slip, lag, stops, value.friction, value.largest)
    )
    slides, waits = sliding(slip, lag) > 0.0, constraint.waits > 0.0
    upper, lower = select(waits, FAR, upper), select(waits, FAR, lower)
    guards.low = (
        select(rests, -lag * constraint.wanted, below[0]),
        select(rests, -lag * constraint.wanted_dot, below[1]),
    )
    guards.high = above
    guards.slip = select(slides, first[0], upper), select(slides, first[1], 0.0)
    guards.lag = select(slides, second[0], lower), select(slides, second[1], 0.0)


@inlined
def least_of(guards):
    """The least guard."""
    a, b = select(guards.low[0] < guards.high[0], guards.low[0], guards.high[0]), guards.slip[0]
    c = select(guards.lag[0] < b, guards.lag[0], b)
    return select(a < c, a, c)


@lanewise
def detect_event(
    before: COORDINATE, after: COORDINATE, value: JOINT_VALUE, length: SCALAR, search: SEARCH, changes: SCALAR, lane
):
    """Note whether a trial has to be looked at: 1 where a rate is held or a servo acts, 2 where an event is passed or
    searched for.
    """
    slip, lag, stops = after.slip, after.lag, (value.low, value.high)
    below, above = stop_guards(after.x, after.v, slip, stops)
    start_below, start_above = stop_guards(before.x, before.v, slip, stops)
    follows = value.tracking > 0.0
    largest = select(follows, 0.0, value.largest)
    first, second = rate_guards(after.v, 0.0, slip, lag, value.friction, (value.wanted, 0.0), largest)
    _, lowest = dip(length.value, start_below, below)
    _, highest = dip(length.value, start_above, above)
    least = select(below[0] < above[0], below[0], above[0])
    least = select(lowest < least, lowest, select(highest < least, highest, least))
    least = select(first[0] < least, first[0], select(second[0] < least, second[0], least))
    holds = select(follows, 1.0, 1.0 - sliding(slip, lag))
    found = select(least < 0.0, 2.0, select(search.tried == 0.0, holds, 2.0))
    found = select(length.value > 0.0, found, 0.0)
    changes.value = select(found > changes.value, found, changes.value)


@inlined
def detect_events(before, after, block):
    """Whether some lane has to look at the trial that led from one state to another, as `detect_event` says."""
    lanes = block.lanes
    joints, found = block.model.joints, block.scratch.joints.modes
    fill(found.changes, 0.0, lanes)
    for n in range(len(joints.modes)):
        i = joints.modes[n]
        length = block.scratch.part.length
        detect_event(before[i], after[i], joints.value[i], length, found.search, found.changes, lanes)
    return largest_of(found.changes, lanes)


@inlined
def find_guards(t, guards, block):
    """Write the guards of the state at time t, s. What expressions do wrong meanwhile does not count."""
    scratch = block.scratch
    joints, found = block.model.joints, scratch.joints.modes
    copy_rows(0, len(scratch.fault), scratch.fault, found.reached)
    evaluate(t, block)
    copy_rows(0, len(scratch.fault), found.reached, scratch.fault)
    for n in range(len(joints.modes)):
        write_guards(mode_rows(n, block), scratch.rate[joints.modes[n]], guards[n], block.lanes)


# --- where events are


@lanewise
def note_passed(guards: GUARDS, length: SCALAR, changes: SCALAR, lane):
    """Note whether a guard is negative."""
    passed = select(least_of(guards) < 0.0, length.value > 0.0, False)
    changes.value = select(passed, 1.0, changes.value)


@lanewise
def enclose(passed: SCALAR, search: SEARCH, tried: GUARDS, begin: GUARDS, end: GUARDS, lane):
    """Keep the guards of a trial as those after the event, or, in a search, before it."""
    is_after, is_before = passed.value > 0.0, select(passed.value > 0.0, False, search.tried > 0.0)
    for c in range(GUARDS.width):
        end[c] = select(is_after, tried[c], end[c])
        begin[c] = select(is_before, tried[c], begin[c])


@lanewise
def bracket(passed: SCALAR, search: SEARCH, first: SCALAR, lane):
    """Keep the time of a trial likewise; note whether a search begins with it, anywhere in the trial."""
    is_after, seeks = passed.value > 0.0, search.tried > 0.0
    is_first = select(is_after, search.tried <= 0.0, False)
    first.value = select(is_first, 1.0, 0.0)
    search.end = select(is_after, search.length, search.end)
    search.begin = select(is_first, 0.0, select(seeks, select(is_after, search.begin, search.length), 0.0))


@lanewise
def keep_first(first: SCALAR, tried: GUARDS, begin: GUARDS, lane):
    """Keep the guards at the beginning of a trial with which a search begins."""
    for c in range(GUARDS.width):
        begin[c] = select(first.value > 0.0, tried[c], begin[c])


@inlined
def find_first_guards(before, block):
    """The guards at the beginning of a trial, in lanes in which a search begins."""
    found = block.scratch.joints.modes
    find_guards(block.scratch.part.begin, found.tried, in_state(before, block))
    for n in range(len(block.model.joints.modes)):
        keep_first(found.takes, found.tried[n], found.begin[n], block.lanes)


@lanewise
def expect_nothing(search: SEARCH, lane):
    """No event is expected."""
    search.expected = INFINITY


@inlined
def crossing_of(search, k, begin, end):
    """The time at which one of the guards of a coordinate vanishes, s; infinite if it does not."""
    first, last = (begin[2 * k], begin[2 * k + 1]), (end[2 * k], end[2 * k + 1])
    return select(last[0] < 0.0, crossing(search.begin, search.end, first, last), INFINITY)


@inlined
def sooner(time, other):
    """The sooner one of two times."""
    return select(time < other, time, other)


@lanewise
def expect(passed: SCALAR, search: SEARCH, begin: GUARDS, end: GUARDS, lane):
    """In a search: expect the event where a guard of a coordinate vanishes, if none does sooner."""
    time = INFINITY
    for k in range(TRIGGERED.width):
        time = sooner(time, crossing_of(search, k, begin, end))
    seeks = select(passed.value > 0.0, True, search.tried > 0.0)
    search.expected = select(seeks, sooner(time, search.expected), search.expected)


@lanewise
def expect_inside(
    before: COORDINATE, after: COORDINATE, value: JOINT_VALUE, passed: SCALAR, length: SCALAR, search: SEARCH, lane
):
    """Elsewhere: expect one where the guard of a stop may have been negative inside of the trial."""
    stops, slip = (value.low, value.high), after.slip
    low_0, high_0 = stop_guards(before.x, before.v, slip, stops)
    low_1, high_1 = stop_guards(after.x, after.v, slip, stops)
    time, least = dip(length.value, low_0, low_1)
    other, lowest = dip(length.value, high_0, high_1)
    found = sooner(select(least < 0.0, time, INFINITY), select(lowest < 0.0, other, INFINITY))
    looks = select(passed.value > 0.0, False, search.tried == 0.0)
    search.expected = select(looks, sooner(found, search.expected), search.expected)


@lanewise
def mark_triggered(search: SEARCH, occurs: SCALAR, begin: GUARDS, end: GUARDS, triggered: TRIGGERED, lane):
    """Mark the guards that vanish at an event, in lanes in which one is found."""
    until, happens = search.expected + 2.0 * NEAR * search.longest, occurs.value > 0.0
    for k in range(TRIGGERED.width):
        vanishes = select(crossing_of(search, k, begin, end) <= until, 1.0, 0.0)
        triggered[k] = select(happens, vanishes, triggered[k])


# --- what is taken


@lanewise
def decide(passed: SCALAR, length: SCALAR, h, search: SEARCH, takes: SCALAR, occurs: SCALAR, lane):
    """Whether a trial is taken, and an event is due at its end or at its beginning; and the next one."""
    e, tried, near, this = search.expected, search.tried, NEAR * search.longest, search.length
    waits, blind = length.value <= 0.0, search.events >= MOST_EVENTS
    first = select(passed.value > 0.0, tried <= 0.0, False)
    off = select(e < this, this - e, e - this)
    is_found = select(off <= near, True, select(search.end - search.begin <= near, True, tried >= MOST))
    ends, at_once = select(tried > 0.0, is_found, False), select(first, e <= near, False)
    probes = select(select(passed.value > 0.0, False, tried == 0.0), e < this, False)
    goes_on = select(passed.value > 0.0, True, select(tried > 0.0, True, probes))  # with another trial, if not ended
    taken = select(blind, True, select(ends, True, select(goes_on, False, True)))
    taken = select(waits, False, taken)
    triggered = select(waits, False, select(blind, False, select(ends, True, at_once)))
    takes.value = select(taken, 1.0, 0.0)
    occurs.value = select(triggered, 1.0, 0.0)
    interpolates = select(tried < FEW, True, remainder(tried, 2.0) == 0.0)
    is_inside = select(interpolates, select(e > search.begin, e < search.end, False), False)
    following = select(probes, e, select(is_inside, e, 0.5 * (search.begin + search.end)))
    again = select(taken, False, select(triggered, False, select(waits, False, goes_on)))
    is_last = this >= h - search.done
    search.done = select(taken, select(is_last, h, search.done + this), search.done)
    search.length = select(again, following, search.longest)
    search.tried = select(again, select(probes, -1.0, select(tried > 0.0, tried + 1.0, 1.0)), 0.0)
    search.events += select(triggered, 1.0, select(probes, 1.0, 0.0))


@lanewise
def accept(length: SCALAR, h, search: SEARCH, takes: SCALAR, lane):
    """Take a trial without an event."""
    waits, is_done = length.value <= 0.0, search.length >= h - search.done
    takes.value = select(waits, 0.0, 1.0)
    search.done = select(waits, search.done, select(is_done, h, search.done + search.length))
    search.tried = 0.0
    search.length = search.longest


@lanewise
def restore_faults(takes: SCALAR, before: FAULT, fault: FAULT, lane):
    """Forget what expressions did in a trial that was not taken."""
    for c in range(FAULT.width):
        fault[c] = select(takes.value > 0.0, fault[c], before[c])


@lanewise
def invert(takes: SCALAR, changes: SCALAR, lane):
    """1 of a lane that does not take what was tried."""
    changes.value = 1.0 - takes.value


@inlined
def give_up(block):
    """Put lanes back that do not take what was tried."""
    state, scratch, lanes = block.state, block.scratch, block.lanes
    found = scratch.joints.modes
    invert(found.takes, found.changes, lanes)
    if largest_of(found.changes, lanes) == 0.0:
        return
    for k in range(len(state)):
        put_back(found.takes, found.before[k], state[k], lanes)
    for k in range(len(scratch.fault)):
        restore_faults(found.takes, found.fault[k], scratch.fault[k], lanes)


@inlined
def largest_passed(after, block):
    """Whether some guard at the end of a trial is negative."""
    scratch, lanes = block.scratch, block.lanes
    joints, found, length = block.model.joints, scratch.joints.modes, scratch.part.length
    find_guards(scratch.part.end, found.tried, in_state(after, block))
    fill(found.changes, 0.0, lanes)
    for n in range(len(joints.modes)):
        note_passed(found.tried[n], length, found.changes, lanes)
    return largest_of(found.changes, lanes)


@inlined
def search_event(before, after, block):
    """Find where events are expected in the trial that led from one state to another, whose guards are known."""
    lanes = block.lanes
    joints, found, length = block.model.joints, block.scratch.joints.modes, block.scratch.part.length
    for n in range(len(joints.modes)):
        enclose(found.changes, found.search, found.tried[n], found.begin[n], found.end[n], lanes)
    bracket(found.changes, found.search, found.takes, lanes)
    if largest_of(found.takes, lanes) > 0.0:
        find_first_guards(before, block)
    expect_nothing(found.search, lanes)
    for n in range(len(joints.modes)):
        i = joints.modes[n]
        expect(found.changes, found.search, found.begin[n], found.end[n], lanes)
        expect_inside(before[i], after[i], joints.value[i], found.changes, length, found.search, lanes)


@routine
def examine(before, after, h, block):
    """Whether a trial that led from one state to another in a step of length h (s) is taken, `takes`; and whether an
    event is due at its end, or at its beginning if it is not taken, `occurs`.
    """
    scratch, lanes = block.scratch, block.lanes
    joints, found, length = block.model.joints, scratch.joints.modes, scratch.part.length
    fill(found.occurs, 0.0, lanes)
    measure_all(scratch.part.end, in_state(after, block))
    looks = detect_events(before, after, block)
    if looks > 0.0:
        looks += largest_passed(after, block)
    if looks > 1.0:
        search_event(before, after, block)
        decide(found.changes, length, h, found.search, found.takes, found.occurs, lanes)
        for n in range(len(joints.modes)):
            mark_triggered(found.search, found.occurs, found.begin[n], found.end[n], found.triggered[n], lanes)
    else:
        accept(length, h, found.search, found.takes, lanes)


@lanewise
def count_impulse(takes: SCALAR, length: SCALAR, rows: ModeRows, lane):
    """Add the impulse of a constraint force in a trial that is taken, to first order."""
    value, mode, constraint = rows
    slides = sliding(mode.slip, mode.lag) > 0.0
    torque = select(slides, sliding_force(mode.slip, mode.lag, value.friction, value.largest), constraint.torque)
    constraint.given += select(takes.value > 0.0, length.value, 0.0) * torque


@inlined
def count_impulses(block):
    """Add the impulses of all constraint forces in the trials that are taken, where contact is going to compare them
    with their bounds; the last evaluation was within these trials.
    """
    model = block.model
    if model.contacts is not None:
        found, length = block.scratch.joints.modes, block.scratch.part.length
        for n in range(len(model.joints.modes)):
            count_impulse(found.takes, length, mode_rows(n, block), block.lanes)


@routine
def end_trial(h, block):
    """Take what was tried in a step of length h (s), or put it back; where an event is due, `occurs` is 1. Returns the
    largest of these.
    """
    scratch = block.scratch
    examine(scratch.joints.modes.before, block.state, h, block)
    count_impulses(block)
    give_up(block)
    keep_rates(scratch.part.end, scratch.joints.modes.takes, block)
    return largest_of(scratch.joints.modes.occurs, block.lanes)


# --- servos


@inlined
def want_now(t, block):
    """The rates that all motors want in the state at time t, s."""
    model = block.model
    if model.joints.servos is not None:
        drive(t, block)
    for i in model.joints.modes:
        if i < len(model.joints.joint):
            set_wanted(i, block)


@inlined
def sliding_signs(v, wanted):
    """(slip, lag) of a coordinate that slides with the rate v, rad/s or m/s."""
    return select(v < 0.0, -1.0, 1.0), select(v < wanted, -1.0, 1.0)


@lanewise
def keep_tracking(takes: SCALAR, constraint: CONSTRAINT, mode: COORDINATE, lane):
    """Give a coordinate that a servo holds its rate, without the error of a step. If the goal has jumped, the
    coordinate slides: no torque makes its rate jump.
    """
    holds, v, r = takes.value * tracks(mode.slip, mode.lag) > 0.0, mode.v, constraint.wanted
    jumps = select(holds, absolute(r - v) > JUMP * (absolute(r) + absolute(v)) + LEAST_JUMP, False)
    keeps = select(jumps, False, holds)
    mode.v = select(keeps, r, v)
    mode.v_low = select(keeps, 0.0, mode.v_low)
    slip, lag = sliding_signs(v, r)
    mode.slip = select(jumps, slip, mode.slip)
    mode.lag = select(jumps, lag, mode.lag)


@inlined
def keep_rates(t, takes, block):
    """Give coordinates that servos hold their rates at time t (s), in lanes that took a step."""
    model, state, scratch, lanes = block.model, block.state, block.scratch, block.lanes
    joints = model.joints
    if joints.servos is not None:
        want_now(t, block)
        for i in joints.servos:
            keep_tracking(takes, scratch.joints.modes.constraint[joints.joint[i].mode], state[i], lanes)


@inlined
def keep_rates_inside(t, block):
    """Likewise in all lanes, of a state inside of a trial or at its end."""
    fill(block.scratch.joints.modes.changes, 1.0, block.lanes)
    keep_rates(t, block.scratch.joints.modes.changes, block)


# --- of methods that choose their steps


@lanewise
def begin_lane_tries(h, step: STEP, search: SEARCH, lane):
    """No trial was looked at; events are counted for h, s."""
    search.done = 0.0
    search.tried = 0.0
    search.events = select(step.t - step.since < h, step.events, 0.0)
    search.ends = 0.0


@lanewise
def count_events(step: STEP, search: SEARCH, occurs: SCALAR, now: SCALAR, h, lane):
    """Keep how many events there were up to one that occurs now, s, for h, s, from the first one on."""
    happens, goes_on = occurs.value > 0.0, now.value - step.since < h
    step.since = select(happens, select(goes_on, step.since, now.value), step.since)
    step.events = select(happens, select(goes_on, search.events, 1.0), step.events)


@lanewise
def note_held(mode: COORDINATE, changes: SCALAR, lane):
    """Note whether a rate is held."""
    changes.value = select(sliding(mode.slip, mode.lag) > 0.0, changes.value, 1.0)


@lanewise
def limit(stop, h, held: SCALAR, step: STEP, search: SEARCH, until: SCALAR, lane):
    """How far a first trial may go: to `stop`, s; while a rate is held, not farther than h, s."""
    near = select(held.value > 0.0, select(step.t + h < stop, step.t + h, stop), stop)
    is_first = select(search.done > 0.0, False, search.tried == 0.0)
    until.value = select(is_first, near, until.value)


@inlined
def limit_tries(stop, block):
    """Limit first trials. What holds a rate is a function of time that no error measures, so it is looked at once in a
    step of the grid at least.
    """
    model, state, scratch, lanes = block.model, block.state, block.scratch, block.lanes
    found = scratch.joints.modes
    fill(found.changes, 0.0, lanes)
    for i in model.joints.modes:
        note_held(state[i], found.changes, lanes)
    limit(stop, model.step, found.changes, state[step_row(state, scratch)], found.search, found.until, lanes)


@inlined
def begin_tries(stop, block):
    """No trial was looked at; the first one may go as far as `stop`, s."""
    model, state, scratch, lanes = block.model, block.state, block.scratch, block.lanes
    begin_lane_tries(short(model), state[step_row(state, scratch)], scratch.joints.modes.search, lanes)
    limit_tries(stop, block)


@lanewise
def set_try(step: STEP, trial: STEP, search: SEARCH, part: StepPart, lane):
    """The times of a trial; it has no length in a lane that does not look at it, as its own was, or is not taken."""
    whole = trial.t - step.t
    waits = select(search.done > 0.0, True, select(trial.error <= 1.0, step.failed > 0.0, True))
    part.begin.value = step.t
    part.end.value = trial.t
    part.length.value = select(waits, 0.0, whole)
    search.longest = select(search.tried == 0.0, whole, search.longest)
    search.length = whole


@lanewise
def follow_try(
    step: STEP, length: SCALAR, search: SEARCH, takes: SCALAR, occurs: SCALAR, until: SCALAR,
    again: SCALAR, lane,
):  # fmt: skip
    """How far the next trial may go, s; a lane whose trial is the one does not look again. An event at the beginning
    of a trial occurs now, and another trial follows.
    """
    looks, is_taken, happens = length.value > 0.0, takes.value > 0.0, occurs.value > 0.0
    search.done = select(is_taken, 1.0, search.done)
    search.ends = select(is_taken, occurs.value, search.ends)
    at_once = select(looks, select(is_taken, False, happens), False)
    goes_on = select(looks, select(is_taken, False, True), False)
    until.value = select(goes_on, step.t + search.length, until.value)
    occurs.value = select(at_once, 1.0, 0.0)
    again.value = select(goes_on, 1.0, 0.0)


@inlined
def next_try(block):
    """Look at the trial of each lane that was made for events. Returns whether another trial has to be made, and
    whether events occur at once.
    """
    state, scratch, lanes = block.state, block.scratch, block.lanes
    part, found, last = scratch.part, scratch.joints.modes, step_row(state, scratch)
    step, trial = state[last], scratch.trial.state
    set_try(step, trial[last], found.search, part, lanes)
    examine(state, trial, 0.0, block)
    follow_try(step, part.length, found.search, found.takes, found.occurs, found.until, found.changes, lanes)
    return largest_of(found.changes, lanes) > 0.0, largest_of(found.occurs, lanes) > 0.0


@lanewise
def note_length(step: STEP, trial: STEP, takes: SCALAR, length: SCALAR, lane):
    """Whether a trial is taken, and its length, s."""
    takes.value = trial.takes
    length.value = trial.t - step.t


@inlined
def count_impulses_of_trials(block):
    """Add the impulses of all constraint forces in the trials that were judged, before they become the state."""
    scratch = block.scratch
    last, length = step_row(block.state, scratch), scratch.part.length
    note_length(block.state[last], scratch.trial.state[last], scratch.joints.modes.takes, length, block.lanes)
    count_impulses(block)


@lanewise
def note_taken(trial: STEP, search: SEARCH, takes: SCALAR, occurs: SCALAR, now: SCALAR, lane):
    """Whether a trial was taken and ends at an event, and when, s."""
    takes.value = trial.takes
    occurs.value = select(trial.takes > 0.0, search.ends, 0.0)
    now.value = trial.t
