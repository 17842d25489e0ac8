"""Planar scenes: nothing leaves the plane, and in it the body moves as the free one would."""

from __future__ import annotations

import numpy as np
import pytest

import rigidsim
from rigidsim.errors import SceneError
from support.scenes import EPS, make_scene, run

NORMAL = np.array([1.0, 2.0, 2.0]) / 3


def body(**more) -> dict:
    return {
        "mass": 1,
        "inertia": {"tensor": [[1, 0.1, 0], [0.1, 1.5, 0.2], [0, 0.2, 2]]},
        "center_of_mass": [0.1, 0.2, 0.3],
        "position": [0.3, 0.1, 0],
        "angular_velocity": (2 * NORMAL).tolist(),
        "forces": [
            {"force": [1, 2, 3], "torque": [0.1, 0.2, 0.3], "frame": "body", "at": [1, 0, 0]},
            {"force": [1, 0, 0], "frame": "world"},
        ],
        **more,
    }


def test_a_tilted_plane_is_kept_under_a_moving_parent():
    parent = {"motion": {"prescribed": {"angular_velocity": (0.5 * NORMAL).tolist()}}, "position": [1, 2, 3]}
    trajectory = run(
        {"p": {**parent, "children": {"b": body()}}},
        duration=5, step=1e-3, record_every=0.01, gravity=[0, 0, -9.81], plane=[1, 2, 2],
    )  # fmt: skip
    world = trajectory["p/b"].world
    reach = np.abs(world.position).max()
    assert np.ptp(world.position @ NORMAL) <= 5000 * EPS * reach  # measured 1.2e-13 m of 71 m
    across = world.angular_velocity - np.outer(world.angular_velocity @ NORMAL, NORMAL)
    assert np.abs(across).max() <= 64 * EPS * np.abs(world.angular_velocity).max()
    energy = trajectory.total_energy
    assert np.abs(energy - energy[0]).max() <= 1e-11 * np.abs(trajectory.diagnostic("work")).max()  # measured 3e-15


def test_in_the_plane_it_is_the_spatial_motion():
    """A body whose principal axis is the normal, pushed in the plane, does not notice the lock."""
    plain = {
        "mass": 2,
        "inertia": {"principal": [1, 2, 3]},
        "velocity": [1, 2, 0],
        "angular_velocity": [0, 0, 1.5],
        "forces": [{"force": [1, 0.5, 0], "at": [0, 1, 0], "frame": "body"}],
    }
    locked, free = (
        run({"b": plain}, duration=3, step=1e-3, **plane)["b"].world for plane in ({"plane": [0, 0, 1]}, {})
    )
    assert np.allclose(locked.position, free.position, rtol=0, atol=1e-13)
    assert np.allclose(locked.orientation, free.orientation, rtol=0, atol=1e-13)


def test_gravity_and_torques_across_the_normal_are_taken_up():
    thrown = {"mass": 1, "inertia": {"principal": [1, 2, 2.5]}, "forces": [{"torque": [5, 5, 0.5]}]}
    motion = run({"b": thrown}, duration=2, step=0.01, gravity=[0, 0, -9.81], plane=[0, 0, 7])["b"].world
    assert np.abs(motion.position).max() == 0.0
    assert motion.angular_velocity[-1, :2].tolist() == [0.0, 0.0]
    assert motion.angular_velocity[-1, 2] == pytest.approx(0.5 / 2.5 * 2, rel=200 * EPS)


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"velocity": [0, 0, 1]}, "bodies.b.velocity"),
        ({"angular_velocity": [1, 0, 0]}, "bodies.b.angular_velocity"),
        (
            {"velocity": {"frame": "body", "value": [0, 1, 0]}, "orientation": {"axis": [1, 0, 0], "angle": 0.3}},
            "velocity",
        ),
    ],
)
def test_what_would_leave_the_plane_is_an_error(change, place):
    with pytest.raises(SceneError) as error:
        make_scene(
            {"b": {"mass": 1, "inertia": {"principal": [1, 1, 1]}, **change}}, duration=1, step=1, plane=[0, 0, 1]
        )
    assert place in str(error.value)
    assert "plane" in str(error.value)


def test_a_prescribed_parent_that_leaves_the_plane_is_an_error():
    parent = {"motion": {"prescribed": {"angular_velocity": [0, 1, 0], "acceleration": [0, 0, 1]}}}
    with pytest.raises(SceneError) as error:
        make_scene({"p": parent}, duration=1, step=1, plane=[0, 0, 1])
    assert {problem.path for problem in error.value.problems} == {
        "bodies.p.motion.prescribed.angular_velocity",
        "bodies.p.motion.prescribed.acceleration",
    }


def test_the_plane_survives_resolving():
    scene = make_scene({"b": body(angular_velocity=[0, 0, 0], forces=[])}, duration=1, step=1, plane=[1, 2, 2])
    assert rigidsim.Scene.from_dict(scene.resolved()).world.normal == scene.world.normal


def test_a_step_too_long_for_the_spin_is_reported():
    spinning = {"mass": 1, "inertia": {"principal": [1, 1, 1]}, "angular_velocity": [0, 0, 20]}
    scene = make_scene({"b": spinning}, duration=1, step=0.1)
    assert scene.warnings == ("bodies.b: it rotates by 115 degrees per step of 0.1 s; use at most 0.005 s",)
    assert make_scene({"b": spinning}, duration=1, step=0.01).warnings == ()
