"""Contact: the impulses at a point where two bodies touch.

A and B touch at a point, at levers r_A and r_B (m) from their centres of mass; n is the unit normal from A to B. Their
slip is the velocity of B's point minus that of A's, u = v_B + omega_B x r_B - v_A - omega_A x r_A (m/s). An impulse P
(N s) acts on B and -P on A, and changes the slip by K P, with the inverse effective mass (1/kg)

    K = (w_A + w_B) 1 - [r_A] I_A^-1 [r_A] - [r_B] I_B^-1 [r_B],     w = 1/m, [r] v = r x v.

*Normal impulse.* Signorini's conditions: the gap g and the impulse P_n are not negative, and one of them is zero. In a
sub-step of length s an open gap may close, so u_n + g/s >= 0. Where bodies overlap (g < 0), the contact is a damped
spring of natural frequency omega and damping ratio zeta on the effective mass m = 1/(n . K n), integrated implicitly:
P = -s (k (g + s u') + c u') with k = m omega^2, c = 2 m zeta omega and u' = u + P/m. With
a = s omega (2 zeta + s omega) this is P = -m a/(1 + a) (u + omega/(2 zeta + s omega) g); for the sum p of several
iterations,

    p' = p - m a/(1 + a) (u_n + rate g) - p/(1 + a),     rate = omega/(2 zeta + s omega).

omega is a quarter of a turn in a sub-step of an undivided step, so a is a constant there: the spring is as stiff as the
sub-step resolves, and so in an even part of a step. In a part up to an impact it is the spring of what that is a part
of. The velocity that parted the bodies is removed
afterwards by the same formula with g = 0, rigidly.

*Friction.* Coulomb's law: |P_t| <= mu P_n; below the bound the slip across n vanishes, at the bound P_t is opposed to
it. P_t is a world vector across n, not two components, and the cone is a cone, not a pyramid. Sticking needs
P_t' = P_t - K_t^-1 u_t, K_t the part of K across n. Beyond the bound: the projection of P_t - u_t/k on the disc of
radius mu P_n, with k the largest eigenvalue of K_t. Its fixed point is Coulomb's law for any K_t: it leaves P_t if
u_t = 0, or if P_t is on the bound and opposed to u_t.

*Faces.* Points at the corners of a face carry it as well as an even pressure does, but friction against spinning has
the longest lever there: about the centre of pressure r_c = sum(P_n r)/sum(P_n) its moment is mu P_n |r - r_c|, and that
of an even pressure mu P_n times the mean distance, a share k of |r - r_c| (1/2 for a line, 0.541 for a square). So the
friction of a face that spins acts beside its points, at r + delta with delta = (k - 1) (r - r_c) across n, by the same
law: on the slip u + (omega_B - omega_A) x delta, with K at these levers, and with the moment delta x P_t in addition.
What slides does not begin to turn by that, as the shifts add up to nothing: sum(P_n delta) = 0.

*Rolling.* A moment that is at most a length times P_n opposes the difference of the rates, in rolling and in spinning.

*Positions.* The smooth motion within a step is a ramp of velocity. Displacements use the mean velocity of a sub-step
for what acts like a force, and the velocity at its end for what is new: flight is exact, rest is rest, and a body that
lands does not go through.

*Levers that change.* Where a body turns, the contact does not stay where it was as the step began. A feature of A at c
from its centre of mass (a corner, or the core of a rounded shape, whose lever is c less its radius along n) is at R c
after the turn theta, so r_A has changed by R c - c (`small_swing`), and r_B, which ends at the same point, by that and
the travel of A's centre of mass relative to B's. The slip belongs to the point where the contact will be at the end of
a sub-step, the moment of its impulse to that in the middle; the gap has the height of the feature to second order. So
rolling is of second order in the step; with the levers of its beginning it is of first order, and loses energy. An
impulse P that is applied already, as those of the last sub-step are, gets the moment c x P, c the change of the lever.
The masses K remain those of the beginning: they matter only on the way to the solution.

Sources: Moreau, Unilateral contact and dry friction in finite freedom dynamics (1988), the projections; Catto, Soft
constraints (Game Developers Conference 2011) and Solver2D (2024), soft contact with sub-steps and relaxation; Macklin
et al., Small steps in physics simulation (2019), sub-steps instead of iterations; Gershgorin (1931), the bound of the
eigenvalues.
"""

from __future__ import annotations

from rigidsim.jit import formula
from rigidsim.physics.elementary import select, select3, sqrt
from rigidsim.physics.impulses import rate_of_impulse
from rigidsim.physics.inertia import apply
from rigidsim.physics.quaternion import exp_full, swing
from rigidsim.physics.vector import add, cross, dot, rejection, scaled, sub

