"""The largest distance, speed and angular speed of each body: made while a file is written, so that they can be shown
without reading its samples.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

import h5py
import numpy as np

EXTREMES = "extremes"
NAMES = {
    "world/position": ("distance", "m", "largest distance from the world's origin"),
    "world/velocity": ("speed", "m s-1", "largest speed in the world"),
    "world/angular_velocity": ("angular_speed", "rad s-1", "largest angular speed in the world"),
}
"""For each dataset of samples that has extremes: their name, units and meaning."""
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
    """Write the extremes of some datasets, with a digest that belongs to this file."""
    if not extremes:
        return
    group = root.create_group(EXTREMES, track_order=True)
    group.attrs["sha256"] = digest_of_extremes(extremes, content_hash)
    for source in filter(extremes.__contains__, NAMES):
        name, units, long_name = NAMES[source]
        dataset = group.create_dataset(name, data=extremes[source])
        dataset.attrs["units"], dataset.attrs["long_name"] = units, long_name
        dataset.dims[0].attach_scale(root["body"])


def digest_of_extremes(extremes: Mapping[str, np.ndarray], content_hash: str) -> str:
    """SHA-256, in hexadecimal, of extremes and of the content hash of the samples that they belong to."""
    digest = hashlib.sha256(content_hash.encode())
    for source in filter(extremes.__contains__, NAMES):
        digest.update(NAMES[source][0].encode() + extremes[source].tobytes())
    return digest.hexdigest()
