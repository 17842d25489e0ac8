"""Kinetic energy relative to the parents, to which rounding and integration errors are proportional."""

from __future__ import annotations

import numpy as np

from rigidsim.trajectory.header import Header
from rigidsim.trajectory.trajectory import Trajectory


class RelativeEnergyMeter:
    """The largest sum of m v_PB^2/2 over the samples, J, with the masses and parents of the start. Raises
    NotRecordedError.
    """

    def __init__(self, header: Header):
        tree = header.scene.hierarchy
        self._moved, self._largest = [node.index for node in tree.moved_nodes()], 0.0
        self._masses = np.array([tree.composite(node).mass.mass for node in tree.moved_nodes()])
        self._metres = header.parent_scale[self._moved]

    def add(self, part: Trajectory) -> None:
        """Add samples."""
        velocity = np.stack([part.motion("local", index).velocity for index in self._moved], axis=1)
        with np.errstate(over="ignore", invalid="ignore"):
            squares = np.sum(velocity * velocity, axis=-1) * self._metres**2
            found = np.nan_to_num(0.5 * squares @ self._masses).max(initial=0.0)
        self._largest = max(self._largest, float(found))

    def result(self) -> float:
        """The largest energy so far."""
        return self._largest
