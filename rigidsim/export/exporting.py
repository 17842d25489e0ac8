"""Writing trajectories and sweeps to files of other formats."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from rigidsim.errors import UsageError
from rigidsim.export.labelled import needed
from rigidsim.export.netcdf import write_netcdf
from rigidsim.export.recorded import labelled
from rigidsim.export.runs import labelled_runs
from rigidsim.export.tables import csv_pieces, run_table
from rigidsim.report.states import WORLD
from rigidsim.report.windows import windows
from rigidsim.sweeps.stored import Sweep
from rigidsim.trajectory.destination import HDF5_SIGNATURE, IN_PYTHON, FileKind, Hints
from rigidsim.trajectory.published import kind_of, published
from rigidsim.trajectory.trajectory import Trajectory

CSV = FileKind("a CSV table", (".csv",))
NETCDF = FileKind("a NetCDF file", (".nc", ".nc4"), (HDF5_SIGNATURE,))
KINDS = (CSV, NETCDF)


def export(
    source: Trajectory | Sweep,
    path: str | Path,
    quantities: Sequence[str] = (),
    *,
    frame: str = WORLD,
    events: bool = False,
    force: bool = False,
    progress: Callable[[int, int], None] | None = None,
    hints: Hints = IN_PYTHON,
) -> Path:
    """Write quantities of a trajectory, by their names, to a file: CSV or NetCDF, by the ending `.csv` or `.nc`.

    Without quantities a NetCDF file has everything that was recorded, a CSV file the motion of all bodies relative to
    `frame`. With `events` a CSV file is the table of events, and a NetCDF file has them as well. Of a sweep, CSV is the
    table of runs; NetCDF has the recorded arrays, too.

    Raises UsageError, NotRecordedError, StorageError if the file exists and `force` is false or cannot be written.
    """
    kind = kind_of(path, KINDS)
    if kind is NETCDF:
        needed("h5netcdf", "NetCDF files")
        if frame != WORLD:
            raise UsageError("a frame of the whole table is for CSV; in NetCDF files name it with each quantity: @FRAME")
        described = labelled_runs(source) if isinstance(source, Sweep) else labelled(source, quantities, events)
        with published(path, kind, force, hints) as file:
            write_netcdf(file, described, progress)
    else:
        pieces = pieces_of(source, quantities, frame, events)
        with published(path, kind, force, hints) as file:
            for number, piece in enumerate(pieces, 1):
                file.write(piece.encode())
                file.check()
                if progress:
                    progress(number, max(number, _expected(source)))
    return Path(path)


def pieces_of(source: Trajectory | Sweep, quantities: Sequence[str], frame: str, events: bool) -> Iterator[str]:
    """CSV text in pieces, of which the first has been made: see `export`. Raises UsageError."""
    if isinstance(source, Sweep):
        if quantities or events or frame != WORLD:
            raise UsageError("quantities, events and frames are for one run; of a sweep the whole table is exported")
        return run_table(source).text()
    if sum((bool(quantities), events, frame != WORLD)) > 1:
        raise UsageError("quantities, events and a frame are three tables; choose one of them (a quantity: @FRAME)")
    if frame != WORLD:
        _ = source[frame]  # raises UsageError if there is no such body
    return csv_pieces(source, quantities, frame, events)


def _expected(source: Trajectory | Sweep) -> int:
    """About how many pieces of text there will be."""
    return 2 if isinstance(source, Sweep) else 1 + len(list(windows(source)))


def to_xarray(trajectory: Trajectory, quantities: Sequence[str] = (), events: bool = False):
    """See `Trajectory.to_xarray`."""
    return labelled(trajectory, quantities, events).to_xarray()


def to_pandas(trajectory: Trajectory, quantities: Sequence[str] = (), frame: str = WORLD, events: bool = False):
    """See `Trajectory.to_pandas`."""
    pandas = needed("pandas", "pandas tables")
    text = io.StringIO("".join(pieces_of(trajectory, quantities, frame, events)))
    frame = pandas.read_csv(text, float_precision="round_trip")
    return frame.set_index(["time (s)", "body"] if not (quantities or events) else "time (s)")
