"""Solids at the limits of their sizes against textbook moments; integrals over others are in `solid_checks`."""

from __future__ import annotations

import numpy as np
import pytest

from rigidsim.physics import solids

EPS = np.finfo(float).eps
MASS, R, H = 2.5, 0.7, 1.9

# Moments about the centroid per mass, the first two equal: textbook formulas of uniform solids.
MOMENTS = {
    "thin rod": (solids.cylinder(1e-9, H), (H**2 / 12, 0.5e-18)),
    "disk": (solids.cylinder(R, 1e-9), (R**2 / 4, R**2 / 2)),
    "thin pipe": (solids.tube(R, R * (1 - EPS), H), ((6 * R**2 + H**2) / 12, R**2)),
    "ball as a capsule": (solids.capsule(R, 1e-30), (2 / 5 * R**2, 2 / 5 * R**2)),
}


@pytest.mark.parametrize(("solid", "moments"), MOMENTS.values(), ids=MOMENTS)
def test_thin_solids_have_the_moments_of_the_textbook(solid, moments):
    tensor = solids.inertia(MASS, (*solid[1], 0.0, 0.0, 0.0))
    expected = MASS * np.array([moments[0], moments[0], moments[1]])
    assert np.allclose(tensor[:3], expected, rtol=8 * EPS, atol=0)
    assert not any(tensor[3:])


def test_columns_of_numbers():
    radii = np.array([0.5, 0.7])
    volume, spread = solids.capsule(radii, np.array([1.0, H]))
    assert (volume[1], spread[2][1]) == (solids.capsule(R, H)[0], solids.capsule(R, H)[1][2])
