"""Lasting contact as a constraint: a contact is open, stuck or slides, and its mode changes at events.

Bodies A and B touch at a point; n is the unit normal from A to B, u the slip, B's velocity there less A's (`contact`).
P is the point of contact as it moves over both surfaces, r = P - x its lever from the centre x of a body. With
r' = P' - x',

    u' = (a_B + alpha_B x r_B + omega_B x r_B') - (a_A + alpha_A x r_A + omega_A x r_A').

*Stuck* (the bodies roll on each other or rest): u = 0, so u' = 0 gives three rows for the force f on B. *Sliding*:
n . u = 0, so n . u' + n' . u = 0 gives one row for the normal force N, and the force is

    f = N (n - mu d),    d = u/|u|.

Where slip begins, d is the direction in which the slip will grow, that of u'. A stuck contact stays so while
|f_t| <= mu N, any closed contact while N >= 0 (Coulomb, Signorini).

*Where the contact point goes.* The core of a shape, without its radius, touches along n with a point c. Its rate is
that of a point of the body, and D (n' - omega x n) on a curved part, where D is the derivative of c by the outward
normal; on an edge of direction e it also runs along e. The cores stay the distance d = rho_A + rho_B apart, so

    c_A' + d n' - c_B'  is along n,    M = d 1 + D_A + D_B,    M n' = x  across n,
    x = c_B' - c_A' + D_A (omega_A x n) + D_B (omega_B x n)  with c' as of points of the bodies.

An edge is across the normal, e . n = 0, so e . n' = -(omega x e) . n takes the place of the component of M n' = x along
e. A face gives two such equations: n' = omega x n.

Sources: Kane and Levinson, Dynamics (1985), section 2.9; Montana, The kinematics of contact and grasp, Int. J. Robotics
Research 7 (1988); Pfeiffer and Glocker, Multibody Dynamics with Unilateral Contacts (1996), chapter 5.
"""

from __future__ import annotations

from rigidsim.jit import formula
from rigidsim.physics.contact import tangents
from rigidsim.physics.elementary import select, select3
from rigidsim.physics.inertia import apply
from rigidsim.physics.vector import add, cross, dot, norm, rejection, scaled, sub

TINY = 1e-300


@formula
def core_distance(d, bend_A, bend_B):
    """M = d 1 + D_A + D_B, m, of cores the distance d apart (xx yy zz xy xz yz)."""
    A, B = bend_A, bend_B
    return (d + A[0] + B[0], d + A[1] + B[1], d + A[2] + B[2], A[3] + B[3], A[4] + B[4], A[5] + B[5])


@formula
def drift_of_cores(v_A, omega_A, c_A, bend_A, v_B, omega_B, c_B, bend_B, n):
    """x, m/s: how fast the core point of B leaves that of A if both move with their bodies, and what curved parts add
    to it as they turn; c are the levers of the core points.
    """
    apart = sub(add(v_B, cross(omega_B, c_B)), add(v_A, cross(omega_A, c_A)))
    return add(apart, add(apply(bend_A, cross(omega_A, n)), apply(bend_B, cross(omega_B, n))))


@formula
def normal_between_points(n, M, x):
    """n', 1/s, where no edge touches: M n' = x across n."""
    t, b = tangents(n)
    M_t, M_b = apply(M, t), apply(M, b)
    tt, tb, bb = dot(t, M_t), dot(t, M_b), dot(b, M_b)
    x_t, x_b, det = dot(t, x), dot(b, x), tt * bb - tb * tb
    return add(scaled((bb * x_t - tb * x_b) / det, t), scaled((tt * x_b - tb * x_t) / det, b))


@formula
def normal_beside_edge(n, e, omega, M, x):
    """n', 1/s, where an edge of direction e (unit), of a body with rate omega, touches what is no edge."""
    t, along = cross(n, e), -dot(cross(omega, e), n)
    across = (dot(t, x) - along * dot(t, apply(M, e))) / dot(t, apply(M, t))
    return add(scaled(along, e), scaled(across, t))


@formula
def normal_between_edges(n, e, omega_A, f, omega_B):
    """n', 1/s, where edges of directions e of A and f of B cross."""
    c = dot(n, cross(e, f))
    of_e, of_f = -dot(cross(omega_A, e), n) / c, -dot(cross(omega_B, f), n) / c
    return add(scaled(of_e, cross(f, n)), scaled(of_f, cross(n, e)))


@formula
def run_along_edge(n, n_dot, e, f, M, x):
    """How fast the contact runs along the edge e of A that crosses the edge f of B, m/s: of x - M n' what is along e,
    in parts along e and f.
    """
    left = sub(x, apply(M, n_dot))
    return dot(n, cross(left, f)) / dot(n, cross(e, f))


@formula
def core_rate(v, omega, c, bend, n, n_dot):
    """The velocity of the point of a core that touches, m/s, with the outward normal n of its body."""
    return add(add(v, cross(omega, c)), apply(bend, sub(n_dot, cross(omega, n))))


@formula
def slip_bias(v_A, omega_A, v_B, omega_B, rate):
    """omega_B x r_B' - omega_A x r_A', m/s2, where the contact point has the velocity `rate`."""
    return sub(cross(omega_B, sub(rate, v_B)), cross(omega_A, sub(rate, v_A)))


@formula
def push_of_sliding(n, mu, d):
    """n - mu d: the force on B of a sliding contact over its normal part."""
    return sub(n, scaled(mu, d))


@formula
def unit_across(n, x, otherwise):
    """The direction of x across n; `otherwise`, made across n, where x has none."""
    y = rejection(n, x)
    moves = dot(y, y) > TINY
    y = select3(moves, y, rejection(n, otherwise))
    length = norm(y)
    return scaled(1.0 / select(length > 0.0, length, 1.0), y)


@formula
def slip_limit(mu, N, f_t):
    """mu N - |f_t|, N: what is left of the friction of a stuck contact."""
    return mu * N - norm(f_t)


@formula
def time_to_stop(S, rate):
    """When a slip of S m/s stops that changes by `rate` m/s2, s; negative if it does not."""
    slows = rate < 0.0
    return select(slows, S / select(slows, -rate, 1.0), -1.0)


@formula
def time_of_rebounds(u, a, e):
    """How long a point rebounds that leaves a surface with u m/s, towards which it accelerates by a m/s2, s: the sum of
    the flights 2 u e^k/a of all rebounds. Infinite, as 1/0, for e = 1.
    """
    return 2.0 * u / (a * (1.0 - e))


@formula
def shared_along(e, f_1, N_1, f_2, N_2):
    """What is to be added to f_1, and taken off f_2, N: forces at two points of one line, of direction e, whose sum
    along the line alone is decided, then have parts along it in proportion to their normal forces.
    """
    total, along = N_1 + N_2, dot(e, add(f_1, f_2))
    loaded = total > 0.0
    wanted = along * select(loaded, N_1, 0.5) / select(loaded, total, 1.0)
    return scaled(wanted - dot(e, f_1), e)
