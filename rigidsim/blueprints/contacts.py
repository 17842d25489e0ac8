"""The shapes of a scene that can meet, and what they do when they touch, as plain data for a blueprint."""

from __future__ import annotations

import numpy as np

from rigidsim.containers.optional import not_none
from rigidsim.engine.assembly.blueprint import ContactPlan, ShapeRecord
from rigidsim.engine.assembly.meshes import TriangleSurface
from rigidsim.engine.model import contact_layout as at
from rigidsim.errors import Problem, SceneError
from rigidsim.physics.distances import HALF_SPACE, Core
from rigidsim.scene.hierarchy.collision_pairs import CollisionPairs
from rigidsim.scene.hierarchy.nodes import Hierarchy, SceneNode
from rigidsim.scene.schema.hulls import corners_of
from rigidsim.scene.schema.shapes import Triangulated
from rigidsim.scene.text.document import path_text

NO_MOTION = (0.0, 0.0, 0.0)
KEPT: dict[tuple, TriangleSurface] = {}
MOST_KEPT = 16


def contact_plan(hierarchy: Hierarchy) -> ContactPlan | None:
    """The contacts of a scene; None if there can be none. SceneError if the file of a mesh is missing."""
    if not any(node.body.shapes for node in hierarchy):
        return None
    collision_pairs = CollisionPairs(hierarchy)
    if not collision_pairs.is_on:
        return None
    surfaces = collision_pairs.surfaces
    shapes = [surfaces.shapes[k] for k in sorted(collision_pairs.met)]
    classes, of_shape = np.unique([shape.surface for shape in shapes], return_inverse=True)
    action, value = (surfaces.action[np.ix_(classes, classes)], surfaces.value[np.ix_(classes, classes)])
    has_planes = any(not_none(shape.core).kind == HALF_SPACE for shape in shapes)
    records = []
    for shape, number in zip(shapes, of_shape.tolist(), strict=True):
        core, triangles = not_none(shape.core), None
        if isinstance(shape.shape, Triangulated):
            triangles = triangles_of(shape.node, shape.number, shape.shape)
            core = _with_hull(core, triangles) if has_planes else core
        velocity = shape.shape.surface_velocity or NO_MOTION
        records.append(ShapeRecord(shape.node.index, shape.number, number, core, velocity, triangles))
    return ContactPlan(
        summary=collision_pairs.summary,
        substeps=collision_pairs.substeps,
        shapes=tuple(records),
        action=action.astype(np.int64),
        sleeps=collision_pairs.settings.sleep,
        value=np.ascontiguousarray(value.reshape(-1, at.MATERIAL.width)),
    )


def triangles_of(node: SceneNode, number: int, solid: Triangulated) -> TriangleSurface:
    """The triangles of a mesh; a file may be missing that a scene in a trajectory needs. `number` is that of the shape
    on its node.
    """
    found = _kept(solid)
    if found is None:
        path = path_text((*node.place, "shapes", number, "file"))
        message = f"'{solid.path}' cannot be read, or has changed since the scene was read"
        raise SceneError([Problem("mesh", message, path, hint="put the file back: contact needs its triangles")])
    return found


def _kept(solid: Triangulated) -> TriangleSurface | None:
    """The facets of a solid. They are kept, so that copies of a body share one tree, and later runs have it."""
    key = solid.source, tuple(map(float, solid.scale))
    if key not in KEPT:
        found = solid.collided()
        if found is None:
            return None
        while len(KEPT) >= MOST_KEPT:
            del KEPT[next(iter(KEPT))]
        KEPT[key] = TriangleSurface(*found, solid.is_two_sided)
    return KEPT[key]


def _with_hull(core: Core, triangles: TriangleSurface) -> Core:
    """The core with the corners of the convex hull of its triangles, with which it touches planes."""
    return core._replace(corners=tuple(map(tuple, corners_of(triangles.vertices).tolist())))
