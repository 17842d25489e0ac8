"""The parts of a scene file: what may be written, and what it means when left out."""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Discriminator, Field, WithJsonSchema, model_validator

from rigidsim.scene.base import Model, by_form, complaint, form, list_of
from rigidsim.scene.document import shown
from rigidsim.scene.inertia import Inertia
from rigidsim.scene.integrators import Integrator, Rkmk4
from rigidsim.scene.orientation import Orientation
from rigidsim.scene.quantities import (
    ACCELERATION,
    FORCE,
    LENGTH,
    MASS,
    NUMBER_ONLY,
    TIME,
    TORQUE,
    positive,
    quantity,
    vector,
)
from rigidsim.scene.rotation import IDENTITY, Vector
from rigidsim.scene.vectors import (
    ZERO,
    InitialAngularVelocity,
    InitialVelocity,
    PrescribedAcceleration,
    PrescribedAngularAcceleration,
    PrescribedAngularVelocity,
    PrescribedVelocity,
    framed,
)

LIGHTEST, HEAVIEST = 1e-40, 1e45
BODY_NAME_SCHEMA = {"type": "string", "pattern": "^(?!(world|\\.|\\.\\.)$)[^/\\s]([^/]*[^/\\s])?$"}


def _check_mass(mass: float) -> float:
    if mass == 0:
        raise complaint("mass", "a mass cannot be zero", "leave it out, or write motion: fixed, for a massless body")
    if not LIGHTEST <= mass <= HEAVIEST:
        raise complaint("mass", f"{mass:g} kg is not between {LIGHTEST:g} and {HEAVIEST:g} kg")
    return mass


def _check_window(window: tuple[float, float]) -> tuple[float, float]:
    start, end = window
    if start < 0:
        raise complaint("during", f"the window begins at {start:g} s, before the simulation does")
    if not start < end:
        raise complaint("during", f"the window ends at {end:g} s, not after its beginning at {start:g} s")
    return window


def _check_text(text: str) -> str:
    # Titles reach terminals and web pages; an escape sequence in one must not.
    unprintable = next((c for c in text if not (c.isprintable() or c in "\n\t")), None)
    if unprintable is not None:
        raise complaint("character", f"the character U+{ord(unprintable):04X} is not allowed here", "remove it")
    return text


def _check_normal(normal: Vector) -> Vector:
    if not 1e-150 < math.hypot(*normal) < 1e150:
        raise complaint("plane", "the normal of the plane has no direction", "write plane: [0, 0, 1]")
    return normal


def _check_name(name: str) -> str:
    if name in ("world", ".", "..", ""):
        raise complaint("body-name", f"a body cannot be called '{name}'")
    if name != name.strip():
        raise complaint("body-name", f"the name '{shown(name)}' begins or ends with a blank")
    if "/" in name or not name.isprintable():
        message = f"the name '{shown(name)}' contains a character that is not allowed"
        raise complaint("body-name", message, "a slash separates bodies in a path, and names must be printable")
    return name


Mass = Annotated[quantity(MASS), AfterValidator(_check_mass), WithJsonSchema(MASS.json_schema(positive=True))]
Window = Annotated[list_of(quantity(TIME), 2, "[start, end]"), AfterValidator(_check_window)]
Text = Annotated[str, AfterValidator(_check_text)]
BodyName = Annotated[str, AfterValidator(_check_name)]
NAMED = {"propertyNames": BODY_NAME_SCHEMA}


class Force(Model):
    """A constant force and torque. `at` is a point of the body; left out, it is the centre of mass."""

    model_config = ConfigDict(json_schema_extra={"anyOf": [{"required": ["force"]}, {"required": ["torque"]}]})

    type: Literal["constant"] = "constant"
    force: vector(FORCE) = ZERO
    torque: vector(TORQUE) = ZERO
    at: vector(LENGTH) = None
    frame: Literal["body", "parent", "world"] = "parent"
    during: Window = None

    @model_validator(mode="after")
    def _require_load(self) -> Force:
        if not self.model_fields_set & {"force", "torque"}:
            raise complaint("missing-key", "neither 'force' nor 'torque' is given", "give at least one of them")
        return self


class PrescribedMotion(Model):
    """A motion with constant accelerations, relative to the parent."""

    velocity: framed(PrescribedVelocity) = PrescribedVelocity(value=ZERO)
    acceleration: framed(PrescribedAcceleration) = PrescribedAcceleration(value=ZERO)
    angular_velocity: framed(PrescribedAngularVelocity) = PrescribedAngularVelocity(value=ZERO)
    angular_acceleration: framed(PrescribedAngularAcceleration) = PrescribedAngularAcceleration(value=ZERO)


class Prescription(Model):
    """The long form of `motion`."""

    prescribed: PrescribedMotion


def _motion_form(value: Any) -> str:
    return "prescribed" if isinstance(value, dict) else "word"


def _require_motion(value: Any) -> Any:
    if value not in ("free", "fixed") and not isinstance(value, dict):
        hint = "write free, fixed, or {prescribed: {velocity: [x, y, z], ...}}"
        raise complaint("motion", f"{shown(value)} is not a kind of motion", hint)
    return value


Motion = Annotated[
    Annotated[Literal["free", "fixed"], form("word")] | Annotated[Prescription, form("prescribed")],
    Discriminator(by_form(_motion_form)),
    BeforeValidator(_require_motion),
]


class Body(Model):
    """A node of the hierarchy: a free rigid body, a part fixed to its parent, or a frame with a prescribed motion."""

    mass: Mass = None
    inertia: Inertia = None
    center_of_mass: vector(LENGTH) = ZERO
    position: vector(LENGTH) = ZERO
    orientation: Orientation = IDENTITY
    velocity: framed(InitialVelocity) = InitialVelocity(value=ZERO)
    angular_velocity: framed(InitialAngularVelocity) = InitialAngularVelocity(value=ZERO)
    scale: positive(NUMBER_ONLY) = 1.0
    gravity: bool = True
    motion: Motion = None
    forces: Annotated[tuple[Force, ...], Field(strict=False)] = ()
    children: dict[BodyName, Body] = Field(default={}, json_schema_extra=NAMED)

    @property
    def kind(self) -> Literal["free", "fixed", "prescribed"]:
        """How the body moves relative to its parent."""
        if self.motion is None:
            return "fixed" if self.mass is None else "free"
        return "prescribed" if isinstance(self.motion, Prescription) else self.motion

    @property
    def prescribed(self) -> PrescribedMotion | None:
        """The prescribed motion, if that is what the body has."""
        return self.motion.prescribed if isinstance(self.motion, Prescription) else None


class Simulation(Model):
    """How long and how finely to simulate, and what to keep."""

    duration: positive(TIME)
    step: positive(TIME)
    integrator: Integrator = Rkmk4(name="rkmk4")
    record_every: positive(TIME) = None


class World(Model):
    """What surrounds the bodies."""

    gravity: vector(ACCELERATION) = ZERO
    plane: Annotated[vector(NUMBER_ONLY), AfterValidator(_check_normal)] = None

    @property
    def normal(self) -> Vector | None:
        """The unit normal of the plane that a planar scene is locked to."""
        if self.plane is None:
            return None
        length = math.hypot(*self.plane)
        return tuple(part / length for part in self.plane)
