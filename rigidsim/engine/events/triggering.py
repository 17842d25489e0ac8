"""What happens when a condition becomes true: the search for the instant, what a trigger does then, in which order.

A kernel ends after a step in which a guard became positive (`guards.py`). That step is taken back, and taken again up
to other ends, until the instant is known to rounding. So whatever a step does, contact and events of joints too, needs
to know nothing of triggers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

import numpy as np

from rigidsim.engine.assembly.blueprint import TriggerRecord
from rigidsim.engine.events.guards import ARMED, NOT_FIRED, SPENT, WAITS, Guarding, guarding_of
from rigidsim.engine.model import layout
from rigidsim.engine.model.arrays import Model, Scratch
from rigidsim.engine.model.layout import NO_ROW
from rigidsim.errors import RigidsimError
from rigidsim.physics.roots import enclosed, next_guess
from rigidsim.tree.history import ROUND_OFF, Instant, instant_of

NEAR = 2.0**-48  # of a step: instants that are one
FEWEST, MOST = 16, 512  # steps between two places to go back to
MOST_IN_STEP = 100  # times that a trigger may happen in one step
NEVER = (layout.NEVER, 0.0)
KEPT = ("value", "before", "armed", "passed", "begun", "begun_part")
"""What guards remember."""


class TriggeredRun(Protocol):
    """What triggers need of a run."""

    n: int
    done: float
    model: Model

    @property
    def time(self) -> float: ...

    def place(self) -> tuple:
        """Progress and state, for `go_back`."""

    def go_back(self, place: tuple) -> None:
        """Restore progress and state."""

    def begin_anew(self) -> None:
        """Begin to step anew, after a jump at the present time."""

    def change_tree(self, number: int) -> None:
        """Apply a reparenting now, by its number."""

    def empty_tank(self, node: int) -> None:
        """Let nothing flow any more to or from the tank that is this node: nothing is left in it."""

    def note_trigger(self, k: int, set_before: tuple[int, ...] = (), set_now: tuple[int, ...] = ()) -> None:
        """Record that a trigger happens now, by its number, after the numbers of the scene have changed to what these
        settings give.
        """


def _follows(record: TriggerRecord) -> bool:
    """Whether this is a passage from a state of a machine to another one, not the beginning of its first state."""
    return record.passing is not None and record.passing[1] != NO_ROW


class Triggers:
    """The triggers of a run: which are armed, what is still to happen, and whether one has ended the run."""

    def __init__(self, run: TriggeredRun, records: Sequence[TriggerRecord], step: float):
        self._run, self.records = run, records
        self._entered: Guarding | None = None  # the arrays of the guards of the present model
        timed = ((k, one.time) for k, one in enumerate(records) if one.time is not None and not _follows(one))
        # What has a time, or is delayed, in the order in which it happens.
        self._pending: list[tuple[Instant, int]] = sorted((instant_of(time, step), k) for k, time in timed)
        machines = 1 + max((one.passing[0] for one in records if one.passing), default=-1)
        self._states = np.full(machines, NO_ROW)  # of each machine, the number of its state
        self._numbers: tuple[int, ...] = ()  # what is set, in this order
        self._often = (0, np.zeros(len(self.records), np.int64))  # a step, and how often each happened in it
        self.counts = np.zeros(len(records), np.int64)  # how often each happened
        self._chunk = FEWEST
        self.is_over, self.trouble = False, ""

    def enter(self, model: Model, scratch: Scratch) -> Scratch:
        """The scratch arrays of the present model with those of the guards, which keep what they know."""
        before, self._entered = self._entered, guarding_of(model)
        self._guards.fired[0] = NOT_FIRED
        self._stop_at(NEVER)
        for name in (*KEPT, "stop", "stop_part", "precedes") if before else ():
            getattr(self._guards, name)[:] = getattr(before, name)
        for k, one in enumerate(self.records) if before is None else ():
            self._guards.armed[k] = SPENT if _follows(one) else WAITS
        return scratch._replace(guards=self._guards)

    @property
    def _guards(self) -> Guarding:
        assert self._entered is not None
        return self._entered

    def is_silent(self, k: int) -> bool:
        """Whether a trigger that never happened was never armed: its condition held from the start."""
        return bool(self._guards.armed[k] == WAITS)

    # --- a run

    def begin(self) -> None:
        """Let happen what is due at t = 0: the first state of each machine begins."""
        self.happen()

    def advance(self, n_end: int, proceed: Callable[[int], None]) -> None:
        """Step to n_end, or to the instant at which a trigger ends the run. `proceed` steps as if there were none, but
        to where a trigger is due at most.
        """
        run, is_held = self._run, False
        while (run.n < n_end or is_held) and not self.is_over and not self.trouble:
            self._stop_at(self._pending[0][0] if self._pending else NEVER, precedes=True)
            place = run.place()
            proceed(min(n_end, run.n + self._chunk))
            self._chunk = min(2 * self._chunk, MOST)
            if self._guards.passed[0]:
                self._locate(place, proceed)
                self._chunk = FEWEST
            is_held = self.precedes_edge(run.n, run.done)  # which is still to be crossed
            self.happen()
        self._stop_at(NEVER)

    def holds(self, n: int, done: float) -> bool:
        """Whether a kernel has stopped at t = (n + done) h because of a trigger."""
        guards = self._guards
        return bool(guards.passed[0]) or (guards.stop[0], guards.stop_part[0]) == (n, done)

    def precedes_edge(self, n: int, done: float) -> bool:
        """Whether it has, and what the trigger does comes before an edge there."""
        guards = self._guards
        return self.holds(n, done) and bool(guards.passed[0] or guards.precedes[0])

    def _stop_at(self, instant: Instant, precedes: bool = False) -> None:
        """Have kernels stop at an instant, before or after an edge there."""
        self._guards.stop[0], self._guards.stop_part[0] = instant
        self._guards.precedes[0] = precedes

    def _locate(self, place: tuple, proceed: Callable[[int], None]) -> None:
        """Go to the first instant at which a guard is positive; the last part of a step has led beyond it."""
        run, guards = self._run, self._guards
        n, begin = int(guards.begun[0]), float(guards.begun_part[0])
        end = run.done if run.n == n else 1.0 + run.done
        if (n, begin) == (run.n, run.done):
            return  # a jump has led there
        last = guards.value.copy()
        run.go_back(place)
        self._stop_at((n, begin))
        proceed(n + 1)
        inner, first = run.place(), self._guards.value.copy()
        armed, size = self._guards.armed == ARMED, np.abs(last - first)
        size[~(size > 0.0)] = 1.0

        def largest(values: np.ndarray) -> float:
            """The largest of the guards that may pass, in parts of their changes."""
            found = (values / size)[armed]
            return math.inf if np.isnan(found).any() else float(found.max())

        def go(part: float) -> tuple[float, float]:
            """Take the step up to a part of it; the part that was reached, and the largest guard there."""
            run.go_back(inner)
            self._stop_at((n, part) if part < 1.0 else (n + 1, part - 1.0))
            proceed(n + 1)
            return (run.done if run.n == n else 1.0 + run.done), largest(self._guards.value)

        new, other = (begin, largest(first)), (end, largest(last))
        old = new
        while abs(other[0] - new[0]) > NEAR:
            new, other, old = enclosed(go(next_guess(new, other, old, NEAR)), new, other)
        part = max(new[0], other[0])
        self._end_at(go, 1.0 if 1.0 - part < ROUND_OFF * max(1.0, n) else part)

    def _end_at(self, go: Callable[[float], object], part: float) -> None:
        """Take the step up to the part of it at which a trigger happens."""
        go(part)

    # --- what happens

    def happen(self) -> None:
        """Let everything happen that is due now, until nothing more is: first what was delayed."""
        run = self._run
        while self._pending and self._pending[0][0] <= (run.n, run.done) and not self.trouble:
            self._act(self._pending.pop(0)[1])
        while self._guards.passed[0] and not self.is_over and not self.trouble:
            self._guards.passed[0] = 0
            due = np.flatnonzero((self._guards.armed == ARMED) & ~(self._guards.value <= 0.0)).tolist()
            for k in due:
                if self._guards.armed[k] == ARMED:  # none before has left its state
                    self._fire(k)

    def _fire(self, k: int) -> None:
        """Let a trigger happen, perhaps later."""
        record, guards, run = self.records[k], self._guards, self._run
        if math.isnan(guards.value[k]):
            self.trouble = f"{record.id}: the condition is not a number at t = {run.time:.9g} s"
            return
        guards.armed[k] = WAITS if record.every else SPENT
        self.counts[k] += 1
        if self._is_too_often(k):
            self.trouble = (
                f"{record.id} happens more than {MOST_IN_STEP} times in one step at t = {run.time:.9g} s;"
                " give it a dead band, when.rearm"
            )
        elif record.delay > 0.0:
            self._await(k, record.delay)
        else:
            self._act(k)

    def _await(self, k: int, seconds: float) -> None:
        """Let a trigger happen so long after the present time."""
        run = self._run
        self._pending = sorted([*self._pending, (instant_of(run.time + seconds, run.model.step), k)])

    def _is_too_often(self, k: int) -> bool:
        """Whether a trigger happens too often in this step."""
        n, often = self._often
        if n != self._run.n:
            often = np.zeros_like(often)
        often[k] += 1
        self._often = self._run.n, often
        return often[k] > MOST_IN_STEP

    def _act(self, k: int) -> None:
        """Do what a trigger does, now."""
        record, run = self.records[k], self._run
        self.counts[k] += record.time is not None
        if record.kind == "stop":
            self.is_over = True
            run.note_trigger(k)
            return
        if record.passing is not None:
            self._pass_on(*record.passing)
        if record.kind == "reparent":
            run.change_tree(record.number)
        if record.kind == "empty":
            run.empty_tank(record.number)
            run.note_trigger(k)
        if record.kind in ("change", "state"):
            before = self._numbers
            if record.setting != NO_ROW:  # what is set again is set last
                self._numbers = (*(one for one in before if one != record.setting), record.setting)
            try:
                run.note_trigger(k, before, self._numbers)
            except RigidsimError as error:
                self.trouble = f"{record.id}: what is set here cannot be set now: {error}"
                return
        self._arrive(record.due)

    def _pass_on(self, machine: int, _source: int, target: int) -> None:
        """Begin a state of a machine: only what leads on from there can happen next."""
        self._states[machine] = target
        followed = [(k, one, one.passing) for k, one in enumerate(self.records) if one.passing and _follows(one)]
        own = [(k, one, source) for k, one, (number, source, _) in followed if number == machine]
        leaving = {k: one for k, one, source in own if source == target}
        self._pending = [(instant, k) for instant, k in self._pending if all(k != other for other, *_ in own)]
        for k, one in leaving.items():
            if one.time is not None:
                self._await(k, one.time)
        for k, one, _ in own:
            self._guards.armed[k] = ARMED if k in leaving and one.time is None else SPENT

    def _arrive(self, due: int) -> None:
        """Begin to step anew after a jump, with the impulses of this trigger."""
        self._guards.fired[0] = due
        self._run.begin_anew()
        self._guards.fired[0] = NOT_FIRED

    # --- what is kept

    def place(self) -> tuple:
        """What `go_back` needs."""
        kept = [getattr(self._guards, name).copy() for name in KEPT]
        often = self._often[0], self._often[1].copy()
        known = self._states.copy(), self._numbers
        return self._guards, kept, list(self._pending), often, self.counts.copy(), self.is_over, self._chunk, known

    def go_back(self, place: tuple) -> None:
        """Forget what happened since `place`."""
        self._entered, kept, pending, often, counts, self.is_over, self._chunk, (states, self._numbers) = place
        self._states = states.copy()
        self._pending, self.counts, self.trouble = list(pending), counts.copy(), ""
        self._often = often[0], often[1].copy()
        for name, values in zip(KEPT, kept, strict=True):
            getattr(self._guards, name)[:] = values

    def checkpoint(self) -> dict[str, np.ndarray]:
        """What `resume` needs."""
        pending = [(n, k, part) for (n, part), k in self._pending]
        found = {f"triggers.{name}": getattr(self._guards, name).copy() for name in KEPT}
        found["triggers.pending"] = np.array([one[:2] for one in pending], np.int64).reshape(-1, 2)
        found["triggers.pending_part"] = np.array([one[2] for one in pending])
        found["triggers.counts"] = self.counts.copy()
        found["triggers.states"], found["triggers.numbers"] = self._states.copy(), np.array(self._numbers, np.int64)
        found["triggers.often"] = np.array([self._often[0], *self._often[1], self.is_over], np.int64)
        return found

    def resume(self, checkpoint: Mapping[str, np.ndarray]) -> None:
        """Continue with what was known when `checkpoint` was made."""
        for name in KEPT:
            getattr(self._guards, name)[:] = checkpoint[f"triggers.{name}"]
        parts = checkpoint["triggers.pending_part"].tolist()
        pending = checkpoint["triggers.pending"].reshape(-1, 2).tolist()
        self._pending = [((n, part), k) for (n, k), part in zip(pending, parts, strict=True)]
        self.counts[:] = checkpoint["triggers.counts"]
        self._states[:] = checkpoint["triggers.states"]
        self._numbers = tuple(checkpoint["triggers.numbers"].tolist())
        n, *often, is_over = checkpoint["triggers.often"].tolist()
        self._often, self.is_over = (n, np.array(often, np.int64)), bool(is_over)
