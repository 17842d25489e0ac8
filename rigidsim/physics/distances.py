"""The shapes that collide, nearest points of points, segments and boxes, and the directions between them.

A shape is a core (a point, a segment, a box, another convex solid, a surface of triangles or a half space) thickened by
a radius, so the distance of two shapes is that of their cores less both radii. A segment is s u, |s| <= h, about its
centre, u a unit vector; a box |x_k| <= h_k in its own axes. The separation of two shapes along a unit vector n is the
gap between their shadows on n: the distance of convex ones is the largest separation over all n, so each one is a lower
bound of it, and of two that overlap the largest (negative) one is the depth.
Sources: Ericson, Real-Time Collision Detection (2005), chapter 5; for segments Lumelsky, Inf. Proc. Lett. 21 (1985).
"""

from __future__ import annotations

from typing import NamedTuple

from rigidsim.jit import formula
from rigidsim.physics.elementary import INFINITY, select, select3, sqrt, with_sign
from rigidsim.physics.vector import add, cross, dot, norm, scaled, sub

POINT, SEGMENT, BOX, HULL, ELLIPSOID, CYLINDER, CONE, MESH, HALF_SPACE = range(9)
"""The kinds of cores: polytopes, curved ones, triangles, and what has no bounds."""
TRACED = (POINT, SEGMENT, BOX, ELLIPSOID, CYLINDER, CONE, HALF_SPACE)
"""Those on which the way of a contact point is known to second order."""
CURVED = (ELLIPSOID, CYLINDER, CONE)
"""Those of them whose nearest points with other cores than a half space are found by iteration, but for those of a
point with a cylinder or a cone of a round base.
"""


class Core(NamedTuple):
    """A shape that collides: a core of one of these kinds, and the radius of its thickening, in the units and axes of
    its body. A segment, a cylinder and a cone are along their own z axis, an apex at the top; a half space is z <= 0 of
    its own axes.
    """

    kind: int
    position: tuple
    orientation: tuple
    half: tuple = (0.0, 0.0, 0.0)  # half sizes along its own axes
    radius: float = 0.0  # also that of the curvature of its surface, 0 if it is flat
    corners: tuple = ()  # of a hull, in its own axes

    @property
    def sizes(self) -> tuple:
        """All its half sizes and radii; none of a half space."""
        sizes = {POINT: (self.radius,), SEGMENT: (self.half[2], self.radius), MESH: (self.bound,), HALF_SPACE: ()}
        return sizes.get(self.kind, self.half)

    @property
    def bound(self):
        """The radius of a sphere around it, infinite for a half space."""
        a, b, c = self.half
        across = select(a > b, a, b)
        if self.kind == HALF_SPACE:
            return INFINITY
        if self.kind == ELLIPSOID:
            return select(across > c, across, c) + self.radius
        if self.kind in (CYLINDER, CONE):
            return sqrt(across * across + c * c) + self.radius
        return norm(self.half) + self.radius


@formula
def clamped(x, half):
    """The number nearest to x of those with |y| <= half."""
    return select(x > half, half, select(x < -half, -half, x))


@formula
def direction(v, least, otherwise):
    """v/|v| and |v|; where |v| is not above `least`, another unit vector in place of v/|v|."""
    length = sqrt(dot(v, v))
    usable = length > least
    return select3(usable, scaled(1.0 / select(usable, length, 1.0), v), otherwise), length


@formula
def across(n):
    """A unit vector perpendicular to the unit vector n. Duff et al., J. Comp. Graph. Tech. 6 (2017)."""
    sign = select(n[2] < 0.0, -1.0, 1.0)
    a = -1.0 / (sign + n[2])
    return (1.0 + sign * n[0] * n[0] * a, sign * n[0] * n[1] * a, -sign * n[0])


@formula
def common_normal(u_1, u_2, d):
    """A unit vector perpendicular to both unit vectors, on the side of d; to the first alone if they are parallel."""
    n, _ = direction(cross(u_1, u_2), 1e-6, across(u_1))
    return scaled(select(dot(n, d) < 0.0, -1.0, 1.0), n)


