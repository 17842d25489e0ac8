"""Loops: what is held together beside the joints of the tree, written under `world.loops`."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from rigidsim.scene.schema.joints import Axis
from rigidsim.scene.schema.names import BodyName
from rigidsim.scene.values.base import SceneModel, by_type, list_of
from rigidsim.scene.values.quantities import LENGTH, positive, vector
from rigidsim.scene.values.vectors import ZERO


class Loop(SceneModel):
    """Two bodies that are held together, or a body and the world."""

    between: list_of(str, 2, "of two paths") = Field(description="Paths of the two bodies; world for a fixed place.")
    at: vector(LENGTH) = Field(ZERO, description="Point of the first body, in its coordinates; default: its origin.")
    to_at: vector(LENGTH) = Field(
        ZERO, description="Point of the second body, in its coordinates; default: its origin."
    )
    name: BodyName = Field(None, description="Name, for plots and metrics; default: both ends, crank/bar-lever.")


class PointLoop(Loop):
    """A point of one body stays at a point of the other, like a ball joint."""

    type: Literal["point"]


class HingeLoop(Loop):
    """A point of one body stays at a point of the other, and an axis at an axis, like a hinge."""

    type: Literal["hinge"]
    axis: Axis = Field(description="Axis in the first body.")
    to_axis: Axis = Field(None, description="Axis in the second body; default: where the axis is at the start.")


class DistanceLoop(Loop):
    """Two points keep their distance, like a rod without mass between ball joints."""

    type: Literal["distance"]
    length: positive(LENGTH) = Field(None, description="The distance; default: that at the start.")


LOOPS = {"point": PointLoop, "hinge": HingeLoop, "distance": DistanceLoop}
"""The types of loops by their words."""
AnyLoop = by_type(LOOPS, "loop")
