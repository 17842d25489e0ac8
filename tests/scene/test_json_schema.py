"""The JSON Schema as help for an editor: every key described, and a fault reported within the form that was meant."""

from __future__ import annotations

import pytest
import yaml

from rigidsim.cli.examples import shipped_scenes
from rigidsim.errors import SceneError
from rigidsim.scene import Scene, json_schema

jsonschema = pytest.importorskip("jsonschema")
SCHEMA = json_schema()
BALL = {"mass": 1, "inertia": "point"}


def first_fault(scene: dict):
    return jsonschema.exceptions.best_match(jsonschema.Draft202012Validator(SCHEMA).iter_errors(scene))


def properties(schema, path=()):
    """Every property of the schema with its path; those that a condition only asks about are not described there."""
    if isinstance(schema, list):
        for index, item in enumerate(schema):
            yield from properties(item, (*path, index))
    elif isinstance(schema, dict):
        if path[-1:] != ("if",):
            yield from (((*path, key), value) for key, value in schema.get("properties", {}).items())
        for key, value in schema.items():
            yield from properties(value, (*path, key))


def test_every_property_is_described():
    every = dict(properties(SCHEMA))
    assert len(every) > 200
    assert not [path for path, schema in every.items() if not schema.get("description")]
    assert max(len(schema["description"]) for schema in every.values()) <= 200


@pytest.mark.parametrize(
    ("model", "key", "ends"),
    [
        ("Spring", "stiffness", "[N/m]"),
        ("Body", "mass", "[kg]"),
        ("Body", "position", "[m]"),
        ("Body", "velocity", "[m/s]"),
        ("PrincipalInertia", "principal", "[kg*m^2]"),
        ("TensorInertia", "tensor", "[kg*m^2]"),
        ("SimulationSettings", "step", "[s]"),
        ("Surroundings", "gravity", "[m/s^2]"),
    ],
)
def test_descriptions_give_the_unit(model, key, ends):
    assert SCHEMA["$defs"][model]["properties"][key]["description"].endswith(ends)


SPRING = {"type": "spring", "to": "world", "stiffness": 1}
TURN = {"axis": [0, 0, 1], "angle": "= t"}


@pytest.mark.parametrize(
    ("body", "path", "words"),
    [
        ({"forces": [SPRING | {"stifness": 2}]}, ["forces", 0], "'stifness' was unexpected"),
        ({"forces": [{"type": "spring", "to": "world"}]}, ["forces", 0], "'stiffness' is a required property"),
        ({"forces": [{"force": [1, 0, 0], "torqe": [1, 0, 0]}]}, ["forces", 0], "'torqe' was unexpected"),
        (
            {"forces": [SPRING | {"type": "sprin"}]},
            ["forces", 0, "type"],
            "'sprin' is not one of ['constant', 'spring'",
        ),
        ({"forces": [SPRING | {"stiffness": "3 kg"}]}, ["forces", 0, "stiffness"], "'3 kg'"),
        ({"shapes": [{"type": "box", "size": [1, 1, 1], "radius": 2}]}, ["shapes", 0], "'radius' was unexpected"),
        ({"shapes": [{"size": [1, 1, 1]}]}, ["shapes", 0], "'type' is a required property"),
        ({"motion": {"prescribed": {"velocty": [1, 0, 0]}}}, ["motion", "prescribed"], "'velocty' was unexpected"),
        ({"motion": {"prescribed": {"orientation": TURN | {"angel": 1}}}}, [..., "orientation"], "'angel' was"),
        ({"motion": "flying"}, ["motion"], "'flying' is not one of ['free', 'fixed', 'weld', 'tank']"),
        ({"velocity": {"vlue": [1, 0, 0]}}, ["velocity"], "'vlue' was unexpected"),
        ({"inertia": {"principal": [1, 1, 1], "abuot": "com"}}, ["inertia"], "'abuot' was unexpected"),
        ({"orientation": {"wxyz": [1, 0, 0, 0], "order": "xyz"}}, ["orientation"], "'order' was unexpected"),
        ({"repeat": {"line": 3, "spacing": [1, 0, 0], "sed": 1}}, ["repeat"], "'sed' was unexpected"),
    ],
)
def test_fault_is_within_the_form_that_was_meant(with_body, body, path, words):
    fault = first_fault(with_body(**(BALL | body)))
    found = list(fault.absolute_path)[2:]
    assert found == path or (path[0] is ... and found[-1] == path[-1])
    assert words in fault.message


