"""Checks of the mass that a free body carries: whether it can rotate, and whether it is made to although it cannot."""

from __future__ import annotations

from collections.abc import Iterator

from rigidsim.scene.findings import Finding, Node
from rigidsim.scene.inertia import inertia_fault
from rigidsim.scene.mass import MassProperties, carried_mass, fixed_parts, own_inertia
from rigidsim.scene.rotation import Vector

NO_ROTATION = "a particle does not rotate"
POINT_TOLERANCE = 1e-12
"""Relative to the lengths involved: a force this near the centre of mass acts at it."""


def mass_findings(node: Node) -> Iterator[Finding]:
    """What is wrong with the inertia of a body that may have a mass, and with that of what it carries."""
    body = node.body
    if body.mass is not None and body.inertia.about == "origin":
        fault = inertia_fault(own_inertia(body, node.metres_per_unit))
        if fault:
            message = f"moved from the origin to the centre of mass, {fault[0]}"
            yield node.finding("inertia", message, "inertia", fault[1])
            return
    if body.kind != "free":
        return
    carried = carried_mass(body, node.metres_per_unit)
    if carried.is_point:
        yield from _particle_findings(node, carried)
    elif _has_parts(node):
        fault = inertia_fault(tuple(map(tuple, carried.inertia.tolist())))
        if fault:
            yield node.finding("inertia", f"together with what is fixed to it, {fault[0]}", "inertia", fault[1])


def _has_parts(node: Node) -> bool:
    return any(child.kind == "fixed" for child in node.body.children.values())


def _particle_findings(node: Node, carried: MassProperties) -> Iterator[Finding]:
    if any(node.body.angular_velocity.value):
        yield node.finding("inertia", f"{NO_ROTATION}: it cannot have an angular velocity", "angular_velocity")
    for names, part, placement in fixed_parts(node.body):
        path = node.path + tuple(key for name in names for key in ("children", name))
        for index, force in enumerate(part.forces):
            place = (*path, "forces", index)
            if any(force.torque):
                yield Finding("inertia", f"{NO_ROTATION}: it cannot take a torque", (*place, "torque"), at_key=True)
            point = placement.point(part.center_of_mass if force.at is None else force.at)
            if any(force.force) and not _coincide(point, carried.center_of_mass):
                message = f"{NO_ROTATION}: a force must act at its centre of mass"
                yield Finding("inertia", message, (*place, "at"), "leave 'at' out", at_key=True)


def _coincide(a: Vector, b: Vector) -> bool:
    reach = max(map(abs, (*a, *b)))
    return all(abs(x - y) <= POINT_TOLERANCE * reach for x, y in zip(a, b, strict=True))
