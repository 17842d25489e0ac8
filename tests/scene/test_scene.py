"""The class Scene: where it is read from, what it gives back, overrides and the JSON Schema."""

from __future__ import annotations

import copy

import jsonschema
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rigidsim.errors import SceneError, UsageError
from rigidsim.scene import Scene, json_schema

TEXT = """\
format: rigidsim/1
title: "1e3"
simulation: {duration: 10, step: 1e-3, integrator: {name: magnus, terms: 3}, record_every: "10 ms"}
world: {gravity: [0, 0, -9.81]}
bodies:
  tank:
    mass: 42 t
    inertia: {principal: [61000, 190000, 220000], orientation: {euler: [1 deg, 2 deg, 3 deg], order: zyx}}
    center_of_mass: [0.1, 0.2, 0.3]
    orientation: {axis: [1, 2, 3], angle: 90 deg}
    velocity: {frame: body, relative_to: world, value: [18 km/h, 0, 0]}
    angular_velocity: [0, 0, 5 rpm]
    scale: 0.5
    gravity: false
    forces:
      - {force: [2.0e4, 0, 0], at: [-2, 0, 0], frame: body}
      - {type: constant, torque: [0, 0, 1 kN*m], during: [0, 2]}
    children:
      turret:
        motion: {prescribed: {angular_velocity: [0, 0, 0.5], acceleration: {frame: body, value: [1, 0, 0]}}}
        children:
          shell: {mass: 20, inertia: {tensor: [[1, 0.1, 0], [0.1, 1, 0], [0, 0, 1]], about: origin}}
          tip: {position: [1, 0, 0]}
      hull: {mass: 3, inertia: point, motion: fixed, position: [1, 2, 3]}
  no.1: {motion: {prescribed: {}}, orientation: {xyzw: [0, 0, 0, 1]}}
  moon: {mass: 1, inertia: point}
"""
NUMBERS = st.floats(-1e6, 1e6)
VECTORS = st.tuples(NUMBERS, NUMBERS, NUMBERS)


@pytest.fixture
def scene():
    return Scene.from_text(TEXT, "tank.yaml")


def test_walk_is_depth_first_in_file_order(scene):
    assert [(path, parent) for path, _, parent in scene.walk()] == [
        ("tank", None),
        ("tank/turret", "tank"),
        ("tank/turret/shell", "tank/turret"),
        ("tank/turret/tip", "tank/turret"),
        ("tank/hull", "tank"),
        ("no.1", None),
        ("moon", None),
    ]


def test_resolved_reads_back_as_an_equal_scene(scene):
    again = Scene.from_dict(scene.resolved())
    assert Scene.from_text(again.source) == scene == again
    assert scene != "tank"


@given(VECTORS, VECTORS, st.floats(-7, 7), st.floats(1e-3, 1e3))
def test_resolved_keeps_every_bit(position, axis, angle, mass):
    body = {"mass": mass, "inertia": {"principal": [2, 3, 4]}, "position": position}
    if any(axis):
        turn = {"axis": axis, "angle": angle}
        body |= {"orientation": turn, "inertia": {"principal": [2, 3, 4], "orientation": turn}}
    scene = {"format": "rigidsim/1", "simulation": {"duration": 1, "step": 1}, "bodies": {"b": body}}
    first = Scene.from_dict(scene)
    for again in (Scene.from_dict(first.resolved()), Scene.from_text(Scene.from_dict(first.resolved()).source)):
        assert again.bodies["b"].orientation == first.bodies["b"].orientation
        assert again.bodies["b"].inertia == first.bodies["b"].inertia
        assert again == first


def test_file_text_and_dict_agree(tmp_path, scene):
    path = tmp_path / "tank.yaml"
    path.write_text(TEXT)
    from_file = Scene.from_file(path)
    assert from_file == scene
    assert (from_file.name, from_file.source, scene.name) == ("tank.yaml", TEXT, "tank.yaml")


def test_problems_of_a_file_name_it(tmp_path):
    path = tmp_path / "bad.yaml"
    path.write_text("format: rigidsim/1\nbodies: [")
    with pytest.raises(SceneError, match=rf"{path}:2:10: error\[syntax\]"):
        Scene.from_file(path)


def test_dict_may_hold_numpy_and_tuples(minimal):
    minimal["bodies"]["brick"] |= {"position": np.array([1.0, 2.0, 3.0]), "velocity": (np.float64(1), 2, np.int64(3))}
    minimal["title"] = "1e3"
    scene = Scene.from_dict(minimal)
    assert scene.bodies["brick"].velocity.value == (1, 2, 3)
    assert "1e3" in scene.source
    assert Scene.from_text(scene.source) == scene


@pytest.mark.parametrize(
    ("change", "code"),
    [({1: 2}, "key"), ({"title": object()}, "type"), ({"title": 10**5000}, "not-text")],
)
def test_dict_with_what_no_file_can_hold(minimal, problem, change, code):
    assert problem(minimal | change).code == code


def test_endless_dict_is_refused(minimal, problem):
    minimal["bodies"]["brick"]["children"] = minimal["bodies"]
    assert problem(minimal).code == "depth"


def test_scene_is_frozen(scene):
    with pytest.raises(ValueError, match="frozen"):
        scene.title = "other"


