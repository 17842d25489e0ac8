"""Joints: how a body hangs on its parent, written as `motion: {hinge: {...}}`.

`position` and `orientation` of the body give its pose at zero, where all coordinates of the joint are zero. What a
joint with several coordinates has of each is a list, in the order in which they move the body.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, NamedTuple

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from rigidsim.physics.vector import cross, dot, scaled, sub
from rigidsim.scene.schema.material import Restitution
from rigidsim.scene.values.base import Parsed, SceneModel, invalid, list_of, listed
from rigidsim.scene.values.quantities import (
    ANGLE,
    ANGULAR_VELOCITY,
    DAMPING,
    FORCE,
    INERTIA,
    LENGTH,
    MASS,
    STIFFNESS,
    TIME,
    TORQUE,
    TORSION_DAMPING,
    TORSION_STIFFNESS,
    VELOCITY,
    Dimension,
    Varying,
    not_negative,
    positive,
    quantity,
    varying,
    vector,
)
from rigidsim.scene.values.rotation import Vector, unit
from rigidsim.scene.values.vectors import ZERO, AnyVector, Direction, framed, over_time
from rigidsim.tree.joints import Coordinate, key_of
from rigidsim.tree.prescribed import jet_of


class JointAxis(AnyVector):
    """A direction in a body, and the frame of its components."""

    frame: Literal["body", "parent", "world"] = Field(
        "body", description="Axes of the components: those of the body at zero, of the parent or of the world at t = 0."
    )
    value: Direction = Field(description="Components [x, y, z], of any length but zero.")


class TurnSpring(SceneModel):
    """A spring against the angle of a joint."""

    stiffness: Parsed[float, not_negative(TORSION_STIFFNESS)] = Field(description="Torque per angle.")
    rest: Parsed[float, quantity(ANGLE)] = Field(0.0, description="Angle at which it is relaxed.")


class SlideSpring(SceneModel):
    """A spring against the displacement of a joint."""

    stiffness: Parsed[float, not_negative(STIFFNESS)] = Field(description="Force per displacement.")
    rest: Parsed[float, quantity(LENGTH)] = Field(0.0, description="Displacement at which it is relaxed.")


class BallSpring(SceneModel):
    """A spring in a ball joint, towards the orientation at the start."""

    stiffness: Parsed[float, not_negative(TORSION_STIFFNESS)] = Field(
        description="Torque per angle, about the axis of the rotation."
    )


TIME_CONSTANT = 0.05  # s
CONSTANT = (
    f"Of a servo with a largest {{}} alone: the time in which its error falls to 1/e; default: {TIME_CONSTANT:g} s."
)
SERVO = "Of a servo: {} per error of the {}."
SERVO_DAMPING = "Of a servo: {} per error of the rate of the {}; default: 0."


class Motor(SceneModel):
    """A motor in a joint. It prescribes the coordinate, whatever that takes; or follows a function of time as a servo,
    with a stiffness or a largest torque or force; or exerts what its law says; or brings the rate to a wanted one and
    keeps it there, with as much as that takes, up to a largest torque or force.
    """

    if TYPE_CHECKING:  # the last keys of both kinds
        time_constant: float | None
        stiffness: float | None
        damping: float | None

    @model_validator(mode="after")
    def _require_one(self) -> Motor:
        (desired, law, rate, largest, *servo), said = type(self).model_fields, self.said()
        given = [key for key in (desired, law, rate) if key in said]
        if len(given) != 1:
            message = f"a motor has one of '{desired}', '{law}' and '{rate}'"
            raise invalid("motion" if given else "missing-key", message, "give one of them")
        if rate in said and largest not in said:
            message = f"a motor with a '{rate}' has a '{largest}'"
            raise invalid("missing-key", message, f"write {{{rate}: 0.2, {largest}: 50}}")
        if law in said and largest in said:
            message = f"'{largest}' limits a motor with a '{rate}' or '{desired}', not a '{law}'"
            raise invalid(
                "motion", message, f"omit it, or write '{law}' as an expression with min and max", key=(largest,)
            )
        for key in servo:
            needs = {"time_constant": largest, "stiffness": desired, "damping": "stiffness"}[key]
            if key in said and not (desired in said and needs in said):
                message = f"'{key}' belongs to a motor with '{desired}'" + f" and '{needs}'" * (needs != desired)
                raise invalid("motion", message, f"omit it, or write {{{desired}: 0.3, {needs}: ...}}", key=(key,))
        if "time_constant" in said and "stiffness" in said:
            message = "a motor with a 'stiffness' follows by that, not within a 'time_constant'"
            raise invalid("motion", message, "omit one of them", key=("time_constant",))
        return self

    def said(self) -> set[str]:
        """The keys that are given."""
        return {key for key in type(self).model_fields if getattr(self, key) is not None}

    @property
    def prescribes(self) -> bool:
        """Whether it alone says how the joint moves."""
        desired, _, _, largest, *_ = type(self).model_fields
        return desired in self.said() and not self.said() & {largest, "stiffness"}

    @property
    def is_limited(self) -> bool:
        """Whether it holds a rate with a torque or force that is limited, as dry friction does."""
        return self.values()[3] is not None and self.stiffness is None

    def values(self) -> tuple[Any, Any, Any, Any]:
        """The coordinate as a function of time, the law, the wanted rate, and the largest torque or force; None for
        what is not given.
        """
        desired, law, rate, largest = (getattr(self, key) for key in list(type(self).model_fields)[:4])
        return desired, law, rate, largest

    def driven(self, coordinate: Coordinate, metres: Any) -> Coordinate:
        """The coordinate with this motor; `metres` is 1 for an angle."""
        desired, law, rate, largest = self.values()
        if self.prescribes:
            start, speed, _ = jet_of(desired, 0.0)
            return coordinate._replace(start=metres * start, rate=metres * speed, desired=desired)
        if self.stiffness is not None:
            return coordinate._replace(
                desired=desired, servo_stiffness=self.stiffness, servo_damping=self.damping or 0.0,
                servo_limit=math.inf if largest is None else largest,
            )  # fmt: skip
        if desired is not None:
            tracking = 1.0 / (TIME_CONSTANT if self.time_constant is None else self.time_constant)
            return coordinate._replace(desired=desired, largest=largest, tracking=tracking)
        if law is not None:
            return coordinate._replace(law=law)
        return coordinate._replace(wanted=metres * rate, largest=largest)


class TurnMotor(Motor):
    """A motor that turns a joint."""

    angle: Parsed[Varying | None, over_time(ANGLE)] = Field(
        None, description="Angle to prescribe, or to follow as a servo; it may be an expression of t."
    )
    torque: Parsed[Varying | None, varying(TORQUE, {"time", "angle"})] = Field(
        None, description="Torque, which may be an expression of angle, rate and t."
    )
    rate: Parsed[float | None, quantity(ANGULAR_VELOCITY)] = Field(None, description="The rate to reach and keep.")
    max_torque: Parsed[float | None, positive(TORQUE)] = Field(
        None, description="The largest torque to reach and keep the rate or the angle."
    )
    time_constant: Parsed[float | None, positive(TIME)] = Field(None, description=CONSTANT.format("torque"))
    stiffness: Parsed[float | None, positive(TORSION_STIFFNESS)] = Field(
        None, description=SERVO.format("torque", "angle")
    )
    damping: Parsed[float | None, not_negative(TORSION_DAMPING)] = Field(
        None, description=SERVO_DAMPING.format("torque", "angle")
    )


class SlideMotor(Motor):
    """A motor that moves a slide."""

    displacement: Parsed[Varying | None, over_time(LENGTH)] = Field(
        None, description="Displacement to prescribe, or to follow as a servo; it may be an expression of t."
    )
    force: Parsed[Varying | None, varying(FORCE, {"time", "displacement"})] = Field(
        None, description="Force, which may be an expression of displacement, rate and t."
    )
    rate: Parsed[float | None, quantity(VELOCITY)] = Field(None, description="The rate to reach and keep.")
    max_force: Parsed[float | None, positive(FORCE)] = Field(
        None, description="The largest force to reach and keep the rate or the displacement."
    )
    time_constant: Parsed[float | None, positive(TIME)] = Field(None, description=CONSTANT.format("force"))
    stiffness: Parsed[float | None, positive(STIFFNESS)] = Field(
        None, description=SERVO.format("force", "displacement")
    )
    damping: Parsed[float | None, not_negative(DAMPING)] = Field(
        None, description=SERVO_DAMPING.format("force", "displacement")
    )


def _limits(dimension: Dimension) -> Any:
    """The type of the limits [low, high] of a coordinate, of which None is no limit."""

    def end(unlimited: float) -> Any:
        def read(value: Any) -> Any:
            return None if value == unlimited else value

        return Annotated[quantity(dimension) | None, BeforeValidator(read)]

    def check(limits: tuple[Any, Any]) -> tuple[Any, Any]:
        low, high = limits
        if low is not None and high is not None and not low < high:
            message = (
                f"the lower limit, {low:g} {dimension.unit}, is not below the upper one, {high:g} {dimension.unit}"
            )
            raise invalid("limits", message, "write [low, high]; null is no limit")
        return limits

    return Annotated[listed(end(-math.inf), end(math.inf), shape="[low, high]"), AfterValidator(check)]


NO_TURN_SPRING = TurnSpring.model_construct(stiffness=0.0, rest=0.0)
NO_SLIDE_SPRING = SlideSpring.model_construct(stiffness=0.0, rest=0.0)


def _or(none: SceneModel) -> AfterValidator:
    """What null stands for."""
    return AfterValidator(lambda value: none if value is None else value)


OneTurnSpring = Annotated[Parsed[TurnSpring, TurnSpring | None], _or(NO_TURN_SPRING)]
OneSlideSpring = Annotated[Parsed[SlideSpring, SlideSpring | None], _or(NO_SLIDE_SPRING)]
NO_BALL_SPRING = BallSpring.model_construct(stiffness=0.0)
Ends = tuple[float | None, float | None]
"""Least and greatest value of a coordinate."""
Axis = Parsed[JointAxis, framed(JointAxis)]
At = Parsed[Vector, vector(LENGTH)]
Angle = Parsed[float, quantity(ANGLE)]
AngleRate = Parsed[float, quantity(ANGULAR_VELOCITY)]
Length = Parsed[float, quantity(LENGTH)]
LengthRate = Parsed[float, quantity(VELOCITY)]
TurnDamping = Parsed[float, not_negative(TORSION_DAMPING)]
SlideDamping = Parsed[float, not_negative(DAMPING)]
TurnArmature = Parsed[float, not_negative(INERTIA)]
SlideArmature = Parsed[float, not_negative(MASS)]
TurnLimits = Parsed[Ends, _limits(ANGLE)]
SlideLimits = Parsed[Ends, _limits(LENGTH)]
TurnFriction = Parsed[float, not_negative(TORQUE)]
SlideFriction = Parsed[float, not_negative(FORCE)]
UNLIMITED = (None, None)
TWO, SLIDE_TURN, SLIDES_TURN = "[first, second]", "[sliding, turning]", "[first, second, turning]"
AT = "The joint in body coordinates; default: the body's origin."
X, Y = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
InBody = Callable[[JointAxis], Vector]
"""The unit vector of an axis, in the body's axes at zero."""
LIMITS = "Least and greatest {}, [low, high], of which null is no limit: stops"
RESTITUTION = "Of an impact at a limit: the rate after it over that before, from 0 to 1"
FRICTION = "Dry friction: the {} against the rate, and the largest that holds it at rest"
EACH = "; one for each, in this order"
ARMATURE = "Inertia of the rotor of a motor, times the square of its gear ratio; its gyroscopic moment is neglected"
MOTORS = "A motor for each coordinate, as that of a hinge or a slide; null for none."


