"""Dual numbers: their algebra, their functions, and the physics formulas on them."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rigidsim
from rigidsim import dual
from rigidsim.containers.dual import Dual, derivative, directional, hessian, jacobian, second_derivative
from rigidsim.physics.elementary import select, sin_cos
from rigidsim.physics.quaternion import exp_full, log, rotate

# Quarters of whole numbers: their sums and products of a few are exact.
quarters = st.integers(-64, 64).map(lambda n: n / 4)
duals = st.builds(Dual, quarters, quarters)
AT = 0.37
NAMES = ["sin", "cos", "tan", "asin", "acos", "atan", "exp", "log", "sqrt", "sinh", "cosh", "tanh"]


def pair(x: Dual) -> tuple:
    return (x.value, x.derivative)


# --- the algebra


@given(quarters, quarters, quarters, quarters)
def test_sum_and_product_are_cliffords(x, y, a, b):
    assert pair(Dual(x, y) + Dual(a, b)) == (x + a, y + b)
    assert pair(Dual(x, y) - Dual(a, b)) == (x - a, y - b)
    assert pair(Dual(x, y) * Dual(a, b)) == (x * a, y * a + x * b)


def test_the_dual_unit_squares_to_zero():
    e = Dual(0.0, 1.0)
    assert pair(e * e) == (0.0, 0.0)


@given(duals, duals, duals)
def test_it_is_a_commutative_ring(p, q, r):
    assert pair(p * q) == pair(q * p)
    assert pair((p * q) * r) == pair(p * (q * r))
    assert pair(p * (q + r)) == pair(p * q + p * r)
    assert pair(p - p) == (0.0, 0.0)
    assert pair(p + -q) == pair(p - q)


@given(duals, duals.filter(lambda q: q.value != 0.0))
def test_division_undoes_multiplication(p, q):
    assert np.allclose(pair(p / q * q), pair(p), rtol=1e-13, atol=1e-12)


@given(quarters, duals)
def test_plain_numbers_are_constants_on_either_side(a, p):
    c = Dual(a, 0.0)
    assert pair(a + p) == pair(p + a) == pair(c + p)
    assert pair(a - p) == pair(c - p)
    assert pair(a * p) == pair(p * a) == pair(c * p)
    if p.value:
        assert pair(a / p) == pair(c / p)
        assert pair(a % p) == pair(c % p)


def test_comparisons_look_at_the_value():
    p = Dual(1.0, 5.0)
    assert p < 2 and p <= 1 and p > Dual(0.5, 9.0) and p >= 1.0 and p == 1.0 and p != 2.0
    assert np.array_equal(Dual(np.array([1.0, 3.0])) > 2.0, [False, True])
    with pytest.raises(TypeError, match="value"):
        float(p)
    assert repr(p) == "Dual(1.0, 5.0)"


@given(st.floats(0.1, 3), st.integers(-4, 5))
def test_powers(x, n):
    value, first, second = second_derivative(lambda t: t**n, x)
    assert value == pytest.approx(x**n, rel=1e-14)
    assert first == pytest.approx(n * x ** (n - 1), rel=1e-13)
    assert second == pytest.approx(n * (n - 1) * x ** (n - 2), rel=1e-13)


def test_powers_of_zero_and_of_two_variables():
    assert second_derivative(lambda t: t**2, 0.0) == (0.0, 0.0, 2.0)
    assert second_derivative(lambda t: t**0, 0.0) == (1.0, 0.0, 0.0)
    assert derivative(lambda t: 2.0**t, 3.0) == pytest.approx(8 * math.log(2), rel=1e-15)
    x, y = 2.0, 3.0
    mixed = x ** (y - 1) * (1 + y * math.log(x))
    expected = [[y * (y - 1) * x ** (y - 2), mixed], [mixed, x**y * math.log(x) ** 2]]
    assert np.allclose(hessian(lambda p: p[0] ** p[1], (x, y)), expected, rtol=1e-14, atol=0)
    # An exponent whose rate is zero here, but not its second derivative.
    assert second_derivative(lambda t: 2.0 ** (t * t), 0.0)[2] == pytest.approx(2 * math.log(2), rel=1e-15)


# --- functions


@pytest.mark.parametrize("name", NAMES)
def test_functions_and_two_derivatives_against_fifty_digits(name):
    function, true = getattr(dual, name), getattr(mpmath, name)
    with mpmath.workdps(50):
        right = [mpmath.diff(true, mpmath.mpf(AT), k) for k in range(3)]
        fifty = second_derivative(function, mpmath.mpf(AT))
        # Numerical derivatives keep half of the digits of their working precision.
        assert all(abs(a - b) < mpmath.mpf(10) ** -40 for a, b in zip(fifty, right, strict=True))
    ours = second_derivative(function, AT)
    assert np.allclose(ours, [float(x) for x in right], rtol=4e-15, atol=0)
    columns = second_derivative(function, np.array([AT, 0.5]))
    assert [float(part[0]) for part in columns] == list(ours)


def test_functions_of_plain_numbers_are_plain():
    assert isinstance(dual.sin(0.5), float)
    assert dual.exp(np.zeros(3)).tolist() == [1.0, 1.0, 1.0]
    assert dual.log(mpmath.mpf(1)) == 0
    assert dual.abs(-2.0) == 2.0 and dual.hypot(3.0, 4.0) == 5.0 and dual.atan2(1.0, 1.0) == math.pi / 4


def test_functions_of_two_numbers():
    x, y = 0.7, -1.9
    d = x * x + y * y
    assert np.allclose(jacobian(lambda p: [dual.atan2(p[1], p[0])], (x, y)), [[-y / d, x / d]], rtol=1e-15, atol=0)
    h = math.sqrt(d)
    assert np.allclose(jacobian(lambda p: [dual.hypot(*p)], (x, y)), [[x / h, y / h]], rtol=1e-15, atol=0)
    assert derivative(lambda t: t % 0.5, 1.2) == 1.0
    assert derivative(lambda t: 7.0 % t, 2.0) == -3.0


# Where an approximation changes from one branch to another, and where it is cut off.
THRESHOLDS = [1.0, 20.0, 350.0, 709.0, math.log(2) / 2, 1.0 + 2.0**-52]
SMALL = [1e-200, 1e-20, 1e-12, 1e-9, 1e-6, 1e-3]
RULES = {
    "sin": (mpmath.cos, lambda x: -mpmath.sin(x)),
    "cos": (lambda x: -mpmath.sin(x), lambda x: -mpmath.cos(x)),
    "tan": (lambda x: mpmath.sec(x) ** 2, lambda x: 2 * mpmath.tan(x) * mpmath.sec(x) ** 2),
    "asin": (lambda x: 1 / mpmath.sqrt(1 - x * x), lambda x: x / mpmath.sqrt(1 - x * x) ** 3),
    "acos": (lambda x: -1 / mpmath.sqrt(1 - x * x), lambda x: -x / mpmath.sqrt(1 - x * x) ** 3),
    "atan": (lambda x: 1 / (1 + x * x), lambda x: -2 * x / (1 + x * x) ** 2),
    "exp": (mpmath.exp, mpmath.exp),
    "sinh": (mpmath.cosh, mpmath.sinh),
    "cosh": (mpmath.sinh, mpmath.cosh),
    "tanh": (lambda x: mpmath.sech(x) ** 2, lambda x: -2 * mpmath.tanh(x) * mpmath.sech(x) ** 2),
}


@pytest.mark.parametrize("name", RULES)
def test_derivatives_are_right_to_the_last_digits_near_zero_and_at_every_threshold(name):
    """Relatively; measured 6.8e-16 at most."""
    points = [x for x in SMALL + THRESHOLDS if name not in ("asin", "acos", "tan") or x < 1]
    for x in (*points, *(-x for x in points)):
        with mpmath.workdps(450):
            right = [float(rule(mpmath.mpf(x))) for rule in RULES[name]]
        assert np.allclose(second_derivative(getattr(dual, name), x)[1:], right, rtol=1e-15, atol=1e-300), x


@pytest.mark.parametrize("size", [1e-200, 1e-9, 1.0, 1e200])
def test_polar_coordinates_have_derivatives_of_any_size(size):
    """h_xx = s^2/h, h_xy = -s c/h, h_yy = c^2/h; a_x = -s/h, a_y = c/h."""
    for c, s in ((0.6, 0.8), (1.0, 0.0), (-0.8, 0.6), (1.0, 1e-9)):
        point = (size * c, size * s)
        assert np.allclose(jacobian(lambda p: [dual.hypot(*p)], point), [[c, s]], rtol=1e-15, atol=0)
        turn = np.multiply(jacobian(lambda p: [dual.atan2(p[1], p[0])], point), size)
        assert np.allclose(turn, [[-s, c]], rtol=1e-15, atol=0)
        bend = np.multiply(hessian(lambda p: dual.hypot(*p), point), size)
        assert np.allclose(bend, [[s * s, -s * c], [-s * c, c * c]], rtol=1e-15, atol=0)


def test_derivatives_at_singular_points_are_infinite():
    inf = math.inf
    assert second_derivative(dual.sqrt, 0.0) == (0.0, inf, -inf)
    assert second_derivative(dual.log, 0.0) == (-inf, inf, -inf)
    assert second_derivative(dual.asin, 1.0) == (math.pi / 2, inf, inf)
    assert second_derivative(dual.acos, 1.0) == (0.0, -inf, -inf)
    assert derivative(dual.sqrt, np.array([0.0, 4.0])).tolist() == [inf, 0.25]
    assert derivative(abs, -3.0) == -1.0
    assert np.isnan(derivative(lambda t: dual.hypot(t, t), 0.0))
    assert np.isnan(derivative(dual.asin, np.array([1.5, 0.0]))).tolist() == [True, False]


def test_an_infinite_number_times_a_constant_stays_infinite():
    p = Dual(math.inf, -math.inf)
    assert pair(2.0 * p) == pair(p * 2.0) == (math.inf, -math.inf)


def test_select_works_on_columns():
    x = Dual(np.array([-2.0, 3.0]), np.array([1.0, 1.0]))
    y = select(x < 0.0, -x, 5.0)
    assert y.value.tolist() == [2.0, 5.0] and y.derivative.tolist() == [-1.0, 0.0]


# --- derivatives of functions of one and many variables


def test_columns_give_all_derivatives_at_once():
    x = np.linspace(-2, 2, 9)
    assert np.allclose(derivative(lambda t: t * dual.sin(t), x), np.sin(x) + x * np.cos(x), rtol=0, atol=1e-15)
    assert derivative(lambda t: 3.0 + 0.0 * x, x).tolist() == [0.0] * 9


def test_a_constant_has_no_derivative():
    assert derivative(lambda t: 3.0, 1.0) == 0.0
    assert second_derivative(lambda t: 3.0, 1.0) == (3.0, 0.0, 0.0)
    assert jacobian(lambda p: (1.0, p[0]), (2.0, 3.0)).tolist() == [[0.0, 0.0], [1.0, 0.0]]


def test_a_derivative_inside_another_knows_its_own_variable():
    assert derivative(lambda x: x * derivative(lambda y: x + y, 1.0), 1.0) == 1.0
    assert derivative(lambda x: x * derivative(lambda y: x * y, 2.0), 3.0) == 6.0


def test_jacobian_and_direction_of_a_linear_map():
    matrix = np.array([[1.0, 2.0, -1.0], [0.5, 0.0, 4.0]])
    at, v = (0.3, -0.8, 2.0), (1.0, -2.0, 0.5)
    assert np.array_equal(jacobian(lambda x: matrix @ x, at), matrix)
    assert np.allclose(directional(lambda x: matrix @ x, at, v), matrix @ v, rtol=1e-15, atol=0)
    assert directional(lambda x: x[0] * x[1], at, v) == at[1] * v[0] + at[0] * v[1]


def test_hessian_of_a_cubic_is_symmetric_and_exact():
    found = hessian(lambda x: x[0] * x[0] * x[1] + x[1] * x[2] * x[2], (1.0, 2.0, 3.0))
    assert found.tolist() == [[4.0, 2.0, 0.0], [2.0, 0.0, 6.0], [0.0, 6.0, 4.0]]


# --- the physics formulas


@pytest.mark.parametrize("x", [(0.3, -0.5, 0.2), (1e-6, 2e-6, -1e-6), (0.0, 0.0, 0.0)])
def test_the_jacobian_of_a_rotation_against_central_differences(x):
    v = (0.7, -1.1, 0.4)

    def turned(point):
        return rotate(exp_full(point), v)

    ours = jacobian(turned, x)
    with mpmath.workdps(50):
        h, v = mpmath.mpf(10) ** -15, tuple(map(mpmath.mpf, v))
        at = tuple(map(mpmath.mpf, x))
        for j in range(3):
            steps = [tuple(a + s * h * (i == j) for i, a in enumerate(at)) for s in (1, -1)]
            ahead, behind = map(turned, steps)
            true = [float((a - b) / (2 * h)) for a, b in zip(ahead, behind, strict=True)]
            assert np.allclose(ours[:, j], true, rtol=0, atol=2e-15)  # measured 6e-16


def test_the_logarithm_inverts_the_exponential_to_first_order():
    x = (0.3, -0.5, 0.2)
    assert np.allclose(jacobian(lambda p: log(exp_full(p)), x), np.eye(3), rtol=0, atol=2e-15)
    assert pair(sin_cos(Dual(0.5, 2.0))[0]) == (sin_cos(0.5)[0], 2.0 * sin_cos(0.5)[1])


def test_the_module_is_part_of_the_package():
    assert rigidsim.containers.dual is dual
    assert "dual" in rigidsim.__all__
