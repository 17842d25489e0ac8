"""Loops in a scene: every mistake is one located error; what is read is written back."""

from __future__ import annotations

import pytest

import rigidsim

MOMENTS = {"principal": [1, 1, 1]}
BODIES = {
    "arm": {
        "mass": 1,
        "inertia": MOMENTS,
        "motion": {"hinge": {"axis": [0, 0, 1]}},
        "children": {
            "hand": {
                "mass": 1,
                "inertia": MOMENTS,
                "position": [1, 0, 0],
                "motion": {"hinge": {"axis": [0, 0, 1]}},
                "children": {"tip": {"position": [1, 0, 0]}},
            }
        },
    },
    "point": {"mass": 1, "inertia": "point", "position": [3, 0, 0]},
    "wall": {"position": [5, 0, 0]},
    "driven": {"motion": {"prescribed": {"velocity": [1, 0, 0]}}},
    "drifting": {"mass": 1, "inertia": MOMENTS, "position": [0, 2, 0], "velocity": [0, 0.5, 0]},
}


def scene(loop: dict, **simulation) -> dict:
    settings = {"duration": 1, "step": 1e-3} | simulation
    return {"format": "rigidsim/1", "simulation": settings, "world": {"loops": [loop]}, "bodies": BODIES}


CLOSED = {"between": ["arm/hand", "wall"], "at": [1, 0, 0], "to_at": [-3, 0, 0]}
MISTAKES = [
    ({"type": "point", "between": ["arm/hnd", "wall"]}, ".between[0]", "there is no body 'arm/hnd'"),
    ({"type": "point", "between": ["arm/hand", "arm/hand/tip"]}, ".between", "both ends are parts of 'arm/hand'"),
    ({"type": "point", "between": ["world", "wall"]}, ".between", "both ends are parts of the world"),
    ({"type": "point", "between": ["driven", "wall"]}, ".between", "forces move neither end"),
    ({"type": "point", "between": ["arm/hand"]}, ".between", "expected 2 values of two paths, got 1"),
    ({"type": "point", "between": ["arm/hand/tip", "wall"]}, "", "the points are 3 m apart"),
    ({"type": "hinge"} | CLOSED, ".axis", "the key 'axis' is missing"),
    ({"type": "hinge", "axis": [0, 0, 1], "to_axis": [0, 1, 1]} | CLOSED, ".to_axis", "the axes are not parallel"),
    ({"type": "hinge", "axis": [0, 0, 0]} | CLOSED, ".axis", "the direction is zero"),
    ({"type": "point", "axis": [0, 0, 1]} | CLOSED, ".axis", "unknown key 'axis' for type 'point'"),
    ({"type": "distance", "length": 2} | CLOSED, ".length", "the points are 0 m apart at the start, not 2 m"),
    ({"type": "distance"} | CLOSED, "", "the points are at one place, so their distance has no direction"),
    ({"type": "distance", "length": -1} | CLOSED, ".length", "must be greater than zero"),
    ({"type": "distance", "between": ["drifting", "arm"]}, "", "moves away from the first at 0.5 m/s"),
    ({"type": "hinge", "between": ["point", "world"], "axis": [0, 0, 1]}, ".between", "'point' is a particle"),
    ({"type": "point", "between": ["point", "wall"], "at": [1, 0, 0], "to_at": [-1, 0, 0]}, ".at", "at its mass only"),
    ({"type": "rope", "between": ["arm", "wall"]}, ".type", "there are point, hinge, distance"),
    ({"between": ["arm", "wall"]}, "", "the loop has no 'type'"),
]


@pytest.mark.parametrize(("loop", "place", "words"), MISTAKES)
def test_a_mistake_is_one_located_error(loop, place, words):
    with pytest.raises(rigidsim.SceneError) as caught:
        rigidsim.Scene.from_dict(scene(loop))
    (problem,) = caught.value.problems
    assert problem.path == f"world.loops[0]{place}"
    assert words in f"{problem.message}; {problem.hint}"


def test_other_methods_refuse():
    with pytest.raises(rigidsim.SceneError, match="'magnus2' does not keep loops closed in this version; use rkmk4"):
        rigidsim.Scene.from_dict(scene({"type": "point"} | CLOSED, integrator="magnus2"))


@pytest.mark.parametrize("loop", [{"type": "point"} | CLOSED, {"type": "hinge", "axis": [0, 0, 2]} | CLOSED,
                                  {"type": "distance", "between": ["point", "wall"]}])  # fmt: skip
def test_a_scene_with_loops_is_written_back_as_it_was_read(loop):
    read = rigidsim.Scene.from_dict(scene(loop))
    again = rigidsim.Scene.from_dict(read.resolved())
    assert again.resolved() == read.resolved()
    assert rigidsim.simulate(again).content_hash == rigidsim.simulate(read).content_hash
