"""Restitution: the impulse of an impact, and the time of touching.

Bodies A and B touch at a point; normal n, slip u (m/s) and inverse effective mass K (1/kg) are those of `contact`. The
point approaches: n . u < 0. Two impulses are known without any law of impact. P_1 stops the approach and has no tangent
part: the frictionless plastic impact. P_2 stops the slip altogether: the plastic impact that sticks.

    P_1 = -(n . u)/(n . K n) n,     P_2 = -K^-1 u

The impulse of an impact is made of them, with restitution e of the first:

    P = (1 + e) P_1 + k (P_2 - P_1),     k = 1 within the cone of friction |P_t| <= mu P_n, else such that P is on it

P_2 - P_1 does not change the normal slip, so that Newton's law n . u' = -e n . u holds exactly. Where the point
sticks, the slip afterwards is e K P_1, along n if K n is. Energy is never gained, for any K; for spheres these are the
classical closed forms.

*Several points at once.* Where points of one pair of shapes close at the same instant, their frictionless plastic
impulses p_i satisfy Signorini's conditions together: the p_i and the slips w_i = u_i + sum_j M_ij p_j are not negative,
and one of each two is zero, M_ij the slip along n_i that a unit impulse along n_j makes. With one normal, the p_i are
equivalent to their sum P_1 at their centre r_c = sum p_i r_i/P_1, which is the frictionless plastic impulse of that
point: its slip along the normal afterwards is sum p_i w_i/P_1 = 0. So the impact is that of the point at r_c.

Sources: Chatterjee and Ruina, A new algebraic rigid-body collision law based on impulse space considerations, J. Appl.
Mech. 65 (1998), with tangential restitution e_t = 0; Newton (1687), e; Moreau, Unilateral contact and dry friction in
finite freedom dynamics (1988), the joint impulse.
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
def coupling(w, n_1, n_2, inverse_A, a_1, a_2, inverse_B, b_1, b_2):
    """M_12, 1/kg: the slip along n_1 at point 1 that a unit impulse along n_2 at point 2 makes; w = w_A + w_B.

    a and b: the moments r_A x n and r_B x n of unit impulses.
    """
    return w * dot(n_1, n_2) + dot(a_1, apply(inverse_A, a_2)) + dot(b_1, apply(inverse_B, b_2))


@formula
def impact_impulse(K, n, u, e, mu):
    """P = (1 + e) P_1 + k (P_2 - P_1), N s, on B. At the cone, with D = P_2 - P_1 and P for k = 1:

    k = mu (1 + e) n . P_1/(|P_t| - mu n . D), below 1, for which |k D_t| = mu n . ((1 + e) P_1 + k D).
    """
    P_1 = scaled(-dot(n, u) / dot(n, apply(K, n)), n)
    rebound = scaled(1.0 + e, P_1)
    D = sub(scaled(-1.0, apply(inverse(K), u)), P_1)
    P = add(rebound, D)
    P_t = norm(rejection(n, P))
    slides = P_t > mu * dot(n, P)
    k = mu * dot(n, rebound) / select(slides, P_t - mu * dot(n, D), 1.0)
    return add(rebound, scaled(select(slides, k, 1.0), D))
