"""Mistakes: each is answered quickly, in a sentence with its place, with the right exit code and no traceback."""

from __future__ import annotations

import json
import os

import pytest
from effort import at_most_calls

from spinning_brick import SCENE, remains

MOST_CALLS = 5_000_000  # measured: 5000 in a warm process, more in one that first loads numpy, llvmlite and h5py

BOMB = "a0: &a0 [1,1,1,1,1,1,1,1,1]\n" + "".join(
    f"a{i}: &a{i} [{','.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 10)
)
ON_WORLD = SCENE.replace("bodies:\n", "bodies:\n  table: {motion: {prescribed: {velocity: [1, 0, 0]}}, mass: 1}\n")
# Name -> text, place, words.
SCENES = {
    "unknown key": (SCENE.replace("    mass", "    mas"), "6:5", "unknown key 'mas'; did you mean 'mass'?"),
    "duplicate key": (SCENE.replace("    mass: 2", "    mass: 2\n    mass: 3"), "7:5", "line 6"),
    "nan": (SCENE.replace("mass: 2", "mass: .nan"), "6:11", "nan is not finite (inf or nan)"),
    "no mass": (SCENE.replace("mass: 2", "mass: 0"), "6:11", "a mass cannot be zero"),
    "impossible inertia": (SCENE.replace("[1, 2, 2.5]", "[1, 2, 3.5]"), "7:14", "3.5"),
    "order of a quaternion": (SCENE.replace("    mass", "    orientation: [1, 0, 0, 0]\n    mass"), "6:18", "wxyz"),
    "mass where it has no effect": (ON_WORLD, "5:56", "a prescribed node exerts no reaction"),
    "alias bomb": (BOMB, "7:10", "aliases stand for more than"),
    "deep nesting": ("[" * 100_000, "1:65", "nest"),
    "empty": ("", "", "the scene is empty"),
    "tab": (SCENE.replace("    mass", "\tmass"), "6:1", "indent with spaces"),
    "text for a number": (SCENE.replace("mass: 2", "mass: heavy"), "6:11", "expected a number"),
    "awkward step": (SCENE.replace("step: 0.01", "step: 0.03"), "3:33", "nearest steps"),
    "unknown integrator": (SCENE.replace("step:", "integrator: rk4, step:"), "3:39", "did you mean 'rkmk4'?"),
}


@pytest.fixture
def quick_call(call):
    """The command line, its work counted."""

    def answer(*arguments):
        with at_most_calls(MOST_CALLS):
            reported = call(*arguments)
        assert "Traceback" not in reported.err
        assert "internal" not in reported.err
        assert "\x1b" not in reported.err
        return reported

    return answer


@pytest.mark.parametrize(("text", "place", "words"), SCENES.values(), ids=SCENES)
def test_scene_is_refused(quick_call, workplace, text, place, words):
    (workplace / "bad.yaml").write_text(text)
    for command in ("run", "validate"):
        code, out, err = quick_call(command, "bad.yaml")
        assert (code, out) == (3, "")
        assert err.startswith(f"bad.yaml:{place}" if place else "bad.yaml")
        assert ": error[" in err
        assert words in err
    assert remains(workplace) == {"scene.yaml", "bad.yaml"}
    code, out, err = quick_call("validate", "--json", "bad.yaml")
    reported = json.loads(out)
    assert (code, err, reported["valid"]) == (3, "", False)
    assert f"{reported['problems'][0]['line']}:{reported['problems'][0]['column']}".startswith(
        place.split(":")[0] or "0"
    )
    assert any(words in f"{problem['message']}; {problem['hint']}" for problem in reported["problems"])


def test_impossible_inertia_names_the_inequality_and_by_how_much(quick_call, workplace):
    (workplace / "bad.yaml").write_text(SCENES["impossible inertia"][0])
    err = quick_call("validate", "bad.yaml").err
    assert "1 + 2" in err
    assert "3.5" in err
    assert "0.5" in err


def test_all_problems_at_once(quick_call, workplace):
    (workplace / "bad.yaml").write_text(SCENE.replace("mass: 2", "mass: -2").replace("title", "titel"))
    err = quick_call("validate", "bad.yaml").err
    assert "bad.yaml:2:1: error[unknown-key]" in err
    assert "bad.yaml:6:11: error[" in err


def test_exponent_without_a_dot_is_a_number(quick_call, workplace):
    (workplace / "scene.yaml").write_text(SCENE.replace("mass: 2", "mass: 1e3"))
    code, out, _ = quick_call("validate", "scene.yaml")
    assert (code, out) == (0, "scene.yaml: valid; 1 free, 1 fixed; 100 steps of 0.01 s\n")


