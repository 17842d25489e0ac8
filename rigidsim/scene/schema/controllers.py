"""The schema of controllers: blocks that read sensors and quantities at their samples, and hold a number between."""

from __future__ import annotations

import ast
import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    PlainSerializer,
    ValidationInfo,
    WithJsonSchema,
    model_validator,
)

from rigidsim.scene.expressions import SAMPLE, Expression
from rigidsim.scene.expressions.tokens import NAME
from rigidsim.scene.text.document import shown
from rigidsim.scene.values.base import UNWRITTEN, Parsed, SceneModel, by_type, invalid, listed, mapping_of, word_of
from rigidsim.scene.values.evaluation import is_expression, read_expression, written
from rigidsim.scene.values.files import status_of
from rigidsim.scene.values.quantities import NUMBER_ONLY, TIME, not_negative, positive

KEY = "controllers"
EXAMPLE = "controllers: {u: {type: pid, every: 0.01 s, input: \"= -angle('arm')\", proportional: 5}}"
MAX_BYTES = 1_000_000
UNBOUNDED = (-math.inf, math.inf)


def _read(value: Any, info: ValidationInfo) -> float | Expression:
    if isinstance(value, Expression):
        return value
    if not is_expression(value):
        return NUMBER_ONLY.read(value, info.context)
    expression = read_expression(value, info.context, SAMPLE)
    return expression.value if expression.is_constant else expression


Read = Annotated[Any, BeforeValidator(_read), PlainSerializer(written), WithJsonSchema(NUMBER_ONLY.json_schema())]
"""A number, or an expression that is evaluated at each sample."""


class Controller(SceneModel):
    """What computes a number at each of its samples, and holds it until the next one."""

    numbers: ClassVar[tuple[str, ...]]
    """The keys that are read at each sample."""
    every: Parsed[float, positive(TIME)] = Field(
        description="Time between samples, from t = 0; a whole number of steps."
    )
    delay: Parsed[float, not_negative(TIME)] = Field(
        0.0, description="Time from a sample to its effect; a whole number of steps. Until the first one it is 0."
    )
    if TYPE_CHECKING:

        def __getattr__(self, key: str) -> Any:
            """The value of a key of its type."""

    def outputs_of(self, name: str) -> tuple[str, ...]:
        """The names of its outputs in expressions."""
        return (name,)

    def reads(self) -> list[tuple[str, float | Expression]]:
        """What it reads at a sample, in the order in which its law takes it."""
        found = [(key, getattr(self, key)) for key in self.numbers]
        return [(key, part) for key, value in found for part in (value if isinstance(value, tuple) else (value,))]


class _Block(Controller):
    input: Read = Field(description="What it acts on: a number or an expression of readings, quantities and t.")


def _check_order(limits: tuple) -> tuple:
    low, high = limits
    if not any(isinstance(one, Expression) for one in limits) and low > high:
        raise invalid("limits", f"the least, {low:g}, is greater than the greatest, {high:g}")
    return limits


Limits = Annotated[
    Parsed[tuple[Read, Read], listed(Read, Read, shape="[least, greatest]")], AfterValidator(_check_order)
]


class Hold(_Block):
    """A zero-order hold: the input at the last sample."""

    numbers = ("input",)
    type: Literal["hold"] = Field(description="The input at the last sample.")


class Pid(_Block):
    """A PID law u = P e + I sum(e T) + D de/dt of the error e, its input. The integral stands still while the output is
    at a limit and the error would take it further beyond.
    """

    numbers = ("input", "proportional", "integral", "derivative", "filter", "limits")
    type: Literal["pid"] = Field(description="Proportional, integral and derivative action on an error.")
    proportional: Read = Field(0.0, description="Output for an error of one.")
    integral: Read = Field(0.0, description="Rate of the output for an error of one, per s.")
    derivative: Read = Field(0.0, description="Output for a rate of the error of one, s.")
    filter: Parsed[float, not_negative(TIME)] = Field(
        0.0, description="Time constant of a filter of the derivative; 0: none."
    )
    limits: Parsed[Limits | None, Limits] = Field(
        None, description="Least and greatest output, [least, greatest]; default: none."
    )

    def reads(self) -> list[tuple[str, float | Expression]]:
        found = super().reads()
        return found if self.limits else [*found[:-1], *(("limits", limit) for limit in UNBOUNDED)]


class LeadLag(_Block):
    """A lead-lag filter, gain (1 + lead s)/(1 + lag s), by the bilinear rule; it begins at rest at its first input."""

    numbers = ("input", "gain", "lead", "lag")
    type: Literal["lead_lag"] = Field(description="A filter gain (1 + lead s)/(1 + lag s).")
    gain: Read = Field(1.0, description="Output for a constant input of one.")
    lead: Parsed[float, not_negative(TIME)] = Field(
        0.0, description="Time constant of the numerator; 0 makes a low pass."
    )
    lag: Parsed[float, not_negative(TIME)] = Field(description="Time constant of the denominator.")


