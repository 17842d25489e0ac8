"""Numbers in the unit that they were written with, for values that are handed on to a scene as they are."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from rigidsim.scene.values.base import invalid
from rigidsim.scene.values.quantities import DIMENSIONS, NUMBER_ONLY, dimension_of, split_quantity


class Amount(NamedTuple):
    """A finite number and the unit it was written with, which is empty for a bare number."""

    number: float
    unit: str = ""

    def __str__(self) -> str:
        """The shortest text that reads back as the same double, with the unit."""
        number = repr(self.number).removesuffix(".0")
        return f"{number} {self.unit}" if self.unit else number


def as_written(value: Any, unit: str) -> Any:
    """A number with its unit as text, `5 rpm`; without one the value itself, which may be any."""
    return str(Amount(value, unit)) if unit else value


def read_amount(value: Any) -> Amount:
    """A number, the text of one with or without a unit, or a constant expression such as `= pi/2`."""
    number, unit = split_quantity(value) if isinstance(value, str) else ("", "")
    if not number:
        return Amount(NUMBER_ONLY.read(value))
    dimension_of(unit)  # refuses what is not a unit
    return Amount(NUMBER_ONLY.read(float(number)), unit)


def in_one_unit(amounts: Sequence[Amount]) -> tuple[tuple[float, ...], str]:
    """The numbers of all amounts in the unit of the first one, and that unit."""
    first = amounts[0]
    for amount in amounts:
        if bool(amount.unit) != bool(first.unit):
            bare, other = (amount, first) if first.unit else (first, amount)
            message = f"'{bare}' has no unit, but '{other}' has one"
            raise invalid("unit", message, f"write '{Amount(bare.number, other.unit)}'")
    factors = _factors([amount.unit for amount in amounts])
    return tuple(_converted(amount, first, factors) for amount in amounts), first.unit


def _factors(written: list[str]) -> dict[str, Fraction]:
    """The units of the one dimension that has all these units."""
    if not any(written):
        return {}
    found = next(
        (dimension.units for dimension in DIMENSIONS if all(unit in dimension.units for unit in written)), None
    )
    if found is None:
        expected = dimension_of(written[0])
        other = next(unit for unit in written if unit not in expected.units)
        message = f"'{other}' is a unit of {dimension_of(other).name}, but '{written[0]}' is one of {expected.name}"
        raise invalid("unit", message, "all values need units of one dimension")
    return found


def _converted(amount: Amount, first: Amount, factors: dict[str, Fraction]) -> float:
    if amount.unit == first.unit:
        return amount.number
    # Exact until the one rounding at the end, of the decimal number that was written.
    return float(Fraction(repr(amount.number)) * factors[amount.unit] / factors[first.unit])
