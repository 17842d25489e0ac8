"""Second-order jets (u, u', u''): a function of one variable t with its first two derivatives at one t.

For expressions in scenes that prescribe a motion, which needs their rates: (t, 1, 0) is the variable, (c, 0, 0) a
constant. Units: those of u, u/s and u/s^2. Where u is at rest (u' = u'' = 0) so is every function of it, including its
singular points; at a kink the derivatives of |u|, hypotenuse and arc tangent are 0.
Source: Griewank and Walther, Evaluating Derivatives (2008), chapter 13.
"""

from __future__ import annotations

from rigidsim.jit import formula
from rigidsim.physics.elementary import arc_tangent, select, select3, sin_cos, sqrt
from rigidsim.physics.functions import (
    absolute,
    arc_cosine,
    arc_sine,
    arc_slope,
    exponential,
    floored,
    hyperbolic_cosine,
    hyperbolic_sine,
    hyperbolic_tangent,
    hypotenuse,
    larger,
    logarithm,
    power,
    quotient,
    remainder,
    sign,
    smaller,
)


@formula
def times_rate(f, rate):
    """f rate, and 0 at rest even where f is infinite."""
    return select(rate == 0.0, 0.0, f) * rate


@formula
def share(a, b):
    """a/b, and 0 for 0/0."""
    return select(a == 0.0, 0.0, quotient(a, b))


@formula
def jet_chain(f, f_1, f_2, u):
    """The jet of f(u) from f, its derivatives f_1 and f_2 at u, and the jet u: (f, f_1 u', f_1 u'' + f_2 u'^2)."""
    return (f, times_rate(f_1, u[1]), times_rate(f_1, u[2]) + times_rate(f_2, u[1] * u[1]))


# --- arithmetic


@formula
def jet_sum(u, v):
    """u + v."""
    return (u[0] + v[0], u[1] + v[1], u[2] + v[2])


@formula
def jet_difference(u, v):
    """u - v."""
    return (u[0] - v[0], u[1] - v[1], u[2] - v[2])


@formula
def jet_negated(u):
    """-u."""
    return (-u[0], -u[1], -u[2])


@formula
def jet_product(u, v):
    """u v: (u v, u' v + u v', u'' v + 2 u' v' + u v''). Leibniz."""
    return (u[0] * v[0], u[1] * v[0] + u[0] * v[1], u[2] * v[0] + 2.0 * (u[1] * v[1]) + u[0] * v[2])


@formula
def jet_quotient(u, v):
    """q = u/v: q' = (u' - q v')/v, q'' = (u'' - 2 q' v' - q v'')/v; v must not vanish."""
    q = quotient(u[0], v[0])
    q_1 = quotient(u[1] - times_rate(q, v[1]), v[0])
    return (q, q_1, quotient(u[2] - 2.0 * times_rate(q_1, v[1]) - times_rate(q, v[2]), v[0]))


# --- functions of one jet


@formula
def jet_square_root(u):
    """sqrt u: f' = 1/(2 f), f'' = -f'/(2 u)."""
    f = sqrt(u[0])
    f_1 = quotient(0.5, f)
    return jet_chain(f, f_1, quotient(-0.5 * f_1, u[0]), u)


@formula
def jet_sine(u):
    """sin u: f' = cos u, f'' = -sin u."""
    s, c = sin_cos(u[0])
    return jet_chain(s, c, -s, u)


@formula
def jet_cosine(u):
    """cos u: f' = -sin u, f'' = -cos u."""
    s, c = sin_cos(u[0])
    return jet_chain(c, -s, -c, u)


@formula
def jet_tangent(u):
    """tan u: f' = 1/cos^2 u, f'' = 2 f f'."""
    s, c = sin_cos(u[0])
    f, f_1 = quotient(s, c), quotient(1.0, c * c)
    return jet_chain(f, f_1, 2.0 * f * f_1, u)


@formula
def jet_arc_sine(u):
    """asin u: f' = 1/sqrt(1 - u^2), f'' = u f'^3; infinite at |u| = 1."""
    w = (1.0 - u[0]) * (1.0 + u[0])
    f_1 = quotient(1.0, sqrt(select(w < 0.0, 0.0, w)))
    return jet_chain(arc_sine(u[0]), f_1, u[0] * f_1 * f_1 * f_1, u)


@formula
def jet_arc_cosine(u):
    """acos u: its derivatives are those of asin with the other sign."""
    f = jet_arc_sine(u)
    return (arc_cosine(u[0]), -f[1], -f[2])


@formula
def jet_arc_tangent(u):
    """atan u: f' = 1/(1 + u^2), f'' = -2 u f'^2."""
    f_1 = 1.0 / (1.0 + u[0] * u[0])
    return jet_chain(arc_slope(u[0]), f_1, -2.0 * u[0] * f_1 * f_1, u)


