"""One impact of two shapes: the joint impulse of all places where they touch, and what it does to both bodies."""

from __future__ import annotations

from rigidsim.engine import layout as at
from rigidsim.engine.contact import columns as c
from rigidsim.engine.contact.approach import (
    M_INERTIA,
    M_MASS,
    ROUND_OFF,
    TOUCHING,
    find_places,
    place_pair,
    sizes,
    slip_at,
)  # fmt: skip
from rigidsim.engine.contact.joint import centre, joint_impulse, pose_joint_problem
from rigidsim.engine.layout import load3, load4, load6, store3
from rigidsim.jit import inlined
from rigidsim.physics.contact_energy import impact_energy
from rigidsim.physics.inertia import apply
from rigidsim.physics.quaternion import rotate, rotate_back
from rigidsim.physics.restitution import impact_impulse, inverse_effective_mass
from rigidsim.physics.rigid_body import kinetic_energy
from rigidsim.physics.vector import add, cross, dot, norm, rejection, scaled, sub


@inlined
def surface_slip(first, second, contacts, near):
    """The velocity of the second shape's surface on its body minus that of the first one's, m/s."""
    moves_A = rotate(load4(near.side[0], c.X_Q, 0, 1), load3(contacts.shape_value[first], c.V_SURFACE, 0, 1))
    moves_B = rotate(load4(near.side[1], c.X_Q, 0, 1), load3(contacts.shape_value[second], c.V_SURFACE, 0, 1))
    return sub(moves_B, moves_A)


@inlined
def kinetic(b, side, contacts, body):
    """Kinetic energy of a body that forces move, relative to the reference frame, J; 0 of others."""
    row = contacts.body[b, c.BODY_ROW]
    if row == at.NO_ROW:
        return 0.0
    omega_B = rotate_back(load4(side, c.X_Q, 0, 1), load3(side, c.X_OMEGA, 0, 1))
    mass, inertia = body[row, at.B_MASS], load6(body[row], at.B_INERTIA, 0, 1)
    return kinetic_energy(mass, inertia, load3(side, c.X_V, 0, 1), omega_B)


@inlined
def push(b, t, r, P, side, motion):
    """An impulse P on a body at r from its centre, t s after the beginning of the step."""
    dL = cross(r, P)
    dv = scaled(side[M_MASS], P)
    first = apply(load6(motion.inverse[b], c.I_INERTIA, 0, 1), dL)
    turn = apply(load6(side, M_INERTIA, 0, 1), dL)
    store3(side, c.X_V, 0, 1, add(load3(side, c.X_V, 0, 1), dv))
    store3(side, c.X_OMEGA, 0, 1, add(load3(side, c.X_OMEGA, 0, 1), turn))
    for k in range(3):
        motion.vel[b, c.L_LINEAR + k] += dv[k]
        motion.moved[b, c.L_LINEAR + k] -= t * dv[k]
        motion.vel[b, c.L_ANGULAR + k] += first[k]
        motion.moved[b, c.L_ANGULAR + k] -= t * first[k]
        motion.turned[b, k] += dL[k]


@inlined
def impact(first, second, e, mu, plane, contacts, near):
    """(n, r_A, r_B, P) of two shapes that touch, as placed now; P is zero if they do not approach."""
    size, extent = sizes(first, second, contacts, near)
    count = find_places(first, second, TOUCHING * size + 20.0 * ROUND_OFF * extent, contacts, near)
    nothing = (0.0, 0.0, 0.0)
    pose_joint_problem(count, near)
    total = joint_impulse(count, near.joint, near.system)
    if not total > 0.0:
        return nothing, nothing, nothing, nothing
    n, r_A, r_B = centre(count, total, near)
    if len(plane) > 0:
        n = rejection(load3(plane[0], 0, 0, 1), n)
    length = norm(n)
    n = scaled(1.0 / length if length > 0.0 else 0.0, n)
    u = add(slip_at(r_A, r_B, near), rejection(n, surface_slip(first, second, contacts, near)))
    if not dot(n, u) < 0.0:
        return nothing, nothing, nothing, nothing
    A, B = near.side[0], near.side[1]
    inverse_A, inverse_B = load6(A, M_INERTIA, 0, 1), load6(B, M_INERTIA, 0, 1)
    K = inverse_effective_mass(A[M_MASS] + B[M_MASS], inverse_A, r_A, inverse_B, r_B)
    P = impact_impulse(K, n, u, e, mu)
    near.energy[0], near.energy[1] = impact_energy(n, P, add(u, scaled(0.5, apply(K, P))))
    return n, r_A, r_B, P


@inlined
def strike(first, second, t, e, mu, body, plane, contacts, motion, log, log_value, near):
    """Strike two shapes that touch t s after the beginning of the step, with a line of the log; P, zero if they do not
    approach.
    """
    place_pair(first, second, t, motion, contacts, near)
    n, r_A, r_B, P = impact(first, second, e, mu, plane, contacts, near)
    log[c.LOG_KIND], log[c.LOG_FIRST], log[c.LOG_SECOND] = c.IMPACT, first, second
    log_value[c.G_TIME] = t
    store3(log_value, c.G_POINT, 0, 1, add(load3(near.side[0], c.X_P, 0, 1), r_A))
    store3(log_value, c.G_NORMAL, 0, 1, n)
    store3(log_value, c.G_IMPULSE, 0, 1, P)
    log_value[c.G_BEFORE], log_value[c.G_AFTER] = 0.0, 0.0
    for s in range(2):
        b, side = contacts.shape[first if s == 0 else second, c.SHAPE_BODY], near.side[s]
        log_value[c.G_BEFORE] += kinetic(b, side, contacts, body)
        push(b, t, r_A if s == 0 else r_B, scaled(2.0 * s - 1.0, P), side, motion)
        log_value[c.G_AFTER] += kinetic(b, side, contacts, body)
    return P
