"""The schedule of a run: the edges that divide it into eras, and the changes and events at each edge."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from rigidsim.engine import layout

ROUND_OFF = 8.0 * np.finfo(float).eps  # of t / step, relative: times and steps are decimals
START = (0, 0.0)
StepTime = tuple[int, float]


class ScheduledReparenting(NamedTuple):
    """The change of a node's parent at the beginning of an era."""

    number: int  # in the order of the file
    body: int  # node
    to: int  # frame of the new parent
    motion: str  # free or fixed
    time: float  # s, as written


def grid_place(t: float, step: float) -> StepTime:
    """(n, fraction) with t = (n + fraction) step; on the grid if within round-off."""
    ratio = t / step
    n = round(ratio)
    if abs(ratio - n) <= ROUND_OFF * max(1.0, abs(ratio)):
        return n, 0.0
    return math.floor(ratio), ratio - math.floor(ratio)


class Schedule:
    """Edges, as steps and fractions, in order; era k lies between edge k - 1 and edge k. At `stops` there is an event
    or an exchange of energy, not only a change of constant loads.
    """

    def __init__(
        self,
        step: float,
        times: Iterable[float],
        stops: Iterable[float],
        reparentings: tuple[ScheduledReparenting, ...],
    ):
        self.step = step
        at_stops = {self.place(t) for t in (*stops, *(event.time for event in reparentings))}
        places = {*map(self.place, times), *at_stops}
        self.places = sorted(place for place in places if place > START)
        self._era = {place: i + 1 for i, place in enumerate(self.places)}
        self.reparentings = reparentings
        kinds = dict.fromkeys(at_stops, layout.EDGE_CROSSED)
        kinds |= dict.fromkeys((self.place(event.time) for event in reparentings), layout.EDGE_STOPS)
        self._kinds = [kinds.get(place, layout.EDGE_PASSED) for place in self.places]

    @property
    def n_era(self) -> int:
        """The number of eras; the last one has no end."""
        return len(self.places) + 1

    def place(self, t: float) -> StepTime:
        """A time as (step, fraction)."""
        return grid_place(t, self.step)

    def era(self, t: float) -> int:
        """The era that begins at a scheduled time."""
        return self._era.get(self.place(t), 0)

    def span(self, during: tuple[float, float] | None) -> tuple[int, int]:
        """The eras [begin, until) of a window; None stands for the whole run."""
        return (0, layout.NEVER) if during is None else (self.era(during[0]), self.era(during[1]))

    def reparentings_of(self, era: int) -> list[ScheduledReparenting]:
        """The reparentings at the beginning of an era, in the order of the file."""
        return [event for event in self.reparentings if self.era(event.time) == era]

    def edges(self) -> dict[str, np.ndarray]:
        """The edges as fields of a model."""
        return {
            "edge_step": np.array([min(n, layout.NEVER) for n, _ in self.places], dtype=np.int64),
            "edge_fraction": np.array([fraction for _, fraction in self.places], dtype=np.float64),
            "edge_kind": np.array(self._kinds, dtype=np.int64),
        }
