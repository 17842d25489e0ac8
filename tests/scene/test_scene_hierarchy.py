"""The tree of a scene: who hangs on whom, what holds a body, which parts a body has; at the start and reparented."""

from __future__ import annotations

import pytest

from rigidsim.scene import Scene

MASS = {"mass": 1, "inertia": {"principal": [1, 1, 1]}}
BODIES = {
    "arm": MASS | {"scale": 0.5, "children": {"hand": {"children": {"tip": {"scale": 0.1}, "ball": MASS}}}},
    "train": {"motion": {"prescribed": {"velocity": [1, 0, 0]}}, "children": {"seat": {}}},
    "tank": MASS | {"children": {"turret": {"motion": {"prescribed": {}}, "children": {"gun": {}}}}},
    "floor": {"children": {"tile": {}}},
}
HAND, TIP, BALL, GUN = "arm/hand", "arm/hand/tip", "arm/hand/ball", "tank/turret/gun"


@pytest.fixture
def tree(minimal):
    return Scene.from_dict(minimal | {"bodies": BODIES}).hierarchy


def paths(nodes) -> list[str]:
    return [node.path for node in nodes]


def moved(tree, body, to, kind):
    return tree.moved(tree[body].index, tree.frame_of(to), kind)


def test_nodes_are_in_the_order_of_the_file_with_their_places(tree):
    assert paths(tree)[:6] == ["arm", HAND, TIP, BALL, "train", "train/seat"]
    assert tree[TIP].place == ("bodies", "arm", "children", "hand", "children", "tip")
    assert paths(tree.lineage(tree[TIP])) == [TIP, HAND, "arm"]
    assert tree[TIP].metres == 0.5 * 0.1
    assert "arm/foot" not in tree and tree.get("arm/foot") is None and tree.get(None) is None


@pytest.mark.parametrize(
    ("path", "base", "carrier", "free_ancestor"),
    [
        ("arm", "arm", "arm", "arm"),
        (TIP, "arm", "arm", "arm"),
        (BALL, BALL, BALL, BALL),
        ("train/seat", "train", None, None),
        (GUN, "tank/turret", None, "tank"),
        ("floor/tile", None, None, None),
    ],
)
def test_what_a_body_is_part_of_and_which_free_body_moves_it(tree, path, base, carrier, free_ancestor):
    assert tree.base(tree[path]) is tree.get(base)
    assert tree.moved_base(tree[path]) is tree.get(carrier)
    assert tree.free_ancestor(tree[path]) is tree.get(free_ancestor)


def test_parts_are_what_is_fixed_to_a_body_directly_or_through_others(tree):
    assert paths(tree.parts(tree["arm"])) == ["arm", HAND, TIP]
    assert paths(tree.parts(tree[HAND])) == [HAND, TIP]
    assert paths(tree.parts(tree["floor"])) == ["floor", "floor/tile"]


def test_a_reparented_node_takes_what_hangs_on_it_along(tree):
    tree = moved(tree, HAND, "train/seat", "fixed")
    assert paths(tree.parts(tree["arm"])) == ["arm"]
    assert (tree.base(tree[TIP]), tree.moved_base(tree[TIP])) == (tree["train"], None)
    assert paths(tree.parts(tree["train"])) == ["train", "train/seat", HAND, TIP]
    tree = moved(tree, HAND, "world", "free")
    assert tree.moved_base(tree[TIP]) is tree[HAND]
    assert tree.moved_base(tree[BALL]) is tree[BALL]
