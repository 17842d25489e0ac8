"""Reductions during parsing: their arguments are checked; nothing that varies may be outside, no reduction inside."""

from __future__ import annotations

from rigidsim.physics.operations import CONDITION, NUMBER
from rigidsim.scene.expressions.building import Operand, combined, require
from rigidsim.scene.expressions.tokens import ExpressionError, Token
from rigidsim.scene.expressions.tree import Apply, ExpressionTree, Number, Reduction, StateRead, Time
from rigidsim.scene.expressions.vocabulary import COUNTED, DRIFT, WORLD
from rigidsim.scene.text.document import shown

AT, FIRST = "at", "first"
ENERGIES = "energies"
"""In place of a quantity: kinetic and potential energy, and the work done, of all bodies."""


class Varying:
    """The words that vary during a run, and the reductions, as far as they are in no other reduction."""

    def __init__(self) -> None:
        self._varying: list[Token] = []
        self._reductions: list[Token] = []

    def add(self, word: Token) -> None:
        """Note a word for time or state."""
        self._varying.append(word)

    def place(self) -> tuple[int, int]:
        """What `reduce` needs to know where the arguments begin."""
        return len(self._varying), len(self._reductions)

    def reduce(self, word: Token, begin: tuple[int, int]) -> None:
        """Note that all since `begin` is in this reduction."""
        varying, reductions = begin
        if len(self._reductions) > reductions:
            inner = self._reductions[-1]
            hint = "a metric combines reductions by arithmetic; within one are the values at a sample"
            raise ExpressionError(f"{inner.text} is a reduction within {word.text}()", inner.offset, hint)
        del self._varying[varying:]
        self._reductions.append(word)

    def require_none(self) -> None:
        """Raise ExpressionError if anything that varies is in no reduction."""
        if self._varying:
            word = self._varying[0]
            hint = "reduce it to one number: max(...), mean(...), final(...)"
            raise ExpressionError(f"'{word.text}' varies during the run", word.offset, hint)


def reduction(word: Token, arguments: list[Operand]) -> Operand:
    """The reduction of this name. `first(condition)` is `first(t, condition)`."""
    if word.text == FIRST:
        if len(arguments) == 1:
            arguments = [Operand(Time(), NUMBER, word.offset), *arguments]
        require(NUMBER, arguments[0]), require(CONDITION, arguments[1])
    else:
        for argument in arguments:
            require(NUMBER, argument)
    if word.text == AT and not isinstance(arguments[0].tree, Number):
        hint = "at(2.5, speed('ball')) is the speed at t = 2.5 s"
        raise ExpressionError("the time of at() varies during the run", arguments[0].offset, hint)
    tree = Reduction(word.text, tuple(argument.tree for argument in arguments))
    return combined(tree, NUMBER, arguments, word.offset)


def count_of(word: Token, events: str, offset: int) -> Operand:
    """The number of events of a kind."""
    if events not in COUNTED:
        message = f"unknown events '{shown(events)}'"
        raise ExpressionError(message, offset, f"there are {', '.join(COUNTED)}", events, COUNTED)
    return Operand(Reduction(word.text, events=events), NUMBER, word.offset)


def inputs(reduction: Reduction) -> tuple[ExpressionTree, ...]:
    """What the fold of a reduction takes at each sample, at most three values."""
    if reduction.kind == DRIFT:
        return tuple(StateRead(ENERGIES, component, WORLD, WORLD) for component in range(3))
    if reduction.kind == AT:
        return reduction.arguments[::-1]
    if reduction.kind == FIRST:
        return (*reduction.arguments, margin(reduction.arguments[1]))
    return reduction.arguments


def margin(condition: ExpressionTree) -> ExpressionTree:
    """A number that is not below 0 where a condition holds, not above 0 elsewhere, and 0 where that changes."""
    if isinstance(condition, Number):
        return Number(1.0 if condition.value else -1.0)
    operation, arguments = condition.operation, condition.arguments
    if operation in ("less", "less_equal"):
        return Apply("subtract", arguments[::-1])
    if operation == "equal":
        return Apply("negate", (Apply("abs", (Apply("subtract", arguments),)),))
    inner = tuple(map(margin, arguments))
    return Apply({"and": "min", "or": "max", "not": "negate"}[operation], inner)
