"""Loads given by expressions: one program for all of them, and what it looks at."""

from __future__ import annotations

from rigidsim.engine import layout
from rigidsim.engine.assembly import blueprint
from rigidsim.engine.compiler.assembly import Assembler, Place
from rigidsim.engine.model import table
from rigidsim.scene.expressions.tree import State

VIEWS = {
    "position": (layout.VIEW_POSITION, 3),
    "velocity": (layout.VIEW_VELOCITY, 3),
    "angular_velocity": (layout.VIEW_RATE, 3),
    "orientation": (layout.VIEW_ORIENTATION, 4),
    "speed": (layout.VIEW_SPEED, 1),
}
Frame = tuple[str, int]
"""What an expression calls a frame, and the node it is written on, if that matters."""


class Scripts:
    """Collects the expressions of a scene's loads."""

    def __init__(self):
        self._assembler = Assembler(self._look)
        self._views: dict[tuple[int, Frame, Frame], Place] = {}
        self._node = layout.NOBODY
        self._places: list[tuple[Place | None, ...]] = []
        self.labels: list[str] = []

    def add(self, node: int, vectors, label: str) -> None:
        """A load that is written on a node: force, torque, acceleration of gravity; `label` says where."""
        self._node = node
        places = []
        for vector in vectors:
            given = any(not isinstance(part, float) or part != 0.0 for part in vector)
            places += [self._assembler.place_of(part) if given else None for part in vector]
        self._places.append(tuple(places))
        self.labels.append(label)

    def described(self) -> blueprint.ScriptTables:
        """All of them."""
        number = self._assembler.register
        registers = [[-1 if place is None else number(place) for place in nine] for nine in self._places]
        views = tuple(blueprint.ViewRecord(*seen, number(place)) for seen, place in self._views.items())
        return blueprint.ScriptTables(self._assembler.program(), table(registers, 9), views)

    def _look(self, state: State) -> Place:
        kind, width = VIEWS[state.quantity]
        seen = (kind, self._frame(state.observer), self._frame(state.body))
        if seen not in self._views:
            self._views[seen] = self._assembler.room_for_view(width)
        return Place("view", self._views[seen].index + state.component)

    def _frame(self, name: str) -> Frame:
        """`self` and `parent` are of the node; which frame the parent is changes with the tree."""
        return ("body" if name == "self" else name, self._node if name in ("self", "parent") else 0)
