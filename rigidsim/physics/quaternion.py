"""Rotations as unit quaternions (w, x, y, z): Hamilton's product, active.

`rotate(q_PB, v_B) = v_P`, and `q_WB = product(q_WP, q_PB)`. q and -q are the same rotation.
A rotation vector theta (rad) has the quaternion exp(theta/2).
"""

from __future__ import annotations

from rigidsim.jit import formula
from rigidsim.physics.elementary import arc_tangent, context_of, has_own, select, sin_cos, sqrt
from rigidsim.physics.vector import add, cross, dot, scaled


@formula
def product(p, q):
    """p q: first q, then p. Hamilton (1843)."""
    return (
        p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
        p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
        p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
        p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0],
    )


@formula
def conjugate(q):
    """The inverse of a unit quaternion."""
    return (q[0], -q[1], -q[2], -q[3])


@formula
def rotate(q, v):
    """q v q*, for unit q: v + 2 w (u x v) + 2 u x (u x v), with q = (w, u)."""
    u = (q[1], q[2], q[3])
    t = scaled(2.0, cross(u, v))
    return add(add(v, scaled(q[0], t)), cross(u, t))


@formula
def swing(q, v):
    """q v q* - v, for unit q: how a vector changes that turns. Rodrigues (1840), without cancellation."""
    u = (q[1], q[2], q[3])
    t = scaled(2.0, cross(u, v))
    return add(scaled(q[0], t), cross(u, t))


@formula
def rotate_back(q, v):
    """q* v q, the inverse of `rotate`."""
    return rotate(conjugate(q), v)


@formula
def normalised(q):
    """q / |q|; q must not vanish."""
    k = 1.0 / sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    return (k * q[0], k * q[1], k * q[2], k * q[3])


@formula
def turn_of_z(n):
    """A rotation that takes the z axis to the unit vector n. Where n is below the horizon, about another axis: the sum
    1 + n_z would lose digits.
    """
    x, y, z = n
    below = z < 0.0
    first, second = select(below, -y, 1.0 + z), select(below, 1.0 - z, -y)
    return normalised((first, second, select(below, 0.0, x), select(below, x, 0.0)))


@formula
def renormalised(q):
    """q (3 - |q|^2)/2: one Newton step towards |q| = 1, exact to round-off where |q|^2 is within 1e-8 of one.

    It removes the round-off that products leave behind, without a division or a root.
    """
    k = 1.5 - 0.5 * (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    return (k * q[0], k * q[1], k * q[2], k * q[3])


@formula
def exp_cubic(x):
    """Quaternion exponential of the half rotation vector x = theta/2, truncated to third order and normalised.

    c = 1 - n2/2, s = 1 - n2/6, n2 = |x|^2; the result (c, s x) / sqrt(c^2 + s^2 n2) is exactly unit.
    The angle is wrong by (|theta|/2)^5/15; at |theta| = 90 degrees the quaternion is wrong by 0.94 %.
    Source: the truncated, normalised exponential of "Numerical Integration for Rotational Dynamics" (cwzx).
    """
    n2 = dot(x, x)
    c, s = 1.0 - n2 / 2.0, 1.0 - n2 / 6.0
    k = 1.0 / sqrt(c * c + s * s * n2)
    return (c * k, s * k * x[0], s * k * x[1], s * k * x[2])


@formula
def exp_septic(x):
    """Quaternion exponential of x = theta/2 truncated to seventh order and normalised.

    c to n^6, s x to n^7; the angle is wrong by (|theta|/2)^9/22680 or less, which is below 1e-16 for |theta| < 0.1.
    No library call, no branch: used by the stages of Lie-group methods.
    """
    n2 = dot(x, x)
    c = 1.0 + n2 * (-1.0 / 2.0 + n2 * (1.0 / 24.0 - n2 / 720.0))
    s = 1.0 + n2 * (-1.0 / 6.0 + n2 * (1.0 / 120.0 - n2 / 5040.0))
    k = 1.0 / sqrt(c * c + s * s * n2)
    return (c * k, s * k * x[0], s * k * x[1], s * k * x[2])


@formula
def exp_full(x):
    """Quaternion exponential (cos n, x sin(n)/n), n = |x|, of x = theta/2, to round-off at any angle.

    Below n = 1e-4, sin(n)/n is 1 - n^2/6, whose error n^4/120 is under 1e-18.
    """
    n2 = dot(x, x)
    small = n2 < 1e-8
    n = sqrt(select(small, 1e-8 + 0.0 * n2, n2))
    sin_n, cos_n = sin_cos(n)
    c = select(small, 1.0 - n2 / 2.0, cos_n)
    s = select(small, 1.0 - n2 / 6.0, sin_n / n)
    return (c, s * x[0], s * x[1], s * x[2])


@formula
def angle_over_sine(n2, w):
    """atan2(n, w)/n with n = sqrt(n2), of a point (w, n) next to the unit circle; 1/w below n = 1e-8."""
    context = context_of(n2, w)
    if has_own(context, "angle_over_sine"):
        return context.angle_over_sine(n2, w)
    small = n2 < 1e-16
    n = sqrt(select(small, 1e-16 + 0.0 * n2, n2))
    return select(small, 1.0 / select(small, w, 1.0 + 0.0 * w), arc_tangent(n, w) / n)


@formula
def log(q):
    """The half rotation vector x = theta/2 with exp(x) = q or -q and |theta| <= pi. Inverse of `exp_full`.

    At half a turn the axis has two signs, and the result can be either.
    """
    sign = select(q[0] < 0.0, -1.0, 1.0)
    w, u = sign * q[0], (sign * q[1], sign * q[2], sign * q[3])
    return scaled(angle_over_sine(dot(u, u), w), u)


@formula
def to_matrix(q):
    """Rotation matrix of a unit quaternion: three rows; R v = rotate(q, v)."""
    w, x, y, z = q[0], q[1], q[2], q[3]
    return (
        (1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)),
        (2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)),
        (2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)),
    )


