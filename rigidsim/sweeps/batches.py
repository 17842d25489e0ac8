"""Batches: consecutive runs that are read together, and their results until their portions are complete."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from threading import Lock
from typing import Any

import numpy as np

from rigidsim.errors import SimulationError
from rigidsim.scene import Scene
from rigidsim.simulation.blocks import Outcome
from rigidsim.simulation.single import Simulation
from rigidsim.sweeps.contents import COMPLETE, SAMPLES, Contents, Portion, dtype_of
from rigidsim.sweeps.recording import Recording

Rows = slice | np.ndarray


Results = Mapping[str, np.ndarray]
"""The results of some runs: (run, ...) of each array; of arrays that are not there, they have none."""


def results_of(recording: Recording, outcome: Outcome, n_lane: int) -> Results:
    """The results of the lanes of a block."""
    samples = outcome.samples
    if recording.times is not None and outcome.run.is_off_grid:
        samples = samples.part(slice(-1))  # the last state has a time of its own
    found = {rows.name: rows.of_lanes(samples, n_lane) for rows in recording.rows}
    metrics = zip(recording.metrics, outcome.metrics, strict=True)
    end = {"runs/end_time": outcome.run.time, SAMPLES: len(samples.world.position)}
    found |= {name: np.full(n_lane, value) for name, value in end.items()}
    return found | {f"metrics/{name}": values for name, values in metrics}


def run_alone(scene: Scene, recording: Recording, stopped: Callable[[], bool]) -> tuple[Results, str] | None:
    """Run a scene alone, with the bits that it has in a block, to stop at its last finite state: the results, and why
    it ended there, if it failed. None if `stopped` became true before the end.
    """
    blocks: list[Any] = []
    simulation, error = Simulation(scene), ""
    try:
        for block in simulation.blocks(lambda _: stopped()):
            if recording.times is None:
                blocks.clear()
            blocks.append(block.copied())
    except SimulationError as failure:
        error = str(failure)
    if simulation.status == "interrupted":
        return None
    if recording.times is not None and blocks and (error or simulation.is_off_grid):
        blocks.pop()  # the last finite state, at a time of its own
    found = {"runs/end_time": simulation.time, SAMPLES: sum(len(block.time) for block in blocks)}
    results = {name: np.array([value]) for name, value in found.items()}
    for rows in recording.rows if blocks else ():
        samples = np.concatenate([rows.of_block(block) for block in blocks])
        results[rows.name] = samples[-1:] if recording.times is None else samples[np.newaxis]
    return results, error


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

    def put(self, rows: Rows, results: Results, which: slice) -> None:
        """The results of some runs, `which` of those that are given."""
        for name, array in self.arrays.items():
            values = results[name][which] if name in results else None
            if values is not None and values.shape[1:] == array.shape[1:]:
                array[rows] = values
                continue
            array[rows] = np.nan if array.dtype.kind == "f" else 0
            if values is not None:  # samples of runs that are shorter than others
                array[rows, : values.shape[1]] = values


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

    def put(self, places: np.ndarray, results: Results) -> None:
        """The results of runs, in order; places are numbered from 0 in the batch."""
        for _, portion, rows, which in self._parts(places):
            portion.put(rows, results, which)

    def fail(self, place: int, status: int, error: str) -> None:
        """A run that ended early, or did not begin."""
        ((_, portion, rows, _),) = self._parts(np.array([place]))
        portion.status[rows], portion.errors[self.runs.start + place] = status, error

    def note(self, places: np.ndarray) -> None:
        """These runs have their results; portions that are complete are committed."""
        for number, portion, _, which in self._parts(places):
            with self._lock:
                portion.left -= which.stop - which.start
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
        changes = np.flatnonzero(np.diff(numbers)) + 1 if numbers[0] != numbers[-1] else ()
        for begin, end in pairwise([0, *changes, len(runs)]):
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
