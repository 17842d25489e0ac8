"""One varied number or word of a scene: its name and the values that it takes, computed for any places of the list."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from rigidsim.scene.text.document import shown
from rigidsim.scene.values.amounts import Amount
from rigidsim.scene.values.points import Listed, Points, Range, written_points

AxisValues = np.ndarray | list
"""The values of one name for some runs: float64 numbers in the unit of the plan, or a list of words and other data."""

FEW = 5
"""So many values are described one by one."""


class Axis:
    """A name as `--set` understands it, and its values: how many, their unit (empty for bare numbers and words), and
    whether all are numbers.
    """

    def __init__(self, name: str, points: Points):
        self.name, self.points = name, _as_range(points) if isinstance(points, Listed) else points
        self.count, self.unit = points.count, points.unit
        self.is_numeric = isinstance(points, Range) or points.is_numeric

    def at(self, places: np.ndarray) -> AxisValues:
        """The values at these places, which count from zero."""
        if isinstance(self.points, Range):
            return range_at(self.points, places)
        return self._numbers[places] if self.is_numeric else [self._list.values[place] for place in places.tolist()]

    @property
    def _list(self) -> Listed:
        """The points, which are a list."""
        assert isinstance(self.points, Listed)
        return self.points

    @cached_property
    def keys(self) -> Sequence[Any]:
        """The values of a list in a form that can be compared and hashed."""
        return self._list.values if self.is_numeric else [json.dumps(v, sort_keys=True) for v in self._list.values]

    @property
    def is_distinct(self) -> bool:
        """Whether all values differ, as those of a range do, without looking at them one by one."""
        return isinstance(self.points, Range) and self.points.start != self.points.stop

    @property
    def distinct(self) -> int:
        """The number of different values."""
        if isinstance(self.points, Range):
            return self.count if self.is_distinct else 1
        return len(set(self.keys))

    @property
    def rule(self) -> str | list:
        """The rule of the values as plain data: equal for axes with the same values, however they were given."""
        return written_points(self.points)

    def __str__(self) -> str:
        points = self.points
        if isinstance(points, Range) and points.count > FEW:
            log = ", logarithmic" if points.is_log else ""
            text = f"{points.start:g} to {Amount(float(f'{points.stop:g}'), points.unit)} ({points.count}{log})"
        else:
            text = self._listed()
        return f"{self.name} {text}"

    def _listed(self) -> str:
        is_short = self.count <= FEW
        places = np.arange(self.count) if is_short else np.array([0, 1, 2, self.count - 1])
        texts = [f"{v:g}" if self.is_numeric else _worded(v) for v in self.at(places)]
        if not is_short:
            texts.insert(3, "...")
        return f"{', '.join(texts)}{self.unit and f' {self.unit}'}{'' if is_short else f' ({self.count})'}"

    @cached_property
    def _numbers(self) -> np.ndarray:
        return np.array(self._list.values, dtype=np.float64)


@np.errstate(over="ignore")  # of the last point, before it is replaced by the end
def range_at(points: Range, places: np.ndarray) -> np.ndarray:
    """The points at these places, with the bits of `numpy.linspace` or `numpy.geomspace` over the whole range."""
    start, stop, last = points.start, points.stop, points.count - 1
    if not points.is_log:
        return _linear(start, stop, last, places)
    sign = np.sign(start)
    values = np.power(10.0, _linear(np.log10(start / sign), np.log10(stop / sign), last, places)) * sign
    values[places == 0] = start
    values[(places == last) & (last > 0)] = stop
    return values


def _linear(start: float, stop: float, last: int, places: np.ndarray) -> np.ndarray:
    delta = stop - start
    step = delta / last if last else delta
    values = places * step if step or not last else places / last * delta
    values += start
    values[(places == last) & (last > 0)] = stop
    return values


def _as_range(listed: Listed) -> Points:
    """The range with the same values, bit for bit, if there is one."""
    if not listed.is_numeric or listed.count < 3:
        return listed
    start, stop, values = listed.values[0], listed.values[-1], np.array(listed.values)
    for is_log in (False, True):
        fits = np.isfinite(stop - start) and start != stop and (not is_log or start > 0 < stop or start < 0 > stop)
        points = Range(start, stop, listed.count, listed.unit, is_log)
        if fits and range_at(points, np.arange(listed.count)).tobytes() == values.tobytes():
            return points
    return listed


def _worded(value: Any) -> str:
    return json.dumps(value) if isinstance(value, list | dict) else shown(value)
