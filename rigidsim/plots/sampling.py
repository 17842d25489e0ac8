"""Reading the samples that a picture can show: of long trajectories the extremes in each narrow column of it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

MOST = 4000
"""Samples that are drawn as they are."""
COLUMNS = 1500
"""Columns of a picture in which a longer trajectory is drawn by its extremes."""
AT_ONCE = 1 << 16
"""Samples that are read together."""


def drawn_samples(time: np.ndarray, samples: slice, read: Callable[[slice], np.ndarray]) -> tuple:
    """(time, values) of the samples that are drawn, values (time, component); `read` reads consecutive samples.

    Up to MOST they are all. Of more, each column of the picture has its first sample and those with the least and the
    largest value of each component, in order of time, so every peak is drawn; they are read window by window.
    """
    begin, end, _ = samples.indices(len(time))
    if end - begin <= MOST:
        return time[begin:end], _two_axes(read(slice(begin, end)))
    width = -(-(end - begin) // COLUMNS)
    times, values = [], []
    window = max(1, AT_ONCE // width) * width
    for first in range(begin, end, window):
        part = slice(first, min(first + window, end))
        found = _two_axes(read(part))
        kept = extremes(found, width)
        times.append(time[part][kept])
        values.append(found[kept])
    return np.concatenate(times), np.concatenate(values)


def extremes(values: np.ndarray, width: int) -> np.ndarray:
    """The rows to keep of values (time, component): in each group of `width` rows the first, and the least and the
    largest of each component; and the last row of all.
    """
    count = len(values)
    groups = -(-count // width)
    padded = np.concatenate([values, np.repeat(values[-1:], groups * width - count, axis=0)])
    padded = padded.reshape(groups, width, -1)
    low = np.where(np.isnan(padded), np.inf, padded).argmin(axis=1)
    high = np.where(np.isnan(padded), -np.inf, padded).argmax(axis=1)
    first = np.arange(groups)[:, np.newaxis] * width
    kept = np.concatenate([first, first + low, first + high], axis=1).ravel()
    return np.unique(np.append(np.minimum(kept, count - 1), count - 1))


def _two_axes(values: np.ndarray) -> np.ndarray:
    return np.asarray(values, dtype=np.float64).reshape(len(values), -1)
