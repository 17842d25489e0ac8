"""Uncertain numbers of a scene: what is read, the standard deviations that follow, samples, and what is refused."""

from __future__ import annotations

import json

import numpy as np
import pytest
import yaml
from click.testing import CliRunner

import rigidsim
from rigidsim.analysis.quantities import named
from rigidsim.cli import cli
from rigidsim.errors import SceneError
from rigidsim.report.metrics import metric_sigmas
from rigidsim.scene import Scene, json_schema
from rigidsim.sensitivities.spread import band_of

THROWN = """
format: rigidsim/1
parameters: {g: 9.81 +- 0.02 m/s^2, v: {uniform: [9, 11]}}
simulation: {duration: 1, step: 0.01}
world: {gravity: [0, "= -g", 0]}
bodies:
  ball: {mass: 2.0 +- 0.1 kg, inertia: point, velocity: ["= v", 5 m/s +- 2 %, 0]}
metrics: {far: "= final(x('ball'))", low: "= final(y('ball'))"}
sweep: {sample: "random:100"}
"""
SIGMAS = {"g": 0.02, "v": 2.0 / np.sqrt(12.0), "bodies.ball.mass": 0.1, "bodies.ball.velocity[1]": 0.1}
STOPPED = """
format: rigidsim/1
parameters: {inertia: 0.012 +- 0.1 %, stiffness: 0.8 +- 0.1 %, start: 70 deg +- 0.1 %, bounce: 0.6 +- 0.1 %}
simulation: {duration: 2, step: 5e-3, record_every: 0.01}
world: {gravity: [0, -9.81, 0]}
bodies:
  rod:
    mass: 0.5
    center_of_mass: [0, -0.15, 0]
    inertia: {principal: ["= inertia", 1e-4, "= inertia"]}
    motion:
      hinge:
        axis: [0, 0, 1]
        angle: "= start"
        limits: [-0.4, 3]
        restitution: "= bounce"
        spring: {stiffness: "= stiffness"}
metrics: {end: "= final('rod.angle')", fast: "= max(abs('rod.rate'))", mean: "= mean('rod.angle')"}
"""
FAR, LOW = SIGMAS["v"], np.hypot(0.5 * SIGMAS["g"], SIGMAS["bodies.ball.velocity[1]"])  # after 1 s


def scene(**changes) -> Scene:
    return Scene.from_text(THROWN, overrides=[*changes.items()])


def test_a_scene_has_the_means_and_the_distributions():
    read = scene()
    assert read.bodies["ball"].mass == 2.0 and read.parameters["v"].value == 10.0
    assert {name: str(one) for name, one in read.uncertain.items()} == {
        "g": "normal(9.81 m/s^2, 0.02 m/s^2)",
        "v": "uniform(9, 11)",
        "bodies.ball.mass": "normal(2 kg, 0.1 kg)",
        "bodies.ball.velocity[1]": "normal(5 m/s, 0.1 m/s)",
    }
    assert [*read.sweep.over] == [*SIGMAS]
    plain = THROWN.replace("9.81 +- 0.02 m/s^2", "9.81 m/s^2").replace("{uniform: [9, 11]}", "10")
    plain = plain.replace("2.0 +- 0.1 kg", "2 kg").replace("5 m/s +- 2 %", "5 m/s").split("sweep")[0]
    assert read.resolved()["bodies"] == Scene.from_text(plain).resolved()["bodies"]


@pytest.mark.parametrize("text", ["3.0 ± 0.2 kg", "3 kg +- 200 g", "3000 g +- 200 g", "3 kg +/- 0.2", "3 +- 0.2"])
def test_ways_to_write_one(text):
    read = scene(**{"bodies.ball.mass": text})
    one = read.uncertain["bodies.ball.mass"]
    mean, sigma = np.array(one.arguments) * (1e-3 if one.unit == "g" else 1.0)
    assert read.bodies["ball"].mass == pytest.approx(3.0) and (mean, sigma) == pytest.approx((3.0, 0.2))


