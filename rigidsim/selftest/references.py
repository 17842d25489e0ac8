"""References that no expression of time gives."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

FOOT = 0.3048
TERMS = 16
"""Of the power series: the next one is below 1e-30 of the first after 30 s."""


@dataclass(frozen=True)
class EquatorialFall:
    """A body that falls over the equator of a turning, flattened planet, from rest relative to it, without drag:

        r'' = h^2/r^3 - gm/r^2 (1 + 3/2 j2 (radius/r)^2),  longitude' = h/r^2,  h = rate r(0)^2

    by the power series of r in t, whose coefficients follow from each other. Lengths in m, `gm` in m^3/s^2, `rate` of
    the planet in rad/s. The numbers may be floats or those of mpmath. The defaults are NESC check-case 1 of
    NASA/TM-2015-218675 (WGS-84, 30 000 ft).
    """

    gm: float = 3.986004418e14
    j2: float = 1.08262982e-3
    radius: float = 20925646.3255 * FOOT
    rate: float = 7.292115e-5
    height: float = 30000 * FOOT

    def series(self) -> tuple[list[float], list[float]]:
        """The coefficients of the distance from the axis (m) and of the inertial longitude (rad) in powers of t (s)."""
        begin = self.radius + self.height
        swept, flattened = self.rate * begin * begin, 3 * self.j2 * self.radius * self.radius / 2
        distance, longitude = [begin, 0 * begin], [0 * begin]
        inverse: list[Any] = []
        for n in range(TERMS):
            known = sum(distance[k] * inverse[n - k] for k in range(1, n + 1))
            inverse.append(((1 if n == 0 else 0) - known) / begin)
            square = _product(inverse, inverse)
            pull = self.gm * (square[n] + flattened * _product(square, square)[n])
            distance.append((swept * swept * _product(square, inverse)[n] - pull) / ((n + 1) * (n + 2)))
            longitude.append(swept * square[n] / (n + 1))
        return distance, longitude

    def east(self, time: np.ndarray) -> np.ndarray:
        """(time), m, from the plane through the axis in which the fall began, which turns with the planet."""
        distance, longitude = (_value(series, time) for series in self.series())
        return distance * np.sin(longitude - self.rate * time)

    def distance(self, time: np.ndarray) -> np.ndarray:
        """(time), m, from the axis of the planet."""
        return _value(self.series()[0], time)


def _product(first: Sequence[float], second: Sequence[float]) -> list[float]:
    """The product of two power series, of as many terms."""
    return [sum(first[k] * second[n - k] for k in range(n + 1)) for n in range(len(first))]


def _value(series: Sequence[float], time: np.ndarray) -> np.ndarray:
    """The value of a power series by Horner's rule."""
    total: Any = math.nan
    for place, coefficient in enumerate(reversed(series)):
        total = coefficient if place == 0 else total * time + coefficient
    return total
