"""The samples of a trajectory: those between two times, and of a long one the windows that fit in memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np

from rigidsim.errors import UsageError
from rigidsim.trajectory.bodies import BodyMapping
from rigidsim.trajectory.chunks import windows_of

WINDOW_BYTES = 32e6
FEW_BODIES = 8
"""Whose motions take the memory of what is read for one quantity, or for all energies and momenta."""


def windows(trajectory: BodyMapping, n_body: int | None = None) -> Iterator[slice]:
    """Slices of the time axis in which the samples of all bodies, or of `n_body`, fit in memory."""
    return windows_of(len(trajectory.time), 32 * (n_body or len(trajectory)), WINDOW_BYTES)


class Meter(Protocol):
    """What is measured of successive samples, one part of a trajectory after the other."""

    def add(self, part: Any) -> None:
        """Take the next samples."""

    def result(self) -> Any:
        """What all samples so far say."""


def measured(trajectory: Any, *meters: Meter, n_body: int | None = None) -> list[Any]:
    """The results of some meters of a whole trajectory, which is read once; see `windows`."""
    for window in windows(trajectory, n_body) if meters else ():
        part = trajectory.part(window)
        for meter in meters:
            meter.add(part)
    return [meter.result() for meter in meters]


def samples_between(trajectory: BodyMapping, begin: float | None, end: float | None) -> slice:
    """The samples from one time to another (s), both included. Raises UsageError if there are none."""
    time = trajectory.time
    if not len(time):
        raise UsageError("the trajectory has no samples")
    low, high = (float(time[0]) if begin is None else begin), (float(time[-1]) if end is None else end)
    slack = 1e-12 * max(abs(low), abs(high))
    first, last = np.searchsorted(time, low - slack), np.searchsorted(time, high + slack, side="right")
    if not first < last:
        raise UsageError(
            f"there are no samples from {low:g} to {high:g} s; the trajectory covers {time[0]:g} to {time[-1]:g} s"
        )
    return slice(int(first), int(last))
