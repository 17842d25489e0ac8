"""Loops: bodies that are held together beside the joints of the tree.

A loop holds a point of one body at a point of another, or their distance, or an axis of one parallel to one of the
other. It has one row for each equation: a gap that has to vanish, m or without unit, and a direction (e, n) of its
reaction: a multiplier of one is a force e, N, on the second body at its point, and a torque n, N m; minus both act on
the first. With r the way from the first point to the second, v and a its rates, and omega = omega_2 - omega_1, the
gap's rate is e . v + n . omega, and its second derivative e . a + n . alpha + what rates alone give. World axes.

A coupling has one row, of coordinates: q_2 - r q_1 - c vanishes. A multiplier of one is a torque or force of one in the
second joint, and of -r in the first, each on its body, and the opposite on what that hangs on.

A loop that has limits holds a coordinate of one row, which is measured: the distance |r|, the angle between two axes
(swing), that about them (twist), or that of the whole rotation (turn). It acts at a limit only, and in one direction,
as the stop of a joint does.

With J the rows (e, n) of all loops, seen from the coordinates, the multipliers lambda make the gaps' accelerations
vanish, J M^-1 J^T lambda = -g''; after a step -M^-1 J^T (J M^-1 J^T)^-1 g is the smallest displacement, measured by the
mass matrix, that closes the gaps.

Source: Featherstone, Rigid Body Dynamics Algorithms (2008), 8.4-8.7; Lubich, Engstler, Nowak, Poehle, Numerical
integration of constrained mechanical systems using MEXX, Mech. Struct. Mach. 23 (1995): projection after a step.
"""

from __future__ import annotations

from rigidsim.jit import formula
from rigidsim.physics.elementary import arc_tangent, at_start, select, sqrt
from rigidsim.physics.inertia import apply
from rigidsim.physics.vector import add, cross, dot, scaled, sub

SMALLEST_PIVOT = 1e-12
"""Of a row of J M^-1 J^T: the part of its diagonal below which what the other rows leave of it is rounding."""
SMALLEST_SHARE = 1e-14
"""The same of what the diagonal would be if nothing held the two bodies: where joints hold what a loop holds, as the
second hinge of a door, the diagonal itself is rounding.
"""

CLOSED = 1e-6
"""The part of the size of a loop that a gap may be; of one without unit, the gap itself."""
LEFT = 0.1
"""The part of a wider gap of which a displacement leaves less, as long as there are places where the loop is closed: a
product of the gap and of itself. Out of reach it leaves a quarter and more, as Newton's method at a double root.
"""

MOST_CLOSED, LEAST_CLOSED = 100.0, 1e-12
"""How much closing the loops may change after a step, in tolerances of a step, and at least: of 1 m, rad, m/s or rad/s,
and of what is changed.
"""


@formula
def closure_error(before, after, tolerance):
    """What closing the loops changes of a vector, in parts of what a step of this relative tolerance may need."""
    change, share = sub(after, before), MOST_CLOSED * tolerance
    allowed = select(share > LEAST_CLOSED, share, LEAST_CLOSED) * (1.0 + sqrt(dot(before, before)))
    return sqrt(dot(change, change)) / allowed


@formula
def point_motion(v, a, omega, alpha, arm):
    """(v + omega x arm, a + alpha x arm + omega x (omega x arm)): velocity and acceleration of a point."""
    sweep = cross(omega, arm)
    return add(v, sweep), add(a, add(cross(alpha, arm), cross(omega, sweep)))


@formula
def axes_apart(axis, across, omega_1, omega_2):
    """(n, gap, bias) of an axis that is fixed in the first body and has to stay at right angles to a direction
    `across` of the second; unit vectors, rad/s, world axes.

    gap = axis . across, its rate n . (omega_2 - omega_1) with n = across x axis; bias = (omega_2 - omega_1) . n', n' =
    (omega_2 x across) x axis + across x (omega_1 x axis), is what rates give of the second derivative, 1/s^2.
    """
    turning = add(cross(cross(omega_2, across), axis), cross(across, cross(omega_1, axis)))
    return cross(across, axis), dot(axis, across), dot(sub(omega_2, omega_1), turning)


@formula
def distance_apart(r, v, length):
    """(e, gap, bias) of a distance: e = r/|r|, gap = |r| - length, m; of its second derivative e . a + bias, the part
    bias = (v . v - (e . v)^2)/|r|, m/s^2. At r = 0, where there is no direction, e = 0.
    """
    size = sqrt(dot(r, r))
    inverse = select(size > 0.0, 1.0 / select(size > 0.0, size, 1.0), 0.0)
    e = scaled(inverse, r)
    along = dot(e, v)
    return e, size - length, inverse * (dot(v, v) - along * along)


