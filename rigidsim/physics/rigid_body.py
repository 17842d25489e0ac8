"""Newton and Euler for one rigid body: accelerations, energies, momenta.

Rates here are relative to the world and in body axes, omega_B = omega_WB_B, where the inertia tensor I_B (about the
centre of mass) is constant.
"""

from __future__ import annotations

from rigidsim.jit import formula
from rigidsim.physics.elementary import select
from rigidsim.physics.inertia import apply
from rigidsim.physics.quaternion import rotate_back
from rigidsim.physics.vector import add, cross, dot, negated, scaled, sub


@formula
def acceleration(mass, f_W, g_W):
    """a_WC = g + f/m. Newton II for the centre of mass, m/s^2, world axes.

    Gravity is given as an acceleration: (m g)/m would have a rounding error, and free fall would depend on the mass.
    """
    return add(g_W, scaled(1.0 / mass, f_W))


@formula
def proper_acceleration(q_WB, a_WB, g_W):
    """f_B = R_WB^T (a_WB - g): what an accelerometer at B's origin feels, m/s^2, body axes; a and g in world axes.

    Source: Titterton, Weston, Strapdown Inertial Navigation Technology (2004), 3.4: the specific force.
    """
    return rotate_back(q_WB, sub(a_WB, g_W))


@formula
def angular_momentum(inertia_B, omega_B):
    """L_B = I_B omega_B, kg m^2/s, about the centre of mass, body axes."""
    return apply(inertia_B, omega_B)


@formula
def gyroscopic_torque(inertia_B, omega_B):
    """-omega x L, N m, body axes: the gyroscopic term of Euler's equation."""
    return negated(cross(omega_B, angular_momentum(inertia_B, omega_B)))


@formula
def angular_acceleration(inertia_B, inverse_inertia_B, omega_B, tau_B):
    """alpha_B = I^-1 (tau - omega x L), rad/s^2, body axes. Euler (1758).

    alpha_B is both the rate of change of omega_B and the angular acceleration expressed in body axes.
    """
    return apply(inverse_inertia_B, add(tau_B, gyroscopic_torque(inertia_B, omega_B)))


@formula
def kinetic_energy(mass, inertia_B, v_WC, omega_B):
    """m v.v/2 + omega.L/2, J."""
    return 0.5 * mass * dot(v_WC, v_WC) + 0.5 * dot(omega_B, angular_momentum(inertia_B, omega_B))


@formula
def uniform_potential(mass, g_W, p_WC):
    """-m g . p_WC, J; zero at the world's origin."""
    return -mass * dot(g_W, p_WC)


@formula
def momentum(mass, v_WC):
    """m v, N s."""
    return scaled(mass, v_WC)


@formula
def orbital_angular_momentum(mass, p_WC, v_WC):
    """p x m v, N m s, about the world's origin."""
    return cross(p_WC, momentum(mass, v_WC))


@formula
def takes_torque(inverse_inertia_B):
    """1 for a body with inertia, 0 for a particle, whose inverse inertia is zero: torques do no work on it."""
    xx, yy, zz, _, _, _ = inverse_inertia_B
    return select(xx + yy + zz > 0.0, 1.0, 0.0)


@formula
def power(f_W, v_WC, tau_W, omega_WB):
    """f . v + tau . omega, W: torque about the centre of mass."""
    return dot(f_W, v_WC) + dot(tau_W, omega_WB)


@formula
def point_velocity(v, omega, r):
    """v + omega x r: velocity of the point of the body at r from the point with velocity v."""
    return add(v, cross(omega, r))


@formula
def point_acceleration(a, omega, alpha, r):
    """a + alpha x r + omega x (omega x r)."""
    return add(a, add(cross(alpha, r), cross(omega, cross(omega, r))))


@formula
def origin_from_com(p_com, r):
    """The node's origin: the centre of mass minus r = J c, c the centre of mass in body coordinates."""
    return sub(p_com, r)
