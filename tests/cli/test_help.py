"""What can be asked without a scene: help, version, examples, integrators, schema."""

from __future__ import annotations

import json

import pytest

import rigidsim
from rigidsim.cli.examples import shipped_scenes
from rigidsim.scene import Scene
from rigidsim.scene.schema.integrators import MODELS

COMMANDS = (
    "run", "validate", "inspect", "explain", "diff", "hash", "examples", "integrators", "schema", "selftest", "certify",
)  # fmt: skip


def test_help_names_every_command_and_exit_code(call):
    code, out, err = call("--help")
    assert code == 0
    assert not err
    assert all(f"\n  {command} " in out for command in COMMANDS)
    assert all(f" {number} " in out for number in (0, 1, 2, 3, 4, 5, 6, 129, 130, 141, 143))


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_has_help(call, command):
    code, out, _ = call(command, "-h")
    assert code == 0
    assert out.startswith(f"Usage: rigidsim {command}")
    assert "--debug" in out


def test_version(call):
    assert call("--version") == (0, f"rigidsim {rigidsim.__version__}\n", "")


def test_no_command_shows_the_help(call):
    code, _, err = call()
    assert code == 2
    assert "Commands:" in err


def test_examples_are_listed_with_their_titles(call):
    code, out, err = call("examples")
    assert (code, err) == (0, "")
    listed = dict(line.split("  ", 1) for line in out.splitlines())
    assert listed.keys() == shipped_scenes().keys()
    assert listed["flipping_axis"].strip() == "The flipping intermediate axis"
    assert call("examples", "list").out == out


def test_example_is_copied_and_is_valid(call, workplace):
    code, out, _ = call("examples", "copy", "flipping_axis", "shell_leaves_turret.yaml")
    assert (code, out.split()) == (0, ["flipping_axis.yaml", "shell_leaves_turret.yaml"])
    assert (workplace / "flipping_axis.yaml").read_bytes() == shipped_scenes()["flipping_axis"].read_bytes()
    assert call("validate", "flipping_axis.yaml").code == 0


def test_all_examples_are_copied_into_a_folder(call, workplace):
    (workplace / "scenes").mkdir()
    assert call("examples", "copy", "--all", "-o", "scenes").code == 0
    assert {file.stem for file in (workplace / "scenes").iterdir()} == shipped_scenes().keys()


def test_existing_file_is_not_replaced_by_an_example_unless_forced(call, workplace):
    mine = workplace / "flipping_axis.yaml"
    mine.write_text("mine")
    code, _, err = call("examples", "copy", "flipping_axis")
    assert code == 5
    assert "flipping_axis.yaml exists already; use --force" in err
    assert mine.read_text() == "mine"
    assert call("examples", "copy", "flipping_axis", "--force").code == 0
    assert mine.read_text() != "mine"


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["fliping_axis"], 2, "did you mean 'flipping_axis'?"),
        (["zzz"], 2, "the examples are andrews_squeezer, ball_in_tumbling_box"),
        ([], 2, "--all"),
        (["flipping_axis", "-o", "nowhere"], 5, "the folder nowhere does not exist"),
    ],
)
def test_example_that_cannot_be_copied(call, arguments, code, words):
    answer = call("examples", "copy", *arguments)
    assert (answer.code, answer.out) == (code, "")
    assert words in answer.err


def test_schema_is_json_that_allows_what_a_scene_has(call):
    jsonschema = pytest.importorskip("jsonschema")
    code, out, err = call("schema")
    assert (code, err) == (0, "")
    jsonschema.validate(Scene.from_file("scene.yaml").resolved(), json.loads(out))


def test_integrators_are_those_a_scene_may_name(call):
    """All that is shown of a method can be written into a scene, and is what its bare name means."""
    code, out, _ = call("integrators", "--json")
    shown = json.loads(out)["integrators"]
    assert code == 0
    assert {integrator["name"] for integrator in shown} == set(MODELS)
    for integrator in shown:
        name, options = integrator["name"], integrator["options"]
        bare = Scene.from_file("scene.yaml", [("simulation.integrator", name)])
        assert Scene.from_file("scene.yaml", [("simulation.integrator", {"name": name, **options})]) == bare
        assert f"{name}\n  order " in call("integrators").out
        assert all(f"\n  {key} " in call("integrators").out for key in options)
    (magnus,) = (integrator for integrator in shown if integrator["name"] == "magnus")
    assert magnus["options"] == {"terms": 2, "exponential": "full"}
    assert magnus["allowed"] == {"terms": "1 to 4", "exponential": "full or cubic"}
