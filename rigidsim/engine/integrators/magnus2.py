"""Second order on the angular momentum: explicit midpoint, the rotation's Magnus increment made consistent with L'."""

from __future__ import annotations

from typing import NamedTuple

from rigidsim.engine import layout as at
from rigidsim.engine.evaluate import evaluate
from rigidsim.engine.layout import accumulate, accumulate3, copy_rows, load, load3, load4, load6, store3, store4
from rigidsim.jit import inlined, routine
from rigidsim.physics.inertia import apply
from rigidsim.physics.magnus import magnus_1, magnus_2
from rigidsim.physics.quaternion import exp_septic, product, renormalised, rotate, rotate_back
from rigidsim.physics.rigid_body import angular_momentum, takes_torque
from rigidsim.physics.vector import add, scaled


class Magnus2Options(NamedTuple):
    """The number of iterations that make the rate at the end consistent with the orientation at the end."""

    iterations: int


@routine
def halfway(state, rate, middle, h, lanes):
    """The state at t + h/2, to first order, which is enough for a step of second order."""
    n = len(lanes)
    for lane in range(n):
        x = 0.5 * h
        v = load3(state, at.S_V, lane, n)
        store3(middle, at.S_P, lane, n, add(load3(state, at.S_P, lane, n), scaled(x, v)))
        store3(middle, at.S_V, lane, n, add(v, scaled(x, load3(rate, at.R_A, lane, n))))
        turn = exp_septic(scaled(0.5 * x, load3(state, at.S_OMEGA, lane, n)))
        store4(middle, at.S_Q, lane, n, renormalised(product(load4(state, at.S_Q, lane, n), turn)))
        omega = add(load3(state, at.S_OMEGA, lane, n), scaled(x, load3(rate, at.R_ALPHA, lane, n)))
        store3(middle, at.S_OMEGA, lane, n, omega)


@routine
def keep_start(frame, start, lanes):
    """Orientation and rate in the world at the beginning of the step, before the midpoint overwrites them."""
    n = len(lanes)
    for lane in range(n):
        store4(start, at.S_Q, lane, n, load4(frame, at.F_Q, lane, n))
        store3(start, at.S_OMEGA, lane, n, load3(frame, at.F_OMEGA, lane, n))


@routine
def begin_turn(state, body, start, wrench, total, lanes, h):
    """L' = L + h tau, world axes, in the first three columns of `total`; the first guess of omega' is omega."""
    n = len(lanes)
    for lane in range(n):
        q_WB = load4(start, at.S_Q, lane, n)
        L_B = angular_momentum(load6(body, at.B_INERTIA, lane, n), load3(state, at.S_OMEGA, lane, n))
        tau_W = load3(wrench, at.W_TAU, lane, n)
        store3(total, at.S_P, lane, n, add(rotate(q_WB, L_B), scaled(h, tau_W)))
        store3(total, at.S_V, lane, n, load3(start, at.S_OMEGA, lane, n))


@routine
def refine(state, body, start, total, h, lanes):
    """One iteration of q' = exp(O(omega, omega')/2) q and omega' = I(q')^-1 L'; world axes, the state's rate in body
    axes.
    """
    n = len(lanes)
    for lane in range(n):
        omega, omega_end = load3(start, at.S_OMEGA, lane, n), load3(total, at.S_V, lane, n)
        turn = add(magnus_1(omega, omega_end, h), magnus_2(omega, omega_end, h))
        q_WB = renormalised(product(exp_septic(scaled(0.5, turn)), load4(start, at.S_Q, lane, n)))
        L_B = rotate_back(q_WB, load3(total, at.S_P, lane, n))
        inverse = load6(body, at.B_INVERSE, lane, n)
        kept = scaled(1.0 - takes_torque(inverse), load3(state, at.S_OMEGA, lane, n))  # a particle has L = 0
        omega_B = add(apply(inverse, L_B), kept)
        store3(total, at.S_V, lane, n, rotate(q_WB, omega_B))
        store4(state, at.S_Q, lane, n, q_WB)
        store3(state, at.S_OMEGA, lane, n, omega_B)


@routine
def move(state, middle, rate, h, lanes):
    """x' = x + h v_mid, v' = v + h a_mid, and the work."""
    n = len(lanes)
    for lane in range(n):
        accumulate3(state, at.S_P, at.S_P_LOW, lane, n, scaled(h, load3(middle, at.S_V, lane, n)))
        accumulate3(state, at.S_V, at.S_V_LOW, lane, n, scaled(h, load3(rate, at.R_A, lane, n)))
        accumulate(state, at.S_WORK, at.S_WORK_LOW, lane, n, h * load(rate, at.R_POWER, lane, n))


@inlined
def step(method, t, h, era, model, state, scratch, lanes):
    """Advance the state from t to t + h."""
    evaluate(t, era, model, state, scratch, lanes)
    for i in range(len(model.moved_node)):
        keep_start(scratch.frame[model.moved_node[i] + 1], scratch.start[i], lanes)
        halfway(state[i], scratch.rate[i], scratch.stage[i], h, lanes)
    copy_rows(len(model.moved_node), len(state), state, scratch.stage)  # with the poses of paced nodes
    evaluate(t + 0.5 * h, era, model, scratch.stage, scratch, lanes)
    for i in range(len(model.moved_node)):
        start, total, body = scratch.start[i], scratch.sum[i], model.body[i]
        begin_turn(state[i], body, start, scratch.wrench[i], total, lanes, h)
        for _ in range(method.iterations):
            refine(state[i], body, start, total, h, lanes)
        move(state[i], scratch.stage[i], scratch.rate[i], h, lanes)
