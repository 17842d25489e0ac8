"""The largest distance, speed and angular speed of each body: made while a file is written, so that they can be shown
without reading its samples.
"""

from __future__ import annotations

from collections.abc import Mapping

import h5py
import numpy as np

from rigidsim.trajectory.digests import digest_of_summary
from rigidsim.trajectory.structure import write_summary

EXTREMES = "extremes"
NAMES = {
    "world/position": ("distance", "largest distance from the world's origin", "m"),
    "world/velocity": ("speed", "largest speed in the world", "m s-1"),
    "world/angular_velocity": ("angular_speed", "largest angular speed in the world", "rad s-1"),
}
"""For each dataset of samples that has extremes: their name, meaning and units."""
SAFE = (1e-280, 1e300)
"""Squares within these bounds have lost nothing by underflow or overflow."""


def largest_norms(rows: np.ndarray) -> np.ndarray:
    """(body) the largest norm of each body's vectors (sample, body, 3), without intermediate overflow.

    The square root is monotonic, so it does not matter in which windows the samples come.
    """
    with np.errstate(over="ignore", under="ignore"):
        squares = (rows[..., 0] ** 2 + rows[..., 1] ** 2 + rows[..., 2] ** 2).max(axis=0)
    found, is_unsafe = np.sqrt(squares), ~((squares > SAFE[0]) & (squares < SAFE[1]))
    if is_unsafe.any() and (some := rows[:, is_unsafe]).any():
        found[is_unsafe] = np.hypot.reduce(np.abs(some), axis=-1).max(axis=0)
    return found


def write_extremes(root: h5py.File, extremes: Mapping[str, np.ndarray], content_hash: str) -> None:
    """Write the extremes of some datasets; nothing if there are none."""
    values = {name: extremes[source] for source, (name, *_) in NAMES.items() if source in extremes}
    if values:
        meanings = {name: (meaning, unit) for name, meaning, unit in NAMES.values()}
        group = write_summary(root, EXTREMES, meanings, values, digest_of_summary(values, content_hash))
        for dataset in group.values():
            dataset.dims[0].attach_scale(root["body"])
