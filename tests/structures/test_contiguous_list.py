"""The contiguous list against a plain list, and what its operations cost."""

from __future__ import annotations

import copy
import pickle
import sys

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

import rigidsim
from rigidsim.containers import ContiguousList


def check(linked: ContiguousList, expected: list) -> None:
    """Both directions, storage and handles agree with a plain list."""
    assert list(linked) == expected
    assert list(reversed(linked)) == expected[::-1]
    assert len(linked) == len(expected) <= linked.capacity
    handles = list(linked.handles())
    assert sorted(handles) == list(range(len(expected)))
    assert [linked.values[handle] for handle in handles] == expected
    assert [linked.next(handle) for handle in handles] == [*handles[1:], None][: len(handles)]
    assert [linked.previous(handle) for handle in handles] == [None, *handles][: len(handles)]
    assert (linked.front, linked.back) == ((handles[0], handles[-1]) if handles else (None, None))


class AgainstPlainLists(RuleBasedStateMachine):
    """Two lists, so that elements can be spliced; every value is a fresh number."""

    def __init__(self):
        super().__init__()
        self.linked, self.plain, self.fresh = [ContiguousList(), ContiguousList([-1, -2])], [[], [-1, -2]], 0

    def value(self):
        self.fresh += 1
        return self.fresh

    def handle(self, which, place):
        handles = list(self.linked[which].handles())
        return handles[place] if place < len(handles) else None

    def place(self, data, which, upto_end):
        return data.draw(st.integers(0, len(self.plain[which]) - (0 if upto_end else 1)))

    @rule(which=st.integers(0, 1), data=st.data())
    def insert(self, which, data):
        place, value = self.place(data, which, upto_end=True), self.value()
        before = dict(zip(self.linked[which].handles(), self.plain[which], strict=True))
        new = self.linked[which].insert_before(self.handle(which, place), value)
        self.plain[which].insert(place, value)
        assert new == len(before)
        assert all(self.linked[which].value(handle) == kept for handle, kept in before.items())

    @rule(which=st.integers(0, 1), data=st.data())
    def insert_after(self, which, data):
        if self.plain[which]:
            place, value = self.place(data, which, upto_end=False), self.value()
            self.linked[which].insert_after(self.handle(which, place), value)
            self.plain[which].insert(place + 1, value)

    @rule(which=st.integers(0, 1))
    def push(self, which):
        first, last = self.value(), self.value()
        assert self.linked[which].push_front(first) == self.linked[which].front
        assert self.linked[which].push_back(last) == self.linked[which].back
        self.plain[which][:] = [first, *self.plain[which], last]

    @rule(which=st.integers(0, 1), data=st.data())
    def erase(self, which, data):
        if not self.plain[which]:
            return
        place, linked = self.place(data, which, upto_end=False), self.linked[which]
        handle, back = self.handle(which, place), len(linked) - 1
        kept = {h: linked.value(h) for h in linked.handles() if h != handle}
        if back in kept:
            kept[handle] = kept.pop(back)  # the only handle that changes
        assert linked.erase(handle) == self.after_erasing(linked, place)
        del self.plain[which][place]
        assert {h: linked.value(h) for h in linked.handles()} == kept

    def after_erasing(self, linked, place):
        handles = list(linked.handles())
        return handles[place] if place < len(handles) else None

    @rule(which=st.integers(0, 1), front=st.booleans())
    def pop(self, which, front):
        if self.plain[which]:
            linked = self.linked[which]
            assert (linked.pop_front() if front else linked.pop_back()) == self.plain[which].pop(0 if front else -1)

    @rule(which=st.integers(0, 1))
    def reverse(self, which):
        values = self.linked[which].values
        self.linked[which].reverse()
        self.plain[which].reverse()
        assert self.linked[which].values == values

    @precondition(lambda self: self.plain[0] and self.plain[1])
    @rule(data=st.data(), into=st.integers(0, 1))
    def splice(self, data, into):
        source = 1 - into
        first, last = sorted(self.place(data, source, upto_end=False) for _ in range(2))
        place = self.place(data, into, upto_end=True)
        ends = self.handle(source, first), self.handle(source, last)
        self.linked[into].splice(self.handle(into, place), self.linked[source], *ends)
        self.plain[into][place:place] = self.plain[source][first : last + 1]
        del self.plain[source][first : last + 1]

    @precondition(lambda self: self.plain[0])
    @rule(data=st.data())
    def move_range(self, data):
        first, last = sorted(self.place(data, 0, upto_end=False) for _ in range(2))
        outside = [*range(first), *range(last + 1, len(self.plain[0]) + 1)]
        place = data.draw(st.sampled_from(outside))
        values = self.linked[0].values
        ends = self.handle(0, first), self.handle(0, last)
        self.linked[0].splice(self.handle(0, place), self.linked[0], *ends)
        moved, rest = self.plain[0][first : last + 1], self.plain[0][:first] + self.plain[0][last + 1 :]
        at = place if place <= first else place - len(moved)
        self.plain[0] = rest[:at] + moved + rest[at:]
        assert self.linked[0].values == values

    @rule(which=st.integers(0, 1))
    def copy(self, which):
        self.linked[which] = pickle.loads(pickle.dumps(copy.deepcopy(self.linked[which])))

    @rule()
    def clear(self):
        if len(self.plain[1]) > 20:
            self.linked[1].clear()
            self.plain[1].clear()

    @invariant()
    def same(self):
        for linked, plain in zip(self.linked, self.plain, strict=True):
            check(linked, plain)


