"""Parameters of a scene: their forms, their order, what is refused, and how they are set from outside."""

from __future__ import annotations

import math
from dataclasses import fields

import jsonschema
import pytest

from rigidsim.errors import UsageError
from rigidsim.scene import Scene, json_schema
from rigidsim.scene.prepare.overrides import apply_overrides
from rigidsim.scene.schema.parameters import KEYS_OF_A_SCENE
from rigidsim.scene.text.document import Document
from rigidsim.scene.text.reader import read_text
from support.effort import at_most_calls

TEXT = """\
format: rigidsim/1
parameters:
  twice: "= 2*slew"
  slew: {value: 5, unit: rpm, description: how fast the turret turns}
  angle: 30 deg
  n: 3
  same: = angle
simulation: {duration: 1, step: 0.1}
bodies:
  a: {mass: "= n", inertia: point, position: ["= twice", "= cos(same)", "= n/2"]}
"""


def read(parameters, **options):
    """The parameters of a scene that has these, as (value, unit)."""
    data = {"format": "rigidsim/1", "simulation": {"duration": 1, "step": 1}, "bodies": {"b": {}}}
    scene = Scene.from_dict(data | {"parameters": parameters}, **options)
    return {name: (parameter.value, parameter.unit) for name, parameter in scene.parameters.items()}


@pytest.fixture
def faults(minimal, problems):
    """The problems of a scene with these parameters, as (code, path, message and hint)."""

    def found(parameters, **options):
        reported = problems(minimal | {"parameters": parameters}, **options)
        return [(p.code, p.path, f"{p.message}; {p.hint}") for p in reported]

    return found


def test_forms():
    scene = Scene.from_text(TEXT)
    rate = 5 * math.tau / 60
    assert {name: p.value for name, p in scene.parameters.items()} == {
        "slew": rate, "twice": 2 * rate, "angle": math.radians(30), "n": 3, "same": math.radians(30)
    }  # fmt: skip
    assert [scene.parameters[name].unit for name in ("slew", "twice", "angle", "same", "n")] == [
        "rad/s", "", "rad", "rad", ""
    ]  # fmt: skip
    assert scene.parameters["slew"].description == "how fast the turret turns"
    assert scene.bodies["a"].position == (2 * rate, math.cos(math.radians(30)), 1.5)


def test_resolved_keeps_them():
    scene = Scene.from_text(TEXT)
    written = scene.resolved()["parameters"]
    assert written["slew"] == {
        "value": scene.parameters["slew"].value, "unit": "rad/s", "description": "how fast the turret turns"
    }  # fmt: skip
    assert written["n"] == {"value": 3.0}
    assert (scene.warnings, Scene.from_dict(scene.resolved()).warnings) == ((), ())


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ({"value": "= 2*15", "unit": "deg"}, (math.radians(30), "rad")),
        ({"value": "30 deg"}, (math.radians(30), "rad")),
        ({"value": "30 deg", "unit": "rad"}, (math.radians(30), "rad")),
        ({"value": 7, "unit": "cm"}, (0.07, "m")),
        ({"value": 1e22, "unit": "m"}, (1e22, "m")),
        (-0.5, (-0.5, "")),
    ],
)
def test_values_and_units(written, value):
    assert read({"a": written}) == {"a": value}


def test_any_order_and_long_chains():
    chain = {f"a{i}": f"= a{i + 1} + 1" for i in range(900)} | {"a900": 0}
    assert read(chain)["a0"] == (900, "")


