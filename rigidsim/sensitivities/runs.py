"""A run whose kernels have tangents: the derivatives of all that they compute, with respect to parameters of its scene.

Kernels give the derivatives of a run with respect to the numbers of its model and its first state (`jit/tangents.py`).
How these numbers depend on a parameter, and how a reparenting changes the tree, is computed by Python, which has no
tangents: there, differences of worlds beside that of the scene are extrapolated, which costs no digits.
Source: Richardson, The approximate arithmetical solution by finite differences (1911).
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, groupby
from typing import Any

import numpy as np

from rigidsim.containers.optional import not_none
from rigidsim.engine.assembly.blueprint import SensingTables, TriggerRecord, World
from rigidsim.engine.assembly.lanes import lanes_of
from rigidsim.engine.contact.arrays import corners_of, put_corners
from rigidsim.engine.contact.run import ContactRun
from rigidsim.engine.events.buffer import RecordedEvents
from rigidsim.engine.model import layout
from rigidsim.engine.model.arrays import FLOATS, Model, Samples, Scratch, leaves, set_constants
from rigidsim.engine.time.run import BlockRun
from rigidsim.jit.kernels import Kernel
from rigidsim.jit.shadows import Shadows, TangentCaller
from rigidsim.sensitivities.instants import TangentTriggers
from rigidsim.sensitivities.parameters import Beside
from rigidsim.sensitivities.sampling import TangentSensing, hold_rates
from rigidsim.simulation.blocks import WorldGroup
from rigidsim.tree.history import TreeChange

EPS = np.finfo(float).eps


def source_of(trial: Any) -> Any:
    """Where the equations of trials come from, if they have some."""
    return getattr(trial, "source", None)


def numbers_of(run: BlockRun) -> list[np.ndarray]:
    """The arrays of floats that a world or the steps up to now determine; of metrics not what was reduced."""
    metrics, arrays = run._metering.tables()
    scratch, sensed = run._scratch, run.sensing and run.sensing.arrays()
    contacts = run.contacts.arrays
    trial = scratch.trial.constants() if source_of(scratch.trial) else ()
    constant = scratch.driven, scratch.working, trial, scratch.guards, sensed
    touching = contacts and (*run.contacts.kept(), *corners_of(contacts))
    memory = arrays.memory if arrays else None
    parts = run.model, run.state, constant, metrics, arrays, touching
    return [array for array in leaves(parts) if array.dtype == FLOATS and array.size and array is not memory]


class TangentContactRun(ContactRun):
    """Contact in a run with tangents: `rates` has those of the log, (event, component, K). Its blocks have one lane, as
    the tangents of one number fill a vector already; those of eight would not fit the registers.
    """

    def __init__(self, shadows: Shadows, recorded: bool):
        super().__init__(recorded, 1)
        self.shadows = shadows
        self.rates: list[np.ndarray] = []

    def begin_again(self) -> None:
        super().begin_again()
        self.rates = []

    def take(self) -> bool:
        if self.arrays is not None and (n := self.arrays.record.count[0]):
            self.rates.append(self.shadows.of(self.arrays.record.log_value[:n]).copy())
        return super().take()


class BesideRun(BlockRun):
    """The run of worlds beside that of a scene, one in each lane. Steps are not taken; they are built, and one alone is
    reparented. `trial` has arrays of trials whose equations must serve for all of them.
    """

    def __init__(self, world: World, n_lane: int, with_terms: bool, trial: Any):
        self.trial = trial
        self._last: tuple[WorldGroup, Model] | None = None  # the group and the model of what it became last
        super().__init__([world], n_lane, with_terms, {}, True)

    def _with_trial(self, scratch: Scratch) -> Scratch:
        scratch = super()._with_trial(scratch if self.trial is None else scratch._replace(trial=self.trial))
        self.trial = scratch.trial
        return scratch

    def become(self, group: WorldGroup, places: Sequence[int]) -> None:
        """Take the numbers of other worlds of the same structure, as many as there are lanes."""
        into = self._last[1] if self._last and self._last[0] is group else None
        model, self.state = group.block(places, into)
        self._last = group, model
        model = self.sensing.enter(model) if self.sensing else model
        self.model = self._metering.enter(model)
        self._metering.begin_again(model)
        set_constants(self._scratch, model, len(self._lanes))
        if self.contacts.arrays is not None and model.contacts is not None:
            put_corners(self.contacts.arrays, model.contacts)
        if self.sensing:
            self._put_held()

    def share(self, trial: Any) -> None:
        """Take the equations of these trials, or others that serve for this run, too."""
        if source_of(trial) is not source_of(self.trial):
            self.trial = trial
        self._scratch = self._with_trial(self._scratch)

    def values(self, edge_step: np.ndarray, own: Sequence[np.ndarray]) -> np.ndarray:
        """(number, lane) its numbers; edges are those of the given steps, and the rest of their times. `own` are the
        numbers of the run of one lane, which shares its equations.
        """
        edges, found = id(self.model.edge_fraction), []
        for alone, array in zip(own, numbers_of(self), strict=True):
            moved = array + (self.model.edge_step - edge_step) if id(array) == edges else array
            found.append(np.broadcast_to(moved.reshape(alone.size, -1), (alone.size, len(self._lanes))))
        return np.concatenate(found)


class TangentRun(BlockRun):
    """The run of a world with K tangents, of which the first are those of parameters, after `vary`."""

    contacts: TangentContactRun
    triggers: TangentTriggers | None
    sensing: TangentSensing | None

    def __init__(self, k: int, world: World, with_terms: bool, contacts: ContactRun):
        self.shadows, self.n_parameter = Shadows(k), 0
        self._done_rate = np.zeros(k)  # of the part of a step that is done
        self.event_rates: list[np.ndarray] = []  # of `events`, (event, component, parameter)
        super().__init__([world], 1, with_terms, {}, True, TangentContactRun(self.shadows, contacts.recorded))
        self._beside: list[list[tuple[float, BesideRun]]] = []  # whose trees change as that of this run does
        self._others: dict[int, BesideRun] = {}  # by their lanes; each becomes one group after the other

    def begin_with(self, world: World) -> None:
        super().begin_with(world)
        self.shadows.clear()
        self._done_rate[:], self.event_rates = 0.0, []

    def vary(self, beside: Sequence[Sequence[Beside]]) -> None:
        """Let parameters vary, before the first step; `beside` has the worlds beside for each."""
        self.n_parameter, blueprint, self._beside = len(beside), self.worlds[0].blueprint, []
        triggers = blueprint.triggers
        for k, worlds in enumerate(beside if self.triggers else ()):
            assert self.triggers is not None
            self.triggers.vary(k, ((one.larger, one.world) for one in worlds), extrapolated)
        if beside and (self.schedule.reparentings or blueprint.has_fragile or (triggers and triggers.renumbering)):
            self._beside = [[(one.larger, self._run_beside(one.world)) for one in worlds] for worlds in beside]
            self._seed(self._beside)
        elif beside:
            self._seed(beside)

    def _caller(self, kernel: Kernel) -> Callable:
        call = TangentCaller(kernel, self.shadows)
        if kernel.__name__ == "advance":
            call.carry("done", 1, self._done_rate)
        return call

    def _made_triggers(self, records: Sequence[TriggerRecord]) -> TangentTriggers:
        return TangentTriggers(self, records, self.schedule.step, self.shadows, self._done_rate)

    def _made_sensing(self, written: SensingTables, step: float, keeps: bool) -> TangentSensing:
        return TangentSensing(self, written, step, self._caller, keeps, self.shadows)

    def _hindrance(self, world: World) -> str:
        return "derivatives are computed by general code"

    def _put_held(self) -> None:
        super()._put_held()
        for program, register in self._programs_held():
            assert self.sensing is not None
            hold_rates(self.shadows, program, register, self.sensing.rates)

    # --- what the kernels begin with

    def _run_beside(self, world: World, n_lane: int = 1) -> BesideRun:
        return BesideRun(world, n_lane, self._with_terms, self._scratch.trial)

    def _seed(self, beside: Sequence[Sequence[Beside | tuple[float, BesideRun]]]) -> None:
        """Give the numbers of the model and the state the derivatives that worlds or runs beside this one give."""
        steps = self.model.edge_step
        columns: list[np.ndarray] = []
        while not columns:
            trial, own = self._scratch.trial, numbers_of(self)
            for run in self._each(beside):
                run.share(trial)
                if source_of(run.trial) is not source_of(trial):  # those before have numbers of these equations, too
                    self._scratch, columns = self._with_trial(self._scratch._replace(trial=run.trial)), []
                    break
                columns.append(run.values(steps, own))
        self._scratch = self._with_trial(self._scratch)  # of which those of one lane used the arrays
        values = np.hstack(columns)
        varies = (values != values[:, :1]).any(axis=1)
        found, rates, end = iter(values[varies].T), np.zeros((len(varies), len(beside))), 0
        for k, pairs in enumerate(beside):
            rates[varies, k] = extrapolated([(one[0], next(found)) for one in pairs])
        for array in own:
            begin, end = end, end + array.size
            self.rates(array)[...] = rates[begin:end].reshape(*array.shape, len(beside))

    def _each(self, beside: Sequence[Sequence[Beside | tuple[float, BesideRun]]]) -> Iterator[BesideRun]:
        """The runs, in the order of the worlds; those of one group are side by side, if they can be."""
        for one, same in groupby(chain(*beside), lambda one: one.group if isinstance(one, Beside) else one[1]):
            if isinstance(one, BesideRun):
                yield one
                continue
            places = [each.place for each in same if isinstance(each, Beside)]
            lanes = len(places) if lanes_of(self.worlds[0]) > 1 else 1
            for k in range(0, len(places), lanes):
                if lanes not in self._others:
                    self._others[lanes] = self._run_beside(self.worlds[0], lanes)
                self._others[lanes].become(one, places[k : k + lanes])
                yield self._others[lanes]

    def _reparent(self, event: TreeChange, ending: int) -> None:
        def reparent(run: BesideRun) -> None:
            run._reparent(event if event.number == layout.NO_ROW else run.schedule.reparentings[event.number], ending)

        self._change(reparent, partial(super()._reparent, event, ending))

    def note_trigger(self, k: int, set_before: tuple[int, ...] = (), set_now: tuple[int, ...] = ()) -> None:
        """See `BlockRun`."""
        note = partial(super().note_trigger, k, set_before, set_now)
        if set_now != set_before:
            self._change(lambda run: run.note_trigger(k, set_before, set_now), note)
            return
        note()
        ledger = self.rates(not_none(self._buffer).pair.ledger)[0]
        energy = ledger[layout.LEDGER.kinetic] + ledger[layout.LEDGER.potential]
        rates, step = self.event_rates[-1][-1], float(self.model.step)
        rates[layout.HIT.time] = step * self._done_rate[: self.n_parameter]
        rates[layout.HIT.energy_before] = rates[layout.HIT.energy_after] = energy

    def empty_tank(self, node: int) -> None:
        """See `BlockRun`; the mass is zero, whatever the parameters are."""
        super().empty_tank(node)
        tangents = self.shadows.of(self.state[self.model.node[node, layout.NODE.row]])
        tangents[[layout.CONTENT.mass, layout.CONTENT.mass_low]] = 0.0

    def _change(self, each: Callable[[BesideRun], None], own: Callable[[], None]) -> None:
        """Change trees or numbers by Python: those of the worlds beside, from the states and at the times that belong
        to them, and those of this one.
        """
        for k, pairs in enumerate(self._beside):
            for e, run in pairs:
                self._follow(run, k, e)
                each(run)
        own()
        for k, pairs in enumerate(self._beside):  # what Python recorded of it
            values = [(e, run.events.pop().value) for e, run in pairs]
            self.event_rates[-1][..., k] = extrapolated(values)
        if self._beside:
            self._seed(self._beside)

    def _follow(self, run: BesideRun, k: int, e: float) -> None:
        """Bring the run of a world beside to the present time, if a parameter is e larger."""
        run.n, run.done, run.phase, run._begun = self.n, self.done + e * self._done_rate[k], self.phase, True
        run.state[:] = self.state + e * self.shadows.of(self.state)[..., k]
        if self.sensing:
            not_none(run.sensing).held[:, 0] = self.sensing.held[:, 0] + e * self.sensing.rates[:, k]
            run._put_held()
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
        self.shadows.of(self._metering.end)[0] = float(self.model.step) * self._done_rate
        self.metrics()
        metrics, arrays = self._metering.tables()
        if metrics is None or arrays is None:
            return np.zeros((0, self.n_parameter))
        return self.rates(arrays.result)[metrics.result][:, 0]

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
        buffer = self._buffer
        filled = 0 if buffer is None else int(buffer.filled[0])
        rates = self.rates(buffer.event_value[:filled]).copy() if buffer is not None and filled else np.zeros(0)
        super()._collect_events(before)
        self.event_rates += [rates] * (len(self.events) - n)

    # --- going back

    def place(self) -> tuple:
        arrays = [self.shadows.of(array).copy() for array in self._varying()]
        beside = [run.place() for pairs in self._beside for _, run in pairs]
        noted = len(self.event_rates), len(self.contacts.rates)
        return super().place(), arrays, beside, self._done_rate.copy(), noted

    def go_back(self, place: tuple) -> None:
        place, arrays, beside, done, (n_event, n_contact) = place
        super().go_back(place)
        for array, rates in zip(self._varying(), arrays, strict=True):
            self.shadows.of(array)[:] = rates
        for (_, run), one in zip((pair for pairs in self._beside for pair in pairs), beside, strict=True):
            run.go_back(one)
        self._done_rate[:] = done
        del self.event_rates[n_event:], self.contacts.rates[n_contact:]

    def _varying(self) -> list[np.ndarray]:
        """The arrays of floats whose values change in a run, and matter later."""
        arrays = self._metering.tables()[1]
        contacts = [array for array in self.contacts.kept() if array.dtype == np.float64]
        return [self.state, *contacts, *([arrays.memory] if arrays else [])]


def extrapolated(values: Iterable[tuple[float, np.ndarray]]) -> np.ndarray:
    """The derivative of an array, of which there are pairs of values at +e and -e; each e is half of the one before. Of
    the columns of Richardson's table each element has the one that changed least. If all are linear, to rounding, no
    more values are taken.
    """
    before: list[np.ndarray] = []
    found: np.ndarray = np.zeros(0)
    gap, pairs = np.inf, iter(values)
    with np.errstate(invalid="ignore"):
        for (e, up), (_, down) in zip(pairs, pairs, strict=True):
            line = [(up - down) / (2.0 * e)]
            rounding = EPS * (np.abs(up) + np.abs(down)) / abs(e)
            if len(before) == 1 and np.all(np.abs(line[0] - before[0]) <= rounding):
                return before[0]
            for m, x in enumerate(before):
                line.append(line[-1] + (line[-1] - x) / (4.0 ** (m + 1) - 1.0))
            if before:
                change = abs(line[-1] - line[-2])
                found = np.where(change < gap, line[-1], found if len(before) > 1 else 0.0)
                gap = np.fmin(gap, change)
            before = line
    return np.where(np.isfinite(found), found, 0.0)
