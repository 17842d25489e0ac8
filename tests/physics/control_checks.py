"""What the laws of controllers and the errors of sensors have to give: see formula_checks.py."""

from __future__ import annotations

import mpmath
import numpy as np

EPS = np.finfo(float).eps
FREE = (-1e300, 1e300)


def pids() -> list:
    """Each part alone, all together, and the integral at a limit: it goes on where the error leads back."""
    e, last, total, slope, T = 0.7, 0.3, 0.25, 1.5, 0.1
    D = (0.4 * slope + e - last) / (0.4 + T)
    u = 2.0 * e + total + 3.0 * e * T + 0.5 * D
    given = (e, last, total, slope, T, (2.0, 3.0, 0.5), 0.4)
    low = (-e, -last, -total, -slope, *given[4:])
    back = (e, last, -9.0, slope, T, (2.0, 3.0, 0.5), 0.4)  # below a limit, and the error leads upwards
    of_back = 2.0 * e - 9.0 + 3.0 * e * T + 0.5 * D
    still = (0.0, 0.3, 4.0, 0.0, T, (2.0, 3.0, 0.0), 0.4)
    return [
        ((*given, FREE), (u, total + 3.0 * e * T, D), 8 * EPS),
        ((*low, FREE), (-u, -total - 3.0 * e * T, -D), 8 * EPS),
        ((*given, (-1.0, 1.75)), (1.75, total, D), 8 * EPS),
        ((*given, (-1.0, 2.55)), (2.55, total, D), 8 * EPS),
        ((*low, (-1.75, 1.0)), (-1.75, -total, -D), 8 * EPS),
        ((*back, (-1.5, 1.0)), (-1.5, -9.0 + 3.0 * e * T, D), 16 * EPS),
        ((-e, -last, 9.0, -slope, T, (2.0, 3.0, 0.5), 0.4, (-1.0, 1.5)), (1.5, 9.0 - 3.0 * e * T, -D), 16 * EPS),
        ((*back, FREE), (of_back, -9.0 + 3.0 * e * T, D), 32 * EPS),
        ((*still, (-1.0, 3.0)), (3.0, 4.0, -0.3 / 0.5), 8 * EPS),
        ((*still[:2], -4.0, *still[3:], (-3.0, 1.0)), (-3.0, -4.0, -0.3 / 0.5), 8 * EPS),
        ((0.5, 0.25, 0.0, 7.0, 0.125, (0.0, 0.0, 1.0), 0.0, FREE), (2.0, 0.0, 2.0), 0.0),
    ]


def tustin() -> list:
    """The transfer function at z = exp(2j): inputs and outputs are parts of one vibration."""
    gain, lead, lag, T, z = 1.5, 0.7, 0.3, 0.2, np.exp(0.4j)
    s = 2.0 / T * (z - 1.0) / (z + 1.0)
    ratio = gain * (1.0 + lead * s) / (1.0 + lag * s)
    x, y = np.exp(1.1j), ratio * np.exp(1.1j)
    given = float(x.real), float((x / z).real), float((y / z).real)
    return [((*given, T, gain, lead, lag), float(y.real), 16 * EPS), ((2.0, 2.0, 6.0, T, 3.0, lead, lag), 6.0, 8 * EPS)]


def normals() -> list:
    with mpmath.workdps(30):
        cases = [(mpmath.mpf(a), mpmath.mpf(b)) for a, b in ((0.25, 0.125), (0.75, 0.7), (2.0**-53, 0.4), (1.0, 0.3))]
        found = []
        for a, b in cases:
            r, angle = mpmath.sqrt(-2 * mpmath.log(a)), 2 * mpmath.pi * b
            expected = float(r * mpmath.cos(angle)), float(r * mpmath.sin(angle))
            found.append(((float(a), float(b)), expected, 16 * EPS * max(1.0, float(r))))
    return found


CONTROL_EQUIVALENT = {
    # Twice nothing, conditions with a sign, and what keeps a quotient away from 0/0.
    "control.pid: doubled 0.0": 2,
    "control.pid: negated select(more < 0.0, u < low, False)": 1,
    "control.pid: negated select(more > 0.0, u > high, select(more < 0.0, u < low, False))": 1,
    "noise.quantised: doubled 0.0": 1,
    "noise.quantised: doubled 1.0": 1,
}
CONTROL_LAWS = {
    "saturated": [((0.3, -1.0, 2.0), 0.3, 0), ((2.5, -1.0, 2.0), 2.0, 0), ((-1.5, -1.0, 2.0), -1.0, 0)],
    "pid": pids(),
    "lead_lag": tustin(),
    "rate_limited": [
        ((1.0, 0.9, 0.25, 2.0, 4.0), 1.0, 0), ((9.0, 0.5, 0.25, 2.0, 4.0), 1.0, 0),
        ((-9.0, 0.5, 0.25, 2.0, 4.0), -0.5, 0),
    ],
}  # fmt: skip
NOISE_CHECKS = {
    "normal_pair": normals(),
    "quantised": [
        ((1.3, 0.5), 1.5, 0), ((1.2, 0.5), 1.0, 0), ((-1.3, 0.5), -1.5, 0), ((1.25, 0.5), 1.5, 0),
        ((-1.25, 0.5), -1.0, 0), ((1.3, 0.0), 1.3, 0), ((7.0, 4.0), 8.0, 0),
    ],
}  # fmt: skip
