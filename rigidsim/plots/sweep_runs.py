"""The runs of a sweep as its figures need them: axes of varied numbers, combinations of their values, failures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from rigidsim.errors import UsageError
from rigidsim.plots.style import shortened, with_unit
from rigidsim.report.wording import counted
from rigidsim.scene.text.reader import read_text
from rigidsim.scene.values.quantities import dimension_of, split_quantity

LOGARITHMIC = 100.0
"""The ratio of its ends from which on an axis is logarithmic, if half of its values are on its lower part."""
EVEN = 1e-6


@dataclass(frozen=True)
class SweepAxis:
    """One varied number: the value of each run; for words and lists their places among `words`."""

    name: str
    unit: str
    values: np.ndarray
    words: tuple[str, ...] = ()

    @property
    def short(self) -> str:
        """The name without what the paths of all numbers have."""
        return short_path(self.name)

    @property
    def label(self) -> str:
        """The name of an axis."""
        return with_unit(shortened(self.short, 44), self.unit)

    @cached_property
    def levels(self) -> np.ndarray:
        """The distinct values in ascending order."""
        return np.unique(self.values)

    @cached_property
    def places(self) -> np.ndarray:
        """The place of each run's value among the levels."""
        return np.searchsorted(self.levels, self.values)

    @cached_property
    def is_log(self) -> bool:
        """Whether the values are evenly spaced on a logarithmic scale, or spread over decades unevenly."""
        levels = self.levels
        if self.words or len(levels) < 3 or levels[0] <= 0.0 or _is_even(levels):
            return False
        if levels[-1] < LOGARITHMIC * levels[0]:
            return _is_even(np.log(levels))
        middle, low, high = np.median(levels), np.sqrt(levels[0] * levels[-1]), (levels[0] + levels[-1]) / 2
        return bool(middle * middle < low * high)  # nearer to the middle of the logarithmic scale

    def text(self, value: float) -> str:
        """A value in words: `tilt = 0.1 deg`."""
        word = self.words[int(value)] if self.words else f"{value:.6g}{self.unit and ' '}{self.unit}"
        return f"{shortened(self.short)} = {shortened(word)}"

    def edges(self) -> np.ndarray:
        """The edges of a cell around each level, in the middle between two (on the scale of the axis)."""
        levels = np.log(self.levels) if self.is_log else self.levels
        if len(levels) == 1:
            return self.levels[0] + np.array([-0.5, 0.5]) * (abs(self.levels[0]) or 1.0)
        middle = (levels[:-1] + levels[1:]) / 2
        ends = [levels[0] - (middle[0] - levels[0])], middle, [levels[-1] + (levels[-1] - middle[-1])]
        edges = np.concatenate(ends)
        return np.exp(edges) if self.is_log else edges

    def set_axis(self, axes: Axes, which: str) -> None:
        """Name and scale an axis, `x` or `y`."""
        axis = getattr(axes, f"{which}axis")
        axis.set_label_text(self.label, parse_math=False)
        if self.is_log:
            getattr(axes, f"set_{which}scale")("log")
        if self.words:
            axis.set_ticks(range(len(self.words)), [shortened(word, 18) for word in self.words])
            for tick in axis.get_ticklabels():
                tick.set_parse_math(False)


def short_path(name: str) -> str:
    """The name of a varied number without what the paths of all have."""
    name = name.removeprefix("bodies.").removeprefix("simulation.").removeprefix("parameters.")
    return name.replace(".children.", "/").replace(".value[", "[")


def _is_even(levels: np.ndarray) -> bool:
    """Whether values are evenly spaced."""
    steps = np.diff(levels)
    return bool(np.ptp(steps) <= EVEN * abs(levels[-1] - levels[0]))


class Runs:
    """The runs of a sweep."""

    def __init__(self, sweep: Any):
        self.sweep = sweep
        parameters = read_text(sweep.scene_text, "").data.get("parameters") or {}
        self.numbers = {name: _varied(sweep, name, parameters) for name in sweep.names}
        self.is_failed = np.isin(np.arange(len(sweep)), sweep.failed)
        self.failures = counted(len(sweep.failed), "failed run")

    @property
    def has_indices(self) -> bool:
        """Whether these are all runs of a sample for Sobol indices."""
        method, _, count = self.sweep.method.partition(":")
        return method == "saltelli" and len(self.sweep) == int(count) * (len(self.sweep.names) + 2)

    @cached_property
    def indices(self) -> Mapping[str, Any]:
        """The Sobol indices of each metric."""
        return self.sweep.sensitivity()

    def number(self, name: str) -> SweepAxis:
        """A varied number by its name, or by the end of it if that is unique. Raises UsageError."""
        found = [known for known in self.numbers if name in (known, self.numbers[known].short)]
        found = found or [known for known in self.numbers if known.endswith((f".{name}", f"/{name}"))]
        if len(found) == 1:
            return self.numbers[found[0]]
        listed = ", ".join(found or self.numbers) or "none"
        if found:
            raise UsageError(f"--over {name} could be {listed}; write more of the name")
        raise UsageError(f"--over {name}: the sweep did not vary it; it varied {listed}")

    @property
    def varied(self) -> list[SweepAxis]:
        """The numbers that have more than one value."""
        return [number for number in self.numbers.values() if len(number.levels) > 1]

    def others(self, shown: Sequence[SweepAxis]) -> list[SweepAxis]:
        """The varied numbers apart from these."""
        return [number for number in self.varied if number not in shown]

    @cached_property
    def is_grid(self) -> bool:
        """Whether values are combined with each other: no combination twice, and at least half of them."""
        shape = tuple(len(number.levels) for number in self.varied)
        count = int(np.prod(shape, dtype=object)) if shape else 0
        if not 0 < count <= 2 * len(self.sweep):
            return False
        cells = np.ravel_multi_index([number.places for number in self.varied], shape)
        return len(np.unique(cells)) == len(cells)

    def groups(self, numbers: Sequence[SweepAxis]) -> list[tuple[str, np.ndarray]]:
        """The runs of each combination of values of these numbers, and the combination in words."""
        if not numbers:
            return [("", np.arange(len(self.sweep)))]
        rows, which = np.unique(np.stack([n.places for n in numbers]), axis=1, return_inverse=True)
        named = [
            ", ".join(number.text(number.levels[place]) for number, place in zip(numbers, column, strict=True))
            for column in rows.T.tolist()
        ]
        return [(name, np.flatnonzero(which.ravel() == k)) for k, name in enumerate(named)]


def _varied(sweep: Any, name: str, parameters: Mapping[str, Any]) -> SweepAxis:
    values = sweep.runs[name]
    if values.dtype != object:
        unit = sweep.units[name] or _unit(parameters.get(name.removeprefix("parameters.")))
        return SweepAxis(name, unit, np.asarray(values, dtype=np.float64))
    texts = [str(value) for value in values]
    words = tuple(dict.fromkeys(texts))
    return SweepAxis(name, "", np.array([words.index(text) for text in texts], dtype=np.float64), words)


def _unit(parameter: Any) -> str:
    """The unit of a plain number that is given to a parameter: that of the long form, else the SI unit."""
    if isinstance(parameter, Mapping):
        return str(parameter.get("unit", "")) or _unit(parameter.get("value"))
    _, unit = split_quantity(parameter) if isinstance(parameter, str) else ("", "")
    return dimension_of(unit).unit if unit else ""
