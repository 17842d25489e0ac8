"""Some samples of an array of a trajectory, which are read when they are needed."""

from __future__ import annotations

from functools import cached_property

import numpy as np


class KeptRows:
    """Some rows of an array, read on first access."""

    def __init__(self, array: np.ndarray, samples: slice | np.ndarray):
        self._array, self._samples = array, samples

    @cached_property
    def _rows(self) -> np.ndarray:
        return np.asarray(self._array[self._samples])

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of these rows."""
        return self._rows.shape

    def __getitem__(self, key) -> np.ndarray:
        return self._rows[key]

    def __array__(self, dtype=None, copy=None) -> np.ndarray:
        return np.asarray(self._rows, dtype=dtype)


class RowsOnDemand:
    """Some rows of an array, of which one column is read at a time."""

    def __init__(self, array: np.ndarray, samples: slice):
        self._array, self._samples = array, samples
        self.shape = (len(range(*samples.indices(array.shape[0]))), *array.shape[1:])

    def __getitem__(self, key) -> np.ndarray:
        if isinstance(key, tuple) and key[0] is ... and len(key) == len(self.shape):
            return self._array[(self._samples, *key[1:])]
        return np.asarray(self._array[self._samples])[key]

    def __array__(self, dtype=None, copy=None) -> np.ndarray:
        return np.asarray(self._array[self._samples], dtype=dtype)
