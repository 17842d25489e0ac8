"""A body of a scene: its keys and their defaults."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Field,
    ModelWrapValidatorHandler,
    ValidationInfo,
    WithJsonSchema,
    create_model,
    model_validator,
)

from rigidsim.errors import did_you_mean
from rigidsim.scene.schema.forces import Force, Impulse
from rigidsim.scene.schema.include import Include
from rigidsim.scene.schema.inertia import Inertia
from rigidsim.scene.schema.joints import JOINTS
from rigidsim.scene.schema.let import Let, Quantities
from rigidsim.scene.schema.material import Collide, Material
from rigidsim.scene.schema.names import NAMED, BodyName
from rigidsim.scene.schema.orientation import Orientation
from rigidsim.scene.schema.prescription import PrescribedMotion
from rigidsim.scene.schema.repeat import Repeat
from rigidsim.scene.schema.sensors import Mounted, Owned, Sensors
from rigidsim.scene.schema.shapes import ONE_WEIGHT, HalfSpace, Shape, Solid
from rigidsim.scene.text.document import shown
from rigidsim.scene.values.base import Parsed, SceneModel, invalid, or_mapping
from rigidsim.scene.values.quantities import (
    DENSITY,
    LENGTH,
    MASS,
    NUMBER_ONLY,
    positive,
    quantity,
    vector,
)
from rigidsim.scene.values.rotation import IDENTITY, Vector
from rigidsim.scene.values.vectors import ZERO, InitialAngularVelocity, InitialVelocity, framed

LIGHTEST, HEAVIEST = 1e-40, 1e45


def _check_mass(mass: float) -> float:
    if mass == 0:
        raise invalid("mass", "a mass cannot be zero", "omit it, or write motion: fixed, for a massless body")
    if not LIGHTEST <= mass <= HEAVIEST:
        raise invalid("mass", f"{mass:g} kg is not between {LIGHTEST:g} and {HEAVIEST:g} kg")
    return mass


MASS_SCHEMA = MASS.json_schema(positive=True)
MASS_SCHEMA["anyOf"][0] = {"type": "number", "minimum": LIGHTEST, "maximum": HEAVIEST}
Mass = Annotated[Parsed[float, quantity(MASS)], AfterValidator(_check_mass), WithJsonSchema(MASS_SCHEMA)]


class OneJoint(SceneModel):
    """What has one key, which is a type of joint unless it is another motion."""

    model_config = ConfigDict(json_schema_extra={"minProperties": 1, "maxProperties": 1})

    @model_validator(mode="after")
    def _require_one(self) -> OneJoint:
        given = [key for key in type(self).model_fields if key in self.model_fields_set]
        if len(given) != 1:
            known = ", ".join(type(self).model_fields)
            wrong = f"both '{given[0]}' and '{given[1]}' are given" if given else "no kind of motion is given"
            raise invalid("motion", wrong, f"write one of {known}", **({"key": given[1]} if given else {}))
        return self

    @property
    def joint(self) -> tuple[str, SceneModel] | None:
        """The type of the joint, and the joint as it is given; None if there is none."""
        return next(((key, joint) for key in JOINTS if (joint := getattr(self, key)) is not None), None)


_KEYS: dict[str, Any] = {
    word: (kind, Field(None, description=f"A joint: {kind.summary}.")) for word, kind in JOINTS.items()
}
GivenJoint = create_model(
    "GivenJoint", __base__=OneJoint, __module__=__name__, __doc__="A joint: one of these keys.", **_KEYS
)


class GivenMotion(GivenJoint):  # type: ignore[misc, valid-type]  # a class that is made
    """The long form of `motion`: one of these keys."""

    prescribed: Parsed[PrescribedMotion | None, PrescribedMotion] = Field(
        None, description="The motion relative to the parent, independent of forces."
    )


def _require_motion(value: Any, more: str = "or {prescribed: {velocity: [x, y, z], ...}}, ") -> Any:
    word = next((word for word in WORDS if isinstance(value, dict) and list(value) == [word]), None)
    if word is not None:
        raise invalid("motion", f"'{word}' is a word here, without keys", f"write motion: {word}")
    if isinstance(value, str) and value in JOINTS and value not in KEYLESS:
        raise invalid("motion", f"the joint '{value}' has no keys", f"write motion: {{{value}: {{{EXAMPLES[value]}}}}}")
    if value not in (*WORDS, *KEYLESS) and not isinstance(value, dict | SceneModel):
        words = f"write free, fixed, {more}or a joint: {', '.join(JOINTS)}"
        hint = did_you_mean(value, (*WORDS, *JOINTS), words)
        raise invalid("motion", f"{shown(value)} is not a kind of motion", hint)
    return value


WORDS = ("free", "fixed")
KEYLESS = ("weld", "tank")  # joints that need no keys
EXAMPLES = {word: kind.example for word, kind in JOINTS.items()}
ONE_WORD: Any = Literal.__getitem__((*WORDS, *KEYLESS))


def _in_full(kind: type[OneJoint]) -> AfterValidator:
    """A joint that is one word, as a mapping."""
    return AfterValidator(lambda value: kind(**{value: {}}) if value in KEYLESS else value)


Motion = Annotated[
    Parsed[str | GivenMotion, or_mapping(ONE_WORD, GivenMotion)],
    _in_full(GivenMotion),
    BeforeValidator(_require_motion),
]
NewMotion = Annotated[
    Parsed[str | OneJoint, or_mapping(ONE_WORD, GivenJoint)],
    _in_full(GivenJoint),
    BeforeValidator(lambda value: _require_motion(value, "")),
]
"""How a body moves after a change of its parent."""


class Body(SceneModel):
    """A node of the hierarchy: a rigid body, free or on a joint, a part fixed to its parent, or a prescribed frame."""

    model_config = ConfigDict(json_schema_extra=ONE_WEIGHT)

    mass: Parsed[Mass | None, Mass] = Field(None, description="Mass; default: that of the shapes, or none.")
    inertia: Parsed[Inertia | None, Inertia] = Field(
        None,
        description="Principal moments, a tensor, or the word point for a particle; default: that of the shapes.",
    )
    center_of_mass: Parsed[Vector, vector(LENGTH)] = Field(
        ZERO, description="Centre of mass in body coordinates; default: that of the shapes, else the origin."
    )
    density: Parsed[float | None, positive(DENSITY)] = Field(
        None, description="Density of all shapes that have neither mass nor density of their own."
    )
    position: Parsed[Vector, vector(LENGTH)] = Field(ZERO, description="Position of the body's origin in the parent.")
    orientation: Orientation = Field(
        IDENTITY,
        description="Relative to the parent: a quaternion, axis and angle, Euler angles or a rotation matrix.",
    )
    velocity: Parsed[InitialVelocity, framed(InitialVelocity)] = Field(
        InitialVelocity(value=ZERO),
        description="Initial velocity of the origin of a free body, relative to the parent or to relative_to.",
    )
    angular_velocity: Parsed[InitialAngularVelocity, framed(InitialAngularVelocity)] = Field(
        InitialAngularVelocity(value=ZERO),
        description="Initial angular velocity of a free body, relative to the parent or to relative_to.",
    )
    scale: Parsed[float, positive(NUMBER_ONLY)] = Field(
        1.0,
        description="Unit of length of the body's points and children, in units of its parent.",
    )
    gravity: bool = Field(True, description="Whether gravity of the world acts on this body, free or on a joint.")
    motion: Parsed[Literal["free", "fixed"] | GivenMotion | None, Motion] = Field(
        None,
        description="How it moves: free (default with a mass), fixed (default without), prescribed, or on a joint.",
    )
    forces: Annotated[tuple[Force, ...], Field(strict=False)] = Field(
        (), description="Forces and torques that act on the body."
    )
    impulses: Annotated[tuple[Impulse, ...], Field(strict=False)] = Field((), description="Impulses at instants.")
    inherit_impulses: bool = Field(
        False, description="Whether a jump in the velocity of the parent is passed on to this free body."
    )
    shapes: Annotated[tuple[Shape, ...], Field(strict=False)] = Field(
        (), description="Solids that give the body its mass, centre and inertia, and half spaces."
    )
    material: Parsed[Material | None, Material] = Field(
        None,
        description="Properties of the surfaces of the body and of its fixed parts; shapes may have their own.",
    )
    collide: Parsed[Collide | None, Collide] = Field(
        None,
        description="Whether its shapes and those of fixed parts collide: true (default), false, sensor or a group.",
    )
    let: Let = Field({}, description="Named quantities of the body: expressions of its motion and of time.")
    sensors: Sensors = Field({}, description="Sensors on the body, by name; they do not change its motion.")
    repeat: Parsed[Repeat | None, Repeat] = Field(
        None, description="Make copies of the body: on a grid, on a line or at random."
    )
    include: Include = Field(None, description="A scene in another file, of which the bodies become children.")
    children: dict[BodyName, Body] = Field({}, description="Children of this body, by name.", json_schema_extra=NAMED)

    @model_validator(mode="wrap")
    @classmethod
    def _with_own_quantities(cls, data: Any, handler: ModelWrapValidatorHandler, info: ValidationInfo) -> Body:
        # Its expressions need no path for the quantities of the body.
        owned = (data.get("let"), data.get("sensors")) if isinstance(data, dict) else ()
        own = next((one for one in owned if isinstance(one, Quantities | Owned)), None)
        if own is None:
            return handler(data)
        assert info.context is not None
        scope, outer = info.context.scope, info.context.scope.own
        scope.own = own.path
        try:
            return handler(data)
        finally:
            scope.own = outer

    def mounts(self) -> Iterator[tuple[str, Body]]:
        """The frames of sensors that have a place of their own on the body, by name."""
        for name, sensor in self.sensors.items():
            if isinstance(sensor, Mounted) and sensor.is_apart:
                position, orientation = sensor.pose
                yield name, Mount.model_construct(position=position, orientation=orientation)

    @property
    def solids(self) -> tuple[Solid, ...]:
        """The shapes that enclose a volume."""
        return tuple(shape for shape in self.shapes if not isinstance(shape, HalfSpace))

    @property
    def has_mass(self) -> bool:
        """Whether the body has a mass of its own, given or from its shapes."""
        return self.mass is not None or self.density is not None or any(solid.has_weight for solid in self.solids)

    @property
    def kind(self) -> Literal["free", "jointed", "fixed", "prescribed"]:
        """How the body moves relative to its parent."""
        if self.motion is None:
            return "free" if self.has_mass else "fixed"
        if isinstance(self.motion, str):
            return self.motion
        return "prescribed" if self.prescribed else "jointed"

    @property
    def prescribed(self) -> PrescribedMotion | None:
        """The prescribed motion, if the body has one."""
        return self.motion.prescribed if isinstance(self.motion, GivenMotion) else None

    @property
    def joint(self) -> tuple[str, SceneModel] | None:
        """The type of the joint by which the body hangs on its parent, and the joint as it is given."""
        return self.motion.joint if isinstance(self.motion, GivenMotion) else None


class Mount(Body):
    """The frame of a sensor on a body."""
