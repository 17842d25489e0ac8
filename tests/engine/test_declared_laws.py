"""Kinds of forces are declared once; which parts a model has depends on what is written, and makes few kinds of it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import rigidsim
from rigidsim.blueprints import build_world
from rigidsim.engine.laws.registry import KINDS, PAIRWISE, SINGLE, TABLES
from rigidsim.engine.model.arrays import PairLaws, SingleLaws
from rigidsim.scene import json_schema
from rigidsim.scene.schema.forces import FORCES
from support.scenes import make_scene

PACKAGE = Path(rigidsim.__file__).parent
BALL = {"mass": 1.0, "inertia": {"principal": [0.5, 0.5, 0.5]}}
EXPRESSED = {"drum": {"motion": {"prescribed": {"position": ["= sin(t)", 0, 0]}}}}
WRITTEN = {
    "spring": {"to": "world", "stiffness": 1, "length": 1},
    "damper": {"to": "world", "to_at": [0, 1, 0], "damping": 1},
    "torsion_spring": {"to": "world", "stiffness": 1},
    "bushing": {"to": "world", "stiffness": [1, 2, 3]},
    "drag": {"linear": 1},
    "point_gravity": {"center": [0, 0, 5], "gm": 1},
    "gravity_gradient": {"center": [0, 0, 5], "gm": 1},
    "constant": {"force": [1, 0, 0]},
    "thruster": {"thrust": 1, "direction": [1, 0, 0]},
    "gravity": {"acceleration": [1, 0, 0]},
    "mass_flow": {"tank": "b/tank", "rate": 1},
}
TANK = {**BALL, "motion": "tank"}
RARE = {kind.name for kind in KINDS if kind.table.is_rare}


def model_with(*forces: dict, more: dict | None = None, **how):
    children = {"tank": TANK} if any(force["type"] in RARE for force in forces if "type" in force) else {}
    bodies = {"b": {**BALL, "forces": list(forces), "children": children}} | (more or {})
    return build_world(make_scene(bodies, duration=0.1, step=0.01, **how)).model


def kind_of_model(part: object) -> object:
    """What decides which machine code a model gets: the types of its parts."""
    return tuple(map(kind_of_model, part)) if isinstance(part, tuple) else type(part)


def test_every_kind_has_a_table_and_every_table_its_place_in_a_model():
    assert set(WRITTEN) == {kind.name for kind in KINDS} == set(FORCES)
    assert SingleLaws._fields == tuple(table.name for table in SINGLE)
    assert PairLaws._fields == tuple(table.name for table in PAIRWISE)
    assert len(SINGLE) + len(PAIRWISE) == len(TABLES)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_a_kind_fills_its_own_table_and_none_besides(kind):
    model = model_with({"type": kind.name, **WRITTEN[kind.name]})
    rows = {
        name: law.value.shape
        for laws in (model.single, model.pairwise)
        for name, law in (laws._asdict() if laws else {}).items()
        if law is not None and len(law.who)
    }
    assert rows == {kind.table.name: (1, kind.table.values.width)}
    assert (model.pairwise is not None) == kind.table.is_pair


def test_there_are_at_most_four_kinds_of_models():
    """With pair laws or without, with expressions or without, whichever these are; rare ones besides."""
    scripted = {"force": ["= x", '= v_x("drum")', 0]}
    expressed = [{}, {"more": EXPRESSED}]
    written = [[]] + [[{"type": name, **keys}] for name, keys in WRITTEN.items() if name not in RARE]
    models = [model_with(*forces, **how) for forces in written for how in expressed]
    models += [model_with(scripted, *forces, more=EXPRESSED) for forces in written]
    models += [
        model_with(*forces, **how, gravity={"center": [0, 0, 9], "gm": 1}) for forces in written for how in expressed
    ]
    assert len(set(map(kind_of_model, models))) == 4


def test_no_other_module_knows_a_kind_by_its_name():
    names = {kind.name for kind in KINDS} - {"constant", "damper", "gravity", "spring"}  # words of other things, too
    quoted = re.compile("[\"'](" + "|".join(names) + ")[\"']")
    found = {path.relative_to(PACKAGE).parent for path in PACKAGE.rglob("*.py") if quoted.search(path.read_text())}
    assert found == {Path("engine/laws")}


def test_every_key_of_a_force_is_described():
    definitions = json_schema()["$defs"]
    for kind in KINDS:
        properties = definitions[FORCES[kind.name].__name__]["properties"]
        assert list(properties) == ["type", *(key.name for key in kind.keys), "during"]
        assert all(described["description"] for described in properties.values())
