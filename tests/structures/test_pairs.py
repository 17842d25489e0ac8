"""Pairs and distinct pairs: the indexed loops, without the memory."""

from __future__ import annotations

import sys
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rigidsim
from rigidsim.containers import distinct_pairs, pairs


def looped_pairs(xs):
    return [(xs[i], xs[j]) for i in range(len(xs)) for j in range(len(xs))]


def looped_distinct_pairs(xs):
    return [(xs[i], xs[j]) for i in range(len(xs)) for j in range(i + 1, len(xs))]


BOTH = [(pairs, looped_pairs), (distinct_pairs, looped_distinct_pairs)]


@pytest.mark.parametrize(("view", "loop"), BOTH)
@given(xs=st.lists(st.integers(0, 3), max_size=9))
def test_they_are_the_indexed_loops(view, loop, xs):
    lazy, listed = view(xs), loop(xs)
    assert list(lazy) == listed
    assert len(lazy) == len(listed)
    assert list(reversed(lazy)) == listed[::-1]
    assert [lazy[k] for k in range(len(lazy))] == listed
    assert [lazy[-k - 1] for k in range(len(lazy))] == listed[::-1]


@pytest.mark.parametrize(("view", "loop"), BOTH)
@pytest.mark.parametrize(("view_2", "loop_2"), BOTH)
def test_pairs_of_pairs(view, loop, view_2, loop_2):
    xs = [1, 2, 3, 4]
    assert list(view(view_2(xs))) == loop(loop_2(xs))
    assert list(reversed(view(view_2(xs)))) == loop(loop_2(xs))[::-1]


def test_the_distinct_pairs_of_distinct_pairs_of_the_article():
    both = distinct_pairs(distinct_pairs([1, 2, 3, 4]))
    assert len(both) == 15
    assert both[0] == ((1, 2), (1, 3))
    assert both[9] == ((1, 4), (2, 3))
    assert both[14] == ((2, 4), (3, 4))


def test_a_big_data_set_takes_no_memory():
    n = 1 << 17
    xs = range(1, n + 1)
    ps = distinct_pairs(xs)
    assert len(ps) == n * (n - 1) // 2 == 8589869056
    assert ps[0] == (1, 2)
    assert ps[n - 2] == (1, n)
    assert ps[n - 1] == (2, 3)
    assert ps[-1] == (n - 1, n)
    assert ps[len(ps) - 1] == next(reversed(ps))
    assert sys.getsizeof(ps) == sys.getsizeof(distinct_pairs([]))
    assert list(islice(ps, 2)) == [(1, 2), (1, 3)]
    assert pairs(xs)[n * n - 1] == (n, n)


@given(st.integers(2, 10**9), st.data())
def test_any_index_finds_its_row(n, data):
    """Row i begins at i n - i (i + 1)/2."""
    k = data.draw(st.integers(0, n * (n - 1) // 2 - 1))
    i, j = distinct_pairs(range(n))[k]
    assert 0 <= i < j < n
    assert i * n - i * (i + 1) // 2 + (j - i - 1) == k


def test_distinct_means_by_place_not_by_value():
    assert list(distinct_pairs("aab")) == [("a", "a"), ("a", "b"), ("a", "b")]


def test_elements_altered_on_the_way_are_seen():
    balls = [[0], [1], [2]]
    for first, second in distinct_pairs(balls):
        first[0], second[0] = second[0] + 1, first[0]
    wanted = [[0], [1], [2]]
    for i in range(3):
        for j in range(i + 1, 3):
            wanted[i][0], wanted[j][0] = wanted[j][0] + 1, wanted[i][0]
    assert balls == wanted
    numbers, seen = [1, 2, 3], []
    for x, _ in pairs(numbers):
        seen.append(x)
        numbers[0] = 9  # replaced, not altered
    assert seen == [1, 9, 9, 2, 2, 2, 3, 3, 3]
    view = distinct_pairs(numbers)
    numbers.append(4)
    assert len(view) == 6


@pytest.mark.parametrize(("view", "count"), [(pairs, 4), (distinct_pairs, 1)])
def test_indices_outside_are_refused(view, count):
    for index in (count, -count - 1):
        with pytest.raises(IndexError, match=f"index {index} is out of range for {count} pairs"):
            view("ab")[index]
    with pytest.raises(TypeError):
        view("ab")[0:1]


def test_they_are_sequences_with_a_name():
    assert ("a", "b") in distinct_pairs("ab")
    assert ("b", "a") not in distinct_pairs("ab")
    assert pairs("ab").index(("b", "a")) == 2
    assert repr(distinct_pairs("ab")) == "distinct_pairs('ab')"
    assert repr(pairs("ab")) == "pairs('ab')"
    assert rigidsim.pairs is pairs
    assert rigidsim.distinct_pairs is distinct_pairs
