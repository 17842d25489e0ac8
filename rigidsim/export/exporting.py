"""Writing trajectories to files of other formats."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from rigidsim.errors import UsageError
from rigidsim.export.labelled import Labelled, needed
from rigidsim.export.netcdf import write_netcdf
from rigidsim.export.recorded import labelled
from rigidsim.export.tables import WORDS, event_table, series_table
from rigidsim.hindsight.quantities import full_path
from rigidsim.report.samples import csv_of
from rigidsim.report.samples import pieces_of as text_pieces
from rigidsim.report.states import WORLD
from rigidsim.trajectory.destination import IN_PYTHON, Hints
from rigidsim.trajectory.file_kinds import HDF5_SIGNATURE, FileKind
from rigidsim.trajectory.published import kind_of, published
from rigidsim.trajectory.trajectory import Trajectory
from rigidsim.trajectory.windows import windows

CSV = FileKind("a CSV table", "CSV tables", (".csv",))
NETCDF = FileKind("a NetCDF file", "NetCDF files", (".nc", ".nc4"), re.escape(HDF5_SIGNATURE))
KINDS = (CSV, NETCDF)


def export(
    trajectory: Trajectory,
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
    `frame`. With `events` a CSV file is the table of events, and a NetCDF file has them as well.

    Raises UsageError, NotRecordedError, StorageError if the file exists and `force` is false or cannot be written.
    """

    def described() -> Labelled:
        if frame != WORLD:
            raise UsageError(
                "a frame of all bodies is for CSV; for NetCDF write it with each quantity: ball.position@table"
            )
        return labelled(trajectory, quantities, events)

    def pieces() -> Iterator[str]:
        return pieces_of(trajectory, quantities, frame, events)

    if quantities or events:
        count = len(trajectory.events) if events else len(list(windows(trajectory)))
    else:
        count = sum(len(found) for _, found in text_pieces(trajectory))
    return write(path, described, pieces, 1 + count, force, progress, hints)


def write(
    path: str | Path,
    described: Callable[[], Labelled],
    pieces: Callable[[], Iterator[str]],
    n_piece: int,
    force: bool,
    progress: Callable[[int, int], None] | None,
    hints: Hints,
) -> Path:
    """Write labelled arrays as NetCDF, or pieces of text as CSV, by the ending of the path."""
    kind = kind_of(path, KINDS)
    if kind is NETCDF:
        needed("h5netcdf", "NetCDF files")
        content = described()
        if progress:
            progress(0, n_piece)
        with published(path, kind, force, hints) as file:
            write_netcdf(file, content, progress)
        return Path(path)
    content = pieces()
    if progress:
        progress(0, n_piece)
    with published(path, kind, force, hints) as file:
        for number, piece in enumerate(content, 1):
            file.write(piece.encode())
            file.check()
            if progress:
                progress(number, n_piece)
    return Path(path)


def pieces_of(trajectory: Trajectory, quantities: Sequence[str], frame: str, events: bool) -> Iterator[str]:
    """CSV text in pieces: see `export`. Raises UsageError."""
    if sum((bool(quantities), events, frame != WORLD)) > 1:
        raise UsageError("quantities, --events and --frame make different tables; choose one (of a quantity: @FRAME)")
    if events:
        return event_table(trajectory).text()
    if quantities:
        return series_table(trajectory, quantities).text()
    frame = frame if frame == WORLD else full_path(trajectory, frame)
    return csv_of(trajectory, frame)


def to_xarray(trajectory: Trajectory, quantities: Sequence[str] = (), events: bool = False):
    """See `Trajectory.to_xarray`."""
    return labelled(trajectory, quantities, events).to_xarray()


def to_pandas(trajectory: Trajectory, quantities: Sequence[str] = (), frame: str = WORLD, events: bool = False):
    """See `Trajectory.to_pandas`."""
    pandas = needed("pandas", "pandas tables")
    header, *rows = csv.reader(io.StringIO("".join(pieces_of(trajectory, quantities, frame, events))))
    columns = zip(*rows, strict=True) if rows else ([] for _ in header)
    found = {name: _parsed(name, column) for name, column in zip(header, columns, strict=True)}
    return pandas.DataFrame(found).set_index("time (s)" if quantities or events else ["time (s)", "body"])


def _parsed(name: str, column: Sequence[str]) -> Sequence:
    """A column of a table: texts, or numbers with all their digits."""
    return column if name in ("body", "cause", *WORDS) else [float(text) if text else math.nan for text in column]
