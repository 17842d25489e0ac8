"""Numbers of sixty digits, smooth motions made of them, and their derivatives by central differences.

The stencils are of fourth order: with STRIDE 1e-10 the truncation is about 1e-40, the round-off of a second difference
1e-60 / 1e-20.
"""

from __future__ import annotations

import mpmath

MP = mpmath.MPContext()
MP.dps = 60
STRIDE = MP.mpf(10) ** -10


def mp(*values):
    """The values as numbers of sixty digits, in a tuple; text is read in decimal."""
    return tuple(MP.mpf(value) for value in values)


def first_derivative(f, t):
    """df/dt of a tuple-valued function."""
    a, b, c, d = f(t - 2 * STRIDE), f(t - STRIDE), f(t + STRIDE), f(t + 2 * STRIDE)
    return tuple((w - z + 8 * (y - x)) / (12 * STRIDE) for w, x, y, z in zip(a, b, c, d, strict=True))


def second_derivative(f, t):
    """d2f/dt2 of a tuple-valued function."""
    points = zip(*(f(t + k * STRIDE) for k in (-2, -1, 0, 1, 2)), strict=True)
    return tuple((16 * (b + d) - a - e - 30 * c) / (12 * STRIDE * STRIDE) for a, b, c, d, e in points)


def times(p, q):
    """Hamilton's product, written apart from the one under test: scalar and vector parts."""
    (a, *u), (b, *v) = p, q
    crossed = (u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0])
    scalar = a * b - sum(x * y for x, y in zip(u, v, strict=True))
    return (scalar, *(a * y + b * x + z for x, y, z in zip(u, v, crossed, strict=True)))


def reverse(q):
    """The conjugate."""
    return (q[0], -q[1], -q[2], -q[3])


def turn_by(rotation_vector):
    """The quaternion of a rotation vector (rad), by the library's own sine and cosine."""
    angle = MP.sqrt(sum(x * x for x in rotation_vector))
    if angle == 0:
        return mp(1, 0, 0, 0)
    return (MP.cos(angle / 2), *(MP.sin(angle / 2) * x / angle for x in rotation_vector))


def rates(q, t):
    """(omega, alpha) in space axes of an orientation q(t): 2 q' q* and 2 q'' q*, vector parts."""
    back = reverse(q(t))
    omega = times(first_derivative(q, t), back)[1:]
    alpha = times(second_derivative(q, t), back)[1:]
    return tuple(2 * x for x in omega), tuple(2 * x for x in alpha)


def largest_difference(a, b):
    """Largest component of a - b, relative to the largest of b or one."""
    return max(abs(x - y) for x, y in zip(a, b, strict=True)) / max(1, *(abs(y) for y in b))


def polynomial(*coefficients):
    """t -> c0 + c1 t + ..., the coefficients being vectors."""
    vectors = [mp(*c) for c in coefficients]

    def at(t):
        return tuple(sum(v[i] * t**k for k, v in enumerate(vectors)) for i in range(3))

    return at
