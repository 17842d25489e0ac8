"""What a kernel is given: one code for each structure, its words laid out anew when they are others; threads."""

from __future__ import annotations

import math
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
import pytest

from rigidsim.jit import inlined, kernels, routine
from rigidsim.jit.kernels import VARIABLE, Kernel, kernel
from rigidsim.jit.layouts import lay_out, structure_of
from rigidsim.jit.reading import read_kernel


class Model(NamedTuple):
    """Arrays and numbers."""

    rows: np.ndarray
    who: np.ndarray
    step: float
    part: object


class Part(NamedTuple):
    """A part that may be missing."""

    values: np.ndarray
    count: int


def model(n: int = 3, part: Part | None = None, step: float = 0.5) -> Model:
    return Model(np.arange(2.0 * n).reshape(2, n), np.arange(n), step, part)


def total_of(model, factor, lanes):
    total = model.step * factor
    for row in model.rows:
        for x in row:
            total += x
    if model.part is not None:
        for k in range(model.part.count):
            total += model.part.values[k] * 100.0
    return total + len(lanes) * 1000.0


@pytest.fixture
def total() -> Kernel:
    """A kernel of which nothing is compiled yet."""
    return Kernel(total_of)


def part(n: int = 2) -> Part:
    return Part(np.arange(1.0, n + 1), n)


def test_one_code_for_each_structure(total):
    def same(*arguments):
        assert total(*arguments) == total.interpreted(*arguments)
        return len(total._codes)

    assert same(model(), 1.5, (0.0,)) == 1
    assert same(model(7, step=-2.0), 2.5, (0.0,)) == 1  # other sizes and numbers
    assert same(model(0), 1.5, (0.0,)) == 1
    assert same(model(part=part()), 1.5, (0.0,)) == 2  # a part more
    assert same(model(part=part(5)), 1.5, (0.0,)) == 2
    assert same(model(), 2, (0.0,)) == 3  # an integer
    assert same(model(), True, (0.0,)) == 4
    assert same(model(), np.float64(1.5), (0.0,)) == same(model(), np.int64(3), (0.0,)) == 4
    assert same(model(), 1.5, (0.0,) * 2) == 5  # other lanes
    assert same(model()._replace(step=2), 1.5, (0.0,)) == 6
    assert same(model()._replace(rows=np.arange(6).reshape(2, 3)), 1.5, (0.0,)) == 7  # integers


def test_known_zeros_are_different_ones():
    @kernel
    def divided(x, known):
        return x / (known[0] * x)

    assert [divided(1.0, known) for known in ((0.0,), (-0.0,), (0,))] == [math.inf, -math.inf, math.inf]
    assert math.isnan(divided(0.0, (False,)))


def test_a_caller_sees_what_has_changed_in_arrays_and_lays_out_other_objects(total, monkeypatch):
    laid = []
    monkeypatch.setattr(kernels, "lay_out", lambda value, *more: (laid.append(value), lay_out(value, *more))[1])
    call, one, two, lanes = total.caller(), model(), model(5), (0.0,)
    assert call(one, 1.0, lanes) == total.interpreted(one, 1.0, lanes)
    assert len(laid) == 3
    one.rows[:] += 1.0
    assert call(one, 2.0, lanes) == total.interpreted(one, 2.0, lanes)
    assert len(laid) == 3
    assert call(two, 2.0, lanes) == total.interpreted(two, 2.0, lanes)
    assert call(one, 2.0, lanes) == total.interpreted(one, 2.0, lanes)
    assert len(laid) == 4  # the first one is remembered
    assert [call(x, 2.0, lanes) for x in (model(), model(), model(), one)]
    assert len(laid) == 8  # but not among three others
    assert len(total._codes) == 1


def test_a_caller_goes_back_and_forth_between_kinds():
    @kernel
    def first_of(x, other):
        return other if x is None else x

    @kernel
    def plus(x):
        return x + 1

    call, row = Kernel(sum_or_number).caller(), np.arange(3.0)
    assert [call(x) for x in (row, 2.0, row, None, row, 3, 2.0)] == [3.0, 2.0, 3.0, -1.0, 3.0, 3, 2.0]
    call = first_of.caller()
    assert [call(*x) for x in ((None, 2), (1.5, 2), (None, 3.5), (True, 1))] == [2, 1.5, 3.5, True]
    call, results = plus.caller(), [1, 1.0, True, 2, -0.0]
    assert [(type(y), y) for y in map(call, results)] == [(int, 2), (float, 2.0), (int, 2), (int, 3), (float, 1.0)]


def sum_or_number(x):
    """Of an array the sum."""
    if x is None:
        return -1.0
    if getattr(x, "shape", None) is None:
        return x
    total = 0.0
    for k in range(len(x)):
        total += x[k]
    return total


