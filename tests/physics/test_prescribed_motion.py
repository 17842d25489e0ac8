"""Prescribed motion is the solution of its constants: its derivatives are they, at sixty digits."""

from __future__ import annotations

import pytest

from fifty_digits import MP, RESIDUAL, first_derivative, largest_difference, mp, rates, second_derivative, turn_by
from rigidsim.physics.prescribed import prescribed_position, prescribed_rotation, prescribed_velocity

P_0, V_0, A_0 = mp("0.3", "-1", "2"), mp("1.5", "0.2", "-0.4"), mp("-0.7", "0.6", "9.8")
AXIS, RATE, RATE_DOT = mp("0.48", "-0.6", "0.64"), MP.mpf("1.3"), MP.mpf("-0.4")
Q_0 = turn_by(mp("0.5", "0.2", "-0.9"))
INSTANTS = mp("-1.5", "0", "0.8", "7")


def orientation(t):
    return prescribed_rotation(Q_0, AXIS, RATE, RATE_DOT, t)


def test_at_the_start_it_is_the_pose_given():
    assert prescribed_position(P_0, V_0, A_0, MP.mpf(0)) == P_0
    assert largest_difference(orientation(MP.mpf(0)), Q_0) == 0


@pytest.mark.parametrize("t", INSTANTS)
def test_velocity_and_acceleration_are_the_derivatives(t):
    velocity = prescribed_velocity(V_0, A_0, t)
    assert largest_difference(first_derivative(lambda u: prescribed_position(P_0, V_0, A_0, u), t), velocity) < RESIDUAL
    assert largest_difference(second_derivative(lambda u: prescribed_position(P_0, V_0, A_0, u), t), A_0) < RESIDUAL


@pytest.mark.parametrize("t", INSTANTS)
def test_the_rate_is_about_the_axis_in_the_parent(t):
    """In space axes: the turn goes in front of the initial orientation."""
    omega, alpha = rates(orientation, t)
    assert largest_difference(omega, tuple((RATE + RATE_DOT * t) * x for x in AXIS)) < RESIDUAL
    assert largest_difference(alpha, tuple(RATE_DOT * x for x in AXIS)) < RESIDUAL
    assert abs(sum(x * x for x in orientation(t)) - 1) < RESIDUAL
