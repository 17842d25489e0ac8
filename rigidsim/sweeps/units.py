"""Units: a few consecutive runs whose results are committed, verified and hashed together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import NamedTuple

import h5py
import numpy as np

from rigidsim.sweeps.contents import COMPLETE, MISSING

WINDOW_BYTES = 16e6


class Unit(NamedTuple):
    """Results of consecutive runs: of each an entry in each array."""

    number: int
    begin: int  # the first run, numbered from 0 in the file
    arrays: Mapping[str, np.ndarray]  # by dataset
    status: np.ndarray
    errors: Mapping[int, str]  # by run, numbered from 0 in the file

    @property
    def is_done(self) -> bool:
        """Whether all runs have results."""
        return bool((self.status != MISSING).all())

    @property
    def digest(self) -> bytes:
        """SHA-256 of the results."""
        digest = sha256(np.ascontiguousarray(self.status))
        for array in self.arrays.values():
            digest.update(np.ascontiguousarray(array))
        for place in np.flatnonzero(self.status != COMPLETE).tolist():
            digest.update(self.errors.get(self.begin + place, "").encode())
        return digest.digest()


def units_of(
    begin: int, size: int, arrays: Mapping[str, np.ndarray], status: np.ndarray, errors: Mapping[int, str]
) -> Iterator[Unit]:
    """The units of `size` runs in the results of consecutive runs, the first of which begins a unit."""
    for first in range(0, len(status), size):
        rows = slice(first, first + size)
        some = {run: errors[run] for run in range(begin + first, begin + first + len(status[rows])) if run in errors}
        parts = {name: array[rows] for name, array in arrays.items()}
        yield Unit((begin + first) // size, begin + first, parts, status[rows], some)


def windows(runs: range, size: int, run_bytes: int) -> Iterator[range]:
    """Consecutive runs, the first of which begins a unit, in parts of whole units that take little memory."""
    window = max(1, int(WINDOW_BYTES // (run_bytes * size))) * size
    return (range(begin, min(begin + window, runs.stop)) for begin in range(runs.start, runs.stop, window))


def stored_units(
    datasets: Mapping[str, h5py.Dataset], names: Sequence[str], size: int, runs: range, errors: Mapping[int, str]
) -> Iterator[tuple[Unit, bool]]:
    """The units of consecutive runs in a file, and whether the numbers of each match the digest that it has there."""
    rows = slice(runs.start, runs.stop)
    status = datasets["runs/status"][rows]  # first: if the sweep is under way, it is written last
    digests = datasets["runs/digest"][runs.start // size : -(-runs.stop // size)]
    arrays = {name: datasets[name][rows] for name in names}
    for unit, digest in zip(units_of(runs.start, size, arrays, status, errors), digests, strict=True):
        yield unit, unit.digest == digest.tobytes()
