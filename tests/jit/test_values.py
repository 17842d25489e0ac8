"""Arrays, tuples, named tuples and calls: elements, parts and arguments are those of Python."""

from __future__ import annotations

import operator
from typing import NamedTuple

import numpy as np
import pytest

from both_ways import WAYS, compare, programs
from rigidsim.jit import formula, inlined, routine
from rigidsim.physics.vector import add, cross, scaled

PROGRAMS, program = programs()
ROW, TABLE = np.arange(1.0, 9.0), np.arange(24.0).reshape(4, 6)
CUBE, WHO = np.arange(24.0).reshape(2, 3, 4), np.array([2, 0, 1, 1])


class Pair(NamedTuple):
    """Two parts."""

    x: object
    y: object


class Parts(NamedTuple):
    """A table, a name without an array, and more."""

    rows: np.ndarray
    count: int
    size: float
    is_open: bool
    nothing: object
    inner: Pair


PARTS = Parts(TABLE, 3, 2.5, True, None, Pair(ROW, WHO))


@program((ROW, 2), (ROW, 7))
def elements(row, k):
    row[0], row[k] = row[k], row[-1]
    row[-2] += row[1]
    row[k] *= 2
    return row[k], row[-1], row[k - 1], len(row), row.shape[0]


@program((TABLE, 1, 2), (TABLE, 3, 5))
def elements_of_tables(table, i, j):
    table[i, j] = table[j - 2, i]
    table[i][j] -= 0.5
    row = table[i]
    row[0] = 9
    return table[-1, j], table[i, -1], row[j], len(table), table.shape[1], table[0][0]


@program((CUBE, 1, 2), (CUBE, 0, 0))
def elements_of_three_dimensions(cube, i, j):
    cube[i, j, 1] = cube[i][j][2] + cube[1 - i, j][3]
    plane = cube[i]
    plane[j, 0] = -1.0
    return plane[j, 1], len(plane), len(plane[0]), cube.shape[2]


@program((WHO, 1), (WHO, 3))
def integers(who, k):
    who[k] = who[who[0]] * 10 + k
    who[0] = True
    return who[k], who[k] // 4, who[0] == 1


@program((ROW, 2, 5), (ROW, 0, 8), (ROW, 5, 5), (ROW, 6, 3))
def slices(row, i, j):
    part = row[i:j]
    row[i:j] = 7.5
    row[:2] = -1
    row[6:] = i
    part[:] = j
    return len(row[2:5]), len(row[:]), row[2:][1], row[:5][4]


@program((ROW, 2, 5), (ROW, 5, 2))
def fills_of_nothing(row, i, j):
    row[i:j] = 0.0
    row[j:i] = 0


@program((ROW,))
def slices_from_the_end(row):
    last = row[-3:]
    last[0] = 100.0
    row[:-6] = -0.0
    row[-5:-4] = 3
    return len(row[-3:]), len(row[:-1]), len(row[-3:-1]), last[-1]


@program((TABLE, WHO, 1))
def fills_of_tables(table, who, i):
    table[i][:] = 0.0
    table[2:] = -0.0
    table[0, 1:3] = np.pi if i > 5 else 3
    who[:] = -1
    who[i:] = 0
    who[:1] = 12


@program((CUBE,))
def flat_rows(cube):
    flat = cube.reshape(-1)
    flat[5] = 50.0
    return flat[23], len(flat), cube[1].reshape(-1)[2]


@program(*((n,) for n in range(3)))
def tuples(n):
    a = (1, n, 2.5)
    b = (*a, 4, *(n, n))
    (p, q), r = (b[0], b[1:3]), b[-1]
    return len(b), p, q[1], r, a[n], (10, 20, 30)[n], (1, 0.5, True)[n]


@program(*((n,) for n in range(3)))
def tuples_at_places_that_are_not_known(n):
    (a, b), c = ((1, 2.0), (n, 3.0), (7, -0.0))[n], (0.0, -0.0, n)[n]
    total = 0.0
    for k in range(20):
        total = total * 0.5 + (1.0, 0.25, 3)[k % 3]
    return a, b, c, total


@program(*((n,) for n in range(3)))
def named_tuples_made_in_code(n):
    pair = Pair(n, y=(n + 1, 2.0))
    if n > 1:
        pair = Pair(0.5, (n, 3.0))
    other = Pair(*pair)
    return pair.x, pair.y[0], other[1][1], other.x, len(other)


