"""`rigidsim validate` with many files: each gets its own line, and none hides another."""

from __future__ import annotations

import json

import pytest

from spinning_brick import SCENE

BAD = "format: rigidsim/1\nsimulation: {duration: 1, step: 0.1}\nbodies: {b: {mas: 1}}\n"
WARNED = BAD.replace("step: 0.1", "step: 0.1, record_every: 2").replace("mas: 1", "mass: 1, inertia: point")
VALID = "scene.yaml: valid; 1 free, 1 fixed; 100 steps of 0.01 s"


@pytest.fixture
def files(workplace):
    """One scene of each kind; `nowhere.yaml` is missing."""
    (workplace / "bad.yaml").write_text(BAD)
    (workplace / "warned.yaml").write_text(WARNED)
    return ["nowhere.yaml", "bad.yaml", "scene.yaml", "warned.yaml"]


def test_each_file_gets_a_line_and_the_highest_code_counts(call, files):
    code, out, err = call("validate", *files)
    assert code == 5
    assert out.splitlines() == [
        "nowhere.yaml: not read",
        "bad.yaml: invalid; 1 error",
        VALID,
        "warned.yaml: valid; 1 free; 10 steps of 0.1 s",
    ]
    assert "error: nowhere.yaml cannot be read" in err
    assert "bad.yaml:3:14: error[unknown-key] bodies.b.mas: unknown key 'mas'; did you mean 'mass'?" in err
    assert "warning: simulation.record_every: " in err
    assert call("validate", *files[1:]).code == 3
    assert call("validate", *files[2:]).code == 0


def test_strict_counts_for_each_file(call, files):
    code, out, err = call("validate", "--strict", *files[2:])
    assert (code, out.splitlines()) == (3, [VALID, "warned.yaml: invalid; 1 warning"])
    assert err.startswith("error: simulation.record_every: ")


def test_many_files_as_json(call, files):
    code, out, err = call("validate", "--json", *files)
    shown = json.loads(out)
    assert (code, err, shown["schema_version"], shown["valid"]) == (5, "", 1, False)
    assert [file["file"] for file in shown["files"]] == files
    assert [file["valid"] for file in shown["files"]] == [False, False, True, True]
    assert "cannot be read" in shown["files"][0]["error"]
    assert [problem["code"] for problem in shown["files"][1]["problems"]] == ["unknown-key"]
    assert shown["files"][2]["steps"] == 100
    assert json.loads(call("validate", "--json", "scene.yaml", "scene.yaml").out)["valid"] is True


def test_overrides_are_those_of_every_file(call, files):
    code, out, err = call("validate", "--set", "bodies.brick.mass=3", *files[2:])
    assert (code, out.splitlines()) == (2, [VALID, "warned.yaml: not read"])
    assert "there is no 'brick'" in err


PLAN_FAULTS = {
    "spni: [1, 2]": "unknown-key] sweep.vary.spni: --set spni=1.0: unknown key 'spni'; did you mean 'spin'?",
    "bodies.brik.mass: 1:2:3": "sweep] sweep.vary.bodies.brik.mass: cannot set 'bodies.brik.mass': there is no 'brik'",
    "bodies.brick.mas: 1:2:3": "unknown key 'mas'; did you mean 'mass'?",
    "bodies.brick.velocity[7]: 1:2:3": "'[7]' is not an index into a list of 3",
    "bodies.brick.mass: [1 m, 2 m]": "'m' is a unit of length, but mass (kg) is expected here",
}


@pytest.mark.parametrize("entry", PLAN_FAULTS)
def test_plan_that_varies_what_does_not_exist(call, workplace, entry):
    plan = f"parameters: {{spin: 1}}\nsweep:\n  vary:\n    {entry}\n"
    (workplace / "swept.yaml").write_text(SCENE + plan)
    code, out, err = call("validate", "swept.yaml")
    line = 1 + (SCENE + plan).splitlines().index(f"    {entry}")
    assert (code, out) == (3, "")
    assert err.startswith(f"swept.yaml:{line}:5: error[") and PLAN_FAULTS[entry] in err
    (workplace / "table.csv").write_text("bodies.brik.mass\n1\n")
    (workplace / "swept.yaml").write_text(SCENE + "sweep: {table: table.csv}\n")
    assert "error[sweep] sweep.table: cannot set 'bodies.brik.mass'" in call("validate", "swept.yaml").err
