"""Magnus increments: their orders at fifty digits, and exactness about a fixed axis."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest

from rigidsim.physics.magnus import magnus_1, magnus_2, magnus_3, magnus_4
from rigidsim.physics.quaternion import conjugate, exp_full, product
from rigidsim.physics.vector import add, scaled

LOCAL_ORDER = {1: 3, 2: 5, 3: 5, 4: 7}
TAYLOR_TERMS = 60


def increment(omega, alpha, h, terms):
    """Omega of so many terms."""
    end = add(omega, scaled(h, alpha))
    parts = (
        magnus_1(omega, end, h),
        magnus_2(omega, end, h),
        magnus_3(omega, alpha, h),
        magnus_4(omega, end, alpha, h),
    )
    total = parts[0]
    for part in parts[1:terms]:
        total = add(total, part)
    return total


def exact_rotation(omega, alpha, h):
    """q(h) of q' = (omega + alpha t) q / 2, q(0) = 1: its Taylor series, from the recurrence of the equation."""
    zero = 0 * h
    coefficients = [(1 + zero, zero, zero, zero)]
    for n in range(TAYLOR_TERMS):
        term = product((zero, *omega), coefficients[n])
        if n > 0:
            term = tuple(a + b for a, b in zip(term, product((zero, *alpha), coefficients[n - 1]), strict=True))
        coefficients.append(tuple(part / (2 * (n + 1)) for part in term))
    return tuple(sum(c[i] * h**k for k, c in enumerate(coefficients)) for i in range(4))


@pytest.mark.parametrize("terms", [1, 2, 3, 4])
def test_local_orders_are_3_5_5_7(terms):
    errors, steps = [], ("0.08", "0.04", "0.02")
    with mpmath.workdps(50):
        omega = tuple(map(mpmath.mpf, ("0.9", "-0.4", "1.1")))
        alpha = tuple(map(mpmath.mpf, ("-0.5", "1.3", "0.7")))
        for step in steps:
            h = mpmath.mpf(step)
            q = exp_full(scaled(h / h / 2, increment(omega, alpha, h, terms)))
            off = product(conjugate(exact_rotation(omega, alpha, h)), q)
            errors.append(float(2 * mpmath.sqrt(off[1] ** 2 + off[2] ** 2 + off[3] ** 2)))
    slopes = np.diff(np.log(errors)) / math.log(0.5)
    # Of three terms the last removes a part of the h^5 error only, so the slope is that of two.
    assert np.all(np.abs(slopes - LOCAL_ORDER[terms]) <= 0.1), slopes


def test_about_a_fixed_axis_one_term_is_exact_and_the_others_vanish():
    omega, alpha, h = (0.0, 0.0, 3.0), (0.0, 0.0, -2.0), 0.4
    end = add(omega, scaled(h, alpha))
    assert magnus_1(omega, end, h) == (0.0, 0.0, 0.5 * h * (3.0 + end[2]))
    assert magnus_2(omega, end, h) == (0.0, 0.0, 0.0)
    assert magnus_3(omega, alpha, h) == (0.0, 0.0, 0.0)
    assert magnus_4(omega, end, alpha, h) == (0.0, 0.0, 0.0)
