"""Kernels: functions that Python calls and that run as machine code, made for each structure of their arguments.

The arguments are numbers, arrays, named tuples of these, and whatever else is known when code is made
(`values.lay_out`).
"""

from __future__ import annotations

import math
import os
import struct
import threading
import time
import types
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rigidsim.jit.cache import (
    cache_folder,
    forget_unused_objects,
    keep_entry,
    log,
    object_folder,
    read_entry,
    short_hash,
)
from rigidsim.jit.layouts import Layout, Straight, address_of, lay_out, structure_of, table_of, word_of
from rigidsim.jit.rows import with_rows
from rigidsim.jit.values import MOST_RESULTS, NUMBERS, kind_of

if TYPE_CHECKING:
    from rigidsim.jit.writing import Unit

VARIABLE = "RIGIDSIM_JIT"  # "off": kernels are interpreted, with the same bits
# Seconds to make machine code of a function of n lines of IR, a n + b n^2, measured on a Xeon of 2.5 GHz: of general
# code (within a third), and of straight code, which takes other passes.
GENERAL_SECONDS, STRAIGHT_SECONDS = (2.7e-5, 4e-9), (3.4e-5, 1.3e-9)
WORTH_A_NOTICE = 1.0  # s


def is_interpreted() -> bool:
    """Whether the user asked for kernels to be interpreted."""
    return os.environ.get(VARIABLE) == "off"


# --- what is reported


def log_compilation(seconds: float) -> None:
    """Announce a compilation in the log; the default for calls from Python."""
    log(compilation_notice(seconds))


def compilation_notice(seconds: float) -> str:
    """The message that is printed when a compilation begins that will take this long."""
    kept = (
        "this happens once"
        if cache_folder()
        else "to save the result, set RIGIDSIM_CACHE_DIR to a folder that only you can write to"
    )
    return f"compiling the stepper for this kind of scene, about {seconds:.2g} s; {kept}"


class CompileWatch:
    """The time spent compiling under `watch_compilation`: `seconds`, zero if everything came from the cache."""

    def __init__(self, announce: Callable[[float], None]):
        self.announce, self.announced, self.seconds = announce, False, 0.0

    def announce_once(self, seconds: float) -> None:
        """Announce the first compilation only; later ones are part of the same wait."""
        if not self.announced:
            self.announced = True
            self.announce(seconds)


_watches: list[CompileWatch] = []  # the outermost first; it makes the announcement


@contextmanager
def watch_compilation(announce: Callable[[float], None] = log_compilation) -> Iterator[CompileWatch]:
    """Call `announce`, once, with the seconds that compiling will take, if that is more than one; `seconds` of the
    watch is the time it took. Of nested watches all measure the time, and the outermost makes the announcement.
    """
    watch = CompileWatch(announce)
    _watches.append(watch)
    try:
        yield watch
    finally:
        _watches.remove(watch)


@contextmanager
def _watched() -> Iterator[None]:
    """Count the time for all present watches."""
    begin, watches = time.perf_counter(), tuple(_watches)
    try:
        yield
    finally:
        for watch in watches:
            watch.seconds += time.perf_counter() - begin


def foresee(calls: Iterable[tuple[Callable, tuple]]) -> None:
    """Announce the compilation of several kernels at once, if it takes long: before the first of these calls, each of
    which is a caller and its arguments.
    """
    _announce(sum(call.seconds_to_make(*arguments) for call, arguments in calls if isinstance(call, Caller)))


def _announce(seconds: float) -> None:
    if seconds > WORTH_A_NOTICE:
        (_watches[0].announce_once if _watches else log_compilation)(seconds)


# --- code


class Code:
    """Machine code for one structure of the arguments; `kinds` are those of its results (`reading.read_kernel`)."""

    def __init__(self, kinds: str, codes: list[bytes]):
        from rigidsim.jit.machine import Loaded

        self.is_tuple, self.kinds = kinds.startswith("("), kinds.strip("()")
        self._loaded = Loaded(codes)
        self.call = self._loaded.call

    def result(self, words: np.ndarray, first: int) -> Any:
        """What the function returned; the results begin at this word."""
        values = [_number(int(words[first + k]), kind) for k, kind in enumerate(self.kinds)]
        return tuple(values) if self.is_tuple else values[0] if values else None


