"""What happens at an instant: impulses, and changes of the tree."""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict, model_validator

from rigidsim.scene.schema.acting import Instant
from rigidsim.scene.values.base import Model, Text, complaint
from rigidsim.scene.values.quantities import ANGULAR_IMPULSE, IMPULSE, LENGTH, vector
from rigidsim.scene.values.vectors import ZERO


class Impulse(Model):
    """An impulse and an angular impulse at an instant."""

    model_config = ConfigDict(
        json_schema_extra={"anyOf": [{"required": ["impulse"]}, {"required": ["angular_impulse"]}]}
    )

    time: Instant
    impulse: vector(IMPULSE) = ZERO
    angular_impulse: vector(ANGULAR_IMPULSE) = ZERO
    at: vector(LENGTH) = None
    frame: str = "parent"
    name: Text = ""

    @model_validator(mode="after")
    def _require_impulse(self) -> Impulse:
        if not self.model_fields_set & {"impulse", "angular_impulse"}:
            raise complaint("missing-key", "neither 'impulse' nor 'angular_impulse' is given", "give at least one")
        return self


class Reparenting(Model):
    """At an instant a body gets another parent; its motion in the world stays as it is."""

    body: str
    to: str
    time: Instant
    motion: Literal["free", "fixed"] = "free"
