"""The part of a model that contact adds: shapes on their bodies, in metres, and the ways to their common ancestor."""

from __future__ import annotations

import math

import numpy as np
import pytest

import rigidsim
from rigidsim.blueprints import build_world
from rigidsim.engine.assembly.lanes import LANES, block_of, lanes_of, structure
from rigidsim.engine.model import contact_layout as at
from rigidsim.engine.model import layout
from rigidsim.engine.model.arrays import Contacts, holds_values
from rigidsim.engine.time.run import BlockRun
from rigidsim.physics.distances import BOX, HALF_SPACE, POINT, SEGMENT

EPS = np.finfo(float).eps
BALL = {"type": "sphere", "radius": 0.5}
PLANE = {"type": "plane", "normal": [0, 0, 2], "offset": -1}
TURN = {"axis": [0, 0, 1], "angle": "90 deg"}


def ball(**keys) -> dict:
    return {"mass": 1, "shapes": [BALL]} | keys


def scene_of(bodies: dict, **more) -> rigidsim.Scene:
    data = {"format": "rigidsim/1", "simulation": {"duration": 0.2, "step": 0.1}, "bodies": bodies}
    return rigidsim.Scene.from_dict(data | more)


def contacts(bodies: dict, **more) -> Contacts | None:
    return build_world(scene_of(bodies, **more)).model.contacts


def value_of(found: Contacts, shape: int, first: int, count: int) -> list[float]:
    return found.shape_value[shape, first : first + count].tolist()


@pytest.mark.parametrize(
    "bodies",
    [
        {"a": ball()},
        {"a": {"mass": 1, "inertia": "point"}, "f": {"shapes": [PLANE]}},
        {"a": ball(collide=False), "f": {"shapes": [PLANE]}},
        {"a": ball(children={"part": {"shapes": [BALL]}})},
    ],
)
def test_a_scene_in_which_nothing_can_meet_has_no_contacts(bodies):
    world = build_world(scene_of(bodies))
    assert (world.model.contacts, lanes_of(world)) == (None, LANES)


def test_contacts_that_are_off_are_none():
    simulation = {"duration": 1, "step": 1, "contact": "off"}
    assert contacts({"a": ball(), "b": ball()}, simulation=simulation) is None


def test_shapes_are_placed_about_the_centre_of_mass_in_metres():
    part = {"shapes": [{"type": "capsule", "radius": 0.1, "length": 2, "position": [1, 0, 0]}], "position": [0, 0, 1]}
    part |= {"scale": 0.5, "orientation": TURN}
    belt = {"type": "box", "size": [1, 2, 3], "position": [0, 0, 3], "surface_velocity": [1, 0, 0], "scale": [1, 1, 2]}
    bodies = {"a": ball(scale=2, shapes=[BALL | {"position": [0, 0, 1]}, belt | {"position": [0, 0, 1]}])}
    bodies["a"]["children"] = {"part": part}
    bodies["f"] = {"scale": 3, "shapes": [PLANE]}
    found = contacts(bodies)
    assert found.shape[:, at.SHAPE.kind].tolist() == [POINT, BOX, SEGMENT, HALF_SPACE]
    assert found.shape[:, [at.SHAPE.node, at.SHAPE.number]].tolist() == [[0, 0], [0, 1], [1, 0], [2, 0]]
    assert found.shape[:, at.SHAPE.body].tolist() == [0, 0, 0, 1]
    # The ball: its centre is the centre of mass.
    assert value_of(found, 0, at.SOLID.place("p"), 8) == [0, 0, 0, 1, 0, 0, 0, 1]
    assert value_of(found, 0, at.SOLID.place("half"), 7) == [0, 0, 0, 1, 0, 0, 0]
    # The belt.
    assert value_of(found, 1, at.SOLID.place("half"), 7) == [1, 2, 6, math.sqrt(41), 2, 0, 0]
    # The part: at (0, 0, 1) + R (0.5, 0, 0) of the body, whose centre of mass is at (0, 0, 1); twice that in metres.
    assert np.allclose(value_of(found, 2, at.SOLID.place("p"), 3), [0, 1, 0], rtol=0, atol=4 * EPS)
    assert np.allclose(
        value_of(found, 2, at.SOLID.place("q"), 4), [math.sqrt(0.5), 0, 0, math.sqrt(0.5)], rtol=0, atol=EPS
    )
    assert value_of(found, 2, at.SOLID.radius, 4) == [0.1, 0, 0, 1]
    assert value_of(found, 2, at.SOLID.bound, 1) == [1.1]
    # The plane: its z axis is the normal, its origin is on the plane.
    assert value_of(found, 3, at.SOLID.place("p"), 7) == [0, 0, -3, 1, 0, 0, 0]
    assert value_of(found, 3, at.SOLID.bound, 1) == [math.inf]


