"""Formulas on columns of numbers, compiled and interpreted, in any number of lanes; and how bits are compared."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
import pytest

from rigidsim.jit import formula as formula_mark
from rigidsim.jit import machine
from rigidsim.jit.kernels import Kernel

LEVELS = {"none": (), "light": machine.LIGHT}  # of optimisation


@contextmanager
def optimised(level: str) -> Iterator[None]:
    """Kernels are made with so much optimisation."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(machine, "LIGHT", LEVELS[level])
        yield


def same(a, b) -> bool:
    """Equal bits, but that NaN is NaN."""
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    return bool(np.all((a.view(np.int64) == b.view(np.int64)) | (np.isnan(a) & np.isnan(b))))


def flat(value) -> list:
    """The numbers of nested tuples, in order."""
    return [x for part in value for x in flat(part)] if isinstance(value, tuple) else [value]


def shaped(shape, numbers: Iterator):
    """Numbers as an argument of this shape: None for a number, bool for a condition, a tuple of shapes for a tuple."""
    if isinstance(shape, tuple):
        return tuple(shaped(part, numbers) for part in shape)
    return next(numbers) > 0.0 if shape is bool else next(numbers)


def count_of(shape) -> int:
    """How many numbers an argument of this shape has."""
    return sum(map(count_of, shape)) if isinstance(shape, tuple) else 1


def on_floats(formula: Callable, shapes: tuple, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(result, point) by Python, and at which points there is a result: Python refuses to divide by zero, NumPy does
    not.
    """
    found = []
    with np.errstate(all="ignore"):
        for point in columns.T:
            numbers = iter(point)
            try:
                found.append([float(x) for x in flat(formula(*(shaped(shape, numbers) for shape in shapes)))])
            except (ArithmeticError, ValueError):
                found.append(None)
    can = np.array([row is not None for row in found])
    nothing = [np.nan] * len(next(row for row in found if row is not None))
    return np.array([row or nothing for row in found]).T, can


def on_columns(formula: Callable, shapes: tuple, columns: np.ndarray) -> np.ndarray:
    """(result, point) by NumPy."""
    numbers = iter(columns)
    with np.errstate(all="ignore"):
        found = flat(formula(*(shaped(shape, numbers) for shape in shapes)))
    return np.array([np.broadcast_to(np.asarray(x, dtype=float), columns.shape[1:]) for x in found])


def compiled(
    formula: Callable, shapes: tuple, columns: np.ndarray, n_result: int, lanes: int = 1, level: str = "light"
) -> np.ndarray:
    """(result, point) by compiled code; the number of points is a multiple of the number of lanes."""
    blocks = np.ascontiguousarray(columns.reshape(len(columns), -1, lanes).transpose(1, 0, 2))
    out = np.zeros((len(blocks), n_result, lanes))

    # Formulas are called, whatever they contain: these read and write rows.
    @formula_mark
    def compute(given, result, lane):
        numbers = iter([given[row, lane] for row in range(sum(map(count_of, shapes)))])
        for row, x in enumerate(flat(formula(*(shaped(shape, numbers) for shape in shapes)))):
            result[row, lane] = x * 1.0  # as 1.0 and 0.0, where it is a condition

    def on_blocks(given, result, lanes):
        for block in range(len(given)):
            for lane in range(len(lanes)):
                compute(given[block], result[block], lane)

    with optimised(level):
        Kernel(on_blocks)(blocks, out, (0.0,) * lanes)
    return out.transpose(1, 0, 2).reshape(n_result, -1)
