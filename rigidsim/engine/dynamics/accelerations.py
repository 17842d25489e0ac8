"""The acceleration of a node: in the world and relative to the parent."""

from __future__ import annotations

from rigidsim.engine.model.layout import ARM, BODY, FRAME, LOCAL, MOTION, RATE, STAGE, WRENCH
from rigidsim.jit import lanewise
from rigidsim.physics.frames import (
    compose_acceleration,
    compose_angular_acceleration,
    local_acceleration,
    stretch,
)
from rigidsim.physics.quaternion import rotate, rotate_back
from rigidsim.physics.rigid_body import acceleration, angular_acceleration, point_acceleration, power, takes_torque
from rigidsim.physics.vector import negated, scaled, sub


@lanewise
def accelerate_driven(driven: LOCAL, motion: MOTION, parent: FRAME, arm: ARM, frame: FRAME, lane):
    """Acceleration of a fixed or prescribed node's frame."""
    q_WP, omega_WP = parent.q, parent.omega
    a_WP, alpha_WP = parent.a, parent.alpha
    d, drift = arm.d, arm.drift
    surge = stretch(q_WP, motion.scale, driven.a)
    alpha_PB, omega_WB = driven.alpha, frame.omega
    frame.a = compose_acceleration(a_WP, omega_WP, alpha_WP, d, drift, surge)
    alpha_WB = compose_angular_acceleration(omega_WP, alpha_WP, q_WP, alpha_PB, omega_WB)
    frame.alpha = alpha_WB


@lanewise
def accelerate_free(state: STAGE, body: BODY, arm: ARM, wrench: WRENCH, frame: FRAME, rate: RATE, lane):
    """Newton's and Euler's equations for a free body."""
    q_WB, omega_WB = frame.q, frame.omega
    f_W, tau_W = wrench.f, wrench.tau
    omega_B = state.omega

    a_WC = acceleration(body.mass, f_W, wrench.g)
    inverse_inertia = body.inverse
    alpha_B = angular_acceleration(body.inertia, inverse_inertia, omega_B, rotate_back(q_WB, tau_W))
    alpha_WB = rotate(q_WB, alpha_B)
    r = rotate(q_WB, body.com)
    frame.a = point_acceleration(a_WC, omega_WB, alpha_WB, negated(r))
    frame.alpha = alpha_WB
    arm.a_WC = a_WC
    rate.alpha = alpha_B
    turning = scaled(takes_torque(inverse_inertia), tau_W)
    applied = power(f_W, arm.v_WC, turning, omega_WB)
    rate.power = applied + wrench.power


@lanewise
def accelerate_in_parent(body: BODY, parent: FRAME, arm: ARM, rate: RATE, lane):
    """Acceleration of a free body's centre of mass relative to the parent, in its axes: with all inertial terms."""
    rate.a = local_acceleration(parent.a, parent.omega, parent.alpha, parent.q, body.scale, arm.d, arm.drift, arm.a_WC)


@lanewise
def accelerate_in_world_axes(parent: FRAME, arm: ARM, rate: RATE, lane):
    """d'' of a free body: of the inertial terms, only the linear one is left."""
    rate.a = sub(arm.a_WC, parent.a)
