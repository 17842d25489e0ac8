"""The shapes of a scene that can meet, and what they do when they touch, as plain data for a blueprint."""

from __future__ import annotations

import numpy as np

from rigidsim.engine.assembly.blueprint import ContactPlan, ShapeRecord
from rigidsim.engine.assembly.tree import Tree
from rigidsim.engine.contact import columns as at
from rigidsim.scene import Scene
from rigidsim.scene.hierarchy.meetings import Meetings
from rigidsim.scene.hierarchy.surfaces import SurfacedShape

KINDS = {"sphere": at.SPHERE, "capsule": at.CAPSULE, "box": at.BOX, "plane": at.PLANE}
NO_MOTION = (0.0, 0.0, 0.0)


def contact_plan(scene: Scene, tree: Tree) -> ContactPlan | None:
    """The contacts of a scene; None if there can be none."""
    meetings = Meetings(scene)
    if not meetings.is_on:
        return None
    surfaces = meetings.surfaces
    shapes = [surfaces.shapes[k] for k in sorted(meetings.met)]
    classes = np.array(sorted({shape.surface for shape in shapes}))
    action, value = (surfaces.action[np.ix_(classes, classes)], surfaces.value[np.ix_(classes, classes)])
    return ContactPlan(
        summary=meetings.summary,
        substeps=meetings.substeps,
        shapes=tuple(_record(shape, tree, int(np.searchsorted(classes, shape.surface))) for shape in shapes),
        action=action.astype(np.int64),
        value=np.ascontiguousarray(value.reshape(-1, at.PAIR_VALUES)),
    )


def _record(shape: SurfacedShape, tree: Tree, surface_class: int) -> ShapeRecord:
    outline = shape.outline
    return ShapeRecord(
        node=tree.by_path[shape.node.path].index,
        number=shape.number,
        kind=KINDS[outline.kind],
        surface_class=surface_class,
        position=outline.position,
        orientation=outline.orientation,
        half=outline.half,
        radius=outline.radius,
        bound=outline.bound,
        curvature=outline.curvature,
        surface_velocity=shape.shape.surface_velocity or NO_MOTION,
    )
