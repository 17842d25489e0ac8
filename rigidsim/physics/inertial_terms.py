"""The four inertial terms: apparent accelerations of a body relative to a moving parent.

Source: "The Dynamics of a Transform Hierarchy" (cwzx), a1 = F/m - a2 - alpha2 x d - omega2 x (omega2 x d) - 2 omega2
x v1. Each term is an acceleration, m/s^2, with the sign it has on the right-hand side. All arguments are in the same
axes (world's or parent's): a_WP, omega_WP, alpha_WP of the parent in the world; d the arm from the parent's origin to
the body, m; drift = J_WP v_PB the body's velocity relative to the parent, m/s.
"""

from __future__ import annotations

from rigidsim.jit import formula
from rigidsim.physics.vector import add, cross, negated, scaled


@formula
def linear_term(a_WP):
    """-a_WP: the parent's origin accelerates."""
    return negated(a_WP)


@formula
def euler_term(alpha_WP, d):
    """-alpha_WP x d: the parent's rate changes."""
    return negated(cross(alpha_WP, d))


@formula
def centrifugal_term(omega_WP, d):
    """-omega_WP x (omega_WP x d): away from the parent's axis of rotation."""
    return negated(cross(omega_WP, cross(omega_WP, d)))


@formula
def coriolis_term(omega_WP, drift):
    """-2 omega_WP x drift: perpendicular to the velocity relative to a rotating parent."""
    return scaled(-2.0, cross(omega_WP, drift))


@formula
def inertial_acceleration(a_WP, omega_WP, alpha_WP, d, drift):
    """The sum of the four terms."""
    rotating = add(centrifugal_term(omega_WP, d), coriolis_term(omega_WP, drift))
    return add(add(linear_term(a_WP), euler_term(alpha_WP, d)), rotating)