@formula
def dexp_inverse(sigma, omega_B):
    """The rate of sigma where q = q0 exp(sigma/2) turns at body rate omega_B: omega + sigma x omega/2 + sigma x
    (sigma x omega)/12.

    The inverse of the right-trivialised differential of the exponential, truncated; the next term is of order
    |sigma|^4. rad and rad/s, body axes. Source: Hairer, Lubich, Wanner, Geometric Numerical Integration (2006), eq.
    III.4.11 with the sign of body rates; Munthe-Kaas, BIT 38 (1998).
    """
    once = cross(sigma, omega_B)
    return add(omega_B, add(scaled(0.5, once), scaled(1.0 / 12.0, cross(sigma, once))))


@formula
def dexp_inverse_full(sigma, omega_B):
    """The rate of sigma as in `dexp_inverse`, without truncation: omega + sigma x omega/2 + c sigma x (sigma x omega),
    c = (1 - n cot n)/(4 n^2), n = |sigma|/2 < pi.

    Below n = 0.2, c is its series to n^10, whose next term is below 1e-16; above, the difference 1 - n cot n, at least
    n^2/3, loses two digits of c at most, of sigma x (sigma x omega) none. The sum of the series of Bernoulli's numbers,
    in which sigma x (sigma x (sigma x v)) = -|sigma|^2 sigma x v. rad and rad/s, body axes.
    Source: Iserles, Munthe-Kaas, Norsett, Zanna, Lie-group methods, Acta Numerica 9 (2000), B.
    """
    x = dot(sigma, sigma)
    small = x < 0.16
    n = 0.5 * sqrt(select(small, 0.16 + 0.0 * x, x))
    sin_n, cos_n = sin_cos(n)
    closed = (1.0 - n * cos_n / sin_n) / (4.0 * n * n)
    series = 1.0 / 30240.0 + x * (1.0 / 1209600.0 + x * (1.0 / 47900160.0 + x * (691.0 / 1307674368000.0)))
    c = select(small, 1.0 / 12.0 + x * (1.0 / 720.0 + x * series), closed)
    once = cross(sigma, omega_B)
    return add(omega_B, add(scaled(0.5, once), scaled(c, cross(sigma, once))))


@formula
def dexp(sigma, rate):
    """The body rate omega_B of q = q0 exp(sigma/2), from the rate r of sigma, rad/s:

    r - sigma x r/2 + sigma x (sigma x r)/6 - sigma x (sigma x (sigma x r))/24; the next term is of order |sigma|^4.
    The inverse of `dexp_inverse` to that order.
    """
    once = cross(sigma, rate)
    twice = cross(sigma, once)
    high = add(scaled(1.0 / 6.0, twice), scaled(-1.0 / 24.0, cross(sigma, twice)))
    return add(rate, add(scaled(-0.5, once), high))


@formula
def canonical(q):
    """Of q and -q, which are the same rotation, the one with w >= 0."""
    sign = select(q[0] < 0.0, -1.0, 1.0)
    return (sign * q[0], sign * q[1], sign * q[2], sign * q[3])