@pytest.mark.parametrize(
    ("parameters", "code", "path", "words"),
    [
        (3, "not-a-mapping", "parameters", "write parameters: {slew: 0.5}"),
        ([1], "not-a-mapping", "parameters", "got a list"),
        ({"1x": 1}, "parameter-name", "parameters.1x", "is not a name"),
        ({"a b": 1}, "parameter-name", "parameters.a b", "is not a name"),
        ({"t": 1}, "parameter-name", "parameters.t", "a meaning of its own"),
        ({"sin": 1}, "parameter-name", "parameters.sin", "a meaning of its own"),
        ({"world": 1}, "parameter-name", "parameters.world", "a meaning of its own"),
        ({"bodies": 1}, "parameter-name", "parameters.bodies", "is a key of the scene"),
        ({"a": None}, "empty", "parameters.a", "has no value"),
        ({"a": True}, "not-a-number", "parameters.a", "got true"),
        ({"a": [1]}, "not-a-number", "parameters.a", "got a list"),
        ({"a": "5"}, "not-a-number", "parameters.a", "without quotes"),
        ({"a": "heavy"}, "not-a-number", "parameters.a", "got the text 'heavy'"),
        ({"a": "5 rmp"}, "unit", "parameters.a", "did you mean 'rpm'"),
        ({"a": math.inf}, "not-finite", "parameters.a", "not finite (inf or nan)"),
        ({"a": {}}, "missing-key", "parameters.a.value", "'value' is missing"),
        ({"a": {"value": 1, "unt": "m"}}, "unknown-key", "parameters.a.unt", "did you mean 'unit'"),
        ({"a": {"value": 1, "unit": "rmp"}}, "unit", "parameters.a.unit", "did you mean 'rpm'"),
        ({"a": {"value": 1, "unit": "Mg"}}, "unit", "parameters.a.unit", "'Mg' is not a unit; "),
        ({"a": {"value": 1, "unit": "Kg"}}, "unit", "parameters.a.unit", "did you mean 'kg'?"),
        ({"a": {"value": 1, "unit": 3}}, "not-text", "parameters.a.unit", "expected text, got 3"),
        ({"a": {"value": 1, "description": "\x1b"}}, "character", "parameters.a.description", "U+001B"),
        ({"a": {"value": "1 m", "unit": "s"}}, "unit", "parameters.a.value", "'m' is a unit of length, but time"),
        ({"a": {"value": "= b", "unit": "s"}, "b": "1 s"}, "unit", "parameters.a.value", "already has a unit, s"),
        ({"a": {"value": 1e308, "unit": "km"}}, "not-finite", "parameters.a.value", "not finite (inf or nan)"),
        ({"a": "= 1/0"}, "expression", "parameters.a", "not finite (inf or nan), at column 4 of '= 1/0'"),
        ({"a": "= t"}, "expression", "parameters.a", "'t' cannot be used here: only parameters"),
        ({"a": "= bb", "b": 1}, "expression", "parameters.a", "did you mean 'b'"),
        ({"a": "= a"}, "cycle", "parameters.a", "circular parameters: a -> a"),
        ({"a": "= b", "b": "= c + 1", "c": "= b"}, "cycle", "parameters.b", "circular parameters: b -> c -> b"),
        ({f"a{i}": 1 for i in range(1001)}, "size", "parameters", "more than 1000"),
    ],
)
def test_refused(faults, parameters, code, path, words):
    (only,) = faults(parameters)
    assert only[:2] == (code, path)
    assert words in only[2]


def test_a_broken_parameter_is_reported_once_and_where_it_stands(minimal, problems):
    minimal["parameters"] = {"a": "= 1/0", "b": "= a", "c": "= b + a"}
    minimal["bodies"]["brick"]["position"] = ["= a", "= c", "= d"]
    assert [p.path for p in problems(minimal)] == ["parameters.a", "bodies.brick.position[2]"]


def test_uses_of_too_many_parameters_are_not_reported(minimal, problem):
    minimal["parameters"] = {f"p{i}": i for i in range(1001)}
    minimal["bodies"]["brick"]["position"] = ["= p0", "= p1000", 0]
    assert problem(minimal).code == "size"


def test_places_in_the_text(problems):
    text = TEXT.replace("2*slew", "2*slow").replace('"= n"', '"= m + n"').replace("n/2", "n//2")
    found = [(p.line, p.column, p.path) for p in problems(text)]
    assert found == [
        (3, 15, "parameters.twice"),
        (10, 16, "bodies.a.mass"),
        (10, text.splitlines()[9].index("//") + 2, "bodies.a.position[2]"),
    ]


