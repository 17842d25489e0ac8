"""Fourth-order Runge-Kutta-Munthe-Kaas on the whole tree."""

from __future__ import annotations

from typing import NamedTuple

from rigidsim._jit import inlined, routine
from rigidsim.engine import layout as at
from rigidsim.engine.evaluate import evaluate
from rigidsim.engine.layout import copy_rows, load, load3, load4, store, store3, store4
from rigidsim.physics.quaternion import dexp_inverse, exp_septic, product, renormalised
from rigidsim.physics.vector import add, scaled

# Kutta's classical tableau (1901): stage i sits at t + NODE[i] h and weighs WEIGHT[i].
NODE = (0.0, 0.5, 0.5, 1.0)
WEIGHT = (1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0)


class Rkmk4(NamedTuple):
    """The method has no options; `stages` is there for the type to have a field."""

    stages: int = 4


@routine
def combine(start, stage, rate, turn, total, target, h, weight, on_rate, on_total, lanes):
    """Take up one stage's rates, and place `target` = start + h (on_rate * rate + on_total * total).

    The rotation, the body's own, goes through the rotation vector sigma with q = q0 exp(sigma/2), whose rate is
    dexp_inverse(sigma, omega_B). `turn` is the present stage's sigma on entry and the next one's on return.
    """
    n = len(lanes)
    for lane in range(n):
        v = load3(stage, at.S_V, lane, n)
        turning = dexp_inverse(load3(turn, 0, lane, n), load3(stage, at.S_OMEGA, lane, n))
        a, alpha, power = (
            load3(rate, at.R_A, lane, n),
            load3(rate, at.R_ALPHA, lane, n),
            load(rate, at.R_POWER, lane, n),
        )

        sum_v = add(load3(total, at.S_P, lane, n), scaled(weight, v))
        sum_turning = add(load3(total, at.S_Q, lane, n), scaled(weight, turning))
        sum_a = add(load3(total, at.S_V, lane, n), scaled(weight, a))
        sum_alpha = add(load3(total, at.S_OMEGA, lane, n), scaled(weight, alpha))
        sum_power = load(total, at.S_WORK, lane, n) + weight * power
        store3(total, at.S_P, lane, n, sum_v)
        store3(total, at.S_Q, lane, n, sum_turning)
        store3(total, at.S_V, lane, n, sum_a)
        store3(total, at.S_OMEGA, lane, n, sum_alpha)
        store(total, at.S_WORK, lane, n, sum_power)

        x, z = h * on_rate, h * on_total
        sigma = add(scaled(x, turning), scaled(z, sum_turning))
        q = product(load4(start, at.S_Q, lane, n), exp_septic(scaled(0.5, sigma)))
        store3(turn, 0, lane, n, sigma)
        store3(target, at.S_P, lane, n, add(load3(start, at.S_P, lane, n), add(scaled(x, v), scaled(z, sum_v))))
        store4(target, at.S_Q, lane, n, renormalised(q))
        store3(target, at.S_V, lane, n, add(load3(start, at.S_V, lane, n), add(scaled(x, a), scaled(z, sum_a))))
        omega = add(load3(start, at.S_OMEGA, lane, n), add(scaled(x, alpha), scaled(z, sum_alpha)))
        store3(target, at.S_OMEGA, lane, n, omega)
        store(target, at.S_WORK, lane, n, load(start, at.S_WORK, lane, n) + (x * power + z * sum_power))


@inlined
def step(method, t, h, era, model, state, scratch, lanes):
    """Advance the state from t to t + h."""
    # No array is both read and written in one call of `combine`: overlapping arguments would cost the vector
    # instructions.
    stage, target, spare = state, scratch.stage, scratch.other_stage
    n_free = len(model.free_node)
    copy_rows(n_free, len(state), state, target)  # a stage begins with the poses of paced nodes that the step has
    copy_rows(n_free, len(state), state, spare)
    for i in range(4):
        evaluate(t + NODE[i] * h, era, model, stage, scratch, lanes)
        on_rate, on_total = (NODE[i + 1], 0.0) if i < 3 else (0.0, 1.0)
        if i == 0:
            # Set, not multiplied by zero: what a run that overflowed left there may not be a number.
            scratch.turn[:] = 0.0
            scratch.sum[:] = 0.0
        for k in range(n_free):
            combine(
                state[k], stage[k], scratch.rate[k], scratch.turn[k], scratch.sum[k], target[k],
                h, WEIGHT[i], on_rate, on_total, lanes,
            )  # fmt: skip
        stage, target, spare = target, spare, target
    copy_rows(0, n_free, stage, state)