@formula
def nearest_on_segments(d, u_1, h_1, u_2, h_2):
    """(s, t): the nearest points s u_1 and d + t u_2 of two segments; d is from the centre of the first to the other's.

    On the lines s = (d x u_2) . n/|n|^2, n = u_1 x u_2 (an inner product in place of n would lose half the digits where
    they are almost parallel). Cut to the segment, carried over to the other one, cut, and back.
    """
    n = cross(u_1, u_2)
    square = dot(n, n)
    crossing = square > 1e-30
    s = clamped(select(crossing, dot(cross(d, u_2), n) / select(crossing, square, 1.0), 0.0), h_1)
    t = clamped(dot(sub(scaled(s, u_1), d), u_2), h_2)
    return clamped(dot(add(d, scaled(t, u_2)), u_1), h_1), t


@formula
def nearest_in_box(x, half):
    """The point of a box nearest to x: each coordinate cut to its range."""
    return (clamped(x[0], half[0]), clamped(x[1], half[1]), clamped(x[2], half[2]))


@formula
def way_out_of_box(x, half):
    """The outward normal of the face nearest to x, a point of the box, and x's depth below it."""
    a, b, c = half[0] - abs(x[0]), half[1] - abs(x[1]), half[2] - abs(x[2])
    by_x, by_y = (a <= b) & (a <= c), b <= c
    n_x, n_y, n_z = with_sign(1.0, x[0]), with_sign(1.0, x[1]), with_sign(1.0, x[2])
    other = select3(by_y, (0.0, n_y, 0.0), (0.0, 0.0, n_z))
    return select3(by_x, (n_x, 0.0, 0.0), other), select(by_x, a, select(by_y, b, c))


@formula
def above_cylinder(rho, z, radius, half):
    """(n_r, n_z, h, r): a point at distance rho from the axis is h (m) above the surface of a cylinder, |z| <= half,
    and below it if h < 0; n_r, n_z is the outward normal there, away from the axis and along it. r is the radius of
    the circle on which the nearest point turns about the axis, 0 on an end, which is flat.

    The point is above the side, rho - radius, an end, |z| - half, or the rim, if it is beyond both; inside, the nearer
    one counts.
    """
    beside, beyond = rho - radius, abs(z) - half
    by_rim, by_side = (beside > 0.0) & (beyond > 0.0), beside > beyond
    length = sqrt(beside * beside + beyond * beyond)
    over = select(by_rim, length, 1.0)
    n_r = select(by_rim, beside / over, select(by_side, 1.0, 0.0))
    n_z = select(by_rim, beyond / over, select(by_side, 0.0, 1.0))
    height = select(by_rim, length, select(by_side, beside, beyond))
    return n_r, with_sign(n_z, z), height, select(by_rim | by_side, radius, 0.0)


@formula
def above_cone(rho, z, radius, half):
    """(n_r, n_z, h, r) as above a cylinder, of a cone with its base at -half and its apex at half, of the radius 0.

    With x = rho - radius, y = z + half, and the angle phi of the side with the axis, the point is x cos(phi) +
    y sin(phi) above the side, y cos(phi) - x sin(phi) along it from the rim, and -y below the base.
    """
    height = 2.0 * half
    slant = sqrt(radius * radius + height * height)
    c, s, x, y = height / slant, radius / slant, rho - radius, z + half
    beside, along, below = c * x + s * y, c * y - s * x, -y
    by_rim, by_apex, by_base = (x > 0.0) & (along < 0.0), along > slant, below > beside
    by_point = by_rim | by_apex
    v_r, v_z = select(by_rim, x, rho), select(by_rim, y, z - half)
    length = sqrt(v_r * v_r + v_z * v_z)
    over = select(by_point, length, 1.0)
    n_r = select(by_point, v_r / over, select(by_base, 0.0, c))
    n_z = select(by_point, v_z / over, select(by_base, -1.0, s))
    above = select(by_point, length, select(by_base, below, beside))
    r = select(by_rim, radius, select(by_apex | by_base, 0.0, radius * (1.0 - along / slant)))
    return n_r, n_z, above, r


@formula
def reach_along(n, half):
    """Half of the width of a box along n, both in the box's axes: its support function."""
    return half[0] * abs(n[0]) + half[1] * abs(n[1]) + half[2] * abs(n[2])
