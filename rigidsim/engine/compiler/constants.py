"""The model of a tree: constants of bodies and driven nodes, the order of evaluation, the loads."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rigidsim.engine import layout
from rigidsim.engine.compiler.drives import Drives
from rigidsim.engine.compiler.initial import prescribed_constants
from rigidsim.engine.compiler.loads import Loads
from rigidsim.engine.compiler.plane import lock_body
from rigidsim.engine.compiler.schedule import Schedule
from rigidsim.engine.compiler.tree import Node, Tree
from rigidsim.engine.compiler.written import written_loads
from rigidsim.engine.model import Expressions, Law, Model, table, zeros
from rigidsim.physics.inertia import inverse
from rigidsim.physics.quaternion import product
from rigidsim.physics.vector import rejection
from rigidsim.scene import Scene


class Assembled(NamedTuple):
    """A model and what is known of it."""

    model: Model
    isolated: bool
    labels: tuple[str, ...]
    impulse_names: tuple[tuple[str, int, str], ...]
    state_labels: tuple[str, ...]


def body_row(node: Node, tree: Tree, start: Tree, scene: Scene) -> np.ndarray:
    """Constants of a free body with all that is fixed to it."""
    carried, _, fault = tree.carried(node)
    tensor = carried.inertia
    symmetric = (tensor[0][0], tensor[1][1], tensor[2][2], tensor[0][1], tensor[0][2], tensor[1][2])
    row = zeros(layout.BODY_ROWS)
    row[layout.B_MASS] = carried.mass
    row[layout.B_G : layout.B_G + 3] = scene.world.uniform_gravity if node.spec.gravity else (0.0, 0.0, 0.0)
    row[layout.B_INERTIA : layout.B_INERTIA + 6] = symmetric
    # No torque turns a particle, if I^-1 is zero; what cannot be has none.
    row[layout.B_INVERSE : layout.B_INVERSE + 6] = np.nan if fault else 0.0 if carried.is_point else inverse(symmetric)
    row[layout.B_COM : layout.B_COM + 3] = [node.metres * c for c in carried.center_of_mass]
    row[layout.B_SCALE] = node.parent_metres
    if scene.world.normal:
        lock_body(row, scene.world.normal, world_orientation(start.by_path[node.path]))
    return row


def world_orientation(node: Node) -> tuple:
    """At the start; in a planar scene no later turn changes where the plane's normal lies in the body."""
    if node.parent is None:
        return node.orientation
    return product(world_orientation(node.parent), node.orientation)


def active_nodes(tree: Tree, looked_at: set[int]) -> np.ndarray:
    """Nodes that a free body's motion depends on, parents first: the free ones, what loads look at, all that carries
    one.
    """
    wanted: set[int] = set()
    for node in tree.nodes:
        if node.is_free() or node.frame in looked_at:
            wanted |= {ancestor.index for ancestor in node.lineage()}
    return np.array([node.index for node in tree.outwards() if node.index in wanted], dtype=np.int64)


def rows_of(tree: Tree) -> dict[str, int]:
    """The row of each node among the free bodies or among the driven nodes."""
    free = iter(range(len(tree.nodes)))
    driven = iter(range(len(tree.nodes)))
    return {node.path: next(free if node.is_free() else driven) for node in tree.nodes}


def is_isolated(scene: Scene, tree: Tree, loads: Loads) -> bool:
    """Whether bodies act on each other only, so that momenta are conserved."""
    free, g = tree.free(), scene.world.uniform_gravity
    if scene.world.normal:
        g = rejection(scene.world.normal, g)
    falls = any(g) and any(node.spec.gravity for node in free)
    # A jump that carries a body along gives it momentum.
    is_carried = bool(scene.reparent) and any(node.spec.inherit_impulses for node in free)
    return loads.is_isolated and not falls and not is_carried


def loads_of(scene: Scene, tree: Tree, start: Tree, schedule: Schedule) -> Loads:
    """What a scene does to the bodies of a tree; `start` is the tree at t = 0."""
    return Loads(written_loads(scene, start), scene.world.mutual_gravity, tree, schedule)


def expresses(loads: Loads, start: Tree) -> bool:
    """Whether anything is given by expressions. It does not change when a node gets another parent, so that a run needs
    one kind of stepper.
    """
    return bool(loads.scripts.labels or Drives(start).labels)


def expressions_of(scripts: Law, loads: Loads, drives: Drives, motion_row: dict[str, int]) -> Expressions:
    """All that is given by expressions."""
    return Expressions(
        scripts=scripts,
        script_register=loads.scripts.registers(),
        script=loads.scripts.program(),
        views=loads.scripts.views(),
        **drives.arrays(motion_row),
    )


def model_of(scene: Scene, tree: Tree, start: Tree, schedule: Schedule) -> Assembled:
    """The model of a tree; `start` is the tree at t = 0, which says where springs are at rest."""
    loads, drives = loads_of(scene, tree, start, schedule), Drives(tree)
    row, free = rows_of(tree), tree.free()
    model = Model(
        node=table([(tree.frame("parent", node), drives.kind(node), row[node.path]) for node in tree.nodes], 3),
        active=active_nodes(tree, loads.frames()),
        every=np.array([node.index for node in tree.outwards()], dtype=np.int64),
        free_node=np.array([node.index for node in free], dtype=np.int64),
        by_path=np.array(sorted(range(len(free)), key=lambda k: free[k].path), dtype=np.int64),
        body=_stacked([body_row(node, tree, start, scene) for node in free], layout.BODY_ROWS),
        motion=_stacked([prescribed_constants(node) for node in tree.nodes if not node.is_free()], layout.MOTION_ROWS),
        scale=np.array([[1.0], *([node.metres] for node in tree.nodes)]),
        normal=np.array(scene.world.normal or (), dtype=np.float64).reshape(-1, 3),
        **loads.arrays(),
        expressions=expressions_of(laws["scripts"], loads, drives, row) if expresses(loads, start) else None,
        inherits=np.array([float(node.spec.inherit_impulses) for node in free], dtype=np.float64),
        **schedule.edges(),
        step=scene.simulation.step,
    )
    labels = (*loads.scripts.labels, *drives.labels)
    paced = (node.path for node in drives.paced)
    state_labels = (*(node.path for node in free), *paced, *loads.followed_labels)
    return Assembled(model, is_isolated(scene, tree, loads), labels, tuple(loads.impulse_names), state_labels)


def _stacked(rows: list[np.ndarray], width: int) -> np.ndarray:
    return np.array(rows, dtype=np.float64).reshape(len(rows), width)
