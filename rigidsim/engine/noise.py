"""Random numbers of sensors: a function of the seed, the stream and the number of the sample, and of nothing else.

So they do not depend on lanes, threads, slices, and on where a run was resumed. Philox (Salmon et al., SC 2011) gives
the bits of each counter; NumPy computes it, and the formulas of `physics.noise` make them normal deviates.
"""

from __future__ import annotations

import numpy as np

from rigidsim.physics.noise import normal_pair

AHEAD = 256
"""Samples of which the numbers are made at once."""
PER_COUNTER = 4


class Stream:
    """Two normal deviates for each component of each sample, in each lane."""

    def __init__(self, number: int, width: int):
        self._number, self._width = number, width
        self._part, self._seeds, self._made = -1, b"", np.empty(0)

    def at(self, sample: int, seeds: np.ndarray) -> np.ndarray:
        """(2, width, lane) those of a sample."""
        part, row = divmod(sample, AHEAD)
        if part != self._part or seeds.tobytes() != self._seeds:
            self._part, self._seeds = part, seeds.tobytes()
            self._made = np.stack([self._normal(int(seed), part) for seed in seeds], axis=-1)
        return self._made[row]

    def _normal(self, seed: int, part: int) -> np.ndarray:
        """(sample, 2, width) the numbers of some samples from one seed."""
        counters = -(-2 * self._width // PER_COUNTER)
        key = np.array([seed, self._number], np.uint64)
        bits = np.random.Philox(key=key, counter=[part * AHEAD * counters, 0, 0, 0])
        raw = bits.random_raw(AHEAD * counters * PER_COUNTER).reshape(AHEAD, -1)[:, : 2 * self._width]
        whole = (raw >> np.uint64(11)).astype(np.float64)  # 53 bits
        first, second = whole[:, : self._width], whole[:, self._width :]
        return np.stack(normal_pair((first + 1.0) * 2.0**-53, second * 2.0**-53), axis=1)