def ways_of(found: Contacts) -> dict[int, list[int]]:
    """For each contact body, by its node, the nodes from below the common ancestor to itself."""
    lines = {}
    for node, _, place, *_ in found.body.tolist():
        lines[node] = []
        while place != layout.NO_ROW:
            below, place = found.way[place]
            lines[node].insert(0, int(below))
    return lines


def test_ways_lead_from_the_nearest_common_ancestor_of_what_can_meet():
    """Two sites far out, each with a floor; a ship whose deck is its own; and a marble for itself."""
    site = {"position": [1.5e11, 0, 0], "children": {"ground": {"shapes": [PLANE]}, "rock": ball()}}
    ship = {"shapes": [PLANE], "children": {"cabin": {"children": {"crate": ball(), "shelf": {"shapes": [BALL]}}}}}
    groups = [{"collide": {"group": name, "with": [name]}} for name in ("one", "two")]
    far, near = ({"children": {k: v | group for k, v in site["children"].items()}} for group in groups)
    ship["collide"] = {"group": "three", "with": ["three"]}
    crate = ship["children"]["cabin"]["children"]["crate"]
    crate["collide"] = ship["collide"]
    found = contacts({"far": far, "near": near, "ship": ship})
    # Nodes: 0 far, 1 ground, 2 rock, 3 near, 4 ground, 5 rock, 6 ship, 7 cabin, 8 crate, 9 shelf.
    assert ways_of(found) == {1: [1], 2: [2], 4: [4], 5: [5], 6: [], 8: [7, 8], 9: [7, 9]}
    assert len(found.way) == 7  # the cabin once
    assert all(above < place for place, (_, above) in enumerate(found.way))  # parents first


def test_two_boards_that_meet_only_through_a_ball_have_one_ancestor():
    bodies = {"hut": {"children": {"floor": {"shapes": [BALL]}, "roof": {"shapes": [BALL]}, "ball": ball()}}}
    assert ways_of(contacts(bodies)) == {1: [1], 2: [2], 3: [3]}
    fixed = {"hut": {"children": {"floor": {"shapes": [BALL]}}}, "roof": {"shapes": [BALL]}, "ball": ball()}
    assert ways_of(contacts(fixed)) == {1: [0, 1], 2: [2], 3: [3]}


def test_shapes_keep_their_numbers_when_the_tree_changes():
    part = ball(motion="fixed", position=[0, 0, 3])
    bodies = {"b": ball(children={"part": part}), "a": ball(position=[5, 0, 0]), "f": {"shapes": [PLANE]}}
    scene = scene_of(bodies, reparent=[{"body": "b/part", "to": "a", "time": 0.1, "motion": "free"}])
    run = BlockRun([build_world(scene)], 1)
    before = run.model.contacts
    assert before.shape[:, at.SHAPE.body].tolist() == [0, 1, 1, 2]
    run.advance(2)
    after = run.model.contacts
    assert after.shape[:, at.SHAPE.body].tolist() == [0, 1, 2, 3]
    assert (before.shape[:, 1 : at.SHAPE.leader] == after.shape[:, 1 : at.SHAPE.leader]).all()
    assert (before.n_moved, after.n_moved) == (2, 3)
    assert ways_of(after)[1] == [2, 1]
    # The ball alone is at its own centre of mass again.
    assert before.shape_value[1, at.SOLID.p].tolist() == [0, 0, -1.5]
    assert after.shape_value[1, at.SOLID.p].tolist() == [0, 0, 0]


def test_a_block_with_contacts_has_one_lane():
    world = build_world(scene_of({"a": ball(), "b": ball(position=[9, 0, 0])}))
    other = build_world(scene_of({"a": ball(), "b": ball(position=[8, 0, 0], material={"friction": 0.1})}))
    assert lanes_of(world) == 1
    assert holds_values(world.model.contacts.shape_value) and holds_values(world.model.contacts.value)
    assert not holds_values(world.model.contacts.action)
    model, _ = block_of([world])
    assert all(np.array_equal(one, two) for one, two in zip(model.contacts, world.model.contacts, strict=True))
    assert structure(world) != structure(other)  # two classes of surfaces


def test_many_scenes_with_contacts_run_one_by_one():
    scenes = [scene_of({"a": ball(), "b": ball(position=[x, 0, 0])}) for x in (8, 9)]
    together, alone = rigidsim.simulate(scenes), [rigidsim.simulate(scene) for scene in scenes]
    assert [t.content_hash for t in together] == [t.content_hash for t in alone]


ISOLATED = {
    "two": ({"a": ball(), "b": ball()}, True),
    "on a floor": ({"a": ball(), "f": {"shapes": [PLANE]}}, False),
    "a floor that is off": ({"a": ball(collide=False), "b": ball(), "f": {"shapes": [PLANE], "collide": False}}, True),
    "one that is carried along": ({"a": ball(inherit_impulses=True), "b": ball()}, False),
}


@pytest.mark.parametrize("name", ISOLATED)
def test_momentum_is_conserved_while_bodies_meet_each_other_only(name):
    bodies, expected = ISOLATED[name]
    assert build_world(scene_of(bodies)).isolated is expected
