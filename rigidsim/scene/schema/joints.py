"""Joints: how a body hangs on its parent, written as `motion: {hinge: {...}}`.

`position` and `orientation` of the body give its pose at zero, where all coordinates of the joint are zero. What a
joint with several coordinates has of each is a list, in the order in which they move the body.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from pydantic import Field, model_validator

from rigidsim.physics.vector import cross, dot, scaled, sub
from rigidsim.scene.values.base import SceneModel, invalid, list_of, listed
from rigidsim.scene.values.quantities import (
    ANGLE,
    ANGULAR_VELOCITY,
    DAMPING,
    FORCE,
    LENGTH,
    STIFFNESS,
    TORQUE,
    TORSION_DAMPING,
    TORSION_STIFFNESS,
    VELOCITY,
    not_negative,
    quantity,
    varying,
    vector,
)
from rigidsim.scene.values.rotation import Vector, unit
from rigidsim.scene.values.vectors import ZERO, AnyVector, Direction, framed, over_time
from rigidsim.tree.joints import Coordinate
from rigidsim.tree.prescribed import jet_of


class JointAxis(AnyVector):
    """A direction in a body, and the frame of its components."""

    frame: Literal["body", "parent", "world"] = Field(
        "body", description="Axes of the components: those of the body at zero, of the parent or of the world at t = 0."
    )
    value: Direction = Field(description="Components [x, y, z], of any length but zero.")


class TurnSpring(SceneModel):
    """A spring against the angle of a joint."""

    stiffness: not_negative(TORSION_STIFFNESS) = Field(description="Torque per angle.")
    rest: quantity(ANGLE) = Field(0.0, description="Angle at which it is relaxed.")


class SlideSpring(SceneModel):
    """A spring against the displacement of a joint."""

    stiffness: not_negative(STIFFNESS) = Field(description="Force per displacement.")
    rest: quantity(LENGTH) = Field(0.0, description="Displacement at which it is relaxed.")


class BallSpring(SceneModel):
    """A spring in a ball joint, towards the orientation at the start."""

    stiffness: not_negative(TORSION_STIFFNESS) = Field(description="Torque per angle, about the axis of the rotation.")


class TurnMotor(SceneModel):
    """A motor that turns a joint: by an angle, whatever torque that takes, or by a torque."""

    angle: over_time(ANGLE) = Field(None, description="Angle, which may be an expression of t.")
    torque: varying(TORQUE, {"time", "angle"}) = Field(
        None, description="Torque, which may be an expression of angle, rate and t."
    )

    @model_validator(mode="after")
    def _require_one(self) -> TurnMotor:
        return _one_of(self, "angle", "torque")


class SlideMotor(SceneModel):
    """A motor that moves a slide: by a displacement, whatever force that takes, or by a force."""

    displacement: over_time(LENGTH) = Field(None, description="Displacement, which may be an expression of t.")
    force: varying(FORCE, {"time", "displacement"}) = Field(
        None, description="Force, which may be an expression of displacement, rate and t."
    )

    @model_validator(mode="after")
    def _require_one(self) -> SlideMotor:
        return _one_of(self, "displacement", "force")


NO_TURN_SPRING, NO_SLIDE_SPRING = (kind.model_construct(stiffness=0.0, rest=0.0) for kind in (TurnSpring, SlideSpring))
NO_BALL_SPRING = BallSpring.model_construct(stiffness=0.0)
Axis, At = framed(JointAxis), vector(LENGTH)
Angle, AngleRate, Length, LengthRate = (
    quantity(dimension) for dimension in (ANGLE, ANGULAR_VELOCITY, LENGTH, VELOCITY)
)
TurnDamping, SlideDamping = not_negative(TORSION_DAMPING), not_negative(DAMPING)
TWO, SLIDE_TURN, SLIDES_TURN = "[first, second]", "[sliding, turning]", "[first, second, turning]"
AT = "The joint in body coordinates; default: the body's origin."
X, Y = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
InBody = Callable[[JointAxis], Vector]
"""The unit vector of an axis, in the body's axes at zero."""


class AnyJoint(SceneModel):
    """What all joints have."""

    collide: bool = Field(False, description="Whether the body can touch the parent, or what is fixed to that.")


