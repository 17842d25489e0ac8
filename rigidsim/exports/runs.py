"""The results of a sweep for other programs: the table of runs, and what was recorded of them."""

from __future__ import annotations

import json
from collections.abc import Set
from functools import partial

import numpy as np

from rigidsim.exports.labelled import Labelled, LabelledVariable
from rigidsim.exports.recorded import held_axes
from rigidsim.exports.tables import TextTable
from rigidsim.quantities.units import udunits
from rigidsim.sweeps.stored import Sweep
from rigidsim.trajectory.fields import AXES, COORDINATE, TYPES


def run_columns(sweep: Sweep, taken: Set[str] = frozenset()) -> dict[str, np.ndarray]:
    """The columns of the table of runs by name, the number of the run first; "metrics_NAME" for a metric whose name is
    also that of another column, or taken.
    """
    columns = {"run": sweep.numbers, **{name: column for name, column in sweep.runs.items() if name != "run"}}
    taken = {*taken, *columns}
    return columns | {f"metrics_{name}" if name in taken else name: one for name, one in sweep.metrics.items()}


def run_table(sweep: Sweep) -> TextTable:
    """The runs of a sweep: number, varied values, seed, status, last time, error, metrics."""
    columns = run_columns(sweep)
    # Lists and the like as JSON.
    cells = ([v if type(v) in (str, int, float) else json.dumps(v) for v in one.tolist()] for one in columns.values())
    rows = [list(row) for row in zip(*cells, strict=True)]
    return TextTable([(name, _unit(sweep, name)) for name in columns], [rows])


def labelled_runs(sweep: Sweep) -> Labelled:
    """The runs of a sweep, varied values, seed, status, error and last time are
    coordinates of the runs.
    """
    found = [LabelledVariable.of("run", ("run",), sweep.numbers, long_name="number of the run in the plan")]
    for name, column in sweep.runs.items():
        if name != "run":
            units = {"units": _unit(sweep, name)} if _unit(sweep, name) else {}
            found.append(LabelledVariable.of(_legal(name), ("run",), _stored(column), long_name=name, **units))
    recorded = _recorded(sweep) if sweep.datasets else []
    labels = [variable.name for variable in found] + ["time", "body", *TYPES, *TYPES.values(), COORDINATE, *AXES]
    taken = {variable.name for variable in recorded}
    found += recorded
    for name, column in list(run_columns(sweep, taken).items())[len(sweep.runs) :]:
        units = {"units": udunits(unit)} if (unit := sweep.metric_units.get(_metric(name))) else {}
        found.append(LabelledVariable.of(_legal(name), ("run",), column, **units))
    attributes = {"title": sweep.description, "plan": sweep.description, "scene": sweep.scene_text,
            "quaternion_order": "wxyz", "content_hash": sweep.content_hash}  # fmt: skip
    return Labelled(tuple(found), frozenset(labels), attributes)


def _recorded(sweep: Sweep) -> list[LabelledVariable]:
    """The recorded arrays and their axes."""
    found = [LabelledVariable.of("body", ("body",), list(sweep.paths), long_name="path of the node")]
    if sweep.time is not None:
        found.append(LabelledVariable.of("time", ("time",), sweep.time, units="s", long_name="time since the start"))
    used = set()
    for name in sweep.datasets:
        dimensions, shape, units, long_name = sweep.described(name)
        used |= set(dimensions)
        attributes, read = {"units": units, "long_name": long_name}, partial(sweep.array, name)
        found.append(LabelledVariable(_legal(name), dimensions, shape, "<f8", read, attributes))
    found += held_axes(sweep.joints, sweep.loops)
    return found + [LabelledVariable.of(axis, (axis,), list(of)) for axis, of in AXES.items() if axis in used]


def _metric(column: str) -> str:
    """The metric in a column of `run_columns`."""
    return column.removeprefix("metrics_")


def _unit(sweep: Sweep, name: str) -> str:
    """The unit of a column of the runs."""
    return "s" if name == "end_time" else sweep.units.get(name) or sweep.metric_units.get(_metric(name), "")


def _stored(column: np.ndarray) -> np.ndarray:
    """A column as numbers or strings; lists and the like as JSON."""
    if column.dtype != object:
        return column
    return np.array([value if isinstance(value, str) else json.dumps(value) for value in column], dtype=object)


def _legal(name: str) -> str:
    return name.replace("/", "_")
