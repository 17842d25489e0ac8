"""Motions seen in a moving frame (reference cases 4.3): exact ones, scaled ones, a body that does not turn. Circles and
involutes are in the self-test and in the oracles of the scenes, the recorded terms in `test_terms`.
"""

from __future__ import annotations

import numpy as np
import pytest

from rigidsim.physics.quaternion import exp_full
from support.scenes import EPS, angle_between, axis_angle, run

PARTICLE = {"mass": 1.0, "inertia": "point"}
STEP = 1e-3


def observed(motion: dict, particle: dict, **how):
    """A particle in a frame of prescribed motion: its history, and its motion relative to that frame."""
    frame = {"motion": {"prescribed": motion}, "children": {"particle": PARTICLE | particle}}
    trajectory = run({"frame": frame}, **how)
    return trajectory, trajectory["frame/particle"].local


@pytest.mark.parametrize("integrator", ["rkmk4", "magnus"])
def test_an_accelerating_frame_shows_the_linear_term_exactly(integrator):
    """No turning, so the acceleration is constant and the parabola comes out to round-off."""
    acceleration = np.array([0.5, -1.25, 3.0])
    start = {"position": [1, 2, 3], "velocity": [-1, 0.5, 0]}
    trajectory, seen = observed(
        {"velocity": [7, 0, 0], "acceleration": acceleration.tolist()},
        start, duration=4, step=0.01, record_every=0.1, integrator=integrator,
    )  # fmt: skip
    t = trajectory.time[:, np.newaxis]
    path = np.array([1, 2, 3]) + t * [-1, 0.5, 0] - 0.5 * t * t * acceleration
    # Measured: 18 and 24 eps of the largest coordinate after 400 steps.
    assert np.abs(seen.position - path).max() <= 64 * EPS * np.abs(path).max()
    assert np.abs(seen.velocity - ([-1, 0.5, 0] - t * acceleration)).max() <= 64 * EPS * 12


@pytest.mark.parametrize("integrator", ["rkmk4", "magnus"])
def test_a_body_fixed_in_space_turns_backwards_in_a_turning_parent(integrator):
    """Relative attitude exp(-Omega t) and rate -Omega, whatever the inertia."""
    spin = np.array([0.3, -0.6, 0.9])
    body = {
        "mass": 2.0,
        "inertia": {"principal": [0.5, 0.8, 1.1], "orientation": axis_angle((0, 1, 1), 0.5)},
        "angular_velocity": {"relative_to": "world", "value": [0, 0, 0]},
    }
    parent = {"motion": {"prescribed": {"angular_velocity": spin.tolist()}}, "children": {"b": body}}
    trajectory = run({"p": parent}, duration=5, step=0.01, record_every=0.1, integrator=integrator)
    seen = trajectory["p/b"].local
    half = -0.5 * trajectory.time[:, np.newaxis] * spin
    exact = np.stack(exp_full(tuple(half.T)), axis=-1)
    # The rotation vector of a step is constant, so both are exact but for a rounding or two in each of 500 steps.
    round_off = 2 * 500 * EPS
    # Measured: 319 eps in the angle with magnus, 14 eps in the rate.
    assert angle_between(seen.orientation, exact).max() <= round_off
    assert angle_between(trajectory["p/b"].world.orientation, np.array([1.0, 0, 0, 0])).max() <= round_off
    assert np.abs(seen.angular_velocity + spin).max() <= round_off
