"""Running a scene: all at once, block by block, or step by step."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator

import numpy as np

from rigidsim.engine import layout
from rigidsim.engine.compiler import Compiled, compile_scene
from rigidsim.engine.model import Samples, make_samples, make_scratch
from rigidsim.engine.observe import observe
from rigidsim.engine.stepper import advance
from rigidsim.errors import SimulationError, StorageError, UsageError
from rigidsim.scene import Scene
from rigidsim.trajectory.fields import FIELDS, Block, sample_bytes
from rigidsim.trajectory.provenance import provenance
from rigidsim.trajectory.trajectory import Header, State, Trajectory

SLICE_SECONDS = 0.1  # between two looks at the clock, the signals and the state
BLOCK_BYTES = 64e6
BLOCK_ROWS = 4096  # whole chunks of the file
ONE_LANE = (0,)

Watch = Callable[[int], bool]


def header_of(scene: Scene, compiled: Compiled) -> Header:
    """What the history of this scene has in common for all samples."""
    return Header(
        paths=compiled.paths,
        parents=compiled.parents,
        scale=compiled.scale,
        parent_scale=compiled.parent_scale,
        isolated=compiled.isolated,
        scene_name=scene.name,
        scene_text=scene.source,
        scene_resolved=json.dumps(scene.resolved(), indent=1),
        provenance=provenance(),
    )


class Simulation:
    """A scene and where it has got to: `step(n)` advances it, `state` shows it.

    `status` is "running" until `blocks` has come to its end; then "complete", "interrupted" or "failed".
    """

    def __init__(self, scene: Scene):
        self.scene = scene
        self.compiled = compile_scene(scene)
        self.header = header_of(scene, self.compiled)
        self.n = 0  # steps done
        self.status = "running"
        self._model, self._state = self.compiled.model, self.compiled.state.copy()
        self._scratch = make_scratch(self._model, ONE_LANE)
        self._one = make_samples(self._model, 1, ONE_LANE)

    @property
    def time(self) -> float:
        """Time reached, s."""
        return self.n * self._model.step

    @property
    def n_step(self) -> int:
        """Steps from beginning to end."""
        return self.compiled.n_step

    @property
    def n_sample(self) -> int:
        """Samples of a whole run: one each stride from t = 0, and the last state."""
        return -(-self.n_step // self.compiled.stride) + 1

    @property
    def state(self) -> State:
        """All bodies now. A copy: it does not change with later steps."""
        block = self._observed()
        return State(self.header, self.time, {f.name: f.of(block)[0] for f in FIELDS})

    def step(self, n: int = 1) -> None:
        """Advance by n steps. Raises SimulationError if a state is no longer finite."""
        if n < 0:
            raise UsageError(f"cannot take {n} steps")
        for _ in self._slices(self.n + n, layout.NEVER, self._one, 0):
            pass

    def prepare(self) -> None:
        """Compile, or read from the cache, all that a run will call."""
        advance(self.compiled.method, 0, 0, 1, self._model, self._state, self._scratch, self._one, ONE_LANE)
        self._observed()

    def blocks(self, watch: Watch = lambda n: False) -> Iterator[Block]:
        """Run to the end, giving the samples in blocks.

        `watch(n)` is called with the number of steps done about ten times a second; when it returns true, the run ends
        with the state reached. Raises SimulationError after the last good block if the state is no longer finite.
        """
        room = int(max(1, min(self.n_sample, BLOCK_BYTES // sample_bytes(len(self.header.paths)))))
        room = max(BLOCK_ROWS, room - room % BLOCK_ROWS) if self.n_sample > BLOCK_ROWS else room
        samples, stride = make_samples(self._model, room, ONE_LANE), self.compiled.stride
        stopped, failure = False, None
        while self.n < self.n_step and not stopped and not failure:
            first = -(-self.n // stride)  # number of the next sample
            last = min(self.n_step, (first + room - 1) * stride + 1)
            try:
                for _ in self._slices(last, stride, samples, first):
                    stopped = watch(self.n)
                    if stopped:
                        break
            except SimulationError as error:
                failure = error
            count = -(-self.n // stride) - first
            if count:
                yield self._block(samples, first, count)
        yield self._observed()
        self.status = "failed" if failure else "interrupted" if stopped and self.n < self.n_step else "complete"
        if failure:
            raise failure

    def _slices(self, n_end: int, stride: int, samples: Samples, first: int) -> Iterator[None]:
        """Step up to n_end in slices of about SLICE_SECONDS, pausing after each. The cutting changes no bit."""
        count = 1
        while self.n < n_end:
            before, n = self._state.copy(), min(count, n_end - self.n)
            begin = time.perf_counter()
            self._advance(n, stride, samples, first)
            if not np.isfinite(self._state).all():
                self._find_failure(before, n, stride, samples, first)
            yield
            spent = max(time.perf_counter() - begin, 1e-9)
            count = max(1, int(n * min(4.0, SLICE_SECONDS / spent)))

    def _advance(self, n: int, stride: int, samples: Samples, first: int) -> None:
        done = 0 if stride == layout.NEVER else -(-self.n // stride) - first
        rest = Samples(*(array[done:] for array in samples))
        advance(
            self.compiled.method, self.n, self.n + n, stride, self._model, self._state, self._scratch, rest, ONE_LANE
        )
        self.n += n

    def _find_failure(self, before: np.ndarray, n: int, stride: int, samples: Samples, first: int) -> None:
        """Go back to the beginning of the slice and take single steps, to stop at the last finite state."""
        self.n -= n
        self._state[:] = before
        while True:
            good = self._state.copy()
            self._advance(1, stride, samples, first)
            bad = ~np.isfinite(self._state).all(axis=1)
            if bad.any():
                break
        self.n -= 1
        self._state[:] = good
        path = self.header.paths[self._model.free_node[np.flatnonzero(bad)[0]]]
        raise SimulationError(
            f"the motion of '{path}' is no longer finite after t = {self.time:.9g} s (step {self.n + 1});"
            " try a smaller step, and look for a force that grows without bound"
        )

    def _block(self, samples: Samples, first: int, count: int) -> Block:
        at = np.arange(first, first + count) * self.compiled.stride * self._model.step
        return Block(at, *(array[:count] for array in samples))

    def _observed(self) -> Block:
        """One sample of the present state."""
        one = make_samples(self._model, 1, ONE_LANE)
        observe(self.time, self._model, self._state, self._scratch, one.local[0], one.world[0], one.ledger[0], ONE_LANE)
        return Block(np.array([self.time]), *one)


def check_memory(simulation: Simulation) -> None:
    """Raise StorageError if the history would not fit into the memory that is free."""
    need = simulation.n_sample * sample_bytes(len(simulation.header.paths))
    try:
        free = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError, AttributeError):  # a system that does not tell
        return
    if 2 * need > free:  # the blocks, and the arrays joined from them
        raise StorageError(
            f"the history would need {2 * need / 1e9:.3g} GB of memory, {free / 1e9:.3g} GB are free;"
            " set simulation.record_every, or write to a file with `rigidsim run`"
        )


def simulate(scene: Scene, watch: Watch = lambda n: False) -> Trajectory:
    """Run a scene and return its history in memory.

    Raises SimulationError if it blows up; the error's `trajectory` then holds the samples so far.
    """
    simulation = Simulation(scene)
    check_memory(simulation)
    blocks: list[Block] = []
    try:
        for block in simulation.blocks(watch):
            blocks.append(Block(*(array.copy() for array in block)))
    except SimulationError as error:
        error.trajectory = Trajectory.from_blocks(simulation.header, blocks, simulation.status)
        raise
    return Trajectory.from_blocks(simulation.header, blocks, simulation.status)
