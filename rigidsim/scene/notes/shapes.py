"""Warnings about a given centre of mass or inertia that differs from that of the body's shapes."""

from __future__ import annotations

import math
from collections.abc import Iterator

from rigidsim.physics.mass import joined, principal_moments, unpacked
from rigidsim.physics.vector import norm, sub
from rigidsim.scene.hierarchy.mass import own_mass, solid_masses
from rigidsim.scene.hierarchy.nodes import Hierarchy, SceneNode
from rigidsim.scene.text.document import Path

SAME_PLACE = 1e-9
"""Tolerance relative to the reach of the shapes: a given centre of mass this close to theirs is treated as equal."""
ROUNDING = 1e-9
"""Tolerance by which a radius of gyration may exceed the reach of the shapes; for a thin ring the two are equal."""


def shape_notes(hierarchy: Hierarchy) -> Iterator[tuple[Path, str]]:
    """Each given centre of mass or inertia that differs from that of the shapes, as (path, sentence)."""
    for node in hierarchy:
        if node.body.has_mass and node.body.solids:
            yield from _center_notes(node)
            yield from _gyration_notes(node)


def _center_notes(node: SceneNode) -> Iterator[tuple[Path, str]]:
    body = node.body
    if not node.given("center_of_mass"):
        return
    center = joined(solid_masses(body, node.metres_per_unit), node.metres_per_unit).center
    reach = max(solid.reach(center) for solid in body.solids)
    if norm(sub(center, body.center_of_mass)) > SAME_PLACE * reach:
        place = ", ".join(f"{part:.6g}" for part in center)
        yield (*node.place, "center_of_mass"), f"it is used instead of that of the shapes, [{place}]"


def _gyration_notes(node: SceneNode) -> Iterator[tuple[Path, str]]:
    body = node.body
    if body.inertia is None or body.inertia.is_point:
        return
    mass, center, inertia = own_mass(body, node.metres_per_unit)
    gyration = math.sqrt(principal_moments(unpacked(inertia))[2] / mass)
    reach = node.metres_per_unit * max(solid.reach(center) for solid in body.solids)
    if gyration > reach * (1 + ROUNDING):
        message = f"the radius of gyration, {gyration:.6g} m, exceeds the reach of the shapes, {reach:.6g} m"
        yield (*node.place, "inertia"), message
