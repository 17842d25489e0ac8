"""Positions and velocities where people look for them: at the end of `run`, and from `inspect`."""

from __future__ import annotations

import csv
import io
import json
import shutil

import numpy as np
import pytest

import rigidsim
from rigidsim.report.table import aligned, number, shortened

FIELDS = ("position", "orientation", "velocity", "angular_velocity")
HEAD = ["time (s)", "body", "x (m)", "y (m)", "z (m)", "qw", "qx", "qy", "qz", "vx (m/s)", "vy (m/s)", "vz (m/s)",
        "omega_x (rad/s)", "omega_y (rad/s)", "omega_z (rad/s)"]  # fmt: skip
TABLE = """\
format: rigidsim/1
simulation: {duration: 1, step: 0.01, record_every: 0.1}
bodies:
  table:
    motion: {prescribed: {angular_velocity: [0, 0, 2]}}
    scale: 0.5
    children:
      puck: {mass: 1, inertia: point, position: [2, 0, 0], velocity: {value: [3, 0, 0], relative_to: world}}
  stone: {mass: 1, inertia: point, position: [0, 0, 4]}
"""


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """The trajectory of the turntable, computed once."""
    path = tmp_path_factory.mktemp("kept") / "table.h5"
    rigidsim.simulate(rigidsim.Scene.from_text(TABLE)).save(path)
    return path


@pytest.fixture
def table(kept, workplace):
    shutil.copyfile(kept, workplace / "table.h5")
    return "table.h5"


def test_run_ends_with_where_the_bodies_are(call):
    out = call("run", "scene.yaml").out
    head, brick, mark, _, turning, spinning, _ = out.splitlines()[-7:]
    assert " ".join(head.split()) == "at t = 1 s, in the world x, m y, m z, m vx, m/s vy, m/s vz, m/s"
    assert brick.split()[:2] == ["brick", "1"]  # 1 m away after 1 s at 1 m/s
    assert brick.split()[4:] == ["1", "0", "0"]
    assert mark.startswith("brick/mark ")
    with rigidsim.load("outputs/scene.h5") as trajectory:
        seen = [f"{x:.6g}" for x in trajectory["brick/mark"].world.position[-1]]
    assert mark.split()[1:4] == seen
    assert " ".join(turning.split()).endswith("qw qx qy qz omega_x, rad/s omega_y, rad/s omega_z, rad/s")
    assert len(spinning.split()) == 8


def test_what_does_not_turn_has_no_table_of_rates(call, workplace):
    still = TABLE.replace("angular_velocity", "velocity")
    (workplace / "still.yaml").write_text(still)
    assert "omega_x" not in call("run", "still.yaml").out


def test_many_bodies_are_counted(call, workplace):
    rows = TABLE.replace("  stone: {", "  stone: {repeat: {line: 30, spacing: [1, 0, 0]}, ")
    (workplace / "rows.yaml").write_text(rows)
    answer = call("run", "rows.yaml", "--json")
    if answer.code:
        pytest.fail(answer.err)
    assert len(json.loads(answer.out)["last"]["bodies"]) == 32
    out = call("run", "rows.yaml", "--force").out
    assert out.endswith("\n... and 20 more\n")
    assert out.count("\n... and 20 more\n") == 2  # places, and rates
    assert out.count("\nstone_") == 20


def test_of_many_bodies_those_that_metrics_and_oracles_name_are_shown(call, workplace):
    """In the order of the scene, with as many rows as before; of few bodies all are."""
    bodies = "".join(f"  b{k}: {{mass: 1, inertia: point, position: [0, 0, {k}]}}\n" for k in range(30))
    asked = "metrics: {top: '= max(z(\"b17\"))'}\noracle: {b29.position: {value: [0, 0, 29], tolerance: 1}}\n"
    (workplace / "many.yaml").write_text(
        f"format: rigidsim/1\nsimulation: {{duration: 0.1, step: 0.1}}\nbodies:\n{bodies}{asked}"
    )
    rows = [line.split()[0] for line in call("run", "many.yaml").out.splitlines() if line.startswith("b")]
    shown = rows[: rows.index("b29") + 1]
    assert shown == [*(f"b{k}" for k in range(len(shown) - 2)), "b17", "b29"]


def test_first_and_last_motion(call, table):
    reported = json.loads(call("inspect", table, "--json").out)
    with rigidsim.load(table) as trajectory:
        for end, k in (("first", 0), ("last", -1)):
            assert reported[end]["time"] == trajectory.time[k]
            for body in reported[end]["bodies"]:
                for field in FIELDS:
                    assert body[field] == getattr(trajectory[body["path"]].world, field)[k].tolist()
    assert [(b["path"], b["kind"]) for b in reported["bodies"]] == [
        ("table", "prescribed"), ("table/puck", "free"), ("stone", "free")]  # fmt: skip
    assert {d["name"]: d["units"] for d in reported["datasets"]}["local/velocity"] == "units of the parent s-1"
    out = call("inspect", table).out
    assert "at t = 0 s, in the world" in out and "at t = 1 s, in the world" in out
    assert "world       position [m], orientation [1], velocity [m s-1]" in out


