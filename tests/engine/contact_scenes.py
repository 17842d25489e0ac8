"""Bodies that touch, for the tests of contact: fixed sub-steps, no optional part of a model, so one compiled kernel."""

from __future__ import annotations

import numpy as np

import rigidsim
from rigidsim.physics.quaternion import conjugate, product, rotate
from support.scenes import make_scene

G = 9.81
DOWN = [0, 0, -G]
STEPPING = {"mode": "stepping", "substeps": 4}


def surface(restitution: float = 0.0, friction: float = 0.5, rolling: float = 0.0) -> dict:
    """A material. A pair has the geometric mean of the frictions, and the larger of the other two."""
    return {"material": {"restitution": restitution, "friction": friction, "rolling_friction": rolling}}


def floor(**material) -> dict:
    """The half space below z = 0."""
    return {"shapes": [{"type": "plane"}]} | surface(**material)


def ball(radius: float = 0.1, mass: float = 1.0, at=(0, 0, 0), **more) -> dict:
    """A homogeneous sphere; `restitution`, `friction`, `rolling`, and keys of a body."""
    return _solid({"type": "sphere", "radius": radius}, mass, at, more)


def block(size=(1, 1, 1), mass: float = 1.0, at=(0, 0, 0), **more) -> dict:
    """A homogeneous box."""
    return _solid({"type": "box", "size": list(size)}, mass, at, more)


def rod(radius: float = 0.1, length: float = 1.0, mass: float = 1.0, at=(0, 0, 0), **more) -> dict:
    """A homogeneous capsule along z."""
    return _solid({"type": "capsule", "radius": radius, "length": length}, mass, at, more)


def _solid(shape: dict, mass: float, at, more: dict) -> dict:
    material = {key: more.pop(key) for key in ("restitution", "friction", "rolling") if key in more}
    return {"mass": mass, "shapes": [shape], "position": list(map(float, at))} | surface(**material) | more


def touching(bodies: dict, *, gravity=DOWN, contact=STEPPING, **how) -> rigidsim.Scene:
    """A scene of bodies that collide."""
    return make_scene(bodies, gravity=gravity, contact=contact, **how)


def collide(bodies: dict, **how) -> rigidsim.Trajectory:
    """Simulate them."""
    return rigidsim.simulate(touching(bodies, **how))


def tilted(angle: float) -> dict:
    """An orientation about y: x points down a slope of this angle."""
    return {"axis": [0, 1, 0], "angle": angle}


def written_under(parent: dict, position, velocity, orientation=(1, 0, 0, 0), rate=(0, 0, 0)) -> dict:
    """Keys of a child, not larger or smaller than it is, that give it this motion in the world at t = 0.

    The parent is a child of the world with `position`, `orientation` (wxyz) and `scale`, as far as it has them.
    """
    turn, scale = tuple(parent.get("orientation", {}).get("wxyz", (1, 0, 0, 0))), parent.get("scale", 1.0)
    apart = np.subtract(position, parent.get("position", (0, 0, 0)))
    return {
        "position": [float(c) / scale for c in rotate(conjugate(turn), tuple(apart))],
        "orientation": {"wxyz": [float(c) for c in product(conjugate(turn), tuple(orientation))]},
        "velocity": {"frame": "world", "relative_to": "world", "value": list(map(float, velocity))},
        "angular_velocity": {"frame": "world", "relative_to": "world", "value": list(map(float, rate))},
        "scale": 1.0 / scale,
    }


def turn(random: np.random.Generator) -> tuple[float, ...]:
    """A random unit quaternion."""
    q = random.normal(size=4)
    return tuple(map(float, q / np.linalg.norm(q)))
