"""Planes in pictures: the ground with its grid, or the lines of a grid alone."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

CELLS = 10
"""About so many cells of the grid fit in the radius of what is shown."""
LINE = 1.1
"""The width of a line, in pixels."""
BEGINS_TO_FADE = 0.35
"""The distance from the centre, in radii of the plane, from which it fades into the background."""


class Plane(NamedTuple):
    """A part of a plane about a `centre` (3), m. `axes` (3, 3) has two unit vectors in it and the outward normal as
    rows; lines are drawn at multiples of `spacing` (m) from the `origin` (3), and the plane ends at the `radius` (m).
    `is_solid` is false if there are lines only. What is inside one of `others`, (normal, offset) of half spaces, is not
    drawn.

    The methods take coordinates u, v along both axes from the centre, in radii, float32.
    """

    centre: np.ndarray
    axes: np.ndarray
    origin: np.ndarray
    radius: float
    spacing: float
    is_solid: bool = True
    others: tuple[tuple[np.ndarray, float], ...] = ()

    def seen(self, position: np.ndarray, rays: np.ndarray) -> tuple[np.ndarray, ...]:
        """Which rays (n, 3) from a position meet the plane where it is drawn, from outside if it is solid: their rows,
        the distances (m), the coordinates u and v, and the lengths along u and v, in radii, of a unit across the ray.
        """
        *beside, height = self.axes @ (position - self.centre) / self.radius
        if self.is_solid and height <= 0:
            return (np.zeros(0, np.int64), *(np.zeros(0, np.float32) for _ in range(5)))
        *along, rising = self.axes.astype(np.float32) @ rays.T
        with np.errstate(divide="ignore", invalid="ignore"):
            distance = np.float32(-height) / rising
            u, v = (np.float32(start) + slope * distance for start, slope in zip(beside, along, strict=True))
            at = np.flatnonzero((distance > 0) & (u * u + v * v < 1))
        u, v, distance = u[at], v[at], distance[at]
        inside = self._is_inside_others(u, v)
        if inside.any():
            at, u, v, distance = (array[~inside] for array in (at, u, v, distance))
        stretch = 1.0 / np.square(rising[at])
        across = (distance * np.sqrt(1.0 + np.square(slope[at]) * stretch) for slope in along)
        return at, distance * np.float32(self.radius), u, v, *across

    def _is_inside_others(self, u: np.ndarray, v: np.ndarray) -> np.ndarray:
        inside = np.zeros(len(u), bool)
        for normal, offset in self.others:
            a, b = self.axes[:2] @ normal
            depth = (offset - normal @ self.centre) / self.radius
            inside |= np.float32(a) * u + np.float32(b) * v < np.float32(depth)
        return inside

    def fading(self, u: np.ndarray, v: np.ndarray) -> np.ndarray:
        """How visible the plane is, (n): 1 about the centre, 0 at its radius."""
        left = np.clip((1.0 - np.sqrt(u * u + v * v)) / np.float32(1.0 - BEGINS_TO_FADE), 0.0, 1.0)
        return left * left * (3.0 - 2.0 * left)

    def lines(self, u: np.ndarray, v: np.ndarray, wide: np.ndarray, deep: np.ndarray) -> np.ndarray:
        """How much of each pixel is on a line, (n), from 0 to 1; a pixel covers the lengths `wide` and `deep` along u
        and v.
        """
        cells = np.float32(self.radius / self.spacing)
        covered = np.zeros(len(u), np.float32)
        starts = np.fmod(self.axes[:2] @ (self.centre - self.origin) / self.spacing, 1.0)
        for place, start, footprint in zip((u, v), starts.astype(np.float32), (wide, deep), strict=True):
            place, footprint = place * cells + start, footprint * cells
            away = np.abs(place - np.round(place)) / footprint
            dense = np.clip(2.0 - 4.0 * footprint, 0.0, 1.0)  # lines closer than pixels are left out
            np.maximum(covered, np.clip(np.float32(0.5 + LINE / 2) - away, 0.0, 1.0) * dense, out=covered)
        return covered


def grid_spacing(radius: float) -> float:
    """The spacing (m) of a grid: 1, 2 or 5 times a power of ten."""
    wanted = radius / CELLS * 2
    power = 10.0 ** math.floor(math.log10(wanted))
    return max(digit * power for digit in (1, 2, 5) if digit * power <= wanted * (1 + 1e-9))
