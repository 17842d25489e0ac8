"""When things happen: the edges that divide a run into eras, and what happens at each."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from rigidsim.engine import layout
from rigidsim.engine.laws.registry import BY_NAME
from rigidsim.scene import Scene
from rigidsim.scene.schema.events import Reparenting

ROUND_OFF = 8.0 * np.finfo(float).eps  # of t / step, relative: times and steps are decimals
START = (0, 0.0)
Place = tuple[int, float]


def grid_place(t: float, step: float) -> Place:
    """(n, fraction) with t = (n + fraction) step; on the grid if within round-off."""
    ratio = t / step
    n = round(ratio)
    if abs(ratio - n) <= ROUND_OFF * max(1.0, abs(ratio)):
        return n, 0.0
    return math.floor(ratio), ratio - math.floor(ratio)


class Schedule:
    """Edges, as steps and fractions, in order; era k lies between edge k - 1 and edge k."""

    def __init__(self, windows: Iterable[tuple[float, float]], stops: Iterable[float], scene: Scene):
        self.step = scene.simulation.step
        ends = [self.place(t) for window in windows for t in window]
        at_stops = {self.place(t) for t in stops}
        self.places = sorted({place for place in (*ends, *at_stops) if place > START})
        self._era = {place: i + 1 for i, place in enumerate(self.places)}
        self.stops = np.array([place in at_stops for place in self.places], dtype=np.int64)
        self.reparentings: tuple[Reparenting, ...] = scene.reparent

    @classmethod
    def of(cls, scene: Scene) -> Schedule:
        """All that a scene schedules."""
        windows, stops = [], [event.time for event in scene.reparent]
        for _, body, _ in scene.walk():
            for force in body.forces:
                if force.during is not None:
                    windows.append(force.during)
                    # What stores energy brings it and takes it away as it comes and goes.
                    stops += force.during if BY_NAME[force.type].stores else ()
            stops += [impulse.time for impulse in body.impulses]
        return cls(windows, stops, scene)

    def place(self, t: float) -> Place:
        """Where a time lies on the grid."""
        return grid_place(t, self.step)

    def era(self, t: float) -> int:
        """The era that begins at a scheduled time."""
        return self._era.get(self.place(t), 0)

    def span(self, during: tuple[float, float] | None) -> tuple[int, int]:
        """The eras [begin, until) of a window; None is always."""
        return (0, layout.NEVER) if during is None else (self.era(during[0]), self.era(during[1]))

    def reparentings_of(self, era: int) -> list[tuple[int, Reparenting]]:
        """Those at the beginning of an era, with the number of each, in the order of the file."""
        return [(k, event) for k, event in enumerate(self.reparentings) if self.era(event.time) == era]

    def edges(self) -> dict[str, np.ndarray]:
        """The edges as the kernels take them."""
        return {
            "edge_step": np.array([n for n, _ in self.places], dtype=np.int64),
            "edge_fraction": np.array([fraction for _, fraction in self.places], dtype=np.float64),
            "edge_stop": self.stops,
        }
