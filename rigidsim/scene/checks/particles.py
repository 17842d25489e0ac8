"""Checks of the mass of a free body with its parts: valid inertia, and no torque on a particle."""

from __future__ import annotations

from collections.abc import Iterator

from rigidsim.physics.mass import Placement, inertia_fault, unpacked
from rigidsim.scene.checks.findings import Finding, finding_at
from rigidsim.scene.hierarchy.mass import MassProperties, carried_mass, own_center, own_mass
from rigidsim.scene.hierarchy.nodes import Hierarchy, SceneNode, fixed_parts
from rigidsim.scene.text.document import Path
from rigidsim.scene.values.rotation import Vector

NO_ROTATION = "a particle does not rotate"
MOVED = "moved from the origin to the centre of mass"
POINT_TOLERANCE = 1e-12
"""Relative to the lengths involved: a force this near the centre of mass acts at it."""


def mass_findings(node: SceneNode) -> Iterator[Finding]:
    """Problems with the inertia of a body, and with that of a free body together with its parts."""
    body = node.body
    if body.has_mass and (body.inertia is None or body.inertia.about == "origin"):
        fault = inertia_fault(unpacked(own_mass(body, node.metres_per_unit).inertia))
        if fault:
            key, made = ("shapes", "made of these shapes") if body.inertia is None else ("inertia", MOVED)
            yield finding_at(node, "inertia", f"{made}, {fault[0]}", key, fault[1])
            return
    if node.kind != "free":
        return
    carried = carried_mass(body, node.metres_per_unit)
    if carried.is_point:
        yield from _particle_findings(node, carried)
    elif _has_parts(node):
        fault = inertia_fault(tuple(map(tuple, carried.inertia.tolist())))
        if fault:
            yield finding_at(node, "inertia", f"together with the parts fixed to it, {fault[0]}", "inertia", fault[1])


def _has_parts(node: SceneNode) -> bool:
    return any(child.kind == "fixed" for child in node.body.children.values())


def _particle_findings(node: SceneNode, carried: MassProperties) -> Iterator[Finding]:
    if any(node.body.angular_velocity.start):
        yield finding_at(node, "inertia", f"{NO_ROTATION}: it cannot have an angular velocity", "angular_velocity")
    for names, part, placement in fixed_parts(node.body):
        path = node.place + tuple(key for name in names for key in ("children", name))
        own = placement.point(own_center(part, node.metres_per_unit * placement.scale))
        for key in ("forces", "impulses"):
            for index, load in enumerate(getattr(part, key)):
                place = (*path, key, index)
                at = getattr(load, "at", None)
                point = own if at is None else placement.point(at)
                yield from _load_on_particle(place, load, _coincide(point, carried.center_of_mass))


def _particle_parts(node: SceneNode) -> Iterator[tuple[str, tuple[Placement, Vector, Vector]]]:
    """The parts of a particle, by path: placement, the centre of mass of the whole, and its own."""
    if node.kind != "free":
        return
    carried = carried_mass(node.body, node.metres_per_unit)
    if carried.is_point:
        center = carried.center_of_mass
        for names, part, placement in fixed_parts(node.body):
            own = placement.point(own_center(part, node.metres_per_unit * placement.scale)) if names else center
            yield "/".join((node.path, *names)), (placement, center, own)


def reaction_findings(hierarchy: Hierarchy) -> Iterator[Finding]:
    """Loads that would apply a torque to a particle at their other end."""
    central = {path: place for node in hierarchy for path, place in _particle_parts(node)}
    for node in hierarchy:
        for index, load in enumerate(node.body.forces):
            place = (*node.place, "forces", index)
            if getattr(load, "to", None) not in central:
                continue
            placement, center, own = central[load.to]
            if load.kind.twists:
                yield Finding("inertia", f"'{load.to}' is a particle, which does not rotate", (*place, "to"))
            elif not _coincide(own if load.to_at is None else placement.point(load.to_at), center):
                message = f"'{load.to}' is a particle, on which a force must act at its centre of mass"
                key = "to" if load.to_at is None else "to_at"
                yield Finding("inertia", message, (*place, key), at_key=load.to_at is not None)


def _load_on_particle(place: Path, load: object, is_central: bool) -> Iterator[Finding]:
    load_kind = getattr(load, "kind", None)  # of a force; an impulse has none
    if load_kind is not None and load_kind.twists:
        yield Finding("inertia", f"{NO_ROTATION}: a torque cannot act on it", place)
        return
    for key in ("torque", "angular_impulse"):
        if any(getattr(load, key, ())):
            yield Finding("inertia", f"{NO_ROTATION}: an angular impulse cannot act on it", (*place, key), at_key=True)
    if not is_central and hasattr(load, "at") and any(getattr(load, "force", getattr(load, "impulse", (True,)))):
        message = f"{NO_ROTATION}: a force must act at its centre of mass"
        yield Finding("inertia", message, (*place, "at"), "omit 'at'", at_key=True)


def _coincide(a: Vector, b: Vector) -> bool:
    reach = max(map(abs, (*a, *b)))
    return all(abs(x - y) <= POINT_TOLERANCE * reach for x, y in zip(a, b, strict=True))