def test_results_are_python_numbers():
    @kernel
    def of_all_kinds(x, n):
        return x * 2, n + 1, n > 2, x == x, 7, -0.0, True, n / 2

    @kernel
    def one(x):
        return (x,)

    @kernel
    def nothing(x):
        x[0] = 1.0

    @kernel
    def none_of_several(x):
        return ()

    assert repr(of_all_kinds(0.25, 3)) == "(0.5, 4, True, True, 7, -0.0, True, 1.5)"
    assert one(2.5) == (2.5,)
    assert nothing(np.zeros(1)) is None
    assert none_of_several(1) == ()


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (np.zeros(3, np.float32), "not one of float32"),
        (np.zeros(3, bool), "not one of bool"),
        (np.zeros(3, ">f8"), "not one of >f8"),
        (np.zeros(3, np.int32), "not one of int32"),
        (np.zeros(6)[::2], "not one of float64 that is not contiguous"),
        (np.zeros((3, 2)).T, "not one of float64 that is not contiguous"),
        ([1.0], r"does not take \[1.0\]"),
        ({"a": 1}, "does not take {'a': 1}"),
        ((np.zeros(2), 1), r"does not take \(array"),
        ((1, [2.0]), r"does not take \(1, \[2.0\]\)"),
        (lambda x: x, "does not take <function"),
        (object(), "does not take <object"),
    ],
)
@pytest.mark.parametrize("inside", [False, True])
def test_what_compiled_code_cannot_read_is_refused(total, value, reason, inside):
    with pytest.raises(TypeError, match=reason):
        total(model(part=value) if inside else value, 1.0, (0.0,))


def test_the_number_of_arguments_is_checked(total):
    with pytest.raises(TypeError, match=r"total_of takes 3 arguments, not 2"):
        total(model(), 1.0)


def test_structures_have_names_only():
    """They are part of the names of files, so they must not depend on addresses or on the process."""
    found = structure_of(lay_out(model(part=(total_of, Model, None, "name", (0.0, -0.0, 1, True))), []))
    assert "0x" not in repr(found) and "-0.0" in repr(found)
    laid = structure_of(lay_out(model(part=part()), []))
    assert eval(repr(laid)) == laid == structure_of(lay_out(model(4, part(3), step=0.0), []))


# --- functions of their own


@routine
def grown(row, x, how):
    for k in range(len(row)):
        row[k] = row[k] * x if how is None else row[k] + x


@inlined
def little(x):
    return x + 1.0


def calls_often(a, table, x, n):
    grown(a, x, None)
    grown(table[0], x, None)
    grown(table[n], little(x), None)
    grown(a[:2], x, None)
    grown(a, x, 1.5)
    grown(a, n, 1)
    grown(a, n, None)
    grown(row=a, how=None, x=little(x))


def test_functions_of_their_own_are_written_once_for_each_structure():
    given = np.arange(4.0), np.arange(6.0).reshape(2, 3), 1.5, 1
    layouts = dict(zip(("a", "table", "x", "n"), (lay_out(x, []) for x in given), strict=True))
    module, _ = read_kernel(calls_often, layouts)
    names = [name for name in module.used() if "grown" in name]
    # x and how: float and None, the same with a part of known size, float and float, integer and integer, integer, None
    assert len(names) == 5
    assert not [name for name in module.functions if "little" in name]


# --- threads


def slow_to_compile(x, n):
    total = x
    for k in range(n):
        for j in range(k):
            for i in range(j):
                total = total * 0.5 + i - j * k
                if total > 1e3:
                    total = total - 1e3
    return total


def test_threads_that_call_at_once_compile_once_and_get_their_own_results(monkeypatch):
    made, compile_it = [], Kernel._compiled
    monkeypatch.setattr(Kernel, "_compiled", lambda *arguments: (made.append(1), compile_it(*arguments))[1])
    own, barrier = Kernel(slow_to_compile), threading.Barrier(8)

    def call(k):
        barrier.wait()
        return [own(x, 12 + k) for x in (float(k), float(k + 1))]

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(call, range(8)))
    assert found == [[own.interpreted(float(x), 12 + k) for x in (k, k + 1)] for k in range(8)]
    assert len(made) == 1


def test_one_thread_runs_while_another_compiles():
    ready, other = Kernel(total_of), Kernel(slow_to_compile)
    expected = ready(model(), 1.0, (0.0,))
    with ThreadPoolExecutor(1) as pool:
        compiling = pool.submit(other, 2.0, 10)
        count = 0
        while not compiling.done() or not count:
            assert ready(model(), 1.0, (0.0,)) == expected
            count += 1
    assert compiling.result() == other.interpreted(2.0, 10)


def test_an_error_in_one_thread_is_one_in_each():
    def wrong(x):
        return x**2

    own = Kernel(wrong)
    with ThreadPoolExecutor(4) as pool:
        errors = [task.exception() for task in [pool.submit(own, 1.0) for _ in range(4)]]
    assert len({str(error) for error in errors}) == 1 and "powers" in str(errors[0])


# --- without compiling


def test_kernels_are_interpreted_if_the_user_asks(total, monkeypatch):
    monkeypatch.setenv(VARIABLE, "off")
    assert total(model(), 1.0, (0.0,)) == total.interpreted(model(), 1.0, (0.0,))
    assert total.caller() is total.interpreted
    assert not total._codes
