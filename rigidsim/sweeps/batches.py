"""Batches: consecutive runs that are read together, and their results until the units that they are in are complete."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from threading import Lock

import numpy as np

from rigidsim.errors import SceneError
from rigidsim.sweeps.blocks import Lone, Outcome
from rigidsim.sweeps.contents import COMPLETE, FAILED, INVALID, SAMPLES, Contents, dtype_of
from rigidsim.sweeps.units import Unit

Rows = slice | np.ndarray


class OpenUnit:
    """A unit of which some runs have no results yet; rows are its runs, numbered from 0."""

    def __init__(self, contents: Contents, begin: int, arrays: dict[str, np.ndarray] | None):
        count = min(contents.unit, len(contents.runs) - begin)
        self.begin, self.left = begin, count
        self.status = np.full(count, COMPLETE, dtype=np.uint8)
        self.errors: dict[int, str] = {}
        self.arrays = arrays or {
            name: np.empty((count, *shape), dtype_of(name)) for name, shape in contents.arrays.items()
        }
        self._recording = contents.recording

    def clear(self, row: int) -> None:
        """A run without results."""
        for array in self.arrays.values():
            array[row] = np.nan if array.dtype.kind == "f" else 0

    def fail(self, row: int, status: int, error: str) -> None:
        """A run that ended early, or did not begin."""
        self.status[row], self.errors[self.begin + row] = status, error

    def put(self, rows: Rows, lanes: slice, outcome: Outcome, n_lane: int) -> None:
        """The results of some lanes of a block."""
        for dataset in self._recording.rows:
            values, array = dataset.of_lanes(outcome.samples, n_lane)[lanes], self.arrays[dataset.name]
            if "time" in dataset.dimensions and values.shape[1] < array.shape[1]:
                array[rows, values.shape[1] :] = np.nan
                array[rows, : values.shape[1]] = values
            else:
                array[rows] = values
        if SAMPLES in self.arrays:
            self.arrays[SAMPLES][rows] = len(outcome.samples.world.position)
        for name, values in zip(self._recording.metrics, outcome.metrics, strict=True):
            self.arrays[f"metrics/{name}"][rows] = values[lanes]
        self.arrays["runs/end_time"][rows] = outcome.time

    def put_lone(self, row: int, lone: Lone) -> None:
        """The results of a run alone."""
        self.clear(row)
        for dataset in self._recording.rows if lone.samples else ():
            array, values = self.arrays[dataset.name], lone.arrays[dataset.name]
            if "time" in dataset.dimensions:
                array[row, : len(values)] = values
            else:
                array[row] = values[-1]
        if SAMPLES in self.arrays:
            self.arrays[SAMPLES][row] = lone.samples
        self.arrays["runs/end_time"][row] = lone.time
        if lone.error:
            self.fail(row, FAILED, lone.error)


class Batch:
    """Consecutive runs, numbered from 0 in the file; the first begins a unit. The arrays of a unit are needed from its
    first results to its commit, so few of them are in memory, and in the processor's cache, at a time. `spare` has
    arrays that may be used again; None if what is committed must not be overwritten.
    """

    def __init__(self, contents: Contents, runs: range, commit: Callable[[Unit], None], spare: list[dict] | None):
        self.runs = runs
        self._contents, self._commit, self._spare = contents, commit, spare
        self._units: dict[int, OpenUnit] = {}
        self._lock = Lock()

    def refuse(self, place: int, fault: SceneError) -> None:
        """A run that cannot begin; places are numbered from 0 in the batch."""
        ((_, unit, rows, _),) = self._parts(np.array([place]))
        unit.clear(rows.start)
        unit.fail(rows.start, INVALID, str(fault))
        self.note(np.array([place]))

    def put(self, places: np.ndarray, outcome: Outcome, n_lane: int) -> None:
        """The results of a block, whose runs are in order."""
        for _, unit, rows, lanes in self._parts(places):
            unit.put(rows, lanes, outcome, n_lane)

    def put_lone(self, place: int, lone: Lone) -> None:
        """The results of a run alone."""
        ((_, unit, rows, _),) = self._parts(np.array([place]))
        unit.put_lone(rows.start, lone)

    def note(self, places: np.ndarray) -> None:
        """These runs have their results; units that are complete are committed."""
        for number, unit, _, lanes in self._parts(places):
            with self._lock:
                unit.left -= lanes.stop - lanes.start
                is_complete = unit.left == 0
                if is_complete:
                    del self._units[number]
            if is_complete:
                self._commit(Unit(number, unit.begin, unit.arrays, unit.status, unit.errors))
                if self._spare is not None and len(unit.status) == self._contents.unit:
                    self._spare.append(unit.arrays)

    def _parts(self, places: np.ndarray) -> Iterator[tuple[int, OpenUnit, Rows, slice]]:
        """The units of some runs in order: number, unit, rows of the runs in it, which of the runs these are."""
        runs = self.runs.start + places
        numbers = runs // self._contents.unit
        begins = [0, *(np.flatnonzero(np.diff(numbers)) + 1).tolist(), len(runs)]
        for begin, end in pairwise(begins):
            number = int(numbers[begin])
            unit = self._unit(number)
            yield number, unit, _as_slice(runs[begin:end] - unit.begin), slice(begin, end)

    def _unit(self, number: int) -> OpenUnit:
        with self._lock:
            if number not in self._units:
                begin = number * self._contents.unit
                is_whole = begin + self._contents.unit <= len(self._contents.runs)
                arrays = self._spare.pop() if self._spare and is_whole else None
                self._units[number] = OpenUnit(self._contents, begin, arrays)
            return self._units[number]


def _as_slice(rows: np.ndarray) -> Rows:
    """Consecutive rows as a slice, which is faster."""
    first, last = int(rows[0]), int(rows[-1])
    return slice(first, last + 1) if last - first == len(rows) - 1 else rows
