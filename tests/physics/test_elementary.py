"""Our own sine and cosine, and the functions that depend on the kind of number."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rigidsim.physics.elementary import arc_tangent, sin_cos, sqrt

EPS = np.finfo(float).eps
EXACT_RANGE = 1.6e6  # rad


def errors(x: np.ndarray) -> np.ndarray:
    """Absolute errors of sine and cosine against fifty digits."""
    s, c = sin_cos(x)
    with mpmath.workdps(50):
        true = [(mpmath.sin(mpmath.mpf(v)), mpmath.cos(mpmath.mpf(v))) for v in map(float, x)]
        ours = zip(map(float, s), map(float, c), strict=True)
        return np.array([[float(a - b), float(d - e)] for (a, d), (b, e) in zip(true, ours, strict=True)])


@pytest.mark.parametrize("limit", [0.01, 1.0, 10.0, 1e3, EXACT_RANGE])
def test_sine_and_cosine_are_right_to_the_last_bits(limit):
    x = np.random.default_rng(1).uniform(-limit, limit, 2000)
    assert np.abs(errors(x)).max() <= 0.9 * EPS  # measured 1.56e-16 at the largest range


@pytest.mark.parametrize("limit", [1e8, 1e12])
def test_beyond_the_range_the_error_grows_like_the_arguments_rounding(limit):
    x = np.random.default_rng(2).uniform(0.5 * limit, limit, 500)
    assert np.all(np.abs(errors(x)).max(axis=1) <= 1.2e-16 * x + EPS)


def test_every_octant_and_its_edges():
    edges = np.arange(-17, 18) * np.pi / 4
    x = np.concatenate([edges, np.nextafter(edges, -99), np.nextafter(edges, 99), edges + 0.3])
    assert np.abs(errors(x)).max() <= 0.9 * EPS


@given(st.floats(-EXACT_RANGE, EXACT_RANGE))
def test_symmetries_hold_bit_for_bit(x):
    s, c = sin_cos(x)
    assert sin_cos(-x) == (-s, c)
    assert abs(s * s + c * c - 1.0) <= 4 * EPS


def test_zero_is_exact():
    assert sin_cos(0.0) == (0.0, 1.0)


def test_mpmath_numbers_keep_their_digits():
    with mpmath.workdps(50):
        s, c = sin_cos(mpmath.mpf("0.7"))
        assert abs(s * s + c * c - 1) < mpmath.mpf(10) ** -49
        assert abs(sqrt(mpmath.mpf(2)) ** 2 - 2) < mpmath.mpf(10) ** -48
        assert abs(arc_tangent(mpmath.mpf(1), mpmath.mpf(1)) - mpmath.pi / 4) < mpmath.mpf(10) ** -49
