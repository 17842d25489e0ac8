"""The arguments of kernels: which of their parts are known when code is made, and where the others stand in tables of
64-bit words.
"""

from __future__ import annotations

import math
import struct
from typing import Any, NamedTuple

import numpy as np

from rigidsim.jit.rows import RowView, rows_of_fields
from rigidsim.jit.values import NUMBERS, Array, NotCompilable, Traced, kind_of

LINE = 8  # doubles in a line of the cache
STRIDE = 6
"""The words of each part of a named tuple, at most five of them sizes. So no part stands elsewhere because another one
is missing, and functions that do not use that have the same text.
"""


class Layout:
    """Where the parts of a named tuple stand in a table of 64-bit words: numbers, and the addresses and sizes of
    arrays; what is known of it; and the place of its own address, if it is part of another one.
    """

    __slots__ = ("fields", "kind", "place")

    def __init__(self, kind: type, place: int, fields: dict[str, Any]):
        self.kind, self.place, self.fields = kind, place, fields


class Slot:
    """The words of one part: those of an array of kind f or i with n dimensions, or of one number (n = -1). An array
    whose sizes are known has its address only.
    """

    __slots__ = ("kind", "n", "place", "shape")

    def __init__(self, place: int, kind: str, n: int = -1, shape: tuple[int, ...] | None = None):
        self.place, self.kind, self.n, self.shape = place, kind, n, shape


class KnownArray:
    """An array of integers whose content is known when code is made."""

    __slots__ = ("array",)

    def __init__(self, array: np.ndarray):
        self.array = array

    @property
    def shape(self) -> tuple:
        """The sizes."""
        return self.array.shape

    def __len__(self):
        return len(self.array)

    def __getitem__(self, index):
        if any(isinstance(i, Traced) for i in (index if isinstance(index, tuple) else (index,))):
            raise NotCompilable("a table that is known is read at a place that is not")
        x = self.array[index]
        return KnownArray(x) if isinstance(x, np.ndarray) else int(x)

    def __iter__(self):
        return (self[k] for k in range(len(self)))


def address_of(array: np.ndarray) -> int:
    """The address of the first number of an array."""
    return array.__array_interface__["data"][0]


def zeros(*shape: int, kind: type = np.float64) -> np.ndarray:
    """An array for kernels: C-contiguous, from the beginning of a line of the cache, so that no vector of eight lanes
    lies in two of them.
    """
    size = math.prod(shape)
    room: np.ndarray = np.zeros(size + LINE - 1, kind)
    first = -room.ctypes.data // room.itemsize % LINE
    return room[first : first + size].reshape(shape)


def table_of(words: list) -> np.ndarray:
    """The table of these words; in place of a list, which is the table of a part, its address."""
    flat, inner = list(words), []
    for place, word in enumerate(flat):  # and of the lists in those that are appended here
        if isinstance(word, list):
            flat[place] = 8 * len(flat)
            flat += word
            inner.append(place)
    table = np.array(flat, np.int64)
    table[inner] += address_of(table)
    return table


def lay_out(value: Any, words: list, knows: bool = False, is_local: bool = False) -> Any:
    """The layout of a value; its words are appended, of a named tuple a list of them. With `knows` integers, arrays of
    integers and the sizes of others are known, with `is_local` all sizes, and the integers of named tuples whose type
    says `is_constant`.

    Of a named tuple the type and the names are known, of an array the kind and the number of dimensions, of a number
    the kind; None, plain tuples and functions are known as they are.
    """
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        knows = knows or (is_local and getattr(value, "is_constant", False))
        own: list = []
        layout = Layout(type(value), len(words), {})
        for k, (name, part) in enumerate(zip(value._fields, value, strict=True)):
            own += [0] * (STRIDE * k - len(own))
            layout.fields[name] = lay_out(part, own, knows, is_local)
        words.append(own)
        return layout
    place = len(words)
    if isinstance(value, np.ndarray):
        if value.ndim >= STRIDE:
            raise TypeError(f"compiled code takes arrays of {STRIDE - 1} dimensions at most, not of {value.ndim}")
        if value.dtype not in (np.float64, np.int64) or not value.flags.c_contiguous:
            what = f"one of {value.dtype}" + ("" if value.flags.c_contiguous else " that is not contiguous")
            raise TypeError(f"compiled code takes contiguous arrays of float64 or int64, not {what}")
        if knows and value.dtype == np.int64:
            return KnownArray(value)
        has_size = knows or is_local
        words.extend((address_of(value), *(() if has_size else value.shape)))
        return Slot(place, "f" if value.dtype == np.float64 else "i", value.ndim, value.shape if has_size else None)
    if isinstance(value, NUMBERS) and not (knows and kind_of(value) != "f"):
        words.append(word_of(value))
        return Slot(place, kind_of(value))
    if not is_known(value):
        raise TypeError(f"compiled code does not take {value!r:.80}")
    return value


