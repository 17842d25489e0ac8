"""Operands during parsing: kinds are checked, sizes limited, constant parts computed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from typing import NamedTuple

from rigidsim.containers.columns import Column, as_float, is_column, is_finite
from rigidsim.physics.operations import CONDITION, NUMBER
from rigidsim.quantities.dimensions import OF_FUNCTION, DifferentDimensions, Measure, measure_of
from rigidsim.quantities.dimensions import combined as unit_of
from rigidsim.quantities.names import QuantityName
from rigidsim.quantities.vocabulary import JOINT, NORM, OF_RUN, READ
from rigidsim.scene.expressions.tables import Interpolant
from rigidsim.scene.expressions.tokens import ExpressionError
from rigidsim.scene.expressions.tree import INFIX, Apply, ExpressionTree, Lookup, Number, StateRead, Time, printed
from rigidsim.scene.expressions.vocabulary import DECLARED, OWN_FRAMES, SPECIAL

TIME_QUANTITY = "time"
SUMS = {
    "total_energy": (("add", "kinetic_energy"), ("add", "potential_energy"), ("subtract", "work")),
    "angular_momentum": (("add", "spin_angular_momentum"), ("add", "orbital_angular_momentum")),
}
"""Quantities of the whole run that are sums of others."""
SECONDS = measure_of("s")
VECTOR = "vector"
"""The kind of three numbers, besides those of operations."""
MOST_NODES = 500
DEEPEST = 50


class Operand(NamedTuple):
    """A tree, what kind of value it has, where it begins in the text, and how large it is."""

    tree: ExpressionTree
    kind: str
    offset: int
    nodes: int = 1
    depth: int = 1
    measure: Measure | None = None  # its unit; None for a plain number, and where units are not followed
    parts: tuple[Operand, ...] = ()  # of a vector its components; what is said of it is said of the first


def constant(value: float, offset: int, written: str = "", measure: Measure | None = None) -> Operand:
    """A number."""
    if not is_finite(value):
        raise ExpressionError(f"'{written[:30]}' is outside the range of float64", offset)
    return Operand(Number(value), NUMBER, offset, measure=measure)


def read_of(state: StateRead, offset: int) -> Operand:
    """What is read of a state, with its unit."""
    kind = (READ if state.body else OF_RUN)[state.quantity]
    if kind.needs == JOINT and not kind.unit:
        return Operand(state, NUMBER, offset, measure=OF_FUNCTION)  # its unit depends on the joint
    return Operand(state, NUMBER, offset, measure=measure_of(kind.unit.replace("L", "m")))


def named_quantity(name: QuantityName, offset: int) -> Operand:
    """A quantity by its name; of a vector one component. Some of the whole run are made of others."""
    if name.components:
        raise ExpressionError(
            f"'{name.quantity}' has the components {', '.join(name.kind.accepts)}", offset, "name one of them"
        )
    if not name.body and name.quantity == TIME_QUANTITY:
        return Operand(Time(), NUMBER, offset, measure=SECONDS)
    if not name.body and name.component == NORM:
        parts = (named_quantity(replace(name, component=letter), offset) for letter in name.kind.components)
        squares = (applied("multiply", offset, part, part) for part in parts)
        return applied("sqrt", offset, reduce(lambda a, b: applied("add", offset, a, b), squares))
    place = name.kind.accepts.index(name.component) if name.component else 0
    observer = OWN_FRAMES.get(name.frame, name.frame)
    if name.body or name.quantity not in SUMS:
        return read_of(StateRead(name.quantity, place, name.body, observer, name.other), offset)
    reads = [
        (operation, read_of(StateRead(part, place, "", observer), offset)) for operation, part in SUMS[name.quantity]
    ]
    (_, found), *others = reads
    for operation, read in others:
        found = applied(operation, offset, found, read)
    return found


def converted(found: Operand, angle: Operand, unit: str) -> Operand:
    """An angle, or the rate of one, that was converted to `deg` or `rad`."""
    return found._replace(measure=angle.measure and angle.measure.with_angles(unit))


def require(kind: str, operand: Operand) -> Operand:
    """The operand, if it is of this kind."""
    if operand.kind == kind:
        return operand
    hint = "compare it with something: x > 0" if kind == CONDITION else ""
    if kind == NUMBER:
        is_vector = operand.kind == VECTOR
        hint = (
            f"write {'norm(a) or dot(a, [1, 0, 0])' if is_vector else 'if(condition, a, b) to convert it to a number'}"
        )
    elif kind == VECTOR:
        hint = "write [a, b, c], or a vector of the state: p, v, omega"
    raise ExpressionError(f"expected a {kind}, got a {operand.kind}", operand.offset, hint)


def applied(operation: str, offset: int, *operands: Operand) -> Operand:
    """The operation on these operands. Constant operations are computed, apart from special functions; the shape never
    depends on a value.
    """
    if any(operand.kind == VECTOR for operand in operands):
        return componentwise(operation, offset, *operands)
    called = DECLARED[operation]
    for kind, operand in zip(called.takes, operands, strict=True):
        _refuse_chain(operation, offset, operand)
        require(kind, operand)
    begin = min(offset, operands[0].offset) if operation in INFIX else offset
    tree = Apply(operation, tuple(operand.tree for operand in operands))
    if operation not in SPECIAL and all(isinstance(operand.tree, Number) for operand in operands):
        found = Operand(Number(_folded(tree, offset)), called.gives, begin)
    else:
        found = combined(tree, called.gives, operands, offset)
    return found._replace(offset=begin, measure=_measured(operation, operands, offset))


def vector(parts: Sequence[Operand], offset: int) -> Operand:
    """The vector with three components, which are numbers."""
    x, y, z = (require(NUMBER, part) for part in parts)
    nodes, depth = x.nodes + y.nodes + z.nodes, max(x.depth, y.depth, z.depth)
    return Operand(x.tree, VECTOR, offset, nodes, depth, x.measure, (x, y, z))


def componentwise(operation: str, offset: int, *operands: Operand) -> Operand:
    """A sum or a multiple of vectors, or a choice between two of them."""
    kinds = [operand.kind == VECTOR for operand in operands]
    allowed = {
        "add": [True, True], "subtract": [True, True], "negate": [True], "divide": [True, False],
        "multiply": [kinds[0], not kinds[0]], "select": [False, True, True],
    }.get(operation)  # fmt: skip
    if kinds != allowed:
        hint = {"multiply": "write dot(a, b), or cross(a, b)", "divide": "divide by its length, norm(a)"}
        both = " and a number" if operation in ("add", "subtract") else ""
        raise ExpressionError(
            f"'{operation}' of a vector{both}", offset, hint.get(operation, "write norm(a), dot(a, b)")
        )
    parts = [[one.parts[k] if one.kind == VECTOR else one for one in operands] for k in range(3)]
    return vector([applied(operation, offset, *each) for each in parts], offset)


def _measured(operation: str, operands: Sequence[Operand], offset: int) -> Measure | None:
    """The unit of an operation."""
    last = operands[-1].tree
    exponent = last.value if isinstance(last, Number) and not is_column(last.value) else None
    try:
        return unit_of(operation, [operand.measure for operand in operands], exponent)
    except DifferentDimensions as error:
        one, other = error.args
        hint = "what is added or compared has one dimension; a plain number takes the unit of the other side"
        raise ExpressionError(f"{one} and {other} have different dimensions", offset, hint) from None


def looked_up(table: Interpolant, offset: int, x: Operand) -> Operand:
    """The value of a table; of a constant, a constant."""
    require(NUMBER, x)
    if x.measure and x.measure.is_sure and table.x_unit:
        wanted = measure_of(table.x_unit)
        if x.measure.dimension != wanted.dimension:
            message = f"'{table.name}' is a table over {table.x_unit}, and this is in {x.measure.unit or 'no unit'}"
            raise ExpressionError(message, x.offset)
    measure = measure_of(table.y_unit) if table.y_unit else None
    if not isinstance(x.tree, Number):
        return combined(Lookup(table, (x.tree,)), NUMBER, (x,), offset)._replace(measure=measure)
    value = x.tree.value.each(table.at) if isinstance(x.tree.value, Column) else table.at(x.tree.value)
    if not is_finite(value):
        raise ExpressionError(f"{printed(x.tree)} is outside the table '{table.name}'", x.offset)
    return Operand(Number(value), NUMBER, offset, measure=measure)


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
    values = [argument.value for argument in tree.arguments if isinstance(argument, Number)]
    try:
        result = as_float(DECLARED[tree.operation].value(*values))
    except (ArithmeticError, ValueError):
        result = math.nan
    if not is_finite(result):
        raise ExpressionError(f"{printed(tree)} is not finite (inf or nan)", offset)
    return result