IGNORED, COLLIDES, SENSED = 0, 1, 2  # what two surfaces do: nothing, collide, only notice that they touch
# The mean distance from the middle over that of the ends: of a line, and of a square, (2 + sqrt(2) log(1 + sqrt(2)))/6.
LINE_SHARE, FACE_SHARE = 0.5, 0.5410750800467435
SOFT_TURN = 1.5707963267948966  # omega s, rad: the spring's phase in a sub-step of an undivided step
SOFT_RATIO = 2.0  # zeta; spheres are content with 10, stacks of boxes are not
LEAST = 1e-300  # below any square or inverse mass of a scene; a divisor of at least this much has a finite quotient


@formula
def slip(v_A, omega_A, r_A, v_B, omega_B, r_B):
    """u = v_B + omega_B x r_B - v_A - omega_A x r_A: the velocity of B's point minus that of A's."""
    return sub(add(v_B, cross(omega_B, r_B)), add(v_A, cross(omega_A, r_A)))


@formula
def slip_of_balls(v_A, omega_A, a, v_B, omega_B, b, n):
    """`slip` with r_A = a n and r_B = -b n: u = v_B - v_A + n x (a omega_A + b omega_B)."""
    return add(sub(v_B, v_A), cross(n, add(scaled(a, omega_A), scaled(b, omega_B))))


# --- effective masses


@formula
def slip_of_impulse(w, inverse_A, r_A, inverse_B, r_B, P):
    """K P, m/s: the slip that an impulse P makes, with w = w_A + w_B."""
    of_A = cross(rate_of_impulse(inverse_A, r_A, P), r_A)
    of_B = cross(rate_of_impulse(inverse_B, r_B, P), r_B)
    return add(scaled(w, P), add(of_A, of_B))


@formula
def rates_of_impulse(inverse_A, r_A, inverse_B, r_B, P):
    """omega_B - omega_A, rad/s, that an impulse P makes."""
    return add(rate_of_impulse(inverse_A, r_A, P), rate_of_impulse(inverse_B, r_B, P))


@formula
def effective_mass(k):
    """1/k, and 0 where nothing can be moved (k = 0)."""
    moves = k > LEAST
    return select(moves, 1.0 / select(moves, k, 1.0), 0.0)


@formula
def tangents(n):
    """Two unit vectors across n. If n lies in a coordinate plane, one of them does, and the other is its normal."""
    level = n[2] * n[2] < 0.5
    across = select3(level, (-n[1], n[0], 0.0), (0.0, -n[2], n[1]))
    t = scaled(1.0 / sqrt(dot(across, across) + LEAST), across)
    return (t, cross(n, t))


@formula
def tangent_mass(w, t, b, K_t, K_b):
    """(K_t^-1, 1/k): the inverse of K across n, as a tensor, and that of its largest eigenvalue.

    t and b are two unit vectors across n, K_t and K_b what K makes of them. Both eigenvalues are at least w, and so is
    the determinant at least w^2, whatever rounding makes of it.
    """
    tt, tb, bb = dot(t, K_t), dot(t, K_b), dot(b, K_b)
    det = tt * bb - tb * tb
    k = effective_mass(select(det > w * w, det, w * w))
    x, y, z = k * bb, -k * tb, k * tt
    largest = 0.5 * (tt + bb) + sqrt(0.25 * (tt - bb) * (tt - bb) + tb * tb)
    return (
        x * t[0] * t[0] + 2.0 * y * t[0] * b[0] + z * b[0] * b[0],
        x * t[1] * t[1] + 2.0 * y * t[1] * b[1] + z * b[1] * b[1],
        x * t[2] * t[2] + 2.0 * y * t[2] * b[2] + z * b[2] * b[2],
        x * t[0] * t[1] + y * (t[0] * b[1] + t[1] * b[0]) + z * b[0] * b[1],
        x * t[0] * t[2] + y * (t[0] * b[2] + t[2] * b[0]) + z * b[0] * b[2],
        x * t[1] * t[2] + y * (t[1] * b[2] + t[2] * b[1]) + z * b[1] * b[2],
    ), effective_mass(largest)  # fmt: skip


@formula
def eigenvalue_bound(tensor):
    """Not less than the largest eigenvalue of a symmetric tensor, and equal to it if all are equal. Gershgorin."""
    xx, yy, zz, xy, xz, yz = tensor
    xy, xz, yz = select(xy < 0.0, -xy, xy), select(xz < 0.0, -xz, xz), select(yz < 0.0, -yz, yz)
    x, y, z = xx + xy + xz, yy + xy + yz, zz + xz + yz
    most = select(x > y, x, y)
    return select(most > z, most, z)


# --- impulses


@formula
def softness(s, part):
    """(rate, stiff, soft) of a sub-step of s seconds: omega/(2 zeta + s omega), a/(1 + a), 1/(1 + a); `part` is its
    length relative to that in an undivided step.
    """
    turn = SOFT_TURN * part
    spring = 2.0 * SOFT_RATIO + turn
    a = turn * spring
    return (turn / (s * spring), a / (1.0 + a), 1.0 / (1.0 + a))


