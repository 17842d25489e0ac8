"""Accelerations constant over the step, the rotation by a truncated Magnus expansion, as in the articles."""

from __future__ import annotations

from typing import NamedTuple

from rigidsim.engine.evaluate import evaluate
from rigidsim.engine.integrators.declaration import Integrator
from rigidsim.engine.integrators.relative import enter_parent, leave_parents, move_joint, turn_cubic, turn_full
from rigidsim.engine.kinds import is_of_joint
from rigidsim.engine.layout import ARM, BODY, FRAME, RATE, RELATIVE, STATE, TRIPLE, WRENCH, add_to_sums
from rigidsim.jit import inlined, lanewise
from rigidsim.physics.frames import local_angular_acceleration, local_rate
from rigidsim.physics.magnus import magnus_1, magnus_2, magnus_3, magnus_4
from rigidsim.physics.rigid_body import power, takes_torque
from rigidsim.physics.vector import add, scaled

CUBIC, FULL = 0, 1


class MagnusOptions(NamedTuple):
    """The number of terms of the expansion (1 to 4), and the exponential (CUBIC or FULL)."""

    terms: int
    exponential: int


@lanewise
def move(
    state: STATE, body: BODY, parent: FRAME, frame: FRAME, arm: ARM, wrench: WRENCH, rate: RATE, turn: TRIPLE,
    relative: RELATIVE, h, use_2, use_3, use_4, lane,
):  # fmt: skip
    """Position, velocity and work under constant acceleration; the rotation vector Omega and the relative rate at the
    end.

    v' = v + a h, x' = x + (v + a h/2) h, omega' = omega + alpha h, all relative to the parent and in its axes.
    """
    v, change = state.v, scaled(h, rate.a)
    add_to_sums(state, p=scaled(h, add(v, scaled(0.5, change))))
    add_to_sums(state, v=change)

    q_WP, omega_WP = parent.q, parent.omega
    alpha_WP, omega_WB = parent.alpha, frame.omega
    alpha_WB = frame.alpha
    omega = local_rate(omega_WP, q_WP, omega_WB)
    alpha = local_angular_acceleration(omega_WP, alpha_WP, q_WP, omega_WB, alpha_WB)
    end = add(omega, scaled(h, alpha))
    first = add(magnus_1(omega, end, h), scaled(use_2, magnus_2(omega, end, h)))
    rest = add(scaled(use_3, magnus_3(omega, alpha, h)), scaled(use_4, magnus_4(omega, end, alpha, h)))
    turn.xyz = add(first, rest)
    relative.omega = end

    f_W, tau_W = wrench.f, wrench.tau
    v_middle = add(arm.v_WC, scaled(0.5 * h, arm.a_WC))
    omega_middle = add(omega_WB, scaled(0.5 * h, alpha_WB))
    turning = scaled(takes_torque(body.inverse), tau_W)
    applied = power(f_W, v_middle, turning, omega_middle)
    add_to_sums(state, work=h * (applied + wrench.power))


@inlined
def step(method, t, t_end, h, block):
    """Advance the state from t to t + h."""
    model, state, scratch, lanes = block.model, block.state, block.scratch, block.lanes
    evaluate(t, block)
    use_2 = 1.0 if method.terms >= 2 else 0.0
    use_3 = 1.0 if method.terms >= 3 else 0.0
    use_4 = 1.0 if method.terms >= 4 else 0.0
    for i in range(len(model.moved_node)):
        if is_of_joint(i, model):
            move_joint(state[i], scratch.rate[i], h, 0.5, lanes)
            continue
        node = model.moved_node[i]
        parent, frame = scratch.frame[model.node[node].parent], scratch.frame[node + 1]
        enter_parent(state[i], parent, scratch.sum[i], lanes)
        move(
            state[i], model.body[i], parent, frame, scratch.arm[node], scratch.wrench[i], scratch.rate[i],
            scratch.turn[i], scratch.sum[i], h, use_2, use_3, use_4, lanes,
        )  # fmt: skip
        if method.exponential == CUBIC:
            turn_cubic(scratch.sum[i], scratch.turn[i], lanes)
        else:
            turn_full(scratch.sum[i], scratch.turn[i], lanes)
    leave_parents(t + h, block)


INTEGRATOR = Integrator("magnus", MagnusOptions, step)
