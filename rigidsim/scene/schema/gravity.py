"""Gravity as a scene has it: uniform fields, point sources, and bodies that attract each other."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict, Discriminator, Field, model_validator

from rigidsim.scene.schema.acting import STATE, Direction, Window
from rigidsim.scene.values.base import Model, by_form, complaint, form
from rigidsim.scene.values.quantities import (
    ACCELERATION,
    GM,
    LENGTH,
    NUMBER_ONLY,
    not_negative,
    positive,
    quantity,
    varying_vector,
    vector,
)

GRAVITATIONAL_CONSTANT = 6.6743e-11
"""CODATA 2018, m^3 kg^-1 s^-2."""
SEVERAL = {"minItems": 2, "uniqueItems": True}
"""For the JSON Schema; how the scene itself says so depends on more than the list."""


class UniformGravity(Model):
    """A uniform field, constant in the axes of a frame: mass times acceleration at the centre of mass."""

    type: Literal["gravity"]
    acceleration: varying_vector(ACCELERATION, STATE)
    frame: str = "world"
    during: Window = None


Center = Annotated[
    Annotated[str, form("path")] | Annotated[vector(LENGTH), form("point")],
    Discriminator(by_form(lambda value: "path" if isinstance(value, str) else "point")),
]
"""A body, by its path, or a point of the world."""


class PointSource(Model):
    """What attracts: a body (its centre of mass) or a point of the world, with GM, perhaps flattened."""

    model_config = ConfigDict(json_schema_extra={"dependentRequired": {"radius": ["j2"], "axis": ["j2"]}})

    center: Center
    gm: positive(GM)
    j2: quantity(NUMBER_ONLY) = 0.0
    radius: positive(LENGTH) = None
    axis: Direction = (0.0, 0.0, 1.0)
    softening: not_negative(LENGTH) = 0.0

    @model_validator(mode="after")
    def _require_radius(self) -> PointSource:
        if self.j2 and self.radius is None:
            message = "'j2' is given without 'radius', the equatorial radius it refers to"
            raise complaint("missing-key", message, "give both, or neither", key="j2")
        for key in ("radius", "axis"):
            if key in self.model_fields_set and "j2" not in self.model_fields_set:
                hint = "give both, or neither: a source that is not flattened needs none"
                raise complaint("missing-key", f"'{key}' is given without 'j2'", hint, key=key)
        if self.j2 and self.softening:
            hint = "leave 'j2' or 'softening' out"
            raise complaint("gravity", "a flattened source cannot be softened", hint, key="softening")
        return self


class PointGravity(PointSource):
    """Gravity of a point source on this body alone."""

    type: Literal["point_gravity"]
    during: Window = None


class GravityGradient(Model):
    """The torque of a point source's gradient on this body; left out, the source is the world's."""

    model_config = ConfigDict(json_schema_extra={"dependentRequired": {"center": ["gm"], "gm": ["center"]}})

    type: Literal["gravity_gradient"]
    center: Center = None
    gm: positive(GM) = None
    during: Window = None

    @model_validator(mode="after")
    def _require_both(self) -> GravityGradient:
        if (self.center is None) != (self.gm is None):
            given = "gm" if self.center is None else "center"
            raise complaint("missing-key", "'center' and 'gm' go together", "give both, or neither", key=given)
        return self


class MutualGravity(Model):
    """Bodies that attract each other: these, or all free ones."""

    bodies: Annotated[tuple[str, ...], Field(strict=False, json_schema_extra=SEVERAL)] = None
    constant: positive(NUMBER_ONLY) = GRAVITATIONAL_CONSTANT
    softening: not_negative(LENGTH) = 0.0