def test_a_fault_of_an_integrator_is_within_its_name(minimal):
    minimal["simulation"]["integrator"] = {"name": "magnus", "iterations": 4}
    fault = first_fault(minimal)
    assert (list(fault.absolute_path), "'iterations' was unexpected" in fault.message) == (
        ["simulation", "integrator"],
        True,
    )


POINT = {"type": "point_gravity", "center": [9, 0, 0], "gm": 1}
SOLID = {"type": "sphere", "radius": 1}
# Keys of a body or of the scene; mistakes of form in other tests are shown to the schema by the fixture `problems`.
REJECTED = (
    {"mass": 0}, {"mass": 1e300}, {"mass": "="}, {"mass": -1}, {"mass": "-1 kg"}, {"mass": "1 m"}, {"density": 1000},
    {"shapes": [SOLID | {"mass": 1, "density": 1}]}, {"shapes": [{"type": "spere"}]}, {"shapes": [{"type": [1]}]},
    {"shapes": [{"radius": 1}]}, {"shapes": [SOLID], "density": "1 kg"}, {"material": {"restitution": 1.1}},
    {"material": {"friction": -1}}, {"orientation": [1, 0, 0, 0]}, {"inertia": "sphere"}, {"motion": "flying"},
    {"orientation": {"euler": [1, 2, 3], "order": "xxy"}}, {"children": {"a/b": {}}}, {"children": {"world": {}}},
    {"children": {"parent": {}}}, {"forces": [{"frame": "body"}]}, {"forces": [SPRING | {"stiffness": "1 N*m/rad"}]},
    {"forces": [{"type": "gravity_gradient", "gm": 1}]}, {"forces": [POINT | {"radius": 1}]},
    {"forces": [POINT | {"axis": [0, 0, 1]}]}, {"forces": [{"type": "drag"}]}, {"impulses": [{"time": 0}]},
    {"impulses": [{"time": "1 m", "impulse": [1, 0, 0]}]},
    {"motion": {"prescribed": {"orientation": {"wxyz": [1, 0, 0, 0]}}}},
    {"motion": {"prescribed": {"position": ["= t", 0, 0], "velocity": [1, 0, 0]}}},
    {"motion": {"prescribed": {"orientation": TURN, "angular_acceleration": [1, 0, 0]}}},
    {"world": {"mutual_gravity": {"bodies": ["brick"]}}}, {"world": {"mutual_gravity": {"bodies": ["brick", "brick"]}}},
    {"world": {"gravity": {"center": "world", "gm": 1, "radius": 1}}}, {"format": "x"}, {"bodies": {}}, {"extra": 1},
    {"simulation": {"duration": 1, "step": 0}}, {"parameters": {"a": "heavy"}}, {"parameters": {"a": "5"}},
    {"parameters": {"a": True}}, {"parameters": {"a": [1]}}, {"parameters": {"a": {"value": "5"}}},
    {"parameters": {"a": {"unit": "m"}}}, {"parameters": {"a": {"value": 1, "units": "m"}}},
    {"oracle": {"brick.speed": None}}, {"oracle": {"brick.speed": {"until": 3}}}, {"oracle": [1]},
    {"oracle": {"brick.speed": {"value": 1, "untill": 3}}},
)  # fmt: skip


@pytest.mark.parametrize("change", REJECTED, ids=str)
def test_it_rejects_what_the_reader_refuses(minimal, change):
    tops = {"world", "simulation", "format", "bodies", "extra", "parameters", "oracle"}
    (minimal if change.keys() & tops else minimal["bodies"]["brick"]).update(change)
    assert first_fault(minimal) is not None
    with pytest.raises(SceneError):
        Scene.from_dict(minimal)


@pytest.mark.parametrize("name", shipped_scenes())
def test_shipped_scenes_are_valid_as_a_reader_of_yaml_1_1_sees_them(name, monkeypatch):
    """Most editors and PyYAML read YAML 1.1, where 1e11 is text: numbers are written so that both readers agree."""
    file = shipped_scenes()[name]
    read = yaml.safe_load(file.read_text())
    monkeypatch.chdir(file.parent)  # where the paths of other files begin; those of data stay as they are written
    for one in read.get("fit", {}).get("data", ()):
        one["file"] = str(file.parent / one["file"])
    assert first_fault(read) is None
    assert Scene.from_dict(read) == Scene.from_file(file)
