"""A block of worlds on its way: steps, slices, samples, and what happens at edges."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from rigidsim._jit import watch_compilation
from rigidsim.engine import layout
from rigidsim.engine.assembly.blueprint import World
from rigidsim.engine.assembly.reparent import carrier_row, reparented
from rigidsim.engine.assembly.schedule import ScheduledReparenting
from rigidsim.engine.callbacks import Callback, calls_of, with_callbacks
from rigidsim.engine.impulses import cross_edge
from rigidsim.engine.lanes import block_of, one_lane
from rigidsim.engine.model import Samples, make_samples, make_scratch
from rigidsim.engine.stepper import advance, observe_at
from rigidsim.physics.summation import compensated_sum

SLICE_SECONDS = 0.1  # between two looks at the clock, the signals and the state
GROWTH = 4.0  # of a slice, at most, from one to the next
NO_SAMPLES = layout.NEVER


class Happened(NamedTuple):
    """An instant: a reparenting, or all impulses that are due; worlds and samples before and after."""

    era: int
    time: float
    event: ScheduledReparenting | None
    samples: Samples  # two rows; they are overwritten by what happens next
    before: list[World]
    after: list[World]


Tell = Callable[[Happened, int], Iterable]
"""What is to be remembered of an instant, for the world of one lane."""


def nothing(_happened: Happened, _lane: int) -> tuple:
    """Remembered of an instant."""
    return ()


class BlockRun:
    """Constants and state of one block, and how far it has got. Nothing in it depends on how steps are grouped.

    Time is (n + done) h, `done` being a part of a step only between a kernel and the edge it stopped at.
    """

    def __init__(
        self,
        worlds: Sequence[World],
        n_lane: int,
        with_terms: bool = False,
        callbacks: Mapping[str, Callback] | None = None,
        tell: Tell = nothing,
    ):
        self.events: list[list] = [[] for _ in worlds]  # what `tell` gave, for each world
        self.worlds = [*worlds, *[worlds[-1]] * (n_lane - len(worlds))]  # spare lanes repeat the last one
        self.method, self.schedule = worlds[0].blueprint.method, worlds[0].blueprint.schedule
        self.n, self.done, self.era = 0, 0.0, 0
        self.isolated_until = math.inf if worlds[0].isolated else -math.inf  # s, while momenta are conserved
        self._tell = tell
        self._begun = False
        self._with_terms = with_terms
        self._lanes = (0,) * n_lane
        self._callbacks = callbacks or {}
        self._advance, self._observe, self._cross_edge = self._kernels()
        self._enter()
        self._none = self.room(1)  # where samples that nobody wants would go
        self._pair = make_samples(self.model, 2, True, self._lanes)  # before and after what happens at an instant

    @property
    def time(self) -> float:
        """Time reached, s."""
        return (self.n + self.done) * self.model.step

    @property
    def fault(self) -> np.ndarray:
        """(expression, FAULT_ROWS * lanes): which of the expressions gave what is no number, and when."""
        return self._scratch.fault

    def room(self, n_sample: int) -> Samples:
        """Space for samples of this block."""
        return make_samples(self.model, n_sample, self._with_terms, self._lanes)

    def place(self) -> tuple:
        """Where the run is, for `go_back`."""
        told = [len(events) for events in self.events]
        return self.n, self.done, self.era, self.worlds, self.model, self.state.copy(), self._scratch, told

    def go_back(self, place: tuple) -> None:
        """Return to an earlier place, to take the steps from there again."""
        self.n, self.done, self.era, self.worlds, self.model, state, self._scratch, told = place
        self.state = state.copy()
        for events, count in zip(self.events, told, strict=True):
            del events[count:]
        if self.isolated_until > self.time:
            self.isolated_until = math.inf
        self._scratch.fault[:] = 0.0

    def prepare(self) -> None:
        """Compile, or read from the cache, all that a run will call; what happens at t = 0 is done."""
        with watch_compilation():  # one wait, told once
            self._begin()
            self._advance(*self._position(), self.n, NO_SAMPLES, *self._arrays(), self._none, 0, self._lanes)
            self.observed()
            if self.model.edge_stop.any():
                self._cross_edge(self.time, 0, *self._arrays(), self._pair, -1, self._lanes)  # of which nothing comes

    def advance(self, n: int, stride: int = NO_SAMPLES, samples: Samples | None = None, first: int = 0) -> None:
        """Take n steps; sample number k = step / stride goes to row k - first of `samples`."""
        self._begin()
        n_end = self.n + n
        if stride == NO_SAMPLES:
            first = 0
        while True:
            self.n, self.done, self.era = self._advance(
                *self._position(), n_end, stride, *self._arrays(), samples or self._none, first, self._lanes
            )
            if not self._at_stop():
                return
            self.era += 1
            self._cross()

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

    def observed(self, with_terms: bool | None = None) -> Samples:
        """One sample of the present state, with terms if those of the run have them, or as asked for."""
        self._begin()
        one = make_samples(self.model, 1, self._with_terms if with_terms is None else with_terms, self._lanes)
        self._observe(self.n, self.done, self.era, *self._arrays(), one, 0, self._lanes)
        return one

    def _kernels(self) -> tuple:
        """Compiled; or, for the sake of callbacks, the same text as Python runs it."""
        kernels = (advance, observe_at, cross_edge)
        if not self._callbacks:
            return kernels
        return tuple(np.errstate(all="ignore")(getattr(k, "py_func", k)) for k in kernels)

    def _enter(self) -> None:
        """The arrays of the worlds as they are now."""
        self.model, self.state = block_of(self.worlds)
        if self._callbacks:
            world = self.worlds[0]
            self.model = with_callbacks(self.model, calls_of(self._callbacks, world.paths, self.model))
        scratch = make_scratch(self.model, self._lanes)
        # What expressions have failed so far outlives a change of the tree.
        self._scratch = scratch._replace(fault=self._scratch.fault) if self._begun else scratch

    def _position(self) -> tuple:
        return self.method, self.n, self.done, self.era

    def _arrays(self) -> tuple:
        return self.model, self.state, self._scratch

    def _begin(self) -> None:
        if not self._begun:
            self._begun = True
            self._cross()

    def _at_stop(self) -> bool:
        """Whether the kernel stopped because something happens where it is."""
        era, model = self.era, self.model
        here = era < len(model.edge_step) and (model.edge_step[era], model.edge_fraction[era]) == (self.n, self.done)
        return bool(here and model.edge_stop[era])

    def _cross(self) -> None:
        """What happens as the present era begins: reparentings first, then what the kernel does."""
        for event in self.schedule.reparentings_of(self.era):
            before = self.worlds
            self._reparent(event)
            self._note(event, before)
        if not self.worlds[0].isolated:
            self.isolated_until = min(self.isolated_until, self.time)
        struck = bool((self.model.impulses.who[:, layout.LAW_BEGIN] == self.era).any())
        if self.era > 0 or struck:
            row = 0 if struck else -1
            self._cross_edge(self.time, self.era, *self._arrays(), self._pair, row, self._lanes)
        if struck:
            self._note(None, self.worlds)

    def _note(self, event: ScheduledReparenting | None, before: list[World]) -> None:
        happened = Happened(self.era, self.time, event, self._pair, before, self.worlds)
        for lane, events in enumerate(self.events):
            events.extend(self._tell(happened, lane))

    def _reparent(self, event: ScheduledReparenting) -> None:
        """Change the tree of every world, with a sample before and after."""
        before, n = self._recorded(0), len(self._lanes)
        samples = [one_lane(before, lane, n) for lane in range(n)]
        self.worlds = [
            reparented(world, event, np.ascontiguousarray(self.state[:, lane::n]), sample.local[0], sample.world[0])
            for lane, (world, sample) in enumerate(zip(self.worlds, samples, strict=True))
        ]
        self._enter()
        after = self._recorded(1)
        # Energy that is lost or won is work; the ledger has the sum, whoever's row it is in.
        carrier = carrier_row(self.worlds[0], event.body)
        if carrier >= 0:
            self._book(carrier, energy_of(after, n) - energy_of(before, n))
            self._recorded(1)

    def _book(self, row: int, energy: np.ndarray) -> None:
        """Count energy (lane) as work done on a free body."""
        state, n = self.state[row], len(self._lanes)
        work, low = (slice(c * n, (c + 1) * n) for c in (layout.S_WORK, layout.S_WORK_LOW))
        state[work], state[low] = compensated_sum(state[work], state[low], energy)

    def _recorded(self, row: int) -> Samples:
        """A sample beside a reparenting. Its energies are those by the loads of the era that ends: what begins or ends
        at this instant is exchanged once, on the new tree.
        """
        self._observe(self.n, self.done, self.era, *self._arrays(), self._pair, row, self._lanes)
        if self.era > 0:
            ending = make_samples(self.model, 1, False, self._lanes)
            self._observe(self.n, self.done, self.era - 1, *self._arrays(), ending, 0, self._lanes)
            self._pair.ledger[row] = ending.ledger[0]
        return Samples(*(array[row : row + 1] for array in self._pair))


def energy_of(sample: Samples, n_lane: int) -> np.ndarray:
    """(lane) kinetic and potential energy of one sample, J."""
    first, last = layout.E_KINETIC * n_lane, layout.E_POTENTIAL * n_lane
    return sample.ledger[0, first : first + n_lane] + sample.ledger[0, last : last + n_lane]
