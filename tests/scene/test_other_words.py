"""Words that other programs have for keys and joints: one error each, with the word of the format."""

from __future__ import annotations

import pytest

from rigidsim.errors import OTHER_WORDS, SceneError
from rigidsim.scene import Scene
from rigidsim.scene.schema.scene import SceneData

HEAD = {"format": "rigidsim/1", "simulation": {"duration": 1, "step": 0.01}}
BODY = {"mass": 1, "inertia": {"principal": [1, 1, 1]}}
HINGE = {"axis": [0, 1, 0]}


def body(**keys):
    return {**HEAD, "bodies": {"arm": {**BODY, **keys}}}


SOLID = {"type": "cylinder", "radius": 0.1}
CASES = {
    "revolute": (body(motion={"revolute": HINGE}), "hinge"),
    "continuous": (body(motion={"continuous": HINGE}), "hinge"),
    "prismatic": (body(motion={"prismatic": HINGE}), "slide"),
    "a joint as a word": (body(motion="revolute"), "hinge"),
    "velocity of a motor": (body(motion={"hinge": {**HINGE, "motor": {"velocity": 1, "max_torque": 2}}}), "rate"),
    "speed of a motor": (body(motion={"hinge": {**HINGE, "motor": {"speed": 1, "max_torque": 2}}}), "rate"),
    "effort of a motor": (body(motion={"hinge": {**HINGE, "motor": {"rate": 1, "effort": 2}}}), "max_torque"),
    "when a force acts": (body(forces=[{"force": [1, 0, 0], "when": [0, 1]}]), "during"),
    "height of a cylinder": (body(shapes=[{**SOLID, "height": 1}]), "length"),
    "quaternion": (body(quaternion=[1, 0, 0, 0]), "orientation"),
    "mass_properties": ({**HEAD, "bodies": {"arm": {"mass_properties": 1, "inertia": BODY["inertia"]}}}, "mass"),
    "linear_velocity": (body(linear_velocity=[1, 0, 0]), "velocity"),
    "omega": (body(omega=[1, 0, 0]), "angular_velocity"),
    "geometry": (body(geometry=[]), "shapes"),
    "dt": ({**body(), "simulation": {"duration": 1, "dt": 0.01}}, "step"),
}


@pytest.mark.parametrize("name", CASES)
def test_words_of_other_programs_are_understood(name):
    """The key that is meant is not missing as well."""
    data, meant = CASES[name]
    with pytest.raises(SceneError) as caught:
        Scene.from_dict(data)
    first, *others = caught.value.problems
    assert first.hint == f"did you mean '{meant}'?"
    assert not [problem for problem in others if problem.code == "missing-key"]


def test_the_type_of_a_joint_is_a_key():
    """A program that writes it as a value gets the key."""
    with pytest.raises(SceneError) as caught:
        Scene.from_dict(body(motion={"type": "revolute", "axis": [0, 0, 1]}))
    assert caught.value.problems[0].hint == "did you mean 'hinge'?"


def test_words_of_the_format_mean_themselves():
    """Each word that is explained is one of the format, and no explanation is of a word that only the format has."""
    keys, names = set(), str(SceneData.model_json_schema())
    for word, others in OTHER_WORDS.items():
        assert f"'{word}'" in names, word
        assert len(set(others)) == len(others)
        keys.add(word)
    with pytest.raises(SceneError, match="did you mean 'length'"):
        Scene.from_dict(body(shapes=[{**SOLID, "lenght": 1}]))
