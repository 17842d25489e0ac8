"""Vectors: velocities and accelerations that may be given with a frame, and directions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from rigidsim.containers.columns import as_float, hypot, is_finite
from rigidsim.scene.expressions import Expression
from rigidsim.scene.expressions.tree import Time
from rigidsim.scene.text.document import shown
from rigidsim.scene.values.base import Parsed, SceneModel, invalid, or_mapping, three
from rigidsim.scene.values.quantities import (
    ACCELERATION,
    ANGULAR_ACCELERATION,
    ANGULAR_VELOCITY,
    NUMBER_ONLY,
    VELOCITY,
    Dimension,
    Varying,
    varying,
    vector,
)
from rigidsim.scene.values.rotation import Vector, three_numbers

ZERO: Vector = (0.0, 0.0, 0.0)
TIME_ONLY = frozenset({"time"})
SHORTEST, LONGEST = 1e-150, 1e150


def at_time(components: Sequence[Varying], t: float) -> tuple[float, ...]:
    """Numbers, or expressions of time, at a time (s)."""
    return tuple(as_float(part.evaluate({Time(): t})) if isinstance(part, Expression) else part for part in components)


def _require_start(part: Varying) -> Varying:
    (value,) = at_time((part,), 0.0)
    if not is_finite(value):
        raise invalid("not-finite", f"gives {value:g} at t = 0 s; expected a finite value")
    return part


def over_time(dimension: Dimension) -> Any:
    """The type of a number that may also be an expression of t, with a finite value at t = 0."""
    return Annotated[varying(dimension, TIME_ONLY), AfterValidator(_require_start)]


def _check_direction(direction: Vector) -> Vector:
    if not any(direction):
        raise invalid("direction", "the direction is zero")
    return direction


def _check_normal(normal: Vector) -> Vector:
    if not SHORTEST < hypot(*normal) < LONGEST:
        raise invalid("direction", "the normal of the plane has no direction", "write [0, 0, 1]")
    return normal


Direction = Annotated[Parsed[Vector, vector(NUMBER_ONLY)], AfterValidator(_check_direction)]
Normal = Annotated[Parsed[Vector, vector(NUMBER_ONLY)], AfterValidator(_check_normal)]
"""The normal of a plane, of any length whose square is a normal number."""


class AnyVector(SceneModel):
    """A vector in full, as a mapping."""

    value: Any

    @property
    def varies(self) -> bool:
        """Whether any component is an expression of time."""
        return any(isinstance(part, Expression) for part in self.value)

    @property
    def start(self) -> Vector:
        """The components at t = 0."""
        return three_numbers(at_time(self.value, 0.0))


class FramedVector(AnyVector):
    """A vector, the frame of its components, and the frame that the motion is relative to."""

    frame: Literal["parent", "body", "world"] = Field(
        "parent", description="Axes of the components: those of the parent, the body or the world."
    )
    relative_to: Literal["parent", "world"] = Field(
        "parent", description="The frame that the motion is relative to: the parent or the world."
    )
    value: Any


class InitialVelocity(FramedVector):
    """The velocity of a free body at the start."""

    value: Parsed[Vector, vector(VELOCITY)] = Field(description="Components [x, y, z].")


class InitialAngularVelocity(FramedVector):
    """The angular velocity of a free body at the start."""

    value: Parsed[Vector, vector(ANGULAR_VELOCITY)] = Field(description="Components [x, y, z].")


class PrescribedVector(AnyVector):
    """One constant of a prescribed motion, in the axes of the parent or in those of the body at the start; or a rate
    given by expressions of time, in the parent's axes.
    """

    frame: Literal["parent", "body"] = Field(
        "parent", description="Axes of the components: those of the parent, or of the body at t = 0."
    )
    value: Any
    relative_to: ClassVar[str] = "parent"


class PrescribedVelocity(PrescribedVector):
    """The prescribed velocity, at the start or as a function of time."""

    value: Parsed[tuple[Varying, Varying, Varying], three(over_time(VELOCITY))] = Field(
        description="Components [x, y, z], which may be expressions of t."
    )


class PrescribedAcceleration(PrescribedVector):
    """The prescribed constant acceleration."""

    value: Parsed[Vector, vector(ACCELERATION)] = Field(description="Components [x, y, z].")


class PrescribedAngularVelocity(PrescribedVector):
    """The prescribed angular velocity, at the start or as a function of time."""

    value: Parsed[tuple[Varying, Varying, Varying], three(over_time(ANGULAR_VELOCITY))] = Field(
        description="Components [x, y, z], which may be expressions of t."
    )


class PrescribedAngularAcceleration(PrescribedVector):
    """The prescribed constant angular acceleration."""

    value: Parsed[Vector, vector(ANGULAR_ACCELERATION)] = Field(description="Components [x, y, z].")


def _require_form(value: Any) -> Any:
    if not isinstance(value, dict | list | tuple):
        hint = "write [x, y, z] or {frame: parent, value: [x, y, z]}"
        raise invalid("not-a-list", f"expected a vector, got {shown(value)}", hint)
    return value


def framed(model: type[SceneModel]) -> Any:
    """The type of a vector written as a plain list, in the parent's axes, or in full; its value is the full form."""
    plain = model.model_fields["value"].rebuild_annotation()
    return Annotated[or_mapping(plain, model, "value"), BeforeValidator(_require_form)]
