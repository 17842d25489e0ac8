"""Quaternions: the algebra, the exponentials with their stated errors, the logarithm, the differentials."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
import quaternion
from hypothesis import given
from hypothesis import strategies as st

from rigidsim.physics.quaternion import (
    conjugate,
    dexp,
    dexp_inverse,
    exp_cubic,
    exp_full,
    exp_septic,
    log,
    normalised,
    product,
    renormalised,
    rotate,
    rotate_back,
    to_matrix,
)
from rigidsim.physics.vector import norm, scaled, sub

EPS = np.finfo(float).eps
parts = st.floats(-3, 3)
vectors = st.tuples(parts, parts, parts)
rotations = st.tuples(parts, parts, parts, parts).filter(lambda q: math.hypot(*q) > 0.1).map(normalised)


def rotation_angle(q) -> float:
    """Angle of a rotation near none, rad."""
    return 2 * math.atan2(norm(q[1:]), abs(q[0]))


@given(rotations, rotations)
def test_product_is_numpy_quaternions(p, q):
    theirs = quaternion.as_float_array(quaternion.quaternion(*p) * quaternion.quaternion(*q))
    assert np.allclose(product(p, q), theirs, rtol=0, atol=4 * EPS)


@given(rotations, rotations, vectors)
def test_product_turns_by_the_second_first(p, q, v):
    assert np.allclose(rotate(product(p, q), v), rotate(p, rotate(q, v)), rtol=0, atol=64 * EPS * (1 + norm(v)))


@given(rotations, vectors)
def test_rotate_is_the_matrix_and_rotate_back_its_inverse(q, v):
    assert np.allclose(rotate(q, v), np.array(to_matrix(q)) @ v, rtol=0, atol=32 * EPS * (1 + norm(v)))
    assert np.allclose(rotate_back(q, rotate(q, v)), v, rtol=0, atol=32 * EPS * (1 + norm(v)))
    assert product(q, conjugate(q))[0] == pytest.approx(1.0, abs=4 * EPS)


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


def test_cubic_exponential_has_the_stated_errors():
    """0.94 % of the quaternion at 90 degrees a step; angle error (angle/2)^5/15."""
    x = (math.pi / 4, 0.0, 0.0)
    exact = tuple(map(float, exact_exponential(x)))
    assert math.dist(exp_cubic(x), exact) == pytest.approx(0.0094, abs=5e-5)
    for angle in (0.4, 0.2, 0.1):
        x = (0.0, angle / 2, 0.0)
        error = rotation_angle(product(conjugate(tuple(map(float, exact_exponential(x)))), exp_cubic(x)))
        # The next term is of relative order angle^2.
        assert error == pytest.approx((angle / 2) ** 5 / 15, rel=angle**2)


@pytest.mark.parametrize("angle", [2.0, 1.0, 0.5, 0.25])
def test_septic_exponential_stays_below_its_stated_error(angle):
    x = scaled(angle / 2, (0.6, 0.0, 0.8))
    error = rotation_angle(product(conjugate(tuple(map(float, exact_exponential(x)))), exp_septic(x)))
    assert error <= 2 * (angle / 2) ** 9 / 22680 + 4 * EPS


@given(vectors)
def test_truncated_exponentials_are_exactly_unit(x):
    for exponential in (exp_cubic, exp_septic, exp_full):
        assert abs(math.hypot(*exponential(x)) - 1) <= 4 * EPS


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


def turning(sigma, rate):
    """The body rate of q = exp(sigma(t)/2) at sixty digits, by a central difference of order two."""
    with mpmath.workdps(60):
        h = mpmath.mpf(10) ** -20
        ahead, behind = (
            exp_full(tuple((s + k * h * r) / 2 for s, r in zip(sigma, rate, strict=True))) for k in (1, -1)
        )
        here = exp_full(tuple(s / 2 for s in sigma))
        q_rate = tuple((a - b) / (2 * h) for a, b in zip(ahead, behind, strict=True))
        return tuple(2 * part for part in product(conjugate(here), q_rate)[1:])


@pytest.mark.parametrize(("formula", "order"), [("dexp", 4), ("dexp_inverse", 4)])
def test_differentials_of_the_exponential_leave_the_stated_order(formula, order):
    direction, rate = (0.3, -0.5, 0.8), (0.7, 0.2, -0.4)
    sizes, errors = (0.4, 0.2, 0.1), []
    for size in sizes:
        with mpmath.workdps(60):
            sigma = tuple(mpmath.mpf(size) * mpmath.mpf(d) for d in direction)
            exact_rate = tuple(map(mpmath.mpf, rate))
            if formula == "dexp":
                difference = sub(dexp(sigma, exact_rate), turning(sigma, exact_rate))
            else:
                difference = sub(dexp_inverse(sigma, turning(sigma, exact_rate)), exact_rate)
            errors.append(float(mpmath.sqrt(sum(d * d for d in difference))))
    slopes = np.diff(np.log(errors)) / np.diff(np.log(sizes))
    assert np.all(np.abs(slopes - order) <= 0.05)
