"""Vectors of three components, and matrices as their rows."""

from __future__ import annotations

from rigidsim.jit import formula
from rigidsim.physics.elementary import context_of, has_own, sqrt

ZERO = (0.0, 0.0, 0.0)


@formula
def add(a, b):
    """a + b."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


@formula
def sub(a, b):
    """a - b."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


@formula
def negated(a):
    """-a."""
    return (-a[0], -a[1], -a[2])


@formula
def scaled(s, a):
    """s a, s a number."""
    return (s * a[0], s * a[1], s * a[2])


@formula
def dot(a, b):
    """a . b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@formula
def cross(a, b):
    """a x b, right-handed; the commutator [a, b] of the skew matrices."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


@formula
def norm(a):
    """|a|."""
    context = context_of(*a)
    return context.length_of(a) if has_own(context, "length_of") else sqrt(dot(a, a))


@formula
def projection(u, v):
    """(u . v) u: the component of v along the unit vector u."""
    return scaled(dot(u, v), u)


@formula
def rejection(u, v):
    """v - (u . v) u: the component of v perpendicular to the unit vector u."""
    return sub(v, projection(u, v))


@formula
def transposed(rows):
    """The columns of a matrix of three rows, as rows."""
    x, y, z = rows
    return (x[0], y[0], z[0]), (x[1], y[1], z[1]), (x[2], y[2], z[2])
