"""The model of a tree: constants of bodies and driven nodes, the order of evaluation, the loads."""

from __future__ import annotations

import numpy as np

from rigidsim.engine import layout
from rigidsim.engine.assembly.blueprint import Blueprint, DriveTables
from rigidsim.engine.assembly.contacts import contact_frames, contacts_of
from rigidsim.engine.assembly.loads import SCRIPTS, LoadTables
from rigidsim.engine.assembly.metrics import metrics_of
from rigidsim.engine.assembly.plane import lock_body
from rigidsim.engine.assembly.tree import Node, Tree
from rigidsim.engine.model import Expressions, Model, table
from rigidsim.physics.inertia import inverse
from rigidsim.structures.columns import numbers_table

KINDS = {"free": layout.FREE, "fixed": layout.FIXED, "prescribed": layout.PRESCRIBED}


def model_of(blueprint: Blueprint, tree: Tree) -> Model:
    """The model of a tree."""
    loads, drives, free = LoadTables(blueprint, tree), blueprint.drives, tree.free()
    held = [node for node in tree.nodes if not node.is_free()]
    return Model(
        node=node_table(tree, drives),
        active=active_nodes(tree, loads.frames() | contact_frames(blueprint, tree)),
        every=np.array(list(tree.order.handles()), dtype=np.int64),
        moved_node=np.array([node.index for node in free], dtype=np.int64),
        by_path=np.array(sorted(range(len(free)), key=lambda k: free[k].path), dtype=np.int64),
        body=numbers_table([body_row(node, tree, blueprint) for node in free], layout.BODY_ROWS),
        motion=numbers_table([motion_row(node, drives) for node in held], layout.MOTION_ROWS),
        scale=numbers_table([[1.0], *([node.metres] for node in tree.nodes)], 1),
        normal=numbers_table([blueprint.normal] if blueprint.normal else [], 3),
        **loads.arrays(),
        expressions=expressions_of(blueprint, tree, loads) if blueprint.labels else None,
        contacts=contacts_of(blueprint, tree),
        metrics=metrics_of(blueprint.metrics, tree) if blueprint.metrics else None,
        inherits=np.array([float(node.inherits) for node in free], dtype=np.float64),
        **blueprint.schedule.edges(),
        step=blueprint.schedule.step,
    )


def expressions_of(blueprint: Blueprint, tree: Tree, loads: LoadTables) -> Expressions:
    """The tables of everything that expressions define."""
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


def body_row(node: Node, tree: Tree, blueprint: Blueprint) -> list[float]:
    """Constants of a free body together with the parts fixed to it."""
    mass, fault = tree.composite(node)
    symmetric = tuple(np.array(mass.inertia))
    row = [0.0] * layout.BODY_ROWS
    row[layout.B_MASS] = mass.mass
    row[layout.B_G : layout.B_G + 3] = blueprint.gravity if node.falls else (0.0, 0.0, 0.0)
    row[layout.B_INERTIA : layout.B_INERTIA + 6] = symmetric
    # With I^-1 = 0 torques have no effect on a particle; an impossible inertia has no inverse.
    no_inverse = np.nan if fault else 0.0 if mass.is_point else None
    row[layout.B_INVERSE : layout.B_INVERSE + 6] = inverse(symmetric) if no_inverse is None else [no_inverse] * 6
    row[layout.B_COM : layout.B_COM + 3] = [node.metres * c for c in mass.center]
    row[layout.B_SCALE] = node.parent_metres
    if blueprint.normal:
        lock_body(row, blueprint.normal, node.normal)
    return row


def motion_row(node: Node, drives: DriveTables) -> list[float]:
    """Constants of a fixed or prescribed node, in the parent's axes."""
    row = [0.0] * layout.MOTION_ROWS
    row[layout.M_P : layout.M_P + 3], row[layout.M_Q : layout.M_Q + 4] = node.position, node.orientation
    if node.kind == "prescribed":
        row[:] = drives.motions[node.index]
    row[layout.M_SCALE] = node.parent_metres
    return row


def active_nodes(tree: Tree, looked_at: set[int]) -> np.ndarray:
    """Nodes that the motion of a free body depends on, parents first: free bodies, nodes whose frames loads or
    contacts read, and the ancestors of all these.
    """
    wanted: set[int] = set()
    for node in tree.nodes:
        if node.is_free() or node.frame in looked_at:
            wanted |= {ancestor.index for ancestor in tree.lineage(node)}
    return np.array([index for index in tree.order.handles() if index in wanted], dtype=np.int64)


def _with_rows(nodes: np.ndarray, tree: Tree) -> np.ndarray:
    """The table with the number of each node replaced by its row."""
    found = nodes.copy()
    found[:, 0] = [tree.rows[node] for node in nodes[:, 0]]
    return found
