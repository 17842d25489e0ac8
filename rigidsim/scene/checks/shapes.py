"""What does not fit together in a body with shapes, and what in it is unwise."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from rigidsim.physics.mass import joined, principal_moments, unpacked
from rigidsim.physics.vector import norm, sub
from rigidsim.scene.hierarchy.findings import Finding, Node, nodes
from rigidsim.scene.hierarchy.mass import own_mass, solid_masses, solid_weights
from rigidsim.scene.schema.body import HEAVIEST, LIGHTEST
from rigidsim.scene.text.document import Path

if TYPE_CHECKING:
    from rigidsim.scene.scene import Scene
    from rigidsim.scene.schema.body import Body

SAME_PLACE = 1e-9
"""Relative to the reach of the shapes: a written centre of mass this near theirs is theirs."""
ROUNDING = 1e-9
"""How far, relatively, a radius of gyration may exceed the reach of the shapes: that of a thin ring is its radius."""


def mass_key(body: Body) -> str:
    """The key that gives a body its mass."""
    return next((key for key in ("mass", "density") if getattr(body, key) is not None), "shapes")


def shape_findings(node: Node) -> Iterator[Finding]:
    """Whether a body's mass, density and shapes contradict each other or leave something open."""
    body = node.body
    if body.mass is not None and body.density is not None:
        yield node.finding("mass", "both a mass and a density are given", "density", "leave one of them out")
    elif body.density is not None and not body.solids:
        hint = "give the body shapes, or a mass and an inertia instead"
        yield node.finding("mass", "a density needs shapes that enclose a volume", "density", hint)
    elif body.solids and body.has_mass:
        yield from _weight_findings(node) or _total_findings(node)


def _weight_findings(node: Node) -> list[Finding]:
    """Shapes that say nothing of their weight beside others that do."""
    body = node.body
    if body.density is not None or not any(solid.has_weight for solid in body.solids):
        return []
    hint = "give it one too, or give the body a density, or put it on a child without mass"
    message = "this shape has neither mass nor density, but others of this body have"
    weightless = [index for index, shape in enumerate(body.shapes) if not getattr(shape, "has_weight", True)]
    return [Finding("mass", message, (*node.path, "shapes", index), hint) for index in weightless]


def _total_findings(node: Node) -> list[Finding]:
    total = sum(solid_weights(node.body, node.metres_per_unit))
    if node.body.mass is None and not LIGHTEST <= total <= HEAVIEST:
        message = f"made of these shapes, the mass is {total:g} kg, not between {LIGHTEST:g} and {HEAVIEST:g} kg"
        return [node.finding("mass", message, mass_key(node.body))]
    if not 0 < total < math.inf:
        return [node.finding("mass", "the volume of these shapes is beyond the range of numbers", "shapes")]
    return []


def shape_notes(scene: Scene) -> Iterator[tuple[Path, str]]:
    """Each written centre of mass or inertia that is not the shapes', as (path, sentence)."""
    for node in nodes(scene):
        if node.body.has_mass and node.body.solids:
            yield from _center_notes(node)
            yield from _gyration_notes(node)


def _center_notes(node: Node) -> Iterator[tuple[Path, str]]:
    body = node.body
    if not node.given("center_of_mass"):
        return
    center = joined(solid_masses(body, node.metres_per_unit), node.metres_per_unit).center
    reach = max(solid.reach(center) for solid in body.solids)
    if norm(sub(center, body.center_of_mass)) > SAME_PLACE * reach:
        place = ", ".join(f"{part:.6g}" for part in center)
        yield (*node.path, "center_of_mass"), f"it is used instead of that of the shapes, [{place}]"


def _gyration_notes(node: Node) -> Iterator[tuple[Path, str]]:
    body = node.body
    if body.inertia is None or body.inertia.is_point:
        return
    mass, center, inertia = own_mass(body, node.metres_per_unit)
    gyration = math.sqrt(principal_moments(unpacked(inertia))[2] / mass)
    reach = node.metres_per_unit * max(solid.reach(center) for solid in body.solids)
    if gyration > reach * (1 + ROUNDING):
        message = f"the radius of gyration, {gyration:.6g} m, exceeds the reach of the shapes, {reach:.6g} m"
        yield (*node.path, "inertia"), message
