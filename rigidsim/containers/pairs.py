"""Pairs of the elements of a sequence, as a lazy sequence.

Source: "Iterating Over Distinct Pairs in C++" (cwzx).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from math import isqrt
from operator import index as as_integer
from typing import ClassVar, Generic, TypeVar

T = TypeVar("T")


class _PairsView(Sequence[tuple[T, T]], Generic[T]):
    """A view of a sequence; changes of the sequence are visible."""

    __slots__ = ("_elements",)
    _word: ClassVar[str]

    def __init__(self, elements: Sequence[T]):
        self._elements = elements

    @staticmethod
    @abstractmethod
    def _count(n: int) -> int:
        """The number of pairs of n elements."""

    @staticmethod
    @abstractmethod
    def _places(k: int, n: int) -> tuple[int, int]:
        """The places of the elements of pair k of n elements."""

    def __getitem__(self, index: int) -> tuple[T, T]:  # type: ignore[override]  # without slices
        k, length = as_integer(index), self._count(len(self._elements))
        k += length if k < 0 else 0
        if not 0 <= k < length:
            raise IndexError(f"index {index} is out of range for {length} pairs")
        i, j = self._places(k, len(self._elements))
        return self._elements[i], self._elements[j]

    def __len__(self) -> int:
        return self._count(len(self._elements))

    def __repr__(self) -> str:
        return f"{self._word}({self._elements!r})"


class Pairs(_PairsView[T]):
    """All N^2 pairs (x, y), including (x, x)."""

    _word = "pairs"

    @staticmethod
    def _count(n: int) -> int:
        return n * n

    @staticmethod
    def _places(k: int, n: int) -> tuple[int, int]:
        return divmod(k, n)

    def __iter__(self) -> Iterator[tuple[T, T]]:
        xs, n = self._elements, len(self._elements)
        return ((xs[i], xs[j]) for i in range(n) for j in range(n))


class DistinctPairs(_PairsView[T]):
    """The N(N-1)/2 pairs (x, y) with x before y in the sequence."""

    _word = "distinct_pairs"

    @staticmethod
    def _count(n: int) -> int:
        return n * (n - 1) // 2

    @staticmethod
    def _places(k: int, n: int) -> tuple[int, int]:
        # From the end the rows have 1, 2, 3, ... pairs: the row is the largest r with r (r + 1)/2 <= the place.
        from_end = DistinctPairs._count(n) - 1 - k
        row = (isqrt(8 * from_end + 1) - 1) // 2
        return n - 2 - row, n - 1 - (from_end - row * (row + 1) // 2)

    def __iter__(self) -> Iterator[tuple[T, T]]:
        xs, n = self._elements, len(self._elements)
        return ((xs[i], xs[j]) for i in range(n) for j in range(i + 1, n))


def pairs(elements: Sequence[T]) -> Pairs:
    """All N^2 pairs of elements, in the order of `for i in range(N): for j in range(N)`.

    Parameters
    ----------
    elements : sequence
        They are read when a pair is read, so later changes are visible. It may be such a sequence of pairs itself.

    Returns
    -------
    Pairs
        A lazy sequence of constant memory: length, indexing by an integer, iteration in both directions.
    """
    return Pairs(elements)


def distinct_pairs(elements: Sequence[T]) -> DistinctPairs:
    """The N(N-1)/2 distinct pairs, in the order of `for i in range(N): for j in range(i + 1, N)`.

    Parameters
    ----------
    elements : sequence
        As for `pairs`.

    Returns
    -------
    DistinctPairs
        Distinct by position, not by value: two equal elements form a pair. Otherwise like `pairs`.
    """
    return DistinctPairs(elements)
