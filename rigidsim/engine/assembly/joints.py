"""The moved rows of a tree, and how the jointed ones hang."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from itertools import accumulate, count
from typing import Any, NamedTuple, cast

import numpy as np

from rigidsim.containers.columns import numbers_table
from rigidsim.containers.optional import not_none
from rigidsim.engine.assembly.blueprint import Blueprint, LoopRecord
from rigidsim.engine.assembly.site import Site
from rigidsim.engine.integrators import trials_of
from rigidsim.engine.laws.declaration import LoadPoint
from rigidsim.engine.model import layout
from rigidsim.engine.model.arrays import ConstraintRows, Fragile, Joints, Loops, Tanks, table
from rigidsim.physics.frames import stretch
from rigidsim.physics.quaternion import rotate, rotate_back
from rigidsim.physics.vector import add, cross, dot, norm, rejection, scaled, sub
from rigidsim.tree.joints import IS_ANGLE, Coordinate, Joint, coordinate_rows
from rigidsim.tree.nodes import NO_TURN, ZERO, Node, Tree, links_of

COORDINATE_KEYS = ("axis", "advance", "rest", "low", "high", "restitution", "friction", "wanted", "largest", "armature",
                   "tracking", "servo_stiffness", "servo_damping", "servo_limit")  # fmt: skip
"""What a row of a joint has as its coordinate has it."""


class MovedRow(NamedTuple):
    """A row of the state that forces move: a free body, or one coordinate of a joint and what it carries, the body or a
    link without mass.
    """

    node: Node
    place: int  # of its arm: the node's number; links follow all nodes. Its frame is one higher.
    number: int = 0  # of the coordinate
    is_link: bool = False


def moved_rows(tree: Tree) -> list[MovedRow]:
    """The moved rows, in the order of the file; those of a chain of joints from the parent to the body."""
    places, found = count(len(tree.nodes)), []
    for node in tree.nodes:
        if node.is_moved():
            n_links = links_of(node)
            found += [MovedRow(node, next(places), k, True) for k in range(n_links)]
            found.append(MovedRow(node, node.index, n_links))
    return found


def row_of(tree: Tree, node: int, number: int) -> int:
    """The row of a coordinate of the joint of a node; NO_ROW while it is on none."""
    if tree.nodes[node].kind != "jointed":
        return layout.NO_ROW
    return tree.rows[node] - links_of(tree.nodes[node]) + number


def motors_of(given: np.ndarray, tree: Tree) -> np.ndarray:
    """Rows and registers of motors, NO_ROW if the joint is not there; given are node, number of the coordinate,
    register.
    """
    rows = [(has_motor(tree.nodes[node], k), row_of(tree, node, k), register) for node, k, register in given.tolist()]
    return table([(row if is_there else layout.NO_ROW, register) for is_there, row, register in rows], 2)


def has_motor(node: Node, number: int) -> bool:
    """Whether a coordinate of the joint on which a node is now has a motor."""
    if node.kind != "jointed":
        return False
    given = not_none(node.joint).coordinates[number]
    return given.law is not None or given.desired is not None


def joints_of(
    moved: Sequence[MovedRow],
    tree: Tree,
    blueprint: Blueprint,
    ends: Sequence[tuple[LoadPoint, LoadPoint]],
    bodies: Sequence[list],
) -> Joints | None:
    """How the moved rows hang, whose constants are `bodies`; with the ends of loops. None if there are neither joints
    nor loops in the run.
    """
    types, desired = blueprint.joint_types, blueprint.drives.desired
    looped = {end.row for both in ends for end in both} - {layout.NO_ROW}
    if not looped and not types:
        return None
    n, held = len(moved), held_frames(moved, tree)
    parents = [parent_row(k, moved, tree, held) for k in range(n)]
    registers, modes = dict(motors_of(desired, tree).tolist()), rows_with_modes(moved)
    tanks = [k for k, row in enumerate(moved) if is_tank(row)]
    with_children, first_on = set(parents), {parents[k]: k for k in inward(moved, tree)}
    rows = [
        (dof_of(row), *motion_of(row), parent_frame(k, moved), base, root_of(k, parents, with_children | looped),
         int(base > n and first_on[base] == k), int(bool(row.node.joint and row.node.joint.stiffness)),
         registers.get(k, layout.NO_ROW), *(each.index(k) if k in each else layout.NO_ROW for each in (modes, tanks)))
        for k, (row, base) in enumerate(zip(moved, parents, strict=True))
    ]  # fmt: skip
    servos = [k for k in modes if (coordinate := coordinate_of(moved[k])) and coordinate.tracks]
    roots = [row[layout.JOINT.root] for row in rows]
    values, wrenches = [value_row(row, tree) for row in moved], [[k, parents[k]] for k in modes]
    for row, loop, both in measured_rows(len(moved), blueprint, ends):
        values += [layout.JOINT_VALUE.filled()] * (row - len(values))
        low, high, restitution = not_none(loop.stops)
        values.append(layout.JOINT_VALUE.filled(low=low, high=high, restitution=restitution))
        wrenches.append([end.row for end in both])
        modes.append(row)
    inner = np.array([k for k in inward(moved, tree) if roots[k] != layout.NO_ROW], dtype=np.int64)
    return Joints(
        joint=table(rows, layout.JOINT.width),
        value=numbers_table(values, layout.JOINT_VALUE.width),
        inward=inner,
        held=np.array(held, dtype=np.int64),
        jointed=np.array([row_of(tree, node, links_of(tree.nodes[node])) for node in types], dtype=np.int64),
        coordinate=np.array(
            [row_of(tree, node, k) for node, type in types.items() for k in range(len(IS_ANGLE[type]))], dtype=np.int64
        ),
        fragile=fragile_of(moved) if blueprint.has_fragile else None,
        modes=np.array(modes, dtype=np.int64) if modes else None,
        servos=np.array(servos, dtype=np.int64) if servos else None,
        rows=constraint_rows(wrenches, inner) if modes else None,
        tanks=tanks_of(tanks, moved, bodies, types) if tanks else None,
    )


def measured_rows(
    n_moved: int, blueprint: Blueprint, ends: Sequence[tuple[LoadPoint, LoadPoint]]
) -> Iterator[tuple[int, LoopRecord, tuple[LoadPoint, LoadPoint]]]:
    """The loops that hold at stops only, with their rows of the state and their ends."""
    has_step = trials_of(blueprint.method) is not None
    row = n_moved + len(blueprint.drives.rate_driven) + len(blueprint.followed) + has_step
    numbers = count(row)
    return ((next(numbers), loop, both) for loop, both in zip(blueprint.loops, ends, strict=True) if loop.stops)


def constraint_rows(wrenches: Sequence[Sequence[int]], inner: np.ndarray) -> ConstraintRows:
    """Rows of J from the moved rows on which the wrenches of each act, or held frames after those, or NO_ROW."""
    held = [row for one in wrenches for row in one]
    first = np.array([0, *accumulate(map(len, wrenches))], dtype=np.int64)
    return ConstraintRows(first=first, held=np.array(held, dtype=np.int64), inward=inner)


def fragile_of(moved: Sequence[MovedRow]) -> Fragile:
    """The joints that can break."""
    rows = [k for k, row in enumerate(moved) if row.node.joint and row.node.joint.breaks and not row.is_link]
    return Fragile(
        np.array(rows, dtype=np.int64), numbers_table([not_none(moved[k].node.joint).breaks for k in rows], 2)
    )


def is_tank(row: MovedRow) -> bool:
    """Whether a moved row is that of a tank."""
    return row.node.joint is not None and row.node.joint.is_tank


def tanks_of(tanks: Sequence[int], moved: Sequence[MovedRow], bodies: Sequence[list], types: Mapping) -> Tanks:
    """The tanks in these rows, with a kilogram of what each holds at t = 0: as that changes, its distribution stays."""
    first, values = coordinate_rows(types), []
    for k in tanks:
        mass, inertia, inverse = (bodies[k][getattr(layout.BODY, key)] for key in ("mass", "inertia", "inverse"))
        values.append(
            layout.UNIT_CONTENT.filled(inertia=[x / mass for x in inertia], inverse=[x * mass for x in inverse])
        )
    return Tanks(
        row=np.array(tanks, dtype=np.int64),
        coordinate=np.array([first[moved[k].node.index].start for k in tanks], dtype=np.int64),
        value=numbers_table(values, layout.UNIT_CONTENT.width),
    )


def joint_states(joint: Joint, motion: Sequence[tuple[Any, Any]], q: tuple, omega_B: tuple) -> list[list[float]]:
    """The rows of the state of a body on a joint: of each coordinate, which `motion` has with its rate; of a ball joint
    the rotation of the body in the world; of a weld one in which nothing changes; of a tank its mass.
    """
    if joint.has_attitude:
        return [layout.STATE.filled(q=q, omega=omega_B)]
    if joint.is_tank:
        ((mass, _),) = motion
        return [layout.STATE.filled(p=(0.0, float(mass <= 0.0), 0.0), q=NO_TURN, v=(mass, 0.0, 0.0))]
    return [layout.STATE.filled(p=(x, 0.0, 0.0), q=NO_TURN, v=(rate, 0.0, 0.0)) for x, rate in motion or [(0.0, 0.0)]]


def coordinate_of(row: MovedRow) -> Coordinate | None:
    """The coordinate of a joint that a moved row has; None for a free body and a ball."""
    coordinates = row.node.joint.coordinates if row.node.joint else ()
    return coordinates[row.number] if coordinates else None


def rows_with_modes(moved: Sequence[MovedRow]) -> list[int]:
    """The rows of coordinates that have stops, dry friction or a motor of a wanted rate with a largest torque."""
    return [k for k, row in enumerate(moved) if (given := coordinate_of(row)) and given.has_modes]


def held_by(row: MovedRow, tree: Tree) -> Node | None:
    """The base of the parent of a jointed node."""
    parent = tree.parent(row.node)
    return tree.base(parent) if parent else None


def held_frames(moved: Sequence[MovedRow], tree: Tree) -> list[int]:
    """The frames from which joints hang that forces do not move: the world, for all that rests in it, and prescribed
    nodes.
    """
    bases = [held_by(row, tree) for row in moved if not row.node.is_free()]
    return [0, *dict.fromkeys(base.frame for base in bases if base and not base.is_moved())]


def parent_row(k: int, moved: Sequence[MovedRow], tree: Tree, held: list[int]) -> int:
    """The row of the base of a moved row, or, after all moved ones, that of a held frame; NO_ROW for a free body."""
    row = moved[k]
    if row.node.is_free():
        return layout.NO_ROW
    if row.number > 0:
        return k - 1
    base = held_by(row, tree)
    return tree.row(base) if base and base.is_moved() else len(moved) + held.index(base.frame if base else 0)


def outermost_of(k: int, parents: Sequence[int]) -> int:
    """The row on which a moved row hangs in the end: it hangs on none, or on a frame that is held."""
    while 0 <= parents[k] < len(parents):
        k = parents[k]
    return k


def root_of(k: int, parents: Sequence[int], with_children: Set[int]) -> int:
    """The row of the free body at the root of the tree of joints that a row is part of; the number of rows if that
    hangs on a frame that is held; NO_ROW of a free body that carries neither joints nor ends of loops.
    """
    outermost = outermost_of(k, parents)
    if parents[outermost] != layout.NO_ROW:
        return len(parents)
    return outermost if outermost in with_children else layout.NO_ROW


def dof_of(row: MovedRow) -> int:
    """The degrees of freedom of a moved row."""
    if row.node.is_free():
        return 6
    given = coordinate_of(row)
    if given is None:
        return 3 if not_none(row.node.joint).has_attitude else 0
    return int(not (given.is_prescribed or given.holds))


def motion_of(row: MovedRow) -> tuple[int, int]:
    """Whether the coordinate of a moved row is an angle, and whether it displaces the body along its axis."""
    given = coordinate_of(row)
    return (int(given.turns), int(given.slides)) if given and not given.holds else (0, 0)


def parent_frame(k: int, moved: Sequence[MovedRow]) -> int:
    """The frame from which a moved row hangs: that of its parent, or of the link before it."""
    return moved[k - 1].place + 1 if moved[k].number > 0 else moved[k].node.parent


def inward(moved: Sequence[MovedRow], tree: Tree) -> list[int]:
    """The moved rows, those that hang on others before them; the sums do not depend on the order of the file."""
    names: dict[int, tuple[str, ...]] = {0: ()}  # from the world to a frame
    for node in tree.order:
        names[node.frame] = (*names[node.parent], node.path.rpartition("/")[2])

    def place(k: int) -> tuple:
        return names[moved[k].node.frame], moved[k].node.path, moved[k].number

    return sorted(range(len(moved)), key=place, reverse=True)


def value_row(row: MovedRow, tree: Tree) -> list[float]:
    """Constants of a joint; those of a free body are zero."""
    node = row.node
    if node.is_free():
        return layout.JOINT_VALUE.filled()
    joint = not_none(node.joint)
    found = layout.JOINT_VALUE.filled(q=NO_TURN)
    if row.number == 0:
        begin_row(found, node, tree)
    if not row.is_link:
        found[layout.JOINT_VALUE.r] = sub(tree.lump(node).center, scaled(node.metres, joint.at))
    if node.normal:
        level_row(found, node.normal)
    given = coordinate_of(row)
    if given:
        for key in COORDINATE_KEYS:
            found[getattr(layout.JOINT_VALUE, key)] = getattr(given, key)
    found[layout.JOINT_VALUE.stiffness] = (given or joint).stiffness
    found[layout.JOINT_VALUE.damping] = (given or joint).damping
    return found


def level_row(row: list[float], n_B: tuple) -> None:
    """Put the arms of a joint of a planar scene into the plane, in place; the normal in the body's axes. Heights count
    for places only: what they would turn out of the plane, the constraint balances. All frames turn about the normal
    only, so the height of the centre of mass above the joint can be that of the joint above the parent.
    """
    value = layout.JOINT_VALUE
    n_P = rotate(tuple(cast(list, row[value.q])), n_B)
    height = dot(n_B, row[value.r])
    row[value.anchor] = add(row[value.anchor], scaled(height, n_P))
    row[value.r] = rejection(n_B, row[value.r])
    row[value.reach] = rejection(n_P, row[value.reach])


def begin_row(row: list[float], node: Node, tree: Tree) -> None:
    """Write where a joint is on the parent of its node, and its orientation there."""
    joint, parent = not_none(node.joint), tree.parent(node)
    at = add(joint.position, stretch(joint.orientation, node.scale, joint.at))  # in the parent's coordinates
    row[layout.JOINT_VALUE.q] = joint.orientation or NO_TURN
    row[layout.JOINT_VALUE.anchor] = row[layout.JOINT_VALUE.reach] = scaled(node.parent_metres, at)
    base = tree.base(parent) if parent else None
    if parent is not None and base is not None:
        on_base, metres = tree.placements[parent.index], base.metres
        com = tree.lump(base).center if base.is_moved() else ZERO
        reach = sub(scaled(metres, on_base.point(at)), com)
        row[layout.JOINT_VALUE.reach] = rotate_back(on_base.rotation, reach)


# --- loops


def loop_ends(records: Sequence[LoopRecord], tree: Tree) -> list[tuple[LoadPoint, LoadPoint]]:
    """The two points of each loop."""
    site = Site(tree, 0)
    return [(site.end(one.first, one.at), site.end(one.second, one.to_at)) for one in records]


def loops_of(
    records: Sequence[LoopRecord],
    ends: Sequence[tuple[LoadPoint, LoadPoint]],
    joints: Joints | None,
    tree: Tree,
    pair: Callable,
) -> Loops | None:
    """What is held together beside the joints; `pair` gives the number of a pair of frames. None if there are no
    loops.
    """
    if not records or joints is None:
        return None
    rows, values = [], []
    wrenches: list[list[int]] = []
    parents = joints.joint[:, layout.JOINT.parent].tolist()
    stops = len([record for record in records if record.stops])
    modes = count(0 if joints.modes is None else len(joints.modes) - stops)
    for record, (first, second) in zip(records, ends, strict=True):
        kind, begin = layout.LOOP_KINDS[record.type], len(wrenches)
        if kind == layout.COUPLING:
            coordinates = [
                row_of(tree, frame - 1, k)
                for frame, k in zip((record.first, record.second), record.numbers, strict=True)
            ]
            if layout.NO_ROW not in coordinates:
                wrenches.append([row for own in coordinates for row in (own, parents[own])])
            rows.append((kind, 0, *coordinates, begin, len(wrenches), layout.NO_ROW))
            values.append(layout.LOOP_VALUE.filled(length=record.length, extent=record.size, ratio=record.ratio))
            continue
        wrenches += [[first.row, second.row]] * layout.EQUATIONS[kind]
        mode = next(modes) if record.stops else layout.NO_ROW
        rows.append((kind, pair(first.frame, second.frame), first.frame, second.frame, begin, len(wrenches), mode))
        axis, to_axis = rotate(first.turn, record.axis), rotate(second.turn, record.to_axis)
        across, beside = at_right_angles(to_axis)
        upright = rotate(first.turn, record.across[0])
        if kind in (layout.TWIST, layout.TURN):
            across = rotate(second.turn, record.across[1])
            beside = cross(to_axis, across)
        values.append(
            layout.LOOP_VALUE.filled(at=first.point, lever=first.lever, to_at=second.point, to_lever=second.lever,
                                     axis=axis, upright=upright, across=across, beside=beside, length=record.length,
                                     extent=record.size)
        )  # fmt: skip
    held = {row for one in wrenches for row in one if 0 <= row < len(parents)}
    outermost = {outermost_of(row, parents) for row in held}
    inner = [k for k in joints.inward if outermost_of(k, parents) in outermost]
    return Loops(
        loop=table(rows, layout.LOOP.width),
        value=numbers_table(values, layout.LOOP_VALUE.width),
        has_couplings=True if any(record.type == "coupling" for record in records) else None,
        measured=np.array([k for k, record in enumerate(records) if record.stops], np.int64) if stops else None,
        rows=constraint_rows(wrenches, np.array(inner, dtype=np.int64)),
    )


def at_right_angles(u: tuple) -> tuple[tuple, tuple]:
    """Two unit vectors at right angles to a unit vector and to each other."""
    least = min(range(3), key=lambda k: abs(u[k]))
    other = cross(u, tuple(float(k == least) for k in range(3)))
    first = scaled(1.0 / norm(other), other)
    return first, cross(u, first)
