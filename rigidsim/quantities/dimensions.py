"""The unit of an expression, from the units of what it reads: powers of kg, m, s, rad and deg.

A plain number has no unit of its own: in a sum or a comparison it takes that of the other side. In a product it counts
as a number without a unit, but as it may stand for something with one, what comes out is not sure: only two sure and
different dimensions contradict each other. Angles have no dimension. A torque is an energy per angle, J/rad, which is
called N m: so the product with an angle is an energy, and with a rate a power.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from rigidsim.quantities import units

BASES = ("kg", "m", "s", "rad", "deg")
NAMED = {"N": (1, 1, -2), "J": (1, 2, -2), "W": (1, 2, -3), "N s": (1, 1, -1), "N m s": (1, 2, -1), "N/m": (1, 0, -2)}
"""Units with names of their own: their powers of kg, m, s."""
ENERGY, TORQUE = "J", "N m"
FACTOR = re.compile(r"([A-Za-z]+)\^?(-?[0-9]*)")
POWERS = {"²": "2", "³": "3"}
SUPERSCRIPT = {Fraction(2): "²", Fraction(3): "³"}
OF_ONE_DIMENSION = {"add", "subtract", "min", "max", "hypot", "mod", "less", "less_equal", "equal", "atan2", "select"}
"""The operations whose numbers have one dimension."""
KEEPING = {"abs", "negate", "floor"}
ANGLES = {"asin", "acos", "atan", "atan2"}
COMPARISONS = {"less", "less_equal", "equal", "and", "or", "not"}


class Measure(NamedTuple):
    """A unit as powers of BASES, and whether it is sure. None in place of it is a plain number."""

    powers: tuple[Fraction, ...] = (Fraction(0),) * len(BASES)
    is_sure: bool = True

    @property
    def dimension(self) -> tuple[Fraction, ...]:
        """The powers of kg, m and s."""
        return self.powers[:3]

    @property
    def convertible(self) -> tuple[Fraction, ...]:
        """What two units share if one can be given in the other: angles count where there is nothing but times."""
        return self.dimension if any(self.powers[:2]) else self.powers

    @property
    def unit(self) -> str:
        """The unit as text: `m/s²`, `J`; empty for a pure number. An angle is named only above nothing but times."""
        has_angle = not any(self.powers[:2]) and min(self.powers[3:]) >= 0
        name = next((name for name, powers in NAMED.items() if powers == self.dimension), "")
        if name:
            is_torque = name == ENERGY and sum(self.powers[3:]) % 2 == 1
            return TORQUE if is_torque else name
        shown = self.powers if has_angle else self.dimension
        above = [_power(base, p) for base, p in zip(BASES, shown, strict=False) if p > 0]
        below = [_power(base, -p) for base, p in zip(BASES, shown, strict=False) if p < 0]
        under = f"({' '.join(below)})" if len(below) > 1 else "".join(below)
        return " ".join(above or ["1"] * bool(below)) + (f"/{under}" if below else "")

    def to(self, exponent: Fraction) -> Measure:
        """A power of it."""
        return self._replace(powers=tuple(p * exponent for p in self.powers))

    def times(self, other: Measure, sign: int = 1) -> Measure:
        """The product, or with `sign` -1 the quotient."""
        powers = tuple(a + sign * b for a, b in zip(self.powers, other.powers, strict=True))
        return Measure(powers, self.is_sure and other.is_sure)

    def with_angles(self, name: str) -> Measure:
        """The same with angles in rad, or in deg; a number without a unit becomes an angle."""
        *rest, rad, deg = self.powers
        power = rad + deg if any(self.powers) else Fraction(1)
        return self._replace(powers=(*rest, *(power if base == name else Fraction(0) for base in ("rad", "deg"))))


PURE = Measure()
RADIAN = Measure(tuple(Fraction(base == "rad") for base in BASES))


class DifferentDimensions(ValueError):
    """Two sure units of different dimensions where there can be but one: both as text."""


def measure_of(unit: str) -> Measure:
    """A unit as it is written in the vocabulary or in a scene, `rad/s`, `N*m/rad`, `km/h`: that of SI for it."""
    unit = units.si_unit(unit) or unit
    above, _, below = unit.replace("*", " ").partition("/")
    found = PURE
    for part, sign in ((above, 1), (below.strip("()"), -1)):
        for name, power in FACTOR.findall("".join(POWERS.get(letter, letter) for letter in part)):
            base = (*NAMED[name], 0, 0) if name in NAMED else tuple(name == base for base in BASES)
            found = found.times(Measure(tuple(map(Fraction, base))).to(Fraction(power or 1)), sign)
    return found.times(RADIAN, -1) if above.split()[:2] == TORQUE.split() else found


def in_units(own: str, unit: str) -> float:
    """How many of its own units one of another unit is. Raises ValueError with those that are possible."""
    tables = [t for si, t in units.SI.items() if own and measure_of(si).convertible == measure_of(own).convertible]
    known = next((table for table in tables if unit in table), None)
    if known is None:
        raise ValueError(", ".join(dict.fromkeys(name for table in tables for name in units.usual(table))))
    return float(known[unit] / known.get(own, 1))


def combined(operation: str, given: Sequence[Measure | None], exponent: float | None = None) -> Measure | None:
    """The unit of an operation on numbers with these units; `exponent` is that of a power, if it is a constant. Raises
    DifferentDimensions.
    """
    if operation == "select":
        given = given[1:]
    if operation in OF_ONE_DIMENSION:
        common = _common(given)
        return None if operation in COMPARISONS else _ANGLE if operation in ANGLES else common
    if operation in KEEPING:
        return given[0]
    if operation in ANGLES:
        return _ANGLE
    if operation in ("multiply", "divide"):
        one, other = given
        return _product(one, other, 1 if operation == "multiply" else -1)
    if operation == "sqrt":
        exponent = 0.5
    if operation in ("sqrt", "power"):
        return None if exponent is None or given[0] is None else given[0].to(_fraction(exponent))
    return None if all(one is None for one in given) or operation in COMPARISONS else OF_FUNCTION


OF_FUNCTION = PURE._replace(is_sure=False)
"""The number of a sine or an exponential: in a sum with lengths it may stand for so many metres."""
_ANGLE = RADIAN._replace(is_sure=False)  # a pure number, too


def _common(given: Sequence[Measure | None]) -> Measure | None:
    """The unit of all of these that are no plain numbers."""
    known = sorted(filter(None, given), key=lambda one: not one.is_sure)
    for other in known[1:]:
        if other.is_sure and other.dimension != known[0].dimension:
            raise DifferentDimensions(known[0].unit or "a number", other.unit or "a number")
    return known[0] if known else None


def _product(one: Measure | None, other: Measure | None, sign: int) -> Measure | None:
    if one is None and other is None:
        return None
    found = (one or PURE).times(other or PURE, sign)
    return found if one and other else found._replace(is_sure=False)


def _fraction(number: float) -> Fraction:
    return Fraction(number).limit_denominator(12)


def _power(base: str, power: Fraction) -> str:
    if power == 1:
        return base
    return base + SUPERSCRIPT.get(power, f"^{power}")
