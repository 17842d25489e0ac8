"""Numbers of a scene that a solver varies: their bounds, and the coordinates in which it does."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rigidsim.errors import UsageError
from rigidsim.scene.schema.fit import VariedWithin
from rigidsim.scene.values.amounts import Amount
from rigidsim.scene.values.quantities import dimension_of
from rigidsim.sensitivities.parameters import VariedNumber


class BoundedNumber(NamedTuple):
    """A number that a solver varies: its label, which is its name if there are not several, its bounds in SI units, and
    whether its logarithm is varied.
    """

    number: VariedNumber
    label: str
    bounds: tuple[float, float]
    is_log: bool

    @property
    def start(self) -> float:
        """Its value in the scene."""
        return self.number.value

    def value(self, x: float) -> float:
        """The number at a coordinate of the solver, which is 0 at the start."""
        return self.start * np.exp(x) if self.is_log else self.start + x * self.size

    def slope(self, x: float) -> float:
        """The derivative of the number with respect to that coordinate."""
        return self.value(x) if self.is_log else self.size

    def coordinate(self, value: float) -> float:
        """The inverse of `value`."""
        if not self.is_log:
            return (value - self.start) / self.size
        with np.errstate(divide="ignore", invalid="ignore"):
            found = np.log(np.float64(value) / self.start)
        return float(found) if np.isfinite(value) and value / self.start > 0.0 else np.inf * np.sign(value or -1.0)

    @property
    def size(self) -> float:
        """What a coordinate counts in."""
        return abs(self.start) or 1.0

    @property
    def limits(self) -> tuple[float, float]:
        """The bounds of the coordinate."""
        low, high = sorted(map(self.coordinate, self.bounds))
        return low, high


def bounded_number(number: VariedNumber, known: VariedWithin, label: str) -> BoundedNumber:
    """What a solver varies. Raises UsageError if it does not begin within its bounds, or has no logarithm."""
    low, high = (None if one is None else in_si(one, number, label) for one in known.bounds)
    bounds = (-np.inf if low is None else low, np.inf if high is None else high)
    if not bounds[0] <= number.value <= bounds[1]:
        unit = number.unit or number.key
        within = ", ".join("null" if one is None else str(one._replace(unit=one.unit or unit)) for one in known.bounds)
        begins = f"{label} = {Amount(number.written, unit)} of the scene is outside of its bounds [{within}]"
        raise UsageError(f"{number.asked}: {begins}")
    if known.scale == "log" and number.value == 0.0:
        hint = "write another value, or scale: linear"
        raise UsageError(f"{number.asked}: {label} is 0 in the scene, which has no logarithm; {hint}")
    finite = [bound for bound in bounds if np.isfinite(bound)]
    if known.scale == "log" and finite and number.value * finite[0] < 0.0:
        raise UsageError(f"{number.asked}: the bounds of {label} are on both sides of 0, but scale: log keeps the sign")
    return BoundedNumber(number, label, bounds, known.scale == "log")


def in_si(amount: Amount, number: VariedNumber, label: str) -> float:
    """An amount in SI units; one without a unit has that of the scene."""
    if amount.unit and number.unit and dimension_of(amount.unit) != dimension_of(number.unit):
        raise UsageError(f"{number.asked}: {amount} of {label}: the scene gives it in {number.unit}")
    return amount.number * number._replace(unit=amount.unit or number.unit).factor
