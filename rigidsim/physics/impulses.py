"""Impulses: motion that jumps at an instant, the pose staying as it is.

An impulse J (N s) at lever r (m) from the centre of mass and an angular impulse K (N m s) about it change velocity and
rate at once; how that is shared within a hierarchy is in `deltas`.
"""

from __future__ import annotations

from rigidsim._jit import formula
from rigidsim.physics.inertia import apply
from rigidsim.physics.vector import add, cross, dot, scaled


@formula
def velocity_jump(mass, J):
    """dv = J/m, m/s, of the centre of mass."""
    return scaled(1.0 / mass, J)


@formula
def impulse_moment(lever, J, K):
    """r x J + K, N m s, about the centre of mass."""
    return add(cross(lever, J), K)


@formula
def rate_jump(inverse_inertia_B, K_B):
    """domega = I^-1 K, rad/s, body axes, with K about the centre of mass."""
    return apply(inverse_inertia_B, K_B)


@formula
def jump_energy(mass, inertia_B, v, dv, omega_B, domega_B):
    """m dv . (v + dv/2) + I domega . (omega + domega/2), J: the kinetic energy that a jump brings."""
    linear = mass * dot(dv, add(v, scaled(0.5, dv)))
    return linear + dot(apply(inertia_B, domega_B), add(omega_B, scaled(0.5, domega_B)))
