"""Composition, inverse, global to local: poses, velocities and accelerations of frames within frames.

A pose X = (p, q, s) maps x to s R(q) x + p; s > 0 scales lengths. J = s R is its linear part. Velocities are (v,
omega), accelerations (a, alpha), in the axes of the frame they are relative to.
Source: "The Dynamics of a Transform Hierarchy" (cwzx): composition, inverse, global to local.
"""

from __future__ import annotations

from rigidsim.jit import formula
from rigidsim.physics.elementary import select
from rigidsim.physics.inertial_terms import inertial_acceleration
from rigidsim.physics.quaternion import conjugate, product, rotate, rotate_back, swing
from rigidsim.physics.vector import add, cross, negated, scaled, sub


@formula
def stretch(q, s, v):
    """J v = s R(q) v: a vector in the child's coordinates, expressed in the parent's."""
    return rotate(q, scaled(s, v))


@formula
def stretch_back(q, s, v):
    """J^-1 v, the inverse of `stretch`."""
    return scaled(1.0 / s, rotate_back(q, v))


# --- composition: X_WB = X_WP o X_PB


@formula
def compose_position(p_WP, d):
    """p_WB = p_WP + d, with d = J_WP p_PB."""
    return add(p_WP, d)


@formula
def compose_velocity(v_WP, omega_WP, d, drift):
    """v_WB = v_WP + omega_WP x d + drift, with drift = J_WP v_PB."""
    return add(add(v_WP, drift), cross(omega_WP, d))


@formula
def compose_acceleration(a_WP, omega_WP, alpha_WP, d, drift, surge):
    """a_WB = a_WP + surge + alpha x d + omega x (omega x d) + 2 omega x drift, with surge = J_WP a_PB."""
    return sub(surge, inertial_acceleration(a_WP, omega_WP, alpha_WP, d, drift))


@formula
def compose_rate(omega_WP, q_WP, omega_PB):
    """omega_WB = omega_WP + R_WP omega_PB."""
    return add(omega_WP, rotate(q_WP, omega_PB))


@formula
def compose_angular_acceleration(omega_WP, alpha_WP, q_WP, alpha_PB, omega_WB):
    """alpha_WB = alpha_WP + R_WP alpha_PB + omega_WP x omega_WB."""
    return add(add(alpha_WP, rotate(q_WP, alpha_PB)), cross(omega_WP, omega_WB))


@formula
def compose_pose(X_WP, X_PB):
    """X_WB = X_WP o X_PB: (p_WP + J_WP p_PB, q_WP q_PB, s_WP s_PB)."""
    p_WP, q_WP, s_WP = X_WP
    p_PB, q_PB, s_PB = X_PB
    return (compose_position(p_WP, stretch(q_WP, s_WP, p_PB)), product(q_WP, q_PB), s_WP * s_PB)


@formula
def compose_motion(X_WP, v_WP, omega_WP, X_PB, v_PB, omega_PB):
    """(X_WB, v_WB, omega_WB) of pose and rates of P in W and of B in P."""
    _, q, s = X_WP
    d, drift = stretch(q, s, X_PB[0]), stretch(q, s, v_PB)
    v_WB = compose_velocity(v_WP, omega_WP, d, drift)
    return (compose_pose(X_WP, X_PB), v_WB, compose_rate(omega_WP, q, omega_PB))


# --- a step in world axes: y = d and u = d' = drift + omega_WP x d, of which the derivatives are u and a_WC - a_WP
#
# However fast the parent turns, its turn is no force there; it is undone at the end, with D = R_1^T R_0, the turn of
# the parent in its own axes from the beginning (0) to the end (1):
#   p_1 = J_1^-1 (y_0 + dy) = D p_0 + J_1^-1 dy,
#   v_1 = J_1^-1 (u_0 + du - omega_1 x (y_0 + dy)) = D v_0 + J_1^-1 (du - (omega_1 - omega_0) x y_0 - omega_1 x dy).


