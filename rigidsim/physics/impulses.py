"""Impulses: jumps of velocity at an instant; the pose does not change.

An impulse J (N s) at lever r (m) from the centre of mass and an angular impulse K (N m s) about it change velocity and
rate at an instant; the effect within a hierarchy is in `corrections`.

A plastic impact joins two rigid bodies, 1 and 2, with centres of mass C1 and C2; there is no external impulse. Before
it, s = p_WC2 - p_WC1 (m) and u = v_WC2 - v_WC1 (m/s); all in world axes. Momentum is conserved, so the combined centre
of mass C keeps its motion, at p_WC1 + b s with v_WC1 + b u, where b = m_2/(m_1 + m_2). The angular momentum L about C
is conserved, so omega' = I^-1 L with the combined inertia I about C. The kinetic energy of the motion relative to the
combined motion is lost (Carnot 1803).
Source: Goldstein, Poole, Safko, Classical Mechanics (2002), 1.2: the centre of mass, and the division of L (Koenig
1751).
"""

from __future__ import annotations

from rigidsim.jit import formula
from rigidsim.physics.inertia import apply
from rigidsim.physics.vector import add, cross, dot, scaled, sub


@formula
def velocity_jump(mass, J):
    """dv = J/m, m/s, of the centre of mass."""
    return scaled(1.0 / mass, J)


@formula
def moment(lever, f, t):
    """r x f + t about the centre of mass, N m or N m s: of a force f at this lever, and a torque t, or of impulses."""
    return add(cross(lever, f), t)


@formula
def rate_jump(inverse_inertia_B, K_B):
    """domega = I^-1 K, rad/s, body axes, with K about the centre of mass."""
    return apply(inverse_inertia_B, K_B)


@formula
def rate_of_impulse(inverse_inertia, r, P):
    """domega = I^-1 (r x P), rad/s, of an impulse at r from the centre of mass, in the axes of the inverse inertia."""
    return rate_jump(inverse_inertia, cross(r, P))


@formula
def respond(w, inverse_inertia, r, P, K):
    """(dv, domega) = (w P, I^-1 (r x P + K)): the answer of a body to an impulse P at r from its centre of mass and an
    angular impulse K; w = 1/m. What nothing moves has w = 0 and I^-1 = 0. That of bodies on joints is in
    `engine/dynamics/responses.py`.
    """
    return scaled(w, P), rate_jump(inverse_inertia, moment(r, P, K))


@formula
def jump_energy(mass, inertia_B, v, dv, omega_B, domega_B):
    """m dv . (v + dv/2) + I domega . (omega + domega/2), J: the change of kinetic energy by a jump."""
    linear = mass * dot(dv, add(v, scaled(0.5, dv)))
    return linear + dot(apply(inertia_B, domega_B), add(omega_B, scaled(0.5, domega_B)))


# --- plastic impact


@formula
def mass_share(m_1, m_2):
    """b = m_2/(m_1 + m_2): the combined centre of mass is at C1 + b (C2 - C1)."""
    return m_2 / (m_1 + m_2)


@formula
def reduced_mass(m_1, m_2):
    """mu = m_1 m_2/(m_1 + m_2), kg."""
    return m_1 * mass_share(m_1, m_2)


@formula
def combined_angular_momentum(L_1, L_2, mu, s, u):
    """L = L_1 + L_2 + mu s x u, N m s: about C, from the angular momenta of the bodies about C1 and C2.

    C1 and C2 are at -b s and (1 - b) s from C, with -b u and (1 - b) u: m_1 b^2 + m_2 (1 - b)^2 = mu.
    """
    return add(add(L_1, L_2), scaled(mu, cross(s, u)))


@formula
def plastic_origin_jump(b, s, u, r, omega, omega_after):
    """dv = b (u - omega' x s) - (omega' - omega) x r, m/s, of body 1's origin, C1 being at r (m) from it.

    From v_WC1 - omega x r to v_WC - omega' x (r + b s). The rate jumps by omega' - omega.
    """
    of_com = scaled(b, sub(u, cross(omega_after, s)))
    return sub(of_com, cross(sub(omega_after, omega), r))
