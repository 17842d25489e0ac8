"""The run of a block of worlds: steps, slices, samples, reparentings, and the event buffer."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import cycle
from typing import Any

import numpy as np

from rigidsim.containers.optional import not_none
from rigidsim.engine.assembly.blueprint import SensingTables, TriggerRecord, World
from rigidsim.engine.assembly.constants import model_of
from rigidsim.engine.assembly.lanes import block_of, one_lane, overwrite, structure_of
from rigidsim.engine.assembly.reparent import (
    MotionSnapshot,
    Reparented,
    changed_tree,
    forget_signs,
    impulses_of,
    moved_base_row,
    reparented,
)
from rigidsim.engine.contact.run import ContactRecord, ContactRun
from rigidsim.engine.events.buffer import (
    EventBuffer,
    RecordedEvents,
    complete_instant,
    make_buffer,
    note_alone,
    record_reached_bodies,
    recorded,
)
from rigidsim.engine.events.reparenting import (
    begin_reparenting,
    book,
    close_after,
    energy_of,
    pass_impulses,
    pass_jumps,
)
from rigidsim.engine.events.triggering import Triggers
from rigidsim.engine.integrators import trials_of
from rigidsim.engine.loads.callbacks import Callback, calls_of, with_callbacks
from rigidsim.engine.model import layout
from rigidsim.engine.model.arrays import (
    Model,
    MotionSamples,
    Program,
    Samples,
    Scratch,
    WorldBlock,
    copied,
    followed,
    make_samples,
    make_scratch,
    set_constants,
    switches,
)
from rigidsim.engine.model.programs import is_steered, put_held
from rigidsim.engine.sensing.sensors import Sensing, programs_held
from rigidsim.engine.time.metering import Metering
from rigidsim.engine.time.specialised import Specialised
from rigidsim.engine.time.stepper import NOW, advance
from rigidsim.jit.kernels import Kernel, Made, foresee, is_interpreted, watch_compilation
from rigidsim.jit.rows import with_rows
from rigidsim.tree.history import TreeChange

SLICE_SECONDS = 0.1  # between two checks of signals and state
GROWTH = 4.0  # largest ratio of the lengths of two consecutive slices
NO_SAMPLES = layout.NEVER
N_MOMENT = 1 + 2 * len(MotionSamples._fields)
Moment = list[np.ndarray]
"""A state, and the motion of all nodes relative to their parents and in the world, one sample of each."""
LEAST_TIMED = 0.01  # s of stepping, to know how fast it is
LEAST_SECONDS = 1e-9  # of a step for each number of the state, in general code; rkmk4 takes 4e-9 to 2e-8, euler 1e-9


class BlockRun:
    """Constants, state and progress of one block. Nothing in it depends on how steps are grouped into calls.

    Time is (n + done) h; `done` is the part of a step that precedes the edge at which a kernel stopped, else 0.
    """

    model: Model
    state: np.ndarray
    _scratch: Scratch

    def __init__(
        self,
        worlds: Sequence[World],
        n_lane: int,
        with_terms: bool = False,
        callbacks: Mapping[str, Callback] | None = None,
        keeps_events: bool = False,
        contacts: ContactRun | None = None,
    ):
        self.events: list[RecordedEvents] = []  # with `keeps_events`, those up to now
        self._reparented: list[Moment] = []  # what each reparenting up to now was computed from
        self.worlds = [*worlds, *[worlds[-1]] * (n_lane - len(worlds))]  # spare lanes repeat the last one
        self.method, self.schedule = worlds[0].blueprint.method, worlds[0].blueprint.schedule
        self.changes: list[TreeChange] = []  # of the trees up to now
        self.misfits: list[str] = []  # why bodies could not hang on the joints that they were given
        self.n, self.done, self.phase = 0, 0.0, 0
        self.contacts = contacts or ContactRun()
        self._keeps_events = keeps_events
        self._begun, self._is_prepared = False, False
        self._rooms: list[Samples] = []  # of `rooms`
        self._with_terms = with_terms
        self._lanes = (0,) * n_lane
        self._callbacks = callbacks or {}
        self._advance, self._look = self._caller(advance), self._caller(advance)  # each remembers its arrays
        self._buffer: EventBuffer | None = None  # for a run without events
        self._metering = Metering(self._lanes, self._caller)
        triggers = worlds[0].blueprint.triggers
        self.triggers = self._made_triggers(triggers.records) if triggers else None
        sensing = worlds[0].blueprint.sensing
        self.sensing = self._made_sensing(sensing, float(worlds[0].model.step), keeps_events) if sensing else None
        self.specialised = Specialised(self._hindrance(worlds[0]))
        self._enter()
        self.isolated_until = math.inf if self._is_isolated else -math.inf  # s; until then momenta are conserved
        self._one = self.room(1)  # in place of samples where none are taken, and for `present`
        self._slice = 1  # steps of the next slice
        self.ahead = 0  # steps of the blocks of this structure that will follow
        # Steps that were timed in general code, and their seconds; None before the first call, which may compile.
        self._timed: tuple[int, float] | None = None
        self._timetable: tuple[tuple[int, int, int], np.ndarray]
        self._timetable = (0, 0, 0), np.empty(0)  # what `_times` was asked for in the last call, and the times

    def _caller(self, kernel: Kernel) -> Callable:
        """What calls a kernel: compiled, or as Python code, which may call functions of the user."""
        return kernel.interpreted if self._callbacks else kernel.caller()

    def _made_triggers(self, records: Sequence[TriggerRecord]) -> Triggers:
        """The triggers of these records."""
        return Triggers(self, records, self.schedule.step)

    def _made_sensing(self, written: SensingTables, step: float, keeps: bool) -> Sensing:
        """The sensors and controllers of these tables."""
        return Sensing(self, written, step, self._lanes, self._caller, keeps)

    def _hindrance(self, world: World) -> str:
        """Why specialised code cannot be used; empty if it can."""
        if world.model.contacts is not None:
            return "contact is computed by general code"
        if world.blueprint.has_fragile:
            return "joints that can break are looked at after each step"
        if world.blueprint.triggers:
            return "conditions are looked at after each step"
        if world.model.expressions is not None and world.model.expressions.varied is not None:
            return "coefficients of forces are expressions"
        if switches(world.model):
            return "stops, dry friction and motors of a wanted rate are computed by general code"
        return "callbacks are interpreted" if self._callbacks else "the code is interpreted" if is_interpreted() else ""

    @property
    def is_reusable(self) -> bool:
        """Whether `begin_with` can follow: no tree changes, and steps remember nothing but the state and contact."""
        changes = self.schedule.reparentings or self.worlds[0].blueprint.has_fragile
        return self.contacts.is_reusable and not (changes or self.triggers or self.sensing or self._callbacks)

    def begin_with(self, world: World) -> None:
        """Start with another world of the same structure, in a run of one lane that is reusable."""
        model = self.whole_model if world is self.worlds[0] else world.model  # one lane of a block is as it is alone
        self.worlds, self.events, self.schedule = [world], [], world.blueprint.schedule
        self._is_isolated = world.isolated
        self.begin_again(model, world.state)
        self.contacts.begin_again()

    def begin_again(self, model: Model, state: np.ndarray) -> None:
        """Start with another block of the same structure, which has no reparentings. The arrays stay the same objects,
        so that kernels need not look at them again; those of `whole_model` have their numbers already.
        """
        self._metering.begin_again(model)
        overwrite(self.model, model._replace(metrics=None, sensing=None))
        self._scratch = self._with_trial(self._scratch)
        self.state[:] = state
        self.n, self.done, self.phase, self._begun = 0, 0.0, 0, False
        self.isolated_until = math.inf if self._is_isolated else -math.inf
        set_constants(self._scratch, model, len(self._lanes))
        self._scratch.fault[:] = 0.0
        if self.sensing:
            self.sensing.begin_again(model)
        self._forget()

    def restart(self, start: tuple, model: Model, state: np.ndarray) -> None:
        """Start with another world of the same structure where the run was at `start`, the place before its first
        step; what happens in a run must not change the worlds' blueprint.
        """
        self.go_back(start)
        self.begin_again(model, state)

    def begin_lanes(self, lanes: np.ndarray, put: Callable[[Model, np.ndarray], None]) -> None:
        """Let other worlds of the structure, which is timeless, begin now in these lanes; the other lanes go on. `put`
        writes their numbers into a model and a state.
        """
        self.put_lanes(lanes, put)
        if self.sensing:
            self.sensing.sample(lanes)

    def put_lanes(self, lanes: np.ndarray, put: Callable[[Model, np.ndarray], None]) -> None:
        """The same, but nothing is sampled."""
        put(self.whole_model, self.state)
        set_constants(self._scratch, self.model, len(self._lanes))
        fault = self._scratch.fault
        fault.reshape(len(fault), -1, len(self._lanes))[..., lanes] = 0.0
        if self.sensing:
            self.sensing.begin_lanes(lanes)
            self._put_held()

    @property
    def whole_model(self) -> Model:
        """The model with the tables of metrics and sensors."""
        sensing = self.sensing.tables if self.sensing else None
        return self.model._replace(metrics=self._metering.tables()[0], sensing=sensing)

    @property
    def time(self) -> float:
        """Time reached, s."""
        return (self.n + self.done) * self.model.step

    @property
    def steps(self) -> layout.STEP | None:
        """The row `STEP` of the first lane, if the method chooses its steps."""
        if trials_of(self.method) is None:
            return None
        row = self.state[len(self.state) - followed(self.model) - 1]
        return layout.STEP.view(row, 0, len(self._lanes))

    @property
    def fault(self) -> np.ndarray:
        """(expression, width of `FAULT` * lanes) the first non-finite value of each expression, and its time."""
        return self._scratch.fault

    @property
    def contact(self) -> ContactRecord:
        """What was recorded of contact."""
        return self.contacts.record

    def touching(self) -> tuple[np.ndarray, np.ndarray]:
        """The contact points of the present state, as those of a sample with number 0."""
        return self.contacts.touching()

    def rooms(self, n_sample: int) -> Iterator[Samples]:
        """Arrays for blocks of so many samples: two sets in turn, so that a block remains while the next one is
        computed. The second is made when it is needed.
        """
        if self._rooms and len(self._rooms[0].world.position) != n_sample:
            self._rooms = []
        for k in range(2):
            self._rooms += [self.room(n_sample)] if k == len(self._rooms) else []
            yield self._rooms[k]
        yield from cycle(self._rooms)

    def room(self, n_sample: int, **parts: bool) -> Samples:
        """Arrays for samples of this block; for `parts` see `make_samples`."""
        return make_samples(self.model, n_sample, self._with_terms, self._lanes, **parts)

    def place(self) -> tuple:
        """Progress and state of the run, for `go_back`."""
        arrays = self.model, self.state.copy(), self._scratch, self._buffer
        held = self.triggers and self.triggers.place(), self.sensing and self.sensing.place()
        parts = len(self.changes), self.contacts.place(), self._metering.place(), *held
        return self.n, self.done, self.phase, self.worlds, *arrays, len(self.events), *parts

    def go_back(self, place: tuple) -> None:
        """Restore progress and state saved by `place`, to take the steps from there again."""
        left = self.model
        self.n, self.done, self.phase, self.worlds, self.model, state, self._scratch, self._buffer, *more = place
        n_events, n_changes, contacts, metering, triggers, sensing = more
        del self._reparented[n_changes:], self.changes[n_changes:]
        self.contacts.go_back(contacts)
        self._metering.go_back(metering)
        self.state, self.schedule = copied(state), self.worlds[0].blueprint.schedule
        del self.events[n_events:]
        if self.isolated_until > self.time:
            self.isolated_until = math.inf
        self._scratch.fault[:] = 0.0
        self.misfits.clear()
        self._scratch.broken[0] = 0
        if self.triggers:
            self.triggers.go_back(triggers)
        if self.model is not left:  # whose numbers may be in the same arrays
            self._scratch = self._with_trial(self._scratch)
        if self.sensing:
            self.sensing.go_back(sensing)
            self._put_held()
        self._forget()

    def checkpoint(self) -> dict[str, np.ndarray]:
        """What `resume` needs to continue in another process: a copy, valid until the scene or the version changes.

        Events, the log of contact and contact points are not contained; what is computed anew in each step neither.
        """
        self._begin()
        found = {
            "reached": np.array([self.n]),
            "time": np.array([self.done, self.isolated_until]),
            "state": self.state.copy(),
        }
        found["changed.time"] = np.array([change.time for change in self.changes])
        found["changed"] = np.array([(change.number, change.body) for change in self.changes], np.int64).reshape(-1, 2)
        for k, moment in enumerate(self._reparented):
            found |= {f"reparented.{k}.{i}": array for i, array in enumerate(moment)}
        found |= self.triggers.checkpoint() if self.triggers else {}
        found |= self.sensing.checkpoint() if self.sensing else {}
        return found | self.contacts.checkpoint() | self._metering.checkpoint()

    def resume(self, checkpoint: Mapping[str, np.ndarray]) -> None:
        """Continue, in a run that has not begun, where `checkpoint` was made, with the same bits."""
        (n,) = map(int, checkpoint["reached"])
        for k, (number, body) in enumerate(checkpoint["changed"].tolist()):
            event = self.schedule.reparentings[number] if number != layout.NO_ROW else self._release_of(body)
            self._reparented.append([checkpoint[f"reparented.{k}.{i}"] for i in range(N_MOMENT)])
            self.worlds = [one.world for one in self._moved(event)]
            self.changes.append(event._replace(time=float(checkpoint["changed.time"][k])))
        self._begun = True
        if self.triggers and len(numbers := checkpoint["triggers.numbers"]):
            self.state = self.worlds[0].state
            self._renumber(tuple(numbers.tolist()))
        else:
            self._enter()
        self.n = n
        self.done, self.isolated_until = map(float, checkpoint["time"])
        # The end of a run is an edge for methods that choose their steps, so a longer run numbers its phases anew.
        self.phase = self.schedule.phase_at((self.n, self.done))
        self.state[:] = checkpoint["state"]
        self._scratch = self.contacts.resume(checkpoint, self._scratch)
        self._metering.resume(checkpoint)
        if self.triggers:
            self.triggers.resume(checkpoint)
        if self.sensing:
            self.sensing.resume(checkpoint)
            self._put_held()

    @property
    def is_over(self) -> bool:
        """Whether a trigger has ended the run."""
        return self.triggers is not None and self.triggers.is_over

    @property
    def is_off_grid(self) -> bool:
        """Whether a trigger has ended the run between two samples."""
        return self.is_over and (self.n, self.done) != (
            self.taken(stride := self.worlds[0].blueprint.stride) * stride,
            0.0,
        )

    @property
    def trouble(self) -> str:
        """Why triggers or controllers let the run not go on; empty if they do."""
        return (self.sensing and self.sensing.trouble) or (self.triggers and self.triggers.trouble) or ""

    def prepare(self) -> None:
        """Compile, or read from the cache, all kernels of a run; apply the events at t = 0."""
        if self._is_prepared:
            self._begin()
            return
        with watch_compilation():
            foresee(self.calls())
            self._begin()
            if self._takes_second():
                self._cruise(self.n, NO_SAMPLES, self._one, 0, True)
            else:
                self._go(self.n)
            self.metrics(self.present())
        self._is_prepared = True

    def advance(
        self,
        n: int,
        stride: int = NO_SAMPLES,
        samples: Samples | None = None,
        first: int = 0,
        before: Callable[[], None] | None = None,
    ) -> None:
        """Take n steps, or fewer up to the end of the run; sample k = step / stride is row k - first of `samples`.
        `before` is called where they end, before what is due there is sampled.
        """
        self._begin()
        first = 0 if stride == NO_SAMPLES else first
        proceed = partial(self._proceed, stride=stride, samples=samples, first=first)
        go = partial(self.triggers.advance, proceed=proceed) if self.triggers else proceed
        n_end = self.n + n
        if self.sensing is None:
            go(n_end)
            return
        while self.n < n_end and not self.is_over and not self.trouble:
            due = self.sensing.next_after(self.n)
            go(min(n_end, due))
            if self.n == due:
                if before and self.n == n_end:
                    before()
                self.sensing.sample()

    def hold(self, _values: np.ndarray) -> None:
        """Begin to step anew with the numbers that are held now, if the motion depends on them."""
        self._put_held()
        if is_steered(self.model):
            self._scratch.anew[0] = 1
            self._go(self.n, True)
            self._scratch.anew[0] = 0
            if self.triggers:
                self.triggers.happen()

    def _put_held(self) -> None:
        """Make the numbers that are held constants of all expressions."""
        for program, register in self._programs_held():
            put_held(program, register, not_none(self.sensing).held)

    def _programs_held(self) -> Iterator[tuple[Program, np.ndarray]]:
        """The programs of expressions that may read numbers that are held, with their registers."""
        yield from programs_held(self.model, self._scratch)
        metrics, arrays = self._metering.tables()
        if metrics and arrays:
            yield metrics.program, arrays.register

    def _proceed(self, n_end: int, stride: int, samples: Samples | None, first: int) -> None:
        """Step to n_end, or to where a trigger is due."""
        self._go(n_end, False, stride, samples, first)
        while self._breaks() or (self._at_stop() and not self._precedes_edge()):
            arrives = not self._breaks()
            if arrives:
                self.phase += 1
                self._change_trees()
            else:
                self._break()
            self._go(n_end, arrives, stride, samples, first)

    def slices(self, n_end: int, stride: int, samples: Samples | None, first: int) -> Iterator[int]:
        """Step up to n_end in slices of about SLICE_SECONDS; yields the length of each after it is done."""
        while self.n < n_end and not self.is_over and not self.trouble:
            n = min(self._slice, n_end - self.n)
            begin = time.perf_counter()
            self.advance(n, stride, samples, first)
            spent = max(time.perf_counter() - begin, 1e-9)
            self._slice = max(1, int(n * min(GROWTH, SLICE_SECONDS / spent)))
            yield n

    def observed(self, with_terms: bool | None = None) -> Samples:
        """One sample of the present state; with terms as requested, by default as in the run."""
        one = make_samples(self.model, 1, self._with_terms if with_terms is None else with_terms, self._lanes)
        self.observe_into(one, 0)
        return one

    def observe_into(self, samples: Samples, row: int) -> None:
        """Make the present state a sample."""
        self._begin()
        self._observe(self.phase, samples, row)

    def _observe(self, phase: int, samples: Samples, row: int) -> None:
        """Make the present state a sample, with the loads of this phase."""
        self._look(*self._advancing(phase, False, NOW, NO_SAMPLES, samples, row))

    def present(self) -> Samples:
        """A sample of the present state; overwritten by the next call."""
        self.observe_into(self._one, 0)
        return self._one

    @property
    def last_present(self) -> Samples:
        """What `present` gave last."""
        return self._one

    def metrics(self, present: Samples | None = None) -> np.ndarray:
        """(metric, lane) the metrics of the scenes over all samples up to now and the present state, of which `present`
        is a sample if there is one.
        """
        return self._metering.values(present or self.present(), self.time, self.contacts.touches())

    def _enter(self, trial: Any = None) -> None:
        """Make the arrays of the present worlds; those of a `trial` serve again if their structure is the same."""
        model, self.state = block_of(self.worlds)
        model = self.sensing.enter(model) if self.sensing else model
        self.model, self._is_isolated = self._metering.enter(model), self.worlds[0].isolated
        if self._callbacks:
            world = self.worlds[0]
            self.model = with_callbacks(self.model, calls_of(self._callbacks, world.paths, self.model))
        scratch = make_scratch(self.model, self._lanes, len(self.state))
        scratch = self._with_trial(scratch if trial is None else scratch._replace(trial=trial))
        changes = self.schedule.reparentings or self.worlds[0].blueprint.has_fragile
        if changes or self.triggers or self.model.edge_kind.any() or self.model.due[-1] or switches(self.model):
            self._buffer = make_buffer(self.model, self._lanes, self._buffer and self._buffer.pair)
        # Recorded failures of expressions are kept when the tree changes; other numbers may have other expressions.
        if self._begun and len(self._scratch.fault) == len(scratch.fault):
            scratch = scratch._replace(fault=self._scratch.fault)
        scratch = self.triggers.enter(self.model, scratch) if self.triggers else scratch
        self._scratch = self.contacts.enter(self.model, scratch)
        if self.sensing:
            self._put_held()

    def _with_trial(self, scratch: Scratch) -> Scratch:
        """The scratch arrays with those that the method needs for the numbers of this model."""
        trials = trials_of(self.method)
        if trials is None:
            return scratch
        sizes = len(self.state), len(scratch.fault), len(self._lanes)
        trial = trials.make(scratch.trial, self.method, self.model, *sizes)
        return scratch if trial is scratch.trial else scratch._replace(trial=trial)

    def _arrays(self) -> tuple[Model, np.ndarray, Scratch]:
        return self.model, self.state, self._scratch

    def _begin(self) -> None:
        """Apply the events at t = 0, once; an interruption undoes all of them."""
        if self._begun:
            return
        start, self._begun = self.place(), True
        try:
            self._change_trees()
            self._go(self.n, True)
            if self.triggers:
                self.triggers.begin()
            if self.sensing:
                self.sensing.sample()
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
        """Step to n_end or to a stop, with samples for metrics if no others are taken; for `arrives` see `advance`."""
        if samples is None and self._metering.is_on:
            stride, samples = self.worlds[0].blueprint.stride, self._metering.room(self.model)
            self._call(n_end, arrives, stride, samples, 0, keeps=False)
        else:
            self._call(n_end, arrives, stride, samples or self._one, first)

    def _takes_second(self) -> bool:
        """Whether the present phase is stepped in specialised code."""
        n, seconds = self._timed or (0, 0.0)
        is_measured = seconds > LEAST_TIMED
        a_step = seconds / n if is_measured else LEAST_SECONDS * self.state.size
        expected = a_step * (self.worlds[0].blueprint.n_step - self.n + self.ahead)
        arguments = partial(self._cruising, self.n, NO_SAMPLES, self._one, 0, True)
        return self.specialised.takes(self.phase, arguments, expected, is_measured)

    def _cruising(self, n_end: int, stride: int, samples: Samples, first: int, keeps: bool) -> tuple:
        """The arguments of specialised code."""
        return (
            self.method, self.n, n_end, self.phase, stride, *self._arrays(), samples, first, keeps,
            *self._metering.tables(), self._lanes,
        )  # fmt: skip

    def _cruise(self, n_end: int, stride: int, samples: Samples, first: int, keeps: bool) -> None:
        """Take whole steps in specialised code."""
        self.specialised.cruise(*self._cruising(n_end, stride, samples, first, keeps))
        self.n = n_end

    def _call(self, n_end: int, arrives: bool, stride: int, samples: Samples, first: int, keeps: bool = True) -> None:
        """Step to n_end or to a stop: whole steps of a phase in specialised code if it takes them, all else in general
        code. Without `keeps` rows of samples are used again when they are full.
        """
        if not (self._buffer is not None or self.model.loops is not None or self._scratch.lasting is not None):
            arrives = False
        if not arrives and self.done == 0.0 and self.n == n_end < self._next_edge():
            return
        while True:
            end = n_end
            if self.done == 0.0 and not arrives and self._takes_second():
                edge = self._next_edge()
                if self.n < min(edge, n_end):
                    self._cruise(min(edge, n_end), stride, samples, first, keeps)
                if self.n < edge:
                    return
                end = min(self.n + 1, n_end)  # across the edge, which is at the beginning of the next step or inside
            if not keeps:
                first = self.taken(stride)
                end = min(end, (first + len(samples.world.position) - 1) * stride + 1)
            self._advance_to(end, arrives, stride, samples, first)
            arrives = False
            if self.n >= n_end or self._breaks() or self._at_stop() or self._is_held():
                return

    def _next_edge(self) -> int:
        """The step at whose beginning, or inside which, the present phase ends."""
        steps = self.model.edge_step
        return int(steps[self.phase]) if self.phase < len(steps) else layout.NEVER

    def calls(self) -> Iterator[tuple[Any, tuple]]:
        """A call of each kernel of general code: the kernel and its arguments."""
        yield self._advance, self._advancing(self.phase, True, self.n, NO_SAMPLES, self._one, 0)
        yield from self._metering.calls(self._one)
        yield from self.sensing.calls(self._one) if self.sensing else ()

    def make_specialised(self) -> Made | None:
        """Make the straight code of the present phase; None if it cannot be used, or takes too long to make."""
        return self.specialised.make(self._cruising(self.n, NO_SAMPLES, self._one, 0, True))

    def _advancing(self, phase: int, arrives: bool, n_end: int, stride: int, samples: Samples, first: int) -> tuple:
        """The arguments of general code."""
        return (
            self.method, self.n, self.done, phase, arrives, n_end, stride, *self._arrays(), samples, first,
            self._buffer, self.contacts.arrays, self._lanes,
        )  # fmt: skip

    def _advance_to(self, n_end: int, arrives: bool, stride: int, samples: Samples, first: int) -> None:
        """Call the kernel of general code, again when contact or events lack room, and read what it recorded."""
        stopped = True
        while stopped:
            begin, n, clock = self.taken(stride), self.n, time.perf_counter()
            arguments = self._advancing(self.phase, arrives, n_end, stride, samples, first)
            self.n, self.done, self.phase = self._advance(*arguments)
            self._metering.add(self._times(begin, self.taken(stride), stride), samples, begin - first)
            self._time(self.n - n, time.perf_counter() - clock)
            lacks = self._buffer is not None and self._buffer.lacks[0] > 0
            if lacks and not_none(self._buffer).filled[0] == 0:
                self._make_room()
            self._collect_events(self.worlds)
            taken, stopped, arrives = self.contacts.take(), self.contacts.lacks_room(), False
            if stopped:
                self._scratch = self.contacts.make_room(taken, self._scratch)
            stopped = stopped or lacks

    def _times(self, begin: int, end: int, stride: int) -> np.ndarray:
        """The times of samples begin to end - 1, s; the same array as in the last call if they are the same."""
        key = begin, end, stride
        if self._timetable[0] != key:
            self._timetable = key, np.arange(begin, end) * stride * self.model.step
        return self._timetable[1]

    def _time(self, n: int, seconds: float) -> None:
        """Note how long n steps took in general code."""
        if n:
            steps, spent = self._timed or (-n, -seconds)
            self._timed = steps + n, spent + seconds

    def taken(self, stride: int) -> int:
        """The number of samples that were taken up to now."""
        return self.n // stride + 1 if self.done else -(-self.n // stride)

    def _collect_events(self, before: list[World]) -> None:
        """Collect the events in the buffer, and empty it."""
        if self._buffer is not None and (self._buffer.filled[0] or self._buffer.lacks[0]):
            self._metering.count(self._buffer)
            if self._keeps_events:
                self.events.append(recorded(self._buffer, before, self.worlds))
            self._forget()

    def _make_room(self) -> None:
        """Make more room for the events of a step."""
        buffer = not_none(self._buffer)
        self._buffer = make_buffer(self.model, self._lanes, buffer.pair, 2 * len(buffer.event))

    def _forget(self) -> None:
        if self._buffer is not None:
            self._buffer.filled[:] = self._buffer.lacks[0] = 0

    def _at_stop(self) -> bool:
        """Whether the kernel stopped at an edge whose events are still to be applied."""
        phase, model = self.phase, self.model
        return phase < len(model.edge_step) and (model.edge_step[phase], model.edge_fraction[phase]) == (
            self.n,
            self.done,
        )

    def _breaks(self) -> bool:
        """Whether the kernel stopped because a joint breaks."""
        return bool(self._scratch.broken[0])

    def _is_held(self) -> bool:
        """Whether the kernel stopped because of a trigger."""
        return self.triggers is not None and self.triggers.holds(self.n, self.done)

    def _precedes_edge(self) -> bool:
        """Whether it did, and what the trigger does comes before an edge there."""
        return self.triggers is not None and self.triggers.precedes_edge(self.n, self.done)

    def begin_anew(self) -> None:
        """Begin to step anew, after a jump at the present time."""
        self._go(self.n, True)

    def change_tree(self, number: int) -> None:
        """Apply a reparenting now, by its number."""
        self._reparent(self.schedule.reparentings[number]._replace(time=self.time), self.phase)
        if not self._is_isolated:
            self.isolated_until = min(self.isolated_until, self.time)

    def empty_tank(self, node: int) -> None:
        """Let nothing flow any more to or from the tank that is this node: nothing is left in it."""
        tank = layout.CONTENT.view(self.state[self.model.node[node, layout.NODE.row]])
        tank.is_empty, tank.mass, tank.mass_low = 1.0, 0.0, 0.0

    def note_trigger(self, k: int, set_before: tuple[int, ...] = (), set_now: tuple[int, ...] = ()) -> None:
        """Record that a trigger happens now, by its number, of which no impulse and no reparenting is recorded; after
        the numbers have changed, if it sets any: what was set before, and what is now.
        """
        n, renumbering = len(self._lanes), not_none(self.worlds[0].blueprint.triggers).renumbering
        before = after = energy_of(self._recorded(0, self.phase), n)
        if set_now != set_before:
            self._renumber(set_now)
            after = energy_of(self._recorded(1, self.phase), n)
            if len(self.state):  # the ledger has the sum over bodies, so any row will do
                book(self.state[0], after - before)
        note_alone(layout.CAUSE_TRIGGER, k, self.time, before[0], after[0], not_none(self._buffer))
        self._collect_events(self.worlds)
        if self._keeps_events and set_now != set_before and renumbering is not None:
            changed = renumbering.changed(set_before, set_now)
            self.events[-1] = self.events[-1]._replace(changed=changed)

    def _renumber(self, numbers: tuple[int, ...]) -> None:
        """Go on in the present state with the numbers of the scene that these settings give."""
        (world,), moments = self.worlds, iter(self._reparented)
        first = world.blueprint
        renumbering = not_none(first.triggers).renumbering
        assert renumbering is not None
        made = renumbering.blueprint(numbers)
        # Metrics are those of the whole run, as a trajectory has them.
        triggers = not_none(made.triggers)._replace(renumbering=renumbering)
        blueprint = made._replace(metrics=first.metrics, triggers=triggers)
        tree = blueprint.tree
        for change, (_, *motions) in zip(self.changes, moments, strict=True):
            if change.number != layout.NO_ROW:
                change = blueprint.schedule.reparentings[change.number]
            half = len(motions) // 2
            local, seen = (MotionSamples(*arrays).part(0) for arrays in (motions[:half], motions[half:]))
            tree = changed_tree(tree, change, MotionSnapshot(tree, local, seen))
        model, state = model_of(blueprint, tree), self.state.copy()
        forget_signs(model, state)
        self.worlds, self.schedule = [World(blueprint, tree, model, state)], blueprint.schedule
        self._enter(self._scratch.trial if structure_of(model) == structure_of(world.model) else None)

    def _change_trees(self) -> None:
        """Apply the reparentings that are due as the present phase begins, in order."""
        for event in self.schedule.reparentings_of(self.phase):
            self._reparent(event, self.phase - 1)
        if not self._is_isolated:
            self.isolated_until = min(self.isolated_until, self.time)

    def _break(self) -> None:
        """Let go the body of the joint that breaks, and add what the joint bore to the record of that."""
        body = int(self.model.moved_node[self._scratch.broken[0] - 1])
        joint, sample = [*self.worlds[0].blueprint.joint_types].index(body), self._recorded(0, self.phase).joints
        assert sample is not None
        reaction = sample.force[0, joint].copy(), sample.torque[0, joint].copy()
        self._reparent(self._release_of(body), self.phase)
        if self._keeps_events:
            self.events[-1] = self.events[-1]._replace(reaction=reaction)
        if not self._is_isolated:
            self.isolated_until = min(self.isolated_until, self.time)

    def _release_of(self, body: int) -> TreeChange:
        """A body that is let go now."""
        return TreeChange(self.time, body, self.worlds[0].tree.nodes[body].parent, "free", layout.NO_ROW)

    def _reparent(self, event: TreeChange, ending: int) -> None:
        """Change the tree of every world, with a sample before and after; the energies are those of the loads of the
        phase that ends.
        """
        worlds, before, n = self.worlds, self._recorded(0, ending), len(self._lanes)
        self._reparented.append([array.copy() for array in (self.state, *before.local, *before.world)])
        made = self._moved(event)
        self.worlds = [one.world for one in made]
        self.misfits += [f"reparent[{event.number}]: {one.misfit}" for one in made if one.misfit]
        self.changes.append(event._replace(time=self.time))
        self._enter()
        self._recorded(1, ending)  # places all frames
        buffer, block = not_none(self._buffer), WorldBlock(self.phase, *self._arrays(), self._lanes)
        instant = begin_reparenting(event, self.model, buffer)
        pass_jumps([one.jumps for one in made], block, buffer)
        after = self._recorded(1, ending)
        if made[0].struck:
            impulses = self._handed_over(event, worlds, made, before, after)
            pass_impulses(impulses, block, buffer)
            after = self._recorded(1, ending)
        if self.model.loops is not None:
            close_after(self.time, block)
            after = self._recorded(1, ending)
        model, buffer = with_rows(self.model), with_rows(buffer)
        record_reached_bodies(model.every, instant, model, buffer)
        # The change of energy is counted as work; the ledger has the sum over bodies, so any row will do.
        moved_base = moved_base_row(self.worlds[0], event.body)
        if moved_base >= 0:
            book(self.state[moved_base], energy_of(after, n) - energy_of(before, n))
            self._recorded(1, ending)
        complete_instant(self.time, instant, model, buffer, self._lanes)
        self._collect_events(worlds)

    def _handed_over(
        self, event: TreeChange, worlds: list[World], made: list[Reparented], before: Samples, after: Samples
    ) -> list[dict[int, tuple]]:
        """The momenta that struck bodies hand over to what holds them now, for each lane."""
        found, n = [], len(self._lanes)
        for lane, (world, one) in enumerate(zip(worlds, made, strict=True)):
            old, new = (one_lane(sample.part(slice(0, 1)), lane, n) for sample in (before, after))
            pair = (
                MotionSnapshot(w.tree, s.local.part(0), s.world.part(0)) for w, s in ((world, old), (one.world, new))
            )
            found.append(impulses_of(one.struck, event.to, world, one.world, *pair))
        return found

    def _moved(self, event: TreeChange) -> list[Reparented]:
        """Every world after a reparenting, from the last moment before it."""
        found = []
        for lane, world in enumerate(self.worlds):
            state, *motions = (np.ascontiguousarray(a[..., lane :: len(self._lanes)]) for a in self._reparented[-1])
            half = len(motions) // 2
            local, seen = (MotionSamples(*arrays).part(0) for arrays in (motions[:half], motions[half:]))
            found.append(reparented(world, event, state, local, seen))
        return found

    def _recorded(self, row: int, ending: int) -> Samples:
        """A sample before (row 0) or after (row 1) a reparenting. Its energies are those of the loads of the phase that
        ends: the energy of loads that begin or end at this instant is exchanged later, on the new tree.
        """
        pair = not_none(self._buffer).pair
        self._observe(self.phase, pair, row)
        if 0 <= ending < self.phase:
            made = make_samples(self.model, 1, False, self._lanes)
            self._observe(ending, made, 0)
            pair.ledger[row] = made.ledger[0]
        return pair.part(slice(row, row + 1))
