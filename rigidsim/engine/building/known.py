"""Motions that follow from a scene alone, at any time: of fixed and prescribed nodes relative to their parents."""

from __future__ import annotations

import json
from functools import lru_cache

import numpy as np

from rigidsim.engine import layout
from rigidsim.engine.building.bodies import InitialBody, written_bodies
from rigidsim.engine.building.driven import driven_motion, jet_of
from rigidsim.engine.building.initial import prescribed_constants
from rigidsim.errors import FormatError, SceneError
from rigidsim.physics.prescribed import prescribed_position, prescribed_rotation, prescribed_velocity
from rigidsim.physics.vector import scaled
from rigidsim.scene import Scene

ZERO = (0.0, 0.0, 0.0)
Columns = dict[str, tuple]
"""Components by quantity: position, orientation, velocity, angular_velocity; numbers, or columns of a time axis."""


def scene_from(resolved: str) -> Scene:
    """The scene of a trajectory, from its resolved form. Raises FormatError if it is invalid."""
    try:
        return Scene.from_dict(json.loads(resolved))
    except (SceneError, ValueError):
        raise FormatError("the trajectory is damaged: scene/resolved is not a valid scene") from None


class KnownMotions:
    """The fixed and prescribed nodes of a scene at t = 0. A node that is reparented moves so until then."""

    def __init__(self, scene: Scene):
        self._bodies = {body.path: body for body in written_bodies(scene) if body.kind != "free"}

    def of(self, path: str, time: np.ndarray | float) -> Columns:
        """The motion of a node relative to its parent at some times (s), in the parent's axes and units of length: the
        stepper's bits. Empty for a free node; without the pose of one of which the rates are expressions, because the
        stepper accumulates it.
        """
        body = self._bodies.get(path)
        if body is None:
            return {}
        if body.kind == "fixed":
            return {"position": body.position, "orientation": body.orientation, "velocity": ZERO,
                    "angular_velocity": ZERO}  # fmt: skip
        return {**_from_constants(body, time), **_from_expressions(body, time)}


def _from_constants(body: InitialBody, t: np.ndarray | float) -> Columns:
    """What constants give, of a prescribed node."""
    row, motion, found = prescribed_constants(body), body.spec.prescribed, {}
    three = {
        first: tuple(map(float, row[first : first + 3]))
        for first in (layout.M_P, layout.M_V, layout.M_A, layout.M_AXIS)
    }
    v_0, a_0 = three[layout.M_V], three[layout.M_A]
    if not motion.velocity.varies:
        found["position"] = prescribed_position(three[layout.M_P], v_0, a_0, t)
        found["velocity"] = prescribed_velocity(v_0, a_0, t)
    if not motion.angular_velocity.varies:
        q_0 = tuple(map(float, row[layout.M_Q : layout.M_Q + 4]))
        axis, rate, rate_dot = three[layout.M_AXIS], float(row[layout.M_RATE]), float(row[layout.M_RATE_DOT])
        found["orientation"] = prescribed_rotation(q_0, axis, rate, rate_dot, t)
        found["angular_velocity"] = scaled(rate + rate_dot * t, axis)
    return found


def _from_expressions(body: InitialBody, t: np.ndarray | float) -> Columns:
    """What expressions of time give, of a prescribed node."""
    motion, found = body.spec.prescribed, {}
    path, turned = driven_motion(body.spec, t)
    if path is not None:
        found["position"], found["velocity"], _ = path
    if turned is not None:
        found["orientation"], found["angular_velocity"], _ = turned
    for quantity in ("velocity", "angular_velocity"):
        given = getattr(motion, quantity)
        if given.varies:
            found[quantity] = tuple(jet_of(part, t)[0] for part in given.value)
    return found


@lru_cache(maxsize=4)
def known_motions(resolved: str) -> KnownMotions:
    """The known motions of the scene of a trajectory, from its resolved form."""
    return KnownMotions(scene_from(resolved))
