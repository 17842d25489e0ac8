"""What the formulas of solids have to give: integrals over the solids by quadrature, to some thirty digits."""

from __future__ import annotations

import mpmath
import numpy as np

RADIUS, INNER, LENGTH = 0.7, 0.45, 1.9
EDGES = (0.6, 1.1, 1.7)
CORNERS = [np.array(v) for v in ((0.7, -1.1, 0.4), (0.3, 0.25, -0.9), (-0.2, 0.6, 1.3))]
COVARIANCE = (1.3, 1.7, 2.1, 0.2, -0.1, 0.3)
EPS = np.finfo(float).eps


def quad(integrand, *points) -> mpmath.mpf:
    """The integral between the points, with 30 digits."""
    with mpmath.workdps(30):
        return mpmath.quad(integrand, points)


def of_revolution(outline, *heights, hole=lambda z: 0) -> tuple[float, float, tuple[float, float, float]]:
    """Volume, height of the centroid, and covariance of the solid within x^2 + y^2 = outline(z), a hole left out.

    A disk of radius r has the area pi r^2, and its x^2 has the integral pi r^4/4.
    """
    volume = quad(lambda z: mpmath.pi * (outline(z) - hole(z)), *heights)
    middle = quad(lambda z: mpmath.pi * (outline(z) - hole(z)) * z, *heights) / volume
    across = quad(lambda z: mpmath.pi * (outline(z) ** 2 - hole(z) ** 2) / 4, *heights) / volume
    along = quad(lambda z: mpmath.pi * (outline(z) - hole(z)) * (z - middle) ** 2, *heights) / volume
    return float(volume), float(middle), (float(across), float(across), float(along))


def case(arguments, solid, **more) -> list:
    volume, _, covariance = of_revolution(*solid, **more)
    return [(arguments, np.array([volume, *covariance]), 8 * EPS)]


def capsule_outline(z):
    beyond = max(abs(z) - mpmath.mpf(LENGTH) / 2, 0)
    return mpmath.mpf(RADIUS) ** 2 - beyond**2


def box_case() -> list:
    # The mean of x^2 from -a/2 to a/2.
    means = [float(quad(lambda x: x**2, -mpmath.mpf(a) / 2, mpmath.mpf(a) / 2) / mpmath.mpf(a)) for a in EDGES]
    return [((np.array(EDGES),), np.array([float(np.prod(EDGES)), *means]), 4 * EPS)]


def ellipsoid_case() -> list:
    """Along each axis a slice at x has the area pi b c (1 - x^2/a^2)."""
    a, b, c = map(mpmath.mpf, EDGES)
    volume = quad(lambda x: mpmath.pi * b * c * (1 - (x / a) ** 2), -a, a)
    means = []
    for own, one, two in ((a, b, c), (b, c, a), (c, a, b)):
        spread = quad(lambda x, p=own, q=one * two: mpmath.pi * q * (1 - (x / p) ** 2) * x**2, -own, own)
        means.append(float(spread / volume))
    return [((np.array(EDGES),), np.array([float(volume), *means]), 8 * EPS)]


def tetrahedron_products_case() -> list:
    """Exact by the rule of four points of degree 2 (Hammer and Stroud 1956)."""
    near, far = (5 - np.sqrt(5)) / 20, (5 + 3 * np.sqrt(5)) / 20
    corners = [np.zeros(3), *CORNERS]
    points = [near * sum(corners) + (far - near) * corner for corner in corners]
    m = sum(np.outer(x, x) for x in points) / 4
    return [(tuple(CORNERS), np.array([m[0, 0], m[1, 1], m[2, 2], m[0, 1], m[0, 2], m[1, 2]]), 1e-15)]


def solids() -> dict[str, list]:
    half = LENGTH / 2
    c = np.array([[1.3, 0.2, -0.1], [0.2, 1.7, 0.3], [-0.1, 0.3, 2.1]])
    s, mass = np.array([0.5, 1.5, 3.0]), 2.5
    stretched, tensor = np.diag(s) @ c @ np.diag(s), mass * (np.trace(c) * np.eye(3) - c)

    def straight(z):
        return mpmath.mpf(RADIUS) ** 2

    def ball(z):
        return mpmath.mpf(RADIUS) ** 2 - z**2

    def pointed(z):
        return (mpmath.mpf(RADIUS) * (mpmath.mpf(1) / 2 - z / mpmath.mpf(LENGTH))) ** 2

    end = half + RADIUS
    return {
        "box": box_case(),
        "ellipsoid": ellipsoid_case(),
        "sphere": case((RADIUS,), (ball, -RADIUS, RADIUS)),
        "tube": case((RADIUS, INNER, LENGTH), (straight, -half, half), hole=lambda z: mpmath.mpf(INNER) ** 2),
        "cylinder": case((RADIUS, LENGTH), (straight, -half, half)),
        "cone": case((RADIUS, LENGTH), (pointed, -half, half)),
        "cone_centroid": [((LENGTH,), of_revolution(pointed, -half, half)[1], 4 * EPS)],
        "capsule": case((RADIUS, LENGTH), (capsule_outline, -end, -half, half, end)),
        "tetrahedron_volume": [(tuple(CORNERS), np.linalg.det(CORNERS) / 6, 1e-15)],
        "tetrahedron_mean": [(tuple(CORNERS), sum(CORNERS) / 4, 1e-15)],
        "tetrahedron_products": tetrahedron_products_case(),
        "stretched": [((s, 0.7, COVARIANCE), np.array([0.7 * s.prod(), *flat_symmetric(stretched)]), 1e-14)],
        "inertia": [((mass, COVARIANCE), flat_symmetric(tensor), 1e-14)],
    }


def flat_symmetric(t) -> tuple:
    return (t[0, 0], t[1, 1], t[2, 2], t[0, 1], t[0, 2], t[1, 2])
