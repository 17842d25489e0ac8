"""The plan of a sweep in a scene file: read, checked with line and column, written out, and in the JSON Schema."""

from __future__ import annotations

import pytest

from rigidsim.scene import Scene, json_schema

TEXT = """\
format: rigidsim/1
simulation: {duration: 1, step: 0.1}
bodies:
  top: {mass: 2, inertia: point}
sweep:
"""
VALID = [
    {"vary": {"a": "0:60:13", "b.c": [1, 2, 5], "d": "log:1 kg:8 kg:4", "e": ["x", [1, 2]]}, "zip": True, "seed": 3},
    {"vary": {"a": "= -pi : = pi : 5", "b": ["1 kg", "2 t"]}},
    {"sample": "sobol:1024", "over": {"a": "uniform(20 rpm, 40 rpm)", "b": "normal(0.1, 0.01)"}},
    {"table": "runs.csv"},
]
INVALID = [
    ("  vary: {a: '0:60'}", 6, 13, "sweep.vary.a", "expected start:stop:count"),
    ("  vary: {a: [1, 2, 3 kg]}", 6, 20, "sweep.vary.a[2]", "'1' has no unit, but '3 kg' has one"),
    ("  vary: {a: [1 kg, 2 kg, 3 m]}", 6, 26, "sweep.vary.a[2]", "'m' is a unit of length, but 'kg' is one of mass"),
    ("  vary: 3", 6, 9, "sweep.vary", "expected names with values"),
    ("  sample: sobl:8\n  over: {a: 'uniform(0, 1)'}", 6, 11, "sweep.sample", "sobl is not a method of sampling"),
    ("  sample: lhs:8\n  over: {a: 'unifrm(0, 1)'}", 7, 13, "sweep.over.a", "unifrm is not a distribution"),
    ("  vary: {a: [1]}\n  table: runs.csv", 6, 3, "sweep", "both 'vary' and 'table' are given"),
    ("  seed: 3", 6, 3, "sweep", "no number varies"),
    ("  vary: {a: [1]}\n  zipp: true", 7, 3, "sweep.zipp", "unknown key 'zipp'"),
    ("  vary: {a: [1]}\n  seed: 1.5", 7, 9, "sweep.seed", ""),
]


def block(text: str) -> str:
    return TEXT + text


@pytest.mark.parametrize("sweep", VALID, ids=str)
def test_a_plan_is_kept_and_written_out(sweep, minimal):
    scene = Scene.from_dict(minimal | {"sweep": sweep})
    resolved = scene.resolved()
    assert list(resolved["sweep"]) == [
        key for key in ("vary", "zip", "sample", "over", "table", "seed") if key in sweep
    ]
    assert not scene.warnings


def test_a_scene_without_a_plan(minimal):
    scene = Scene.from_dict(minimal)
    assert scene.sweep is None
    assert "sweep" not in scene.resolved()


@pytest.mark.parametrize(("text", "line", "column", "path", "message"), INVALID)
def test_problems_have_their_place(problem, text, line, column, path, message):
    found = problem(block(text))
    assert (found.line, found.column, found.path) == (line, column, path)
    assert message in found.message


def test_a_table_is_found_from_the_folder_of_the_scene(tmp_path):
    (tmp_path / "scene.yaml").write_text(block("  table: runs.csv\n"))
    assert Scene.from_file(tmp_path / "scene.yaml").sweep.table == str(tmp_path / "runs.csv")


def test_the_json_schema_knows_plans(minimal):
    jsonschema = pytest.importorskip("jsonschema")
    checker = jsonschema.Draft202012Validator(json_schema())
    for sweep in (
        {"vary": {"a": "0:60"}},
        {"vary": {"a": []}},
        {"sample": "sobl:8"},
        {"over": {"a": "unifrm(0, 1)"}},
        {"zipp": True},
        {"seed": -1},
    ):
        assert not checker.is_valid(minimal | {"sweep": sweep}), sweep
