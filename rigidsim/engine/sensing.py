"""Sensors and controllers of a block: a clock of whole steps stops the kernels, Python samples, and what was sampled is
held as constants of expressions until the next sample.

So a step, a kernel and an integrator know nothing of them: between samples these numbers are constants, and a method
keeps its order. All random numbers are functions of seed, sensor and sample (`noise.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple, Protocol

import numpy as np

from rigidsim.engine.assembly.blueprint import ChannelRecord, SensingTables, SensorRecord
from rigidsim.engine.controllers import INPUT, ControlBlock, ControllerFault
from rigidsim.engine.lanes import overwrite
from rigidsim.engine.layout import CHAIN, SCALAR
from rigidsim.engine.metrics import read_sample
from rigidsim.engine.model import Metrics, Model, Samples, Scratch, floats, made
from rigidsim.engine.noise import Stream
from rigidsim.engine.programs import fill, put_held, run_program
from rigidsim.engine.rays import distance
from rigidsim.jit.kernels import Kernel, kernel
from rigidsim.physics.noise import quantised
from rigidsim.physics.quaternion import exp_full, product
from rigidsim.physics.vector import scaled

SEED = 0
"""The number of the seed among the numbers that are read."""
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
    def of(cls, *numbers: np.ndarray) -> ErrorNumbers:
        """Those numbers."""
        _, noise, walk, quantum = numbers
        return cls(*numbers, bool(noise.any() or walk.any()), bool(quantum.any()))


class Run(Protocol):
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
        self, run: Run, written: SensingTables, step: float, lanes: tuple[int, ...], caller: Callable, keeps: bool
    ):
        self._run, self._written, self._step, self._lanes, self._keeps = run, written, step, lanes, keeps
        self._read = caller(read_numbers)
        self._tables: Metrics | None = None
        self._errors: dict[ChannelRecord, ErrorNumbers] = {}
        self._arrays: _Arrays | None = None
        self._streams = {channel: Stream(channel.stream, errors_of(channel)) for _, channel in self._channels()}
        self.trouble = ""
        self._begin()

    def _begin(self) -> None:
        """Begin without samples."""
        n = len(self._lanes)
        self.held = np.zeros((self._written.n_held, n))
        self._walks = {channel: np.zeros((errors_of(channel), n)) for _, channel in self._channels()}
        self._pending: list[tuple[int, int, np.ndarray]] = []  # step, number of the controller, (output, lane)
        self._log: list[tuple[int, int, np.ndarray]] = []  # number of the sensor or controller, step, readings
        try:
            self._controllers = [ControlBlock(one, self._step, n) for one in self._written.controllers]
        except ControllerFault as error:
            self._controllers, self.trouble = [], str(error)

    def _channels(self) -> Iterator[tuple[SensorRecord, ChannelRecord]]:
        return ((sensor, channel) for sensor in self._written.sensors for channel in sensor.channels)

    def enter(self, model: Model) -> Model:
        """Take over the tables of the present tree; returns the model without them, for the stepper."""
        self._tables, self._errors = model.sensing, {}
        if self._arrays is None:
            program = self._tables.program
            sizes = {"lanes": len(self._lanes), "registers": program.first + len(program.code)}
            self._arrays = made(_Arrays, sizes)
        self._hold_own()
        return model._replace(sensing=None)

    def begin_again(self, model: Model) -> None:
        """Take over the values of other worlds of this structure, of which nothing was sampled so far."""
        overwrite(self._tables, model.sensing)
        self.trouble, self._errors = "", {}
        self._begin()
        self._hold_own()

    @property
    def tables(self) -> Metrics | None:
        """The tables of the present tree."""
        return self._tables

    def calls(self, one: Samples) -> Iterator[tuple[Kernel, tuple]]:
        """A call of the kernel, for one sample."""
        yield self._read, self._reading(0.0, one)

    def _reading(self, t: float, samples: Samples) -> tuple:
        return self._tables, t, samples, self._arrays.chains, self._arrays.register, self._lanes

    # --- the clock

    def next_after(self, n: int) -> int:
        """The next step after step n at whose beginning anything is sampled, or takes effect."""
        clocks = (one.every for one in (*self._written.sensors, *self._written.controllers))
        later = (due for due, _, _ in self._pending if due > n)
        return min(*((n // every + 1) * every for every in clocks), *later, np.iinfo(np.int64).max)

    def sample(self) -> None:
        """Sample all that is due at the present time, if anything is."""
        run = self._run
        if run.done != 0.0 or self.trouble:
            return
        sensors = [k for k, one in enumerate(self._written.sensors) if run.n % one.every == 0]
        controllers = [k for k, one in enumerate(self._controllers) if run.n % one.record.every == 0]
        arriving = [one for one in self._pending if one[0] <= run.n]
        if not (sensors or controllers or arriving):
            return
        before, present = self.held.copy(), run.present()
        self._pending = [one for one in self._pending if one[0] > run.n]
        for _, k, values in arriving:
            self._take(k, values)
        try:
            if sensors:
                self._evaluate(present)
                for k in sensors:
                    self._measure(k, present)
            for k in controllers:
                self._evaluate(present)
                self._control(k)
        except ControllerFault as error:
            self.trouble = f"{error} at t = {run.time:.9g} s"
        if not np.array_equal(before, self.held):
            run.hold(self.held)

    def _evaluate(self, present: Samples) -> None:
        """Compute all numbers from a sample and what is held now."""
        self._hold_own()
        self._read(*self._reading(self._run.time, present))

    def _numbers(self, first: int, count: int) -> np.ndarray:
        """(number, lane) some of the numbers that were read."""
        return self._arrays.register[self._tables.folds[first : first + count, 1]]

    def _measure(self, k: int, present: Samples) -> None:
        """Take a reading of a sensor."""
        sensor = self._written.sensors[k]
        readings = [self._reading_of(sensor, channel, present) for channel in sensor.channels]
        for channel, values in zip(sensor.channels, readings, strict=True):
            self.held[channel.held : channel.held + channel.width] = values
        if not np.isfinite(found := np.concatenate(readings)).all():
            raise ControllerFault(f"{sensor.body}.sensors.{sensor.name} measured {found[~np.isfinite(found)][0]:g}")
        self._keep(k, found)

    def _reading_of(self, sensor: SensorRecord, channel: ChannelRecord, present: Samples) -> np.ndarray:
        """(component, lane) a channel of a reading: the truth with its errors."""
        if channel.truth < 0:
            truth = distance(sensor.ray, present, len(self._lanes))[np.newaxis]
        else:
            truth = self._numbers(channel.truth, channel.width).copy()
        if channel.errors < 0:
            return truth
        errors = self._errors_of(channel)
        error = errors.bias + self._walks[channel]
        if errors.is_random:
            sample = self._run.n // sensor.every
            white, further = self._streams[channel].at(sample, self._numbers(SEED, 1)[0])
            error = error + errors.noise * white
            self._walks[channel] = self._walks[channel] + errors.walk * further
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
        record, now = block.record, self._run.n
        values = block.sample(self._run.time, list(self._numbers(record.first, record.count)))
        if record.delay:
            self._pending.append((now + record.delay, k, values))
        else:
            self._take(k, values)

    def set_input(self, name: str, value: float) -> None:
        """Let a controller of the type `input` give a number, from now on. Raises KeyError if there is none."""
        k = {one.record.name: k for k, one in enumerate(self._controllers) if one.record.law == INPUT}[name]
        self._controllers[k].memory[1] = value
        before = self.held.copy()
        self._evaluate(self._run.present())
        self._control(k)
        if not np.array_equal(before, self.held):
            self._run.hold(self.held)

    @property
    def inputs(self) -> dict[str, tuple[float, float]]:
        """The controllers of the type `input`, and the limits that they have now, in the first lane."""
        self._evaluate(self._run.present())
        records = (one.record for one in self._controllers if one.record.law == INPUT)
        return {one.name: tuple(self._numbers(one.first + 1, 2)[:, 0].tolist()) for one in records}

    def _take(self, k: int, values: np.ndarray) -> None:
        """Hold the outputs of a controller from now on."""
        first = self._controllers[k].record.held
        self.held[first : first + len(values)] = values
        self._keep(len(self._written.sensors) + k, values)

    def _hold_own(self) -> None:
        """Set the constants that are read here."""
        put_held(self._tables.program, self._arrays.register, self.held)

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
        self.held, self._walks, self._pending, self.trouble = held.copy(), dict(walks), list(pending), ""
        for block, values in zip(self._controllers, memory, strict=True):
            block.memory[:] = values
        del self._log[count:]
        self._hold_own()

    def checkpoint(self) -> dict[str, np.ndarray]:
        """What `resume` needs."""
        found = {"sensing.held": self.held.copy()}
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


def hold(model: Model, scratch: Scratch, values: np.ndarray) -> None:
    """Make these the numbers that are held, (held, lane), in a model and its scratch arrays."""
    if model.expressions:
        put_held(model.expressions.script, scratch.working.register, values)
    if model.guards is not None:
        put_held(model.guards.program, scratch.guards.register, values)
