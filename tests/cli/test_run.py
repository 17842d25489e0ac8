"""`rigidsim run`: options, what it prints where, and what it leaves behind."""

from __future__ import annotations

import json

import numpy as np
import pytest

import rigidsim
from spinning_brick import SAMPLES, SCENE, STEPS, remains

HUGE = """\
format: rigidsim/1
simulation: {duration: 1, step: 0.001}
bodies:
  ballast: {mass: 1, inertia: {principal: [1, 1, 1]}}
  rocket:
    mass: 1
    inertia: {principal: [1, 2, 2.5]}
    angular_velocity: [1, 2, 3]
    forces: [{force: ["= exp(1000 * t)", 0, 0]}]
"""


def test_run_writes_the_history_and_says_so(call, workplace):
    code, out, err = call("run", "scene.yaml")
    assert (code, err) == (0, "")
    assert out.startswith(f"outputs/scene.h5: complete, {SAMPLES} samples of 2 bodies, 0 to 1 s\n  {STEPS} steps in ")
    assert "energy drift" in out
    assert "angular momentum drift" in out
    assert remains(workplace) == {"scene.yaml", "outputs"}
    assert remains(workplace / "outputs") == {"scene.h5"}
    with rigidsim.load("outputs/scene.h5") as trajectory:
        assert trajectory.status == "complete"
        assert trajectory.paths == ("brick", "brick/mark")
        assert trajectory.header.scene_text == SCENE


def test_json_summary(call):
    code, out, err = call("run", "scene.yaml", "-o", "a.h5", "--json")
    reported = json.loads(out)
    assert (code, err) == (0, "")
    assert (reported["path"], reported["status"], reported["bodies"]) == ("a.h5", "complete", 2)
    assert (reported["samples"], reported["steps"], reported["simulated_seconds"]) == (SAMPLES, STEPS, 1.0)
    assert reported["drift"].keys() == {"energy", "linear momentum", "angular momentum"}
    with rigidsim.load("a.h5") as trajectory:
        assert trajectory.content_hash == reported["content_hash"]


def test_quiet_says_nothing(call):
    assert call("run", "scene.yaml", "-q", "-o", "a.h5") == (0, "", "")


@pytest.mark.parametrize(
    ("options", "key", "value"),
    [
        (["--duration", "0.5"], "duration", 0.5),
        (["--duration", "500 ms"], "duration", 0.5),
        (["--step", "5e-3"], "step", 0.005),
        (["--record-every", "0.1"], "record_every", 0.1),
        (["--integrator", "euler"], "integrator", {"name": "euler"}),
        (
            ["--integrator", "{name: magnus, terms: 4}"],
            "integrator",
            {"name": "magnus", "terms": 4, "exponential": "full"},
        ),
        (["--set", "simulation.step=0.025"], "step", 0.025),
        (["--set", "simulation.step=0.025", "--step", "0.01"], "step", 0.01),
    ],
)
def test_options_change_the_scene_that_is_run_but_not_its_text(call, options, key, value):
    assert call("run", "scene.yaml", "-o", "a.h5", *options).code == 0
    with rigidsim.load("a.h5") as trajectory:
        assert json.loads(trajectory.header.scene_resolved)["simulation"][key] == value
        assert trajectory.header.scene_text == SCENE


def test_set_reaches_into_bodies(call):
    assert call("run", "scene.yaml", "-o", "a.h5", "--set", "bodies.brick.velocity=[2, 0, 0]").code == 0
    with rigidsim.load("a.h5") as trajectory:
        assert trajectory["brick"].world.velocity[0].tolist() == [2, 0, 0]


def test_last_state_is_kept_when_the_interval_does_not_divide_the_duration(call):
    assert call("run", "scene.yaml", "-o", "a.h5", "--record-every", "0.3").code == 0
    with rigidsim.load("a.h5") as trajectory:
        # The number of the step times the step: 30 * 0.01 is not 0.3.
        assert trajectory.time.tolist() == [0.0, 30 * 0.01, 60 * 0.01, 90 * 0.01, 1.0]


def test_options_can_be_environment_variables(call, monkeypatch):
    monkeypatch.setenv("RIGIDSIM_RUN_OUTPUT", "from_environment.h5")
    monkeypatch.setenv("RIGIDSIM_RUN_STEP", "0.05")
    answer = call("run", "scene.yaml")
    assert answer.code == 0
    assert answer.out.startswith("from_environment.h5")
    assert "  20 steps in" in answer.out
    monkeypatch.setenv("RIGIDSIM_DEBUG", "1")
    assert "Traceback" in call("run", "scene.yaml").err


