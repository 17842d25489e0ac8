"""Sums over many steps are right to one unit in the last place, however small each step's share is."""

from __future__ import annotations

import numpy as np
import pytest

import rigidsim
from support.scenes import make_scene, run

ASTRONOMICAL_UNIT = 1.495978707e11  # m: neighbouring doubles lie 3.1e-5 m apart
METHODS = ("rkmk4", "magnus", "magnus2", "euler")


@pytest.mark.parametrize("integrator", METHODS)
@pytest.mark.parametrize("speed", [0.01, 1 / 3])
def test_a_slow_probe_far_from_the_origin_moves(integrator, speed):
    probe = {"mass": 1, "inertia": "point", "position": [ASTRONOMICAL_UNIT, 0, 0], "velocity": [speed, 0, 0]}
    x = run({"probe": probe}, duration=20, step=1e-3, integrator=integrator)["probe"].world.position[:, 0]
    assert abs(x[-1] - x[0] - 20 * speed) <= np.spacing(ASTRONOMICAL_UNIT)


@pytest.mark.parametrize("integrator", METHODS)
def test_a_weak_thrust_changes_a_great_velocity(integrator):
    """1e-12 m/s a step, where doubles lie 3.6e-12 m/s apart."""
    probe = {"mass": 1000, "inertia": "point", "velocity": [3e4, 0, 0], "forces": [{"force": [1e-6, 0, 0]}]}
    v = run({"probe": probe}, duration=20, step=1e-3, integrator=integrator)["probe"].world.velocity[:, 0]
    assert abs(v[-1] - v[0] - 2e-8) <= np.spacing(3e4)


def test_a_weak_torque_changes_a_great_rate():
    """2e-15 rad/s a step about the axis of a top, where doubles lie 1.4e-14 rad/s apart."""
    top = {"mass": 1, "inertia": {"principal": [1, 1, 1]}, "angular_velocity": [0, 0, 100]}
    top["forces"] = [{"torque": [0, 0, 2e-12], "frame": "body"}]
    trajectory = run({"top": top}, duration=20, step=1e-3)
    omega = np.linalg.norm(trajectory["top"].world.angular_velocity, axis=-1)
    assert abs(omega[-1] - omega[0] - 4e-11) <= 2 * np.spacing(100.0)


def test_little_work_is_added_to_much():
    """After 5e11 J at once, 1e-5 J a step: doubles lie 6.1e-5 J apart."""
    ball = {"mass": 1, "inertia": "point", "forces": [{"force": [1e-8, 0, 0]}]}
    ball["impulses"] = [{"time": 0, "impulse": [1e6, 0, 0]}]
    work = run({"ball": ball}, duration=20, step=1e-3).diagnostic("work")
    assert abs(work[-1] - 5e11 - 1e-8 * 1e6 * 20) <= np.spacing(5e11)


def test_a_frame_whose_velocity_is_an_expression_moves_as_far():
    frame = {"position": [ASTRONOMICAL_UNIT, 0, 0], "motion": {"prescribed": {"velocity": ["= 0.01 + 0*t", 0, 0]}}}
    frame["children"] = {"ball": {"mass": 1, "inertia": "point"}}
    trajectory = run({"frame": frame}, duration=20, step=1e-3)
    for path in ("frame", "frame/ball"):
        x = trajectory[path].world.position[:, 0]
        assert abs(x[-1] - x[0] - 0.2) <= np.spacing(ASTRONOMICAL_UNIT), path


def probe_bits(events: dict, **how) -> np.ndarray:
    probe = {"mass": 1, "inertia": "point", "position": [ASTRONOMICAL_UNIT, 0, 0], "velocity": [0.01, 0, 0]}
    other = {"mass": 1, "inertia": "point", "position": [1, 0, 0], **events.get("other", {})}
    scene = make_scene({"probe": probe, "rack": {}, "other": other}, duration=2, step=1e-3, record_every=0.1)
    made = scene.resolved() | {key: value for key, value in events.items() if key != "other"}
    made = rigidsim.Scene.from_dict(made)
    if how.get("lanes"):
        return rigidsim.simulate([made] * 3)[1]["probe"].world.position
    return rigidsim.simulate(made)["probe"].world.position


def test_what_sums_have_left_over_survives_events_slices_and_lanes():
    """A body that an event does not touch keeps its bits, though each step adds a third of its last place."""
    undisturbed = probe_bits({})
    assert np.ptp(undisturbed[:, 0]) > 0
    for events in (
        {"other": {"impulses": [{"time": 1.0005, "impulse": [1, 0, 0]}]}},
        {"reparent": [{"body": "other", "to": "rack", "time": 1.0}]},
    ):
        times = slice(None) if "reparent" in events else slice(0, 11)  # a step that is split is rounded elsewhere
        assert np.array_equal(probe_bits(events)[times], undisturbed[times])
    assert np.array_equal(probe_bits({}, lanes=True), undisturbed)
    scene = make_scene(
        {"probe": {"mass": 1, "inertia": "point", "position": [ASTRONOMICAL_UNIT, 0, 0], "velocity": [0.01, 0, 0]}},
        duration=2, step=1e-3,
    )  # fmt: skip
    simulation = rigidsim.Simulation(scene)
    for n in (1, 7, 400, 1592):
        simulation.step(n)
    assert np.array_equal(simulation.state["probe"].world.position, undisturbed[-1])
