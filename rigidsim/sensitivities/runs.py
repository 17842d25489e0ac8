"""A run whose kernels have tangents: the derivatives of all that they compute, with respect to parameters of its scene.

Kernels give the derivatives of a run with respect to the numbers of its model and its first state (`jit/tangents.py`).
How these numbers depend on a parameter, and how a reparenting changes the tree, is computed by Python, which has no
tangents: there, differences of worlds beside that of the scene are extrapolated, which costs no digits.
Source: Richardson, The approximate arithmetical solution by finite differences (1911).
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rigidsim.engine import layout
from rigidsim.engine.assembly.blueprint import World
from rigidsim.engine.contact.running import ContactRun
from rigidsim.engine.events import RecordedEvents
from rigidsim.engine.model import Samples, Scratch
from rigidsim.engine.run import BlockRun
from rigidsim.jit.kernels import Kernel
from rigidsim.jit.shadows import Shadows, TangentCaller
from rigidsim.sensitivities.parameters import Beside, leaves
from rigidsim.tree.history import TreeChange


def numbers_of(run: BlockRun) -> list[np.ndarray]:
    """All arrays of floats that a run begins with; not those of samples, and of metrics not what was reduced."""
    metrics, arrays = run._metering.tables()
    parts = run.model, run.state, run._scratch, metrics, arrays and arrays._replace(memory=None), run.contacts.arrays
    return [array for array in leaves(parts) if array.dtype == np.float64]


class TangentContactRun(ContactRun):
    """Contact in a run with tangents: `rates` has those of the log, (event, component, K)."""

    def __init__(self, shadows: Shadows, recorded: bool):
        super().__init__(recorded)
        self.shadows, self.rates = shadows, []

    def take(self) -> bool:
        if self.arrays is not None and (n := self.arrays.record.count[0]):
            self.rates.append(self.shadows.of(self.arrays.record.log_value[:n]).copy())
        return super().take()


class BesideRun(BlockRun):
    """The run of a world beside that of a scene. Steps are not taken; it is built, and reparented. `trial` has the
    arrays of trials of other runs: their equations must serve for all of them.
    """

    def __init__(self, world: World, with_terms: bool):
        self.trial: Any = None
        super().__init__([world], 1, with_terms, {}, True)

    def _with_trial(self, scratch: Scratch) -> Scratch:
        scratch = super()._with_trial(scratch if self.trial is None else scratch._replace(trial=self.trial))
        self.trial = scratch.trial
        return scratch

    def values(self, trial: Any, edge_step: np.ndarray) -> list[np.ndarray]:
        """Copies of its numbers, with these trials; edges are those of the given steps, and the rest of their times."""
        self.trial = trial
        self._scratch = self._with_trial(self._scratch)
        edges = id(self.model.edge_fraction)
        moved = self.model.edge_step - edge_step
        return [array + moved if id(array) == edges else array.copy() for array in numbers_of(self)]


class TangentRun(BlockRun):
    """The run of a world with K tangents, of which the first are those of parameters, given by the worlds `beside`."""

    def __init__(
        self, k: int, beside: Sequence[Sequence[Beside]], world: World, with_terms: bool, contacts: ContactRun
    ):
        self.shadows, self.n_parameter = Shadows(k), len(beside)
        self._done_rate = np.zeros(k)  # of the part of a step that is done
        self.event_rates: list[np.ndarray] = []  # of `events`, (event, component, parameter)
        self._beside: list[list[tuple[float, BesideRun]]] = []
        own = TangentContactRun(self.shadows, contacts.recorded)
        super().__init__([world], 1, with_terms, {}, True, own)
        for worlds in beside:
            both = [(sign * one.size, w) for one in worlds for sign, w in ((1.0, one.up), (-1.0, one.down))]
            self._beside.append([(e, BesideRun(w, with_terms)) for e, w in both])
        self._seed()

    def _caller(self, kernel: Kernel) -> Callable:
        call = TangentCaller(kernel, self.shadows)
        if kernel.__name__ == "advance":
            call.carry("done", 1, self._done_rate)
        return call

    def _hindrance(self, world: World) -> str:
        return "derivatives are computed by general code"

    # --- what the kernels begin with

    def _seed(self) -> None:
        """Give the numbers of the model and the state their derivatives."""
        trial = self._scratch.trial
        for _, run in (pair for pairs in self._beside for pair in pairs):
            run.trial = trial
            trial = run._with_trial(run._scratch).trial
        steps = self.model.edge_step
        values = [[(e, run.values(trial, steps)) for e, run in pairs] for pairs in self._beside]
        if trial is not None:
            self._scratch = self._with_trial(self._scratch._replace(trial=trial))
        for i, array in enumerate(numbers_of(self)):
            for k, pairs in enumerate(values):
                self.shadows.of(array)[..., k] = extrapolated([(e, arrays[i]) for e, arrays in pairs])

    def _reparent(self, event: TreeChange, ending: int) -> None:
        """The worlds beside are reparented from the states and at the times that belong to them."""
        for k, pairs in enumerate(self._beside):
            for e, run in pairs:
                self._follow(run, k, e)
                own = event if event.number == layout.NO_ROW else run.schedule.reparentings[event.number]
                run._reparent(own, ending)
        super()._reparent(event, ending)
        for k, pairs in enumerate(self._beside):  # what Python recorded of it
            values = [(e, run.events.pop().value) for e, run in pairs]
            self.event_rates[-1][..., k] = extrapolated(values)
        self._seed()

    def _follow(self, run: BesideRun, k: int, e: float) -> None:
        """Bring the run of a world beside to the present time, if a parameter is e larger."""
        run.n, run.done, run.era, run._begun = self.n, self.done + e * self._done_rate[k], self.era, True
        run.state[:] = self.state + e * self.shadows.of(self.state)[..., k]
        if self.contacts.arrays is not None:
            mine = vars(self.contacts).items()
            parts = {name: copy.deepcopy(part) for name, part in mine if name not in ("record", "shadows", "rates")}
            vars(run.contacts).update(parts)
            for own, array in zip(leaves(self.contacts.arrays), leaves(run.contacts.arrays), strict=True):
                if own.dtype == np.float64:
                    array += e * self.shadows.of(own)[..., k]
            run._scratch = run.contacts._shared(run._scratch)

    # --- what they give

    def rates(self, array: np.ndarray) -> np.ndarray:
        """(..., parameter) the derivatives of an array of the run or of its samples."""
        return self.shadows.of(array)[..., : self.n_parameter]

    def metrics(self, present: Samples | None = None) -> np.ndarray:
        arrays = self._metering.tables()[1]
        if arrays is None:
            return super().metrics(present)
        reduced = self.shadows.of(arrays.memory).copy()
        found = super().metrics(present)
        self.shadows.of(arrays.memory)[:] = reduced  # as the memory itself
        return found

    def metric_rates(self) -> np.ndarray:
        """(metric, parameter) the derivatives of the metrics of the present state."""
        self.metrics()
        metrics, arrays = self._metering.tables()
        return self.rates(arrays.result)[metrics.result][:, 0] if metrics else np.zeros((0, self.n_parameter))

    def events_along(self, k: int) -> tuple[list[RecordedEvents], list[tuple[np.ndarray, np.ndarray]]]:
        """The records of events and of contact; the imaginary part of each number is its derivative."""
        scheduled = zip(self.events, self.event_rates, strict=True)
        touches = zip(self.contact.log, self.contacts.rates, strict=True)
        return (
            [one._replace(value=one.value + 1j * rates[..., k]) for one, rates in scheduled],
            [(rows, values + 1j * rates[..., k]) for (rows, values), rates in touches],
        )

    def _collect_events(self, before: list[World]) -> None:
        n = len(self.events)
        filled = 0 if self._buffer is None else int(self._buffer.filled[0])
        rates = self.rates(self._buffer.event_value[:filled]).copy() if filled else None
        super()._collect_events(before)
        self.event_rates += [rates] * (len(self.events) - n)

    # --- going back

    def place(self) -> tuple:
        arrays = [self.shadows.of(array).copy() for array in self._varying()]
        changes = (
            self.schedule.reparentings or self.worlds[0].blueprint.has_fragile
        )  # else those beside stay as they are
        beside = [run.place() for pairs in self._beside for _, run in pairs] if changes else []
        noted = len(self.event_rates), len(self.contacts.rates)
        return super().place(), arrays, beside, self._done_rate.copy(), noted

    def go_back(self, place: tuple) -> None:
        place, arrays, beside, done, (n_event, n_contact) = place
        super().go_back(place)
        for array, rates in zip(self._varying(), arrays, strict=True):
            self.shadows.of(array)[:] = rates
        for (_, run), one in zip((pair for pairs in self._beside for pair in pairs), beside, strict=False):
            run.go_back(one)
        self._done_rate[:] = done
        del self.event_rates[n_event:], self.contacts.rates[n_contact:]

    def _varying(self) -> list[np.ndarray]:
        """The arrays whose derivatives change in a run."""
        arrays = self._metering.tables()[1]
        return [*numbers_of(self), *([arrays.memory] if arrays else [])]


def extrapolated(values: Sequence[tuple[float, np.ndarray]]) -> np.ndarray:
    """The derivative of an array, of which there are pairs of values at +e and -e; each e is half of the one before. Of
    the columns of Richardson's table each element has the one that changed least.
    """
    before, found, gap = [], None, np.inf
    with np.errstate(invalid="ignore"):
        for (e, up), (_, down) in zip(values[::2], values[1::2], strict=True):
            line = [(up - down) / (2.0 * e)]
            for m, x in enumerate(before):
                line.append(line[-1] + (line[-1] - x) / (4.0 ** (m + 1) - 1.0))
            if before:
                change = abs(line[-1] - line[-2])
                found = np.where(change < gap, line[-1], 0.0 if found is None else found)
                gap = np.fmin(gap, change)
            before = line
    return np.where(np.isfinite(found), found, 0.0)
