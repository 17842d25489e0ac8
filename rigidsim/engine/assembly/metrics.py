"""The metrics of a blueprint on the present tree."""

from __future__ import annotations

import numpy as np

from rigidsim.engine import layout
from rigidsim.engine.assembly.blueprint import MetricTables
from rigidsim.engine.assembly.tree import Tree
from rigidsim.engine.model import Metrics, table
from rigidsim.structures.columns import numbers_table


def metrics_of(written: MetricTables, tree: Tree) -> Metrics:
    """The tables of the metrics, with the ways between the frames of each view."""
    nodes, rows = [], []
    for view in written.views:
        (observer, _), (body, _) = view.observer, view.body
        upwards, downwards = tree.branches(observer, body) if observer else ([], [])
        in_world = layout.NO_ROW if observer else body - 1
        rows.append((view.kind, view.register, in_world, len(nodes), len(nodes) + len(downwards)))
        nodes += [*downwards, *upwards]
    rows.append((0, 0, layout.NO_ROW, len(nodes), len(nodes)))
    return Metrics(
        program=written.program,
        views=table(rows, layout.METRIC_COLUMNS),
        way_node=np.array([node.index for node in nodes], dtype=np.int64),
        way_scale=numbers_table([[node.metres / node.parent_metres] for node in nodes], 1),
        folds=written.folds,
        results=written.results,
        result=written.result,
    )
