"""The part of an array that an index selects, as indices along each axis."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, SupportsIndex, cast

import numpy as np


class Piece(NamedTuple):
    """The indices along one axis that lie in one chunk: the chunk's number, where they are in the chunk, and where in
    the selection.
    """

    number: int
    inside: slice | np.ndarray
    outside: slice


class Selection(NamedTuple):
    """An index as NumPy defines it, in two steps: `array[key]` is `box[rest]`, where the box has the elements whose
    index along each axis is one of `axes`, in ascending order.
    """

    axes: tuple[range | np.ndarray, ...]
    rest: tuple

    @classmethod
    def of(cls, key: object, shape: tuple[int, ...]) -> Selection | None:
        """The selection by integers, slices, an ellipsis and at most one array of integers; None for another kind of
        index. Raises IndexError for an index outside the array.
        """
        keys = key if isinstance(key, tuple) else (key,)
        given, n_array = [each for each in keys if each is not ...], sum(map(_is_array, keys))
        if len(keys) - len(given) > 1 or len(given) > len(shape) or n_array > 1:
            return None
        if not all(isinstance(each, slice) or _is_index(each) or _is_array(each) for each in given):
            return None
        before, after = _around_ellipsis(keys)
        n_between = len(shape) - len(before) - len(after)
        each = (*before, *[slice(None)] * n_between, *after)
        found = [_along(*one) for one in zip(each, shape, range(len(shape)), strict=True)]
        axes, rest = map(tuple, zip(*found, strict=True))
        if len(given) < len(keys):
            # For NumPy an ellipsis separates an integer from an array even where it stands for no axis.
            rest = (*rest[: len(before)], ..., *rest[len(before) + n_between :])
        return cls(axes, rest)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the box."""
        return tuple(map(len, self.axes))

    @property
    def box(self) -> tuple[slice | np.ndarray, ...]:
        """The index of the box in the array, as HDF5 takes it too: ascending, with an array along at most one axis."""
        return tuple(slice(a.start, a.stop, a.step) if isinstance(a, range) else a for a in self.axes)


def pieces(axis: range | np.ndarray, step: int) -> Iterator[Piece]:
    """Ascending indices along an axis, by the chunk of length `step` in which they lie."""
    begin = 0
    while begin < len(axis):
        number = int(axis[begin]) // step
        first, end = number * step, _first_at(axis, (number + 1) * step)
        if isinstance(axis, range):
            inside: slice | np.ndarray = slice(axis[begin] - first, axis[end - 1] - first + 1, axis.step)
        else:
            inside = axis[begin:end] - first
        yield Piece(number, inside, slice(begin, end))
        begin = end


def _first_at(axis: range | np.ndarray, index: int) -> int:
    """The place of the first index that is not less than this one."""
    if isinstance(axis, range):
        return min(len(axis), -((axis.start - index) // axis.step))
    return int(np.searchsorted(axis, index))


def _is_index(key: object) -> bool:
    return isinstance(key, int | np.integer) and not isinstance(key, bool)


def _is_array(key: object) -> bool:
    """Whether a key is an array of integers, or a list of them."""
    return isinstance(key, list | np.ndarray) and np.size(key) > 0 and np.asarray(key).dtype.kind in "iu"


def _around_ellipsis(keys: tuple) -> tuple[tuple, tuple]:
    """What is before and after the ellipsis, or the end."""
    place = next((place for place, key in enumerate(keys) if key is ...), len(keys))
    return keys[:place], keys[place + 1 :]


def _along(key: slice | int | list | np.ndarray, length: int, axis: int) -> tuple[range | np.ndarray, object]:
    """The ascending indices along one axis, and the index that makes the result of them."""
    if isinstance(key, slice):
        found = range(*key.indices(length))
        return (found, slice(None)) if found.step > 0 else (found[::-1], slice(None, None, -1))
    if _is_index(key):
        begin = _from_begin(int(cast(SupportsIndex, key)), length, axis)
        return range(begin, begin + 1), 0
    wanted = np.asarray(key)
    for bound in (wanted.min(), wanted.max()):
        _from_begin(int(bound), length, axis)
    rows, places = np.unique(wanted.astype(np.int64) % length, return_inverse=True)
    return rows, places.reshape(wanted.shape)


def _from_begin(index: int, length: int, axis: int) -> int:
    """An index counted from the beginning."""
    if not -length <= index < length:
        raise IndexError(f"index {index} is out of bounds for axis {axis} with size {length}")
    return index % length
