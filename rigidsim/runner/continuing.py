"""Going on with a run: of a process that was killed, of one that was interrupted, or beyond its end."""

from __future__ import annotations

import json
from dataclasses import replace
from decimal import Decimal
from enum import Enum
from pathlib import Path

from rigidsim.errors import StorageError, UsageError
from rigidsim.report.inputs import differing_keys
from rigidsim.simulation.single import Simulation
from rigidsim.trajectory.checkpoint import read_checkpoint
from rigidsim.trajectory.contact_ledger import ContactLedger
from rigidsim.trajectory.destination import IN_SHELL, TRAJECTORY, check_temporary, is_unfinished, remove_remains
from rigidsim.trajectory.header import Header
from rigidsim.trajectory.provenance import provenance
from rigidsim.trajectory.reader import load
from rigidsim.trajectory.trajectory import Trajectory
from rigidsim.trajectory.writer import Writer

DURATION = "simulation.duration"


class RunStart(Enum):
    """Where a run starts."""

    ANEW = "anew"
    RESUMED = "resumed"  # where another process was interrupted
    EXTENDED = "extended"  # at the end of a complete one


def extended_duration(path: Path, more: float) -> str:
    """The duration, s, of a finished run and a time after it, s."""
    if not more > 0.0:
        raise UsageError(f"--extend {more:g}: expected a positive time")
    with load(path) as trajectory:
        duration = trajectory.header.resolved["simulation"]["duration"]
    return str(Decimal(str(duration)) + Decimal(str(more)))


def opened_writer(path: Path, simulation: Simulation, start: RunStart, compression: str, force: bool) -> Writer:
    """The writer of a run, which is prepared, or goes on with what there is."""
    if start is not RunStart.ANEW:
        return continued(path, simulation, start, compression)
    simulation.prepare()
    return Writer(path, simulation.header, simulation.n_sample, force=force, compression=compression, hints=IN_SHELL)


def is_anything_kept(path: Path) -> bool:
    """Whether there is anything of a run to resume: its file, or what a killed one left after its first checkpoint."""
    remove_remains(path)
    return path.exists() or is_unfinished(path)


def continued(path: Path, simulation: Simulation, start: RunStart, compression: str) -> Writer:
    """The writer of a run that goes on, with all samples up to where it stopped; the simulation is there."""
    remove_remains(path)
    check_temporary(path, TRAJECTORY, IN_SHELL)
    if start is RunStart.RESUMED and is_unfinished(path):
        return _reopened(path, simulation)
    if not path.exists():
        raise StorageError(f"{path}: there is no run to continue")
    with load(path) as earlier:
        _check_status(path, earlier.status, start)
        require_same(path, earlier.header, simulation.header, () if start is RunStart.RESUMED else (DURATION,))
        checkpoint = read_checkpoint(path, earlier.stored_hash)
        if not checkpoint:
            raise StorageError(f"{path} has no checkpoint to continue from; --force begins again")
        simulation.resume(checkpoint, earlier.events)
        if simulation.is_over:
            raise StorageError(f"{path}: simulation.stop ended it at t = {simulation.time:.9g} s, so nothing follows")
        return _rewritten(path, earlier, simulation, compression)


def recovered(path: Path, force: bool) -> tuple[int, float, str]:
    """Make a trajectory of what a killed run left: the number of samples, the time of the last one, s, and why this
    version does not go on with it; empty if it does.
    """
    remove_remains(path)
    if not is_unfinished(path):
        raise StorageError(f"{path}: there is nothing to recover: no run of it was killed after its first checkpoint")
    writer, left = Writer.reopened(path, force=force, hints=IN_SHELL)
    with writer:
        if left.is_finished:
            writer.publish()
        else:
            metrics = {name: float(value) for name, value in left.group("metrics").items()}
            values = {name: value.item() for name, value in left.group("ledger").items()}
            ledger = ContactLedger(**values) if values else None
            writer.finish("interrupted", "the process was killed", left.events, metrics, ledger)
    with load(path) as trajectory:
        return len(trajectory.time), float(trajectory.time[-1]), other_version(trajectory.header)


def _reopened(path: Path, simulation: Simulation) -> Writer:
    """Go on with the file of a killed process. An existing file is replaced if it is of the same run."""
    writer, left = Writer.reopened(path, force=_has_run(path, simulation.header), hints=IN_SHELL)
    try:
        if left.is_finished:
            writer.publish()
            raise StorageError(f"{path} was complete but for its name, which it has now; nothing was left to do")
        assert left.header is not None and left.events is not None  # of what is not finished
        require_same(path, left.header, simulation.header)
        simulation.resume(left.group("run"), left.events)
    except BaseException:
        writer.__exit__()
        raise
    return writer


def _has_run(path: Path, header: Header) -> bool:
    """Whether a file exists that has an earlier part of this run."""
    if not path.exists():
        return False
    with load(path) as earlier:
        return earlier.header.scene_resolved == header.scene_resolved


def _rewritten(path: Path, earlier: Trajectory, simulation: Simulation, compression: str) -> Writer:
    """A writer that will replace a file, with the samples of it up to where the simulation is."""
    before = {**earlier.header.provenance, "until": f"{simulation.time:.9g} s"}
    header = replace(simulation.header, provenance={**simulation.header.provenance, "earlier": json.dumps(before)})
    writer = Writer(path, header, simulation.n_sample, force=True, compression=compression, hints=IN_SHELL)
    try:
        for piece in earlier.pieces(writer.chunk_rows, -(-simulation.n // simulation.blueprint.stride)):
            writer.append_arrays(piece)
    except BaseException:
        writer.__exit__()
        raise
    return writer


def _check_status(path: Path, status: str, start: RunStart) -> None:
    if start is RunStart.EXTENDED and status != "complete":
        raise StorageError(f"{path} is {status}, not complete; --resume continues an interrupted run")
    if start is RunStart.RESUMED and status == "complete":
        raise StorageError(f"{path} is complete; --extend TIME continues it beyond its end")


def other_version(earlier: Header) -> str:
    """A sentence if the header is of another version, with which no run goes on; else empty."""
    written, present = (one.get("rigidsim") for one in (earlier.provenance, provenance()))
    return "" if written == present else f"was written by rigidsim {written}, this is {present}"


def require_same(path: Path, earlier: Header, header: Header, but: tuple[str, ...] = ()) -> None:
    """Raise UsageError unless two headers are of the same run, but for these keys of the scene."""
    if found := other_version(earlier):
        raise UsageError(f"{path} {found}; --force begins again")
    keys = differing_keys(earlier.resolved, header.resolved)
    found = next((f"{key} is {had} in it and {has} now" for key, (had, has) in keys if key not in but), "")
    if not found and earlier.dataset_names != header.dataset_names:
        found = "other quantities are recorded in it"
    if not found and earlier.contact_settings != header.contact_settings:
        found = "contact is computed otherwise in it"
    if found:
        raise UsageError(f"{path} is of another run: {found}; --force begins again")