@formula
def jet_exponential(u):
    """e^u: f' = f'' = f."""
    f = exponential(u[0])
    return jet_chain(f, f, f, u)


@formula
def jet_logarithm(u):
    """ln u: f' = 1/u, f'' = -1/u^2."""
    f_1 = quotient(1.0, u[0])
    return jet_chain(logarithm(u[0]), f_1, -f_1 * f_1, u)


@formula
def jet_hyperbolic_sine(u):
    """sinh u: f' = cosh u, f'' = f."""
    f = hyperbolic_sine(u[0])
    return jet_chain(f, hyperbolic_cosine(u[0]), f, u)


@formula
def jet_hyperbolic_cosine(u):
    """cosh u: f' = sinh u, f'' = f."""
    f = hyperbolic_cosine(u[0])
    return jet_chain(f, hyperbolic_sine(u[0]), f, u)


@formula
def jet_hyperbolic_tangent(u):
    """tanh u: f' = 1 - f^2, f'' = -2 f f'."""
    f = hyperbolic_tangent(u[0])
    f_1 = (1.0 - f) * (1.0 + f)
    return jet_chain(f, f_1, -2.0 * f * f_1, u)


# --- functions of two jets


@formula
def jet_arc_tangent_2(y, x):
    """The angle a of the point (x, y), with d = x^2 + y^2: a' = (x y' - y x')/d,
    a'' = (x y'' - y x'' - 2 a' (x x' + y y'))/d.
    """
    d = x[0] * x[0] + y[0] * y[0]
    a_1 = share(x[0] * y[1] - y[0] * x[1], d)
    a_2 = share(x[0] * y[2] - y[0] * x[2] - 2.0 * times_rate(a_1, x[0] * x[1] + y[0] * y[1]), d)
    return (arc_tangent(y[0], x[0]), a_1, a_2)


@formula
def jet_power(u, v):
    """u^v. With v at rest f' = v u^(v-1) and f'' = v (v - 1) u^(v-2), which are 0 if any factor is 0; else exp(v ln u)
    with u > 0.
    """
    n, m = v[0], v[0] - 1.0
    f = power(u[0], n)
    f_1 = n * select(n == 0.0, 0.0, power(u[0], m))
    f_2 = n * m * select(n * m == 0.0, 0.0, power(u[0], m - 1.0))
    rest = select(v[1] == 0.0, v[2], 1.0) == 0.0
    base = select3(rest, (1.0, 0.0, 0.0), u)  # where the logarithm is not needed, the constant 1
    e = jet_product(v, jet_logarithm(base))
    return select3(rest, jet_chain(f, f_1, f_2, u), jet_chain(f, f, f, e))


@formula
def jet_hypotenuse(u, v):
    """h = sqrt(u^2 + v^2) with c = u/h, s = v/h: h' = c u' + s v', h'' = c u'' + s v'' + (c v' - s u')^2/h."""
    h = hypotenuse(u[0], v[0])
    c, s = share(u[0], h), share(v[0], h)
    across = c * v[1] - s * u[1]
    return (h, c * u[1] + s * v[1], c * u[2] + s * v[2] + share(across * across, h))


@formula
def jet_remainder(u, v):
    """u - v floor(u/v), with the integer floor(u/v) as a constant; the jumps have no derivative."""
    r = remainder(u[0], v[0])
    turns = floored(quotient(u[0] - r, v[0]) + 0.5)
    return (r, u[1] - times_rate(turns, v[1]), u[2] - times_rate(turns, v[2]))


# --- choices


@formula
def jet_choice(condition, u, v):
    """u where the condition, a jet, is 1, v where it is 0; both must be defined."""
    return select3(condition[0] != 0.0, u, v)


@formula
def jet_absolute(u):
    """|u|: f' = sign u, which is 0 at 0."""
    s = sign(u[0])
    return (absolute(u[0]), s * u[1], s * u[2])


@formula
def jet_sign(u):
    """The sign of u: a constant, with jumps that have no derivative."""
    return (sign(u[0]), 0.0, 0.0)


@formula
def jet_floored(u):
    """The largest integer not above u: a constant, with jumps that have no derivative."""
    return (floored(u[0]), 0.0, 0.0)


@formula
def jet_smaller(u, v):
    """The jet with the smaller value; v where they are equal."""
    w = select3(u[0] < v[0], u, v)
    return (smaller(u[0], v[0]), w[1], w[2])


@formula
def jet_larger(u, v):
    """The jet with the larger value; v where they are equal."""
    w = select3(u[0] > v[0], u, v)
    return (larger(u[0], v[0]), w[1], w[2])
