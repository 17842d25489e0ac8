"""The directions of a path: along it, and towards its centre of curvature."""

from __future__ import annotations

import numpy as np

AT_REST = 1e-12  # s: a speed below this times the acceleration counts as zero
STRAIGHT = 1e-15  # an acceleration across the path below this times the acceleration counts as zero


def directions(velocity: np.ndarray, acceleration: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Unit tangent of the path and unit normal towards the centre of curvature, both (..., 3) as the arguments; zero
    where there is none. At rest, the tangent is along the acceleration.
    """
    speed, size = _norm(velocity), _norm(acceleration)
    is_moving = (speed > AT_REST * size) & (speed > 0.0)
    tangent = np.where(is_moving, _divided(velocity, speed), _divided(acceleration, size))
    across = acceleration - np.sum(acceleration * tangent, axis=-1, keepdims=True) * tangent
    length = _norm(across)
    return tangent, np.where(length > STRAIGHT * size, _divided(across, length), 0.0)


def _norm(vector: np.ndarray) -> np.ndarray:
    return np.linalg.norm(vector, axis=-1, keepdims=True)


def _divided(vector: np.ndarray, length: np.ndarray) -> np.ndarray:
    return np.divide(vector, length, out=np.zeros_like(np.asarray(vector, float)), where=length > 0.0)
