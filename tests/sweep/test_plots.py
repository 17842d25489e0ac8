"""Plots of characters show the values where they are."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from rigidsim.report.plots import HEIGHT, WIDTH, plot, side_by_side


def cells(lines: list[str]) -> np.ndarray:
    """(row, column) the characters inside the axes."""
    rows = [line.partition("|")[2][:WIDTH].ljust(WIDTH) for line in lines[1 : 1 + HEIGHT]]
    return np.array([list(row) for row in rows])


def test_a_straight_line():
    lines = plot("y over x", np.linspace(2, 5, WIDTH), np.linspace(-1, 1, WIDTH))
    marks = np.argwhere(cells(lines) == "*")
    marks = marks[np.argsort(marks[:, 1])]
    assert marks[:, 1].tolist() == list(range(WIDTH))
    height = (HEIGHT - 1) * np.arange(WIDTH - 1, -1, -1) / (WIDTH - 1)
    assert np.abs(marks[:, 0] - height).max() <= 0.5 + 1e-9  # the nearest row
    assert lines[1].startswith(" 1 |") and lines[HEIGHT].startswith("-1 |")
    assert lines[-1].split() == ["2", "5"]


def test_many_values_of_one_column_are_a_range_with_their_mean():
    found = cells(plot("", np.array([0.0, 0, 0, 1]), np.array([0.0, 0, 6, 3])))
    assert "".join(found[:, 0]) == "::::*::" and "".join(found[:, -1]) == "   *   "
    assert (found[:, 1:-1] == " ").all()


def test_wide_ranges_are_logarithmic():
    found = plot("", np.geomspace(1e-3, 1, 4), np.arange(4.0))
    assert "(log)" in found[-1]
    columns = np.argwhere(cells(found) == "*")[:, 1]
    assert np.ptp(np.diff(np.sort(columns))) <= 1


@given(arrays(np.float64, 5), st.floats())
def test_any_numbers_make_a_block_of_text(values, other):
    lines = plot("title", values, np.append(values[:-1], other))
    assert len({len(line) for line in lines}) <= 1
    assert not lines or "*" in "".join(cells(lines).ravel())


def test_side_by_side():
    one = plot("a", np.arange(3.0), np.arange(3.0))
    lines = side_by_side([one] * 4)
    assert len(lines) == 2 * len(one) and lines[0].split() == ["a"] * 3
