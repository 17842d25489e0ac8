"""Motion prescribed by constants, as a function of time: no state, no accumulated error."""

from __future__ import annotations

from rigidsim._jit import formula
from rigidsim.physics.elementary import sin_cos
from rigidsim.physics.frames import compose_angular_acceleration, compose_rate
from rigidsim.physics.quaternion import product
from rigidsim.physics.vector import add, scaled


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
    """(q, omega, alpha) of a frame that turns by `angle`, a jet (rad, rad/s, rad/s^2), about a unit axis fixed in one
    that moves with `turned` = (q, omega, alpha): composition with q_PB = exp(axis angle/2), omega_PB = angle' axis.
    """
    q, omega, alpha = turned
    s, c = sin_cos(0.5 * angle[0])
    further = compose_rate(omega, q, scaled(angle[1], axis))
    return (
        product(q, (c, s * axis[0], s * axis[1], s * axis[2])),
        further,
        compose_angular_acceleration(omega, alpha, q, scaled(angle[2], axis), further),
    )
