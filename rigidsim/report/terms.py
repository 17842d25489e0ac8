"""The terms of an acceleration: components along and across the path, and tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import repeat

import numpy as np

from rigidsim.report.table import ROUNDING, without_rounding
from rigidsim.trajectory.fields import Field


@dataclass(frozen=True)
class AccelerationTerm:
    """One summand of an acceleration: its vector, its components along the path and towards the centre of curvature."""

    name: str
    meaning: str
    value: np.ndarray
    along: float
    across: float

    @classmethod
    def of(
        cls, field: Field, at: Callable[[str], np.ndarray], tangent: np.ndarray, normal: np.ndarray
    ) -> AccelerationTerm:
        """From a recorded dataset, which `at` reads."""
        name = field.name.removeprefix("terms/")
        value, meaning = at(name), field.long_name.removeprefix("inertial: ")
        return cls(name, meaning, value, float(value @ tangent), float(value @ normal))

    @property
    def size(self) -> float:
        """The norm of the vector."""
        return float(np.linalg.norm(self.value))

    def __str__(self) -> str:
        return f"{self.name}, {self.size:.6g}"

    def as_dict(self) -> dict[str, object]:
        """Plain data."""
        return {"value": self.value.tolist(), "along": self.along, "across": self.across, "meaning": self.meaning}


def largest_of(terms: list[AccelerationTerm]) -> AccelerationTerm:
    """The term with the largest norm."""
    return max(terms, key=lambda term: term.size)


def table(title: str, unit: str, rows: Sequence[tuple[str, np.ndarray]]) -> list[str]:
    """Lines with name, norm and components of each vector, of which one may be the sum of the others."""
    width = max(len(title), *(len(name) for name, _ in rows))

    def row(name: str, v: Sequence[float]) -> str:
        return f"  {name:<{width}}  {np.linalg.norm(v):12.6g}   [{v[0]:12.6g}, {v[1]:12.6g}, {v[2]:12.6g}]"

    names, vectors = zip(*rows, strict=True)
    error = ROUNDING * max(float(np.linalg.norm(v)) for v in vectors)
    header_row = f"  {title:<{width}}  {'norm, ' + unit:>12}   vector in the parent's axes"
    return [header_row, *map(row, names, without_rounding(vectors, repeat(error)))]
