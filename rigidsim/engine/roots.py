"""Roots of functions of one number between two places where they have different signs."""

from __future__ import annotations

import math

Point = tuple[float, float]
"""A place, and the value there."""


def next_guess(new: Point, other: Point, old: Point | None, near: float) -> float:
    """Where to look next for the root of a function, whose signs differ at `new`, the last place, and at `other`; `old`
    is the place that the last one has replaced, None at first.

    Inverse quadratic interpolation through the three points where it is monotonic, else the middle; at first the chord.
    The guess is at least `near` away from both ends (Chandrupatla 1997, Advances in Engineering Software 28, 145).
    """
    (a, f_a), (b, f_b) = new, other
    part = f_a / (f_a - f_b) if old is None else 0.5
    if old is not None:
        c, f_c = old
        place, fall = (a - b) / (c - b), (f_a - f_b) / (f_c - f_b)
        if fall * fall < place and (1.0 - fall) * (1.0 - fall) < 1.0 - place:
            part = f_a / (f_b - f_a) * f_c / (f_b - f_c) + (c - a) / (b - a) * f_a / (f_c - f_a) * f_b / (f_c - f_b)
    if not math.isfinite(part):  # as one of the values is
        part = 0.5
    least = min(0.5, near / abs(b - a))
    return a + min(1.0 - least, max(least, part)) * (b - a)
