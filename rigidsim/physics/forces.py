"""Force laws: springs, dampers, drag, and gravity of point sources.

A pair law acts between a first point A and a second point B; s = p_B - p_A (m) and v = v_B - v_A (m/s) are their
separation and its rate as differences of world motions, in any one set of axes; the result acts on B, and its opposite
on A.
"""

from __future__ import annotations

from rigidsim.jit import formula
from rigidsim.physics.elementary import arc_tangent, context_of, has_own, select, select3, sin_cos, sqrt
from rigidsim.physics.functions import floored
from rigidsim.physics.inertia import apply
from rigidsim.physics.quaternion import conjugate, log, product, rotate, rotate_back
from rigidsim.physics.vector import add, cross, dot, negated, norm, scaled, sub

SHORTEST = 1e-150  # m: below this a separation has no direction, and a spring with a length at rest has no force
FULL_TURN = 6.283185307179586  # rad

# --- along the line between two points


@formula
def separation(d, q_WA, p_A, q_WB, p_B):
    """(r_A, r_B, s), m, world axes: two points relative to the origins of their frames, and s = d + r_B - r_A from the
    first to the second.

    `p_A` and `p_B` are in the axes of their frames; d is B's origin relative to A's. World positions, large numbers
    with a small difference, are not used.
    """
    r_A, r_B = rotate(q_WA, p_A), rotate(q_WB, p_B)
    return (r_A, r_B, sub(add(d, r_B), r_A))


@formula
def direction(s):
    """s / |s|, the unit vector from A to B; zero where they coincide."""
    length = norm(s)
    vanishes = length < SHORTEST
    return scaled(select(vanishes, 0.0 * length, 1.0 / select(vanishes, 1.0 + 0.0 * length, length)), s)


@formula
def elastic_force(stiffness, length, s):
    """-k (|s| - l) s/|s|, N, of a spring with stiffness k (N/m) and length at rest l (m). Hooke (1678)."""
    return scaled(-stiffness * (norm(s) - length), direction(s))


@formula
def elastic_energy(stiffness, length, s):
    """k (|s| - l)^2/2, J."""
    stretched = norm(s) - length
    return 0.5 * stiffness * stretched * stretched


@formula
def damping_force(damping, s, v):
    """-c (v . u) u, N, with u = s/|s| and damping c (N s/m): along the line only."""
    u = direction(s)
    return scaled(-damping * dot(v, u), u)


@formula
def drag_force(linear, quadratic, v):
    """-(b + c |v|) v, N, for a velocity v relative to the medium; b in kg/s, c in kg/m."""
    return scaled(-(linear + quadratic * norm(v)), v)


# --- torsion between two frames; body rates and torques of B


@formula
def misalignment(q_rest, q_AB):
    """Rotation vector theta (rad, B's axes, |theta| <= pi) from the rest orientation to q_AB: q_AB = q_rest
    exp(theta/2).
    """
    return scaled(2.0, log(product(conjugate(q_rest), q_AB)))


@formula
def twist(q_rest, axis_B, q_AB):
    """(phi, gradient): the angle of q_AB from q_rest about a unit axis fixed in B, rad in (-pi, pi], and g with
    d phi/dt = g . omega_AB_B.

    With r = q_rest* q_AB = (w, u) and s = u . axis: phi = 2 atan(s / w), the twist of the swing-twist decomposition,
    and g = (w^2 axis + w axis x u + s u)/(w^2 + s^2). Undefined where the swing is half a turn.
    """
    r = product(conjugate(q_rest), q_AB)
    sign = select(r[0] < 0.0, -1.0, 1.0)
    w, u = sign * r[0], (sign * r[1], sign * r[2], sign * r[3])
    s = dot(u, axis_B)
    size = w * w + s * s
    vanishes = size < 1e-300
    k = 1.0 / select(vanishes, 1.0 + 0.0 * size, size)
    g = add(add(scaled(k * w * w, axis_B), scaled(k * w, cross(axis_B, u))), scaled(k * s, u))
    return (2.0 * arc_tangent(s, w), g)


@formula
def has_axis(axis_B):
    """Whether a torsion spring acts about one axis, a unit vector; the zero vector stands for every axis."""
    return dot(axis_B, axis_B) > 0.5


