"""Quantities over the whole run in brief: first, least, greatest and last value, and a sparkline of characters; or
their values at one time.
"""

from __future__ import annotations

import math
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rigidsim.analysis.quantities import NamedQuantity, expanded, named
from rigidsim.errors import UsageError
from rigidsim.report.sections import Report, Section
from rigidsim.report.table import ROUNDING, aligned, beyond_rounding
from rigidsim.report.wording import counted
from rigidsim.trajectory.trajectory import Trajectory
from rigidsim.trajectory.windows import FEW_BODIES, windows

LEVELS = "▁▂▃▄▅▆▇█"
MOST_BINS = 1024
"""Groups of successive samples of which the least and the greatest value are kept."""
LEAST_WIDTH, MOST_WIDTH = 24, 96  # characters
COLUMNS_OF_JSON = 64
SAME, DIGITS = 1e-9, (5, 7, 9)
"""Relative to the largest value: a smaller range may be rounding, and is shown as constant. Of a larger one as many
digits are shown as it takes to see it.
"""


@dataclass(frozen=True)
class Sparkline:
    """A number over time. `low` and `high` are the least and the greatest value of groups of successive samples, each
    of as many samples but the last; NaN where none is finite.
    """

    name: str
    unit: str
    first: float
    last: float
    mean: float
    begins: np.ndarray  # s, of the groups
    low: np.ndarray
    high: np.ndarray
    scale: float = 0.0  # the largest number of all components

    @property
    def least(self) -> float:
        """The least of all values; NaN if none is finite."""
        return float(np.fmin.reduce(self.low))

    @property
    def greatest(self) -> float:
        """The greatest of all values."""
        return float(np.fmax.reduce(self.high))

    @property
    def is_constant(self) -> bool:
        """Whether nothing but rounding changes it."""
        size = max(abs(self.least), abs(self.greatest))
        return not self.greatest - self.least > max(SAME * size, ROUNDING * self.scale)

    @property
    def digits(self) -> int:
        """The number of digits that tell the least value from the greatest."""
        differ = (n for n in DIGITS if f"{self.least:.{n}g}" != f"{self.greatest:.{n}g}")
        return DIGITS[0] if self.is_constant else next(differ, DIGITS[-1])

    def columns(self, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(begin, least, greatest) of at most that many groups."""
        count = min(count, len(self.low))
        places = np.arange(count) * len(self.low) // count
        return self.begins[places], np.fmin.reduceat(self.low, places), np.fmax.reduceat(self.high, places)

    def sparkline(self, width: int) -> str:
        """At most `width` characters from the lowest block for the least value to the highest for the greatest. Each
        shows the sample of its group that is farthest from the mean, so that no peak is lost; blank if none is finite.
        """
        _, low, high = self.columns(width)
        shown = np.where(high - self.mean > self.mean - low, high, low)
        if self.is_constant:
            return "".join(LEVELS[0] if math.isfinite(x) else " " for x in shown.tolist())
        span = self.greatest - self.least
        level = (shown / span - self.least / span) * (len(LEVELS) - 1)
        return "".join(LEVELS[round(x)] if math.isfinite(x) else " " for x in level.tolist())

    def as_dict(self) -> dict[str, object]:
        """What JSON has."""
        ends = {"first": self.first, "min": self.least, "max": self.greatest, "last": self.last}
        course = dict(zip(("time", "min", "max"), self.columns(COLUMNS_OF_JSON), strict=True))
        return {"name": self.name, "unit": self.unit, **ends, "course": course}


def understood(trajectory: Trajectory, names: Sequence[str]) -> list[NamedQuantity]:
    """The quantities of some names and patterns. Raises UsageError."""
    return [named(trajectory, name) for written in names for name in expanded(trajectory, written)]


def sparklines(trajectory: Trajectory, names: Sequence[str]) -> list[Sparkline]:
    """Each component of some quantities, see `rigidsim.analysis.quantities`. Of a file only the parts are read that
    they need, window by window. Raises UsageError, NotRecordedError.
    """
    return [course for one in understood(trajectory, names) for course in _courses(trajectory, one)]


def _courses(trajectory: Trajectory, one: NamedQuantity) -> list[Sparkline]:
    count, n_part = len(trajectory.time), max(1, len(one.components))
    size = -(-count // MOST_BINS)
    low = np.full((-(-count // size), n_part), np.nan)
    ends: list[np.ndarray] = []
    high, total, valid = low.copy(), np.zeros(n_part), np.zeros(n_part)
    for window in windows(trajectory, FEW_BODIES):
        values = one.of(window).reshape(-1, n_part)
        ends = [ends[0] if ends else values[0], values[-1]]
        finite = np.isfinite(values)
        values = np.where(finite, values, np.nan)
        total, valid = total + np.nansum(values, axis=0), valid + finite.sum(axis=0)
        group = (window.start + np.arange(len(values))) // size
        begins = np.flatnonzero(np.diff(group, prepend=-1))
        at = group[begins]
        low[at] = np.fmin(low[at], np.fmin.reduceat(values, begins))
        high[at] = np.fmax(high[at], np.fmax.reduceat(values, begins))
    mean, names = total / np.maximum(valid, 1), one.columns
    scale = float(np.fmax.reduce([np.abs(low), np.abs(high)], axis=None))
    about = zip(names, *ends, mean, low.T, high.T, strict=True)
    begins = trajectory.time[::size]
    return [
        Sparkline(name, one.unit, float(first), float(last), float(middle), begins, least, greatest, scale)
        for name, first, last, middle, least, greatest in about
    ]


def sparkline_lines(found: Sequence[Sparkline], time: np.ndarray) -> list[str]:
    """A table with a line for each course, as wide as the terminal. What is rounding is 0, and what there is not
    (the coordinate of a joint before it is made) a dash.
    """
    over = f"{time[0]:g} to {time[-1]:g} s"
    rows = [["quantity", "first", "min", "max", "last"]]
    for one in found:
        values = (one.first, one.least, one.greatest, one.last)
        shown = (beyond_rounding(x, one.scale) + 0.0 for x in values)
        numbers = ("-" if math.isnan(x) else f"{x:.{one.digits}g}" for x in shown)
        rows.append([f"{one.name}, {one.unit}" if one.unit else one.name, *numbers])
    lines = aligned(rows)
    width = shutil.get_terminal_size().columns - len(lines[0]) - 2
    width = min(max(width, LEAST_WIDTH), MOST_WIDTH)
    sparks = [over, *(one.sparkline(width) for one in found)]
    return [f"{line}  {spark}" for line, spark in zip(lines, sparks, strict=True)]


def quantities_report(trajectory: Trajectory, file: str | Path, names: Sequence[str]) -> Report:
    """The output of `inspect FILE QUANTITY ...`. Raises UsageError for a name that means nothing, NotRecordedError for
    what is not in the trajectory.
    """
    time, found = trajectory.time, sparklines(trajectory, names)
    lines = [f"{file}: {trajectory.status}, {counted(len(time), 'sample')}", *sparkline_lines(found, time)]
    ends = {"begin": float(time[0]), "end": float(time[-1])}
    return Report(Section({"file": str(file), "status": trajectory.status, **ends, "quantities": found}, lines))


@dataclass(frozen=True)
class Value:
    """A component of a quantity at one time."""

    name: str
    unit: str
    value: float

    def as_dict(self) -> dict[str, object]:
        """What JSON has."""
        return {"name": self.name, "unit": self.unit, "value": self.value}


def values_at(trajectory: Trajectory, names: Sequence[str], time: float) -> list[Value]:
    """Each component of some quantities at a time, s: linear between the samples before and after it, as `at` in
    metrics is. Raises UsageError outside the trajectory.
    """
    times = trajectory.time
    if not times[0] <= time <= times[-1]:
        raise UsageError(f"the time {time:g} s is outside the trajectory, {times[0]:g} to {times[-1]:g} s")
    before = int(np.searchsorted(times, time, side="right")) - 1
    samples = slice(before, before + 1 + (times[before] < time))
    share = (time - times[before]) / (times[before + 1] - times[before]) if times[before] < time else 0.0
    found = []
    for one in understood(trajectory, names):
        ends = one.of(samples).reshape(samples.stop - before, -1)
        values = ends[0] + share * (ends[-1] - ends[0]) if len(ends) > 1 else ends[0]
        found += [Value(name, one.unit, float(x)) for name, x in zip(one.columns, values, strict=True)]
    return found


def values_report(trajectory: Trajectory, file: str | Path, names: Sequence[str], time: float) -> Report:
    """The output of `inspect FILE QUANTITY ... --at TIME`."""
    found = values_at(trajectory, names, time)
    scale = max((abs(one.value) for one in found if math.isfinite(one.value)), default=0.0)
    rows = [[f"at t = {time:g} s", "value"]]
    for one in found:
        shown = "-" if math.isnan(one.value) else f"{beyond_rounding(one.value, scale) + 0.0:.7g}"
        rows.append([f"{one.name}, {one.unit}" if one.unit else one.name, shown])
    return Report(Section({"file": str(file), "time": time, "quantities": found}, aligned(rows)))
