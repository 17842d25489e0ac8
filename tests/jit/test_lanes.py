"""Loops over lanes: vectors where turns are the same, else one turn after the other, with the bits of Python."""

from __future__ import annotations

import numpy as np
import pytest

from both_ways import compare, programs
from rigidsim.jit import formula, inlined, routine
from rigidsim.jit.layouts import lay_out
from rigidsim.jit.reading import read_kernel
from rigidsim.jit.values import NotCompilable
from rigidsim.physics.elementary import select, sin_cos, sqrt

COUNTS = (1, 6, 7, 9, 11, 16)  # one by one, few, a vector, vectors of 3, a prime beyond vectors, two vectors
PROGRAMS, program = programs()


def numbers(n: int, rows: int = 3, seed: int = 1) -> np.ndarray:
    """(row, lane) numbers, hostile ones among them."""
    made = np.random.default_rng(seed).normal(size=(rows, n))
    made[0, 0], made[-1, -1], made[rows // 2, n // 2] = -0.0, np.inf, 5e-324
    return made


def who(n: int, seed: int = 2) -> np.ndarray:
    """For each lane another row."""
    return np.random.default_rng(seed).permutation(n)


@formula
def spiral(x, y):
    s, c = sin_cos(x)
    return select(x > y, s * y, c), sqrt(x * x + y * y)


@formula
def load2(row, lane):
    return row[0, lane], row[1, lane]


def sets(*makers):
    """Arguments for each number of lanes."""
    return [(*(make(n) for make in makers), (0.0,) * n) for n in COUNTS]


@program(*sets(numbers))
def straight(rows, lanes):
    for lane in range(len(lanes)):
        x, y = load2(rows, lane)
        x, y = spiral(x, y)
        rows[2, lane] = x
        rows[1, lane] += y - rows[0, lane] / 3


@program(*sets(lambda n: np.arange(1.0, 3 * n + 1)))
def components_beside_each_other(row, lanes):
    n = len(lanes)
    for lane in range(n):
        x, y = row[lane], row[n + lane]
        row[lane + 2 * n] = x * y
        row[lane] = -x
        row[lane + n] = abs(y - 2)


@program(*sets(numbers, who))
def integers_and_floats(rows, who, lanes):
    for lane in range(len(lanes)):
        k = who[lane]
        rows[0, lane] = k * 0.5 + int(rows[1, lane] * 3) % 4
        who[lane] = (k * 3 + 1) // 2 - (k & 5) + (7 >> k % 4)


@program(*sets(numbers, lambda n: numbers(11, n), who))
def parts_of_rows_at_once(rows, table, who, lanes):
    n = len(lanes)
    for lane in range(n):
        a, b, c, d, e, f, g = tuple(table[who[lane], 3:10])
        rows[0, lane] = a + d * e
        rows[1, lane] = b - f
        rows[2, lane] = c / g
        row = table[who[lane]]
        row[:3] = (g, rows[0, lane], 1.0)
        row[4:10] = (f, e, d, c, 2, -b)
        row[10:] = a


@program(*sets(numbers, lambda n: numbers(3, n), who))
def gathered_and_scattered_rows(rows, table, who, lanes):
    for lane in range(len(lanes)):
        row = table[who[lane]]
        row[1] = row[0] * rows[0, lane]
        row[2] += rows[1, lane]
        rows[2, lane] = table[who[lane], 2] + row[1]


@program(*sets(numbers, lambda n: numbers(n), who))
def gathered_elements(rows, table, who, lanes):
    for lane in range(len(lanes)):
        rows[0, lane] = table[1, who[lane]]
        k = who[who[lane]]
        rows[1, lane] = table[2, k]


@program(*sets(numbers, lambda n: numbers(n, n), who))
def own_lanes_of_gathered_rows(rows, table, who, lanes):
    for lane in range(len(lanes)):
        row = table[who[lane]]
        rows[0, lane] = row[lane] + table[who[lane], lane]
        row[lane] = 7.0


@program(*sets(numbers, lambda n: np.arange(2.0 * 4 * n).reshape(2, 4, n), who))
def gathered_planes(rows, cube, who, lanes):
    for lane in range(len(lanes)):
        plane = cube[who[lane] % 2]
        rows[1, lane] = plane[3, lane] + cube[1, who[lane] % 4, lane]


@program(*sets(numbers))
def the_same_number_in_all_lanes(rows, lanes):
    first, n = rows[0, 0], len(lanes)
    for lane in range(n):
        rows[1, lane] = first
        rows[2, lane] = 2
        rows[0, lane] = rows[1, lane] * n + first


@program(*sets(numbers))
def decisions_make_it_a_loop(rows, lanes):
    count = 0
    for lane in range(len(lanes)):
        x = rows[0, lane]
        if x > 0.5:
            count += 1
            continue
        if x < -2.0:
            break
        rows[1, lane] = x if x > 0.0 else -x
    return count


@program(*sets(numbers))
def a_loop_that_returns(rows, lanes):
    for lane in range(len(lanes)):
        if rows[0, lane] > 1.0:
            return lane
    return -1


@program(*sets(numbers))
def not_from_the_first_lane(rows, lanes):
    for lane in range(1, len(lanes)):
        rows[1, lane] = rows[0, lane] * 2.0
    for lane in range(0, len(lanes), 2):
        rows[2, lane] = rows[0, lane] * 3.0


@program(*sets(numbers))
def backwards(rows, lanes):
    n = len(lanes)
    for lane in range(n - 1, -1, -1):
        rows[2, lane] = rows[1, lane] + rows[2, n - 1]


@program(*sets(numbers))
def loops_in_a_turn(rows, lanes):
    for lane in range(len(lanes)):
        total = 0.0
        for k in range(3):
            total = total * 0.5 + rows[k, lane]
        rows[0, lane] = total


@program(*((numbers(n, 20), m, (0.0,) * n) for n in COUNTS for m in (0, 3, 20)))
def counted_loops_in_a_turn(rows, m, lanes):
    for lane in range(len(lanes)):
        total = rows[0, lane]
        for k in range(m):
            total = total * 0.5 + rows[k, lane]
        rows[1, lane] = total


@inlined
def scaled_by(x, n, lanes):
    if n > 1:
        return x * n
    if lanes is None:
        return 0.0
    return -x


@routine
def moved(rows, h, lanes):
    for lane in range(len(lanes)):
        rows[0, lane] += h * rows[1, lane]


@inlined
def deepest(rows, lane, m):
    least = rows[0, lane]
    for k in range(1, m):
        least = select(rows[k, lane] < least, rows[k, lane], least)
    return least


@program(*((numbers(n), m, (0.0,) * n) for n in COUNTS for m in (0, 1, 2)))
def functions_in_a_turn(rows, m, lanes):
    for lane in range(len(lanes)):
        x = scaled_by(rows[0, lane], m, lanes)
        rows[1, lane] = x + deepest(rows, lane, m)
    moved(rows, 0.5 * m, lanes)
    moved(rows, -1, lanes)


@program(*sets(numbers))
def a_name_after_the_loop_is_the_one_before(rows, lanes):
    x = 5.0
    for lane in range(len(lanes)):
        y = rows[0, lane]
        rows[1, lane] = x * y
    return x


@program(*((numbers(n), n) for n in COUNTS))
def lanes_of_a_number_that_is_not_known(rows, n):
    total = 0.0
    for lane in range(n):
        rows[1, lane] = rows[0, lane] * 2
        total += rows[2, lane]
    return total


@pytest.mark.parametrize("way", ["light", "straight"])
@pytest.mark.parametrize(("function", "arguments"), PROGRAMS)
def test_lanes_have_the_bits_of_python(function, arguments, way):
    compare(function, arguments, way)


def ir(function, *arguments) -> str:
    names = function.__code__.co_varnames
    module, _ = read_kernel(function, {name: lay_out(x, []) for name, x in zip(names, arguments, strict=False)})
    return "\n".join(unit.text for unit in module.units().values())


@pytest.mark.parametrize(("n", "width"), [(7, 7), (8, 8), (9, 3), (12, 6), (16, 8), (32, 8)])
def test_straight_loops_are_vectors(n, width):
    assert f"<{width} x double>" in ir(straight, numbers(n), (0.0,) * n)


@pytest.mark.parametrize("n", [1, 2, 3, 6])
def test_few_lanes_are_numbers(n):
    text = ir(straight, numbers(n), (0.0,) * n)
    assert " x double>" not in text and " phi " not in text


@pytest.mark.parametrize("function", [decisions_make_it_a_loop, not_from_the_first_lane])
def test_other_loops_are_loops(function):
    text = ir(function, numbers(16), (0.0,) * 16)
    assert " x double>" not in text and " phi " in text


def sum_of_lanes(rows, lanes):
    total = 0.0
    for lane in range(len(lanes)):
        total += rows[0, lane]
    return total


def renamed(rows, lanes):
    x = 1.0
    for lane in range(len(lanes)):
        x = rows[0, lane]
        rows[1, lane] = x
    return 0.0


def lane_as_a_number(rows, lanes):
    for lane in range(len(lanes)):
        rows[0, lane] = lane * 2.0


def lane_before_another_index(rows, lanes):
    for lane in range(len(lanes)):
        rows[lane, 0] = 1.0


def one_element_for_all(rows, lanes):
    for lane in range(len(lanes)):
        rows[0, 1] = rows[1, lane]


def the_lane_afterwards(rows, lanes):
    for lane in range(len(lanes)):
        rows[0, lane] = 1.0
    return lane


@inlined
def decides(x):
    return 1.0 if x > 0.0 else -1.0


def a_function_that_decides(rows, lanes):
    for lane in range(len(lanes)):
        rows[0, lane] = decides(rows[1, lane])


REFUSED = [
    (sum_of_lanes, r"a loop over lanes changes `total`, which other turns see"),
    (renamed, r"a loop over lanes changes `x`, which other turns see"),
    (lane_as_a_number, r"Lane"),
    (lane_before_another_index, r"Lane"),
    (one_element_for_all, r"a number of all lanes is assigned to one element"),
    (the_lane_afterwards, r"`lane` is not defined here, or not on each path"),
    (a_function_that_decides, r"in decides: a decision that differs from lane to lane; use `select` in a formula"),
]


@pytest.mark.parametrize(("function", "reason"), REFUSED)
def test_turns_of_other_kinds_are_refused(function, reason):
    with pytest.raises(NotCompilable, match=reason):
        ir(function, numbers(8), (0.0,) * 8)


@pytest.mark.parametrize(("function", "reason"), [REFUSED[0], *REFUSED[2:5]])
def test_a_few_lanes_may_do_so(function, reason):
    compare(function, [(numbers(3), (0.0,) * 3)])