class Hinge(AnyJoint):
    """The body turns about an axis that is fixed in it and in its parent."""

    axis: Axis = Field(description="Axis of rotation.")
    at: At = Field(ZERO, description=AT)
    angle: Angle = Field(0.0, description="Angle at the start, from the orientation of the body.")
    rate: AngleRate = Field(0.0, description="Rate of the angle at the start.")
    spring: TurnSpring = Field(NO_TURN_SPRING, description="A spring in the joint.")
    damping: TurnDamping = Field(0.0, description="Torque against the rate.")
    motor: TurnMotor = Field(None, description="A motor, by its angle or its torque.")

    @model_validator(mode="after")
    def _require_one_source(self) -> Hinge:
        return _alone(self)

    def coordinates(self, in_body: InBody, _metres: Any) -> tuple[Coordinate, ...]:
        """The angle."""
        found = _turning(in_body(self.axis), self.angle, self.rate, self.spring, self.damping)
        return (_driven(found, self.motor, "angle", "torque", 1.0),)


class Slide(AnyJoint):
    """The body slides along an axis and does not turn in its parent."""

    axis: Axis = Field(description="Direction of sliding.")
    at: At = Field(ZERO, description="Point of the body about which reactions are recorded; default: its origin.")
    displacement: Length = Field(
        0.0, description="Displacement at the start, from the position that the body is given."
    )
    rate: LengthRate = Field(0.0, description="Rate of the displacement at the start.")
    spring: SlideSpring = Field(NO_SLIDE_SPRING, description="A spring in the joint.")
    damping: SlideDamping = Field(0.0, description="Force against the rate.")
    motor: SlideMotor = Field(None, description="A motor, by its displacement or its force.")

    @model_validator(mode="after")
    def _require_one_source(self) -> Slide:
        return _alone(self)

    def coordinates(self, in_body: InBody, metres: Any) -> tuple[Coordinate, ...]:
        """The displacement; `metres` is the parent's unit of length."""
        found = _sliding(metres, in_body(self.axis), self.displacement, self.rate, self.spring, self.damping)
        return (_driven(found, self.motor, "displacement", "force", metres),)


class Ball(AnyJoint):
    """The body turns about a point; its orientation and angular velocity are given as for a free body."""

    at: At = Field(ZERO, description=AT)
    spring: BallSpring = Field(NO_BALL_SPRING, description="A spring in the joint.")
    damping: TurnDamping = Field(0.0, description="Torque against the angular velocity relative to the parent.")

    def coordinates(self, _in_body: InBody, _metres: Any) -> tuple[Coordinate, ...]:
        """None: its state is the rotation of the body."""
        return ()


class Universal(AnyJoint):
    """The body turns about two axes through one point: the first is fixed in its parent, the second in itself."""

    axes: list_of(Axis, 2, TWO) = Field(description="Axis of the first rotation, and of the second that follows it.")
    at: At = Field(ZERO, description=AT)
    angles: list_of(Angle, 2, TWO) = Field((0.0, 0.0), description="Angles at the start.")
    rates: list_of(AngleRate, 2, TWO) = Field((0.0, 0.0), description="Rates of the angles at the start.")
    springs: list_of(TurnSpring, 2, TWO) = Field((NO_TURN_SPRING,) * 2, description="A spring about each axis.")
    dampings: list_of(TurnDamping, 2, TWO) = Field((0.0, 0.0), description="Torque against each rate.")

    def coordinates(self, in_body: InBody, _metres: Any) -> tuple[Coordinate, ...]:
        """The two angles."""
        axes = map(in_body, self.axes)
        return tuple(map(_turning, axes, self.angles, self.rates, self.springs, self.dampings))


class Cylindrical(AnyJoint):
    """The body slides along an axis and turns about it."""

    axis: Axis = Field(description="Axis of sliding and turning.")
    at: At = Field(ZERO, description=AT)
    displacement: Length = Field(0.0, description="Displacement at the start.")
    angle: Angle = Field(0.0, description="Angle at the start.")
    rates: listed(LengthRate, AngleRate, shape=SLIDE_TURN) = Field(
        (0.0, 0.0), description="Rates of displacement and angle at the start."
    )
    springs: listed(SlideSpring, TurnSpring, shape=SLIDE_TURN) = Field(
        (NO_SLIDE_SPRING, NO_TURN_SPRING), description="A spring along the axis and one about it."
    )
    dampings: listed(SlideDamping, TurnDamping, shape=SLIDE_TURN) = Field(
        (0.0, 0.0), description="Force against sliding and torque against turning."
    )

    def coordinates(self, in_body: InBody, metres: Any) -> tuple[Coordinate, ...]:
        """The displacement, then the angle; `metres` is the parent's unit of length."""
        axis, (sliding, turning) = in_body(self.axis), zip(self.rates, self.springs, self.dampings, strict=True)
        return _sliding(metres, axis, self.displacement, *sliding), _turning(axis, self.angle, *turning)


