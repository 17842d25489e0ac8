"""Errors of integrators for motions with a known solution: damped oscillations, and free flight in a rotating frame."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from rigidsim.scene.schema.integrators import Integrator

MOST_STEPS = 10**6  # of a flight; beyond, the powers of a step's matrix lose digits
ALLOWED_ERROR = 1e-4
"""Allowed error of a free flight in a rotating frame, relative to its distance from the axis."""


def growth(method: Integrator, swing: float, damping: float) -> float:
    """The logarithm of the largest growth factor per step of x'' = -swing^2 x - damping x' (both per step); negative
    for decay.

    Leading terms, undamped: `rkmk4` -z^6/144, `magnus` z^2/4, `magnus2` z^4/8, `euler` 0 up to 2.
    """
    matrix = method.linear_step(np.array([(0.0, 1.0), (-swing * swing, -damping)]))
    if not np.isfinite(matrix @ matrix).all():
        return math.inf
    (a, b), (c, d) = matrix.tolist()
    middle, apart = (a + d) / 2, ((a - d) / 2) ** 2 + b * c  # eigenvalues: middle +- sqrt(apart)
    largest = math.hypot(middle, math.sqrt(-apart)) if apart < 0 else abs(middle) + math.sqrt(apart)
    return math.log(largest) if largest > 0 else -math.inf


def flight_error(method: Integrator, turn: float, total: float) -> float:
    """The error of a free flight in a frame that rotates by `turn` (rad) per step and by `total` during the run,
    relative to its distance from the axis: the larger of those of a body at rest and of one that begins on the axis.

    With z = turn and T = total: `rkmk4` z^4 (1/24 + T/120), `magnus2` z^2 (1/2 + T/6), each the first term alone
    while T < 1; `magnus` 3 z T/4 and `euler` z, growing to T^2 z/4 and T^2 z/2, then exponentially in T sqrt(z).
    """
    if not 0.0 < turn < math.inf:
        return 0.0 if turn == 0.0 else math.inf
    steps = max(1, round(min(total / turn, MOST_STEPS)))
    rotating = np.array([(0.0, 1.0), (turn * turn, -2j * turn)])
    # Without the eigenvalues of a point that rotates with the frame, z -> exp(-i turn) z.
    flown = np.linalg.matrix_power(method.linear_step(rotating) * np.exp(1j * turn), steps)
    rest = abs(flown[0] @ np.array([1.0, -1j * turn]) - 1.0)
    away = abs(flown[0, 1] - steps) / steps
    worst = max(rest, away)
    return float(worst) if math.isfinite(worst) else math.inf


def shorter(step: float, fits: Callable[[float], bool], shortest: float = 0.0) -> float | None:
    """The first of 5, 2, 1 times powers of ten below a step that is short enough, if there is one above the
    shortest.
    """
    power = math.floor(math.log10(step))
    while 5 * 10.0**power >= shortest and power > -300:
        for digit in (5, 2, 1):
            tried = float(f"{digit}e{power}")
            if shortest <= tried < step and fits(tried):
                return tried
        power -= 1
    return None


def advised_step(step: float | None) -> str:
    """The advice at the end of a message about a step that is too long."""
    return "no shorter step is sufficient" if step is None else f"use at most {step:g} s"