@pytest.mark.parametrize(
    ("written", "column"),
    [("|\n      = n +\n      q\n", 7), ('"= n \\x2B q"', 7), ('"= n +\n      q"', 7), ("*late", 3)],
    ids=["block", "escape", "folded", "alias"],
)
def test_where_a_column_cannot_be_found_the_message_has_it(problems, written, column):
    text = TEXT.replace("description: how fast the turret turns", 'description: &late "= q"')
    last = problems(f"{text}  b:\n    scale: {written}\n")[-1]
    assert last.path == "bodies.b.scale"
    assert last.message.startswith(f"unknown name 'q', at column {column} of '= ")


def test_unit_of_a_bare_parameter_is_checked(minimal, problems):
    minimal["parameters"] = {"slew": "5 rpm", "n": 3}
    brick = minimal["bodies"]["brick"]
    brick |= {"position": ["= slew", " =slew ", "= 1*slew"], "scale": "= slew", "angular_velocity": ["= slew", 0, 0]}
    found = problems(minimal)
    assert [p.path for p in found] == [f"bodies.brick.{key}" for key in ("position[0]", "position[1]", "scale")]
    assert found[0].message == "'rad/s' is a unit of angular velocity, but length (m) is expected here"


@pytest.mark.parametrize("text", ["=(slew)", "= +slew", "= -slew", " = -( +(slew ) )"])
def test_unit_of_a_parameter_with_a_sign_or_in_brackets_is_checked(minimal, problem, text):
    minimal["parameters"] = {"slew": "5 rpm"}
    minimal["bodies"]["brick"]["position"] = [text, 0, 0]
    assert problem(minimal).message == "'rad/s' is a unit of angular velocity, but length (m) is expected here"
    minimal["bodies"]["brick"] |= {"position": [0, 0, 0], "angular_velocity": [text, 0, 0]}
    assert abs(Scene.from_dict(minimal).bodies["brick"].angular_velocity.value[0]) == 5 * math.tau / 60


def test_two_parameters_have_no_unit_whatever_their_names(minimal):
    minimal["parameters"] = {"l": "3 m", "ll": "3 s", "a": "= l + l", "b": "= ll - l", "c": "= - l"}
    minimal["bodies"]["brick"] |= {"position": ["= l + l", "= c", 0], "scale": "= ll - l + 1"}
    scene = Scene.from_dict(minimal)
    assert [scene.parameters[name].unit for name in "abc"] == ["", "", "m"]


@pytest.mark.parametrize(
    ("override", "value", "unit"),
    [
        ("slew=7", 7 * math.tau / 60, "rad/s"),
        ("slew=1 rad/s", 1, "rad/s"),
        ("parameters.slew=7", 7 * math.tau / 60, "rad/s"),
        ("slew.value=7", 7 * math.tau / 60, "rad/s"),
        ("slew== n + 1", 4 * math.tau / 60, "rad/s"),
        (("slew", 0), 0, "rad/s"),
        ("slew={value: 2}", 2, ""),
    ],
)
def test_set(override, value, unit):
    scene = Scene.from_text(TEXT, overrides=[override])
    slew = scene.parameters["slew"]
    assert (slew.value, slew.unit) == (pytest.approx(value, rel=1e-15), unit)
    assert scene.parameters["twice"].value == 2 * slew.value
    assert scene.source == TEXT


def test_set_a_new_parameter_and_a_key_of_the_scene():
    scene = Scene.from_text(TEXT, overrides=["parameters.m=4", "n== m", "title=n"])
    assert (scene.parameters["n"].value, scene.title) == (4, "n")


def test_no_parameter_is_called_like_a_key_of_the_scene(problem):
    assert set(KEYS_OF_A_SCENE) == set(Scene.model_fields)
    hidden = TEXT.replace("  n: 3", "  n: 3\n  title: 5")
    for overrides in ([], ["title=other"]):
        reported = problem(hidden, overrides=overrides)
        assert (reported.code, reported.path, reported.line) == ("parameter-name", "parameters.title", 7)
        assert reported.message == "a parameter cannot be called 'title': that is a key of the scene"
        assert reported.hint.startswith("'--set title=...' sets that key")


