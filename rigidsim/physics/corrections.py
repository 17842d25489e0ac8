"""Corrections of a motion at an instant: displacement and turn, with the changes of velocity and rate.

A correction of a frame B: displacement dx of its origin (m), turn theta (rotation vector, rad), change dv of the
velocity of its origin (m/s), change domega of its rate (rad/s); all in world axes. e = exp(theta/2) is the quaternion
of the turn, R its matrix. Impulses and reparentings have theta = 0 and dx = 0. A node in its parent P: d = J_WP p_PB,
drift = J_WP v_PB, and omega_WP before the correction. All formulas are sums of small terms, so a correction of zero
changes no bit, and no digits are lost far from the parent's origin.
Source: "The Dynamics of a Transform Hierarchy" (cwzx), counteracting the inherited effect: the case of a parent whose
velocity alone changes.
"""

from __future__ import annotations

from rigidsim.jit import formula
from rigidsim.physics.inertia import apply
from rigidsim.physics.quaternion import conjugate, exp_septic, product, renormalised, swing
from rigidsim.physics.vector import add, cross, scaled, sub


@formula
def turn(theta):
    """e = exp(theta/2): the quaternion of a turn in world axes, |theta| well below 1."""
    return exp_septic(scaled(0.5, theta))


@formula
def joined_turn(theta_P, theta):
    """theta_P + theta + theta_P x theta/2, rad: the turn theta, and then theta_P, to second order; both in axes before
    them. About one axis it is exact. Source: Baker (1905).
    """
    return add(add(theta_P, theta), scaled(0.5, cross(theta_P, theta)))


@formula
def turned(e, q):
    """e q: an orientation after the turn."""
    return renormalised(product(e, q))


@formula
def inherited_displacement(dx_P, e_P, d):
    """dx = dx_P + R d - d: of a point that hangs on the parent at d."""
    return add(dx_P, swing(e_P, d))


@formula
def inherited_velocity(dv_P, e_P, omega_WP, domega_P, d, drift):
    """dv = dv_P + omega' x R d - omega x d + R drift - drift, of a point that hangs on the parent at d and moves with
    drift; omega' x R d - omega x d = domega x R d + omega x (R d - d).
    """
    swung = swing(e_P, d)
    borne = add(cross(domega_P, add(d, swung)), cross(omega_WP, swung))
    return add(add(dv_P, borne), swing(e_P, drift))


@formula
def inherited_rate(domega_P, e_P, omega_WP, omega_WB):
    """domega = domega_P + R u - u, u = omega_WB - omega_WP: the relative rate turns with the parent."""
    return add(domega_P, swing(e_P, sub(omega_WB, omega_WP)))


@formula
def inherited_angular_momentum(I_W, e, omega, domega):
    """dL = I' omega' - I omega = I' domega + (I' - I) omega, I' = R I R^T: of a body that turns with its parent; its
    inertia in world axes before the turn.
    """
    back = conjugate(e)
    jump, u = apply(I_W, add(domega, swing(back, domega))), swing(back, omega)
    L, grown = apply(I_W, omega), apply(I_W, u)
    turning = add(swing(e, L), add(grown, swing(e, grown)))
    return add(add(jump, swing(e, jump)), turning)


@formula
def change_within(e, v, dv):
    """R^T (v + dv) - v: the change, in the axes of a frame that turns, of a vector that changes by dv; these axes as
    they were before the turn. Of an arm, with dv the displacement beyond that of the frame's origin; of an angular
    momentum, with dv the angular impulse.
    """
    back = conjugate(e)
    return add(swing(back, v), add(dv, swing(back, dv)))


@formula
def relative_velocity_change(e_P, omega_WP, domega_P, d, drift, dx, dv):
    """R^T drift' - drift with drift' = drift + omega x d - omega' x d' + dv, d' = d + dx, in the same axes: the change
    of J_WP v_PB of a point whose displacement and change of velocity exceed those of the parent's origin by dx, dv.
    """
    return change_within(e_P, drift, sub(dv, add(cross(domega_P, add(d, dx)), cross(omega_WP, dx))))


@formula
def origin_displacement(dx_C, e, r):
    """dx = dx_C - (R r - r): of the origin, with the centre of mass at r from it."""
    return sub(dx_C, swing(e, r))


@formula
def origin_velocity_change(dv_C, e, omega, domega, r):
    """dv = dv_C - (omega' x R r - omega x r): of the origin, with the centre of mass at r from it."""
    swung = swing(e, r)
    return sub(dv_C, add(cross(domega, add(r, swung)), cross(omega, swung)))
