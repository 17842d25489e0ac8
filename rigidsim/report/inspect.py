"""The contents of a trajectory file, as text and as JSON."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rigidsim.errors import FormatError
from rigidsim.report.cause import drift_warnings, without_allowed
from rigidsim.report.drift import Drift, drift_of, size_of
from rigidsim.report.jumps import listed
from rigidsim.report.states import WORLD, StateTable, sample_of
from rigidsim.report.table import aligned
from rigidsim.report.windows import windows
from rigidsim.report.wording import counted
from rigidsim.trajectory.fields import fields
from rigidsim.trajectory.header import Header
from rigidsim.trajectory.trajectory import Trajectory

SHOWN_EVENTS = 20
SHOWN_BODIES = 20


@dataclass(frozen=True)
class Extremes:
    """The largest distance (m), speed (m/s) and angular speed (rad/s) of one body in the world."""

    distance: float
    speed: float
    rate: float


def extremes(trajectory: Trajectory) -> list[Extremes]:
    """The extremes of each body."""
    largest = np.zeros((len(trajectory), 3))
    for window in windows(trajectory):
        for column, name in enumerate(("position", "velocity", "angular_velocity")):
            rows = np.asarray(trajectory.arrays[f"world/{name}"][window])
            largest[:, column] = np.maximum(largest[:, column], size_of(rows).max(axis=0))
    return [Extremes(*map(float, row)) for row in largest]


def require_intact(trajectory: Trajectory, file: str | Path) -> None:
    """Raise FormatError if the samples do not match the content hash of the file."""
    if trajectory.content_hash != trajectory.stored_hash:
        raise FormatError(f"{file} is damaged: its samples do not match its content hash")


@dataclass(frozen=True)
class Inspection:
    """The output of `inspect`."""

    file: str
    trajectory: Trajectory
    drift: list[Drift]
    warnings: list[str]
    extremes: list[Extremes]
    ends: tuple[StateTable, StateTable]  # the first sample and the last
    content_hash: str

    @classmethod
    def of(cls, trajectory: Trajectory, file: str | Path, frame: str = WORLD) -> Inspection:
        """Read the whole file, which may be closed afterwards. Raises FormatError if it is damaged."""
        require_intact(trajectory, file)
        drift = without_allowed(trajectory, drift_of(trajectory, windows(trajectory)))
        ends = tuple(StateTable.of(sample_of(trajectory, k), frame) for k in (0, -1))
        return cls(
            file=str(file),
            trajectory=trajectory,
            drift=drift,
            warnings=drift_warnings(trajectory, drift),
            extremes=extremes(trajectory),
            ends=ends,
            content_hash=trajectory.stored_hash,
        )

    def __str__(self) -> str:
        message = [self.trajectory.message] if self.trajectory.message else []
        lines = [
            f"{self.file}: {self.trajectory.status}, {self._sampling()}",
            *message,
            *self._scene(),
            "",
            *self._tree(),
        ]
        for states in self.ends if len(self.trajectory.time) > 1 else self.ends[:1]:
            lines += ["", *states.summary(SHOWN_BODIES)]
        lines += ["", *(str(drift) for drift in self.drift), *(f"warning: {text}" for text in self.warnings)]
        events = self.trajectory.events
        if events:
            lines += ["", f"{counted(len(events), 'event')}:", *listed(events, SHOWN_EVENTS)]
        versions = ", ".join(f"{name} {value}" for name, value in self.trajectory.header.provenance.items())
        return "\n".join(
            [*lines, "", *self._datasets(), "", f"made with {versions}", f"content hash {self.content_hash}"]
        )

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
        """The bodies, indented by level, with kinds and extremes."""
        header = self.trajectory.header
        names = ["  " * path.count("/") + path.rsplit("/", 1)[-1] for path in header.paths]
        numbers = [[f"{value:.5g}" for value in vars(largest).values()] for largest in self.extremes]
        rows = [[name, *three, kind] for name, three, kind in zip(names, numbers, header.kinds, strict=True)]
        header_row = ["largest values in the world", "distance, m", "speed, m/s", "angular speed, rad/s", "kind"]
        return aligned([header_row, *rows])

    def _datasets(self) -> list[str]:
        groups: dict[str, list[str]] = {}
        for dataset in datasets(self.trajectory.header):
            group, _, name = str(dataset["name"]).rpartition("/")
            groups.setdefault(group, []).append(f"{name} [{dataset['units']}]")
        rows = (f"  {group or '':<12}{', '.join(names)}" for group, names in groups.items())
        return ["datasets and their units:", *rows]

    def as_dict(self) -> dict[str, object]:
        """Plain data, for `--json`."""
        header, time = self.trajectory.header, self.trajectory.time
        about = zip(header.paths, header.parents, header.kinds, self.extremes, strict=True)
        return {
            "schema_version": 1,
            "file": self.file,
            "status": self.trajectory.status,
            "message": self.trajectory.message,
            "samples": len(time),
            "begin": float(time[0]),
            "end": float(time[-1]),
            "bodies": [{"path": p, "parent": parent, "kind": kind, **vars(e)} for p, parent, kind, e in about],
            "first": self.ends[0].as_dict(),
            "last": self.ends[1].as_dict(),
            "events": [event.as_dict() for event in self.trajectory.events],
            "drift": {drift.name: drift.as_dict() for drift in self.drift},
            "warnings": self.warnings,
            "datasets": datasets(header),
            "content_hash": self.content_hash,
            "provenance": dict(header.provenance),
            "scene": json.loads(header.scene_resolved or "{}"),
        }


def datasets(header: Header) -> list[dict[str, object]]:
    """Name, dimensions, units and meaning of each dataset with a time axis."""
    scaled = any(scale != 1.0 for scale in header.scale)
    described: list[dict[str, object]] = [{"name": "time", "dimensions": ["time"], "units": "s", "long_name": "time"}]
    for f in fields(header.with_terms):
        of_parent = scaled and f.name in ("local/position", "local/velocity")
        units = f.units.replace("m", "units of the parent", 1) if of_parent else f.units
        described.append({"name": f.name, "dimensions": list(f.dimensions), "units": units, "long_name": f.long_name})
    return described
