"""The strongest test of a hierarchy: a body traces the same world path whatever its parent does."""

from __future__ import annotations

import numpy as np
import pytest

from support.scenes import angle_between, axis_angle, run

DURATION, STEP = 10.0, 1e-3
AGREEMENT = 1e-9  # relative, over 10 s at 1 ms
GRAVITY = [0.3, -0.2, -1.5]
MOVING = {"velocity": [0.3, -0.4, 0.2], "acceleration": [0.05, 0.1, -0.04]}
SPINNING = {"angular_velocity": [0.3, -0.6, 0.9]}
SPINNING_UP = {**SPINNING, "angular_acceleration": [0.02, -0.04, 0.06]}
TILT = axis_angle((1, 2, 0.5), 0.7)


def probe(scale: float = 1.0) -> dict:
    """The body under test, with forces and torques in world axes and its start given in the world.

    Its position is where its parent's origin is, so every parent stands at the same place at the start.
    """
    relative = {"frame": "world", "relative_to": "world"}
    return {
        "mass": 2.0,
        "inertia": {"principal": [0.5, 0.8, 1.1], "orientation": axis_angle((0, 1, 1), 0.5)},
        "velocity": {**relative, "value": [1.0, 0.5, 2.0]},
        "angular_velocity": {**relative, "value": [0.7, -1.2, 0.4]},
        "forces": [
            {"force": [0.4, -0.3, 0.2], "frame": "world"},
            {"torque": [0.1, 0.2, -0.15], "frame": "world", "during": [1.0, 6.0]},
        ],
    }


def turned_back() -> dict:
    """The orientation that undoes TILT."""
    return axis_angle((1, 2, 0.5), -0.7)


def parents() -> dict[str, tuple[dict, str]]:
    """Name -> (bodies, path of the probe). The probe starts at the world's origin with no rotation in each."""

    def under(motion, **more):
        child = {**probe(), "orientation": turned_back()}
        return {"p": {"orientation": TILT, "motion": {"prescribed": motion}, **more, "children": {"b": child}}}

    tumbling = {
        "mass": 50.0,
        "inertia": {"principal": [3.0, 5.0, 6.0]},
        "center_of_mass": [0.3, 0.1, -0.2],
        "velocity": [0.2, 0.1, -0.3],
        "angular_velocity": {"frame": "body", "value": [0.4, 0.7, -0.3]},
        "gravity": False,
        "children": under(SPINNING_UP),
    }
    return {
        "world": ({"b": probe()}, "b"),
        "still": (under({}), "p/b"),
        "boosted": (under({"velocity": [3.0, -2.0, 1.0]}), "p/b"),
        "spinning": (under(SPINNING), "p/b"),
        "spinning and accelerating": (under({**MOVING, **SPINNING_UP}), "p/b"),
        "scaled": (under({**MOVING, **SPINNING}, scale=0.5), "p/b"),
        "three deep": ({"t": tumbling}, "t/p/b"),
    }


def world_path(name: str, step: float = STEP, record_every: float = 0.1, duration: float = DURATION):
    bodies, path = parents()[name]
    trajectory = run(bodies, duration=duration, step=step, record_every=record_every, gravity=GRAVITY)
    return trajectory[path].world


@pytest.fixture(scope="module")
def in_the_world():
    return world_path("world")


@pytest.mark.parametrize("name", [name for name in parents() if name != "world"])
def test_same_world_path(name, in_the_world):
    found = world_path(name)
    for quantity in ("position", "velocity", "angular_velocity"):
        a, b = getattr(found, quantity), getattr(in_the_world, quantity)
        # Measured: 2.8e-12 three deep, 9e-13 and less for the others.
        assert np.linalg.norm(a - b, axis=1).max() <= AGREEMENT * np.linalg.norm(b, axis=1).max(), quantity
    assert angle_between(found.orientation, in_the_world.orientation).max() <= AGREEMENT
