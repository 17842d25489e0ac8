"""The schema of loads: one model for each kind of force, made from the declaration of its law, and impulses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, ConfigDict, Field, TypeAdapter, WithJsonSchema, create_model, model_validator

from rigidsim.engine.laws.declaration import (
    AXES,
    CENTER,
    DIRECTION,
    END,
    MEDIUM,
    NOT_NEGATIVE,
    NUMBER,
    ORIENTATION,
    POSITIVE,
    REQUIRED,
    TANK,
    Key,
)
from rigidsim.engine.laws.declaration import Force as Kind
from rigidsim.engine.laws.registry import KINDS
from rigidsim.scene.expressions import Expression
from rigidsim.scene.schema.orientation import Orientation
from rigidsim.scene.schema.when import TIMED, Trigger, When, require_instant
from rigidsim.scene.values.base import Parsed, SceneModel, Text, by_type, invalid, list_of, one_of, three
from rigidsim.scene.values.evaluation import is_expression
from rigidsim.scene.values.quantities import (
    ANGULAR_IMPULSE,
    DIMENSIONS,
    IMPULSE,
    LENGTH,
    NUMBER_ONLY,
    TIME,
    not_negative,
    positive,
    quantity,
    varying,
    varying_vector,
    vector,
)
from rigidsim.scene.values.rotation import Vector
from rigidsim.scene.values.vectors import ZERO, Direction

QUANTITIES = {dimension.name: dimension for dimension in (NUMBER_ONLY, *DIMENSIONS)}
BOUNDED = {"": quantity, POSITIVE: positive, NOT_NEGATIVE: not_negative}
UNTYPED = KINDS[0].name
"""The type of a force without the key `type`."""
STATE = frozenset({"time", "state"})
"""The variables that an expression of a force may use."""
WINDOW = "the window [begin, end] in which it acts, exactly; default: always"


def _check_window(window: tuple[float, float]) -> tuple[float, float]:
    start, end = window
    if not start < end:
        raise invalid("during", f"the window ends at {end:.12g} s, not after its beginning at {start:.12g} s")
    return window


Instant = Parsed[float, not_negative(TIME)]
Window = Annotated[Parsed[tuple[float, float], list_of(Instant, 2, "[start, end]")], AfterValidator(_check_window)]
Center = one_of(lambda value: "path" if isinstance(value, str) else "point", path=str, point=vector(LENGTH))
"""A body, by its path, or a point of the world."""
PLAIN_FORMS = {
    DIRECTION: Direction, ORIENTATION: Orientation, AXES: str, END: str, MEDIUM: str, CENTER: Center, TANK: str,
}  # fmt: skip


class Declared(SceneModel):
    """The keys that a law declares, and the checks of their combination."""

    kind: ClassVar[Kind]
    if TYPE_CHECKING:

        def __getattr__(self, key: str) -> Any:
            """The value of a key that the law declares."""

    @model_validator(mode="after")
    def _check_together(self) -> Declared:
        given, kind = self.model_fields_set, self.kind
        if kind.one_of and not given & set(kind.one_of):
            names = " nor ".join(f"'{name}'" for name in kind.one_of)
            raise invalid("missing-key", f"neither {names} is given", "give at least one of them")
        fault = kind.fault(self)
        if fault is not None:
            raise invalid(fault.code, fault.message, fault.hint, key=fault.key)
        for key, needed in kind.needs:
            if key in given and needed not in given:
                hint = "give both, or neither"
                raise invalid("missing-key", f"'{key}' is given without '{needed}'", hint, key=key)
        return self

    @property
    def varies(self) -> bool:
        """Whether any value, or component of one, is an expression of time or state."""
        values = (getattr(self, key.name) for key in self.kind.keys)
        parts = (part for value in values for part in (value if isinstance(value, tuple) else (value,)))
        return any(isinstance(part, Expression) for part in parts)


def _type_of(key: Key) -> Any:
    if key.form in PLAIN_FORMS:
        return PLAIN_FORMS[key.form]
    dimension = QUANTITIES[key.quantity]
    one = BOUNDED[key.bound](dimension)
    if key.varies:
        either = (varying if key.form == NUMBER else varying_vector)(dimension, STATE)
        return _bounded(one, either) if key.bound else either
    return one if key.form == NUMBER else three(one)


def _bounded(number: Any, either: Any) -> Any:
    """The type of a number within a bound, or of an expression that varies."""
    bounded = TypeAdapter(number)

    def check(value: Any) -> Any:
        return value if isinstance(value, Expression) else bounded.validate_python(value)

    def form(value: Any) -> str:
        return "expression" if isinstance(value, Expression) or is_expression(value) else "number"

    forms = one_of(form, number=number, expression=Annotated[either, AfterValidator(check)])
    return Annotated[forms, WithJsonSchema(bounded.json_schema())]


def _field(key: Key) -> Any:
    return Field(... if key.default is REQUIRED else key.default, description=key.description)


def _together(kind: Kind) -> dict[str, Any]:
    """The conditions between keys, for the JSON Schema."""
    schema: dict[str, Any] = {"anyOf": [{"required": [name]} for name in kind.one_of]} if kind.one_of else {}
    return schema | ({"dependentRequired": {key: [needed] for key, needed in kind.needs}} if kind.needs else {})


def declared_model(
    name: str, kind: Kind, first: dict | None = None, last: dict | None = None, description: str | None = None
) -> type[Declared]:
    """A model with the keys of a kind of force, others before them and others after, (type, field) by name. Its
    description is that of the kind, if none is given.
    """
    keys = {key.name: (_type_of(key), _field(key)) for key in kind.keys}
    model = create_model(
        name, __base__=Declared, __module__=__name__, __doc__=description or kind.description,
        __cls_kwargs__={"json_schema_extra": _together(kind)}, **((first or {}) | keys | (last or {})),
    )  # fmt: skip
    model.kind = kind
    return model


def _force_model(kind: Kind) -> type[Declared]:
    name = "".join(word.title() for word in kind.name.split("_"))
    default = UNTYPED if kind.name == UNTYPED else ...
    first = {"type": (Literal[kind.name], Field(default, description="the kind of force"))}
    return declared_model(name, kind, first, {"during": (Window, Field(None, description=WINDOW))})


FORCES: dict[str, type[Declared]] = {kind.name: _force_model(kind) for kind in KINDS}


Force = Parsed[Declared, by_type(FORCES, "force", UNTYPED)]


class Impulse(SceneModel):
    """An impulse and an angular impulse at an instant."""

    model_config = ConfigDict(
        json_schema_extra={"anyOf": [{"required": ["impulse"]}, {"required": ["angular_impulse"]}], **TIMED}
    )

    time: Parsed[Instant | None, Instant] = Field(None, description="Time at which it acts.")
    when: Parsed[When | None, Trigger] = Field(
        None, description="In place of the time: the condition at which it acts."
    )
    impulse: Parsed[Vector, vector(IMPULSE)] = Field(ZERO, description="Change of momentum.")
    angular_impulse: Parsed[Vector, vector(ANGULAR_IMPULSE)] = Field(
        ZERO, description="Change of angular momentum, in addition to that of the impulse."
    )
    at: Parsed[Vector | None, vector(LENGTH)] = Field(
        None, description="Point of the body where the impulse acts, in body coordinates; default: the centre of mass."
    )
    frame: str = Field("parent", description="Axes of the vectors: body, parent, world, or the path of a body.")
    name: Text = Field("", description="Name of the event in the trajectory and in reports.")

    @model_validator(mode="after")
    def _require_impulse(self) -> Impulse:
        require_instant(self)
        if not self.model_fields_set & {"impulse", "angular_impulse"}:
            raise invalid("missing-key", "neither 'impulse' nor 'angular_impulse' is given", "give at least one")
        return self
