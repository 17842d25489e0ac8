"""Support functions of convex solids with curved surfaces, in their own axes, and how the farthest point moves.

The farthest point of a solid along n is the gradient of its support function h(n) = max n . x, so its derivative is the
Hessian of h: symmetric, zero along n, with the principal radii of curvature of the surface across n for a unit vector
n. Source: Schneider, Convex Bodies: The Brunn-Minkowski Theory (2014), sections 1.7 and 2.5.
"""

from __future__ import annotations

from rigidsim.jit import formula
from rigidsim.physics.elementary import select, sqrt
from rigidsim.physics.inertia import apply
from rigidsim.physics.vector import add, cross, dot, norm, scaled

LEAST = 1e-300  # below it a direction has no component across the axis


@formula
def farthest_on_ellipsoid(half, n):
    """x_k = a_k^2 n_k/l, l = |(a_k n_k)|: the point of an ellipsoid with semi-axes a_k (m) farthest along n; and l."""
    u = (half[0] * n[0], half[1] * n[1], half[2] * n[2])
    length = norm(u)
    return (half[0] * (u[0] / length), half[1] * (u[1] / length), half[2] * (u[2] / length)), length


@formula
def bend_of_ellipsoid(half, x, length):
    """(a_i^2 delta_ij - x_i x_j)/l, m: the derivative of the farthest point x by n, as (xx yy zz xy xz yz)."""
    a, b, c = half
    return (
        (a * a - x[0] * x[0]) / length, (b * b - x[1] * x[1]) / length, (c * c - x[2] * x[2]) / length,
        -(x[0] * x[1]) / length, -(x[0] * x[2]) / length, -(x[1] * x[2]) / length,
    )  # fmt: skip


@formula
def farthest_on_rim(half, n):
    """(x, y, l): the point of an ellipse about z with semi-axes a, b (m) farthest along n, as on an ellipsoid; of an n
    along z that on the x axis, with l = 0.
    """
    u, v = half[0] * n[0], half[1] * n[1]
    length = sqrt(u * u + v * v)
    turns = length > LEAST
    over = select(turns, length, 1.0)
    return half[0] * select(turns, u / over, 1.0), half[1] * select(turns, v / over, 0.0), length


@formula
def bend_of_rim(half, x, y, length):
    """(a^2 - x^2, b^2 - y^2, -x y)/l: the derivative (xx yy xy) of the farthest point of an ellipse by n; 0 where that
    has no derivative.
    """
    over = select(length > LEAST, 1.0 / select(length > LEAST, length, 1.0), 0.0)
    return (half[0] * half[0] - x * x) * over, (half[1] * half[1] - y * y) * over, -(x * y) * over


@formula
def bend_of_parallel(r, n_r, t):
    """r/n_r t t, m: the derivative of the farthest point by n, of a surface of revolution where its section is straight
    or has a corner. The point turns on a circle of radius r about the axis, along the unit vector t; n_r is the part of
    n away from the axis (Meusnier). 0 for r = 0.
    """
    radius = select(r > 0.0, r / select(r > 0.0, n_r, 1.0), 0.0)
    x, y, z = t
    return (
        radius * x * x, radius * y * y, radius * z * z, radius * x * y, radius * x * z, radius * y * z,
    )  # fmt: skip


@formula
def rolled_on(bend, n, theta):
    """-(x + theta x x/2), x = H (theta x n), m: how far the point of a body farthest along a fixed n moves on it when
    the body turns by theta; H is its derivative by n. To second order for a ball, to first order for other bodies.
    """
    x = apply(bend, cross(theta, n))
    return scaled(-1.0, add(x, scaled(0.5, cross(theta, x))))


@formula
def bulge(bend, n, theta):
    """n m . H m/2, m = theta x n, in metres: how much farther along n than that point a body reaches when it turns."""
    m = cross(theta, n)
    return scaled(0.5 * dot(m, apply(bend, m)), n)


@formula
def largest_radius(bend):
    """The larger principal radius of curvature, m, of a derivative (xx yy zz xy xz yz) by a unit vector:
    (tr + sqrt(2 tr(H^2) - tr^2))/2, as one of the three eigenvalues is zero.
    """
    xx, yy, zz, xy, xz, yz = bend
    trace = xx + yy + zz
    square = xx * xx + yy * yy + zz * zz + 2.0 * (xy * xy + xz * xz + yz * yz)
    spread = 2.0 * square - trace * trace
    return 0.5 * (trace + sqrt(select(spread > 0.0, spread, 0.0)))
