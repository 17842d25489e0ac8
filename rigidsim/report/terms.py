"""The terms of an acceleration: their parts along and across the path, and tables of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from rigidsim.trajectory.fields import Field

AT_REST = 1e-12  # a speed this small, against one second of the acceleration, has no direction


@dataclass(frozen=True)
class Term:
    """One summand: its vector, and its parts along the path and towards the inside of the bend."""

    name: str
    meaning: str
    value: np.ndarray
    along: float
    across: float

    @classmethod
    def of(cls, field: Field, at: Callable[[str], np.ndarray], tangent: np.ndarray, normal: np.ndarray) -> Term:
        """One recorded dataset; `at` reads it."""
        name = field.name.removeprefix("terms/")
        value, meaning = at(name), field.long_name.removeprefix("inertial: ")
        return cls(name, meaning, value, float(value @ tangent), float(value @ normal))

    @property
    def size(self) -> float:
        """The length of its vector."""
        return float(np.linalg.norm(self.value))

    def __str__(self) -> str:
        return f"{self.name}, {self.size:.6g}"

    def as_dict(self) -> dict[str, object]:
        """Plain data."""
        return {"value": self.value.tolist(), "along": self.along, "across": self.across, "meaning": self.meaning}


def directions(velocity: np.ndarray, acceleration: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Unit tangent of the path and unit normal towards the inside of its bend; at rest the tangent is the
    acceleration's.
    """
    speed, size = np.linalg.norm(velocity), np.linalg.norm(acceleration)
    if size == 0.0:
        return (velocity / speed if speed > 0.0 else np.zeros(3)), np.zeros(3)
    tangent = velocity / speed if speed > AT_REST * size else acceleration / size
    across = acceleration - (acceleration @ tangent) * tangent
    length = np.linalg.norm(across)
    return tangent, across / length if length > 1e-15 * size else np.zeros(3)


def largest_of(terms: list[Term]) -> Term:
    """The one with the longest vector."""
    return max(terms, key=lambda term: term.size)


def table(title: str, unit: str, rows: Sequence[tuple[str, np.ndarray]]) -> list[str]:
    """Vectors by name, with their sizes."""
    width = max(len(title), *(len(name) for name, _ in rows))

    def row(name: str, v: np.ndarray) -> str:
        return f"  {name:<{width}}  {np.linalg.norm(v):12.6g}   [{v[0]:12.6g}, {v[1]:12.6g}, {v[2]:12.6g}]"

    head = f"  {title:<{width}}  {'size, ' + unit:>12}   vector in the parent's axes"
    return [head, *(row(name, v) for name, v in rows)]