class Given(NamedTuple):
    """What a joint says of one of its coordinates."""

    turns: bool
    start: Any
    rate: Any
    spring: Any
    damping: Any
    limits: tuple[Any, Any]
    restitution: Any
    friction: Any
    motor: Motor | None
    armature: Any

    def coordinate(self, axis: Vector, metres: Any) -> Coordinate:
        """The coordinate in SI units; `metres` is the parent's unit of length."""
        unit_of = 1.0 if self.turns else metres
        low, high = (end if end is None else unit_of * end for end in self.limits or UNLIMITED)
        found = Coordinate(
            self.turns, axis, unit_of * self.start, unit_of * self.rate, self.spring.stiffness,
            unit_of * self.spring.rest, self.damping,
            low=-math.inf if low is None else low, high=math.inf if high is None else high,
            restitution=self.restitution, friction=self.friction, armature=self.armature,
        )  # fmt: skip
        return found if self.motor is None else self.motor.driven(found, unit_of)


AT_REST = (0.0, 0.0, (0.0, 0.0), 0.0, UNLIMITED, 0.0, 0.0)
"""What `Given` has of a coordinate of which nothing is said, between `turns` and `motor`; a spring by its numbers."""


class Breaks(SceneModel):
    """What a joint bears: at the end of the first step in which its reaction is larger, it lets its body go."""

    force: Parsed[float | None, positive(FORCE)] = Field(None, description="Largest force of the joint on its body.")
    torque: Parsed[float | None, positive(TORQUE)] = Field(
        None, description="Largest torque of the joint on its body, about the joint."
    )

    @model_validator(mode="after")
    def _require_one(self) -> Breaks:
        if self.force is None and self.torque is None:
            raise invalid("missing-key", "neither 'force' nor 'torque' is given", "give one of them, or omit 'breaks'")
        return self

    def in_numbers(self) -> tuple[Any, Any]:
        """Force (N) and torque (N m); infinite where nothing is given."""
        force, torque = (math.inf if largest is None else largest for largest in (self.force, self.torque))
        return force, torque


