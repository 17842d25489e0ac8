"""The runs of a sweep and the values of the varied numbers in each, known without building them; the values of several
axes combined, all with all or side by side.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from rigidsim.arguments import MOST, whole_number
from rigidsim.errors import Problem, SceneError, UsageError
from rigidsim.scene import Scene
from rigidsim.scene.text.document import shown
from rigidsim.scene.values.amounts import as_written
from rigidsim.sweeps.axes import Axis, AxisValues

MOST_PROBES = 100
MOST_AT_ONCE = 10_000_000
"""Runs of which anything is kept in memory for each."""
MOST_RUNS = 1_000_000
"""More runs need a confirmation."""
MISFITS = {
    *("not-a-boolean", "not-a-list", "not-a-mapping", "not-a-number", "not-text", "length", "type", "unit"),
    *("expression", "empty", "character", "body-name", "parameter-name", "missing-key", "unknown-key"),
    *("unknown-value", "integrator"),
}
"""The codes of problems that all values of a kind have; others depend on the value, and concern a run alone."""
GOLDEN = np.uint64(0x9E3779B97F4A7C15)


class Plan(ABC):
    """The runs of a sweep, numbered from 0. Values are computed for any range of runs, with the same bits whatever the
    range.

    `units` has the varied parameters and paths, as `--set` understands them, and the unit of the numbers of each; it is
    empty for bare numbers, which mean what they mean in `--set`, and for words. `runs` is the number of runs, `sample`
    the method and number of points of a sample, `sobol:1024`; empty for other plans.
    """

    sample = ""

    @property
    def rule(self) -> Mapping[str, Any]:
        """The rule of all values as plain data."""
        raise NotImplementedError

    @property
    def repeated(self) -> int:
        """How many runs have the values of an earlier one."""
        return 0

    def __init__(self, units: Mapping[str, str], runs: int, seed: int = 0):
        """Raises UsageError if two names are one number of the scene, or if there are more than 2**53 runs."""
        _require_separate(units)
        self.units, self.runs, self.seed = units, runs, seed
        if runs > MOST:
            raise UsageError(f"a plan of {runs:,} runs is too large; the limit is 2**53")

    @abstractmethod
    def columns(self, begin: int, end: int) -> dict[str, AxisValues]:
        """The values of each name for the runs from `begin` to before `end`.

        Parameters
        ----------
        begin : int
            The first run.
        end : int
            The run behind the last one.

        Returns
        -------
        dict[str, Column]
            A column for each name.
        """

    @abstractmethod
    def describe(self) -> str:
        """One line: `13 x 3 = 39 runs: spin 0 to 60 rpm (13), bodies.top.mass 1, 2, 5`."""

    def probes(self) -> Iterator[int]:
        """Runs that together contain each kind of value: a first one, and one for each word or other datum."""
        yield 0

    @property
    def names(self) -> tuple[str, ...]:
        """The varied parameters and paths."""
        return tuple(self.units)

    def values(self, runs: range | slice) -> dict[str, AxisValues]:
        """The values of each name for consecutive runs: float64 numbers in the unit of the name, or a list of words and
        other data. Takes memory for these runs only (a sample of `lhs` is made as a whole).

        Parameters
        ----------
        runs : range | slice
            Consecutive runs.

        Returns
        -------
        dict[str, Column]
            A column for each name.
        """
        chosen = range(self.runs)[runs] if isinstance(runs, slice) else runs
        if chosen.step != 1 or (chosen and not 0 <= chosen[0] <= chosen[-1] < self.runs):
            raise UsageError(f"expected consecutive runs between 0 and {self.runs - 1}, got {chosen}")
        return self.columns(chosen.start, max(chosen.start, chosen.stop))

    def written(self, runs: range | slice) -> dict[str, AxisValues]:
        """The values as a scene takes them: those with a unit as text.

        Parameters
        ----------
        runs : range | slice
            Consecutive runs.

        Returns
        -------
        dict[str, Column]
            A column for each name.
        """
        return {
            name: [as_written(value, self.units[name]) for value in np.asarray(values).tolist()]
            if self.units[name]
            else values
            for name, values in self.values(runs).items()
        }

    def overrides(self, runs: range | slice) -> Iterator[list[tuple[str, Any]]]:
        """The overrides of the scene for each of consecutive runs, as `Scene.from_file` takes them.

        Parameters
        ----------
        runs : range | slice
            Consecutive runs.
        """
        columns = (c.tolist() if isinstance(c, np.ndarray) else c for c in self.written(runs).values())
        return (list(zip(self.units, row, strict=True)) for row in zip(*columns, strict=True))

    def seeds(self, runs: range | slice) -> np.ndarray:
        """A seed for each of these runs, uint64, that depends only on the plan's seed and the run's number.

        It is the number n of the SplitMix64 sequence (Steele, Lea and Flood 2014) that begins at the mixed seed of the
        plan, so no two runs of a plan have the same.

        Parameters
        ----------
        runs : range | slice
            Consecutive runs.

        Returns
        -------
        np.ndarray
            A seed for each run, uint64.
        """
        chosen = range(self.runs)[runs] if isinstance(runs, slice) else runs
        start = _mixed(np.array([self.seed], dtype=np.uint64) + GOLDEN)
        return _mixed(start + (np.arange(chosen.start, chosen.stop, dtype=np.uint64) + np.uint64(1)) * GOLDEN)

    def part(self, number: int, parts: int) -> range:
        """The runs of part `number` (1 to `parts`): consecutive, and as many as in the other parts, or one fewer. A
        part is empty if there are fewer runs than parts.

        Parameters
        ----------
        number : int
            The number of the part, from 1.
        parts : int
            The number of parts.

        Returns
        -------
        range
            The runs of this part.
        """
        parts = whole_number(parts, "the number of parts", 1)
        number = whole_number(number, "the number of the part", 1)
        if number > parts:
            raise UsageError(f"part {number} of {parts} does not exist; parts are numbered from 1 to {parts}")
        return range(self.runs * (number - 1) // parts, self.runs * number // parts)

    def chosen(self, part: tuple[int, int] | None = None, yes: bool = False) -> range:
        """All runs, or those of a part. Raises UsageError if there are more than a million, and `yes` is not given.

        Parameters
        ----------
        part : tuple[int, int], optional
            (number, parts) of a part; by default all runs.
        yes : bool, optional
            Whether more than a million runs are allowed.

        Returns
        -------
        range
            The numbers of the runs.
        """
        chosen = range(self.runs) if part is None else self.part(*part)
        if len(chosen) > MOST_RUNS and not yes:
            message = f"{len(chosen):,} runs are more than {MOST_RUNS:,}"
            raise UsageError(f"{message}; --yes runs them, --part 1/{-(-self.runs // MOST_RUNS)} only a part")
        return chosen

    @cached_property
    def digest(self) -> str:
        """The SHA-256 hash of names, rules of values and seed, in hexadecimal: two plans with the same digest have the
        same runs.
        """
        rule = {"version": 1, **self.rule, "seed": self.seed}
        return hashlib.sha256(json.dumps(rule, separators=(",", ":")).encode()).hexdigest()

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """Remarks about the plan, one sentence each."""
        repeated = self.repeated
        return (f"{repeated:,} of {self.runs:,} runs have the same values as an earlier one",) if repeated else ()

    def __repr__(self) -> str:
        return f"<Plan: {self.describe()}>"

    def check(self, read: Callable[[Sequence[str | tuple[str, Any]]], Scene]) -> None:
        """Read the scene with the values of the first run, and of each run that is the first with some word or list;
        `read` reads it with overrides.

        Raises UsageError for a path that is not in the scene, and SceneError for a value that is none for its place: an
        unknown word, a unit of another dimension. A number that is out of bounds is no problem of the plan: that run
        fails alone.

        Parameters
        ----------
        read : Callable[[list[tuple[str, Any]]], Scene]
            Reads the scene with overrides.
        """
        for run in dict.fromkeys(self.probes()):
            (overrides,) = self.overrides(range(run, run + 1))
            try:
                read(overrides)
            except SceneError as error:
                misfits = [p for p in error.problems if p.code in MISFITS and "not finite" not in p.message]
                if misfits:
                    raise SceneError([_worded(problem, overrides) for problem in misfits]) from None


class Known(Plan):
    """Consecutive runs of a plan with their values, which another machine might compute with other last digits. The
    rest is that of the whole plan.
    """

    def __init__(self, units: Mapping[str, str], values: Mapping[str, AxisValues], runs: range, seed: int, *about: str):
        """`about` are the digest of the plan, its sample and its description."""
        super().__init__(units, runs.stop, seed)
        self.digest, self.sample, self._description = about
        self._values, self._begin = values, runs.start

    def columns(self, begin: int, end: int) -> dict[str, AxisValues]:
        """The values of runs that are here."""
        return {name: values[begin - self._begin : end - self._begin] for name, values in self._values.items()}

    def describe(self) -> str:
        """That of the whole plan."""
        return self._description


class _OfAxes(Plan):
    def __init__(self, axes: tuple[Axis, ...], runs: int, seed: int):
        super().__init__({axis.name: axis.unit for axis in axes}, runs, seed)
        self.axes = axes

    def _rules(self) -> list[list]:
        return [[axis.name, axis.rule] for axis in self.axes]


class Product(_OfAxes):
    """All values of each axis with all of the others; the first axis varies slowest."""

    def __init__(self, axes: tuple[Axis, ...], seed: int = 0):
        super().__init__(axes, math.prod(axis.count for axis in axes), seed)

    def columns(self, begin: int, end: int) -> dict[str, AxisValues]:
        """As `itertools.product` orders them."""
        rest, places = np.arange(begin, end), {}
        for axis in reversed(self.axes):
            rest, places[axis.name] = np.divmod(rest, axis.count)
        return {axis.name: axis.at(places[axis.name]) for axis in self.axes}

    @property
    def rule(self) -> dict[str, Any]:
        """Name by name."""
        return {"grid": self._rules()}

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

    def describe(self) -> str:
        """The counts, and the axes one by one."""
        counts = " x ".join(str(axis.count) for axis in self.axes)
        total = f"{counts} = {self.runs}" if len(self.axes) > 1 else counts
        return f"{total} {_runs(self.runs)}: {', '.join(map(str, self.axes))}"


class Zipped(_OfAxes):
    """The first values of all axes, the second ones, and so on."""

    def __init__(self, axes: tuple[Axis, ...], seed: int = 0):
        """Raises UsageError if the axes differ in their number of values."""
        first = axes[0]
        for axis in axes:
            if axis.count != first.count:
                counts = f"{first.name} has {first.count} and {axis.name} {axis.count}"
                raise UsageError(f"values are taken side by side, but {counts}; give all names equally many")
        super().__init__(axes, first.count, seed)

    def columns(self, begin: int, end: int) -> dict[str, AxisValues]:
        """Row by row."""
        places = np.arange(begin, end)
        return {axis.name: axis.at(places) for axis in self.axes}

    @property
    def rule(self) -> dict[str, Any]:
        """Name by name."""
        return {"zip": self._rules()}

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

    def describe(self) -> str:
        """The number of runs, and the axes one by one."""
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


def _require_separate(names: Iterable[str]) -> None:
    """Each of the names has to be a number of its own: the second of two values would silently replace the first."""
    paths = {name: re.sub(r"\[(\d+)\]", r".\1", name.strip()).removeprefix("parameters.") for name in names}
    seen: dict[str, str] = {}
    for name, path in paths.items():
        if path in seen:
            raise UsageError(f"'{shown(seen[path])}' and '{shown(name)}' are the same number; vary it once")
        seen[path] = name
    for name, path in paths.items():
        above = [path[: match.start()] for match in re.finditer(r"\.", path)]
        outer = next((seen[part] for part in above if part in seen), None)
        if outer is not None:
            raise UsageError(f"'{shown(name)}' is a part of '{shown(outer)}'; vary only one of them")


def _worded(problem: Problem, overrides: list[tuple[str, Any]]) -> Problem:
    """A problem that is shown at a place in the scene, with the values that the plan has put into it."""
    values = ", ".join(f"{name} = {shown(value)}" for name, value in overrides)
    return replace(problem, message=f"{problem.message}, with {values}") if problem.line else problem


def _mixed(x: np.ndarray) -> np.ndarray:
    """The output function of SplitMix64: one to one, on uint64."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))
