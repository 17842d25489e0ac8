"""Accelerations constant over the step, the rotation by a truncated Magnus expansion, as in the articles."""

from __future__ import annotations

from typing import NamedTuple

from rigidsim.engine.dynamics.kinds import is_of_joint
from rigidsim.engine.evaluate import evaluate
from rigidsim.engine.integrators.declaration import Integrator
from rigidsim.engine.integrators.relative import (
    RelativeRows,
    enter_parent,
    leave_parents,
    move_joint,
    relative_rows,
    turn_cubic,
    turn_full,
)
from rigidsim.engine.model.layout import ARM, BODY, WRENCH, add_to_sums
from rigidsim.jit import inlined, lanewise
from rigidsim.physics.elementary import select
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
def move(rows: RelativeRows, body: BODY, arm: ARM, wrench: WRENCH, h, terms, lane):
    """Position, velocity and work under constant acceleration; the rotation vector Omega and the relative rate at the
    end.

    v' = v + a h, x' = x + (v + a h/2) h, omega' = omega + alpha h, all relative to the parent and in its axes.
    """
    state, rate, parent, frame, turn, relative = rows
    v, change = state.v, scaled(h, rate.a)
    add_to_sums(state, p=scaled(h, add(v, scaled(0.5, change))))
    add_to_sums(state, v=change)

    q_WP, omega_WP = parent.q, parent.omega
    alpha_WP, omega_WB = parent.alpha, frame.omega
    alpha_WB = frame.alpha
    omega = local_rate(omega_WP, q_WP, omega_WB)
    alpha = local_angular_acceleration(omega_WP, alpha_WP, q_WP, omega_WB, alpha_WB)
    end = add(omega, scaled(h, alpha))
    use_2, use_3, use_4 = select(terms >= 2, 1.0, 0.0), select(terms >= 3, 1.0, 0.0), select(terms >= 4, 1.0, 0.0)
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
    model, scratch, lanes = block.model, block.scratch, block.lanes
    evaluate(t, block)
    for i in range(len(model.moved_node)):
        if is_of_joint(i, model):
            move_joint(block.state[i], scratch.rate[i], h, 0.5, lanes)
            continue
        node = model.moved_node[i]
        rows = relative_rows(i, block)
        enter_parent(rows, lanes)
        move(rows, model.body[i], scratch.arm[node], scratch.wrench[i], h, method.terms, lanes)
        if method.exponential == CUBIC:
            turn_cubic(rows, lanes)
        else:
            turn_full(rows, lanes)
    leave_parents(t + h, block)


INTEGRATOR = Integrator("magnus", MagnusOptions, step)
