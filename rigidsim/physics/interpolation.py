"""Motion between two samples: the cubics that agree with pose and rate at both ends.

Source: Hermite (1878) for vectors; for rotations the same cubic in the rotation vector from the first sample, after
Kim, Kim and Shin, SIGGRAPH 1995. Error of order h^4 in the pose. x = (t - t0)/h in [0, 1].
"""

from __future__ import annotations

from rigidsim.jit import formula
from rigidsim.physics.quaternion import conjugate, dexp, dexp_inverse, exp_full, log, product, rotate, rotate_back
from rigidsim.physics.vector import add, scaled, sub


@formula
def hermite(p_0, p_1, v_0, v_1, h, x):
    """Cubic with p(0) = p0, p(1) = p1, dp/dt = v0, v1 at the ends; h in s, v in units of p a second."""
    rise, y = sub(p_1, p_0), 1.0 - x
    ends = add(scaled(h * x * y * y, v_0), scaled(-h * x * x * y, v_1))
    return add(add(p_0, scaled(x * x * (3.0 - 2.0 * x), rise)), ends)


@formula
def hermite_rate(p_0, p_1, v_0, v_1, h, x):
    """Time derivative of `hermite`."""
    rise, y = sub(p_1, p_0), 1.0 - x
    ends = add(scaled(y * (1.0 - 3.0 * x), v_0), scaled(x * (3.0 * x - 2.0), v_1))
    return add(scaled(6.0 * x * y / h, rise), ends)


@formula
def hermite_rotation(q_0, q_1, omega_0, omega_1, h, x):
    """(q, omega) between two orientations whose rates omega (rad/s, parent's axes) are known.

    q = q0 exp(sigma/2), sigma the Hermite cubic from 0 to the rotation vector of q0* q1, its end rates those of the
    body. The rotation between the samples must be less than half a turn.
    """
    turn = scaled(2.0, log(product(conjugate(q_0), q_1)))
    rest = scaled(0.0, turn)
    rate_0, rate_1 = rotate_back(q_0, omega_0), dexp_inverse(turn, rotate_back(q_1, omega_1))
    sigma = hermite(rest, turn, rate_0, rate_1, h, x)
    omega_B = dexp(sigma, hermite_rate(rest, turn, rate_0, rate_1, h, x))
    q = product(q_0, exp_full(scaled(0.5, sigma)))
    return q, rotate(q, omega_B)
