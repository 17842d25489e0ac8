"""What the formulas of coordinates that slide or are held have to give: see formula_checks.py."""

from __future__ import annotations

import math

import numpy as np
from scipy.interpolate import CubicHermiteSpline

EPS = np.finfo(float).eps
INF, NONE = math.inf, 1e300
FEW = 16 * EPS
NO_STOPS, STOPS = (-INF, INF), (-0.4, 0.9)
F, T, R = 0.7, 0.3, -0.2
FAR = (1.0, 0.0)

MODE_EQUIVALENT = {
    # Twice nothing; a number that only says yes; a condition is true whatever its sign.
    "modes.constraint_bounds: doubled 0.0": 5,
    "modes.constraint_bounds: negated select(rests, x >= high, False)": 1,
    "modes.constraint_bounds: negated select(rests, x <= low, False)": 1,
    "modes.motor_share: doubled 0.0": 1,
    "modes.mode_of: doubled 0.0": 10,
    "modes.mode_of: doubled 1.0": 3,
    "modes.stop_guards: negated select(slip == 0.0, False, low > -INFINITY)": 1,
    "modes.stop_guards: doubled 0.0": 4,
    "modes.stop_guards: negated select(slip == 0.0, False, high < INFINITY)": 1,
    "modes.rate_guards: doubled 0.0": 4,
    "modes.crossing: doubled 0.0": 5,
    "modes.crossing: negated select(is_known, False, length * d_1 < 3.0 * y_1)": 1,
    "modes.crossing: negated select(y == 0.0, select(is_known, False, length * d_1 < 3.0 * y_1), False)": 1,
    "modes.crossing: negated select(length * d_0 <= steep, length * d_1 <= steep, False)": 1,
    "modes.dip: negated select(d_0 < 0.0, d_1 > 0.0, False)": 1,
    "modes.dip: doubled 0.0": 3,
    "modes.least_approach: doubled 0.0": 2,
    # What keeps a cubic or a parabola that is not used away from 0/0.
    "modes.crossing: doubled 1.0": 5,
    "modes.dip: no sign in -1.0": 1,
    "modes.dip: doubled 1.0": 2,
    # A condition is true whatever its sign; twice nothing; what is not used away from 0/0.
    "roots.enclosed: negated select(found[1] > 0.0, new[1] > 0.0, new[1] <= 0.0)": 1,
    "roots.enclosed: doubled 0.0": 3,
    "roots.next_guess: negated select(fall * fall < place, (1.0 - fall) * (1.0 - fall) < 1.0 - place, False)": 1,
    "roots.next_guess: doubled 0.0": 1,
    "roots.next_guess: doubled 1.0": 1,
}


def cubic_in_margin(begin, end, first, last) -> float:
    """The time as a cubic in the margin, at zero."""
    (y_0, d_0), (y_1, d_1) = first, last
    return float(CubicHermiteSpline([-y_0, -y_1], [begin, end], [-1 / d_0, -1 / d_1])(0.0))


def dip_of(length, first, last) -> tuple:
    """The least of the cubic, from the roots of its derivative."""
    (y_0, d_0), (y_1, d_1) = first, last
    cubic = CubicHermiteSpline([0, length], [y_0, y_1], [d_0, d_1])
    (root,) = [x for x in cubic.derivative().roots(extrapolate=False) if cubic.derivative(2)(x) > 0]
    return root, float(cubic(root))


def on_parabola(begin, end, first, last) -> float:
    """The zero in the interval of the parabola with the first rate."""
    (y, d), (y_1, _), length = first, last, end - begin
    (root,) = [x for x in np.roots([(y_1 - y - length * d) / length**2, d, y]) if 0 < x < length]
    return begin + root


def from_rest(begin, end, y, d) -> float:
    """The zero in the interval of the cubic that begins at zero, with the rate zero."""
    cubic = CubicHermiteSpline([0, end - begin], [0, y], [0, d])
    (root,) = [x for x in cubic.roots(extrapolate=False) if x > 1e-6]
    return begin + root