def test_a_value_from_outside_is_exact_or_uncertain_as_it_is_written():
    assert "v" not in scene(v=9).uncertain and scene(v=9).parameters["v"].value == 9.0
    assert str(scene(v="9 +- 1").uncertain["v"]) == "normal(9, 1)"
    assert str(scene(v={"uniform": ["9 m/s", "10 m/s"]}).uncertain["v"]) == "uniform(9 m/s, 10 m/s)"
    assert str(scene(v={"uniform": [9, 10], "unit": "km/h"}).uncertain["v"]) == "uniform(9 km/h, 10 km/h)"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("2 +- 0 kg", "a standard deviation must be greater than zero, got 0 kg"),
        ("2 +- -1", "a standard deviation must be greater than zero, got -1"),
        ("2 m +- 1 kg", "'kg' is a unit of mass, but 'm' is one of length"),
        ("2 m +- 1", "'m' is a unit of length, but mass"),
        ("2 +-", "there is no standard deviation in 2 \\+-; write mass: 2.0 \\+- 0.1 kg"),
        ("2 +- much", "expected a number, got the text 'much'"),
        ({"uniform": [1]}, "expected two ends, \\[low, high\\]"),
        ({"uniform": [2, 1]}, "needs low < high"),
        ({"uniform": ["1 kg", 2], "unit": "kg"}, "the ends beside the key unit are numbers"),
        ({"uniform": [1, 2], "unit": "m"}, "'m' is a unit of length"),
        ({"uniform": ["1 kg", "2 m"]}, "'m' is a unit of length"),
        ({"uniform": 1}, "expected a number \\(mass, kg\\)"),
    ],
)
def test_bad_ones_are_one_located_error(text, message):
    with pytest.raises(SceneError, match=message) as caught:
        scene(**{"bodies.ball.mass": text})
    (problem,) = caught.value.problems
    assert problem.path == "bodies.ball.mass"
    with pytest.raises(SceneError) as caught:
        Scene.from_text(THROWN.replace("mass: 2.0 +- 0.1 kg", "mass: " + json.dumps(text)))
    assert caught.value.problems[0].line == 7


def test_the_schema_for_editors_has_them():
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.validate(yaml.safe_load(THROWN), json_schema())


def test_a_run_has_standard_deviations(tmp_path):
    """Of free flight all is linear in these numbers, but for products: the errors are exact to rounding."""
    (tmp_path / "thrown.yaml").write_text(THROWN)
    path = tmp_path / "thrown.h5"

    def run(*arguments):
        found = CliRunner().invoke(cli, [*map(str, arguments), "--json"], obj={"debug": False})
        assert found.exit_code == 0, found.output
        return json.loads(found.stdout)

    report = run("run", tmp_path / "thrown.yaml", "-o", path)
    assert report["standard_deviations"] == pytest.approx({"far": FAR, "low": LOW}, rel=1e-12)
    assert [*run("validate", tmp_path / "thrown.yaml")["uncertain"]] == [*SIGMAS]
    longer = run("run", tmp_path / "thrown.yaml", "-o", path, "--extend", "1")
    assert "standard_deviations" not in longer
    (told,) = [one for one in longer["warnings"] if "standard deviations" in one]
    assert told.startswith("a run that is extended has no derivatives")
    run("run", tmp_path / "thrown.yaml", "-o", path, "--force")
    table = run("sensitivities", tmp_path / "thrown.yaml")
    assert table["spreads"] == pytest.approx(SIGMAS) and table["standard_deviations"]["low"] == pytest.approx(LOW)
    with rigidsim.load(path) as trajectory:
        assert trajectory.parameters == tuple(SIGMAS)
        assert {name: trajectory.derivative(name).sigma for name in SIGMAS} == pytest.approx(SIGMAS)
        band = band_of(trajectory, named(trajectory, "ball.position[cm]"))
        assert band[-1] == pytest.approx([100.0 * FAR, 100.0 * LOW, 0.0], rel=1e-9)
        energy = band_of(trajectory, named(trajectory, "kinetic_energy"))[0, 0]
        assert energy == pytest.approx(np.linalg.norm([62.5 * 0.1, 20.0 * FAR, 10.0 * 0.1]), rel=1e-9)


@pytest.mark.slow  # 10 000 runs
def test_standard_deviations_beside_random_runs():
    """Through a rebound from a stop. The standard deviation of n runs has an error of its own, one of sqrt(2 n).
    Measured: off by 0.3, 0.5 and 1.1 of these, which is 0.2, 0.4 and 0.8 %.
    """
    swing = Scene.from_text(STOPPED)
    run = rigidsim.simulate(swing, derivatives=[*swing.uncertain])
    sigmas = metric_sigmas({name: run.derivative(name) for name in run.parameters})
    sample = rigidsim.sweep(swing, sample="random:10000")  # of the uncertain numbers
    for name, sigma in sigmas.items():
        assert sigma == pytest.approx(np.std(np.asarray(sample.metrics[name]), ddof=1), rel=4.0 / np.sqrt(2.0 * 10_000))
