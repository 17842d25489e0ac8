"""Numbers: every operation has the result of Python, to the bit and the sign of a zero."""

from __future__ import annotations

import math
import operator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from both_ways import WAYS, compare, programs
from rigidsim.jit.kernels import kernel
from rigidsim.physics.elementary import select, sqrt, with_sign
from rigidsim.physics.exponentials import power_of_two, split
from rigidsim.physics.functions import floored
from support.compiled_formulas import same

INF, NAN = math.inf, math.nan
EDGES = (0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 7.0, 5e-324, -1e-310, 1e308, -1e308, INF, -INF, NAN)
WHOLE = (-(2**63), -(2**62), -64, -7, -2, -1, 0, 1, 2, 3, 8, 63, 64, 65, 2**53 + 1, 2**63 - 1)
SMALL = (-7, -2, -1, 0, 1, 2, 3, 8)
PROGRAMS, program = programs()
PAIRS = [(x, y) for x in EDGES for y in EDGES]


@program(*PAIRS)
def floats(x, y):
    return x + y, x - y, x * y, -x, +x, abs(y), x + 1, 2 - y


@program(*PAIRS)
def comparisons(x, y):
    return x < y, x <= y, x > y, x >= y, x == y, x != y, x < 1, y == 0


@program(*PAIRS)
def extrema(x, y):
    return max(x, y), min(x, y), max(x, y, 0.5), min(x, 1, y), max((x, y)), min(-0.0, x), max(0, y)


@program(*[(x, y) for x, y in PAIRS if y != 0])
def quotients(x, y):
    return x / y, 1 / y, x / 2


@program(*PAIRS)
def formulas(x, y):
    return sqrt(x), with_sign(x, y), select(x < y, x, y), select(x < y, 1, y), with_sign(2, y), select(x != x, True, y)


@program(*[(x, k) for x in (2.3e-308, 0.3, 0.5, 1.0, 7.0, 1.7e308) for k in (-1022.0, -1.0, 0.0, 1023.0)])
def fields_of_the_double(x, k):
    return *split(x), power_of_two(k)


@program(*[(x, y) for x in WHOLE for y in SMALL])
def integers(n, m):
    return n ^ m, n & m, n | m, ~n, n < m, n == m, min(n, m), max(n, m)


@program(*[(x, y) for x in SMALL for y in SMALL])
def small_integers(n, m):
    return n + m, n - m, n * m, -n, abs(m), n * 0.5, n + 1.5, n < m + 0.5


@program(*[(n, m) for n in (-(2**62), -64, -9, -8, -7, -1, 0, 1, 7, 8, 9, 2**62) for m in SMALL if m])
def integer_quotients(n, m):
    return n // m, n % m, n // 3, n % 3, n // -3, n % -3, 100 // m, -100 % m


@program(*[(x, y) for x in (*EDGES, 5.5, -5.5) for y in (0.25, -0.25, 3.0, -3.0, 1e308, INF, -INF, NAN, 5e-324)
           if abs(x) < INF])  # fmt: skip
def remainders(x, y):
    return x % y, x % 2, x % -1.5, 5 % y, -5.5 % y


@program(*[(n, m) for n in (-9, -1, 0, 1, 77) for m in (0, 1, 5, 40)])
def shifts(n, m):
    return n << m, n >> m, n << 3, n >> 2, 3 << m, 1000 >> m, -1 >> m


@program(*[(n,) for n in WHOLE])
def shifts_to_the_right_by_more_than_there_are_bits(n):
    return n >> 63, n >> 64, n >> 100


@program(*[(a, b) for a in (False, True) for b in (False, True)])
def booleans(a, b):
    return a and b, a or b, not a, a ^ b, a & b, a + b, a * 2.5, a < b


@program(*[(a, b) for a in (False, True) for b in (False, True)])
def booleans_as_numbers(a, b):
    return -a, ~a, abs(b), a << 3, max(a, b), a / 2, int(b), float(a)


@program(*[(x,) for x in (0.0, -0.0, 0.9, -0.9, 1.5, -1.5, 1e15, -1e15, 2.0**62)])
def conversions(x):
    n = int(x)
    return n, float(n), int(n), float(x), int(x > 1), floored(x), sqrt(n), floored(n)


@program(*PAIRS)
def arithmetic_with_what_is_known(x, y):
    return x * 0, x + 0, x + 0.0, x * 1.0, 0.0 * y, -0.0 + y, 0 - y, x - x


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("function", "arguments"), PROGRAMS)
def test_compiled_and_interpreted_compute_the_same(function, arguments, way):
    with np.errstate(all="ignore"):
        compare(function, [tuple(map(numpy_like, pair)) for pair in arguments], way)


def numpy_like(x):
    """Floats as they come from arrays, which can be divided by zero."""
    return np.float64(x) if isinstance(x, float) else x


@kernel
def four(x, y):
    return x + y, x - y, x * y, x % y


@kernel
def divisions(n, m):
    return n // m, n % m, n * m, n - m


@given(st.floats(), st.floats())
def test_any_two_floats(x, y):
    with np.errstate(all="ignore"):
        x, y = np.float64(x), np.float64(y)
        assert same(four(x, y), four.interpreted(x, y))


@given(st.integers(-(2**62), 2**62 - 1), st.integers(-(2**31), 2**31).filter(bool))
def test_any_two_integers(n, m):
    assert divisions(n, m)[:2] == (n // m, n % m)
    assert divisions(n, m)[2:] == tuple((x + 2**63) % 2**64 - 2**63 for x in (n * m, n - m))


def test_what_a_processor_cannot_divide_is_as_in_numpy():
    least = -(2**63)
    with np.errstate(all="ignore"):
        for n, m in ((5, 0), (-5, 0), (0, 0), (least, -1), (7, -1), (least, 0)):
            by_numpy = [int(f(np.int64(n), np.int64(m))) for f in (operator.floordiv, operator.mod)]
            assert list(divisions(n, m)[:2]) == by_numpy, (n, m)


@kernel
def whole(x):
    return int(x)


def test_integers_of_floats_beyond_all_integers():
    assert [whole(x) for x in (1e300, -1e300, INF, -INF, NAN)] == [2**63 - 1, -(2**63), 2**63 - 1, -(2**63), 0]
