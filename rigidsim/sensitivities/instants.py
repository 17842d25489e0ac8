"""The instants of triggers in a run with tangents.

The guard g of a trigger is zero at its instant t, so t' = -g'/(dg/dt), where g' is the derivative at a fixed time. The
step up to the instant is taken with a length that has this derivative. So the state there has that along the event,
and what follows is differentiated as any step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from rigidsim.containers.optional import not_none
from rigidsim.engine.assembly.blueprint import TriggerRecord, World
from rigidsim.engine.events.guards import ARMED
from rigidsim.engine.events.triggering import TriggeredRun, Triggers
from rigidsim.jit.shadows import Shadows
from rigidsim.tree.history import Instant

LARGE = 2.0**27
"""A rate, in steps, beside which those of a motion are small: dg/dt is what it adds to g'."""


class TangentTriggers(Triggers):
    """The triggers of a run with tangents. `done_rate` has those of the part of a step that is done."""

    def __init__(
        self, run: TriggeredRun, records: Sequence[TriggerRecord], step: float, shadows: Shadows, done_rate: np.ndarray
    ):
        super().__init__(run, records, step)
        self._shadows, self._done_rate = shadows, done_rate
        self._delays = np.zeros((len(records), shadows.k))  # the rates of times and delays of records, in steps
        self._rates: dict[tuple[Instant, int], np.ndarray] = {}  # of the times of what is delayed, in steps
        self._end_rate: np.ndarray | float = 0.0  # of the next time to stop at, if nothing is due there

    def vary(self, k: int, worlds: Iterable[tuple[float, World]], extrapolated: Callable) -> None:
        """Let times and delays vary with a parameter, as in worlds in which it is so much larger."""
        step = float(self._run.model.step)
        found = (
            (e, np.array([one.time or one.delay for one in not_none(w.blueprint.triggers).records])) for e, w in worlds
        )
        self._delays[:, k] = extrapolated(found) / step

    def _await(self, k: int, seconds: float) -> None:
        before = {*self._pending}
        super()._await(k, seconds)
        (found,) = {*self._pending} - before
        self._rates[found] = self._done_rate + self._delays[k]

    def _stop_at(self, instant: Instant, precedes: bool = False) -> None:
        super()._stop_at(instant, precedes)
        first = self._pending[0] if self._pending else None
        is_due = first is not None and first[0] == instant
        rate = self._rates.get(first, self._delays[first[1]]) if first is not None and is_due else self._end_rate
        self._shadows.of(self._guards.stop_part)[0] = rate

    def _locate(self, place: tuple, proceed: Callable[[int], None]) -> None:
        self._end_rate = self._shadows.of(self._guards.begun_part)[0].copy()
        super()._locate(place, proceed)
        self._end_rate = 0.0

    def _end_at(self, go: Callable[[float], object], part: float) -> None:
        rates = []
        for self._end_rate in (0.0, LARGE):
            go(part)
            guards = self._guards
            due = np.flatnonzero((guards.armed == ARMED) & ~(guards.value <= 0.0))
            rates.append(self._shadows.of(guards.value)[due[0] if len(due) else 0].copy())
        with np.errstate(divide="ignore", invalid="ignore"):
            found = -rates[0] * (LARGE / (rates[1] - rates[0]))
        self._end_rate = np.where(np.isfinite(found), found, 0.0)  # a condition that jumps has an instant of its own
        go(part)

    def place(self) -> tuple:
        """What `go_back` needs."""
        return *super().place(), dict(self._rates)

    def go_back(self, place: tuple) -> None:
        """Forget what happened since `place`."""
        *before, rates = place
        super().go_back(tuple(before))
        self._rates = dict(rates)
