"""The model of a tree: constants of bodies and driven nodes, the order of evaluation, the loads."""

from __future__ import annotations

import numpy as np

from rigidsim.engine import layout
from rigidsim.engine.assembly.blueprint import Blueprint, DriveTables
from rigidsim.engine.assembly.loads import SCRIPTS, Loads
from rigidsim.engine.assembly.plane import lock_body
from rigidsim.engine.assembly.tree import Node, Tree
from rigidsim.engine.model import Expressions, Model, table, zeros
from rigidsim.physics.inertia import inverse

KINDS = {"free": layout.FREE, "fixed": layout.FIXED, "prescribed": layout.PRESCRIBED}


def model_of(blueprint: Blueprint, tree: Tree) -> Model:
    """The model of a tree."""
    loads, drives, free = Loads(blueprint, tree), blueprint.drives, tree.free()
    return Model(
        node=node_table(tree, drives),
        active=active_nodes(tree, loads.frames()),
        every=np.array(list(tree.order.handles()), dtype=np.int64),
        moved_node=np.array([node.index for node in free], dtype=np.int64),
        by_path=np.array(sorted(range(len(free)), key=lambda k: free[k].path), dtype=np.int64),
        body=_stacked([body_row(node, tree, blueprint) for node in free], layout.BODY_ROWS),
        motion=_stacked([motion_row(node, drives) for node in tree.nodes if not node.is_free()], layout.MOTION_ROWS),
        scale=np.array([[1.0], *([node.metres] for node in tree.nodes)]),
        normal=np.array(blueprint.normal, dtype=np.float64).reshape(-1, 3),
        **loads.arrays(),
        expressions=expressions_of(blueprint, tree, loads) if blueprint.labels else None,
        inherits=np.array([float(node.inherits) for node in free], dtype=np.float64),
        **blueprint.schedule.edges(),
        step=blueprint.schedule.step,
    )


def expressions_of(blueprint: Blueprint, tree: Tree, loads: Loads) -> Expressions:
    """All that is given by expressions."""
    scripts, drives = blueprint.scripts, blueprint.drives
    return Expressions(
        scripts=loads.law(SCRIPTS, layout.SCRIPT_ROWS),
        script_register=scripts.registers,
        script=scripts.program,
        views=loads.views,
        drive=drives.program,
        driven=_with_rows(drives.driven, tree),
        paced=_with_rows(drives.paced, tree),
        drive_axes=drives.axes,
    )


def node_table(tree: Tree, drives: DriveTables) -> np.ndarray:
    """Parent, kind, row and carrier of each node; see `Model`."""
    driven = set(drives.driven[:, 0].tolist())
    rows = []
    for node in tree.nodes:
        kind = layout.DRIVEN if node.index in driven else KINDS[node.kind]
        rows.append((node.parent, kind, tree.rows[node.index], tree.row(tree.carrier(node))))
    return table(rows, 4)


def body_row(node: Node, tree: Tree, blueprint: Blueprint) -> np.ndarray:
    """Constants of a free body with all that is fixed to it."""
    mass, fault = tree.composite(node)
    symmetric = tuple(np.array(mass.inertia))
    row = zeros(layout.BODY_ROWS)
    row[layout.B_MASS] = mass.mass
    row[layout.B_G : layout.B_G + 3] = blueprint.gravity if node.falls else (0.0, 0.0, 0.0)
    row[layout.B_INERTIA : layout.B_INERTIA + 6] = symmetric
    # No torque turns a particle, if I^-1 is zero; what cannot be has none.
    row[layout.B_INVERSE : layout.B_INVERSE + 6] = np.nan if fault else 0.0 if mass.is_point else inverse(symmetric)
    row[layout.B_COM : layout.B_COM + 3] = [node.metres * c for c in mass.center]
    row[layout.B_SCALE] = node.parent_metres
    if blueprint.normal:
        lock_body(row, blueprint.normal, node.normal)
    return row


def motion_row(node: Node, drives: DriveTables) -> np.ndarray:
    """Constants of a fixed or prescribed node, in the parent's axes."""
    row = zeros(layout.MOTION_ROWS)
    row[layout.M_P : layout.M_P + 3], row[layout.M_Q : layout.M_Q + 4] = node.position, node.orientation
    if node.kind == "prescribed":
        row[:] = drives.motions[node.index]
    row[layout.M_SCALE] = node.parent_metres
    return row


def active_nodes(tree: Tree, looked_at: set[int]) -> np.ndarray:
    """Nodes that a free body's motion depends on, parents first: the free ones, what loads look at, all that carries
    one.
    """
    wanted: set[int] = set()
    for node in tree.nodes:
        if node.is_free() or node.frame in looked_at:
            wanted |= {ancestor.index for ancestor in tree.lineage(node)}
    return np.array([index for index in tree.order.handles() if index in wanted], dtype=np.int64)


def _with_rows(nodes: np.ndarray, tree: Tree) -> np.ndarray:
    """The table with the row of each node in place of its number."""
    found = nodes.copy()
    found[:, 0] = [tree.rows[node] for node in nodes[:, 0]]
    return found


def _stacked(rows: list[np.ndarray], width: int) -> np.ndarray:
    return np.array(rows, dtype=np.float64).reshape(len(rows), width)
