"""The tree of a scene: who hangs on whom, what holds a body, which parts a body has; at the start and reparented."""

from __future__ import annotations

import pytest

from rigidsim.scene import Scene
from rigidsim.scene.hierarchy.nodes import Hierarchy

MASS = {"mass": 1, "inertia": {"principal": [1, 1, 1]}}
BODIES = {
    "arm": MASS | {"scale": 0.5, "children": {"hand": {"children": {"tip": {"scale": 0.1}, "ball": MASS}}}},
    "train": {"motion": {"prescribed": {"velocity": [1, 0, 0]}}, "children": {"seat": {}}},
    "floor": {"children": {"tile": {}}},
}
HAND, TIP, BALL = "arm/hand", "arm/hand/tip", "arm/hand/ball"


@pytest.fixture
def tree(minimal):
    return Hierarchy(Scene.from_dict(minimal | {"bodies": BODIES}))


def paths(nodes) -> list[str]:
    return [node.path for node in nodes]


def test_nodes_are_in_the_order_of_the_file_with_their_places(tree):
    assert paths(tree) == ["arm", HAND, TIP, BALL, "train", "train/seat", "floor", "floor/tile"]
    assert tree[TIP].place == ("bodies", "arm", "children", "hand", "children", "tip")
    assert paths(tree[TIP].line()) == [TIP, HAND, "arm"]
    assert tree[TIP].metres_per_unit == 0.5 * 0.1
    assert "arm/foot" not in tree and tree.get("arm/foot") is None and tree.get(None) is None


@pytest.mark.parametrize(
    ("path", "holder", "carrier"),
    [
        ("arm", "arm", "arm"),
        (TIP, "arm", "arm"),
        (BALL, BALL, BALL),
        ("train/seat", "train", None),
        ("floor/tile", None, None),
    ],
)
def test_what_holds_a_body_and_which_free_body_it_is_part_of(tree, path, holder, carrier):
    assert tree[path].holder is tree.get(holder)
    assert tree[path].carrier is tree.get(carrier)


def test_parts_are_what_is_fixed_to_a_body_directly_or_through_others(tree):
    assert paths(tree.parts(tree["arm"])) == ["arm", HAND, TIP]
    assert paths(tree.parts(tree[HAND])) == [HAND, TIP]
    assert paths(tree.parts(tree["floor"])) == ["floor", "floor/tile"]


def test_a_reparented_node_takes_what_hangs_on_it_along(tree):
    hand, seat = tree[HAND], tree["train/seat"]
    hand.parent = seat
    assert paths(tree.parts(tree["arm"])) == ["arm"]
    assert (tree[TIP].holder, tree[TIP].carrier) == (tree["train"], None)
    assert paths(tree.parts(tree["train"])) == [HAND, TIP, "train", "train/seat"]
    hand.parent, hand.kind = None, "free"
    assert tree[TIP].carrier is hand
    assert tree[BALL].carrier is tree[BALL]
