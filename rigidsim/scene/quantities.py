"""Numbers with units: `"30 deg"`, `"5 rpm"`, `"12 cm"`; a bare number is in SI units."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from difflib import get_close_matches
from fractions import Fraction
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, WithJsonSchema

from rigidsim.scene import units
from rigidsim.scene.base import complaint, list_of
from rigidsim.scene.document import shown

NUMBER = r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"
QUANTITY = re.compile(rf"\s*({NUMBER})\s*((?:[^\W\d_]|°).*?|)\s*")
LONGEST_QUANTITY = 64


@dataclass(frozen=True)
class Dimension:
    """A kind of quantity: its name, its SI unit, and how many SI units each of its other units is."""

    name: str
    unit: str
    units: dict[str, Fraction]

    def read(self, value: Any) -> float:
        """The finite SI value of a number or of a quantity string."""
        if isinstance(value, bool) or not isinstance(value, int | float | str):
            raise complaint("not-a-number", f"expected {self.expectation}, got {shown(value)}")
        number = self._from_text(value) if isinstance(value, str) else _as_double(value)
        if not math.isfinite(number):
            raise complaint("not-finite", f"{shown(value)} is not a finite number")
        return number

    @property
    def expectation(self) -> str:
        """What is wanted here, for a message."""
        return f"a number ({self.name}, {self.unit})" if self.unit else "a number"

    def json_schema(self, positive: bool = False) -> dict[str, Any]:
        """A number, or a quantity string with one of the units."""
        number = {"type": "number", "exclusiveMinimum": 0} if positive else {"type": "number"}
        if not self.unit:
            return number
        number_text = NUMBER.replace("[-+]", "[+]") if positive else NUMBER
        pattern = rf"^\s*{number_text}\s*({'|'.join(map(re.escape, self.units))})\s*$"
        return {"anyOf": [number, {"type": "string", "pattern": pattern}], "description": f"{self.name}, {self.unit}"}

    def _from_text(self, text: str) -> float:
        if text.lstrip().startswith("="):
            raise complaint("expression", "expressions ('= ...') are not available in this version", "give a number")
        match = QUANTITY.fullmatch(text) if len(text) <= LONGEST_QUANTITY else None
        if match is None:
            hint = "YAML numbers have no underscores" if re.fullmatch(r"[-+0-9_.eE]+", text[:LONGEST_QUANTITY]) else ""
            raise complaint("not-a-number", f"expected {self.expectation}, got the text '{shown(text)}'", hint)
        number, unit = match.groups()
        if unit not in self.units:
            raise self._wrong_unit(number, unit)
        return _in_si(number, self.units[unit])

    def _wrong_unit(self, number: str, unit: str) -> Exception:
        example = f", or with a unit: '{number} {self.unit}'" if self.unit else ""
        if not unit:
            return complaint("not-a-number", f"'{number}' is text, not a number", f"write it without quotes{example}")
        if not self.unit:
            return complaint("unit", f"'{shown(unit)}' is a unit, but a plain number is wanted here")
        other = next((dimension for dimension in DIMENSIONS if unit in dimension.units), None)
        if other is not None:
            message = f"'{unit}' is a unit of {other.name}, but {self.name} ({self.unit}) is wanted here"
            return complaint("unit", message)
        close = get_close_matches(unit, self.units, n=1)
        hint = f"did you mean '{close[0]}'?" if close else f"units of {self.name}: {', '.join(self.units)}"
        return complaint("unit", f"'{shown(unit)}' is not a unit of {self.name}", hint)


def quantity(dimension: Dimension) -> Any:
    """The type of a number of this dimension."""
    return Annotated[float, BeforeValidator(dimension.read), WithJsonSchema(dimension.json_schema())]


def positive(dimension: Dimension) -> Any:
    """The type of a number of this dimension that is greater than zero."""

    def check(number: float) -> float:
        if number <= 0:
            raise complaint("not-positive", f"must be greater than zero, got {number:g}")
        return number

    schema = WithJsonSchema(dimension.json_schema(positive=True))
    return Annotated[float, BeforeValidator(dimension.read), AfterValidator(check), schema]


def vector(dimension: Dimension) -> Any:
    """The type of three numbers of this dimension."""
    return list_of(quantity(dimension), 3, "[x, y, z]")


def _as_double(number: float) -> float:
    try:
        return float(number)
    except OverflowError:
        return math.inf


def _in_si(number: str, factor: Fraction) -> float:
    nearest = float(number)
    if nearest == 0 or not math.isfinite(nearest):
        return nearest
    # Exact until the one rounding at the end: "7 cm" is the double nearest to 0.07.
    return _as_double(Fraction(number) * factor)


NUMBER_ONLY = Dimension("plain number", "", {})
LENGTH = Dimension("length", "m", units.LENGTH)
MASS = Dimension("mass", "kg", units.MASS)
TIME = Dimension("time", "s", units.TIME)
ANGLE = Dimension("angle", "rad", units.ANGLE)
VELOCITY = Dimension("velocity", "m/s", units.VELOCITY)
ACCELERATION = Dimension("acceleration", "m/s^2", units.ACCELERATION)
ANGULAR_VELOCITY = Dimension("angular velocity", "rad/s", units.ANGULAR_VELOCITY)
ANGULAR_ACCELERATION = Dimension("angular acceleration", "rad/s^2", units.ANGULAR_ACCELERATION)
FORCE = Dimension("force", "N", units.FORCE)
TORQUE = Dimension("torque", "N*m", units.TORQUE)
INERTIA = Dimension("inertia", "kg*m^2", units.INERTIA)
DIMENSIONS = (
    *(LENGTH, MASS, TIME, ANGLE, FORCE, TORQUE, INERTIA),
    *(VELOCITY, ACCELERATION, ANGULAR_VELOCITY, ANGULAR_ACCELERATION),
)
