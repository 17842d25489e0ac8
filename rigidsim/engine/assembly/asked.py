"""The vectors that metrics ask for on the present tree: terms, forces of contact, accelerometers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from rigidsim.containers.columns import numbers_table
from rigidsim.engine.assembly.blueprint import AskedVector, Blueprint
from rigidsim.engine.assembly.loads import ALWAYS, FramePairs, LoadRow, law_of, members_of
from rigidsim.engine.assembly.site import Site
from rigidsim.engine.laws.declaration import LoadPoint
from rigidsim.engine.laws.gravity import POINT_GRAVITY, VALUES, source_values
from rigidsim.engine.model import layout
from rigidsim.engine.model.arrays import Accelerometers, Asked, Relations, table
from rigidsim.physics.vector import ZERO, rejection, sub
from rigidsim.quantities.vocabulary import CONTACT, FRICTION, JOINT, LOOP, REACTION, READ, SCENE, TERM, TERMS
from rigidsim.tree.joints import coordinate_number, coordinate_rows, has_length, part_of
from rigidsim.tree.nodes import Node, Tree

NEEDS = (TERM, CONTACT, SCENE, JOINT, REACTION, LOOP)


def asked_of(blueprint: Blueprint, tree: Tree, vectors: Sequence[AskedVector]) -> Asked | None:
    """The tables of some vectors, in their order; None if there are none."""
    if not vectors:
        return None
    places = {need: [k for k, one in enumerate(vectors) if READ[one.quantity].needs == need] for need in NEEDS}
    (terms, forces, felt, joints, reactions, loops), types = places.values(), blueprint.joint_types
    numbers = [(TERMS.index(vectors[k].quantity.removeprefix("terms.")), vectors[k].frame - 1, k) for k in terms]
    shapes = [shape.node for shape in blueprint.contacts.shapes] if blueprint.contacts else []
    return Asked(
        place=np.arange(len(vectors)),
        terms=table(numbers, layout.ASKED_TERM.width) if terms else None,
        forces=table([(vectors[k].quantity == FRICTION, k) for k in forces], 2) if forces else None,
        acts_on=table([_are_on(vectors[k].frame, shapes, tree) for k in forces], len(shapes)),
        acts_by=table([_are_on(vectors[k].other, shapes, tree) for k in forces], len(shapes)),
        felt=felt_of(blueprint, tree, [(tree.nodes[vectors[k].frame - 1], k) for k in felt]) if felt else None,
        joints=table([(*_row_of(vectors[k], types), k) for k in joints], 3) if joints else None,
        metres=numbers_table([[_metres(vectors[k], tree, types)] for k in joints], 1),
        reactions=table([(*_joint_of(vectors[k], types), k) for k in reactions], 3) if reactions else None,
        loops=table([(vectors[k].frame, _is_torque(vectors[k]), k) for k in loops], 3) if loops else None,
    )


def _are_on(frame: int, shapes: Sequence[int], tree: Tree) -> list[bool]:
    """Whether each shape, by the number of its node, is on a body or what is fixed to it; or on any body."""
    parts = {part.index for part in tree.parts(tree.at(frame))} if frame != layout.NO_ROW else shapes
    return [node in parts for node in shapes]


def _row_of(vector: AskedVector, types: Mapping[int, str]) -> tuple[int, int]:
    """The number of a coordinate among all, and which part of it is meant."""
    index = vector.frame - 1
    part = ("coordinate", "rate", "motor").index(part_of(vector.quantity))
    return coordinate_rows(types)[index][coordinate_number(vector.quantity, types[index])], part


def _metres(vector: AskedVector, tree: Tree, types: Mapping[int, str]) -> float:
    """Metres in the unit of a coordinate."""
    index = vector.frame - 1
    return tree.nodes[index].parent_metres if has_length(vector.quantity, types[index]) else 1.0


def _joint_of(vector: AskedVector, types: Mapping[int, str]) -> tuple[int, int]:
    """The number of a joint, and whether its torque is meant."""
    return [*types].index(vector.frame - 1), _is_torque(vector)


def _is_torque(vector: AskedVector) -> int:
    return int(vector.quantity.endswith("torque"))


def felt_of(blueprint: Blueprint, tree: Tree, nodes: Sequence[tuple[Node, int]]) -> Accelerometers:
    """The tables of accelerometers at the origins of nodes, each with the place of its vector."""
    pairs, pulls, rows, uniform = FramePairs(tree), [], [], []
    for number, (node, place) in enumerate(nodes):
        moving = next(filter(Node.is_moved, tree.lineage(node)), None)
        rows.append((node.index, layout.NO_ROW if moving is None else tree.row(moving), place))
        uniform.append(_not_in_loads(blueprint, moving))
        for source, value, phases in _sources(blueprint, tree, moving):
            pair = pairs.index(source.frame, node.frame)
            pulls.append(LoadRow(pair, layout.NO_ROW, number, phases, tuple(value)))
    of_points = any(load.kind == POINT_GRAVITY.name for load in blueprint.loads)
    has_sources = of_points or blueprint.source is not None or blueprint.mutual is not None
    return Accelerometers(
        row=table(rows, layout.ACCELEROMETER.width),
        uniform=numbers_table(uniform, 3),
        pulls=law_of(pulls, VALUES) if has_sources else None,
        relations=Relations(**pairs.arrays()) if has_sources else None,
    )


def _not_in_loads(blueprint: Blueprint, moving: Node | None) -> tuple:
    """What the loads on a moved body lack of the uniform gravity of the world: the part that a plane takes away, and
    all of it if there is no body.
    """
    if moving is None:
        return blueprint.gravity
    in_plane = blueprint.normal and moving.falls
    return sub(blueprint.gravity, rejection(blueprint.normal, blueprint.gravity)) if in_plane else ZERO


def _sources(blueprint: Blueprint, tree: Tree, moving: Node | None) -> Iterator[tuple[LoadPoint, list, tuple]]:
    """The sources of gravity that act on a moved body, or, of the world, where there is none: where they are, their
    values and phases.
    """
    site = Site(tree, moving.frame if moving else 0)
    for load in blueprint.loads:
        if load.kind == POINT_GRAVITY.name and moving and tree.moved_base(tree.nodes[load.frame - 1]) is moving:
            yield from _unless_own(site.source(load.values.center), load.values, load.phases, tree, moving)
    if blueprint.source is not None and (moving is None or moving.falls):
        yield from _unless_own(site.source(blueprint.source.center), blueprint.source, ALWAYS, tree, moving)
    mutual, members = blueprint.mutual, members_of(blueprint.mutual, tree)
    for member in members if moving is None or moving in members else ():
        if mutual is not None and member is not moving:
            source, soft = Site(tree, member.frame).moved_base_center(), mutual.softening * mutual.softening
            gm = mutual.constant * tree.composite(member).mass.mass
            yield source, VALUES.filled(gm=gm, soft=soft, point=source.point), ALWAYS


def _unless_own(source: LoadPoint, force, phases: tuple, tree: Tree, moving: Node | None) -> Iterator[tuple]:
    if moving is None or source.row != tree.row(moving):
        yield source, source_values(force, source), phases
