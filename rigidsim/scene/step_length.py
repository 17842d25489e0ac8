"""A step that is too long for the fastest turn or the stiffest spring in the scene."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rigidsim.physics.quaternion import rotate
from rigidsim.scene.document import Path
from rigidsim.scene.findings import nodes
from rigidsim.scene.forces import Spring, TorsionSpring
from rigidsim.scene.inertia import principal_moments
from rigidsim.scene.mass import MassProperties, carried_mass, fixed_parts
from rigidsim.scene.prescribed_notes import fastest, has_free
from rigidsim.scene.references import node_path
from rigidsim.scene.rotation import Quaternion, Vector

if TYPE_CHECKING:
    from rigidsim.scene.scene import Scene
    from rigidsim.scene.schema import Body

LARGEST_TURN = 0.5
"""Radians a step, of a body or of a spring's phase: there `rkmk4` errs by some 1e-4 rad a turn, and the others by far
more.
"""
ADVISED_TURN = 0.1


def step_notes(scene: Scene) -> Iterator[tuple[Path, str]]:
    """Each body that turns more than LARGEST_TURN a step, at the start or by its prescribed motion, and each frame and
    each spring that swings through more, with a step that would do.
    """
    step = scene.simulation.step
    for node in nodes(scene):
        rate, swaying = math.hypot(*node.body.angular_velocity.start), 0.0
        if node.body.prescribed is not None:
            rate, swaying = fastest(node.body.prescribed, scene.simulation.duration)
        if rate * step > LARGEST_TURN:
            turn = math.degrees(rate * step)
            advised = ADVISED_TURN / rate
            yield node.path, f"a step of {step:g} s turns it by {turn:.3g} degrees; {advised:.1g} s would follow it"
        elif swaying * step > LARGEST_TURN and has_free(node.body):
            message = f"a step of {step:g} s is long for a motion that changes its speed within {1 / swaying:.3g} s"
            yield node.path, f"{message}; {ADVISED_TURN / swaying:.1g} s would follow it"
    for path, rate in _swings(scene):
        if rate * step > LARGEST_TURN:
            period, advised = 2 * math.pi / rate, ADVISED_TURN / rate
            message = f"a step of {step:g} s is long for a spring with a period of {period:.3g} s"
            yield path, f"{message}; {advised:.1g} s would follow it"


def _swings(scene: Scene) -> Iterator[tuple[Path, float]]:
    """Each spring and its rate, rad/s, as if it turned nothing that it pulls, and moved nothing that it turns."""
    springs = [
        (node, index, force)
        for node in nodes(scene)
        for index, force in enumerate(node.body.forces)
        if isinstance(force, Spring | TorsionSpring)
    ]
    carrier = _carriers(scene) if springs else {}
    carried = cache(lambda path: carried_mass(*carrier[path].free))
    for node, index, force in springs:
        ends = [carrier[path] for path in (node_path(node.path), force.to) if path in carrier]
        if len({end.path for end in ends}) < len(ends):
            yielding = 0.0  # within one body
        elif isinstance(force, Spring):
            yielding = sum(1 / carried(end.path).mass for end in ends)
        else:
            axes = (force.axis, None)  # an axis is this body's
            yielding = sum(_turned_by(carried(end.path), end.turn, axis)
                           for end, axis in zip(ends, axes, strict=False))  # fmt: skip
        yield (*node.path, "forces", index), math.sqrt(force.stiffness * yielding)


class _Carrier(NamedTuple):
    """The free body, with its unit of length in metres, that carries a part, and how the part is turned in it."""

    path: str
    free: tuple[Body, float]
    turn: Quaternion


def _carriers(scene: Scene) -> dict[str, _Carrier]:
    found = {}
    for node in nodes(scene):
        if node.body.kind == "free":
            top = node_path(node.path)
            for names, _, placement in fixed_parts(node.body):
                found["/".join((top, *names))] = _Carrier(top, (node.body, node.metres_per_unit), placement.rotation)
    return found


def _turned_by(mass: MassProperties, turn: Quaternion, axis: Vector | None) -> float:
    """The angular acceleration about an axis by a unit torque about it, 1/(kg m^2); at most, if there is no axis."""
    if mass.is_point:
        return 0.0
    if axis is None:
        return 1 / principal_moments(tuple(map(tuple, mass.inertia.tolist())))[0]
    u = rotate(turn, tuple(part / math.hypot(*axis) for part in axis))
    return float(np.dot(u, np.linalg.solve(mass.inertia, u)))
