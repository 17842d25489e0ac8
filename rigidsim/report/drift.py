"""How well a run kept what physics keeps."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from rigidsim.engine import layout
from rigidsim.hindsight.isolation import isolated_until
from rigidsim.trajectory.trajectory import Trajectory

UNITS = {"energy": "J", "linear momentum": "N s", "angular momentum": "N m s"}
VECTORS = {"linear momentum": (layout.E_MOMENTUM,), "angular momentum": (layout.E_SPIN, layout.E_ORBITAL)}
BOUND = 0.01
"""Of the energy that is in motion. Integrators of higher order stay far below it on all shipped scenes, at five times
their steps, too (measured: 2.4e-6); first-order ones come to 0.02.
"""
LARGEST = float(np.finfo(float).max)
ROUND_OFF = 1e-10
"""Of the largest summand: what rounding may do in 1e9 steps where a large constant potential is part of the sum."""


@dataclass(frozen=True)
class Drift:
    """The largest departure of a conserved quantity from its first value, and the size it is compared with: of a
    momentum its largest summand; of the energy the largest kinetic energy, change of potential energy, or work.
    """

    name: str
    unit: str
    largest: float
    size: float
    until: float = math.inf  # s, when the model ceased to conserve it
    exceeds: float | None = None  # s, the first sample at which an energy was beyond BOUND

    @property
    def relative(self) -> float:
        """The departure as part of the size; zero of zero is zero."""
        return self.largest / self.size if self.size > 0.0 else 0.0

    def __str__(self) -> str:
        kept = "" if math.isinf(self.until) else f", up to t = {self.until:.9g} s, when its conservation ends"
        of = f"{self.relative:.2g} of {self.size:.4g} {self.unit}"
        return f"{self.name} drift {self.largest:.3g} {self.unit} ({of}){kept}"

    def as_dict(self) -> dict[str, float | str | None]:
        """Plain data."""
        until = None if math.isinf(self.until) else self.until
        told = {"largest": self.largest, "size": self.size, "relative": self.relative, "unit": self.unit}
        return told | {"until": until, "exceeds": self.exceeds}


class DriftMeter:
    """Takes ledgers as they come, so that a history of any length can be measured. Momenta are conserved up to the time
    `isolated_until`, s, which may become known on the way.
    """

    def __init__(self, isolated_until: float):
        self.isolated_until = isolated_until
        self._meters = {"energy": _Meter("energy")}
        if isolated_until > 0.0:
            self._meters |= {name: _Meter(name) for name in VECTORS}

    def add(self, time: np.ndarray, ledger: np.ndarray) -> None:
        """Rows of (sample, LEDGER_ROWS), and their times."""
        for name, meter in self._meters.items():
            # The sample at the end of conservation is of the model after it.
            kept = slice(None) if name == "energy" else slice(int(np.sum(time < self.isolated_until * (1 - ROUND_OFF))))
            if len(time[kept]):
                meter.add(time[kept], _parts(name, ledger[kept]))

    def results(self) -> list[Drift]:
        """One for each quantity that the scene conserves; energy is kinetic + potential - work."""
        ends = dict.fromkeys(VECTORS, self.isolated_until)
        return [meter.drift(ends.get(name, math.inf)) for name, meter in self._meters.items()]


class _Meter:
    """One quantity: the summands of its first sample, and the extremes so far."""

    def __init__(self, name: str):
        self._name = name
        self._first: list[np.ndarray] = []
        self._largest, self._size, self._summand = 0.0, 0.0, 0.0
        self._exceeds: float | None = None

    def add(self, time: np.ndarray, parts: list[np.ndarray]) -> None:
        """The summands of some samples, each (sample, components)."""
        self._first = self._first or [part[0].copy() for part in parts]
        with np.errstate(over="ignore", invalid="ignore"):  # summands near the largest number
            departure = np.nan_to_num(size_of(np.sum(parts, axis=0) - np.sum(self._first, axis=0)), nan=LARGEST)
        summand = np.max([size_of(part) for part in parts], axis=0)
        size = np.fmax(np.fmax.accumulate(self._sizes(parts, summand)), self._size)
        over = departure > np.fmax(BOUND * size, ROUND_OFF * np.fmax(np.fmax.accumulate(summand), self._summand))
        if self._exceeds is None and over.any():
            self._exceeds = float(time[np.argmax(over)])
        self._largest = max(self._largest, float(departure.max()))
        self._summand, self._size = max(self._summand, float(summand.max())), float(size[-1])

    def _sizes(self, parts: list[np.ndarray], summand: np.ndarray) -> np.ndarray:
        """What a departure is compared with, sample by sample. A potential energy is only known up to a constant."""
        if self._name != "energy":
            return summand
        kinetic, potential, work = parts
        return np.max([size_of(part) for part in (kinetic, potential - self._first[1], work)], axis=0)

    def drift(self, until: float) -> Drift:
        """What came of it."""
        beyond = self._largest > max(BOUND * self._size, ROUND_OFF * self._summand)
        exceeds = self._exceeds if beyond and self._name == "energy" else None
        return Drift(self._name, UNITS[self._name], self._largest, self._size, until, exceeds)


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
    meter = DriftMeter(isolated_until(trajectory.header))
    names = ("kinetic_energy", "potential_energy", "work", "linear_momentum", "spin_angular_momentum",
             "orbital_angular_momentum")  # fmt: skip
    for window in windows:
        columns = [np.asarray(trajectory.arrays[f"diagnostics/{name}"][window]) for name in names]
        meter.add(trajectory.time[window], np.column_stack(columns))
    return meter.results()