def _number(word: int, kind: str) -> Any:
    if kind == "f":
        return struct.unpack("<d", struct.pack("<q", word))[0]
    return bool(word) if kind == "b" else word


def _interpreted(function: types.FunctionType) -> Callable:
    """A kernel as Python runs it: the declared rows of its arguments are seen by name, as in compiled code."""

    @wraps(function)
    def run(*arguments):
        return function(*map(with_rows, arguments))

    return run


class Kernel:
    """A function that is compiled when it is called, or read from the cache; with RIGIDSIM_JIT=off it is interpreted,
    as `interpreted` always is. With `tangents`, each float has its derivatives in so many directions (`tangents.py`).
    """

    def __init__(self, function: types.FunctionType, straight: Straight | None = None, tangents: int = 0):
        self.straight, self.tangents = straight, tangents
        self.function, self.interpreted = function, np.errstate(all="ignore")(_interpreted(function))
        self.__doc__, self.__name__, self.__module__ = function.__doc__, function.__name__, function.__module__
        self._names = function.__code__.co_varnames[: function.__code__.co_argcount]
        # The name of the folder depends on the source of these modules only, not on that of kernels in tests.
        self._is_kept = function.__module__.startswith("rigidsim.engine.")
        self._codes: dict[Any, Code] = {}
        self._read: dict[Any, IR] = {}  # what was read to learn how long it is
        self._locks: dict[Any, threading.Lock] = {}
        self._with_tangents: dict[int, Kernel] = {}  # by their number

    def with_tangents(self, k: int) -> Kernel:
        """The same function with K tangents."""
        return self._with_tangents.setdefault(k, Kernel(self.function, tangents=k))

    def __call__(self, *arguments: Any) -> Any:
        """Call it with arguments that are laid out anew."""
        return self.caller()(*arguments)

    def caller(self) -> Callable:
        """A function that lays out again only those arguments which are other objects than in its last call."""
        return self.interpreted if is_interpreted() else Caller(self)

    def code(self, layouts: tuple, structures: tuple) -> Code:
        """The code for arguments of these layouts."""
        found = self._codes.get(structures)
        if found is None:
            with self._locks.setdefault(structures, threading.Lock()):
                found = self._codes.get(structures)
                if found is None:
                    found = self._codes[structures] = self._made(layouts, structures)
        return found

    def _made(self, layouts: tuple, structures: tuple) -> Code:
        path = self._path(structures)
        entry = read_entry(path) if path else None
        if entry is not None:
            kinds, *names = entry.decode().split("\n")
            codes = [code for name in names if (code := self._object(name)) is not None]
            if len(codes) == len(names):
                return Code(kinds, codes)
        kinds, made = self._compiled(layouts, structures)
        if path:
            keep_entry(path, "\n".join([kinds, *made]).encode())
        return Code(kinds, list(made.values()))

    def _path(self, structures: tuple) -> Path | None:
        """The file that names the objects of a kernel."""
        folder = cache_folder() if self._is_kept else None
        if folder is None:
            return None
        name = f"{self.__module__}.{self.__name__}"
        return folder / f"{name}-{_hash(name, structures, self.tangents)}.kernel"

    def _object_path(self, name: str) -> Path | None:
        folder = object_folder() if self._is_kept else None
        return folder and folder / f"{name}.o"

    def _object(self, name: str) -> bytes | None:
        """The object code of a unit, if it is in the cache."""
        path = self._object_path(name)
        return read_entry(path) if path else None

    def is_made(self, structures: tuple) -> bool:
        """Whether code for arguments of these structures exists, in memory or in the cache."""
        if structures in self._codes:
            return True
        path = self._path(structures)
        return path is not None and path.exists()

    def seconds_to_make(self, layouts: tuple, structures: tuple, most: float) -> float:
        """How long making the code for arguments of these layouts will take: infinite if more than `most`, nothing if
        it exists.
        """
        if self.is_made(structures):
            return 0.0
        if structures not in self._read:
            self._read[structures] = self._module(layouts, self._lines_in(most))
        return self._seconds(self._read[structures])

    def _seconds(self, read: IR) -> float:
        """How long making code takes in all: of units that are in the cache nothing."""
        if read.units is None:
            return math.inf
        paths = {name: self._object_path(name) for name in read.units}
        kept = {name for name, path in paths.items() if path and path.exists()}
        missing = [unit.size for name, unit in read.units.items() if name not in kept]
        return read.seconds + sum(map(self._seconds_of, missing))

    def _seconds_of(self, n: int) -> float:
        a, b = STRAIGHT_SECONDS if self.straight else GENERAL_SECONDS
        return n * (a + b * n)

    def _lines_in(self, seconds: float) -> float:
        """The lines of a function that takes so long."""
        a, b = STRAIGHT_SECONDS if self.straight else GENERAL_SECONDS
        return (math.sqrt(a * a + 4 * b * seconds) - a) / (2 * b)

    def _module(self, layouts: tuple, most_lines: float = math.inf) -> IR:
        from rigidsim.jit.reading import read_kernel
        from rigidsim.jit.tangents import with_tangents

        begin = time.perf_counter()
        with _watched():
            names = dict(zip(self._names, layouts, strict=True))
            module, kinds = read_kernel(self.function, names, self.straight, most_lines)
            if self.tangents and module:
                module = with_tangents(module, self.tangents)
            units = None if module is None else module.units()
            found = units and {f"{name}-{_hash(unit.text, self._passes())}": unit for name, unit in units.items()}
        return IR(found, kinds, time.perf_counter() - begin)

    def _passes(self) -> tuple[str, ...]:
        from rigidsim.jit.machine import LIGHT, ONLY_REGISTERS

        return ONLY_REGISTERS if self.straight else LIGHT

    def _compiled(self, layouts: tuple, structures: tuple) -> tuple[str, dict[str, bytes]]:
        """The kinds of the results, and the object code of each unit; that which is in the cache is not made again."""
        from rigidsim.jit.machine import machine_code

        read = self._read.pop(structures, None)
        if read is None or read.units is None:
            read = self._module(layouts)
        _announce(self._seconds(read))
        with _watched():
            units = read.units
            assert units is not None  # without a largest number of lines
            codes = {name: self._object(name) for name in units}
            missing = {name: units[name].text for name, code in codes.items() if code is None}
            for name, code in zip(missing, machine_code(missing.values(), self._passes()), strict=True):
                codes[name], path = code, self._object_path(name)
                if path:
                    keep_entry(path, code)
            forget_unused_objects()
        return read.kinds, {name: code for name, code in codes.items() if code is not None}


