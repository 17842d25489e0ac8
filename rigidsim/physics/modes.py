"""Coordinates of joints that slide, are held, or are at a stop: Coulomb's law without regularisation.

A coordinate x (rad or m) with the rate v may have dry friction F (N m or N), a motor that wants the rate r with a
torque of T at most, and stops, low <= x <= high. The rate r is a constant, or that of `tracking_rate`, which brings the
coordinate to a function of time. What they do together is its constraint force,

    g = -F sgn(v) - T sgn(v - r),

where the sign of zero is any number in [-1, 1]; at a stop, where v = 0, any force away from the stop is added. The mode
of the coordinate is the two signs, slip = sgn(v) and lag = sgn(v - r). Where neither is zero, it slides, and g is a
constant; where one is zero, its rate is held, and g is what that takes, as long as it is within bounds.

Source: Pfeiffer and Glocker, Multibody Dynamics with Unilateral Contacts (1996), chapters 3 and 5; of impacts, Newton's
law of restitution, chapter 8.
"""

from __future__ import annotations

from rigidsim.jit import formula
from rigidsim.physics.elementary import INFINITY, select, sqrt

FAR = 1.0  # a guard of what cannot happen
UNBOUNDED = 1e300  # a bound of a constraint force, N m or N, that is none


@formula
def sliding(slip, lag):
    """(slip lag)^2: 1 of a coordinate that slides, 0 of one whose rate is held."""
    both = slip * lag
    return both * both


@formula
def tracks(slip, lag):
    """slip^2 (1 - lag^2): 1 of a coordinate that moves at the rate that its motor wants, else 0."""
    return slip * slip * (1.0 - lag * lag)


@formula
def sliding_force(slip, lag, friction, largest):
    """-F slip - T lag, N m or N."""
    return -friction * slip - largest * lag


@formula
def constraint_bounds(x, slip, lag, stops, friction, largest):
    """(lower, upper) of the constraint force, N m or N, of a coordinate x whose rate is held; stops are (low, high)."""
    low, high = stops
    most_slip, most_lag = select(slip == 0.0, 1.0, slip), select(lag == 0.0, 1.0, lag)
    least_slip, least_lag = select(slip == 0.0, -1.0, slip), select(lag == 0.0, -1.0, lag)
    lower = sliding_force(most_slip, most_lag, friction, largest)
    upper = sliding_force(least_slip, least_lag, friction, largest)
    rests = slip == 0.0
    lower = select(select(rests, x >= high, False), -UNBOUNDED, lower)
    return lower, select(select(rests, x <= low, False), UNBOUNDED, upper)


@formula
def motor_share(force, slip, lag, friction, largest):
    """The torque of the motor alone, N m or N; where a rate is held, it has what the friction leaves."""
    return select(lag == 0.0, force + friction * slip, -largest * lag)


@formula
def tracking_rate(x, v, desired, tracking):
    """(r, r') of a position servo: r = x_d' + (x_d - x)/T, rad/s or m/s, and its derivative; where the rate is r, the
    error x_d - x falls as exp(-t/T). `desired` has x_d, x_d' and x_d'', `tracking` is 1/T, 1/s.

    Source: Slotine and Li, Applied Nonlinear Control (1991), section 7.1: the surface of a sliding mode, r - v = 0.
    """
    value, rate, rate_dot = desired
    return rate + tracking * (value - x), rate_dot + tracking * (rate - v)


@formula
def mode_of(x, v, stops, friction, wanted, largest):
    """(slip, lag) of a coordinate with the rate v: held, where it has one of the rates that can be held."""
    low, high = stops
    holds = select(friction > 0.0, 1.0, select(x <= low, 1.0, select(x >= high, 1.0, 0.0)))
    slip = select(v > 0.0, 1.0, select(v < 0.0, -1.0, select(holds > 0.0, 0.0, 1.0)))
    late = v - wanted
    lag = select(late > 0.0, 1.0, select(late < 0.0, -1.0, select(largest > 0.0, 0.0, 1.0)))
    return slip, lag


