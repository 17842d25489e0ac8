"""Ranges have the points of numpy, lists are kept, quantities keep their unit, and what is neither is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rigidsim.errors import UsageError
from rigidsim.scene.values.points import Range, read_points, written_points
from rigidsim.scene.values.quantities import ANGULAR_VELOCITY
from rigidsim.sweeps.axes import Axis, range_at
from rigidsim.sweeps.plan import make_plan

NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
POSITIVE = st.floats(1e-300, 1e300)
COUNTS = st.integers(2, 200)


def same_bits(one: np.ndarray, other: np.ndarray) -> bool:
    return one.dtype == other.dtype == np.float64 and one.tobytes() == other.tobytes()


def column(values) -> np.ndarray | list:
    return make_plan(vary={"x": values}).values(slice(None))["x"]


@given(NUMBERS, NUMBERS, COUNTS)
def test_a_range_has_the_bits_of_linspace(start, stop, count):
    assume(math.isfinite(stop - start))
    with np.errstate(over="ignore"):  # near the largest double numpy warns of a last point that it replaces
        expected = np.linspace(start, stop, count)
    assert same_bits(column(f"{start!r}:{stop!r}:{count}"), expected)


@given(POSITIVE, POSITIVE, COUNTS, st.sampled_from([1.0, -1.0]))
def test_a_logarithmic_range_has_the_bits_of_geomspace(start, stop, count, sign):
    start, stop = sign * start, sign * stop
    assert same_bits(column(f"log:{start!r}:{stop!r}:{count}"), np.geomspace(start, stop, count))


@pytest.mark.parametrize("is_log", [False, True])
@given(start=POSITIVE, stop=POSITIVE, count=COUNTS, data=st.data())
def test_any_part_of_a_range_has_the_bits_of_the_whole(is_log, start, stop, count, data):
    points = Range(start, stop, count, is_log=is_log)
    places = np.array(data.draw(st.lists(st.integers(0, count - 1), max_size=20)), dtype=int)
    assert same_bits(range_at(points, places), range_at(points, np.arange(count))[places])


def test_a_range_of_one_point():
    assert column("5:5:1").tolist() == [5.0]


@given(st.lists(NUMBERS, min_size=1))
def test_numbers_of_a_list_are_kept(values):
    assert same_bits(column(values), np.array(values, dtype=float))
    assert same_bits(column(np.array(values)), np.array(values, dtype=float))


@given(st.one_of(st.tuples(NUMBERS, NUMBERS, COUNTS), st.tuples(POSITIVE, POSITIVE, COUNTS)), st.booleans())
def test_points_are_read_back_as_they_are_written(given_range, has_unit):
    start, stop, count = given_range
    assume(math.isfinite(stop - start))
    unit = "rpm" if has_unit else ""
    points = Range(start, stop, count, unit, is_log=start > 0 < stop)
    assert read_points(written_points(points)) == points
    listed = read_points([f"{start!r} {unit}", f"{stop!r} {unit}"] if unit else [start, stop])
    assert read_points(written_points(listed)) == listed


@given(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6), COUNTS)
def test_quantities_are_divided_in_their_own_unit(start, stop, count):
    plan = make_plan(vary={"x": f"{start!r} rpm:{stop!r} rpm:{count}"})
    assert plan.units == {"x": "rpm"}
    expected = np.linspace(start, stop, count)
    assert same_bits(plan.values(slice(None))["x"], expected)
    for ((_, text),), number in zip(plan.overrides(slice(None)), expected.tolist(), strict=True):
        assert ANGULAR_VELOCITY.read(text) == ANGULAR_VELOCITY.read(f"{number!r} rpm")


def test_units_of_one_dimension_become_the_first():
    plan = make_plan(vary={"x": ["1 turn", "90 deg", "0.5 turn"], "y": "1 min:1 h:60"})
    assert plan.units == {"x": "turn", "y": "min"}
    assert plan.values(slice(0, 180, 1))["x"][[0, 60, 120]].tolist() == [1.0, 0.25, 0.5]
    assert plan.values(slice(0, 60))["y"].tolist() == list(range(1, 61))
    assert make_plan(vary={"x": ["1 N*m/rad", "1 N*m"]}).units == {"x": "N*m/rad"}


def test_words_and_lists_are_kept_as_they_are():
    values = ["rkmk4", {"name": "magnus", "terms": 4}, True, [1, 2], "= 2*x", 3]
    assert column(values) == values
    assert column([[0, 0, 1], [0, 0, 2]]) == column(np.array([[0, 0, 1], [0, 0, 2]])) == [[0, 0, 1], [0, 0, 2]]
    assert column(["1 a", "2 b"]) == ["1 a", "2 b"]


def test_constant_expressions_are_ends():
    assert same_bits(column("= -pi:= pi:5"), np.linspace(-math.pi, math.pi, 5))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ("0:60", "vary x: expected start:stop:count"),
        ("5", "vary x: expected start:stop:count"),
        (5, "vary x: expected start:stop:count"),
        ("", "vary x: expected start:stop:count"),
        ("a:b:3", "expected a number, got the text 'a'"),
        ("0:1:x", "'x' is not a number of points; write start:stop:count"),
        ("0:1:-3", "'-3' is not a number of points"),
        ("0:1:2.5", "'2.5' is not a number of points"),
        ("0:1:0", "a range of 0 points makes zero runs"),
        ("0:1:1", r"a range with two ends has at least 2 points; for one value write \[0.0\]"),
        ("0:1e999:3", "is not finite"),
        ("-1.7e308:1.7e308:3", "too far apart"),
        ("log:0:1:3", "would pass zero; both ends have one sign"),
        ("log:-1:1:3", "would pass zero"),
        ("0 rpm:60:13", "'60' has no unit, but '0 rpm' has one; write '60 rpm'"),
        ("0:60 rpm:13", "'0' has no unit, but '60 rpm' has one; write '0 rpm'"),
        ("0 rpm:60 kg:13", "'kg' is a unit of mass, but 'rpm' is one of angular velocity"),
        ("0 rpm:60 rmp:13", "'rmp' is not a unit; did you mean 'rpm'"),
        ([], "the list is empty; a number without values makes zero runs"),
        ([1, None], r"vary x\[1\]: an entry of the list has no value"),
        ([1, math.nan], r"vary x\[1\]: nan is not finite"),
        ([1, "2 kg"], r"vary x\[1\]: '1' has no unit, but '2 kg' has one; write '1 kg'"),
        (["1 kg", "2 t", "3 m"], r"vary x\[2\]: 'm' is a unit of length, but 'kg' is one of mass"),
    ],
)
def test_what_is_no_range_and_no_list(values, message):
    with pytest.raises(UsageError, match=message) as caught:
        make_plan(vary={"x": values})
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ("0 rpm:60 rpm:13", "x 0 to 60 rpm (13)"),
        ("log:1e-3:1:7", "x 0.001 to 1 (7, logarithmic)"),
        ([1, 2, 5], "x 1, 2, 5"),
        (["1 kg", "2 kg"], "x 1, 2 kg"),
        ([3, 1, 4, 1, 5, 9], "x 3, 1, 4, ..., 9 (6)"),
        (np.linspace(0, 60, 13), "x 0 to 60 (13)"),
        (np.geomspace(1e-3, 1, 7), "x 0.001 to 1 (7, logarithmic)"),
        (["rkmk4", "magnus"], "x rkmk4, magnus"),
        ([[0, 1], {"name": "magnus"}], 'x [0, 1], {"name": "magnus"}'),
    ],
)
def test_description(values, text):
    assert str(Axis("x", read_points(values if isinstance(values, str) else list(values)))) == text
