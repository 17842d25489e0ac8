"""Prescribed motion: by constants, by expressions of time, by rates.

Constants and expressions give the pose as a function of time: no state, no accumulated error. Rates that are functions
of time have no closed pose; it is advanced from the beginning of a step.
"""

from __future__ import annotations

from rigidsim.jit import formula
from rigidsim.physics.elementary import sin_cos
from rigidsim.physics.frames import compose_angular_acceleration, compose_rate
from rigidsim.physics.quaternion import exp_full, product
from rigidsim.physics.vector import add, cross, scaled


@formula
def prescribed_position(p_0, v_0, a_0, t):
    """p = p0 + v0 t + a0 t^2/2, parent's axes."""
    return add(p_0, scaled(t, add(v_0, scaled(0.5 * t, a_0))))


@formula
def prescribed_velocity(v_0, a_0, t):
    """v = v0 + a0 t, parent's axes."""
    return add(v_0, scaled(t, a_0))


@formula
def prescribed_rotation(q_0, axis, rate, rate_dot, t):
    """q = exp(axis theta/2) q0, theta = rate t + rate_dot t^2/2, about a unit axis fixed in the parent."""
    s, c = sin_cos(0.5 * t * (rate + 0.5 * t * rate_dot))
    return product((c, s * axis[0], s * axis[1], s * axis[2]), q_0)


@formula
def turned_further(turned, axis, angle):
    """(q, omega, alpha) of a frame that rotates by `angle`, a jet (rad, rad/s, rad/s^2), about a unit axis fixed in a
    frame with the motion `turned` = (q, omega, alpha): composition with q_PB = exp(axis angle/2), omega_PB = angle'
    axis.
    """
    q, omega, alpha = turned
    s, c = sin_cos(0.5 * angle[0])
    further = compose_rate(omega, q, scaled(angle[1], axis))
    return (
        product(q, (c, s * axis[0], s * axis[1], s * axis[2])),
        further,
        compose_angular_acceleration(omega, alpha, q, scaled(angle[2], axis), further),
    )


@formula
def displacement(total, h):
    """h (v_0 + 4 v_m + v_1)/6: the displacement in a time h, from velocities at the beginning, the middle and the end;
    `total` is the sum in brackets. Simpson's rule, exact for velocities that are cubics in t.
    """
    return scaled(h / 6.0, total)


@formula
def advanced_rotation(q, total, omega_0, omega_1, h):
    """exp(Omega/2) q, Omega = h (omega_0 + 4 omega_m + omega_1)/6 + h^2 (omega_1 x omega_0)/12, rates in the parent's
    axes; `total` is the sum in brackets. Fourth order; exact where the axis does not change and omega is a cubic in t.
    Blanes, Casas, Oteo, Ros, Phys. Rep. 470 (2009), eq. 254, for the rotation group.
    """
    twist = scaled(h * h / 12.0, cross(omega_1, omega_0))
    turn = add(scaled(h / 6.0, total), twist)
    return product(exp_full(scaled(0.5, turn)), q)