TestAgainstPlainLists = AgainstPlainLists.TestCase
TestAgainstPlainLists.settings = settings(max_examples=50, stateful_step_count=50, deadline=None)


def test_from_values():
    check(ContiguousList("abc"), list("abc"))
    check(ContiguousList(), [])
    assert repr(ContiguousList("ab")) == "ContiguousList(['a', 'b'])"
    assert "b" in ContiguousList("abc")
    assert rigidsim.ContiguousList is ContiguousList


def test_order_of_the_list_apart_from_that_of_storage():
    linked = ContiguousList("abcd", order=[2, 0, 3, 1])
    check(linked, list("cadb"))
    assert linked.values == tuple("abcd")
    check(ContiguousList((), order=[]), [])
    for order in ([0, 1, 2], [0, 1, 2, 2], [1, 2, 3, 4]):
        with pytest.raises(ValueError, match="every handle once"):
            ContiguousList("abcd", order)


def test_a_copy_goes_its_own_way():
    linked = ContiguousList("abcd", order=[2, 0, 3, 1])
    other = copy.copy(linked)
    other.splice(None, other, 2, 0)
    other.replace(3, "x")
    other.push_back("e")
    check(linked, list("cadb"))
    check(other, list("xbcae"))


def test_links_widen_as_the_list_grows():
    growing = ContiguousList()
    types = []
    for i in range(70000):
        growing.push_front(i)
        if growing.index_type not in types:
            types.append(growing.index_type)
    assert types == [np.uint8, np.uint16, np.uint32]
    assert list(growing) == list(range(70000))[::-1]


def test_reserve_makes_room_once():
    roomy = ContiguousList([1])
    roomy.reserve(1000)
    nodes = roomy._nodes
    for i in range(2, 1001):
        roomy.push_back(i)
    assert roomy._nodes is nodes
    assert roomy.capacity == 1000
    roomy.reserve(3)
    assert roomy.capacity == 1000
    check(roomy, list(range(1, 1001)))


def test_replace_a_value():
    letters = ContiguousList("abc")
    letters.replace(letters.next(letters.front), "B")
    check(letters, list("aBc"))


def test_whole_lists_are_spliced():
    left, right = ContiguousList("abc"), ContiguousList("xyz")
    left.splice(left.front, right)
    check(left, list("xyzabc"))
    check(right, [])
    left.splice(None, right)
    check(left, list("xyzabc"))


def test_what_cannot_be_done_is_refused():
    short = ContiguousList("abc")
    for action in (short.next, short.previous, short.value, short.erase):
        for handle in (-1, 3):
            with pytest.raises(IndexError, match=f"there is no handle {handle} in a list of length 3"):
                action(handle)
    with pytest.raises(IndexError, match="in the range that is moved"):
        short.splice(0, short, 0, 1)
    with pytest.raises(IndexError, match="the range is empty"):
        ContiguousList().splice(None, short, 2, 1)
    for pop in (ContiguousList().pop_front, ContiguousList().pop_back):
        with pytest.raises(IndexError, match="empty"):
            pop()
    check(short, list("abc"))


def lines_executed(action) -> int:
    """Lines of the list's own code that a call runs."""
    count = 0
    own = ContiguousList.erase.__code__.co_filename

    def trace(frame, event, _):
        nonlocal count
        count += event == "line" and frame.f_code.co_filename == own
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        action()
    finally:
        sys.settrace(before)
    return count


def costs_at(length: int) -> dict[str, int]:
    """Lines run by each operation in the middle of a list, with room reserved."""
    linked = ContiguousList(range(length))
    linked.reserve(length + 10)
    a, b, c = length // 4, length // 2, 3 * length // 4
    actions = {
        "insert": lambda: linked.insert_before(b, 0),
        "insert after": lambda: linked.insert_after(b, 0),
        "push front": lambda: linked.push_front(0),
        "push back": lambda: linked.push_back(0),
        "move a range": lambda: linked.splice(c, linked, a, b),
        "erase": lambda: linked.erase(a),
        "pop": linked.pop_back,
    }
    return {name: lines_executed(action) for name, action in actions.items()}


def test_no_operation_runs_more_lines_in_a_longer_list():
    assert costs_at(100) == costs_at(1000) == costs_at(100_000)


def test_growing_copies_each_link_less_than_twice():
    growing, copied, capacity = ContiguousList(), 0, 0
    for i in range(10_000):
        growing.push_back(i)
        if growing.capacity != capacity:
            copied, capacity = copied + i, growing.capacity
    assert copied < 2 * len(growing)
