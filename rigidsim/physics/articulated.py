"""The articulated-body algorithm: how a body answers forces with all that hangs on it by joints.

World axes; everything of a body is about its own centre of mass C. An articulated inertia is (A, B, M): the wrench that
the joint of a body has to transmit for the accelerations (alpha, a) of the body is

    t = A alpha + B a + t_0,    f = B^T alpha + M a + f_0,

with symmetric A (kg m^2) and M (kg), six numbers as in `inertia`, and B (kg m) by rows; (t_0, f_0) is the wrench at
rest, N m and N. Of a single body A is its inertia, B = 0, M = m. Two bodies are joined by arms: d from the inner one's
C to the outer one's, r from the joint to the outer one's C, all m. A coordinate x of a joint has the motion S = (u, u x
r) of an angle about the unit vector u, or (0, u) of a displacement along it.

Source: Featherstone, The calculation of robot dynamics using articulated-body inertias, Int. J. Robotics Research 2(1)
(1983); Featherstone, Rigid Body Dynamics Algorithms (2008), chapter 7, with classical accelerations and centres of mass
in place of spatial ones about one origin.
"""

from __future__ import annotations

from rigidsim.jit import formula
from rigidsim.physics.elementary import select
from rigidsim.physics.inertia import apply, inverse
from rigidsim.physics.vector import add, cross, dot, scaled, sub


@formula
def rows_of(B):
    """The rows of a matrix of nine numbers."""
    return B[0:3], B[3:6], B[6:9]


@formula
def columns_of(B):
    """The columns of a matrix of nine numbers."""
    return (B[0], B[3], B[6]), (B[1], B[4], B[7]), (B[2], B[5], B[8])


@formula
def plus(a, b):
    """The sum of two tensors, of as many numbers as they have."""
    return tuple([x + y for x, y in zip(a, b, strict=True)])


@formula
def dots(vectors, v):
    """The products of three vectors with v: B v of the rows of B, B^T v of its columns."""
    a, b, c = vectors
    return dot(a, v), dot(b, v), dot(c, v)


@formula
def inertia_times(inertia, alpha, a):
    """(A alpha + B a, B^T alpha + M a), N m and N."""
    A, B, M = inertia
    return add(apply(A, alpha), dots(rows_of(B), a)), add(dots(columns_of(B), alpha), apply(M, a))


@formula
def shifted_inertia(inertia, d):
    """The inertia about a point from which the present one is at d: B' = B + [d] M, A' = A - B' [d] - (B [d])^T, with
    [d] v = d x v.
    """
    A, B, M = inertia
    xx, yy, zz, xy, xz, yz = M
    a, b, c = cross(d, (xx, xy, xz)), cross(d, (xy, yy, yz)), cross(d, (xz, yz, zz))
    moved = (B[0] + a[0], B[1] + b[0], B[2] + c[0], B[3] + a[1], B[4] + b[1], B[5] + c[1], B[6] + a[2], B[7] + b[2],
             B[8] + c[2])  # fmt: skip
    x, y, z = [cross(row, d) for row in rows_of(moved)]
    u, v, w = [cross(row, d) for row in rows_of(B)]
    A = (A[0] - (x[0] + u[0]), A[1] - (y[1] + v[1]), A[2] - (z[2] + w[2]), A[3] - (x[1] + v[0]), A[4] - (x[2] + w[0]),
         A[5] - (y[2] + w[1]))  # fmt: skip
    return A, moved, M


@formula
def shifted_wrench(t, f, d):
    """(t + d x f, f): a wrench about a point from which its present one is at d."""
    return add(t, cross(d, f)), f


@formula
def turning_motion(u, r):
    """S = (u, u x r) of an angle."""
    return u, cross(u, r)


@formula
def coordinate_factor(S, inertia, armature):
    """(U, k): U = I S, the wrench of a unit acceleration of the coordinate; k = 1/(S . U + armature), that of a unit
    force in it, rad/s^2 per N m or m/s^2 per N. The armature is the inertia of a rotor that turns with the coordinate,
    kg m^2 or kg, of which the gyroscopic moment is neglected (as in MuJoCo, "armature").
    """
    U = inertia_times(inertia, S[0], S[1])
    return U, 1.0 / (dot(S[0], U[0]) + dot(S[1], U[1]) + armature)


@formula
def rotor_energy(armature, rate):
    """a x'^2 / 2, J: of a rotor that turns with a coordinate."""
    return 0.5 * armature * (rate * rate)


