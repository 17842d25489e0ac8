"""Loads given by expressions: one program for all of them, and the motions that it reads."""

from __future__ import annotations

import numpy as np

from rigidsim.blueprints.programs import Assembler, RegisterRef
from rigidsim.containers.optional import not_none
from rigidsim.engine.assembly import blueprint
from rigidsim.engine.assembly.site import PARENT
from rigidsim.engine.model import layout
from rigidsim.engine.model.arrays import table
from rigidsim.quantities.vocabulary import CANONICAL
from rigidsim.scene.expressions import Expression
from rigidsim.scene.expressions.tree import StateRead
from rigidsim.scene.expressions.vocabulary import OF_JOINTS, OWN_FRAMES
from rigidsim.tree.joints import coordinate_number, part_of
from rigidsim.tree.nodes import Tree

VIEWS = {
    "position": (layout.SEEN_POSITION, 3),
    "velocity": (layout.SEEN_VELOCITY, 3),
    "angular_velocity": (layout.SEEN_RATE, 3),
    CANONICAL: (layout.SEEN_ORIENTATION, 4),
    "speed": (layout.SEEN_SPEED, 1),
    "coordinate": (layout.SEEN_COORDINATE, 1),
    "rate": (layout.SEEN_COORDINATE_RATE, 1),
}
Frame = tuple[int, int]
"""(frame, 0), or (PARENT, frame) for the present parent of a frame."""

NO_SCRIPTS = blueprint.ScriptTables(Assembler().program(), table([], 9), (), table([], 3), np.empty(0, dtype=np.int64))


class Scripts:
    """Collects the expressions of a scene's loads."""

    def __init__(self, start: Tree, has_tables: bool = True):
        self._start = start
        self._assembler = Assembler(self._look, has_tables)
        self._own = 0
        self._motors: list[tuple[int, int, RegisterRef]] = []
        self._places: list[tuple[RegisterRef | None, ...]] = []
        self._coefficients: list[RegisterRef] = []
        self.labels: list[str] = []
        self.coefficient_labels: list[str] = []

    def add(self, frame: int, vectors, label: str) -> None:
        """Add a load on the node of a frame: force, torque, acceleration of gravity; `label` is its location."""
        self._own = frame
        places = []
        for vector in vectors:
            given = any(isinstance(part, Expression) or part != 0.0 for part in vector)
            places += [self._assembler.place_of(part) if given else None for part in vector]
        self._places.append(tuple(places))
        self.labels.append(label)

    def add_coefficient(self, frame: int, given: Expression, label: str) -> int:
        """Add a number of a load on the node of a frame. Returns its number among those."""
        self._own = frame
        self._coefficients.append(self._assembler.place_of(given))
        self.coefficient_labels.append(label)
        return len(self._coefficients) - 1

    def add_motor(self, frame: int, number: int, law: Expression) -> None:
        """Add the torque or force of a motor of a coordinate of the joint of a node."""
        self._own = frame
        self._motors.append((frame - 1, number, self._assembler.place_of(law)))

    def tables(self) -> blueprint.ScriptTables:
        """The tables of a blueprint."""
        if not (self._places or self._motors or self._coefficients):
            return NO_SCRIPTS
        registers = [[*map(self._assembler.register, nine)] for nine in self._places]
        motors = [(*motor, self._assembler.register(place)) for *motor, place in self._motors]
        program, views = self._assembler.program(), self._assembler.views()
        coefficients = np.array([*map(self._assembler.register, self._coefficients)], dtype=np.int64)
        return blueprint.ScriptTables(program, table(registers, 9), views, table(motors, 3), coefficients)

    def _look(self, state: StateRead) -> RegisterRef:
        if state.quantity in OF_JOINTS:
            kind, width = VIEWS[part_of(state.quantity)]
            frame, _ = self._frame(state.body)
            number = coordinate_number(state.quantity, not_none(self._start.at(frame).joint).type)
            return self._assembler.view((kind, (number, 0), (frame, 0)), width)
        kind, width = VIEWS[state.quantity]
        body, _ = observed = self._frame(state.body)
        observer = (PARENT, body) if state.observer == OWN_FRAMES["parent"] else self._frame(state.observer)
        seen = (kind, observer, observed)
        return self._assembler.view(seen, width, state.component)

    def _frame(self, name: str) -> Frame:
        """The frame of a name in an expression; `parent` is resolved later, because it changes with the tree."""
        if name == "parent":
            return PARENT, self._own
        return (self._own if name == "self" else self._start.frame_of(name)), 0
