"""The trees of a run: scene, file and a plain reckoning with paths agree on who holds whom, at all times."""

from __future__ import annotations

import numpy as np
import pytest

import rigidsim
from random_trees import carrier_of, line_of, random_reparenting, random_tree
from rigidsim.errors import FormatError, SceneError
from rigidsim.trajectory.checks import check_tree
from rigidsim.trajectory.header import Change, Header
from rigidsim.tree.nodes import WORLD

MASS = {"mass": 1, "inertia": {"principal": [1, 1, 1]}}
STEP = 0.1


def scene_with(bodies: dict, reparent: list[dict]) -> rigidsim.Scene:
    simulation = {"duration": 1.0, "step": STEP}
    data = {"format": "rigidsim/1", "simulation": simulation, "bodies": bodies, "reparent": reparent}
    return rigidsim.Scene.from_dict(data)


def reckoned(parents: dict[str, str], kinds: dict[str, str]) -> dict[str, tuple[str, str, str, str]]:
    """Parent, base, carrier and free ancestor of each body; empty for the world or if there is none."""
    found = {}
    for path in parents:
        line = line_of(path, parents)
        base = next((above for above in line if kinds[above] != "fixed"), "")
        free = next((above for above in line if kinds[above] == "free"), "")
        found[path] = parents[path], base, carrier_of(path, parents, kinds), free
    return found


def held(tree) -> dict[str, tuple[str, str, str, str]]:
    relations = (tree.parent, tree.base, tree.moved_base, tree.free_ancestor)
    return {node.path: tuple(found.path if (found := of(node)) else "" for of in relations) for node in tree}


@pytest.mark.parametrize("seed", range(8))
def test_scene_and_file_agree_on_what_holds_each_body_at_all_times(seed):
    random = np.random.default_rng(seed)
    bodies, paths, kinds_of = random_tree(seed, 9)
    parents = {path: path.rpartition("/")[0] for path in paths}
    kinds = {path: "prescribed" if kind == "driven" else kind for path, kind in zip(paths, kinds_of, strict=True)}
    massive, expected, events = {path for path in paths if kinds[path] == "free"}, [reckoned(parents, kinds)], []
    for k in range(1, 5):
        events.append(random_reparenting(random, parents, kinds, massive) | {"time": round(k * 0.2, 1)})
        expected.append(reckoned(parents, kinds))
    scene = scene_with(bodies, events)
    history = rigidsim.Simulation(scene).header.history
    assert history.begins[1:] == [round(2 * k) * STEP for k in range(1, 5)]
    assert [held(tree) for tree in scene.hierarchy.history] == expected
    assert [held(history.at(time)) for time in (0.0, 0.2, 0.45, 0.6, 1.0)] == expected
    ever = {path for each in expected for path, (_, base, carrier, _) in each.items() if carrier == path}
    assert {scene.hierarchy.nodes[index].path for index in history.ever_free} == ever


def turned_over(first: dict, second: dict) -> rigidsim.Scene:
    """A body goes below its child, and the child into the world, in this order; the times differ by rounding only."""
    bodies = {"a": MASS | {"children": {"b": MASS | {"position": [1, 0, 0]}}}}
    return scene_with(bodies, [first | {"time": 0.30000000000000004}, second | {"time": 0.3}])


def test_reparentings_of_one_instant_are_checked_in_the_order_of_the_file_as_they_are_made():
    down, out = {"body": "a", "to": "a/b"}, {"body": "a/b", "to": WORLD}
    scene = turned_over(out, down)
    assert [scene.hierarchy.nodes[change.body].path for change in scene.hierarchy.changes] == ["a/b", "a"]
    trajectory = rigidsim.simulate(scene)
    assert [trajectory[path].parent_at(0.5) for path in ("a", "a/b")] == ["a/b", ""]
    with pytest.raises(SceneError, match="'a/b' is a descendant of 'a' itself"):
        turned_over(down, out)


def test_a_file_whose_events_hang_a_body_below_itself_is_damaged(tmp_path):
    change = Change(0.5, "a", "a/b", "free")
    header = Header(("a", "a/b"), ("", "a"), ("free", "free"), np.ones(2), np.ones(2), True, changes=(change,))
    with pytest.raises(FormatError, match=r"its events reparent 'a' to 'a/b' at t = 0\.5 s"):
        check_tree(header, tmp_path)
