"""The schema of metrics: named numbers of a whole run, each an expression with reductions of the samples."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, PlainSerializer, ValidationInfo, WithJsonSchema

from rigidsim.scene.expressions import METRIC, Expression
from rigidsim.scene.expressions.tokens import NAME
from rigidsim.scene.text.document import shown
from rigidsim.scene.values.base import Parsed, invalid, mapping_of
from rigidsim.scene.values.evaluation import read_expression, require_expression, written
from rigidsim.scene.values.quantities import EXPRESSION_SCHEMA

EXAMPLE = "{top_speed: \"= max(speed('ball'))\"}"
BAD_NAME = "metric-name"
"""The code of an error about the name itself."""


def _check_name(name: str) -> str:
    if not NAME.fullmatch(name):
        hint = "letters, digits and underscores, not beginning with a digit"
        raise invalid(BAD_NAME, f"a metric cannot be called '{shown(name)}'", hint)
    return name


def _read(value: Any, info: ValidationInfo) -> Expression:
    if isinstance(value, Expression):
        return value
    require_expression(value, "an expression, which begins with '='", EXAMPLE)
    return read_expression(value, info.context, METRIC)


_SCHEMA = {
    "type": "object",
    "description": "Named numbers of the whole run: expressions with reductions of the samples.",
    "propertyNames": {"pattern": f"^{NAME.pattern}$"},
    "additionalProperties": EXPRESSION_SCHEMA,
}
_Name = Annotated[str, AfterValidator(_check_name)]
Metric = Annotated[Any, BeforeValidator(_read), PlainSerializer(written)]
"""A number of the whole run."""
Metrics = Annotated[
    Parsed[dict[str, Any], mapping_of(_Name, Metric, "names with expressions", EXAMPLE, "metrics")],
    WithJsonSchema(_SCHEMA),
]
