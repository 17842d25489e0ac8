"""What is outside the subset is refused, with the file, the line and the reason."""

from __future__ import annotations

import ast
import inspect
import math  # noqa: F401 - of the texts, as is dot
import re
from pathlib import Path

import numpy as np
import pytest

from both_ways import function_of
from rigidsim.jit import formula, inlined, routine
from rigidsim.jit.kernels import kernel
from rigidsim.jit.values import NotCompilable
from rigidsim.physics.vector import dot  # noqa: F401

ROW, TABLE = np.arange(4.0), np.arange(6.0).reshape(2, 3)


def unmarked(x):
    return x


@formula
def decides(x):
    y = x + 1.0
    return y if y > 2.0 else 0.0


@formula
def fails(x):
    return x + "text"


@inlined
def endless(x):
    return endless(x + 1.0)


@routine
def calls_itself(x):
    while x > 1.0:
        x = calls_itself(x - 1.0)
    return x


@inlined
def two(a, b):
    return a + b


@inlined
def tuple_or_number(x):
    if x > 0:
        return 1.0, 2.0
    return 1.0


@inlined
def keywords_only(x, *, y=1.0):
    return x + y


# What is refused, by the reason; `x` is a number, `row` and `table` are arrays. The message names the line with the
# mark, or the first; of results the function.
REFUSED = {
    "outside the subset": (
        "raise ValueError", "assert x > 0", "del x", "import cmath", "global ROW", "y: float = x", "return {1: x}",
        "return f'{x}'", "return tuple(x for _ in range(3))", "return (y := x) + 1", "return (lambda y: y)(x)",
    ),
    "`try:` is outside the subset": ("try:\n  return x\nfinally:\n  pass",),
    "`with x:` is outside the subset": ("with x:\n  return 1",),
    "`def inner(y):` is outside the subset": ("def inner(y):\n  return y\nreturn inner(x)",),
    "`[x]` is outside": ("return [x]",),
    "a loop with `else`": (
        "for k in range(3):\n  x += k\nelse:\n  x = 2\nreturn x", "while x > 2:\n  x -= 1\nelse:\n  x = 2\nreturn x",
    ),
    "only names, tuples and elements": ("x.real = 2.0", "x.real += 2.0"),
    "another number of values": ("a, *b = (x, 1, 2)",),
    "2 names for another number": ("a, b = (x, 1, 2)", "a, b = x"),
    "`x ** 2`: powers": ("return x ** 2",),
    "powers": ("x **= 2",),
    "matrix products": ("return x @ x",),
    "`//` of floats": ("return x // 2.0",),
    "`shl` of floats": ("return x << 2",),
    "this comparison is not compiled": ("return x in (1, 2)",),
    "`nowhere` is not defined here": ("return x + nowhere",),
    "`later` is not defined here": ("y = later; later = x; return y",),
    "unmarked is not marked as a formula, inlined or routine": ("return unmarked(x)",),
    "a call of <ufunc 'sin'>": ("return np.sin(x)",),
    "a call of <built-in function sqrt>": ("return math.sqrt(x)",),
    "a call of": ("return x(1)", "print(x)", "return round(x)"),
    "do not fit the parameters of two": ("return two(x)", "return two(x, c=x)"),
    "3 arguments for two": ("return two(x, x, x)",),
    "no attribute 'part'": ("return x.part",),
    "has no len": ("return len(x)",),
    "whether two parts are one": ("return x is x",),
    "a loop over something else": ("for k in x:\n  pass",),
    "a range whose step is not known": ("for k in range(0, 10, int(x)):\n  pass",),
    "`y` is not defined here, or not on each path": ("if x > 0:\n  y = 1.0\nreturn y  # HERE",),
    "`ROW` is not defined here, or not on each path": ("if x > 0:\n  ROW = 1.0\nreturn ROW  # HERE",),
    "`y` has another structure on another path": (
        "y = (1.0, 2.0) if math is None else 1.0\nif x > 0:\n  y = (1.0, 2.0)\nreturn y  # HERE",
    ),
    "one of two values, which have different structures": ("return None if x > 0 else x",),
    "`k` is not defined here": ("for k in range(int(x)):\n  pass\nreturn k  # HERE",),
    "an index must be an integer": ("return row[1.0 * row[0]]",),
    "2 indices of an array with 1 dimensions": ("return row[0, 1]",),
    "a slice with a step": ("return row[::2][0]",),
    "an array as several values": ("return dot((*row,), (1.0, 2.0, 3.0))", "for k, x in enumerate(row):\n  pass"),
    "can be assigned to a slice": ("row[:] = row",),
    "expected a number, got 'x'": ("row[0] = 'x'",),
    "a row is assigned": ("table[0] = 1.0",),
    "only the last index": ("return table[:1, 0]",),
    "returns nothing or numbers": ("return row", "return (x, (x, x))"),
    "returns nothing or numbers, 8 at most": ("return (x,) * 9",),
}  # fmt: skip