class JointModel(SceneModel):
    """A joint as a scene has it: a sentence that says what it does, and keys that are enough."""

    summary: ClassVar[str]
    example: ClassVar[str] = "axis: [0, 0, 1]"

    breaks: Parsed[Breaks | None, Breaks] = Field(None, description="Force and torque that it bears; default: any.")
    collide: bool = Field(False, description="Whether the body can touch the parent, or what is fixed to that.")

    def given(self) -> tuple[Given, ...]:
        """What is said of each coordinate, in their order; a ball joint has none."""
        return ()

    def axes_in(self, in_body: InBody) -> Iterable[Vector]:
        """The axes of the coordinates."""
        return ()

    def coordinates(self, in_body: InBody, metres: Any) -> tuple[Coordinate, ...]:
        """The coordinates in SI units; `metres` is the parent's unit of length."""
        return tuple(
            one.coordinate(axis, metres) for one, axis in zip(self.given(), self.axes_in(in_body), strict=True)
        )

    @model_validator(mode="after")
    def _require_one_source(self) -> Any:
        """A motor that prescribes a coordinate alone says how it moves; one with a rate takes the place of friction."""
        for number, one in enumerate(self.given()):
            if one.motor is None:
                continue
            spring, limits = (one.spring.stiffness, one.spring.rest), one.limits or UNLIMITED
            values = one._replace(spring=spring, limits=limits)[1:-2]
            said = [key for key, value, none in zip(Given._fields[1:-2], values, AT_REST, strict=True) if value != none]
            if one.motor.prescribes and said:
                why = "the motor alone says how the joint moves"
            elif one.motor.is_limited and "friction" in said:
                said, why = ["friction"], "the motor brings the rate to one of its own, as friction would to zero"
            else:
                continue
            key = key_of(type(self).__name__.lower(), said[0], number)
            raise invalid("motion", f"'{key[0]}' is given, but {why}", f"omit '{key[0]}'", key=key)
        return self


