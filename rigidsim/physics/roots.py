"""Roots of a function of one number between two places at which it has different signs: the bracket, and where to look
next. A place is (x, f(x)). All that search for an instant at which a function without a known rate vanishes use them.
"""

from __future__ import annotations

from rigidsim.jit import formula
from rigidsim.physics.elementary import select
from rigidsim.physics.functions import absolute, larger, smaller


@formula
def enclosed(found, new, other):
    """(new, other, old): the bracket after one more place was looked at, and the place that it has replaced. A value of
    zero counts as a negative one.
    """
    stays = select(found[1] > 0.0, new[1] > 0.0, new[1] <= 0.0)  # on the side of the last place
    (a, f_a), (b, f_b) = new, other
    return found, (select(stays, b, a), select(stays, f_b, f_a)), (select(stays, a, b), select(stays, f_a, f_b))


@formula
def next_guess(new, other, old, near):
    """Where to look next for the root between `new`, the last place, and `other`; `old` is the place that the last one
    has replaced, at first the last one itself.

    Inverse quadratic interpolation through the three places where it is monotonic, else the middle; at first the chord.
    The guess is at least `near` away from both ends (Chandrupatla 1997, Advances in Engineering Software 28, 145).
    """
    (a, f_a), (b, f_b), (c, f_c) = new, other, old
    place, fall = (a - b) / (c - b), (f_a - f_b) / (f_c - f_b)
    bends = select(fall * fall < place, (1.0 - fall) * (1.0 - fall) < 1.0 - place, False)
    curve = (c - a) / (b - a) * f_a / select(bends, f_c - f_a, 1.0) * f_b / (f_c - f_b)
    part = select(bends, f_a / (f_b - f_a) * f_c / (f_b - f_c) + curve, select(a == c, f_a / (f_a - f_b), 0.5))
    part = select(part - part == 0.0, part, 0.5)  # one of the values is not finite
    least = smaller(0.5, near / absolute(b - a))
    return a + smaller(1.0 - least, larger(least, part)) * (b - a)
