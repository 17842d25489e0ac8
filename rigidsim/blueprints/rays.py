"""The rays of range finders, and the shapes that they may hit, as records of a blueprint."""

from __future__ import annotations

import numpy as np

from rigidsim.blueprints.contacts import triangles_of
from rigidsim.engine.assembly.blueprint import RayRecord, Target
from rigidsim.physics.vector import norm, scaled
from rigidsim.scene.hierarchy.nodes import Hierarchy, SceneNode
from rigidsim.scene.schema.sensors import Range, Sensor
from rigidsim.scene.schema.shapes import Hull, Shape, Triangulated


def ray_of(hierarchy: Hierarchy, path: str, sensor: Sensor) -> RayRecord | None:
    """The ray of a range finder on a node; None of other sensors. It hits all shapes but those that move with it."""
    if not isinstance(sensor, Range):
        return None
    node = hierarchy[path]
    targets = tuple(
        _target(other, number, shape)
        for other in hierarchy
        for number, shape in enumerate(other.body.shapes)
        if hierarchy.base(other) is None or hierarchy.base(other) is not hierarchy.base(node)
    )
    direction = scaled(1.0 / norm(sensor.direction), sensor.direction)
    return RayRecord(node.index, direction, sensor.longest * node.metres, node.metres, targets)


def _target(node: SceneNode, number: int, shape: Shape) -> Target:
    core, corners = shape.core(), None
    assert core is not None
    if isinstance(shape, Hull):
        corners = np.array(core.corners, float)[np.array(shape.solid.triangles)]
    elif isinstance(shape, Triangulated):
        facets = triangles_of(node, number, shape)
        corners = facets.vertices[facets.faces]
    return Target(node.index, node.metres, core._replace(corners=()), corners)