@formula
def changes_in_parent(q_0, q_1, omega_0, omega_1, s_WP, p_0, v_0, y_0, dy, du):
    """p_1 - p_0 and v_1 - v_0 of a body relative to its parent, in the parent's axes at the end and at the beginning;
    q and omega are the parent's, in the world.

    No term is larger than the changes themselves, so compensated sums of p and v keep their digits: (D - 1) x follows
    from the vector part of the quaternion of D, and that from the difference of the quaternions, which is exact:
    q_1* q_0 = 1 + q_1* (q_0 - q_1).
    """
    sign = select(product(conjugate(q_1), q_0)[0] < 0.0, -1.0, 1.0)  # q and -q are the same rotation
    w, *u = product(conjugate(q_1), tuple([sign * a - b for a, b in zip(q_0, q_1, strict=True)]))
    turn = (1.0 + w, *u)
    turned = sub(sub(du, cross(sub(omega_1, omega_0), y_0)), cross(omega_1, dy))
    return (
        add(swing(turn, p_0), stretch_back(q_1, s_WP, dy)),
        add(swing(turn, v_0), stretch_back(q_1, s_WP, turned)),
    )


# --- inverse: the parent seen from the body


@formula
def inverse_pose(X):
    """X^-1: s' = 1/s, q' = q*, p' = -J^-1 p."""
    p, q, s = X
    return (negated(stretch_back(q, s, p)), conjugate(q), 1.0 / s)


@formula
def inverse_velocity(X, v, omega):
    """(v', omega') of X^-1: v' = J^-1(omega x p - v), omega' = -R^T omega."""
    p, q, s = X
    return (stretch_back(q, s, sub(cross(omega, p), v)), negated(rotate_back(q, omega)))


@formula
def inverse_acceleration(X, v, omega, a, alpha):
    """(a', alpha') of X^-1: a' = J^-1(alpha x p - omega x (omega x p) + 2 omega x v - a), alpha' = -R^T alpha."""
    p, q, s = X
    sweep = sub(scaled(2.0, cross(omega, v)), cross(omega, cross(omega, p)))
    return (stretch_back(q, s, sub(add(cross(alpha, p), sweep), a)), negated(rotate_back(q, alpha)))


# --- global to local: X_PB = X_WP^-1 o X_WB


@formula
def local_velocity(v_WP, omega_WP, q_WP, s_WP, d, v_WB):
    """v_PB = J_WP^-1 (v_WB - v_WP - omega_WP x d)."""
    return stretch_back(q_WP, s_WP, sub(sub(v_WB, v_WP), cross(omega_WP, d)))


@formula
def local_rate(omega_WP, q_WP, omega_WB):
    """omega_PB = R_WP^T (omega_WB - omega_WP)."""
    return rotate_back(q_WP, sub(omega_WB, omega_WP))


@formula
def local_motion(X_WP, v_WP, omega_WP, X_WB, v_WB, omega_WB):
    """(X_PB, v_PB, omega_PB) of pose and rates of P and of B in W."""
    _, q, s = X_WP
    X_PB = compose_pose(inverse_pose(X_WP), X_WB)
    v_PB = local_velocity(v_WP, omega_WP, q, s, stretch(q, s, X_PB[0]), v_WB)
    return (X_PB, v_PB, local_rate(omega_WP, q, omega_WB))


@formula
def local_acceleration(a_WP, omega_WP, alpha_WP, q_WP, s_WP, d, drift, a_WB):
    """a_PB = J_WP^-1 (a_WB + the four inertial terms)."""
    return stretch_back(q_WP, s_WP, add(a_WB, inertial_acceleration(a_WP, omega_WP, alpha_WP, d, drift)))


@formula
def local_angular_acceleration(omega_WP, alpha_WP, q_WP, omega_WB, alpha_WB):
    """alpha_PB = R_WP^T (alpha_WB - alpha_WP + omega_WB x omega_WP)."""
    return rotate_back(q_WP, add(sub(alpha_WB, alpha_WP), cross(omega_WB, omega_WP)))
