"""One text, run as machine code and by Python: the same results and the same arrays, to the bit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from compiled_formulas import optimised, same

from rigidsim.jit.kernels import Kernel


def copied(value: Any) -> Any:
    """The value with arrays of its own."""
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*map(copied, value))
    return value


def parts(value: Any) -> list:
    """The arrays and numbers that a value consists of."""
    return [x for part in value for x in parts(part)] if isinstance(value, tuple) else [value]


def outcome(function: Callable, arguments: tuple) -> list:
    """The result, and the arguments afterwards."""
    given = tuple(map(copied, arguments))
    return [function(*given), *parts(given)]


def equal(a: Any, b: Any) -> bool:
    """Whether two outcomes are the same to the bit; a number may be 1 or 1.0."""
    if isinstance(a, tuple) or isinstance(b, tuple):
        is_alike = isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b)
        return is_alike and all(map(equal, a, b))
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and same(a, b)
    if a is None or b is None or callable(a):
        return a is b
    if all(isinstance(x, (int, np.integer)) for x in (a, b)):
        return int(a) == int(b)
    return same(a, b)


def compare(function: Callable, *arguments: Any, level: str = "light") -> Any:
    """Run a function both ways with copies of these arguments, and return its result."""
    kernel = Kernel(function)
    with optimised(level):
        ours = outcome(kernel, arguments)
    theirs = outcome(kernel.interpreted, arguments)
    for a, b in zip(ours, theirs, strict=True):
        assert equal(a, b), f"{function.__name__}{arguments}: compiled {a!r}, interpreted {b!r}"
    return ours[0]


def programs() -> tuple[list, Callable]:
    """A list of functions with the arguments to run them with, for `parametrize`; and the decorator that adds one."""
    listed: list = []

    def program(*arguments: tuple) -> Callable:
        def add(function: Callable) -> Callable:
            listed.append(pytest.param(function, arguments, id=function.__name__))
            return function

        return add

    return listed, program
