"""Sampled control laws: what a controller computes at a sample of the time T (s) after the last one.

Inputs and outputs have any units; rates are per second. Sources: Astrom and Wittenmark, Computer-Controlled Systems
(1997), chapter 8 (PID with a filtered derivative, conditional integration, Tustin's rule).
"""

from __future__ import annotations

from rigidsim.jit import formula
from rigidsim.physics.elementary import select


@formula
def saturated(u, low, high):
    """The number of [low, high] nearest to u."""
    return select(u > high, high, select(u < low, low, u))


@formula
def pid(e, e_last, total, slope, T, gains, filter, limits):
    """(u, I, D) of an error e: u = P e + I + K_d D within limits (low, high), of gains (P, K_i, K_d).

    I is the sum of K_i e T. It stays as it was (`total`) while u is beyond a limit and K_i e leads further beyond. The
    slope of the error is filtered by a time constant (s): D = (filter D_last + e - e_last)/(filter + T).
    """
    proportional, integral, derivative = gains
    low, high = limits
    slope = (filter * slope + (e - e_last)) / (filter + T)
    rest = proportional * e + derivative * slope
    more = integral * e * T
    u = rest + (total + more)
    beyond = select(more > 0.0, u > high, select(more < 0.0, u < low, False))
    total = select(beyond, total, total + more)
    return saturated(rest + total, low, high), total, slope


@formula
def lead_lag(x, x_last, y_last, T, gain, lead, lag):
    """y of an input x by gain (1 + lead s)/(1 + lag s) with s = (2/T) (z - 1)/(z + 1); lead and lag in s."""
    forced = (2.0 * lead + T) * x + (T - 2.0 * lead) * x_last
    return ((2.0 * lag - T) * y_last + gain * forced) / (2.0 * lag + T)


@formula
def rate_limited(x, y_last, T, rising, falling):
    """The number nearest to x that y can reach within T (s), with rates from -falling to rising."""
    return saturated(x, y_last - falling * T, y_last + rising * T)
