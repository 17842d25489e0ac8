"""Tangents of compiled code: of all formulas those of dual numbers, with hostile numbers as well; the bits of the
numbers themselves are those without tangents.
"""

from __future__ import annotations

import numpy as np
import pytest

from rigidsim.containers.dual import Dual
from rigidsim.engine.integrators import adaptive
from rigidsim.engine.series import steps as steps_of_series
from rigidsim.jit import constant, has_tangents, routine
from rigidsim.jit import formula as formula_mark
from rigidsim.jit.kernels import Kernel
from rigidsim.jit.shadows import Shadows, TangentCaller
from rigidsim.physics.elementary import sqrt
from support.compiled_formulas import count_of, flat, on_columns, same, shaped
from test_formulas_with_hostile_numbers import DOMAINS, FORMULAS, columns_for, shapes_of

K, LANES = 4, 16
COUNT = 96  # points of each formula
DIVISORS = {"functions.remainder": 1, "jets.jet_remainder": 3}  # a remainder of 0 has a sign that is wrong below 0
CORNERS = np.array([0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 3.0, -7.5])
ON_BITS = {name for name in FORMULAS if name.startswith(("exponentials.", "step_control.", "elementary.reduced_"))} | {
    "elementary.with_sign", "distances.way_out_of_box"
}  # fmt: skip
"""Dual numbers have no bits; the tangents of these are seen in exp, log, sin, ..., or are never used."""


def kernel_of(formula, shapes) -> Kernel:
    """A kernel of blocks of lanes of a formula."""

    @formula_mark
    def compute(given, result, lane):
        numbers = iter([given[row, lane] for row in range(sum(map(count_of, shapes)))])
        for row, x in enumerate(flat(formula(*(shaped(shape, numbers) for shape in shapes)))):
            result[row, lane] = x * 1.0

    def on_blocks(given, result, lanes):
        for block in range(len(given)):
            for lane in range(len(lanes)):
                compute(given[block], result[block], lane)

    return Kernel(on_blocks)


def blocks_of(columns: np.ndarray) -> np.ndarray:
    """(block, row, lane, ...) of (row, point, ...)."""
    rows, _, *rest = columns.shape
    return np.ascontiguousarray(columns.reshape(rows, -1, LANES, *rest).swapaxes(0, 1))


def points_of(blocks: np.ndarray) -> np.ndarray:
    """(row, point, ...) of (block, row, lane, ...)."""
    return blocks.swapaxes(0, 1).reshape(blocks.shape[1], -1, *blocks.shape[3:])


def by_tangents(formula, shapes, columns, directions, n_result: int) -> tuple[np.ndarray, np.ndarray]:
    """(result, point) and (result, point, direction) by compiled code."""
    kernel, shadows = kernel_of(formula, shapes), Shadows(K)
    given, result = blocks_of(columns), np.zeros((columns.shape[1] // LANES, n_result, LANES))
    shadows.of(given)[:] = blocks_of(directions)
    plain = np.zeros_like(result)
    kernel(given, plain, (0.0,) * LANES)
    TangentCaller(kernel, shadows)(given, result, (0.0,) * LANES)
    assert same(result, plain)
    return points_of(result), points_of(shadows.of(result))


def by_duals(formula, shapes, columns, direction) -> tuple[np.ndarray, np.ndarray]:
    """(result, point) values and derivatives by dual numbers."""
    numbers = iter([Dual(x, dx) for x, dx in zip(columns, direction, strict=True)])
    with np.errstate(all="ignore"):
        found = flat(formula(*(shaped(shape, numbers) for shape in shapes)))
    parts = [(x.value, x.derivative) if isinstance(x, Dual) else (x, 0.0) for x in found]
    size = columns.shape[1]
    return tuple(np.array([np.broadcast_to(np.asarray(part[k], float), size) for part in parts]) for k in (0, 1))


def columns_and_directions(name: str) -> tuple:
    """A formula, the shapes of its arguments, their values, (argument, point), and K directions, (argument, point, K).
    Half of the values are ordinary; the others are zeros, whole numbers and halves, where decisions change.
    """
    formula, shapes = FORMULAS[name], shapes_of(name.split(".")[0], FORMULAS[name])
    rng, size = np.random.default_rng(list(name.encode())), (sum(map(count_of, shapes)), COUNT)
    columns = np.where(np.arange(COUNT) % 2 == 0, rng.uniform(-3, 3, size), rng.choice(CORNERS, size))
    if name in DIVISORS:
        columns[DIVISORS[name]] = np.abs(columns[DIVISORS[name]])
    return formula, shapes, columns, rng.normal(size=(*size, K))


EPS = np.finfo(float).eps


class Rounded(np.ndarray):
    """Numbers of which each operation has a rounding error: a random one of up to an eps of its result."""

    random = np.random.default_rng(4)

    def __array_ufunc__(self, function, method, *inputs, **options):
        plain = (x.view(np.ndarray) if isinstance(x, Rounded) else x for x in inputs)
        found = getattr(function, method)(*plain, **options)
        if np.asarray(found).dtype != float:
            return found
        return np.asarray(found * (1.0 + EPS * self.random.uniform(-1, 1, np.shape(found)))).view(Rounded)

    def __array_function__(self, function, types, inputs, options):
        found = super().__array_function__(function, types, inputs, options)
        return found.view(Rounded) if isinstance(found, np.ndarray) else found


def rounding_of(formula, shapes, columns, directions, rates) -> np.ndarray:
    """(point) by how much the derivatives change by the rounding of arguments and operations, and an eps of the largest
    derivative.
    """
    found = np.nanmax(np.abs(np.where(np.isfinite(rates), rates, 0.0)), axis=(0, 2), initial=0.0)
    for _ in range(3):
        moved = (columns * (1.0 + EPS * Rounded.random.uniform(-1, 1, columns.shape))).view(Rounded)
        others = np.stack([by_duals(formula, shapes, moved, directions[..., j])[1] for j in range(K)], axis=-1)
        known = np.isfinite(others) & np.isfinite(rates)
        changes = np.where(known, others, 0.0) - np.where(known, rates, 0.0)
        found = np.maximum(found, np.abs(changes).max(axis=(0, 2), initial=0.0) / EPS)
    return EPS * found


SOME = {name.split(".")[0]: name for name in sorted(FORMULAS.keys() - ON_BITS)}.values()
"""One of each module; the others take a minute."""


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=() if name in SOME else pytest.mark.slow) for name in sorted(FORMULAS.keys() - ON_BITS)],
)
def test_tangents_of_formulas_are_those_of_dual_numbers(name):
    formula, shapes, columns, directions = columns_and_directions(name)
    expected = [by_duals(formula, shapes, columns, directions[..., j]) for j in range(K)]
    value, rates = expected[0][0], np.stack([rate for _, rate in expected], axis=-1)
    _, tangents = by_tangents(formula, shapes, columns, directions, len(value))
    known = np.isfinite(value)[..., None] & np.isfinite(rates)
    assert np.isfinite(tangents[known]).all()
    allowed = 16.0 * rounding_of(formula, shapes, columns, directions, rates)[:, None]  # measured: half of it
    with np.errstate(all="ignore"):
        wrong = known & (np.abs(tangents - rates) > allowed)
    assert not wrong.any(), (columns[:, wrong.any(axis=(0, 2))][:, 0], tangents[wrong][0], rates[wrong][0])


