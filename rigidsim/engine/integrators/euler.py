"""Semi-implicit Euler: the step of game engines, for comparison."""

from __future__ import annotations

from typing import NamedTuple

from rigidsim.engine import layout as at
from rigidsim.engine.evaluate import evaluate
from rigidsim.engine.integrators.relative import enter_parent, leave_parents, turn_cubic
from rigidsim.engine.layout import accumulate, accumulate3, load, load3, load4, store3
from rigidsim.jit import inlined, routine
from rigidsim.physics.frames import local_angular_acceleration, local_rate
from rigidsim.physics.vector import add, scaled


class EulerOptions(NamedTuple):
    """The method has no options."""


@routine
def move(state, parent, frame, rate, turn, relative, h, lanes):
    """v' = v + h a, x' = x + h v', omega' = omega + h alpha, Omega = h omega', relative to the parent, in its axes."""
    n = len(lanes)
    for lane in range(n):
        accumulate3(state, at.S_V, at.S_V_LOW, lane, n, scaled(h, load3(rate, at.R_A, lane, n)))
        accumulate3(state, at.S_P, at.S_P_LOW, lane, n, scaled(h, load3(state, at.S_V, lane, n)))
        q_WP, omega_WP = load4(parent, at.F_Q, lane, n), load3(parent, at.F_OMEGA, lane, n)
        alpha_WP, omega_WB = load3(parent, at.F_ALPHA, lane, n), load3(frame, at.F_OMEGA, lane, n)
        alpha_WB = load3(frame, at.F_ALPHA, lane, n)
        alpha = local_angular_acceleration(omega_WP, alpha_WP, q_WP, omega_WB, alpha_WB)
        omega = add(local_rate(omega_WP, q_WP, omega_WB), scaled(h, alpha))
        store3(relative, 0, lane, n, omega)
        store3(turn, 0, lane, n, scaled(h, omega))
        accumulate(state, at.S_WORK, at.S_WORK_LOW, lane, n, h * load(rate, at.R_POWER, lane, n))


@inlined
def step(method, t, h, era, model, state, scratch, lanes):
    """Advance the state from t to t + h."""
    evaluate(t, era, model, state, scratch, lanes)
    for i in range(len(model.moved_node)):
        node = model.moved_node[i]
        parent, frame = scratch.frame[model.node[node, at.NODE_PARENT]], scratch.frame[node + 1]
        enter_parent(state[i], parent, scratch.sum[i], lanes)
        move(state[i], parent, frame, scratch.rate[i], scratch.turn[i], scratch.sum[i], h, lanes)
        turn_cubic(scratch.sum[i], scratch.turn[i], lanes)
    leave_parents(t + h, model, state, scratch, lanes)
