"""Rows that are declared: the parts of a row of numbers have names, in Python and in compiled code.

A row holds its parts one after the other, each component once for each lane: component c of lane k is at place
c n + k of the row, where n is the number of lanes. `Row` declares which parts there are; a `RowView` is a row, or an
array of rows, as text sees it in one lane: `frame.omega` is a tuple of three numbers, and `frame.omega = ...` writes
them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np  # noqa: F401 (the plugin of mypy sees rows as arrays)


class Row:
    """The declaration of a row: what it is, and the widths of its parts, in their order.

    A row may begin with the parts of others. `sums` names the parts that are compensated sums: their low parts, such as
    `p_low` of `p`, come after all others. A part whose name begins with an underscore is room that is not used. An
    attribute is the place of a part in a row of one lane: the number of its column, or the slice of its columns.
    """

    def __init__(self, text: str, /, *begins: Row, sums: Sequence[str] = (), **widths: int):
        self.text, self.width = text, 0
        self.parts: dict[str, tuple[int, int]] = {}
        widths = {name: width for row in begins for name, (_, width) in row.parts.items()} | widths
        for name, width in (*widths.items(), *((f"{name}_low", widths[name]) for name in sums)):
            if not name.startswith("_"):
                self.parts[name] = self.width, width
            self.width += width
        properties = {name: property(*_access(name, *part)) for name, part in self.parts.items()}
        self.view: Callable[..., Any] = type("View", (RowView,), {"__slots__": (), "row": self, **properties})

    def __call__(self, rows: Any, lane: Any = 0, n: int = 1) -> RowView:
        """The view of a row, or of an array of rows, in a lane of n; a view keeps its lane."""
        return self.view(rows.rows, rows.lane, rows.n) if isinstance(rows, RowView) else self.view(rows, lane, n)

    def __getattr__(self, name: str) -> int | slice:
        if name.startswith("__") or name not in self.parts:
            raise AttributeError(f"a row without a part {name}")
        begin, width = self.parts[name]
        return begin if width == 1 else slice(begin, begin + width)

    def columns(self, name: str, n: int) -> slice:
        """The columns of a part in a row of n lanes."""
        begin, width = self.parts[name]
        return slice(begin * n, (begin + width) * n)

    def place(self, name: str) -> int:
        """The number of the first column of a part."""
        return self.parts[name][0]

    def filled(self, **values: Any) -> list:
        """A row of one lane with these values; the other parts are zero."""
        row = [0.0] * self.width
        for name, value in values.items():
            begin, width = self.parts[name]
            row[begin : begin + width] = [value] if width == 1 else value
        return row


class Integers(Row):
    """The declaration of a row of integers."""


class Each(Row):
    """A parameter that may differ from lane to lane: a number, or a row with one for each lane, of which the present
    one is seen.
    """

    def __init__(self, text: str):
        super().__init__(text)
        self.view = _of_lane

    def __call__(self, given: Any, lane: Any = 0, n: int = 1) -> Any:
        """The parameter as it is given."""
        return given


def _of_lane(given: Any, lane: Any, _n: int) -> Any:
    return given[lane] if getattr(given, "shape", ()) else given


class RowView:
    """A row of numbers, or an array of such rows, in one lane of n; made by `Row`. An index goes to one of the rows,
    or to a component of a row.
    """

    __slots__ = ("lane", "n", "rows")
    row: Row

    def __init__(self, rows: Any, lane: Any = 0, n: int = 1):
        self.rows, self.lane, self.n = rows, lane, n

    @property
    def shape(self) -> tuple:
        """The sizes of the array of rows."""
        return self.rows.shape

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index: Any) -> Any:
        if len(self.rows.shape) == 1 and not isinstance(index, slice):
            return self.rows[index if self.n == 1 else index * self.n + self.lane]
        part = self.rows[index]
        return type(self)(part, self.lane, self.n) if getattr(part, "shape", ()) else part

    def __setitem__(self, index: Any, value: Any) -> None:
        if len(self.rows.shape) == 1 and not isinstance(index, slice) and self.n > 1:
            index = index * self.n + self.lane
        self.rows[index] = value

    def part(self, first: Any, width: int) -> tuple:
        """So many components, from `first` on."""
        rows, lane, n = self.rows, self.lane, self.n
        return tuple([rows[first + k] if n == 1 else rows[(first + k) * n + lane] for k in range(width)])

    def put(self, first: Any, values: tuple) -> None:
        """Write components from `first` on."""
        rows, lane, n = self.rows, self.lane, self.n
        for k, x in enumerate(values):
            rows[first + k if n == 1 else (first + k) * n + lane] = x


def array_of(rows: Any) -> Any:
    """The array that a view sees; anything else is itself."""
    return rows.rows if isinstance(rows, RowView) else rows


def _access(name: str, begin: int, width: int) -> tuple[Callable, Callable]:
    """How a part of a row is read and written."""
    components = range(begin, begin + width)

    def read(row: RowView) -> Any:
        rows, lane, n = row.rows, row.lane, row.n
        return rows[begin * n + lane] if width == 1 else tuple([rows[c * n + lane] for c in components])

    def write(row: RowView, value: Any) -> None:
        rows, lane, n = row.rows, row.lane, row.n
        if width == 1:
            rows[begin * n + lane] = value
            return
        if len(value) != width:
            raise ValueError(f"{len(value)} numbers for `{name}`, which has {width}")
        for c, x in zip(components, value, strict=True):
            rows[c * n + lane] = x

    return read, write


@cache
def rows_of_fields(kind: Any) -> dict[str, Row]:
    """The fields of a named tuple that are annotated with the declaration of a row."""
    kind = next(base for base in kind.__mro__ if "_fields" in vars(base))
    names, annotations = vars(sys.modules[kind.__module__]), kind.__annotations__
    found = {name: _declared(annotations.get(name), names) for name in kind._fields}
    return {name: row for name, row in found.items() if isinstance(row, Row)}


def with_rows(value: Any) -> Any:
    """A value with views in place of the arrays that are declared as rows, at any depth of named tuples."""
    if not hasattr(value, "_fields"):
        return value
    rows = rows_of_fields(value.__class__)
    parts = {name: with_rows(part) for name, part in zip(value._fields, value, strict=True)}
    made = value._replace(**{name: rows[name](part) if name in rows else part for name, part in parts.items()})
    if hasattr(value, "__dict__"):  # a model with callbacks
        made.__dict__ |= vars(value)
    return made


class Bundle:
    """Rows that go together: a named tuple with fields that are annotated with rows, as one parameter."""

    def __init__(self, kind: Any):
        self.kind, self.rows = kind, rows_of_fields(kind)

    def __call__(self, given: Any, lane: Any = 0, n: int = 1) -> Any:
        """The bundle as it is given, with views in place of arrays of rows."""
        return with_rows(given)

    def view(self, given: Any, lane: Any = 0, n: int = 1) -> Any:
        """The bundle with each of its rows in a lane of n."""
        parts = [(name, getattr(given, name)) for name in self.kind._fields]
        rows = self.rows
        return self.kind(*[rows[name].view(array_of(part), lane, n) if name in rows else part for name, part in parts])


def rows_of(function: Callable) -> dict[int, Row | Bundle]:
    """The places of the parameters that are annotated with the declaration of a row, or with a bundle of rows."""
    named: dict[int, Row | Bundle] = {}
    for place, name in enumerate(function.__code__.co_varnames[: function.__code__.co_argcount]):
        declared = _declared(function.__annotations__.get(name), function.__globals__)
        if isinstance(declared, Row):
            named[place] = declared
        elif isinstance(declared, type) and hasattr(declared, "_fields") and rows_of_fields(declared):
            named[place] = Bundle(declared)
    return named


def _declared(annotation: Any, names: dict[str, Any]) -> Any:
    """What an annotation, which may be text such as `at.FRAME`, stands for."""
    annotation = getattr(annotation, "__forward_arg__", annotation)  # text in a named tuple
    if not isinstance(annotation, str):
        return annotation
    first, *rest = annotation.split(".")
    found = names.get(first)
    for name in rest:
        found = getattr(found, name, None)
    return found
