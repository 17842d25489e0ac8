"""Running the variants of a scene: batches of runs are read in columns, and computed in blocks on threads."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from functools import partial
from threading import Lock
from typing import Any, Protocol

import numpy as np

from rigidsim.engine.assembly.blueprint import World
from rigidsim.engine.assembly.lanes import LANES, lanes_for, structure
from rigidsim.engine.outputs.metrics import parts_read
from rigidsim.simulation.batch import check_memory
from rigidsim.simulation.blocks import BlockRunner, Runners, WorldGroup
from rigidsim.sweeps.batches import Batch, results_of, run_alone
from rigidsim.sweeps.contents import COMPLETE, FAILED, INVALID, Contents, Portion
from rigidsim.sweeps.recording import Recording
from rigidsim.sweeps.variants import Variants
from rigidsim.trajectory.fields import sample_bytes

BATCH_BYTES = 64e6
FIRST_BATCH, MOST_BATCH = 64, 4096  # runs
WATCH_SECONDS = 0.1
MOST_BLOCKS, LEAST_TASKS = 8, 8  # blocks of a task for a thread; tasks of each thread in a batch

Watch = Callable[[int, int], bool]
"""Called with the numbers of runs that are done and that have failed, ten times a second; true ends the sweep."""


def unwatched(_done: int, _failed: int) -> bool:
    """A watch that never ends the sweep."""
    return False


class Results(Protocol):
    """What `Execution` needs of a writer: the portions that are missing, and a place for their results."""

    @property
    def keeps_portions(self) -> bool:
        """Whether the arrays of a portion are kept."""

    @property
    def missing(self) -> list[int]:
        """The numbers of the portions that are missing."""

    @property
    def commit(self) -> Callable[[Any], object]:
        """What takes a portion."""


class Execution:
    """The runs of a sweep that are missing in a result file. `ahead` is how many each thread will compute, if that is
    more than these. Runners go on from one batch to the next, so that their arrays are made once, and their code is
    chosen by all steps that are still to come.
    """

    def __init__(self, contents: Contents, writer: Results, threads: int, lanes: int = LANES, ahead: int | None = None):
        self._ahead: float
        self._ahead = len(writer.missing) * contents.portion // threads if ahead is None else ahead
        self._each = self._ahead  # runs of each thread
        self._contents, self._writer = contents, writer
        self._runners: dict[Hashable, Runners] = {}  # of the last batch, by structure
        self._threads, self._lanes = threads, lanes
        self._variants = Variants(contents.scene.document(), contents.plan.names)
        self._spare: list[dict] | None = None if writer.keeps_portions else []
        self._stopping = False
        self._counting = Lock()
        self.done = self.failed = 0
        self.code: dict[str, object] = {}  # that of the last block, and why

    def run(self, watch: Watch = unwatched) -> bool:
        """Compute and commit all portions that are missing; false if `watch` ended it before. Raises the first error of
        a thread.
        """
        check_memory(self._memory(), "or use fewer threads")
        with ThreadPoolExecutor(self._threads, thread_name_prefix="sweep") as pool:
            before: set[Future] = set()
            try:
                for portions in self._batches():
                    after = self._begin(portions, pool)
                    # While the blocks of one batch are computed, the next one is read.
                    self._await(before, watch)
                    before = after
                    if self._stopping:
                        break
                self._await(before, watch)
            finally:
                self._stopping = True
                pool.shutdown(cancel_futures=True)
        return not self._writer.missing

    def _memory(self) -> int:
        """Bytes of the arrays of blocks and of two batches."""
        recording, lanes = self._contents.recording, 1 if self._contents.portion == 1 else self._lanes
        block = lanes * recording.samples * sample_bytes(recording.nodes, False)
        return self._threads * block + 2 * int(max(BATCH_BYTES, recording.run_bytes))

    def _await(self, futures: set[Future], watch: Watch) -> None:
        while futures:
            done, futures = wait(futures, WATCH_SECONDS, FIRST_EXCEPTION)
            for future in done:
                future.result()
            self._stopping |= watch(self.done, self.failed)

    def _batches(self) -> Iterator[list[int]]:
        """Consecutive portions that are missing."""
        contents, missing = self._contents, self._writer.missing
        most = contents.most_portions(MOST_BATCH, BATCH_BYTES)
        count, begin = max(1, min(most, FIRST_BATCH // contents.portion)), 0
        while begin < len(missing):
            portions = consecutive(missing, begin, count)
            yield portions
            begin, count = begin + len(portions), min(most, 16 * count)

    def _begin(self, portions: list[int], pool: ThreadPoolExecutor) -> set[Future]:
        """Read the runs of consecutive portions, and begin to compute them."""
        contents = self._contents
        runs = contents.portion_runs(portions[0], portions[-1])
        batch = Batch(contents, range(runs.start, runs.stop), self._commit, self._spare)
        numbers = contents.runs[runs]
        groups, faults = self._variants.models(contents.plan.written(numbers))
        for place, fault in faults.items():
            batch.put(np.array([place]), {})
            batch.fail(place, INVALID, str(fault))
            batch.note(np.array([place]))
        blocks = []
        before, self._runners = self._runners, {}
        for group in groups:
            runners = self._runners_of(group, before)
            runners.ahead += self._ahead * len(group) / len(numbers) / runners.lanes
            blocks += [(runners, group, block) for block in runners.blocks(group)]
        self._ahead -= len(numbers) / self._threads
        blocks.sort(key=lambda block: block[1].numbers[block[2][0]])
        count = max(1, min(MOST_BLOCKS, len(blocks) // (LEAST_TASKS * self._threads)))
        tasks = (blocks[k : k + count] for k in range(0, len(blocks), count))
        return {pool.submit(self._compute, batch, task) for task in tasks}

    def _runners_of(self, group: WorldGroup, before: Mapping[Hashable, Runners]) -> Runners:
        """The runners of the structure of a group, those of the batch before if they serve; no block is ahead yet."""
        first = group.world(0)
        key = structure(first)
        if key not in self._runners:
            make = partial(runner_of, first, self._contents.recording, self._lanes, self._each)
            self._runners[key] = before.get(key) or Runners(make)
            self._runners[key].ahead = 0.0
        return self._runners[key]

    @np.errstate(all="ignore")  # of kernels that are not compiled
    def _compute(self, batch: Batch, blocks: list[tuple[Runners, WorldGroup, np.ndarray]]) -> None:
        """Run some blocks, one after the other."""
        for runners, group, places in blocks:
            if not self._stopping:
                self._compute_block(batch, runners, group, places)

    def _compute_block(self, batch: Batch, runners: Runners, group: WorldGroup, places: np.ndarray) -> None:
        """Run a block."""
        runner = runners.take(self._threads)
        outcome = runner.run(group, places, lambda _: self._stopping)
        if not outcome.is_complete:
            return
        numbers = group.numbers[places]
        batch.put(numbers, results_of(self._contents.recording, outcome, runner.lanes))
        self.code = runner.code
        runners.give(runner)
        for number in numbers[~outcome.is_finite[: len(numbers)]].tolist():
            self._compute_alone(batch, number)
        batch.note(numbers)

    def _compute_alone(self, batch: Batch, place: int) -> None:
        number = self._contents.runs[batch.runs[place]]
        (overrides,) = self._contents.plan.overrides(range(number, number + 1))
        found = run_alone(
            self._contents.scene.with_overrides(overrides), self._contents.recording, lambda: self._stopping
        )
        if found is not None:
            results, error = found
            batch.put(np.array([place]), results)
            if error:
                batch.fail(place, FAILED, error)

    def _commit(self, portion: Portion) -> None:
        if self._stopping:
            return
        self._writer.commit(portion)
        with self._counting:
            self.done += len(portion.status)
            self.failed += int(np.count_nonzero(portion.status != COMPLETE))


def consecutive(numbers: list[int], begin: int, most: int) -> list[int]:
    """Numbers from a place on, without gaps, at most so many."""
    end = begin + 1
    while end < min(len(numbers), begin + most) and numbers[end] == numbers[end - 1] + 1:
        end += 1
    return numbers[begin:end]


def runner_of(first: World, recording: Recording, lanes: int = LANES, runs: int = 0) -> BlockRunner:
    """A runner of the structure of a world that keeps the parts of samples that are recorded or that metrics read, and
    will make so many runs.
    """
    parts = None
    if recording.times is None and lanes == LANES:  # otherwise the samples of a block take the more memory
        lanes = lanes_for(first, runs)
    if recording.times is not None:
        read = parts_read(first.model.metrics)
        parts = read | {name: True for name in read if any(rows.field.source == name for rows in recording.rows)}
    return BlockRunner(first, parts, lanes)
