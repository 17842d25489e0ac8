"""Measured data: columns of a CSV file, of the file of a run, or of arrays, in SI units, with times of the run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from rigidsim.analysis.quantities import NamedQuantity, named
from rigidsim.arguments import clipped, numbers
from rigidsim.errors import UsageError, did_you_mean
from rigidsim.quantities.dimensions import in_units
from rigidsim.quantities.units import SI
from rigidsim.scene.schema.fit import Experiment, MeasuredColumn
from rigidsim.scene.text.csv_text import csv_lines, csv_names, require_cells, with_unit
from rigidsim.scene.values.amounts import Amount
from rigidsim.trajectory.reader import load
from rigidsim.trajectory.trajectory import Trajectory

MOST_ROWS = 1_000_000
TIMES = ("time", "t")
TRAJECTORIES = (".h5", ".hdf5")


class MeasuredTable(NamedTuple):
    """Columns by name, NaN for what was not measured, and the place of a cell, for messages."""

    name: str
    columns: Mapping[str, np.ndarray]
    place: Callable[[int, str], str]
    units: Mapping[str, str] = MappingProxyType({})  # those that the first line has


class Measurements(NamedTuple):
    """What was measured of a quantity: times of the data (s), values and standard deviations, in SI units; None for
    standard deviations that are not known.
    """

    quantity: str
    time: np.ndarray
    values: np.ndarray
    sigma: np.ndarray | None


def read_csv(path: Path) -> MeasuredTable:
    """A CSV file of numbers with names in its first line; a cell without text was not measured. Raises StorageError,
    and UsageError with line and column for what is not a number.
    """
    lines = csv_lines(path)
    number, header = next(lines, (1, []))
    rows: list[list[float]] = []
    places: list[int] = []
    titles = csv_names(path, number, header)
    known = [*map(with_unit, titles)]
    names, units = [name for name, _ in known], dict(known)
    for number, cells in lines:
        require_cells(path, (number, cells), names)
        if len(rows) == MOST_ROWS:
            raise UsageError(f"{path}:{number}: a fit takes at most {MOST_ROWS:,} rows; leave out some, or take means")
        rows.append([_number(cell, f"{path}:{number}:{k + 1}") for k, cell in enumerate(cells)])
        places.append(number)
    if not rows:
        raise UsageError(f"{path}: there are no measurements below the header")
    table = dict(zip(names, np.array(rows).T, strict=True))
    return MeasuredTable(str(path), table, lambda row, name: f"{path}:{places[row]}:{names.index(name) + 1}", units)


def _number(cell: str, place: str) -> float:
    if not cell.strip():
        return np.nan
    try:
        found = float(cell)
    except ValueError:
        raise UsageError(f"{place}: expected a number, got {clipped(cell.strip())}") from None
    if not np.isfinite(found):
        raise UsageError(f"{place}: {cell.strip()} is not a measurement; leave the cell empty if there is none")
    return found


def table_of(given: Mapping[str, Any]) -> MeasuredTable:
    """A table of arrays by name. Raises UsageError unless these are finite, and of one length."""
    columns = {name: numbers(array, f"column '{name}'") for name, array in given.items()}
    lengths = {array.shape for array in columns.values()}
    if len(lengths) != 1 or len(next(iter(lengths))) != 1:
        raise UsageError(f"data: the columns have shapes {', '.join(map(str, sorted(lengths)))}; give one length")
    table = MeasuredTable("data", columns, lambda row, name: f"data['{name}'][{row}]")
    for name, array in columns.items():
        if not np.isfinite(array).all():
            row = int(np.flatnonzero(~np.isfinite(array))[0])
            raise UsageError(f"{table.place(row, name)} is {array[row]}, which is not a measurement; leave out the row")
    return table


def measurements(experiment: Experiment, table: MeasuredTable | None, run: Trajectory) -> list[Measurements]:
    """The measurements of an experiment, whose quantities are those of a run of its scene. Raises UsageError."""
    path = Path(experiment.file)
    if table is None and path.suffix.lower() in TRAJECTORIES:
        return _of_file(experiment, path, run)
    table = table or read_csv(path)
    time = _times(experiment, table)
    columns = experiment.columns or _own_columns(table, run)
    return [_of_column(table, name, column, time, named(run, name)) for name, column in columns.items()]


def _times(experiment: Experiment, table: MeasuredTable) -> np.ndarray:
    name = experiment.time or next((name for name in TIMES if name in table.columns), TIMES[0])
    unit = experiment.time_unit or (table.units.get(name) or "s")
    factor = SI["s"].get(unit)
    if factor is None:
        raise UsageError(f"{table.name}: {clipped(unit)} is not a unit of time")
    time = float(factor) * _column(table, name, "of times; name it with time: clock, or --time clock")
    missing, back = np.isnan(time), np.diff(time) < 0.0
    if missing.any():
        raise UsageError(f"{table.place(int(np.argmax(missing)), name)}: the time of these measurements is missing")
    if back.any():
        row = int(np.argmax(back)) + 1
        raise UsageError(f"{table.place(row, name)}: the time {time[row]:g} s is before that of the line above")
    return time


def _column(table: MeasuredTable, name: str, what: str) -> np.ndarray:
    if name not in table.columns:
        hint = did_you_mean(name, table.columns, f"there are {', '.join(table.columns)}")
        raise UsageError(f"{table.name}: there is no column '{name}' {what}; {hint}")
    return table.columns[name]


def _own_columns(table: MeasuredTable, run: Trajectory) -> dict[str, MeasuredColumn]:
    """The columns that are called as quantities are."""
    found = {}
    for name in table.columns:
        try:
            named(run, name)
        except UsageError:
            continue
        if name not in TIMES:
            found[name] = MeasuredColumn(column=name)
    if not found:
        hint = "name the column of each quantity: columns: {rod.angle: phi}, or --column rod.angle=phi"
        raise UsageError(f"{table.name}: no column is called as a quantity of the run; {hint}")
    return found


def _of_column(
    table: MeasuredTable, name: str, column: MeasuredColumn, time: np.ndarray, wanted: NamedQuantity
) -> Measurements:
    where = f"that measures {name}"
    values, si = _column(table, column.column, where), _si_units(table, column, wanted)
    _require_number(table, wanted)
    known, sigma = ~np.isnan(values), None
    if not known.any():
        raise UsageError(f"{table.name}: the column '{column.column}' {where} is empty")
    if isinstance(column.sigma, Amount):
        given = column.model_copy(update={"unit": column.sigma.unit})
        unit = _si_units(table, given, wanted) if column.sigma.unit else si
        sigma = np.full(known.sum(), unit * column.sigma.number)
    elif column.sigma:
        sigma = si * _column(table, column.sigma, "of standard deviations")[known]
        if not (sigma > 0.0).all():
            row = int(np.flatnonzero(known)[np.argmin(np.nan_to_num(sigma, nan=-1.0))])
            raise UsageError(f"{table.place(row, column.sigma)}: a standard deviation must be greater than zero")
    return Measurements(wanted.name, time[known], si * values[known], sigma)


def _require_number(table: MeasuredTable, wanted: NamedQuantity) -> None:
    if wanted.components:
        hint = f"name one component, such as {wanted.columns[0]}"
        raise UsageError(f"{table.name}: {wanted.name} has {len(wanted.components)} components; {hint}")


def _si_units(table: MeasuredTable, column: MeasuredColumn, wanted: NamedQuantity) -> float:
    """SI units in a unit of the column: its own, or that in the name of the quantity."""
    unit = column.unit or table.units.get(column.column, "")
    if not unit:
        return wanted.si_units
    try:
        return float(in_units(named(wanted.trajectory, wanted.name).unit, unit))
    except ValueError as others:
        known = str(others) or "none but its own"
        message = f"the unit {clipped(unit)} of the column '{column.column}' is none of {wanted.name}"
        raise UsageError(f"{table.name}: {message}; units: {known}") from None


def _of_file(experiment: Experiment, path: Path, run: Trajectory) -> list[Measurements]:
    """Quantities of the file of a run, as measurements."""
    if not experiment.columns:
        raise UsageError(f"{path}: name the quantities that the fit reads: columns: {{rod.angle: rod.angle}}")
    with load(path) as trajectory:
        found = {column.column: named(trajectory, column.column) for column in experiment.columns.values()}
        columns = {"time": np.asarray(trajectory.time)} | {name: one.of() * one.si_units for name, one in found.items()}
        for one in found.values():
            _require_number(MeasuredTable(str(path), {}, lambda _, name: name), one)
    table = MeasuredTable(str(path), columns, lambda row, name: f"{path}: {name} of sample {row}")
    return [_of_column(table, name, one, columns["time"], named(run, name)) for name, one in experiment.columns.items()]
