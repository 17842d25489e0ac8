"""Checks of planar scenes: motions out of the plane that `world.plane` locks the bodies to."""

from __future__ import annotations

from collections.abc import Iterator

from rigidsim.physics.quaternion import product, rotate_back
from rigidsim.physics.vector import cross, dot, norm
from rigidsim.scene.checks.findings import Finding
from rigidsim.scene.expressions import Expression
from rigidsim.scene.hierarchy.nodes import Hierarchy, SceneNode
from rigidsim.scene.schema.body import Body
from rigidsim.scene.text.document import Path
from rigidsim.scene.values.rotation import IDENTITY, Quaternion, Vector
from rigidsim.scene.values.vectors import at_time
from rigidsim.structures.columns import hypot

IN_PLANE = 1e-9
"""Relative tolerance for a vector out of the plane, or a rate about another axis than the normal."""
TRIED = (0.0, 0.1, 0.37, 1.3, 4.7, 17.0)
"""Times, s, at which a motion that is a function of time is evaluated."""
HINT = "in a planar scene bodies move in the plane and rotate about its normal"


def plane_findings(hierarchy: Hierarchy) -> Iterator[Finding]:
    """Every velocity out of the plane, and every rate about another axis than its normal."""
    normal = hierarchy.scene.world.normal
    if normal is None:
        return
    q_W: dict[SceneNode | None, Quaternion] = {None: IDENTITY}
    for node in hierarchy:
        q_WP = q_W[node.parent]
        q_W[node] = product(q_WP, node.body.orientation)
        yield from _body_findings(node.place, node.body, normal, q_WP, q_W[node])


def _expressed_findings(path: Path, body: Body, normal: Vector, q_WP: Quaternion) -> Iterator[Finding]:
    """Poses and rates that are functions of time, tested at some instants: a general proof is not possible."""
    motion, n_P = body.prescribed, rotate_back(q_WP, normal)
    place = (*path, "motion", "prescribed")
    if motion.position is not None:
        heights = [dot(n_P, at_time(motion.position, t)) for t in TRIED]
        reach = max(max(map(abs, at_time(motion.position, t))) for t in TRIED)
        if max(heights) - min(heights) > IN_PLANE * reach:
            yield Finding("plane", "this position leaves the plane", (*place, "position"), HINT)
    velocities = [at_time(motion.velocity.value, t) for t in TRIED] if motion.velocity.varies else []
    if any(abs(dot(n_P, v)) > IN_PLANE * norm(v) for v in velocities):
        yield Finding("plane", "this velocity leaves the plane", (*place, "velocity"), HINT)
    if motion.angular_velocity.varies:
        rates = [at_time(motion.angular_velocity.value, t) for t in TRIED]
        if any(norm(cross(n_P, omega)) > IN_PLANE * norm(omega) for omega in rates):
            message = "this angular_velocity is not about the normal of the plane"
            yield Finding("plane", message, (*place, "angular_velocity"), HINT)
    for axis, angle in motion.orientation.turns if motion.orientation else ():
        if isinstance(angle, Expression) and norm(cross(n_P, axis)) > IN_PLANE:
            yield Finding("plane", "this rotation is not about the normal of the plane", (*place, "orientation"), HINT)


def _body_findings(path: Path, body: Body, normal: Vector, q_WP: Quaternion, q_WB: Quaternion) -> Iterator[Finding]:
    if body.prescribed:
        yield from _expressed_findings(path, body, normal, q_WP)
    owner, place = (body.prescribed, (*path, "motion", "prescribed")) if body.prescribed else (body, path)
    turns = {"parent": q_WP, "body": q_WB, "world": IDENTITY}
    for key in ("velocity", "acceleration", "angular_velocity", "angular_acceleration"):
        vector = getattr(owner, key, None)
        if vector is None:
            continue
        along = rotate_back(turns[vector.frame], normal)
        size = hypot(*vector.start)
        if key.startswith("angular"):
            if norm(cross(along, vector.start)) > IN_PLANE * size:
                yield Finding("plane", f"this {key} is not about the normal of the plane", (*place, key), HINT)
        elif abs(dot(along, vector.start)) > IN_PLANE * size:
            yield Finding("plane", f"this {key} leaves the plane", (*place, key), HINT)
