"""Prescribed motions as tables for the kernels."""

from __future__ import annotations

import numpy as np

from rigidsim.building.programs import Assembler, RegisterRef
from rigidsim.engine import layout
from rigidsim.engine.assembly import blueprint
from rigidsim.engine.model import table
from rigidsim.scene.hierarchy.nodes import Hierarchy, SceneNode
from rigidsim.structures.columns import numbers_table
from rigidsim.tree.prescribed import Prescribed


class Drives:
    """Collects the prescribed motions; those that functions of time give are *driven*, and *paced* if those are the
    rates.
    """

    def __init__(self, hierarchy: Hierarchy):
        self._assembler = Assembler()
        self._prescribed = [node for node in hierarchy if node.prescribed is not None]
        self.paced = [node for node in self._prescribed if node.prescribed.has_rates]
        self.driven = [node for node in self._prescribed if node.prescribed.has_poses or node.prescribed.has_rates]
        self._driven_places = [self._pose(node.prescribed) for node in self.driven]
        self._paced_places = [self._rates(node) for node in self.paced]

    def tables(self) -> blueprint.DriveTables:
        """The tables of a blueprint; nodes are given by their numbers."""
        flags = [(bool(node.prescribed.speeds), bool(node.prescribed.rates)) for node in self.paced]
        axes = [[c for axis, _ in node.prescribed.turns for c in axis] or [0.0] * 9 for node in self.driven]
        return blueprint.DriveTables(
            program=self._assembler.program(),
            driven=self._table(self.driven, self._driven_places, [()] * len(self.driven), layout.POSED.width),
            axes=numbers_table(axes, layout.DRIVE_AXES.width),
            paced=self._table(self.paced, self._paced_places, flags, layout.PACES.width),
            motions={node.index: motion_row(node.prescribed) for node in self._prescribed},
        )

    @property
    def labels(self) -> list[str]:
        """The location of each motion, for messages."""
        return [f"{node.path}, motion.prescribed" for node in (*self.driven, *self.paced)]

    def _pose(self, motion: Prescribed) -> list[RegisterRef | None]:
        angles = [angle for _, angle in motion.turns]
        places = [self._assembler.place_of(part) for part in motion.path] or [None] * 3
        return [*places, *([self._assembler.place_of(angle) for angle in angles] or [None] * 3)]

    def _rates(self, node: SceneNode) -> list[RegisterRef]:
        motion = node.body.prescribed
        return [self._assembler.place_of(p) for rate in (motion.velocity, motion.angular_velocity) for p in rate.value]

    def _table(self, nodes: list[SceneNode], places: list, more: list, width: int) -> np.ndarray:
        number = self._assembler.register
        registers = [[-1 if place is None else number(place) for place in six] for six in places]
        rows = zip(nodes, registers, more, strict=True)
        return table([(node.index, *six, *map(int, flags)) for node, six, flags in rows], width)


def motion_row(motion: Prescribed) -> list[float]:
    """Constants of a prescribed node, in the parent's axes, without the parent's unit of length."""
    return layout.MOTION.filled(
        p=motion.position, q=motion.orientation, v=motion.velocity, a=motion.acceleration,
        axis=motion.axis, rate=motion.rate, rate_dot=motion.rate_dot,
    )  # fmt: skip
