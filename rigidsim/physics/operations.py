"""The operations of expressions in scenes, each declared once.

Parser, printer, constant folding, prescribed motions, the compiled interpreters and the documents read this table: a
new function is one line here and a formula. A condition is the number 1 or 0.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import add, lt, mul, neg, sub
from typing import NamedTuple

from rigidsim.physics import functions as f
from rigidsim.physics import jets as j
from rigidsim.physics.elementary import arc_tangent, sqrt
from rigidsim.physics.error_function import error_function, jet_error_function
from rigidsim.physics.exponentials import exponential, logarithm

NUMBER, CONDITION = "number", "condition"
MANY = 500  # arguments, at most


class Operation(NamedTuple):
    """One operation: types of its arguments and result, formulas, and the name and description of the function."""

    name: str
    value: Callable  # of numbers of any kind, with the same bits compiled
    jet: Callable | None  # of jets; None: the value, with zero derivatives
    takes: tuple[str, ...] = (NUMBER,)
    gives: str = NUMBER
    word: str = ""  # name of the function in a scene; empty for operators
    meaning: str = ""  # for the documentation
    most: int = 0  # most arguments, if the function may have more than the operation: f(a, b, c) is f(f(a, b), c)
    branch: Callable | None = None  # a value at whose changes the result may have a jump or a kink


def _function(word: str, value: Callable, jet: Callable, meaning: str, **more) -> Operation:
    """The operation of a function with this name."""
    return Operation(word, value, jet, word=word, meaning=meaning, **more)


def _turns(x, y):
    """The branch of the remainder: it jumps where this changes."""
    return f.floored(f.quotient(x, y))


def _is_negative(x):
    """The branch of an absolute value: it has a kink where this changes."""
    return f.is_less(x, 0.0)


_TWO, _CONDITIONS = (NUMBER, NUMBER), (CONDITION, CONDITION)

# In the order of frequency of use.
OPERATIONS = (
    Operation("add", add, j.jet_sum, _TWO),
    Operation("subtract", sub, j.jet_difference, _TWO),
    Operation("multiply", mul, j.jet_product, _TWO),
    Operation("divide", f.quotient, j.jet_quotient, _TWO),
    Operation("negate", neg, j.jet_negated),
    Operation(
        "select", f.choice, j.jet_choice, (CONDITION, *_TWO), NUMBER, "if", "a where the condition holds, else b"
    ),
    Operation("less", f.is_less, None, _TWO, CONDITION, branch=lt),
    Operation("less_equal", f.is_at_most, None, _TWO, CONDITION, branch=f.is_at_most),
    Operation("equal", f.is_equal, None, _TWO, CONDITION),
    Operation("and", mul, None, _CONDITIONS, CONDITION),
    Operation("or", f.larger, None, _CONDITIONS, CONDITION),
    Operation("not", f.is_not, None, (CONDITION,), CONDITION),
    _function("min", f.smaller, j.jet_smaller, "the smallest", takes=_TWO, most=MANY, branch=lt),
    _function("max", f.larger, j.jet_larger, "the largest", takes=_TWO, most=MANY, branch=lt),
    _function("abs", f.absolute, j.jet_absolute, "the absolute value", branch=_is_negative),
    _function("sqrt", sqrt, j.jet_square_root, "the square root"),
    _function("sin", f.sine, j.jet_sine, "the sine of an angle in rad"),
    _function("cos", f.cosine, j.jet_cosine, "the cosine"),
    _function("tan", f.tangent, j.jet_tangent, "the tangent"),
    _function("asin", f.arc_sine, j.jet_arc_sine, "the angle of a sine, -pi/2 to pi/2"),
    _function("acos", f.arc_cosine, j.jet_arc_cosine, "the angle of a cosine, 0 to pi"),
    _function("atan", f.arc_slope, j.jet_arc_tangent, "the angle of a tangent, -pi/2 to pi/2"),
    _function("atan2", arc_tangent, j.jet_arc_tangent_2, "the angle of the point (b, a), -pi to pi", takes=_TWO),
    _function("exp", exponential, j.jet_exponential, "the exponential"),
    _function("log", logarithm, j.jet_logarithm, "the natural logarithm"),
    Operation("power", f.power, j.jet_power, _TWO),
    _function("sign", f.sign, j.jet_sign, "-1, 0 or 1", branch=_is_negative),
    _function("floor", f.floored, j.jet_floored, "the largest integer not above it", branch=f.floored),
    _function("mod", f.remainder, j.jet_remainder, "a - b floor(a/b), with the sign of b", takes=_TWO, branch=_turns),
    _function("hypot", f.hypotenuse, j.jet_hypotenuse, "the root of the sum of the squares", takes=_TWO, most=MANY),
    _function("sinh", f.hyperbolic_sine, j.jet_hyperbolic_sine, "the hyperbolic sine"),
    _function("cosh", f.hyperbolic_cosine, j.jet_hyperbolic_cosine, "the hyperbolic cosine"),
    _function("tanh", f.hyperbolic_tangent, j.jet_hyperbolic_tangent, "the hyperbolic tangent"),
    _function("erf", error_function, jet_error_function, "the error function"),
)
BY_NAME = {operation.name: operation for operation in OPERATIONS}
CODE = {operation.name: code for code, operation in enumerate(OPERATIONS)}


def _lifted(operation: Operation) -> Callable:
    """An operation on jets that takes plain numbers too."""

    def jet(*arguments):
        """The operation; a number is the jet of a constant."""
        jets = [u if isinstance(u, tuple) else (u, 0.0, 0.0) for u in arguments]
        return operation.jet(*jets) if operation.jet else (operation.value(*(u[0] for u in jets)), 0.0, 0.0)

    return jet


VALUES: dict[str, Callable] = {operation.name: operation.value for operation in OPERATIONS}
JETS: dict[str, Callable] = {operation.name: _lifted(operation) for operation in OPERATIONS}
TABLE = "table"
"""The operation that is no formula of its operands alone: a table is looked up."""
TABLE_CODE = len(OPERATIONS)
VALUES[TABLE] = lambda table, x: table.at(x)
JETS[TABLE] = lambda table, u: table.jet(u)
