"""One text, run as machine code and by Python: the same results and the same arrays, to the bit."""

from __future__ import annotations

import itertools
import linecache
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pytest

from rigidsim.jit.kernels import Kernel
from rigidsim.jit.layouts import Straight
from support.compiled_formulas import optimised, same


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
        is_same_size = isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b)
        return is_same_size and all(map(equal, a, b))
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and same(a, b)
    if a is None or b is None or callable(a):
        return a is b
    if all(isinstance(x, (int, np.integer)) for x in (a, b)):
        return int(a) == int(b)
    return same(a, b)


NUMBER = itertools.count()
WAYS = ("none", "light", "straight")  # two levels of optimisation, and straight code


def compare(function: Callable, arguments: Iterable[tuple], way: str = "light", known: tuple[str, ...] = ()) -> None:
    """Run a function both ways with copies of each of these arguments; of straight code those with these names are
    known.
    """
    kernel = Kernel(function, Straight(known, {}) if way == "straight" else None)
    for given in arguments:
        with optimised("light" if way == "straight" else way):
            ours = outcome(kernel, given)
        for a, b in zip(ours, outcome(kernel.interpreted, given), strict=True):
            assert equal(a, b), f"{function.__name__}{given}: compiled {a!r}, interpreted {b!r}"


def function_of(lines: list[str], names: dict) -> Callable:
    """The function that these lines define, the first unindented, beside these names; its text can be read."""
    text, file = "\n ".join(lines) + "\n", f"<program {next(NUMBER)}>"
    linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
    exec(compile(text, file, "exec"), names := dict(names))
    return names[lines[0].split("(")[0].removeprefix("def ")]


def programs() -> tuple[list, Callable]:
    """A list of functions with the arguments to run them with, for `parametrize`; and the decorator that adds one."""
    listed: list = []

    def program(*arguments: tuple) -> Callable:
        def add(function: Callable) -> Callable:
            listed.append(pytest.param(function, arguments, id=function.__name__))
            return function

        return add

    return listed, program
