"""The shapes and contact bodies of a tree."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from rigidsim.containers.columns import numbers_table
from rigidsim.engine.assembly.blueprint import Blueprint, ContactPlan, ShapeRecord
from rigidsim.engine.assembly.joints import outermost_of
from rigidsim.engine.assembly.loads import LoadTables
from rigidsim.engine.assembly.meshes import joined
from rigidsim.engine.constraints.lasting import MOST_SLOTS
from rigidsim.engine.integrators.euler import EulerOptions
from rigidsim.engine.integrators.rkmk4 import Rkmk4Options
from rigidsim.engine.model import contact_layout as at
from rigidsim.engine.model import layout
from rigidsim.engine.model.arrays import Contacts, Joints, Loops, Meshes, Rest, Trees, table
from rigidsim.physics.contact import IGNORED
from rigidsim.physics.distances import BOX, HALF_SPACE, POINT, SEGMENT
from rigidsim.physics.quaternion import product, rotate
from rigidsim.physics.vector import norm, scaled, sub
from rigidsim.tree.nodes import Node, Tree

CLOSED = (POINT, SEGMENT, BOX, HALF_SPACE)
"""The kinds of cores that have routines of their own with each other."""
REST_SPEED = 0.01  # of what gravity adds to a speed in a step: below it a body rests
LEAST_INDEPENDENT = 8  # free bodies, from which on it pays to compile a step of them side by side: a block is full


def contacts_of(
    blueprint: Blueprint, tree: Tree, joints: Joints | None, loops: Loops | None, loads: LoadTables
) -> Contacts | None:
    """The contacts of a tree, of which the moved rows hang so, are held by loops, or bear these loads; None for a scene
    without shapes that can meet.
    """
    plan = blueprint.contacts
    if plan is None:
        return None
    bodies = contact_bodies(plan, tree)
    numbers = {node.index: k for k, node in enumerate(bodies)}
    holders = [numbers[contact_body(tree, shape).index] for shape in plan.shapes]
    leaders, apart = leaders_of(tree, bodies, [(loop.first, loop.second) for loop in blueprint.loops if loop.apart])
    rows = [
        (body, shape.core.kind, shape.surface_class, shape.node, shape.number, *leaders[body])
        for body, shape in zip(holders, plan.shapes, strict=True)
    ]
    meshes, roots = placed_meshes(plan, tree)
    unloaded = unloaded_bodies(blueprint, tree, joints, loads)
    n_moved, shapes = sum(node.is_moved() for node in bodies), table(rows, at.SHAPE.width)
    values = numbers_table(shape_rows(plan, tree, roots), at.SOLID.width)
    ways = _Ways(tree)
    places = ways.places(bodies, components(shapes, plan.action, n_moved, len(bodies)))
    body_rows = [
        (node.index, tree.rows[node.index] if node.is_moved() else layout.NO_ROW, place)
        for node, place in zip(bodies, places, strict=True)
    ]
    return Contacts(
        shape=shapes,
        shape_value=values,
        body=table(body_rows, at.CONTACT_BODY.width),
        way=table(ways.rows, at.WAY.width),
        action=plan.action,
        value=plan.value,
        n_moved=n_moved,
        substeps=plan.substeps,
        share=1.0 if isinstance(blueprint.method, EulerOptions) else 0.5,
        trees=trees_of(bodies, tree, joints, loops),
        apart=np.array(apart, dtype=np.int64),
        corner=corners_of(plan, tree),
        meshes=meshes,
        events=np.array([MOST_SLOTS]) if plan.summary["mode"] == "events" else None,
        rest=rest_of(blueprint, tree, bodies, shapes, values, unloaded) if plan.sleeps else None,
        independent=independent_rows(blueprint, tree, plan, unloaded, loads),
    )


def unloaded_bodies(blueprint: Blueprint, tree: Tree, joints: Joints | None, loads: LoadTables) -> set[int]:
    """The free bodies, by number, that bear no load and carry nothing but fixed parts."""
    held = {
        tree.moved_base(tree.nodes[frame - 1])
        for loop in blueprint.loops
        for frame in (loop.first, loop.second)
        if frame > 0
    }
    above = {one.index for node in tree.nodes if node.kind != "fixed" for one in tree.lineage(node) if one is not node}
    in_trees = set() if joints is None else set(np.flatnonzero(joints.joint[:, layout.JOINT.root] != layout.NO_ROW))
    bound = loads.laden() | in_trees
    return {
        node.index
        for node in tree.free()
        if node not in held and node.index not in above and tree.rows[node.index] not in bound
    }


def independent_rows(
    blueprint: Blueprint, tree: Tree, plan: ContactPlan, unloaded: set[int], loads: LoadTables
) -> np.ndarray | None:
    """The rows of independent bodies: unloaded ones in the world whose motion no load reads. None if the scene has few
    free bodies, is planar, or is stepped in another way; so a reparenting needs no other code.
    """
    is_plain = type(blueprint.method) is Rkmk4Options and plan.summary["mode"] != "events" and not blueprint.normal
    if not is_plain or len(blueprint.tree.free()) < LEAST_INDEPENDENT:
        return None
    read = {one.index for frame in loads.frames() if frame for one in tree.lineage(tree.nodes[frame - 1])}
    return np.array([tree.rows[k] for k in sorted(unloaded - read) if tree.nodes[k].parent == 0], dtype=np.int64)


def rest_of(
    blueprint: Blueprint, tree: Tree, bodies: list[Node], shapes: np.ndarray, values: np.ndarray, unloaded: set[int]
) -> Rest:
    """When each contact body may sleep: an unloaded body that falls, and whose parents forces do not move."""
    speed = REST_SPEED * norm(blueprint.gravity) * blueprint.schedule.step
    speeds = [
        speed * (
            node.index in unloaded and node.falls
            and not any(one.is_moved() for one in tree.lineage(node) if one is not node)
        )
        for node in bodies
    ]  # fmt: skip
    distance = np.linalg.norm(values[:, at.SOLID.p], axis=1) + values[:, at.SOLID.bound]
    reach, of_shape = np.zeros(len(bodies)), shapes[:, at.SHAPE.body]
    np.maximum.at(reach, of_shape, distance)
    return Rest(
        speed=np.where(np.isfinite(reach), speeds, 0.0),
        reach=np.where(np.isfinite(reach), reach, 0.0),
        fixed=np.array([all(one.kind == "fixed" for one in tree.lineage(node)[1:]) for node in bodies], dtype=np.int64),
        shape=np.array([int(np.argmax(of_shape == b)) for b in range(len(bodies))], dtype=np.int64),
    )


def contact_body(tree: Tree, shape: ShapeRecord) -> Node:
    """The contact body of a shape: the moved body that carries it, else the node that it is defined on."""
    node = tree.nodes[shape.node]
    return tree.moved_base(node) or node


def leaders_of(
    tree: Tree, bodies: Sequence[Node], joined: Sequence[tuple[int, int]]
) -> tuple[list[tuple[int, int, int]], list[int]]:
    """Of each contact body the node of its leader, and where those from which joints and loops hold it apart begin and
    end in the list of all these; `joined` are the frames of ends of such loops.
    """
    held, leaders = tree.held_apart(joined), []
    apart: list[int] = []
    for body in bodies:
        leader, begin = tree.leader(body).index, len(apart)
        apart += sorted(held.get(leader, ()))
        leaders.append((leader, begin, len(apart)))
    return leaders, apart


def trees_of(bodies: list[Node], tree: Tree, joints: Joints | None, loops: Loops | None) -> Trees | None:
    """The contact bodies that are part of trees of joints, or of what loops hold together; None if none is."""
    if joints is None:
        return None
    island = islands_of(joints, loops)
    found: dict[int, list[int]] = defaultdict(list)  # contact bodies by their islands
    for number, node in enumerate(bodies):
        if node.is_moved() and joints.joint[tree.rows[node.index], layout.JOINT.root] != layout.NO_ROW:
            found[island[tree.rows[node.index]]].append(number)
    if not found:
        return None
    rows: list[tuple[int, ...]] = []
    place, n_response = [layout.NO_ROW] * (len(bodies) + 1), 0
    for members in found.values():
        begin = len(rows)
        for number in members:
            place[number] = len(rows)
            rows.append((number, begin, begin + len(members), n_response))
            n_response += len(members)
    touching = {*found, *(island[k] for k in (loops.rows.inward.tolist() if loops else ()))}  # loops are one matrix
    inward = [k for k in joints.inward.tolist() if island[k] in touching]
    modes = [] if joints.modes is None else joints.modes.tolist()
    of_coordinates = [modes.index(k) for k in inward if k in modes]
    return Trees(
        member=table(rows, at.MEMBER.width),
        place=np.array(place, dtype=np.int64),
        inward=np.array(inward, dtype=np.int64),
        modes=np.array([*of_coordinates, *(n for n, k in enumerate(modes) if k >= len(island))], dtype=np.int64),
    )


def islands_of(joints: Joints, loops: Loops | None) -> list[int]:
    """For each moved row one of those that joints and loops connect with it, the same for all."""
    parents = joints.joint[:, layout.JOINT.parent].tolist()
    found = [outermost_of(k, parents) for k in range(len(parents))]
    first, held = (loops.rows.first.tolist(), loops.rows.held.tolist()) if loops else ([0], [])
    for begin, end in pairwise(first):
        ends = [found[k] for k in held[begin:end] if 0 <= k < len(parents)]
        found = [ends[0] if k in ends else k for k in found]
    return found


def contact_bodies(plan: ContactPlan, tree: Tree) -> list[Node]:
    """The bodies with shapes: those that forces move, then the others, both in the order of their paths."""
    found = {node.index: node for node in (contact_body(tree, shape) for shape in plan.shapes)}
    return sorted(found.values(), key=lambda node: (not node.is_moved(), node.path))


def contact_frames(blueprint: Blueprint, tree: Tree) -> set[int]:
    """The frames of all contact bodies."""
    return {node.frame for node in contact_bodies(blueprint.contacts, tree)} if blueprint.contacts else set()


def placed_meshes(plan: ContactPlan, tree: Tree) -> tuple[Meshes | None, list[int]]:
    """The tables of all meshes, m, each once, and the root of the tree of each shape, or NO_ROW."""
    keys = [(id(shape.triangles), float(metres_of(shape, tree))) if shape.triangles else None for shape in plan.shapes]
    surfaces = {key: shape.triangles for key, shape in zip(keys, plan.shapes, strict=True) if key and shape.triangles}
    if not surfaces:
        return None, [layout.NO_ROW] * len(keys)
    meshes, roots = joined([surface.grown(metres) for (_, metres), surface in surfaces.items()])
    root_of = dict(zip(surfaces, roots, strict=True))
    return meshes, [root_of.get(key, layout.NO_ROW) if key else layout.NO_ROW for key in keys]


def shape_rows(plan: ContactPlan, tree: Tree, roots: list[int]) -> list[list[float]]:
    """The values of all shapes; the corners of hulls are numbered in their order."""
    rows, first = [shape_row(shape, tree) for shape in plan.shapes], 0
    for row, shape, root in zip(rows, plan.shapes, roots, strict=True):
        row[at.SOLID.tree] = float(root)
        row[at.SOLID.sides] = 2.0 if shape.triangles and shape.triangles.two_sided else 1.0
        row[at.SOLID.first], row[at.SOLID.count] = float(first), float(len(shape.core.corners))
        first += len(shape.core.corners)
    return rows


def shape_row(shape: ShapeRecord, tree: Tree) -> list[float]:
    """The values of a shape on its contact body, in metres."""
    node, row = tree.nodes[shape.node], [0.0] * at.SOLID.width
    moved_base, metres, core = tree.moved_base(node), node.metres, shape.core
    position, turn = scaled(metres, core.position), core.orientation
    velocity = scaled(metres, shape.surface_velocity)
    if moved_base is not None:
        placement = tree.placements[node.index]
        center = tree.composite(moved_base).mass.center
        position = scaled(moved_base.metres, sub(placement.point(core.position), center))
        turn, velocity = product(placement.rotation, turn), rotate(placement.rotation, velocity)
    row[at.SOLID.p], row[at.SOLID.q] = position, turn
    row[at.SOLID.radius], row[at.SOLID.bound] = metres * core.radius, metres * core.bound
    row[at.SOLID.half] = scaled(metres, core.half)
    row[at.SOLID.surface] = velocity
    return row


def metres_of(shape: ShapeRecord, tree: Tree) -> float:
    """The metres per unit of length of the node of a shape."""
    return tree.nodes[shape.node].metres


def corners_of(plan: ContactPlan, tree: Tree) -> np.ndarray | None:
    """The corners of all hulls, one after the other, m; None if each core has routines of its own."""
    if all(shape.core.kind in CLOSED for shape in plan.shapes):
        return None
    rows = [scaled(metres_of(shape, tree), corner) for shape in plan.shapes for corner in shape.core.corners]
    return numbers_table(rows, 3)


def components(shapes: np.ndarray, action: np.ndarray, n_moved: int, n_body: int) -> list[int]:
    """For each contact body the number of its connected component: bodies that can meet, directly or through others."""
    meets = action != IGNORED
    kinds: dict[tuple[int, bool], set[int]] = defaultdict(set)  # bodies by class and by whether forces move them
    kinds_of: dict[int, set[tuple[int, bool]]] = defaultdict(set)
    for body, _, of_class, *_ in shapes.tolist():
        kind = of_class, body < n_moved
        kinds[kind].add(body)
        kinds_of[body].add(kind)
    found = [layout.NO_ROW] * n_body
    for first in range(n_body):
        if found[first] != layout.NO_ROW:
            continue
        found[first], waiting = first, [first]
        seen: set[tuple[int, int]] = set()
        while waiting:
            for of_class, moved in kinds_of[waiting.pop()] - seen:
                seen.add((of_class, moved))
                for other in np.flatnonzero(meets[of_class]).tolist():
                    for body in kinds[other, True] | (kinds[other, False] if moved else set()):
                        if found[body] == layout.NO_ROW:
                            found[body] = first
                            waiting.append(body)
    return found


class _Ways:
    """The nodes between the contact bodies of a component and their nearest common ancestor, parents first."""

    def __init__(self, tree: Tree):
        self.rows: list[tuple[int, int]] = []
        self._tree = tree
        self._found: dict[tuple[int, int], int] = {}  # by component and node

    def places(self, bodies: list[Node], component: list[int]) -> list[int]:
        """The way of each body; NO_ROW for one that is the common ancestor itself."""
        lines = [[node.index for node in reversed(self._tree.lineage(node))] for node in bodies]
        shared = dict(zip(reversed(component), reversed(lines), strict=True))
        for number, line in zip(component, lines, strict=True):
            shared[number] = _common(shared[number], line)
        return [self._place(number, line[len(shared[number]) :]) for number, line in zip(component, lines, strict=True)]

    def _place(self, number: int, below: list[int]) -> int:
        above = layout.NO_ROW
        for index in below:
            key = (number, index)
            if key not in self._found:
                self._found[key] = len(self.rows)
                self.rows.append((index, above))
            above = self._found[key]
        return above


def _common(first: list[int], second: list[int]) -> list[int]:
    """The part that two lists begin with."""
    return first[: next((k for k, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), len(second))]
