"""The plan of a sweep: how many runs, and the values of the varied numbers in each, known without building them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from rigidsim.arguments import MOST, whole_number
from rigidsim.errors import Problem, SceneError, UsageError
from rigidsim.scene import Scene
from rigidsim.scene.schema.sweep import SweepSettings, read_sweep
from rigidsim.scene.text.document import shown
from rigidsim.scene.values.amounts import Amount
from rigidsim.sweeps.axes import Axis, Column
from rigidsim.sweeps.layouts import Layout, Product, Zipped
from rigidsim.sweeps.sampling import Sampled
from rigidsim.sweeps.table import read_table

MOST_RUNS = 1_000_000
"""More runs need a confirmation."""
MISFITS = {
    *("not-a-boolean", "not-a-list", "not-a-mapping", "not-a-number", "not-text", "length", "type", "unit"),
    *("expression", "empty", "character", "body-name", "parameter-name", "missing-key", "unknown-key"),
    *("unknown-value", "integrator"),
}
"""The codes of problems that all values of a kind have; others depend on the value, and concern a run alone."""
GOLDEN = np.uint64(0x9E3779B97F4A7C15)


class Plan:
    """The runs of a sweep, numbered from 0. Values are computed for any range of runs, with the same bits whatever the
    range.
    """

    def __init__(self, layout: Layout, seed: int = 0):
        """Raises UsageError if two names are one number of the scene, or if there are more than 2**53 runs."""
        _require_separate(list(layout.units))
        self._layout = layout
        self.seed = seed
        if self.runs > MOST:
            raise UsageError(f"a plan of {self.runs:,} runs is too large; the limit is 2**53")

    @property
    def names(self) -> tuple[str, ...]:
        """The varied parameters and paths, as `--set` understands them."""
        return tuple(self._layout.units)

    @property
    def units(self) -> Mapping[str, str]:
        """The unit of the numbers of each name. It is empty for bare numbers, which mean what they mean in `--set`, and
        for words.
        """
        return self._layout.units

    @property
    def runs(self) -> int:
        """The number of runs."""
        return self._layout.runs

    @property
    def sample(self) -> str:
        """The method and number of points of a sample, `sobol:1024`; empty for other plans."""
        return self._layout.method

    def values(self, runs: range | slice) -> dict[str, Column]:
        """The values of each name for consecutive runs: float64 numbers in the unit of the name, or a list of words and
        other data. Takes memory for these runs only (a sample of `lhs` is made as a whole).
        """
        chosen = range(self.runs)[runs] if isinstance(runs, slice) else runs
        if chosen.step != 1 or (chosen and not 0 <= chosen[0] <= chosen[-1] < self.runs):
            raise UsageError(f"expected consecutive runs between 0 and {self.runs - 1}, got {chosen}")
        return self._layout.columns(chosen.start, max(chosen.start, chosen.stop))

    def overrides(self, runs: range | slice) -> Iterator[list[tuple[str, Any]]]:
        """The overrides of the scene for each of consecutive runs, as `Scene.from_file` takes them."""
        columns = {
            name: column.tolist() if isinstance(column, np.ndarray) else column
            for name, column in self.values(runs).items()
        }
        for row in zip(*columns.values(), strict=True):
            yield [
                (name, str(Amount(value, unit)) if unit else value)
                for (name, unit), value in zip(self.units.items(), row, strict=True)
            ]

    def seeds(self, runs: range | slice) -> np.ndarray:
        """A seed for each of these runs, uint64, that depends only on the plan's seed and the run's number.

        It is the number n of the SplitMix64 sequence (Steele, Lea and Flood 2014) that begins at the mixed seed of the
        plan, so no two runs of a plan have the same.
        """
        chosen = range(self.runs)[runs] if isinstance(runs, slice) else runs
        start = _mixed(np.array([self.seed], dtype=np.uint64) + GOLDEN)
        return _mixed(start + (np.arange(chosen.start, chosen.stop, dtype=np.uint64) + np.uint64(1)) * GOLDEN)

    def part(self, number: int, parts: int) -> range:
        """The runs of part `number` (1 to `parts`): consecutive, and as many as in the other parts, or one fewer. A
        part is empty if there are fewer runs than parts.
        """
        parts = whole_number(parts, "the number of parts", 1)
        number = whole_number(number, "the number of the part", 1)
        if number > parts:
            raise UsageError(f"part {number} of {parts} does not exist; parts are numbered from 1 to {parts}")
        return range(self.runs * (number - 1) // parts, self.runs * number // parts)

    def chosen(self, part: tuple[int, int] | None = None, yes: bool = False) -> range:
        """All runs, or those of a part. Raises UsageError if there are more than a million, and `yes` is not given."""
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
        return self._layout.digest(self.seed)

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """Remarks about the plan, one sentence each."""
        return tuple(self._notes())

    def describe(self) -> str:
        """One line: `13 x 3 = 39 runs: spin 0 to 60 rpm (13), bodies.top.mass 1, 2, 5`."""
        return str(self._layout)

    def __repr__(self) -> str:
        return f"<Plan: {self.describe()}>"

    def check(self, read: Callable[[list[tuple[str, Any]]], Scene]) -> None:
        """Read the scene with the values of the first run, and of each run that is the first with some word or list;
        `read` reads it with overrides.

        Raises UsageError for a path that is not in the scene, and SceneError for a value that is none for its place: an
        unknown word, a unit of another dimension. A number that is out of bounds is no problem of the plan: that run
        fails alone.
        """
        for run in dict.fromkeys(self._layout.probes()):
            (overrides,) = self.overrides(range(run, run + 1))
            try:
                read(overrides)
            except SceneError as error:
                misfits = [_worded(problem, overrides) for problem in error.problems if _is_misfit(problem)]
                if misfits:
                    raise SceneError(misfits) from None

    def _notes(self) -> Iterator[str]:
        repeated = self._layout.repeated
        if repeated:
            yield f"{repeated:,} of {self.runs:,} runs have the same values as an earlier one"
        if isinstance(self._layout, Sampled) and self._layout.sample.method == "sobol" and self.runs & (self.runs - 1):
            powers = [2 ** (self.runs.bit_length() - 1), 2 ** self.runs.bit_length()]
            near = " or ".join(f"sobol:{count}" for count in powers)
            yield f"Sobol's sequence is balanced for powers of two only: {near} is better than sobol:{self.runs}"


def make_plan(
    *,
    vary: Mapping[str, Any] | None = None,
    zip: bool = False,
    sample: str | None = None,
    over: Mapping[str, str] | None = None,
    table: Path | str | None = None,
    seed: int = 0,
) -> Plan:
    """A plan of runs, in one of three ways:

    - `vary`: for each name, `"start:stop:count"`, `"log:start:stop:count"`, or a list, array or range of values; all
      with all, the first name varying slowest, or side by side with `zip`;
    - `sample` with `over`: `"sobol:1024"` and, for each name, a distribution such as `"uniform(20 rpm, 40 rpm)"`;
    - `table`: the path of a CSV file.

    Names are parameters or paths of the scene. Raises UsageError for anything that is not valid, StorageError for a
    table that cannot be read.
    """
    vary = {name: _even(values) for name, values in vary.items()} if isinstance(vary, Mapping) else vary
    given = {"vary": vary, "zip": zip, "sample": sample, "over": over, "table": table and str(table), "seed": seed}
    return plan_of(read_sweep({key: value for key, value in given.items() if value is not None}))


def _even(values: Any) -> Any:
    """A Python range as the text of one."""
    if not isinstance(values, range) or len(values) < 2:
        return list(values) if isinstance(values, range) else values
    return f"{values[0]}:{values[-1]}:{len(values)}"


def plan_of(settings: SweepSettings) -> Plan:
    """The plan that settings describe."""
    return Plan(_layout(settings), settings.seed)


def _layout(settings: SweepSettings) -> Layout:
    if settings.sample:
        return Sampled(settings.sample, settings.over, settings.seed)
    if settings.table:
        return Zipped(read_table(Path(settings.table)))
    axes = tuple(Axis(name, points) for name, points in settings.vary.items())
    return Zipped(axes) if settings.zip else Product(axes)


def _require_separate(names: list[str]) -> None:
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


def _is_misfit(problem: Problem) -> bool:
    return problem.code in MISFITS and "not finite" not in problem.message


def _worded(problem: Problem, overrides: list[tuple[str, Any]]) -> Problem:
    """A problem that is shown at a place in the scene, with the values that the plan has put into it."""
    values = ", ".join(f"{name} = {shown(value)}" for name, value in overrides)
    return replace(problem, message=f"{problem.message}, with {values}") if problem.line else problem


def _mixed(x: np.ndarray) -> np.ndarray:
    """The output function of SplitMix64: one to one, on uint64."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))
