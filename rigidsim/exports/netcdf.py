"""Labelled arrays as a NetCDF-4 file, written a window of rows at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from rigidsim.arguments import needed
from rigidsim.exports.labelled import Labelled, LabelledVariable
from rigidsim.trajectory.spool import Spool
from rigidsim.trajectory.structure import TEXT

CHUNK_VALUES = 1 << 15
"""Values of a chunk of the file."""


def write_netcdf(file: Spool, labelled: Labelled, progress: Callable[[int, int], None] | None = None) -> None:
    """Write the variables; `progress(done, total)` counts windows."""
    h5netcdf = needed("h5netcdf", "NetCDF files", "netcdf")
    total = sum(max(1, len(list(v.windows()))) if v.shape else 1 for v in labelled.variables)
    done = 0
    with h5netcdf.File(file, "w") as root:
        root.dimensions = {d: n for v in labelled.variables for d, n in zip(v.dimensions, v.shape, strict=True)}
        for key, value in labelled.attributes.items():
            root.attrs[key] = value
        beside = labelled.coordinates & {v.name for v in labelled.variables} - set(root.dimensions)
        if beside:
            root.attrs["coordinates"] = " ".join(sorted(beside))
        for variable in labelled.variables:
            stored = _created(root, variable)
            windows: Iterable[Any] = variable.windows() if variable.shape else (...,)
            for rows in windows:
                stored[rows] = variable.read(rows)
                done += 1
                file.check()
                if progress:
                    progress(done, total)


def _created(root, variable: LabelledVariable):
    """The variable of the file, without values."""
    dtype = TEXT if variable.is_text else variable.dtype
    options: dict[str, Any] = {}
    if variable.shape and not variable.is_text and all(variable.shape):
        row = 1
        for length in variable.shape[1:]:
            row *= length
        options["chunks"] = (min(variable.shape[0], max(1, CHUNK_VALUES // row)), *variable.shape[1:])
        options |= {"compression": "gzip", "compression_opts": 1, "shuffle": True, "fletcher32": True}
    stored = root.create_variable(variable.name, variable.dimensions, dtype, **options)
    for key, value in variable.attributes.items():
        stored.attrs[key] = value
    return stored