@program((PARTS, 1), (PARTS, 3))
def parts_of_named_tuples(parts, i):
    parts.rows[i, 0] = parts.size * parts.count
    parts.inner.x[i] += 1.0
    first = parts.inner.x if parts.nothing is None else parts.nothing
    first[0] = 5
    return (
        parts.count,
        parts.is_open,
        parts.inner.y[i],
        getattr(parts, "none", 12),
        getattr(parts, "size", 1),
        len(parts),
    )


@program((PARTS, 1), (PARTS, 3))
def parts_that_a_loop_reads_again(parts, n):
    part, total = parts.inner, 0.0
    for k in range(n):
        total += part.x[k]
        part = parts.inner
        total += part.x[k]
    return total


@program((PARTS,))
def known_kinds(parts):
    kinds = (type(parts) is Parts, type(parts.inner) is Pair, type(Pair(1, 2)) is Pair)
    if parts.nothing is not None and parts.nothing.rows[0] > 1:
        return 0
    return 1 if kinds[0] and kinds[1] and kinds[2] else 2


@inlined
def summed(first, *rest):
    total = first
    for x in rest:
        total = total + x
    return total + 100 * len(rest)


@routine
def difference(x, a=10, b=20.0):
    return x * 1000 + a - b


@inlined
def with_default(x, by=2, plus=0.5):
    return x * by + plus


@program(*((n,) for n in range(3)))
def calls(n):
    return (
        with_default(n), with_default(n, 3), with_default(n, plus=n), with_default(plus=1, x=n, by=0.5), summed(n),
        summed(n, 1, 2.5), summed(*(n, n, n)),
    )  # fmt: skip


@program((3,), (4,))
def keywords_in_another_order(n):
    a, b = n * 0.5, n * 7.0
    return difference(n, a=a, b=b), difference(n, b=b, a=a), difference(n, b=b), difference(n, a), difference(b=a, x=b)


@routine
def of_tuple(pair, x):
    return pair[0] * x + 1 / (pair[1] + 1.0) if pair[0] is not True else x


@inlined
def reciprocal(pair, numbers):
    for _ in range(1):
        numbers[0] = 1.0 / (pair[0] * numbers[1])
    return numbers[0]


@program((np.array([1.0, 2.0]),))
def functions_of_their_own_with_known_zeros(numbers):
    """0.0, -0.0, 0 and False are equal, and different."""
    return (
        reciprocal((0.0,), numbers), reciprocal((-0.0,), numbers), reciprocal((0,), numbers),
        of_tuple((0, 1), numbers[1]),
        of_tuple((0.0, 1), numbers[1]), of_tuple((True, 1), numbers[1]), of_tuple((1, 1), numbers[1]),
    )  # fmt: skip


@routine
def swapped(a, b, pair):
    return b, a, pair.y, None, (pair.x, 1)


@program((ROW, TABLE, PARTS, 1), (ROW, TABLE, PARTS, 2))
def results_that_are_arrays_and_tuples(row, table, parts, n):
    rows, first, who, nothing, (x, one) = swapped(row, table, parts.inner)
    rows[n, 0] = who[n]
    first[n], x[0] = 12.0, 13.0
    return len(rows), first[n], one, nothing is None


def make(factor):
    @inlined
    def multiplied(x):
        return factor * x

    return multiplied


TWICE, THRICE, BY_NAME = make(2), make(3.5), {Pair: 5, Parts: 6}


@program((1.5, PARTS), (3, PARTS))
def functions_with_names_from_outside(x, parts):
    total = 0
    for function in (TWICE, THRICE):
        total = total + function(x)
    return total, TWICE(x), BY_NAME[type(parts)], operator.add(x, 1), operator.mul(x, 2.5)


@program(
    (ROW, 3),
)
def formulas_of_tuples(row, k):
    p = cross((row[0], row[1], row[2]), (k, 2, 0.5))
    row[3], row[4], row[5] = add(scaled(row[k], p), (0.0, -0.0, 1))
    return p


@formula
def smallest_power(base, limit):
    """A formula is Python: it may repeat what is known."""
    total, powers = 0.0, [base]
    while len(powers) < limit:
        powers.append(powers[-1] * base)
    for power in powers:
        total = total + power
    return total


@program((1.5,), (-2.0,))
def formulas_that_repeat(x):
    return smallest_power(x, 3), smallest_power(limit=2, base=x)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("function", "arguments"), PROGRAMS)
def test_compiled_and_interpreted_see_the_same(function, arguments, way):
    with np.errstate(all="ignore"):
        compare(function, arguments, way)
