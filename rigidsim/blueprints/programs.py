"""From the trees of expressions to operations on registers."""

from __future__ import annotations

from typing import NamedTuple

from rigidsim.containers.columns import numbers_table
from rigidsim.engine.assembly.blueprint import ViewRecord
from rigidsim.engine.model.arrays import Program, table
from rigidsim.physics.operations import CODE, TABLE_CODE
from rigidsim.physics.piecewise import PARTS
from rigidsim.scene.expressions import Expression
from rigidsim.scene.expressions.tables import Interpolant
from rigidsim.scene.expressions.tree import (
    Apply,
    ExpressionTree,
    Held,
    Lookup,
    Named,
    Number,
    Reduction,
    StateRead,
    Time,
)


class RegisterRef(NamedTuple):
    """A register whose number is not assigned yet: its kind, and its number among those of that kind."""

    kind: str  # constant, time, view, result; number for the number of a table in place of a register
    index: int = 0  # type: ignore[assignment]  # hides a method of tuples


class Assembler:
    """Collects the operations of expressions. They depend only on the structure of the texts, never on the value of a
    number.
    """

    def __init__(self, look=None, has_tables: bool = True):
        self._look = look  # gives the place of a StateRead or a Reduction
        self._has_tables = has_tables  # else they are written out as choices between their pieces
        self._tables: dict[Interpolant, int] = {}  # the first constant of each
        self.constants: list[float] = []
        self._views: dict[tuple, int] = {}  # the first register of each, counted among views
        self._n_view = 0
        self._named: dict[Named, RegisterRef] = {}
        self._held: dict[int, RegisterRef] = {}  # constants that are written when something is sampled, by its number
        self._operations: list[tuple[int, list[RegisterRef]]] = []
        self._is_complete = False  # numbers of registers depend on all that was added

    def place_of(self, given: float | Expression | ExpressionTree) -> RegisterRef:
        """The register that will hold the value of a number, an expression or a tree; none is added once `register`
        has given a number.
        """
        if self._is_complete:
            raise RuntimeError("an expression is added after registers have their numbers")
        tree = tree_of(given)
        if isinstance(tree, Number):
            self.constants.append(tree.value)
            return RegisterRef("constant", len(self.constants) - 1)
        if isinstance(tree, Named):
            if tree not in self._named:
                self._named[tree] = self.place_of(tree.tree)
            return self._named[tree]
        if isinstance(tree, Held):
            if tree.number not in self._held:
                self._held[tree.number] = self.place_of(0.0)
            return self._held[tree.number]
        if isinstance(tree, Time):
            return RegisterRef("time")
        if isinstance(tree, StateRead | Reduction):
            return self._look(tree)
        operands = [self.place_of(argument) for argument in tree.arguments]
        if isinstance(tree, Lookup):
            return self._looked_up(tree.table, *operands)
        return self._result(CODE[tree.operation], *operands)

    def _result(self, code: int, *operands: RegisterRef) -> RegisterRef:
        self._operations.append((code, [*operands]))
        return RegisterRef("result", len(self._operations) - 1)

    def _looked_up(self, table: Interpolant, x: RegisterRef) -> RegisterRef:
        """The value of a table, whose numbers are constants, piece by piece."""
        if table not in self._tables:
            self._tables[table] = len(self.constants)
            self.constants += table.pieces.ravel().tolist()
        first = self._tables[table]
        if self._has_tables:
            return self._result(TABLE_CODE, x, RegisterRef("number", [*self._tables].index(table)))
        chosen = [RegisterRef("constant", first + part) for part in range(PARTS)]
        for begin in range(first + PARTS, first + table.pieces.size, PARTS):
            is_before = self._result(CODE["less"], x, RegisterRef("constant", begin))
            own = [RegisterRef("constant", begin + part) for part in range(PARTS)]
            pairs = zip(chosen, own, strict=True)
            chosen = [self._result(CODE["select"], is_before, before, after) for before, after in pairs]
        origin, *rest, value = chosen
        s = self._result(CODE["subtract"], x, origin)
        for c in reversed(rest):
            value = self._result(CODE["add"], c, self._result(CODE["multiply"], s, value))
        return value

    def view(self, seen: tuple, width: int, component: int = 0) -> RegisterRef:
        """A component of what is `seen`, which fills consecutive registers from outside the program, the same for all
        who read it.
        """
        if seen not in self._views:
            self._views[seen] = self._n_view
            self._n_view += width
        return RegisterRef("view", self._views[seen] + component)

    def views(self) -> tuple[ViewRecord, ...]:
        """What the program reads of a sample or a state."""
        places = {seen: self.register(RegisterRef("view", at)) for seen, at in self._views.items()}
        return tuple(
            ViewRecord(kind, observer, body, register, *more)
            for (kind, observer, body, *more), register in places.items()
        )

    def register(self, place: RegisterRef | None) -> int:
        """The number of a register, after all expressions have been added; -1 for none."""
        self._is_complete = True
        if place is None:
            return -1
        time = len(self.constants)
        begins = {"number": 0, "constant": 0, "time": time, "view": time + 1, "result": self.first}
        return begins[place.kind] + place.index

    @property
    def first(self) -> int:
        """The register of the first result."""
        return len(self.constants) + 1 + self._n_view

    def program(self) -> Program:
        """The operations as a table for the kernels."""
        operands = [[self.register(place) for place in places] for _, places in self._operations]
        constant = numbers_table([[number] for number in self.constants], 1)
        rows = [(code, *(*o, 0, 0)[:3]) for (code, _), o in zip(self._operations, operands, strict=True)]
        tables = [(first, len(one.pieces)) for one, first in self._tables.items()] if self._has_tables else []
        held = [(place.index, number) for number, place in self._held.items()]
        more = table(tables, 2) if tables else None, table(held, 2) if held else None
        return Program(table(rows, 4), constant, self.first, *more)


def tree_of(given: float | Expression | ExpressionTree) -> ExpressionTree:
    """A number or an expression as a tree."""
    if isinstance(given, ExpressionTree):
        return given
    return given.tree if isinstance(given, Expression) else Number(given)


def product_of(a: float | Expression, b: float | Expression) -> float | Expression:
    """a times b."""
    if not isinstance(a, Expression) and not isinstance(b, Expression):
        return a * b
    tree = Apply("multiply", (tree_of(a), tree_of(b)))
    return Expression(text="", tree=tree)
