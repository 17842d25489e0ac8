"""Arrays of tangents, and calls of kernels with them (`tangents.py`)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from rigidsim.jit.kernels import Caller, Kernel
from rigidsim.jit.layouts import Layout, Slot
from rigidsim.jit.values import MOST_RESULTS


class Shadows:
    """For each array of floats one of the K tangents of each number, zero at first."""

    def __init__(self, k: int):
        self.k = k
        self._of: dict[int, tuple[np.ndarray, np.ndarray]] = {}  # by the identity of an array, which is kept for that

    def of(self, array: np.ndarray) -> np.ndarray:
        """The tangents (..., K) of an array, which may be a part of another one, that is contiguous."""
        root = array
        while isinstance(root.base, np.ndarray):
            root = root.base
        if id(root) not in self._of:
            self._of[id(root)] = root, np.zeros((root.nbytes // 8, self.k))
        shadow = self._of[id(root)][1]
        first = (array.ctypes.data - root.ctypes.data) // 8 if array.size else 0
        strides = *(stride * self.k for stride in array.strides), 8
        return as_strided(shadow[first:], (*array.shape, self.k), strides)


class TangentCaller(Caller):
    """Calls a kernel with the tangents of its arguments: of arrays those of `shadows`, of numbers those in `given`, by
    name. `returned` has those of the results.
    """

    def __init__(self, kernel: Kernel, shadows: Shadows):
        super().__init__(kernel.with_tangents(shadows.k))
        self._shadows, n = shadows, len(kernel._names)
        self._constant = np.zeros(shadows.k)  # that of a number in a table
        numbers = np.zeros((n + MOST_RESULTS, shadows.k))
        self.given, self.returned = dict(zip(kernel._names, numbers, strict=False)), [*numbers[n:]]
        self._others = np.array([row.ctypes.data for row in numbers])  # the second table of the arguments
        self._second: dict[int, np.ndarray] = {}  # those of each argument
        self._words.base[0] = self._others.ctypes.data

    def carry(self, name: str, result: int, tangent: np.ndarray) -> None:
        """Let this array have the tangent of an argument that is a result of the call before."""
        self.given[name] = self.returned[result] = tangent
        for place in ([*self.given].index(name), len(self.given) + result):
            self._others[place] = tangent.ctypes.data

    def _lay_out(self, k: int, x: Any) -> None:
        super()._lay_out(k, x)
        if self._tables[k] is not None:
            self._second[k] = table = self._tables[k].copy()
            self._fill(table, self._layouts[k], x)
            self._others[k] = table.ctypes.data

    def _fill(self, table: np.ndarray, layout: Any, value: Any) -> None:
        """Write the addresses of shadows into the second table of a value."""
        if isinstance(layout, Layout):
            for name, part in layout.fields.items():
                self._fill(table, part, getattr(value, name))
        elif isinstance(layout, Slot) and layout.kind == "f":
            table[layout.place] = (self._shadows.of(value) if layout.n >= 0 else self._constant).ctypes.data
