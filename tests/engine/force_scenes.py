"""Bodies and short runs for tests of forces, and what must not change in them."""

from __future__ import annotations

import numpy as np

import rigidsim
from every_kind import reordered
from support.scenes import axis_angle

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
SPRING = {"type": "spring", "at": [0.4, 0, 0.1], "to_at": [0, -0.3, 0.2], "stiffness": 6.0, "length": 0.8}
TORSION = {"type": "torsion_spring", "stiffness": 1.5, "rest": axis_angle((1, 0, 1), 0.4)}
STIFF = {"stiffness": [9, 4, 14], "torsion_stiffness": [1.5, 3, 0.7]}
DAMPED = {"damping": [0.3, 0.6, 0.1], "torsion_damping": [0.1, 0.05, 0.2]}
BUSHING = {"type": "bushing", "at": [0.4, 0, 0.1], "to_at": [0, -0.3, 0.2], **STIFF, "rest": axis_angle((1, 0, 1), 0.4)}


def moving(motion: dict, child: dict, **more) -> dict:
    """A prescribed frame with one child, `b`."""
    return {"motion": {"prescribed": motion}, **more, "children": {"b": child}}


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


def in_hierarchies() -> dict[str, tuple[dict, str]]:
    """The same two bodies, tied by springs and dragged: b is in the world, or in a frame at the world's origin."""
    still = {"frame": "world", "relative_to": "world"}
    forces = [
        {**SPRING, "to": "anchor", "damping": 0.2},
        {**TORSION, "to": "anchor", "damping": 0.1},
        {"type": "drag", "linear": 0.1, "quadratic": 0.05, "medium": "anchor", "at": [0.1, 0.2, 0]},
        {"type": "thruster", "thrust": 0.3, "direction": [1, 1, 0], "throttle": "= 0.5 + 0.5*sin(3*t)"},
        {"type": "gravity", "acceleration": [0.1, 0, -0.2], "frame": "anchor"},
        {"type": "point_gravity", "center": [0, 0, -9], "gm": 4, "j2": 0.1, "radius": 2},
        {"type": "gravity_gradient", "center": "anchor", "gm": 2},
        {"force": ['= -x("self", "world")', '= v_y("anchor", "world")', 0], "frame": "world"},
    ]
    probe = {**BRICK, "velocity": {**still, "value": [1.0, 0.5, 0.2]}, "forces": forces}
    probe |= {"angular_velocity": {**still, "value": [0.7, -1.2, 0.4]}}
    anchor = {**BRICK, "mass": 9.0, "position": [1.2, 0.3, -0.5]}

    def under(motion: dict, scale: float = 1.0) -> tuple[dict, str]:
        child = {**probe, "orientation": axis_angle((1, 2, 0.5), -0.7), "scale": 1 / scale}
        return {"anchor": anchor, "p": moving(motion, child, orientation=TILT, scale=scale)}, "p/b"

    expressed = {"orientation": {"axis": [0.3, 1, 0.2], "angle": "= 0.5*sin(2*t)"}, "position": ["= 0.1*t^2", 0, 0]}
    ship = {**BRICK, "mass": 50.0, "gravity": False, "children": under({**SPIN})[0]["p"]["children"]}
    return {
        "world": ({"anchor": anchor, "b": probe}, "b"),
        "still": under({}),
        "spinning": under({**SPIN, "angular_acceleration": [0.02, -0.04, 0.06]}),
        "accelerating": under({"velocity": [3, -2, 1], "acceleration": [0.5, 1, -0.4]}),
        "scaled": under({**SPIN, "velocity": [0.3, 0, 0]}, 0.5),
        "expressed": under(expressed),
        "tumbling": ({"anchor": anchor, "p": {**ship, "orientation": TILT}}, "p/b"),
    }


def every_law(variation: float = 0.0) -> dict:
    """A scene with every law; another variation is another world of the same structure."""
    s = 1 + 0.1 * variation
    bodies, _ = in_hierarchies()["expressed"]
    anchor = {**bodies["anchor"], "mass": 9.0 * s}
    anchor["forces"] = [
        {"type": "damper", "to": "p/b", "damping": 0.2 * s, "during": [0.05, 0.1237]},
        {"type": "torsion_spring", "to": "p/b", "stiffness": 0.8 * s, "axis": [1, 0, s], "during": [0.1, 0.2]},
        {**BUSHING, **DAMPED, "to": "p/b", "stiffness": [9 * s, 4, 14]},
        {"force": [f"= {s}*sin(t)", 1, 0], "torque": [0, "= -omega_y", s], "at": [s, 0, 0], "frame": "p"},
    ]
    anchor["impulses"] = [{"time": 0.1503, "impulse": [s, 0, 0], "at": [0, 1, 0]}]
    rate_driven = {"angular_velocity": [0, f"= {s}*sin(5*t)", 0], "velocity": ["= t", 0, s]}
    return {
        **bodies,
        "anchor": anchor,
        "q": moving(rate_driven, {**BRICK, "position": [3, s, 0], "velocity": [s, 0, 0]}),
    }


WORLD = {"gravity": {"center": "q", "gm": 2.0}, "mutual_gravity": {"constant": 0.5, "bodies": ["anchor", "p/b", "q/b"]}}


def laws(variation: float = 0.0, is_reordered: bool = False, **more) -> rigidsim.Scene:
    """Every law, impulses, attraction."""
    bodies = every_law(variation)
    how = {"duration": 0.3, "step": 0.01, "world": WORLD} | more
    return scene_of(reordered(bodies) if is_reordered else bodies, **how)
