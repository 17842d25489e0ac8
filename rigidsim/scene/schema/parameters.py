"""The schema of parameters: named numbers that expressions may use."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator, ValidationInfo, WithJsonSchema

from rigidsim.scene.expressions.tokens import NAME
from rigidsim.scene.expressions.vocabulary import RESERVED
from rigidsim.scene.values.base import SceneModel
from rigidsim.scene.values.quantities import NUMBER, UNCERTAIN_SCHEMAS

KEY = "parameters"
KEYS_OF_A_SCENE = (
    *("format", "title", "description", KEY, "tables", "let", "simulation", "world", "bodies"),
    *("reparent", "changes", "states", "controllers", "metrics", "oracle", "sweep", "fit", "optimise"),
)
"""Not allowed as names of parameters: `--set title=...` would be ambiguous."""


class Parameter(SceneModel):
    """A parameter: its SI value, its SI unit if it has one, and its description."""

    value: float
    unit: str = ""
    description: str = ""


def _taken(written: Any, info: ValidationInfo) -> Any:
    """The parameters, which were read before the rest of the scene."""
    return written if info.context is None else dict(info.context.given)


_SHORT_SCHEMA = {"anyOf": [{"type": "number"}, {"type": "string", "pattern": rf"^\s*({NUMBER}\s*[^\s\d]|=\s*\S)"}]}
_LONG_SCHEMA = {
    "type": "object",
    "properties": {
        "value": {**_SHORT_SCHEMA, "description": "The value: a number, a quantity with a unit, or an expression."},
        "unit": {"type": "string", "description": "The unit of a value that is a bare number or an expression."},
        "description": {"type": "string", "description": "What the parameter means."},
    },
    "required": ["value"],
    "additionalProperties": False,
}
_SCHEMA = {
    "type": "object",
    "description": "Named numbers: a number, a quantity, or an expression over the others.",
    "propertyNames": {"pattern": rf"^(?!({'|'.join(sorted({*RESERVED, *KEYS_OF_A_SCENE}))})$){NAME.pattern}$"},
    "additionalProperties": {"anyOf": [_SHORT_SCHEMA, *UNCERTAIN_SCHEMAS, _LONG_SCHEMA]},
}
Parameters = Annotated[dict[str, Parameter], BeforeValidator(_taken), WithJsonSchema(_SCHEMA)]
