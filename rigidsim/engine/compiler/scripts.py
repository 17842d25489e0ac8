"""Loads given by expressions: one program for all of them, and what it looks at."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rigidsim.engine import layout
from rigidsim.engine.compiler.assembly import Assembler, Place
from rigidsim.engine.compiler.pairs import Pairs
from rigidsim.engine.compiler.tree import Node, Tree
from rigidsim.engine.model import Program, table
from rigidsim.scene.expressions.tree import State

VIEWS = {
    "position": (layout.VIEW_POSITION, 3),
    "velocity": (layout.VIEW_VELOCITY, 3),
    "angular_velocity": (layout.VIEW_RATE, 3),
    "orientation": (layout.VIEW_ORIENTATION, 4),
    "speed": (layout.VIEW_SPEED, 1),
}


class View(NamedTuple):
    """A motion that some expression looks at, and where its components go."""

    kind: int
    pair: int
    place: Place


class Scripts:
    """Collects the expressions of a tree's loads."""

    def __init__(self, tree: Tree, pairs: Pairs):
        self._tree, self._pairs = tree, pairs
        self._assembler = Assembler(self._look)
        self._views: dict[tuple[int, int], View] = {}
        self._node: Node | None = None
        self._places: list[tuple[Place | None, ...]] = []
        self.labels: list[str] = []

    def add(self, node: Node, vectors, label: str) -> None:
        """A load that is written on a node: force, torque and gravity; `label` says where, for a message."""
        self._node = node
        places = []
        for vector in vectors:
            given = any(not isinstance(part, float) or part != 0.0 for part in vector)
            places += [self._assembler.place_of(part) if given else None for part in vector]
        self._places.append(tuple(places))
        self.labels.append(label)

    def registers(self) -> np.ndarray:
        """Where force, torque and gravity of each load are found; -1 where there is none."""
        number = self._assembler.register
        return table([[-1 if place is None else number(place) for place in nine] for nine in self._places], 9)

    def program(self) -> Program:
        """All operations."""
        return self._assembler.program()

    def views(self) -> np.ndarray:
        """What they look at."""
        number = self._assembler.register
        return table([(view.kind, view.pair, number(view.place)) for view in self._views.values()], 3)

    def _look(self, state: State) -> Place:
        kind, width = VIEWS[state.quantity]
        pair = self._pairs.index(self._frame(state.observer), self._frame(state.body))
        view = self._views.get((kind, pair))
        if view is None:
            view = self._views[kind, pair] = View(kind, pair, self._assembler.room_for_view(width))
        return Place("view", view.place.index + state.component)

    def _frame(self, name: str) -> int:
        return self._tree.frame("body" if name == "self" else name, self._node)
