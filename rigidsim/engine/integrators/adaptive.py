"""Steps by tolerance: a Runge-Kutta-Munthe-Kaas pair of order 8(5, 3) with dense output, on the whole tree.

Free bodies and rate-driven nodes are charts: position, of a body in world axes from its parent as in `rkmk4`, of a node
in its parent's; rotation, of a body in the world, of a node relative to its parent, by rotation vectors sigma from the
beginning of the step, whose rates are dexp_inverse(sigma, omega). Source: Munthe-Kaas, BIT 38 (1998); coefficients in
`dop853`, control in `physics/step_control.py`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rigidsim.engine.dynamics.articulated import keeps_mode
from rigidsim.engine.dynamics.drive import drive
from rigidsim.engine.dynamics.kinds import is_jointed, is_moved, place
from rigidsim.engine.dynamics.relations import keep_windings, step_row
from rigidsim.engine.evaluate import evaluate_placed, place_nodes
from rigidsim.engine.integrators.declaration import Integrator, Trials
from rigidsim.engine.integrators.dop853 import IN_DENSE, IN_ERROR, SLOPES, STAGES, TERMS, WEIGHT, tableau
from rigidsim.engine.integrators.rkmk4 import add_changes, add_changes_of_joint, begin_moved
from rigidsim.engine.model.arrays import Model, floats, in_state, made
from rigidsim.engine.model.layout import (
    ARM,
    BODY,
    EACH,
    FAULT,
    FRAME,
    LOCAL,
    RATE,
    RATE_DRIVEN,
    SCALAR,
    STAGE,
    START,
    STATE,
    STEP,
    SUMS,
    TRIPLE,
    add_to_sums,
    copy_rows,
)
from rigidsim.jit import constant, inlined, lanewise
from rigidsim.physics.elementary import select, sqrt
from rigidsim.physics.frames import changes_in_parent
from rigidsim.physics.functions import absolute, larger
from rigidsim.physics.quaternion import dexp_inverse_full, exp_full, product, renormalised, rotate_back
from rigidsim.physics.rigid_body import kinetic_energy
from rigidsim.physics.step_control import first_length, length_asked, next_length, step_error, worse
from rigidsim.physics.vector import ZERO, add, dot, scaled


class AdaptiveOptions(NamedTuple):
    """Tolerances, relative and absolute (m, m/s, rad, rad/s), and the shortest and the longest step, s."""

    rtol: float
    atol: float
    min_step: float
    max_step: float


class RungeKuttaTrial(NamedTuple):
    """Arrays for a trial of one block."""

    state: STATE = floats("state")  # at its end
    fault: FAULT = floats("expressed")  # of expressions, before it
    when: np.ndarray = floats(SCALAR)  # the time of a stage, s
    energy: SCALAR = floats()  # the kinetic energy at the beginning and at the last stage, J
    slopes: SUMS = floats("slopes")  # (slope * chart), then the sums of errors and of dense output
    tableau: np.ndarray = floats(IN_DENSE + TERMS, 1 + SLOPES)


def make_trial(
    before: RungeKuttaTrial | None, _method: AdaptiveOptions, _model: Model, n_state: int, n_fault: int, n: int
) -> RungeKuttaTrial:
    """The arrays for a state and expressions with so many rows, of n lanes; those of the block before if there was
    one with as many.
    """
    if before is not None and before.energy.shape[-1] == n:
        return before
    sizes = {"lanes": n, "state": n_state, "expressed": n_fault, "slopes": (IN_DENSE + TERMS) * n_state}
    trial = made(RungeKuttaTrial, sizes)
    trial.tableau[:] = tableau()
    return trial


@lanewise
def at_slope(step: STEP, trial: STEP, share, when: SCALAR, lane):
    """The time of a slope, a share of the step after its beginning."""
    when.value = step.t + share * (trial.t - step.t)


@inlined
def added(sums, weight, slope):
    """The sums of v, turning, a, alpha and power of a chart, with a slope of it added."""
    v, turning, a, alpha, power = sums
    return (
        add(v, scaled(weight, slope.v)),
        add(turning, scaled(weight, slope.turning)),
        add(a, scaled(weight, slope.a)),
        add(alpha, scaled(weight, slope.alpha)),
        power + weight * slope.power,
    )


@lanewise
def combine(slopes: SUMS, weights, n, first, apart, total: SUMS, lane):
    """The sum of n slopes of a chart, each with its weight."""
    total.v, total.turning, total.a, total.alpha, total.power = ZERO, ZERO, ZERO, ZERO, 0.0
    sums = total.v, total.turning, total.a, total.alpha, total.power
    for j in range(n):
        sums = added(sums, weights[1 + j], slopes[first + j * apart])
    total.v, total.turning, total.a, total.alpha, total.power = sums


@lanewise
def begin_rate_driven(state: RATE_DRIVEN, start: START, lane):
    """The pose of a rate-driven node at the beginning of the step."""
    start.d = state.p
    start.v = ZERO


@lanewise
def place_stage(step: STEP, trial: STEP, state: STAGE, start: START, total: SUMS, stage: STAGE, turn: TRIPLE, lane):
    """A chart at a stage: d + h mean d', q exp(sigma/2) with sigma = h mean turning, and so on."""
    h = trial.t - step.t
    sigma = scaled(h, total.turning)
    turn.xyz = sigma
    stage.p = add(start.d, scaled(h, total.v))
    stage.q = renormalised(product(state.q, exp_full(scaled(0.5, sigma))))
    stage.v = add(start.v, scaled(h, total.a))
    stage.omega = add(state.omega, scaled(h, total.alpha))


