"""The schema of oracles: what quantities should be during a run, as expressions of time."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    PlainSerializer,
    ValidationInfo,
    WithJsonSchema,
)

from rigidsim.quantities.names import BadName, read_name
from rigidsim.scene.expressions import ORACLE, Expression, ExpressionError
from rigidsim.scene.values.base import Parsed, SceneModel, invalid, mapping_of, one_of, or_mapping
from rigidsim.scene.values.evaluation import is_expression, read_expression, written
from rigidsim.scene.values.quantities import NUMBER_ONLY, TIME, not_negative

KEY = "oracle"
MOST_COMPONENTS = 4
EXAMPLE = '{ball.position: ["= v*t", 0, null]}'
NOT_COMPARED = ("time", "energy_drift")
BAD_KEY = "oracle-quantity"
"""The code of an error about the quantity itself."""


def _check_quantity(text: str, info: ValidationInfo) -> str:
    try:
        if info.context and info.context.scope.named(text):
            return text
        read_name(text)
    except (BadName, ExpressionError) as error:
        raise invalid(BAD_KEY, error.message, error.hint) from None
    if text in NOT_COMPARED:
        raise invalid(BAD_KEY, f"an oracle cannot have '{text}'", "name a quantity that the motion of bodies decides")
    return text


def _read(value: Any, info: ValidationInfo) -> float | Expression:
    """A number or an expression of t, in the SI unit of the quantity."""
    if not is_expression(value):
        return value if isinstance(value, Expression) else NUMBER_ONLY.read(value)
    expression = read_expression(value, info.context, ORACLE)
    return expression.value if expression.is_constant else expression


def _read_if_known(value: Any, info: ValidationInfo) -> float | Expression | None:
    return None if value is None else _read(value, info)


_SCHEMA = NUMBER_ONLY.json_schema()
_NULL = {"anyOf": [*_SCHEMA["anyOf"], {"type": "null"}]}
_ONE = Annotated[Any, BeforeValidator(_read), PlainSerializer(written), WithJsonSchema(_SCHEMA)]
_SOME = Annotated[Any, BeforeValidator(_read_if_known), PlainSerializer(written), WithJsonSchema(_NULL)]


def _require_length(values: tuple) -> tuple:
    if not 1 <= len(values) <= MOST_COMPONENTS:
        raise invalid("length", f"expected a value for each component, 1 to {MOST_COMPONENTS}, got {len(values)}")
    return values


_LIST = Annotated[tuple[_SOME, ...], Field(strict=False), AfterValidator(_require_length)]
_VALUE = Parsed[Any, one_of(lambda value: "list" if isinstance(value, list | tuple) else "one", one=_ONE, list=_LIST)]


class Reference(SceneModel):
    """The closed form of one quantity."""

    value: _VALUE = Field(description="Expression of t, or a list with one for each component; null: not known.")
    until: Parsed[float | None, not_negative(TIME)] = Field(
        None, description="Time up to which it holds; default: the whole run."
    )
    tolerance: Parsed[float | None, not_negative(NUMBER_ONLY)] = Field(
        None, description="Largest difference that is expected, in the unit of the quantity."
    )

    @property
    def components(self) -> tuple[float | Expression | None, ...]:
        """The value of each component; of a scalar, one."""
        return self.value if isinstance(self.value, tuple) else (self.value,)


_Reference = or_mapping(_VALUE, Reference, "value")
_Quantity = Annotated[str, AfterValidator(_check_quantity)]
_DESCRIPTION = "What quantities should be, as expressions of t; it does not influence the run."
Oracle = Annotated[
    Parsed[
        dict[str, Reference],
        mapping_of(_Quantity, _Reference, "quantities with expressions of t", EXAMPLE, "quantities"),
    ],
    Field(description=_DESCRIPTION),
]
"""Quantities by their names, with their closed forms."""
