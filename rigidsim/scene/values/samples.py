"""Samples of a sweep: how many points by which method (`sobol:1024`), and the distributions that they follow
(`normal(0.1, 0.01)`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rigidsim.scene.text.document import shown
from rigidsim.scene.values.amounts import Amount, in_one_unit, read_amount
from rigidsim.scene.values.base import invalid, require_word

METHODS = ("sobol", "lhs", "random", "saltelli")
EXAMPLE = 'sobol:1024; also "lhs:100", "random:1000", "saltelli:512"'
CALL = re.compile(r"\s*([A-Za-z_]\w*)\s*\((.*)\)\s*", re.DOTALL)
COUNT = re.compile(r"[0-9]{1,16}")


@dataclass(frozen=True)
class Sample:
    """A method of sampling and its number of points."""

    method: str
    count: int

    def __str__(self) -> str:
        return f"{self.method}:{self.count}"


@dataclass(frozen=True)
class Family:
    """A family of distributions: the names of its arguments, which of them are plain numbers without a unit, and the
    condition that the arguments satisfy, as a function and in words.
    """

    arguments: tuple[str, ...]
    is_allowed: Callable[..., bool]
    condition: str
    plain: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"({', '.join(self.arguments)})"


FAMILIES = {
    "uniform": Family(("low", "high"), lambda low, high: low < high, "low < high"),
    "loguniform": Family(("low", "high"), lambda low, high: 0 < low < high, "0 < low < high"),
    "normal": Family(("mean", "deviation"), lambda mean, deviation: deviation > 0, "deviation > 0"),
    "truncated_normal": Family(
        ("mean", "deviation", "low", "high"),
        lambda mean, deviation, low, high: deviation > 0 and low < high,
        "deviation > 0 and low < high",
    ),
    "lognormal": Family(
        ("median", "sigma"), lambda median, sigma: median > 0 and sigma > 0, "median > 0 and sigma > 0", ("sigma",)
    ),
    "triangular": Family(
        ("low", "mode", "high"),
        lambda low, mode, high: low <= mode <= high and low < high,
        "low <= mode <= high and low < high",
    ),
    "exponential": Family(("mean",), lambda mean: mean > 0, "mean > 0"),
    "weibull": Family(
        ("shape", "scale"), lambda shape, scale: shape > 0 and scale > 0, "shape > 0 and scale > 0", ("shape",)
    ),
    "beta": Family(
        ("a", "b", "low", "high"),
        lambda a, b, low, high: a > 0 and b > 0 and low < high,
        "a > 0, b > 0 and low < high",
        ("a", "b"),
    ),
}
"""The families by name. `lognormal`: sigma is the standard deviation of the natural logarithm."""


@dataclass(frozen=True)
class Distribution:
    """A distribution: its family and arguments, of which those that are not plain numbers are in `unit`."""

    family: str
    arguments: tuple[float, ...]
    unit: str = ""

    def __str__(self) -> str:
        family = FAMILIES[self.family]
        units = ["" if name in family.plain else self.unit for name in family.arguments]
        return f"{self.family}({', '.join(map(str, map(Amount, self.arguments, units)))})"


def read_sample(value: Any) -> Sample:
    """The method and number of points in a text such as `sobol:1024`."""
    if isinstance(value, Sample):
        return value
    method, colon, count = value.partition(":") if isinstance(value, str) else ("", "", "")
    if not colon or not COUNT.fullmatch(count.strip()):
        raise invalid("sample", f"expected a method and a number of points, {EXAMPLE}, got {shown(value)}")
    method, points = method.strip(), int(count)
    require_word(method, METHODS, "a method of sampling", "sample")
    if points == 0:
        raise invalid("sample", "a sample of 0 points makes zero runs")
    if method == "saltelli" and points & (points - 1):
        hint = f"write saltelli:{2 ** (points.bit_length() - 1)} or saltelli:{2 ** points.bit_length()}"
        raise invalid("sample", "the sensitivity indices of a saltelli sample need a power of two", hint)
    return Sample(method, points)


def read_distribution(value: Any) -> Distribution:
    """The distribution in a text such as `uniform(20 rpm, 40 rpm)`."""
    if isinstance(value, Distribution):
        return value
    call = CALL.fullmatch(value) if isinstance(value, str) else None
    if call is None:
        raise invalid("distribution", f"expected a distribution such as uniform(20, 40), got {shown(value)}")
    name, inside = call.groups()
    require_word(name, FAMILIES, "a distribution", "distribution")
    family, given = FAMILIES[name], _split(inside)
    if len(given) != len(family.arguments):
        message = f"{name}{family} has {_counted(len(family.arguments))}, got {len(given)}"
        raise invalid("distribution", message)
    arguments, unit = _with_unit(name, family, [read_amount(part.strip()) for part in given])
    if not math.isfinite(max(arguments) - min(arguments)):
        raise invalid(
            "distribution", f"the arguments of {name}{family} are too far apart", "their difference overflows"
        )
    if not family.is_allowed(*arguments):
        raise invalid("distribution", f"{name}{family} needs {family.condition}")
    return Distribution(name, arguments, unit)


def _with_unit(name: str, family: Family, amounts: list[Amount]) -> tuple[tuple[float, ...], str]:
    for argument, amount in zip(family.arguments, amounts, strict=True):
        if argument in family.plain and amount.unit:
            raise invalid("unit", f"'{argument}' of {name}{family} is a plain number, got '{amount}'")
    scaled = [i for i, argument in enumerate(family.arguments) if argument not in family.plain]
    numbers, unit = in_one_unit([amounts[i] for i in scaled])
    converted = dict(zip(scaled, numbers, strict=True))
    return tuple(converted.get(i, amount.number) for i, amount in enumerate(amounts)), unit


def _split(text: str) -> list[str]:
    """The parts between commas that are in no brackets."""
    parts, depth = [""], 0
    for character in text:
        depth += (character in "([") - (character in ")]")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return parts


def _counted(count: int) -> str:
    return f"{count} argument{'s' if count > 1 else ''}"
