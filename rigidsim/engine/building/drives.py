"""Prescribed motions given by expressions of time, as tables for the kernels."""

from __future__ import annotations

import numpy as np

from rigidsim.engine import layout
from rigidsim.engine.assembly import blueprint
from rigidsim.engine.building.bodies import InitialBody
from rigidsim.engine.building.driven import is_driven, turns_of
from rigidsim.engine.building.initial import prescribed_constants
from rigidsim.engine.building.programs import Assembler, RegisterRef
from rigidsim.engine.model import table
from rigidsim.structures.columns import numbers_table


class Drives:
    """Collects the expressions of all driven nodes."""

    def __init__(self, bodies: list[InitialBody]):
        self._assembler = Assembler()
        prescribed = [node for node in bodies if node.kind == "prescribed"]
        self.paced = [node for node in prescribed if node.spec.prescribed.is_paced]  # rates are expressions of t
        self.driven = [node for node in prescribed if is_driven(node.spec) or node in self.paced]
        self._driven_places = [self._pose(node) for node in self.driven]
        self._paced_places = [self._rates(node) for node in self.paced]
        self._motions = {node.index: prescribed_constants(node) for node in prescribed}

    def tables(self) -> blueprint.DriveTables:
        """The tables of a blueprint; nodes are given by their numbers."""
        motions = [node.spec.prescribed for node in self.paced]
        flags = [(motion.velocity.varies, motion.angular_velocity.varies) for motion in motions]
        return blueprint.DriveTables(
            program=self._assembler.program(),
            driven=self._table(self.driven, self._driven_places, [()] * len(self.driven), 7),
            axes=numbers_table([self._axes(node) for node in self.driven], 9),
            paced=self._table(self.paced, self._paced_places, flags, 9),
            motions=self._motions,
        )

    @property
    def labels(self) -> list[str]:
        """The location of each motion, for messages."""
        return [f"{node.path}, motion.prescribed" for node in (*self.driven, *self.paced)]

    def start(self) -> list[list[float]]:
        """The state of each paced node at t = 0."""
        rows = []
        for node in self.paced:
            row = [0.0] * layout.STATE_ROWS
            row[layout.PACED_P : layout.PACED_P + 3] = node.position
            row[layout.PACED_Q : layout.PACED_Q + 4] = node.orientation
            rows.append(row)
        return rows

    def _pose(self, node: InitialBody) -> list[RegisterRef | None]:
        position, turns = node.spec.prescribed.position, turns_of(node.spec)
        places = [self._assembler.place_of(part) for part in position] if position else [None] * 3
        return [*places, *([self._assembler.place_of(angle) for _, angle in turns] or [None] * 3)]

    def _rates(self, node: InitialBody) -> list[RegisterRef]:
        motion = node.spec.prescribed
        return [self._assembler.place_of(p) for rate in (motion.velocity, motion.angular_velocity) for p in rate.value]

    @staticmethod
    def _axes(node: InitialBody) -> list[float]:
        return [c for axis, _ in turns_of(node.spec) for c in axis] or [0.0] * 9

    def _table(self, nodes: list[InitialBody], places: list, more: list, width: int) -> np.ndarray:
        number = self._assembler.register
        registers = [[-1 if place is None else number(place) for place in six] for six in places]
        rows = zip(nodes, registers, more, strict=True)
        return table([(node.index, *six, *map(int, flags)) for node, six, flags in rows], width)
