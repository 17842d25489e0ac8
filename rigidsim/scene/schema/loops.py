"""Loops: what is held together beside the joints of the tree, written under `world.loops`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field, model_validator

from rigidsim.scene.schema.joints import Axis, JointAxis
from rigidsim.scene.schema.material import Restitution
from rigidsim.scene.schema.names import BodyName
from rigidsim.scene.values.base import Parsed, SceneModel, by_type, invalid, list_of
from rigidsim.scene.values.quantities import ANGLE, LENGTH, NUMBER_ONLY, positive, quantity, vector
from rigidsim.scene.values.rotation import Vector
from rigidsim.scene.values.vectors import ZERO
from rigidsim.tree.joints import NAMES, part_of

NAME = Field(None, description="Name, for plots and metrics; default: both ends, crank/bar-lever.")
COORDINATES = tuple(name for name in NAMES if part_of(name) == "coordinate")


class Loop(SceneModel):
    """What is held together beside the joints of the tree."""

    between: Parsed[tuple[str, str], list_of(str, 2, "of two paths")] = Field(
        description="Paths of the two bodies; world for a fixed place."
    )

    if TYPE_CHECKING:  # the last key of each type
        name: str | None
        type: str

    @property
    def collides(self) -> bool:
        """Whether its two bodies can touch."""
        return getattr(self, "collide", True)


class BodyLoop(Loop):
    """Two bodies that are held together, or a body and the world."""

    at: Parsed[Vector, vector(LENGTH)] = Field(
        ZERO, description="Point of the first body, in its coordinates; default: its origin."
    )
    to_at: Parsed[Vector, vector(LENGTH)] = Field(
        ZERO, description="Point of the second body, in its coordinates; default: its origin."
    )
    name: Parsed[str | None, BodyName] = NAME


TO_AXIS = "Axis in the second body; default: where the axis is at the start."
COLLIDE = Field(False, description="Whether the two bodies can touch, with all that moves with them.")


class PointLoop(BodyLoop):
    """A point of one body stays at a point of the other, like a ball joint."""

    type: Literal["point"]
    collide: bool = COLLIDE


class HingeLoop(BodyLoop):
    """A point of one body stays at a point of the other, and an axis at an axis, like a hinge."""

    type: Literal["hinge"]
    axis: Axis = Field(description="Axis in the first body.")
    to_axis: Parsed[JointAxis | None, Axis] = Field(None, description=TO_AXIS)
    collide: bool = COLLIDE


class DistanceLoop(BodyLoop):
    """Two points keep their distance, like a rod without mass between ball joints; or a rope without mass, which only
    limits it.
    """

    type: Literal["distance"]
    length: Parsed[float | None, positive(LENGTH)] = Field(
        None, description="The distance; default: that at the start."
    )
    max_length: Parsed[float | None, positive(LENGTH)] = Field(
        None, description="Of a rope: the largest distance. It pulls where it is taut, and is slack elsewhere."
    )
    min_length: Parsed[float | None, positive(LENGTH)] = Field(
        None, description="The smallest distance, where the points push each other."
    )
    restitution: Restitution = Field(
        0.0, description="The part of the speed with which the points depart again after a jerk at a limit."
    )

    keys: ClassVar = (("min_length",), ("max_length",))

    @property
    def stops(self) -> tuple[float, float, float] | None:
        """The least and the largest distance, m, and the restitution; None of a distance that is kept."""
        if self.max_length is None and self.min_length is None:
            return None
        least = -math.inf if self.min_length is None else self.min_length
        return least, math.inf if self.max_length is None else self.max_length, self.restitution

    @model_validator(mode="after")
    def _require_one_kind(self) -> DistanceLoop:
        if self.stops is None and self.restitution > 0.0:
            raise invalid("loop", "there is no limit at which anything could rebound", "give max_length, or omit it")
        if self.stops is not None and self.length is not None:
            message = "'length' keeps the distance, so nothing is left to limit"
            raise invalid("loop", message, "omit 'length', or 'max_length' and 'min_length'")
        if self.stops is not None and not self.stops[0] < self.stops[1]:
            message = f"the smallest distance, {self.stops[0]:.9g} m, is not below the largest, {self.stops[1]:.9g} m"
            raise invalid("loop", message, "give 'length' for a distance that is kept")
        return self


LIMIT_RESTITUTION = "The part of the rate with which an angle leaves a limit after an impact there."


class AngleLoop(Loop):
    """Limits of an angle between two bodies, such as those of a ball joint. At a limit the bodies exert a torque."""

    at: ClassVar = ZERO
    to_at: ClassVar = ZERO
    keys: ClassVar[tuple[tuple[str | int, ...], ...]]
    """Those of the least and of the largest angle."""

    @property
    def stops(self) -> tuple[float, float, float]:
        """The least and the largest angle, rad, and the restitution."""
        raise NotImplementedError

    restitution: Restitution = Field(0.0, description=LIMIT_RESTITUTION)
    name: Parsed[str | None, BodyName] = NAME


class LargestAngle(AngleLoop):
    """A largest angle."""

    max_angle: Parsed[float, quantity(ANGLE)] = Field(description="Largest angle, above 0 and below 180 deg.")
    keys: ClassVar = (("max_angle",),) * 2

    @property
    def stops(self) -> tuple[float, float, float]:
        """The least and the largest angle, rad, and the restitution."""
        return -math.inf, self.max_angle, self.restitution

    @model_validator(mode="after")
    def _require_below_half_a_turn(self) -> LargestAngle:
        if not 0.0 < self.max_angle < math.pi:
            message = f"the largest angle, {math.degrees(self.max_angle):.9g} deg, is not between 0 and 180 deg"
            raise invalid("loop", message, "give another one", key=("max_angle",))
        return self


class TurnLoop(LargestAngle):
    """The whole rotation of one body relative to another, from that at the start, stays below an angle."""

    type: Literal["turn"]


class SwingLoop(LargestAngle):
    """An axis of one body stays within a cone about an axis of the other."""

    type: Literal["swing"]
    axis: Axis = Field(description="Axis in the first body.")
    to_axis: Parsed[JointAxis | None, Axis] = Field(None, description=TO_AXIS)


class TwistLoop(AngleLoop):
    """A body turns about its axis, relative to another, within limits. The angle is what is left when the least
    rotation has brought one axis to the other; it is 0 at the start.
    """

    type: Literal["twist"]
    axis: Axis = Field(description="Axis in the first body.")
    to_axis: Parsed[JointAxis | None, Axis] = Field(None, description=TO_AXIS)
    limits: Parsed[tuple[float, float], list_of(quantity(ANGLE), 2, "[low, high]")] = Field(
        description="Least and greatest angle, [low, high], between -180 and 180 deg."
    )
    keys: ClassVar = (("limits", 0), ("limits", 1))

    @property
    def stops(self) -> tuple[float, float, float]:
        """The least and the largest angle, rad, and the restitution."""
        return *self.limits, self.restitution

    @model_validator(mode="after")
    def _require_order(self) -> TwistLoop:
        low, high, _ = self.stops
        if not -math.pi < low < high < math.pi:
            message = "the least angle of a twist is below the greatest, and both are between -180 and 180 deg"
            raise invalid("loop", message, "write [-30 deg, 45 deg]", key=("limits",))
        return self


class Coupling(Loop):
    """A coordinate of a joint follows one of another joint: gears, a rack and its pinion, a belt, a joint that mimics
    another one. The second is `ratio` times the first, and a constant.
    """

    type: Literal["coupling"]
    ratio: Parsed[float, quantity(NUMBER_ONLY)] = Field(
        1.0, description="Of the second coordinate to the first, each in rad or in units of length of the parent."
    )
    angle: Parsed[float | None, quantity(ANGLE)] = Field(
        None, description="Angle of the second where the first coordinate is zero; default: by those at the start."
    )
    displacement: Parsed[float | None, quantity(LENGTH)] = Field(
        None, description="The same, if the second coordinate is a displacement."
    )
    coordinates: Parsed[
        tuple[str, str] | None,
        list_of(Literal[COORDINATES], 2, "of two names of coordinates"),
    ] = Field(None, description="Which coordinate of each joint, such as [angle, angle_2]; default: the only one.")
    name: Parsed[str | None, BodyName] = NAME

    @model_validator(mode="after")
    def _require_a_relation(self) -> Coupling:
        if self.ratio == 0.0:
            raise invalid("coupling", "the ratio is 0, so the first coordinate has no effect", "give another ratio")
        if self.angle is not None and self.displacement is not None:
            message = "both 'angle' and 'displacement' are given, but the second coordinate is one of them"
            raise invalid("coupling", message, "omit one of them")
        return self


LOOPS = {
    "point": PointLoop, "hinge": HingeLoop, "distance": DistanceLoop, "coupling": Coupling, "swing": SwingLoop,
    "twist": TwistLoop, "turn": TurnLoop,
}  # fmt: skip
"""The types of loops by their words."""
AnyLoop = Parsed[Loop, by_type(LOOPS, "loop")]
