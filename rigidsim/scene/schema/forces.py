"""The kinds of forces."""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, ConfigDict, Discriminator, model_validator

from rigidsim.scene.expressions import Expression
from rigidsim.scene.schema.acting import STATE, Direction, Window
from rigidsim.scene.schema.gravity import GravityGradient, PointGravity, UniformGravity
from rigidsim.scene.schema.orientation import Orientation
from rigidsim.scene.text.document import shown
from rigidsim.scene.values.base import Model, by_form, complaint, form
from rigidsim.scene.values.quantities import (
    DAMPING,
    FORCE,
    LENGTH,
    NUMBER_ONLY,
    QUADRATIC_DRAG,
    STIFFNESS,
    TORQUE,
    TORSION_DAMPING,
    TORSION_STIFFNESS,
    not_negative,
    varying,
    varying_vector,
    vector,
)
from rigidsim.scene.values.vectors import ZERO


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

    model_config = ConfigDict(json_schema_extra={"anyOf": [{"required": ["linear"]}, {"required": ["quadratic"]}]})

    type: Literal["drag"]
    linear: not_negative(DAMPING) = 0.0
    quadratic: not_negative(QUADRATIC_DRAG) = 0.0
    medium: str = "world"
    at: vector(LENGTH) = None
    during: Window = None

    @model_validator(mode="after")
    def _require_coefficient(self) -> Drag:
        if not self.model_fields_set & {"linear", "quadratic"}:
            raise complaint("missing-key", "neither 'linear' nor 'quadratic' is given", "give at least one of them")
        return self


class Thruster(Model):
    """A thrust along a direction, throttled by a number or an expression."""

    type: Literal["thruster"]
    thrust: varying(FORCE, STATE)
    direction: Direction
    throttle: varying(NUMBER_ONLY, STATE) = 1.0
    at: vector(LENGTH) = None
    frame: str = "body"
    during: Window = None


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
        if not isinstance(name, str) or name not in kinds:
            close = get_close_matches(name, kinds, n=1) if isinstance(name, str) else []
            hint = f"did you mean '{close[0]}'?" if close else f"there are: {', '.join(kinds)}"
            raise complaint("unknown-value", f"{shown(name)} is not a type of {what}", hint, key="type")
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
