"""The kinds of forces, and what else acts: impulses, gravity, changes of the tree."""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Discriminator, Field, model_validator

from rigidsim.scene.base import Model, by_form, complaint, form, list_of
from rigidsim.scene.document import shown
from rigidsim.scene.expressions import Expression
from rigidsim.scene.orientation import Orientation
from rigidsim.scene.quantities import (
    ACCELERATION,
    ANGULAR_IMPULSE,
    DAMPING,
    FORCE,
    GM,
    IMPULSE,
    LENGTH,
    NUMBER_ONLY,
    QUADRATIC_DRAG,
    STIFFNESS,
    TIME,
    TORQUE,
    TORSION_DAMPING,
    TORSION_STIFFNESS,
    not_negative,
    positive,
    quantity,
    varying,
    varying_vector,
    vector,
)
from rigidsim.scene.rotation import Vector

ZERO: Vector = (0.0, 0.0, 0.0)
STATE = frozenset({"time", "state"})
GRAVITATIONAL_CONSTANT = 6.6743e-11
"""CODATA 2018, m^3 kg^-1 s^-2."""


def check_window(window: tuple[float, float]) -> tuple[float, float]:
    """A window begins at or after the start and has a length."""
    start, end = window
    if start < 0:
        raise complaint("during", f"the window begins at {start:g} s, before the simulation does")
    if not start < end:
        raise complaint("during", f"the window ends at {end:g} s, not after its beginning at {start:g} s")
    return window


def check_direction(direction: Vector) -> Vector:
    """A direction must not vanish."""
    if not any(direction):
        raise complaint("direction", "the direction is zero")
    return direction


def _check_instant(time: float) -> float:
    if time < 0:
        raise complaint("time", f"{time:g} s is before the simulation begins")
    return time


Window = Annotated[list_of(quantity(TIME), 2, "[start, end]"), AfterValidator(check_window)]
Direction = Annotated[vector(NUMBER_ONLY), AfterValidator(check_direction)]
Instant = Annotated[quantity(TIME), AfterValidator(_check_instant)]


class ConstantForce(Model):
    """A force and a torque, constant or given by expressions. `at` is a point of the body; left out, it is the centre
    of mass.
    """

    model_config = ConfigDict(json_schema_extra={"anyOf": [{"required": ["force"]}, {"required": ["torque"]}]})

    type: Literal["constant"] = "constant"
    force: varying_vector(FORCE, STATE) = ZERO
    torque: varying_vector(TORQUE, STATE) = ZERO
    at: vector(LENGTH) = None
    frame: str = "parent"
    during: Window = None

    @model_validator(mode="after")
    def _require_load(self) -> ConstantForce:
        if not self.model_fields_set & {"force", "torque"}:
            raise complaint("missing-key", "neither 'force' nor 'torque' is given", "give at least one of them")
        return self

    @property
    def varies(self) -> bool:
        """Whether any component is an expression of time or state."""
        return any(isinstance(part, Expression) for part in (*self.force, *self.torque))


class Spring(Model):
    """A spring, damped or not, between a point of this body and a point of another or of the world."""

    type: Literal["spring"]
    to: str
    at: vector(LENGTH) = None
    to_at: vector(LENGTH) = None
    stiffness: not_negative(STIFFNESS)
    damping: not_negative(DAMPING) = 0.0
    length: not_negative(LENGTH) = None
    during: Window = None


class Damper(Model):
    """A damper along the line between two points."""

    type: Literal["damper"]
    to: str
    at: vector(LENGTH) = None
    to_at: vector(LENGTH) = None
    damping: not_negative(DAMPING)
    during: Window = None

    stiffness: ClassVar[float] = 0.0
    length: ClassVar[float] = 0.0


class TorsionSpring(Model):
    """A torque that turns the body back to its orientation at rest in another, about all axes or about one."""

    type: Literal["torsion_spring"]
    to: str
    stiffness: not_negative(TORSION_STIFFNESS)
    damping: not_negative(TORSION_DAMPING) = 0.0
    rest: Orientation = None
    axis: Direction = None
    during: Window = None


class Drag(Model):
    """-(linear + quadratic |v|) v, with v relative to a medium that moves with a frame."""

    type: Literal["drag"]
    linear: not_negative(DAMPING) = 0.0
    quadratic: not_negative(QUADRATIC_DRAG) = 0.0
    medium: str = "world"
    at: vector(LENGTH) = None
    during: Window = None


