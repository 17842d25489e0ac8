"""The camera of pictures: a pinhole with z upwards, and its rays."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

FIELD_OF_VIEW = math.radians(30.0)
"""The angle between the lower and the upper edge of a picture."""
FILLED = (0.82, 0.74)
"""The part of the width and of the height of a picture that bodies fill; letters are beside."""


@dataclass(frozen=True)
class Camera:
    """A camera at a `distance` (m) from its `target` (3), m, in the direction of `azimuth` and `elevation` (rad): the
    angle about z from the x axis, and the one above the xy plane. `size` are the pixels of width and height.
    """

    target: np.ndarray
    distance: float
    azimuth: float
    elevation: float
    size: tuple[int, int]

    @cached_property
    def axes(self) -> np.ndarray:
        """Unit vectors to the right, upwards and forwards, the rows of (3, 3)."""
        a, e = self.azimuth, self.elevation
        right = np.array([-math.sin(a), math.cos(a), 0.0])
        forward = -np.array([math.cos(e) * math.cos(a), math.cos(e) * math.sin(a), math.sin(e)])
        return np.array([right, np.cross(right, forward), forward])

    @property
    def position(self) -> np.ndarray:
        """The position of the pinhole, m."""
        return self.target - self.distance * self.axes[2]

    @property
    def pixel(self) -> float:
        """The size of a pixel at unit distance."""
        return 2.0 * math.tan(FIELD_OF_VIEW / 2) / self.size[1]

    @cached_property
    def pixel_rays(self) -> np.ndarray:
        """The rays through the centres of all pixels, row by row."""
        x, y = np.meshgrid(np.arange(self.size[0]) + 0.5, np.arange(self.size[1]) + 0.5)
        return self.rays(x.ravel(), y.ravel())

    def rays(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Unit vectors (n, 3), float32, through points of the picture: pixels from its upper left corner."""
        width, height = self.size
        across, up = (np.asarray(x) - width / 2) * self.pixel, (height / 2 - np.asarray(y)) * self.pixel
        right, upwards, forward = self.axes.astype(np.float32)
        rays = across.astype(np.float32)[:, None] * right + up.astype(np.float32)[:, None] * upwards + forward
        return rays / np.sqrt(np.einsum("ij,ij->i", rays, rays))[:, None]


def fitted(azimuth: float, elevation: float, size: tuple[int, int], points: np.ndarray, reach: np.ndarray) -> Camera:
    """The camera that looks in a direction and is as near as balls about points (n, 3), with these radii (n), allow."""
    width, height = size
    away = Camera(np.zeros(3), 0.0, azimuth, elevation, size)
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    x, y, z = away.axes @ (points - middle).T
    slopes = math.tan(FIELD_OF_VIEW / 2) * np.array([width / height, 1.0]) * FILLED
    need = []
    for place, slope in zip((x, y), slopes, strict=True):
        room = reach * math.hypot(1.0, slope)
        need.append([np.max(side * place - slope * z + room) for side in (1.0, -1.0)])
    needed = np.array(need)
    distance = float(np.max(needed.sum(axis=1) / (2 * slopes)))
    aside = (needed[:, 0] - needed[:, 1]) / 2
    distance = max(distance, 2.0 * float(np.max(reach - z))) or 1.0
    return Camera(middle + aside @ away.axes[:2], distance, azimuth, elevation, size)
