"""Our own sine and cosine against sixty digits."""

from __future__ import annotations

import math

import numpy as np
import pytest
from fifty_digits import MP
from hypothesis import given
from hypothesis import strategies as st

from rigidsim.physics.elementary import reduced_sin_cos, sin_cos, sqrt

STATED_ERROR = 2e-16
STATED_RANGE = 1.6e6
STATED_GROWTH = 1.2e-16


def errors(x):
    """Absolute errors of (sin, cos) of one float."""
    s, c = reduced_sin_cos(float(x))
    return float(abs(MP.mpf(s) - MP.sin(MP.mpf(float(x))))), float(abs(MP.mpf(c) - MP.cos(MP.mpf(float(x)))))


@given(st.floats(-STATED_RANGE, STATED_RANGE))
def test_stated_error_in_the_stated_range(x):
    assert max(errors(x)) < STATED_ERROR


@pytest.mark.parametrize("octant", range(-17, 18))
def test_every_octant_and_both_sides_of_each_border(octant):
    border = octant * math.pi / 4
    steps = [border, math.nextafter(border, -math.inf), math.nextafter(border, math.inf)]
    worst = max(max(errors(x)) for x in (*steps, *np.linspace(border, border + math.pi / 4, 50)))
    assert worst < STATED_ERROR  # measured: 1.5e-16


def test_a_dense_sweep_of_the_stated_range():
    draw = np.random.default_rng(20)
    worst = max(max(errors(x)) for x in draw.uniform(-STATED_RANGE, STATED_RANGE, 2000))
    assert worst < STATED_ERROR  # measured: 1.3e-16


@pytest.mark.parametrize("size", [1e7, 1e9, 1e12])
def test_beyond_it_the_error_grows_no_faster_than_stated(size):
    draw = np.random.default_rng(21)
    worst = max(max(errors(x)) for x in draw.uniform(0.5 * size, size, 500))
    assert worst < STATED_ERROR + STATED_GROWTH * size


def test_exact_at_zero_with_its_sign():
    assert reduced_sin_cos(0.0) == (0.0, 1.0)
    for tiny in (5e-324, 1e-300, 1e-9):
        assert reduced_sin_cos(tiny) == (tiny, 1.0)
        assert reduced_sin_cos(-tiny) == (-tiny, 1.0)


@given(st.floats(-1e12, 1e12))
def test_sine_is_odd_and_cosine_even(x):
    (s, c), (s_back, c_back) = reduced_sin_cos(x), reduced_sin_cos(-x)
    assert (s_back, c_back) == (-s, c)


@given(st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=40))
def test_columns_have_the_bits_of_single_numbers(xs):
    columns = reduced_sin_cos(np.array(xs))
    for i, x in enumerate(xs):
        assert (columns[0][i], columns[1][i]) == reduced_sin_cos(x)


def test_sixty_digit_numbers_keep_their_digits():
    x = MP.mpf(10) / 3
    assert sin_cos(x) == (MP.sin(x), MP.cos(x))
    assert sqrt(x) == MP.sqrt(x)
    assert sin_cos(1.5) == reduced_sin_cos(1.5)
    assert sin_cos(1) == reduced_sin_cos(1.0)
    assert sqrt(2) == sqrt(2.0) == math.sqrt(2.0)
