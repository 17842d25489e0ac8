"""Semi-implicit Euler: the step of game engines, for comparison."""

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
)
from rigidsim.engine.model.layout import add_to_sums
from rigidsim.jit import inlined, lanewise
from rigidsim.physics.frames import local_angular_acceleration, local_rate
from rigidsim.physics.vector import add, scaled


class EulerOptions(NamedTuple):
    """The method has no options."""


@lanewise
def move(rows: RelativeRows, h, lane):
    """v' = v + h a, x' = x + h v', omega' = omega + h alpha, Omega = h omega', relative to the parent, in its axes."""
    state, rate, parent, frame, turn, relative = rows
    add_to_sums(state, v=scaled(h, rate.a))
    add_to_sums(state, p=scaled(h, state.v))
    q_WP, omega_WP = parent.q, parent.omega
    alpha_WP, omega_WB = parent.alpha, frame.omega
    alpha_WB = frame.alpha
    alpha = local_angular_acceleration(omega_WP, alpha_WP, q_WP, omega_WB, alpha_WB)
    omega = add(local_rate(omega_WP, q_WP, omega_WB), scaled(h, alpha))
    relative.omega = omega
    turn.xyz = scaled(h, omega)
    add_to_sums(state, work=h * rate.power)


@inlined
def step(method, t, t_end, h, block):
    """Advance the state from t to t + h."""
    model, lanes = block.model, block.lanes
    evaluate(t, block)
    for i in range(len(model.moved_node)):
        if is_of_joint(i, model):
            move_joint(block.state[i], block.scratch.rate[i], h, 1.0, lanes)
            continue
        rows = relative_rows(i, block)
        enter_parent(rows, lanes)
        move(rows, h, lanes)
        turn_cubic(rows, lanes)
    leave_parents(t + h, block)


INTEGRATOR = Integrator("euler", EulerOptions, step)
