"""Solids against textbook moments and against points drawn inside them."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rigidsim.physics import solids

EPS = np.finfo(float).eps
MASS, R, H = 2.5, 0.7, 1.9
SAMPLES = 400_000

# Moments about the centroid per mass, the first two alike: textbook formulas of uniform solids.
MOMENTS = {
    "sphere": (solids.sphere(R), (2 / 5 * R**2, 2 / 5 * R**2)),
    "cylinder": (solids.cylinder(R, H), ((3 * R**2 + H**2) / 12, R**2 / 2)),
    "thin rod": (solids.cylinder(1e-9, H), (H**2 / 12, 0.5e-18)),
    "disk": (solids.cylinder(R, 1e-9), (R**2 / 4, R**2 / 2)),
    "cone": (solids.cone(R, H), (3 / 80 * (4 * R**2 + H**2), 3 / 10 * R**2)),
    "tube": (solids.tube(R, 0.4, H), ((3 * (R**2 + 0.16) + H**2) / 12, (R**2 + 0.16) / 2)),
    "thin pipe": (solids.tube(R, R * (1 - EPS), H), ((6 * R**2 + H**2) / 12, R**2)),
    "ball as a capsule": (solids.capsule(R, 1e-30), (2 / 5 * R**2, 2 / 5 * R**2)),
}


def full(diagonal) -> tuple:
    return (*diagonal, 0.0, 0.0, 0.0)


def matrix(t) -> np.ndarray:
    xx, yy, zz, xy, xz, yz = t
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


@pytest.mark.parametrize(("solid", "moments"), MOMENTS.values(), ids=MOMENTS)
def test_textbook_moments(solid, moments):
    tensor = solids.inertia(MASS, full(solid[1]))
    expected = MASS * np.array([moments[0], moments[0], moments[1]])
    assert np.allclose(tensor[:3], expected, rtol=8 * EPS, atol=0)
    assert not any(tensor[3:])


def test_box_moments():
    a, b, c = 0.6, 1.1, 1.7
    volume, spread = solids.box((a, b, c))
    expected = MASS / 12 * np.array([b * b + c * c, a * a + c * c, a * a + b * b])
    assert volume == a * b * c
    assert np.allclose(solids.inertia(MASS, full(spread))[:3], expected, rtol=4 * EPS, atol=0)


def test_a_stretched_ball_is_an_ellipsoid_and_a_stretched_cube_a_box():
    edges = (0.6, 1.1, 1.7)
    for round_one, exact in ((solids.sphere(1.0), solids.ellipsoid(edges)), (solids.box((1, 1, 1)), solids.box(edges))):
        volume, covariance = solids.stretched(edges, round_one[0], full(round_one[1]))
        assert volume == pytest.approx(exact[0], rel=4 * EPS)
        assert np.allclose(covariance[:3], exact[1], rtol=4 * EPS, atol=0)


def within(r2, z, half):
    return (r2 <= R**2) & (np.abs(z) <= half)


def half_round(r2, z):
    return r2 + np.maximum(np.abs(z) - H / 2, 0) ** 2 <= R**2


INSIDE = {
    "cylinder": (solids.cylinder(R, H), lambda r2, z: within(r2, z, H / 2), 0.0),
    "tube": (solids.tube(R, 0.4, H), lambda r2, z: within(r2, z, H / 2) & (r2 >= 0.16), 0.0),
    "cone": (solids.cone(R, H), lambda r2, z: (np.abs(z) <= H / 2) & (r2 <= (R * (0.5 - z / H)) ** 2), -H / 4),
    "capsule": (solids.capsule(R, H), half_round, 0.0),
    "sphere": (solids.sphere(R), lambda r2, z: r2 + z * z <= R**2, 0.0),
}


@pytest.mark.parametrize(("solid", "inside", "height"), INSIDE.values(), ids=INSIDE)
def test_points_drawn_inside(solid, inside, height):
    """Statistical: with 60 000 points inside, a variance errs by half a percent; three times that is allowed."""
    half = np.array([R, R, H / 2 + R])
    points = np.random.default_rng(7).uniform(-half, half, (SAMPLES, 3))
    drawn = points[inside(points[:, 0] ** 2 + points[:, 1] ** 2, points[:, 2])]
    assert len(drawn) / SAMPLES * 8 * half.prod() == pytest.approx(solid[0], rel=0.01)
    assert np.allclose(drawn.mean(axis=0), (0, 0, height), rtol=0, atol=0.005)
    spread = np.cov(drawn.T, bias=True)
    assert np.allclose(spread, np.diag(solid[1]), rtol=0, atol=0.015 * solid[1][2])
    assert height in (0.0, solids.cone_centroid(H))


def test_signs_of_the_unit_right_tetrahedron():
    """Mass 1, about the centroid: I_xx = 3/40 and the tensor's own off-diagonal entries are +1/80."""
    corners = tuple(map(tuple, np.eye(3)))
    mean = np.array(solids.tetrahedron_mean(*corners))
    about_corner = matrix(solids.tetrahedron_products(*corners))
    spread = about_corner - np.outer(mean, mean)
    spread = (*np.diag(spread), spread[0, 1], spread[0, 2], spread[1, 2])
    assert solids.tetrahedron_volume(*corners) == 1 / 6
    assert np.allclose(solids.inertia(1.0, spread), [3 / 40] * 3 + [1 / 80] * 3, rtol=4 * EPS, atol=0)
    points = np.random.default_rng(3).dirichlet(np.ones(4), SAMPLES)[:, :3]
    sampled = np.cov(points.T, bias=True)
    assert -sampled[0, 1] == pytest.approx(1 / 80, rel=0.02)


def test_tetrahedron_volume_has_a_sign():
    x, y, z = map(tuple, np.eye(3))
    assert solids.tetrahedron_volume(y, x, z) == -1 / 6


def test_capsule_is_a_cylinder_and_a_ball_in_volume():
    assert solids.capsule(R, H)[0] == pytest.approx(math.pi * R**2 * H + 4 / 3 * math.pi * R**3, rel=2 * EPS)


def test_columns_of_numbers():
    radii = np.array([0.5, 0.7])
    volume, spread = solids.capsule(radii, np.array([1.0, H]))
    assert (volume[1], spread[2][1]) == (solids.capsule(R, H)[0], solids.capsule(R, H)[1][2])
