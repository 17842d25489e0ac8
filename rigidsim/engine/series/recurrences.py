"""The operations of graphs: the value of each, and the coefficients of its series.

x_0 is the value of the operation, and each x_k with k > 0 follows from the coefficients of the operands up to k and its
own below k (`physics/series.py`). `theta` is k x_k, so that the chain rule of f(u) needs those of the slope f'(u) below
k only.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import add, mul, neg, pos, sub
from typing import Any, NamedTuple

from rigidsim.engine.series.graph import HELD, OF_TWO
from rigidsim.physics.elementary import sqrt
from rigidsim.physics.functions import choice, quotient
from rigidsim.physics.rounding import (
    of_angle,
    of_choice,
    of_exponential,
    of_exponential_less_one,
    of_length,
    of_logarithm,
    of_none,
    of_one,
    of_power,
    of_product,
    of_quotient,
    of_root,
    of_sum,
    of_wave,
)
from rigidsim.physics.series import (
    chain_term,
    integral_term,
    length_term,
    length_value,
    product_term,
    quotient_term,
    root_term,
    share_term,
    square_term,
)

# --- what a recurrence takes of the coefficients of one number


def first(x: Any, _k: int) -> Any:
    """x_0."""
    return x[0]


def last(x: Any, k: int) -> Any:
    """x_k."""
    return x[k]


def one_before(x: Any, k: int) -> Any:
    """x_(k-1)."""
    return x[k - 1]


def up_to(x: Any, k: int) -> tuple:
    """x_0 to x_k."""
    return x.part(0, k + 1)


def below(x: Any, k: int) -> tuple:
    """x_0 to x_(k-1)."""
    return x.part(0, k)


def slope_of_line(x: Any, k: int) -> Any:
    """x_0 for k = 1, else nothing."""
    return x[0] if k == 1 else 0.0


def order(_x: Any, k: int) -> int:
    """k."""
    return k


A, B, C, X = 0, 1, 2, 3  # the operands and the result


class Recurrence(NamedTuple):
    """An operation: its name, the formula of its value, of so many numbers, and that of x_k for k > 0, with what it
    takes of which numbers; a bound of the rounding of the value. What is held has no x_k, a number whose rate is given
    no value.
    """

    name: str
    value: Callable | None
    takes: int
    growth: Callable | None = None
    grows_by: tuple[tuple[int, Callable], ...] = ()
    bound: Callable | None = None


BOUNDS = {
    "sine": of_wave, "cosine": of_wave, "exponential": of_exponential, "exponential_less_one": of_exponential_less_one,
    "logarithm": of_logarithm, "power": of_power, "arc_tangent": of_angle, "floored": of_none, "less": of_none,
    "equal": of_none, "at_start": of_one,
}  # fmt: skip
"""Those of the rounding of functions whose vertex is held."""
OPERATIONS = (
    Recurrence("add", add, 2, add, ((A, last), (B, last)), of_sum),
    Recurrence("subtract", sub, 2, sub, ((A, last), (B, last)), of_sum),
    Recurrence("multiply", mul, 2, product_term, ((A, up_to), (B, up_to)), of_product),
    Recurrence("square", mul, 2, square_term, ((A, up_to),), of_product),
    Recurrence("scale", mul, 2, mul, ((A, last), (B, first)), of_product),
    Recurrence("negate", neg, 1, neg, ((A, last),), of_one),
    Recurrence("divide", quotient, 2, quotient_term, ((A, last), (B, up_to), (X, below)), of_quotient),
    Recurrence("sqrt", sqrt, 1, root_term, ((A, last), (X, below)), of_root),
    Recurrence("length", length_value, 3, length_term, ((A, up_to), (B, up_to), (C, up_to), (X, below)), of_length),
    Recurrence("grow", pos, 1, chain_term, ((B, order), (B, up_to), (C, below)), of_one),
    Recurrence("theta", sub, 2, mul, ((A, order), (A, last)), of_none),
    Recurrence("choose", choice, 3, choice, ((A, first), (B, last), (C, last)), of_choice),
    *(Recurrence(name, value, 2 if name in OF_TWO else 1, bound=BOUNDS[name]) for name, value in HELD.items()),
    # Of sums, differences and quotients with a held number, and of numbers whose rate is given.
    Recurrence("copy", None, 0, pos, ((A, last),)),
    Recurrence("oppose", None, 0, neg, ((B, last),)),
    Recurrence("share", None, 0, share_term, ((A, last), (B, first))),
    Recurrence("integrate", None, 0, integral_term, ((A, order), (A, one_before))),
    Recurrence("line", None, 0, pos, ((A, slope_of_line),)),
)
CODE = {operation.name: code for code, operation in enumerate(OPERATIONS)}
