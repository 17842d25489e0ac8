"""Steps that are tried: for methods that choose the length of their steps, each lane of a block for itself.

The state of a lane is that at the time in its row `STEP`, the beginning of a trial that goes further than anyone has
asked for. A trial is the whole next state, with its error and the length of the step after it; where its error is too
large, that of the step in its place. It is a function of the state alone, so it need not be kept: a call of a kernel
begins by making it again. Samples are taken inside of it, so neither they nor the slices of a run, nor what other lanes
do, change the steps; only `stop`, the edge at which the present phase ends, does.
"""

from __future__ import annotations

from rigidsim.engine.constraints.lasting import add_works, begin_powers, lasts
from rigidsim.engine.constraints.loops import close_loops
from rigidsim.engine.dynamics.relations import step_row
from rigidsim.engine.events.buffer import lacks_room
from rigidsim.engine.events.modes import settle_begin, settle_taken
from rigidsim.engine.events.switching import begin_tries, count_impulses_of_trials, limit_tries, next_try
from rigidsim.engine.integrators import attempt, between, fill, trials_of, weights_of
from rigidsim.engine.model.arrays import in_state, switches
from rigidsim.engine.model.layout import FAULT, STAGE, STATE, STEP, copy_rows
from rigidsim.jit import inlined, lanewise
from rigidsim.physics.elementary import INFINITY, NAN, select
from rigidsim.physics.loops import closure_error
from rigidsim.physics.step_control import worse

UNKNOWN, TRIED, FILLED = 0, 1, 2
"""What is known of the present trials: nothing, the next states, everything that samples inside of them need."""
LEAST = 1e-15  # of the time: the shortest step
GUESSED = 5.0


@inlined
def stop_of(phase, model):
    """The time at which a phase ends, s."""
    if phase < len(model.edge_step):
        return (model.edge_step[phase] + model.edge_fraction[phase]) * model.step
    return INFINITY


@lanewise
def judge(step: STEP, trial: STEP, wanted, stop, least, lane):
    """Whether the trial is taken: if it can be, and ends before the time that is wanted; and whether it is repeated."""
    ahead = select(step.t < wanted, 1.0 - step.failed, 0.0)
    passes = select(trial.error <= 1.0, 1.0, 0.0)
    takes, repeats = ahead * passes * select(trial.t < wanted, 1.0, 0.0), ahead * (1.0 - passes)
    # What ends at a stop is not the method's choice, and what is followed by a much longer step was a guess.
    length = trial.t - step.t
    is_chosen = select(trial.t < stop, trial.h < GUESSED * length, False)
    before = select(step.shortest > 0.0, step.shortest, INFINITY)
    is_shortest = select(is_chosen, length, INFINITY) < before
    trial.takes, trial.repeats = takes, repeats
    trial.taken = step.taken + 1.0
    trial.rejected = step.rejected
    trial.events, trial.since = step.events, step.since
    trial.shortest = select(is_shortest, length, step.shortest)
    trial.shortest_at = select(is_shortest, step.t, step.shortest_at)
    failed = select(trial.h < least + LEAST * step.t, takes + repeats, 0.0)
    trial.failed = failed
    step.failed = select(failed > 0.0, 1.0, step.failed)
    step.worst = select(repeats > 0.0, trial.worst, step.worst)
    step.h = select(repeats > 0.0, trial.h, step.h)
    step.repeats = select(repeats > 0.0, 1.0, step.repeats)
    step.rejected += repeats


@lanewise
def take(trial: STEP, source: STATE, target: STATE, lane):
    """Make the row of a trial that of the state."""
    takes = trial.takes > 0.0
    for c in range(STATE.width):
        target[c] = select(takes, source[c], target[c])


@lanewise
def spoil(step: STEP, state: STATE, k, lane):
    """Make the motion that no step leads on NaN."""
    fails = select(step.worst == k, step.failed, 0.0) > 0.0
    x, y, z = state.p
    state.p = (select(fails, NAN, x), y, z)


@lanewise
def restore_faults(trial: STEP, before: FAULT, fault: FAULT, lane):
    """Forget what expressions did in a trial that is repeated with a shorter step."""
    forgets = select(trial.failed > 0.0, 0.0, trial.repeats) > 0.0
    fault.failed = select(forgets, before.failed, fault.failed)
    fault.time = select(forgets, before.time, fault.time)
    fault.value = select(forgets, before.value, fault.value)


@lanewise
def take_at(step: STEP, trial: STEP, stop, lane):
    """Take the trials that end at a stop."""
    trial.takes = select(step.t < stop, 1.0 - step.failed, 0.0)


@inlined
def lanes_that_go_on(trial, lanes):
    """The number of lanes whose trial is taken or repeated."""
    count, n = 0.0, len(lanes)
    for k in range(n):
        count += trial[STEP.place("takes") * n + k] + trial[STEP.place("repeats") * n + k]
    return count


@inlined
def take_trials(method, block):
    """Make the trials that are to be taken the state."""
    state, scratch = block.state, block.scratch
    trial, last = scratch.trial.state, step_row(state, scratch)
    if lasts(scratch) and trial[last][STEP.place("takes")] > 0.0:  # these have one lane
        h = trial[last][STEP.place("t")] - state[last][STEP.place("t")]
        add_works(h, weights_of(method), scratch.lasting)
    for k in range(len(state)):
        take(trial[last], trial[k], state[k], block.lanes)


