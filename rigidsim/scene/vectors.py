"""Velocities and accelerations that may name the frame they are written in."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, BeforeValidator, Discriminator

from rigidsim.scene.base import Model, by_form, complaint, form
from rigidsim.scene.document import shown
from rigidsim.scene.quantities import ACCELERATION, ANGULAR_ACCELERATION, ANGULAR_VELOCITY, VELOCITY, vector
from rigidsim.scene.rotation import Vector

ZERO: Vector = (0.0, 0.0, 0.0)


class FramedVector(Model):
    """A vector, the axes it is written in, and what the motion it describes is relative to."""

    frame: Literal["parent", "body", "world"] = "parent"
    relative_to: Literal["parent", "world"] = "parent"
    value: Any


class InitialVelocity(FramedVector):
    """The velocity of a free body at the start."""

    value: vector(VELOCITY)


class InitialAngularVelocity(FramedVector):
    """The angular velocity of a free body at the start."""

    value: vector(ANGULAR_VELOCITY)


class PrescribedVector(Model):
    """One constant of a prescribed motion, in the axes of the parent or in those of the body at the start."""

    frame: Literal["parent", "body"] = "parent"
    value: Any
    relative_to: ClassVar[str] = "parent"


class PrescribedVelocity(PrescribedVector):
    """The prescribed velocity at the start."""

    value: vector(VELOCITY)


class PrescribedAcceleration(PrescribedVector):
    """The prescribed constant acceleration."""

    value: vector(ACCELERATION)


class PrescribedAngularVelocity(PrescribedVector):
    """The prescribed angular velocity at the start."""

    value: vector(ANGULAR_VELOCITY)


class PrescribedAngularAcceleration(PrescribedVector):
    """The prescribed constant angular acceleration."""

    value: vector(ANGULAR_ACCELERATION)


def _form(value: Any) -> str:
    return "framed" if isinstance(value, dict) else "plain"


def _require_form(value: Any) -> Any:
    if not isinstance(value, dict | list | tuple):
        hint = "write [x, y, z] or {frame: parent, value: [x, y, z]}"
        raise complaint("not-a-list", f"expected a vector, got {shown(value)}", hint)
    return value


def framed(model: type[Model]) -> Any:
    """The type of a vector written as a plain list, in the parent's axes, or in full; its value is the full form."""

    def in_full(written: Any) -> Model:
        return written if isinstance(written, Model) else model.model_construct(value=written)

    plain = model.model_fields["value"].rebuild_annotation()
    union = Annotated[plain, form("plain")] | Annotated[model, form("framed")]
    return Annotated[union, Discriminator(by_form(_form)), AfterValidator(in_full), BeforeValidator(_require_form)]
