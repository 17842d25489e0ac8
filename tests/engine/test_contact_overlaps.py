"""Overlaps at the start: which are found, how deep they are, and that many bodies cause no delay."""

from __future__ import annotations

import math

import numpy as np
import pytest

import rigidsim
from rigidsim.blueprints import build_world
from rigidsim.engine.model import contact_layout as at
from rigidsim.simulation.overlaps import overlap_warnings, starting_overlaps, starting_poses

BALL = {"type": "sphere", "radius": 0.5}
BOX = {"type": "box", "size": [1, 1, 1]}
ROD = {"type": "capsule", "radius": 0.25, "length": 1}
PLANE = {"type": "plane"}


def scene_of(bodies: dict, **more) -> rigidsim.Scene:
    data = {"format": "rigidsim/1", "simulation": {"duration": 1, "step": 0.1}, "bodies": bodies}
    return rigidsim.Scene.from_dict(data | more)


def body(shape: dict, *position: float, **keys) -> dict:
    return {"mass": 1, "shapes": [shape], "position": list(position)} | keys


def depths(bodies: dict, **more) -> list[float]:
    scene = scene_of(bodies, **more)
    return [overlap.depth for overlap in starting_overlaps(build_world(scene))]


# Two bodies and the depth by which they overlap.
PAIRS = {
    "balls": (body(BALL, 0, 0, 0), body(BALL, 0.9, 0, 0), 0.1),
    "ball in ball": (body(BALL, 0, 0, 0), body(BALL, 0, 0, 0), 1.0),
    "ball and plane": (body(BALL, 0, 0, 0.4), {"shapes": [PLANE]}, 0.1),
    "box and plane": (body(BOX, 0, 0, 0.7, orientation={"axis": [1, 0, 0], "angle": "45 deg"}), {"shapes": [PLANE]},
                      math.sqrt(0.5) - 0.7),
    "rod and plane": (body(ROD, 5, 5, 0.7), {"shapes": [PLANE]}, 0.05),
    "boxes": (body(BOX, 0, 0, 0), body(BOX, 0.2, 0.3, 0.9), 0.1),
    "edges": (body(BOX, 0, 0, 0, orientation={"axis": [0, 1, 0], "angle": "45 deg"}),
              body(BOX, 0, 0, 1.3, orientation={"axis": [1, 0, 0], "angle": "45 deg"}), math.sqrt(2) - 1.3),
    "ball and box": (body(BALL, 0, 0, 0), body(BOX, 0, 0, 0.95), 0.05),
    "ball and corner": (body(BALL, 0, 0, 0), body(BOX, 0.75, 0.75, 0.75), 0.5 - math.sqrt(3) / 4),
    "rod and ball": (body(ROD, 0, 0, 0), body(BALL, 0.7, 0, 0.3), 0.05),
    "rods crossed": (body(ROD, 0, 0, 0), body(ROD, 0.4, 0, 0, orientation={"axis": [1, 0, 0], "angle": "90 deg"}), 0.1),
    "rod and box": (body(ROD, 0, 0, 0), body(BOX, 0.7, 0, 0), 0.05),
}  # fmt: skip


@pytest.mark.parametrize("name", PAIRS)
def test_the_depth_of_each_pair(name):
    one, other, depth = PAIRS[name]
    assert depths({"a": one, "b": other}) == pytest.approx([depth], abs=1e-12)
    assert depths({"a": other, "b": one}) == pytest.approx([depth], abs=1e-12)
    # Far out under a common node, small and turned: the poses are relative to that.
    site = {"position": [1.5e11, 0, 0], "orientation": {"axis": [1, 2, 3], "angle": 1}, "scale": 0.5}
    found = depths({"site": site | {"children": {"a": one, "b": other}}})
    assert found == pytest.approx([depth / 2], abs=1e-12)


APART = {
    "touching balls": (body(BALL, 0, 0, 0), body(BALL, 1 - 0.4e-6, 0, 0)),
    "balls": (body(BALL, 0, 0, 0), body(BALL, 1.1, 0, 0)),
    "stacked boxes": (body(BOX, 0, 0, 0), body(BOX, 0, 0, 1)),
    "box on a plane": (body(BOX, 0, 0, 0.5), {"shapes": [PLANE]}),
    "ball beside a corner": (body(BALL, 0, 0, 0), body(BOX, 0.8, 0.8, 0.8)),
    "crossed edges": (
        body(BOX, 0, 0, 0, orientation={"axis": [0, 1, 0], "angle": "45 deg"}),
        body(BOX, 0, 0, 1.42, orientation={"axis": [1, 0, 0], "angle": "45 deg"}),
    ),
    "not moved": ({"shapes": [BOX]}, {"shapes": [BOX]}),
    "sensor": (body(BALL, 0, 0, 0, collide="sensor"), body(BALL, 0, 0, 0)),
    "ghost": (body(BALL, 0, 0, 0, collide=False), body(BALL, 0, 0, 0)),
    "a driven part": (
        body(BALL, 0, 0, 0, children={"part": {"shapes": [BALL], "motion": {"prescribed": {}}}}),
        body(BALL, 3, 0, 0),
    ),
    "parts of one": (body(BALL, 0, 0, 0, children={"part": {"shapes": [BALL]}}), body(BALL, 3, 0, 0)),
}


