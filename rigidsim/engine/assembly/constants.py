"""The model of a tree: constants of bodies and driven nodes, the order of evaluation, the loads."""

from __future__ import annotations

import numpy as np

from rigidsim.containers.columns import numbers_table
from rigidsim.engine.assembly.asked import asked_of
from rigidsim.engine.assembly.blueprint import Blueprint, DriveTables
from rigidsim.engine.assembly.contacts import contact_frames, contacts_of
from rigidsim.engine.assembly.joints import MovedRow, joints_of, loop_ends, loops_of, motors_of, moved_rows
from rigidsim.engine.assembly.loads import SCRIPTS, LoadTables
from rigidsim.engine.assembly.metrics import metrics_of
from rigidsim.engine.model import layout
from rigidsim.engine.model.arrays import Expressions, Model, VariedLoads, table
from rigidsim.physics.inertia import apply, inverse
from rigidsim.physics.vector import dot, projection, rejection
from rigidsim.tree.nodes import Node, Tree, links_of

KINDS = {
    "free": layout.FREE, "fixed": layout.FIXED, "prescribed": layout.PRESCRIBED, "jointed": layout.JOINTED
}  # fmt: skip


def model_of(blueprint: Blueprint, tree: Tree) -> Model:
    """The model of a tree."""
    loads, drives, moved = LoadTables(blueprint, tree), blueprint.drives, moved_rows(tree)
    held = [node for node in tree.nodes if not node.is_moved()]
    ends = loop_ends(blueprint.loops, tree)
    bodies = [body_row(row, tree, blueprint) for row in moved]
    joints = joints_of(moved, tree, blueprint, ends, bodies)
    loops = loops_of(blueprint.loops, ends, joints, tree, loads.pair)
    return Model(
        node=node_table(tree, drives),
        active=active_nodes(tree, loads.frames() | contact_frames(blueprint, tree)),
        every=np.array(list(tree.order.handles()), dtype=np.int64),
        moved_node=np.array([row.place for row in moved], dtype=np.int64),
        by_path=np.array(sorted(range(len(moved)), key=lambda k: moved[k].node.path), dtype=np.int64),
        body=numbers_table(bodies, layout.BODY.width),
        motion=numbers_table([motion_row(node, drives) for node in held], layout.MOTION.width),
        scale=numbers_table([[1.0], *([node.metres] for node in tree.nodes)], 1),
        normal=numbers_table([blueprint.normal] if blueprint.normal else [], 3),
        **loads.arrays(),
        joints=joints,
        loops=loops,
        expressions=expressions_of(blueprint, tree, loads) if blueprint.labels else None,
        contacts=contacts_of(blueprint, tree, joints, loops, loads),
        metrics=metrics_of(blueprint.metrics, tree) if blueprint.metrics else None,
        asked=asked_of(blueprint, tree, blueprint.asked),
        guards=metrics_of(blueprint.triggers.guards, tree) if blueprint.triggers else None,
        sensing=metrics_of(blueprint.sensing.numbers, tree) if blueprint.sensing else None,
        inherits=np.array([float(row.node.inherits) for row in moved], dtype=np.float64),
        **blueprint.schedule.edges(),
        step=blueprint.schedule.step,
    )


def expressions_of(blueprint: Blueprint, tree: Tree, loads: LoadTables) -> Expressions:
    """The tables of everything that expressions define."""
    scripts, drives = blueprint.scripts, blueprint.drives
    return Expressions(
        scripts=loads.law(SCRIPTS, layout.SCRIPT),
        script_register=scripts.registers,
        script=scripts.program,
        views=loads.views,
        drive=drives.program,
        driven=_with_rows(drives.driven, tree),
        rate_driven=_with_rows(drives.rate_driven, tree),
        desired=motors_of(drives.desired, tree),
        motors=motors_of(scripts.motors, tree),
        drive_axes=drives.axes,
        varied=VariedLoads(table(loads.coefficients, layout.COEFFICIENT.width)) if loads.coefficients else None,
    )