@lanewise
def place_rate_driven(when: EACH, stage: RATE_DRIVEN, lane):
    """The pose of a rate-driven node is that at the time of the stage."""
    stage.since = when


@lanewise
def keep_slope(stage: STAGE, rate: RATE, turn: TRIPLE, slope: SUMS, lane):
    """The rates of a free body at a stage."""
    slope.v = stage.v
    slope.turning = dexp_inverse_full(turn.xyz, stage.omega)
    slope.a, slope.alpha, slope.power = rate.a, rate.alpha, rate.power


@lanewise
def keep_pace(driven: LOCAL, turn: TRIPLE, slope: SUMS, lane):
    """The rates of a rate-driven node at a stage; they are given in its parent's axes."""
    slope.v = driven.v
    slope.turning = dexp_inverse_full(turn.xyz, rotate_back(driven.q, driven.omega))
    slope.a, slope.alpha, slope.power = ZERO, ZERO, 0.0


@constant
@lanewise
def begin_guess(most, trial: STEP, lane):
    """The first step is no longer than one of the grid."""
    trial.h = most


@inlined
def position(has_mode, p):
    """The position of a chart, that of a coordinate without its mode."""
    return (p[0], 0.0, 0.0) if has_mode else p


@constant
@lanewise
def guess(has_mode, state: STAGE, start: START, slope: SUMS, small, trial: STEP, lane):
    """Shorten the first step by what changes fastest in a chart; `small` is the size that counts at rest."""
    d = position(has_mode, start.d)
    h = first_length(trial.h, small + sqrt(dot(d, d)), slope.v)
    h = first_length(h, small + sqrt(dot(start.v, start.v)), slope.a)
    h = first_length(h, small + sqrt(dot(state.omega, state.omega)), slope.alpha)
    trial.h = first_length(h, 1.0, slope.turning)


@lanewise
def set_end(step: STEP, trial: STEP, stop: EACH, most, lane):
    """The end of the trial: two equal steps rather than a short one before the stop."""
    wanted = select(step.h > 0.0, step.h, trial.h)
    h, left = select(wanted < most, wanted, most), stop - step.t
    trial.h = h
    trial.t = select(left <= h, stop, step.t + select(left < 2.0 * h, 0.5 * left, h))
    trial.error = 0.0
    trial.worst = 0.0


@inlined
def changes_in_trial(step, trial, total, end):
    """The changes of p, v, omega and work in the trial, and the orientation at its end."""
    h = trial.t - step.t
    q = product(end.q, exp_full(scaled(0.5 * h, total.turning)))
    return (scaled(h, total.v), scaled(h, total.a), scaled(h, total.alpha), h * total.power), renormalised(q)


@lanewise
def keep_stage(step: STEP, trial: STEP, total: SUMS, start: START, parent: FRAME, body: BODY, end: STATE, lane):
    """A free body at the end of the trial, from the beginning; the parent's frame is that at the end."""
    changes, q = changes_in_trial(step, trial, total, end)
    add_changes(end, start, parent, body, changes)
    end.q = q


