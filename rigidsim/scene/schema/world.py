"""The world of a scene: gravity, the plane of a planar scene, and values of contact between bodies."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, Discriminator, Field

from rigidsim.scene.schema.contact import PairContact
from rigidsim.scene.schema.gravity import MutualGravity, PointSource
from rigidsim.scene.values.base import SceneModel, by_form, form, invalid
from rigidsim.scene.values.quantities import ACCELERATION, NUMBER_ONLY, vector
from rigidsim.scene.values.rotation import Vector
from rigidsim.scene.values.vectors import ZERO
from rigidsim.structures.columns import hypot


def _check_normal(normal: Vector) -> Vector:
    if not 1e-150 < hypot(*normal) < 1e150:
        raise invalid("plane", "the normal of the plane has no direction", "write plane: [0, 0, 1]")
    return normal


def _gravity_form(value: Any) -> str:
    return "source" if isinstance(value, dict | SceneModel) else "uniform"


Gravity = Annotated[
    Annotated[vector(ACCELERATION), form("uniform")] | Annotated[PointSource, form("source")],
    Discriminator(by_form(_gravity_form)),
]
"""Uniform gravity, or that of a point source."""


class Surroundings(SceneModel):
    """Gravity of the world, the plane of a planar scene, and values of contact between bodies."""

    gravity: Gravity = Field(
        ZERO, description="Uniform gravitational acceleration [x, y, z], or a point source with center and gm."
    )
    mutual_gravity: MutualGravity = Field(
        None, description="Bodies that attract each other by Newton's law of gravitation."
    )
    plane: Annotated[vector(NUMBER_ONLY), AfterValidator(_check_normal)] = Field(
        None, description="Normal [x, y, z] of the plane that free bodies are locked to; default: they move in space."
    )
    contacts: Annotated[tuple[PairContact, ...], Field(strict=False)] = Field(
        (), description="Values of contact between two bodies and all below them, in place of those of their shapes."
    )

    @property
    def uniform_gravity(self) -> Vector:
        """The uniform field, m/s^2; zero if there is a point source instead."""
        return ZERO if isinstance(self.gravity, PointSource) else self.gravity

    @property
    def source(self) -> PointSource | None:
        """The point source, if there is one."""
        return self.gravity if isinstance(self.gravity, PointSource) else None

    @property
    def normal(self) -> Vector | None:
        """The unit normal of the plane that a planar scene is locked to."""
        if self.plane is None:
            return None
        length = hypot(*self.plane)
        return tuple(part / length for part in self.plane)
