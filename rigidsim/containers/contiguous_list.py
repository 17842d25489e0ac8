"""A doubly linked list with links and values in two contiguous arrays.

Source: "Implementing Linked Lists with Contiguous Arrays" (cwzx).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Generic, TypeVar

import numpy as np

T = TypeVar("T")
PREVIOUS, NEXT = 0, 1


class ContiguousList(Generic[T]):
    """A linked list; every element has a *handle*, its index in the storage, 0 <= handle < len.

    Insertion appends the new element to the storage: all handles stay valid. Erasure moves the last element of the
    storage to the gap: the handle len - 1 becomes the erased handle, all others stay valid. The order of the storage
    is independent of the order of the list.

    Cost: insertion (amortised), erasure, and moving a range within the list O(1); splicing from another list
    O(1) per element moved. Links have the smallest unsigned integer type that holds the handles.
    """

    __slots__ = ("_head", "_nodes", "_values")

    def __init__(self, values: Iterable[T] = (), order: Sequence[int] | None = None):
        """`values` in storage order; `order` has every handle once, in the order of the list. Left out, it is that of
        storage.
        """
        self._values: list[T] = list(values)
        order = range(len(self._values)) if order is None else order
        if sorted(order) != list(range(len(self._values))):
            raise ValueError(f"an order of {len(self._values)} elements has every handle once, not {list(order)}")
        self._head = order[0] if self._values else 0
        # The links close to a ring; the head says where it begins. Rows beyond the length are spare.
        self._nodes = _ring(np.array(order, dtype=np.int64))

    def __copy__(self) -> ContiguousList[T]:
        """Another list of the same values with the same handles."""
        other = ContiguousList.__new__(ContiguousList)
        other._values, other._head, other._nodes = self._values.copy(), self._head, self._nodes.copy()
        return other

    # --- access

    def __len__(self) -> int:
        return len(self._values)

    def __iter__(self) -> Iterator[T]:
        """The values in the order of the list."""
        return (self._values[handle] for handle in self.handles())

    def __reversed__(self) -> Iterator[T]:
        return (self._values[handle] for handle in self.handles(backwards=True))

    def __contains__(self, value: object) -> bool:
        return value in self._values

    def __repr__(self) -> str:
        return f"ContiguousList({list(self)!r})"

    def handles(self, backwards: bool = False) -> Iterator[int]:
        """The handles in the order of the list, or in reverse. The list must not change during the iteration.

        Parameters
        ----------
        backwards : bool, optional
            Whether from the end to the beginning.
        """
        if self._values:
            handle, column = (self._tail, PREVIOUS) if backwards else (self._head, NEXT)
            for _ in range(len(self._values)):
                yield handle
                handle = self._nodes.item(handle, column)

    @property
    def values(self) -> tuple[T, ...]:
        """The values in storage order, which is faster where the order does not matter."""
        return tuple(self._values)

    @property
    def index_type(self) -> np.dtype:
        """The integer type of the links."""
        return self._nodes.dtype

    @property
    def capacity(self) -> int:
        """The number of elements that fit before the links are copied to a larger array."""
        return len(self._nodes)

    @property
    def front(self) -> int | None:
        """The handle of the first element; None if the list is empty."""
        return self._head if self._values else None

    @property
    def back(self) -> int | None:
        """The handle of the last element in the order of the list; None if the list is empty."""
        return self._tail if self._values else None

    def next(self, handle: int) -> int | None:
        """The handle of the following element; None at the end.

        Parameters
        ----------
        handle : int
            The handle of an element.

        Returns
        -------
        int | None
            The handle of the next one.
        """
        following = self._nodes.item(self._checked(handle), NEXT)
        return None if following == self._head else following

    def previous(self, handle: int) -> int | None:
        """The handle of the preceding element; None at the beginning.

        Parameters
        ----------
        handle : int
            The handle of an element.

        Returns
        -------
        int | None
            The handle of the one before.
        """
        return None if self._checked(handle) == self._head else self._nodes.item(handle, PREVIOUS)

    def value(self, handle: int) -> T:
        """The value of an element.

        Parameters
        ----------
        handle : int
            The handle of the element.

        Returns
        -------
        T
            Its value.
        """
        return self._values[self._checked(handle)]

    def replace(self, handle: int, value: T) -> None:
        """Set the value of an element.

        Parameters
        ----------
        handle : int
            The handle of the element.
        value : T
            Its new value.
        """
        self._values[self._checked(handle)] = value

    # --- changing

    def insert_before(self, handle: int | None, value: T) -> int:
        """Insert before an element, or at the end if `handle` is None. Returns the new handle.

        Parameters
        ----------
        handle : int | None
            The element before which it is inserted; None: at the end.
        value : T
            The value of the new element.

        Returns
        -------
        int
            The handle of the new element.
        """
        at_front = handle is not None and self._checked(handle) == self._head
        new = len(self._values)
        self._grow(new + 1)
        self._values.append(value)
        if new == 0:
            self._head = 0
            self._link(0, 0)
            return 0
        following = self._head if handle is None else handle
        preceding = self._nodes.item(following, PREVIOUS)
        self._link(preceding, new)
        self._link(new, following)
        if at_front:
            self._head = new
        return new

    def insert_after(self, handle: int, value: T) -> int:
        """Insert after an element. Returns the new handle.

        Parameters
        ----------
        handle : int
            The element after which it is inserted.
        value : T
            The value of the new element.

        Returns
        -------
        int
            The handle of the new element.
        """
        return self.insert_before(self.next(handle), value)

    def push_front(self, value: T) -> int:
        """Insert at the beginning. Returns the new handle.

        Parameters
        ----------
        value : T
            The value of the new element.

        Returns
        -------
        int
            The handle of the new element.
        """
        return self.insert_before(self.front, value)

    def push_back(self, value: T) -> int:
        """Insert at the end. Returns the new handle.

        Parameters
        ----------
        value : T
            The value of the new element.

        Returns
        -------
        int
            The handle of the new element.
        """
        return self.insert_before(None, value)

    def erase(self, handle: int) -> int | None:
        """Erase an element. Returns the handle, valid afterwards, of the next element; None if it was the last.

        Parameters
        ----------
        handle : int
            The handle of the element.

        Returns
        -------
        int | None
            The handle of the next element.
        """
        following = self.next(handle)
        if handle == self._head:
            self._head = self._nodes.item(handle, NEXT)
        self._link(self._nodes.item(handle, PREVIOUS), self._nodes.item(handle, NEXT))
        moved = len(self._values) - 1
        if handle != moved:
            self._move(moved, handle)
        self._values.pop()
        return handle if following == moved else following

    def pop_front(self) -> T:
        """Erase the first element. Returns its value."""
        return self._pop(self.front)

    def pop_back(self) -> T:
        """Erase the last element in the order of the list. Returns its value."""
        return self._pop(self.back)

    def clear(self) -> None:
        """Erase all elements; the capacity does not change."""
        self._values.clear()

    def reserve(self, capacity: int) -> None:
        """Allocate the links for that many elements.

        Parameters
        ----------
        capacity : int
            The number of elements.
        """
        if capacity > len(self._nodes):
            nodes = np.zeros((capacity, 2), _index_type(capacity))
            nodes[: len(self._values)] = self._nodes[: len(self._values)]
            self._nodes = nodes

    def reverse(self) -> None:
        """Reverse the order: the links are swapped, no value moves, all handles stay valid."""
        if self._values:
            self._head = self._tail
            self._nodes[: len(self._values)] = self._nodes[: len(self._values), ::-1].copy()

    def splice(
        self, handle: int | None, other: ContiguousList[T], first: int | None = None, last: int | None = None
    ) -> None:
        """Move the elements `first` to `last` of another list, in its order, before `handle` (None: to the end).

        `first` and `last` default to its first and last element. Within one list (`other is self`) this takes O(1)
        and all handles stay valid; `handle` must be outside the range. Between two lists, each element is inserted
        here and erased there, with the effects of both on the handles.

        Parameters
        ----------
        handle : int | None
            The element before which they come; None: at the end.
        other : ContiguousList[T]
            The list from which they are moved.
        first : int, optional
            The first element to move; by default the first of all.
        last : int, optional
            The last element to move; by default the last of all.
        """
        if not other._values:
            return
        first = other._head if first is None else other._checked(first)
        last = other._tail if last is None else other._checked(last)
        if other is self:
            self._relink(handle, first, last)
            return
        for _ in range(other._count(first, last)):
            assert first is not None
            self.insert_before(handle, other._values[first])
            first = other.erase(first)

    # --- links

    @property
    def _tail(self) -> int:
        return self._nodes.item(self._head, PREVIOUS)

    def _link(self, preceding: int, following: int) -> None:
        self._nodes[preceding, NEXT] = following
        self._nodes[following, PREVIOUS] = preceding

    def _move(self, old: int, new: int) -> None:
        """Move a linked element of the storage to the place of an unlinked one."""
        self._values[new] = self._values[old]
        preceding, following = self._nodes.item(old, PREVIOUS), self._nodes.item(old, NEXT)
        if preceding == old:
            preceding = following = new  # the only element left
        self._link(preceding, new)
        self._link(new, following)
        if self._head == old:
            self._head = new

    def _relink(self, handle: int | None, first: int, last: int) -> None:
        if handle is not None and self._checked(handle) in (first, last):
            raise IndexError(f"handle {handle} is in the range that is moved; choose one outside of it")
        before, after = self._nodes.item(first, PREVIOUS), self._nodes.item(last, NEXT)
        if handle == (None if last == self._tail else after):
            return  # it is there already
        if first == self._head:
            self._head = after
        following = self._head if handle is None else handle
        self._link(before, after)
        self._link(self._nodes.item(following, PREVIOUS), first)
        self._link(last, following)
        if handle == self._head:
            self._head = first

    def _count(self, first: int, last: int) -> int:
        """The number of elements from `first` to `last`."""
        count, handle = 1, first
        while handle != last:
            handle = self._nodes.item(handle, NEXT)
            if handle == self._head:
                raise IndexError(f"the range is empty: the element {last} comes before the element {first}")
            count += 1
        return count

    def _pop(self, handle: int | None) -> T:
        if handle is None:
            raise IndexError("pop from an empty list")
        value = self._values[handle]
        self.erase(handle)
        return value

    def _grow(self, needed: int) -> None:
        if needed > len(self._nodes):
            self.reserve(max(needed, 2 * len(self._nodes)))

    def _checked(self, handle: int) -> int:
        if not 0 <= handle < len(self._values):
            raise IndexError(f"there is no handle {handle} in a list of length {len(self._values)}")
        return handle


def _index_type(capacity: int) -> np.dtype:
    """The smallest unsigned integer that holds the handles 0 ... capacity - 1."""
    return np.min_scalar_type(max(capacity - 1, 0))


def _ring(order: np.ndarray) -> np.ndarray:
    """Links in this order, the last to the first."""
    nodes = np.zeros((len(order), 2), _index_type(len(order)))
    nodes[order[1:], PREVIOUS], nodes[order[:-1], NEXT] = order[:-1], order[1:]
    nodes[order[:1], PREVIOUS], nodes[order[-1:], NEXT] = order[-1:], order[:1]
    return nodes