def _hash(*parts: Any) -> str:
    """What names a file of the cache: it depends on the machine, too."""
    from rigidsim.jit.machine import machine_name

    return short_hash(repr((*parts, machine_name())))


class IR(NamedTuple):
    """What was read of a kernel: its units by the names of their objects, or None if it is too long; the kinds of the
    results; how long it took.
    """

    units: dict[str, Unit] | None
    kinds: str
    seconds: float


class Made(NamedTuple):
    """The making of a kernel: whether its code existed before, and how long it took if not, s."""

    name: str
    before: bool
    seconds: float


class Arguments(NamedTuple):
    """How an argument is laid out: the object, its layout, the structure of that, its words, if it is no number, and
    those of its tangents, if it has any.
    """

    value: Any
    layout: Any
    structure: Any
    table: np.ndarray | None
    second: np.ndarray | None = None


REMEMBERED = 3
"""Objects of each argument that a caller remembers: samples go to two sets of arrays in turn, and to one for a single
sample.
"""


PLAIN = {int: "i", float: "f", bool: "b"}
"""The kinds of Python's own numbers."""


class Caller:
    """Calls a kernel from one place. The words of an argument that is the same object as in one of the last calls are
    used again: arrays may have changed in content only.
    """

    def __init__(self, kernel: Kernel):
        self._kernel = kernel
        self._code: Code | None = None
        n = len(kernel._names)
        straight = kernel.straight
        known, local = (straight.known, straight.local) if straight else ((), ())
        self._knows, self._is_local = ([name in names for name in kernel._names] for names in (known, local))
        self._last: list[Any] = [Caller] * n  # not an argument of anything
        self._layouts, self._structures = [None] * n, [None] * n
        self._remembered: list[list[Arguments]] = [[] for _ in range(n)]  # the last ones at the end
        self._words = np.zeros(1 + n + MOST_RESULTS, np.int64)[1:]  # before it is room for the address of another table
        self._address = address_of(self._words)

    def __call__(self, *arguments: Any) -> Any:
        """Run the kernel."""
        self._take(arguments)
        code = self._code
        if code is None:
            self._code = code = self._kernel.code(tuple(self._layouts), tuple(self._structures))
        code.call(self._address)
        return code.result(self._words, len(arguments))

    def is_made(self, *arguments: Any) -> bool:
        """Whether the code for these arguments exists, in memory or in the cache."""
        self._take(arguments)
        return self._kernel.is_made(tuple(self._structures))

    def make(self, *arguments: Any) -> Made:
        """Make the code for these arguments, if it does not exist, without running it."""
        before, structures = self.is_made(*arguments), tuple(self._structures)
        read, begin = self._kernel._read.get(structures), time.perf_counter()
        self._code = self._kernel.code(tuple(self._layouts), structures)
        spent = time.perf_counter() - begin + (read.seconds if read else 0.0)
        return Made(self._kernel.__name__, before, 0.0 if before else spent)

    def seconds_to_make(self, *arguments: Any, most: float = math.inf) -> float:
        """How long making the code for these arguments will take, s: infinite if more than `most`, 0 if it exists."""
        self._take(arguments)
        return self._kernel.seconds_to_make(tuple(self._layouts), tuple(self._structures), most)

    def _take(self, arguments: tuple) -> None:
        """Write the words of the arguments."""
        if len(arguments) != len(self._last):
            raise TypeError(f"{self._kernel.__name__} takes {len(self._last)} arguments, not {len(arguments)}")
        for k, x in enumerate(arguments):
            if x is self._last[k]:
                continue
            kind = PLAIN.get(type(x))
            if kind is not None and kind == self._structures[k] and not self._knows[k]:
                self._words[k], self._last[k] = word_of(x) if kind == "f" else x, x
                continue
            if isinstance(x, NUMBERS) and not self._knows[k]:
                self._words[k], self._last[k] = word_of(x), x
                if self._structures[k] != kind_of(x):
                    self._lay_out(k, x)
            else:
                self._lay_out(k, x)

    def _lay_out(self, k: int, x: Any) -> None:
        known = self._remembered[k]
        place = next((i for i, one in enumerate(known) if one.value is x), None)
        found = self._laid_out(k, x) if place is None else known.pop(place)
        if found.table is not None:
            known.append(found)
            del known[:-REMEMBERED]
        self._layouts[k] = found.layout
        if found.structure != self._structures[k]:
            self._structures[k], self._code = found.structure, None
        self._write(k, found)
        self._last[k] = x

    def _laid_out(self, k: int, x: Any) -> Arguments:
        words: list = []
        layout = lay_out(x, words, self._knows[k], self._is_local[k])
        if isinstance(x, NUMBERS) and not self._knows[k]:
            return Arguments(x, layout, kind_of(x), None)
        return Arguments(x, layout, structure_of(layout), table_of(words[0] if isinstance(layout, Layout) else words))

    def _write(self, k: int, found: Arguments) -> None:
        """Let the word of an argument be the address of its table."""
        if found.table is not None:
            self._words[k] = address_of(found.table)


def kernel(function: Any = None, straight: Straight | None = None) -> Any:
    """Mark a function that Python calls, with `straight` for one that is written as straight code."""
    return Kernel(function, straight) if function else lambda function: Kernel(function, straight)
