"""Gravity of the world: a point source, and bodies that attract each other."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from rigidsim.engine.laws.gravity import POINT_GRAVITY
from rigidsim.scene.schema.forces import declared_model
from rigidsim.scene.values.base import SceneModel
from rigidsim.scene.values.quantities import LENGTH, NUMBER_ONLY, not_negative, positive

GRAVITATIONAL_CONSTANT = 6.6743e-11
"""CODATA 2018, m^3 kg^-1 s^-2."""
SEVERAL = {"minItems": 2, "uniqueItems": True}
"""For the JSON Schema; the message for a scene depends on more than the list."""


PointSource = declared_model("PointSource", POINT_GRAVITY)
"""The source of attraction of every free body: a body (its centre of mass) or a point of the world, with GM and
optional oblateness.
"""


class MutualGravity(SceneModel):
    """Bodies that attract each other: these, or all free ones."""

    bodies: Annotated[tuple[str, ...], Field(strict=False, json_schema_extra=SEVERAL)] = Field(
        None, description="Paths of the free bodies that attract each other; default: all of them."
    )
    constant: positive(NUMBER_ONLY) = Field(
        GRAVITATIONAL_CONSTANT, description="The gravitational constant [m^3/(kg*s^2)]"
    )
    softening: not_negative(LENGTH) = Field(0.0, description="A length: r^2 is replaced by r^2 + softening^2.")
