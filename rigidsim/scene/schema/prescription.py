"""Prescribed motions: constant accelerations from the initial pose, or pose as expressions of time."""

from __future__ import annotations

from typing import Annotated, Any, cast

from pydantic import BeforeValidator, ConfigDict, Field, JsonValue, model_validator

from rigidsim.scene.schema.orientation import EulerOrder
from rigidsim.scene.text.document import shown
from rigidsim.scene.values.base import Parsed, SceneModel, invalid, list_of, one_of, three
from rigidsim.scene.values.quantities import ANGLE, LENGTH, Varying
from rigidsim.scene.values.rotation import Vector, turns_in_order, unit
from rigidsim.scene.values.vectors import (
    ZERO,
    Direction,
    PrescribedAcceleration,
    PrescribedAngularAcceleration,
    PrescribedAngularVelocity,
    PrescribedVelocity,
    framed,
    over_time,
)


class TurnAboutAxis(SceneModel):
    """A rotation about an axis fixed in the parent, by an angle that may depend on time."""

    axis: Direction = Field(description="Axis of rotation, fixed in the parent.")
    angle: Parsed[Varying, over_time(ANGLE)] = Field(description="Angle of rotation, which may be an expression of t.")

    @property
    def turns(self) -> tuple[tuple[Vector, Any], ...]:
        """Unit axes and angles, the outermost rotation first."""
        return ((unit(self.axis), self.angle),)


class TurnsInOrder(SceneModel):
    """Three rotations about coordinate axes, by angles that may depend on time."""

    euler: Parsed[
        tuple[Varying, Varying, Varying],
        list_of(over_time(ANGLE), 3, "[first, second, third]"),
    ] = Field(description="Three angles in the order of the rotations, which may be expressions of t.")
    order: EulerOrder = Field(
        description="Axes of the rotations: lower case for the parent's (xyz), upper case for the body's own (XYZ)."
    )

    @property
    def turns(self) -> tuple[tuple[Vector, Any], ...]:
        """Unit axes and angles, the outermost rotation first."""
        return tuple(turns_in_order(cast(Vector, self.euler), self.order))


def _form(value: Any) -> str:
    given = set(value) if isinstance(value, dict) else set()
    return "euler" if len(given & {"euler", "order"}) > len(given & {"axis", "angle"}) else "axis"


def _require_form(value: Any) -> Any:
    if isinstance(value, SceneModel) or (isinstance(value, dict) and {"axis", "angle", "euler", "order"} & set(value)):
        return value
    hint = 'write {axis: [0, 0, 1], angle: "= ..."} or {euler: ["= ...", 0, 0], order: xyz}'
    raise invalid("orientation", f"{shown(value)} is not an orientation as a function of time", hint)


PrescribedOrientation = Annotated[
    Parsed[TurnAboutAxis | TurnsInOrder, one_of(_form, axis=TurnAboutAxis, euler=TurnsInOrder)],
    BeforeValidator(_require_form),
]


DERIVATIVES = {"position": ("velocity", "acceleration"), "orientation": ("angular_velocity", "angular_acceleration")}
ONE_SOURCE: list[JsonValue] = [{"required": [pose, rate]} for pose, rates in DERIVATIVES.items() for rate in rates]


class PrescribedMotion(SceneModel):
    """A motion relative to the parent: with constant accelerations, or with the pose as expressions of time."""

    model_config = ConfigDict(json_schema_extra={"not": {"anyOf": ONE_SOURCE}})

    velocity: Parsed[PrescribedVelocity, framed(PrescribedVelocity)] = Field(
        PrescribedVelocity(value=ZERO),
        description="Velocity relative to the parent, at the start or as expressions of t.",
    )
    acceleration: Parsed[PrescribedAcceleration, framed(PrescribedAcceleration)] = Field(
        PrescribedAcceleration(value=ZERO), description="Constant acceleration relative to the parent."
    )
    angular_velocity: Parsed[PrescribedAngularVelocity, framed(PrescribedAngularVelocity)] = Field(
        PrescribedAngularVelocity(value=ZERO),
        description="Angular velocity relative to the parent, at the start or as expressions of t.",
    )
    angular_acceleration: Parsed[PrescribedAngularAcceleration, framed(PrescribedAngularAcceleration)] = Field(
        PrescribedAngularAcceleration(value=ZERO),
        description="Constant angular acceleration, parallel to the angular velocity.",
    )
    position: Parsed[tuple[Varying, Varying, Varying] | None, three(over_time(LENGTH))] = Field(
        None, description="Position in the parent as expressions of t."
    )
    orientation: Parsed[PrescribedOrientation | None, PrescribedOrientation] = Field(
        None, description="Rotation in the parent's axes after the body's orientation; angles are expressions of t."
    )

    @model_validator(mode="after")
    def _require_one_source(self) -> PrescribedMotion:
        for pose, rates in DERIVATIVES.items():
            given = [rate for rate in rates if rate in self.model_fields_set]
            if getattr(self, pose) is not None and given:
                message = f"both '{pose}' and '{given[0]}' are given, but one is a derivative of the other"
                raise invalid("motion", message, "omit one of them", key=given[0])
            self._check_rates(*rates)
        return self

    def _check_rates(self, velocity: str, acceleration: str) -> None:
        given = getattr(self, velocity)
        if given.varies and acceleration in self.model_fields_set:
            message = f"'{velocity}' is a function of time, so '{acceleration}' is its derivative"
            raise invalid("motion", message, f"omit '{acceleration}'", key=acceleration)
        if given.varies and given.frame != "parent":
            message = f"'{velocity}' as a function of time is in the parent's axes"
            raise invalid("motion", message, "omit 'frame'", key=velocity)
