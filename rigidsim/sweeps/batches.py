"""Batches: consecutive runs that are read together, and their results until their portions are complete."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from threading import Lock
from typing import NamedTuple

import numpy as np

from rigidsim.errors import SceneError, SimulationError
from rigidsim.scene import Scene
from rigidsim.simulation.blocks import Outcome
from rigidsim.simulation.single import Simulation
from rigidsim.sweeps.contents import COMPLETE, FAILED, INVALID, SAMPLES, Contents, Portion, dtype_of
from rigidsim.sweeps.recording import Recording

Rows = slice | np.ndarray


class RunAlone(NamedTuple):
    """A run alone: the samples on the grid of times, the last finite state, and why it ended there."""

    arrays: dict[str, np.ndarray]  # by dataset, time first
    samples: int
    time: float  # reached, s
    error: str  # empty if it did not fail


def run_alone(scene: Scene, recording: Recording, stopped: Callable[[], bool]) -> RunAlone | None:
    """Run a scene alone, with the bits that it has in a block, to stop at its last finite state; None if `stopped`
    became true before the end.
    """
    simulation, error, blocks = Simulation(scene), "", []
    try:
        for block in simulation.blocks(lambda _: stopped()):
            if recording.times is None:
                blocks.clear()
            blocks.append(block.copied())
    except SimulationError as failure:
        error = str(failure)
    if simulation.status == "interrupted":
        return None
    if recording.times is not None and error and blocks:
        blocks.pop()  # the last finite state, at a time of its own
    arrays = (
        {rows.name: np.concatenate([rows.of_block(b) for b in blocks]) for rows in recording.rows} if blocks else {}
    )
    return RunAlone(arrays, sum(len(block.time) for block in blocks), simulation.time, error)


class OpenPortion:
    """A portion of which some runs have no results yet; rows are its runs, numbered from 0."""

    def __init__(self, contents: Contents, begin: int, arrays: dict[str, np.ndarray] | None):
        count = min(contents.portion, len(contents.runs) - begin)
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
        self.arrays["runs/end_time"][rows] = outcome.run.time

    def put_alone(self, row: int, found: RunAlone) -> None:
        """The results of a run alone."""
        self.clear(row)
        for dataset in self._recording.rows if found.samples else ():
            array, values = self.arrays[dataset.name], found.arrays[dataset.name]
            if "time" in dataset.dimensions:
                array[row, : len(values)] = values
            else:
                array[row] = values[-1]
        if SAMPLES in self.arrays:
            self.arrays[SAMPLES][row] = found.samples
        self.arrays["runs/end_time"][row] = found.time
        if found.error:
            self.fail(row, FAILED, found.error)


class Batch:
    """Consecutive runs, numbered from 0 in the file; the first begins a portion. The arrays of a portion are needed
    from its first results to its commit, so few of them are in memory, and in the processor's cache, at a time. `spare`
    has arrays that may be used again; None if what is committed must not be overwritten.
    """

    def __init__(self, contents: Contents, runs: range, commit: Callable[[Portion], None], spare: list[dict] | None):
        self.runs = runs
        self._contents, self._commit, self._spare = contents, commit, spare
        self._portions: dict[int, OpenPortion] = {}
        self._lock = Lock()

    def refuse(self, place: int, fault: SceneError) -> None:
        """A run that cannot begin; places are numbered from 0 in the batch."""
        ((_, portion, rows, _),) = self._parts(np.array([place]))
        portion.clear(rows.start)
        portion.fail(rows.start, INVALID, str(fault))
        self.note(np.array([place]))

    def put(self, places: np.ndarray, outcome: Outcome, n_lane: int) -> None:
        """The results of a block, whose runs are in order."""
        for _, portion, rows, lanes in self._parts(places):
            portion.put(rows, lanes, outcome, n_lane)

    def put_alone(self, place: int, found: RunAlone) -> None:
        """The results of a run alone."""
        ((_, portion, rows, _),) = self._parts(np.array([place]))
        portion.put_alone(rows.start, found)

    def note(self, places: np.ndarray) -> None:
        """These runs have their results; portions that are complete are committed."""
        for number, portion, _, lanes in self._parts(places):
            with self._lock:
                portion.left -= lanes.stop - lanes.start
                is_complete = portion.left == 0
                if is_complete:
                    del self._portions[number]
            if is_complete:
                self._commit(Portion(number, portion.begin, portion.arrays, portion.status, portion.errors))
                if self._spare is not None and len(portion.status) == self._contents.portion:
                    self._spare.append(portion.arrays)

    def _parts(self, places: np.ndarray) -> Iterator[tuple[int, OpenPortion, Rows, slice]]:
        """The portions of some runs in order: number, portion, rows of the runs in it, which of the runs these are."""
        runs = self.runs.start + places
        numbers = runs // self._contents.portion
        begins = [0, *(np.flatnonzero(np.diff(numbers)) + 1).tolist(), len(runs)]
        for begin, end in pairwise(begins):
            number = int(numbers[begin])
            portion = self._portion(number)
            yield number, portion, _as_slice(runs[begin:end] - portion.begin), slice(begin, end)

    def _portion(self, number: int) -> OpenPortion:
        with self._lock:
            if number not in self._portions:
                begin = number * self._contents.portion
                is_whole = begin + self._contents.portion <= len(self._contents.runs)
                arrays = self._spare.pop() if self._spare and is_whole else None
                self._portions[number] = OpenPortion(self._contents, begin, arrays)
            return self._portions[number]


def _as_slice(rows: np.ndarray) -> Rows:
    """Consecutive rows as a slice, which is faster."""
    first, last = int(rows[0]), int(rows[-1])
    return slice(first, last + 1) if last - first == len(rows) - 1 else rows
