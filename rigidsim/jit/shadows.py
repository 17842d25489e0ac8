"""Arrays of tangents, and calls of kernels with them (`tangents.py`)."""

from __future__ import annotations

from typing import Any
from weakref import finalize

import numpy as np

from rigidsim.jit.kernels import Arguments, Caller, Kernel
from rigidsim.jit.layouts import Layout, Slot, address_of, zeros
from rigidsim.jit.values import MOST_RESULTS


class Shadows:
    """For each array of floats one of the K tangents of each number, zero at first, as long as the array exists."""

    def __init__(self, k: int):
        self.k = k
        self._of: dict[int, np.ndarray] = {}  # by the identity of an array

    def of(self, array: np.ndarray) -> np.ndarray:
        """The tangents (..., K) of an array, which may be a part of another one, that is contiguous."""
        root = array
        while isinstance(root.base, np.ndarray):
            root = root.base
        if id(root) not in self._of:
            self._of[id(root)] = zeros(root.nbytes // 8, self.k)
            finalize(root, self._of.pop, id(root), None)
        first = address_of(array) - address_of(root) if array.size else 0
        strides = *(stride * self.k for stride in array.strides), 8
        return np.ndarray((*array.shape, self.k), np.float64, self._of[id(root)], first * self.k, strides)

    def clear(self) -> None:
        """Let nothing vary."""
        for tangents in self._of.values():
            tangents[:] = 0.0


class TangentCaller(Caller):
    """Calls a kernel with the tangents of its arguments: of arrays those of `shadows`, of numbers those in `given`, by
    name. `returned` has those of the results.
    """

    def __init__(self, kernel: Kernel, shadows: Shadows):
        super().__init__(kernel.with_tangents(shadows.k))
        self._shadows, n = shadows, len(kernel._names)
        numbers = np.zeros((n + MOST_RESULTS, shadows.k))
        self.given, self.returned = dict(zip(kernel._names, numbers, strict=False)), [*numbers[n:]]
        self._others = np.array([row.ctypes.data for row in numbers])  # the second table of the arguments
        room: Any = self._words.base
        room[0] = self._others.ctypes.data

    def carry(self, name: str, result: int, tangent: np.ndarray) -> None:
        """Let this array have the tangent of an argument that is a result of the call before."""
        self.given[name] = self.returned[result] = tangent
        for place in ([*self.given].index(name), len(self.given) + result):
            self._others[place] = tangent.ctypes.data

    def _laid_out(self, k: int, x: Any) -> Arguments:
        found = super()._laid_out(k, x)
        if found.table is None:
            return found
        second = found.table.copy()
        self._fill(second, 0, address_of(second) - address_of(found.table), found.layout, x)
        return found._replace(second=second)

    def _write(self, k: int, found: Arguments) -> None:
        super()._write(k, found)
        if found.second is not None:
            self._others[k] = address_of(found.second)

    def _fill(self, table: np.ndarray, first: int, shift: int, layout: Any, value: Any) -> None:
        """Write the addresses of shadows, and of the tables of parts, into the second table of a value, which begins at
        word `first`; `shift` is from the addresses in the first table to those in the second.
        """
        if isinstance(layout, Layout):
            for name, part in layout.fields.items():
                begin = first
                if isinstance(part, Layout):
                    table[first + part.place] += shift
                    begin = (table[first + part.place] - address_of(table)) // 8
                self._fill(table, begin, shift, part, getattr(value, name))
        elif isinstance(layout, Slot) and layout.kind == "f" and layout.n >= 0:
            table[first + layout.place] = address_of(self._shadows.of(value))
