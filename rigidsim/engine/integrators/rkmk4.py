"""Fourth-order Runge-Kutta-Munthe-Kaas on the whole tree."""

from __future__ import annotations

from typing import NamedTuple

from rigidsim.engine import layout as at
from rigidsim.engine.evaluate import evaluate
from rigidsim.engine.layout import accumulate, accumulate3, copy_rows, load, load3, load4, store, store3, store4
from rigidsim.jit import inlined, routine
from rigidsim.physics.quaternion import dexp_inverse, exp_septic, product, renormalised
from rigidsim.physics.vector import add, scaled

# Kutta's classical tableau (1901): stage i sits at t + NODE[i] h and weighs WEIGHT[i].
NODE = (0.0, 0.5, 0.5, 1.0)
WEIGHT = (1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0)


class Rkmk4Options(NamedTuple):
    """The method has no options."""


@routine
def combine(start, stage, rate, turn, total, target, h, weight, node, lanes):
    """Accumulate one stage's rates, and compute the next stage, `target` = start + node h rate.

    The rotation in the world is stepped by the rotation vector sigma with q = q0 exp(sigma/2), whose rate is
    dexp_inverse(sigma, omega_B). `turn` is the present stage's sigma on entry and the next one's on return.
    """
    n = len(lanes)
    for lane in range(n):
        x = h * node
        v, omega_B = load3(stage, at.S_V, lane, n), load3(stage, at.S_OMEGA, lane, n)
        turning = dexp_inverse(load3(turn, 0, lane, n), omega_B)
        a, alpha = load3(rate, at.R_A, lane, n), load3(rate, at.R_ALPHA, lane, n)
        store3(total, at.S_P, lane, n, add(load3(total, at.S_P, lane, n), scaled(weight, v)))
        store3(total, at.S_Q, lane, n, add(load3(total, at.S_Q, lane, n), scaled(weight, turning)))
        store3(total, at.S_V, lane, n, add(load3(total, at.S_V, lane, n), scaled(weight, a)))
        store3(total, at.S_OMEGA, lane, n, add(load3(total, at.S_OMEGA, lane, n), scaled(weight, alpha)))
        power = load(rate, at.R_POWER, lane, n)
        store(total, at.S_WORK, lane, n, load(total, at.S_WORK, lane, n) + weight * power)

        sigma = scaled(x, turning)
        q = product(load4(start, at.S_Q, lane, n), exp_septic(scaled(0.5, sigma)))
        store3(turn, 0, lane, n, sigma)
        store3(target, at.S_P, lane, n, add(load3(start, at.S_P, lane, n), scaled(x, v)))
        store4(target, at.S_Q, lane, n, renormalised(q))
        store3(target, at.S_V, lane, n, add(load3(start, at.S_V, lane, n), scaled(x, a)))
        store3(target, at.S_OMEGA, lane, n, add(load3(start, at.S_OMEGA, lane, n), scaled(x, alpha)))


@routine
def finish(state, stage, rate, turn, total, h, weight, lanes):
    """Accumulate the last stage's rates, and advance `state` by h times the weighted sum of all."""
    n = len(lanes)
    for lane in range(n):
        v, omega_B = load3(stage, at.S_V, lane, n), load3(stage, at.S_OMEGA, lane, n)
        turning = dexp_inverse(load3(turn, 0, lane, n), omega_B)
        a, alpha = load3(rate, at.R_A, lane, n), load3(rate, at.R_ALPHA, lane, n)
        mean_v = add(load3(total, at.S_P, lane, n), scaled(weight, v))
        mean_turning = add(load3(total, at.S_Q, lane, n), scaled(weight, turning))
        mean_a = add(load3(total, at.S_V, lane, n), scaled(weight, a))
        mean_alpha = add(load3(total, at.S_OMEGA, lane, n), scaled(weight, alpha))
        mean_power = load(total, at.S_WORK, lane, n) + weight * load(rate, at.R_POWER, lane, n)

        q = product(load4(state, at.S_Q, lane, n), exp_septic(scaled(0.5 * h, mean_turning)))
        accumulate3(state, at.S_P, at.S_P_LOW, lane, n, scaled(h, mean_v))
        store4(state, at.S_Q, lane, n, renormalised(q))
        accumulate3(state, at.S_V, at.S_V_LOW, lane, n, scaled(h, mean_a))
        accumulate3(state, at.S_OMEGA, at.S_OMEGA_LOW, lane, n, scaled(h, mean_alpha))
        accumulate(state, at.S_WORK, at.S_WORK_LOW, lane, n, h * mean_power)


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
