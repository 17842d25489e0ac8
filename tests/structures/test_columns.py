"""Columns: what is computed with them has the bits of floats, and what cannot be computed with them is not computed."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rigidsim.containers.columns import Column, Lanes, ShownColumn, hypot, is_finite, largest, numbers_table, smallest
from rigidsim.physics import functions
from rigidsim.physics.elementary import arc_tangent, sin_cos, sqrt
from rigidsim.physics.exponentials import exponential, logarithm
from rigidsim.physics.mass import principal_moments

N = 6
NUMBERS = st.one_of(st.sampled_from([0.0, -0.0, 1.0, -2.5, 1e-300, 1e300, 0.1]), st.floats(allow_nan=False, width=32))
ROWS = st.lists(st.lists(NUMBERS, min_size=N, max_size=N), min_size=2, max_size=3)


def branch(a, b):
    """What a reading does with numbers: it decides."""
    if a < b:
        return a + 1.0
    return (b - a if a == b or b else a) * 0.5


STEPS = {
    "sum": lambda a, b: a + b,
    "difference": lambda a, b: a - b,
    "product": lambda a, b: a * b,
    "quotient": lambda a, b: a / b,
    "remainder": lambda a, b: a % b,
    "with numbers": lambda a, b: 3 - a * 2 + True - (1 - b) / 3,
    "negative": lambda a, b: -a + +b,
    "size": lambda a, b: abs(a) + b,
    "of NumPy": lambda a, b: np.float64(1.5) * a - np.float64(0.1) + b * np.float64(3.0),
    "root": lambda a, b: sqrt(abs(a) + b * b),
    "sine": lambda a, b: sin_cos(a)[0] + sin_cos(b)[1],
    "angle": lambda a, b: arc_tangent(a, b) + arc_tangent(2.0, b) + arc_tangent(a, -1.0),
    "exponential": lambda a, b: exponential(a) + logarithm(abs(b)),
    "power": lambda a, b: functions.power(a, b) + functions.power(2.0, b),
    "floor": lambda a, b: functions.floored(a) + functions.quotient(a, b),
    "choice": lambda a, b: functions.larger(a, b) + functions.sign(a),
    "hypotenuse": lambda a, b: hypot(a, b, 1.0),
    "largest": lambda a, b: largest((a, b, 1.0)) - smallest((a, b)),
    "branch": branch,
    "built in": lambda a, b: max(a, b) + min(a, 1.0) + sorted((a, b))[0],
    "whole": lambda a, b: round(a) + math.floor(b) + int(a) + math.ceil(b),
    "one value": lambda a, b: float(a) + math.sqrt(abs(b)),
    "looked up": lambda a, b: {1.0: 2.0, 0.1: 3.0}.get(a, b),
    "array": lambda a, b: (np.array([a, b]) * 2.0 - np.array([b, 1.0]))[0] + float(np.array([a, b]).any()),
    "doubles": lambda a, b: np.array([a, b], dtype=np.float64).max() + b,
    "finite": lambda a, b: a if is_finite(a) else b,
    # NaN has no place among sorted moments; a tensor that has it is refused before.
    "moments": lambda a, b: (
        principal_moments(((abs(a), 0, 0), (0, 1.0, 0), (0, 0, abs(b))))[1] if is_finite(a) and is_finite(b) else b
    ),
    "products": lambda a, b: principal_moments(
        ((2.0, 0.1 / (1.0 + abs(a)), 0), (0.1 / (1.0 + abs(a)), 1.5, 0), (0, 0, 1))
    )[0],
}


def bits(number: float) -> bytes:
    return b"nan" if number != number else np.float64(number).tobytes()


@np.errstate(all="ignore")
def alone(steps, numbers):
    """The result with floats, or the error."""
    a, b = numbers
    try:
        for step in steps:
            a, b = STEPS[step](a, b), a
        return bits(a)
    except (ArithmeticError, ValueError) as error:
        return type(error)


def in_columns(steps, rows, lanes):
    a, b = (Column(np.array(row), lanes) for row in rows[:2])
    for step in steps:
        a, b = STEPS[step](a, b), a
    return a


@given(ROWS, st.lists(st.sampled_from(sorted(STEPS)), min_size=1, max_size=5))
def test_the_lanes_that_are_left_have_the_bits_of_floats(rows, steps):
    lanes, waiting = Lanes(N), [list(range(N))]
    found = {}
    while waiting:
        group = waiting.pop()
        lanes = Lanes(len(group))
        try:
            with np.errstate(all="ignore"):
                result = in_columns(steps, [[row[k] for k in group] for row in rows], lanes)
            values = result.values if isinstance(result, Column) else np.full(len(group), result)
            found |= {group[k]: bits(values[k]) for k in lanes.numbers()}
        except (ArithmeticError, ValueError):  # then they are read alone
            found |= {group[k]: alone(steps, (rows[0][group[k]], rows[1][group[k]])) for k in lanes.numbers()}
        waiting += [[group[k] for k in gone] for gone in lanes.gone]
    with np.errstate(all="ignore"):
        assert found == {k: alone(steps, (rows[0][k], rows[1][k])) for k in range(N)}


def column(*values: float) -> Column:
    return Column(np.array(values), Lanes(len(values)))


def test_most_lanes_decide_and_those_with_another_answer_leave_together():
    x = column(1.0, 5.0, 2.0, 5.0, 3.0)
    assert x < 4.0
    assert [gone.tolist() for gone in x.lanes.gone] == [[1, 3]]
    assert round(x * 0.3) == 1
    assert [gone.tolist() for gone in x.lanes.gone] == [[1, 3], [0]]
    assert x.lanes.numbers().tolist() == [2, 4]


def test_the_two_zeros_are_different_numbers():
    x = column(0.0, -0.0, 0.0)
    assert x == 0.0
    assert math.copysign(1.0, x) == 1.0
    assert x.lanes.numbers().tolist() == [0, 2]


@pytest.mark.parametrize("show", [str, repr, "{:g}".format, lambda x: f"{x}"])
def test_a_column_is_never_shown(show):
    with pytest.raises(ShownColumn):
        show(column(1.0, 1.0))


def test_a_column_is_not_an_array():
    for misuse in (np.sqrt, np.array([1.0, 2.0]).__mul__, lambda x: np.array([1.0]) * x, np.isfinite):
        with pytest.raises((TypeError, AttributeError)):
            misused = misuse(column(1.0, 2.0))
            if misused is NotImplemented:
                raise TypeError


def test_tables_of_numbers():
    plain = numbers_table([(1, 2.0), (3.0, 4)], 2)
    assert plain.dtype == np.float64
    assert numbers_table([], 3).shape == (0, 3)
    assert numbers_table([(1.0, column(1.0, 2.0))], 2).dtype == object
