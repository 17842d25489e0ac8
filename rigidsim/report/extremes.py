"""The largest distance, speed and angular speed of each body."""

from __future__ import annotations

import numpy as np

from rigidsim.report.states import known
from rigidsim.trajectory.extremes import NAMES, largest_norms
from rigidsim.trajectory.trajectory import Trajectory
from rigidsim.trajectory.windows import measured


def extremes(trajectory: Trajectory) -> list[dict[str, float]]:
    """The largest distance (m), speed (m/s) and angular speed (`rate`, rad/s) of each body in the world; those that the
    file does not have are computed from the samples. NaN for what was not recorded.
    """
    stored = _stored(trajectory)
    largest = np.where(np.isnan(stored), _computed(trajectory, np.isnan(stored)), stored)
    return [dict(zip(("distance", "speed", "rate"), row, strict=True)) for row in largest.tolist()]


def stored_extremes_match(trajectory: Trajectory) -> bool:
    """Whether the extremes that a file has are those of its samples."""
    stored = _stored(trajectory)
    there = ~np.isnan(stored)
    return np.array_equal(stored[there], _computed(trajectory, there)[there])


def _stored(trajectory: Trajectory) -> np.ndarray:
    """(body, quantity) the extremes that the file has; NaN for others."""
    unstored = np.full(len(trajectory), np.nan)
    return np.stack([trajectory.extremes.get(name, unstored) for name in NAMES], axis=1)


def _computed(trajectory: Trajectory, wanted: np.ndarray) -> np.ndarray:
    """(body, quantity) those of the extremes that are wanted, from the samples; NaN for what is not known."""
    return measured(trajectory, ExtremesMeter(wanted))[0] if wanted.any() else np.zeros(wanted.shape)


class ExtremesMeter:
    """(body, quantity) those of the largest values that are `wanted`; NaN for what is not known."""

    def __init__(self, wanted: np.ndarray):
        self._wanted, self._largest = wanted, np.zeros(wanted.shape)

    def add(self, part: Trajectory) -> None:
        """Add samples."""
        for column, name in enumerate(NAMES):
            rows = np.flatnonzero(self._wanted[:, column] & ~np.isnan(self._largest[:, column]))
            if len(rows):
                found = _largest(part, name.removeprefix("world/"), rows)
                self._largest[rows, column] = np.maximum(self._largest[rows, column], found)

    def result(self) -> np.ndarray:
        """The largest values so far."""
        return self._largest


def _largest(part: Trajectory, name: str, rows: np.ndarray) -> np.ndarray:
    """The largest value of a quantity of some bodies in the world; NaN if it is not known."""
    if part.is_whole:
        return largest_norms(np.asarray(part.arrays[f"world/{name}"])[:, rows])
    each = (known(part.motion("world", row), name) for row in rows.tolist())
    return np.array([np.nan if one is None else largest_norms(one[:, np.newaxis])[0] for one in each])