@formula
def unwrap(phi, last):
    """The angle, rad, that is phi up to full turns and within half a turn of `last`:
    phi + 2 pi floor((last - phi)/(2 pi) + 1/2).
    """
    context = context_of(phi, last)
    if has_own(context, "unwrap"):
        return context.unwrap(phi, last)
    return phi + FULL_TURN * floored((last - phi) / FULL_TURN + 0.5)


@formula
def winding(q_rest, axis_B, q_AB, last):
    """The winding of a torsion spring: about one axis the angle phi of `twist`, rad, counted from `last` through full
    turns; about every axis cos(|theta|/2), which changes sign at half a turn.
    """
    phi, _ = twist(q_rest, axis_B, q_AB)
    return select(has_axis(axis_B), unwrap(phi, last), product(conjugate(q_rest), q_AB)[0])


@formula
def deflection(q_rest, axis_B, q_AB, phi):
    """The angles (rad) that `torsion_energy` takes: the misalignment, or (phi, 0, 0) about one axis, with phi from
    `winding`.
    """
    return select3(has_axis(axis_B), (phi, 0.0, 0.0), misalignment(q_rest, q_AB))


@formula
def deflection_and_slip(q_rest, axis_B, q_AB, omega_B, phi):
    """(theta, omega), rad and rad/s, as `torsion_torque` takes them, from omega_B = omega_AB_B: the misalignment and
    omega_B; about one axis phi g and (g . omega_B) g, with phi from `winding` and g the gradient of the angle.
    """
    _, g = twist(q_rest, axis_B, q_AB)
    about = has_axis(axis_B)
    theta = select3(about, scaled(phi, g), misalignment(q_rest, q_AB))
    return (theta, select3(about, scaled(dot(g, omega_B), g), omega_B))


@formula
def torsion_torque(stiffness, damping, theta, omega):
    """-k theta - c omega, N m: theta a rotation vector or phi g, k in N m/rad, c in N m s/rad.

    For a rotation vector about any axis the elastic part is conservative, with energy k |theta|^2/2, because theta is
    an eigenvector of the differential of the exponential.
    """
    return sub(scaled(-stiffness, theta), scaled(damping, omega))


@formula
def torsion_energy(stiffness, theta):
    """k |theta|^2/2, J."""
    return 0.5 * stiffness * dot(theta, theta)


# --- along all three axes of a frame A; components in its axes


@formula
def along_axes(k, x):
    """K x for K = diag(k): stiffnesses or dampings along three axes."""
    return (k[0] * x[0], k[1] * x[1], k[2] * x[2])


@formula
def moved_from(q_WA, rest_A, s):
    """The displacement, m: a separation s (world axes) in A's axes, minus that at rest."""
    return sub(rotate_back(q_WA, s), rest_A)


@formula
def turned_from(q_rest, q_AB):
    """Rotation vector theta (rad, A's axes, |theta| <= pi) from the rest orientation to q_AB: q_AB = exp(theta/2)
    q_rest. At half a turn it jumps to its opposite.
    """
    return scaled(2.0, log(product(q_AB, conjugate(q_rest))))


@formula
def free_axis(k):
    """The axis about which a bushing leaves B free: the one along which K = diag(k) has no stiffness, while it has some
    along both others. The zero vector if there is none.
    """
    x, y, z = (select(each > 0.0, 1.0, 0.0) for each in k)
    return ((1.0 - x) * y * z, x * (1.0 - y) * z, x * y * (1.0 - z))


@formula
def swung_from(axis, q_rest, q_AB):
    """Rotation vector sigma (rad, A's axes, across `axis`, |sigma| <= pi) of the swing: of the shortest rotation from a
    unit axis to where it is now if it is fixed in B, and is the one given at rest. B's turn about that axis of its own,
    the twist, is left out.

    With n = q_AB q_rest* axis, sigma is along axis x n, and |sigma| the angle between both; zero at half a turn.
    """
    now = rotate(product(q_AB, conjugate(q_rest)), axis)
    across = cross(axis, now)
    s2, c = dot(across, across), dot(axis, now)
    context = context_of(s2, c)
    if has_own(context, "angle_over_sine"):
        return scaled(context.angle_over_sine(s2, c), across)
    s = sqrt(select(s2 < 1e-16, 1e-16 + 0.0 * s2, s2))
    return scaled(arc_tangent(s, c) / s, across)