class RateLimit(_Block):
    """A limit of the rate: the output follows the input, no faster than the limits."""

    numbers = ("input", "rising", "falling", "initial")
    type: Literal["rate_limit"] = Field(description="The input, no faster than limits of its rate.")
    rising: Read = Field(description="Greatest rate, per s; positive.")
    falling: Read = Field(None, description="Greatest rate downwards, per s; positive; default: as rising.")
    initial: Read = Field(0.0, description="Output before the first sample.")

    @model_validator(mode="after")
    def _same_both_ways(self) -> RateLimit:
        if self.falling is None:
            object.__setattr__(self, "falling", self.rising)
        return self


class Saturation(_Block):
    """A limit: the input within limits."""

    numbers = ("input", "limits")
    type: Literal["saturation"] = Field(description="The input within limits.")
    limits: Limits = Field(description="Least and greatest output, [least, greatest].")


class ExternalInput(Controller):
    """A number from outside: what `Simulation.set_input` sets, such as the action of an environment."""

    numbers = ("value", "limits")
    type: Literal["input"] = Field(description="A number that is set from outside.")
    value: Read = Field(0.0, description="Output until it is set.")
    limits: Parsed[Limits | None, Limits] = Field(
        None, description="Least and greatest output, [least, greatest]; default: none."
    )

    def reads(self) -> list[tuple[str, float | Expression]]:
        return [("value", self.value), *(("limits", limit) for limit in self.limits or UNBOUNDED)]


def _check_name(name: str) -> str:
    if not NAME.fullmatch(name):
        hint = "letters, digits and underscores, not beginning with a digit"
        raise invalid("controller-name", f"there can be no name '{shown(name)}' here", hint)
    return name


Name = Annotated[str, AfterValidator(_check_name)]


class Python(Controller):
    """A function of Python: outputs = function(t, inputs), or function(t, inputs, state) with a state that it keeps.
    The text of the file becomes part of the scene.
    """

    numbers = ()
    type: Literal["python"] = Field(description="A function in a file of Python.")
    call: str = Field(description="file.py:function, relative to the scene's folder.")
    source: str = Field(UNWRITTEN, description="The text of the file; default: it is read.")
    inputs: Parsed[
        dict[str, Read], mapping_of(Name, Read, "names with expressions", "inputs: {e: \"= angle('arm')\"}", "inputs")
    ] = Field({}, description="What the function gets, by name: numbers and expressions of readings, quantities and t.")
    outputs: Annotated[tuple[Name, ...], Field(strict=False)] = Field(
        (), description="Names of the numbers that it gives, in their order; default: one, the controller's name."
    )
    state: Annotated[tuple[Read, ...], Field(strict=False)] = Field(
        (), description="Numbers that the function keeps: an array that it gets and may change; the values at t = 0."
    )

    @model_validator(mode="after")
    def _with_source(self, info: ValidationInfo) -> Python:
        file, _, function = self.call.rpartition(":")
        if not file or not function.isidentifier():
            raise invalid("call", f"{shown(self.call)} names no function", "write file.py:function", key="call")
        if self.source is None:
            object.__setattr__(self, "source", _text(info.context.folder / file))
        _require_function(self.source, file, function)
        return self

    def outputs_of(self, name: str) -> tuple[str, ...]:
        """The names of its outputs in expressions."""
        return self.outputs or (name,)

    def reads(self) -> list[tuple[str, float | Expression]]:
        """What it reads at a sample, then its state at t = 0."""
        return [*self.inputs.items(), *((f"state[{k}]", one) for k, one in enumerate(self.state))]


def _text(path: Path) -> str:
    """The text of a file."""
    status_of(path, "controller", MAX_BYTES, "write fewer lines", key="call", kind="function")
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise invalid("call", f"cannot read {shown(str(path))}: {why}", "write file.py:function", key="call") from None


def _require_function(source: str, file: str, function: str) -> None:
    """Raise the error unless the text has this function; it is not run."""
    try:
        parsed = ast.parse(source, file)
    except (SyntaxError, ValueError) as error:
        number = getattr(error, "lineno", None)
        line = f", line {number}" if number else ""
        raise invalid("call", f"{file}{line}: {getattr(error, 'msg', error)}", key="call") from None
    known = [one.name for one in parsed.body if isinstance(one, ast.FunctionDef)]
    if function not in known:
        few = ", ".join(known[:5]) or "none"
        raise invalid("call", f"{file} has no function '{function}'", f"functions: {few}", key="call")


CONTROLLERS: dict[str, type[Controller]] = {
    word_of(model, "type"): model for model in (Pid, LeadLag, RateLimit, Saturation, Hold, ExternalInput, Python)
}
Controllers = Parsed[
    dict[str, Controller],
    mapping_of(Name, by_type(CONTROLLERS, "controller"), "names with controllers", EXAMPLE, "controllers"),
]
