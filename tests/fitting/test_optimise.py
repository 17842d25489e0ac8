"""Optimisation: optima that are known, conditions and what they cost, and what is refused."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.optimize import brentq
from scipy.special import spherical_jn

import rigidsim
from rigidsim.cli import cli
from rigidsim.cli.examples import shipped_scenes
from rigidsim.errors import SceneError, SimulationError, UsageError
from rigidsim.fitting.optimise import Goal
from rigidsim.scene import Scene

G, V, H = 9.81, 10.0, 1.0
THROW = """
format: rigidsim/1
parameters: {angle: 30 deg, v: 10, h: 1, vx: 3, vy: 4, mass: 2, spare: 1}  # all known
simulation: {duration: 2, step: 1 ms}
world: {gravity: [0, -9.81, 0]}
bodies:
  ball: {mass: 1, inertia: point, position: [0, "= h", 0], velocity: ["= v*cos(angle)", "= v*sin(angle)", 0]}
  stone: {mass: "= mass", inertia: point, velocity: ["= vx", "= vy", 0], forces: [{force: [0, 0, 1]}]}
"""
REACH = "= v*cos(angle)*first(y('ball') < 0)"
STOP = """
format: rigidsim/1
parameters: {v: 3}
simulation: {duration: 1, step: 1 ms, record_every: 10 ms}
bodies:
  car: {mass: 1, inertia: point, motion: {slide: {axis: [1, 0, 0], rate: "= v", limits: [-9, 1], restitution: 0.5}}}