class Hinge(JointModel):
    """The body turns about an axis that is fixed in it and in its parent."""

    summary: ClassVar[str] = "the body turns about an axis"

    axis: Axis = Field(description="Axis of rotation.")
    at: At = Field(ZERO, description=AT)
    angle: Angle = Field(0.0, description="Angle at the start, from the orientation of the body.")
    rate: AngleRate = Field(0.0, description="Rate of the angle at the start.")
    limits: TurnLimits = Field(UNLIMITED, description=LIMITS.format("angle"))
    restitution: Restitution = Field(0.0, description=RESTITUTION)
    spring: TurnSpring = Field(NO_TURN_SPRING, description="A spring in the joint.")
    damping: TurnDamping = Field(0.0, description="Torque against the rate.")
    friction: TurnFriction = Field(0.0, description=FRICTION.format("torque"))
    motor: Parsed[TurnMotor | None, TurnMotor] = Field(
        None, description="A motor, by its angle, torque, or rate and largest torque."
    )
    armature: TurnArmature = Field(0.0, description=ARMATURE + ".")

    def given(self) -> tuple[Given, ...]:
        """What is said of the angle."""
        return (Given(True, self.angle, *_one(self)),)

    def axes_in(self, in_body: InBody) -> Iterable[Vector]:
        """The axis."""
        return (in_body(self.axis),)


