"""The loads of a blueprint on a tree as tables for the kernels, one table for each kind."""

from __future__ import annotations

import numpy as np

from rigidsim.engine import layout
from rigidsim.engine.assembly.blueprint import Blueprint, ImpulseRecord, ViewRecord
from rigidsim.engine.assembly.entries import LoadRow, law_of
from rigidsim.engine.assembly.mutual import links_of, mutual_of
from rigidsim.engine.assembly.pairs import FramePairs
from rigidsim.engine.assembly.site import Site
from rigidsim.engine.assembly.tree import Tree
from rigidsim.engine.laws.declaration import Row
from rigidsim.engine.laws.gravity import POINT_GRAVITY
from rigidsim.engine.laws.registry import BY_NAME, FOLLOWED, PAIRWISE, SINGLE, TABLES
from rigidsim.engine.model import Law, PairLaws, Relations, SingleLaws, table
from rigidsim.physics.quaternion import rotate

SCRIPTS, IMPULSES = "scripts", "impulses"
ALWAYS = (0, layout.NEVER)


class LoadTables:
    """Collects the loads of a tree: those of one kind in the order of the scene, those of the world last."""

    def __init__(self, blueprint: Blueprint, tree: Tree):
        self._blueprint, self._tree, self._pairs = blueprint, tree, FramePairs(tree)
        self._entries: dict[str, list[LoadRow]] = {name: [] for name in (*(t.name for t in TABLES), SCRIPTS, IMPULSES)}
        self.impulse_numbers: list[int] = []
        for load in blueprint.loads:
            for row in BY_NAME[load.kind].rows(load.values, Site(tree, load.frame)):
                self._add(row, load.eras)
        for number, impulse in sorted(enumerate(blueprint.impulses), key=lambda numbered: numbered[1].era):
            self._impulse(number, impulse)
        self._world_gravity()
        self.views = table([self._view(view) for view in blueprint.scripts.views], 3)
        self._pairs.link(links_of(blueprint.mutual, tree))

    def arrays(self) -> dict[str, object]:
        """All loads as fields of a model; fields that concern pairs are None if there are no pairs."""
        laws = {table.name: self.law(table.name, table.width) for table in TABLES}
        first = 0
        for followed in FOLLOWED:
            laws[followed.name].who[:, layout.LAW_FOLLOWED] += first
            first += len(laws[followed.name].who)
        has_pairs, impulses = self._blueprint.has_pairs, self.law(IMPULSES, layout.IMPULSE_ROWS)
        return {
            "relations": Relations(**self._pairs.arrays()) if has_pairs or self._blueprint.labels else None,
            "single": SingleLaws(*(laws[table.name] for table in SINGLE)),
            "pairwise": PairLaws(*(laws[table.name] for table in PAIRWISE)) if has_pairs else None,
            "mutual": mutual_of(self._blueprint.mutual, self._tree),
            "impulses": impulses,
            "due": np.searchsorted(impulses.who[:, layout.LAW_BEGIN], np.arange(self._blueprint.schedule.n_era + 1)),
            "impulse_number": np.array(self.impulse_numbers, dtype=np.int64),
        }

    def law(self, name: str, width: int) -> Law:
        """The loads of one kind."""
        return law_of(self._entries[name], width)

    def frames(self) -> set[int]:
        """All frames that some load reads."""
        single = (*(table.name for table in SINGLE), SCRIPTS, IMPULSES)
        return self._pairs.frames() | {entry.pair for name in single for entry in self._entries[name]}

    def _add(self, row: Row, eras: tuple[int, int]) -> None:
        first, second = row.first, row.second
        is_pair = row.table is not None and row.table.is_pair
        where = self._pairs.index(first.frame, second.frame) if is_pair else first.frame
        entries = self._entries[row.table.name if row.table else SCRIPTS]
        entries.append(LoadRow(where, first.row, second.row, eras, row.value, len(entries)))

    def _impulse(self, number: int, impulse: ImpulseRecord) -> None:
        site, given = Site(self._tree, impulse.frame), impulse.values
        end, axes = site.end(at=given.at), site.axes(given.frame)
        if end.row == layout.NO_ROW:
            return
        value = (*rotate(axes.turn, given.impulse), *rotate(axes.turn, given.angular_impulse), *end.lever)
        self.impulse_numbers.append(number)
        eras = (impulse.era, impulse.era + 1)
        self._entries[IMPULSES].append(LoadRow(axes.frame, layout.NO_ROW, end.row, eras, value))

    def _world_gravity(self) -> None:
        source = self._blueprint.source
        if source is None:
            return
        for node in sorted(self._tree.free(), key=lambda node: node.path):
            if node.falls:
                for row in POINT_GRAVITY.rows(source, Site(self._tree, node.frame)):
                    self._add(row, ALWAYS)

    def _view(self, view: ViewRecord) -> tuple[int, int, int]:
        observer, body = (Site(self._tree, own).frame(frame).frame for frame, own in (view.observer, view.body))
        return view.kind, self._pairs.index(observer, body), view.register
