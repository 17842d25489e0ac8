"""Volume and shape of uniform solids.

Each solid gives its volume (m^3) and its covariance: the mean over the volume of x x^T about the centroid (m^2), a
symmetric tensor (xx, yy, zz, xy, xz, yz), of which solids in their own axes need only (xx, yy, zz). The second moments,
the integral of x x^T dV, are volume times covariance; a mass m has the inertia m (tr(C) 1 - C). All are textbook
integrals; the axis of a round solid is z and its origin the middle of its height.
"""

from __future__ import annotations

from rigidsim.jit import formula
from rigidsim.physics.vector import add, cross, dot, scaled

PI = 3.141592653589793


@formula
def box(size):
    """V = a b c; C = (a^2, b^2, c^2)/12 for edges a, b, c (m)."""
    a, b, c = size
    return a * b * c, (a * a / 12.0, b * b / 12.0, c * c / 12.0)


@formula
def ellipsoid(radii):
    """V = 4/3 pi a b c; C = (a^2, b^2, c^2)/5 for semi-axes a, b, c (m)."""
    a, b, c = radii
    return 4.0 * PI / 3.0 * a * b * c, (a * a / 5.0, b * b / 5.0, c * c / 5.0)


@formula
def sphere(radius):
    """The ellipsoid of equal semi-axes: V = 4/3 pi r^3, C = r^2/5."""
    return ellipsoid((radius, radius, radius))


@formula
def tube(radius, inner_radius, length):
    """V = pi (R^2 - r^2) l; C = ((R^2 + r^2)/4, the same, l^2/12)."""
    across = (radius * radius + inner_radius * inner_radius) / 4.0
    volume = PI * (radius - inner_radius) * (radius + inner_radius) * length
    return volume, (across, across, length * length / 12.0)


@formula
def cylinder(radius, length):
    """The tube without a hole: V = pi r^2 l; C = (r^2/4, r^2/4, l^2/12)."""
    return tube(radius, 0.0, length)


@formula
def cone(radius, length):
    """Base at -l/2, apex at +l/2: V = pi r^2 l/3; C = (3/20 r^2, the same, 3/80 l^2), about `cone_centroid`."""
    across = 3.0 * radius * radius / 20.0
    return PI * radius * radius * length / 3.0, (across, across, 3.0 * length * length / 80.0)


@formula
def cone_centroid(length):
    """z = -l/4, from the middle of the height: a quarter of the height above the base."""
    return -length / 4.0


@formula
def capsule(radius, length):
    """A cylinder of length l between two half balls: V = pi r^2 (l + h), h = 4/3 r.

    C_xx = r^2 (l/4 + h/5)/(l + h); C_zz = (l l^2/12 + h (r^2/5 + 3/8 r l + l^2/4))/(l + h), for the centroid of a half
    ball is 3/8 r above its face.
    """
    caps = 4.0 * radius / 3.0
    whole = length + caps
    across = radius * radius * (length / 4.0 + caps / 5.0) / whole
    cap_spread = radius * radius / 5.0 + 3.0 * radius * length / 8.0 + length * length / 4.0
    along = (length * length * length / 12.0 + caps * cap_spread) / whole
    return PI * radius * radius * whole, (across, across, along)


@formula
def tetrahedron_volume(a, b, c):
    """V = a . (b x c)/6 of the tetrahedron 0, a, b, c; negative if a, b, c are clockwise seen from outside."""
    return dot(a, cross(b, c)) / 6.0


@formula
def tetrahedron_mean(a, b, c):
    """(a + b + c)/4: the centroid of the tetrahedron 0, a, b, c."""
    return scaled(0.25, add(a, add(b, c)))


@formula
def tetrahedron_products(a, b, c):
    """(a a^T + b b^T + c c^T + s s^T)/20, s = a + b + c: the mean of x x^T about the vertex 0. Tonon (2004)."""
    s = add(a, add(b, c))
    return (
        (a[0] * a[0] + b[0] * b[0] + c[0] * c[0] + s[0] * s[0]) / 20.0,
        (a[1] * a[1] + b[1] * b[1] + c[1] * c[1] + s[1] * s[1]) / 20.0,
        (a[2] * a[2] + b[2] * b[2] + c[2] * c[2] + s[2] * s[2]) / 20.0,
        (a[0] * a[1] + b[0] * b[1] + c[0] * c[1] + s[0] * s[1]) / 20.0,
        (a[0] * a[2] + b[0] * b[2] + c[0] * c[2] + s[0] * s[2]) / 20.0,
        (a[1] * a[2] + b[1] * b[2] + c[1] * c[2] + s[1] * s[2]) / 20.0,
    )


@formula
def stretched(scale, volume, covariance):
    """(det S V, S C S) of a solid stretched by S = diag(scale) along the axes; exact for every solid."""
    x, y, z = scale
    xx, yy, zz, xy, xz, yz = covariance
    return x * y * z * volume, (x * x * xx, y * y * yy, z * z * zz, x * y * xy, x * z * xz, y * z * yz)


@formula
def inertia(mass, covariance):
    """m (tr(C) 1 - C): the tensor (kg m^2) of a uniform solid about its centroid; I_xy = -m C_xy."""
    xx, yy, zz, xy, xz, yz = covariance
    return (
        mass * (yy + zz), mass * (xx + zz), mass * (xx + yy),
        -mass * xy, -mass * xz, -mass * yz,
    )  # fmt: skip
