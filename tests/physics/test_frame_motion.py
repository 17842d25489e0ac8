"""Poses, velocities and accelerations of frames in frames, against derivatives of the poses themselves."""

from __future__ import annotations

import pytest

from fifty_digits import BODY, MP, PARENT, RESIDUAL, first_derivative, largest_difference, rates, second_derivative
from rigidsim.physics import frames as F

INSTANTS = ("-0.4", "0.1", "0.7")


class Motion:
    """Pose, velocities and accelerations of t -> X(t) at one instant, all by differences of the pose."""

    def __init__(self, pose, t):
        self.p, self.q, self.s = pose(t)
        self.v = first_derivative(lambda u: pose(u)[0], t)
        self.a = second_derivative(lambda u: pose(u)[0], t)
        self.omega, self.alpha = rates(lambda u: pose(u)[1], t)


class Situation:
    """Parent in the world, body in the parent, body in the world."""

    def __init__(self, t):
        self.t = MP.mpf(t)
        self.WP, self.PB = Motion(PARENT.pose, self.t), Motion(BODY.pose, self.t)
        self.WB = Motion(lambda u: F.compose_pose(PARENT.pose(u), BODY.pose(u)), self.t)
        stretch = (self.WP.q, self.WP.s)
        self.d, self.drift, self.surge = (F.stretch(*stretch, x) for x in (self.PB.p, self.PB.v, self.PB.a))


@pytest.fixture(scope="module", params=INSTANTS)
def now(request):
    return Situation(request.param)


def assert_equal(found, expected):
    assert largest_difference(found, expected) < RESIDUAL  # measured: 1e-39 and less


def test_the_motions_are_rich_enough_to_tell_every_term_apart(now):
    for motion in (now.WP, now.PB):
        for vector in (motion.v, motion.a, motion.omega, motion.alpha):
            assert min(abs(c) for c in vector) > 0.005


def test_composition_of_poses_maps_points_in_turn(now):
    x = (MP.mpf(1) / 3, MP.mpf(-2), MP.mpf("0.7"))
    through_parent = F.compose_position(now.PB.p, F.stretch(now.PB.q, now.PB.s, x))
    expected = F.compose_position(now.WP.p, F.stretch(now.WP.q, now.WP.s, through_parent))
    assert_equal(F.compose_position(now.WB.p, F.stretch(now.WB.q, now.WB.s, x)), expected)
    assert_equal(F.stretch_back(now.WP.q, now.WP.s, F.stretch(now.WP.q, now.WP.s, x)), x)


def test_composition_of_velocities(now):
    assert_equal(F.compose_velocity(now.WP.v, now.WP.omega, now.d, now.drift), now.WB.v)
    assert_equal(F.compose_rate(now.WP.omega, now.WP.q, now.PB.omega), now.WB.omega)


def test_composition_of_accelerations(now):
    found = F.compose_acceleration(now.WP.a, now.WP.omega, now.WP.alpha, now.d, now.drift, now.surge)
    assert_equal(found, now.WB.a)
    found = F.compose_angular_acceleration(now.WP.omega, now.WP.alpha, now.WP.q, now.PB.alpha, now.WB.omega)
    assert_equal(found, now.WB.alpha)


def test_inverse(now):
    X = (now.WP.p, now.WP.q, now.WP.s)
    expected = Motion(lambda u: F.inverse_pose(PARENT.pose(u)), now.t)
    v, omega = F.inverse_velocity(X, now.WP.v, now.WP.omega)
    a, alpha = F.inverse_acceleration(X, now.WP.v, now.WP.omega, now.WP.a, now.WP.alpha)
    for found, exact in ((v, expected.v), (omega, expected.omega), (a, expected.a), (alpha, expected.alpha)):
        assert_equal(found, exact)
    there_and_back = F.compose_pose(F.inverse_pose(X), X)
    assert_equal(there_and_back[0], (0, 0, 0))
    assert_equal(there_and_back[1], (1, 0, 0, 0))
    assert_equal((there_and_back[2],), (1,))


def test_global_to_local_of_velocities(now):
    assert_equal(F.local_velocity(now.WP.v, now.WP.omega, now.WP.q, now.WP.s, now.d, now.WB.v), now.PB.v)
    assert_equal(F.local_rate(now.WP.omega, now.WP.q, now.WB.omega), now.PB.omega)


def test_global_to_local_of_accelerations(now):
    parent = (now.WP.a, now.WP.omega, now.WP.alpha, now.WP.q, now.WP.s)
    assert_equal(F.local_acceleration(*parent, now.d, now.drift, now.WB.a), now.PB.a)
    turning = (now.WP.omega, now.WP.alpha, now.WP.q, now.WB.omega, now.WB.alpha)
    assert_equal(F.local_angular_acceleration(*turning), now.PB.alpha)