def test_valid_scene_as_json(quick_call):
    reported = json.loads(quick_call("validate", "--json", "scene.yaml").out)
    assert reported == {
        "schema_version": 1, "valid": True, "problems": [],
        "bodies": {"free": 1, "fixed": 1}, "steps": 100, "contact_settings": {"mode": "off"}, "warnings": [],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (["--set", "bodies.brik.mass=3"], 2, "there is no 'brik'; did you mean 'brick'?"),
        (["--set", "bodies"], 2, "is not of the form path=value"),
        (["--set", "bodies.brick.mass=x"], 3, "--set bodies.brick.mass=x: error[not-a-number] bodies.brick.mass"),
        (["--step", "banana"], 3, "--set simulation.step=banana: error[not-a-number]"),
        (["--integrator", "rk4"], 3, "did you mean 'rkmk4'?"),
        (["--integrator", "{name: magnus, terms: 7}"], 3, "must be at most 4, got 7"),
        (["--step"], 2, "requires an argument"),
        (["-o", "."], 5, ". is a folder; name a file, such as out.h5"),
        (["-o", "nowhere/a.h5"], 5, "the folder nowhere does not exist"),
        (["-o", "x" * 300], 5, "File name too long"),
        (
            ["-o", "scene.yaml"],
            5,
            "scene.yaml exists already; use --force to overwrite it, or use -o to write to another path",
        ),
        (["-o", "scene.yaml", "--force"], 5, "scene.yaml is not a trajectory, or it is damaged; --force"),
        (["-o", "/dev/null", "--force"], 5, "/dev/null is not a regular file"),
    ],
)
def test_call_is_refused(quick_call, workplace, options, code, words):
    answer = quick_call("run", "scene.yaml", *options)
    assert (answer.code, answer.out) == (code, "")
    assert words in answer.err
    assert remains(workplace) == {"scene.yaml"}
    assert (workplace / "scene.yaml").read_text() == SCENE


@pytest.mark.parametrize(
    ("name", "code", "words"),
    [
        ("nowhere", 5, "nowhere cannot be read: No such file or directory"),
        (".", 5, "is a folder"),
        ("/dev/null", 5, "is not a regular file"),
        ("pipe", 5, "is not a regular file"),
        ("x" * 300, 5, "File name too long"),
        ("scene.yaml", 6, "scene.yaml is not a trajectory; if it is a scene, rigidsim run scene.yaml makes one"),
    ],
)
@pytest.mark.parametrize("command", ["inspect", "explain"])
def test_trajectory_is_refused(quick_call, workplace, command, name, code, words):
    os.mkfifo(workplace / "pipe")
    more = [] if command == "inspect" else ["brick", "--at", "0"]
    answer = quick_call(command, name, *more)
    assert (answer.code, answer.out) == (code, "")
    assert words in answer.err


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("nowhere.yaml", "No such file"),
        (".", "is a directory"),
        ("pipe", "not a regular file"),
        ("x" * 300, "too long"),
    ],
)
def test_scene_that_is_no_file(quick_call, workplace, name, words):
    os.mkfifo(workplace / "pipe")
    for command in ("run", "validate"):
        answer = quick_call(command, name)
        assert (answer.code, answer.out) == (5, "")
        assert words in answer.err


@pytest.mark.parametrize(
    "arguments",
    [
        ["--debug", "run", "nowhere.yaml"],
        ["run", "--debug", "nowhere.yaml"],
        ["run", "nowhere.yaml", "--debug"],
        ["inspect", "nowhere.h5", "--debug"],
        ["examples", "copy", "nothing", "--debug"],
        ["examples", "--debug", "copy", "nothing"],
    ],
)
def test_debug_shows_the_traceback_wherever_it_stands(call, arguments):
    assert call(*arguments).err.startswith("Traceback")
    assert not call(*(a for a in arguments if a != "--debug")).err.startswith("Traceback")


def test_debug_shows_the_traceback(call):
    answer = call("--debug", "run", "nowhere.yaml")
    assert answer.code == 5
    assert "Traceback" in answer.err
    assert "error: nowhere.yaml cannot be read" in answer.err


def test_bug_of_ours_is_owned_up_to(call, monkeypatch):
    monkeypatch.setattr("rigidsim.scene.Scene.from_file", lambda *_: 1 / 0)
    code, out, err = call("validate", "scene.yaml")
    assert (code, out) == (1, "")
    assert (
        err == "internal error: ZeroDivisionError: division by zero\n"
        "this is a bug in rigidsim; --debug shows the traceback\n"
    )