def crossings() -> list:
    falling = [(0.2, 0.9, (0.5, -0.6), (-0.1, -1.3)), (0.0, 2.0, (0.5, -0.6), (-0.7, -0.4))]
    # It grows first, falls from rest or slowly at one end, or grows at last.
    curved = [(0.5, 0.3), (-0.1, -1.0)], [(0.5, -1e-3), (-0.1, -1.0)], [(0.5, -1.0), (-0.1, -1e-3)]
    curved = *curved, [(0.5, -0.3), (-0.1, 1.0)], [(0.5, -0.21), (-0.1, -1.3)], [(1e-9, -1e-8), (-1e-7, -4e-4)]
    return [
        *((given, cubic_in_margin(*given), FEW) for given in falling),
        *(((0.2, 0.9, *ends), on_parabola(0.2, 0.9, *ends), FEW) for ends in curved),
        # Rates that are not known: the chord.
        ((0.2, 0.9, (0.5, 0.0), (-0.1, 0.0)), 0.2 + 0.7 * 5 / 6, FEW),
        # From zero: it grows, and vanishes again; or it falls at once.
        ((0.2, 0.9, (0.0, 0.6), (-0.1, -1.0)), 0.2 + 0.7 * 0.6 / (0.6 + 0.1 / 0.7), FEW),
        ((0.2, 0.9, (-0.3, 0.6), (-0.1, -1.0)), 0.2 + 0.7 * 0.6 / (0.6 + 0.1 / 0.7), FEW),
        ((0.2, 0.9, (0.0, 0.0), (-0.1, -1.0)), from_rest(0.2, 0.9, -0.1, -1.0), FEW),
        ((0.2, 0.9, (-0.3, 0.0), (-0.2, -1.3)), from_rest(0.2, 0.9, -0.2, -1.3), FEW),
        ((0.2, 0.9, (0.0, 0.0), (-0.5, -1.0)), 0.2, 0.0),
        ((0.2, 0.9, (0.0, -0.6), (-0.1, -1.0)), 0.2, 0.0),
        ((0.2, 0.9, (-0.3, 0.0), (-0.1, 0.0)), 0.2, 0.0),
    ]


def dips() -> list:
    down_and_up = [(0.7, (0.2, -1.1), (0.1, 0.8)), (1.6, (0.2, -0.3), (0.5, 2.1)), (0.3, (0.02, -1.0), (0.02, 1.0))]
    return [
        *((given, dip_of(*given), FEW) for given in down_and_up),
        ((0.7, (0.2, 1.1), (0.1, 0.8)), (0.0, 1.0), 0.0),
        ((0.7, (0.2, -1.1), (0.1, -0.8)), (0.0, 1.0), 0.0),
        ((0.7, (1.0, 0.0), (1.0, 0.0)), (0.0, 1.0), 0.0),
    ]


def bounds() -> list:
    """Of friction and motor; held at rest, at the wanted rate, at both; at a stop only what is at rest."""
    both = F + T
    return [
        ((0.1, 0.0, 1.0, STOPS, F, T), (-F - T, F - T), FEW),
        ((0.1, 0.0, -1.0, STOPS, F, T), (-F + T, F + T), FEW),
        ((0.1, 1.0, 0.0, STOPS, F, T), (-F - T, -F + T), FEW),
        ((0.1, -1.0, 0.0, STOPS, F, T), (F - T, F + T), FEW),
        ((0.1, 0.0, 0.0, STOPS, F, T), (-both, both), FEW),
        ((-0.4, 0.0, 1.0, STOPS, F, T), (-F - T, NONE), FEW),
        ((0.9, 0.0, 1.0, STOPS, F, T), (-NONE, F - T), FEW),
        ((-0.4, 1.0, 0.0, STOPS, F, T), (-F - T, -F + T), FEW),
        ((0.9, 1.0, 0.0, STOPS, F, T), (-F - T, -F + T), FEW),
    ]


