"""Kinetic energy relative to the parents, to which rounding and integration errors are proportional."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from rigidsim.engine.building.bodies import tree_of
from rigidsim.hindsight.past import scene_of
from rigidsim.trajectory.trajectory import Trajectory


def relative_kinetic_energy(trajectory: Trajectory, windows: Iterable[slice]) -> float:
    """The largest sum of m v_PB^2/2 over the samples, J, with the masses and parents of the start. Raises
    NotRecordedError.
    """
    header, tree = trajectory.header, tree_of(scene_of(trajectory.header))
    free = [node.index for node in tree.free()]
    masses = np.array([tree.composite(node).mass.mass for node in tree.free()])
    largest = 0.0
    for window in windows:
        part = trajectory.part(window)
        velocity = np.stack([part.motion("local", index).velocity for index in free], axis=1)
        with np.errstate(over="ignore", invalid="ignore"):
            squares = np.sum(velocity * velocity, axis=-1) * header.parent_scale[free] ** 2
            largest = max(largest, float(np.nan_to_num(0.5 * squares @ masses).max(initial=0.0)))
    return largest