class Thruster(Model):
    """A thrust along a direction, throttled by a number or an expression."""

    type: Literal["thruster"]
    thrust: varying(FORCE, STATE)
    direction: Direction
    throttle: varying(NUMBER_ONLY, STATE) = 1.0
    at: vector(LENGTH) = None
    frame: str = "body"
    during: Window = None


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

    center: Center
    gm: positive(GM)
    j2: quantity(NUMBER_ONLY) = 0.0
    radius: positive(LENGTH) = None
    axis: Direction = (0.0, 0.0, 1.0)
    softening: not_negative(LENGTH) = 0.0

    @model_validator(mode="after")
    def _require_radius(self) -> PointSource:
        if self.j2 and self.radius is None:
            raise complaint("missing-key", "'j2' is given without 'radius', the equatorial radius it refers to")
        if self.j2 and self.softening:
            raise complaint("gravity", "a flattened source cannot be softened", "leave 'j2' or 'softening' out")
        return self


class PointGravity(PointSource):
    """Gravity of a point source on this body alone."""

    type: Literal["point_gravity"]
    during: Window = None


class GravityGradient(Model):
    """The torque of a point source's gradient on this body; left out, the source is the world's."""

    type: Literal["gravity_gradient"]
    center: Center = None
    gm: positive(GM) = None
    during: Window = None

    @model_validator(mode="after")
    def _require_both(self) -> GravityGradient:
        if (self.center is None) != (self.gm is None):
            raise complaint("missing-key", "'center' and 'gm' go together", "give both, or neither")
        return self


FORCES: dict[str, type[Model]] = {
    "constant": ConstantForce,
    "spring": Spring,
    "damper": Damper,
    "torsion_spring": TorsionSpring,
    "drag": Drag,
    "thruster": Thruster,
    "gravity": UniformGravity,
    "point_gravity": PointGravity,
    "gravity_gradient": GravityGradient,
}


def _force_form(value: Any) -> str:
    return value.get("type", "constant") if isinstance(value, dict) else getattr(value, "type", "constant")


def require_known(kinds: dict[str, Any], what: str) -> Callable[[Any], Any]:
    """A check that the `type` of a mapping is one of these, with a suggestion."""

    def check(value: Any) -> Any:
        if not isinstance(value, dict):
            if isinstance(value, Model):
                return value
            raise complaint("not-a-mapping", f"expected a {what}, a mapping, got {shown(value)}")
        name = value.get("type", "constant")
        if name not in kinds:
            close = get_close_matches(name, kinds, n=1) if isinstance(name, str) else []
            hint = f"did you mean '{close[0]}'?" if close else f"there are: {', '.join(kinds)}"
            raise complaint("unknown-value", f"{shown(name)} is not a type of {what}", hint)
        return value

    return check


Force = Annotated[
    Annotated[ConstantForce, form("constant")]
    | Annotated[Spring, form("spring")]
    | Annotated[Damper, form("damper")]
    | Annotated[TorsionSpring, form("torsion_spring")]
    | Annotated[Drag, form("drag")]
    | Annotated[Thruster, form("thruster")]
    | Annotated[UniformGravity, form("gravity")]
    | Annotated[PointGravity, form("point_gravity")]
    | Annotated[GravityGradient, form("gravity_gradient")],
    Discriminator(by_form(_force_form)),
    BeforeValidator(require_known(FORCES, "force")),
]


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
    name: str = ""

    @model_validator(mode="after")
    def _require_impulse(self) -> Impulse:
        if not self.model_fields_set & {"impulse", "angular_impulse"}:
            raise complaint("missing-key", "neither 'impulse' nor 'angular_impulse' is given", "give at least one")
        return self


class MutualGravity(Model):
    """Bodies that attract each other: these, or all free ones."""

    bodies: Annotated[tuple[str, ...], Field(strict=False)] = None
    constant: positive(NUMBER_ONLY) = GRAVITATIONAL_CONSTANT
    softening: not_negative(LENGTH) = 0.0


class Reparenting(Model):
    """At an instant a body gets another parent; its motion in the world stays as it is."""

    body: str
    to: str
    time: Instant
    motion: Literal["free", "fixed"] = "free"
