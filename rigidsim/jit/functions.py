"""The functions that can be called: those of Python, those that are read, with errors that have a place in their text,
and what functions of their own depend on.
"""

from __future__ import annotations

import ast
import inspect
import linecache
import traceback
import types
from collections.abc import Callable
from functools import cache
from pathlib import Path as FilePath
from typing import Any, NamedTuple

from rigidsim.jit import LANEWISE, role_of
from rigidsim.jit.layouts import Struct
from rigidsim.jit.rows import RowView, array_of, rows_of
from rigidsim.jit.values import (
    NUMBERS,
    Array,
    Lane,
    LaneRows,
    Located,
    NotCompilable,
    Traced,
    convert,
    kind_of,
    larger,
    literal,
    smaller,
    to_float,
    to_integer,
    width_of,
)
from rigidsim.jit.writing import FunctionWriter, Names, tuple_like

HERE = FilePath(__file__).parent


# --- functions of Python that can be called


def length(x: Any) -> Any:
    """len(x)."""
    x = array_of(x)
    if isinstance(x, Array):
        return x.dims[0]
    return len(x._layout.fields) if isinstance(x, Struct) else len(x)


def type_of(x: Any) -> type:
    """type(x) of a named tuple."""
    return x._layout.kind if isinstance(x, Struct) else type(x)


def elements(x: Any) -> tuple:
    """tuple(x)."""
    x = array_of(x)
    return x.numbers() if isinstance(x, (Array, LaneRows)) else tuple(x)


BUILTINS: dict[Any, Callable] = {
    len: length, max: larger, min: smaller, abs: abs, int: to_integer, float: to_float, type: type_of,
    getattr: getattr, range: range, tuple: elements, enumerate: lambda x: tuple(enumerate(x)),
    zip: lambda *x, strict=False: tuple(zip(*x, strict=strict)),
}  # fmt: skip


# --- functions that are read


class SeeLane(ast.stmt):
    """The first statement of a lanewise function: see the rows that are given in the present lane."""


class Text:
    """The syntax tree of a function, and what follows from it alone: the loop that a lanewise one is the body of, and
    the places of its parameters that are rows.
    """

    def __init__(self, marked: types.FunctionType):
        function = inspect.unwrap(marked)
        code = function.__code__
        self.file, self.line, self.name = code.co_filename, code.co_firstlineno, function.__qualname__
        found = (
            node
            for node in _functions_in(self.file)
            if node.name == code.co_name
            and min(node.lineno, *(d.lineno for d in node.decorator_list), node.lineno) == code.co_firstlineno
        )
        node = next(found, None)
        if node is None:
            raise self.error("there is no `def` of it to be read")
        self.node, spec = node, node.args
        if spec.kwonlyargs or spec.posonlyargs or spec.kwarg:
            raise self.error("parameters by name or position only")
        self.parameters = [a.arg for a in (*spec.args, *([spec.vararg] if spec.vararg else []))]
        self.defaults = function.__defaults__ or ()
        self.has_loop = any(isinstance(n, (ast.For, ast.While)) for n in ast.walk(self.node))
        self.rows = rows_of(function)
        self.loop = self._over_lanes() if role_of(marked) == LANEWISE else None

    def _over_lanes(self) -> ast.For:
        """The loop over lanes whose turn is the function."""
        lane = ast.Name(self.parameters[-1], ast.Store())
        see = ast.copy_location(SeeLane(), self.node)
        return ast.copy_location(ast.For(lane, lane, [see, *self.node.body], []), self.node)

    def error(self, reason: str) -> NotCompilable:
        """An error that is about the whole function."""
        return located(self.file, self.line, self.name, reason)

    def names_of(self, given: list, named: Names) -> Names:
        """The names of the parameters and their values in a call."""
        wanted = [a.arg for a in self.node.args.args]
        defaults = dict(zip(reversed(wanted), reversed(self.defaults), strict=False))
        names = defaults | dict(zip(wanted, given, strict=False)) | named
        if self.node.args.vararg:
            names[self.node.args.vararg.arg] = tuple(given[len(wanted) :])
        elif len(given) > len(wanted):
            raise NotCompilable(f"{len(given)} arguments for {self.name}, which has {len(wanted)} parameters")
        missing = [name for name in wanted if name not in names]
        if missing or any(name not in wanted for name in named):
            raise NotCompilable(f"the arguments do not fit the parameters of {self.name}")
        return {name: names[name] for name in self.parameters}


