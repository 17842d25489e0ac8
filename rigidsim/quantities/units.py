"""The units that a scene may use, each as an exact number of SI units of its dimension."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from difflib import get_close_matches
from fractions import Fraction
from typing import Any

FOOT, INCH = Fraction("0.3048"), Fraction("0.0254")
POUND = Fraction("0.45359237")  # of mass; exact since 1959
POUND_FORCE = POUND * Fraction("9.80665")
SLUG = POUND_FORCE / FOOT
TURN = 2 * Fraction(math.pi)
DEGREE = TURN / 360
MICRO = ("\N{MICRO SIGN}", "\N{GREEK SMALL LETTER MU}")
LETTERS = str.maketrans({**dict.fromkeys("*·^ ", ""), "²": "2", "³": "3", **dict.fromkeys(MICRO, "u")})
PREFIX = re.compile(rf"(?<![^\W\d_])(?:da|[yzafpnumcdhkMGTPEZY{''.join(MICRO)}])(?=m|g|s|N|t|rad)")
LONGEST_AMBIGUOUS = 2
"""Two letters are close to too many units."""


def _spelled(table: dict[str, Any]) -> dict[str, Fraction]:
    """The table with the usual other spellings: `m/s2` and `m/s²` for `m/s^2`, `Nm` for `N*m`, `µm` for `um`."""
    spelled: dict[str, Fraction] = {}
    for unit, factor in table.items():
        initials = ("u", *MICRO) if unit.startswith("u") else unit[0]
        for product in ("*", "·", " ", ""):
            for square, cube in (("^2", "^3"), ("²", "³"), ("2", "3"), ("**2", "**3")):
                powers = unit.replace("*", product).replace("^2", square).replace("^3", cube)
                spelled |= {initial + powers[1:]: Fraction(factor) for initial in initials}
    return spelled


def usual(known: Iterable[str]) -> list[str]:
    """The units without their other spellings."""
    return list(_by_letters(known).values())


def suggestion(unit: str, known: Iterable[str]) -> str:
    """A suggestion for an unknown unit; empty if it could be wrong by a power of ten."""
    units, letters = _by_letters(known), unit.translate(LETTERS)
    if any(_without_prefixes(unit) == _without_prefixes(other) for other in units.values()):
        return ""
    close = [other for other in units if other.lower() == letters.lower()]
    if not close and len(letters) > LONGEST_AMBIGUOUS:
        close = get_close_matches(letters, units, n=1)
    return f"did you mean {' or '.join(repr(units[other]) for other in close)}?" if close else ""


def _by_letters(known: Iterable[str]) -> dict[str, str]:
    """The first spelling of each unit, by its letters and digits."""
    found: dict[str, str] = {}
    for unit in known:
        found.setdefault(unit.translate(LETTERS), unit)
    return found


def _without_prefixes(unit: str) -> str:
    return PREFIX.sub("", unit).translate(LETTERS)


_WRITTEN: dict[str, dict[str, Any]] = {
    "m": {"km": 1000, "cm": "0.01", "mm": "0.001", "um": "1e-6", "nm": "1e-9", "au": 149_597_870_700}
    | {"in": INCH, "ft": FOOT, "yd": 3 * FOOT, "mi": 5280 * FOOT, "nmi": 1852},
    "kg": {"g": "0.001", "mg": "1e-6", "t": 1000, "lb": POUND, "slug": SLUG},
    "s": {"ms": "0.001", "us": "1e-6", "min": 60, "h": 3600, "d": 86400},
    "rad": {"mrad": "0.001", "deg": DEGREE, "°": DEGREE, "arcmin": DEGREE / 60, "arcsec": DEGREE / 3600}
    | {"turn": TURN, "rev": TURN},
    "m/s": {"km/s": 1000, "cm/s": "0.01", "mm/s": "0.001", "km/h": Fraction(1000, 3600), "ft/s": FOOT}
    | {"mph": 5280 * FOOT / 3600, "kn": Fraction(1852, 3600), "knot": Fraction(1852, 3600)},
    "m/s^2": {"gn": "9.80665", "km/s^2": 1000, "cm/s^2": "0.01", "mm/s^2": "0.001", "ft/s^2": FOOT},
    "rad/s": {"mrad/s": "0.001", "deg/s": DEGREE, "deg/h": DEGREE / 3600, "deg/d": DEGREE / 86400}
    | {"rpm": TURN / 60, "rev/s": TURN},
    "rad/s^2": {"deg/s^2": DEGREE, "rev/s^2": TURN, "rpm/s": TURN / 60},
    "N": {"kN": 1000, "MN": 10**6, "mN": "0.001", "uN": "1e-6", "lbf": POUND_FORCE},
    "N*m": {"kN*m": 1000, "MN*m": 10**6, "mN*m": "0.001", "N*cm": "0.01", "N*mm": "0.001"}
    | {"lbf*ft": POUND_FORCE * FOOT, "lbf*in": POUND_FORCE * INCH},
    "kg*m^2": {"t*m^2": 1000, "kg*cm^2": "1e-4", "kg*mm^2": "1e-6", "g*cm^2": "1e-7", "g*mm^2": "1e-9"}
    | {"slug*ft^2": SLUG * FOOT**2, "lb*ft^2": POUND * FOOT**2, "lb*in^2": POUND * INCH**2},
    "kg/m^3": {"g/cm^3": 1000, "t/m^3": 1000, "lb/ft^3": POUND / FOOT**3, "slug/ft^3": SLUG / FOOT**3},
    "N/m": {"kN/m": 1000, "MN/m": 10**6, "N/mm": 1000, "N/cm": 100}
    | {"lbf/ft": POUND_FORCE / FOOT, "lbf/in": POUND_FORCE / INCH},
    "N*s/m": {"kN*s/m": 1000, "kg/s": 1, "N*s/mm": 1000},
    "kg/s": {"g/s": "0.001", "t/s": 1000, "lb/s": POUND, "kg/h": Fraction(1, 3600), "N*s/m": 1},
    "kg/m": {"N*s^2/m^2": 1, "g/m": "0.001"},
    "N*m/rad": {"N*m": 1, "kN*m/rad": 1000, "N*m/deg": 1 / DEGREE, "mN*m/rad": "0.001"},
    "N*m*s/rad": {"N*m*s": 1, "kN*m*s/rad": 1000, "mN*m*s/rad": "0.001"},
    "N*s": {"kN*s": 1000, "mN*s": "0.001", "kg*m/s": 1},
    "N*m*s": {"kN*m*s": 1000, "mN*m*s": "0.001", "kg*m^2/s": 1},
    "m^3/s^2": {"km^3/s^2": 10**9, "ft^3/s^2": FOOT**3},
}
SI = {si: _spelled({si: 1} | table) for si, table in _WRITTEN.items()}
"""The units of each dimension, by its SI unit."""

LONGEST_FIRST = sorted({unit for table in SI.values() for unit in table}, key=len, reverse=True)
"""All units with all spellings, so that of several that fit the longest is found first."""


def factor(unit: str) -> Fraction:
    """How many units of its dimension in SI a known unit is."""
    return next(table[unit] for table in SI.values() if unit in table)


def in_si(number: str, factor: Fraction) -> float:
    """A number in a unit in SI, rounded once: 7 cm is the double nearest to 0.07. Infinite if it is too large."""
    nearest = float(number)
    if factor == 1 or nearest == 0 or not math.isfinite(nearest):
        return nearest
    try:
        return float(Fraction(number) * factor)
    except OverflowError:
        return math.inf


def si_unit(unit: str) -> str:
    """The SI unit of the dimension that a unit has; empty if there is no such unit."""
    return next((si for si, table in SI.items() if unit in table), "")


def udunits(unit: str) -> str:
    """A unit as in files, from `m²/s²` to `m2 s-2`; 1 if it is empty."""
    above, _, below = unit.replace("²", "2").replace("³", "3").replace("^", "").partition("/")
    factors = [name for name in above.split() if name != "1"]
    for name, power in re.findall(r"([A-Za-z]+)([0-9]*)", below):
        factors.append(f"{name}-{power or 1}")
    return " ".join(factors) or "1"
