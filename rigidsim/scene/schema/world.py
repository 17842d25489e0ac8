"""The world of a scene: gravity, the plane of a planar scene, values of contact between bodies, and loops."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, model_validator

from rigidsim.containers.columns import hypot
from rigidsim.engine.laws.gravity import POINT_GRAVITY
from rigidsim.scene.schema.forces import Declared, declared_model
from rigidsim.scene.schema.loops import AnyLoop
from rigidsim.scene.schema.material import Friction, Restitution, Switch
from rigidsim.scene.values.base import Parsed, SceneModel, invalid, list_of, or_mapping
from rigidsim.scene.values.quantities import ACCELERATION, LENGTH, NUMBER_ONLY, not_negative, positive, vector
from rigidsim.scene.values.rotation import Vector
from rigidsim.scene.values.vectors import ZERO, Normal

GRAVITATIONAL_CONSTANT = 6.6743e-11
"""CODATA 2018, m^3 kg^-1 s^-2."""
SEVERAL = {"minItems": 2, "uniqueItems": True}
"""For the JSON Schema; the message for a scene depends on more than the list."""


PointSource = declared_model(
    "PointSource", POINT_GRAVITY, description="A point source that attracts every body without `gravity: false`."
)
"""The source of attraction of every free body: a body (its centre of mass) or a point of the world, with GM and
optional oblateness.
"""


class MutualGravity(SceneModel):
    """Bodies that attract each other: these, or all free ones and those on joints."""

    bodies: Parsed[
        tuple[str, ...] | None, Annotated[tuple[str, ...], Field(strict=False, json_schema_extra=SEVERAL)]
    ] = Field(None, description="Paths of the bodies that attract each other, free or on joints; default: all of them.")
    constant: Parsed[float, positive(NUMBER_ONLY)] = Field(
        GRAVITATIONAL_CONSTANT, description="The gravitational constant [m^3/(kg*s^2)]"
    )
    softening: Parsed[float, not_negative(LENGTH)] = Field(
        0.0, description="A length: r^2 is replaced by r^2 + softening^2."
    )


Gravity = Parsed[Vector | Declared, or_mapping(vector(ACCELERATION), PointSource)]
"""Uniform gravity, or that of a point source."""


class PairContact(SceneModel):
    """Values of contact between two bodies and all below them, in place of those that follow from their surfaces."""

    between: Parsed[tuple[str, str], list_of(str, 2, "of two paths")] = Field(
        description="Paths of the two bodies, each with all below it; world stands for all bodies."
    )
    restitution: Restitution = Field(None, description="Coefficient of restitution, from 0 to 1.")
    friction: Friction = Field(None, description="Coefficient of friction, 0 or more.")
    rolling_friction: Friction = Field(None, description="Coefficient of rolling friction, 0 or more.")
    collide: Parsed[Switch | None, Switch] = Field(None, description="Whether they collide: true, false or sensor.")

    @model_validator(mode="after")
    def _require_value(self) -> PairContact:
        if len(self.model_fields_set) < 2:
            raise invalid("missing-key", "no value is given", "give friction, restitution, rolling_friction or collide")
        return self


class Surroundings(SceneModel):
    """Gravity of the world, the plane of a planar scene, values of contact between bodies, and loops."""

    gravity: Gravity = Field(
        ZERO, description="Uniform gravitational acceleration [x, y, z], or a point source with center and gm."
    )
    mutual_gravity: Parsed[MutualGravity | None, MutualGravity] = Field(
        None, description="Bodies that attract each other by Newton's law of gravitation."
    )
    plane: Parsed[Vector | None, Normal] = Field(
        None, description="Normal [x, y, z] of the plane that free bodies are locked to; default: they move in space."
    )
    contacts: Annotated[tuple[PairContact, ...], Field(strict=False)] = Field(
        (), description="Values of contact between two bodies and all below them, in place of those of their shapes."
    )

    loops: Annotated[tuple[AnyLoop, ...], Field(strict=False)] = Field(
        (), description="What is held together beside the joints: two bodies, or a body and the world."
    )

    @property
    def uniform_gravity(self) -> Vector:
        """The uniform field, m/s^2; zero if there is a point source instead."""
        return self.gravity if isinstance(self.gravity, tuple) else ZERO

    @property
    def source(self) -> Declared | None:
        """The point source, if there is one."""
        return self.gravity if isinstance(self.gravity, PointSource) else None

    @property
    def normal(self) -> Vector | None:
        """The unit normal of the plane that a planar scene is locked to."""
        if self.plane is None:
            return None
        length = hypot(*self.plane)
        x, y, z = self.plane
        return x / length, y / length, z / length
