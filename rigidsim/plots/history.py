"""One trajectory as a figure shows it, its name in the legend, and the samples between two times; requests of it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rigidsim.analysis.quantities import NamedQuantity
from rigidsim.plots.sampling import drawn_samples
from rigidsim.sensitivities.spread import band_of
from rigidsim.trajectory.trajectory import Trajectory


class PlottedHistory(NamedTuple):
    """A trajectory, its number and its name among those of the figure (empty if it is the only one), its samples."""

    trajectory: Trajectory
    number: int
    name: str
    samples: slice

    def read(self, *quantities: NamedQuantity) -> tuple[np.ndarray, np.ndarray]:
        """(time, values) of the samples that are drawn, with the components of all quantities as columns."""

        def values(samples: slice) -> np.ndarray:
            found = [one.of(samples) for one in quantities]
            return np.concatenate([each.reshape(len(each), -1) for each in found], axis=1)

        return drawn_samples(self.trajectory.time, self.samples, values)

    def band(self, quantity: NamedQuantity, time: np.ndarray) -> np.ndarray | None:
        """The standard deviations at these times of samples, (time, component), if the scene is uncertain."""
        found = band_of(self.trajectory, quantity)
        return None if found is None else found[np.searchsorted(self.trajectory.time, time)]

    @property
    def span(self) -> tuple[float, float]:
        """The times of the first and the last of the samples, s."""
        time = self.trajectory.time[self.samples]
        return float(time[0]), float(time[-1])


class Request(NamedTuple):
    """What is asked for of a trajectory: quantities over time or one over another, or something of a body; the path of
    one in a `frame`: world, parent, or the path of a body.
    """

    kind: str
    history: PlottedHistory
    body: str = ""
    frame: str = ""
    quantities: tuple[NamedQuantity, ...] = ()
