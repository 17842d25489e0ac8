"""Second order on the angular momentum: explicit midpoint, the rotation's Magnus increment made consistent with L'."""

from __future__ import annotations

from typing import NamedTuple

from rigidsim.engine.evaluate import evaluate
from rigidsim.engine.integrators.declaration import Integrator
from rigidsim.engine.model.arrays import in_state
from rigidsim.engine.model.layout import BODY, FRAME, RATE, STAGE, STATE, TURNING, WRENCH, add_to_sums, copy_rows
from rigidsim.jit import inlined, lanewise
from rigidsim.physics.inertia import apply
from rigidsim.physics.magnus import magnus_1, magnus_2
from rigidsim.physics.quaternion import exp_septic, product, renormalised, rotate, rotate_back
from rigidsim.physics.rigid_body import angular_momentum, takes_torque
from rigidsim.physics.vector import add, scaled


class Magnus2Options(NamedTuple):
    """The number of iterations that make the rate at the end consistent with the orientation at the end."""

    iterations: int


@lanewise
def halfway(state: STAGE, rate: RATE, middle: STAGE, h, lane):
    """The state at t + h/2, to first order, which is enough for a step of second order."""
    x = 0.5 * h
    v = state.v
    middle.p = add(state.p, scaled(x, v))
    middle.v = add(v, scaled(x, rate.a))
    turn = exp_septic(scaled(0.5 * x, state.omega))
    middle.q = renormalised(product(state.q, turn))
    omega = add(state.omega, scaled(x, rate.alpha))
    middle.omega = omega


@lanewise
def keep_start(frame: FRAME, start: STAGE, lane):
    """Orientation and rate in the world at the beginning of the step, before the midpoint overwrites them."""
    start.q = frame.q
    start.omega = frame.omega


@lanewise
def begin_turn(state: STAGE, body: BODY, start: STAGE, wrench: WRENCH, total: TURNING, h, lane):
    """L' = L + h tau, world axes; the first guess of omega' is omega."""
    q_WB = start.q
    L_B = angular_momentum(body.inertia, state.omega)
    tau_W = wrench.tau
    total.L = add(rotate(q_WB, L_B), scaled(h, tau_W))
    total.omega = start.omega


@lanewise
def refine(state: STAGE, body: BODY, start: STAGE, total: TURNING, h, lane):
    """One iteration of q' = exp(O(omega, omega')/2) q and omega' = I(q')^-1 L'; world axes, the state's rate in body
    axes.
    """
    omega, omega_end = start.omega, total.omega
    turn = add(magnus_1(omega, omega_end, h), magnus_2(omega, omega_end, h))
    q_WB = renormalised(product(exp_septic(scaled(0.5, turn)), start.q))
    L_B = rotate_back(q_WB, total.L)
    inverse = body.inverse
    kept = scaled(1.0 - takes_torque(inverse), state.omega)  # a particle has L = 0
    omega_B = add(apply(inverse, L_B), kept)
    total.omega = rotate(q_WB, omega_B)
    state.q = q_WB
    state.omega = omega_B


@lanewise
def move(state: STATE, middle: STAGE, rate: RATE, h, lane):
    """x' = x + h v_mid, v' = v + h a_mid, and the work."""
    add_to_sums(state, p=scaled(h, middle.v))
    add_to_sums(state, v=scaled(h, rate.a))
    add_to_sums(state, work=h * rate.power)


@inlined
def step(method, t, t_end, h, block):
    """Advance the state from t to t + h."""
    model, state, scratch, lanes = block.model, block.state, block.scratch, block.lanes
    evaluate(t, block)
    for i in range(len(model.moved_node)):
        keep_start(scratch.frame[model.moved_node[i] + 1], scratch.start[i], lanes)
        halfway(state[i], scratch.rate[i], scratch.stage[i], h, lanes)
    copy_rows(len(model.moved_node), len(state), state, scratch.stage)  # with the poses of rate-driven nodes
    evaluate(t + 0.5 * h, in_state(block.scratch.stage, block))
    for i in range(len(model.moved_node)):
        start, total, body = scratch.start[i], scratch.sum[i], model.body[i]
        begin_turn(state[i], body, start, scratch.wrench[i], total, h, lanes)
        for _ in range(method.iterations):
            refine(state[i], body, start, total, h, lanes)
        move(state[i], scratch.stage[i], scratch.rate[i], h, lanes)


INTEGRATOR = Integrator("magnus2", Magnus2Options, step)
