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
2. The rebound is Q = e p with one e for all: e^2 is the mean of their e_i^2, weighted by the works of compression
   p_i (-u_i)/2. So no place approaches afterwards, and the energy given back, e^2 p.M p/2, is the sum of what each
   gives back of its own work. With Q_i = e_i p_i a ball in a groove with sides of e = 1 and 0, both 20 degrees from the
   vertical, would leave with 2.1 times its energy.
3. Friction: the plastic impulses become those of the law of one place with respect to the slip that all others leave,
   with the cone mu (P_n + Q), for all places. P_n is negative, down to -Q, where the others part the place already.
   Where this does not settle, the impulses are those of least energy on the way from the frictionless ones to the last
   ones found, p + theta d: energy does not rise, and the cones are convex.

The impulse of a place is the sum of its plastic one and its rebound. With one place this is the law above.

Sources: Chatterjee and Ruina, A new algebraic rigid-body collision law based on impulse space considerations, J. Appl.
Mech. 65 (1998), with tangential restitution e_t = 0; Newton (1687), e; Moreau, Unilateral contact and dry friction in
finite freedom dynamics (1988), the common problem and its solution place by place.
"""

from __future__ import annotations

from rigidsim.jit import formula
from rigidsim.physics.contact import slip_of_impulse, tangents
from rigidsim.physics.elementary import select, select3, sqrt
from rigidsim.physics.inertia import apply, inverse
from rigidsim.physics.vector import add, dot, norm, rejection, scaled, sub

NEVER = 1e300  # s
# Of the sum of the inverse effective masses along three axes: a direction with less is one that joints do not allow.
HELD = 1e-9


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
def combined_restitution(returned, compressed):
    """e = sqrt(sum e_i^2 p_i (-u_i)/sum p_i (-u_i)), from both sums, W; at most 1, and 0 if nothing was compressed."""
    works = (compressed > 0.0) & (returned > 0.0)
    e = sqrt(select(works, returned, 0.0) / select(works, compressed, 1.0))
    return select(e < 1.0, e, 1.0)


@formula
def plastic_impulse(k_n, inverse_K, n, u, rebound, mu):
    """P_1 + k (P_2 - P_1), N s, on B; k_n = n . K n (1/kg), `rebound` the normal impulse Q (N s) by which the cone of
    friction is wider. -Q n, so that nothing acts, if the place separates faster than Q could part it: n . u >= k_n Q.
    At the cone, with D = P_2 - P_1 and P = P_1 + D:

    k = mu n . (P_1 + Q)/(|P_t| - mu n . D), below 1, for which |k D_t| = mu n . (P_1 + Q + k D).
    """
    u_n = dot(n, u)
    P_1 = scaled(-u_n / k_n, n)
    D = sub(scaled(-1.0, apply(inverse_K, u)), P_1)
    P_t, bound, widening = norm(rejection(n, D)), mu * (rebound - u_n / k_n), mu * dot(n, D)
    slides = P_t > bound + widening
    k = bound / select(slides, P_t - widening, 1.0)
    P = add(P_1, scaled(select(slides, k, 1.0), D))
    return select3(u_n < rebound * k_n, P, scaled(-rebound, n))


@formula
def least_energy(work, change):
    """theta in [0, 1], at which theta work + theta^2 change/2 is least: of the way d of the impulses, `work` is the sum
    of w_i . d_i, w the slips where it begins, and `change` the sum of d_i . K_ij d_j.
    """
    falls = (work < 0.0) & (change > 0.0)
    theta = select(falls, -work, 0.0) / select(falls, change, 1.0)
    return select(theta < 1.0, theta, 1.0)


@formula
def impact_impulse(K, n, u, e, mu):
    """P, N s, on B, of one place."""
    k_n = dot(n, apply(K, n))
    rebound = -e * dot(n, u) / k_n
    return add(plastic_impulse(k_n, inverse(K), n, u, rebound, mu), scaled(rebound, n))


@formula
def _inverse_across(tt, tb, bb, least):
    """The inverse (xx, xy, yy) of a symmetric matrix, and zero in directions with less than `least`, or HELD of what
    another has: that of rank one is itself over the square of its trace.
    """
    trace, det = tt + bb, tt * bb - tb * tb
    moves = trace > least
    full = moves & (det > HELD * trace * trace)
    of_two, of_one = select(full, det, 1.0), select(moves, trace * trace, 1.0)
    one = select3(moves, (tt / of_one, tb / of_one, bb / of_one), (0.0, 0.0, 0.0))
    return select3(full, (bb / of_two, -tb / of_two, tt / of_two), one)


@formula
def allowed_inverse(K, n, least):
    """The inverse of K, 1/kg, which is singular where joints allow no motion: n n/k_n, and that of what K is across n
    once the normal slip is held, V S^-1 V^T with S = V^T K V and n . K V = 0, in the directions that joints allow:
    those in which S has more than `least`, 1/kg.
    """
    K_n, (t, b) = apply(K, n), tangents(n)
    k_n = dot(n, K_n)
    v, w = sub(t, scaled(dot(t, K_n) / k_n, n)), sub(b, scaled(dot(b, K_n) / k_n, n))
    K_v, K_w = apply(K, v), apply(K, w)
    xx, xy, yy = _inverse_across(dot(v, K_v), dot(v, K_w), dot(w, K_w), least)
    of_n, of_v, of_w = scaled(1.0 / k_n, n), add(scaled(xx, v), scaled(xy, w)), add(scaled(xy, v), scaled(yy, w))
    return (
        n[0] * of_n[0] + v[0] * of_v[0] + w[0] * of_w[0], n[1] * of_n[1] + v[1] * of_v[1] + w[1] * of_w[1],
        n[2] * of_n[2] + v[2] * of_v[2] + w[2] * of_w[2], n[0] * of_n[1] + v[0] * of_v[1] + w[0] * of_w[1],
        n[0] * of_n[2] + v[0] * of_v[2] + w[0] * of_w[2], n[1] * of_n[2] + v[1] * of_v[2] + w[1] * of_w[2],
    )  # fmt: skip
