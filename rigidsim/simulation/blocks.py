"""Blocks: worlds of one structure side by side, for `simulate` and for sweeps."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from rigidsim.engine.assembly.blueprint import World
from rigidsim.engine.assembly.lanes import LANES, block_of, lanes_of
from rigidsim.engine.model import layout
from rigidsim.engine.model.arrays import Model, Samples
from rigidsim.engine.time.run import NO_SAMPLES, BlockRun
from rigidsim.jit.kernels import watch_compilation
from rigidsim.simulation.header import sample_count

Watch = Callable[[int], bool]
"""Called with the number of steps that are done, about ten times a second; true ends the run."""


Places = Sequence[int] | np.ndarray


class WorldGroup(Protocol):
    """Worlds of one structure; `numbers` are those of the variants that they belong to."""

    numbers: np.ndarray

    def __len__(self) -> int: ...

    def world(self, place: int) -> World:
        """The world of one variant."""

    def block(self, places: Places, into: Model | None = None) -> tuple[Model, np.ndarray]:
        """Model and state of a block of these variants, one for each lane. `into` is the model of another block of this
        group with as many lanes, which may become this one: then only what varies in the group is written.
        """


class WorldList:
    """A group of worlds that were read one by one."""

    def __init__(self, worlds: Sequence[World], numbers: Sequence[int]):
        self.numbers, self._worlds = np.array(numbers), worlds

    def __len__(self) -> int:
        return len(self.numbers)

    def world(self, place: int) -> World:
        """The world of one variant."""
        return self._worlds[place]

    def block(self, places: Places, _into: Model | None = None) -> tuple[Model, np.ndarray]:
        """Model and state of a block of these variants, one for each lane."""
        return block_of([self._worlds[place] for place in places])


class Outcome(NamedTuple):
    """A block at its end, or where it was stopped: the run, its samples, of which the last is the state reached, and
    which of its lanes are finite up to there. The next block overwrites run and samples.
    """

    run: BlockRun
    samples: Samples
    is_finite: np.ndarray  # (lane)
    metrics: np.ndarray  # (metric, lane)

    @property
    def is_complete(self) -> bool:
        """Whether all steps were taken, up to where a trigger ends the run, or it cannot go on."""
        run = self.run
        return run.n == run.worlds[0].blueprint.n_step or run.is_over or bool(run.trouble)


class BlockRunner:
    """Runs blocks of groups of one structure, that of the world `first`, one after the other, in the same arrays if
    they can be used again. `parts` are those of samples that are not kept (see `make_samples`), None if only the last
    state is. `ahead` is how many blocks will follow; `options` are those of `BlockRun`.
    """

    def __init__(self, first: World, parts: Mapping[str, bool] | None, lanes: int = LANES, **options: Any):
        self._first, self._parts, self._options, self.ahead = first, parts, options, 0
        self.lanes = lanes if lanes_of(self._first) > 1 else 1
        # A block of other worlds begins in the same arrays, unless something is remembered or worlds become others.
        remembers = self.lanes == 1 or "keeps_events" in options
        self._is_reusable = not remembers and not self._first.blueprint.schedule.reparentings
        self._run: BlockRun | None = None
        self._group: WorldGroup | None = None  # of the last block
        self._samples: Samples | None = None

    def run(self, group: WorldGroup, places: Places, watch: Watch) -> Outcome:
        """Run the worlds at these places of a group, until `watch` ends it."""
        run, blueprint = self._entered(group, places), self._first.blueprint
        samples, stride = None, NO_SAMPLES
        if self._parts is not None:
            self._samples = self._samples or run.room(sample_count(blueprint), **self._parts)
            samples, stride = self._samples, blueprint.stride
        for _ in run.slices(blueprint.n_step, stride, samples, 0):
            if watch(run.n):
                break
        end = run.present()
        metrics = run.metrics(end) if self._first.model.metrics else np.empty((0, self.lanes))
        if samples:
            last = run.taken(stride)
            run.observe_into(samples, last)
            samples = samples.part(slice(last + 1))
        return Outcome(run, samples or end, finite_lanes(run, end), metrics)

    def seconds(self, group: WorldGroup, places: Places, least: float) -> float:
        """The time that a block of these worlds takes, without compiling, measured for at least `least` seconds."""
        steps, spent, n_step = 0, 0.0, self._first.blueprint.n_step
        self._entered(group, places)  # compiles
        with watch_compilation() as compiling:
            begin = time.perf_counter()
            while spent < least:
                for n in self._entered(group, places).slices(n_step, NO_SAMPLES, None, 0):
                    steps, spent = steps + n, time.perf_counter() - begin - compiling.seconds
                    if spent > least:
                        break
        return spent * n_step / steps

    @property
    def code(self) -> dict[str, object]:
        """Whether the last block used general or specialised code, and why."""
        assert self._run is not None
        return self._run.specialised.as_dict()

    def _entered(self, group: WorldGroup, places: Places) -> BlockRun:
        run, is_first = self._run, self._run is None
        if run is None or not self._is_reusable:
            worlds = [self._first] if self._is_reusable else [group.world(place) for place in places]
            self._run = run = BlockRun(worlds, self.lanes, **self._options)
        run.ahead = self.ahead * self._first.blueprint.n_step
        if is_first:
            run.prepare()
        if self._is_reusable:
            spare = [places[-1]] * (self.lanes - len(places))
            into = run.whole_model if group is self._group else None
            self._group = group
            run.begin_again(*group.block([*places, *spare], into))
        return run


class Runners:
    """The runners of groups of one structure: as many as threads need at a time. `make` makes one; `ahead` is how many
    blocks each thread has still to begin.
    """

    def __init__(self, make: Callable[[], BlockRunner]):
        self._make, self.ahead = make, 0.0
        self._free = [make()]
        self.lanes = self._free[0].lanes

    def blocks(self, group: WorldGroup) -> list[np.ndarray]:
        """The places of the worlds of each block, in the order of their numbers."""
        in_order = np.argsort(group.numbers, kind="stable")
        return [in_order[k : k + self.lanes] for k in range(0, len(in_order), self.lanes)]

    def take(self, threads: int = 1) -> BlockRunner:
        """A runner for the next block, on one of so many threads."""
        try:
            runner = self._free.pop()
        except IndexError:
            runner = self._make()
        self.ahead -= 1 / threads  # of interest for its size only, so threads need not wait for each other
        runner.ahead = max(0, int(self.ahead))
        return runner

    def give(self, runner: BlockRunner) -> None:
        """Return it, when its samples are no longer needed."""
        self._free.append(runner)


def finite_lanes(run: BlockRun, end: Samples) -> np.ndarray:
    """(lane) whether the state at the end of a block, its energies and momenta, and the values of all expressions up to
    it are finite.
    """
    n = len(run.worlds)
    if run.trouble:
        return np.zeros(n, bool)
    found = ~np.any(run.fault[:, layout.FAULT.columns("failed", n)], axis=0)
    found[list(run.sensing.faults) if run.sensing else []] = False
    values = np.concatenate([array.reshape(-1, n) for array in (*end.world, end.ledger)])
    return found & np.isfinite(values).all(axis=0)
