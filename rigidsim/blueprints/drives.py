"""Prescribed motions as tables for the kernels."""

from __future__ import annotations

from collections.abc import Sequence

from rigidsim.blueprints.programs import Assembler, RegisterRef, product_of
from rigidsim.containers.columns import numbers_table
from rigidsim.containers.optional import not_none
from rigidsim.engine.assembly.blueprint import DriveTables
from rigidsim.engine.model import layout
from rigidsim.engine.model.arrays import table
from rigidsim.scene.hierarchy.nodes import Hierarchy
from rigidsim.scene.schema.prescription import PrescribedMotion
from rigidsim.scene.text.document import path_text
from rigidsim.tree.prescribed import Prescribed

NO_DRIVES = DriveTables(
    program=Assembler().program(),
    driven=table([], layout.POSED.width),
    axes=numbers_table([], layout.DRIVE_AXES.width),
    rate_driven=table([], layout.PACES.width),
    desired=table([], 3),
    motions={},
)  # fmt: skip


def drive_tables(hierarchy: Hierarchy) -> tuple[DriveTables, list[str]]:
    """The tables of the prescribed motions, and the location of each of those that functions of time give, for
    messages. Those motions are *driven*, and *rate-driven* if the functions are their rates.
    """
    prescribed = [(node, node.prescribed) for node in hierarchy if node.prescribed is not None]
    coordinates = [(node, k, x) for node in hierarchy if node.joint for k, x in enumerate(node.joint.coordinates)]
    if not prescribed and not coordinates:
        return NO_DRIVES, []
    assembler = Assembler(has_tables=hierarchy.scene.simulation.integrator.most_pieces is None)
    of_rate_driven = [(node, motion) for node, motion in prescribed if motion.has_rates]
    of_driven = [(node, motion) for node, motion in prescribed if motion.has_poses or motion.has_rates]
    rate_driven, driven = ([node for node, _ in those] for those in (of_rate_driven, of_driven))
    poses = [_pose(assembler, motion) for _, motion in of_driven]
    rates = [_rates(assembler, not_none(node.body.prescribed)) for node in rate_driven]
    axes = [[c for axis, _ in motion.turns for c in axis] or [0.0] * 9 for _, motion in of_driven]
    followed = [
        (node, k, assembler.place_of(x.desired if x.turns else product_of(node.parent_metres, x.desired)))
        for node, k, x in coordinates
        if x.desired is not None
    ]
    places: list[Sequence[RegisterRef | None]] = [*poses, *rates]
    rows = [
        (node.index, *map(assembler.register, six)) for node, six in zip([*driven, *rate_driven], places, strict=True)
    ]
    flags = [(int(bool(motion.speeds)), int(bool(motion.rates))) for _, motion in of_rate_driven]
    tables = DriveTables(
        program=assembler.program(),
        driven=table(rows[: len(driven)], layout.POSED.width),
        axes=numbers_table(axes, layout.DRIVE_AXES.width),
        rate_driven=table([row + two for row, two in zip(rows[len(driven) :], flags, strict=True)], layout.PACES.width),
        desired=table([(node.index, k, assembler.register(place)) for node, k, place in followed], 3),
        motions={node.index: motion_row(motion) for node, motion in prescribed},
    )
    motors = [f"{node.path}, {path_text(node.in_joint('motor', k))}" for node, k, _ in followed]
    return tables, [f"{node.path}, motion.prescribed" for node in driven + rate_driven] + motors


def _pose(assembler: Assembler, motion: Prescribed) -> list[RegisterRef | None]:
    angles = [angle for _, angle in motion.turns]
    found: list[RegisterRef | None] = []
    for given in (motion.path, angles):
        found += [*map(assembler.place_of, given)] or [None] * 3
    return found


def _rates(assembler: Assembler, motion: PrescribedMotion) -> list[RegisterRef]:
    return [assembler.place_of(part) for rate in (motion.velocity, motion.angular_velocity) for part in rate.value]


def motion_row(motion: Prescribed) -> list[float]:
    """Constants of a prescribed node, in the parent's axes, without the parent's unit of length."""
    return layout.MOTION.filled(
        p=motion.position, q=motion.orientation, v=motion.velocity, a=motion.acceleration,
        axis=motion.axis, rate=motion.rate, rate_dot=motion.rate_dot,
    )  # fmt: skip
