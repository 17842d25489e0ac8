"""Checks of loads: whether they act on bodies that can move, whether their other bodies are valid, and whether the mass
of a free body with its parts can take them.
"""

from __future__ import annotations

from collections.abc import Iterator

from rigidsim.containers.optional import not_none
from rigidsim.engine.laws.declaration import CENTER, END, MEDIUM, TANK
from rigidsim.physics.mass import Placement, inertia_fault, unpacked
from rigidsim.scene.checks.findings import Finding, finding_at
from rigidsim.scene.hierarchy.nodes import Hierarchy, SceneNode
from rigidsim.scene.text.document import Path
from rigidsim.scene.values.rotation import Vector


def load_findings(hierarchy: Hierarchy, node: SceneNode) -> Iterator[Finding]:
    """Forces and impulses on bodies that cannot move."""
    for key, name in (("forces", "a force"), ("impulses", "an impulse")):
        if getattr(node.body, key) and hierarchy.moved_base(node) is None:
            base = "prescribed motion" if hierarchy.base(node) else "world"
            message = f"{name} has no effect here: the {base} holds this body"
            yield finding_at(node, "force", message, key, "put it on a free or jointed body, or on a part of one")
    if node.body.inherit_impulses and node.kind != "free":
        yield finding_at(node, "motion", "only a free body can inherit impulses", "inherit_impulses", "omit it")


def source_findings(hierarchy: Hierarchy) -> Iterator[Finding]:
    """Gravity-gradient torques without a source, and loads between a body and itself."""
    for node in hierarchy:
        for index, force in enumerate(node.body.forces):
            place, world = (*node.place, "forces", index), hierarchy.scene.world.source
            takes_world = force.kind.takes_world and force.center is None
            if takes_world and world is None:
                hint = "give 'center' and 'gm' here, or world: {gravity: {center: ..., gm: ...}}"
                yield Finding("gravity", "there is no point source of gravity for this gradient", place, hint)
            for key in force.kind.keys:
                value, where = getattr(force, key.name), (*place, key.name)
                if key.form in (END, MEDIUM) and value == node.path:
                    yield Finding(
                        "force",
                        f"this is the body itself; a {force.type} between a body and itself has no effect",
                        where,
                    )
                tank = hierarchy.get(value) if key.form == TANK else None
                if tank is not None and not (tank.joint and tank.joint.is_tank):
                    hint = f"write motion: tank at '{value}'; what does not flow is the mass of its parent"
                    yield Finding("force", f"'{value}' is {tank.kind}, not on a tank joint", where, hint)
                if key.form == CENTER:
                    source = world and world.center if takes_world else value
                    center = hierarchy.get(source) if isinstance(source, str) else None
                    if center is not None and hierarchy.base(center) is hierarchy.base(node):
                        where, hint = place if takes_world else where, "choose another body, or a point"
                        yield Finding("gravity", "a body does not attract itself", where, hint)


def mutual_findings(hierarchy: Hierarchy) -> Iterator[Finding]:
    """Groups of mutual gravity with invalid members, or with masses that change."""
    mutual = hierarchy.scene.world.mutual_gravity
    tank = next((node for node in hierarchy if node.joint and node.joint.is_tank), None)
    if mutual is not None and tank is not None:
        message = f"the mass of the tank '{tank.path}' changes; mutual gravity takes constant masses in this version"
        yield Finding("gravity", message, ("world", "mutual_gravity"), "use point_gravity of a body as its center")
    if mutual is None or mutual.bodies is None:
        return
    above = ("world", "mutual_gravity", "bodies")
    first = {path: index for index, path in reversed([*enumerate(mutual.bodies)])}
    for index, path in enumerate(mutual.bodies):
        if path in hierarchy and not hierarchy[path].is_moved():
            hint = "mutual gravity acts between free bodies and bodies on joints"
            yield Finding("gravity", f"'{path}' is not moved by forces", (*above, index), hint)
        elif first[path] < index:
            yield Finding("gravity", f"'{path}' occurs twice", (*above, index), "omit one of the two")
    if len(mutual.bodies) < 2:
        yield Finding(
            "gravity",
            "mutual gravity needs at least two bodies",
            above,
            "without 'bodies' all free bodies and all on joints attract each other",
        )


NO_ROTATION = "a particle does not rotate"
MOVED = "moved from the origin to the centre of mass"
POINT_TOLERANCE = 1e-12
"""Relative to the lengths involved: a force this near the centre of mass acts at it."""


def mass_findings(hierarchy: Hierarchy, node: SceneNode) -> Iterator[Finding]:
    """Problems with the inertia of a body, and with that of a free body together with its parts."""
    body = node.body
    if body.has_mass and (body.inertia is None or body.inertia.about == "origin"):
        fault = inertia_fault(unpacked(not_none(node.mass).inertia))
        if fault:
            key, made = ("shapes", "made of these shapes") if body.inertia is None else ("inertia", MOVED)
            yield finding_at(node, "inertia", f"{made}, {fault[0]}", key, fault[1])
            return
    if not node.is_moved():
        return
    mass, fault = hierarchy.composite(node)
    if mass.is_point and node.is_free():
        yield from _particle_findings(hierarchy, node)
    elif fault:
        yield finding_at(node, "inertia", f"together with the parts fixed to it, {fault[0]}", "inertia", fault[1])


def _particle_findings(hierarchy: Hierarchy, node: SceneNode) -> Iterator[Finding]:
    if any(node.body.angular_velocity.start):
        yield finding_at(node, "inertia", f"{NO_ROTATION}: it cannot have an angular velocity", "angular_velocity")
    center = hierarchy.composite(node).mass.center
    for part in hierarchy.parts(node):
        placement = hierarchy.placements[part.index]
        for key in ("forces", "impulses"):
            for index, load in enumerate(getattr(part.body, key)):
                point = placement.point(getattr(load, "at", None) or part.center)
                yield from _load_on_particle((*part.place, key, index), load, _coincide(point, center))


def _particle_parts(hierarchy: Hierarchy, node: SceneNode) -> Iterator[tuple[str, tuple[Placement, Vector, Vector]]]:
    """The parts of a particle, by path: placement, the centre of mass of the whole, and its own."""
    mass, _ = hierarchy.composite(node)
    for part in hierarchy.parts(node) if mass.is_point else ():
        placement = hierarchy.placements[part.index]
        yield part.path, (placement, mass.center, mass.center if part is node else placement.point(part.center))


def reaction_findings(hierarchy: Hierarchy) -> Iterator[Finding]:
    """Loads that would apply a torque to a particle at their other end."""
    central = {path: place for node in hierarchy.free() for path, place in _particle_parts(hierarchy, node)}
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
