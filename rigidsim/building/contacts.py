"""The shapes of a scene that can meet, and what they do when they touch, as plain data for a blueprint."""

from __future__ import annotations

import numpy as np

from rigidsim.engine.assembly.blueprint import ContactPlan, ShapeRecord
from rigidsim.engine.contact import columns as at
from rigidsim.scene.hierarchy.meetings import Meetings
from rigidsim.scene.hierarchy.nodes import Hierarchy

NO_MOTION = (0.0, 0.0, 0.0)


def contact_plan(hierarchy: Hierarchy) -> ContactPlan | None:
    """The contacts of a scene; None if there can be none."""
    meetings = Meetings(hierarchy)
    if not meetings.is_on:
        return None
    surfaces = meetings.surfaces
    shapes = [surfaces.shapes[k] for k in sorted(meetings.met)]
    classes, of_shape = np.unique([shape.surface for shape in shapes], return_inverse=True)
    action, value = (surfaces.action[np.ix_(classes, classes)], surfaces.value[np.ix_(classes, classes)])
    records = [
        ShapeRecord(shape.node.index, shape.number, number, shape.core, shape.shape.surface_velocity or NO_MOTION)
        for shape, number in zip(shapes, of_shape.tolist(), strict=True)
    ]
    return ContactPlan(
        summary=meetings.summary,
        substeps=meetings.substeps,
        shapes=tuple(records),
        action=action.astype(np.int64),
        value=np.ascontiguousarray(value.reshape(-1, at.MATERIAL.width)),
    )
