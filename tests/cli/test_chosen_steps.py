"""What is said of a run whose integrator chooses its steps: nothing about a step that does not exist."""

from __future__ import annotations

import json

import pytest

import rigidsim
from rigidsim.report.inspect import TOLERANCES
from rigidsim.scene.schema.integrators import MODELS

CHOOSING = {name: model.refined_by for name, model in MODELS.items() if model.chooses}
# What a fixed step of 0.5 s would be far too long for: a fast wheel, a stiff spring, drag, a fast frame.
HASTY = """\
format: rigidsim/1
title: All too fast
simulation: {{duration: 2, record_every: 0.5, integrator: {{name: {name}, {key}: {value}}}}}
bodies:
  wheel: {{mass: 1, inertia: {{principal: [1, 2, 3]}}, angular_velocity: [0.01, 30, 0.01]}}
  table:
    motion: {{prescribed: {{angular_velocity: [0, 0, "= 10 + sin(9*t)"]}}}}
    children:
      chip: {{mass: 1, inertia: point, position: [1, 0, 0]}}
  stiff:
    mass: 1
    inertia: point
    position: [1, 0, 0]
    velocity: [0, 1, 0]
    forces:
      - {{type: spring, to: world, stiffness: 1.0e+3, length: 0.2}}
      - {{type: drag, linear: 20}}
"""


def written(folder, name: str, value: float) -> str:
    path = folder / f"{name}.yaml"
    path.write_text(HASTY.format(name=name, key=CHOOSING[name], value=value))
    return path.name


def test_they_are_known_by_their_options():
    assert set(CHOOSING.values()) == TOLERANCES
    assert all(name not in CHOOSING for name in ("rkmk4", "magnus", "magnus2", "euler"))


@pytest.mark.parametrize("name", CHOOSING)
def test_no_warning_names_a_step(call, workplace, name):
    scene = written(workplace, name, 1e-6)
    code, out, err = call("validate", scene)
    assert (code, err) == (0, "")
    assert out == f"{scene}: valid; 3 free, 1 prescribed; 2 s in steps that {name} chooses\n"
    assert json.loads(call("validate", scene, "--json").out)["steps"] is None
    code, out, err = call("run", scene, "-o", "a.h5", "-q")
    assert (code, err) == (0, "")
    code, out, err = call("inspect", "a.h5")
    assert (code, err) == (0, "")
    assert out.splitlines()[1].startswith(f"All too fast; {name}, {CHOOSING[name]} 1e-06")
    assert "step" not in out.replace("min_step", "")
    assert repr(rigidsim.Scene.from_file(scene)).endswith(f"2 s in steps that {name} chooses>")


@pytest.mark.parametrize("name", CHOOSING)
def test_a_drift_is_answered_by_a_smaller_tolerance(call, workplace, name):
    text = HASTY.format(name=name, key=CHOOSING[name], value=0.1).replace("linear: 20", "linear: 0.001")
    (workplace / "loose.yaml").write_text(text.replace("rtol: 0.1", "rtol: 0.1, atol: 1"))
    code, _, err = call("run", "loose.yaml", "-o", "a.h5", "-q", "--duration", "20")
    assert code == 0
    assert f"use a smaller {CHOOSING[name]}; give a max_step if a force has a pulse" in err
    assert "step of" not in err


@pytest.mark.parametrize("name", ["adaptive", pytest.param("taylor", marks=pytest.mark.slow)])
def test_a_certificate_compares_with_a_smaller_tolerance(call, workplace, name):
    lines = call("certify", written(workplace, name, 1e-6)).out.splitlines()
    assert lines[0] == f"{name}.yaml: All too fast; 2 s in steps that {name} chooses"
    assert lines[3].startswith(f"a smaller {CHOOSING[name]} ")


def test_with_contact_the_step_is_that_of_contact(call, workplace):
    floor = {"shapes": [{"type": "plane", "normal": [0, 0, 1]}]}
    box = {"density": 1000, "position": [0, 0, 1], "shapes": [{"type": "box", "size": [0.1] * 3}]}
    simulation = {"duration": 0.1, "step": 0.01, "integrator": "adaptive"}
    scene = rigidsim.Scene.from_dict(
        {"format": "rigidsim/1", "title": "Box", "simulation": simulation, "bodies": {"floor": floor, "box": box}}
    )
    rigidsim.simulate(scene).save("a.h5")
    about = call("inspect", "a.h5").out.splitlines()[1]
    assert about == "Box; adaptive, rtol 1e-09, min_step 1e-12, contact in steps of 0.01 s"


@pytest.mark.parametrize("name", CHOOSING)
def test_a_body_that_contact_spins_fast_is_warned_of_only_where_its_steps_are_not_divided(name):
    """A thin rod that meets the floor turns by more than a radian per step of contact."""
    rod = {
        "mass": 1, "inertia": {"principal": [1e-4, 1e-4, 2e-6]}, "position": [0, 0, 0.1], "velocity": [20, 0, -10],
        "shapes": [{"type": "box", "size": [0.002, 0.004, 0.2]}], "orientation": {"axis": [1, 0, 0], "angle": 0.7},
    }  # fmt: skip
    floor = {"shapes": [{"type": "plane", "normal": [0, 0, 1]}], "material": {"friction": 0.9, "restitution": 0.5}}
    warned = []
    for integrator in ("magnus", name):
        simulation = {"duration": 0.05, "step": 1e-3, "integrator": integrator}
        made = rigidsim.Simulation(rigidsim.Scene.from_dict(
            {"format": "rigidsim/1", "simulation": simulation, "bodies": {"floor": floor, "rod": rod}}
        ))  # fmt: skip
        made.step(50)
        warned.append(any("per step" in warning for warning in made.warnings))
    assert warned == [True, False]


def test_a_missing_step_is_answered_by_all_that_need_none(call, workplace):
    (workplace / "scene.yaml").write_text(HASTY.format(name="rkmk4", key="x", value=1).replace(", x: 1", ""))
    code, _, err = call("validate", "scene.yaml")
    assert code == 3
    assert "the key 'step' is missing; or integrator: adaptive or taylor" in err