@lanewise
def keep_joint(step: STEP, trial: STEP, total: SUMS, end: STATE, lane):
    """A joint at the end of the trial."""
    changes, q = changes_in_trial(step, trial, total, end)
    add_changes_of_joint(end, changes)
    end.q = q


@lanewise
def keep_rate_driven(step: STEP, trial: STEP, total: SUMS, end: RATE_DRIVEN, lane):
    """A rate-driven node at the end of the trial."""
    h = trial.t - step.t
    q = product(end.q, exp_full(scaled(0.5 * h, total.turning)))
    add_to_sums(end, p=scaled(h, total.v))
    end.q = renormalised(q)
    end.since = trial.t


class ErrorRows(NamedTuple):
    """The rows of a chart whose error is measured: those of the step and its trial, two sums of errors, and the chart
    at the beginning and at the end.
    """

    step: STEP
    trial: STEP
    fifth: SUMS
    third: SUMS
    state: STAGE
    start: START
    end: STAGE


@inlined
def note_error(trial, e, k):
    """Keep the error of chart k, if it is the largest up to now."""
    total = worse(trial.error, e)
    trial.worst = select(total == trial.error, trial.worst, 1.0 * k)
    trial.error = total


@lanewise
def measure(has_mode, rows: ErrorRows, rtol, atol, k, lane):
    """The error of chart k."""
    step, trial, fifth, third, state, start, end = rows
    before, after = position(has_mode, start.d), position(has_mode, end.p)
    h, one = trial.t - step.t, (1.0, 0.0, 0.0)
    e = step_error(h, fifth.v, third.v, before, after, rtol, atol)
    e = worse(e, step_error(h, fifth.turning, third.turning, one, one, rtol, atol))
    e = worse(e, step_error(h, fifth.a, third.a, start.v, end.v, rtol, atol))
    e = worse(e, step_error(h, fifth.alpha, third.alpha, state.omega, end.omega, rtol, atol))
    note_error(trial, e, k)


@lanewise
def clear_energy(energy: SCALAR, lane):
    """None."""
    energy.value = 0.0


@lanewise
def add_energy(body: BODY, frame: FRAME, arm: ARM, energy: SCALAR, lane):
    """Add the kinetic energy of a body, J."""
    energy.value += kinetic_energy(body.mass, body.inertia, arm.v_WC, rotate_back(frame.q, frame.omega))


@inlined
def add_energies(block):
    """Add the kinetic energy at a stage."""
    model, scratch = block.model, block.scratch
    for i in range(len(model.moved_node)):
        node = model.moved_node[i]
        add_energy(model.body[i], scratch.frame[node + 1], scratch.arm[node], scratch.trial.energy, block.lanes)


@lanewise
def measure_work(rows: ErrorRows, after: STATE, energy: SCALAR, rtol, atol, k, lane):
    """The error of the work of chart k, beside it and the kinetic energy at both ends."""
    one = (larger(energy.value, larger(absolute(rows.state.work), absolute(after.work))), 0.0, 0.0)
    of_fifth, of_third = (rows.fifth.power, 0.0, 0.0), (rows.third.power, 0.0, 0.0)
    note_error(rows.trial, step_error(rows.trial.t - rows.step.t, of_fifth, of_third, one, one, rtol, atol), k)


@constant
@lanewise
def control(step: STEP, trial: STEP, most, lane):
    """The length of the next step, or of the one in its place; after one that was repeated it does not grow."""
    longest = select(step.repeats > 0.0, select(trial.h < most, trial.h, most), most)
    asked = length_asked(trial.t - step.t, trial.h, trial.error)
    following = next_length(trial.h, asked, step.asked, trial.error)
    trial.asked = asked
    trial.h = select(following < longest, following, longest)


