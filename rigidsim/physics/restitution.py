"""Restitution: the impulse of an impact, and the time of touching.

Bodies A and B touch at a point; normal n, slip u (m/s) and inverse effective mass K (1/kg) are those of `contact`. The
point approaches: n . u < 0. Two impulses are known without any law of impact. P_1 stops the approach and has no tangent
part: the frictionless plastic impact. P_2 stops the slip altogether: the plastic impact that sticks.

    P_1 = -(n . u)/(n . K n) n,     P_2 = -K^-1 u

The impulse of an impact is made of them, with restitution e of the first:

    P = (1 + e) P_1 + k (P_2 - P_1),     k = 1 within the cone of friction |P_t| <= mu P_n, else such that P is on it

P_2 - P_1 does not change the normal slip, so that Newton's law n . u' = -e n . u holds exactly. Where the point
sticks, the slip afterwards is e K P_1, along n if K n is. Energy is never gained, for any K; for spheres these are the
classical closed forms. Seen otherwise, P is the rebound Q = e P_1 and the plastic impulse P - Q, whose friction is
bounded by mu times the normal part of both.

*Several places at once.* Places that are struck at one instant are one problem. M_ij is the slip along n_i that a unit
impulse along n_j makes, u_i the normal slips.

1. The frictionless plastic impulses satisfy Signorini's conditions together: p_i and w_i = u_i + sum_j M_ij p_j are not
   negative, and one of each two is zero. Where the slips do not decide how places share their load, as four legs of a
   table, p is the solution of least norm.
2. The rebound Q_i = s e_i p_i changes the energy by (Q.M Q)/2, for Q.w = 0. Where no two places have a body in common,
   this is the sum of e_i^2 times the work of compression, p_i (-u_i)/2, and it may not be more elsewhere: s is the root
   of the ratio, and at most 1. Without s, a ball in a groove with sides of e = 1 and 0, both 20 degrees from the
   vertical, leaves with twice its energy.
3. Friction: the plastic impulses become those of the law of one place with respect to the slip that all others leave,
   with the cone mu (P_n + Q), for all places.

The impulse of a place is the sum of its plastic one and its rebound. With one place this is the law above.

Sources: Chatterjee and Ruina, A new algebraic rigid-body collision law based on impulse space considerations, J. Appl.
Mech. 65 (1998), with tangential restitution e_t = 0; Newton (1687), e; Moreau, Unilateral contact and dry friction in
finite freedom dynamics (1988), the joint problem and its solution place by place.
"""

from __future__ import annotations

from rigidsim.jit import formula
from rigidsim.physics.contact import slip_of_impulse
from rigidsim.physics.elementary import select, sqrt
from rigidsim.physics.inertia import apply, inverse
from rigidsim.physics.vector import add, dot, norm, rejection, scaled, sub

NEVER = 1e300  # s


@formula
def touching_time(g, u, a):
    """The time t at which the gap g + u t + a t^2/2 becomes zero from above, s; `NEVER` if it does not.

    Of the two roots the one with the rate -s, s = sqrt(u^2 - 2 a g): 2 g/(s - u) = -(u + s)/a; which form is used
    depends on the sign of u, so that nothing cancels. Negative if the bodies overlap and approach.
    """
    square = u * u - 2.0 * a * g
    meets, closes, turns = square >= 0.0, u < 0.0, a < 0.0
    s = sqrt(select(meets, square, 0.0))
    soon = select(meets | (g < 0.0), 2.0 * g / select(closes, s - u, 1.0), NEVER)
    late = select(meets & turns, (u + s) / select(turns, -a, 1.0), NEVER)
    return select(closes, soon, late)


@formula
def inverse_effective_mass(w, inverse_A, r_A, inverse_B, r_B):
    """K, 1/kg, as a symmetric tensor, with w = w_A + w_B."""
    x = slip_of_impulse(w, inverse_A, r_A, inverse_B, r_B, (1.0, 0.0, 0.0))
    y = slip_of_impulse(w, inverse_A, r_A, inverse_B, r_B, (0.0, 1.0, 0.0))
    z = slip_of_impulse(w, inverse_A, r_A, inverse_B, r_B, (0.0, 0.0, 1.0))
    return (x[0], y[1], z[2], x[1], x[2], y[2])


@formula
def coupling(w, n_1, n_2, inverse, a_1, a_2):
    """The part of M_12 (1/kg) by one body of inverse mass w that both places have: the velocity along n_1 of its point
    at place 1 that a unit impulse along n_2 at place 2 makes. a: the moments r x n of unit impulses.
    """
    return w * dot(n_1, n_2) + dot(a_1, apply(inverse, a_2))


@formula
def rebound_share(allowed, returned):
    """s = sqrt(allowed/returned), at most 1: both energies as sums of p_i e_i^2 (-u_i) and Q_i M_ij Q_j."""
    gains = returned > allowed
    return select(gains, sqrt(allowed / select(gains, returned, 1.0)), 1.0)


@formula
def plastic_impulse(k_n, inverse_K, n, u, rebound, mu):
    """P_1 + k (P_2 - P_1), N s, on B, if the place approaches, else 0; k_n = n . K n (1/kg), `rebound` the normal
    impulse Q (N s) by which the cone of friction is wider. At the cone, with D = P_2 - P_1 and P = P_1 + D:

    k = mu n . (P_1 + Q)/(|P_t| - mu n . D), below 1, for which |k D_t| = mu n . (P_1 + Q + k D).
    """
    u_n = dot(n, u)
    P_1 = scaled(-u_n / k_n, n)
    D = sub(scaled(-1.0, apply(inverse_K, u)), P_1)
    P_t, bound = norm(rejection(n, D)), mu * (rebound - u_n / k_n)
    widening = mu * dot(n, D)
    slides = P_t > bound + widening
    k = bound / select(slides, P_t - widening, 1.0)
    P = add(P_1, scaled(select(slides, k, 1.0), D))
    return scaled(select(u_n < 0.0, 1.0, 0.0), P)


@formula
def impact_impulse(K, n, u, e, mu):
    """P, N s, on B, of one place."""
    k_n = dot(n, apply(K, n))
    rebound = -e * dot(n, u) / k_n
    return add(plastic_impulse(k_n, inverse(K), n, u, rebound, mu), scaled(rebound, n))
