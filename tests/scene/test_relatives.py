"""Paths that begin at a body, and numbers in the names that copies use."""

from __future__ import annotations

import pytest

import rigidsim
from rigidsim.errors import SceneError
from rigidsim.scene.prepare.kin import relative


@pytest.mark.parametrize(
    ("path", "name", "found"),
    [
        ("a/b", "..", "a"),
        ("a/b", "../c", "a/c"),
        ("a/b", "./c", "a/b/c"),
        ("a/b", "../../d", "d"),
        ("a", "..", "world"),
        ("a/b", "../..", "world"),
        ("a/b", "c", "c"),
        ("a/b", "..c", "..c"),
        ("a/b", ".", "a/b"),
    ],
)
def test_a_path_from_a_body(path, name, found):
    assert relative(path, name) == found


def seats(*forces: dict, **more) -> rigidsim.Scene:
    seat = {
        "mass": 1, "inertia": {"principal": [1, 1, 1]}, "position": [1, 0, 0], "forces": [*forces],
        "repeat": {"line": 4, "spacing": [1, 0, 0]}, "children": {"lamp": {"position": [0, 0, 0.1]}},
    } | more  # fmt: skip
    hub = {"motion": {"prescribed": {"angular_velocity": [0, 0, 1]}}, "children": {"axle": {}, "seat": seat}}
    settings = {"duration": 1, "step": 0.01}
    return rigidsim.Scene.from_dict({"format": "rigidsim/1", "simulation": settings, "bodies": {"hub": hub}})


def force_of(scene: rigidsim.Scene, copy: int) -> dict:
    return scene.resolved()["bodies"]["hub"]["children"][f"seat_{copy}"]["forces"][0]


@pytest.mark.parametrize(
    ("force", "key", "found"),
    [
        ({"type": "spring", "to": "parent", "stiffness": 4}, "to", "hub"),
        ({"type": "spring", "to": "..", "stiffness": 4}, "to", "hub"),
        ({"type": "spring", "to": "../axle", "stiffness": 4}, "to", "hub/axle"),
        ({"type": "damper", "to": "../seat_{mod(index + 1, count)}", "damping": 1}, "to", "hub/seat_3"),
        ({"type": "damper", "to": "hub/seat_{max(index - 1, 0)}/lamp", "damping": 1}, "to", "hub/seat_1/lamp"),
        ({"type": "drag", "linear": 1, "medium": "parent"}, "medium", "hub"),
        ({"force": [1, 0, 0], "frame": "./lamp"}, "frame", "hub/seat_2/lamp"),
        ({"force": [1, 0, 0], "frame": "parent"}, "frame", "parent"),
        ({"type": "point_gravity", "center": "../axle", "gm": 1}, "center", "hub/axle"),
        ({"force": ["= x('./lamp', '..')", 0, 0]}, "force", ['= x("hub/seat_2/lamp", "hub")', 0.0, 0.0]),
        ({"force": ["= x('../seat_{min(index + 1, 3)}')*index", 0, 0]}, "force", ['= x("hub/seat_3") * 2.0', 0.0, 0.0]),
    ],
)
def test_a_copy_names_its_relatives(force, key, found):
    assert force_of(seats(force), 2)[key] == found


def test_the_same_motion_as_with_whole_paths():
    """A ring of which each bead is tied to the next one; all are written out in the second scene."""
    ring = {"type": "damper", "to": "../seat_{mod(index + 1, count)}", "damping": 1}
    whole = {"type": "damper", "to": "hub/seat_{mod(index + 1, count)}", "damping": 1}
    one, other = (rigidsim.simulate(seats(force, velocity=[0, "= index", 0])) for force in (ring, whole))
    assert one.content_hash == other.content_hash
    assert abs(one["hub/seat_3"].world.velocity[-1, 1] - one["hub/seat_3"].world.velocity[0, 1]) > 0.1


def test_without_a_repeat_and_in_quantities():
    bodies = {
        "a": {"children": {"b": {"mass": 1, "inertia": "point", "let": {"far": "= x('../c')"},
                                 "forces": [{"type": "spring", "to": "../c", "stiffness": "= 1 + x('../c')"}]},
                           "c": {"position": [2, 0, 0]}}},
    }  # fmt: skip
    scene = rigidsim.Scene.from_dict(
        {"format": "rigidsim/1", "simulation": {"duration": 1, "step": 0.1}, "bodies": bodies}
    )
    body = scene.resolved()["bodies"]["a"]["children"]["b"]
    assert body["forces"][0]["to"] == "a/c"
    assert "a/c" in body["let"]["far"]
    assert rigidsim.Scene.from_dict(scene.resolved()) == scene


@pytest.mark.parametrize(
    ("force", "message"),
    [
        ({"type": "spring", "to": "../../../x", "stiffness": 1}, "'../../../x' leads out of the world"),
        ({"type": "spring", "to": "../axel", "stiffness": 1}, "there is no body 'hub/axel'; did you mean 'hub/axle'?"),
        ({"type": "spring", "to": "seat_{index/2}", "stiffness": 1}, "{index/2} is 0.5, not a whole number"),
        ({"type": "spring", "to": "seat_{indx}", "stiffness": 1}, "unknown name 'indx'"),
        ({"force": ["= x('../../../b')", 0, 0]}, "'../../../b' leads out of the world"),
    ],
)
def test_a_bad_relative_is_one_located_sentence(force, message):
    with pytest.raises(SceneError) as failure:
        seats(force)
    assert message in str(failure.value) and "forces[0]" in str(failure.value)
