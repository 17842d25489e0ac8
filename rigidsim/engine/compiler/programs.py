"""From the trees of expressions to operations on registers."""

from __future__ import annotations

from typing import NamedTuple

from rigidsim.engine.model import Program, table, zeros
from rigidsim.physics.operations import CODE
from rigidsim.scene.expressions import Expression
from rigidsim.scene.expressions.tree import Apply, ExpressionTree, Number, StateRead, Time


class Place(NamedTuple):
    """A register before their numbers are known: which of a kind."""

    kind: str  # constant, time, view, result
    index: int = 0


class Assembler:
    """Collects operations. Which there are depends on the texts alone, never on the value of a number."""

    def __init__(self, look=None):
        self._look = look  # gives the place of a StateRead
        self.constants: list[float] = []
        self.n_view = 0
        self._operations: list[tuple[int, list[Place]]] = []

    def place_of(self, number: float | Expression) -> Place:
        """Where the value of a number or an expression will be."""
        return self._compiled(number.tree if isinstance(number, Expression) else Number(number))

    def room_for_view(self, count: int) -> Place:
        """The first of so many registers side by side that something else fills."""
        place = Place("view", self.n_view)
        self.n_view += count
        return place

    def register(self, place: Place) -> int:
        """The number of a register, once everything is there."""
        time = len(self.constants)
        return {
            "constant": place.index,
            "time": time,
            "view": time + 1 + place.index,
            "result": self.first + place.index,
        }[place.kind]

    @property
    def first(self) -> int:
        """The register of the first result."""
        return len(self.constants) + 1 + self.n_view

    def program(self) -> Program:
        """The operations as the kernels take them."""
        operands = [[self.register(place) for place in places] for _, places in self._operations]
        constant = zeros(len(self.constants), 1)
        constant[:, 0] = self.constants
        rows = [(code, *(*o, 0, 0)[:3]) for (code, _), o in zip(self._operations, operands, strict=True)]
        return Program(table(rows, 4), constant, self.first)

    def _compiled(self, tree: ExpressionTree) -> Place:
        if isinstance(tree, Number):
            self.constants.append(tree.value)
            return Place("constant", len(self.constants) - 1)
        if isinstance(tree, Time):
            return Place("time")
        if isinstance(tree, StateRead):
            return self._look(tree)
        operands = [self._compiled(argument) for argument in tree.arguments]
        self._operations.append((CODE[tree.operation], operands))
        return Place("result", len(self._operations) - 1)


def tree_of(number: float | Expression) -> ExpressionTree:
    """A number or an expression as a tree."""
    return number.tree if isinstance(number, Expression) else Number(number)


def product_of(a: float | Expression, b: float | Expression) -> float | Expression:
    """a times b."""
    if not isinstance(a, Expression) and not isinstance(b, Expression):
        return a * b
    tree = Apply("multiply", (tree_of(a), tree_of(b)))
    return Expression(text="", tree=tree)
