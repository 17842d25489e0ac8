"""Interpolation between samples: end conditions, exactness on cubics, order four."""

from __future__ import annotations

import numpy as np
import pytest

from rigidsim.physics.interpolation import hermite, hermite_rate, hermite_rotation
from rigidsim.physics.quaternion import conjugate, exp_full, product
from rigidsim.physics.vector import norm, scaled, sub

EPS = np.finfo(float).eps


def cubic(t):
    """A cubic in space and its derivative."""
    p = (1 + 2 * t - t * t + 0.5 * t**3, -t + 3 * t**3, 2 - t * t)
    return p, (2 - 2 * t + 1.5 * t * t, -1 + 9 * t * t, -2 * t)


@pytest.mark.parametrize("x", [0.0, 0.25, 0.7, 1.0])
def test_cubics_are_reproduced(x):
    (p_0, v_0), (p_1, v_1), (p, v) = cubic(0.3), cubic(1.5), cubic(0.3 + 1.2 * x)
    assert np.allclose(hermite(p_0, p_1, v_0, v_1, 1.2, x), p, rtol=0, atol=64 * EPS)
    assert np.allclose(hermite_rate(p_0, p_1, v_0, v_1, 1.2, x), v, rtol=0, atol=256 * EPS)


def tumbling(t):
    """An orientation with a changing rate, and that rate in the parent's axes, by a fine central difference."""

    def pose(u):
        return product(exp_full((0.4 * u, 0.1 * u * u, 0.0)), exp_full((0.0, 0.3 * u, 0.5 * u)))

    h = 1e-5
    off = product(pose(t + h), conjugate(pose(t - h)))
    return pose(t), scaled(1.0 / h, off[1:])


def test_rotation_meets_both_ends():
    (q_0, w_0), (q_1, w_1) = tumbling(0.2), tumbling(0.5)
    for x, q, w in ((0.0, q_0, w_0), (1.0, q_1, w_1)):
        found, rate = hermite_rotation(q_0, q_1, w_0, w_1, 0.3, x)
        assert norm(product(conjugate(q), found)[1:]) <= 8 * EPS
        # dexp and its inverse are truncated: the rate at the far end is met to the fourth order of the turn.
        assert norm(sub(rate, w)) <= 1e-3 * norm(w) * (0.3 * norm(w)) ** 4 + 16 * EPS


def test_rotation_is_of_fourth_order_and_its_rate_of_third():
    errors = []
    for h in (0.4, 0.2, 0.1):
        (q_0, w_0), (q_1, w_1), (q, w) = tumbling(1.0), tumbling(1.0 + h), tumbling(1.0 + 0.3 * h)
        found, rate = hermite_rotation(q_0, q_1, w_0, w_1, h, 0.3)
        errors.append((norm(product(conjugate(q), found)[1:]), norm(sub(rate, w))))
    slopes = np.log2(np.array(errors[:-1]) / np.array(errors[1:]))
    assert np.all(slopes[:, 0] >= 3.7)
    assert np.all(slopes[:, 1] >= 2.7)


def test_sign_of_the_quaternion_does_not_matter():
    (q_0, w_0), (q_1, w_1) = tumbling(0.2), tumbling(0.5)
    plain = hermite_rotation(q_0, q_1, w_0, w_1, 0.3, 0.4)
    flipped = hermite_rotation(q_0, tuple(-part for part in q_1), w_0, w_1, 0.3, 0.4)
    assert plain == flipped