class Screw(Hinge):
    """The body turns about an axis, and advances along it in proportion, as a nut on a screw."""

    summary: ClassVar[str] = "the body turns about an axis and advances along it, as a nut on a screw"
    example: ClassVar[str] = "axis: [0, 0, 1], pitch: 5 mm"

    pitch: Length = Field(description="Displacement along the axis in one turn; negative of a left-handed thread.")

    def coordinates(self, in_body: InBody, metres: Any) -> tuple[Coordinate, ...]:
        """The angle, with what it displaces."""
        lead = metres * self.pitch / (2.0 * math.pi)
        return tuple(one._replace(lead=lead) for one in super().coordinates(in_body, metres))


class Slide(JointModel):
    """The body slides along an axis and does not turn in its parent."""

    summary: ClassVar[str] = "the body slides along an axis"

    axis: Axis = Field(description="Direction of sliding.")
    at: At = Field(ZERO, description="Point of the body about which reactions are recorded; default: its origin.")
    displacement: Length = Field(
        0.0, description="Displacement at the start, from the position that the body is given."
    )
    rate: LengthRate = Field(0.0, description="Rate of the displacement at the start.")
    limits: SlideLimits = Field(UNLIMITED, description=LIMITS.format("displacement"))
    restitution: Restitution = Field(0.0, description=RESTITUTION)
    spring: SlideSpring = Field(NO_SLIDE_SPRING, description="A spring in the joint.")
    damping: SlideDamping = Field(0.0, description="Force against the rate.")
    friction: SlideFriction = Field(0.0, description=FRICTION.format("force"))
    motor: Parsed[SlideMotor | None, SlideMotor] = Field(
        None, description="A motor, by its displacement, force, or rate and largest force."
    )
    armature: SlideArmature = Field(0.0, description=ARMATURE + ".")

    def given(self) -> tuple[Given, ...]:
        """What is said of the displacement."""
        return (Given(False, self.displacement, *_one(self)),)

    def axes_in(self, in_body: InBody) -> Iterable[Vector]:
        """The axis."""
        return (in_body(self.axis),)


class Ball(JointModel):
    """The body turns about a point; its orientation and angular velocity are given as for a free body."""

    summary: ClassVar[str] = "the body turns about a point"
    example: ClassVar[str] = "at: [0, 0, 0]"

    at: At = Field(ZERO, description=AT)
    spring: BallSpring = Field(NO_BALL_SPRING, description="A spring in the joint.")
    damping: TurnDamping = Field(0.0, description="Torque against the angular velocity relative to the parent.")


class Universal(JointModel):
    """The body turns about two axes through one point: the first is fixed in its parent, the second in itself."""

    summary: ClassVar[str] = "the body turns about two axes, one after the other"
    example: ClassVar[str] = "axes: [[1, 0, 0], [0, 1, 0]]"

    axes: Parsed[tuple[Axis, Axis], list_of(Axis, 2, TWO)] = Field(
        description="Axis of the first rotation, and of the second that follows it."
    )
    at: At = Field(ZERO, description=AT)
    angles: Parsed[tuple[Angle, Angle], list_of(Angle, 2, TWO)] = Field((0.0, 0.0), description="Angles at the start.")
    rates: Parsed[tuple[AngleRate, AngleRate], list_of(AngleRate, 2, TWO)] = Field(
        (0.0, 0.0), description="Rates of the angles at the start."
    )
    limits: Parsed[tuple[TurnLimits | None, TurnLimits | None], list_of(TurnLimits | None, 2, TWO)] = Field(
        (None,) * 2, description=LIMITS.format("angle") + EACH
    )
    restitutions: Parsed[tuple[Restitution, Restitution], list_of(Restitution, 2, TWO)] = Field(
        (0.0,) * 2, description=RESTITUTION + EACH
    )
    springs: Parsed[tuple[OneTurnSpring, OneTurnSpring], list_of(OneTurnSpring, 2, TWO)] = Field(
        (NO_TURN_SPRING,) * 2, description="A spring about each axis."
    )
    dampings: Parsed[tuple[TurnDamping, TurnDamping], list_of(TurnDamping, 2, TWO)] = Field(
        (0.0, 0.0), description="Torque against each rate."
    )
    frictions: Parsed[tuple[TurnFriction, TurnFriction], list_of(TurnFriction, 2, TWO)] = Field(
        (0.0,) * 2, description=FRICTION.format("torque") + EACH
    )
    motors: Parsed[tuple[TurnMotor | None, TurnMotor | None], list_of(TurnMotor | None, 2, TWO)] = Field(
        (None,) * 2, description=MOTORS
    )
    armatures: Parsed[tuple[TurnArmature, TurnArmature], list_of(TurnArmature, 2, TWO)] = Field(
        (0.0,) * 2, description=ARMATURE + EACH
    )

    def given(self) -> tuple[Given, ...]:
        """What is said of the two angles."""
        return tuple(Given(True, start, *more) for start, more in zip(self.angles, _each(self), strict=True))

    def axes_in(self, in_body: InBody) -> Iterable[Vector]:
        """The two axes."""
        return map(in_body, self.axes)