@inlined
def settle_trials(method, block):
    """Take or give up the trials that were judged."""
    state, scratch, lanes = block.state, block.scratch, block.lanes
    trial, last = scratch.trial, step_row(state, scratch)
    for k in range(len(scratch.fault)):
        restore_faults(trial.state[last], trial.fault[k], scratch.fault[k], lanes)
    take_trials(method, block)
    for k in range(last):
        spoil(state[last], state[k], k, lanes)


@lanewise
def judge_closure(step: STEP, trial: STEP, before: STAGE, after: STAGE, tolerance, lane):
    """Repeat a step with half its length after which closing the loops changed more than the step may be wrong: where
    they become dependent, the motion could be taken to another branch.
    """
    e = worse(closure_error(before.p, after.p, tolerance), closure_error(before.v, after.v, tolerance))
    e = worse(e, closure_error(before.omega, after.omega, tolerance))
    e = worse(e, closure_error(before.q[1:], after.q[1:], tolerance))
    fails = e > 1.0
    trial.error = select(fails, worse(trial.error, e), trial.error)
    trial.h = select(fails, 0.5 * (trial.t - step.t), trial.h)


@inlined
def try_step(method, stop, block):
    """Make the trial of each lane, not beyond the time `stop`, s."""
    model, state, scratch, lanes = block.model, block.state, block.scratch, block.lanes
    if lasts(scratch):
        begin_powers(scratch.lasting)
    attempt(method, stop, block)
    if model.loops is not None:
        trial, last = scratch.trial.state, step_row(state, scratch)
        copy_rows(0, last, trial, scratch.stage)
        close_loops(trial[last], in_state(trial, block))
        for k in range(len(model.moved_node)):
            judge_closure(state[last], trial[last], scratch.stage[k], trial[k], trials_of(method).share(method), lanes)


@inlined
def try_to_event(method, stop, block, buffer):
    """Make the trial of each lane, not beyond the time `stop` (s) and the first event of a coordinate that has modes.
    What happens at its beginning needs room in the buffer.
    """
    scratch = block.scratch
    found = scratch.joints.modes
    begin_tries(stop, block)
    again = True
    while again:
        copy_rows(0, len(scratch.fault), scratch.trial.fault, scratch.fault)
        try_step(method, found.until, block)
        again, occurs = next_try(block)
        if occurs and not lacks_room(block.model, buffer):
            settle_begin(block, buffer)
            limit_tries(stop, block)
        again = again and buffer.lacks[0] == 0


@inlined
def reach(method, wanted, stop, known, block, buffer=None):
    """Take steps until the trial of each lane goes on to the time that is wanted, s; or until impacts at stops have no
    room in the buffer, which is noted there. `known` is what is known of the present trials, on entry and on return.
    """
    model, state, scratch, lanes = block.model, block.state, block.scratch, block.lanes
    trial, last = scratch.trial, step_row(state, scratch)
    if lanes_before(wanted, state[last], lanes) == 0:
        return known
    while True:
        if known == UNKNOWN:
            copy_rows(0, len(scratch.fault), scratch.fault, trial.fault)
            if switches(model):
                try_to_event(method, stop, block, buffer)
            else:
                try_step(method, stop, block)
            known = TRIED
        if switches(model) and lacks_room(model, buffer):
            return UNKNOWN
        judge(state[last], trial.state[last], wanted, stop, method.min_step, lanes)
        if lanes_that_go_on(trial.state[last], lanes) == 0.0:
            return known
        if switches(model):
            count_impulses_of_trials(block)
        settle_trials(method, block)
        if switches(model):
            settle_taken(trial.state[last], block, buffer)
        known = UNKNOWN


@inlined
def arrive(method, stop, block, buffer=None):
    """Take steps to a time, s, at which all lanes end one; for `buffer` see `reach`."""
    state, scratch = block.state, block.scratch
    last = step_row(state, scratch)
    reach(method, stop, stop, UNKNOWN, block, buffer)
    if switches(block.model) and buffer.lacks[0] > 0:
        return
    take_at(state[last], scratch.trial.state[last], stop, block.lanes)
    if switches(block.model):
        count_impulses_of_trials(block)
    take_trials(method, block)


@inlined
def lanes_before(t, row, lanes):
    """The number of lanes whose state is that of an earlier time."""
    count, n = 0, len(lanes)
    for k in range(n):
        if row[STEP.place("t") * n + k] < t and row[STEP.place("failed") * n + k] == 0.0:
            count += 1
    return count


@lanewise
def choose(step: STEP, t, state: STATE, stage: STAGE, lane):
    """The state itself where it is that of time t, or nothing leads on from it."""
    is_now = select(step.t < t, step.failed, 1.0) > 0.0
    for c in range(STAGE.width):
        stage[c] = select(is_now, state[c], stage[c])


@inlined
def look(method, t, known, block):
    """The state at time t, s, which was reached, in `scratch.stage`. `known` as in `reach`."""
    state, scratch = block.state, block.scratch
    last = step_row(state, scratch)
    is_inside = lanes_before(t, state[last], block.lanes) > 0
    if is_inside and known == TRIED:
        fill(method, block)
        known = FILLED
    copy_rows(0, len(state), state, scratch.stage)
    if is_inside:
        between(method, t, block)
        for k in range(last):
            choose(state[last], t, state[k], scratch.stage[k], block.lanes)
    return known
