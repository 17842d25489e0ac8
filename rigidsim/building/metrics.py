"""Metrics: one program for what all of them read at a sample, the reductions, and one program of the reductions."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from rigidsim.building.programs import Assembler, RegisterRef
from rigidsim.engine import layout
from rigidsim.engine.assembly.blueprint import MetricTables, ViewRecord
from rigidsim.engine.assembly.site import PARENT
from rigidsim.engine.model import Program, table
from rigidsim.physics.reductions import FOLDS
from rigidsim.quantities.vocabulary import METERED, NORM, READ
from rigidsim.scene.expressions import Expression, Reduction, StateRead
from rigidsim.scene.expressions.reductions import inputs, on_bodies
from rigidsim.scene.expressions.vocabulary import COUNT, COUNTED, OWN_FRAMES
from rigidsim.tree.nodes import Tree

SEEN = {key: number for number, key in enumerate(METERED)}
WIDTHS = [formula.width for formula in METERED.values()]
OF_RUN = {
    "kinetic_energy": layout.LEDGER.place("kinetic"),
    "potential_energy": layout.LEDGER.place("potential"),
    "work": layout.LEDGER.place("work"),
    "linear_momentum": layout.LEDGER.place("momentum"),
    "spin_angular_momentum": layout.LEDGER.place("spin"),
    "orbital_angular_momentum": layout.LEDGER.place("orbital"),
    "contact_work": layout.LEDGER.place("contact"),
}
"""The first column of a ledger of each quantity of the whole run that a metric can read."""
KINDS = {fold.name: number for number, fold in enumerate(FOLDS)}


def metric_tables(metrics: Mapping[str, Expression], tree: Tree) -> MetricTables:
    """The tables of the metrics of a scene."""
    collected = _Reductions(tree)

    def place_of(reduction: Reduction) -> RegisterRef:
        collected.add(reduction)
        return results.room_for_view(1)

    results = Assembler(place_of)
    places = [results.place_of(on_bodies(metric, tree.by_path)) for metric in metrics.values()]
    return MetricTables(
        names=tuple(metrics),
        program=collected.program(),
        views=collected.views(),
        folds=collected.folds(),
        counted=collected.counted(),
        results=results.program(),
        result=np.array([results.register(place) for place in places], dtype=np.int64),
    )


class _Reductions:
    """Collects the reductions of all metrics. Equal ones are kept apart, because they may differ in other lanes."""

    def __init__(self, tree: Tree):
        self._tree = tree
        self._assembler = Assembler(self._look)
        self._views: dict[tuple, RegisterRef] = {}
        self._counted: list[tuple[int, int]] = []
        self._folds: list[tuple[int, list[RegisterRef]]] = []

    def add(self, reduction: Reduction) -> None:
        """Add a reduction after the others."""
        self._counted.append(self._nodes(reduction.body))
        if reduction.kind == COUNT:
            self._folds.append((len(FOLDS) + COUNTED.index(reduction.events), []))
        else:
            trees = inputs(reduction)
            self._folds.append((KINDS[reduction.kind], [self._assembler.place_of_tree(tree) for tree in trees]))

    def folds(self) -> np.ndarray:
        """See `Metrics`; an input that a fold does not take is its first one again."""
        rows = []
        for kind, places in self._folds:
            registers = list(map(self._assembler.register, places)) or [0]
            rows.append((kind, *registers, *registers[:1] * (3 - len(registers))))
        return table(rows, layout.FOLD.width)

    def counted(self) -> np.ndarray:
        """(reduction, 2) the nodes of which events are counted: the first, and that after the last."""
        return table(self._counted, 2)

    def _nodes(self, body: str) -> tuple[int, int]:
        """A body and all below it at t = 0, which follow it; all nodes if it is empty."""
        paths = [node.path for node in self._tree.nodes]
        if not body:
            return 0, len(paths)
        below = [row for row, path in enumerate(paths) if path == body or path.startswith(f"{body}/")]
        return below[0], below[-1] + 1

    def program(self) -> Program:
        """The program of the values at a sample."""
        return self._assembler.program()

    def views(self) -> tuple[ViewRecord, ...]:
        """What the program reads of a sample."""
        number = self._assembler.register
        return tuple(
            ViewRecord(kind, observer, body, number(place)) for (kind, observer, body), place in self._views.items()
        )

    def _look(self, state: StateRead) -> RegisterRef:
        if not state.body:
            return self._viewed(len(METERED) + OF_RUN[state.quantity] + state.component, 1, (0, 0), (0, 0))
        kind = READ[state.quantity]
        is_norm = NORM in kind.accepts and state.component == kind.accepts.index(NORM)
        number = SEEN[state.quantity, is_norm, state.observer == OWN_FRAMES["body"]]
        body = self._tree.frame_of(state.body)
        place = self._viewed(number, WIDTHS[number], self._observer(state.observer, body), (body, 0))
        return RegisterRef("view", place.index + (0 if is_norm else state.component))

    def _viewed(self, kind: int, width: int, observer: tuple[int, int], body: tuple[int, int]) -> RegisterRef:
        """The first register of a view."""
        seen = (kind, observer, body)
        if seen not in self._views:
            self._views[seen] = self._assembler.room_for_view(width)
        return self._views[seen]

    def _observer(self, name: str, body: int) -> tuple[int, int]:
        if name == OWN_FRAMES["parent"]:
            return PARENT, body
        return (0, 0) if name == OWN_FRAMES["body"] else (self._tree.frame_of(name), 0)