@formula
def normal_impulse(p_n, m_n, u_n, bias, stiff, soft):
    """The sum p' of the normal impulses; bias, m/s: rate g, or g/s. stiff and soft are 1 and 0 for a rigid contact. The
    sum is not negative: contacts do not pull.
    """
    p = p_n - m_n * stiff * (u_n + bias) - soft * p_n
    return select(p > 0.0, p, 0.0)


@formula
def within_ball(a, radius):
    """The point of the ball |x| <= radius that is nearest to a."""
    square = dot(a, a)
    outside = square > radius * radius
    return scaled(select(outside, radius / sqrt(select(outside, square, 1.0)), 1.0), a)


@formula
def friction_impulse(p_t, n, u, inverse_K_t, m_t, limit):
    """The sum P_t' of the tangent impulses, |P_t'| <= limit; m_t = 1/k."""
    u_t = rejection(n, u)
    stick = sub(p_t, apply(inverse_K_t, u_t))
    slide = within_ball(sub(p_t, scaled(m_t, u_t)), limit)
    return select3(dot(stick, stick) <= limit * limit, stick, slide)


@formula
def friction_shift(share, r, centre, n):
    """delta, m: from a contact point at r to where its friction against spinning about the centre of pressure acts."""
    return scaled(share - 1.0, rejection(n, sub(r, centre)))


@formula
def opposing_impulse(p, m, u, limit):
    """The nearest to p - m u that is not larger than the limit: of friction where K_t is m^-1 1, and of rolling."""
    return within_ball(sub(p, scaled(m, u)), limit)


# --- motion within a step


@formula
def initial_velocity_change(h, way, v, v_end):
    """delta, m/s, by which a ramp of velocity has to begin faster than v for the displacement `way` in h seconds, if it
    ends with v_end: way = h (v + delta + v_end)/2. It ends so because delta is added at its beginning alone.
    """
    return sub(scaled(2.0 / h, way), add(v, v_end))


@formula
def lasting_share(square, product):
    """The share, 0 to 1, of a jump that is there again, from its square and its product with the new one."""
    share = product / (square + LEAST)
    share = select(share > 0.0, share, 0.0)
    return select(share < 1.0, share, 1.0)


@formula
def lasting(old, new):
    """The part of a velocity jump that is like a force: what of the last sub-step's is there again."""
    return scaled(lasting_share(dot(old, old), dot(new, old)), old)


@formula
def mean_velocity(v, smooth, lasts):
    """v - (smooth + lasts)/2, m/s: v at the end of a sub-step, in which smooth and lasts were added gradually."""
    return sub(v, scaled(0.5, add(smooth, lasts)))


@formula
def sagitta(c, theta):
    """theta x (theta x c)/2, m: the part of second order of `small_swing`."""
    return scaled(0.5, cross(theta, cross(theta, c)))


@formula
def small_swing(c, theta):
    """R c - c, m, to second order in the turn theta: the displacement of a feature at c from the centre of mass."""
    return add(cross(theta, c), sagitta(c, theta))


@formula
def arc(t, v, omega):
    """(displacement, velocity) of a point after t seconds of an even turn, at whose beginning it has the velocity v:
    t (v - omega x r) + R r - r and v + R (omega x r) - omega x r, with r = v x omega/omega^2 from the axis.
    """
    square = dot(omega, omega)
    turns = square > LEAST
    r = scaled(select(turns, 1.0, 0.0) / select(turns, square, 1.0), cross(v, omega))
    e, turned = exp_full(scaled(0.5 * t, omega)), cross(omega, r)
    return add(scaled(t, sub(v, turned)), swing(e, r)), add(v, swing(e, turned))


@formula
def between_ends(t, h, v, omega, dx, v_end):
    """(displacement, velocity, acceleration) at t of a step of h seconds, of a point with velocities v and v_end at its
    ends, which it displaces by dx: those of `arc`, or of a straight line if that misses v_end by less, and cubic
    polynomials for what is missed at the end. Exact for what hangs on a parent that turns evenly.
    """
    turned, straight = sub(v_end, arc(h, v, omega)[1]), sub(v_end, v)
    omega = select3(dot(turned, turned) < dot(straight, straight), omega, (0.0, 0.0, 0.0))
    (end, v_arc), (way, u) = arc(h, v, omega), arc(t, v, omega)
    missing, lack, s = sub(dx, end), sub(v_end, v_arc), t / h
    displacement = add(scaled(s * s * (3.0 - 2.0 * s), missing), scaled(t * s * (s - 1.0), lack))
    velocity = add(scaled(6.0 * s * (1.0 - s) / h, missing), scaled(s * (3.0 * s - 2.0), lack))
    change = add(scaled((6.0 - 12.0 * s) / (h * h), missing), scaled((6.0 * s - 2.0) / h, lack))
    return add(way, displacement), add(u, velocity), add(cross(omega, u), change)
