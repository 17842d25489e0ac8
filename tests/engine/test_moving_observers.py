"""The four inertial terms as closed-form motions seen in a moving frame (reference cases 4.3)."""

from __future__ import annotations

import math

import numpy as np
import pytest

import rigidsim
from rigidsim.physics.quaternion import exp_full
from scenes import EPS, angle_between, axis_angle, make_scene, run, slopes

PARTICLE = {"mass": 1.0, "inertia": "point"}
STEP = 1e-3
PUBLISHED = 5e-11  # ten digits after the point are published


def observed(motion: dict, particle: dict, **how):
    """A particle in a frame of prescribed motion: its history, and its motion relative to that frame."""
    frame = {"motion": {"prescribed": motion}, "children": {"particle": PARTICLE | particle}}
    trajectory = run({"frame": frame}, **how)
    return trajectory, trajectory["frame/particle"].local


def at_rest_in_the_world() -> dict:
    return {"velocity": {"relative_to": "world", "value": [0, 0, 0]}}


def test_a_particle_at_rest_runs_in_circles_seen_from_a_turning_frame():
    """Coriolis 2 Omega^2 r inwards, centrifugal Omega^2 r outwards."""
    spin, radius = 1.5, 2.0
    start = {"position": [radius, 0, 0.3], **at_rest_in_the_world()}
    how = {"duration": 4, "record_every": 0.1}
    trajectory, seen = observed({"angular_velocity": [0, 0, spin]}, start, step=STEP, **how)
    angle = -spin * trajectory.time
    circle = np.stack([radius * np.cos(angle), radius * np.sin(angle), 0 * angle + 0.3], axis=-1)
    tangent = -spin * np.stack([-circle[:, 1], circle[:, 0], 0 * angle], axis=-1)
    # The method's error on a circle is 1/120 of the fourth power of the angle a step, times the angle in all.
    bound = 2 / 120 * radius * (spin * STEP) ** 4 * spin * 4
    # Measured: 5.1e-13, 7.7e-13, 5.3e-13.
    assert np.abs(seen.position - circle).max() <= bound
    assert np.abs(seen.velocity - tangent).max() <= spin * bound
    assert np.abs(trajectory["frame/particle"].world.position - [radius, 0, 0.3]).max() <= bound


def test_it_is_of_fourth_order():
    start, steps, errors = {"position": [1, 0, 0], **at_rest_in_the_world()}, (0.1, 0.05, 0.025), []
    for h in steps:
        _, seen = observed({"angular_velocity": [0, 0, 1]}, start, duration=2, step=h)
        errors.append(np.linalg.norm(seen.position[-1] - (math.cos(2), -math.sin(2), 0)))
    assert np.all(np.abs(slopes(steps, errors) - 4.0) <= 0.1)  # measured: 3.9999, 4.0000


def test_the_recorded_terms_are_the_ones_of_the_closed_form():
    spin, radius = 1.5, 2.0
    start = PARTICLE | {"position": [radius, 0, 0], **at_rest_in_the_world()}
    frame = {"motion": {"prescribed": {"angular_velocity": [0, 0, spin]}}, "children": {"particle": start}}
    scene = make_scene({"frame": frame}, duration=STEP, step=STEP)
    terms = rigidsim.simulate(scene, terms=True).arrays
    inwards = spin * spin * radius
    for name, along_x in {"coriolis": -2 * inwards, "centrifugal": inwards, "acceleration": -inwards}.items():
        assert np.abs(terms[f"terms/{name}"][0, 1] - [along_x, 0, 0]).max() <= 4 * EPS * inwards, name
    for name in ("applied", "gravity", "linear", "euler"):
        assert not terms[f"terms/{name}"][0, 1].any(), name


def test_released_at_rest_in_a_turning_frame_it_draws_the_involute():
    trajectory, seen = observed(
        {"angular_velocity": [0, 0, 1]}, {"position": [1, 0, 0]}, duration=2, step=STEP, record_every=1
    )
    published = [[1, 0, 0], [1.3817732907, -0.3011686789, 0], [1.4024480171, -1.7415910999, 0]]
    assert np.abs(seen.position - published).max() <= PUBLISHED
    t = trajectory.time
    # In the world it flies on along the tangent.
    straight = np.stack([np.ones(3), t, 0 * t], axis=-1)
    assert np.abs(trajectory["frame/particle"].world.position - straight).max() <= 0.2 * STEP**4  # measured: 7e-14


def test_a_frame_that_spins_up_shows_the_euler_term():
    motion = {"angular_acceleration": [0, 0, 0.4]}
    _, seen = observed(motion, {"position": [1, 0, 0], **at_rest_in_the_world()}, duration=2, step=STEP)
    assert np.abs(seen.position[-1] - (0.6967067093, -0.7173560909, 0)).max() <= PUBLISHED
    assert np.abs(seen.velocity[-1] - (-0.5738848727, -0.5573653675, 0)).max() <= PUBLISHED


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


def test_a_scaled_frame_shows_the_same_in_its_own_units():
    """Half a metre a unit: every length seen is doubled, every angle the same."""
    for scale in (1.0, 0.5):
        start = {"position": [1 / scale, 0, 0]}
        frame = {
            "motion": {"prescribed": {"angular_velocity": [0, 0, 1]}},
            "scale": scale,
            "children": {"particle": PARTICLE | start},
        }
        trajectory = run({"frame": frame}, duration=2, step=STEP)
        seen = trajectory["frame/particle"].local.position[-1]
        assert np.abs(scale * seen - (1.4024480171, -1.7415910999, 0)).max() <= PUBLISHED
        assert np.abs(trajectory["frame/particle"].world.position[-1] - (1, 2, 0)).max() <= 0.2 * STEP**4


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
