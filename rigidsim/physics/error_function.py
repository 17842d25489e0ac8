"""The error function, from polynomials and an exponential: no library call."""

from __future__ import annotations

from rigidsim.jit import formula
from rigidsim.physics.elementary import polynomial, select
from rigidsim.physics.exponentials import exponential
from rigidsim.physics.functions import absolute
from rigidsim.physics.jets import jet_chain

TWO_OVER_ROOT_PI = 1.1283791670955126
# Coefficients of `error_function_core` and `error_function_tail`, the highest first.
CORE = (
    -7.795898827002142e-10, 1.3720064546777686e-08, -1.6208483801871705e-07, 1.6447424703317362e-06,
    -1.492473690741966e-05, 0.00012055294904839707, -0.0008548325975389692, 0.0052239776071164225,
    -0.02686617064323777, 0.11283791670945006, -0.37612638903183543, 0.12837916709551256,
)  # fmt: skip
TAIL = (
    -2.22812957637235e-07, 4.146302183268488e-06, 1.859427387429402e-06, -1.4166339069117108e-05,
    -2.7640727821912852e-05, 2.7560352756678313e-05, 0.00017436477257256738, 4.355265359817883e-05,
    -0.0009819771114740715, -0.0008471431229415333, 0.006997461739200575, 0.0037328924016564484, -0.07897858101571269,
    0.24165819424248763, -0.4271858474139585, 0.2553956763105057,
)  # fmt: skip


@formula
def error_function_core(z):
    """erf(x)/x - 1 with z = x^2 <= 1: the polynomial through the twelve Chebyshev nodes, with an error below 5e-17."""
    return polynomial(z, CORE)


@formula
def error_function_tail(x):
    """e^(x^2) (1 - erf x) for x in [1, 6]: a polynomial in t = (x - 2)/(x + 2) through the sixteen Chebyshev nodes.

    Its error, times e^(-x^2), is below 3e-17.
    """
    return polynomial((x - 2.0) / (x + 2.0), TAIL)


@formula
def error_function(x):
    """erf x = 2/sqrt(pi) times the integral of e^(-s^2) from 0 to x: x + x `error_function_core` up to |x| = 1, above
    1 - e^(-x^2) `error_function_tail`, which is 1 from 6 on. 1.4 ulp measured.
    """
    size = absolute(x)
    small, large = select(size < 1.0, x, 0.5), select(size < 6.0, select(size > 1.0, size, 1.0), 6.0)
    rest = exponential(-large * large) * error_function_tail(large)
    beyond = select(x < 0.0, rest - 1.0, 1.0 - rest)
    value = select(size < 1.0, small + small * error_function_core(small * small), beyond)
    return select(x == x, value, x)


@formula
def jet_error_function(u):
    """erf u: f' = 2/sqrt(pi) e^(-u^2), f'' = -2 u f'."""
    f_1 = TWO_OVER_ROOT_PI * exponential(-u[0] * u[0])
    return jet_chain(error_function(u[0]), f_1, -2.0 * u[0] * f_1, u)
