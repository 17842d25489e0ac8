"""Jets: the chain rule twice, the places where a derivative is special, and the same bits compiled."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rigidsim import dual
from rigidsim.physics import functions, jets
from rigidsim.physics.elementary import arc_tangent, sqrt
from rigidsim.physics.error_function import error_function, jet_error_function

ZERO, TIME = (0.0, 0.0, 0.0), (0.0, 1.0, 0.0)
ONE = {
    "square_root": sqrt, "sine": functions.sine, "cosine": functions.cosine, "tangent": functions.tangent,
    "arc_sine": functions.arc_sine, "arc_cosine": functions.arc_cosine, "arc_tangent": functions.arc_slope,
    "exponential": functions.exponential, "logarithm": functions.logarithm,
    "hyperbolic_sine": functions.hyperbolic_sine, "hyperbolic_cosine": functions.hyperbolic_cosine,
    "hyperbolic_tangent": functions.hyperbolic_tangent, "absolute": functions.absolute, "sign": functions.sign,
    "floored": functions.floored, "negated": lambda u: -u, "error_function": error_function,
}  # fmt: skip
TWO = {
    "sum": lambda u, v: u + v, "difference": lambda u, v: u - v, "product": lambda u, v: u * v,
    "quotient": lambda u, v: u / v, "power": functions.power, "arc_tangent_2": arc_tangent,
    "hypotenuse": functions.hypotenuse, "remainder": functions.remainder, "smaller": functions.smaller,
    "larger": functions.larger,
}  # fmt: skip
NAMES = [*((name, 1) for name in ONE), *((name, 2) for name in TWO)]
# Values inside every domain, rates of either sign.
jet = st.tuples(st.floats(0.05, 0.95), st.floats(-3, 3), st.floats(-3, 3))
# The formulas are smooth there, and many.
sample = settings(max_examples=settings().max_examples // 3)


def nested(f, *arguments) -> tuple:
    """The same by nested dual numbers, along parabolas with these jets."""
    return dual.second_derivative(lambda t: f(*(u + d * t + 0.5 * dd * t * t for u, d, dd in arguments)), 0.0)


def jet_of(name: str):
    """The formula on jets."""
    return getattr(jets, f"jet_{name}", None) or jet_error_function


@pytest.mark.parametrize("name", ONE)
@sample
@given(u=jet)
def test_jets_are_nested_dual_numbers(name, u):
    ours, theirs = jet_of(name)(u), nested(ONE[name], u)
    # a' is up to 3.3 u' and a'' up to 33 u'^2 for the arc sine at 0.95
    assert np.allclose(ours, theirs, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("name", TWO)
@sample
@given(u=jet, v=jet)
def test_jets_of_two_are_nested_dual_numbers(name, u, v):
    ours, theirs = getattr(jets, f"jet_{name}")(u, v), nested(TWO[name], u, v)
    assert np.allclose(ours, theirs, rtol=1e-12, atol=1e-12 * max(1.0, *map(abs, theirs)))


@pytest.mark.parametrize(
    ("exponent", "expected"),
    [(0.0, (1, 0, 0)), (1.0, (0, 1, 0)), (2.0, (0, 0, 2)), (3.0, (0, 0, 0)), (4.0, (0, 0, 0)), (2.5, (0, 0, 0))],
)
def test_powers_at_zero_have_the_derivatives_that_exist(exponent, expected):
    assert jets.jet_power(TIME, (exponent, 0.0, 0.0)) == expected


def test_a_negative_base_has_whole_powers():
    assert jets.jet_power((-2.0, 1.0, 0.0), (3.0, 0.0, 0.0)) == (-8.0, 12.0, -12.0)
    assert jets.jet_power((-2.0, 1.0, 0.0), (-1.0, 0.0, 0.0)) == (-0.5, -0.25, -0.25)
    assert math.isnan(jets.jet_power((-2.0, 1.0, 0.0), (0.5, 0.0, 0.0))[1])


def test_a_base_at_rest_with_a_moving_exponent():
    value, first, second = jets.jet_power((2.0, 0.0, 0.0), (3.0, 1.0, 0.0))
    assert np.allclose([value, first, second], [8, 8 * math.log(2), 8 * math.log(2) ** 2], rtol=1e-15, atol=0)


@pytest.mark.parametrize("name", ["square_root", "absolute", "arc_sine", "sign", "floored"])
def test_a_constant_stays_one_at_singular_points(name):
    for value in (0.0, 1.0):
        result = getattr(jets, f"jet_{name}")((value, 0.0, 0.0))
        assert result[1:] == (0.0, 0.0)


def test_constants_at_poles_and_kinks():
    assert jets.jet_logarithm(ZERO) == (-math.inf, 0.0, 0.0)
    assert jets.jet_hypotenuse(ZERO, ZERO) == ZERO
    assert jets.jet_arc_tangent_2(ZERO, ZERO) == ZERO
    assert jets.jet_hypotenuse(TIME, ZERO)[:2] == (0.0, 0.0)
    assert jets.jet_absolute(TIME) == ZERO


def test_singular_points_have_infinite_derivatives():
    assert jets.jet_square_root(TIME)[1] == math.inf
    assert jets.jet_arc_sine((1.0, -1.0, 0.0))[1] == -math.inf
    assert jets.jet_quotient((1.0, 0.0, 0.0), TIME)[0] == math.inf


def test_choices_take_the_whole_jet():
    u, v = (1.0, 2.0, 3.0), (4.0, 5.0, 6.0)
    assert jets.jet_smaller(u, v) == u == jets.jet_choice((1.0, 0.0, 0.0), u, v)
    assert jets.jet_larger(u, v) == v == jets.jet_choice((0.0, 0.0, 0.0), u, v)
    assert jets.jet_remainder((7.5, 2.0, 1.0), (2.0, 0.25, 0.5)) == (1.5, 1.25, -0.5)
