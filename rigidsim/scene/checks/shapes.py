"""Checks of the masses and densities of a body with shapes."""

from __future__ import annotations

import math
from collections.abc import Iterator

from rigidsim.physics.mass import total_of
from rigidsim.scene.checks.findings import Finding, finding_at
from rigidsim.scene.hierarchy.mass import solid_weights
from rigidsim.scene.hierarchy.nodes import SceneNode
from rigidsim.scene.schema.body import HEAVIEST, LIGHTEST, Body


def mass_key(body: Body) -> str:
    """The key that gives a body its mass."""
    return next((key for key in ("mass", "density") if getattr(body, key) is not None), "shapes")


def shape_findings(node: SceneNode) -> Iterator[Finding]:
    """Contradictory or incomplete combinations of a body's mass, density and shapes."""
    body = node.body
    if body.mass is not None and body.density is not None:
        yield finding_at(node, "mass", "both a mass and a density are given", "density", "omit one of them")
    elif body.density is not None and not body.solids:
        hint = "give the body shapes, or a mass and an inertia instead"
        yield finding_at(node, "mass", "a density needs shapes that enclose a volume", "density", hint)
    elif body.solids and body.has_mass:
        yield from _weight_findings(node) or _total_findings(node)


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
    total = total_of(solid_weights(node.body, node.metres_per_unit))
    if node.body.mass is None and not LIGHTEST <= total <= HEAVIEST:
        message = f"made of these shapes, the mass is {total:g} kg, not between {LIGHTEST:g} and {HEAVIEST:g} kg"
        return [finding_at(node, "mass", message, mass_key(node.body))]
    if not 0 < total < math.inf:
        return [finding_at(node, "mass", "the volume of these shapes is outside the range of float64", "shapes")]
    return []
