"""The results of a sweep for other programs: the table of runs, and what was recorded of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from rigidsim.export.exporting import write
from rigidsim.export.labelled import Labelled, Variable
from rigidsim.export.tables import TextTable
from rigidsim.sweeps.frames import metric_columns
from rigidsim.sweeps.stored import Sweep
from rigidsim.trajectory.destination import IN_PYTHON, Hints
from rigidsim.trajectory.fields import AXES


def export_runs(
    sweep: Sweep,
    path: str | Path,
    *,
    force: bool = False,
    progress: Callable[[int, int], None] | None = None,
    hints: Hints = IN_PYTHON,
) -> Path:
    """Write the results of a sweep: CSV, the table of runs, or NetCDF, which has the recorded arrays as well.

    Raises StorageError if the file exists and `force` is false or cannot be written.
    """
    return write(path, lambda: labelled_runs(sweep), lambda: run_table(sweep).text(), 2, force, progress, hints)


def run_table(sweep: Sweep) -> TextTable:
    """The runs of a sweep: number, varied values, seed, status, last time, error, metrics."""
    columns = dict(sweep.runs) | metric_columns(sweep, set())
    order = ["run", *(name for name in columns if name != "run")]
    columns = {name: columns[name] for name in order}
    rows = [list(row) for row in zip(*(map(_cell, column.tolist()) for column in columns.values()), strict=True)]
    return TextTable(order, [_unit(sweep, name) for name in order], [rows])


def _cell(value: object) -> object:
    """A value of a table; lists and the like as JSON."""
    return value if type(value) in (str, int, float) else json.dumps(value)


def labelled_runs(sweep: Sweep) -> Labelled:
    """The runs of a sweep, named as by `Sweep.to_xarray`; varied values, seed, status, error and last time are
    coordinates of the runs.
    """
    found = [Variable.of("run", ("run",), sweep.numbers, long_name="number of the run in the plan")]
    for name, column in sweep.runs.items():
        if name != "run":
            units = {"units": _unit(sweep, name)} if _unit(sweep, name) else {}
            found.append(Variable.of(_legal(name), ("run",), _stored(column), long_name=name, **units))
    recorded = _recorded(sweep) if sweep.datasets else []
    labels = [variable.name for variable in found] + ["time", "body", *AXES]
    taken = {variable.name for variable in recorded}
    metrics = metric_columns(sweep, taken)
    found += [*recorded, *(Variable.of(_legal(name), ("run",), column) for name, column in metrics.items())]
    told = {"title": sweep.description, "plan": sweep.description, "scene": sweep.scene_text,
            "quaternion_order": "wxyz", "content_hash": sweep.content_hash}  # fmt: skip
    return Labelled(tuple(found), frozenset(labels), told)


def _recorded(sweep: Sweep) -> list[Variable]:
    """The recorded arrays and their axes."""
    found = [Variable.of("body", ("body",), list(sweep.paths), long_name="path of the node")]
    if sweep.time is not None:
        found.append(Variable.of("time", ("time",), sweep.time, units="s", long_name="time since the start"))
    used = set()
    for name in sweep.datasets:
        dimensions, shape, units, long_name = sweep.described(name)
        used |= set(dimensions)
        told, read = {"units": units, "long_name": long_name}, partial(sweep.array, name)
        found.append(Variable(_legal(name), dimensions, shape, "<f8", read, told))
    return found + [Variable.of(axis, (axis,), list(of)) for axis, of in AXES.items() if axis in used]


def _unit(sweep: Sweep, name: str) -> str:
    """The unit of a column of the runs."""
    return "s" if name == "end_time" else sweep.units.get(name, "")


def _stored(column: np.ndarray) -> np.ndarray:
    """A column as numbers or strings; lists and the like as JSON."""
    if column.dtype != object:
        return column
    return np.array([value if isinstance(value, str) else json.dumps(value) for value in column], dtype=object)


def _legal(name: str) -> str:
    return name.replace("/", "_")
