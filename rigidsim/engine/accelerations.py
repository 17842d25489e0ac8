"""The acceleration of a node: in the world and relative to the parent."""

from __future__ import annotations

from rigidsim.engine import layout as at
from rigidsim.engine.layout import load, load3, load4, load6, store, store3
from rigidsim.jit import routine
from rigidsim.physics.frames import (
    compose_acceleration,
    compose_angular_acceleration,
    local_acceleration,
    stretch,
)
from rigidsim.physics.quaternion import rotate, rotate_back
from rigidsim.physics.rigid_body import acceleration, angular_acceleration, point_acceleration, power, takes_torque
from rigidsim.physics.vector import negated, scaled


@routine
def accelerate_driven(driven, motion, parent, arm, frame, lanes):
    """Acceleration of a fixed or prescribed node's frame."""
    n = len(lanes)
    for lane in range(n):
        q_WP, omega_WP = load4(parent, at.F_Q, lane, n), load3(parent, at.F_OMEGA, lane, n)
        a_WP, alpha_WP = load3(parent, at.F_A, lane, n), load3(parent, at.F_ALPHA, lane, n)
        d, drift = load3(arm, at.A_D, lane, n), load3(arm, at.A_DRIFT, lane, n)
        surge = stretch(q_WP, load(motion, at.M_SCALE, lane, n), load3(driven, at.D_A, lane, n))
        alpha_PB, omega_WB = load3(driven, at.D_ALPHA, lane, n), load3(frame, at.F_OMEGA, lane, n)
        store3(frame, at.F_A, lane, n, compose_acceleration(a_WP, omega_WP, alpha_WP, d, drift, surge))
        alpha_WB = compose_angular_acceleration(omega_WP, alpha_WP, q_WP, alpha_PB, omega_WB)
        store3(frame, at.F_ALPHA, lane, n, alpha_WB)


@routine
def accelerate_free(state, body, parent, arm, wrench, frame, rate, lanes):
    """Newton's and Euler's equations for a free body; then its acceleration relative to the parent, with the four
    inertial terms.
    """
    n = len(lanes)
    for lane in range(n):
        q_WP, omega_WP = load4(parent, at.F_Q, lane, n), load3(parent, at.F_OMEGA, lane, n)
        a_WP, alpha_WP = load3(parent, at.F_A, lane, n), load3(parent, at.F_ALPHA, lane, n)
        q_WB, omega_WB = load4(frame, at.F_Q, lane, n), load3(frame, at.F_OMEGA, lane, n)
        f_W, tau_W = load3(wrench, at.W_F, lane, n), load3(wrench, at.W_TAU, lane, n)
        omega_B = load3(state, at.S_OMEGA, lane, n)

        a_WC = acceleration(load(body, at.B_MASS, lane, n), f_W, load3(wrench, at.W_G, lane, n))
        inverse_inertia = load6(body, at.B_INVERSE, lane, n)
        alpha_B = angular_acceleration(
            load6(body, at.B_INERTIA, lane, n), inverse_inertia, omega_B, rotate_back(q_WB, tau_W)
        )
        alpha_WB = rotate(q_WB, alpha_B)
        r = rotate(q_WB, load3(body, at.B_COM, lane, n))
        store3(frame, at.F_A, lane, n, point_acceleration(a_WC, omega_WB, alpha_WB, negated(r)))
        store3(frame, at.F_ALPHA, lane, n, alpha_WB)

        d, drift = load3(arm, at.A_D, lane, n), load3(arm, at.A_DRIFT, lane, n)
        scale_WP = load(body, at.B_SCALE, lane, n)
        a_PC = local_acceleration(a_WP, omega_WP, alpha_WP, q_WP, scale_WP, d, drift, a_WC)
        store3(rate, at.R_A, lane, n, a_PC)
        store3(rate, at.R_ALPHA, lane, n, alpha_B)
        turning = scaled(takes_torque(inverse_inertia), tau_W)
        applied = power(f_W, load3(arm, at.A_VC, lane, n), turning, omega_WB)
        store(rate, at.R_POWER, lane, n, applied + load(wrench, at.W_POWER, lane, n))
