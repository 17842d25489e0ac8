"""What was chosen for contact, as `validate` and `inspect` show it, and as a file keeps it."""

from __future__ import annotations

import json
from dataclasses import replace

import h5py
import pytest

import rigidsim
from rigidsim.blueprints import build_world
from rigidsim.errors import FormatError
from rigidsim.report.contact import chosen_contact, contact_lines
from rigidsim.report.inspect import Inspection
from rigidsim.scene.hierarchy.collision_pairs import CollisionPairs
from rigidsim.trajectory.writer import Writer

SCENE = """
format: rigidsim/1
simulation: {duration: 1, step: 0.1, contact: {substeps: 1}}
world:
  contacts:
    - {between: [hut, world], friction: 0.9}
    - {between: [hut, floor], collide: sensor}
bodies:
  floor: {shapes: [{type: plane}]}
  ball: {mass: 2, position: [0, 0, 2], shapes: [{type: sphere, radius: 0.1}], repeat: {line: 3, spacing: [1, 1, 1]}}
  hut: {mass: 1, position: [0, 0, 10], shapes: [{type: sphere, radius: 1}], material: {restitution: 0.5}}
  tower:
    children:
      brick_1: {mass: 1, position: [9, 0, 1], shapes: [{type: box, size: [1, 1, 1]}], material: {friction: 0.125}}
"""
OVERLAPPING = SCENE.replace("position: [0, 0, 2]", "position: [0, 0, 0.05]")
REPORTED = "ball_0.shapes[0] and floor.shapes[0] overlap by 0.05 m at the start; they are pushed apart"


@pytest.fixture
def settings() -> dict:
    return CollisionPairs(rigidsim.Scene.from_text(SCENE).hierarchy).summary


def test_the_values_of_each_two_surfaces(settings):
    assert contact_lines(settings) == [
        "contact: stepping, 1 sub-step, 5 moving bodies that can collide",
        "  contact between               restitution  friction  rolling friction",
        "  floor and ball_* (3)                    0       0.5                 0",
        "  floor and hut (sensor)                0.5       0.9                 0",
        "  floor and tower/brick_1                 0      0.25                 0",
        "  ball_* (3) among each other             0       0.5                 0",
        "  ball_* (3) and hut                    0.5       0.9                 0",
        "  ball_* (3) and tower/brick_1            0      0.25                 0",
        "  hut and tower/brick_1                 0.5       0.9                 0",
    ]


def test_many_pairs_are_counted():
    row = {f"b{k}": {"mass": 1, "shapes": [{"type": "sphere", "radius": 1}], "material": {"friction": k}}
           for k in range(30)}  # fmt: skip
    scene = rigidsim.Scene.from_dict(
        {"format": "rigidsim/1", "simulation": {"duration": 1, "step": 0.1}, "bodies": row},
    )
    summary = CollisionPairs(scene.hierarchy).summary
    pairs = 30 * 29 // 2  # no two have the same surface
    assert (len(summary["pairs"]), summary["further_pairs"]) == (200, pairs - 200)
    lines = contact_lines(summary)
    assert (len(lines), lines[-1]) == (23, f"  ... and {pairs - 20} more")


def test_nothing_is_shown_where_nothing_can_touch():
    assert chosen_contact({"mode": "off"}) == contact_lines({"mode": "off"}) == []


def test_validate_shows_them_for_a_file_that_is_alone(call, workplace, settings):
    (workplace / "contact.yaml").write_text(SCENE)
    code, out, err = call("validate", "contact.yaml")
    assert (code, err) == (0, "")
    assert out.splitlines() == ["contact.yaml: valid; 2 fixed, 5 free; 10 steps of 0.1 s", *contact_lines(settings)]
    assert len(call("validate", "contact.yaml", "scene.yaml").out.splitlines()) == 2
    assert json.loads(call("validate", "contact.yaml", "--json").out)["contact_settings"] == settings


def test_overlaps_are_warned_of_and_refused_if_strict(call, workplace):
    (workplace / "contact.yaml").write_text(OVERLAPPING)
    assert call("validate", "contact.yaml")[::2] == (0, f"warning: {REPORTED}\n")
    assert json.loads(call("validate", "contact.yaml", "--json").out)["warnings"] == [REPORTED]
    assert call("validate", "contact.yaml", "--strict") == (3, "", f"error: {REPORTED}\n")
    # Before anything is compiled or written.
    assert call("run", "contact.yaml", "--strict", "-o", "a.h5") == (3, "", f"error: {REPORTED}\n")
    assert not (workplace / "a.h5").exists()


@pytest.fixture
def kept(workplace, settings):
    """A file of one sample whose header has these settings."""
    scene = rigidsim.Scene.from_text(SCENE.replace("duration: 1", "duration: 0.1"))
    still = rigidsim.simulate(rigidsim.Scene.from_dict(
        {"format": "rigidsim/1", "simulation": {"duration": 0.1, "step": 0.1},
         "bodies": {"brick": {"mass": 1, "inertia": {"principal": [1, 1, 1]}}}},
    ))  # fmt: skip
    assert build_world(scene).blueprint.contacts.summary == settings
    path = workplace / "kept.h5"
    with Writer(path, replace(still.header, contact_settings=settings), len(still.time)) as writer:
        writer.append_arrays(still.arrays)
        writer.finish("complete")
    return path


def test_a_file_keeps_them(kept, settings):
    with rigidsim.load(kept) as trajectory:
        assert trajectory.header.contact_settings == settings
        inspection = Inspection.of(trajectory, kept)
        assert "\n".join(contact_lines(settings)) in str(inspection)
        assert inspection.as_dict()["contact_settings"] == settings


DAMAGES = {
    "another mode": ('"stepping"', '"off"', "does not match description_sha256"),
    "another value": ("0.9", "0.8", "does not match description_sha256"),
    "no pairs": ('"pairs"', '"pears"', "scene/contact is not a summary of contact"),
    "no number": ("0.9", '"0"', "scene/contact is not a summary of contact"),
    "one body": ('["hut", "tower/brick_1"]', '["hut"]', "scene/contact is not a summary of contact"),
    "no JSON": ("{", "", "damaged"),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_damage_to_them_is_found(kept, name):
    old, new, message = DAMAGES[name]
    with h5py.File(kept, "r+") as file:
        text = file["scene/contact"][()].decode()
        assert old in text
        file["scene/contact"][()] = text.replace(old, new)
    with pytest.raises(FormatError, match=message):
        rigidsim.load(kept)
