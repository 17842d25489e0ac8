"""A centre of mass away from the node's origin: it moves straight, while the origin goes around it."""

from __future__ import annotations

import numpy as np
import pytest

from rigidsim.physics.quaternion import exp_full, rotate
from support.scenes import EPS, axis_angle, run

COM, SPIN, VELOCITY, MASS = np.array([0.3, -0.2, 0.5]), np.array([0.4, 1.1, -0.7]), np.array([1.0, 0.5, -2.0]), 3.0
POSITION = np.array([0.5, -1.0, 2.0])
DURATION, STEP = 10, 1e-3
# The line is integrated exactly, but each of the 10 000 additions may err by half an eps, all of them one way.
ROUND_OFF = 0.5 * DURATION / STEP * EPS


def turned(orientation, vector):
    """A body's vector in the world at every sample."""
    return np.stack(rotate(tuple(orientation.T), tuple(vector)), axis=-1)


def body(principal) -> dict:
    return {
        "mass": MASS,
        "inertia": {"principal": principal, "orientation": axis_angle((1, 0, 1), 0.4)},
        "center_of_mass": COM.tolist(),
        "position": POSITION.tolist(),
        "velocity": VELOCITY.tolist(),
        "angular_velocity": SPIN.tolist(),
    }


@pytest.fixture(scope="module")
def tumbling():
    return run({"b": body([0.5, 0.8, 1.1])}, duration=DURATION, step=STEP, record_every=0.1)


def test_energy_and_momenta_are_those_about_the_centre_of_mass(tumbling):
    turn = np.array([rotate(exp_full((0.2 / 2**0.5, 0.0, 0.2 / 2**0.5)), tuple(axis)) for axis in np.eye(3)]).T
    inertia = turn @ np.diag([0.5, 0.8, 1.1]) @ turn.T
    com_velocity, com = VELOCITY + np.cross(SPIN, COM), POSITION + COM
    kinetic = 0.5 * MASS * com_velocity @ com_velocity + 0.5 * SPIN @ inertia @ SPIN
    spin, orbital = inertia @ SPIN, MASS * np.cross(com, com_velocity)
    tiny = 16 * EPS
    assert abs(tumbling.diagnostic("kinetic_energy")[0] / kinetic - 1) <= tiny
    assert np.abs(tumbling.diagnostic("spin_angular_momentum")[0] - spin).max() <= tiny * np.linalg.norm(spin)
    assert np.abs(tumbling.diagnostic("orbital_angular_momentum")[0] - orbital).max() <= tiny * np.linalg.norm(orbital)
    assert np.abs(tumbling.diagnostic("linear_momentum")[0] - MASS * com_velocity).max() <= tiny * 10
    # The method's error over 10 s at 1 ms is below round-off; measured: 3 eps.
    assert np.abs(tumbling.total_energy / kinetic - 1).max() <= tiny
    # The orbital part has the line's round-off; measured: 9.4e-12 of 220 N m s (p and m v at the end, multiplied).
    reach = MASS * np.linalg.norm(com + DURATION * com_velocity) * np.linalg.norm(com_velocity)
    assert np.abs(tumbling.angular_momentum - spin - orbital).max() <= 0.25 * ROUND_OFF * reach


def test_the_origin_of_a_ball_goes_around_in_closed_form():
    """Equal moments: the rate is constant, the origin at com - exp(omega t) c."""
    trajectory = run({"b": body([0.8, 0.8, 0.8])}, duration=DURATION, step=STEP, record_every=0.1)
    t = trajectory.time[:, np.newaxis]
    com = POSITION + COM + t * (VELOCITY + np.cross(SPIN, COM))
    orientation = np.stack(exp_full(tuple((0.5 * t * SPIN).T)), axis=-1)
    path = com - turned(orientation, COM)
    assert np.abs(trajectory["b"].world.position - path).max() <= ROUND_OFF * np.abs(path).max()  # measured: 1.9e-12


def test_a_force_at_the_origin_turns_the_body_a_force_at_the_centre_does_not():
    force = {"force": [0, 0, 6.0], "frame": "world"}
    for at, turning in ((None, False), (COM.tolist(), False), ([0, 0, 0], True)):
        pushed = body([0.8, 0.8, 0.8]) | {"angular_velocity": [0, 0, 0], "forces": [force | ({"at": at} if at else {})]}
        found = run({"b": pushed}, duration=STEP, step=STEP)["b"].world.angular_velocity[-1]
        expected = STEP * np.cross(-COM, force["force"]) / 0.8 if turning else np.zeros(3)
        # One step from rest: the lever turns by some alpha STEP^2 / 2.
        assert np.abs(found - expected).max() <= 2 * STEP**2 * np.linalg.norm(expected) + EPS * STEP
