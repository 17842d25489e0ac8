"""The loads of a blueprint on a tree as tables for the kernels, one table for each kind; the pairs of frames whose
separation they need, and the bodies that attract each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from rigidsim.containers.columns import numbers_table
from rigidsim.containers.optional import not_none
from rigidsim.engine.assembly.blueprint import Blueprint, ImpulseRecord, ViewRecord
from rigidsim.engine.assembly.joints import row_of
from rigidsim.engine.assembly.site import Site
from rigidsim.engine.laws.declaration import Load
from rigidsim.engine.laws.gravity import POINT_GRAVITY
from rigidsim.engine.laws.registry import BY_NAME, FOLLOWED, NUMBER, PAIRWISE, SINGLE, TABLES
from rigidsim.engine.model import layout
from rigidsim.engine.model.arrays import Law, Mutual, PairLaws, Relations, SingleLaws, table
from rigidsim.jit.rows import Row
from rigidsim.physics.quaternion import rotate
from rigidsim.tree.nodes import Node, Tree

SCRIPTS, IMPULSES = "scripts", "impulses"
ALWAYS = (0, layout.NEVER)


class LoadRow(NamedTuple):
    """One load; its fields are the columns of a `Law`."""

    pair: int
    first: int
    second: int
    span: tuple[int, int]
    value: tuple
    number: int = 0  # of its kind


@cache
def no_loads(width: int) -> Law:
    """The arrays of a `Law` without loads, which have this many constants."""
    return Law(table((), layout.LAW.width), numbers_table((), width))


def law_of(entries: Sequence[LoadRow], values: Row) -> Law:
    """The rows as the arrays of a `Law`."""
    if not entries:
        return no_loads(values.width)
    who = [(entry.pair, entry.first, entry.second, *entry.span, entry.number) for entry in entries]
    return Law(
        who=table(who, layout.LAW.width),
        value=numbers_table([entry.value for entry in entries], values.width),
    )


class FramePairs:
    """A table of pairs without duplicates, in the order of first use."""

    def __init__(self, tree: Tree):
        self._tree = tree
        self._index: dict[tuple[int, int], int] = {}
        self._linked: set[int] = set()

    def index(self, first: int, second: int) -> int:
        """The number of this pair of frames; a new pair is added to the table."""
        return self._index.setdefault((first, second), len(self._index))

    def link(self, nodes: set[int]) -> None:
        """Add nodes whose links are needed for another reason than a pair."""
        self._linked |= nodes

    def arrays(self) -> dict[str, Any]:
        """The pairs, the paths between their frames, and the links that the paths use, as arrays for the kernels."""
        ways = [self._way(first, second) for first, second in self._index]
        steps = [step for way in ways for step in way]
        begins = np.cumsum([0, *map(len, ways)]).tolist()
        return {
            "linked": np.array(sorted(self._linked.union(node.index for node, _ in steps)), dtype=np.int64),
            "pair": table([(*pair, first) for pair, first in zip([*self._index, (0, 0)], begins, strict=True)], 3),
            "way_node": np.array([node.index for node, _ in steps], dtype=np.int64),
            "way_sign": np.array([sign for _, sign in steps], dtype=np.float64),
        }

    def frames(self) -> set[int]:
        """All frames that occur in a pair."""
        return {frame for pair in self._index for frame in pair}

    def _way(self, first: int, second: int) -> list[tuple[Node, float]]:
        """The links from the first frame to the nearest common ancestor and from there to the second, with their
        signs.
        """
        inwards, outwards = self._tree.branches(first, second)
        return [*((node, -1.0) for node in inwards), *((node, 1.0) for node in reversed(outwards))]


class LoadTables:
    """Collects the loads of a tree: those of one kind in the order of the scene, those of the world last."""

    def __init__(self, blueprint: Blueprint, tree: Tree):
        self._blueprint, self._tree, self._pairs = blueprint, tree, FramePairs(tree)
        self._entries: dict[str, list[LoadRow]] = {name: [] for name in (*(t.name for t in TABLES), SCRIPTS, IMPULSES)}
        self.impulse_numbers: list[int] = []
        self.coefficients: list[tuple[int, int, int, int]] = []  # as in `layout.COEFFICIENT`
        for load in blueprint.loads:
            for row in BY_NAME[load.kind].rows(load.values, Site(tree, load.frame)):
                self._add(row, load.phases)
                for name, number in load.coefficients:
                    assert row.table is not None
                    of = row.table.name
                    where = NUMBER[of], len(self._entries[of]) - 1, row.table.values.parts[name][0]
                    self.coefficients.append((*where, int(blueprint.scripts.coefficients[number])))
        for number, impulse in sorted(enumerate(blueprint.impulses), key=lambda numbered: numbered[1].phase):
            self._impulse(number, impulse)
        self._world_gravity()
        self.views = table([self._view(view) for view in blueprint.scripts.views], 3)
        self._pairs.link(links_of(blueprint.mutual, tree))

    def arrays(self) -> dict[str, Any]:
        """All loads as fields of a model; fields that concern pairs are None if there are no pairs."""
        laws = {table.name: law_of(self._entries[table.name], table.values) for table in TABLES}
        first = 0
        for followed in FOLLOWED:
            if count := len(self._entries[followed.name]):
                laws[followed.name].who[:, layout.LAW.followed] += first
                first += count
        has_pairs, impulses = self._blueprint.has_pairs, self.law(IMPULSES, layout.IMPULSE)
        written = self._blueprint.labels
        return {
            "relations": Relations(**self._pairs.arrays()) if has_pairs or written or self._blueprint.loops else None,
            "single": SingleLaws(*(laws[table.name] for table in SINGLE)),
            "pairwise": PairLaws(*(laws[table.name] if self._blueprint.has(table) else None for table in PAIRWISE))
            if has_pairs
            else None,
            "mutual": mutual_of(self._blueprint.mutual, self._tree),
            "impulses": impulses,
            "due": np.searchsorted(impulses.who[:, layout.LAW.begin], np.arange(self._blueprint.n_due + 1)),
            "impulse_number": np.array(self.impulse_numbers, dtype=np.int64),
        }

    def law(self, name: str, values: Row) -> Law:
        """The loads of one kind."""
        return law_of(self._entries[name], values)

    def pair(self, first: int, second: int) -> int:
        """The number of a pair of frames whose separation is needed."""
        return self._pairs.index(first, second)

    def frames(self) -> set[int]:
        """All frames that some load reads."""
        single = (*(table.name for table in SINGLE), SCRIPTS, IMPULSES)
        return self._pairs.frames() | {entry.pair for name in single for entry in self._entries[name]}

    def laden(self) -> set[int]:
        """The rows of all moved bodies on which some load acts at some time, but for uniform gravity."""
        kinds = [self._entries[name] for name in self._entries if name != IMPULSES]
        rows = {row for entries in kinds for entry in entries for row in (entry.first, entry.second)}
        mutual = {self._tree.row(node) for node in members_of(self._blueprint.mutual, self._tree)}
        return rows | mutual

    def _add(self, row: Load, phases: tuple[int, int]) -> None:
        first, second = row.first, row.second
        is_pair = row.table is not None and row.table.is_pair
        where = self._pairs.index(first.frame, second.frame) if is_pair else first.frame
        entries = self._entries[row.table.name if row.table else SCRIPTS]
        entries.append(LoadRow(where, first.row, second.row, phases, tuple(row.value), len(entries)))

    def _impulse(self, number: int, impulse: ImpulseRecord) -> None:
        site, given = Site(self._tree, impulse.frame), impulse.values
        end, axes = site.end(at=given.at), site.axes(given.frame)
        if end.row == layout.NO_ROW:
            return
        value = layout.IMPULSE.filled(
            j=rotate(axes.turn, given.impulse), k=rotate(axes.turn, given.angular_impulse), lever=end.lever
        )
        self.impulse_numbers.append(number)
        phases = (impulse.phase, impulse.phase + 1)
        self._entries[IMPULSES].append(LoadRow(axes.frame, layout.NO_ROW, end.row, phases, tuple(value)))

    def _world_gravity(self) -> None:
        source = self._blueprint.source
        if source is None:
            return
        for node in sorted(self._tree.moved_nodes(), key=lambda node: node.path):
            if node.falls:
                for row in POINT_GRAVITY.rows(source, Site(self._tree, node.frame)):
                    self._add(row, ALWAYS)

    def _view(self, view: ViewRecord) -> tuple[int, int, int]:
        if view.kind in (layout.SEEN_COORDINATE, layout.SEEN_COORDINATE_RATE):
            return view.kind, row_of(self._tree, view.body[0] - 1, view.observer[0]), view.register
        observer, body = (Site(self._tree, own).frame(frame).frame for frame, own in (view.observer, view.body))
        return view.kind, self._pairs.index(observer, body), view.register


def mutual_of(mutual: SimpleNamespace | None, tree: Tree) -> Mutual | None:
    """Rows, GM and softening of the group; None if the scene has no mutual gravity."""
    if mutual is None:
        return None
    members = members_of(mutual, tree)
    return Mutual(
        member=np.array([tree.row(node) for node in members], dtype=np.int64),
        gm=numbers_table([[mutual.constant * tree.composite(node).mass.mass] for node in members], 1),
        soft=numbers_table([[mutual.softening * mutual.softening]], 1),
        depth=np.array(tree.depth, dtype=np.int64),
    )


def members_of(mutual: SimpleNamespace | None, tree: Tree) -> list[Node]:
    """The moved bodies that attract each other, in the order of their paths."""
    if mutual is None:
        return []
    if mutual.bodies is None:
        moved_bases = [node for node in tree.moved_nodes() if node.falls]
    else:
        moved_bases = [not_none(tree.moved_base(tree.nodes[index])) for index in mutual.bodies]
    return sorted({node.index: node for node in moved_bases}.values(), key=lambda node: node.path)


def links_of(mutual: SimpleNamespace | None, tree: Tree) -> set[int]:
    """The nodes whose links are on the path from a member to its nearest common ancestor with another member."""
    lineages = [[node.index for node in tree.lineage(member)] for member in members_of(mutual, tree)]
    shared = set(lineages[0]).intersection(*lineages[1:]) if lineages else set()
    return {index for lineage in lineages for index in lineage[1:]} - shared
