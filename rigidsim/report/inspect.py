"""The contents of a trajectory file."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sized
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from rigidsim.errors import FormatError
from rigidsim.report.cause import drift_warnings, without_allowed
from rigidsim.report.contact import SHOWN_PAIRS, ContactSummary, contact_lines, ledger_warnings
from rigidsim.report.drift import drift_of
from rigidsim.report.extremes import extremes, stored_extremes_match
from rigidsim.report.jumps import listed
from rigidsim.report.metrics import outcome
from rigidsim.report.sections import CellTable, Report, Section
from rigidsim.report.sparklines import Sparkline, sparkline_lines, sparklines
from rigidsim.report.states import StateTable
from rigidsim.report.table import ALL, MOST_ROWS
from rigidsim.report.wording import counted
from rigidsim.trajectory.fields import CONTACT_WORK, COUNT_COLUMN, POINT_COLUMNS, TableColumn
from rigidsim.trajectory.header import Header
from rigidsim.trajectory.trajectory import Trajectory, sample_of
from rigidsim.tree.joints import coordinates_of
from rigidsim.tree.nodes import WORLD

if TYPE_CHECKING:
    from rigidsim.analysis.oracles import OracleError

SHOWN_EVENTS, SHOWN_BODIES = 20, 20
SHOWN_COURSES = ("kinetic_energy", "energy_drift")
TOLERANCES = {"rtol", "tolerance"}  # options of integrators that choose their steps
FEWEST_SAMPLES = 8  # of which a course is shown
NO_METRICS: Mapping[str, str] = MappingProxyType({})


def contact_of(trajectory: Trajectory) -> ContactSummary:
    """The events of contact; with the work of all contact if it was recorded."""
    recorded = trajectory.arrays.get(CONTACT_WORK.name)
    work = None if recorded is None else float(recorded[-1])
    return ContactSummary(trajectory.events.contact, work, trajectory.contact_ledger)


def energies(trajectory: Trajectory) -> list[Sparkline]:
    """The kinetic energy and the drift of the energy over time, if they were recorded at several samples."""
    has_enough = trajectory.has_diagnostics and len(trajectory.time) >= FEWEST_SAMPLES
    return sparklines(trajectory, SHOWN_COURSES) if has_enough else []


def oracle_of(trajectory: Trajectory) -> list[OracleError]:
    """The errors with respect to the oracle of the scene, if it has one."""
    if not trajectory.header.resolved.get("oracle"):
        return []
    # Imported here because it imports the scene's schema.
    from rigidsim.analysis.oracles import errors

    return errors(trajectory)


def require_intact(trajectory: Trajectory, file: str | Path) -> None:
    """Read all samples; raise FormatError if they do not match the content hash of the file, or its extremes, or if its
    derivatives do not match their digests.
    """
    if trajectory.content_hash != trajectory.stored_hash:
        raise FormatError(f"{file} is damaged: its samples do not match its content hash")
    for name in trajectory.parameters:
        trajectory.derivative(name)  # is verified when it is read
    if not stored_extremes_match(trajectory):
        raise FormatError(f"{file} is damaged: its extremes are not those of its samples")


class Inspection(Report):
    """The output of `inspect`."""

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

        def most(rows: int) -> int | None:
            return None if is_all else rows

        given = {name: trajectory.metric(text) for name, text in metrics.items()}
        units = {**trajectory.header.metric_units} | {
            name: trajectory.metric_unit(text) for name, text in metrics.items()
        }
        states = [StateTable(sample_of(trajectory, k), frame, most(SHOWN_BODIES)) for k in (0, -1)]
        return cls(
            _about(trajectory, file),
            _bodies(trajectory, most(MOST_ROWS)),
            Section({"first": states[0]}, states[0].lines()),
            Section({"last": states[1]}, states[1].lines() if len(trajectory.time) > 1 else ()),
            _drift(trajectory),
            Section(lines=sparkline_lines(found, trajectory.time) if (found := energies(trajectory)) else ()),
            _joints(trajectory, most(SHOWN_BODIES)),
            _loops(trajectory, most(SHOWN_BODIES)),
            _events(trajectory, most(SHOWN_EVENTS)),
            *outcome(
                contact_of(trajectory), trajectory.metrics | given, units, oracle_of(trajectory), most(SHOWN_PAIRS)
            ),
            _datasets(trajectory.header),
            _provenance(trajectory, verify),
        )


def _about(trajectory: Trajectory, file: str | Path) -> Section:
    """Status, sampling, scene, and what was chosen for contact."""
    header, time = trajectory.header, trajectory.time
    spacing = f" every {time[1] - time[0]:g} s" if len(time) > 1 else ""
    sampling = f"{counted(len(time), 'sample')}{spacing}, {time[0]:g} to {time[-1]:g} s"
    simulation = header.resolved.get("simulation", {})
    options = simulation.get("integrator", {})
    given = options if isinstance(options, dict) else {"name": options}
    how = ", ".join(str(value) if key == "name" else f"{key} {value}" for key, value in given.items())
    if not TOLERANCES.intersection(given):
        how = f"step {simulation.get('step', 0):g} s, {how}"
    elif header.contact_settings["mode"] != "off":
        how = f"{how}, contact in steps of {simulation.get('step', 0):g} s"
    lines = [
        f"{file}: {trajectory.status}, {sampling}",
        *filter(None, [trajectory.message]),
        f"{header.title}; {how}",
        *contact_lines(header.contact_settings),
    ]
    about = {"file": str(file), "status": trajectory.status, "message": trajectory.message}
    samples = {"samples": len(time), "begin": float(time[0]), "end": float(time[-1])}
    return Section({**about, **samples, "contact_settings": dict(header.contact_settings)}, lines)


def _bodies(trajectory: Trajectory, most: int | None) -> Section:
    """The bodies, indented by level, with kinds and extremes; in text at most so many."""
    header, largest = trajectory.header, extremes(trajectory)
    names = ["  " * path.count("/") + path.rsplit("/", 1)[-1] for path in header.paths]
    numbers = [["" if math.isnan(value) else f"{value:.5g}" for value in one.values()] for one in largest]
    kinds = [header.joints.get(path, kind) for path, kind in zip(header.paths, header.kinds, strict=True)]
    rows = [[name, *three, kind] for name, three, kind in zip(names, numbers, kinds, strict=True)]
    head = ["largest values in the world", "distance, m", "speed, m/s", "angular speed, rad/s", "kind"]
    about = zip(header.paths, header.parents, header.kinds, largest, strict=True)
    data = [
        {"path": path, "parent": parent, "kind": kind, **one}
        | ({"joint": header.joints[path]} if path in header.joints else {})
        for path, parent, kind, one in about
    ]
    return Section({"bodies": data}, table=CellTable.first(head, rows, most, ALL))


def _joints(trajectory: Trajectory, most: int | None) -> Section:
    """The coordinates of joints over time, if they were recorded; in text those of at most so many joints."""
    joints = trajectory.header.joints
    if not joints or "joints/coordinate" not in trajectory.arrays:
        return Section()
    found = sparklines(trajectory, [f"{path}.{name}" for path, type in joints.items() for name in coordinates_of(type)])
    shown = dict.fromkeys([*joints][:most])
    lines = [one for one in found if one.name.rpartition(".")[0] in shown]
    return Section({"joints": found}, sparkline_lines(lines, trajectory.time) if lines else ())


def _loops(trajectory: Trajectory, most: int | None) -> Section:
    """The force of each loop over time, if it was recorded; in text those of at most so many."""
    if "loops/force" not in trajectory.arrays:
        return Section()
    found = sparklines(trajectory, [f"{loop}.loop_force.norm" for loop in trajectory.header.loops])
    return Section({"loops": found}, sparkline_lines(found[:most], trajectory.time))


def _drift(trajectory: Trajectory) -> Section:
    """The drift of conserved quantities, and warnings about it and about contact."""
    drift = without_allowed(trajectory, drift_of(trajectory))
    step = trajectory.header.resolved.get("simulation", {}).get("step", 0.0)
    warnings = [*drift_warnings(trajectory, drift), *ledger_warnings(trajectory.contact_ledger, step)]
    lines = list(map(str, drift))
    if not trajectory.has_diagnostics:
        lines = [f"energies and momenta were not recorded ({trajectory.header.record_text})"]
    data = {"drift": {one.name: one for one in drift}, "warnings": warnings}
    return Section(data, [*lines, *(f"warning: {text}" for text in warnings)])


def _events(trajectory: Trajectory, most: int | None) -> Section:
    """Impulses and reparentings; in text at most so many."""
    events = trajectory.events.scheduled
    lines = [f"{counted(len(events), 'event')}:", *listed(events, most)] if events else []
    return Section({"events": events}, lines)


def _datasets(header: Header) -> Section:
    """The datasets and their units, by groups."""
    found = datasets(header)
    groups: dict[str, list[str]] = {}
    for dataset in found:
        group, _, name = str(dataset["name"]).rpartition("/")
        bodies = dataset.get("bodies")
        some = f" of {counted(len(bodies), 'body', 'bodies')}" if isinstance(bodies, Sized) else ""
        groups.setdefault(group, []).append(f"{name} [{dataset['units']}]{some}")
    rows = (f"  {group or '':<11} {', '.join(names)}" for group, names in groups.items())
    return Section({"datasets": found}, ["datasets and their units:", *rows])


def _provenance(trajectory: Trajectory, is_verified: bool) -> Section:
    """What made it, and whether all samples were compared with the content hash."""
    provenance = dict(trajectory.header.provenance)
    versions = ", ".join(f"{name} {value}" for name, value in provenance.items())
    how = "verified" if is_verified else "not verified; --verify reads everything"
    lines = [f"made with {versions}", f"content hash {trajectory.stored_hash} ({how})"]
    data = {"content_hash": trajectory.stored_hash, "verified": is_verified, "provenance": provenance}
    return Section({**data, "scene": dict(trajectory.header.resolved)}, lines)


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
        described += [_described(COUNT_COLUMN, "time"), *(_described(column, "row") for column in POINT_COLUMNS)]
    for table in header.readings:
        described.append({"name": table.time, "dimensions": ["time"], "units": "s", "long_name": "times of samples"})
        described += [_described(column, "time") for column in table.columns]
    return described


def _described(column: TableColumn, rows: str) -> dict[str, object]:
    dimensions = [rows, column.axis] if column.axis else [rows]
    return {"name": column.name, "dimensions": dimensions, "units": column.units, "long_name": column.long_name}
