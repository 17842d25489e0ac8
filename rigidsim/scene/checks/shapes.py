"""Checks of shapes: masses and densities; groups that do not exist, shapes that cannot collide, too many surfaces."""

from __future__ import annotations

import math
from collections.abc import Iterator

from rigidsim.containers.optional import not_none
from rigidsim.errors import did_you_mean
from rigidsim.physics.distances import MESH
from rigidsim.physics.mass import total_of
from rigidsim.scene.checks.findings import Finding, finding_at, incapable
from rigidsim.scene.hierarchy.collision_pairs import CollisionPairs, beyond_events, shapes_beyond_events
from rigidsim.scene.hierarchy.mass import solid_weights
from rigidsim.scene.hierarchy.nodes import Hierarchy, SceneNode
from rigidsim.scene.schema.body import HEAVIEST, LIGHTEST, Body
from rigidsim.scene.schema.material import Groups
from rigidsim.scene.schema.meshes import degenerate_of
from rigidsim.scene.schema.record import CONTACTS
from rigidsim.scene.schema.shapes import Triangulated, described
from rigidsim.scene.text.document import Path, shown


def mass_key(body: Body) -> str:
    """The key that gives a body its mass."""
    return next((key for key in ("mass", "density") if getattr(body, key) is not None), "shapes")


def shape_findings(_: Hierarchy, node: SceneNode) -> Iterator[Finding]:
    """Contradictory or incomplete combinations of a body's mass, density and shapes."""
    body = node.body
    if body.mass is not None and body.density is not None:
        yield finding_at(node, "mass", "both a mass and a density are given", "density", "omit one of them")
    elif body.density is not None and not body.solids:
        hint = "give the body shapes, or a mass and an inertia instead"
        yield finding_at(node, "mass", "a density needs shapes that enclose a volume", "density", hint)
    elif body.has_mass and (flawed := [*_flaw_findings(node)]):
        yield from flawed
    elif body.solids and body.has_mass and not any(solid.flaw() for solid in body.solids):
        yield from _weight_findings(node) or _total_findings(node)


def _flaw_findings(node: SceneNode) -> Iterator[Finding]:
    """Shapes that enclose no volume, but are to give their body mass or inertia."""
    body = node.body
    for index, shape in enumerate(body.shapes):
        flaw = shape.flaw() if shape in body.solids else None
        if flaw and (body.inertia is None or body.density is not None or body.mass is None):
            message, hint = flaw
            key = ("file",) if shape.type == "mesh" else ()
            yield Finding("mesh", message, (*node.place, "shapes", index, *key), hint or NO_VOLUME)


NO_VOLUME = "close the surface, or give the body a mass and an inertia"


def _weight_findings(node: SceneNode) -> list[Finding]:
    """Shapes without mass and density next to others that have one."""
    body = node.body
    if body.density is not None or not any(solid.has_weight for solid in body.solids):
        return []
    hint = "give it one, too, or give the body a density, or put it on a child without mass"
    message = "this shape has neither mass nor density, but others of this body have"
    weightless = [index for index, shape in enumerate(body.shapes) if not getattr(shape, "has_weight", True)]
    return [Finding("mass", message, (*node.place, "shapes", index), hint) for index in weightless]


def _total_findings(node: SceneNode) -> list[Finding]:
    total = total_of(solid_weights(node.body, node.metres))
    if node.body.mass is None and not LIGHTEST <= total <= HEAVIEST:
        message = f"made of these shapes, the mass is {total:g} kg, not between {LIGHTEST:g} and {HEAVIEST:g} kg"
        return [finding_at(node, "mass", message, mass_key(node.body))]
    if not 0 < total < math.inf:
        return [finding_at(node, "mass", "the volume of these shapes is outside the range of float64", "shapes")]
    return []


MOST_SURFACES = 1000
"""Of which each two have values of their own: a million."""
MOST_NAMED = 10
SMALLEST, LARGEST = 1e-50, 1e50
"""Bounds of the half sizes and radii of what collides, m: products of several are finite and do not vanish."""


def group_findings(hierarchy: Hierarchy) -> Iterator[Finding]:
    """Every group to collide with to which nothing belongs."""
    given = list(_groups(hierarchy))
    known = dict.fromkeys(groups.group for _, groups in given if groups.group is not None)
    for place, groups in given:
        for index, name in enumerate(getattr(groups, "with") or ()):
            if name not in known:
                yield Finding(
                    "group", f"there is no group '{shown(name)}'", (*place, "with", index), _hint(name, known)
                )


def _groups(hierarchy: Hierarchy) -> Iterator[tuple[Path, Groups]]:
    for node in hierarchy:
        if isinstance(node.body.collide, Groups):
            yield (*node.place, "collide"), node.body.collide
        for index, shape in enumerate(node.body.shapes):
            if isinstance(shape.collide, Groups):
                yield (*node.place, "shapes", index, "collide"), shape.collide


def _hint(name: str, known: dict[str, None]) -> str:
    if not known:
        return "no shape has a group; write collide: {group: name} there"
    named = [*map(shown, list(known)[:MOST_NAMED]), *["..."][: len(known) > MOST_NAMED]]
    return did_you_mean(name, map(shown, known), f"there are: {', '.join(named)}")


