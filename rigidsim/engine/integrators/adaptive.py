"""Steps by tolerance: a Runge-Kutta-Munthe-Kaas pair of order 8(5, 3) with dense output, on the whole tree.

Free bodies and paced nodes are charts: position, and rotation in the world or relative to the parent, with rotation
vectors sigma from the beginning of the step, whose rates are dexp_inverse(sigma, omega). Source: Munthe-Kaas, BIT 38
(1998); coefficients in `dop853`, control in `physics/step_control.py`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rigidsim.engine.evaluate import evaluate
from rigidsim.engine.integrators.dop853 import IN_DENSE, IN_ERROR, SLOPES, STAGES, TERMS, tableau
from rigidsim.engine.layout import (
    FAULT,
    LOCAL,
    PACED,
    RATE,
    SCALAR,
    STAGE,
    STATE,
    STEP,
    SUMS,
    TRIPLE,
    add_to_sums,
    copy_rows,
)
from rigidsim.engine.model import Model, floats, made
from rigidsim.engine.relations import keep_windings, step_row
from rigidsim.jit import inlined, lanewise
from rigidsim.physics.elementary import select, sqrt
from rigidsim.physics.quaternion import dexp_inverse_full, exp_full, product, renormalised, rotate_back
from rigidsim.physics.step_control import first_length, next_length, step_error, worse
from rigidsim.physics.vector import add, dot, scaled

NONE = (0.0, 0.0, 0.0)


class AdaptiveOptions(NamedTuple):
    """Tolerances, relative and absolute (m, m/s, rad, rad/s), and the shortest and the longest step, s."""

    rtol: float
    atol: float
    min_step: float
    max_step: float


class Trial(NamedTuple):
    """Arrays for a trial of one block."""

    state: STATE = floats("state")  # at its end
    fault: FAULT = floats("expressed")  # of expressions, before it
    when: np.ndarray = floats(SCALAR)  # the time of a stage, s
    slopes: SUMS = floats("slopes")  # (slope * chart), then the sums of errors and of dense output
    tableau: np.ndarray = floats(IN_DENSE + TERMS, 1 + SLOPES)


def make_trial(_model: Model, n_state: int, n_fault: int, n: int) -> Trial:
    """The arrays for a state and expressions with so many rows, of n lanes."""
    sizes = {"lanes": n, "state": n_state, "expressed": n_fault, "slopes": (IN_DENSE + TERMS) * n_state}
    trial = made(Trial, sizes)
    trial.tableau[:] = tableau()
    return trial


@lanewise
def at_slope(step: STEP, trial: STEP, share, when: SCALAR, lane):
    """The time of a slope, a share of the step after its beginning."""
    when.value = step.t + share * (trial.t - step.t)


@lanewise
def combine(slopes: SUMS, weights, n, first, apart, total: SUMS, lane):
    """The sum of n slopes of a chart, each with its weight."""
    total.v, total.turning, total.a, total.alpha, total.power = NONE, NONE, NONE, NONE, 0.0
    v, turning, a, alpha, power = total.v, total.turning, total.a, total.alpha, total.power
    for j in range(n):
        slope, weight = slopes[first + j * apart], weights[1 + j]
        v = add(v, scaled(weight, slope.v))
        turning = add(turning, scaled(weight, slope.turning))
        a = add(a, scaled(weight, slope.a))
        alpha = add(alpha, scaled(weight, slope.alpha))
        power += weight * slope.power
    total.v, total.turning, total.a, total.alpha, total.power = v, turning, a, alpha, power


@lanewise
def place_stage(step: STEP, trial: STEP, start: STAGE, total: SUMS, stage: STAGE, turn: TRIPLE, lane):
    """A free body at a stage: p + h mean v, q exp(sigma/2) with sigma = h mean turning, and so on."""
    h = trial.t - step.t
    sigma = scaled(h, total.turning)
    turn.xyz = sigma
    stage.p = add(start.p, scaled(h, total.v))
    stage.q = renormalised(product(start.q, exp_full(scaled(0.5, sigma))))
    stage.v = add(start.v, scaled(h, total.a))
    stage.omega = add(start.omega, scaled(h, total.alpha))


@lanewise
def place_paced(when: SCALAR, stage: PACED, lane):
    """The pose of a paced node is that at the time of the stage."""
    stage.since = when.value


@lanewise
def keep_slope(stage: STAGE, rate: RATE, turn: TRIPLE, slope: SUMS, lane):
    """The rates of a free body at a stage."""
    slope.v = stage.v
    slope.turning = dexp_inverse_full(turn.xyz, stage.omega)
    slope.a, slope.alpha, slope.power = rate.a, rate.alpha, rate.power


@lanewise
def keep_pace(driven: LOCAL, turn: TRIPLE, slope: SUMS, lane):
    """The rates of a paced node at a stage; they are given in its parent's axes."""
    slope.v = driven.v
    slope.turning = dexp_inverse_full(turn.xyz, rotate_back(driven.q, driven.omega))
    slope.a, slope.alpha, slope.power = NONE, NONE, 0.0


