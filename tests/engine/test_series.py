"""Series of Taylor: their coefficients, and steps by them."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from rigidsim.engine.model import layout as at
from rigidsim.engine.series import steps
from rigidsim.engine.series.equations import Equations, SeriesVariable
from rigidsim.engine.series.graph import Graph
from rigidsim.engine.series.tables import tables_of
from rigidsim.jit import kernels
from rigidsim.physics import functions
from rigidsim.physics.elementary import arc_tangent, select, sqrt
from rigidsim.physics.error_function import error_function
from rigidsim.physics.exponentials import exponential, exponential_less_one, logarithm
from rigidsim.physics.forces import cotangent_share
from rigidsim.physics.operations import OPERATIONS
from rigidsim.physics.quaternion import angle_over_sine
from rigidsim.physics.series import length_term
from rigidsim.physics.vector import norm

ORDER = 16


@kernels.kernel
def expand(given, number, orders, state, step, series, lanes):
    """The coefficients, as a kernel of their own."""
    steps.expand(steps.Expansion(given, number, len(orders), series, step, None), orders, state, lanes)


def graph_of(rate, order=ORDER, exponents=()):
    """The graph of y' = rate(t, y), with y in column 0 of row 0 of the state."""
    graph = Graph({*exponents})
    t, y = graph.variable(), graph.variable()
    rates = SeriesVariable(at.NO_ROW, 0, at.NO_ROW, t, 1.0), SeriesVariable(0, 0, at.NO_ROW, y, rate(t, y))
    equations = Equations(graph, list(rates), [], [(1, 2, True)], frozenset())
    return tables_of([equations], [(0, at.NO_ROW)], order + 1, 1)


def coefficients(rate, t, y=0.0, call=None, order=ORDER, exponents=()):
    """Those of y' = rate(t, y) at (t, y)."""
    made, rows = graph_of(rate, order, exponents)
    series = np.zeros((rows.n, order + 1))
    rows.put_values(series, 1)
    state, step = np.full((1, at.STATE.width), y), np.array([t, 0.0, 0.0])
    (call or expand.interpreted)(made, 0, tuple(range(1, order + 1)), state, step, series, (0,))
    return series[1]


def inner(t):
    """An argument whose coefficients are all different, between 0.3 and 0.9 for t between 0 and 1."""
    return 0.3 + 0.5 * t + t * t / 16.0


