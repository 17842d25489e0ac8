"""Numbers, with units (`"30 deg"`, `"5 rpm"`; a bare number is in SI units) or as expressions (`"= 2*pi*spin"`)."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Annotated, Any

import numpy as np
from pydantic import AfterValidator, BeforeValidator, Field, PlainSerializer, ValidationInfo, WithJsonSchema
from pydantic_core import PydanticCustomError

from rigidsim.containers.columns import Column, Lanes, as_float, is_finite
from rigidsim.errors import UsageError
from rigidsim.quantities import units
from rigidsim.quantities.dimensions import measure_of
from rigidsim.scene.expressions import Expression
from rigidsim.scene.text.document import shown
from rigidsim.scene.values.base import Reading, invalid, three
from rigidsim.scene.values.evaluation import is_expression, read_expression, read_vector, unit_of, written

NUMBER = r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"
QUANTITY = re.compile(rf"\s*({NUMBER})\s*((?:[^\W\d_]|°).*?|)\s*")
LONGEST_QUANTITY = 64
LARGEST = 1e50
"""Quantities are at most as large as this in SI units: products of six of them, as in energies, are in the range of
float64.
"""
UNIT = "x-unit"
"""Key of the SI unit in JSON schemas, before descriptions are written."""
UNIFORM = "uniform"
"""The key of an uncertain number between two ends."""
UNCERTAIN_SCHEMAS = (
    {"type": "string", "pattern": rf"^\s*{NUMBER}[^+±]*(\+-|±|\+/-)"},
    {
        "type": "object",
        "properties": {
            UNIFORM: {"type": "array", "minItems": 2, "maxItems": 2, "description": "Least and greatest."},
            "unit": {"type": "string", "description": "The unit of both, if they are numbers."},
        },
        "required": [UNIFORM],
        "additionalProperties": False,
    },
)
Varying = float | Expression
"""A number, or an expression of time or state that gives one."""
EXPRESSION_SCHEMA = {"type": "string", "pattern": r"^\s*=\s*\S"}


def split_quantity(text: str) -> tuple[str, str]:
    """The number and the unit in a text; both are empty if it is not a quantity, the unit if it has none."""
    match = QUANTITY.fullmatch(text) if len(text) <= LONGEST_QUANTITY else None
    return (match[1], match[2]) if match else ("", "")


@dataclass(frozen=True)
class QuantityColumn:
    """Quantities with one unit, one for each lane, as written: `"5 rpm"`, `"6 rpm"`."""

    texts: tuple[str, ...]  # the numbers
    unit: str
    lanes: Lanes

    def in_si(self, known: dict[str, Fraction]) -> Column:
        """The SI values; KeyError if the unit is not one of these."""
        factor = known[self.unit]
        return Column(np.array([units.in_si(text, factor) for text in self.texts]), self.lanes)


READABLE = (float, int, str, Column, QuantityColumn)


@dataclass(frozen=True)
class Dimension:
    """A kind of quantity: its name, its SI unit, and its largest value in that."""

    name: str
    unit: str
    largest: float = LARGEST

    @property
    def units(self) -> dict[str, Fraction]:
        """How many SI units each unit is."""
        return units.SI.get(self.unit, {})

    def read(self, value: Any, reading: Reading | None = None) -> float:
        """The SI value of a number, of a quantity string or of an expression over the parameters; it is finite, and at
        most `largest` if it has a unit.
        """
        if type(value) is float and -self.largest <= value <= self.largest:
            return value
        if is_expression(value):
            return self._within_range(self._from_expression(value, reading).value)
        if isinstance(value, bool) or not isinstance(value, READABLE):
            raise invalid("not-a-number", f"expected {self.expectation}, got {shown(value)}")
        number: float
        if isinstance(value, QuantityColumn):
            number = value.in_si(self.units)
        elif isinstance(value, str):
            number = self._from_text(value)
        else:
            number = _as_double(value)
        if not is_finite(number):
            raise invalid("not-finite", f"{shown(value)} is not finite (inf or nan)")
        return self._within_range(number)

    def read_varying(self, value: Any, reading: Reading | None, allow: Collection[str]) -> float | Expression:
        """The same, or an expression that uses `t` ("time" in `allow`) or the state of bodies ("state")."""
        if isinstance(value, Expression):
            return value
        if not is_expression(value):
            return self.read(value)
        expression = self._from_expression(value, reading, allow)
        return self._within_range(expression.value) if expression.is_constant else expression

    def _within_range(self, number: float) -> float:
        """The number, which must not be too large for its dimension; a plain number is of any size."""
        if self.unit and not -self.largest <= number <= self.largest:
            raise invalid("magnitude", f"{number:g} {self.unit} is beyond {self.largest:g} {self.unit}")
        return number

    def in_si(self, number: float, unit: str) -> float:
        """The SI value of a number of this unit, which is one of the dimension."""
        if isinstance(number, Column):
            factor = self.units[unit]
            return number if factor == 1 else number.each(lambda x: units.in_si(repr(x), factor))
        return self.read(f"{number!r} {unit}")

    @property
    def expectation(self) -> str:
        """A description of the expected value, for a message."""
        return f"a number ({self.name}, {self.unit})" if self.unit else "a number"

    def json_schema(self, positive: bool = False, least: float | None = None) -> dict[str, Any]:
        """A number, a quantity string with one of the units, or an expression."""
        bound = {"exclusiveMinimum": 0} if positive else {} if least is None else {"minimum": least}
        number = {"type": "number", **bound}
        if not self.unit:
            return {"anyOf": [number, EXPRESSION_SCHEMA, *UNCERTAIN_SCHEMAS]}
        number_text = NUMBER.replace("[-+]", "[+]", 1) if bound else NUMBER
        pattern = rf"^\s*{number_text}\s*({'|'.join(map(re.escape, self.units))})\s*$"
        forms = [number, {"type": "string", "pattern": pattern}, EXPRESSION_SCHEMA, *UNCERTAIN_SCHEMAS]
        return {"anyOf": forms, "description": self.name.capitalize(), UNIT: self.unit}

    def _from_expression(self, text: str, reading: Reading | None, allow: Collection[str] = frozenset()) -> Expression:
        expression = read_expression(text, reading, allow)
        unit = unit_of(text, expression, reading)
        if unit and unit not in self.units:
            raise self._wrong_unit(text, unit)
        if expression.is_sure and measure_of(expression.unit).dimension != measure_of(self.unit).dimension:
            raise self._wrong_unit(text, expression.unit)
        return expression

    def _from_text(self, text: str) -> float:
        number, unit = split_quantity(text)
        if not number:
            looks_like_number = "_" in text and re.fullmatch(r"[-+0-9_.eE]+", text[:LONGEST_QUANTITY])
            hint = "YAML numbers have no underscores" if looks_like_number else ""
            raise invalid("not-a-number", f"expected {self.expectation}, got the text '{shown(text)}'", hint)
        if unit not in self.units:
            raise self._wrong_unit(number, unit)
        return units.in_si(number, self.units[unit])

    def _wrong_unit(self, number: str, unit: str) -> Exception:
        example = f", or with a unit: '{number} {self.unit}'" if self.unit else ""
        if not unit:
            return invalid("not-a-number", f"'{number}' is text, not a number", f"write it without quotes{example}")
        if not self.unit:
            return invalid("unit", f"'{shown(unit)}' is a unit, but a plain number is expected here")
        other = next((dimension for dimension in DIMENSIONS if unit in dimension.units), None)
        if other is not None:
            message = f"'{unit}' is a unit of {other.name}, but {self.name} ({self.unit}) is expected here"
            return invalid("unit", message)
        hint = units.suggestion(unit, self.units) or f"units of {self.name}: {', '.join(units.usual(self.units))}"
        return invalid("unit", f"'{shown(unit)}' is not a unit of {self.name}", hint)


def _reader(dimension: Dimension) -> BeforeValidator:
    def read(value: Any, info: ValidationInfo) -> float | Column:
        return dimension.read(value, info.context)

    return BeforeValidator(read)


def quantity(dimension: Dimension) -> Any:
    """The type of a number of this dimension."""
    return Annotated[Any, _reader(dimension), WithJsonSchema(dimension.json_schema())]


def positive(dimension: Dimension) -> Any:
    """The type of a number of this dimension that is greater than zero."""
    schema = dimension.json_schema(positive=True)
    return _bounded(dimension, lambda number: number > 0, "not-positive", "must be greater than zero", schema)


def not_negative(dimension: Dimension) -> Any:
    """The type of a number of this dimension that is zero or more."""
    schema = dimension.json_schema(least=0)
    return _bounded(dimension, lambda number: number >= 0, "negative", "must not be negative", schema)


def _bounded(dimension: Dimension, is_allowed: Callable[[float], bool], code: str, wanted: str, schema: dict) -> Any:
    def check(number: float) -> float:
        if not is_allowed(number):
            raise invalid(code, f"{wanted}, got {number:g}")
        return number

    return Annotated[Any, _reader(dimension), AfterValidator(check), WithJsonSchema(schema)]


def whole(least: int, most: int = 2**53) -> Any:
    """The type of a whole number from `least` to `most`, or of an expression that gives one."""

    def read(value: Any, info: ValidationInfo) -> int | float:
        number = NUMBER_ONLY.read(value, info.context)
        return int(number) if number == int(number) else number

    schema = {"anyOf": [{"type": "integer", "minimum": least, "maximum": most}, EXPRESSION_SCHEMA]}
    return Annotated[int, Field(ge=least, le=most), BeforeValidator(read), WithJsonSchema(schema)]


def between(least: float, most: float) -> Any:
    """The type of a number without unit from `least` to `most`."""
    schema = {"anyOf": [{"type": "number", "minimum": least, "maximum": most}, EXPRESSION_SCHEMA]}
    return Annotated[float, Field(ge=least, le=most), _reader(NUMBER_ONLY), WithJsonSchema(schema)]


def vector(dimension: Dimension) -> Any:
    """The type of three numbers of this dimension."""
    return three(quantity(dimension))


def varying(dimension: Dimension, allow: Collection[str]) -> Any:
    """The type of a number that may also be an expression with `t` ("time" in `allow`) or the state ("state").

    Its value is a float if it is constant, else an Expression.
    """

    def read(value: Any, info: ValidationInfo) -> float | Expression:
        return dimension.read_varying(value, info.context, allow)

    return Annotated[Any, BeforeValidator(read), PlainSerializer(written), WithJsonSchema(dimension.json_schema())]


class _OrExpression:
    """Adds the text of an expression to the JSON Schema of a list."""

    def __get_pydantic_json_schema__(self, core_schema: Any, handler: Any) -> dict[str, Any]:
        schema = handler(core_schema)
        return {"anyOf": [schema, EXPRESSION_SCHEMA], **{k: schema[k] for k in ("description",) if k in schema}}


def varying_vector(dimension: Dimension, allow: Collection[str]) -> Any:
    """The type of a vector of such numbers, or of an expression of a vector."""

    def read(value: Any, info: ValidationInfo) -> Any:
        return read_vector(value, info.context, allow) if is_expression(value) else value

    return Annotated[three(varying(dimension, allow)), BeforeValidator(read), _OrExpression()]


def seconds(text: str) -> float:
    """A time on the command line or in the API: a number, or a quantity such as `500 ms`, in s. Raises UsageError for
    anything else.
    """
    try:
        return TIME.read(text)
    except PydanticCustomError as error:
        raise UsageError(error.message()) from None


def _as_double(number: float | Column) -> float | Column:
    try:
        return as_float(number)
    except OverflowError:
        return math.inf


NUMBER_ONLY = Dimension("plain number", "")
LENGTH = Dimension("length", "m")
MASS = Dimension("mass", "kg")
TIME = Dimension("time", "s")
ANGLE = Dimension("angle", "rad", largest=1e15)  # above it, sines are not computed
VELOCITY = Dimension("velocity", "m/s")
ACCELERATION = Dimension("acceleration", "m/s^2")
ANGULAR_VELOCITY = Dimension("angular velocity", "rad/s")
ANGULAR_ACCELERATION = Dimension("angular acceleration", "rad/s^2")
FORCE = Dimension("force", "N")
TORQUE = Dimension("torque", "N*m")
INERTIA = Dimension("inertia", "kg*m^2")
DENSITY = Dimension("density", "kg/m^3")
STIFFNESS = Dimension("stiffness", "N/m")
DAMPING = Dimension("damping", "N*s/m")
MASS_FLOW = Dimension("mass flow", "kg/s")
QUADRATIC_DRAG = Dimension("quadratic drag", "kg/m")
TORSION_STIFFNESS = Dimension("torsion stiffness", "N*m/rad")
TORSION_DAMPING = Dimension("torsion damping", "N*m*s/rad")
IMPULSE = Dimension("impulse", "N*s")
ANGULAR_IMPULSE = Dimension("angular impulse", "N*m*s")
GM = Dimension("gravitational parameter", "m^3/s^2")
DIMENSIONS = (
    *(LENGTH, MASS, TIME, ANGLE, FORCE, TORQUE, INERTIA, DENSITY),
    *(VELOCITY, ACCELERATION, ANGULAR_VELOCITY, ANGULAR_ACCELERATION),
    *(STIFFNESS, DAMPING, MASS_FLOW, QUADRATIC_DRAG, TORSION_STIFFNESS, TORSION_DAMPING, IMPULSE, ANGULAR_IMPULSE, GM),
)


@cache
def dimension_of(unit: str) -> Dimension:
    """The dimension of a unit; an empty unit is that of plain numbers."""
    found = next((dimension for dimension in DIMENSIONS if unit in dimension.units), None) if unit else NUMBER_ONLY
    if found is None:
        hint = units.suggestion(unit, [known for dimension in DIMENSIONS for known in dimension.units])
        raise invalid("unit", f"'{shown(unit)}' is not a unit", hint)
    return found