@formula
def swing_angle(a, b, omega_1, omega_2):
    """(n, angle, bias) of the angle between an axis a of the first body and an axis b of the second; unit vectors,
    rad/s, world axes.

    angle = atan2(|a x b|, a . b); its rate n . (omega_2 - omega_1) with n = a x b/|a x b|; bias = (omega_2 - omega_1)
    . n', 1/s^2, is what rates give of the second derivative. Where the axes are parallel there is no direction: n = 0.
    """
    c, relative = cross(a, b), sub(omega_2, omega_1)
    c_dot = add(cross(cross(omega_1, a), b), cross(a, cross(omega_2, b)))
    sine = sqrt(dot(c, c))
    inverse = select(sine > 0.0, 1.0 / select(sine > 0.0, sine, 1.0), 0.0)
    n = scaled(inverse, c)
    n_dot = scaled(inverse, sub(c_dot, scaled(dot(n, c_dot), n)))
    return n, arc_tangent(sine, dot(a, b)), dot(relative, n_dot)


@formula
def least_turned(a, b, e):
    """e - (e . b)/(1 + a . b) (a + b): a vector e at right angles to the unit vector a, turned by the least rotation
    that brings a to b, about a x b. Opposite axes have none: e itself.
    """
    share = 1.0 + dot(a, b)
    has_one = share > 0.0
    return sub(e, scaled(select(has_one, dot(e, b), 0.0) / select(has_one, share, 1.0), add(a, b)))


@formula
def twist_angle(a, b, e, f, omega_1, omega_2):
    """(m, angle, bias) of the turn of the second body about its axis b that is left when the least rotation has brought
    the axis a of the first to b: from e, a unit vector of the first at right angles to a, to f, one of the second at
    right angles to b; unit vectors, rad/s, world axes.

    The rotation is that from e, `least_turned`, to f, about b, in [-pi, pi]; its rate m . (omega_2 - omega_1) with
    m = (a + b)/(1 + a . b), and bias = (omega_2 - omega_1) . m', 1/s^2.
    """
    relative, share = sub(omega_2, omega_1), 1.0 + dot(a, b)
    has_one = share > 0.0
    inverse = select(has_one, 1.0 / select(has_one, share, 1.0), 0.0)
    m, turned = scaled(inverse, add(a, b)), least_turned(a, b, e)
    share_dot = -dot(relative, cross(a, b))
    m_dot = scaled(inverse, sub(add(cross(omega_1, a), cross(omega_2, b)), scaled(share_dot, m)))
    return m, arc_tangent(dot(cross(turned, f), b), dot(turned, f)), dot(relative, m_dot)


@formula
def turn_angle(a, b, omega_1, omega_2):
    """(n, angle, bias) of the angle of the whole rotation from three axes of the first body, at right angles to each
    other, to those of the second; unit vectors, rad/s, world axes.

    With s = sum of a_k x b_k = 2 sin(angle) n and c = sum of a_k . b_k = 1 + 2 cos(angle): angle = atan2(|s|, c - 1),
    its rate n . omega with omega = omega_2 - omega_1; bias = omega . n' = omega . (omega_1 x n)
    + (omega . omega - (n . omega)^2)/(2 tan(angle/2)), 1/s^2. Without a rotation there is no direction: n = 0.
    """
    s = add(add(cross(a[0], b[0]), cross(a[1], b[1])), cross(a[2], b[2]))
    c = dot(a[0], b[0]) + dot(a[1], b[1]) + dot(a[2], b[2]) - 1.0
    sine, relative = sqrt(dot(s, s)), sub(omega_2, omega_1)
    turns = sine > 0.0
    divisor = select(turns, sine, 1.0)
    n = scaled(select(turns, 1.0, 0.0) / divisor, s)
    along, share = dot(n, relative), (sqrt(sine * sine + c * c) + c) / divisor  # 1/tan(angle/2)
    bend = 0.5 * share * (dot(relative, relative) - along * along)
    return n, arc_tangent(sine, c), dot(relative, cross(omega_1, n)) + select(turns, bend, 0.0)


@formula
def unheld_mobility(mass, inverse, f, t):
    """f . f/m + t . I^-1 t: the rate along a force f and a torque t that an impulse of these gives a body which nothing
    holds; body axes, 0 without mass.
    """
    has_mass = mass > 0.0
    return select(has_mass, dot(f, f), 0.0) / select(has_mass, mass, 1.0) + dot(t, apply(inverse, t))


@formula
def inverse_pivot(pivot, diagonal, unheld):
    """1/pivot, or 0 where a row depends on those before it or on joints, so that its multiplier is zero: the pivot is
    below `SMALLEST_PIVOT` of the row's own diagonal plus `SMALLEST_SHARE` of what that is of bodies that nothing holds.
    In a series a row that holds at the beginning of a step holds to its end: where its pivot only touches zero, as in a
    singular position, the multiplier has a series, too.
    """
    left = pivot - SMALLEST_PIVOT * diagonal - SMALLEST_SHARE * unheld
    holds = select(at_start(left) > 0.0, 1.0, left) > 0.0
    return select(holds, 1.0 / select(holds, pivot, 1.0), 0.0)
