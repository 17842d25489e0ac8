"""The episodes of many worlds: what is drawn for each, and its numbers, read in columns as those of a sweep."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np

from rigidsim.blueprints import build_world
from rigidsim.engine.assembly.lanes import structure
from rigidsim.env.task import Task, gymnasium
from rigidsim.errors import UsageError
from rigidsim.scene import Scene
from rigidsim.simulation.blocks import WorldGroup
from rigidsim.sweeps.variants import Variants

AHEAD, MOST_AHEAD = 4096, 64
"""Episodes that are known beforehand: about so many of all worlds, at most so many of each."""


class Episode(NamedTuple):
    """An episode: random numbers in [0, 1) from which all follows; its place in a group of worlds."""

    levels: np.ndarray
    group: WorldGroup
    place: int


class _Batch(NamedTuple):
    """Episodes that were read together."""

    levels: np.ndarray  # (episode, number)
    groups: list[WorldGroup]
    group: np.ndarray  # (episode) number of its group
    place: np.ndarray  # (episode) place in that

    def episode(self, number: int) -> Episode:
        """One of them."""
        return Episode(self.levels[number], self.groups[self.group[number]], int(self.place[number]))


class Episodes:
    """The episodes of n worlds, each with random numbers of its own, the same as those of a `SceneEnv`."""

    def __init__(self, task: Task, n: int):
        self.seeds: list[int] = [0] * n
        self.generators: list[Any] = [None] * n  # of random numbers, once a world has begun
        self._task, self._n, self._is_used = task, n, False
        self._variants = Variants(task.scene.document(), [*task.columns(np.zeros((1, 1 + len(task.start))))])
        self._structure = task.scene.once(_structure)
        self._waiting: list[list[tuple[_Batch, range]]] = [[] for _ in range(n)]  # of each world, one after the other

    def seed(self, world: int, seed: int | None) -> None:
        """Let the episodes of a world follow from a seed; from a random one for None, if it has none."""
        if seed is None and self.generators[world] is not None:
            return
        self.generators[world], self.seeds[world] = gymnasium.utils.seeding.np_random(seed)
        self._waiting[world].clear()

    def take(self, worlds: Sequence[int]) -> list[Episode]:
        """The next episode of each of these worlds. Raises SceneError if the scene of one is invalid."""
        lacking = [world for world in worlds if not self._waiting[world]]
        if lacking:
            self._read(lacking)
        return [self._next(self._waiting[world]) for world in worlds]

    def _next(self, waiting: list[tuple[_Batch, range]]) -> Episode:
        batch, numbers = waiting.pop(0)
        if len(numbers) > 1:
            waiting.insert(0, (batch, numbers[1:]))
        return batch.episode(numbers[0])

    def _read(self, worlds: Sequence[int]) -> None:
        """Read further episodes: at first one of each of these worlds, later as many as to know enough of all."""
        lacking = dict.fromkeys(worlds, 1)
        if self._is_used:
            enough = max(1, min(MOST_AHEAD, AHEAD // self._n))
            known = [sum(len(numbers) for _, numbers in waiting) for waiting in self._waiting]
            lacking = {k: enough - known[k] for k in range(self._n) if self.generators[k] is not None}
        self._is_used = True
        width = 1 + len(self._task.start)
        levels = np.concatenate([self.generators[world].random((count, width)) for world, count in lacking.items()])
        groups, faults = self._variants.models(self._task.columns(levels))
        for number in sorted(faults)[:1]:
            raise faults[number]
        batch = _Batch(levels, groups, *np.empty((2, len(levels)), np.int64))
        for k, group in enumerate(groups):
            if structure(group.world(0)) != self._structure:
                raise UsageError(
                    "start: with some of the numbers drawn the scene has another structure (bodies, loads, shapes that"
                    f" can meet); draw {', '.join(self._task.start)} from a narrower range"
                )
            batch.group[group.numbers], batch.place[group.numbers] = k, np.arange(len(group))
        begin = 0
        for world, count in lacking.items():
            if count:
                self._waiting[world].append((batch, range(begin, begin + count)))
            begin += count


def _structure(scene: Scene) -> Hashable:
    return structure(build_world(scene))
