"""Numbers of many variants at once: a scene that is read with columns in place of numbers is read for all of them.

A `Column` has one double for each lane, a lane being one variant. Arithmetic and the functions of `physics` compute all
lanes, with the bits that floats would give. Whatever Python or a library can do with a single value only (a comparison,
a conversion, a hash) is asked of the lanes: most of them decide, and those with another answer leave. So the lanes that
are left at the end are those for which each step of the reading was the one taken, and their values are exact.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from rigidsim.physics import functions
from rigidsim.physics.elementary import arc_tangent, sin_cos, sqrt
from rigidsim.physics.exponentials import exponential, exponential_less_one, logarithm

LARGEST_EXACT = 2**53
"""Every integer up to this one is a double."""


class ShownColumn(Exception):
    """A column is about to become text, which differs between lanes: part of a message, because the reading fails."""


class Lanes:
    """The lanes of a reading: those that are left, and those that left together."""

    def __init__(self, count: int):
        self.left = np.ones(count, dtype=bool)
        self.gone: list[np.ndarray] = []  # numbers of lanes that gave the same answer at the same place
        self.columns = 0  # that were made
        self._all = True

    def __len__(self) -> int:
        return len(self.left)

    def numbers(self) -> np.ndarray:
        """The numbers of the lanes that are left."""
        return np.flatnonzero(self.left)

    def whether(self, answers: np.ndarray) -> bool:
        """What most lanes say; the others leave."""
        asked = answers if self._all else answers[self.left]
        said = np.count_nonzero(asked)
        if said in (0, len(asked)):
            return bool(said)
        return bool(self.common(answers))

    def common(self, answers: np.ndarray) -> Any:
        """The answer that most lanes give; the others leave, those with the same answer together."""
        numbers = self.numbers()
        found, which, count = np.unique(answers[numbers], return_inverse=True, return_counts=True)
        chosen = int(np.argmax(count))
        if len(found) > 1:
            order = np.argsort(which, kind="stable")
            groups = np.split(numbers[order], np.cumsum(count)[:-1])
            self.gone += [group for k, group in enumerate(groups) if k != chosen]
            self.left[:] = False
            self.left[groups[chosen]] = True
            self._all = False
        return found[chosen].item()


if TYPE_CHECKING:
    Standing = float  # a column stands for a float, so what reads numbers takes it for one
else:
    Standing = object


class Column(Standing):
    """One double for each lane."""

    __slots__ = ("lanes", "values")
    __array_ufunc__ = None  # NumPy must not take it for an array

    def __init__(self, values: np.ndarray, lanes: Lanes):
        self.values, self.lanes = values, lanes
        lanes.columns += 1

    @property
    def context(self) -> type[_Functions]:
        """The functions of columns, for the formulas of `physics`."""
        return _Functions

    def map(self, function: Callable, *others: float) -> Column:
        """A function that takes arrays, of this and further columns."""
        arrays = (np.broadcast_to(_array(other), self.values.shape) for other in others)
        return Column(function(self.values, *arrays), self.lanes)

    def each(self, function: Callable[..., float], *others: Column | float) -> Column:
        """A function of floats, of one lane after the other; a lane for which it fails leaves."""
        arrays = [self.values, *(np.broadcast_to(_array(other), self.values.shape) for other in others)]
        found, failed = np.full(len(self.values), math.nan), np.zeros(len(self.values), dtype=bool)
        for lane, numbers in enumerate(zip(*(array.tolist() for array in arrays), strict=True)):
            try:
                found[lane] = function(*numbers)
            except (ArithmeticError, ValueError):
                failed[lane] = True
        if self.lanes.whether(failed):
            raise ValueError("the function has no value")
        return Column(found, self.lanes)

    # --- arithmetic

    def __neg__(self):
        return Column(-self.values, self.lanes)

    def __pos__(self):
        return self

    def __abs__(self):
        return Column(np.abs(self.values), self.lanes)

    def __truediv__(self, other):
        return self._quotient(self.values, _array(other))

    def __rtruediv__(self, other):
        return self._quotient(_array(other), self.values)

    def __mod__(self, other):
        return self._quotient(self.values, _array(other), np.remainder)

    def __rmod__(self, other):
        return self._quotient(_array(other), self.values, np.remainder)

    def _quotient(self, a, b, function=operator.truediv):
        if a is None or b is None:
            return NotImplemented
        is_zero = b == 0.0
        if self.lanes.whether(is_zero) if isinstance(is_zero, np.ndarray) else is_zero:
            raise ZeroDivisionError("float division by zero")
        return Column(function(a, b), self.lanes)

    # --- what has one answer only

    def __hash__(self) -> int:
        return hash(float(self))

    def __bool__(self) -> bool:
        return self.lanes.whether(self.values != 0.0)

    def __float__(self) -> float:
        bits = self.lanes.common(self.values.view(np.int64))  # 0.0 and -0.0 differ
        return float(np.int64(bits).view(np.float64))

    def __int__(self) -> int:
        return int(self.lanes.common(np.trunc(self.values)))

    __trunc__ = __int__

    def __floor__(self) -> int:
        return math.floor(self.lanes.common(np.floor(self.values)))

    def __ceil__(self) -> int:
        return math.ceil(self.lanes.common(np.ceil(self.values)))

    def __round__(self, digits: Any = None) -> Any:
        if digits is not None:
            return self.each(lambda number: round(number, digits))
        return round(self.lanes.common(np.rint(self.values)))

    def __repr__(self) -> str:
        raise ShownColumn

    __str__ = __repr__

    def __format__(self, how: str) -> str:
        raise ShownColumn


def _array(number: object) -> Any:
    """The lanes of a column, or a number for all lanes; None for anything else."""
    if type(number) is Column:
        return number.values
    return float(number) if isinstance(number, (float, int)) else None


def _arithmetic(function: Callable) -> tuple[Callable, Callable]:
    def forward(self, other):
        b = _array(other)
        return NotImplemented if b is None else Column(function(self.values, b), self.lanes)

    def backward(self, other):
        a = _array(other)
        return NotImplemented if a is None else Column(function(a, self.values), self.lanes)

    return forward, backward


def _comparison(function: Callable) -> Callable:
    def compare(self, other):
        if type(other) is int and abs(other) > LARGEST_EXACT:
            return function(float(self), other)  # Python compares such an integer exactly
        b = _array(other)
        return NotImplemented if b is None else self.lanes.whether(function(self.values, b))

    return compare


for _name in ("add", "sub", "mul"):
    _forward, _backward = _arithmetic(getattr(operator, _name))
    setattr(Column, f"__{_name}__", _forward)
    setattr(Column, f"__r{_name}__", _backward)
for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    setattr(Column, f"__{_name}__", _comparison(getattr(operator, _name)))


def _stacked(numbers: Sequence[float | Column]) -> tuple[np.ndarray, Lanes]:
    """(number, lane) of numbers with at least one column among them."""
    column = next(number for number in numbers if type(number) is Column)
    return np.array([np.broadcast_to(_array(number), column.values.shape) for number in numbers]), column.lanes


def _of_arrays(function: Callable) -> Callable:
    """The function of columns that a function of arrays gives."""

    def of_columns(*numbers):
        arrays, lanes = _stacked(numbers)
        return Column(function(*arrays), lanes)

    return staticmethod(of_columns)


class _Functions:
    """The functions of columns, named as in mpmath contexts."""

    sqrt = _of_arrays(sqrt)
    sin = _of_arrays(lambda x: sin_cos(x)[0])
    cos = _of_arrays(lambda x: sin_cos(x)[1])
    atan2 = _of_arrays(arc_tangent)
    exp = _of_arrays(exponential)
    expm1 = _of_arrays(exponential_less_one)
    log = _of_arrays(logarithm)
    floor = _of_arrays(np.floor)
    power = _of_arrays(functions.power)
    quotient = _of_arrays(functions.quotient)

    @staticmethod
    def ordered(numbers: Sequence[float | Column]) -> list[Column]:
        """The numbers, smallest first."""
        arrays, lanes = _stacked(numbers)
        return [Column(values, lanes) for values in np.sort(arrays, axis=0, kind="stable")]

    @staticmethod
    def eigenvalues(rows: Sequence[Sequence[float | Column]]) -> list[Column]:
        """The eigenvalues of a symmetric matrix that is finite and not zero, smallest first."""
        arrays, lanes = _stacked([number for row in rows for number in row])
        left, found = lanes.numbers(), np.full((len(rows), len(lanes)), math.nan)
        matrices = arrays[:, left].T.reshape(len(left), len(rows), len(rows))
        largest = np.abs(matrices).max(axis=(1, 2))
        found[:, left] = np.linalg.eigvalsh(matrices / largest[:, None, None]).T * largest
        return [Column(values, lanes) for values in found]


def is_column(number: object) -> bool:
    """Whether this is a column."""
    return type(number) is Column


def as_float(number: float | Column) -> float | Column:
    """A number as a float; a column as it is."""
    return number if type(number) is Column else float(number)


def is_finite(number: float | Column) -> bool:
    """Whether a number is neither infinite nor NaN."""
    return -math.inf < number < math.inf


def largest(numbers: Sequence[float | Column]) -> float | Column:
    """The largest of some numbers in each lane, the first one of equals."""
    return _chosen(max, np.greater, numbers)


def smallest(numbers: Sequence[float | Column]) -> float | Column:
    """The smallest of some numbers in each lane, the first one of equals."""
    return _chosen(min, np.less, numbers)


def _chosen(of_floats: Callable, is_better: Callable, numbers: Sequence[float | Column]) -> float | Column:
    if not any(map(is_column, numbers)):
        return of_floats(numbers)
    arrays, lanes = _stacked(numbers)
    return Column(reduce(lambda best, other: np.where(is_better(other, best), other, best), arrays), lanes)


def hypot(*parts: float | Column) -> float | Column:
    """`math.hypot`: the root of the sum of the squares."""
    column = next((part for part in parts if type(part) is Column), None)
    if column is None:
        return math.hypot(*parts)
    return column.each(lambda _, *numbers: math.hypot(*numbers), *parts)


def numbers_table(rows: Sequence[Sequence[float | Column]], width: int) -> np.ndarray:
    """Rows of numbers, (row, width): of doubles, or of objects if there are columns among them."""
    if not len(rows):
        return np.empty((0, width))
    found = np.array(rows).reshape(len(rows), width)
    return found if found.dtype == object else found.astype(np.float64, copy=False)
