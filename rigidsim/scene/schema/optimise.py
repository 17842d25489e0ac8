"""The schema of an optimisation: the numbers that vary, what is smallest or largest, and the conditions it obeys."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated, Any, NamedTuple

from pydantic import BeforeValidator, Field, ValidationInfo, WithJsonSchema, model_validator
from pydantic_core import PydanticCustomError

from rigidsim.scene.expressions import METRIC, Expression
from rigidsim.scene.schema.fit import VariedWithin, by_names, plain_settings
from rigidsim.scene.schema.metrics import Metric
from rigidsim.scene.text.document import shown
from rigidsim.scene.values.base import Parsed, SceneModel, invalid, said
from rigidsim.scene.values.evaluation import read_expression, require_expression
from rigidsim.scene.values.points import LOG
from rigidsim.scene.values.quantities import EXPRESSION_SCHEMA, whole

KEY = "optimise"
COMPARISON = re.compile(r"<=|>=|==|!=|<|>")
FORM = """"= max(speed('ball')) < 3 m/s", with <, <=, >, >= or =="""
GOALS = ("minimise", "maximise")


class Constraint(NamedTuple):
    """A condition on metrics: its text, and for each comparison in it the metric that is its margin, which must not be
    negative, or must be zero if the comparison `is_equal`.
    """

    text: str
    margins: tuple[Expression, ...]
    is_equal: tuple[bool, ...]


def _comparisons(text: str) -> Iterator[re.Match]:
    """The comparisons of an expression that are neither in brackets nor in quotes."""
    depth, quote, end = 0, "", text.find("=") + 1
    for k, character in enumerate(text):
        if quote:
            quote = quote * (character != quote)
        elif character in "\"'":
            quote = character
        elif character in "([":
            depth += 1
        elif character in ")]":
            depth -= 1
        elif depth == 0 and k >= end and (match := COMPARISON.match(text, k)):
            end = match.end()
            yield match


def _constraint(text: Any, info: ValidationInfo) -> Constraint:
    if isinstance(text, Constraint):
        return text
    require_expression(text, "a comparison, which begins with '='", FORM)
    signs = [*_comparisons(text)]
    if not signs or any(sign[0] == "!=" for sign in signs):
        raise invalid("constraint", f"expected a comparison of metrics, got {shown(text)}", f"write {FORM}")
    begin, end = text.find("=") + 1, len(text)
    begins, ends = [begin, *(sign.end() for sign in signs)], [*(sign.start() for sign in signs), end]
    for k, last in zip(begins, ends, strict=True):
        read_expression(f"={' ' * (k - 1)}{text[k:last]}", info.context, METRIC)  # each part at its place
    parts = [text[k:last].strip() for k, last in zip(begins, ends, strict=True)]
    margins = []
    for sign, left, right in zip(signs, parts, parts[1:], strict=False):
        small, large = (left, right) if sign[0].startswith("<") else (right, left)
        try:
            margins.append(read_expression(f"= ({large}) - ({small})", info.context, METRIC))
        except PydanticCustomError as error:
            context = said(error) | {"offset": sign.start()}
            raise PydanticCustomError(error.type, "{message}", context) from None
    return Constraint(text, tuple(margins), tuple(sign[0] == "==" for sign in signs))


def _end(text: str) -> str | None:
    return text.strip() or None


def _within(value: Any) -> Any:
    """`0.5:2` and `log:0.5:2` are short for bounds, of which one may be missing; so is a list of both."""
    if value is None or isinstance(value, list | tuple):
        return {"bounds": value} if value else {}
    if not isinstance(value, str):
        return value
    ends = value.strip().removeprefix(LOG).split(":")
    if len(ends) != 2:
        raise invalid("bounds", f"expected bounds, got {shown(value)}", "write low:high, such as 0.5:2 or log:0.5:2")
    scale = {"scale": "log"} if value.strip().startswith(LOG) else {}
    return {"bounds": [*map(_end, ends)]} | scale


_Goal = Annotated[Metric, WithJsonSchema(EXPRESSION_SCHEMA)]


class _OrShort:
    """The short forms in the JSON Schema, too."""

    def __get_pydantic_json_schema__(self, core_schema: Any, handler: Any) -> dict[str, Any]:
        return {"anyOf": [{"type": "string", "pattern": ":"}, {"type": ["array", "null"]}, handler(core_schema)]}


_Varied = Annotated[VariedWithin, BeforeValidator(_within), _OrShort()]


class OptimiseSettings(SceneModel):
    """Which numbers vary within which bounds, what is to be smallest or largest, and the conditions that hold."""

    vary: Parsed[dict[str, VariedWithin], by_names(_Varied)] = Field(
        description='Numbers of the scene, with bounds: [0.5, 2], "0.5:2", "log:0.5:2", or a mapping.'
    )
    minimise: _Goal = Field(None, description="Expression of metrics that is to be smallest.")
    maximise: _Goal = Field(None, description="Expression of metrics that is to be largest.")
    subject_to: Annotated[
        tuple[
            Annotated[Any, BeforeValidator(_constraint), WithJsonSchema({"type": "string", "pattern": "[<>]|=="})], ...
        ],
        Field(strict=False),
    ] = Field((), description="Conditions: comparisons of expressions of metrics.")
    max_runs: Parsed[int, whole(1)] = Field(300, description="Runs that it makes at most.")

    @model_validator(mode="after")
    def _require_one(self) -> OptimiseSettings:
        given = [goal for goal in GOALS if getattr(self, goal) is not None]
        if len(given) != 1:
            wrong = "both 'minimise' and 'maximise' are given" if given else "nothing is to be smallest or largest"
            raise invalid("optimise", wrong, "give one of 'minimise' and 'maximise'")
        if not self.vary:
            raise invalid("optimise", "no number varies", "write vary: {reach: 0.5:2}")
        return self

    @property
    def goal(self) -> Expression:
        """The metric that is to be smallest or largest."""
        return self.maximise if self.minimise is None else self.minimise

    @property
    def expressions(self) -> dict[tuple[str | int, ...], Expression]:
        """All metrics in it, by their places in a scene."""
        goal = next(goal for goal in GOALS if getattr(self, goal) is not None)
        margins = ((k, j, m) for k, one in enumerate(self.subject_to) for j, m in enumerate(one.margins))
        return {(KEY, goal): self.goal} | {(KEY, "subject_to", k): m for k, _, m in margins}

    def written(self) -> dict[str, Any]:
        """The settings as plain data in the form of a scene, without what is left at its default."""
        conditions = {"subject_to": [one.text for one in self.subject_to]} if self.subject_to else {}
        return plain_settings(self) | conditions
