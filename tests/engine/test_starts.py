"""What the scene's warnings take the bodies' motion at the start to be is what the first sample shows."""

from __future__ import annotations

import numpy as np
import pytest

from random_trees import random_tree
from rigidsim.scene import Scene
from rigidsim.scene.hierarchy.start import Starts
from support.scenes import make_scene, run

TILT = {"axis": [1, 2, 3], "angle": 1.1}
SOLID = {"mass": 1, "inertia": {"principal": [1, 1.2, 1.4]}, "position": [1, 2, 3], "orientation": TILT}
DRIVES = [
    {"velocity": {"frame": "body", "value": [1, 2, 3]}, "angular_velocity": {"frame": "body", "value": [3, 2, 1]}},
    {"velocity": ["= 1 + t", "= cos(t)", 2], "angular_velocity": ["= 1 + t", 0, "= 2*cos(t)"]},
    {"position": ["= 1 + 2*t", 0, "= sin(t)"], "orientation": {"euler": ["= 1 + t", "= 2*t", 0.3], "order": "xyz"}},
    {"orientation": {"euler": ["= 1 + t", "= 2*t", "= 3*t"], "order": "ZXZ"}, "velocity": [1, 0, 0]},
    {"orientation": {"axis": [0, 0, 1], "angle": "= 1 + t"}, "velocity": {"frame": "body", "value": [1, 0, 0]}},
]
FREE = [
    {key: {"value": [1, 2, 3], "frame": frame, "relative_to": to} for key in ("velocity", "angular_velocity")}
    for frame in ("parent", "body", "world")
    for to in ("parent", "world")
]


def framed_trees() -> list[dict]:
    """A free body and a particle below each kind of drive, in each way to write velocities, with scales."""
    particle = {"mass": 1, "inertia": "point", "position": [0, 0, 1]}
    return [
        {
            "a": {
                "motion": {"prescribed": drive},
                "orientation": TILT,
                "scale": 2,
                "children": {"b": SOLID | FREE[i % len(FREE)] | {"scale": 3, "children": {"c": particle}}},
            }
        }
        for i, drive in enumerate(DRIVES * 2)
    ]


TREES = framed_trees() + [random_tree(seed)[0] for seed in range(6)]


@pytest.mark.parametrize("bodies", TREES)
def test_starts_are_the_first_sample(bodies):
    how = {"duration": 0.001, "step": 0.001}
    scene: Scene = make_scene(bodies, **how)
    trajectory, starts = run(bodies, **how), Starts(scene.hierarchy)
    for path, _, _ in scene.walk():
        start, sample = starts[scene.hierarchy[path].frame], trajectory[path].world
        # Sums of a few vectors of some 1e3 m at most, after scales of 3 a level.
        scale = 1e-12 * (1 + np.abs(sample.position[0]).max() + np.abs(sample.velocity[0]).max())
        assert start.p == pytest.approx(sample.position[0], abs=scale)
        assert start.v == pytest.approx(sample.velocity[0], abs=scale)
        assert start.omega == pytest.approx(sample.angular_velocity[0], abs=1e-12)
        assert abs(np.dot(start.q, sample.orientation[0])) == pytest.approx(1, abs=1e-14)