def test_set_what_is_not_there(problem):
    unknown = problem(TEXT, overrides=["slwe=1"])
    assert (unknown.code, unknown.hint, unknown.file) == ("unknown-key", "did you mean 'slew'?", "--set slwe=1")
    assert problem(TEXT, overrides=["slew=1 m"]).path == "parameters.slew.value"
    new = problem(TEXT, overrides=["parameters.slwe=1"])
    message = "the scene has no such parameter, and no expression uses it"
    assert (new.code, new.message, new.hint) == ("unknown-key", message, "did you mean 'slew'?")
    assert (new.path, new.file) == ("parameters.slwe", "--set parameters.slwe=1")
    with pytest.raises(UsageError, match="no keys inside 3"):
        Scene.from_text(TEXT, overrides=["n.value=3"])


def test_what_is_set_in_the_copy_of_a_document_is_not_in_the_document():
    document = read_text(TEXT, "text")
    copied = document.copy()
    apply_overrides(copied, ["parameters.slwe=1"], Scene)
    assert copied.added == ["slwe"]
    parts = {field.name: (getattr(document, field.name), getattr(copied, field.name)) for field in fields(Document)}
    assert not [name for name, (one, other) in parts.items() if one is other and isinstance(one, list | dict)]


def test_unused_parameters_are_reported():
    scene = Scene.from_text(TEXT.replace("= cos(same)", "= cos(n)"))
    assert scene.warnings == ("parameters.same: no expression uses this parameter",)


def test_parameters_of_what_is_set_during_the_run_are_used(minimal):
    """By a change, and by a state of a machine."""
    numbers = {"set": {"f": "= push"}, "time": 0.01}
    states = {"drive": {"waits": {"to": {"runs": {"after": 0.1}}}, "runs": {"set": {"f": "= more"}}}}
    body = {"mass": 1, "inertia": "point", "forces": [{"force": ["= f", 0, 0], "frame": "world"}]}
    given = {"parameters": {"f": 0, "push": 2, "more": 3, "idle": 4}, "changes": [numbers], "states": states}
    found = Scene.from_dict(minimal | given | {"bodies": {"b": body}})
    assert [text.split(":")[0] for text in found.warnings if "no expression" in text] == ["parameters.idle"]


@pytest.mark.parametrize(
    ("parameter", "override"), [(5, "m=7"), ({"value": 5, "unit": "kg"}, "m=7"), ("= 2 + 3", "m.value=7")]
)
def test_unused_parameters_are_reported_where_no_expression_uses_any(minimal, parameter, override):
    override = override if isinstance(parameter, dict) else "m=7"
    unused = ("parameters.m: no expression uses this parameter",)
    for overrides in ([], [override]):
        scene = Scene.from_dict(minimal | {"parameters": {"m": parameter}}, overrides=overrides)
        assert scene.warnings == unused
    resolved = scene.resolved()
    assert Scene.from_dict(resolved).warnings == Scene.from_text(Scene.from_dict(resolved).source).warnings == ()
    assert Scene.from_dict(resolved, overrides=["m=8"]).warnings == unused


def test_json_schema():
    validator = jsonschema.Draft202012Validator(json_schema())
    scene = Scene.from_text(TEXT)
    for bad in ({"t": 1}, {"title": 1}, {"1x": 1}, {"a": []}, {"a": {"unit": "m"}}, {"a": {"value": 1, "x": 1}}, 3):
        assert not validator.is_valid(scene.resolved() | {"parameters": bad})


@pytest.mark.parametrize(
    "parameters",
    [
        {f"a{i}": "= " + " + ".join(f"a{j}" for j in range(40)) for i in range(1000)},
        {f"a{i}": f"= b{i}" for i in range(1000)},
        {f"a{i}": {"value": 1, "unit": f"mm{i}"} for i in range(1000)},
    ],
    ids=["circles", "unknown", "units"],
)
def test_hostile_parameters_are_refused_quickly(faults, parameters):
    with at_most_calls(15_000_000):  # measured: 4 million at most
        assert faults(parameters)
