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
from rigidsim.engine.assembly.reparent import Jump, carrier_row, reparented
from rigidsim.engine.assembly.schedule import ScheduledReparenting
from rigidsim.engine.callbacks import Callback, calls_of, with_callbacks
from rigidsim.engine.events import EventBuffer, begin_instant, make_buffer, note_event, tell_instant
from rigidsim.engine.impulses import pass_jumps
from rigidsim.engine.lanes import block_of, one_lane
from rigidsim.engine.model import Samples, make_samples, make_scratch
from rigidsim.engine.stepper import advance, observe_at
from rigidsim.physics.summation import compensated_sum

SLICE_SECONDS = 0.1  # between two looks at the clock, the signals and the state
GROWTH = 4.0  # of a slice, at most, from one to the next
NO_SAMPLES = layout.NEVER


class Happened(NamedTuple):
    """What was recorded since the last time, and the worlds: before and after a reparenting, else as they are."""

    events: EventBuffer  # overwritten by what happens next
    before: list[World]
    after: list[World]


Tell = Callable[[Happened, int], Iterable]
"""What is to be remembered of it, for the world of one lane."""


def nothing(_happened: Happened, _lane: int) -> tuple:
    """Remembered."""
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
        self._advance, self._observe = self._kernels()
        self._buffer: EventBuffer | None = None  # while nothing ever happens
        self._enter()
        self._none = self.room(1)  # where samples that nobody wants would go

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
        arrays = self.model, self.state.copy(), self._scratch, self._buffer
        return self.n, self.done, self.era, self.worlds, *arrays, told

    def go_back(self, place: tuple) -> None:
        """Return to an earlier place, to take the steps from there again."""
        self.n, self.done, self.era, self.worlds, self.model, state, self._scratch, self._buffer, told = place
        self.state = state.copy()
        for events, count in zip(self.events, told, strict=True):
            del events[count:]
        if self.isolated_until > self.time:
            self.isolated_until = math.inf
        self._scratch.fault[:] = 0.0
        self._forget()

    def prepare(self) -> None:
        """Compile, or read from the cache, all that a run will call; what happens at t = 0 is done."""
        with watch_compilation():  # one wait, told once
            self._begin()
            self._go(self.n)
            self.observed()

    def advance(self, n: int, stride: int = NO_SAMPLES, samples: Samples | None = None, first: int = 0) -> None:
        """Take n steps; sample number k = step / stride goes to row k - first of `samples`."""
        self._begin()
        n_end = self.n + n
        if stride == NO_SAMPLES:
            first = 0
        self._go(n_end, False, stride, samples, first)
        while self._at_stop():
            self.era += 1
            self._change_trees()
            self._go(n_end, True, stride, samples, first)

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
        kernels = (advance, observe_at)
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
        if self.schedule.reparentings or self.model.edge_kind.any() or self.model.due[-1]:
            self._buffer = make_buffer(self.model, self._lanes, self._buffer and self._buffer.pair)
        # What expressions have failed so far outlives a change of the tree.
        self._scratch = scratch._replace(fault=self._scratch.fault) if self._begun else scratch

    def _arrays(self) -> tuple:
        return self.model, self.state, self._scratch

    def _begin(self) -> None:
        if not self._begun:
            self._begun = True
            self._change_trees()
            self._go(self.n, True)

    def _go(
        self,
        n_end: int,
        arrives: bool = False,
        stride: int = NO_SAMPLES,
        samples: Samples | None = None,
        first: int = 0,
    ) -> None:
        """As far as the kernel goes, and what it recorded; it `arrives` where what begins with the era is not done."""
        self.n, self.done, self.era = self._advance(
            self.method, self.n, self.done, self.era, arrives, n_end, stride, *self._arrays(),
            samples or self._none, first, self._buffer, self._lanes,
        )  # fmt: skip
        self._hand_over(self.worlds)

    def _hand_over(self, before: list[World]) -> None:
        """Empty the buffer, for whoever remembers events."""
        if self._buffer is not None and self._buffer.filled[0]:
            happened = Happened(self._buffer, before, self.worlds)
            for lane, events in enumerate(self.events):
                events.extend(self._tell(happened, lane))
            self._forget()

    def _forget(self) -> None:
        if self._buffer is not None:
            self._buffer.filled[:] = 0

    def _at_stop(self) -> bool:
        """Whether the kernel stopped before what happens where it is."""
        era, model = self.era, self.model
        return era < len(model.edge_step) and (model.edge_step[era], model.edge_fraction[era]) == (self.n, self.done)

    def _change_trees(self) -> None:
        """The reparentings that are due as the present era begins, one after the other."""
        for event in self.schedule.reparentings_of(self.era):
            self._reparent(event)
        if not self.worlds[0].isolated:
            self.isolated_until = min(self.isolated_until, self.time)

    def _reparent(self, event: ScheduledReparenting) -> None:
        """Change the tree of every world, with a sample before and after."""
        worlds, before, n = self.worlds, self._recorded(0), len(self._lanes)
        samples = [one_lane(before, lane, n) for lane in range(n)]
        made = [
            reparented(world, event, np.ascontiguousarray(self.state[:, lane::n]), sample.local[0], sample.world[0])
            for lane, (world, sample) in enumerate(zip(worlds, samples, strict=True))
        ]
        self.worlds = [world for world, _ in made]
        self._enter()
        instant = self._pass_jumps(event, [jumps for _, jumps in made])
        after = self._recorded(1)
        # Energy that is lost or won is work; the ledger has the sum, whoever's row it is in.
        carrier = carrier_row(self.worlds[0], event.body)
        if carrier >= 0:
            self._book(carrier, energy_of(after, n) - energy_of(before, n))
            self._recorded(1)
        tell_instant(self.time, instant, self.model, self._buffer, self._lanes)
        self._hand_over(worlds)

    @np.errstate(all="ignore")
    def _pass_jumps(self, event: ScheduledReparenting, jumps: Sequence[Mapping[int, Jump]]) -> int:
        """The jumps that nodes are given in each lane go outwards; what that does to energies is booked with all else.
        Returns the number of the instant.
        """
        buffer, model, n = self._buffer, self.model, len(self._lanes)
        instant, carrier = begin_instant(buffer), model.node[event.body, layout.NODE_CARRIER]
        receiver = event.body if carrier == layout.NOBODY else model.moved_node[carrier]
        note_event(instant, layout.CAUSE_REPARENTING, event.number, receiver, buffer)
        for lane, given in enumerate(jumps):
            for node, jump in given.items():
                buffer.source[node + 1] = node + 1
                layout.store3(buffer.jump[node + 1], layout.Y_V, lane, n, jump.dv)
                layout.store3(buffer.jump[node + 1], layout.Y_OMEGA, lane, n, jump.domega)
        self._recorded(1)  # all frames are placed now
        work = [self.state[:, c * n : (c + 1) * n].copy() for c in (layout.S_WORK, layout.S_WORK_LOW)]
        pass_jumps(model.every, instant, *self._arrays(), buffer, self._lanes)
        for c, kept in zip((layout.S_WORK, layout.S_WORK_LOW), work, strict=True):
            self.state[:, c * n : (c + 1) * n] = kept
        return instant

    def _book(self, row: int, energy: np.ndarray) -> None:
        """Count energy (lane) as work done on a free body."""
        state, n = self.state[row], len(self._lanes)
        work, low = (slice(c * n, (c + 1) * n) for c in (layout.S_WORK, layout.S_WORK_LOW))
        state[work], state[low] = compensated_sum(state[work], state[low], energy)

    def _recorded(self, row: int) -> Samples:
        """A sample beside a reparenting. Its energies are those by the loads of the era that ends: what begins or ends
        at this instant is exchanged once, on the new tree.
        """
        self._observe(self.n, self.done, self.era, *self._arrays(), self._buffer.pair, row, self._lanes)
        if self.era > 0:
            ending = make_samples(self.model, 1, False, self._lanes)
            self._observe(self.n, self.done, self.era - 1, *self._arrays(), ending, 0, self._lanes)
            self._buffer.pair.ledger[row] = ending.ledger[0]
        return Samples(*(array[row : row + 1] for array in self._buffer.pair))


def energy_of(sample: Samples, n_lane: int) -> np.ndarray:
    """(lane) kinetic and potential energy of one sample, J."""
    first, last = layout.E_KINETIC * n_lane, layout.E_POTENTIAL * n_lane
    return sample.ledger[0, first : first + n_lane] + sample.ledger[0, last : last + n_lane]