@formula
def stop_guards(x, v, slip, stops):
    """((guard, its rate) at the lower stop, the same at the upper one): how far away they are, rad or m; FAR where
    there is none, and of a coordinate at rest.
    """
    low, high = stops
    nears_low, nears_high = select(slip == 0.0, False, low > -INFINITY), select(slip == 0.0, False, high < INFINITY)
    below = select(nears_low, x - low, FAR), select(nears_low, v, 0.0)
    return below, (select(nears_high, high - x, FAR), select(nears_high, -v, 0.0))


@formula
def rate_guards(v, a, slip, lag, friction, wanted, largest):
    """((guard, its rate) of the sign of v, the same of that of v - r): how far a coordinate that slides, with the
    acceleration a, is from being held, rad/s or m/s; FAR where it cannot be. `wanted` is (r, r').
    """
    slips, lags, (r, r_dot) = friction > 0.0, largest > 0.0, wanted
    first = select(slips, slip * v, FAR), select(slips, slip * a, 0.0)
    return first, (select(lags, lag * (v - r), FAR), select(lags, lag * (a - r_dot), 0.0))


@formula
def constraint_guards(force, bounds):
    """How far the constraint force of a coordinate whose rate is held is from its upper and lower bound, N m or N."""
    lower, upper = bounds
    above, below = upper - force, force - lower
    return select(upper < UNBOUNDED, above, FAR), select(lower > -UNBOUNDED, below, FAR)


@formula
def crossing(begin, end, first, last):
    """Where a guard vanishes that is negative at `end`, not at `begin`, s; of each end (guard, its rate), the rate 0
    if it is not known.

    The cubic in the guard with the times and their derivatives at both ends (inverse interpolation after Hermite),
    where it is monotonic (Fritsch and Carlson 1980: no derivative above three times the slope of the chord); else the
    parabola in time with the first rate and both guards, or the chord. What is negative at the beginning counts as
    zero there; if it grows, it vanishes again: also if it grows from rest, by t^2 (a + b t) with a > 0.
    """
    (y_0, d_0), (y_1, d_1) = first, last
    y = select(y_0 > 0.0, y_0, 0.0)
    length, way, part = end - begin, y_1 - y, y / (y - y_1)
    steep, rest = way / 3.0, 1.0 - part
    falls = select(length * d_0 <= steep, length * d_1 <= steep, False)
    bend = rest / select(falls, d_0, 1.0) - part / select(falls, d_1, 1.0)
    cubic = length * part * part * (3.0 - 2.0 * part) + way * part * rest * bend
    grows, is_known, curve = d_0 > 0.0, d_0 != 0.0, (way - length * d_0) / (length * length)
    size = select(grows, d_0, -d_0) + sqrt(d_0 * d_0 - 4.0 * curve * y)
    parabola = select(grows, -size / (2.0 * select(grows, curve, 1.0)), 2.0 * y / select(is_known, size, 1.0))
    rests = select(y == 0.0, select(is_known, False, length * d_1 < 3.0 * y_1), False)
    again = length * (length * d_1 - 3.0 * y_1) / select(rests, length * d_1 - 2.0 * y_1, 1.0)
    other = select(rests, again, length * part)
    return begin + select(falls, cubic, select(is_known, parabola, other))


@formula
def dip(length, first, last):
    """(time, guard) at the least of the cubic through two guards and their rates, s after the first; of each end
    (guard, its rate). (0, FAR) where the guard does not fall at first and grow at last.
    """
    (y_0, d_0), (y_1, d_1) = first, last
    dips = select(d_0 < 0.0, d_1 > 0.0, False)
    fall, rise, way = select(dips, length * d_0, -1.0), select(dips, length * d_1, 1.0), y_1 - y_0
    a, b = 3.0 * way - 2.0 * fall - rise, fall + rise - 2.0 * way
    part = select(dips, -fall / (a + sqrt(a * a - 3.0 * b * fall)), 0.0)
    return length * part, select(dips, y_0 + part * (fall + part * (a + part * b)), FAR)


@formula
def least_approach(a, h):
    """The speed that an approach to a stop has to exceed to rebound, rad/s or m/s: what the acceleration a towards the
    stop makes in a step of h s, so that a rebound of less than two steps is none.
    """
    return select(a > 0.0, a * h, 0.0)
