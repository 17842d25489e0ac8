"""The parts of a scene file: what may be written, and what it means when left out."""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Discriminator, Field, WithJsonSchema

from rigidsim.scene.hierarchy.references import AXES, SEEN
from rigidsim.scene.schema.events import Impulse
from rigidsim.scene.schema.forces import Force
from rigidsim.scene.schema.gravity import MutualGravity, PointSource
from rigidsim.scene.schema.inertia import Inertia
from rigidsim.scene.schema.integrators import Integrator, Rkmk4
from rigidsim.scene.schema.orientation import Orientation
from rigidsim.scene.schema.prescription import PrescribedMotion, Prescription
from rigidsim.scene.schema.repeat import Repeat
from rigidsim.scene.schema.shapes import ONE_WEIGHT, HalfSpace, Material, Shape, Solid
from rigidsim.scene.text.document import shown
from rigidsim.scene.values.base import Model, by_form, complaint, form
from rigidsim.scene.values.quantities import (
    ACCELERATION,
    DENSITY,
    LENGTH,
    MASS,
    NUMBER_ONLY,
    TIME,
    positive,
    quantity,
    vector,
)
from rigidsim.scene.values.rotation import IDENTITY, Vector
from rigidsim.scene.values.vectors import ZERO, InitialAngularVelocity, InitialVelocity, framed

LIGHTEST, HEAVIEST = 1e-40, 1e45
WORDS = tuple(dict.fromkeys((*AXES, *SEEN)))
"""What frames are called, so that no body can be."""
BODY_NAME_SCHEMA = {"type": "string", "pattern": f"^(?!({'|'.join(WORDS)}|\\.|\\.\\.)$)[^/\\s]([^/]*[^/\\s])?$"}


def _check_mass(mass: float) -> float:
    if mass == 0:
        raise complaint("mass", "a mass cannot be zero", "leave it out, or write motion: fixed, for a massless body")
    if not LIGHTEST <= mass <= HEAVIEST:
        raise complaint("mass", f"{mass:g} kg is not between {LIGHTEST:g} and {HEAVIEST:g} kg")
    return mass


def _check_normal(normal: Vector) -> Vector:
    if not 1e-150 < math.hypot(*normal) < 1e150:
        raise complaint("plane", "the normal of the plane has no direction", "write plane: [0, 0, 1]")
    return normal


def _check_name(name: str) -> str:
    if name in WORDS:
        message = f"a body cannot be called '{name}'"
        raise complaint("body-name", message, "the word has a meaning of its own in 'frame', 'to' and expressions")
    if name in (".", "..", ""):
        raise complaint("body-name", f"a body cannot be called '{name}'")
    if name != name.strip():
        raise complaint("body-name", f"the name '{shown(name)}' begins or ends with a blank")
    if "/" in name or not name.isprintable():
        message = f"the name '{shown(name)}' contains a character that is not allowed"
        raise complaint("body-name", message, "a slash separates bodies in a path, and names must be printable")
    return name


MASS_SCHEMA = MASS.json_schema(positive=True)
MASS_SCHEMA["anyOf"][0] = {"type": "number", "minimum": LIGHTEST, "maximum": HEAVIEST}
Mass = Annotated[quantity(MASS), AfterValidator(_check_mass), WithJsonSchema(MASS_SCHEMA)]
BodyName = Annotated[str, AfterValidator(_check_name)]
NAMED = {"propertyNames": BODY_NAME_SCHEMA}


def _motion_form(value: Any) -> str:
    return "prescribed" if isinstance(value, dict) else "word"


def _require_motion(value: Any) -> Any:
    word = next((word for word in ("free", "fixed") if isinstance(value, dict) and word in value), None)
    if word is not None and "prescribed" not in value:
        raise complaint("motion", f"'{word}' is a word here, without keys", f"write motion: {word}")
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

    model_config = ConfigDict(json_schema_extra=ONE_WEIGHT)

    mass: Mass = None
    inertia: Inertia = None
    center_of_mass: vector(LENGTH) = ZERO
    density: positive(DENSITY) = None
    position: vector(LENGTH) = ZERO
    orientation: Orientation = IDENTITY
    velocity: framed(InitialVelocity) = InitialVelocity(value=ZERO)
    angular_velocity: framed(InitialAngularVelocity) = InitialAngularVelocity(value=ZERO)
    scale: positive(NUMBER_ONLY) = 1.0
    gravity: bool = True
    motion: Motion = None
    forces: Annotated[tuple[Force, ...], Field(strict=False)] = ()
    impulses: Annotated[tuple[Impulse, ...], Field(strict=False)] = ()
    inherit_impulses: bool = False
    shapes: Annotated[tuple[Shape, ...], Field(strict=False)] = ()
    material: Material = None
    repeat: Repeat = None
    children: dict[BodyName, Body] = Field(default={}, json_schema_extra=NAMED)

    @property
    def solids(self) -> tuple[Solid, ...]:
        """The shapes that enclose a volume."""
        return tuple(shape for shape in self.shapes if not isinstance(shape, HalfSpace))

    @property
    def has_mass(self) -> bool:
        """Whether the body has a mass of its own, written or from its shapes."""
        return self.mass is not None or self.density is not None or any(solid.has_weight for solid in self.solids)

    @property
    def kind(self) -> Literal["free", "fixed", "prescribed"]:
        """How the body moves relative to its parent."""
        if self.motion is None:
            return "free" if self.has_mass else "fixed"
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


def _gravity_form(value: Any) -> str:
    return "source" if isinstance(value, dict | Model) else "uniform"


Gravity = Annotated[
    Annotated[vector(ACCELERATION), form("uniform")] | Annotated[PointSource, form("source")],
    Discriminator(by_form(_gravity_form)),
]
"""Uniform gravity, or that of a point source."""


class World(Model):
    """What surrounds the bodies."""

    gravity: Gravity = ZERO
    mutual_gravity: MutualGravity = None
    plane: Annotated[vector(NUMBER_ONLY), AfterValidator(_check_normal)] = None

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
        length = math.hypot(*self.plane)
        return tuple(part / length for part in self.plane)
