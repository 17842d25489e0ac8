"""Metrics: one program for what all of them read at a sample, the reductions, and one program of the reductions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from rigidsim.blueprints.programs import Assembler, RegisterRef
from rigidsim.engine.assembly.blueprint import AskedVector, MetricTables
from rigidsim.engine.assembly.site import PARENT
from rigidsim.engine.model import layout
from rigidsim.engine.model.arrays import table
from rigidsim.physics.reductions import FOLDS
from rigidsim.quantities.vocabulary import METERED, NORM, OF_RUN_METERED, READ, TURNED
from rigidsim.scene.expressions import Expression, Reduction, StateRead
from rigidsim.scene.expressions.reductions import inputs, is_of_loop, on_bodies
from rigidsim.scene.expressions.vocabulary import COUNT, COUNTED, OWN_FRAMES
from rigidsim.tree.nodes import Tree

SEEN = {key: number for number, key in enumerate((*METERED, *TURNED))}
WIDTHS = [formula.width for formula in (*METERED.values(), *TURNED.values())]
_OF_LEDGER = ("kinetic", "potential", "work", "momentum", "spin", "orbital", "contact")
OF_RUN = dict(zip(OF_RUN_METERED, map(layout.LEDGER.place, _OF_LEDGER), strict=True))
"""The first column of a ledger of each quantity of the whole run that a metric can read."""
FRAME_OF = {observer: frame for frame, observer in OWN_FRAMES.items()}
KINDS = {fold.name: number for number, fold in enumerate(FOLDS)}


def metric_tables(
    metrics: Mapping[str, Expression], tree: Tree, loops: Sequence[str], asked: Sequence[AskedVector] = ()
) -> MetricTables:
    """The tables of the metrics of a scene, whose loops have these names; `asked` is asked for besides."""
    collected = _Reductions(tree, loops, asked)

    def place_of(reduction: Reduction) -> RegisterRef:
        return results.view((collected.add(reduction),), 1)

    results = Assembler(place_of)
    places = [results.place_of(on_bodies(metric, tree.by_path)) for metric in metrics.values()]
    return MetricTables(
        names=tuple(metrics),
        program=collected.assembler.program(),
        views=collected.assembler.views(),
        asked=tuple(collected.asked),
        folds=collected.folds(),
        counted=table(collected.counted, 2),
        results=results.program(),
        result=np.array([results.register(place) for place in places], dtype=np.int64),
    )


class _Reductions:
    """Collects the reductions of all metrics. Equal ones are kept apart, because they may differ in other lanes."""

    def __init__(self, tree: Tree, loops: Sequence[str], asked: Sequence[AskedVector]):
        self._tree, self._loops = tree, loops
        self.assembler = Assembler(self._look)
        self.counted: list[tuple[int, int]] = []  # of which nodes: the first, and that after the last
        self.asked: dict[AskedVector, int] = {one: number for number, one in enumerate(asked)}
        self._folds: list[tuple[int, list[RegisterRef]]] = []

    def add(self, reduction: Reduction) -> int:
        """Add a reduction after the others; how many there are."""
        self.counted.append(self._nodes(reduction.body))
        if reduction.kind == COUNT:
            self._folds.append((len(FOLDS) + COUNTED.index(reduction.events), []))
        else:
            trees = inputs(reduction)
            self._folds.append((KINDS[reduction.kind], [self.assembler.place_of(tree) for tree in trees]))
        return len(self.counted)

    def folds(self) -> np.ndarray:
        """See `Metrics`; an input that a fold does not take is its first one again."""
        rows = []
        for kind, places in self._folds:
            registers = list(map(self.assembler.register, places)) or [0]
            rows.append((kind, *registers, *registers[:1] * (3 - len(registers))))
        return table(rows, layout.FOLD.width)

    def _nodes(self, body: str) -> tuple[int, int]:
        """A body and all below it at t = 0, which follow it; all nodes if it is empty."""
        paths = [node.path for node in self._tree.nodes]
        if not body:
            return 0, len(paths)
        below = [row for row, path in enumerate(paths) if path == body or path.startswith(f"{body}/")]
        return below[0], below[-1] + 1

    def _look(self, state: StateRead) -> RegisterRef:
        if not state.body:
            return self.assembler.view((len(SEEN) + OF_RUN[state.quantity] + state.component, (0, 0), (0, 0)), 1)
        kind = READ[state.quantity]
        body = self._loops.index(state.body) if is_of_loop(state) else self._tree.frame_of(state.body)
        is_norm = NORM in kind.accepts and state.component == kind.accepts.index(NORM)
        if kind.axes:
            other = self._tree.frame_of(state.other) if state.other else layout.NO_ROW
            asked = self.asked.setdefault(AskedVector(kind.name, body, other), len(self.asked))
            number = SEEN[kind.axes, FRAME_OF.get(state.observer, state.observer), is_norm]
            seen: tuple = (number, (0, 0), (body, 0), asked)
        else:
            number = SEEN[state.quantity, is_norm, state.observer == OWN_FRAMES["body"]]
            seen = (number, self._observer(state.observer, body), (body, 0))
        return self.assembler.view(seen, WIDTHS[number], 0 if is_norm else state.component)

    def _observer(self, name: str, body: int) -> tuple[int, int]:
        if name == OWN_FRAMES["parent"]:
            return PARENT, body
        return (0, 0) if name == OWN_FRAMES["body"] else (self._tree.frame_of(name), 0)