"""


def scene(text: str = THROW, **changes) -> Scene:
    return Scene.from_text(text, overrides=[*changes.items()])


def test_the_longest_throw_from_a_height():
    """tan(angle) = v / sqrt(v^2 + 2 g h). A landing is read between samples on a line: to g dt^2/8 of a height, so the
    reach to 1e-6, and the place of its maximum, where it is flat, to the root of that.
    """
    found = rigidsim.optimise(scene(), {"angle": "5:85"}, maximise=REACH)
    assert found.goal == pytest.approx(V / G * np.sqrt(V * V + 2.0 * G * H), abs=3e-6)
    assert found.values["angle"] == pytest.approx(np.arctan(V / np.sqrt(V * V + 2.0 * G * H)), abs=1e-3)
    assert found.message == "" and found.at_bounds == [] and found.goal > found.start
    again = rigidsim.simulate(scene(angle=found.overrides[0][1]))
    assert again["ball"].world.velocity[0] == pytest.approx(found.trajectory["ball"].world.velocity[0], abs=0.0)


def test_inverse_kinematics_of_an_arm():
    """Two links of 1 m and 0.8 m reach (1, 0.5) with the elbow on one side: the cosine rule."""
    hand = {"position": [0.8, 0, 0], "motion": "fixed", "mass": 0.1, "inertia": "point"}
    link = {"mass": 1, "inertia": {"principal": [0.1, 0.1, 0.1]}}
    lower = link | {"position": [1, 0, 0], "motion": {"hinge": {"axis": [0, 0, 1], "angle": "= b"}}}
    upper = link | {"motion": {"hinge": {"axis": [0, 0, 1], "angle": "= a"}}}
    arm = Scene.from_dict({
        "format": "rigidsim/1", "parameters": {"a": 0.3, "b": 0.4}, "simulation": {"duration": 1e-3, "step": 1e-3},
        "world": {"gravity": [0, -G, 0]},
        "bodies": {"upper": upper | {"children": {"lower": lower | {"children": {"hand": hand}}}}},
    })  # fmt: skip
    wanted = [f"= first({axis}('upper/lower/hand'), t >= 0) == {place}" for axis, place in (("x", 1), ("y", 0.5))]
    found = rigidsim.optimise(arm, {"a": "-3:3", "b": "0:3"}, minimise="= a^2", subject_to=wanted)
    b = np.arccos((1.25 - 1.64) / 1.6)
    a = np.arctan2(0.5, 1.0) - np.arctan2(0.8 * np.sin(b), 1.0 + 0.8 * np.cos(b))
    assert found.values == pytest.approx({"a": a, "b": b}, abs=1e-9)
    assert found.trajectory["upper/lower/hand"].world.position[0] == pytest.approx([1.0, 0.5, 0.0], abs=1e-9)


def test_the_longest_throw_under_a_ceiling():
    """At most 2 m high, 4 sqrt(H (v^2/2g - H)) far; the derivative of this is what the ceiling costs. The highest
    sample is g dt^2/8 below the top.
    """
    top = 2.0
    reach = "= v*cos(angle)*first(y('ball') < 0 and t > 0.01)"
    found = rigidsim.optimise(scene(h=0), ["angle"], maximise=reach, subject_to=["= max(y('ball')) < 2 m"])
    rest = V * V / (2.0 * G) - top
    (one,) = found.conditions
    assert found.values["angle"] == pytest.approx(np.arcsin(np.sqrt(2.0 * G * top) / V), abs=2e-6)
    assert found.goal == pytest.approx(4.0 * np.sqrt(top * rest), abs=2e-6)
    assert one.is_active and one.gain == pytest.approx(2.0 * (rest - top) / np.sqrt(top * rest), rel=0.01)


def test_the_least_speed_that_meets_an_equation():
    """The least |v| with 3 x + 4 y = 10 m after 2 s, where x = 2 vx and y = 2 vy - 2 g: v is along (3, 4)."""
    goal, equation = "= vx^2 + vy^2 + 0*final(x('stone'))", "= 3*final(x('stone')) + 4*final(y('stone')) == 10 m"
    found = rigidsim.optimise(scene(), ["vx", "vy"], minimise=goal, subject_to=[equation])
    along = (10.0 + 8.0 * G) / 50.0
    assert found.values == pytest.approx({"vx": 3.0 * along, "vy": 4.0 * along}, rel=1e-7)
    assert found.goal == pytest.approx(25.0 * along**2, rel=1e-10)
    # 25 (c + 8 g)^2/50^2 falls by 50 (c + 8 g)/50^2 per metre of c
    assert abs(found.conditions[0].gain) == pytest.approx(along, rel=1e-6)


def test_a_rebound_from_a_stop_reaches_a_place():
    """The car is at 1 - e (v - 1) after a rebound from the stop at 1 m: the slowest one that ends before 0.2 m."""
    found = rigidsim.optimise(scene(STOP), {"v": "2:9"}, minimise="= max(speed('car'))",
                              subject_to="= final(x('car')) <= 0.2")  # fmt: skip
    assert found.values["v"] == pytest.approx(2.6, rel=1e-9)
    assert found.conditions[0].gain == pytest.approx(-2.0, rel=1e-9)


def test_a_crane_moves_its_load_so_that_it_hangs_still():
    """A small swing has the amplitude of the spectrum of the trolley's velocity s^2 (1 - s)^2, j2(w T/2): none is left
    where that has its first zero. Measured: 1.2e-7 of T.
    """
    crane = Scene.from_file(shipped_scenes()["crane_trolley"], ["way=1 mm", "T=8 s"])
    load = "'trolley/load.angle'", "'trolley/load.rate'"
    goal = f"= (1e4*final({load[0]}))^2 + (1e4*final({load[1]}))^2*cable/g"
    found = rigidsim.optimise(crane, {"T": "7:10"}, minimise=goal)
    zero = brentq(lambda x: spherical_jn(2, x), 5.0, 6.5)
    assert found.values["T"] == pytest.approx(2.0 * zero * np.sqrt(5.0 / G), rel=1e-5)


def test_bounds_and_logarithms():
    """(1/mass - 1/5)^2 is least at 5; a bound is reached before."""
    goal = "= (final(v_z('stone'))/2 - 1/5)^2"
    for bounds in (None, "0.1:", "log:0.01:100"):
        found = rigidsim.optimise(scene(), {"mass": bounds}, minimise=goal)
        assert found.values["mass"] == pytest.approx(5.0, rel=1e-4) and found.at_bounds == []
    found = rigidsim.optimise(scene(), {"mass": [1, 4]}, minimise=goal)
    assert found.values == {"mass": pytest.approx(4.0, abs=1e-12)} and found.at_bounds == ["mass"]


def test_a_step_to_an_invalid_scene_is_shortened(monkeypatch):
    """From a mass that is far too large the first steps lead to negative ones."""
    tried, computed = [], Goal.tried
    monkeypatch.setattr(Goal, "tried", lambda self, x: tried.append(computed(self, x)) or tried[-1])
    found = rigidsim.optimise(scene(), ["mass"], minimise="= 4*final(z('stone'))^2 + (mass/8)^2")
    # 16/m^2 + m^2/64 is least where m^4 = 16*64
    assert found.values["mass"] == pytest.approx((16.0 * 64.0) ** 0.25, rel=1e-5) and found.message == ""
    far = rigidsim.optimise(scene(mass=1000), ["mass"], minimise="= (final(z('stone')) - 2 m)^2 + mass^2/1000")
    assert any(one is None for one in tried) and 0.0 < far.values["mass"] < 1000.0


def test_the_settings_of_a_scene(tmp_path):
    block = """metrics: {goal: "= final(x('ball'))"}
