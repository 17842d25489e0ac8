"""Sensors and controllers in a run with tangents: the derivatives of what they measure and give.

The kernel that reads numbers has tangents. The errors of a reading and the laws of controllers are Python: dual numbers
give their derivatives. Random numbers are constants, and so is a reading that is rounded to a quantum.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rigidsim.containers.dual import Dual
from rigidsim.engine.assembly.blueprint import ChannelRecord, SensingTables, SensorRecord
from rigidsim.engine.model.arrays import Program, Samples
from rigidsim.engine.sensing.sensors import ERRORS, SEED, ErrorNumbers, SensedRun, Sensing, errors_of
from rigidsim.jit.shadows import Shadows
from rigidsim.physics.quaternion import exp_full, product
from rigidsim.physics.vector import scaled


def hold_rates(shadows: Shadows, program: Program, register: np.ndarray, rates: np.ndarray) -> None:
    """Write the rates of numbers that are held, (held, K), where `put_held` writes the numbers."""
    constants = shadows.of(program.constant)
    if program.held is not None:
        constants.reshape(len(constants), -1)[program.held[:, 0]] = rates[program.held[:, 1]]
    shadows.of(register[: len(constants)])[...] = constants.reshape(len(constants), *register.shape[1:], -1)


class TangentSensing(Sensing):
    """The sensors and controllers of a run with tangents, in its only lane."""

    def __init__(
        self, run: SensedRun, written: SensingTables, step: float, caller: Callable, keeps: bool, shadows: Shadows
    ):
        self.shadows = shadows
        self.rates = np.zeros((written.n_held, shadows.k))  # of what is held
        self._walk_rates: dict[ChannelRecord, np.ndarray] = {}
        self._memory_rates: dict[int, list[np.ndarray | float]] = {}  # by the number of the controller
        self._given: dict[tuple[int, int], np.ndarray] = {}  # of outputs, by when they take effect, and the controller
        super().__init__(run, written, step, (0,), caller, keeps)

    def _hold_own(self) -> None:
        super()._hold_own()
        if self._arrays is not None:
            hold_rates(self.shadows, self._tables.program, self._arrays.register, self.rates)

    def _evaluate(self, present: Samples) -> None:
        self._seen = b""  # the rates may be others
        super()._evaluate(present)

    def _rates_of(self, first: int, count: int) -> np.ndarray:
        """(number, K) the rates of some of the numbers that were read."""
        registers = self._tables.folds[first : first + count, 1]
        return self.shadows.of(self._registers)[registers].reshape(count, -1)

    def _duals(self, first: int, count: int) -> list[Dual]:
        """Some of the numbers that were read."""
        pairs = zip(self._numbers(first, count), self._rates_of(first, count), strict=True)
        return [Dual(value, rates) for value, rates in pairs]

    # --- sensors

    def _measure(self, k: int, present: Samples) -> None:
        sensor = self._written.sensors[k]
        for channel in sensor.channels:
            found = self._rates_of_reading(sensor, channel)
            self.rates[channel.held : channel.held + channel.width] = found
        super()._measure(k, present)

    def _rates_of_reading(self, sensor: SensorRecord, channel: ChannelRecord) -> np.ndarray:
        """(component, K) the rates of a channel of a reading."""
        truth = self._rates_of(channel.truth, channel.width)
        if channel.errors < 0:
            return truth
        n = errors_of(channel)
        bias, noise, step, _ = self._rates_of(channel.errors, ERRORS * n).reshape(ERRORS, n, -1)
        errors = ErrorNumbers.of(*self._numbers(channel.errors, ERRORS * n).reshape(ERRORS, n, -1))
        walk = self._walk_rates.get(channel, np.zeros_like(bias))
        error, walked = errors.bias + self._walks[channel], bias + walk
        if errors.is_random:
            samples = (self._run.n - self._begun) // sensor.every
            white, further = self._streams[channel].at(samples, self._numbers(SEED, 1)[0])
            error, walked = error + errors.noise * white, walked + noise * white
            self._walk_rates[channel] = walk + step * further
        if channel.turns:
            turn = [Dual(value, rate) for value, rate in zip(error, walked, strict=True)]
            found = product(tuple(self._duals(channel.truth, channel.width)), exp_full(scaled(0.5, tuple(turn))))
            return np.array([one.derivative for one in found])
        return np.where(errors.quantum > 0.0, 0.0, truth + walked)

    # --- controllers

    def _control(self, k: int) -> None:
        block = self._controllers[k]
        record, width = block.record, len(block.record.outputs)
        rates = self._memory_rates.get(k, [0.0] * len(block.memory))
        memory = [Dual(value, rate) for value, rate in zip(block.memory.copy(), rates, strict=True)]
        memory[0] = memory[0].value  # a choice
        law: Any = block.law  # of dual numbers, too
        found = law.output(self._duals(record.first, record.count), memory, block.period)
        rate = found.derivative if isinstance(found, Dual) else 0.0
        self._memory_rates[k] = [one.derivative if isinstance(one, Dual) else 0.0 for one in memory]
        self._given[self._run.n + record.delay, k] = np.broadcast_to(rate, (width, self.shadows.k))
        super()._control(k)

    def _take(self, k: int, values: np.ndarray) -> None:
        first = self._controllers[k].record.held
        self.rates[first : first + len(values)] = self._given.pop((self._run.n, k))
        super()._take(k, values)

    # --- what is kept

    def place(self) -> tuple:
        """What `go_back` needs."""
        return super().place(), self.rates.copy(), dict(self._walk_rates), dict(self._memory_rates), dict(self._given)

    def go_back(self, place: tuple) -> None:
        """Forget what was sampled since `place`."""
        place, rates, walks, memory, given = place
        self.rates = rates.copy()
        self._walk_rates, self._memory_rates, self._given = dict(walks), dict(memory), dict(given)
        super().go_back(place)