@inlined
def take_slope(i, block):
    """Slope i of all charts, after those before it; its sum is left in `scratch.sum`."""
    model, state, scratch, lanes = block.model, block.state, block.scratch, block.lanes
    trial, stage, n, n_moved = scratch.trial, scratch.stage, step_row(state, scratch), len(model.moved_node)
    step, next_step, weights = state[n], trial.state[n], trial.tableau[i]
    at_slope(step, next_step, weights[0], trial.when, lanes)
    for k in range(n):
        start, total = scratch.start[k], scratch.sum[k]
        combine(trial.slopes, weights, i, k, n, total, lanes)
        place_stage(step, next_step, state[k], start, total, stage[k], scratch.turn[k], lanes)
        if k >= n_moved:
            place_rate_driven(trial.when, stage[k], lanes)
    place_nodes(model.active, trial.when, in_state(stage, block), True)
    evaluate_placed(trial.when, in_state(stage, block), True)
    for k in range(n_moved):
        keep_slope(stage[k], scratch.rate[k], scratch.turn[k], trial.slopes[i * n + k], lanes)
    if model.expressions is not None:
        for k in range(len(model.expressions.rate_driven)):
            driven = scratch.driven[model.expressions.rate_driven[k].row]
            keep_pace(driven, scratch.turn[n_moved + k], trial.slopes[i * n + n_moved + k], lanes)


@inlined
def begin_charts(block):
    """The beginning of the step: the charts in world axes, and the frames of their parents."""
    state, scratch = block.state, block.scratch
    trial, n, n_moved = scratch.trial, step_row(state, scratch), len(block.model.moved_node)
    at_slope(state[n], trial.state[n], 0.0, trial.when, block.lanes)
    place_nodes(block.model.active, trial.when, block)
    copy_rows(n_moved, len(state), state, scratch.stage)
    begin_moved(block)
    for k in range(n_moved, n):
        begin_rate_driven(state[k], scratch.start[k], block.lanes)


@inlined
def set_length(method, stop, block):
    """The end of the trial, when the first slope is known."""
    state, scratch, lanes = block.state, block.scratch, block.lanes
    trial, n = scratch.trial, step_row(state, scratch)
    begin_guess(block.model.step, trial.state[n], lanes)
    for k in range(n):
        small = method.atol / method.rtol
        if keeps_mode(k, block.model):
            guess(True, state[k], scratch.start[k], trial.slopes[k], small, trial.state[n], lanes)
        else:
            guess(False, state[k], scratch.start[k], trial.slopes[k], small, trial.state[n], lanes)
    set_end(state[n], trial.state[n], stop, method.max_step, lanes)


@inlined
def keep_charts(block):
    """The charts at the end of the trial, parents first. Driven nodes that no free body moves are where they were for
    the last slope.
    """
    model, state, scratch, lanes = block.model, block.state, block.scratch, block.lanes
    trial, n = scratch.trial, step_row(state, scratch)
    for k in range(len(model.moved_node), n):
        keep_rate_driven(state[n], trial.state[n], scratch.sum[k], trial.state[k], lanes)
    for node in model.active:
        if is_jointed(node, model):
            for k in range(model.node[node].first, model.node[node].row + 1):
                keep_joint(state[n], trial.state[n], scratch.sum[k], trial.state[k], lanes)
        elif is_moved(node, model):
            k, parent = model.node[node].row, scratch.frame[model.node[node].parent]
            total, start, body = scratch.sum[k], scratch.start[k], model.body[k]
            keep_stage(state[n], trial.state[n], total, start, parent, body, trial.state[k], lanes)
        if model.node[node].moves_free > 0:
            place(node, trial.when, in_state(trial.state, block))


@inlined
def attempt(method, stop, block):
    """Try a step from the state of each lane, not beyond the time `stop`, s: fills `scratch.trial`."""
    state, scratch, lanes = block.state, block.scratch, block.lanes
    trial, n = scratch.trial, step_row(state, scratch)
    copy_rows(0, n, state, trial.state)
    copy_rows(n + 1, len(state), state, trial.state)
    begin_charts(block)
    i = 0
    while i < STAGES:
        take_slope(i, block)
        if i == 0:
            set_length(method, stop, block)
            clear_energy(trial.energy, lanes)
            add_energies(block)
        i += 1
    add_energies(block)
    keep_windings(trial.when, in_state(trial.state, block))
    keep_charts(block)
    for k in range(n):
        for e in range(IN_ERROR, IN_DENSE):
            combine(trial.slopes, trial.tableau[e], STAGES, k, n, trial.slopes[e * n + k], lanes)
        fifth, third = trial.slopes[IN_ERROR * n + k], trial.slopes[(IN_ERROR + 1) * n + k]
        rows = ErrorRows(state[n], trial.state[n], fifth, third, state[k], scratch.start[k], scratch.stage[k])
        if keeps_mode(k, block.model):
            measure(True, rows, method.rtol, method.atol, k, lanes)
        else:
            measure(False, rows, method.rtol, method.atol, k, lanes)
        if k < len(block.model.moved_node):
            measure_work(rows, trial.state[k], trial.energy, method.rtol, method.atol, k, lanes)
    control(state[n], trial.state[n], method.max_step, lanes)


