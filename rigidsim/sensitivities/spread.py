"""How far the linear answer of derivatives holds, and what errors of parameters make of metrics."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from rigidsim.analysis.growth import Growth, growth_of
from rigidsim.analysis.quantities import NamedQuantity
from rigidsim.engine.model.layout import (
    CAUSE_BEGAN,
    CAUSE_IMPACT,
    CAUSE_IMPULSE,
    CAUSE_REPARENTING,
    CAUSE_STOP,
    CAUSE_TRIGGER,
)
from rigidsim.sensitivities.varied import Varied, rates_along, reads_scene, same_header
from rigidsim.simulation.batch import simulate
from rigidsim.trajectory.derivatives import Derivative
from rigidsim.trajectory.trajectory import Trajectory

EPS = float(np.finfo(float).eps)
STRIKING = (CAUSE_BEGAN, CAUSE_IMPACT, CAUSE_STOP)
"""The causes of events that happen where the motion meets something."""
ORDERED = (*STRIKING, CAUSE_IMPULSE, CAUSE_REPARENTING, CAUSE_TRIGGER)
"""The causes of events whose order matters for the motion."""


class Reach(NamedTuple):
    """How far a parameter can change, to first order, before the events of a run become others, and why."""

    distance: float
    time: float  # s, of the event
    reason: str


NOWHERE = Reach(math.inf, math.nan, "")


def reach_of(trajectory: Trajectory, derivative: Derivative) -> Reach:
    """The nearest change of the events of a run. An impulse J goes as the root of the distance from grazing, which is
    J/(2 |J'|); two events meet where the times between them are 0, and the last one leaves the run.
    """
    return min(_changes(trajectory, derivative), key=lambda one: one.distance, default=NOWHERE)


def _changes(trajectory: Trajectory, derivative: Derivative) -> Iterator[Reach]:
    columns = trajectory.events.columns
    if not columns:
        return
    times, rates = np.asarray(columns["events/time"]), derivative.events["time"]
    impulses = np.asarray(columns["events/impulse"])
    sizes = np.linalg.norm(impulses, axis=1)
    changes = np.abs(np.einsum("ij,ij->i", impulses, derivative.events["impulse"]))
    struck = np.isin(columns["events/cause"], STRIKING) & (sizes > 0.0) & (changes > 0.0)
    for k in np.flatnonzero(struck).tolist():
        yield Reach(sizes[k] * sizes[k] / (2.0 * changes[k]), times[k], "grazes")
    moves = np.isin(columns["events/cause"], ORDERED)
    ends = [*zip(times[moves].tolist(), rates[moves].tolist(), strict=True), (float(trajectory.time[-1]), 0.0)]
    for (t, rate), (after, later) in pairwise(ends):
        if after > t and later != rate:
            yield Reach((after - t) / abs(later - rate), t, "meets the next event, or the end")


def sigma_of(rates: Mapping[str, float], spreads: Mapping[str, float]) -> float:
    """The standard deviation of a metric, to first order, for independent errors of these standard deviations."""
    return math.sqrt(math.fsum((rates[name] * spread) ** 2 for name, spread in spreads.items()))


def band_of(trajectory: Trajectory, wanted: NamedQuantity) -> np.ndarray | None:
    """The standard deviation of a quantity, in its unit, (time, components), to first order, for independent errors of
    the uncertain numbers. None if no number is uncertain, or if the quantity depends on the scene besides the samples.
    """
    uncertain = [one for one in map(trajectory.derivative, trajectory.parameters) if one.sigma]
    if not uncertain or reads_scene(trajectory.header, wanted):
        return None
    each = [one.sigma * rates_along(trajectory, one, wanted, same_header) / wanted.si_units for one in uncertain]
    return np.sqrt(sum(part * part for part in each)).reshape(len(trajectory.time), -1)


def moved_by(derivative: Derivative) -> np.ndarray:
    """(time) how far the motion in the world moves at most, m or rad, per relative change of a parameter."""
    size, found = abs(derivative.value) or 1.0, np.zeros(len(derivative.time))
    for name, factor in (("world/position", 1.0), ("world/orientation", 2.0)):
        if name in derivative.stored:
            each = np.linalg.norm(derivative.stored[name], axis=-1).reshape(len(found), -1)
            found = np.maximum(found, factor * size * np.max(each, axis=1, initial=0.0))
    return found


def predictability(derivatives: Iterable[Derivative]) -> Growth | None:
    """How the rounding error of one of these parameters grows, the fastest of them; None without samples."""
    found = [growth_of(one.time, EPS * moved_by(one)) for one in derivatives if len(one.time) > 1]
    return min(found, key=lambda one: (one.horizon, -one.rate), default=None)


class Displaced(NamedTuple):
    """A metric in a run with a displaced parameter: by how much, what derivatives say of it, and the run; and the
    numbers of events of the run itself and of this one.
    """

    metric: str
    parameter: str
    by: float  # SI units
    linear: float
    found: float
    events: tuple[int, int]


def displaced(varied: Varied, trajectory: Trajectory, spreads: Mapping[str, float], share: float) -> list[Displaced]:
    """What runs say in which each parameter is displaced to both sides: by its spread, else by a share of its value."""
    sizes = [spreads.get(p.name, share * (abs(p.value) or 1.0)) for p in varied.parameters]
    moves = [sign * move for move in np.diag(sizes) for sign in (1.0, -1.0)]
    runs = simulate([varied.at((varied.values + move).tolist()) for move in moves])
    before, found = _count(trajectory), []
    for (k, move), other in zip(enumerate(moves), runs, strict=True):
        p, by = varied.parameters[k // 2], float(move[k // 2])
        rates = trajectory.derivative(p.name).metrics
        for name, value in trajectory.metrics.items():
            events = before, _count(other)
            found.append(Displaced(name, p.name, by, value + by * rates[name], other.metrics[name], events))
    return found


def _count(trajectory: Trajectory) -> int:
    """The number of events of a run."""
    columns = trajectory.events.columns
    return len(columns["events/time"]) if columns else 0
