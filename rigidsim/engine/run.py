"""The run of a block of worlds: steps, slices, samples, reparentings, and the event buffer."""

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
from rigidsim.engine.events import EventBuffer, begin_instant, complete_instant, make_buffer, record_event
from rigidsim.engine.impulses import pass_jumps
from rigidsim.engine.lanes import block_of, one_lane
from rigidsim.engine.model import Samples, make_samples, make_scratch
from rigidsim.engine.stepper import advance, observe_at
from rigidsim.physics.summation import compensated_sum

SLICE_SECONDS = 0.1  # between two checks of signals and state
GROWTH = 4.0  # largest ratio of the lengths of two consecutive slices
NO_SAMPLES = layout.NEVER


class RecordedEvents(NamedTuple):
    """The events since the buffer was last emptied, and the worlds before and after them; without a reparenting these
    are the same.
    """

    events: EventBuffer  # overwritten by later events
    before: list[World]
    after: list[World]


ReadEvents = Callable[[RecordedEvents, int], Iterable]
"""The events of the world of one lane, in the form in which a run collects them."""


def no_events(_recorded: RecordedEvents, _lane: int) -> tuple:
    """No events are collected."""
    return ()


class BlockRun:
    """Constants, state and progress of one block. Nothing in it depends on how steps are grouped into calls.

    Time is (n + done) h; `done` is the part of a step that precedes the edge at which a kernel stopped, else 0.
    """

    def __init__(
        self,
        worlds: Sequence[World],
        n_lane: int,
        with_terms: bool = False,
        callbacks: Mapping[str, Callback] | None = None,
        read_events: ReadEvents = no_events,
    ):
        self.events: list[list] = [[] for _ in worlds]  # the result of `read_events`, for each world
        self.worlds = [*worlds, *[worlds[-1]] * (n_lane - len(worlds))]  # spare lanes repeat the last one
        self.method, self.schedule = worlds[0].blueprint.method, worlds[0].blueprint.schedule
        self.n, self.done, self.era = 0, 0.0, 0
        self.isolated_until = math.inf if worlds[0].isolated else -math.inf  # s; until then momenta are conserved
        self._read_events = read_events
        self._begun = False
        self._with_terms = with_terms
        self._lanes = (0,) * n_lane
        self._callbacks = callbacks or {}
        self._advance, self._observe = self._kernels()
        self._buffer: EventBuffer | None = None  # for a run without events
        self._enter()
        self._none = self.room(1)  # in place of samples, where none are taken

    @property
    def time(self) -> float:
        """Time reached, s."""
        return (self.n + self.done) * self.model.step

    @property
    def fault(self) -> np.ndarray:
        """(expression, FAULT_ROWS * lanes) the first non-finite value of each expression, and its time."""
        return self._scratch.fault

    def room(self, n_sample: int) -> Samples:
        """Arrays for samples of this block."""
        return make_samples(self.model, n_sample, self._with_terms, self._lanes)

    def place(self) -> tuple:
        """Progress and state of the run, for `go_back`."""
        n_events = [len(events) for events in self.events]
        arrays = self.model, self.state.copy(), self._scratch, self._buffer
        return self.n, self.done, self.era, self.worlds, *arrays, n_events

    def go_back(self, place: tuple) -> None:
        """Restore progress and state saved by `place`, to take the steps from there again."""
        self.n, self.done, self.era, self.worlds, self.model, state, self._scratch, self._buffer, n_events = place
        self.state = state.copy()
        for events, count in zip(self.events, n_events, strict=True):
            del events[count:]
        if self.isolated_until > self.time:
            self.isolated_until = math.inf
        self._scratch.fault[:] = 0.0
        self._forget()

    def prepare(self) -> None:
        """Compile, or read from the cache, all kernels of a run; apply the events at t = 0."""
        with watch_compilation():  # one announcement for all kernels
            self._begin()
            self._go(self.n)
            self.observed()

    def advance(self, n: int, stride: int = NO_SAMPLES, samples: Samples | None = None, first: int = 0) -> None:
        """Take n steps; sample k = step / stride is row k - first of `samples`."""
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
        """Step up to n_end in slices of about SLICE_SECONDS; yields the length of each after it is done."""
        length = 1
        while self.n < n_end:
            n = min(length, n_end - self.n)
            begin = time.perf_counter()
            self.advance(n, stride, samples, first)
            spent = max(time.perf_counter() - begin, 1e-9)
            yield n
            length = max(1, int(n * min(GROWTH, SLICE_SECONDS / spent)))

    def observed(self, with_terms: bool | None = None) -> Samples:
        """One sample of the present state; with terms as requested, by default as in the run."""
        self._begin()
        one = make_samples(self.model, 1, self._with_terms if with_terms is None else with_terms, self._lanes)
        self._observe(self.n, self.done, self.era, *self._arrays(), one, 0, self._lanes)
        return one

    def _kernels(self) -> tuple:
        """The compiled kernels; with callbacks, the same functions as Python code."""
        kernels = (advance, observe_at)
        if not self._callbacks:
            return kernels
        return tuple(np.errstate(all="ignore")(getattr(k, "py_func", k)) for k in kernels)

    def _enter(self) -> None:
        """Make the arrays of the present worlds."""
        self.model, self.state = block_of(self.worlds)
        if self._callbacks:
            world = self.worlds[0]
            self.model = with_callbacks(self.model, calls_of(self._callbacks, world.paths, self.model))
        scratch = make_scratch(self.model, self._lanes)
        if self.schedule.reparentings or self.model.edge_kind.any() or self.model.due[-1]:
            self._buffer = make_buffer(self.model, self._lanes, self._buffer and self._buffer.pair)
        # Recorded failures of expressions are kept when the tree changes.
        self._scratch = scratch._replace(fault=self._scratch.fault) if self._begun else scratch

    def _arrays(self) -> tuple:
        return self.model, self.state, self._scratch

    def _begin(self) -> None:
        """Apply the events at t = 0, once; an interruption undoes all of them."""
        if self._begun:
            return
        start, self._begun = self.place(), True
        try:
            self._change_trees()
            self._go(self.n, True)
        except BaseException:
            self.go_back(start)
            self._begun = False
            raise

    def _go(
        self,
        n_end: int,
        arrives: bool = False,
        stride: int = NO_SAMPLES,
        samples: Samples | None = None,
        first: int = 0,
    ) -> None:
        """Call the kernel once and read the events that it recorded; for `arrives` see `advance` of the stepper."""
        self.n, self.done, self.era = self._advance(
            self.method, self.n, self.done, self.era, arrives, n_end, stride, *self._arrays(),
            samples or self._none, first, self._buffer, self._lanes,
        )  # fmt: skip
        self._collect_events(self.worlds)

    def _collect_events(self, before: list[World]) -> None:
        """Collect the events in the buffer, and empty it."""
        if self._buffer is not None and self._buffer.filled[0]:
            recorded = RecordedEvents(self._buffer, before, self.worlds)
            for lane, events in enumerate(self.events):
                events.extend(self._read_events(recorded, lane))
            self._forget()

    def _forget(self) -> None:
        if self._buffer is not None:
            self._buffer.filled[:] = 0

    def _at_stop(self) -> bool:
        """Whether the kernel stopped at an edge whose events are still to be applied."""
        era, model = self.era, self.model
        return era < len(model.edge_step) and (model.edge_step[era], model.edge_fraction[era]) == (self.n, self.done)

    def _change_trees(self) -> None:
        """Apply the reparentings that are due as the present era begins, in order."""
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
        # The change of energy is counted as work; the ledger has the sum over bodies, so any row will do.
        carrier = carrier_row(self.worlds[0], event.body)
        if carrier >= 0:
            self._book(carrier, energy_of(after, n) - energy_of(before, n))
            self._recorded(1)
        complete_instant(self.time, instant, self.model, self._buffer, self._lanes)
        self._collect_events(worlds)

    @np.errstate(all="ignore")
    def _pass_jumps(self, event: ScheduledReparenting, jumps: Sequence[Mapping[int, Jump]]) -> int:
        """Pass the jumps of nodes, given for each lane, to their descendants. The work columns are restored, because
        `_reparent` counts the whole change of energy. Returns the number of the instant.
        """
        buffer, model, n = self._buffer, self.model, len(self._lanes)
        instant, carrier = begin_instant(buffer), model.node[event.body, layout.NODE_CARRIER]
        receiver = event.body if carrier == layout.NO_ROW else model.moved_node[carrier]
        record_event(instant, layout.CAUSE_REPARENTING, event.number, receiver, buffer)
        for lane, given in enumerate(jumps):
            for node, jump in given.items():
                buffer.source[node + 1] = node + 1
                layout.store3(buffer.jump[node + 1], layout.Y_V, lane, n, jump.dv)
                layout.store3(buffer.jump[node + 1], layout.Y_OMEGA, lane, n, jump.domega)
        self._recorded(1)  # places all frames
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
        """A sample before (row 0) or after (row 1) a reparenting. Its energies are those of the loads of the era that
        ends: the energy of loads that begin or end at this instant is exchanged later, on the new tree.
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
