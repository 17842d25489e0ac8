"""Trajectories compared with the oracle of their scene."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import rigidsim
from rigidsim.analysis.oracles import closed_forms, errors, reference
from rigidsim.cli.examples import shipped_scenes
from rigidsim.errors import UsageError
from rigidsim.trajectory.header import texts_of

WITHOUT = {
    "andrews_squeezer",
    "car_over_hills",
    "cart_pole",
    "chain_of_links",
    "crane_on_ship",
    "flyball_governor",
    "free_swing",
    "hopper",
    "kapitza_pendulum",
    "marbles_in_drum",
    "measured_swing",
    "ragdoll",
    "reacher",
    "rod_off_a_table",
    "spheres_in_a_box",
    "wheel_satellite",
}
"""The shipped scenes without a closed form."""
METHOD = 1e-9
"""The error in a frame that turns by z = 0.01 rad a step for T = 1 rad: z^4 (1/24 + T/120) = 5e-10."""
SHIPPED = sorted(set(shipped_scenes()) - WITHOUT)


@pytest.mark.parametrize("name", SHIPPED)
def test_each_shipped_scene_is_as_its_oracle_says(name, run):
    found = errors(run(name))
    assert found
    for each in found:
        assert each.tolerance is not None and each.error <= each.tolerance, each
        assert not each.exceeds and not each.remark


def test_all_shipped_scenes_with_a_closed_form_have_an_oracle():
    assert all(rigidsim.Scene.from_file(shipped_scenes()[name]).oracle for name in SHIPPED)
    assert not any(rigidsim.Scene.from_file(shipped_scenes()[name]).oracle for name in WITHOUT)


def scene(oracle: dict, **simulation) -> rigidsim.Scene:
    """A ball that flies straight, seen from a table that turns at 1 rad/s, for a second; and one that spins."""
    spun = {"mass": 2, "inertia": {"principal": [1, 1, 1]}, "angular_velocity": [0, 0, 2]}
    ball = {"mass": 1, "inertia": "point", "position": [1, 0, 0], "velocity": [0, 0, 0]}
    table = {"motion": {"prescribed": {"angular_velocity": [0, 0, 1]}}, "children": {"ball": ball}}
    return rigidsim.Scene.from_dict(
        {
            "format": "rigidsim/1",
            "parameters": {"v": 1},
            "simulation": {"duration": 1, "step": 0.01, **simulation},
            "bodies": {"table": table, "top": spun},
            "oracle": oracle,
        }
    )


def errors_of(oracle: dict, **simulation) -> dict:
    return {each.name: each for each in errors(rigidsim.simulate(scene(oracle, **simulation)))}


def test_the_error_is_the_length_of_the_largest_difference_and_its_time():
    found = errors_of(
        {
            "ball.position": [1, "= v*t", 0],
            "ball.velocity": ["= 3*t", "= 1 + 4*t", None],
            "ball.speed": {"value": "= 1 + t*(1 - t)", "tolerance": 0.2},
            "ball.position.norm": "= sqrt(1 + t^2)",
        }
    )
    assert found["ball.position"].error <= METHOD
    assert found["ball.velocity"].error == pytest.approx(5.0, abs=METHOD) and found["ball.velocity"].time == 1.0
    speed = found["ball.speed"]
    assert (speed.error, speed.time) == (pytest.approx(0.25, abs=METHOD), 0.5)
    assert speed.unit == "m/s" and speed.exceeds
    assert found["ball.position.norm"].error <= METHOD


def test_orientations_have_two_signs_and_angles_a_turn():
    found = errors_of(
        {
            "top.orientation": ["= -cos(t)", 0, 0, "= -sin(t)"],
            "top.orientation.z": "= -sin(t)",
            "top.angles": [0, 0, "= 2*t - 4*pi"],
            "top.axis_x": ["= cos(2*t)", "= sin(2*t)", 0],
        }
    )
    assert max(each.error for each in found.values()) <= 1e-8  # z = 0.02 rad a step: z^4/120 T = 3e-9 rad


def test_it_holds_before_a_time_and_where_it_is_a_number():
    oracle = {
        "ball.position.y": {"value": "= if(t < 0.5, t, 7)", "until": 0.5},
        "ball.position.x": {"value": 1, "until": 0},
        "ball.speed": "= 1 + 0*sqrt(0.25 - t)",
        "work": {"value": "= log(-1 - t)"},
    }
    found = errors_of(oracle)
    assert found["ball.position.y"].error <= METHOD
    assert found["ball.speed"].error <= METHOD and found["ball.speed"].time <= 0.25
    for name in ("ball.position.x", "work"):
        assert found[name].error is None and found[name].time is None and "no sample" in found[name].remark


def test_what_was_not_recorded_is_not_compared():
    found = errors_of({"ball.position": [1, "= t", 0], "kinetic_energy": 1}, record=["world/position"])
    assert found["ball.position"].error <= METHOD
    assert found["kinetic_energy"].error is None and "not recorded" in found["kinetic_energy"].remark


def test_the_reference_under_any_name_of_the_quantity():
    history = rigidsim.simulate(scene({"ball.position": {"value": ["= t", None, 2], "until": 3}, "top.speed": 4}))
    time = np.array([0.0, 2.0, 3.0])
    assert np.array_equal(
        reference(history, "table/ball.world.position", time),
        [[0, math.nan, 2], [2, math.nan, 2], [math.nan] * 3],
        True,
    )
    assert np.array_equal(reference(history, "ball.position.x@world", time), [0, 2, math.nan], True)
    assert np.array_equal(reference(history, "top.speed", time), [4, 4, 4])
    assert reference(history, "ball.position@parent", time) is None
    assert reference(history, "ball.velocity", time) is None
    with pytest.raises(UsageError, match="there is no quantity 'sped'"):
        reference(history, "ball.sped", time)


def test_the_reference_of_components_that_are_given_one_by_one():
    oracle = {"ball.velocity.x": 3, "ball.velocity.y": "= 4*t", "ball.velocity.z": 0, "ball.position.y": 1}
    history, time = rigidsim.simulate(scene(oracle)), np.array([1.0])
    assert np.array_equal(reference(history, "ball.velocity", time), [[3, 4, 0]])
    assert np.array_equal(reference(history, "ball.velocity.norm", time), [5])
    assert np.array_equal(reference(history, "ball.position", time), [[math.nan, 1, math.nan]], True)
    assert reference(history, "ball.position.norm", time) is None


def test_long_trajectories_are_read_in_windows_of_the_same_result(monkeypatch):
    history = rigidsim.simulate(scene({"ball.velocity": ["= 3*t", "= 1 + 4*t^2", None], "top.angles.yaw": "= t"}))
    whole = errors(history)
    monkeypatch.setattr("rigidsim.trajectory.windows.WINDOW_BYTES", 600.0)
    assert errors(history) == whole


def test_the_run_does_not_know_of_the_oracle():
    """The same samples, kernels and content hash as without one."""
    plain, compared = rigidsim.simulate(scene({})), rigidsim.simulate(scene({"ball.speed": "= sn(t, 0.5)"}))
    assert plain.content_hash == compared.content_hash
    assert errors(plain) == [] and closed_forms(plain.header) == {}
    assert closed_forms(replace(plain.header, texts=texts_of("", ""))) == {}


def test_an_oracle_is_read_with_columns_of_numbers():
    """In a sweep; and each run has the oracle of its own values."""
    varied = scene(
        {"ball.position": ["= v", "= v*t", 0], "top.speed": {"value": 0, "until": "= v", "tolerance": "= v"}}
    )
    with rigidsim.sweep(varied, vary={"v": [1, 2, 3, 4, 5], "bodies.top.mass": [1, 2]}, record="0.5") as sweep:
        assert set(sweep.runs["status"]) == {"complete"}
        found = errors(sweep[4])
    assert found[0].error == pytest.approx(math.hypot(2, 2)) and found[1].tolerance == 3.0