FUNCTIONS = {
    "square root": (sqrt, mpmath.sqrt),
    "length": (lambda u: norm((u, u * u, 1.0 - u)), lambda u: mpmath.sqrt(u * u + u**4 + (1 - u) ** 2)),
    "sine": (functions.sine, mpmath.sin),
    "cosine": (functions.cosine, mpmath.cos),
    "tangent": (functions.tangent, mpmath.tan),
    "arc sine": (functions.arc_sine, mpmath.asin),
    "arc cosine": (functions.arc_cosine, mpmath.acos),
    "arc tangent": (functions.arc_slope, mpmath.atan),
    "exponential": (exponential, mpmath.exp),
    "exponential less one": (exponential_less_one, mpmath.expm1),
    "logarithm": (logarithm, mpmath.log),
    "hyperbolic sine": (functions.hyperbolic_sine, mpmath.sinh),
    "hyperbolic cosine": (functions.hyperbolic_cosine, mpmath.cosh),
    "hyperbolic tangent": (functions.hyperbolic_tangent, mpmath.tanh),
    "error function": (error_function, mpmath.erf),
    "absolute value": (lambda u: functions.absolute(-u), lambda u: u),
    "reciprocal": (lambda u: 1.0 / u, lambda u: 1 / u),
    "quotient": (lambda u: (u + 2.0) / (u * u - 3.0), lambda u: (u + 2) / (u * u - 3)),
    "square": (lambda u: u * u, lambda u: u * u),
    "third power": (lambda u: functions.power(u, 3.0), lambda u: u**3),
    "power -5/2": (lambda u: functions.power(u, -2.5), lambda u: u ** mpmath.mpf(-2.5)),
    "power 0.3": (lambda u: functions.power(u, 0.3), lambda u: u ** mpmath.mpf(0.3)),
    "power 70": (lambda u: functions.power(u, 70.0), lambda u: u**70),
    "power of a varying exponent": (lambda u: functions.power(u, u + 1.0), lambda u: u ** (u + 1)),
    "angle of a point": (lambda u: arc_tangent(u - 2.0, -u), lambda u: mpmath.atan2(u - 2, -u)),
    "hypotenuse": (lambda u: functions.hypotenuse(u, 2.0 - u), lambda u: mpmath.hypot(u, 2 - u)),
    "smaller": (lambda u: functions.smaller(u * u, u + 1.0), lambda u: u * u),
    "larger": (lambda u: functions.larger(u * u, u + 1.0), lambda u: u + 1),
    "remainder": (lambda u: functions.remainder(u, 0.25), lambda u: u - 0.25 * mpmath.floor(inner(0.4) / 0.25)),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_coefficients_of_a_function_are_those_of_mpmath(name):
    mine, exact = FUNCTIONS[name]
    with mpmath.workdps(40):
        wanted = mpmath.taylor(lambda s: exact(inner(mpmath.mpf(0.4) + s)), 0, ORDER - 1)
        found = coefficients(lambda t, y: mine(inner(t)), 0.4)[1:] * np.arange(1, ORDER + 1)
        # Of terms at s = 1/2, and so that the sum of all errors is that of a polynomial.
        scale = max(abs(c) / 2**k for k, c in enumerate(wanted))
        errors = [float(abs(c - x) / 2**k / scale) for k, (c, x) in enumerate(zip(wanted, found, strict=True))]
    assert max(errors) < 4e-14 if name == "power 70" else max(errors) < 3e-15


def test_every_operation_of_expressions_has_a_series_or_is_held():
    for operation in OPERATIONS:
        wanted = [0.3, 0.6, 0.45][: len(operation.takes)]
        if operation.takes[0] == "condition":
            wanted[0] = 1.0

        def rate(t, y, operation=operation, wanted=wanted):
            return operation.value(*(x if x == 1.0 else x + 0.1 * (t - 0.5) for x in wanted))

        found = coefficients(rate, 0.5)
        assert found[1] == pytest.approx(operation.value(*wanted), rel=3e-16, abs=0.0), operation.name
        assert np.isfinite(found).all()


@pytest.mark.parametrize("p", [3.0, 0.0, -1.5, 0.3])
def test_a_power_of_a_named_exponent_has_the_bits_of_that_exponent(p):
    """Whatever the exponents are in other lanes and blocks."""
    alone = coefficients(lambda t, y: functions.power(inner(t), p) * y, 0.4, 0.7)
    for others in ((), (3.0, 0.5), (None, -1.5, 2.0, 7.5)):
        found = coefficients(
            lambda t, y: functions.power(inner(t), t.graph.named(0, np.array([p]))) * y, 0.4, 0.7, exponents=others
        )
        assert found.tobytes() == alone.tobytes()


def test_a_solution_of_an_equation_has_its_series():
    # y' = y (1 - y): y = 1/(1 + e^-t) from y(0) = 1/2
    found = coefficients(lambda t, y: y * (1.0 - y), 0.0, 0.5)
    with mpmath.workdps(40):
        wanted = [float(c) for c in mpmath.taylor(lambda t: 1 / (1 + mpmath.exp(-t)), 0, ORDER)]
    np.testing.assert_allclose(found, wanted, rtol=2e-15, atol=1e-18)


def test_the_length_of_what_begins_with_the_third_power_has_no_series():
    late = (0.0, 0.0, 0.0, 1.0, 0.5)
    assert np.isnan(length_term(late, late, late, (0.0, 0.0, 0.0, 3.0**0.5)))


def test_equations_serve_all_blocks_in_which_the_same_numbers_vary():
    graph = Graph()
    t, c = graph.variable(), graph.named(0, np.array([1.0, 0.0]))
    x = t * c + (c + 1.0)
    assert x.operation == "add" and x.operands[0].operation == "scale"  # nothing is folded for its value
    assert x.operands[1].values.tolist() == [2.0, 1.0]
    assert graph.renew(np.array([[3.0, 5.0]]))
    assert x.operands[1].values.tolist() == [4.0, 6.0]
    functions.power(t, c)
    assert graph.renew(np.array([[5.0, 3.0]])) and not graph.renew(np.array([[5.0, 0.3]]))  # a power without products


def test_factors_change_places_only_where_that_changes_no_bit():
    graph = Graph()
    t, u = graph.variable(), graph.variable()
    assert (t * 0.5) * (u * 4.0) is (t * u) * 2.0 and t * 3.0 * 0.5 is t * 1.5 and t * 0.5 / u is t / u * 0.5
    assert (t * 3.0) * u is not (t * u) * 3.0 and t * 3.0 * 3.0 is not t * 9.0


def test_compiled_coefficients_have_the_bits_of_the_interpreted_text():
    def rate(t, y):
        waves = functions.sine(y * t) * exponential(-t) - functions.absolute(t - 0.2)
        return waves + sqrt(1.0 + y * y) / (2.0 + t) + functions.arc_slope(y)

    assert coefficients(rate, 0.4, 0.7).tobytes() == coefficients(rate, 0.4, 0.7, expand.caller()).tobytes()


def test_what_cannot_change_a_number_leaves_the_graph():
    graph = Graph()
    t = graph.variable()
    assert t * 0.0 == 0.0 and t * 1.0 is t and t + 0.0 is t and t - t == 0.0
    assert 0.0 - (0.0 - t) is t
    assert t * 2.0 * 3.0 is t * 6.0 and t * t is t * t and (t + 1.0) is (1.0 + t)
    assert functions.quotient(t, 4.0) is t * 0.25
    assert select(t == t, t, 0.0) is t and select(t != t, t, 0.0) == 0.0


def test_a_decision_by_a_number_that_varies_is_refused():
    with pytest.raises(TypeError, match="use `select`"):
        bool(Graph().variable() < 1.0)


@pytest.mark.parametrize("z", [0.0, 1e-20, 0.04, 0.2, 0.9])
def test_functions_of_a_square_have_series_where_their_formulas_take_a_root(z):
    with mpmath.workdps(60):

        def ratio(s):
            n, w = mpmath.sqrt(z + s), mpmath.sqrt(1 - z - s)
            return mpmath.atan(n / w) / n

        def share(s):
            h = mpmath.sqrt(z + s)
            return (1 - h * mpmath.cot(h)) / h**2

        for mine, exact in ((of_angle, ratio), (cotangent_share, share)):
            wanted = mpmath.taylor(exact, 0, 8) if z > 1e-10 else at_zero()[mine]
            found = coefficients(lambda t, y, f=mine: f(t), z, order=9)[1:] * np.arange(1, 10)
            errors = [float(abs(c - x)) * 0.02**k for k, (c, x) in enumerate(zip(wanted, found, strict=True))]
            assert max(errors) < 2e-15, exact.__name__


def of_angle(t):
    """Of a point of the unit circle."""
    return angle_over_sine(t, sqrt(1.0 - t))


def at_zero():
    """The series of both functions at 0: asin(n)/n, and that of the cotangent."""
    arc = [mpmath.binomial(2 * k, k) / (4**k * (2 * k + 1)) for k in range(9)]
    return {of_angle: arc, cotangent_share: [2 * mpmath.zeta(2 * k) / mpmath.pi ** (2 * k) for k in range(1, 10)]}


# --- branches


@kernels.kernel
def stop_at_branch(order, margin, answer, step, trial, shifted, crossing, lanes):
    """The search for the end of a step, as a kernel of its own."""
    expansion = steps.Expansion(None, 0, order + 1, None, step, trial)
    steps.stop_at_branch(expansion, steps.BEYOND, margin, answer, shifted, crossing, lanes)


def first_changes(polynomials, length=1.0, call=None):
    """The ends of steps from t = 0 at which c_0 + c_1 t + ... first changes its sign, all of them in lanes."""
    made, n = np.array(polynomials, float), len(polynomials)
    margin, answer = np.ascontiguousarray(made.T).ravel(), (made[:, 0] < 0.0).astype(float)
    step, trial = np.zeros(at.STEP.width * n), np.zeros(at.STEP.width * n)
    trial[at.STEP.place("t") * n :][:n] = length
    work, crossing = np.zeros(made.size), np.zeros(at.CROSSING.width * n)
    given = made.shape[1] - 1, margin, answer, step, trial, work, crossing, (0,) * n
    (call or stop_at_branch.interpreted)(*given)
    return trial[at.STEP.place("t") * n :][:n].copy()


def through(*zeros, more=0.0):
    """The polynomial of degree 15 with these zeros, times 1 + more t + more^2 t^2 + ..., as exact as doubles are."""
    made = [mpmath.mpf(1)]
    for zero in zeros:
        shifted = [mpmath.mpf(0), *made]
        made = [x - zero * y for x, y in zip(shifted, [*made, mpmath.mpf(0)], strict=True)]
    growth = [mpmath.mpf(more) ** k for k in range(16)]
    return [float(sum(made[j] * growth[k - j] for j in range(min(k + 1, len(made))))) for k in range(16)]


@pytest.mark.parametrize("apart", [2.0**-k for k in range(1, 25)])
def test_two_crossings_are_found_however_near_they_are(apart):
    """Down to 6e-8 of the step; the margin between them is then 1e-15 of its size, near its rounding."""
    found = first_changes([through(0.5, 0.5 + apart), [-x for x in through(0.5, 0.5 + apart)]])
    assert np.abs(found - 0.5).max() < 1e-15 / apart + 3e-13


def test_near_the_beginning_of_a_step_crossings_may_be_nearer_still():
    for apart in (1e-8, 1e-10, 3e-12):
        (found,) = first_changes([through(apart, 2 * apart)])
        assert found == pytest.approx(apart, abs=2e-16)


def first_zero(polynomial):
    """The first real zero between 0 and 1, else 1."""
    with mpmath.workdps(50):
        zeros = mpmath.polyroots([mpmath.mpf(c) for c in polynomial], maxsteps=200, extraprec=150, asc=True)
        return min([float(z.real) for z in zeros if abs(z.imag) < 1e-25 and 0 < z.real < 1], default=1.0)


@pytest.mark.slow
def test_of_many_crossings_the_first_one_is_found():
    source = np.random.default_rng(7)
    rows = [through(*source.uniform(-0.5, 1.5, source.integers(3, 11)), more=0.3) for _ in range(24)]
    wanted = np.array([first_zero(row) for row in rows])
    assert (wanted < 1).sum() > 15
    assert np.abs(first_changes(rows) - wanted).max() < 4e-13  # BEYOND, and rounding; 9e-14 measured


def test_what_only_touches_zero_does_not_end_a_step():
    found = first_changes([[0.25, -1.0, 1.0], [0.25 + 1e-9, -1.0, 1.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]])
    assert np.all(found == 1.0)
    # But where a negative number is zero it is not negative.
    assert first_changes([[-0.25, 1.0, -1.0]])[0] == pytest.approx(0.5, abs=1e-8)


def test_a_margin_that_is_not_finite_ends_the_search():
    found = first_changes([[1.0, np.nan, 0.0], [1.0, np.inf, -np.inf], [1.0, -3.0, 0.0]])
    assert found[2] == pytest.approx(1 / 3, abs=1e-13)
    assert np.all((found > 0.0) & (found <= 1.0))


def test_the_search_has_the_same_bits_compiled_and_in_any_lane():
    source = np.random.default_rng(3)
    rows = [through(*source.uniform(-0.5, 1.5, 8), more=0.4) for _ in range(16)]
    compiled = first_changes(rows, call=stop_at_branch.caller())
    assert compiled.tobytes() == first_changes(rows).tobytes()
    alone = np.concatenate([first_changes([row], call=stop_at_branch.caller()) for row in rows])
    assert compiled.tobytes() == alone.tobytes()
