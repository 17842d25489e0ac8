"""Worlds of one structure side by side: sixteen lanes of a block."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from rigidsim.engine.compiler import Compiled
from rigidsim.engine.model import Model, Samples

LANES = 16
VALUES = ("body", "motion", "load")  # what may differ between the lanes of a block; all else is structure


def structure(compiled: Compiled) -> Hashable:
    """Equal for worlds that may share a block: tree, kinds, loads and their times, method, step, samples."""
    shared = [value for name, value in compiled.model._asdict().items() if name not in VALUES]
    arrays = tuple(np.asarray(value).tobytes() for value in shared)
    shapes = tuple(getattr(compiled.model, name).shape for name in VALUES)
    return (arrays, shapes, type(compiled.method), compiled.method, compiled.n_step, compiled.stride)


def side_by_side(rows: Sequence[np.ndarray]) -> np.ndarray:
    """One array (row, component * lanes) from one (row, component) for each lane."""
    joined = np.stack(rows, axis=-1)
    return np.ascontiguousarray(joined.reshape(len(joined), joined.shape[1] * joined.shape[2]))


def block_of(worlds: Sequence[Compiled], n_lane: int) -> tuple[Model, np.ndarray]:
    """Model and state of up to n_lane worlds; spare lanes repeat the last one."""
    filled = [*worlds, *[worlds[-1]] * (n_lane - len(worlds))]
    values = {name: side_by_side([getattr(world.model, name) for world in filled]) for name in VALUES}
    return worlds[0].model._replace(**values), side_by_side([world.state for world in filled])


def one_lane(samples: Samples, lane: int, n_lane: int) -> Samples:
    """The samples of one world of a block."""
    return Samples(*(np.ascontiguousarray(array[..., lane::n_lane]) for array in samples))
