"""Which scenes contact by events is for: what it has no law for, and where `contact: auto` chooses it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Protocol

from rigidsim.physics.contact import COLLIDES, IGNORED
from rigidsim.physics.distances import BOX, CURVED, CYLINDER, ELLIPSOID, HALF_SPACE, POINT, TRACED
from rigidsim.scene.hierarchy.nodes import Hierarchy
from rigidsim.scene.hierarchy.surfaces import SurfacedShape, Surfaces
from rigidsim.scene.schema.material import MATERIAL
from rigidsim.scene.schema.shapes import described
from rigidsim.scene.schema.simulation import ContactSettings
from rigidsim.tree.nodes import Tree

MOST_PLACES = 8
"""Contacts that can bear loads at once with `contact: events`."""


class Meetings(Protocol):
    """What is asked of the contacts of a run (`meetings.py`)."""

    settings: ContactSettings
    surfaces: Surfaces
    pairs: set[tuple[int, int]]
    met: set[int]

    def in_trees(self) -> Iterator[SurfacedShape]:
        """The shapes that can meet others, and are part of a tree of joints or held by a loop."""


def beyond_events(hierarchy: Hierarchy, meetings: Meetings) -> str:
    """What of the whole scene `contact: events` does not support; empty if it supports all."""
    surfaces, rolling = meetings.surfaces, [*MATERIAL].index("rolling_friction")
    jointed = [node for tree in hierarchy.history for node in tree.nodes if node.joint is not None]
    if hierarchy.scene.world.plane is not None:
        return "scenes with world.plane"
    if jointed:
        return f"joints, such as that of '{jointed[0].path}'"
    if held := next(meetings.in_trees(), None):
        return f"bodies that loops hold, such as '{held.node.path}'"
    if any(surfaces.action[pair] != COLLIDES for pair in meetings.pairs):
        return "sensors"
    return "rolling friction" if any(surfaces.value[pair][rolling] > 0 for pair in meetings.pairs) else ""


def shapes_beyond_events(hierarchy: Hierarchy, meetings: Meetings) -> Iterator[tuple[SurfacedShape, str]]:
    """The shapes that it does not support, and why."""
    for shape in met_shapes(meetings):
        if shape.core.kind not in TRACED:
            yield shape, f"contact: events does not follow the point of contact on {described(shape.shape)}"
        elif any(_rides(tree, shape.node.index) for tree in hierarchy.history):
            yield shape, "contact: events does not support a shape that moves as prescribed on a body that forces move"
        elif shape.core.kind in CURVED and _meets_solid(hierarchy, meetings, shape):
            yield shape, f"with contact: events {described(shape.shape)} can touch planes alone"


def why_stepping(hierarchy: Hierarchy, meetings: Meetings) -> str:
    """Why `contact: auto` does not choose events; empty if it does."""
    method, n_shape = hierarchy.scene.simulation.integrator, len(meetings.met)
    if not method.holds_contacts:
        return f"{method.name} does not locate the events of contacts"
    if meetings.settings.substeps is not None:
        return "substeps are given"
    if n_shape > 2 * MOST_PLACES:
        return f"{n_shape} shapes can meet"
    if what := beyond_events(hierarchy, meetings):
        return f"contact: events does not support {what}"
    if found := next(shapes_beyond_events(hierarchy, meetings), None):
        return found[1]
    for shape in met_shapes(meetings):
        is_moved = any(tree.carrier(tree.nodes[shape.node.index]) is not None for tree in hierarchy.history)
        if shape.core.kind == CYLINDER or (shape.core.kind == BOX and is_moved):
            return f"{described(shape.shape)} of '{shape.node.path}' can lie on a face"
    count = max(_most_places(tree, meetings) for tree in hierarchy.history)
    return f"{count} places can bear loads at once" if count > MOST_PLACES else ""


def met_shapes(meetings: Meetings) -> list[SurfacedShape]:
    """The shapes that can meet others at some time."""
    return [meetings.surfaces.shapes[k] for k in sorted(meetings.met)]


def _most_places(tree: Tree, meetings: Meetings) -> int:
    """The number of places that can touch at once: two of a capsule and what is not round, one of all others."""
    return sum(
        1 if {POINT, ELLIPSOID} & {one.core.kind, other.core.kind} else 2
        for one, other in combinations(met_shapes(meetings), 2)
        if _meet(tree, meetings, one, other)
    )


def _meet(tree: Tree, meetings: Meetings, one: SurfacedShape, other: SurfacedShape) -> bool:
    """Whether two shapes can meet, of which forces move one at least."""
    nodes = [tree.nodes[shape.node.index] for shape in (one, other)]
    is_moved = any(tree.carrier(node) is not None for node in nodes)
    are_apart = tree.leader(nodes[0]) is not tree.leader(nodes[1])
    return is_moved and are_apart and meetings.surfaces.action[one.surface, other.surface] != IGNORED


def _meets_solid(hierarchy: Hierarchy, meetings: Meetings, shape: SurfacedShape) -> bool:
    """Whether a shape can meet another one than a plane."""
    others = [other for other in met_shapes(meetings) if other.core.kind != HALF_SPACE]
    action = meetings.surfaces.action
    return any(
        action[shape.surface, other.surface] != IGNORED
        and tree.leader(tree.nodes[shape.node.index]) is not tree.leader(tree.nodes[other.node.index])
        for tree in hierarchy.history
        for other in others
    )


def _rides(tree: Tree, index: int) -> bool:
    """Whether a node moves as prescribed relative to a body that forces move."""
    node = tree.nodes[index]
    return tree.carrier(node) is None and any(above.is_moved() for above in tree.lineage(node))