MODE_CHECKS = {
    "sliding": [((-1.0, 1.0), 1.0, 0.0), ((0.0, 1.0), 0.0, 0.0), ((1.0, 0.0), 0.0, 0.0)],
    "tracks": [
        ((1.0, 0.0), 1.0, 0.0),
        ((-1.0, 0.0), 1.0, 0.0),
        ((0.0, 1.0), 0.0, 0.0),
        ((0.0, 0.0), 0.0, 0.0),
        ((1.0, -1.0), 0.0, 0.0),
    ],
    "tracking_rate": [((0.3, 0.8, (0.5, 0.2, -0.7), 4.0), (0.2 + 4.0 * 0.2, -0.7 + 4.0 * -0.6), 8 * FEW)],
    "sliding_force": [((1.0, -1.0, F, T), T - F, FEW), ((-1.0, 1.0, F, T), F - T, FEW), ((0.0, 0.0, F, T), 0.0, 0.0)],
    "constraint_bounds": bounds(),
    "motor_share": [
        ((0.5, 1.0, 0.0, F, T), 0.5 + F, FEW),
        ((0.5, 0.0, -1.0, F, T), T, FEW),
        ((0.5, 0.0, 1.0, F, T), -T, FEW),
    ],
    "mode_of": [
        ((0.1, 0.3, STOPS, F, R, T), (1.0, 1.0), 0.0),
        ((0.1, -0.1, STOPS, F, R, T), (-1.0, 1.0), 0.0),
        ((0.1, -0.3, STOPS, F, R, T), (-1.0, -1.0), 0.0),
        ((0.1, R, STOPS, F, R, T), (-1.0, 0.0), 0.0),
        ((0.1, R, STOPS, F, R, 0.0), (-1.0, 1.0), 0.0),
        ((0.1, 0.0, STOPS, F, 0.2, T), (0.0, -1.0), 0.0),
        ((0.1, 0.0, STOPS, 0.0, R, T), (1.0, 1.0), 0.0),
        ((-0.4, 0.0, STOPS, 0.0, R, T), (0.0, 1.0), 0.0),
        ((0.9, 0.0, STOPS, 0.0, R, T), (0.0, 1.0), 0.0),
        ((0.1, 0.0, NO_STOPS, 0.0, 0.0, T), (1.0, 0.0), 0.0),
    ],
    "stop_guards": [
        ((0.1, 0.3, 1.0, STOPS), ((0.5, 0.3), (0.8, -0.3)), FEW),
        ((0.1, 0.3, 0.0, STOPS), (FAR, FAR), 0.0),
        ((0.1, 0.3, 1.0, NO_STOPS), (FAR, FAR), 0.0),
    ],
    "rate_guards": [
        ((0.3, 1.7, -1.0, 1.0, F, (R, 0.4), T), ((-0.3, -1.7), (0.5, 1.3)), FEW),
        ((0.3, 1.7, 1.0, -1.0, F, (R, 0.4), 0.0), ((0.3, 1.7), FAR), FEW),
        ((0.3, 1.7, 1.0, -1.0, 0.0, (R, 0.4), T), (FAR, (-0.5, -1.3)), FEW),
    ],
    "constraint_guards": [
        ((0.2, (-0.7, 0.5)), (0.3, 0.9), FEW),
        ((0.2, (-NONE, 0.5)), (0.3, 1.0), FEW),
        ((0.2, (-0.7, NONE)), (1.0, 0.9), FEW),
    ],
    "crossing": crossings(),
    "dip": dips(),
    "least_approach": [((9.81, 1e-3), 9.81e-3, FEW), ((-9.81, 1e-3), 0.0, 0.0)],
}


def through(*places) -> float:
    """Where the parabola in the values through three places vanishes, by Lagrange's formula."""
    return sum(
        x * math.prod(f_j / (f_j - f) for j, (_, f_j) in enumerate(places) if j != k) for k, (x, f) in enumerate(places)
    )


def guesses() -> list:
    curved = [((0.3, -0.2), (0.9, 0.7), (0.1, -0.45)), ((0.8, 0.3), (0.1, -0.5), (1.0, 0.6))]
    # A fall that is too large for the place, or too small; the same values as before.
    uneven = [
        ((0.3, -0.2), (0.9, 0.1), (0.1, -5.0)),
        ((0.7, -0.2), (0.9, 5.0), (0.1, -0.25)),
        ((0.4, -1.0), (0.8, 1.0), (0.2, -1.0)),
    ]
    chord = (0.3, -0.2), (0.9, 0.7), (0.3, -0.2)
    flat = (0.0, -1e-9), (1.0, 1.0), (0.0, -1e-9)
    endless = (1.0, INF), (0.2, -0.1), (1.0, INF)
    return [
        *(((*places, 1e-3), through(*places), FEW) for places in curved),
        *(((*places, 1e-3), 0.5 * (places[0][0] + places[1][0]), FEW) for places in uneven),
        ((*chord, 1e-3), 0.3 + 0.6 * 2 / 9, FEW),
        ((*chord, 0.2), 0.3 + 0.2, FEW),
        ((*chord, 0.7), 0.6, FEW),
        ((*flat, 1e-3), 1e-3, FEW),
        ((flat[1], flat[0], flat[1], 1e-3), 1e-3, FEW),
        ((*endless, 1e-3), 0.6, FEW),
    ]  # fmt: skip


OLD, NEW = (0.2, -0.5), (0.7, 0.3)
ROOT_CHECKS = {
    "enclosed": [
        (((0.4, -0.1), OLD, NEW), ((0.4, -0.1), NEW, OLD), 0.0),
        (((0.4, 0.1), OLD, NEW), ((0.4, 0.1), OLD, NEW), 0.0),
        (((0.4, 0.1), NEW, OLD), ((0.4, 0.1), OLD, NEW), 0.0),
        (((0.4, 0.0), NEW, OLD), ((0.4, 0.0), NEW, OLD), 0.0),
        (((0.4, 0.0), (0.2, 0.0), NEW), ((0.4, 0.0), NEW, (0.2, 0.0)), 0.0),
    ],
    "next_guess": guesses(),
}
