"""The trees of a run over time: that at t = 0, and one after each instant at which parents change."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from rigidsim.tree.joints import Joint
from rigidsim.tree.nodes import Tree

ROUND_OFF = 8.0 * np.finfo(float).eps
"""Of time / step, relative: times and steps are decimals."""
SAME_TIME = 1e-12
"""Relative: 70 steps of 0.01 give 0.7000000000000001."""
Instant = tuple[int, float]
"""(n, fraction) of t = (n + fraction) step."""


class TreeChange(NamedTuple):
    """The change of a node's parent and kind at a time (s); the sample at that time is after it."""

    time: float
    body: int  # node
    to: int  # frame of the new parent
    kind: str  # free, fixed or jointed
    number: int = 0  # in the order of the file
    joint: Joint | None = None  # by which it hangs then; unknown in a file


def instant_of(t: float, step: float) -> Instant:
    """The instant of a time (s) in a run with this step; on the grid if within round-off."""
    ratio = t / step
    n = round(ratio)
    if abs(ratio - n) <= ROUND_OFF * max(1.0, abs(ratio)):
        return n, 0.0
    return math.floor(ratio), ratio - math.floor(ratio)


def in_order(changes: Iterable[TreeChange], step: float) -> list[TreeChange]:
    """Changes as a run with this step carries them out: by their times on its grid, those of one instant as given."""
    timed = sorted(((instant_of(change.time, step), change) for change in changes), key=itemgetter(0))
    return [change._replace(time=(n + fraction) * step) for (n, fraction), change in timed]


def with_joints(changes: Iterable[TreeChange], known: Iterable[TreeChange]) -> list[TreeChange]:
    """Changes as a file has them, in the order of time, with the joints that a scene gives for them. Those of triggers
    happen at any time, perhaps several times; of two that may be meant, it is that which happened less often.
    """
    known, found, count = list(known), [], Counter[int]()
    for change in changes:
        if change.kind == "jointed":
            meant = min((k for k in known if _may_be(k, change)), key=lambda k: (k.time, count[k.number]))
            count[meant.number] += 1
            change = change._replace(joint=meant.joint)
        found.append(change)
    return found


def _may_be(known: TreeChange, change: TreeChange) -> bool:
    """Whether a change that a scene describes may be one that happened."""
    is_same = (known.body, known.to, known.kind) == (change.body, change.to, change.kind)
    return is_same and (known.time == math.inf or abs(known.time - change.time) <= SAME_TIME * abs(change.time))


def joint_types(start: Tree, changes: Iterable[TreeChange]) -> dict[int, str]:
    """The type of joint of each node that is ever on one, by its number, in the order of the file."""
    found = {node.index: node.joint.type for node in start.nodes if node.joint is not None}
    found |= {change.body: change.joint.type for change in changes if change.joint is not None}
    return dict(sorted(found.items()))


class History:
    """The trees of a run by their numbers, each made when it is first asked for. `changes` are in the order of time.
    Of a node that becomes fixed during the run they have the pose at t = 0: where it is then, only the run knows.
    """

    def __init__(self, start: Tree, changes: Sequence[TreeChange] = ()):
        self.changes, self._trees, self._due = tuple(changes), [start], list(changes)
        self.begins = [-math.inf, *dict.fromkeys(change.time for change in changes)]
        """The times (s) from which the trees hold."""

    def __len__(self) -> int:
        return len(self.begins)

    def __iter__(self) -> Iterator[Tree]:
        return (self[number] for number in range(len(self)))

    def __getitem__(self, number: int) -> Tree:
        while len(self._trees) <= number:
            tree, begin = self._trees[-1], self.begins[len(self._trees)]
            while self._due and self._due[0].time == begin:
                change = self._due.pop(0)
                tree = tree.moved(change.body, change.to, change.kind, joint=change.joint)
            self._trees.append(tree)
        return self._trees[number]

    @cached_property
    def ever_free(self) -> frozenset[int]:
        """The numbers of the nodes that are free at some time."""
        later = (change.body for change in self.changes if change.kind == "free")
        return frozenset((*(node.index for node in self._trees[0].free()), *later))

    @cached_property
    def ever_moved(self) -> frozenset[int]:
        """The numbers of the nodes that forces move at some time: those that are free then, and those on joints."""
        return self.ever_free | {node.index for tree in self for node in tree.moved_nodes()}

    def at(self, time: float) -> Tree:
        """The tree that holds at a time (s)."""
        return self[self.number_at(time)]

    def number_at(self, time: float) -> int:
        """The number of the tree that holds at a time (s)."""
        return sum(begin <= time + SAME_TIME * abs(time) for begin in self.begins) - 1

    def spans(self, times: np.ndarray | float) -> list[tuple[int, Any]]:
        """The number of each tree that holds at some of these ascending times (s), and which times those are, as an
        index.
        """
        times = np.atleast_1d(times)
        firsts = [*np.searchsorted(times, self.begins).tolist(), len(times)]
        held = [(k, slice(*firsts[k : k + 2])) for k in range(len(self)) if firsts[k] < firsts[k + 1]]
        return held if len(held) > 1 else [(held[0][0] if held else 0, ...)]
