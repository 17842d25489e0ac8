"""The schema of triggers: a condition on the motion, and how often and how late it acts."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, PlainSerializer, ValidationInfo, WithJsonSchema
from pydantic.config import JsonDict

from rigidsim.scene.expressions import WHEN, Apply, Expression
from rigidsim.scene.expressions.scope import varies
from rigidsim.scene.expressions.tree import parts
from rigidsim.scene.text.document import shown
from rigidsim.scene.values.base import Parsed, SceneModel, invalid, or_mapping
from rigidsim.scene.values.evaluation import read_expression, require_expression, written
from rigidsim.scene.values.quantities import EXPRESSION_SCHEMA, TIME, not_negative

EXAMPLE = "\"= z('ball') < 0\""


def _read(value: Any, info: ValidationInfo) -> Expression:
    if isinstance(value, Expression):
        return value
    require_expression(value, "a condition, an expression that begins with '='", EXAMPLE)
    return read_expression(value, info.context, WHEN)


def _require_instants(condition: Expression) -> Expression:
    """The condition, if the instant at which it becomes true can be found."""
    if any(isinstance(part, Apply) and part.operation == "equal" for part in parts(condition.tree)):
        hint = "use < or >: the event is at the instant at which both sides are equal"
        raise invalid("condition", "a condition with == or != does not hold for a time", hint)
    if not varies(condition.tree):
        message = f"the condition reads neither the time nor a motion, so it never changes: {shown(condition.text)}"
        raise invalid("condition", message, f"write {EXAMPLE}")
    return condition


_SCHEMA = {"description": "A condition on time and the motion of bodies.", **EXPRESSION_SCHEMA}
Condition = Annotated[
    Any, BeforeValidator(_read), AfterValidator(_require_instants), PlainSerializer(written), WithJsonSchema(_SCHEMA)
]


class When(SceneModel):
    """When something happens: at the instant at which a condition becomes true."""

    condition: Condition = Field(description="The event is where this becomes true; at the start it is not one.")
    every: bool = Field(False, description="Whether it happens each time, not only the first time.")
    rearm: Condition = Field(
        None,
        description="With every: the condition that must hold before it can happen again; default: that the "
        "condition does not hold. It makes a dead band.",
    )
    delay: Parsed[float, not_negative(TIME)] = Field(0.0, description="Time from the event to what happens.")


Trigger = Parsed[When, or_mapping(Condition, When, "condition")]
"""A condition alone, or with options; its value is the model with its options."""
TIMED: JsonDict = {"oneOf": [{"required": ["time"]}, {"required": ["when"]}]}
"""What happens at a time or by a trigger, for the JSON Schema."""


def require_instant(event: SceneModel) -> None:
    """Raise the error for an event that has neither a time nor a trigger, or both."""
    given = event.model_fields_set & {"time", "when"}
    if not given:
        raise invalid("missing-key", "the key 'time' is missing", "or 'when', with a condition", key="time")
    if len(given) > 1:
        raise invalid("when", "both 'time' and 'when' are given", "give one of them", key="when")


class Stop(SceneModel):
    """What ends a run before its duration is over."""

    when: Trigger = Field(description="The condition that ends the run, at the instant at which it becomes true.")
