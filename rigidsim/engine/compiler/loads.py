"""The loads of a tree, kind by kind, as the kernels take them."""

from __future__ import annotations

from rigidsim.engine import layout
from rigidsim.engine.compiler.entries import Entry, law_of
from rigidsim.engine.compiler.mutual import links_of, mutual_of
from rigidsim.engine.compiler.pairs import Pairs
from rigidsim.engine.compiler.schedule import Schedule
from rigidsim.engine.compiler.scripts import Scripts
from rigidsim.engine.compiler.site import Site, rows_of_free
from rigidsim.engine.compiler.tree import Tree
from rigidsim.engine.compiler.written import Striking, WrittenLoads
from rigidsim.engine.laws.declaration import Row
from rigidsim.engine.laws.gravity import POINT_GRAVITY
from rigidsim.engine.laws.registry import BY_NAME, FOLLOWED, PAIRWISE, SINGLE, TABLES
from rigidsim.engine.model import PairLaws, Relations, SingleLaws
from rigidsim.physics.quaternion import rotate

SCRIPTS, IMPULSES = "scripts", "impulses"


class Loads:
    """Collects the loads of a tree: each kind in the order in which they are written, those of the world last."""

    def __init__(self, written: WrittenLoads, mutual, tree: Tree, schedule: Schedule):
        self.tree, self.schedule, self.mutual = tree, schedule, mutual
        self.pairs, self._rows = Pairs(tree), rows_of_free(tree)
        self.scripts = Scripts(tree, self.pairs)
        self.entries: dict[str, list[Entry]] = {name: [] for name in (*(t.name for t in TABLES), SCRIPTS, IMPULSES)}
        self.impulse_names: list[tuple[str, int, str]] = []
        for force in written.forces:
            span = schedule.span(force.during)
            for row in BY_NAME[force.kind].rows(force.values, self._site(force.frame)):
                self._add(row, span, force.frame, force.label)
        for impulse in written.impulses:
            self._impulse(impulse)
        self._world_gravity(written.source)
        self.pairs.link(links_of(mutual, tree))
        # By what is written, so that no change of the tree makes another kind of model.
        kinds = {force.kind for force in written.forces}
        of_world = mutual is not None or written.source is not None
        self._has_pairs = of_world or any(BY_NAME[kind].table.is_pair for kind in kinds)

    @property
    def is_isolated(self) -> bool:
        """Whether bodies act on each other only, so that momenta are conserved."""
        every = (entry for entries in self.entries.values() for entry in entries)
        return all(layout.NOBODY not in (entry.first, entry.second) for entry in every)

    @property
    def followed_labels(self) -> tuple[str, ...]:
        """Where each load is written whose winding is state."""
        return tuple(entry.label for table in FOLLOWED for entry in self.entries[table.name])

    def arrays(self) -> dict[str, object]:
        """All loads, as the model has them; what concerns pairs is left out where there are none."""
        laws = {table.name: law_of(self.entries[table.name], table.width) for table in TABLES}
        first = 0
        for table in FOLLOWED:
            laws[table.name].who[:, layout.LAW_FOLLOWED] += first
            first += len(laws[table.name].who)
        return {
            "relations": Relations(**self.pairs.arrays()) if self._has_pairs or self.entries[SCRIPTS] else None,
            "single": SingleLaws(*(laws[table.name] for table in SINGLE)),
            "pairwise": PairLaws(*(laws[table.name] for table in PAIRWISE)) if self._has_pairs else None,
            "mutual": mutual_of(self.mutual, self.tree) if self._has_pairs else None,
            "scripts": law_of(self.entries[SCRIPTS], layout.SCRIPT_ROWS),
            "impulses": law_of(self.entries[IMPULSES], layout.IMPULSE_ROWS),
        }

    def frames(self) -> set[int]:
        """All frames that some load looks at."""
        single = (*(table.name for table in SINGLE), SCRIPTS, IMPULSES)
        return self.pairs.frames() | {entry.pair for name in single for entry in self.entries[name]}

    def _site(self, frame: int) -> Site:
        return Site(self.tree, self._rows, frame)

    def _add(self, row: Row, span: tuple[int, int], frame: int, label: str) -> None:
        table, first, second = row.table, row.first, row.second
        if table is None:
            self.scripts.add(self.tree.nodes[frame - 1], row.vectors, label)
        is_pair = table is not None and table.is_pair
        where = self.pairs.index(first.frame, second.frame) if is_pair else first.frame
        entries = self.entries[table.name if table else SCRIPTS]
        entries.append(Entry(where, first.row, second.row, span, row.value, label, len(entries)))

    def _impulse(self, impulse: Striking) -> None:
        site, given = self._site(impulse.frame), impulse.values
        end, axes = site.end(at=given.at), site.axes(given.frame)
        if end.row == layout.NOBODY:
            return
        era = self.schedule.era(given.time)
        value = (*rotate(axes.turn, given.impulse), *rotate(axes.turn, given.angular_impulse), *end.lever)
        self.impulse_names.append((self.tree.nodes[impulse.frame - 1].path, impulse.index, given.name))
        self.entries[IMPULSES].append(Entry(axes.frame, layout.NOBODY, end.row, (era, era + 1), value))

    def _world_gravity(self, source) -> None:
        if source is None:
            return
        for node in sorted(self.tree.free(), key=lambda node: node.path):
            if node.spec.gravity:
                for row in POINT_GRAVITY.rows(source, self._site(node.frame)):
                    self._add(row, self.schedule.span(None), node.frame, "world")
