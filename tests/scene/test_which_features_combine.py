"""Which features of joints and contact, alone and in pairs, an integrator refuses: those that its declared capabilities
say, and no other.

`python tests/scene/test_which_features_combine.py` prints the table.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import pytest

from rigidsim.errors import SceneError
from rigidsim.scene import Scene
from rigidsim.scene.schema.integrators import MODELS

FEATURES = ("limits", "friction", "motor", "breaks", "contact", "restitution", "loop", "reparent")
MODES, CONTACT = {"limits", "friction", "motor"}, {"contact", "restitution"}
PARTS_OF_OTHERS = ({"contact", "restitution"}, {"friction", "motor"})
"""Pairs that are no pair: restitution is of a contact; a motor of a rate and dry friction are one law."""


def chosen() -> Iterator[tuple[str, ...]]:
    """Single features, and pairs."""
    for count in (1, 2):
        yield from (few for few in combinations(FEATURES, count) if set(few) not in PARTS_OF_OTHERS)


def scene(method: str, features: tuple[str, ...]) -> dict[str, Any]:
    """An arm on a hinge with these features."""
    hinge: dict[str, Any] = {"axis": [0, 1, 0], "at": [-0.5, 0, 0]}
    given = {
        "limits": {"limits": [-1, 1]}, "friction": {"friction": 1.0},
        "motor": {"motor": {"rate": 1, "max_torque": 5}}, "breaks": {"breaks": {"force": 1e6}},
    }  # fmt: skip
    for feature in features:
        hinge |= given.get(feature, {})
    solid = {"mass": 1, "inertia": {"principal": [0.1, 0.1, 0.1]}}
    arm: dict[str, Any] = solid | {"position": [0.5, 0, 1], "motion": {"hinge": hinge}}
    bodies, world = {"arm": arm}, {"gravity": [0, 0, -9.81]}
    how: dict[str, Any] = {"duration": 0.01, "step": 1e-3, "integrator": method}
    if CONTACT & set(features):
        arm["shapes"], bodies["floor"] = [{"type": "box", "size": [0.2, 0.2, 0.2]}], {"shapes": [{"type": "plane"}]}
    if "restitution" in features:
        arm["material"] = {"restitution": 0.5}
    if "loop" in features:
        bodies["rod"] = solid | {"position": [2, 0, 1]}
        world["loops"] = [{"type": "distance", "between": ["arm", "rod"]}]
    made = {"format": "rigidsim/1", "simulation": how, "world": world, "bodies": bodies}
    if "reparent" in features:
        bodies["free"] = solid | {"position": [5, 0, 5]}
        made["reparent"] = [{"time": 0.005, "body": "free", "to": "arm", "motion": "fixed"}]
    return made


def refusal(method: str, features: tuple[str, ...]) -> str:
    """The error of the scene, or nothing."""
    try:
        Scene.from_dict(scene(method, features))
    except SceneError as error:
        return str(error)
    return ""


def lacks(method: str, features: tuple[str, ...]) -> bool:
    """Whether the integrator lacks a declared capability that these features need."""
    able, given = MODELS[method](name=method), set(features)
    has_modes, touches = bool(MODES & given), bool(CONTACT & given)
    modes_fail, contact_fails = has_modes and not able.locates_events, touches and not able.touches_trees
    return not able.moves_joints or modes_fail or contact_fails


def is_left(features: tuple[str, ...]) -> bool:
    """Whether contact of what a loop holds is asked for, which no integrator has."""
    return "loop" in features and bool(CONTACT & set(features))


@pytest.mark.parametrize("method", MODELS)
def test_an_integrator_refuses_what_its_capabilities_exclude_and_nothing_else(method):
    found = {features for features in chosen() if refusal(method, features)}
    assert found == {features for features in chosen() if lacks(method, features) or is_left(features)}


def test_a_refusal_is_one_sentence_about_one_place():
    told = [text for features in chosen() if (text := refusal("magnus2", features))]
    assert told
    for text in told:
        assert text.count("error[") == 1
        assert "use rkmk4 or" in text


if __name__ == "__main__":
    pairs = list(chosen())
    for method in MODELS:
        refused = [" + ".join(features) for features in pairs if refusal(method, features)]
        print(f"{method}: {len(refused)} of {len(pairs)} refused", *refused, sep="\n    ")
