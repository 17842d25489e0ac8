"""Random numbers of sensors: a function of the seed, the stream and the number of the sample, and of nothing else.

So they do not depend on lanes, threads, slices, and on where a run was resumed. Philox (Salmon et al., SC 2011) gives
the bits of each counter; NumPy computes it, and the formulas of `physics.noise` make them normal deviates.
"""

from __future__ import annotations

import numpy as np

from rigidsim.physics.noise import normal_pair

AHEAD = 64
"""Samples of which the numbers are made at once; it changes no number."""
PER_COUNTER = 4


class Stream:
    """Two normal deviates for each component of each sample, in each lane."""

    def __init__(self, number: int, width: int):
        self._number, self._width = number, width
        self._parts, self._seeds, self._made = np.empty(0), np.empty(0), np.empty(0)

    def at(self, samples: np.ndarray, seeds: np.ndarray) -> np.ndarray:
        """(2, width, lane) those of the sample with this number, in each lane."""
        parts, rows = np.divmod(samples, AHEAD)
        if len(self._parts) != len(parts):
            self._parts, self._seeds = np.full(len(parts), -1), np.full(len(parts), -1.0)
            self._made = np.empty((len(parts), AHEAD, 2, self._width))
        changed = np.flatnonzero((parts != self._parts) | (seeds != self._seeds))
        if len(changed):
            pairs = zip(seeds[changed].tolist(), parts[changed].tolist(), strict=True)
            self._made[changed] = self._normal(np.stack([self._bits(int(seed), part) for seed, part in pairs]))
            self._parts[changed], self._seeds[changed] = parts[changed], seeds[changed]
        return np.moveaxis(self._made[np.arange(len(rows)), rows], 0, -1)

    def _bits(self, seed: int, part: int) -> np.ndarray:
        """(sample, 2 width) the bits of some samples from one seed."""
        counters = -(-2 * self._width // PER_COUNTER)
        key = np.array([seed, self._number], np.uint64)
        bits = np.random.Philox(key=key, counter=[part * AHEAD * counters, 0, 0, 0])
        return bits.random_raw(AHEAD * counters * PER_COUNTER).reshape(AHEAD, -1)[:, : 2 * self._width]

    def _normal(self, raw: np.ndarray) -> np.ndarray:
        """(..., 2, width) the numbers that these bits are, (..., 2 width)."""
        whole = (raw >> np.uint64(11)).astype(np.float64)  # 53 bits
        first, second = whole[..., : self._width], whole[..., self._width :]
        return np.stack(normal_pair((first + 1.0) * 2.0**-53, second * 2.0**-53), axis=-2)
