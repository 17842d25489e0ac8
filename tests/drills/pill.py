"""A pill has the mass of its closed form. It rebounds from a floor and is struck off its centre as the laws of impact
say. One that is too short is refused.
"""

import math

import numpy as np

import rigidsim

R, LENGTH, H, E, G = 0.1, 0.8, 0.5, 0.5, 9.81
PILL = {"type": "pill", "radius": R, "length": LENGTH, "density": 1000}
HALF = LENGTH / 2 - R


def scene(bodies: dict, gravity: float) -> rigidsim.Scene:
    """Bodies without friction that rebound with the same restitution."""
    material = {"restitution": E, "friction": 0}
    return rigidsim.Scene.from_dict({
        "format": "rigidsim/1",
        "simulation": {"duration": 0.6, "step": 1e-3, "record_every": 0.01},
        "world": {"gravity": [0, 0, -gravity]},
        "bodies": {name: {"material": material, **body} for name, body in bodies.items()},
    })  # fmt: skip


# It falls on its side, and rebounds: z = R + E sqrt(2 g h) (t - t_0) - g/2 (t - t_0)^2.
lying = {"angle": "90 deg", "axis": [0, 1, 0]}
floor = {"motion": "fixed", "shapes": [{"type": "plane"}]}
falling = {"shapes": [PILL | {"orientation": lying}], "position": [0, 0, H + R]}
found = rigidsim.simulate(scene({"floor": floor, "pill": falling}, G))
t = found.time - math.sqrt(2 * H / G)
expected = R + E * math.sqrt(2 * G * H) * t - G / 2 * t**2
assert np.abs(found["pill"].world.position[t > 0, 2] - expected[t > 0]).max() < 1e-12

# A ball strikes the middle of its upper half ball: P = (1 + E) v/(1/m + 1/M + HALF^2/I).
volume = math.pi * R**2 * 2 * HALF + 4 / 3 * math.pi * R**3
mass = 1000 * volume
ball_part, bar = 1000 * 4 / 3 * math.pi * R**3, 1000 * math.pi * R**2 * 2 * HALF
inertia = bar * (R**2 / 4 + HALF**2 / 3) + ball_part * (2 / 5 * R**2 + HALF**2 + 3 / 4 * R * HALF)
ball = {"shapes": [{"type": "sphere", "radius": R}], "mass": 2, "position": [1, 0, HALF], "velocity": [-4, 0, 0]}
found = rigidsim.simulate(scene({"ball": ball, "pill": {"shapes": [PILL]}}, 0))
P = (1 + E) * 4 / (1 / 2 + 1 / mass + HALF**2 / inertia)
assert abs(found["pill"].world.velocity[-1, 0] + P / mass) < 1e-12
assert abs(found["pill"].world.angular_velocity[-1, 1] + P * HALF / inertia) < 1e-11

try:
    scene({"pill": {"shapes": [PILL | {"length": 0.15}]}}, 0)
except rigidsim.SceneError as error:
    assert "smaller than the diameter of 0.2 m" in str(error) and "bodies.pill.shapes[0]" in str(error)
else:
    raise AssertionError("a pill that is too short was accepted")
