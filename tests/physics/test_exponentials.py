"""The constants in the stated errors of the exponentials and their differentials, and the borders of their branches."""

from __future__ import annotations

import math

import numpy as np
import pytest

from fifty_digits import MP, first_derivative, mp, reverse, times, turn_by
from rigidsim.physics.quaternion import dexp, dexp_inverse, exp_cubic, exp_full, exp_septic, log

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


@pytest.mark.parametrize("exponential", [exp_cubic, exp_septic, exp_full])
def test_exponentials_are_exactly_unit_and_the_identity_at_rest(exponential):
    assert exponential((0.0, 0.0, 0.0)) == (1.0, 0.0, 0.0, 0.0)
    q = exponential(half("2.9"))
    # The two polynomials are normalised in sixty digits; exp_full is unit because sine and cosine are.
    assert abs(sum(x * x for x in q) - 1) < MP.mpf(10) ** -57


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


def test_differentials_undo_each_other_to_the_order_of_their_truncation():
    rate = DIRECTION
    for size in mp("1e-1", "1e-2"):
        sigma = tuple(size * x for x in AXIS)
        there_and_back = dexp_inverse(sigma, dexp(sigma, rate))
        assert distance(there_and_back, rate) < size**4 / 100  # 1/120 - 1/720 = 1/144