def refusal(text: str) -> str:
    """What is said of a function with this body."""
    name = next((name for name in ("row", "table") if name in text), "x")
    argument = {"row": ROW.copy(), "table": TABLE.copy(), "x": 2.5}[name]
    function = function_of([f"def refused({name}):", *text.splitlines()], globals())
    with pytest.raises(NotCompilable) as caught:
        kernel(function)(argument)
    return str(caught.value)


@pytest.mark.parametrize(("text", "reason"), [(text, reason) for reason, texts in REFUSED.items() for text in texts])
def test_refusals_name_file_line_and_reason(text, reason):
    line = next((k for k, line in enumerate(text.splitlines(), 2) if "# HERE" in line), 2 - ("returns" in reason))
    assert re.match(rf"<program \d+>:{line}: in refused: .*{re.escape(reason)}", refusal(text), re.DOTALL)


@pytest.mark.parametrize(
    ("function", "call", "mark", "reason"),
    [
        (decides, "decides(x)", "y > 2.0", "a decision by a number that is known only when the code runs"),
        (fails, "fails(x)", '"text"', "expected a number, got 'text'"),
        (endless, "endless(x)", "return", "RecursionError"),
        (calls_itself, "x + calls_itself(x)", "x = calls_itself", "calls_itself calls itself"),
        (tuple_or_number, "tuple_or_number(x)[0]", "@inlined", "its results have different structures"),
        (keywords_only, "keywords_only(x, y=2.0)", "@inlined", "parameters by name or position only"),
    ],
)
def test_errors_in_functions_that_are_called_are_located_there(function, call, mark, reason):
    lines, first = inspect.getsourcelines(function)
    line = first + next(k for k, line in enumerate(lines) if mark in line)
    message = refusal(f"return {call}")
    assert message.startswith(f"{__file__}:{line}: in {function.__name__}: ")
    assert reason in message


def test_a_function_without_text_is_refused():
    with pytest.raises(NotCompilable, match=r"<lambda>: there is no `def` of it to be read"):
        kernel(lambda x: x)(1.0)
    names: dict = {"__name__": "made"}
    exec("def made(x):\n    return x", names)
    with pytest.raises(NotCompilable, match=r"<string>:1: in made: there is no `def`"):
        kernel(names["made"])(1.0)


def test_every_statement_and_expression_of_python_is_read_or_refused():
    """None is passed over: what has no method of its own is outside the subset."""
    reading = Path(__file__).parents[2] / "rigidsim" / "jit" / "reading.py"
    known = {node.name for node in ast.walk(ast.parse(reading.read_text())) if isinstance(node, ast.FunctionDef)}
    statements = {f"_do_{kind.__name__}" for kind in ast.stmt.__subclasses__()}
    expressions = {f"_of_{kind.__name__}" for kind in ast.expr.__subclasses__()}
    assert {name for name in known if name.startswith("_do_")} <= statements
    assert {name for name in known if name.startswith("_of_")} <= expressions
