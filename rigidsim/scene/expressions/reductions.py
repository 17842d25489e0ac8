"""Reductions during parsing: their arguments are checked; nothing that varies may be outside, no reduction inside."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

from rigidsim.physics.operations import CONDITION, NUMBER
from rigidsim.quantities.dimensions import Measure
from rigidsim.quantities.dimensions import combined as unit_of
from rigidsim.quantities.names import bodies_called, is_pattern
from rigidsim.quantities.vocabulary import LOOP, READ
from rigidsim.scene.expressions.operands import SECONDS, Operand, combined, require
from rigidsim.scene.expressions.tokens import ExpressionError, Token
from rigidsim.scene.expressions.tree import (
    Apply,
    Expression,
    ExpressionTree,
    Lookup,
    Number,
    Reduction,
    StateRead,
    Time,
    parts,
)
from rigidsim.scene.expressions.vocabulary import COUNTED, DRIFT, OF_CONTACT
from rigidsim.scene.text.document import shown
from rigidsim.tree.nodes import WORLD

AT, FIRST, INTEGRAL, TIMES = "at", "first", "integral", ("time_of_max", "time_of_min")
PATTERNED = ("max", "min")
"""The reductions in which a pattern stands for bodies."""
ENERGIES = ("kinetic_energy", "potential_energy", "work")
"""What the drift of energy is computed from, of all bodies."""


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
            arguments = [Operand(Time(), NUMBER, word.offset, measure=SECONDS), *arguments]
        require(NUMBER, arguments[0]), require(CONDITION, arguments[1])
    else:
        for argument in arguments:
            require(NUMBER, argument)
    if word.text == AT and not isinstance(arguments[0].tree, Number):
        hint = "at(2.5, speed('ball')) is the speed at t = 2.5 s"
        raise ExpressionError("the time of at() varies during the run", arguments[0].offset, hint)
    tree = Reduction(word.text, tuple(argument.tree for argument in arguments))
    return combined(tree, NUMBER, arguments, word.offset)._replace(measure=_measure(word.text, arguments))


def _measure(name: str, arguments: list[Operand]) -> Measure | None:
    """The unit of a reduction: that of what is reduced, of an integral times s, or s."""
    measure = arguments[1 if name == AT else 0].measure
    if name in TIMES:
        return SECONDS
    is_known = name == INTEGRAL and measure is not None and measure.is_sure
    return unit_of("multiply", [measure, SECONDS]) if is_known else measure


def count_of(word: Token, events: str, body: str, offset: int) -> Operand:
    """The number of events of a kind; of contact perhaps of one body with all below it."""
    if events not in COUNTED:
        message = f"unknown events '{shown(events)}'"
        raise ExpressionError(message, offset, f"there are {', '.join(COUNTED)}", events, COUNTED)
    if body and events not in OF_CONTACT:
        raise ExpressionError(f"{events} are counted of all bodies", offset, f"of one: {', '.join(OF_CONTACT)}")
    return Operand(Reduction(word.text, events=events, body=body), NUMBER, word.offset)


def inputs(reduction: Reduction) -> tuple[ExpressionTree, ...]:
    """What the fold of a reduction takes at each sample, at most three values."""
    if reduction.kind == DRIFT:
        return tuple(StateRead(name, 0, "", WORLD) for name in ENERGIES)
    if reduction.kind == AT:
        return reduction.arguments[::-1]
    if reduction.kind == FIRST:
        return (*reduction.arguments, guard_of(reduction.arguments[1]))
    return reduction.arguments


def patterns(reduction: Reduction) -> list[str]:
    """The patterns of bodies in a reduction."""
    states = [part for argument in reduction.arguments for part in parts(argument) if isinstance(part, StateRead)]
    return [*dict.fromkeys(state.body for state in states if is_pattern(state.body))]


def on_bodies(expression: Expression, paths: Collection[str]) -> Expression:
    """The expression with the paths of bodies in place of the ends of paths. The largest or smallest value of a pattern
    is that of all bodies for which it stands.
    """
    return replace(expression, tree=_on_bodies(expression.tree, paths))


def _on_bodies(tree: ExpressionTree, paths: Collection[str]) -> ExpressionTree:
    if isinstance(tree, Apply | Lookup):
        return replace(tree, arguments=tuple(_on_bodies(argument, paths) for argument in tree.arguments))
    if isinstance(tree, StateRead):
        names = ("observer", "other") if is_of_loop(tree) else ("body", "observer", "other")
        ends = {name: bodies_called(getattr(tree, name), paths) for name in names}
        changes: dict[str, Any] = {name: found[0] for name, found in ends.items() if len(found) == 1}
        return replace(tree, **changes)
    if not isinstance(tree, Reduction):
        return tree
    found = [name for name in patterns(tree) if name not in paths]
    if found and tree.kind in PATTERNED:
        each = [_with_body(tree, found[0], path) for path in bodies_called(found[0], paths)]
        return _joined(tree.kind, [_on_bodies(one, paths) for one in each])
    body = bodies_called(tree.body, paths)[:1] or [tree.body]
    return replace(tree, arguments=tuple(_on_bodies(argument, paths) for argument in tree.arguments), body=body[0])


def is_of_loop(state: StateRead) -> bool:
    """Whether something of a loop is read, whose name stands in place of a body."""
    return bool(state.body) and READ[state.quantity].needs == LOOP


def _with_body(tree: ExpressionTree, pattern: str, path: str) -> ExpressionTree:
    """The tree with one body in place of a pattern."""
    if isinstance(tree, StateRead):
        return replace(tree, body=path) if tree.body == pattern else tree
    if isinstance(tree, Apply | Lookup | Reduction):
        return replace(tree, arguments=tuple(_with_body(argument, pattern, path) for argument in tree.arguments))
    return tree


def _joined(operation: str, trees: list[ExpressionTree]) -> ExpressionTree:
    """An operation on all trees, two at a time, as few levels deep as possible."""
    half = len(trees) // 2
    return Apply(operation, (_joined(operation, trees[:half]), _joined(operation, trees[half:]))) if half else trees[0]


def guard_of(condition: ExpressionTree) -> ExpressionTree:
    """A number that is not below 0 where a condition holds, not above 0 elsewhere, and 0 where that changes."""
    if isinstance(condition, Number):
        return Number(1.0 if condition.value else -1.0)
    assert isinstance(condition, Apply)
    operation, arguments = condition.operation, condition.arguments
    if operation in ("less", "less_equal"):
        return Apply("subtract", arguments[::-1])
    if operation == "equal":
        return Apply("negate", (Apply("abs", (Apply("subtract", arguments),)),))
    inner = tuple(map(guard_of, arguments))
    return Apply({"and": "min", "or": "max", "not": "negate"}[operation], inner)
