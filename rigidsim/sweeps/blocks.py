"""Blocks of runs: worlds of one structure side by side, or one alone."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from rigidsim.engine.lanes import LANES, lanes_of
from rigidsim.engine.metering import parts_read
from rigidsim.engine.model import Samples
from rigidsim.engine.run import NO_SAMPLES, BlockRun
from rigidsim.errors import SimulationError
from rigidsim.jit.kernels import watch_compilation
from rigidsim.scene import Scene
from rigidsim.simulation.batch import finite_lanes
from rigidsim.simulation.header import sample_count
from rigidsim.simulation.single import Simulation
from rigidsim.sweeps.recording import Recording
from rigidsim.sweeps.variants import Worlds

Stopped = Callable[[], bool]


class Outcome(NamedTuple):
    """The samples of a block, and which of its lanes are finite to the end. The next block overwrites the samples."""

    samples: Samples
    is_finite: np.ndarray  # (lane)
    time: float  # reached, s
    metrics: np.ndarray  # (metric, lane)


class BlockRunner:
    """Runs blocks of a group of worlds, one after the other, in the same arrays. `ahead` is how many there will be."""

    def __init__(self, group: Worlds, recording: Recording, lanes: int = LANES, ahead: int = 1):
        self._group, self._recording, self._ahead = group, recording, ahead
        self._first = group.world(0)
        self.lanes = min(lanes, lanes_of(self._first))
        # A block of other worlds begins in the same arrays, unless something is remembered or worlds become others.
        self._is_reusable = self.lanes > 1 and not self._first.blueprint.schedule.reparentings
        self._run: BlockRun | None = None
        self._samples: Samples | None = None

    def run(self, places: Sequence[int], stopped: Stopped) -> Outcome | None:
        """Run the worlds at these places of the group; None if `stopped` became true before the end."""
        if stopped():
            return None
        run, blueprint = self._entered(places), self._first.blueprint
        samples, stride = None, NO_SAMPLES
        if self._recording.times is not None:
            samples, stride = self._room(run), blueprint.stride
        for _ in run.slices(blueprint.n_step, stride, samples, 0):
            if stopped() and run.n < blueprint.n_step:
                return None
        if samples:
            run.observe_into(samples, sample_count(blueprint) - 1)
        metrics = run.metrics() if self._recording.metrics else np.empty((0, self.lanes))
        end = run.present()
        return Outcome(samples or end, finite_lanes(run, end), run.time, metrics)

    def _room(self, run: BlockRun) -> Samples:
        """Arrays for all samples of a block, with the parts that are recorded or that metrics read."""
        if self._samples is None:
            parts = parts_read(self._first.model.metrics)
            parts |= {name: True for name in parts if any(rows.field.source == name for rows in self._recording.rows)}
            self._samples = run.room(sample_count(self._first.blueprint), **parts)
        return self._samples

    def seconds(self, places: Sequence[int], least: float) -> float:
        """The time that a block of these worlds takes, without compiling, measured for at least `least` seconds."""
        steps, spent, n_step = 0, 0.0, self._first.blueprint.n_step
        self._entered(places).prepare()
        with watch_compilation() as compiling:
            begin = time.perf_counter()
            while spent < least:
                for n in self._entered(places).slices(n_step, NO_SAMPLES, None, 0):
                    steps, spent = steps + n, time.perf_counter() - begin - compiling.seconds
                    if spent > least:
                        break
        return spent * n_step / steps

    @property
    def gear(self) -> dict[str, object]:
        """The gear of the last block, and why."""
        return self._run.gear.as_dict()

    def _entered(self, places: Sequence[int]) -> BlockRun:
        if self._run is None or not self._is_reusable:
            worlds = [self._first] if self._is_reusable else [self._group.world(place) for place in places]
            self._run = BlockRun(worlds, self.lanes)
        self._ahead -= 1
        self._run.ahead = max(0, self._ahead) * self._first.blueprint.n_step
        if not self._is_reusable:
            return self._run
        spare = [places[-1]] * (self.lanes - len(places))
        self._run.begin_again(*self._group.block([*places, *spare]))
        return self._run


class Lone(NamedTuple):
    """A run alone: the samples on the grid of times, the last finite state, and why it ended there."""

    arrays: dict[str, np.ndarray]  # by dataset, time first
    samples: int
    time: float  # reached, s
    error: str  # empty if it did not fail


def run_alone(scene: Scene, recording: Recording, stopped: Stopped) -> Lone | None:
    """Run a scene alone, with the bits that it has in a block, to stop at its last finite state; None if `stopped`
    became true before the end.
    """
    simulation, error, blocks = Simulation(scene), "", []
    try:
        for block in simulation.blocks(lambda _: stopped()):
            if recording.times is None:
                blocks.clear()
            blocks.append(block.copied())
    except SimulationError as failure:
        error = str(failure)
    if simulation.status == "interrupted":
        return None
    if recording.times is not None and error and blocks:
        blocks.pop()  # the last finite state, at a time of its own
    arrays = (
        {rows.name: np.concatenate([rows.of_block(b) for b in blocks]) for rows in recording.rows} if blocks else {}
    )
    return Lone(arrays, sum(len(block.time) for block in blocks), simulation.time, error)
