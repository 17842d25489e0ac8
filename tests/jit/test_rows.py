"""Rows whose parts have names: the same in Python and in compiled code, in one lane and in several."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from rigidsim.jit import lanewise, routine
from rigidsim.jit.kernels import Kernel
from rigidsim.jit.rows import Row, with_rows

PLACE = Row("a place, and what it weighs", sums=("x",), x=3, mass=1, _room=2, kind=1)


def test_parts_follow_one_another_and_low_parts_come_last():
    assert (PLACE.x, PLACE.mass, PLACE.kind, PLACE.x_low, PLACE.width) == (slice(0, 3), 3, 6, slice(7, 10), 10)
    assert PLACE.columns("x", 4) == slice(0, 12) and PLACE.place("kind") == 6
    assert PLACE.filled(x=(1.0, 2.0, 3.0), kind=5.0) == [1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 5.0, 0.0, 0.0, 0.0]


def test_a_view_reads_and_writes_the_parts_of_one_lane():
    rows = np.zeros((2, PLACE.width * 3))
    one = PLACE(rows[1], 2, 3)
    one.x, one.mass = (1.0, 2.0, 3.0), 4.0
    assert one.x == (1.0, 2.0, 3.0) and rows[1, 2:12:3].tolist() == [1.0, 2.0, 3.0, 4.0]
    assert np.count_nonzero(rows) == 4
    with pytest.raises(ValueError, match="2 numbers for `x`, which has 3"):
        one.x = (1.0, 2.0)
    with pytest.raises(AttributeError, match="without a part"):
        _ = PLACE.weight


class Places(NamedTuple):
    """Rows, and an array that is none."""

    row: PLACE
    plain: np.ndarray


def test_fields_of_named_tuples_are_rows_where_they_are_annotated():
    places = with_rows(Places(np.arange(20.0).reshape(2, 10), np.zeros(3)))
    assert places.row[1].x == (10.0, 11.0, 12.0) and isinstance(places.plain, np.ndarray)


@lanewise
def shift(row: PLACE, by, lane):
    """Move a place, in each lane."""
    x, y, z = row.x
    row.x = (x + by, y, z)
    row.mass += row.kind


@routine
def heaviest(rows: PLACE):
    """The largest mass."""
    most = 0.0
    for row in rows:
        most = max(most, row.mass)
    return most


def moved(places, lanes):
    """Kernels see declared rows of their arguments."""
    shift(places.row[0], 2.0, lanes)
    places.row[1].mass = heaviest(places.row) + places.plain[0]
    return places.row[1].mass


def shifted(rows, lanes):
    """A row of several lanes."""
    shift(rows[1], 0.5, lanes)


@pytest.mark.parametrize("n", [1, 4, 16])
def test_a_function_of_one_lane_is_done_in_all(n):
    given = np.random.default_rng(1).normal(size=(2, PLACE.width * n))
    compiled, interpreted, kernel = given.copy(), given.copy(), Kernel(shifted)
    kernel(compiled, (0.0,) * n)
    kernel.interpreted(interpreted, (0.0,) * n)
    assert np.array_equal(compiled, interpreted)
    assert np.array_equal(compiled[1, :n], given[1, :n] + 0.5) and np.array_equal(
        compiled[1, n : 3 * n], given[1, n : 3 * n]
    )


def test_kernels_see_the_rows_of_their_arguments():
    given = Places(np.random.default_rng(2).normal(size=(3, PLACE.width)), np.ones(3))
    both, kernel = [Places(given.row.copy(), given.plain) for _ in range(2)], Kernel(moved)
    assert kernel(both[0], (0.0,)) == kernel.interpreted(both[1], (0.0,)) == both[0].row[1, PLACE.mass]
    assert np.array_equal(both[0].row, both[1].row) and not np.array_equal(both[0].row, given.row)


class Pair(NamedTuple):
    """Rows that go together, and a number."""

    one: PLACE
    other: PLACE
    by: float


@lanewise
def exchange(pair: Pair, lane):
    """Move one place by the mass of the other, and the other by a number, in each lane."""
    x, y, z = pair.one.x
    pair.one.x = (x, y + pair.other.mass, z)
    pair.other.x = (x + pair.by, y, z)


def exchanged(rows, lanes):
    """Two rows as one parameter, with the array of them and as a single row."""
    exchange(Pair(rows[0], PLACE(rows)[1], 0.5), lanes)


@pytest.mark.parametrize("n", [1, 4, 16])
def test_rows_that_go_together_are_one_parameter(n):
    given = np.random.default_rng(3).normal(size=(2, PLACE.width * n))
    compiled, interpreted, kernel = given.copy(), given.copy(), Kernel(exchanged)
    kernel(compiled, (0.0,) * n)
    kernel.interpreted(interpreted, (0.0,) * n)
    assert np.array_equal(compiled, interpreted)
    expected, x, y = given.copy(), PLACE.columns("x", n), slice(n, 2 * n)
    expected[0, y] += given[1, PLACE.columns("mass", n)]
    expected[1, x] = given[0, x]
    expected[1, :n] += 0.5
    assert np.array_equal(compiled, expected)


def exchanged_in_place(pair, lanes):
    """Two rows that are one argument of a kernel."""
    exchange(pair, lanes)


@pytest.mark.parametrize("n", [1, 4])
def test_rows_that_go_together_may_be_an_argument_of_a_kernel(n):
    given = np.random.default_rng(4).normal(size=(2, PLACE.width * n))
    both, kernel = [given.copy() for _ in range(2)], Kernel(exchanged_in_place)
    kernel(Pair(both[0][0], both[0][1], 0.5), (0.0,) * n)
    kernel.interpreted(Pair(both[1][0], both[1][1], 0.5), (0.0,) * n)
    expected = given.copy()
    Kernel(exchanged).interpreted(expected, (0.0,) * n)
    assert np.array_equal(both[0], both[1]) and np.array_equal(both[0], expected)