class Planar(AnyJoint):
    """The body slides in a plane and turns about its normal."""

    normal: Axis = Field(description="Normal of the plane.")
    along: Axis = Field(
        None,
        description="Direction of the first displacement, as far as it is in the plane; the second is at right angles,"
        " normal x along. Default: the body's x axis, or y if that is further from the normal.",
    )
    at: At = Field(ZERO, description=AT)
    displacements: list_of(Length, 2, TWO) = Field((0.0, 0.0), description="Displacements at the start.")
    angle: Angle = Field(0.0, description="Angle at the start.")
    rates: listed(LengthRate, LengthRate, AngleRate, shape=SLIDES_TURN) = Field(
        (0.0, 0.0, 0.0), description="Rates of displacements and angle at the start."
    )
    springs: listed(SlideSpring, SlideSpring, TurnSpring, shape=SLIDES_TURN) = Field(
        (NO_SLIDE_SPRING, NO_SLIDE_SPRING, NO_TURN_SPRING),
        description="A spring along each direction and one about the normal.",
    )
    dampings: listed(SlideDamping, SlideDamping, TurnDamping, shape=SLIDES_TURN) = Field(
        (0.0, 0.0, 0.0), description="Forces against sliding and torque against turning."
    )

    def coordinates(self, in_body: InBody, metres: Any) -> tuple[Coordinate, ...]:
        """The displacements, then the angle; `metres` is the parent's unit of length."""
        normal = in_body(self.normal)
        along = in_body(self.along) if self.along else (X if abs(normal[0]) <= abs(normal[1]) else Y)
        first = sub(along, scaled(dot(along, normal), normal))
        first = unit(first) if any(first) else first  # zero, if `along` is the normal, is refused by a check
        *sliding, turning = zip(self.rates, self.springs, self.dampings, strict=True)
        slides = zip((first, cross(normal, first)), self.displacements, sliding, strict=True)
        return *(_sliding(metres, u, x, *more) for u, x, more in slides), _turning(normal, self.angle, *turning)


def _alone(joint: Hinge | Slide) -> Any:
    """The joint, if a motor and nothing else says how it moves."""
    fields, motor = type(joint).model_fields, joint.motor
    others = ("angle", "displacement", "rate", "spring", "damping")
    given = [key for key in others if key in fields and getattr(joint, key) != fields[key].default]
    prescribes = any(getattr(motor, key, None) is not None for key in ("angle", "displacement"))
    if prescribes and given:
        key = given[0]
        message = f"'{key}' is given, but the motor alone says how the joint moves"
        raise invalid("motion", message, f"omit '{key}'", key=key)
    return joint


def _one_of(motor: Any, course: str, law: str) -> Any:
    """The motor, if it has one of these keys."""
    if (getattr(motor, course) is None) == (getattr(motor, law) is None):
        message = f"a motor has either '{course}' or '{law}'"
        raise invalid("missing-key" if getattr(motor, law) is None else "motion", message, "give one of them")
    return motor


def _driven(coordinate: Coordinate, motor: Any, course: str, law: str, metres: Any) -> Coordinate:
    """The coordinate with its motor, if it has one."""
    if motor is None:
        return coordinate
    course = getattr(motor, course)
    if course is None:
        return coordinate._replace(law=getattr(motor, law))
    start, rate, _ = jet_of(course, 0.0)
    return coordinate._replace(start=metres * start, rate=metres * rate, course=course)


def _turning(axis: Vector, start: Any, rate: Any, spring: TurnSpring, damping: Any) -> Coordinate:
    return Coordinate(True, axis, start, rate, spring.stiffness, spring.rest, damping)


def _sliding(metres: Any, axis: Vector, start: Any, rate: Any, spring: SlideSpring, damping: Any) -> Coordinate:
    return Coordinate(False, axis, metres * start, metres * rate, spring.stiffness, metres * spring.rest, damping)


JOINTS = {kind.__name__.lower(): kind for kind in (Hinge, Slide, Ball, Universal, Cylindrical, Planar)}
"""The types of joints by their words."""