def test_warnings_go_to_stderr(call, workplace):
    turned = SCENE.replace("velocity: [1", "orientation: {wxyz: [1.0001, 0, 0, 0]}\n    velocity: [1", 1)
    (workplace / "turned.yaml").write_text(turned)
    code, out, err = call("run", "turned.yaml", "--json")
    assert code == 0
    json.loads(out)
    assert err == "warning: bodies.brick.orientation.wxyz: the quaternion of norm 1.0001 was normalised\n"


def test_strict_takes_warnings_as_errors(call, workplace):
    turned = SCENE.replace("velocity: [1", "orientation: {wxyz: [1.0001, 0, 0, 0]}\n    velocity: [1", 1)
    (workplace / "turned.yaml").write_text(turned)
    for command in ("run", "validate"):
        code, out, err = call(command, "turned.yaml", "--strict")
        assert (code, out) == (3, "")
        assert err == "error: bodies.brick.orientation.wxyz: the quaternion of norm 1.0001 was normalised\n"
        assert call(command, "scene.yaml", "--strict").code == 0
    assert not (workplace / "outputs" / "turned.h5").exists()
    answer = call("validate", "turned.yaml", "--strict", "--json")
    assert answer.code == 3 and json.loads(answer.out)["valid"] is False


@pytest.mark.parametrize("step", ["0.01", "1e-3"])
def test_strict_ends_before_a_run_that_would_blow_up(call, workplace, step):
    body = "{mass: 1, inertia: point, velocity: [1, 0, 0], forces: [{type: drag, linear: 290}]}"
    (workplace / "damped.yaml").write_text(
        f"format: rigidsim/1\nsimulation: {{duration: 1, step: {step}}}\nbodies: {{b: {body}}}\n"
    )
    answer = call("run", "damped.yaml", "--strict", "--quiet")  # it may compile
    if step == "0.01":
        assert (answer.code, answer.out) == (3, "")
        assert answer.err.startswith(
            "error: bodies.b.forces[0]: a step of 0.01 s is too long for the damping of this body"
        )
    else:
        assert (answer.code, answer.err) == (0, "")
    assert (workplace / "outputs" / "damped.h5").exists() == (answer.code == 0)


def test_force_replaces_a_history(call):
    call("run", "scene.yaml", "-o", "a.h5")
    assert call("run", "scene.yaml", "-o", "a.h5", "--step", "0.05", "--force").code == 0
    with rigidsim.load("a.h5") as trajectory:
        assert "0.05" in json.dumps(json.loads(trajectory.header.scene_resolved)["simulation"]["step"])


def test_terms_are_recorded_on_request(call):
    call("run", "scene.yaml", "-o", "a.h5", "--terms")
    call("run", "scene.yaml", "-o", "b.h5")
    with rigidsim.load("a.h5") as with_terms, rigidsim.load("b.h5") as without:
        assert with_terms.header.with_terms
        assert not without.header.with_terms
        assert np.array_equal(with_terms["brick"].local.orientation, without["brick"].local.orientation)


def test_blow_up_keeps_the_finite_samples(call, workplace):
    (workplace / "huge.yaml").write_text(HUGE)
    code, out, err = call("run", "huge.yaml", "-o", "huge.h5")
    assert code == 4
    assert out.startswith("huge.h5: failed, ")
    assert err.startswith("error: the motion of 'rocket' is not finite after t = ")
    assert "huge.h5 holds the" in err
    assert remains(workplace) == {"scene.yaml", "huge.yaml", "huge.h5"}
    with rigidsim.load("huge.h5") as trajectory:
        assert trajectory.status == "failed"
        assert f"after t = {trajectory.time[-1]:.9g} s" in err
        assert trajectory.content_hash == trajectory.stored_hash
        for name in trajectory.header.dataset_names:
            assert np.isfinite(trajectory.arrays[name][()]).all(), name
    assert "huge.h5: failed" in call("inspect", "huge.h5").out


def test_start_beyond_the_range_of_numbers_fails_before_a_file_is_made(call, workplace):
    answer = call("run", "scene.yaml", "-o", "a.h5", "--set", "bodies.brick.velocity=[1.0e+200, 0, 0]")
    assert answer.code == 3
    assert "bodies.brick.velocity[0]: 1e+200 m/s is beyond 1e+50 m/s" in answer.err
    assert remains(workplace) == {"scene.yaml"}