def contact_findings(hierarchy: Hierarchy) -> Iterator[Finding]:
    """Shapes that cannot collide although contact is asked for; too many surfaces. The scene is valid otherwise."""
    collision_pairs = CollisionPairs(hierarchy)
    record = hierarchy.scene.simulation.record or ()
    if CONTACTS in record and not collision_pairs.is_on:
        message = "there are no contacts to record: no two shapes can touch, or contact is switched off"
        hint = "omit it, or give the bodies shapes and set simulation.contact"
        yield Finding("record", message, ("simulation", "record", record.index(CONTACTS)), hint)
    if collision_pairs.is_on and not hierarchy.scene.simulation.has_step:
        message = "shapes can touch, and contact is computed in steps of a given length"
        yield Finding("missing-key", message, ("simulation",), "give simulation.step, or write contact: off")
    count = len(collision_pairs.surfaces.all)
    if collision_pairs.settings.mode != "off" and count > MOST_SURFACES:
        message = f"the shapes have {count} different materials and groups, at most {MOST_SURFACES} are possible"
        yield Finding("contact", message, ("bodies",), "use the same values for many bodies")
    for shape in (collision_pairs.surfaces.shapes[k] for k in sorted(collision_pairs.met)):
        metres, core = shape.node.metres, not_none(shape.core)
        is_sized = all(SMALLEST < metres * size < LARGEST for size in core.sizes)
        if not is_sized or not all(metres * abs(part) < LARGEST for part in core.position):
            what = "position" if is_sized else "size"
            bounds = f"below {LARGEST:g} m" if is_sized else f"between {SMALLEST:g} and {LARGEST:g} m"
            message = f"the {what} of the shape is not {bounds}, so it cannot collide"
            yield Finding("contact", message, (*shape.node.place, "shapes", shape.number), "write collide: false here")
    yield from _mesh_findings(collision_pairs)
    yield from _tree_findings(hierarchy, collision_pairs)
    if collision_pairs.mode == "events":
        yield from _events_findings(hierarchy, collision_pairs)
    for shape in (collision_pairs.surfaces.shapes[k] for k in sorted(collision_pairs.unsupported)):
        hint = "write collide: false here or in an entry of world.contacts, or simulation.contact: off"
        place = (*shape.node.place, "shapes", shape.number)
        message = f"{described(shape.shape)} can touch others, but cannot collide in this version"
        yield Finding("collide", message, place, hint)


def _mesh_findings(collision_pairs: CollisionPairs) -> Iterator[Finding]:
    """Meshes that cannot collide: with triangles without an area; open ones with others, without a thickness."""
    shapes = collision_pairs.surfaces.shapes
    meshes = [shapes[k] for k in sorted(collision_pairs.met) if not_none(shapes[k].core).kind == MESH]
    for shape in meshes:
        found = shape.shape.triangles() if isinstance(shape.shape, Triangulated) else None
        place = (*shape.node.place, "shapes", shape.number)
        flaw = None if found is None else degenerate_of(*found)
        if flaw:
            yield Finding("mesh", flaw[0], (*place, "file"), flaw[1])
    for shape in (shapes[k] for k in sorted(collision_pairs.sheets)):
        message = (
            f"{described(shape.shape)} is open and has no radius, and can touch a surface of triangles without one"
        )
        hint = "give one of them a radius, or write collide: false in an entry of world.contacts"
        yield Finding("collide", message, (*shape.node.place, "shapes", shape.number), hint)


def _events_findings(hierarchy: Hierarchy, collision_pairs: CollisionPairs) -> Iterator[Finding]:
    """What `contact: events` has no law for."""
    method, stepping = hierarchy.scene.simulation.integrator, "write contact: stepping"
    if not method.holds_contacts:
        yield incapable(method, "holds_contacts", "locate the events of contacts", f", or {stepping}")
    why = beyond_events(hierarchy, collision_pairs)
    if why:
        message = f"contact: events does not support {why}"
        yield Finding("contact", message, ("simulation", "contact"), stepping)
    for shape, what in shapes_beyond_events(hierarchy, collision_pairs):
        place = (*shape.node.place, "shapes", shape.number)
        yield Finding("contact", what, place, f"{stepping}, or collide: false here")


def _tree_findings(hierarchy: Hierarchy, collision_pairs: CollisionPairs) -> Iterator[Finding]:
    """Bodies on joints that cannot touch others: without mass, or moved by a method that contact cannot correct."""
    shapes, method = list(collision_pairs.in_trees()), hierarchy.scene.simulation.integrator
    if shapes and not method.touches_trees:
        what = f"move bodies on joints that touch others, such as '{shapes[0].node.path}'"
        yield incapable(method, "touches_trees", what, ", or write contact: off")
    for shape in shapes:
        body = hierarchy.moved_base(shape.node)
        if body is not None and not hierarchy.weight(body):
            place, message = (
                (*shape.node.place, "shapes", shape.number),
                f"'{body.path}' has no mass, so it cannot collide",
            )
            yield Finding("contact", message, place, "give it a mass, or write collide: false here")
