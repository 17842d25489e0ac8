"""Checks of planar scenes: motions out of the plane that `world.plane` locks the bodies to."""

from __future__ import annotations

from collections.abc import Iterator

from rigidsim.containers.columns import hypot
from rigidsim.physics.vector import cross, dot, norm
from rigidsim.scene.checks.findings import Finding
from rigidsim.scene.expressions import Expression
from rigidsim.scene.hierarchy.nodes import Hierarchy, SceneNode
from rigidsim.scene.schema.prescription import PrescribedMotion
from rigidsim.scene.text.document import Path
from rigidsim.scene.values.rotation import Vector, three_numbers
from rigidsim.scene.values.vectors import at_time
from rigidsim.tree.joints import Joint

IN_PLANE = 1e-9
"""Relative tolerance for a vector out of the plane, or a rate about another axis than the normal."""
TRIED = (0.0, 0.1, 0.37, 1.3, 4.7, 17.0)
"""Times, s, at which a motion that is a function of time is evaluated."""
HINT = "in a planar scene bodies move in the plane and rotate about its normal"


def plane_findings(hierarchy: Hierarchy) -> Iterator[Finding]:
    """Every velocity out of the plane, and every rate about another axis than its normal."""
    normal = hierarchy.scene.world.normal
    for node in hierarchy:
        if normal is None:
            return
        above = hierarchy.parent(node)
        yield from _body_findings(node, {"world": normal, "parent": above.normal if above else normal})
        yield from _joint_findings(node)


def _body_findings(node: SceneNode, normals: dict[str, Vector]) -> Iterator[Finding]:
    """Functions of time are evaluated at some instants: a general proof is not possible."""
    motion = node.body.prescribed
    owner, place = (motion, (*node.place, "motion", "prescribed")) if motion else (node.body, node.place)
    normals["body"] = node.normal
    for key in ("velocity", "acceleration", "angular_velocity", "angular_acceleration"):
        vector = getattr(owner, key, None)
        if vector is not None:
            n = normals[vector.frame]
            tried = [three_numbers(at_time(vector.value, t)) for t in TRIED] if vector.varies else [vector.start]
            fault = "is not about the normal of" if key.startswith("angular") else "leaves"
            if any(_strays(n, each, key.startswith("angular")) for each in tried):
                yield Finding("plane", f"this {key} {fault} the plane", (*place, key), HINT)
    if motion:
        yield from _pose_findings(motion, place, normals["parent"])


def _joint_findings(node: SceneNode) -> Iterator[Finding]:
    """A joint that could move the body out of the plane. Turns about the normal leave it where it is in the body."""
    if node.joint is not None:
        yield from joint_in_plane(node.joint, node.normal, (*node.place, "motion", node.joint.type))


def joint_in_plane(joint: Joint, normal: Vector, place: Path) -> Iterator[Finding]:
    """A joint, written at this place, that could move a body out of the plane, of which the normal in its axes is
    given.
    """
    if joint.has_attitude:
        hint = "in a planar scene write motion: {hinge: {axis: ...}}, with the normal as its axis"
        yield Finding("plane", f"a {joint.type} joint turns about all axes", place, hint)
    elif any(
        (one.turns and _strays(normal, one.axis, True)) or (one.slides and _strays(normal, one.axis, False))
        for one in joint.coordinates
    ):
        hint = "in a planar scene joints turn about the normal, and slide across it"
        yield Finding("plane", f"this {joint.type} joint moves the body out of the plane", place, hint)


def _strays(n: Vector, vector: Vector, is_rate: bool) -> bool:
    """Whether a velocity leaves the plane of this normal, or a rate is about another axis."""
    off = norm(cross(n, vector)) if is_rate else abs(dot(n, vector))
    return off > IN_PLANE * hypot(*vector)


def _pose_findings(motion: PrescribedMotion, place: Path, n: Vector) -> Iterator[Finding]:
    if motion.position is not None:
        places = [at_time(motion.position, t) for t in TRIED]
        heights, reach = [dot(n, p) for p in places], max(abs(part) for p in places for part in p)
        if max(heights) - min(heights) > IN_PLANE * reach:
            yield Finding("plane", "this position leaves the plane", (*place, "position"), HINT)
    for axis, angle in motion.orientation.turns if motion.orientation else ():
        if isinstance(angle, Expression) and norm(cross(n, axis)) > IN_PLANE:
            yield Finding("plane", "this rotation is not about the normal of the plane", (*place, "orientation"), HINT)