@lanewise
def begin_guess(most, trial: STEP, lane):
    """The first step is no longer than one of the grid."""
    trial.h = most


@lanewise
def guess(start: STAGE, slope: SUMS, small, trial: STEP, lane):
    """Shorten the first step by what changes fastest in one chart; `small` is the size that counts at rest."""
    h = first_length(trial.h, small + sqrt(dot(start.p, start.p)), slope.v)
    h = first_length(h, small + sqrt(dot(start.v, start.v)), slope.a)
    h = first_length(h, small + sqrt(dot(start.omega, start.omega)), slope.alpha)
    trial.h = first_length(h, 1.0, slope.turning)


@lanewise
def set_end(step: STEP, trial: STEP, stop, most, lane):
    """The end of the trial: two equal steps rather than a short one before the stop."""
    wanted = select(step.h > 0.0, step.h, trial.h)
    h, left = select(wanted < most, wanted, most), stop - step.t
    trial.h = h
    trial.t = select(left <= h, stop, step.t + select(left < 2.0 * h, 0.5 * left, h))
    trial.error = 0.0
    trial.worst = 0.0


@lanewise
def keep_stage(step: STEP, trial: STEP, total: SUMS, end: STATE, lane):
    """A free body at the end of the trial."""
    h = trial.t - step.t
    q = product(end.q, exp_full(scaled(0.5 * h, total.turning)))
    add_to_sums(end, p=scaled(h, total.v), v=scaled(h, total.a))
    add_to_sums(end, omega=scaled(h, total.alpha), work=h * total.power)
    end.q = renormalised(q)


@lanewise
def keep_paced(step: STEP, trial: STEP, total: SUMS, end: PACED, lane):
    """A paced node at the end of the trial."""
    h = trial.t - step.t
    q = product(end.q, exp_full(scaled(0.5 * h, total.turning)))
    add_to_sums(end, p=scaled(h, total.v))
    end.q = renormalised(q)
    end.since = trial.t


@lanewise
def measure(step: STEP, trial: STEP, fifth: SUMS, third: SUMS, start: STAGE, end: STAGE, rtol, atol, k, lane):
    """The largest error of chart k, if it is the largest up to now."""
    h, one = trial.t - step.t, (1.0, 0.0, 0.0)
    e = step_error(h, fifth.v, third.v, start.p, end.p, rtol, atol)
    e = worse(e, step_error(h, fifth.turning, third.turning, one, one, rtol, atol))
    e = worse(e, step_error(h, fifth.a, third.a, start.v, end.v, rtol, atol))
    e = worse(e, step_error(h, fifth.alpha, third.alpha, start.omega, end.omega, rtol, atol))
    total = worse(trial.error, e)
    trial.worst = select(total == trial.error, trial.worst, 1.0 * k)
    trial.error = total


@lanewise
def control(step: STEP, trial: STEP, most, lane):
    """The length of the next step, or of the one in its place; after one that was repeated it does not grow."""
    longest = select(step.repeats > 0.0, select(trial.h < most, trial.h, most), most)
    following = next_length(trial.t - step.t, trial.h, trial.error, step.error)
    trial.h = select(following < longest, following, longest)


@inlined
def take_slope(i, era, model, state, scratch, lanes):
    """Slope i of all charts, after those before it; its sum is left in `scratch.sum`."""
    trial, n, n_moved = scratch.trial, step_row(state, scratch), len(model.moved_node)
    step, next_step, weights = state[n], trial.state[n], trial.tableau[i]
    at_slope(step, next_step, weights[0], trial.when, lanes)
    for k in range(n):
        combine(trial.slopes, weights, i, k, n, scratch.sum[k], lanes)
        place_stage(step, next_step, state[k], scratch.sum[k], scratch.stage[k], scratch.turn[k], lanes)
        if k >= n_moved:
            place_paced(trial.when, scratch.stage[k], lanes)
    evaluate(trial.when, era, model, scratch.stage, scratch, lanes)
    for k in range(n_moved):
        keep_slope(scratch.stage[k], scratch.rate[k], scratch.turn[k], trial.slopes[i * n + k], lanes)
    if model.expressions is not None:
        for k in range(len(model.expressions.paced)):
            driven = scratch.driven[model.expressions.paced[k].row]
            keep_pace(driven, scratch.turn[n_moved + k], trial.slopes[i * n + n_moved + k], lanes)


