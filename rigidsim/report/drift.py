"""Drift of conserved quantities."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from rigidsim.analysis.isolation import isolated_until
from rigidsim.engine.model.layout import LEDGER
from rigidsim.trajectory.fields import Block
from rigidsim.trajectory.trajectory import Trajectory
from rigidsim.trajectory.windows import FEW_BODIES, measured

UNITS = {"energy": "J", "linear momentum": "N s", "angular momentum": "N m s"}
VECTORS = {
    "linear momentum": (LEDGER.momentum,),
    "angular momentum": (LEDGER.spin, LEDGER.orbital),
}
BOUND = 0.01
"""Relative energy drift above which a run gets a warning. Measured on the example scenes: at most 2.4e-6 with
higher-order integrators, even at five times the steps; up to 0.02 with first-order ones.
"""
LARGEST = float(np.finfo(float).max)
AT_REST = 1e-33
"""Energy, J, below which a motion is rounding: 1 kg at 4e-17 m/s. Joints that friction holds have at most 3e-49.
It is far below the thermal energy of one molecule, 4e-21.
"""
ROUND_OFF = 1e-10
"""Relative to the largest summand: rounding in 1e9 steps where a large constant potential is part of the sum."""


@dataclass(frozen=True)
class Drift:
    """The largest deviation of a conserved quantity from its first value, and the reference it is relative to: for a
    momentum its largest summand; for the energy the largest kinetic energy, change of potential energy, or work.
    """

    name: str
    unit: str
    largest: float
    size: float
    until: float = math.inf  # s, the time up to which the model conserves it
    exceeds: float | None = None  # s, the first sample at which the energy drift exceeded BOUND
    began: float = math.inf  # size of a momentum in the first sample

    @property
    def relative(self) -> float:
        """`largest / size`, 0 if both are 0."""
        return self.largest / self.size if self.size > 0.0 else 0.0

    def __str__(self) -> str:
        until = "" if math.isinf(self.until) else f", conserved up to t = {self.until:.9g} s"
        # Parts of a total that began at zero would say nothing: it is its own drift.
        of = f"{self.relative:.2g} of {self.size:.4g} {self.unit}"
        if self.name != "energy" and self.began < self.largest:
            of = f"it began at {self.began:.3g} {self.unit}"
        return f"{self.name} drift {self.largest:.3g} {self.unit} ({of}){until}"

    def as_dict(self) -> dict[str, float | str | None]:
        """Plain data."""
        values: dict[str, float | str | None] = {
            "largest": self.largest,
            "size": self.size,
            "relative": self.relative,
            "unit": self.unit,
        }
        return values | {"until": self.until, "exceeds": self.exceeds}


class DriftMeter:
    """Accumulates drift from successive samples, so that histories of any length fit. Momenta are conserved up to
    `isolated_until` (s), which may be set during the run.
    """

    def __init__(self, isolated_until: float):
        self.isolated_until = isolated_until
        self._meters = {"energy": _Meter("energy")}
        if isolated_until > 0.0:
            self._meters |= {name: _Meter(name) for name in VECTORS}

    def add(self, part: Trajectory | Block) -> None:
        """Add samples."""
        for name, meter in self._meters.items():
            # The sample at `isolated_until` belongs to the model after the change.
            until = math.inf if name == "energy" else self.isolated_until * (1 - ROUND_OFF)
            used = slice(int(np.sum(part.time < until)))
            if len(part.time[used]):
                meter.add(part.time[used], _parts(name, part.ledger[used]))

    def result(self) -> list[Drift]:
        """The drift of each quantity that the scene conserves; energy is kinetic + potential - work."""
        ends = dict.fromkeys(VECTORS, self.isolated_until)
        return [meter.drift(ends.get(name, math.inf)) for name, meter in self._meters.items()]


class _Meter:
    """One quantity: the summands of its first sample, and the largest deviation up to now."""

    def __init__(self, name: str):
        self._name = name
        self._first: list[np.ndarray] = []
        self._largest, self._size, self._summand = 0.0, 0.0, 0.0
        self._exceeds: float | None = None

    def add(self, time: np.ndarray, parts: list[np.ndarray]) -> None:
        """Add samples; each summand is (sample, components)."""
        self._first = self._first or [part[0].copy() for part in parts]
        with np.errstate(over="ignore", invalid="ignore"):  # summands near the float64 maximum
            deviation = np.nan_to_num(size_of(np.sum(parts, axis=0) - np.sum(self._first, axis=0)), nan=LARGEST)
        summand = np.max([size_of(part) for part in parts], axis=0)
        size = np.fmax(np.fmax.accumulate(self._sizes(parts, summand)), self._size)
        over = deviation > allowed(size, np.fmax(np.fmax.accumulate(summand), self._summand))
        if self._exceeds is None and over.any():
            self._exceeds = float(time[np.argmax(over)])
        self._largest = max(self._largest, float(deviation.max()))
        self._summand, self._size = max(self._summand, float(summand.max())), float(size[-1])

    def _sizes(self, parts: list[np.ndarray], summand: np.ndarray) -> np.ndarray:
        """The reference of the relative drift at each sample. Potential energy is defined up to a constant only."""
        if self._name != "energy":
            return summand
        kinetic, potential, work = parts
        return np.max([size_of(part) for part in (kinetic, potential - self._first[1], work)], axis=0)

    def drift(self, until: float) -> Drift:
        """The drift of all samples added."""
        beyond = self._largest > allowed(self._size, self._summand)
        exceeds = self._exceeds if beyond and self._name == "energy" else None
        began = float(size_of(np.sum(self._first, axis=0))) if self._first else math.inf
        return Drift(self._name, UNITS[self._name], self._largest, self._size, until, exceeds, began)


def _parts(name: str, ledger: np.ndarray) -> list[np.ndarray]:
    """The summands of a quantity, each (sample, components)."""
    if name == "energy":
        kinetic, potential, work = (ledger[:, i : i + 1] for i in range(3))
        return [kinetic, potential, -work]
    return [ledger[:, columns] for columns in VECTORS[name]]


def allowed(size: np.ndarray | float, summand: np.ndarray | float) -> np.ndarray:
    """The energy drift, J, up to which a run gets no warning."""
    return np.fmax(np.fmax(BOUND * size, ROUND_OFF * summand), AT_REST)


def size_of(rows: np.ndarray) -> np.ndarray:
    """Norm of each row, without intermediate overflow."""
    return np.hypot.reduce(np.abs(rows), axis=-1)


def drift_of(trajectory: Trajectory) -> list[Drift]:
    """The drift of a whole trajectory, read window by window; none if energies and momenta were not recorded."""
    if not trajectory.has_diagnostics:
        return []
    (found,) = measured(trajectory, DriftMeter(isolated_until(trajectory.header)), n_body=FEW_BODIES)
    return found
