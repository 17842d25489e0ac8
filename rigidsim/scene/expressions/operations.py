"""What the operations of a tree take and give, and how they are computed: on numbers, and on jets."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from rigidsim.physics import functions, jets
from rigidsim.physics.elementary import arc_tangent, select, sqrt
from rigidsim.physics.exponentials import exponential, logarithm

NUMBER, CONDITION = "number", "condition"

ARITHMETIC = ("add", "subtract", "multiply", "divide", "power", "atan2", "min", "max", "mod", "hypot")
FUNCTIONS_OF_ONE = (
    *("negate", "sin", "cos", "tan", "asin", "acos", "atan", "exp", "log", "sqrt"),
    *("abs", "sign", "floor", "sinh", "cosh", "tanh"),
)
SIGNATURES: dict[str, tuple[tuple[str, ...], str]] = {
    **dict.fromkeys(FUNCTIONS_OF_ONE, ((NUMBER,), NUMBER)),
    **dict.fromkeys(ARITHMETIC, ((NUMBER, NUMBER), NUMBER)),
    **dict.fromkeys(("less", "less_equal", "equal"), ((NUMBER, NUMBER), CONDITION)),
    "not": ((CONDITION,), CONDITION),
    **dict.fromkeys(("and", "or"), ((CONDITION, CONDITION), CONDITION)),
    "select": ((CONDITION, NUMBER, NUMBER), NUMBER),
}
"""Each operation: the kinds of its arguments, and the kind of its result."""


def _logical(of_floats: Callable, of_arrays: Callable) -> Callable:
    """A function of conditions, be they booleans, the numbers 1 and 0, or arrays of either."""

    def chosen(*conditions: Any) -> Any:
        some_array = any(isinstance(condition, np.ndarray) for condition in conditions)
        return of_arrays(*conditions) if some_array else of_floats(*conditions)

    return chosen


FOLD: dict[str, Callable] = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "divide": functions.quotient,
    "negate": operator.neg,
    "power": functions.power,
    "sin": functions.sine,
    "cos": functions.cosine,
    "tan": functions.tangent,
    "asin": functions.arc_sine,
    "acos": functions.arc_cosine,
    "atan": functions.arc_slope,
    "atan2": arc_tangent,
    "exp": exponential,
    "log": logarithm,
    "sqrt": sqrt,
    "abs": functions.absolute,
    "sign": functions.sign,
    "min": functions.smaller,
    "max": functions.larger,
    "floor": functions.floored,
    "mod": functions.remainder,
    "hypot": functions.hypotenuse,
    "sinh": functions.hyperbolic_sine,
    "cosh": functions.hyperbolic_cosine,
    "tanh": functions.hyperbolic_tangent,
    "less": operator.lt,
    "less_equal": operator.le,
    "equal": operator.eq,
    "and": _logical(lambda a, b: bool(a) and bool(b), np.logical_and),
    "or": _logical(lambda a, b: bool(a) or bool(b), np.logical_or),
    "not": _logical(lambda a: not a, np.logical_not),
    "select": select,
}
"""The operations on numbers of any kind, with the functions that the compiled program uses: the same bits.

A condition that was folded is the number 1 or 0.
"""


def _lifted(formula: Callable) -> Callable:
    """A formula on jets that takes plain numbers too."""
    return lambda *args: formula(*(arg if isinstance(arg, tuple) else (arg, 0.0, 0.0) for arg in args))


def _of_values(operation: str) -> Callable:
    """A condition: of the values alone, and at rest."""
    return lambda *args: (1.0 * FOLD[operation](*(jet[0] for jet in args)), 0.0, 0.0)


_FORMULAS: dict[str, Callable] = {
    "add": jets.jet_sum,
    "subtract": jets.jet_difference,
    "multiply": jets.jet_product,
    "divide": jets.jet_quotient,
    "negate": jets.jet_negated,
    "power": jets.jet_power,
    "sin": jets.jet_sine,
    "cos": jets.jet_cosine,
    "tan": jets.jet_tangent,
    "asin": jets.jet_arc_sine,
    "acos": jets.jet_arc_cosine,
    "atan": jets.jet_arc_tangent,
    "atan2": jets.jet_arc_tangent_2,
    "exp": jets.jet_exponential,
    "log": jets.jet_logarithm,
    "sqrt": jets.jet_square_root,
    "abs": jets.jet_absolute,
    "sign": jets.jet_sign,
    "min": jets.jet_smaller,
    "max": jets.jet_larger,
    "floor": jets.jet_floored,
    "mod": jets.jet_remainder,
    "hypot": jets.jet_hypotenuse,
    "sinh": jets.jet_hyperbolic_sine,
    "cosh": jets.jet_hyperbolic_cosine,
    "tanh": jets.jet_hyperbolic_tangent,
    **{operation: _of_values(operation) for operation in ("less", "less_equal", "equal", "and", "or", "not")},
    "select": lambda condition, a, b: jets.jet_select(condition[0] != 0.0, a, b),
}
JETS: dict[str, Callable] = {operation: _lifted(formula) for operation, formula in _FORMULAS.items()}
"""The operations on jets (value, first and second derivative with respect to time): the compiled program's bits."""