@pytest.mark.parametrize("name", APART)
def test_what_touches_or_does_not_collide_is_not_reported(name):
    one, other = APART[name]
    assert depths({"a": one, "b": other}) == []


def test_the_poses_are_those_of_the_start():
    turn = {"axis": [0, 0, 1], "angle": "90 deg"}
    knob = {"shapes": [BALL | {"position": [0, 1, 0]}], "position": [1, 0, 0], "orientation": turn}
    bodies = {
        "cart": {
            "motion": {"prescribed": {"position": ["= 2 + t", 0, 0]}},
            "shapes": [BOX],
            "children": {"a": body(BALL | {"position": [0, 0, 3]}, 0, 5, 0, orientation=turn, children={"knob": knob})},
        }
    }
    scene = scene_of(bodies)
    pose = starting_poses(build_world(scene))
    # Relative to the cart, which is the common ancestor. The knob is at (1, 0, 0) + R (0, 1, 0) = 0 of the body.
    assert np.allclose(pose[:, :3], [[0, 0, 0], [0, 5, 3], [0, 5, 0]])
    assert np.allclose(pose[2, at.POSE.place("q") :], [0, 0, 0, 1])


def test_the_deepest_are_reported_first_and_the_others_counted():
    row = {"a": {"shapes": [PLANE]}}
    row |= {f"b{k}": body(BALL, 3 * k, 0, 0.5 - 0.01 * (k + 1)) for k in range(7)}
    reported = overlap_warnings(build_world(scene_of(row)))
    assert reported[0] == "a.shapes[0] and b6.shapes[0] overlap by 0.07 m at the start; they are pushed apart"
    assert reported[4] == "a.shapes[0] and b2.shapes[0] overlap by 0.03 m at the start; they are pushed apart"
    assert reported[5:] == ("at least 2 further pairs of shapes overlap at the start",)
    simulation = {"duration": 1, "step": 0.1, "contact": "off"}
    assert overlap_warnings(build_world(scene_of(row, simulation=simulation))) == ()


def test_all_overlaps_are_found():
    """Spheres of very different sizes at random."""
    random = np.random.default_rng(5)
    n = 200
    balls = {
        f"b{k:03}": body(BALL | {"radius": float(r)}, *map(float, p))
        for k, (p, r) in enumerate(zip(random.uniform(-1, 1, (n, 3)), 10 ** random.uniform(-2, -0.5, n), strict=True))
    }
    scene = scene_of(balls)
    world = build_world(scene)
    pose, radius = starting_poses(world), world.model.contacts.shape_value[:, at.SOLID.radius]
    apart = np.linalg.norm(pose[:, None, :3] - pose[None, :, :3], axis=-1) - np.add.outer(radius, radius)
    expected = {tuple(pair) for pair in np.argwhere(np.triu(apart < 0, 1))}
    assert {(one, other) for one, other, _ in starting_overlaps(world)} == expected


def test_a_heap_of_bodies_in_one_place_is_reported():
    """No list of all 720 000 pairs is made."""
    heap = body(BOX, 0, 0, 0, repeat={"line": 1200, "spacing": [1e-5, 0, 0]})
    reported = overlap_warnings(build_world(scene_of({"b": heap})))
    assert len(reported) == 6
    assert reported[-1] == "at least 49995 further pairs of shapes overlap at the start"


@pytest.mark.parametrize(("rate", "sinks"), [pytest.param(0.18, False, marks=pytest.mark.slow), (0.3, True)])
def test_what_a_prescribed_lever_presses_into_the_floor_is_reported(rate, sinks):
    """The tip of the lever pushes the ball down from z = 0.3; from 0.35 rad on the ball meets the floor."""
    bar = {"type": "box", "size": [0.8, 0.08, 0.08], "position": [0.4, 0, 0]}
    motion = {"hinge": {"axis": [0, 1, 0], "motor": {"angle": f"= {rate}*t"}}}
    guide = {"type": "bushing", "to": "world", "stiffness": [1e4, 1e4, 400], "damping": [100, 100, 20]}
    turns = {"inertia": {"principal": [0.05] * 3}}
    bodies = {
        "floor": {"shapes": [PLANE]},
        "lever": body(bar, 0, 0, 0.5, motion=motion, **turns),
        "ball": body(BALL | {"radius": 0.1}, 0.7, 0, 0.3, forces=[guide], **turns),
    }
    simulation = rigidsim.Simulation(scene_of(bodies, simulation={"duration": 1.4, "step": 1e-3, "record_every": 0.1}))
    simulation.step(1400)
    found = [warning for warning in simulation.warnings if "contact could not hold them apart" in warning]
    assert len(found) == sinks
    assert all(warning.startswith("ball.shapes[0] and floor.shapes[0] overlapped by 0.01") for warning in found)
