"""Samples collected until they fill a row of chunks."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np


class Staging:
    """Collects samples, arrays by name, until there are `rows` of them. As many at once are passed on uncopied."""

    def __init__(self, rows: int):
        self._rows, self._arrays, self.count = rows, {}, 0

    @property
    def missing(self) -> int:
        """Number of samples that are missing."""
        return self._rows - self.count

    @property
    def present(self) -> Mapping[str, np.ndarray]:
        """What was collected up to now; not a copy."""
        return {name: array[: self.count] for name, array in self._arrays.items()}

    def add(self, arrays: Mapping[str, np.ndarray]) -> Mapping[str, np.ndarray] | None:
        """Add samples, at most those that are missing; all that were collected, once none is missing."""
        count = len(next(iter(arrays.values())))
        if count == self._rows:
            return arrays
        if not self._arrays:
            self._arrays = {name: np.empty((self._rows, *a.shape[1:]), a.dtype) for name, a in arrays.items()}
        for name, array in arrays.items():
            self._arrays[name][self.count : self.count + count] = array
        self.count += count
        return self.take() if self.count == self._rows else None

    def take(self) -> Mapping[str, np.ndarray]:
        """What was collected; the next samples begin anew."""
        found = self.present
        self._arrays, self.count = {}, 0
        return found
