"""What is drawn of a long trajectory: every peak, read in windows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rigidsim.errors import UsageError
from rigidsim.plots import sampling
from rigidsim.plots.sampling import MOST, drawn_samples, extremes
from rigidsim.trajectory.windows import samples_between


@given(st.integers(1, 200), st.integers(1, 30), st.integers(1, 3), st.integers(0, 2**32 - 1))
def test_each_group_keeps_its_first_least_and_largest_value(count, width, columns, seed):
    values = np.random.default_rng(seed).normal(size=(count, columns)).round(1)
    kept = extremes(values, width)
    assert (np.diff(kept) > 0).all() and {0, count - 1} <= set(kept)
    for begin in range(0, count, width):
        group = slice(begin, begin + width)
        chosen = values[kept[(kept >= begin) & (kept < begin + width)]]
        assert begin in kept and len(chosen) <= 2 + 2 * columns
        np.testing.assert_array_equal(chosen.min(axis=0), values[group].min(axis=0))
        np.testing.assert_array_equal(chosen.max(axis=0), values[group].max(axis=0))


def test_gaps_hide_no_peak():
    values = np.array([[np.nan], [5.0], [np.nan], [-7.0], [np.nan]])
    assert extremes(values, 5).tolist() == [0, 1, 3, 4]


def test_few_samples_are_all_drawn():
    time = np.arange(MOST + 10.0)
    shown, values = drawn_samples(time, slice(4, MOST + 2), lambda samples: time[samples] ** 2)
    assert shown.tolist() == time[4 : MOST + 2].tolist() and values[:, 0].tolist() == (shown**2).tolist()


def test_many_are_read_in_windows_and_give_what_one_reading_would(monkeypatch):
    time, read = np.arange(30_000) * 0.1, []
    series = np.stack([np.sin(time), np.cos(0.37 * time)], axis=1)
    series[17_321] = 9.0, -9.0

    def reading(samples):
        read.append(samples)
        return series[samples]

    whole = drawn_samples(time, slice(100, None), reading)
    assert len(read) == 1
    read.clear()
    monkeypatch.setattr(sampling, "AT_ONCE", 1000)
    parts = drawn_samples(time, slice(100, None), reading)
    assert max(part.stop - part.start for part in read) <= 1000
    assert [part.start for part in read[1:]] == [part.stop for part in read[:-1]]
    assert set(whole[0]) <= set(parts[0]) and len(parts[0]) < 8000  # and the last sample of each window
    for shown, values in (whole, parts):
        assert time[17_321] in shown and values.max() == 9.0 and values.min() == -9.0


def test_times_choose_samples(table):
    n = len(table.time)
    assert samples_between(table, None, None) == slice(0, n)
    assert table.time[samples_between(table, 0.1, 0.3)][[0, -1]].tolist() == pytest.approx([0.1, 0.3], abs=1e-15)
    assert samples_between(table, 1.0, 1.0).stop - samples_between(table, 1.0, 1.0).start == 1
    for begin, end in ((2, 1), (5, 6), (0.0101, 0.0102)):
        with pytest.raises(UsageError, match="the trajectory covers 0 to 3 s"):
            samples_between(table, begin, end)