def node_table(tree: Tree, drives: DriveTables) -> np.ndarray:
    """Parent, kind, row and moved base of each node, whether it bears free bodies, its first row; see `Model`."""
    driven = set(drives.driven[:, 0].tolist())
    bearing = {above.index for node in tree.free() for above in tree.lineage(node) if above is not node}
    rows = []
    for node in tree.nodes:
        kind = layout.DRIVEN if node.index in driven else KINDS[node.kind]
        moves_free = int(node.index in bearing and any(map(Node.is_moved, tree.lineage(node))))
        row = tree.rows[node.index]
        rows.append((node.parent, kind, row, tree.row(tree.moved_base(node)), moves_free, row - links_of(node)))
    return table(rows, layout.NODE.width)


def body_row(row: MovedRow, tree: Tree, blueprint: Blueprint) -> list[float]:
    """Constants of a moved body together with the parts fixed to it; those of a link are zero."""
    node = row.node
    if row.is_link:
        return layout.BODY.filled(scale=node.parent_metres)
    mass, fault = tree.composite(node)
    symmetric = tuple(np.array(mass.inertia))
    # With I^-1 = 0 torques have no effect on a particle; an impossible inertia has no inverse.
    no_inverse = np.nan if fault else 0.0 if mass.is_point else None
    with np.errstate(all="ignore"):  # cofactors may be beyond the largest float
        inverted = inverse(symmetric) if no_inverse is None else [no_inverse] * 6
    found = layout.BODY.filled(
        mass=mass.mass, g=blueprint.gravity if node.falls else (0.0, 0.0, 0.0), inertia=symmetric, inverse=inverted,
        com=tree.lump(node).center, scale=node.parent_metres,
    )  # fmt: skip
    if blueprint.normal:
        lock_body(found, blueprint.normal, node.normal)
    return found


def motion_row(node: Node, drives: DriveTables) -> list[float]:
    """Constants of a fixed or prescribed node, in the parent's axes."""
    row = layout.MOTION.filled(p=node.position, q=node.orientation)
    if node.kind == "prescribed":
        row = list(drives.motions[node.index])
    row[layout.MOTION.scale] = node.parent_metres
    return row


def active_nodes(tree: Tree, looked_at: set[int]) -> np.ndarray:
    """Nodes that the motion of a moved body depends on, parents first: moved bodies, nodes whose frames loads or
    contacts read, and the ancestors of all these.
    """
    wanted: set[int] = set()
    for node in tree.nodes:
        if node.is_moved() or node.frame in looked_at:
            wanted |= {ancestor.index for ancestor in tree.lineage(node)}
    return np.array([index for index in tree.order.handles() if index in wanted], dtype=np.int64)


def _with_rows(nodes: np.ndarray, tree: Tree) -> np.ndarray:
    """The table with the number of each node replaced by its row."""
    found = nodes.copy()
    found[:, 0] = [tree.rows[node] for node in nodes[:, 0]]
    return found


def lock_body(row: list[float], normal, n_B) -> None:
    """Lock the constants of a free body of a planar scene to its plane, in place; the normal n in world axes, and in
    the body's.

    The inertia becomes (n . I n) times the identity: then omega stays along n, the gyroscopic term vanishes, and
    alpha = tau / (n . I n). The kinetic energy and the angular momentum about n are those of the real body. All frames
    rotate about n only, so n is constant in each of them. Components of loads that would move a body out of the plane
    are removed where the loads are summed (`engine/laws/wrench.py`): the plane constraint balances them.
    """
    moment = dot(n_B, apply(tuple(row[layout.BODY.inertia]), n_B))
    inverse = 1.0 / moment if moment > 0.0 else 0.0
    row[layout.BODY.inertia] = (moment, moment, moment, 0.0, 0.0, 0.0)
    row[layout.BODY.inverse] = (inverse, inverse, inverse, 0.0, 0.0, 0.0)
    row[layout.BODY.g] = rejection(normal, tuple(row[layout.BODY.g]))


def lock_rate(state: list[float], n_B) -> None:
    """Lock the initial rate of a free body, in place."""
    state[layout.STATE.omega] = projection(n_B, tuple(state[layout.STATE.omega]))