def is_known(value: Any) -> bool:
    """Whether a value is the same whenever its structure is."""
    if isinstance(value, tuple):
        return all(map(is_known, value))
    if callable(value):
        return "<" not in value.__qualname__  # whose name is no other's
    return value is None or isinstance(value, (str, *NUMBERS))


def word_of(x: Any) -> int:
    """The bits of a number as an integer."""
    return struct.unpack("<q", struct.pack("<d", x))[0] if kind_of(x) == "f" else int(x)


def structure_of(part: Any) -> Any:
    """What code depends on: equal for layouts that one code serves. Made of names, numbers and tuples."""
    if isinstance(part, Layout):
        name = f"{part.kind.__module__}.{part.kind.__qualname__}"
        return (name, *((field, structure_of(inner)) for field, inner in part.fields.items()))
    if isinstance(part, Slot):
        return ("slot", part.place, part.kind, part.n, part.shape)
    if isinstance(part, KnownArray):
        return ("known", part.array.shape, part.array.tobytes().hex())
    if isinstance(part, tuple):
        return ("tuple", *map(structure_of, part))
    if callable(part):
        return (part.__module__, part.__qualname__)
    return (type(part).__name__, repr(part))


# --- as compiled code sees them


class Struct:
    """A named tuple whose parts are words of a table."""

    __slots__ = ("_layout", "_table")

    def __init__(self, table: Traced, layout: Layout):
        self._table, self._layout = table, layout

    def __getattr__(self, name: str):
        if name not in self._layout.fields:
            raise AttributeError(f"{self._layout.kind.__name__} has no part {name}")
        part, row = read_part(self._table, self._layout.fields[name]), rows_of_fields(self._layout.kind).get(name)
        return row(part) if row else part


def read_part(table: Traced, part: Any) -> Any:
    """A part of a named tuple, given by its layout; what is known is itself."""
    if isinstance(part, Layout):
        return Struct(table.writer.word(table, part.place, "p"), part)
    if not isinstance(part, Slot):
        return part
    if part.n < 0:
        return table.writer.word(table, part.place, part.kind)
    sizes = part.shape or [table.writer.word(table, part.place + 1 + k, "i") for k in range(part.n)]
    return Array(table.writer.word(table, part.place, "p"), sizes, part.kind)


def argument(call: Traced, place: int, layout: Any) -> Any:
    """An argument of a kernel."""
    if isinstance(layout, Layout):
        return Struct(call.writer.word(call, place, "p"), layout)
    if isinstance(layout, Slot):
        word = call.writer.word(call, place, "p" if layout.n >= 0 else layout.kind)
        return read_part(word, layout) if layout.n >= 0 else word
    return layout


# --- straight code


class Straight(NamedTuple):
    """How a kernel is written as straight code, for one content of its tables: the arguments of which all integers are
    known, and those whose arrays of floats live in the function, `local`. Of these True stands for all that is copied
    back at the end, a tuple for the names of the parts that stay where they are, while the others are lost.
    """

    known: tuple[str, ...]
    local: dict[str, Any]


def localised(value: Any, kept: Any, back: list[tuple[Array, Array]]) -> Any:
    """A value with arrays of the function in place of those of floats that are given, with the same content. Pairs of
    arrays to be copied back at the end are added to `back`: all if `kept` is True; else the named parts of a named
    tuple stay where they are.
    """
    if isinstance(value, Struct):
        layout = value._layout
        parts = {name: getattr(value, name) for name in layout.fields}
        return layout.kind(**{
            name: part if kept is not True and name in kept else localised(part, kept, back)
            for name, part in parts.items()
        })  # fmt: skip
    if isinstance(value, RowView):
        return value.row(localised(value.rows, kept, back))
    if not isinstance(value, Array) or value.kind != "f" or 0 in value.dims:
        return value
    here = Array(value.pointer.writer.local(math.prod(value.dims)), value.dims, value.kind)
    copy(value, here)
    if kept is True:
        back.append((value, here))
    return here


def copy(source: Array, target: Array) -> None:
    """Copy an array whose size is known."""
    writer, size = source.pointer.writer, 8 * math.prod(source.dims)
    writer.module.declare("declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)")
    to, of = f"ptr align 8 {target.pointer.ref}", f"ptr align 8 {source.pointer.ref}"
    writer.line(f"call void @llvm.memcpy.p0.p0.i64({to}, {of}, i64 {size}, i1 false)")
