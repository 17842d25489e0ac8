"""Quaternions: the group laws, the exponential and the logarithm at any angle."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rigidsim.physics.quaternion import (
    conjugate,
    exp_full,
    log,
    normalised,
    product,
    renormalised,
    rotate,
    rotate_back,
)
from rigidsim.physics.vector import norm, scaled

EPS = np.finfo(float).eps
parts = st.floats(-3, 3)
vectors = st.tuples(parts, parts, parts)
rotations = st.tuples(parts, parts, parts, parts).filter(lambda q: math.hypot(*q) > 0.1).map(normalised)


@given(rotations, rotations, vectors)
def test_product_turns_by_the_second_first(p, q, v):
    assert np.allclose(rotate(product(p, q), v), rotate(p, rotate(q, v)), rtol=0, atol=64 * EPS * (1 + norm(v)))


@given(rotations, st.floats(-1e-9, 1e-9))
def test_renormalising_reaches_round_off_in_one_step(q, off):
    again = renormalised(tuple((1 + off) * part for part in q))
    assert abs(math.hypot(*again) - 1) <= 2 * EPS


def exact_exponential(x) -> tuple:
    """At fifty digits."""
    with mpmath.workdps(50):
        x = [mpmath.mpf(part) for part in x]
        n = mpmath.sqrt(sum(part * part for part in x))
        s = mpmath.sin(n) / n if n else mpmath.mpf(1)
        return (mpmath.cos(n), *(s * part for part in x))


@pytest.mark.parametrize("size", [0.0, 1e-12, 1e-5, 9.9e-5, 1.01e-4, 0.1, 1.0, math.pi / 2, 3.0, 50.0])
def test_full_exponential_is_right_at_any_angle(size):
    x = scaled(size, (0.36, 0.48, 0.8))
    error = max(abs(float(a - mpmath.mpf(b))) for a, b in zip(exact_exponential(x), exp_full(x), strict=True))
    assert error <= 4 * EPS + EPS * size  # the argument's own rounding


@pytest.mark.parametrize("size", [0.0, 1e-300, 1e-12, 1e-8, 1.01e-8, 0.3, 1.5, math.pi / 2 - 1e-9])
def test_logarithm_undoes_the_exponential(size):
    x = scaled(size, (0.36, 0.48, -0.8))
    assert np.allclose(log(exp_full(x)), x, rtol=8 * EPS, atol=4 * EPS)
    assert np.allclose(log(scaled4(-1.0, exp_full(x))), x, rtol=8 * EPS, atol=4 * EPS)


def scaled4(s, q):
    return tuple(s * part for part in q)


@given(rotations)
def test_logarithm_takes_the_shorter_way(q):
    assert norm(log(q)) <= math.pi / 2 + 8 * EPS


# --- what holds for any four numbers

# Zero or large enough for products of three not to underflow.
components = st.floats(1e-3, 1e3) | st.floats(-1e3, -1e-3) | st.just(0.0)
quadruples = st.tuples(components, components, components, components)


def size(*arrays):
    """The product of the lengths."""
    return math.prod(float(np.linalg.norm(a)) for a in arrays)


def close(a, b, scale):
    return np.abs(np.subtract(a, b)).max() <= 16 * EPS * scale  # some twenty roundings; measured: 1.4 eps


@given(quadruples, quadruples, quadruples)
def test_the_product_is_associative(p, q, r):
    assert close(product(product(p, q), r), product(p, product(q, r)), size(p, q, r))


@given(quadruples, quadruples)
def test_the_conjugate_of_a_product_turns_the_order_round(p, q):
    swapped = product(conjugate(q), conjugate(p))
    assert close(conjugate(product(p, q)), swapped, size(p, q))


@given(quadruples, quadruples)
def test_lengths_multiply(p, q):
    assert abs(size(product(p, q)) - size(p, q)) <= 16 * EPS * size(p, q)


def test_a_quarter_turn_is_right_handed_and_active():
    quarter = (math.sqrt(0.5), 0.0, 0.0, math.sqrt(0.5))
    assert close(rotate(quarter, (1.0, 0.0, 0.0)), (0.0, 1.0, 0.0), 1.0)
    assert close(rotate_back(quarter, (1.0, 0.0, 0.0)), (0.0, -1.0, 0.0), 1.0)
