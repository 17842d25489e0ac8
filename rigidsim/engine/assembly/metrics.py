"""The metrics of a blueprint on the present tree."""

from __future__ import annotations

import math

import numpy as np

from rigidsim.containers.columns import numbers_table
from rigidsim.engine.assembly.blueprint import MetricTables
from rigidsim.engine.assembly.site import PARENT
from rigidsim.engine.model import layout
from rigidsim.engine.model.arrays import Metrics, table
from rigidsim.quantities.vocabulary import MASS, METERED
from rigidsim.tree.nodes import Node, Tree

NO_MASS = (math.nan,) * layout.LUMP.width
FORMULAS = tuple(METERED.values())


def metrics_of(written: MetricTables, tree: Tree) -> Metrics:
    """The tables of the metrics, with the ways between the frames of each view."""
    nodes: list[Node] = []
    rows, masses = [], []
    for view in written.views:
        (kind, observer), (body, _) = view.observer, view.body
        observer = tree.nodes[body - 1].parent if kind == PARENT else kind
        masses.append(_mass(tree, tree.at(body)) if is_of_mass(view.kind) else NO_MASS)
        upwards, downwards = tree.branches(observer, body) if observer else ([], [])
        in_world = layout.NO_ROW if observer else body - 1
        rows.append((view.kind, view.register, in_world, len(nodes), len(nodes) + len(downwards), view.asked))
        nodes += [*downwards, *upwards]
    rows.append((0, 0, layout.NO_ROW, len(nodes), len(nodes), layout.NO_ROW))
    return Metrics(
        program=written.program,
        views=table(rows, layout.METRIC.width),
        way_node=np.array([node.index for node in nodes], dtype=np.int64),
        way_scale=numbers_table([[node.metres / node.parent_metres] for node in nodes], 1),
        mass=numbers_table(masses, layout.LUMP.width),
        folds=written.folds,
        counted=written.counted,
        results=written.results,
        result=written.result,
    )


def is_of_mass(kind: int) -> bool:
    """Whether a view of this kind needs the mass of the body."""
    return kind < len(FORMULAS) and MASS in FORMULAS[kind].needs


def _mass(tree: Tree, body: Node) -> tuple:
    """Mass, centre of mass (m) and inertia of a body with what is fixed to it, in its own axes; NaN if it is not
    moved.
    """
    if not body.is_moved():
        return NO_MASS
    mass, center, inertia = tree.lump(body)
    return (mass, *center, *inertia)