def test_state_at_a_time_seen_from_a_body(call, table):
    reported = json.loads(call("inspect", table, "--at", "250 ms", "--frame", "table", "--json").out)
    assert (reported["time"], reported["frame"]) == (0.25, "table")
    assert reported["units"]["position"] == "0.5 m"
    puck = next(body for body in reported["bodies"] if body["path"] == "table/puck")
    # A straight line in the world, turned back by 0.5 rad, in units of half a metre; interpolated to fourth order.
    far, angle = (1.0 + 3.0 * 0.25) / 0.5, 0.5
    assert puck["position"] == pytest.approx([far * np.cos(angle), -far * np.sin(angle), 0.0], abs=1e-4)
    out = call("inspect", table, "--at", "0.25", "--frame", "table").out
    assert "at t = 0.25 s, relative to table" in out
    assert "x, 0.5 m" in out and "omega_x, rad/s" in out
    assert call("inspect", table, "--at", "1", "--frame", "table").out != out


def test_csv_has_every_number_of_every_sample(call, table):
    code, out, err = call("inspect", table, "--csv")
    assert (code, err) == (0, "")
    head, *rows = csv.reader(io.StringIO(out))
    assert head == HEAD
    with rigidsim.load(table) as trajectory:
        assert [row[1] for row in rows] == list(trajectory.paths) * len(trajectory.time)
        for path in trajectory.paths:
            numbers = np.array([[row[0], *row[2:]] for row in rows if row[1] == path], dtype=float)
            motion = trajectory[path].world
            expected = [trajectory.time[:, np.newaxis], *(getattr(motion, field) for field in FIELDS)]
            assert np.array_equal(numbers, np.concatenate(expected, axis=1))


def test_csv_seen_from_a_body_and_at_a_time(call, table):
    head, *rows = csv.reader(io.StringIO(call("inspect", table, "--csv", "--frame", "table").out))
    assert head[2] == "x (0.5 m)"
    with rigidsim.load(table) as trajectory:
        seen = trajectory["stone"].seen_from("table").position
    assert np.array_equal(np.array([row[2:5] for row in rows if row[1] == "stone"], dtype=float), seen)
    _, *one = csv.reader(io.StringIO(call("inspect", table, "--csv", "--frame", "table", "--at", "0.5").out))
    at = len(one) * 5
    assert [row[2:5] for row in one] == [row[2:5] for row in rows[at : at + len(one)]]


def test_time_of_a_change_of_parents_shows_the_state_after(call, workplace):
    """7 steps of 0.1 s are 0.7000000000000001 s; 0.7 means that sample."""
    scene = """\
format: rigidsim/1
simulation: {duration: 1, step: 0.1}
bodies:
  cart: {mass: 1, inertia: point, position: [1, 0, 0], velocity: [1, 0, 0]}
  box: {mass: 1, inertia: point, position: [5, 0, 0]}
reparent: [{body: box, to: cart, time: 0.7}]
"""
    (workplace / "cart.yaml").write_text(scene)
    assert call("run", "cart.yaml", "-o", "cart.h5").code == 0
    for time in ("0.65", "0.7", "0.75"):
        reported = json.loads(call("inspect", "cart.h5", "--at", time, "--frame", "cart", "--json").out)
        box = reported["bodies"][1]
        assert box["parent"] == ("" if time == "0.65" else "cart")
        assert box["position"] == pytest.approx([4 - float(time), 0, 0], abs=1e-14)


def test_columns_stand_under_each_other():
    assert aligned([["a", "1"], ["bcd", "23.5"]]) == ["a       1", "bcd  23.5"]
    assert shortened(["a", "b", "c"], 2) == ["a", "b", "c"]
    assert shortened(["a", "b", "c", "d"], 2) == ["a", "b", "... and 2 more"]
    assert (number(-0.0), number(1 / 3)) == ("0", "0.333333")


def test_name_without_its_path_is_understood(call, table):
    assert "did you mean 'table/puck'?" in call("inspect", table, "--frame", "puck").err


def test_why_a_run_ended_is_kept(call, workplace):
    force = "velocity: [1, 0, 0], forces: [{force: ['= 1e30*x*x*x', 0, 0]}]"
    (workplace / "wild.yaml").write_text(TABLE.replace("position: [0, 0, 4]", force))
    assert call("run", "wild.yaml").code == 4
    out = call("inspect", "outputs/wild.h5").out.splitlines()
    assert "not finite" in out[1] or "gave" in out[1]
    assert json.loads(call("inspect", "outputs/wild.h5", "--json").out)["message"] == out[1]
