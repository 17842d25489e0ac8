"""Scenes for the engine's tests, and how to compare motions."""

from __future__ import annotations

import numpy as np

import rigidsim
from rigidsim.physics.quaternion import conjugate, product

EPS = np.finfo(float).eps


def make_scene(bodies: dict, *, duration: float, step: float, integrator="rkmk4", **more) -> rigidsim.Scene:
    """A scene of these bodies; `gravity`, `plane`, `contacts`, `loops`, `contact`, `record_every`, `record` and
    `reparent` may be given.
    """
    world = {key: more[key] for key in ("gravity", "plane", "contacts", "loops") if key in more}
    simulation = {"duration": duration, "step": step, "integrator": integrator}
    simulation["record_every"] = more.get("record_every", duration)
    simulation |= {key: more[key] for key in ("contact", "record") if key in more}
    changes = {"reparent": more["reparent"]} if "reparent" in more else {}
    return rigidsim.Scene.from_dict(
        {"format": "rigidsim/1", "simulation": simulation, "world": world, "bodies": bodies} | changes
    )


def run(bodies: dict, **how) -> rigidsim.Trajectory:
    """Simulate these bodies."""
    return rigidsim.simulate(make_scene(bodies, **how))


def angle_between(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Angle of the rotation from p to q, rad, for quaternions (..., 4)."""
    off = np.array(product(conjugate(tuple(np.moveaxis(p, -1, 0))), tuple(np.moveaxis(q, -1, 0))))
    return 2 * np.arctan2(np.sqrt(np.sum(off[1:] ** 2, axis=0)), np.abs(off[0]))


def slopes(steps, errors) -> np.ndarray:
    """Observed orders between successive steps."""
    return np.diff(np.log(errors), axis=0).T / np.diff(np.log(steps))


def axis_angle(axis, angle: float) -> dict:
    """An orientation as a scene has it."""
    return {"axis": list(axis), "angle": angle}
