"""Reading the expressions of a scene with its parameters; errors are reported as those of other values."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Collection, Mapping
from typing import Any

from rigidsim.scene.expressions import BrokenParameter, Expression, ExpressionError, parse, parse_vector
from rigidsim.scene.text.document import shown
from rigidsim.scene.values.base import BoundText, Reading, invalid

FOLLOWS = "follows"
"""The code of an error that is not reported, because the error of its parameter is."""
MOST_HINTED = 1000


def is_expression(value: Any) -> bool:
    """Whether this is the text of an expression."""
    return isinstance(value, str) and value.lstrip().startswith("=")


def require_expression(value: Any, expected: str, example: str) -> None:
    """Raise the error for what is not the text of an expression."""
    if not is_expression(value):
        raise invalid("not-an-expression", f"expected {expected}, got {shown(value)}", f"write {example}")


def read_expression(text: str, reading: Reading | None, allow: Collection[str] = frozenset()) -> Expression:
    """The expression in a text of the scene; `allow` contains "time" and "state" where those are allowed."""
    return _read(parse, text, reading, allow)


def read_vector(text: str, reading: Reading | None, allow: Collection[str]) -> tuple[float | Expression, ...]:
    """The three components of a vector expression; numbers where they are constant."""
    parts = _read(parse_vector, text, reading, allow)
    return tuple(part.value if part.is_constant else part for part in parts)


def _read(how: Callable, text: str, reading: Reading | None, allow: Collection[str]) -> Any:
    reading = reading or Reading()
    try:
        found = how(text, _names(text, reading), allow, _units(text, reading), reading.scope)
    except ExpressionError as error:
        code = FOLLOWS if isinstance(error, BrokenParameter) else "expression"
        reading.faults += 1
        hint = error.hint if reading.faults <= MOST_HINTED else ""
        raise invalid(code, error.message, hint, offset=error.offset) from None
    for expression in found if isinstance(found, tuple) else (found,):
        reading.used.update(expression.names)
    return found


def unit_of(text: str, expression: Expression, reading: Reading | None) -> str:
    """The unit of an expression that is a single parameter with a unit, of either sign."""
    name = text.strip("=+-() \t\r\n")
    return _units(text, reading or Reading()).get(name, "") if name in expression.names else ""


def written(number: float | Expression) -> float | str:
    """A number, or an expression as text in the form of a scene."""
    return str(number) if isinstance(number, Expression) else number


def _units(text: str, reading: Reading) -> Mapping[str, str]:
    if not isinstance(text, BoundText):
        return reading.units
    hidden = dict.fromkeys(text.names.values, "")
    return ChainMap({**hidden, **text.names.units}, reading.units)


def _names(text: str, reading: Reading) -> Mapping[str, float]:
    return ChainMap(text.names.values, reading.parameters) if isinstance(text, BoundText) else reading.parameters
