"""A ball and a box that move without forces, so that every pose is known; and the same above a floor."""

from __future__ import annotations

import rigidsim

BODY = {"mass": 1, "inertia": {"principal": [1, 1, 1]}}
RADIUS = 0.1
SPHERE = {"type": "sphere", "radius": RADIUS}
BALL = {**BODY, "position": [0.5, 0.2, 0.3], "velocity": [-1, 0.5, 0.2], "shapes": [SPHERE]}
BRICK = {
    **BODY,
    "position": [-0.6, 0.1, 0.4],
    "angular_velocity": [0, 0, 3],
    "shapes": [{"type": "box", "size": [0.3, 0.2, 0.1]}],
}
SCENE = {
    "format": "rigidsim/1",
    "title": "A ball and a brick",
    "simulation": {"duration": 1, "step": 0.01, "record_every": 0.1, "contact": "off"},
    "bodies": {"ball": BALL, "brick": BRICK},
}
FLOOR = {"motion": "fixed", "shapes": [{"type": "plane"}]}


def history(**bodies):
    """The trajectory of the scene, with other bodies as well."""
    return rigidsim.simulate(rigidsim.Scene.from_dict(SCENE | {"bodies": SCENE["bodies"] | bodies}))
