"""Scenes to draw."""

from __future__ import annotations

import rigidsim

BOUNCING = {
    "format": "rigidsim/1",
    "simulation": {"duration": 1.5, "step": 0.005},
    "world": {"gravity": [0, 0, -9.81]},
    "bodies": {
        "floor": {"motion": "fixed", "shapes": [{"type": "plane"}]},
        "ball_0": {"mass": 1, "position": [0, 0, 1], "shapes": [{"type": "sphere", "radius": 0.1}]},
        "ball_1": {"mass": 1, "position": [1, 0, 0.5], "shapes": [{"type": "sphere", "radius": 0.1}]},
        "$kg_{1}$": {"mass": 1, "inertia": "point", "position": [5, 0, 0], "gravity": False,
                     "impulses": [{"time": 0.5, "impulse": [1, 0, 0], "name": "a_$kick"}]},
        "_hidden": {"mass": 1, "inertia": {"principal": [1, 1, 1]}, "position": [6, 0, 0], "velocity": [0, 1, 0],
                    "gravity": False},
    },
}  # fmt: skip


def made(scene: dict, **options) -> rigidsim.Trajectory:
    """The history of a scene."""
    return rigidsim.simulate(rigidsim.Scene.from_dict(scene), **options)
