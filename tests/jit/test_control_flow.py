"""Decisions, loops and names: compiled code goes the way that Python goes."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

from both_ways import WAYS, compare, programs
from rigidsim.jit import inlined, routine

PROGRAMS, program = programs()
NUMBERS = [(n,) for n in (-3, 0, 1, 2, 5, 20)]
mass = 7.0  # a name of the module that functions use for their own


@program(*NUMBERS)
def returns_on_all_paths(n):
    if n > 1:
        if n > 3:
            return 1.5, n
        return 2.5, n
    return 3.5, 0


@program(*NUMBERS)
def returns_nothing_on_all_paths(n):
    if n > 1:
        return
    if n == 0:
        return


@program(*NUMBERS)
def an_endless_loop_that_returns(n):
    k = 0
    while True:
        if k >= n:
            return k
        k += 2


@program(*NUMBERS)
def loops_that_never_turn(n):
    total = n
    while False:
        total += 1
    while total < 5 and len((n,)) > 1:
        total += 2
    return total


@program(*NUMBERS)
def return_from_a_loop_whose_numbers_become_floats(n):
    total = 0
    for k in range(n):
        if total > 4:
            return total
        total = total + 0.5 * k
    return total


@program(*NUMBERS)
def return_from_the_inner_of_two_loops_whose_numbers_become_floats(n):
    total, most = 0, 0
    for i in range(n):
        for j in range(i):
            if total > 10:
                return total, most, i
            total = total + 0.5 * j
            if j == 3:
                continue
            most = max(most, total)
        if most > 100:
            break
    return total, most, -1


@program(*NUMBERS)
def numbers_become_floats_two_loops_further_in(n):
    a, b, c = 0, 0, 0
    for i in range(n):
        for j in range(2):
            k = 0
            while k < i:
                c = b
                b = a
                a = a + 0.25
                k += 1
            if j == 1:
                continue
    return a, b, c


@program(*NUMBERS)
def a_condition_becomes_a_number(n):
    x = True
    for k in range(n):
        x = x + k
    return x


@program(*NUMBERS)
def a_range_with_begin_and_end(n):
    total = 0
    for k in range(n - 3, 2 * n):
        total = total * 2 + k
    return total


@program(*NUMBERS)
def a_range_whose_end_changes_meanwhile(n):
    end, count = n, 0
    for _ in range(end):
        end += 1
        count += 1
    return end, count


@program(*NUMBERS)
def a_turn_assigns_the_variable_of_its_loop(n):
    total = 0
    for k in range(n):
        k = 10 * k
        total += k
    return total


@program(*NUMBERS)
def an_unrolled_loop_with_break_and_continue(n):
    total = 0
    for k in range(5):
        if k == n:
            continue
        if total > 5:
            break
        total += k
    return total, k


@program(*NUMBERS)
def an_unrolled_loop_that_returns(n):
    for k in (0, 1, 2):
        if k == n:
            return 10 * k
    return -1


@program(*NUMBERS)
def a_known_range_that_is_counted(n):
    total = 0
    for k in range(3, 100, 7):
        if k > 10 * n:
            break
        total += k
    return total


@program(*NUMBERS)
def an_empty_known_range(n):
    for _ in range(3, 3):
        n = 100
    for _ in ():
        n = 200
    return n


@program(*NUMBERS)
def loops_over_tuples(n):
    total = 0
    for k, (a, b) in enumerate(((1, 2.5), (n, -1.0))):
        total = total + k * a * b
    for a, b in zip((1, 2), (n, n + 1), strict=True):
        total = total * 2 + a * b
    return total


@program((np.arange(12.0).reshape(4, 3),))
def a_loop_over_rows(rows):
    total = 0.0
    for a, b, c in rows:
        total = total * 0.5 + a * b - c
    for row in rows:
        row[1] = total
        total += row[0]
    return total


@program(*((np.arange(4.0), np.arange(4.0) * 10, n) for n in range(4)))
def swapped_arrays(a, b, n):
    for k in range(n):
        a[0] = a[0] + k
        a, b = b, a
    b[1] = 100.0
    return a[0], b[0], len(a)


@program(*((np.arange(4.0), np.arange(7.0), n) for n in range(4)))
def swapped_arrays_of_other_sizes(a, b, n):
    total = 0
    for _ in range(n):
        total = 10 * total + len(a)
        a[len(a) - 1] = 5.0
        a, b = b, a
    return total, a[3]


@program(*((np.arange(5.0), np.arange(5.0) + 10, n) for n in (-1, 1)))
def an_array_by_a_decision(a, b, n):
    chosen = a if n > 0 else b
    if n > 0:
        other = b
    else:
        other = a
    chosen[2], other[3] = other[0], chosen[1]
    return chosen[0], len(other)


@program(*NUMBERS)
def known_names_become_numbers(n):
    mode = 0
    if n > 1:
        mode = 2
    if n > 2:
        mode = 2
    return mode * 1.5


@program(*NUMBERS)
def names_with_other_structures_that_nobody_uses(n):
    if n > 1:
        x = 1.0
        n = n + 1
    else:
        x = (1.0, 2.0)  # noqa: F841
    return n


@program(*NUMBERS)
def a_tuple_by_a_decision(n):
    p = (1, 2, (3, 4))
    if n > 1:
        p = (0.5, n, (n, 7))
    a, b, (c, d) = p
    return a, b, c, d


@program(*((x, n) for (n,) in NUMBERS for x in (0.0, -0.0, 1.5, np.nan)))
def conditions(x, n):
    a = 1 if x > 1 and n > 0 else 0
    b = 1 if x > 1 or not n > 0 else 0
    c = 1 if not ((x > 1 and n > 0 and x < 5) or n == 0) else 0
    d = 1 if 0 <= x < n else 0
    e = 1 if 0 <= n < 3 <= 3 != n else 0
    f = 1 if n and x else 0
    return a, b, c, d, e, f


@program(*((x, n) for (n,) in NUMBERS for x in (0.0, -0.0, 1.5, np.nan)))
def conditions_as_numbers(x, n):
    return x == x, not x, not n, x != n, x > n, (x > 0) + n, -(n > 1), abs(n > 1)


@program(*((x, n) for (n,) in NUMBERS for x in (0.0, 1.5)))
def values_of_and_and_or(x, n):
    return n or 7, n and 7, x or n, x and n, n or x or -1, (n > 1) or n, (n > 1) and 5, 0 or (3 and n)


@program(*NUMBERS)
def what_follows_and_is_not_computed(n):
    row = (10, 20, 30)
    return (n >= 0 and n < 3 and row[n] > 15) is not None, 5 if (n < 0 or n > 2 or row[n] > 15) else 6


@program(*NUMBERS)
def assignments(n):
    a = b = n + 1
    (c, d), e = (a, b + 1), n
    a += 1
    a -= b
    a *= 3
    d /= 4
    b //= 2
    c %= 3
    e <<= 2
    a |= 1
    e &= 13
    e ^= 5
    e >>= 1
    return a, b, c, d, e


@program(*NUMBERS)
def a_name_of_the_module_is_used_for_another_thing(n):
    if n > 1:
        mass = 3.0
    else:
        mass = 4.0
    return mass


@inlined
def first_multiple(n, of):
    for k in range(1, n):
        if k % of == 0:
            return k
    return 0


@routine
def halves(x, n):
    count = 0
    while x > 1.0:
        x = x * 0.5
        count += 1
        if count == n:
            break
    return x, count


@program(*NUMBERS)
def functions_with_loops(n):
    a, count = halves(100.0 * n, 5)
    b, more = halves(100, n + 4)
    return first_multiple(n + 2, 3), first_multiple(10, n + 5), a, count, b, more


@program(*NUMBERS)
def a_loop_around_a_function_that_returns_early(n):
    total = 0
    for k in range(n):
        total = total + first_multiple(k, 2) * 0.5
    return total


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("function", "arguments"), PROGRAMS)
def test_compiled_and_interpreted_go_the_same_way(function, arguments, way):
    compare(function, arguments, way)


@pytest.mark.parametrize(("function", "arguments"), PROGRAMS)
def test_what_is_known_goes_the_same_way(function, arguments):
    """Straight code for these integers, and for numbers that are not known."""
    compare(function, arguments, "straight", tuple({"n", "k"} & set(inspect.signature(function).parameters)))