@pytest.mark.slow
@pytest.mark.parametrize("name", FORMULAS)
def test_values_with_tangents_have_the_bits_of_those_without(name):
    formula, shapes = FORMULAS[name], shapes_of(name.split(".")[0], FORMULAS[name])
    columns = DOMAINS.get(name, np.asarray)(columns_for(name, sum(map(count_of, shapes))))
    directions = np.ones((*columns.shape, K))
    by_tangents(formula, shapes, columns, directions, len(on_columns(formula, shapes, columns)))


# --- all else than formulas


@routine
def grown(x, n):
    """x^n and n, by a loop with a decision."""
    y, k = 1.0, 0
    while k < n:
        y = y * x if k < 2 else y * x + 0.0
        k += 1
    return y, k


@constant
@routine
def held(x):
    """x, but it does not vary."""
    return x * 1.0


def steps(x, n, given, table, out, lanes):
    """Numbers, arrays, parts of arrays, constants, tables of integers that are cleared, choices of rows."""
    y, k = grown(x, n)
    out[0, 0] = y + held(x)
    out[1, 0] = given[table[0]] * given[table[1]]
    table[:] = 0
    row = out[0] if x > 0.0 else out[1]
    out[2, 0] = row[0] * 2.0 + (0.5, 0.25, 3.0)[1]
    out[3, 0] = sqrt(x - 2.0) + given[1] % given[0]
    given[:] = 0.0
    for j in range(n):
        given[j % 2] += j * x
    return y * given[1], k


def test_all_that_a_kernel_may_contain_has_tangents():
    kernel, shadows = Kernel(steps), Shadows(2)
    given, table, out = np.array([1.5, 7.0]), np.array([0, 1, 5, 6, 7]), np.ones((4, 3))
    shadows.of(given)[:] = [[1.0, 0.0], [0.0, 1.0]]
    shadows.of(out)[:] = 9.0
    call = TangentCaller(kernel, shadows)
    call.given["x"][:] = 0.0, 1.0
    found = call(2.0, 5, given, table, out, (0.0,))
    assert found == (32.0 * 8.0, 5)
    assert call.returned[0] == pytest.approx([0.0, 80.0 * 8.0 + 32.0 * 4.0])
    rates = shadows.of(out)
    assert (rates[:, 1:] == 9.0).all()
    assert rates[0, 0] == pytest.approx([0.0, 80.0])
    assert rates[1, 0] == pytest.approx([7.0, 1.5])
    assert rates[2, 0] == pytest.approx([0.0, 160.0])
    assert rates[3, 0] == pytest.approx([-4.0, 1.0])  # the root of 0 has no slope
    assert shadows.of(given) == pytest.approx(np.array([[0.0, 6.0], [0.0, 4.0]]))
    assert (table == 0).all()
    assert call(3.0, 5, given, table, out, (0.0,))[0] == 243.0 * 12.0


def test_a_step_length_has_no_tangent():
    """The marks of the engine: without them the derivatives of a run with `adaptive` would be those of its steps."""
    assert not any(map(has_tangents, (adaptive.control, adaptive.guess, steps_of_series.choose)))