@formula
def cotangent_share(h2):
    """(1 - h cot h)/h^2 with h = sqrt(h2), rad: 1/3 + h^2/45 + ..., of which these terms are taken below h = 1e-3."""
    context = context_of(h2)
    if has_own(context, "cotangent_share"):
        return context.cotangent_share(h2)
    small = h2 < 1e-6
    h = sqrt(select(small, 1.0 + 0.0 * h2, h2))
    sine, cosine = sin_cos(h)
    return select(small, 1.0 / 3.0 + h2 / 45.0, (1.0 - h * cosine / sine) / select(small, 1.0 + 0.0 * h2, h2))


@formula
def turning_torque(k, theta, share):
    """Torque on B (N m, A's axes) with the energy theta . K theta/2: with u = K theta and h = share |theta|,

    -(u + share theta x u + c theta x (theta x u)), c = (1 - h cot h)/|theta|^2. For equal stiffnesses that is -u.

    For theta from `turned_from` the share is 1/2: minus the transpose of the inverse differential of the exponential,
    applied to u (Iserles et al., Acta Numerica 9 (2000), app. B). For a swing, theta from `swung_from` and no stiffness
    along its axis, the share is 1: the part of that which has no component along the axis of B that swings, so that a
    turn about it does no work.
    """
    square = share * share
    u, h2 = along_axes(k, theta), square * dot(theta, theta)
    c = square * cotangent_share(h2)
    turned = cross(theta, u)
    return negated(add(add(u, scaled(share, turned)), scaled(c, cross(theta, turned))))


@formula
def energy_along_axes(k, x):
    """x . K x/2, J, of a displacement or of a rotation vector."""
    return 0.5 * dot(x, along_axes(k, x))


# --- gravity of a point source


@formula
def attraction(gm, soft, s):
    """-GM s/(|s|^2 + e^2)^(3/2), m/s^2, of a source at A on B; `soft` is e^2 (m^2). Newton (1687); Plummer (1911)."""
    r2 = dot(s, s) + soft
    return scaled(-gm / (r2 * sqrt(r2)), s)


@formula
def oblateness(gm, j2, axis, s):
    """The part of a flattened source's gravity that J2 adds, m/s^2:

    -(3 GM J2 a^2/(2 r^5)) [(1 - 5 z^2/r^2) s + 2 z axis], z = s . axis; `j2` is J2 a^2 (m^2), a the equatorial radius,
    `axis` the source's unit axis of symmetry. Vallado, Fundamentals of Astrodynamics (2013), eq. 8-30 ff.
    """
    r2 = dot(s, s)
    z = dot(s, axis)
    k = -1.5 * gm * j2 / (r2 * r2 * sqrt(r2))
    return add(scaled(k * (1.0 - 5.0 * z * z / r2), s), scaled(2.0 * k * z, axis))


@formula
def attraction_potential(gm, soft, s):
    """-GM/sqrt(|s|^2 + e^2), J/kg."""
    return -gm / sqrt(dot(s, s) + soft)


@formula
def oblateness_potential(gm, j2, axis, s):
    """(GM J2 a^2/(2 r^3)) (3 z^2/r^2 - 1), J/kg; arguments as of `oblateness`."""
    r2 = dot(s, s)
    z = dot(s, axis)
    return 0.5 * gm * j2 / (r2 * sqrt(r2)) * (3.0 * z * z / r2 - 1.0)


@formula
def gravity_gradient_torque(gm, s_B, inertia_B):
    """3 GM/r^5 s x (I s), N m, body axes, about the centre of mass: the source pulls the near side harder.

    First order in the size of the body over r. Hughes, Spacecraft Attitude Dynamics (1986), eq. 8.1(19).
    """
    r2 = dot(s_B, s_B)
    return scaled(3.0 * gm / (r2 * r2 * sqrt(r2)), cross(s_B, apply(inertia_B, s_B)))
