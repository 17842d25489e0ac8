"""Where each part of an acceleration comes from: the terms of a free body's equation of motion, one by one."""

from __future__ import annotations

from rigidsim._jit import inlined, routine
from rigidsim.engine import layout as at
from rigidsim.engine.evaluate import evaluate
from rigidsim.engine.layout import load, load3, load4, load6, store3
from rigidsim.physics.frames import local_angular_acceleration
from rigidsim.physics.inertia import apply
from rigidsim.physics.inertial_terms import centrifugal_term, coriolis_term, euler_term, linear_term
from rigidsim.physics.quaternion import rotate, rotate_back
from rigidsim.physics.rigid_body import gyroscopic_torque
from rigidsim.physics.vector import cross, negated, scaled


@routine
def linear_terms(body, parent, arm, wrench, rate, out, lanes):
    """Terms of the centre of mass's acceleration relative to the parent: m/s2 in the parent's axes."""
    n = len(lanes)
    for lane in range(n):
        q_WP, omega_WP = load4(parent, at.F_Q, lane, n), load3(parent, at.F_OMEGA, lane, n)
        a_WP, alpha_WP = load3(parent, at.F_A, lane, n), load3(parent, at.F_ALPHA, lane, n)
        d, drift = load3(arm, at.A_D, lane, n), load3(arm, at.A_DRIFT, lane, n)
        applied = scaled(1.0 / load(body, at.B_MASS, lane, n), load3(wrench, at.W_F, lane, n))
        store3(out, at.T_VELOCITY, lane, n, rotate_back(q_WP, drift))
        store3(out, at.T_ACCELERATION, lane, n, scaled(load(body, at.B_SCALE, lane, n), load3(rate, at.R_A, lane, n)))
        store3(out, at.T_APPLIED, lane, n, rotate_back(q_WP, applied))
        store3(out, at.T_GRAVITY, lane, n, rotate_back(q_WP, load3(wrench, at.W_G, lane, n)))
        store3(out, at.T_LINEAR, lane, n, rotate_back(q_WP, linear_term(a_WP)))
        store3(out, at.T_EULER, lane, n, rotate_back(q_WP, euler_term(alpha_WP, d)))
        store3(out, at.T_CENTRIFUGAL, lane, n, rotate_back(q_WP, centrifugal_term(omega_WP, d)))
        store3(out, at.T_CORIOLIS, lane, n, rotate_back(q_WP, coriolis_term(omega_WP, drift)))


@routine
def angular_terms(state, body, parent, frame, wrench, out, lanes):
    """Terms of the angular acceleration relative to the parent: rad/s2 in the parent's axes."""
    n = len(lanes)
    for lane in range(n):
        q_WP, omega_WP = load4(parent, at.F_Q, lane, n), load3(parent, at.F_OMEGA, lane, n)
        alpha_WP, alpha_WB = load3(parent, at.F_ALPHA, lane, n), load3(frame, at.F_ALPHA, lane, n)
        q_WB, omega_WB = load4(frame, at.F_Q, lane, n), load3(frame, at.F_OMEGA, lane, n)
        inverse_inertia, omega_B = load6(body, at.B_INVERSE, lane, n), load3(state, at.S_OMEGA, lane, n)
        tau_B = rotate_back(q_WB, load3(wrench, at.W_TAU, lane, n))
        gyroscopic_B = apply(inverse_inertia, gyroscopic_torque(load6(body, at.B_INERTIA, lane, n), omega_B))
        total = local_angular_acceleration(omega_WP, alpha_WP, q_WP, omega_WB, alpha_WB)
        store3(out, at.T_ANGULAR, lane, n, total)
        store3(out, at.T_ANGULAR_APPLIED, lane, n, rotate_back(q_WP, rotate(q_WB, apply(inverse_inertia, tau_B))))
        store3(out, at.T_GYROSCOPIC, lane, n, rotate_back(q_WP, rotate(q_WB, gyroscopic_B)))
        store3(out, at.T_ANGULAR_PARENT, lane, n, rotate_back(q_WP, negated(alpha_WP)))
        store3(out, at.T_ANGULAR_TRANSPORT, lane, n, rotate_back(q_WP, cross(omega_WB, omega_WP)))


@inlined
def observe_terms(t, era, model, state, scratch, terms, lanes):
    """Write the terms of every free body, in the given state at time t (s), with the loads of the given era."""
    evaluate(t, era, model, state, scratch, lanes)
    for i in range(len(model.moved_node)):
        node = model.moved_node[i]
        parent, frame, arm = scratch.frame[model.node[node, at.NODE_PARENT]], scratch.frame[node + 1], scratch.arm[node]
        linear_terms(model.body[i], parent, arm, scratch.wrench[i], scratch.rate[i], terms[node], lanes)
        angular_terms(state[i], model.body[i], parent, frame, scratch.wrench[i], terms[node], lanes)
