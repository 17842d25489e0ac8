"""Trajectories and sweeps for other programs: files of other formats, xarray datasets, pandas tables."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Callable, Sequence
from pathlib import Path

from rigidsim.analysis.quantities import full_path
from rigidsim.arguments import instance, needed
from rigidsim.errors import UsageError
from rigidsim.exports.labelled import Labelled
from rigidsim.exports.netcdf import write_netcdf
from rigidsim.exports.recorded import labelled
from rigidsim.exports.runs import labelled_runs, run_columns, run_table
from rigidsim.exports.tables import WORDS, TextTable, event_table, motion_table, readings_table, series_table
from rigidsim.sweeps.stored import Sweep
from rigidsim.trajectory.destination import HDF5_SIGNATURE, IN_PYTHON, FileKind, Hints, kind_of
from rigidsim.trajectory.spool import published
from rigidsim.trajectory.trajectory import Trajectory
from rigidsim.tree.nodes import WORLD

CSV = FileKind("a CSV table", "CSV tables", (".csv",))
NETCDF = FileKind("a NetCDF file", "NetCDF files", (".nc", ".nc4"), re.escape(HDF5_SIGNATURE))
KINDS = (CSV, NETCDF)


def export(
    shown: Trajectory | Sweep,
    path: str | Path,
    *quantities: str,
    frame: str = WORLD,
    events: bool = False,
    force: bool = False,
    progress: Callable[[int, int], None] | None = None,
    hints: Hints = IN_PYTHON,
) -> Path:
    """Write quantities of a trajectory to a table, `.csv`, or a NetCDF file, `.nc` (needs `rigidsim[netcdf]`).

    Parameters
    ----------
    shown : Trajectory or Sweep
        Of a sweep, a CSV file is the table of runs; a NetCDF file has the recorded arrays, too.
    path : str or Path
        The file; its ending gives the format.
    *quantities : str
        Names such as `ball.position.x@table`; a sweep has none. Without any, a NetCDF file has everything that was
        recorded, and a CSV file the motion of all bodies, a line for each body and sample. The name of a sensor,
        `sat.imu`, or of a controller alone makes a CSV file of what it gave, at its own times.
    frame : str
        The body relative to which a CSV file without quantities has motions.
    events : bool
        A CSV file is the table of events, and a NetCDF file has them as well.
    force : bool
        Replace an existing file.
    progress : callable
        `progress(done, total)` is called after each piece.
    hints : Hints
        What messages advise, in Python or on the command line.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    UsageError
        For an unknown quantity, or if a package is missing.
    NotRecordedError
        If a quantity was not recorded.
    StorageError
        If the file exists and `force` is false, or cannot be written.
    """
    kind = kind_of(path, KINDS)
    if kind is NETCDF:
        needed("h5netcdf", "NetCDF files", "netcdf")
        if frame != WORLD:
            hint = "for NetCDF write it with each quantity: BODY.position@FRAME"
            raise UsageError(f"a frame of all bodies is for CSV; {hint}")
        content: Labelled | TextTable = _labelled(shown, quantities, events)
    else:
        content = table_of(shown, quantities, frame, events)
    count = 1 if isinstance(content, Labelled) else 1 + content.count
    if progress:
        progress(0, count)
    with published(path, kind, force, hints) as file:
        if kind is NETCDF:
            assert isinstance(content, Labelled)
            write_netcdf(file, content, progress)
            return Path(path)
        assert isinstance(content, TextTable)
        for number, piece in enumerate(content.text(), 1):
            file.write(piece.encode())
            file.check()
            if progress:
                progress(number, count)
    return Path(path)


def _labelled(shown: Trajectory | Sweep, quantities: Sequence[str], events: bool) -> Labelled:
    if not isinstance(shown, Sweep):
        return labelled(instance(shown, Trajectory, "what is exported", Sweep), quantities, events)
    _require_whole(quantities, WORLD, events)
    return labelled_runs(shown)


def _require_whole(quantities: Sequence[str], frame: str, events: bool) -> None:
    """Raise UsageError if something of a sweep is asked for that only a single run has."""
    if quantities or events or frame != WORLD:
        raise UsageError("this is the result of a sweep: quantities, a frame and events are for one run")


def table_of(shown: Trajectory | Sweep, quantities: Sequence[str], frame: str, events: bool) -> TextTable:
    """The table of a CSV file: see `export`. Raises UsageError, NotRecordedError."""
    if isinstance(shown, Sweep):
        _require_whole(quantities, frame, events)
        return run_table(shown)
    instance(shown, Trajectory, "what is exported", Sweep)
    if sum((bool(quantities), events, frame != WORLD)) > 1:
        raise UsageError("quantities, --events and --frame make different tables; choose one (of a quantity: @FRAME)")
    if events:
        return event_table(shown)
    if own := next((name for name in quantities if name in shown.readings), ""):
        if len(quantities) > 1:
            raise UsageError(f"{own} has times of its own: export it alone, or by its names in expressions")
        return readings_table(shown.readings[own])
    if quantities:
        return series_table(shown, quantities)
    return motion_table(shown, frame if frame == WORLD else full_path(shown, frame))


def to_xarray(shown: Trajectory | Sweep, *quantities: str, events: bool = False):
    """What `export` writes to a NetCDF file, in memory.

    Parameters
    ----------
    shown : Trajectory or Sweep
        The results.
    *quantities : str
        Names of quantities of a trajectory; without any, everything that was recorded.
    events : bool
        The events, too.

    Returns
    -------
    xarray.Dataset
        A metric with the name of a varied number is called `metrics_NAME`, here and in `to_pandas`.
    """
    return _labelled(shown, quantities, events).to_xarray()


def to_pandas(shown: Trajectory | Sweep, *quantities: str, frame: str = WORLD, events: bool = False):
    """The table that `export` writes to a CSV file, in memory.

    Parameters
    ----------
    shown : Trajectory or Sweep
        The results.
    *quantities : str
        Names of quantities of a trajectory; without any, the motion of all bodies.
    frame : str
        The body relative to which motions are given.
    events : bool
        The table of events in place of quantities.

    Returns
    -------
    pandas.DataFrame
        For a trajectory, names of columns have units, and the index is the time, or time and body. For a sweep, there
        is a row for each run.
    """
    pandas = needed("pandas", "pandas tables", "netcdf")
    if isinstance(shown, Sweep):
        _require_whole(quantities, frame, events)
        return pandas.DataFrame(run_columns(shown)).set_index("run")
    header, *rows = csv.reader(io.StringIO("".join(table_of(shown, quantities, frame, events).text())))
    columns = zip(*rows, strict=True) if rows else ([] for _ in header)
    found = {name: _parsed(name, column) for name, column in zip(header, columns, strict=True)}
    return pandas.DataFrame(found).set_index("time (s)" if quantities or events else ["time (s)", "body"])


def _parsed(name: str, column: Sequence[str]) -> Sequence:
    """A column of a table: texts, or numbers with all their digits."""
    return column if name in ("body", "cause", *WORDS) else [float(text) if text else math.nan for text in column]
