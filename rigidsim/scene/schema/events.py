"""Events at an instant: impulses and reparentings."""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict, Field, model_validator

from rigidsim.scene.schema.acting import Instant
from rigidsim.scene.values.base import SceneModel, Text, invalid
from rigidsim.scene.values.quantities import ANGULAR_IMPULSE, IMPULSE, LENGTH, vector
from rigidsim.scene.values.vectors import ZERO


class Impulse(SceneModel):
    """An impulse and an angular impulse at an instant."""

    model_config = ConfigDict(
        json_schema_extra={"anyOf": [{"required": ["impulse"]}, {"required": ["angular_impulse"]}]}
    )

    time: Instant = Field(description="Time at which it acts.")
    impulse: vector(IMPULSE) = Field(ZERO, description="Change of momentum.")
    angular_impulse: vector(ANGULAR_IMPULSE) = Field(
        ZERO, description="Change of angular momentum, in addition to that of the impulse."
    )
    at: vector(LENGTH) = Field(
        None, description="Point of the body where the impulse acts, in body coordinates; default: the centre of mass."
    )
    frame: str = Field("parent", description="Axes of the vectors: body, parent, world, or the path of a body.")
    name: Text = Field("", description="Name of the event in the trajectory and in reports.")

    @model_validator(mode="after")
    def _require_impulse(self) -> Impulse:
        if not self.model_fields_set & {"impulse", "angular_impulse"}:
            raise invalid("missing-key", "neither 'impulse' nor 'angular_impulse' is given", "give at least one")
        return self


class Reparenting(SceneModel):
    """The change of a body's parent at an instant; its motion in the world does not change."""

    body: str = Field(description="Path of the body of which the parent changes.")
    to: str = Field(description="Path of the new parent, or world.")
    time: Instant = Field(description="Time of the change.")
    motion: Literal["free", "fixed"] = Field(
        "free", description="Whether the body is free in its new parent or fixed to it."
    )
