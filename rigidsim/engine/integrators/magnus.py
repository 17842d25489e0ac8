"""Accelerations constant over the step, the rotation by a truncated Magnus expansion, as in the articles."""

from __future__ import annotations

from typing import NamedTuple

from rigidsim.engine import layout as at
from rigidsim.engine.evaluate import evaluate
from rigidsim.engine.integrators.relative import enter_parent, leave_parents, turn_cubic, turn_full
from rigidsim.engine.layout import accumulate, accumulate3, load, load3, load4, load6, store3
from rigidsim.jit import inlined, routine
from rigidsim.physics.frames import local_angular_acceleration, local_rate
from rigidsim.physics.magnus import magnus_1, magnus_2, magnus_3, magnus_4
from rigidsim.physics.rigid_body import acceleration, power, takes_torque
from rigidsim.physics.vector import add, scaled

CUBIC, FULL = 0, 1


class MagnusOptions(NamedTuple):
    """The number of terms of the expansion (1 to 4), and the exponential (CUBIC or FULL)."""

    terms: int
    exponential: int


@routine
def move(state, body, parent, frame, arm, wrench, rate, turn, relative, h, use_2, use_3, use_4, lanes):
    """Position, velocity and work under constant acceleration; the rotation vector Omega and the relative rate at the
    end.

    v' = v + a h, x' = x + (v + a h/2) h, omega' = omega + alpha h, all relative to the parent and in its axes.
    """
    n = len(lanes)
    for lane in range(n):
        v, change = load3(state, at.S_V, lane, n), scaled(h, load3(rate, at.R_A, lane, n))
        accumulate3(state, at.S_P, at.S_P_LOW, lane, n, scaled(h, add(v, scaled(0.5, change))))
        accumulate3(state, at.S_V, at.S_V_LOW, lane, n, change)

        q_WP, omega_WP = load4(parent, at.F_Q, lane, n), load3(parent, at.F_OMEGA, lane, n)
        alpha_WP, omega_WB = load3(parent, at.F_ALPHA, lane, n), load3(frame, at.F_OMEGA, lane, n)
        alpha_WB = load3(frame, at.F_ALPHA, lane, n)
        omega = local_rate(omega_WP, q_WP, omega_WB)
        alpha = local_angular_acceleration(omega_WP, alpha_WP, q_WP, omega_WB, alpha_WB)
        end = add(omega, scaled(h, alpha))
        first = add(magnus_1(omega, end, h), scaled(use_2, magnus_2(omega, end, h)))
        rest = add(scaled(use_3, magnus_3(omega, alpha, h)), scaled(use_4, magnus_4(omega, end, alpha, h)))
        store3(turn, 0, lane, n, add(first, rest))
        store3(relative, 0, lane, n, end)

        f_W, tau_W = load3(wrench, at.W_F, lane, n), load3(wrench, at.W_TAU, lane, n)
        a_WC = acceleration(load(body, at.B_MASS, lane, n), f_W, load3(wrench, at.W_G, lane, n))
        v_middle = add(load3(arm, at.A_VC, lane, n), scaled(0.5 * h, a_WC))
        omega_middle = add(omega_WB, scaled(0.5 * h, alpha_WB))
        turning = scaled(takes_torque(load6(body, at.B_INVERSE, lane, n)), tau_W)
        applied = power(f_W, v_middle, turning, omega_middle)
        accumulate(state, at.S_WORK, at.S_WORK_LOW, lane, n, h * (applied + load(wrench, at.W_POWER, lane, n)))


@inlined
def step(method, t, h, era, model, state, scratch, lanes):
    """Advance the state from t to t + h."""
    evaluate(t, era, model, state, scratch, lanes)
    use_2 = 1.0 if method.terms >= 2 else 0.0
    use_3 = 1.0 if method.terms >= 3 else 0.0
    use_4 = 1.0 if method.terms >= 4 else 0.0
    for i in range(len(model.moved_node)):
        node = model.moved_node[i]
        parent, frame = scratch.frame[model.node[node, at.NODE_PARENT]], scratch.frame[node + 1]
        enter_parent(state[i], parent, scratch.sum[i], lanes)
        move(
            state[i], model.body[i], parent, frame, scratch.arm[node], scratch.wrench[i], scratch.rate[i],
            scratch.turn[i], scratch.sum[i], h, use_2, use_3, use_4, lanes,
        )  # fmt: skip
        if method.exponential == CUBIC:
            turn_cubic(scratch.sum[i], scratch.turn[i], lanes)
        else:
            turn_full(scratch.sum[i], scratch.turn[i], lanes)
    leave_parents(t + h, model, state, scratch, lanes)
