"""The error function, from polynomials and an exponential: no library call."""

from __future__ import annotations

from rigidsim.jit import formula
from rigidsim.physics.elementary import select
from rigidsim.physics.exponentials import exponential
from rigidsim.physics.functions import absolute
from rigidsim.physics.jets import jet_chain

TWO_OVER_ROOT_PI = 1.1283791670955126


@formula
def error_function_core(z):
    """erf(x)/x - 1 with z = x^2 <= 1: the polynomial through the twelve Chebyshev nodes, with an error below 5e-17."""
    s = 1.3720064546777686e-08 - z * 7.795898827002142e-10
    s = -1.6208483801871705e-07 + z * s
    s = 1.6447424703317362e-06 + z * s
    s = -1.492473690741966e-05 + z * s
    s = 0.00012055294904839707 + z * s
    s = -0.0008548325975389692 + z * s
    s = 0.0052239776071164225 + z * s
    s = -0.02686617064323777 + z * s
    s = 0.11283791670945006 + z * s
    s = -0.37612638903183543 + z * s
    return 0.12837916709551256 + z * s


@formula
def error_function_tail(x):
    """e^(x^2) (1 - erf x) for x in [1, 6]: a polynomial in t = (x - 2)/(x + 2) through the sixteen Chebyshev nodes.

    Its error, times e^(-x^2), is below 3e-17.
    """
    t = (x - 2.0) / (x + 2.0)
    s = 4.146302183268488e-06 - t * 2.22812957637235e-07
    s = 1.859427387429402e-06 + t * s
    s = -1.4166339069117108e-05 + t * s
    s = -2.7640727821912852e-05 + t * s
    s = 2.7560352756678313e-05 + t * s
    s = 0.00017436477257256738 + t * s
    s = 4.355265359817883e-05 + t * s
    s = -0.0009819771114740715 + t * s
    s = -0.0008471431229415333 + t * s
    s = 0.006997461739200575 + t * s
    s = 0.0037328924016564484 + t * s
    s = -0.07897858101571269 + t * s
    s = 0.24165819424248763 + t * s
    s = -0.4271858474139585 + t * s
    return 0.2553956763105057 + t * s


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
