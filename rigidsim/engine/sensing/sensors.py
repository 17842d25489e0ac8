"""Sensors and controllers of a block: a clock of whole steps stops the kernels, Python samples, and what was sampled is
held as constants of expressions until the next sample.

So a step, a kernel and an integrator know nothing of them: between samples these numbers are constants, and a method
keeps its order. All random numbers are functions of seed, sensor and sample (`noise.py`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple, Protocol

import numpy as np

from rigidsim.engine.assembly.blueprint import ChannelRecord, ControllerRecord, SensingTables, SensorRecord
from rigidsim.engine.assembly.lanes import overwrite
from rigidsim.engine.model.arrays import Metrics, Model, Program, Samples, Scratch, floats, made
from rigidsim.engine.model.layout import CHAIN, SCALAR
from rigidsim.engine.model.programs import fill, put_held, run_program
from rigidsim.engine.outputs.metrics import read_sample
from rigidsim.engine.sensing.controllers import INPUT, ControlBlock, ControllerFault, Faults
from rigidsim.engine.sensing.noise import Stream
from rigidsim.engine.sensing.rays import distance
from rigidsim.jit.kernels import Kernel, kernel
from rigidsim.physics.noise import quantised
from rigidsim.physics.quaternion import exp_full, product
from rigidsim.physics.vector import scaled

SEED = 0
"""The number of the seed among the numbers that are read."""
LATEST = np.iinfo(np.int64).max
ERRORS = 4
"""Numbers of the errors of a component: bias, noise of a sample, step of the random walk, quantum."""


@kernel
def read_numbers(tables, t, samples, chains, register, lanes):
    """Compute all numbers that sensors and controllers read, from the first sample, taken at time t (s)."""
    program = tables.program
    fill(register[len(program.constant)], t, lanes)
    read_sample(tables, samples, 0, chains, register, lanes)
    run_program(program.code, program.first, program.tables, register, lanes)


class _Arrays(NamedTuple):
    """The working arrays of the kernel."""

    chains: np.ndarray = floats(2, CHAIN)
    register: np.ndarray = floats("registers", SCALAR)


class ErrorNumbers(NamedTuple):
    """The errors of a channel, (component, lane) each."""

    bias: np.ndarray
    noise: np.ndarray
    walk: np.ndarray
    quantum: np.ndarray
    is_random: bool
    is_rounded: bool

    @classmethod
    def of(cls, bias: np.ndarray, noise: np.ndarray, walk: np.ndarray, quantum: np.ndarray) -> ErrorNumbers:
        """Those numbers."""
        return cls(bias, noise, walk, quantum, bool(noise.any() or walk.any()), bool(quantum.any()))


class SensedRun(Protocol):
    """What sensors and controllers need of a run."""

    n: int
    done: float
    model: Model

    @property
    def time(self) -> float: ...

    def present(self) -> Samples:
        """A sample of the present state."""

    def hold(self, values: np.ndarray) -> None:
        """Make these the numbers that are held, (held, lane), and begin to step anew."""


class Sensing:
    """The sensors and controllers of a run."""

    def __init__(
        self, run: SensedRun, written: SensingTables, step: float, lanes: tuple[int, ...], caller: Callable, keeps: bool
    ):
        self._run, self._written, self._step, self._lanes, self._keeps = run, written, step, lanes, keeps
        self._read = caller(read_numbers)
        self._tables: Metrics
        self._errors: dict[ChannelRecord, ErrorNumbers] = {}
        self._arrays: _Arrays | None = None
        self._streams = {channel: Stream(channel.stream, errors_of(channel)) for _, channel in self._channels()}
        self._clocks = written.clocks  # steps
        self._constant: dict[ControllerRecord, bool] = {}  # which read numbers of the scene only
        self._begun = np.zeros(len(lanes), np.int64)  # the step that was the first one of each lane
        self._now = np.zeros(len(lanes))  # s, the present time of each
        self._live: np.ndarray | None = None  # the lanes that are sampled now, None for all
        self._seen = b""  # what was held when the numbers were computed, as far as they need it; empty if unknown
        self._begin()

    def _begin(self) -> None:
        """Begin without samples."""
        n = len(self._lanes)
        self.held = np.zeros((self._written.n_held, n))
        self._walks = {channel: np.zeros((errors_of(channel), n)) for _, channel in self._channels()}
        self._pending: list[tuple[int, int, np.ndarray]] = []  # step, number of the controller, (output, lane)
        self._log: list[tuple[int, int, np.ndarray]] = []  # number of the sensor or controller, step, readings
        self.faults: Faults = {}
        self._begun[:] = 0
        try:
            self._controllers = [ControlBlock(one, self._step, n) for one in self._written.controllers]
        except ControllerFault as error:
            self._controllers, self.faults = [], dict.fromkeys(range(n), str(error))

    @property
    def trouble(self) -> str:
        """Why no lane can go on; empty if one can."""
        return self.faults[0] if len(self.faults) == len(self._lanes) else ""

    def _channels(self) -> Iterator[tuple[SensorRecord, ChannelRecord]]:
        return ((sensor, channel) for sensor in self._written.sensors for channel in sensor.channels)

    def enter(self, model: Model) -> Model:
        """Take over the tables of the present tree; returns the model without them, for the stepper."""
        assert model.sensing is not None
        self._tables, self._errors, self._constant = model.sensing, {}, {}
        if self._arrays is None:
            program = self._tables.program
            sizes = {"lanes": len(self._lanes), "registers": program.first + len(program.code)}
            self._arrays = made(_Arrays, sizes)
        self._hold_own()
        return model._replace(sensing=None)

    def begin_again(self, model: Model) -> None:
        """Take over the values of other worlds of this structure, of which nothing was sampled so far."""
        overwrite(self._tables, model.sensing)
        self._errors = {}
        self._begin()
        self._hold_own()

    def begin_lanes(self, lanes: np.ndarray) -> None:
        """Let worlds, whose numbers are in the tables, begin in these lanes, at a step at which all is due."""
        self._errors, self._begun[lanes] = {}, self._run.n
        rows = self.held, *(block.memory for block in self._controllers), *(one[2] for one in self._pending)
        for each in rows:
            each[:, lanes] = 0.0
        for channel, walk in self._walks.items():
            self._walks[channel] = walk.copy()
            self._walks[channel][:, lanes] = 0.0
        for lane in lanes.tolist():
            self.faults.pop(lane, None)
        self._hold_own()

    @property
    def tables(self) -> Metrics | None:
        """The tables of the present tree."""
        return self._tables

    def arrays(self) -> tuple:
        """The arrays of the kernel that begin with numbers of the scene."""
        return self._tables, self._arrays

    def calls(self, one: Samples) -> Iterator[tuple[Kernel, tuple]]:
        """A call of the kernel, for one sample."""
        yield self._read, self._reading(0.0, one)

    def _times(self) -> np.ndarray:
        """(lane) the present time of each world, s."""
        return (self._run.n - self._begun + self._run.done) * self._step

    @property
    def _registers(self) -> np.ndarray:
        assert self._arrays is not None
        return self._arrays.register

    def _reading(self, t: float | np.ndarray, samples: Samples) -> tuple:
        assert self._arrays is not None
        return self._tables, t, samples, self._arrays.chains, self._arrays.register, self._lanes

    # --- the clock

    def next_after(self, n: int) -> int:
        """The next step after step n at whose beginning anything is sampled, or takes effect."""
        later = [due for due, _, _ in self._pending if due > n]
        return min(*[(n // every + 1) * every for every in self._clocks], *later, LATEST)

    def sample(self, lanes: np.ndarray | None = None) -> None:
        """Sample all that is due at the present time, if anything is; in some lanes, or all."""
        if self._run.done != 0.0 or self.trouble:
            return
        before = self.held.copy()
        with np.errstate(all="ignore"):
            self._sample_due(lanes)
        if not np.array_equal(before, self.held):
            self._run.hold(self.held)

    def _sample_due(self, lanes: np.ndarray | None) -> None:
        """Sample what is due at the present step, in some lanes or all."""
        n = self._run.n
        sensors = [k for k, one in enumerate(self._written.sensors) if n % one.every == 0]
        controllers = [k for k, one in enumerate(self._controllers) if n % one.record.every == 0]
        arriving = [one for one in self._pending if one[0] <= n]
        if not (sensors or controllers or arriving):
            return
        self._choose(lanes)
        present = self._run.present()
        self._pending = [one for one in self._pending if one[0] > n]
        for _, k, values in arriving:
            self._take(k, values)
        if sensors:
            self._evaluate(present)
            for k in sensors:
                self._measure(k, present)
        for k in controllers:
            self._evaluate(present)
            self._control(k)

    def _choose(self, lanes: np.ndarray | None) -> None:
        """Sample in these lanes, or all, but in none that has failed."""
        self._seen, self._live = b"", None
        if lanes is not None or self.faults:
            self._live = np.full(len(self._lanes), lanes is None)
            self._live[list(self.faults) if lanes is None else lanes] = lanes is not None

    def _fail(self, faults: Faults) -> None:
        """These lanes are not sampled any more."""
        times = self._times()
        if self._live is None:
            self._live = np.ones(len(times), bool)
        for lane, why in faults.items():
            self.faults[lane], self._live[lane] = f"{why} at t = {times[lane]:.9g} s", False

    def _evaluate(self, present: Samples) -> None:
        """Compute all numbers from a sample and what is held now, if they are not known."""
        program = self._tables.program
        needed = self.held[program.held[:, 1]].tobytes() if program.held is not None else b"nothing"
        if needed != self._seen:
            self._hold_own()
            if self._begun.any():
                self._now[:] = self._times()
            self._read(*self._reading(self._now if self._begun.any() else self._run.time, present))
            self._seen = needed

    def _numbers(self, first: int, count: int) -> np.ndarray:
        """(number, lane) some of the numbers that were read."""
        return self._registers.take(self._tables.folds[first : first + count, 1], axis=0)

    def _measure(self, k: int, present: Samples) -> None:
        """Take a reading of a sensor."""
        sensor = self._written.sensors[k]
        readings = [self._reading_of(sensor, channel, present) for channel in sensor.channels]
        found = readings[0] if len(readings) == 1 else np.concatenate(readings)
        if not math.isfinite(found.sum()) and not np.isfinite(found).all():
            live = True if self._live is None else self._live
            wrong = {int(lane): found[row, lane] for row, lane in np.argwhere(~np.isfinite(found) & live)[::-1]}
            where = f"{sensor.body}.sensors.{sensor.name}"
            self._fail({lane: f"{where} measured {value:g}" for lane, value in wrong.items()})
        for channel, values in zip(sensor.channels, readings, strict=True):
            self._set(channel.held, values)
        self._keep(k, found)

    def _set(self, first: int, values: np.ndarray) -> None:
        """Hold these numbers, (number, lane), from now on, in the lanes that are sampled."""
        held = self.held[first : first + len(values)]
        held[:] = values if self._live is None else np.where(self._live, values, held)

    def _reading_of(self, sensor: SensorRecord, channel: ChannelRecord, present: Samples) -> np.ndarray:
        """(component, lane) a channel of a reading: the truth with its errors."""
        if channel.truth < 0:
            assert sensor.ray is not None
            truth = distance(sensor.ray, present, len(self._lanes))[np.newaxis]
        else:
            truth = self._numbers(channel.truth, channel.width).copy()
        if channel.errors < 0:
            return truth
        errors = self._errors_of(channel)
        error = errors.bias + self._walks[channel]
        if errors.is_random:
            samples = (self._run.n - self._begun) // sensor.every
            white, further = self._streams[channel].at(samples, self._numbers(SEED, 1)[0])
            error = error + errors.noise * white
            walk = self._walks[channel]
            walked = walk + errors.walk * further
            self._walks[channel] = walked if self._live is None else np.where(self._live, walked, walk)
        if channel.turns:
            return np.stack(product(tuple(truth), exp_full(scaled(0.5, tuple(error)))))
        return quantised(truth + error, errors.quantum) if errors.is_rounded else truth + error

    def _errors_of(self, channel: ChannelRecord) -> ErrorNumbers:
        """The numbers of the errors of a channel, which are constants of the scene."""
        if channel not in self._errors:
            numbers = self._numbers(channel.errors, ERRORS * errors_of(channel))
            self._errors[channel] = ErrorNumbers.of(*numbers.reshape(ERRORS, errors_of(channel), -1))
        return self._errors[channel]

    def _control(self, k: int) -> None:
        """Let a controller compute its outputs."""
        block = self._controllers[k]
        record, due = block.record, self._run.n + block.record.delay
        values, faults = block.sample(self._times, list(self._numbers(record.first, record.count)), self._live)
        if faults:
            self._fail(faults)
        if not record.delay:
            self._take(k, values)
            return
        known = next((one[2] for one in self._pending if one[:2] == (due, k)), None)
        if known is None:
            self._pending.append((due, k, values if self._live is None else np.where(self._live, values, 0.0)))
        else:  # of lanes that begin now
            known[:, self._live] = values[:, self._live]

    def set_inputs(self, values: Mapping[str, float | np.ndarray]) -> None:
        """Let controllers of the type `input` give numbers, of all lanes or of each, from now on. Raises KeyError if
        there is no such controller.
        """
        numbers = {one.record.name: k for k, one in enumerate(self._controllers) if one.record.law == INPUT}
        before = self.held.copy()
        self._choose(None)
        with np.errstate(all="ignore"):
            for name, value in values.items():
                block = self._controllers[numbers[name]]
                block.memory[1] = value
                if block.record not in self._constant:
                    self._constant[block.record] = self._is_constant(block.record)
                if not self._constant[block.record]:
                    self._evaluate(self._run.present())
                self._control(numbers[name])
        if not np.array_equal(before, self.held):
            self._run.hold(self.held)

    def _is_constant(self, record: ControllerRecord) -> bool:
        """Whether a controller reads numbers of the scene only, which are in their registers already."""
        program, registers = self._tables.program, self._tables.folds[record.first : record.first + record.count, 1]
        held = program.held[:, 0] if program.held is not None else ()
        return bool((registers < len(program.constant)).all() and not np.isin(registers, held).any())

    @property
    def inputs(self) -> dict[str, tuple[float, float]]:
        """The controllers of the type `input`, and the limits that they have now, in the first lane."""
        self._seen = b""
        self._evaluate(self._run.present())
        records = (one.record for one in self._controllers if one.record.law == INPUT)
        return {one.name: tuple(self._numbers(one.first + 1, 2)[:, 0].tolist()) for one in records}

    def _take(self, k: int, values: np.ndarray) -> None:
        """Hold the outputs of a controller from now on."""
        self._set(self._controllers[k].record.held, values)
        self._keep(len(self._written.sensors) + k, values)

    def _hold_own(self) -> None:
        """Set the constants that are read here."""
        put_held(self._tables.program, self._registers, self.held)

    # --- what is kept

    def _keep(self, number: int, values: np.ndarray) -> None:
        if self._keeps:
            self._log.append((number, self._run.n, values.copy()))

    def log(self, lane: int) -> list[tuple[np.ndarray, np.ndarray]]:
        """Of each sensor, then of each controller, the steps of its samples since the log was emptied, and the numbers
        of a lane, (sample, number).
        """
        widths = widths_of(self._written)
        own: list[list[tuple[int, np.ndarray]]] = [[] for _ in widths]
        for number, step, values in self._log:
            own[number].append((step, values[:, lane]))
        return [
            (np.array([step for step, _ in each], np.int64), np.array([one for _, one in each]).reshape(-1, width))
            for each, width in zip(own, widths, strict=True)
        ]

    def forget_log(self) -> None:
        """Empty the log."""
        self._log.clear()

    def place(self) -> tuple:
        """What `go_back` needs."""
        memory = [block.memory.copy() for block in self._controllers]
        return self._tables, self.held.copy(), dict(self._walks), list(self._pending), memory, len(self._log)

    def go_back(self, place: tuple) -> None:
        """Forget what was sampled since `place`."""
        self._tables, held, walks, pending, memory, count = place
        self._errors = {}
        self.held, self._walks, self._pending, self.faults = held.copy(), dict(walks), list(pending), {}
        for block, values in zip(self._controllers, memory, strict=True):
            block.memory[:] = values
        del self._log[count:]
        self._hold_own()

    def checkpoint(self) -> dict[str, np.ndarray]:
        """What `resume` needs."""
        found: dict[str, np.ndarray] = {"sensing.held": self.held.copy()}
        found |= {f"sensing.walk.{k}": walk for k, walk in enumerate(self._walks.values())}
        found |= {f"sensing.memory.{k}": block.memory.copy() for k, block in enumerate(self._controllers)}
        found["sensing.pending"] = np.array([one[:2] for one in self._pending], np.int64).reshape(-1, 2)
        return found | {f"sensing.pending.{k}": one[2] for k, one in enumerate(self._pending)}

    def resume(self, checkpoint: Mapping[str, np.ndarray]) -> None:
        """Continue with what was known when `checkpoint` was made."""
        self.held = checkpoint["sensing.held"].copy()
        self._walks = {one: checkpoint[f"sensing.walk.{k}"].copy() for k, one in enumerate(self._walks)}
        for k, block in enumerate(self._controllers):
            block.memory[:] = checkpoint[f"sensing.memory.{k}"]
        pending = checkpoint["sensing.pending"].reshape(-1, 2).tolist()
        self._pending = [(n, k, checkpoint[f"sensing.pending.{i}"].copy()) for i, (n, k) in enumerate(pending)]
        self._hold_own()


def errors_of(channel: ChannelRecord) -> int:
    """How many numbers the errors of a channel have."""
    return 3 if channel.turns else channel.width


def widths_of(written: SensingTables) -> list[int]:
    """How many numbers each sensor, then each controller, gives at a sample."""
    sensors = [sum(channel.width for channel in one.channels) for one in written.sensors]
    return [*sensors, *(len(one.outputs) for one in written.controllers)]


def programs_held(model: Model, scratch: Scratch) -> Iterator[tuple[Program, np.ndarray]]:
    """The programs of a model that may read numbers that are held, with their registers."""
    if model.expressions and scratch.working:
        yield model.expressions.script, scratch.working.register
    if model.guards is not None:
        yield model.guards.program, scratch.guards.register


def hold(model: Model, scratch: Scratch, values: np.ndarray) -> None:
    """Make these the numbers that are held, (held, lane), in a model and its scratch arrays."""
    for program, register in programs_held(model, scratch):
        put_held(program, register, values)
