"""What a trajectory file holds, for people and for programs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rigidsim.errors import FormatError
from rigidsim.report.drift import Drift, drift_of, size_of
from rigidsim.report.jumps import listed
from rigidsim.report.wording import counted
from rigidsim.trajectory.trajectory import Trajectory

WINDOW_BYTES = 32e6
SHOWN_EVENTS = 20


@dataclass(frozen=True)
class Extremes:
    """The largest values one body reaches in the world, m, m/s, rad/s."""

    distance: float
    speed: float
    rate: float


def windows(trajectory: Trajectory) -> Iterator[slice]:
    """Pieces of the time axis small enough to hold in memory."""
    n_sample = len(trajectory.time)
    rows = max(1, int(WINDOW_BYTES // (32 * len(trajectory))))
    return (slice(begin, begin + rows) for begin in range(0, n_sample, rows))


def extremes(trajectory: Trajectory) -> list[Extremes]:
    """One for each body."""
    largest = np.zeros((len(trajectory), 3))
    for window in windows(trajectory):
        for column, name in enumerate(("position", "velocity", "angular_velocity")):
            rows = np.asarray(trajectory.arrays[f"world/{name}"][window])
            largest[:, column] = np.maximum(largest[:, column], size_of(rows).max(axis=0))
    return [Extremes(*map(float, row)) for row in largest]


@dataclass(frozen=True)
class Inspection:
    """Everything `inspect` tells."""

    file: str
    trajectory: Trajectory
    drift: list[Drift]
    extremes: list[Extremes]
    content_hash: str

    @classmethod
    def of(cls, trajectory: Trajectory, file: str | Path) -> Inspection:
        """Read all of it; the file may be closed afterwards. Raises FormatError if it is not what was written."""
        if trajectory.content_hash != trajectory.stored_hash:
            raise FormatError(f"{file} is damaged: its samples do not agree with its content hash")
        drift = drift_of(trajectory, windows(trajectory))
        return cls(str(file), trajectory, drift, extremes(trajectory), trajectory.stored_hash)

    def __str__(self) -> str:
        lines = [f"{self.file}: {self.trajectory.status}, {self._sampling()}", *self._scene()]
        lines += ["", *self._tree(), "", *(str(drift) for drift in self.drift)]
        events = self.trajectory.events
        if events:
            lines += ["", f"{counted(len(events), 'event')}:", *listed(events, SHOWN_EVENTS)]
        made = ", ".join(f"{name} {value}" for name, value in self.trajectory.header.provenance.items())
        return "\n".join([*lines, "", f"made with {made}", f"content {self.content_hash}"])

    def _sampling(self) -> str:
        time = self.trajectory.time
        spacing = f" every {time[1] - time[0]:g} s" if len(time) > 1 else ""
        return f"{counted(len(time), 'sample')}{spacing}, {time[0]:g} to {time[-1]:g} s"

    def _scene(self) -> list[str]:
        resolved = json.loads(self.trajectory.header.scene_resolved or "{}")
        simulation = resolved.get("simulation", {})
        options = simulation.get("integrator", {})
        how = ", ".join(str(value) for value in options.values()) if isinstance(options, dict) else str(options)
        title = resolved.get("title") or self.trajectory.header.scene_name or "untitled"
        return [f"{title}; step {simulation.get('step', 0):g} s, {how}"]

    def _tree(self) -> list[str]:
        """The hierarchy, indented, with the extremes beside it."""
        paths = self.trajectory.paths
        names = ["  " * path.count("/") + path.rsplit("/", 1)[-1] for path in paths]
        width = max(8, *map(len, names))
        title = f"{'body':<{width}}  {'distance':>11}  {'speed':>11}  {'rate':>11}"
        head = f"{title}   (largest, in the world: m, m/s, rad/s)"
        rows = zip(names, self.extremes, strict=True)
        return [head, *(f"{n:<{width}}  {e.distance:11.5g}  {e.speed:11.5g}  {e.rate:11.5g}" for n, e in rows)]

    def as_dict(self) -> dict[str, object]:
        """Plain data, for `--json`."""
        header, time = self.trajectory.header, self.trajectory.time
        bodies = [
            {"path": path, "parent": parent, **vars(extreme)}
            for path, parent, extreme in zip(header.paths, header.parents, self.extremes, strict=True)
        ]
        return {
            "schema_version": 1,
            "file": self.file,
            "status": self.trajectory.status,
            "samples": len(time),
            "begin": float(time[0]),
            "end": float(time[-1]),
            "bodies": bodies,
            "events": [event.as_dict() for event in self.trajectory.events],
            "drift": {drift.name: drift.as_dict() for drift in self.drift},
            "content_hash": self.content_hash,
            "provenance": dict(header.provenance),
            "scene": json.loads(header.scene_resolved or "{}"),
        }
