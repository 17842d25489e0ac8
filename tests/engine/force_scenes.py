"""Bodies and short runs for tests of forces, and what must not change in them."""

from __future__ import annotations

import numpy as np

import rigidsim
from scenes import axis_angle

FINE = (0.01, 0.005, 0.0025)
TILT = axis_angle((1, 2, 0.5), 0.7)
SPIN = {"angular_velocity": [0.3, -0.6, 0.9]}
BRICK = {
    "mass": 2.0,
    "inertia": {"principal": [0.5, 0.8, 1.1], "orientation": axis_angle((0, 1, 1), 0.5)},
    "center_of_mass": [0.2, -0.1, 0.3],
    "velocity": [0.3, 0.5, -0.2],
    "angular_velocity": [0.4, 1.1, -0.7],
}
BALL = {"mass": 1.0, "inertia": {"principal": [0.5, 0.5, 0.5]}}


def scene_of(bodies: dict, duration: float, step: float = 1e-3, **more) -> rigidsim.Scene:
    every = more.pop("record_every", step)
    simulation = {"duration": duration, "step": step, "record_every": every}
    return rigidsim.Scene.from_dict({"format": "rigidsim/1", "simulation": simulation, "bodies": bodies, **more})


def run(bodies: dict, duration: float, step: float = 1e-3, **more) -> rigidsim.Trajectory:
    return rigidsim.simulate(scene_of(bodies, duration, step, **more))


def changes(trajectory: rigidsim.Trajectory) -> tuple[float, float, float]:
    """The largest since the start, of linear momentum, angular momentum and energy less work."""
    ledger = (trajectory.diagnostic("linear_momentum"), trajectory.angular_momentum, trajectory.total_energy[:, None])
    return tuple(np.linalg.norm(part - part[0], axis=1).max() for part in ledger)
