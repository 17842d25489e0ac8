"""What a run says at the times of measurements, with its derivatives: residuals of one experiment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from rigidsim.analysis.quantities import named
from rigidsim.errors import UsageError
from rigidsim.fitting.data import MeasuredTable, Measurements, measurements
from rigidsim.quantities.names import read_name
from rigidsim.scene.read import Scene
from rigidsim.scene.schema.fit import TIME_OFFSET, Experiment
from rigidsim.sensitivities.varied import Varied
from rigidsim.simulation.batch import simulate
from rigidsim.trajectory.trajectory import Trajectory

POINTS = 4
"""Samples through which a polynomial in time goes, between which it is read: a cubic."""


class Residuals(NamedTuple):
    """Residuals (measured less computed) of one column and their derivatives with respect to the numbers of the
    experiment, (measurement, number); `rough` are those of a parabola in place of the cubic.
    """

    residuals: np.ndarray
    rates: np.ndarray
    rough: np.ndarray


class Compared:
    """An experiment whose runs are compared with its measurements. `names` are the numbers of the scene that vary in
    it, `TIME_OFFSET` among them if that does. Raises UsageError for bad data.
    """

    def __init__(self, scene: Scene, experiment: Experiment, names: Sequence[str], table: MeasuredTable | None):
        self.experiment, self.names = experiment, list(names)
        given = scene.with_overrides([*experiment.set.items()]) if experiment.set else scene
        self.varied = Varied(given, [name for name in names if name != TIME_OFFSET], "fit: vary")
        self.measured: list[Measurements] = measurements(experiment, table, simulate(given))
        self._require_inside(given.simulation.duration)

    def _require_inside(self, duration: float) -> None:
        offset = self.experiment.time_offset
        for one in self.measured:
            time = one.time + offset
            outside = (time < -1e-9 * duration) | (time > (1.0 + 1e-9) * duration)
            if outside.any():
                first, more = one.time[np.argmax(outside)], int(outside.sum()) - 1
                also = f" (and {more} more)" if more else ""
                hint = "set simulation.duration, time_offset or time_unit, or leave out these rows"
                raise UsageError(
                    f"{self.label}: the measurement of {one.quantity} at t = {first:g} s{also} is outside of the run,"
                    f" which ends at {duration:g} s; {hint}"
                )

    @property
    def label(self) -> str:
        """What messages call the experiment."""
        return self.experiment.file or "data"

    def split(self, values: Mapping[str, float]) -> tuple[list[float], float]:
        """The numbers of the scene, and the time offset, s."""
        numbers = [values[one.name] for one in self.varied.parameters]
        return numbers, values.get(TIME_OFFSET, self.experiment.time_offset)

    def read(self, run: Trajectory, offset: float) -> list[Residuals]:
        """The residuals of each column."""
        return [self._read(run, one, offset) for one in self.measured]

    def _read(self, run: Trajectory, one: Measurements, offset: float) -> Residuals:
        wanted = named(run, one.quantity)
        values, rates = wanted.of().reshape(-1), self.varied.rates(run, wanted)[:, 0]
        time = np.clip(one.time + offset, run.time[0], run.time[-1])
        at, weights, slopes = interpolation(run.time, breaks_of(run), time)
        rough = interpolation(run.time, breaks_of(run), time, POINTS - 1)
        found = np.sum(weights * values[at], axis=1)
        columns = dict(zip((p.name for p in self.varied.parameters), rates.T, strict=True))
        along = [np.sum((slopes * values[at]) if name == TIME_OFFSET else weights * columns[name][at], axis=1)
                 for name in self.names]  # fmt: skip
        residuals = _less(wanted, one.values, found)
        coarse = _less(wanted, one.values, np.sum(rough[1] * values[rough[0]], axis=1))
        return Residuals(residuals, -np.stack(along, axis=1) if along else np.zeros((len(found), 0)), coarse)


def _less(wanted, measured: np.ndarray, found: np.ndarray) -> np.ndarray:
    """The residuals; those of angles of an orientation are less than half a turn."""
    difference = measured - found
    is_angle = wanted.kind is not None and read_name(wanted.name).quantity == "angles"
    return (difference + np.pi) % (2.0 * np.pi) - np.pi if is_angle else difference


def breaks_of(run: Trajectory) -> np.ndarray:
    """The times at which a motion is not smooth, s."""
    columns = run.events.columns
    return np.unique(np.asarray(columns["events/time"])) if columns else np.zeros(0)


def interpolation(
    samples: np.ndarray, breaks: np.ndarray, time: np.ndarray, points: int = POINTS
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For each time the numbers of the samples next to it that no event separates from it, at most `points`, their
    weights in Lagrange's polynomial through them, and the weights of its slope, (time, point).
    """
    piece, of_sample = (np.searchsorted(breaks, one, side="right") for one in (time, samples))
    low, high = (np.searchsorted(of_sample, piece, side=side) for side in ("left", "right"))
    low, high = np.where(low == high, 0, low), np.where(low == high, len(samples), high)
    count = np.minimum(high - low, points)
    before = np.searchsorted(samples, time, side="right") - 1
    first = np.clip(before - (count - 1) // 2, low, high - count)
    place = first[:, np.newaxis] + np.arange(points)
    used = np.arange(points) < count[:, np.newaxis]
    at = np.where(used, place, first[:, np.newaxis])
    x, t = samples[at], time[:, np.newaxis]
    weights, slopes = np.zeros(at.shape), np.zeros(at.shape)
    for a in range(points):
        product, slope = np.ones(len(time)), np.zeros(len(time))
        for b in range(points):
            if b != a:
                both = used[:, a] & used[:, b]
                gap = np.where(both, x[:, a] - x[:, b], 1.0)
                factor, change = np.where(both, (t[:, 0] - x[:, b]) / gap, 1.0), np.where(both, 1.0 / gap, 0.0)
                slope, product = slope * factor + product * change, product * factor
        weights[:, a], slopes[:, a] = np.where(used[:, a], product, 0.0), np.where(used[:, a], slope, 0.0)
    return at, weights, slopes
