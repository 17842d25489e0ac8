"""Samples of distributions: Sobol's sequence, Latin hypercubes, random numbers, and the design for Sobol's indices.

A sample of d numbers is made in the unit cube and mapped by the inverse distribution function of each number. scipy is
imported when the first values are asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

import numpy as np

from rigidsim.errors import UsageError
from rigidsim.scene.values.samples import Distribution, Sample
from rigidsim.simulation.batch import free_memory
from rigidsim.sweeps.axes import AxisValues
from rigidsim.sweeps.layouts import MOST_AT_ONCE, Plan

SMALLEST, LARGEST = 2.0**-54, 1.0 - 2.0**-53
"""Levels are kept between these: at 0 and 1 a normal distribution is infinite."""
BITS = 32
"""Of a coordinate of Sobol's sequence. scipy can skip points only if there are no more."""
HYPERCUBE_BYTES = 30
"""What scipy takes for each coordinate of a Latin hypercube."""
MOST_DIMENSIONS = 21201
"""Of scipy's table for Sobol's sequence."""

FROZEN: dict[str, Callable[..., Any]] = {
    "uniform": lambda stats, low, high: stats.uniform(low, high - low),
    "loguniform": lambda stats, low, high: stats.loguniform(low, high),
    "normal": lambda stats, mean, deviation: stats.norm(mean, deviation),
    "truncated_normal": lambda stats, mean, deviation, low, high: stats.truncnorm(
        (low - mean) / deviation, (high - mean) / deviation, mean, deviation
    ),
    "lognormal": lambda stats, median, sigma: stats.lognorm(sigma, scale=median),
    "triangular": lambda stats, low, mode, high: stats.triang((mode - low) / (high - low), low, high - low),
    "exponential": lambda stats, mean: stats.expon(scale=mean),
    "weibull": lambda stats, shape, scale: stats.weibull_min(shape, scale=scale),
    "beta": lambda stats, a, b, low, high: stats.beta(a, b, low, high - low),
}
"""The distributions of scipy.stats by our names, from our arguments."""


def quantiles(distribution: Distribution, levels: np.ndarray) -> np.ndarray:
    """The values below which the distribution has these fractions, in its unit."""
    from scipy import stats

    return FROZEN[distribution.family](stats, *distribution.arguments).ppf(np.clip(levels, SMALLEST, LARGEST))


class Sampled(Plan):
    """A sample of independent numbers. One of `saltelli:N` of d numbers has N (d + 2) runs: the N rows of a matrix A,
    those of B, and for each number in turn those of A with the column of this number from B. This is the order of the
    arguments f_A, f_B and f_AB of `scipy.stats.sobol_indices`: results reshaped to (d + 2, N) are f_A, f_B, *f_AB.
    """

    def __init__(self, sample: Sample, over: Mapping[str, Distribution], seed: int):
        """Raises UsageError for a sample that the method cannot make."""
        self.sample, self._method, self._count, self._over = str(sample), sample.method, sample.count, over
        self._dimensions = len(over) * (2 if self._method == "saltelli" else 1)
        if self._method == "lhs":
            self._require_room()
        if self._method in ("sobol", "saltelli"):
            if self._dimensions > MOST_DIMENSIONS:
                message = f"points of {self._dimensions} dimensions, but there are at most {MOST_DIMENSIONS}"
                raise UsageError(f"{sample} needs {message}; random:{sample.count} has no limit")
            if sample.count > 2**BITS:
                raise UsageError(f"{sample} has more than the 2**{BITS} points of Sobol's sequence")
        units = {name: distribution.unit for name, distribution in over.items()}
        super().__init__(units, sample.count * (len(over) + 2 if self._method == "saltelli" else 1), seed)

    def _require_room(self) -> None:
        """Raise UsageError for a Latin hypercube that would fill the memory."""
        limit, need = f"of at most {MOST_AT_ONCE:,} points", HYPERCUBE_BYTES * self._count * self._dimensions
        if self._count <= MOST_AT_ONCE:
            if need <= (free := free_memory()):
                return
            limit = f"which needs {need / 1e9:.3g} GB of memory, {free / 1e9:.3g} GB are free"
        others = f"sobol:{self._count} and random:{self._count}"
        raise UsageError(f"{self.sample}: a Latin hypercube is made as a whole, {limit}; {others} have no such limit")

    @property
    def notes(self) -> tuple[str, ...]:
        """What is worth knowing of the number of points."""
        if self._method != "sobol" or not self.runs & (self.runs - 1):
            return ()
        near = " or ".join(f"sobol:{2**power}" for power in (self.runs.bit_length() - 1, self.runs.bit_length()))
        return (f"Sobol's sequence is balanced for powers of two only: {near} is better than {self.sample}",)

    def columns(self, begin: int, end: int) -> dict[str, AxisValues]:
        """The values of each name, in its unit."""
        cube = self._saltelli(begin, end) if self._method == "saltelli" else self._points(begin, end)
        return {
            name: quantiles(distribution, column)
            for (name, distribution), column in zip(self._over.items(), cube.T, strict=True)
        }

    @property
    def rule(self) -> dict[str, Any]:
        """The method and the distributions."""
        return {"sample": self.sample, "over": [[name, str(d)] for name, d in self._over.items()]}

    def describe(self) -> str:
        """The number of runs, and the distributions."""
        sizes = f"{self._count} x ({len(self._over)} + 2) = " if self._method == "saltelli" else ""
        each = ", ".join(f"{name} {distribution}" for name, distribution in self._over.items())
        return f"{sizes}{self.runs} run{'s' * (self.runs != 1)}, a {self._method} sample: {each}"

    def _saltelli(self, begin: int, end: int) -> np.ndarray:
        count, d = self._count, len(self._over)
        parts = []
        for block in range(begin // count, -(-end // count)):
            first, last = max(begin - block * count, 0), min(end - block * count, count)
            points = self._points(first, last)
            a, b = points[:, :d], points[:, d:]
            if block >= 2:
                a[:, block - 2] = b[:, block - 2]
            parts.append(b if block == 1 else a)
        return np.concatenate(parts) if parts else np.empty((0, d))

    def _points(self, begin: int, end: int) -> np.ndarray:
        """Points of the unit cube, (end - begin, dimensions)."""
        if self._method == "random":
            return self._random(begin, end)
        return self._hypercube[begin:end] if self._method == "lhs" else self._sobol(begin, end)

    def _random(self, begin: int, end: int) -> np.ndarray:
        # Raw bits of the generator: NumPy's conversion to floats may change from version to version.
        bits = np.random.PCG64(self.seed).advance(begin * self._dimensions)
        raw = bits.random_raw((end - begin) * self._dimensions)
        return ((raw >> np.uint64(11)) * 2.0**-53).reshape(-1, self._dimensions)

    def _sobol(self, begin: int, end: int) -> np.ndarray:
        from scipy.stats import qmc

        sequence = qmc.Sobol(self._dimensions, bits=BITS, rng=_generator(self.seed))
        if begin > 0:
            points = sequence.fast_forward(begin).random(end - begin)
        else:
            # A power of two, whatever is needed of it: scipy warns of others.
            points = sequence.random(2 ** (end - 1).bit_length() if end else 0)[:end]
        return points + 0.5**BITS / 2  # the middle of a cell, which is never 0 or 1

    @cached_property
    def _hypercube(self) -> np.ndarray:
        """All points at once: each is drawn with regard to the others."""
        from scipy.stats import qmc

        return qmc.LatinHypercube(self._dimensions, rng=_generator(self.seed)).random(self._count)


def _generator(seed: int) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(seed))
