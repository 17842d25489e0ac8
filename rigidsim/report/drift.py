"""How well a run kept what physics keeps."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from rigidsim.engine import layout
from rigidsim.trajectory.trajectory import Trajectory

VECTORS = {"linear momentum": (layout.E_MOMENTUM,), "angular momentum": (layout.E_SPIN, layout.E_ORBITAL)}


@dataclass(frozen=True)
class Drift:
    """The largest departure of a conserved quantity from its first value, and the largest size it is made of."""

    name: str
    unit: str
    largest: float
    size: float

    @property
    def relative(self) -> float:
        """The departure as part of the size; zero of zero is zero."""
        return self.largest / self.size if self.size > 0.0 else 0.0

    def __str__(self) -> str:
        return f"{self.name} drift {self.largest:.3g} {self.unit} ({self.relative:.2g} of {self.size:.4g} {self.unit})"

    def as_dict(self) -> dict[str, float | str]:
        """Plain data."""
        return {"largest": self.largest, "size": self.size, "relative": self.relative, "unit": self.unit}


class DriftMeter:
    """Takes ledgers as they come, so that a history of any length can be measured."""

    def __init__(self, isolated: bool):
        names = {"energy": "J", **({"linear momentum": "N s", "angular momentum": "N m s"} if isolated else {})}
        self._units = names
        self._first: dict[str, np.ndarray] = {}
        self._largest = dict.fromkeys(names, 0.0)
        self._size = dict.fromkeys(names, 0.0)

    def add(self, ledger: np.ndarray) -> None:
        """Rows of (sample, LEDGER_ROWS)."""
        for name in self._units:
            parts = self._parts(name, ledger)
            value = np.sum(parts, axis=0)
            first = self._first.setdefault(name, value[0].copy())
            self._largest[name] = max(self._largest[name], float(size_of(value - first).max()))
            self._size[name] = max(self._size[name], float(max(size_of(part).max() for part in parts)))

    def results(self) -> list[Drift]:
        """One for each quantity that the scene conserves; energy is kinetic + potential - work."""
        return [Drift(n, unit, self._largest[n], self._size[n]) for n, unit in self._units.items() if n in self._first]

    @staticmethod
    def _parts(name: str, ledger: np.ndarray) -> list[np.ndarray]:
        """The summands of a quantity, each (sample, components)."""
        if name == "energy":
            kinetic, potential, work = (ledger[:, i : i + 1] for i in range(3))
            return [kinetic, potential, -work]
        return [ledger[:, c : c + 3] for c in VECTORS[name]]


def size_of(rows: np.ndarray) -> np.ndarray:
    """Length of each row, without overflow on the way."""
    return np.hypot.reduce(np.abs(rows), axis=-1)


def drift_of(trajectory: Trajectory, windows: Iterable[slice]) -> list[Drift]:
    """The drift of a whole history, read window by window."""
    meter = DriftMeter(trajectory.header.isolated)
    names = ("kinetic_energy", "potential_energy", "work", "linear_momentum", "spin_angular_momentum",
             "orbital_angular_momentum")  # fmt: skip
    for window in windows:
        columns = [np.asarray(trajectory.arrays[f"diagnostics/{name}"][window]) for name in names]
        meter.add(np.column_stack(columns))
    return meter.results()
