"""What the reductions of samples have to give, by their definitions. NaN, where there is no result yet, is checked in
`tests/engine/test_metrics.py`.
"""

from __future__ import annotations

import numpy as np

from rigidsim.physics.summation import compensated_sum

EPS = np.finfo(float).eps
REST = (0.7, 0.8, 0.9, 1.1)
TIMES = (0.4, 1.5, 2.25, -3.5)  # t, x, y, z


def memory(n: float, a: float) -> tuple[float, ...]:
    return (n, a, *REST)


def largest_and_smallest() -> dict[str, list]:
    """Of the memory's 2.5 and 1.5 or 3.5."""
    t, x, y, z = TIMES
    kept = {"fold_max": (2.5, 3.5), "fold_min": (1.5, 2.5)}
    return {
        name: [
            ((memory(3.0, 2.5), t, x, y, z), memory(4.0, low), 0.0),
            ((memory(3.0, 2.5), t, 3.5, y, z), memory(4.0, high), 0.0),
            ((memory(0.0, 2.0), t, 1.75, y, z), memory(1.0, 1.75), 0.0),
            ((memory(0.0, 1.5), t, 1.75, y, z), memory(1.0, 1.75), 0.0),
            ((memory(0.0, 2.0), t, -1.75, y, z), memory(1.0, -1.75), 0.0),
        ]
        for name, (low, high) in kept.items()
    }


def sums() -> dict[str, list]:
    """As compensated sums, whose own checks are those of `summation`."""
    checks = {"fold_mean": [], "fold_rms": []}
    for n, a, low, x in ((2.0, 1e16, 0.5, 1.25), (5.0, -3.0, 1e-17, 1e-16), (0.0, 0.0, 0.0, -2.5)):
        for name, added in (("fold_mean", x), ("fold_rms", x * x)):
            expected = (n + 1.0, *compensated_sum(a, low, added), *REST[1:])
            checks[name].append((((n, a, low, *REST[1:]), 0.4, x, 7.0, 8.0), expected, 0.0))
    return checks


def integral() -> list:
    """A memory is (n, sum, low part, last t, last x)."""
    first = ((0.0, 0.0, 0.0, 0.3, 7.0, 1.1), 0.4, 2.5, 7.0, 8.0), (1.0, 0.0, 0.0, 0.4, 2.5, 1.1), 0.0
    total = compensated_sum(1e16, 0.5, 2.625)
    return [first, (((3.0, 1e16, 0.5, 0.5, 2.5, 1.1), 2.25, 0.5, 7.0, 8.0), (4.0, *total, 2.25, 0.5, 1.1), 0.0)]


def times_of_extremes() -> dict[str, list]:
    """A memory is (n, time, extreme)."""
    checks = {}
    for name, sign in (("fold_time_of_max", 1.0), ("fold_time_of_min", -1.0)):
        checks[name] = [
            (((0.0, 9.0, sign * 5.0, *REST[1:]), 0.4, sign * 2.5, 7.0, 8.0), (1.0, 0.4, sign * 2.5, *REST[1:]), 0.0),
            (((2.0, 0.3, sign * 2.5, *REST[1:]), 0.4, sign * 1.5, 7.0, 8.0), (3.0, 0.3, sign * 2.5, *REST[1:]), 0.0),
            (((2.0, 0.3, sign * 2.5, *REST[1:]), 0.4, sign * 2.5, 7.0, 8.0), (3.0, 0.3, sign * 2.5, *REST[1:]), 0.0),
            (((2.0, 0.3, sign * 2.5, *REST[1:]), 0.4, sign * 3.5, 7.0, 8.0), (3.0, 0.4, sign * 3.5, *REST[1:]), 0.0),
        ]
    return checks


def at_a_time() -> list:
    """The wanted time y is the third value of a sample."""
    before = (2.0, 7.0, 0.2, 1.0, 0.9, 1.1)  # the last sample: 1.0 at 0.2 s
    return [
        ((before, 0.8, 4.0, 0.5, 9.0), (3.0, 2.5, 0.8, 4.0, 0.9, 1.1), 4 * EPS),
        ((before, 0.8, 4.0, 0.8, 9.0), (3.0, 4.0, 0.8, 4.0, 0.9, 1.1), 0.0),
        ((before, 0.8, 4.0, 0.2, 9.0), (3.0, 7.0, 0.8, 4.0, 0.9, 1.1), 0.0),
        ((before, 0.8, 4.0, 0.1, 9.0), (3.0, 7.0, 0.8, 4.0, 0.9, 1.1), 0.0),
        (((0.0, 7.0, 0.2, 1.0, 0.9, 1.1), 0.5, 4.0, 0.5, 9.0), (1.0, 4.0, 0.5, 4.0, 0.9, 1.1), 0.0),
    ]