@cache
def _functions_in(file: str) -> list[ast.FunctionDef]:
    statements = [ast.parse("".join(linecache.getlines(file)))]
    for node in statements:
        statements += [*getattr(node, "body", ()), *getattr(node, "orelse", ())]
    return [node for node in statements if isinstance(node, ast.FunctionDef)]


text_of = cache(Text)


def located(file: str, line: int, name: str, reason: str) -> NotCompilable:
    """An error with the place that it is about."""
    return Located(f"{file}:{line}: in {name}: {reason}")


def cause_of(error: Exception, text: Text, line: int) -> NotCompilable:
    """An error with its place: the statement, or the line of a formula that was called from there."""
    if isinstance(error, Located):
        return error
    reason = str(error) if isinstance(error, NotCompilable) else f"{type(error).__name__}: {error}"
    frames = [] if isinstance(error, RecursionError) else traceback.extract_tb(error.__traceback__)
    inner = [frame for frame in frames if FilePath(frame.filename).parent != HERE]
    if not inner:
        return located(text.file, line, text.name, reason)
    return located(inner[-1].filename, inner[-1].lineno or line, inner[-1].name, reason)


def assigned_in(nodes: list) -> list[str]:
    """The names that statements assign."""
    return list(dict.fromkeys(name for node in nodes for name in _assigned(node)))


@cache
def _assigned(node: ast.AST) -> tuple[str, ...]:
    return tuple(n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))


@cache
def turns_are_equal(node: ast.For) -> bool:
    """Whether the turns of a loop over lanes contain no decisions, so that they can be done side by side."""
    decisions = (ast.If, ast.IfExp, ast.BoolOp, ast.While, ast.Break, ast.Continue, ast.Return)
    return not any(isinstance(n, decisions) for statement in node.body for n in ast.walk(statement))


# --- functions of their own


def parameter_key(x: Any) -> Any:
    """What a function of its own depends on."""
    if isinstance(x, Traced):
        return x.kind
    if isinstance(x, bool) or x is None:
        return x
    if isinstance(x, NUMBERS):
        return kind_of(x)
    if isinstance(x, Array):
        return ("array", x.kind, *(n if isinstance(n, int) else "i" for n in x.dims))
    if isinstance(x, Struct):
        return ("struct", x._layout)
    if isinstance(x, RowView):
        return ("view", x.row, x.n, parameter_key(x.rows))
    if isinstance(x, tuple):
        return ("tuple", type(x), *map(constant_key if is_constant(x) else parameter_key, x))
    return ("object", x)


def constant_key(x: Any) -> tuple[str, str]:
    """A known number; 0, 0.0, -0.0 and False are different ones."""
    return kind_of(x), literal(x, kind_of(x))


def is_constant(x: tuple) -> bool:
    """Whether a tuple consists of known numbers."""
    return all(isinstance(part, NUMBERS) for part in x)


class TooLong(Exception):
    """The code would have more lines than were asked for."""


class Parameters:
    """The parameters of a function of its own: the numbers and addresses of its arguments."""

    def __init__(self, writer: FunctionWriter):
        self.writer = writer
        self.given: list[Traced] = []

    def inside(self, x: Any) -> Any:
        """An argument as the function sees it."""
        if isinstance(x, bool) or x is None:
            return x
        if isinstance(x, (Traced, *NUMBERS)):
            self.given.append(convert(x, kind_of(x)))
            return Traced(self.writer, kind_of(x), f"%a{len(self.given) - 1}")
        if isinstance(x, Array):
            pointer = self.inside(x.pointer)
            return Array(pointer, [n if isinstance(n, int) else self.inside(n) for n in x.dims], x.kind)
        if isinstance(x, Struct):
            return Struct(self.inside(x._table), x._layout)
        if isinstance(x, RowView):
            return type(x)(self.inside(x.rows), self.inside(x.lane) if x.n > 1 else x.lane, x.n)
        if isinstance(x, tuple) and not is_constant(x):
            return tuple_like(x, list(map(self.inside, x)))
        return x


class Outlined(NamedTuple):
    """A function of its own: its name in the IR, the type and kinds of what it returns, and the result inside it."""

    name: str
    type: str
    kinds: list[str]
    result: Any


def has_lanes(x: Any) -> bool:
    """Whether a value has a part for each lane."""
    if isinstance(x, tuple):
        return any(map(has_lanes, x))
    if isinstance(x, RowView):
        return has_lanes(x.lane) or has_lanes(x.rows)
    return isinstance(x, (Lane, LaneRows)) or width_of(x) > 0
