"""How the values of several axes are combined to runs: all with all, or side by side."""

from __future__ import annotations

import hashlib
import json
import math
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from rigidsim.errors import UsageError
from rigidsim.sweeps.axes import Axis, Column

MOST_PROBES = 100
MOST_AT_ONCE = 10_000_000
"""Runs of which anything is kept in memory for each."""


class Layout(ABC):
    """The runs of a plan, without their values."""

    @property
    @abstractmethod
    def units(self) -> dict[str, str]:
        """The unit of each name, in order; empty for bare numbers and words."""

    @property
    @abstractmethod
    def runs(self) -> int:
        """The number of runs."""

    @abstractmethod
    def columns(self, begin: int, end: int) -> dict[str, Column]:
        """The values of each name for the runs from `begin` to before `end`."""

    @property
    @abstractmethod
    def rule(self) -> dict[str, Any]:
        """The rule of all values as plain data."""

    def digest(self, seed: int) -> str:
        """The SHA-256 hash of the rule and the seed of a plan, in hexadecimal."""
        rule = {"version": 1, **self.rule, "seed": seed}
        return hashlib.sha256(json.dumps(rule, separators=(",", ":")).encode()).hexdigest()

    @property
    def method(self) -> str:
        """The method and number of points of a sample; empty for other layouts."""
        return ""

    @property
    def repeated(self) -> int:
        """How many runs have the values of an earlier one."""
        return 0

    def probes(self) -> Iterator[int]:
        """Runs that together contain each kind of value: a first one, and one for each word or other datum."""
        yield 0


@dataclass(frozen=True)
class _OfAxes(Layout):
    axes: tuple[Axis, ...]

    @property
    def units(self) -> dict[str, str]:
        return {axis.name: axis.unit for axis in self.axes}


class Product(_OfAxes):
    """All values of each axis with all of the others; the first axis varies slowest."""

    @property
    def runs(self) -> int:
        """The product of the counts."""
        return math.prod(axis.count for axis in self.axes)

    def columns(self, begin: int, end: int) -> dict[str, Column]:
        """As `itertools.product` orders them."""
        rest, places = np.arange(begin, end), {}
        for axis in reversed(self.axes):
            rest, places[axis.name] = np.divmod(rest, axis.count)
        return {axis.name: axis.at(places[axis.name]) for axis in self.axes}

    @property
    def rule(self) -> dict[str, Any]:
        """Name by name."""
        return {"grid": [[axis.name, axis.rule] for axis in self.axes]}

    @property
    def repeated(self) -> int:
        """All but the product of the numbers of different values."""
        return self.runs - math.prod(axis.distinct for axis in self.axes)

    def probes(self) -> Iterator[int]:
        """Each word of one axis with the first values of the others."""
        yield 0
        stride = self.runs
        for axis in self.axes:
            stride //= axis.count
            if not axis.is_numeric:
                yield from (place * stride for place in _first_places(axis.keys))

    def __str__(self) -> str:
        counts = " x ".join(str(axis.count) for axis in self.axes)
        total = f"{counts} = {self.runs}" if len(self.axes) > 1 else counts
        return f"{total} {_runs(self.runs)}: {', '.join(map(str, self.axes))}"


class Zipped(_OfAxes):
    """The first values of all axes, the second ones, and so on."""

    def __init__(self, axes: tuple[Axis, ...]):
        """Raises UsageError if the axes differ in their number of values."""
        first = axes[0]
        for axis in axes:
            if axis.count != first.count:
                counts = f"{first.name} has {first.count} and {axis.name} {axis.count}"
                raise UsageError(f"values are taken side by side, but {counts}; give all names equally many")
        super().__init__(axes)

    @property
    def runs(self) -> int:
        """The common count."""
        return self.axes[0].count

    def columns(self, begin: int, end: int) -> dict[str, Column]:
        """Row by row."""
        places = np.arange(begin, end)
        return {axis.name: axis.at(places) for axis in self.axes}

    @property
    def rule(self) -> dict[str, Any]:
        """Name by name."""
        return {"zip": [[axis.name, axis.rule] for axis in self.axes]}

    @property
    def repeated(self) -> int:
        """All but the different rows."""
        if any(axis.is_distinct for axis in self.axes):
            return 0
        varied = [axis.keys for axis in self.axes if axis.distinct > 1]
        return self.runs - (len(set(zip(*varied, strict=True))) if varied else 1)

    def probes(self) -> Iterator[int]:
        """The first row with each word."""
        yield 0
        for axis in self.axes:
            if not axis.is_numeric:
                yield from _first_places(axis.keys)

    def __str__(self) -> str:
        return f"{self.runs} {_runs(self.runs)}, side by side: {', '.join(map(str, self.axes))}"


def _first_places(keys) -> list[int]:
    """The first place of each of the first different values."""
    places: dict[Any, int] = {}
    for place, key in enumerate(keys):
        places.setdefault(key, place)
        if len(places) == MOST_PROBES:
            break
    return list(places.values())


def _runs(count: int) -> str:
    return "run" if count == 1 else "runs"