class Cylindrical(JointModel):
    """The body slides along an axis and turns about it."""

    summary: ClassVar[str] = "the body slides along an axis and turns about it"

    axis: Axis = Field(description="Axis of sliding and turning.")
    at: At = Field(ZERO, description=AT)
    displacement: Length = Field(0.0, description="Displacement at the start.")
    angle: Angle = Field(0.0, description="Angle at the start.")
    rates: Parsed[tuple[LengthRate, AngleRate], listed(LengthRate, AngleRate, shape=SLIDE_TURN)] = Field(
        (0.0, 0.0), description="Rates of displacement and angle at the start."
    )
    limits: Parsed[tuple[Ends | None, Ends | None], listed(SlideLimits | None, TurnLimits | None, shape=SLIDE_TURN)] = (
        Field((None, None), description=LIMITS.format("displacement and angle") + EACH)
    )
    restitutions: Parsed[tuple[Restitution, Restitution], list_of(Restitution, 2, SLIDE_TURN)] = Field(
        (0.0,) * 2, description=RESTITUTION + EACH
    )
    springs: Parsed[tuple[OneSlideSpring, OneTurnSpring], listed(OneSlideSpring, OneTurnSpring, shape=SLIDE_TURN)] = (
        Field((NO_SLIDE_SPRING, NO_TURN_SPRING), description="A spring along the axis and one about it.")
    )
    dampings: Parsed[tuple[SlideDamping, TurnDamping], listed(SlideDamping, TurnDamping, shape=SLIDE_TURN)] = Field(
        (0.0, 0.0), description="Force against sliding and torque against turning."
    )
    frictions: Parsed[tuple[SlideFriction, TurnFriction], listed(SlideFriction, TurnFriction, shape=SLIDE_TURN)] = (
        Field((0.0,) * 2, description=FRICTION.format("force and torque") + EACH)
    )
    motors: Parsed[
        tuple[SlideMotor | None, TurnMotor | None], listed(SlideMotor | None, TurnMotor | None, shape=SLIDE_TURN)
    ] = Field((None,) * 2, description=MOTORS)
    armatures: Parsed[tuple[SlideArmature, TurnArmature], listed(SlideArmature, TurnArmature, shape=SLIDE_TURN)] = (
        Field((0.0,) * 2, description=ARMATURE + EACH)
    )

    def given(self) -> tuple[Given, ...]:
        """What is said of the displacement, then of the angle."""
        sliding, turning = _each(self)
        return Given(False, self.displacement, *sliding), Given(True, self.angle, *turning)

    def axes_in(self, in_body: InBody) -> Iterable[Vector]:
        """The axis, twice."""
        return (in_body(self.axis),) * 2


