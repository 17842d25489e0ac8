"""Prescribed motions given by expressions of time, as the kernels take them."""

from __future__ import annotations

import numpy as np

from rigidsim.engine import layout
from rigidsim.engine.compiler.assembly import Assembler, Place
from rigidsim.engine.compiler.driven import is_driven, turns_of
from rigidsim.engine.compiler.tree import Node, Tree
from rigidsim.engine.model import Program, table, zeros

KINDS = {"free": layout.FREE, "fixed": layout.FIXED, "prescribed": layout.PRESCRIBED}


def paced_nodes(tree: Tree) -> list[Node]:
    """The nodes whose rates are expressions of t, so that their pose is a state."""
    return [node for node in tree.nodes if node.kind == "prescribed" and node.spec.prescribed.is_paced]


class Drives:
    """The expressions of all driven nodes, as the kernels take them."""

    def __init__(self, tree: Tree):
        self._assembler = Assembler()
        self.paced = paced_nodes(tree)
        prescribed = [node for node in tree.nodes if node.kind == "prescribed"]
        self.driven = [node for node in prescribed if is_driven(node.spec) or node in self.paced]
        self._driven_places = [self._pose(node) for node in self.driven]
        self._paced_places = [self._rates(node) for node in self.paced]

    def arrays(self, motion_row: dict[str, int]) -> dict[str, np.ndarray | Program]:
        """The fields of the model; `motion_row` says which row of driven nodes a path has."""
        motions = [node.spec.prescribed for node in self.paced]
        return {
            "drive": self._assembler.program(),
            "driven": self._table(self.driven, self._driven_places, motion_row, [()] * len(self.driven), 7),
            "drive_axes": np.array([self._axes(node) for node in self.driven], dtype=np.float64).reshape(-1, 9),
            "paced": self._table(self.paced, self._paced_places, motion_row,
                                 [(m.velocity.varies, m.angular_velocity.varies) for m in motions], 9),
        }  # fmt: skip

    def kind(self, node: Node) -> int:
        """How a node moves, as the kernels have it."""
        return layout.DRIVEN if node in self.driven else KINDS[node.kind]

    @property
    def labels(self) -> list[str]:
        """Whose motion each is, for a message."""
        return [f"{node.path}, motion.prescribed" for node in (*self.driven, *self.paced)]

    def start(self) -> list[np.ndarray]:
        """The state of each paced node at the start."""
        rows = []
        for node in self.paced:
            row = zeros(layout.STATE_ROWS)
            row[layout.S_P : layout.S_P + 3] = node.position
            row[layout.S_Q : layout.S_Q + 4] = node.orientation
            rows.append(row)
        return rows

    def _pose(self, node: Node) -> list[Place | None]:
        position, turns = node.spec.prescribed.position, turns_of(node.spec)
        places = [self._assembler.place_of(part) for part in position] if position else [None] * 3
        return [*places, *([self._assembler.place_of(angle) for _, angle in turns] or [None] * 3)]

    def _rates(self, node: Node) -> list[Place]:
        motion = node.spec.prescribed
        return [self._assembler.place_of(p) for rate in (motion.velocity, motion.angular_velocity) for p in rate.value]

    @staticmethod
    def _axes(node: Node) -> list[float]:
        return [c for axis, _ in turns_of(node.spec) for c in axis] or [0.0] * 9

    def _table(self, nodes: list[Node], places: list, motion_row: dict[str, int], more: list, width: int) -> np.ndarray:
        number = self._assembler.register
        registers = [[-1 if place is None else number(place) for place in six] for six in places]
        rows = zip(nodes, registers, more, strict=True)
        return table([(motion_row[node.path], *six, *map(int, flags)) for node, six, flags in rows], width)
