"""Fourth-order Runge-Kutta-Munthe-Kaas on the whole tree."""

from __future__ import annotations

from typing import NamedTuple

from rigidsim.engine.evaluate import evaluate
from rigidsim.engine.layout import RATE, STAGE, STATE, SUMS, TRIPLE, add_to_sums, copy_rows
from rigidsim.jit import inlined, lanewise
from rigidsim.physics.quaternion import dexp_inverse, exp_septic, product, renormalised
from rigidsim.physics.vector import add, scaled

# Kutta's classical tableau (1901): stage i sits at t + NODE[i] h and weighs WEIGHT[i].
NODE = (0.0, 0.5, 0.5, 1.0)
WEIGHT = (1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0)


class Rkmk4Options(NamedTuple):
    """The method has no options."""


@lanewise
def combine(start: STAGE, stage: STAGE, rate: RATE, turn: TRIPLE, total: SUMS, target: STAGE, h, weight, node, lane):
    """Accumulate one stage's rates, and compute the next stage, `target` = start + node h rate.

    The rotation in the world is stepped by the rotation vector sigma with q = q0 exp(sigma/2), whose rate is
    dexp_inverse(sigma, omega_B). `turn` is the present stage's sigma on entry and the next one's on return.
    """
    x = h * node
    v, omega_B = stage.v, stage.omega
    turning = dexp_inverse(turn.xyz, omega_B)
    a, alpha = rate.a, rate.alpha
    total.v = add(total.v, scaled(weight, v))
    total.turning = add(total.turning, scaled(weight, turning))
    total.a = add(total.a, scaled(weight, a))
    total.alpha = add(total.alpha, scaled(weight, alpha))
    power = rate.power
    total.power += weight * power

    sigma = scaled(x, turning)
    q = product(start.q, exp_septic(scaled(0.5, sigma)))
    turn.xyz = sigma
    target.p = add(start.p, scaled(x, v))
    target.q = renormalised(q)
    target.v = add(start.v, scaled(x, a))
    target.omega = add(start.omega, scaled(x, alpha))


@lanewise
def finish(state: STATE, stage: STAGE, rate: RATE, turn: TRIPLE, total: SUMS, h, weight, lane):
    """Accumulate the last stage's rates, and advance `state` by h times the weighted sum of all."""
    v, omega_B = stage.v, stage.omega
    turning = dexp_inverse(turn.xyz, omega_B)
    a, alpha = rate.a, rate.alpha
    mean_v = add(total.v, scaled(weight, v))
    mean_turning = add(total.turning, scaled(weight, turning))
    mean_a = add(total.a, scaled(weight, a))
    mean_alpha = add(total.alpha, scaled(weight, alpha))
    mean_power = total.power + weight * rate.power

    q = product(state.q, exp_septic(scaled(0.5 * h, mean_turning)))
    add_to_sums(state, p=scaled(h, mean_v))
    state.q = renormalised(q)
    add_to_sums(state, v=scaled(h, mean_a))
    add_to_sums(state, omega=scaled(h, mean_alpha))
    add_to_sums(state, work=h * mean_power)


@inlined
def step(method, t, h, era, model, state, scratch, lanes):
    """Advance the state from t to t + h."""
    stage, n_moved = state, len(model.moved_node)
    copy_rows(n_moved, len(state), state, scratch.stage)  # poses of paced nodes do not change within a step
    # Assigned, not multiplied by zero: a run that overflowed may have left NaN there.
    scratch.turn[:] = 0.0
    scratch.sum[:] = 0.0
    for i in range(4):
        evaluate(t + NODE[i] * h, era, model, stage, scratch, lanes)
        for k in range(n_moved):
            rate, turn, total = scratch.rate[k], scratch.turn[k], scratch.sum[k]
            if i < 3:
                combine(state[k], stage[k], rate, turn, total, scratch.stage[k], h, WEIGHT[i], NODE[i + 1], lanes)
            else:
                finish(state[k], stage[k], rate, turn, total, h, WEIGHT[i], lanes)
        stage = scratch.stage
