"""Prescribed motions given by expressions of time, as the kernels take them."""

from __future__ import annotations

import numpy as np

from rigidsim.engine.compiler.assembly import Assembler, Place
from rigidsim.engine.compiler.driven import is_driven, turns_of
from rigidsim.engine.compiler.tree import Tree
from rigidsim.engine.model import Program, table


class Drives:
    """The expressions of all driven nodes, as the kernels take them."""

    def __init__(self, tree: Tree):
        self._assembler = Assembler()
        self.nodes = [node for node in tree.nodes if node.kind == "prescribed" and is_driven(node.spec)]
        self._places: list[Place | None] = []
        self._axes: list[list[float]] = []
        for node in self.nodes:
            position, turns = node.spec.prescribed.position, turns_of(node.spec)
            self._places += [self._assembler.place_of(part) for part in position] if position else [None] * 3
            self._places += [self._assembler.place_of(angle) for _, angle in turns] or [None] * 3
            self._axes.append([c for axis, _ in turns for c in axis] or [0.0] * 9)

    def arrays(self, motion_row: dict[str, int]) -> dict[str, np.ndarray | Program]:
        """The fields of the model; `motion_row` says which row of driven nodes a path has."""
        registers = [-1 if place is None else self._assembler.register(place) for place in self._places]
        return {
            "drive": self._assembler.program(),
            "driven": table([(motion_row[n.path], *registers[6 * k : 6 * k + 6]) for k, n in enumerate(self.nodes)], 7),
            "drive_axes": np.array(self._axes, dtype=np.float64).reshape(len(self.nodes), 9),
        }

    @property
    def labels(self) -> list[str]:
        """Whose motion each is, for a message."""
        return [f"{node.path}, motion" for node in self.nodes]