@inlined
def begin(method, stop, model, state, scratch, lanes):
    """The end of the trial, when the first slope is known."""
    trial, n = scratch.trial, step_row(state, scratch)
    begin_guess(model.step, trial.state[n], lanes)
    for k in range(n):
        guess(state[k], trial.slopes[k], method.atol / method.rtol, trial.state[n], lanes)
    set_end(state[n], trial.state[n], stop, method.max_step, lanes)


@inlined
def attempt(method, stop, era, model, state, scratch, lanes):
    """Try a step from the state of each lane, not beyond the time `stop`, s: fills `scratch.trial`."""
    trial, n, n_moved = scratch.trial, step_row(state, scratch), len(model.moved_node)
    copy_rows(0, len(state), state, scratch.stage)
    for k in range(len(state)):
        if k != n:
            copy_rows(k, k + 1, state, trial.state)
    i = 0
    while i < STAGES:
        take_slope(i, era, model, state, scratch, lanes)
        if i == 0:
            begin(method, stop, model, state, scratch, lanes)
        i += 1
    for k in range(n):
        end = trial.state[k]
        if k < n_moved:
            keep_stage(state[n], trial.state[n], scratch.sum[k], end, lanes)
        else:
            keep_paced(state[n], trial.state[n], scratch.sum[k], end, lanes)
        for e in range(IN_ERROR, IN_DENSE):
            combine(trial.slopes, trial.tableau[e], STAGES, k, n, trial.slopes[e * n + k], lanes)
        fifth, third = trial.slopes[IN_ERROR * n + k], trial.slopes[(IN_ERROR + 1) * n + k]
        measure(state[n], trial.state[n], fifth, third, state[k], end, method.rtol, method.atol, k, lanes)
    control(state[n], trial.state[n], method.max_step, lanes)
    keep_windings(trial.when, era, model, trial.state, scratch, lanes)


@inlined
def fill(method, era, model, state, scratch, lanes):
    """What `between` needs, after an attempt."""
    trial, n = scratch.trial, step_row(state, scratch)
    i = STAGES
    while i < SLOPES:
        take_slope(i, era, model, state, scratch, lanes)
        i += 1
    for k in range(n):
        for term in range(IN_DENSE, IN_DENSE + TERMS):
            combine(trial.slopes, trial.tableau[term], SLOPES, k, n, trial.slopes[term * n + k], lanes)


@lanewise
def interpolate(step: STEP, trial: STEP, t, slopes: SUMS, first, apart, start: STAGE, stage: STAGE, lane):
    """A chart at time t inside the trial, s: the weighted sum of the terms of dense output."""
    h = trial.t - step.t
    x = (t - step.t) / h
    y = 1.0 - x
    v, turning, a, alpha, power, weight = NONE, NONE, NONE, NONE, 0.0, h
    for j, factor in enumerate((x, y, x, y, x, y, x)):
        slope, weight = slopes[first + j * apart], weight * factor
        v = add(v, scaled(weight, slope.v))
        turning = add(turning, scaled(weight, slope.turning))
        a = add(a, scaled(weight, slope.a))
        alpha = add(alpha, scaled(weight, slope.alpha))
        power += weight * slope.power
    stage.p = add(start.p, v)
    stage.q = renormalised(product(start.q, exp_full(scaled(0.5, turning))))
    stage.v = add(start.v, a)
    stage.omega = add(start.omega, alpha)
    stage.work = start.work + power


@lanewise
def interpolate_paced(t, stage: PACED, lane):
    """The pose of a paced node is that at time t."""
    stage.since = t


@inlined
def between(method, t, model, state, scratch, lanes):
    """The state at time t, s, inside the trials that were filled: in `scratch.stage`."""
    trial, n = scratch.trial, step_row(state, scratch)
    for k in range(n):
        first = IN_DENSE * n + k
        interpolate(state[n], trial.state[n], t, trial.slopes, first, n, state[k], scratch.stage[k], lanes)
        if k >= len(model.moved_node):
            interpolate_paced(t, scratch.stage[k], lanes)