@pytest.mark.parametrize(
    ("override", "value"),
    [
        ("world.gravity=[0, 0, -1]", lambda scene: scene.world.gravity == (0, 0, -1)),
        ("world.mutual_gravity.softening=2", lambda scene: scene.world.mutual_gravity.softening == 2),
        ("simulation.integrator.name=euler", lambda scene: scene.simulation.integrator.name == "euler"),
        ("bodies.brick.velocity.value=[1, 0, 0]", lambda scene: scene.bodies["brick"].velocity.value == (1, 0, 0)),
        ("bodies.brick.children.b={}", lambda scene: "b" in scene.bodies["brick"].children),
        ("parameters={m: 3}", lambda scene: scene.parameters["m"].value == 3),
    ],
)
def test_overrides_make_the_mappings_that_a_scene_may_have(minimal, override, value):
    before = copy.deepcopy(minimal)
    assert value(Scene.from_dict(minimal, overrides=[override]))
    assert minimal == before


@pytest.mark.parametrize(
    ("override", "words"),
    [
        (
            "bodies.brick.velocity[0]=1",
            "there is no 'velocity'; set the whole value: --set bodies.brick.velocity=\"[0, 0, 0]\"",
        ),
        ("bodies.brick.position.0=1", 'set the whole value: --set bodies.brick.position="[0, 0, 0]"'),
        ("bodies.brick.forces[0].at=1", 'set the whole value: --set bodies.brick.forces="[...]"'),
        ("bodies.brick.velocty[0]=1", "there is no 'velocty'; did you mean 'velocity'?"),
        ("wrld.gravity=[0, 0, 1]", "there is no 'wrld'; did you mean 'world'?"),
        ("bodies.brik.mass=1", "there is no 'brik'; did you mean 'brick'?"),
        ("bodies.brick.children.b.mass=1", "there is no 'b'; there are: none"),
    ],
)
def test_overrides_of_what_is_not_there(minimal, override, words):
    with pytest.raises(UsageError) as caught:
        Scene.from_dict(minimal, overrides=[override])
    assert words in str(caught.value)


def test_what_is_wrong_in_a_mapping_that_an_override_made_is_reported_with_it(minimal, problem):
    reported = problem(minimal, overrides=["world.gravty=[0, 0, 1]"])
    assert (reported.file, reported.path, reported.hint) == (
        "--set world.gravty=[0, 0, 1]",
        "world.gravty",
        "did you mean 'gravity'?",
    )


def test_overrides():
    scene = Scene.from_text(
        TEXT,
        overrides=[
            "bodies.tank.mass=4e4",
            "bodies.tank.center_of_mass[0]=2",
            "bodies.tank.forces.1.torque.2=7",
            "bodies.tank.forces[0].force[1]=5",
            "bodies.no.1.position=[1, 0, 0]",
            "description=a = b",
            ("bodies.moon.position", np.array([4.0, 5.0, 6.0])),
        ],
    )
    tank = scene.bodies["tank"]
    assert (tank.mass, tank.center_of_mass[0], tank.forces[1].torque[2]) == (4e4, 2, 7)
    assert tank.forces[0].force == (2e4, 5, 0)
    assert scene.bodies["no.1"].position == (1, 0, 0)
    assert scene.bodies["moon"].position == (4, 5, 6)
    assert scene.description == "a = b"
    assert scene.source == TEXT


def test_override_of_an_aliased_object_changes_one_place(minimal):
    text = "format: rigidsim/1\nsimulation: {duration: 1, step: 1}\n"
    text += "bodies: {a: &a {position: [1, 2, 3]}, b: *a}\n"
    scene = Scene.from_text(text, overrides=["bodies.b.position[0]=9"])
    assert scene.bodies["a"].position == (1, 2, 3)
    assert scene.bodies["b"].position == (9, 2, 3)


@pytest.mark.parametrize(
    ("override", "words"),
    [
        ("bodies.tnk.mass=3", "there is no 'tnk'; did you mean 'tank'"),
        ("bdies.tank.mass=3", "did you mean 'bodies'"),
        ("bodies.tank.forces[7].force=3", "not an index into a list of 2"),
        ("bodies.tank.forces.x.force=3", "not an index"),
        ("bodies.tank.mass.value=3", "no keys inside 42 t"),
        ("bodies.tank.mass", "not of the form path=value"),
        ("=3", "cannot set '': there is no name before ''"),
    ],
)
def test_override_of_what_is_not_there(override, words):
    with pytest.raises(UsageError) as caught:
        Scene.from_text(TEXT, overrides=[override])
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("override", "code"),
    [
        ("bodies.tank.mass=0", "mass"),
        ("bodies.tank.mas=3", "unknown-key"),
        ("bodies.tank.mass=[1", "syntax"),
        ("bodies.tank={mass: 1, mass: 2}", "duplicate-key"),
        ("bodies.tank.mass=", "empty"),
        ("simulation.step=0.3", "step"),
    ],
)
def test_bad_override_is_shown_as_such(problems, override, code):
    first = problems(TEXT, overrides=[override])[0]
    assert (first.code, first.file, first.line) == (code, f"--set {override}", 0)


def test_problem_beside_an_override_keeps_its_place(problems):
    (only,) = problems(TEXT.replace("-9.81", "down"), name="t.yaml", overrides=["bodies.tank.mass=3"])
    assert (only.file, only.line) == ("t.yaml", 4)


def test_json_schema_is_one_and_has_a_name():
    jsonschema.Draft202012Validator.check_schema(json_schema())
    assert json_schema()["$schema"].endswith("2020-12/schema")
    assert json_schema()["title"] == "rigidsim scene"