def first_time() -> list:
    """A memory is (n, result, last x, last margin, found); a sample x, condition, margin."""
    checks = []
    cases = [
        # n, last margin, found, condition, margin -> part of the way from x = 2 to x = 6 at which it begins to hold
        (3.0, -1.0, 0.0, 1.0, 3.0, 0.25),
        (3.0, 3.0, 0.0, 1.0, -1.0, 0.75),
        (3.0, 0.0, 0.0, 1.0, 2.0, 0.0),
        (3.0, -1.0, 0.0, 1.0, 0.0, 1.0),
        (3.0, -1.0, 0.0, 1.0, -3.0, 1.0),  # no change of sign: at the sample
        (3.0, 3.0, 0.0, 1.0, 1.0, 1.0),
        (0.0, -1.0, 0.0, 1.0, 3.0, 1.0),
    ]
    for n, margin, found, holds, now, part in cases:
        expected = (n + 1.0, 2.0 + part * 4.0, 6.0, now, 1.0, 1.1)
        checks.append((((n, 9.0, 2.0, margin, found, 1.1), 0.4, 6.0, holds, now), expected, 8 * EPS))
    # At the sample, without rounding: 1e16 + 1 (0.1 - 1e16) is 0.
    checks.append((((3.0, 9.0, 1e16, -1.0, 0.0, 1.1), 0.4, 0.1, 1.0, 0.0), (4.0, 0.1, 0.1, 0.0, 1.0, 1.1), 0.0))
    for holds in (0.0, 1.0):  # found before
        checks.append((((3.0, 9.0, 2.0, -1.0, 1.0, 1.1), 0.4, 6.0, holds, 3.0), (4.0, 9.0, 6.0, 3.0, 1.0, 1.1), 0.0))
    return checks


def drift() -> list:
    """A memory is (n, first total, first potential, largest deviation, size); a sample kinetic, potential, work."""
    return [
        (((0.0, 9.0, 9.0, 0.0, 0.0, 1.1), 0.4, 3.0, 5.0, 1.0), (1.0, 7.0, 5.0, 0.0, 3.0, 1.1), 0.0),
        (((2.0, 7.0, 5.0, 0.25, 3.0, 1.1), 0.4, 2.0, 9.5, 1.0), (3.0, 7.0, 5.0, 3.5, 4.5, 1.1), 0.0),
        (((2.0, 7.0, 5.0, 0.25, 3.0, 1.1), 0.4, 2.0, -2.5, 1.0), (3.0, 7.0, 5.0, 8.5, 7.5, 1.1), 0.0),
        (((2.0, 7.0, 5.0, 0.25, 3.0, 1.1), 0.4, 1.0, 5.5, -6.5), (3.0, 7.0, 5.0, 6.0, 6.5, 1.1), 0.0),
        (((2.0, 7.0, 5.0, 9.0, 30.0, 1.1), 0.4, 1.0, 5.5, 6.5), (3.0, 7.0, 5.0, 9.0, 30.0, 1.1), 0.0),
        (((2.0, 7.0, 5.0, 0.25, 1.0, 1.1), 0.4, 8.0, 5.5, 6.5), (3.0, 7.0, 5.0, 0.25, 8.0, 1.1), 0.0),
    ]


REDUCTION_CHECKS = {
    "reductions": {
        "between": [
            ((0.7, 0.2, 1.5, 1.2, -2.5), -0.5, 4 * EPS),
            ((2.2, 0.2, 1.5, 1.2, -2.5), -6.5, 8 * EPS),
            ((0.2, 0.2, 1.5, 1.2, -2.5), 1.5, 0.0),
        ],
        **largest_and_smallest(),
        **sums(),
        "fold_final": [((memory(3.0, 2.5), *TIMES), memory(4.0, 1.5), 0.0)],
        "fold_integral": integral(),
        **times_of_extremes(),
        "fold_at": at_a_time(),
        "fold_first": first_time(),
        "fold_drift": drift(),
        "kept": [((memory(3.0, 2.5),), 2.5, 0.0)],
        "mean_of": [((memory(4.0, 10.0),), 2.5, 0.0)],
        "rms_of": [((memory(4.0, 25.0),), 2.5, 0.0)],
        "drift_of": [
            (((3.0, 7.0, 5.0, 3.0, 4.0, 1.1),), 0.75, 0.0),
            (((3.0, 7.0, 5.0, 3.0, 0.0, 1.1),), 0.0, 0.0),
        ],
    }
}
CANONICAL = {
    "canonical": [
        (((-0.5, 0.1, -0.7, 0.5),), (0.5, -0.1, 0.7, -0.5), 0.0),
        (((0.5, 0.1, -0.7, 0.5),), (0.5, 0.1, -0.7, 0.5), 0.0),
        (((0.0, 0.6, -0.8, 0.0),), (0.0, 0.6, -0.8, 0.0), 0.0),
    ]
}
# Twice nothing.
REDUCTION_EQUIVALENT = {
    "quaternion.canonical: doubled 0.0": 1,
    "reductions.fold_max: doubled 0.0": 1,
    "reductions.fold_min: doubled 0.0": 1,
    "reductions.fold_integral: doubled 0.0": 2,
    "reductions.fold_time_of_max: doubled 0.0": 2,
    "reductions.fold_time_of_min: doubled 0.0": 2,
    "reductions.fold_at: doubled 0.0": 1,
    "reductions.fold_first: doubled 0.0": 5,
    "reductions.fold_drift: doubled 0.0": 2,
    "reductions.drift_of: doubled 0.0": 2,
}
