"""Planar scenes: what would leave the plane that `world.plane` locks the bodies to."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from rigidsim.physics.quaternion import product, rotate_back
from rigidsim.physics.vector import cross, dot, norm
from rigidsim.scene.document import Path
from rigidsim.scene.findings import Finding
from rigidsim.scene.rotation import IDENTITY, Quaternion, Vector

if TYPE_CHECKING:
    from rigidsim.scene.scene import Scene
    from rigidsim.scene.schema import Body

IN_PLANE = 1e-9
"""How far, relatively, a vector may be out of the plane, or a rate off its normal."""
HINT = "in a planar scene bodies move in the plane and turn about its normal"


def plane_findings(scene: Scene) -> Iterator[Finding]:
    """Every velocity out of the plane, and every rate about another axis than its normal."""
    normal = scene.world.normal
    if normal is None:
        return
    waiting = [(("bodies", name), body, IDENTITY) for name, body in reversed(scene.bodies.items())]
    while waiting:
        path, body, q_WP = waiting.pop()
        q_WB = product(q_WP, body.orientation)
        yield from _body_findings(path, body, normal, q_WP, q_WB)
        waiting.extend(((*path, "children", name), child, q_WB) for name, child in reversed(body.children.items()))


def _body_findings(path: Path, body: Body, normal: Vector, q_WP: Quaternion, q_WB: Quaternion) -> Iterator[Finding]:
    owner, place = (body.prescribed, (*path, "motion", "prescribed")) if body.prescribed else (body, path)
    turns = {"parent": q_WP, "body": q_WB, "world": IDENTITY}
    for key in ("velocity", "acceleration", "angular_velocity", "angular_acceleration"):
        vector = getattr(owner, key, None)
        if vector is None:
            continue
        along = rotate_back(turns[vector.frame], normal)
        size = math.hypot(*vector.start)
        if key.startswith("angular"):
            if norm(cross(along, vector.start)) > IN_PLANE * size:
                yield Finding("plane", f"this {key} is not about the normal of the plane", (*place, key), HINT)
        elif abs(dot(along, vector.start)) > IN_PLANE * size:
            yield Finding("plane", f"this {key} leaves the plane", (*place, key), HINT)
