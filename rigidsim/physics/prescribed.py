"""Motion prescribed by constants, as a function of time: no state, no accumulated error."""

from __future__ import annotations

from rigidsim._jit import formula
from rigidsim.physics.elementary import sin_cos
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