@inlined
def share(method):
    """The relative tolerance of a step."""
    return method.rtol


@inlined
def fill(method, block):
    """What `between` needs, after an attempt."""
    trial, n = block.scratch.trial, step_row(block.state, block.scratch)
    i = STAGES
    while i < SLOPES:
        take_slope(i, block)
        i += 1
    for k in range(n):
        for term in range(IN_DENSE, IN_DENSE + TERMS):
            combine(trial.slopes, trial.tableau[term], SLOPES, k, n, trial.slopes[term * n + k], block.lanes)


@lanewise
def interpolate(step: STEP, trial: STEP, t, slopes: SUMS, first, apart, total: SUMS, lane):
    """The changes of a chart from the beginning of the step to time t, s: the weighted sum of the terms of dense
    output.
    """
    h = trial.t - step.t
    x = (t - step.t) / h
    y = 1.0 - x
    sums, weight = (ZERO, ZERO, ZERO, ZERO, 0.0), h
    for j, factor in enumerate((x, y, x, y, x, y, x)):
        weight = weight * factor
        sums = added(sums, weight, slopes[first + j * apart])
    total.v, total.turning, total.a, total.alpha, total.power = sums


@inlined
def show(total, state, stage, dp, dv):
    """A moved row inside the step, from the changes of its chart and of its p and v."""
    stage.p = add(state.p, dp)
    stage.q = renormalised(product(state.q, exp_full(scaled(0.5, total.turning))))
    stage.v = add(state.v, dv)
    stage.omega = add(state.omega, total.alpha)
    stage.work = state.work + total.power


@lanewise
def show_body(total: SUMS, state: STAGE, start: START, parent: FRAME, body: BODY, stage: STAGE, lane):
    """A free body inside the step, from the changes of its chart; the parent's frame is that at the same time."""
    dp, dv = changes_in_parent(
        start.q, parent.q, start.omega, parent.omega, body.scale, state.p, state.v, start.d, total.v, total.a
    )
    show(total, state, stage, dp, dv)


@lanewise
def show_joint(total: SUMS, state: STAGE, stage: STAGE, lane):
    """A joint inside the step."""
    show(total, state, stage, total.v, total.a)


@lanewise
def show_rate_driven(t, total: SUMS, state: RATE_DRIVEN, stage: RATE_DRIVEN, lane):
    """A rate-driven node at time t inside the step, from the changes of its chart."""
    stage.p = add(state.p, total.v)
    stage.q = renormalised(product(state.q, exp_full(scaled(0.5, total.turning))))
    stage.since = t


@inlined
def between(method, t, block):
    """The state at time t, s, inside the trials that were filled: in `scratch.stage`."""
    model, state, scratch, lanes = block.model, block.state, block.scratch, block.lanes
    trial, stage, n, n_moved = scratch.trial, scratch.stage, step_row(state, scratch), len(model.moved_node)
    for k in range(n):
        interpolate(state[n], trial.state[n], t, trial.slopes, IN_DENSE * n + k, n, scratch.sum[k], lanes)
    for k in range(n_moved, n):
        show_rate_driven(t, scratch.sum[k], state[k], stage[k], lanes)
    drive(t, in_state(stage, block))
    for node in model.active:
        if is_jointed(node, model):
            for k in range(model.node[node].first, model.node[node].row + 1):
                show_joint(scratch.sum[k], state[k], stage[k], lanes)
        elif is_moved(node, model):
            k, parent = model.node[node].row, scratch.frame[model.node[node].parent]
            show_body(scratch.sum[k], state[k], scratch.start[k], parent, model.body[k], stage[k], lanes)
        if model.node[node].moves_free > 0 or not is_moved(node, model):
            place(node, t, in_state(stage, block))


TRIALS = Trials(make_trial, attempt, between, share, fill)
INTEGRATOR = Integrator("adaptive", AdaptiveOptions, trials=TRIALS, weights=WEIGHT)