class Planar(JointModel):
    """The body slides in a plane and turns about its normal."""

    summary: ClassVar[str] = "the body slides in a plane and turns about its normal"
    example: ClassVar[str] = "normal: [0, 0, 1]"

    normal: Axis = Field(description="Normal of the plane.")
    along: Parsed[JointAxis | None, Axis] = Field(
        None,
        description="Direction of the first displacement, as far as it is in the plane; the second is at right angles,"
        " normal x along. Default: the body's x axis, or y if that is further from the normal.",
    )
    at: At = Field(ZERO, description=AT)
    displacements: Parsed[tuple[Length, Length], list_of(Length, 2, TWO)] = Field(
        (0.0, 0.0), description="Displacements at the start."
    )
    angle: Angle = Field(0.0, description="Angle at the start.")
    rates: Parsed[
        tuple[LengthRate, LengthRate, AngleRate], listed(LengthRate, LengthRate, AngleRate, shape=SLIDES_TURN)
    ] = Field((0.0, 0.0, 0.0), description="Rates of displacements and angle at the start.")
    limits: Parsed[
        tuple[SlideLimits | None, SlideLimits | None, TurnLimits | None],
        listed(SlideLimits | None, SlideLimits | None, TurnLimits | None, shape=SLIDES_TURN),
    ] = Field((None,) * 3, description=LIMITS.format("displacements and angle") + EACH)
    restitutions: Parsed[tuple[Restitution, Restitution, Restitution], list_of(Restitution, 3, SLIDES_TURN)] = Field(
        (0.0,) * 3, description=RESTITUTION + EACH
    )
    springs: Parsed[
        tuple[OneSlideSpring, OneSlideSpring, OneTurnSpring],
        listed(OneSlideSpring, OneSlideSpring, OneTurnSpring, shape=SLIDES_TURN),
    ] = Field(
        (NO_SLIDE_SPRING, NO_SLIDE_SPRING, NO_TURN_SPRING),
        description="A spring along each direction and one about the normal.",
    )
    dampings: Parsed[
        tuple[SlideDamping, SlideDamping, TurnDamping],
        listed(SlideDamping, SlideDamping, TurnDamping, shape=SLIDES_TURN),
    ] = Field((0.0, 0.0, 0.0), description="Forces against sliding and torque against turning.")
    frictions: Parsed[
        tuple[SlideFriction, SlideFriction, TurnFriction],
        listed(SlideFriction, SlideFriction, TurnFriction, shape=SLIDES_TURN),
    ] = Field((0.0,) * 3, description=FRICTION.format("forces and torque") + EACH)
    motors: Parsed[
        tuple[SlideMotor | None, SlideMotor | None, TurnMotor | None],
        listed(SlideMotor | None, SlideMotor | None, TurnMotor | None, shape=SLIDES_TURN),
    ] = Field((None,) * 3, description=MOTORS)
    armatures: Parsed[
        tuple[SlideArmature, SlideArmature, TurnArmature],
        listed(SlideArmature, SlideArmature, TurnArmature, shape=SLIDES_TURN),
    ] = Field((0.0,) * 3, description=ARMATURE + EACH)

    def given(self) -> tuple[Given, ...]:
        """What is said of the displacements, then of the angle."""
        starts = zip((False, False, True), (*self.displacements, self.angle), _each(self), strict=True)
        return tuple(Given(turns, start, *more) for turns, start, more in starts)

    def axes_in(self, in_body: InBody) -> Iterable[Vector]:
        """The two directions in the plane, then its normal."""
        normal = in_body(self.normal)
        along = in_body(self.along) if self.along else (X if abs(normal[0]) <= abs(normal[1]) else Y)
        first = sub(along, scaled(dot(along, normal), normal))
        first = unit(first) if any(first) else first  # zero, if `along` is the normal, is refused by a check
        return first, cross(normal, first), normal


def _one(joint: Hinge | Slide) -> tuple[Any, ...]:
    """What a joint with one coordinate says of it, from its rate on."""
    return tuple(getattr(joint, key) for key in Given._fields[2:])


def _each(joint: Universal | Cylindrical | Planar) -> Iterable[tuple[Any, ...]]:
    """What a joint with several coordinates says of each, from its rate on."""
    kind = type(joint).__name__.lower()
    return zip(*(getattr(joint, str(key_of(kind, key, 0)[0])) for key in Given._fields[2:]), strict=True)


class Weld(JointModel):
    """The body does not move in its parent. What holds it is known, and can break."""

    summary: ClassVar[str] = "the body does not move in its parent, until the weld breaks"
    example: ClassVar[str] = "breaks: {force: 100 N}"

    at: At = Field(ZERO, description="Point of the body about which reactions are recorded; default: its origin.")


class Tank(Weld):
    """A weld of a body whose mass changes: forces of the type mass_flow take from it, or fill it."""

    summary: ClassVar[str] = "the body does not move in its parent, and its mass flows out by forces"
    example: ClassVar[str] = "at: [0, 0, 0]"

    def coordinates(self, in_body: InBody, metres: Any) -> tuple[Coordinate, ...]:
        """Its mass, which moves nothing."""
        return (Coordinate(False, ZERO, holds=True),)


JOINTS = {
    kind.__name__.lower(): kind for kind in (Hinge, Slide, Screw, Ball, Universal, Cylindrical, Planar, Weld, Tank)
}
"""The types of joints by their words."""