optimise:
  vary: {angle: 5:85, v: {bounds: [5, 11 m/s], scale: log}}
  maximise: "= v*cos(angle)*first(y('ball') < 0)"
  subject_to: ["= 0.1 m < max(y('ball')) <= 2 m"]
"""
    (tmp_path / "throw.yaml").write_text(THROW + block)
    read = Scene.from_file(tmp_path / "throw.yaml")
    assert Scene.from_dict(read.resolved()).optimise == read.optimise
    found = rigidsim.optimise(read)
    assert found.at_bounds == ["v"] and found.values["v"] == pytest.approx(11.0)
    assert [one.is_active for one in found.conditions] == [False, True]
    assert {"goal", "goal_", "margin_1", "margin_2"} == {*found.trajectory.metrics}


def test_the_command(tmp_path, monkeypatch):
    def call(*arguments):
        return CliRunner().invoke(cli, ["optimise", *arguments], obj={"debug": False})

    monkeypatch.chdir(tmp_path)
    (tmp_path / "throw.yaml").write_text(THROW)
    arguments = ["throw.yaml", "--vary", "angle=5:85", "--maximise", REACH]
    done = call(*arguments, "--subject-to", "= max(y('ball')) < 2.5")
    assert done.exit_code == 0, done.output
    assert "active" in done.stdout and (tmp_path / "outputs" / "throw-optimised.h5").exists()
    text = (tmp_path / "throw-optimised.yaml").read_text()
    assert "# all known" in text and "angle: 30 deg" not in text
    assert "exists" in str(call(*arguments).exception)
    data = json.loads(call(*arguments, "--force", "--json").stdout)
    assert data["converged"] and data["parameters"]["angle"]["value"] == pytest.approx(0.742, abs=2e-3)


@pytest.mark.parametrize("most", [12, 30])
def test_conditions_that_cannot_be_met(most):
    """At 85 deg the ball is highest, v^2 sin^2/2g above its start; the line search of the solver would go on."""
    settings = {"minimise": REACH, "subject_to": ["= max(y('ball')) > 1 km"], "max_runs": most}
    with pytest.raises(SimulationError, match=r"that meet = max\(y\('ball'\)\) > 1 km; the best point of") as caught:
        rigidsim.optimise(scene(**{"simulation.duration": 3}), {"angle": "5:85"}, **settings)
    tried, angle, missed = re.search(
        r"of (\d+) tried, angle = (\S+), misses it by (\S+) m$", str(caught.value)
    ).groups()
    highest = H + (V * np.sin(np.radians(85.0))) ** 2 / (2.0 * G)
    assert int(tried) <= most and float(angle) == pytest.approx(np.radians(85.0), rel=1e-5)
    assert float(missed) == pytest.approx(1000.0 - highest, abs=0.5)  # three digits


def test_a_limit_of_runs():
    """With too few runs the best point of these is the result, with a warning."""
    whole = rigidsim.optimise(scene(), {"angle": "5:85"}, maximise=REACH)
    short = rigidsim.optimise(scene(), {"angle": "5:85"}, maximise=REACH, max_runs=3)
    assert whole.runs > 3 and short.runs == 3 and "max_runs" in short.message
    assert short.start < short.goal < whole.goal


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"vary": ["angle"]}, "nothing is to be smallest or largest"),
        ({"minimise": REACH}, "vary"),
        ({"vary": ["angle"], "minimise": REACH, "maximise": REACH}, "both 'minimise' and 'maximise' are given"),
        ({"vary": ["angle"], "minimise": "final(y('ball'))"}, "which begins with '='"),
        ({"vary": ["angle"], "minimise": "= fnal(y('ball'))"}, "unknown function 'fnal'.*did you mean 'final'"),
        ({"vary": ["angle"], "minimise": "= y('ball')"}, "y"),
        ({"vary": ["angle"], "minimise": "= final(y('bal'))"}, "no body 'bal'; did you mean 'ball'"),
        ({"vary": ["angle"], "minimise": REACH, "subject_to": ["= max(y('ball'))"]}, "expected a comparison"),
        ({"vary": ["angle"], "minimise": REACH, "subject_to": ["= max(y('ball')) != 2"]}, "expected a comparison"),
        ({"vary": ["angle"], "minimise": REACH, "subject_to": ["= max(y('ball')) < 2 kg"]}, "different dimensions"),
        ({"vary": ["angle"], "minimise": REACH, "subject_to": ["= max(y('bal')) < 2"]}, r"subject_to\[0\].*'bal'"),
        ({"vary": ["angle"], "minimise": REACH, "subject_to": 3}, "subject_to"),
        ({"vary": {"angle": "5:85:3"}, "minimise": REACH}, "expected bounds, got 5:85:3"),
        ({"vary": {"angle": "85:5"}, "minimise": REACH}, "the lower bound 85 is not below the upper one"),
        (
            {"vary": {"angle": "40:85"}, "minimise": REACH},
            r"angle = 30 deg of the scene .* bounds \[40 deg, 85 deg\]",
        ),
        ({"vary": {"angle": "1 kg:9 kg"}, "minimise": REACH}, "1 kg of angle: the scene gives it in deg"),
        ({"vary": {"angle": "log:-5:85"}, "minimise": REACH}, "on both sides of 0"),
        ({"vary": ["angel"], "minimise": REACH}, "'angel' is not in the scene"),
        ({"vary": ["spare"], "minimise": REACH}, "does not change with spare"),
        ({"vary": ["simulation.duration"], "minimise": REACH}, "changes the steps or the times"),
        ({"vary": ["angle"], "minimise": "= first(y('ball') > 1 km)"}, "what it asks for does not happen"),
        ({"vary": ["angle"], "minimise": REACH, "max_runs": 0}, "optimise.max_runs"),
        ({"max_runs": 5}, "there is nothing to optimise"),
        ({}, "there is nothing to optimise"),
    ],
)
def test_bad_settings_have_one_error(settings, message):
    with pytest.raises((UsageError, SceneError, SimulationError), match=message):
        rigidsim.optimise(scene(), **settings)


def test_an_expression_among_bounds_is_located():
    text = THROW + """optimise: {vary: {angle: [1, "= spin"]}, minimise: "= final(x('ball'))"}\n"""
    with pytest.raises(SceneError, match=r"optimise\.vary\.angle\.bounds: unknown name 'spin'"):
        Scene.from_text(text)
