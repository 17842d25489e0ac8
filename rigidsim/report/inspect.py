"""The contents of a trajectory file, as text and as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from rigidsim.errors import FormatError
from rigidsim.report.cause import drift_warnings, without_allowed
from rigidsim.report.contact import contact_lines
from rigidsim.report.contact_energy import ledger_warnings
from rigidsim.report.courses import Course, course_lines, courses
from rigidsim.report.drift import Drift, drift_of
from rigidsim.report.extremes import Extremes, extremes, stored_extremes_match
from rigidsim.report.jumps import listed
from rigidsim.report.metrics import metric_lines, plain_metrics
from rigidsim.report.oracle import oracle_lines, plain_errors
from rigidsim.report.states import WORLD, StateTable
from rigidsim.report.strikes import SHOWN_PAIRS, ContactSummary
from rigidsim.report.table import ALL, MOST_ROWS, aligned, remark, shown_of
from rigidsim.report.wording import counted
from rigidsim.trajectory.contact_fields import COUNT_COLUMN, POINT_COLUMNS, ROW
from rigidsim.trajectory.fields import CONTACT_WORK, Column
from rigidsim.trajectory.header import Header
from rigidsim.trajectory.trajectory import Trajectory, sample_of
from rigidsim.trajectory.windows import FEW_BODIES, windows

if TYPE_CHECKING:
    from rigidsim.hindsight.oracles import OracleError

SHOWN_EVENTS, SHOWN_BODIES = 20, 20
SHOWN_COURSES = ("kinetic_energy", "energy_drift")
FEWEST_SAMPLES = 8  # of which a course is shown
NO_METRICS: Mapping[str, str] = MappingProxyType({})


def contact_of(trajectory: Trajectory) -> ContactSummary | None:
    """The events of contact; with the work of all contact if it was recorded."""
    work = trajectory.arrays.get(CONTACT_WORK.name)
    work = None if work is None else float(work[-1])
    return ContactSummary.of(trajectory.events.contact, work, trajectory.contact_ledger)


def _ledger_warnings(trajectory: Trajectory) -> list[str]:
    """As of the run."""
    step = trajectory.header.resolved.get("simulation", {}).get("step", 0.0)
    return ledger_warnings(trajectory.contact_ledger, step)


def energies(trajectory: Trajectory) -> list[Course]:
    """The kinetic energy and the drift of the energy over time, if they were recorded at several samples."""
    is_course = trajectory.has_diagnostics and len(trajectory.time) >= FEWEST_SAMPLES
    return courses(trajectory, SHOWN_COURSES) if is_course else []


def oracle_of(trajectory: Trajectory) -> list[OracleError]:
    """The errors with respect to the oracle of the scene, if it has one."""
    if not trajectory.header.resolved.get("oracle"):
        return []
    # Imported here because it imports the scene's schema.
    from rigidsim.hindsight.oracles import errors

    return errors(trajectory)


def require_intact(trajectory: Trajectory, file: str | Path) -> None:
    """Read all samples; raise FormatError if they do not match the content hash of the file, or its extremes."""
    if trajectory.content_hash != trajectory.stored_hash:
        raise FormatError(f"{file} is damaged: its samples do not match its content hash")
    if not stored_extremes_match(trajectory):
        raise FormatError(f"{file} is damaged: its extremes are not those of its samples")


@dataclass(frozen=True)
class Inspection:
    """The output of `inspect`."""

    file: str
    trajectory: Trajectory
    drift: list[Drift]
    energies: list[Course]
    warnings: list[str]
    extremes: list[Extremes]
    ends: tuple[StateTable, StateTable]  # the first sample and the last
    contact: ContactSummary | None  # if there were events of contact
    metrics: Mapping[str, float]
    oracle: list[OracleError]
    content_hash: str
    is_verified: bool  # whether all samples were compared with the content hash
    is_all: bool  # whether no table is cut

    @classmethod
    def of(
        cls,
        trajectory: Trajectory,
        file: str | Path,
        frame: str = WORLD,
        metrics: Mapping[str, str] = NO_METRICS,
        *,
        verify: bool = False,
        is_all: bool = True,
    ) -> Inspection:
        """Read what is shown of a file, which may be closed afterwards, or all of it to `verify` it; with these
        metrics, given by expressions, in addition to those of the scene. Unless `is_all`, tables have their first rows
        only. Raises FormatError if what was read is damaged, UsageError for an invalid expression.
        """
        if verify:
            require_intact(trajectory, file)
        drift = without_allowed(trajectory, drift_of(trajectory, windows(trajectory, FEW_BODIES)))
        most = None if is_all else SHOWN_BODIES
        ends = tuple(StateTable.of(sample_of(trajectory, k), frame, most) for k in (0, -1))
        return cls(
            file=str(file),
            trajectory=trajectory,
            drift=drift,
            energies=energies(trajectory),
            warnings=[*drift_warnings(trajectory, drift), *_ledger_warnings(trajectory)],
            extremes=extremes(trajectory),
            ends=ends,
            contact=contact_of(trajectory),
            metrics=trajectory.metrics | {name: trajectory.metric(text) for name, text in metrics.items()},
            oracle=oracle_of(trajectory),
            content_hash=trajectory.stored_hash,
            is_verified=verify,
            is_all=is_all,
        )

    def __str__(self) -> str:
        message = [self.trajectory.message] if self.trajectory.message else []
        lines = [
            f"{self.file}: {self.trajectory.status}, {self._sampling()}",
            *message,
            *self._scene(),
            *contact_lines(self.trajectory.header.contact_settings),
            "",
            *self._tree(),
        ]
        for states in self.ends if len(self.trajectory.time) > 1 else self.ends[:1]:
            lines += ["", *states.summary()]
        lines += ["", *self._drift(), *(f"warning: {text}" for text in self.warnings)]
        if self.energies:
            lines += ["", *course_lines(self.energies, self.trajectory.time)]
        events = self.trajectory.events.scheduled
        if events:
            lines += ["", f"{counted(len(events), 'event')}:", *listed(events, self._most(SHOWN_EVENTS))]
        if self.contact:
            lines += ["", *self.contact.lines(self._most(SHOWN_PAIRS))]
        if self.metrics:
            lines += ["", *metric_lines(self.metrics)]
        if self.oracle:
            lines += ["", *oracle_lines(self.oracle)]
        versions = ", ".join(f"{name} {value}" for name, value in self.trajectory.header.provenance.items())
        how = "verified" if self.is_verified else "not verified; --verify reads everything"
        ends = [f"made with {versions}", f"content hash {self.content_hash} ({how})"]
        return "\n".join([*lines, "", *self._datasets(), "", *ends])

    def _most(self, rows: int) -> int | None:
        """The most rows of a table that usually has so many."""
        return None if self.is_all else rows

    def _drift(self) -> list[str]:
        if not self.trajectory.has_diagnostics:
            return [f"energies and momenta were not recorded ({self.trajectory.header.record_text})"]
        return [str(drift) for drift in self.drift]

    def _sampling(self) -> str:
        time = self.trajectory.time
        spacing = f" every {time[1] - time[0]:g} s" if len(time) > 1 else ""
        return f"{counted(len(time), 'sample')}{spacing}, {time[0]:g} to {time[-1]:g} s"

    def _scene(self) -> list[str]:
        simulation = self.trajectory.header.resolved.get("simulation", {})
        options = simulation.get("integrator", {})
        how = ", ".join(str(value) for value in options.values()) if isinstance(options, dict) else str(options)
        return [f"{self.trajectory.header.title}; step {simulation.get('step', 0):g} s, {how}"]

    def _tree(self) -> list[str]:
        """The bodies, indented by level, with kinds and extremes."""
        header = self.trajectory.header
        names = ["  " * path.count("/") + path.rsplit("/", 1)[-1] for path in header.paths]
        numbers = [
            ["" if value is None else f"{value:.5g}" for value in vars(largest).values()] for largest in self.extremes
        ]
        rows = [[name, *three, kind] for name, three, kind in zip(names, numbers, header.kinds, strict=True)]
        header_row = ["largest values in the world", "distance, m", "speed, m/s", "angular speed, rad/s", "kind"]
        shown = shown_of(len(rows), self._most(MOST_ROWS))
        return [*aligned([header_row, *rows[:shown]]), *remark(len(rows) - shown, ALL)]

    def _datasets(self) -> list[str]:
        groups: dict[str, list[str]] = {}
        for dataset in datasets(self.trajectory.header):
            group, _, name = str(dataset["name"]).rpartition("/")
            some = f" of {counted(len(dataset['bodies']), 'body', 'bodies')}" if "bodies" in dataset else ""
            groups.setdefault(group, []).append(f"{name} [{dataset['units']}]{some}")
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
            "events": [event.as_dict() for event in self.trajectory.events.scheduled],
            **({"contact": self.contact.as_dict()} if self.contact else {}),
            **({"metrics": plain_metrics(self.metrics)} if self.metrics else {}),
            **({"oracle": plain_errors(self.oracle)} if self.oracle else {}),
            "drift": {drift.name: drift.as_dict() for drift in self.drift},
            "warnings": self.warnings,
            "contact_settings": dict(header.contact_settings),
            "datasets": datasets(header),
            "content_hash": self.content_hash,
            "verified": self.is_verified,
            "provenance": dict(header.provenance),
            "scene": dict(header.resolved),
        }


def datasets(header: Header) -> list[dict[str, object]]:
    """Name, dimensions, units and meaning of each dataset of samples, and the bodies of one that has only some."""
    scaled = any(scale != 1.0 for scale in header.scale)
    described: list[dict[str, object]] = [{"name": "time", "dimensions": ["time"], "units": "s", "long_name": "time"}]
    for f in header.fields:
        of_parent = scaled and f.name in ("local/position", "local/velocity")
        units = f.units.replace("m", "units of the parent", 1) if of_parent else f.units
        rows = header.recorded_rows(f.name)
        some = {} if rows is None else {"bodies": [header.paths[row] for row in rows]}
        entry = {"name": f.name, "dimensions": list(f.dimensions), "units": units, "long_name": f.long_name}
        described.append({**entry, **some})
    if header.with_contacts:
        described += [_described(COUNT_COLUMN, "time"), *(_described(column, ROW) for column in POINT_COLUMNS)]
    return described


def _described(column: Column, rows: str) -> dict[str, object]:
    dimensions = [rows, column.axis] if column.axis else [rows]
    return {"name": column.name, "dimensions": dimensions, "units": column.units, "long_name": column.long_name}
