"""Operands during parsing: kinds are checked, sizes limited, constant parts computed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from rigidsim.physics.operations import CONDITION, NUMBER
from rigidsim.scene.expressions.printing import INFIX, printed
from rigidsim.scene.expressions.tokens import ExpressionError
from rigidsim.scene.expressions.tree import Apply, ExpressionTree, Number
from rigidsim.scene.expressions.vocabulary import DECLARED, SPECIAL
from rigidsim.structures.columns import as_float, is_finite

MOST_NODES = 500
DEEPEST = 50


class Operand(NamedTuple):
    """A tree, what kind of value it has, where it begins in the text, and how large it is."""

    tree: ExpressionTree
    kind: str
    offset: int
    nodes: int = 1
    depth: int = 1


def constant(value: float, offset: int, written: str = "") -> Operand:
    """A number."""
    if not is_finite(value):
        raise ExpressionError(f"'{written[:30]}' is outside the range of float64", offset)
    return Operand(Number(value), NUMBER, offset)


def require(kind: str, operand: Operand) -> Operand:
    """The operand, if it is of this kind."""
    if operand.kind == kind:
        return operand
    hint = (
        "write if(condition, a, b) to convert it to a number" if kind == NUMBER else "compare it with something: x > 0"
    )
    raise ExpressionError(f"expected a {kind}, got a {operand.kind}", operand.offset, hint)


def applied(operation: str, offset: int, *operands: Operand) -> Operand:
    """The operation on these operands. Constant operations are computed, apart from special functions; the shape never
    depends on a value.
    """
    called = DECLARED[operation]
    for kind, operand in zip(called.takes, operands, strict=True):
        _refuse_chain(operation, offset, operand)
        require(kind, operand)
    begin = min(offset, operands[0].offset) if operation in INFIX else offset
    tree = Apply(operation, tuple(operand.tree for operand in operands))
    if operation not in SPECIAL and all(isinstance(operand.tree, Number) for operand in operands):
        return Operand(Number(_folded(tree, offset)), called.gives, begin)
    return combined(tree, called.gives, operands, offset)._replace(offset=begin)


def combined(tree: ExpressionTree, kind: str, operands: Sequence[Operand], offset: int) -> Operand:
    """The operand that a tree of these operands is, if it is not too large."""
    nodes = 1 + sum(operand.nodes for operand in operands)
    depth = 1 + max(operand.depth for operand in operands)
    if nodes > MOST_NODES:
        raise ExpressionError(f"the expression has more than {MOST_NODES} parts", offset)
    if depth > DEEPEST:
        hint = "put brackets around parts of a long sum or product"
        raise ExpressionError(f"the expression is more than {DEEPEST} levels deep", offset, hint)
    return Operand(tree, kind, offset, nodes, depth)


def _refuse_chain(operation: str, offset: int, operand: Operand) -> None:
    if operation in ("less", "less_equal", "equal") and operand.kind == CONDITION:
        raise ExpressionError("comparisons cannot be chained", offset, "write a < b and b < c")


def _folded(tree: Apply, offset: int) -> float:
    values = [argument.value for argument in tree.arguments]
    try:
        result = as_float(DECLARED[tree.operation].value(*values))
    except (ArithmeticError, ValueError):
        result = math.nan
    if not is_finite(result):
        raise ExpressionError(f"{printed(tree)} is not finite (inf or nan)", offset)
    return result
