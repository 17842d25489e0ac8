"""Interpolation between samples: end conditions, exactness on cubics, order four."""

from __future__ import annotations

import numpy as np

from rigidsim.physics.interpolation import hermite_rotation
from rigidsim.physics.quaternion import conjugate, exp_full, product
from rigidsim.physics.vector import norm, scaled, sub

EPS = np.finfo(float).eps


def tumbling(t):
    """An orientation with a changing rate, and that rate in the parent's axes, by a fine central difference."""

    def pose(u):
        return product(exp_full((0.4 * u, 0.1 * u * u, 0.0)), exp_full((0.0, 0.3 * u, 0.5 * u)))

    h = 1e-5
    off = product(pose(t + h), conjugate(pose(t - h)))
    return pose(t), scaled(1.0 / h, off[1:])


def test_rotation_is_of_fourth_order_and_its_rate_of_third():
    errors = []
    for h in (0.4, 0.2, 0.1):
        (q_0, w_0), (q_1, w_1), (q, w) = tumbling(1.0), tumbling(1.0 + h), tumbling(1.0 + 0.3 * h)
        found, rate = hermite_rotation(q_0, q_1, w_0, w_1, h, 0.3)
        errors.append((norm(product(conjugate(q), found)[1:]), norm(sub(rate, w))))
    slopes = np.log2(np.array(errors[:-1]) / np.array(errors[1:]))
    assert np.all(slopes[:, 0] >= 3.7)
    assert np.all(slopes[:, 1] >= 2.7)
