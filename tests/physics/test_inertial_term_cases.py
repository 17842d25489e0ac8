"""Each inertial term alone: the second derivative of a closed-form path seen in a moving frame, and its direction."""

from __future__ import annotations

from fifty_digits import MP, RESIDUAL, largest_difference, mp, second_derivative
from rigidsim.physics.inertial_terms import (
    centrifugal_term,
    coriolis_term,
    euler_term,
    inertial_acceleration,
    linear_term,
)

ZERO = mp(0, 0, 0)
RADIUS, SPIN, SPIN_RATE = mp("1.7", "0.9", "0.4")
NOW = MP.mpf(0)
ARM = (RADIUS, MP.mpf(0), MP.mpf("0.6"))
AXIS_RATE, AXIS_RATE_DOT = (MP.mpf(0), MP.mpf(0), SPIN), (MP.mpf(0), MP.mpf(0), SPIN_RATE)


def seen_from(angle, path):
    """A path in the world as coordinates of a frame turned by angle(t) about z."""

    def coordinates(t):
        x, y, z = path(t)
        c, s = MP.cos(angle(t)), MP.sin(angle(t))
        return (c * x + s * y, c * y - s * x, z)

    return coordinates


def assert_equal(found, expected):
    assert largest_difference(found, expected) < RESIDUAL  # measured: 4e-41 and less


def test_only_the_origin_accelerates():
    acceleration = mp("0.5", "-1.2", "3")

    def path(t):
        return tuple(d - a * t * t / 2 for d, a in zip(ARM, acceleration, strict=True))

    assert_equal(linear_term(acceleration), second_derivative(path, NOW))
    assert_equal(inertial_acceleration(acceleration, ZERO, ZERO, ARM, ZERO), second_derivative(path, NOW))


def test_only_the_rate_changes():
    """At rest in the world, the frame about to spin up: it starts backwards, against the turn."""
    path = seen_from(lambda t: SPIN_RATE * t * t / 2, lambda t: ARM)
    assert_equal(euler_term(AXIS_RATE_DOT, ARM), second_derivative(path, NOW))
    assert_equal(inertial_acceleration(ZERO, ZERO, AXIS_RATE_DOT, ARM, ZERO), second_derivative(path, NOW))
    assert_equal(euler_term(AXIS_RATE_DOT, ARM), (0, -SPIN_RATE * RADIUS, 0))


def test_only_the_frame_turns_and_the_body_rests_in_it():
    """Let go, it moves outwards along the involute."""
    path = seen_from(lambda t: SPIN * t, lambda t: (RADIUS, SPIN * RADIUS * t, ARM[2]))
    assert_equal(centrifugal_term(AXIS_RATE, ARM), second_derivative(path, NOW))
    assert_equal(inertial_acceleration(ZERO, AXIS_RATE, ZERO, ARM, ZERO), second_derivative(path, NOW))
    assert_equal(centrifugal_term(AXIS_RATE, ARM), (SPIN * SPIN * RADIUS, 0, 0))


def test_the_frame_turns_and_the_body_moves_in_it():
    """At rest in the world it circles: the Coriolis term, twice the centrifugal one, pulls it in."""
    drift = (MP.mpf(0), -SPIN * RADIUS, MP.mpf(0))
    path = seen_from(lambda t: SPIN * t, lambda t: ARM)
    assert_equal(inertial_acceleration(ZERO, AXIS_RATE, ZERO, ARM, drift), second_derivative(path, NOW))
    assert_equal(coriolis_term(AXIS_RATE, drift), (-2 * SPIN * SPIN * RADIUS, 0, 0))


def test_through_the_axis_only_the_coriolis_term_is_left():
    """Straight across the middle of a turntable: deflected to the right where it turns to the left."""
    speed = MP.mpf("1.3")
    path = seen_from(lambda t: SPIN * t, lambda t: (speed * t, MP.mpf(0), MP.mpf(0)))
    drift = (speed, MP.mpf(0), MP.mpf(0))
    assert_equal(coriolis_term(AXIS_RATE, drift), second_derivative(path, NOW))
    assert_equal(coriolis_term(AXIS_RATE, drift), (0, -2 * SPIN * speed, 0))


def test_the_four_add_up():
    acceleration, drift = mp("0.5", "-1.2", "3"), mp("0.2", "0.4", "-0.7")
    terms = (
        linear_term(acceleration),
        euler_term(AXIS_RATE_DOT, ARM),
        centrifugal_term(AXIS_RATE, ARM),
        coriolis_term(AXIS_RATE, drift),
    )
    total = tuple(sum(parts) for parts in zip(*terms, strict=True))
    assert_equal(inertial_acceleration(acceleration, AXIS_RATE, AXIS_RATE_DOT, ARM, drift), total)
