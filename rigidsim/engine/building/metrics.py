"""Metrics: one program for what all of them read at a sample, the reductions, and one program of the reductions."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from rigidsim.engine import layout
from rigidsim.engine.assembly.blueprint import MetricTables, ViewRecord
from rigidsim.engine.assembly.tree import Tree
from rigidsim.engine.building.programs import Assembler, RegisterRef
from rigidsim.engine.building.scripts import VIEWS
from rigidsim.engine.model import Program, table
from rigidsim.physics.reductions import FOLDS
from rigidsim.scene.expressions import Expression, Reduction, StateRead
from rigidsim.scene.expressions.reductions import ENERGIES, inputs
from rigidsim.scene.expressions.vocabulary import COUNT, COUNTED, WORLD

SEEN = {**VIEWS, ENERGIES: (layout.SEEN_ENERGIES, 3)}
KINDS = {fold.name: number for number, fold in enumerate(FOLDS)}


def metric_tables(metrics: Mapping[str, Expression], tree: Tree) -> MetricTables:
    """The tables of the metrics of a scene."""
    collected = _Reductions(tree)

    def place_of(reduction: Reduction) -> RegisterRef:
        collected.add(reduction)
        return results.room_for_view(1)

    results = Assembler(place_of)
    places = [results.place_of(metric) for metric in metrics.values()]
    return MetricTables(
        names=tuple(metrics),
        program=collected.program(),
        views=collected.views(),
        folds=collected.folds(),
        results=results.program(),
        result=np.array([results.register(place) for place in places], dtype=np.int64),
    )


class _Reductions:
    """Collects the reductions of all metrics. Equal ones are kept apart, because they may differ in other lanes."""

    def __init__(self, tree: Tree):
        self._tree = tree
        self._assembler = Assembler(self._look)
        self._views: dict[tuple[int, int, int], RegisterRef] = {}
        self._folds: list[tuple[int, list[RegisterRef]]] = []

    def add(self, reduction: Reduction) -> None:
        """Add a reduction after the others."""
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
        return table(rows, layout.FOLD_COLUMNS)

    def program(self) -> Program:
        """The program of the values at a sample."""
        return self._assembler.program()

    def views(self) -> tuple[ViewRecord, ...]:
        """What the program reads of a sample."""
        number = self._assembler.register
        return tuple(
            ViewRecord(kind, (observer, 0), (body, 0), number(place))
            for (kind, observer, body), place in self._views.items()
        )

    def _look(self, state: StateRead) -> RegisterRef:
        kind, width = SEEN[state.quantity]
        seen = (kind, self._frame(state.observer), self._frame(state.body))
        if seen not in self._views:
            self._views[seen] = self._assembler.room_for_view(width)
        return RegisterRef("view", self._views[seen].index + state.component)

    def _frame(self, name: str) -> int:
        return 0 if name == WORLD else self._tree.frame_of(name)
