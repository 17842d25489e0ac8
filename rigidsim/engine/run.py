"""A block of worlds on its way: steps, slices, samples."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np

from rigidsim.engine import layout
from rigidsim.engine.model import Model, Samples, make_samples, make_scratch
from rigidsim.engine.stepper import advance, observe_at

SLICE_SECONDS = 0.1  # between two looks at the clock, the signals and the state
GROWTH = 4.0  # of a slice, at most, from one to the next
NO_SAMPLES = layout.NEVER


class BlockRun:
    """Constants and state of one block, and the number of steps done. Nothing in it depends on how steps are
    grouped.
    """

    def __init__(self, method: tuple, model: Model, state: np.ndarray, n_lane: int, with_terms: bool = False):
        self.method, self.model, self.state = method, model, state.copy()
        self.n = 0
        self._with_terms = with_terms
        self._lanes = (0,) * n_lane
        self._scratch = make_scratch(model, self._lanes)
        self._none = self.room(1)  # where samples that nobody wants would go

    @property
    def time(self) -> float:
        """Time reached, s."""
        return self.n * self.model.step

    def room(self, n_sample: int) -> Samples:
        """Space for samples of this block."""
        return make_samples(self.model, n_sample, self._with_terms, self._lanes)

    def prepare(self) -> None:
        """Compile, or read from the cache, all that a run will call."""
        self.advance(0, 1, self._none, 0)
        self.observed()

    def advance(self, n: int, stride: int = NO_SAMPLES, samples: Samples | None = None, first: int = 0) -> None:
        """Take n steps; sample number k = step / stride goes to row k - first of `samples`."""
        done = 0 if stride == NO_SAMPLES else -(-self.n // stride) - first
        rest = Samples(*(array[done:] for array in samples or self._none))
        # The kernel samples before a step whose number is a multiple of the stride; step 0 is one of any stride.
        advance(self.method, self.n, self.n + n, stride, self.model, self.state, self._scratch, rest, self._lanes)
        self.n += n

    def slices(self, n_end: int, stride: int, samples: Samples | None, first: int) -> Iterator[int]:
        """Step up to n_end in slices of about SLICE_SECONDS, giving the length of each as it is done."""
        length = 1
        while self.n < n_end:
            n = min(length, n_end - self.n)
            begin = time.perf_counter()
            self.advance(n, stride, samples, first)
            spent = max(time.perf_counter() - begin, 1e-9)
            yield n
            length = max(1, int(n * min(GROWTH, SLICE_SECONDS / spent)))

    def observed(self) -> Samples:
        """One sample of the present state."""
        one = self.room(1)
        observe_at(self.n, self.model, self.state, self._scratch, one, 0, self._lanes)
        return one