@formula
def rotor_jump(armature, rate, x):
    """a ((x' + x)^2 - x'^2)/2, J: its change where the rate x' jumps by x."""
    return armature * (x * (rate + 0.5 * x))


@formula
def _less_outer(tensor, k, u):
    """T - k u u^T of a symmetric tensor."""
    x, y, z = u
    xx, yy, zz, xy, xz, yz = tensor
    kx, ky, kz = k * x, k * y, k * z
    return (xx - kx * x, yy - ky * y, zz - kz * z, xy - kx * y, xz - kx * z, yz - ky * z)


@formula
def apparent_inertia(inertia, U, k):
    """I - k U U^T: what is felt through a joint that is free to move in its coordinate."""
    A, B, M = inertia
    t, f = U
    x, y, z = [sub(row, scaled(k * s, f)) for row, s in zip(rows_of(B), t, strict=True)]
    return _less_outer(A, k, t), (*x, *y, *z), _less_outer(M, k, f)


@formula
def coordinate_force(S, torque, t, f):
    """w = tau - S . (t, f): what drives a coordinate besides the accelerations of the inner body; N m or N."""
    return torque - dot(S[0], t) - dot(S[1], f)


@formula
def coordinate_acceleration(k, w, U, alpha, a):
    """x'' = k (w - U . (alpha, a)), with the accelerations that the body would have if x'' were zero."""
    return k * (w - dot(U[0], alpha) - dot(U[1], a))


@formula
def ball_factor(inertia):
    """(A^-1, M - B^T A^-1 B): of a body that turns freely about the point that its inertia is about. Only a force is
    felt through such a joint.
    """
    A, B, M = inertia
    inverse_A, (b, c, d) = inverse(A), columns_of(B)
    x, y, z = [apply(inverse_A, column) for column in (b, c, d)]
    xx, yy, zz, xy, xz, yz = M
    return inverse_A, (xx - dot(b, x), yy - dot(c, y), zz - dot(d, z), xy - dot(b, y), xz - dot(b, z), yz - dot(c, z))


@formula
def apparent_force(inverse_A, B, t, f):
    """f - B^T A^-1 t, N, through such a joint."""
    return sub(f, dots(columns_of(B), apply(inverse_A, t)))


@formula
def ball_acceleration(inverse_A, B, t, a):
    """alpha = -A^-1 (B a + t), rad/s^2."""
    return scaled(-1.0, apply(inverse_A, add(dots(rows_of(B), a), t)))


@formula
def free_acceleration(inertia, t, f):
    """(alpha, a) of a body on which no joint acts: A alpha + B a = -t, B^T alpha + M a = -f. First a = -M^-1 (f + B^T
    alpha), then (A - B M^-1 B^T) alpha = B M^-1 f - t.
    """
    A, B, M = inertia
    inverse_M, (b, c, d) = inverse(M), rows_of(B)
    x, y, z = [apply(inverse_M, row) for row in (b, c, d)]
    xx, yy, zz, xy, xz, yz = A
    felt = (xx - dot(b, x), yy - dot(c, y), zz - dot(d, z), xy - dot(b, y), xz - dot(b, z), yz - dot(c, z))
    alpha = apply(inverse(felt), sub(dots((x, y, z), f), t))
    return alpha, scaled(-1.0, apply(inverse_M, add(f, dots(columns_of(B), alpha))))


# --- places: what accelerations have without any of the coordinates' own


@formula
def bias_acceleration(omega_WP, omega_WB, c_alpha, reach, r, slip):
    """The part of a_WC that stems from rates, m/s^2, with that of alpha_WB, c_alpha = omega_WP x omega_PB, rad/s^2:

    omega_WP x (omega_WP x reach) + omega_WB x (omega_WB x r) + c_alpha x r + 2 omega_WP x slip.

    The joint is at `reach` from the inner body's C, and slides by `slip` m/s.
    """
    inner = cross(omega_WP, add(cross(omega_WP, reach), scaled(2.0, slip)))
    return add(inner, add(cross(omega_WB, cross(omega_WB, r)), cross(c_alpha, r)))


@formula
def servo_torque(x, rate, desired, stiffness, damping, largest):
    """k (x_d - x) + c (x_d' - x'), but not more than the largest either way, N m or N; `desired` is (x_d, x_d')."""
    value, desired_rate = desired
    torque = stiffness * (value - x) + damping * (desired_rate - rate)
    return select(torque > largest, largest, select(torque < -largest, -largest, torque))


@formula
def spring_torque(x, rate, stiffness, rest, damping):
    """-k (x - x_0) - c x', N m or N."""
    return -stiffness * (x - rest) - damping * rate
