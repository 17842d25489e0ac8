"""Tables: what is nothing but rounding is 0, and long ones are cut."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import pytest

import rigidsim
from rigidsim.blueprints import build_world
from rigidsim.report.table import beyond_rounding, shortened, without_rounding
from rigidsim.simulation.events import shapes_of
from rigidsim.trajectory.header import texts_of
from spinning_brick import SCENE

CLOUD = """\
format: rigidsim/1
simulation: {duration: 0.02, step: 0.01}
bodies:
  dust: {mass: 1, inertia: point, repeat: {line: 60, spacing: [1, 0, 0]}}
"""
LYING = """\
format: rigidsim/1
simulation: {duration: 1, step: 0.01}
world: {gravity: [0, 0, -9.81]}
bodies:
  floor: {shapes: [{type: plane}], orientation: {axis: [0, 1, 0], angle: "20 deg"}}
  box: {density: 300, shapes: [{type: box, size: [0.3, 0.2, 0.2]}], position: [0.0342, 0, 0.094],
        orientation: {axis: [0, 1, 0], angle: "20 deg"}}
"""
TURNED = """\
format: rigidsim/1
simulation: {duration: 6, step: 0.01}
bodies:
  table:
    motion: {prescribed: {angular_velocity: [0, 0, 1]}}
    children:
      ball: {mass: 1, inertia: point, position: [0.5, 0, 0], velocity: {relative_to: world, value: [0, 0, 0]}}
"""


def test_rounding_is_zero_by_the_length_of_its_vector_and_the_column():
    assert without_rounding([(4.5, 1.95e-17, 0.0)]) == [[4.5, 0.0, 0.0]]
    assert without_rounding([(4.5, 0.0, 0.0), (1.95e-17, 0.0, 0.0)]) == [[4.5, 0.0, 0.0], [0.0, 0.0, 0.0]]
    near = [(1.5e11, 0.0, 0.0), (1e-3, 1e-4, 0.0)]
    assert without_rounding(near) == [[1.5e11, 0.0, 0.0], [1e-3, 1e-4, 0.0]]  # small distances beside large ones
    assert without_rounding([(1e-30, 2e-30, 0.0)]) == [[1e-30, 2e-30, 0.0]]  # a small world
    assert without_rounding([(1e-15, 0.0)], [1e-14]) == [[0.0, 0.0]]


def test_what_is_not_finite_stays():
    assert str(without_rounding([(math.nan, math.inf, 1.0), ()])) == "[[nan, inf, 1.0], []]"
    assert beyond_rounding(-2e-16, 3.0) == 0.0
    assert beyond_rounding(1e-11, 3.0) == 1e-11


def test_a_table_is_cut_where_that_makes_it_shorter():
    lines = list("abcd")
    assert shortened(lines, None) == shortened(lines, 3) == lines
    assert shortened(lines, 2) == ["a", "b", "... and 2 more"]


@pytest.mark.parametrize("scene", [LYING, TURNED], ids=["lying", "turned"])
def test_what_rests_has_no_velocity_in_tables(call, workplace, scene):
    (workplace / "a.yaml").write_text(scene)
    answer = call("run", "a.yaml", "-o", "a.h5")
    assert answer.code == 0
    body = answer.out.split("at t =")[1].splitlines()[2].split()
    assert body[4:] == ["0", "0", "0"]
    assert call("inspect", "a.h5", "--at", 1).out.splitlines()[2].split()[4:] == ["0", "0", "0"]


def test_long_tables_are_cut(call, workplace):
    (workplace / "cloud.yaml").write_text(CLOUD)
    assert "dust_11 " in (out := call("run", "cloud.yaml", "-o", "a.h5").out)
    assert "dust_12" not in out
    assert "... and 48 more" in out
    for arguments, first in ((["a.h5"], 40), (["a.h5", "--at", "0.01"], 40)):
        cut, whole = call("inspect", *arguments).out, call("inspect", *arguments, "--all").out
        assert cut.count("... and 20 more; --all shows them") >= 1
        assert f"dust_{first - 1}" in cut
        assert f"dust_{first} " not in cut
        assert "more" not in whole
        assert whole.count("dust_59") == (3 if len(arguments) == 1 else 2)
    assert call("inspect", "a.h5", "--json").out.count('"dust_59"') >= 3


def test_a_small_table_is_whole(call, workplace):
    (workplace / "a.yaml").write_text(SCENE)
    call("run", "a.yaml", "-o", "a.h5")
    assert call("inspect", "a.h5").out == call("inspect", "a.h5", "--all").out


def test_a_section_is_read_without_the_others():
    """And equals that of the whole; a text of another form is read as a whole."""
    header = rigidsim.Simulation(rigidsim.Scene.from_text(LYING)).header
    whole = replace(header, texts=texts_of(header.scene_text, json.dumps(header.resolved)))
    for key in (*header.resolved, "nothing"):
        assert header.section(key) == whole.section(key) == header.resolved.get(key, {})
    assert "resolved" not in vars(part := replace(header)) and part.section("world") and "resolved" not in vars(part)


def test_the_paths_of_a_world_are_listed_once_for_all_shapes(monkeypatch):
    """Else `validate` would take time in proportion to the square of the bodies."""
    world, asked = build_world(rigidsim.Scene.from_text(LYING)), []
    listed = type(world).paths.fget
    monkeypatch.setattr(type(world), "paths", property(lambda self: asked.append(1) or listed(self)))
    assert shapes_of(world) == ("box.shapes[0]", "floor.shapes[0]")
    assert len(asked) == 1
