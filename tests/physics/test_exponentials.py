"""Exponential and logarithm at any angle, and the constants in the stated errors of approximations."""

from __future__ import annotations

import math

import numpy as np
import pytest

from fifty_digits import MP, first_derivative, largest_difference, mp, reverse, times, turn_by
from rigidsim.physics.quaternion import dexp, dexp_inverse, exp_cubic, exp_full, exp_septic, log, renormalised
from rigidsim.physics.vector import scaled

EPS = np.finfo(float).eps
AXIS = mp("0.48", "-0.6", "0.64")
DIRECTION = mp("0.3", "-0.8", "0.5")


def half(angle):
    """The half rotation vector of an angle about AXIS."""
    return tuple(MP.mpf(angle) / 2 * x for x in AXIS)


def angle_of(q):
    """The angle about AXIS, with its sign."""
    return 2 * MP.atan2(sum(x * y for x, y in zip(q[1:], AXIS, strict=True)), q[0])


def distance(p, q):
    return MP.sqrt(sum((MP.mpf(x) - MP.mpf(y)) ** 2 for x, y in zip(p, q, strict=True)))


@pytest.mark.parametrize("off", [-1e-9, 1e-9])
def test_renormalising_reaches_round_off_in_one_step(off):
    q = exp_full((0.3, -0.8, 0.5))
    again = renormalised(tuple((1 + off) * part for part in q))
    assert abs(math.hypot(*again) - 1) <= 2 * EPS


@pytest.mark.parametrize("size", [0.0, 1e-12, 1e-5, 9.9e-5, 1.01e-4, 0.1, 1.0, math.pi / 2, 3.0, 50.0])
def test_full_exponential_is_right_at_any_angle(size):
    x = scaled(size, (0.36, 0.48, 0.8))
    error = largest_difference(exp_full(x), turn_by(mp(*scaled(2.0, x))))
    assert error <= 4 * EPS + EPS * size  # the argument's own rounding


@pytest.mark.parametrize("size", [0.0, 1e-300, 1e-12, 1e-8, 1.01e-8, 0.3, 1.5, math.pi / 2 - 1e-9])
def test_logarithm_undoes_the_exponential(size):
    x = scaled(size, (0.36, 0.48, -0.8))
    assert np.allclose(log(exp_full(x)), x, rtol=8 * EPS, atol=4 * EPS)
    assert np.allclose(log(tuple(-part for part in exp_full(x))), x, rtol=8 * EPS, atol=4 * EPS)


def test_cubic_exponential_has_the_error_it_states():
    quarter_turn = exp_cubic(half(MP.pi / 2))
    assert (
        MP.mpf("0.00935") < distance(quarter_turn, turn_by(tuple(2 * x for x in half(MP.pi / 2)))) < MP.mpf("0.00945")
    )
    for angle in mp("1e-1", "1e-2", "1e-3"):
        ratio = abs(angle_of(exp_cubic(half(angle))) - angle) / ((angle / 2) ** 5 / 15)
        # The next term is 10/21 (angle/2)^2 of it.
        assert abs(ratio - 1) < (angle / 2) ** 2


def test_septic_exponential_has_the_error_it_states():
    # The constants 1/6, ... of the text are floats, which shows at smaller angles.
    for angle in mp("1.5", "1", "0.5", "0.1"):
        ratio = abs(angle_of(exp_septic(half(angle))) - angle) / ((angle / 2) ** 9 / 22680)
        assert 0.9 < ratio <= 1  # measured: 0.925 at 1.5 to 0.9997 at 0.1
    assert abs(angle_of(exp_septic(half("0.1"))) - MP.mpf("0.1")) < 1e-16


def test_the_small_angle_branch_of_the_full_exponential_joins_without_a_step():
    below, above = (exp_full(tuple(s * 1e-4 * float(c) for c in AXIS)) for s in (1 - 1e-12, 1 + 1e-12))
    assert distance(below, above) <= 2e-12 * 1e-4 + EPS


def test_logarithm_near_half_a_turn_keeps_its_angle():
    """The scalar part is small there; the angle still comes out to round-off."""
    for gap in (1e-3, 1e-8, 1e-15):
        q = (math.sin(gap / 2), *(math.cos(gap / 2) * float(c) for c in AXIS))
        x = log(q)
        assert abs(math.hypot(*x) - (math.pi - gap) / 2) <= 4 * EPS
    assert abs(math.hypot(*log((0.0, 0.0, 1.0, 0.0))) - math.pi / 2) <= EPS


def test_logarithm_takes_the_shorter_way():
    three_quarters = tuple(float(x) for x in half(3 * MP.pi / 2))
    shorter = tuple(float(x) for x in half(-MP.pi / 2))
    assert distance(log(exp_full(three_quarters)), shorter) <= 4 * EPS


def rotation_vector(size):
    """sigma(t) of length about `size` near t = 0, turning and changing length."""
    return lambda t: tuple(MP.mpf(size) * (a + t * d) for a, d in zip(AXIS, DIRECTION, strict=True))


def body_rate(sigma, t):
    """omega_B = 2 q* q' of q = exp(sigma/2)."""
    rate = times(reverse(turn_by(sigma(t))), first_derivative(lambda s: turn_by(sigma(s)), t))
    return tuple(2 * x for x in rate[1:])


def remainder(size, formula):
    """Error of a truncated differential, relative to the rate, for |sigma| = size."""
    sigma = rotation_vector(size)
    sigma_0, sigma_rate, omega_B = sigma(MP.mpf(0)), first_derivative(sigma, MP.mpf(0)), body_rate(sigma, MP.mpf(0))
    found, expected = (
        (dexp(sigma_0, sigma_rate), omega_B) if formula is dexp else (dexp_inverse(sigma_0, omega_B), sigma_rate)
    )
    return distance(found, expected) / distance(expected, mp(0, 0, 0))


@pytest.mark.parametrize(("formula", "coefficient"), [(dexp, 120), (dexp_inverse, 720)])
def test_differentials_of_the_exponential_leave_the_fourth_power(formula, coefficient):
    """The next terms are ad^4/120 and -ad^4/720; the constants 1/6 and 1/12 of the text are floats, hence no smaller
    sigma."""
    coarse, fine = remainder("2e-2", formula), remainder("1e-2", formula)
    across = MP.sqrt(1 - sum(a * d for a, d in zip(AXIS, DIRECTION, strict=True)) ** 2 / sum(d * d for d in DIRECTION))
    assert abs(MP.log(coarse / fine, 2) - 4) < 0.01  # measured: 3.9999
    assert abs(fine * coefficient / (across * MP.mpf("1e-2") ** 4) - 1) < 0.01
