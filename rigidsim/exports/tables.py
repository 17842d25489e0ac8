"""Tables: quantities with a line for each sample, motions with one for each body and sample, and events."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from rigidsim.errors import NotRecordedError
from rigidsim.exports.labelled import plain_unit
from rigidsim.exports.recorded import asked_for
from rigidsim.report.states import LABELS, known, motion_of, state_at, units_of
from rigidsim.trajectory.events import ContactEvent, Event
from rigidsim.trajectory.fields import AXES, EVENT_COLUMNS, SIDE_TABLES
from rigidsim.trajectory.readings import Readings
from rigidsim.trajectory.trajectory import State, Trajectory, sample_of
from rigidsim.trajectory.windows import windows

MOST_LINES = 1 << 15
"""Lines of a piece of text."""
XYZ = AXES["xyz"]
WORDS = ("id", "name", "body", "receiver", "parent_before", "parent_after", "motion", "first", "second")
OF_EVENT = {column.name.rpartition("/")[2]: column for column in (*EVENT_COLUMNS, *SIDE_TABLES["received"])}
VECTORS = tuple(name for name, column in OF_EVENT.items() if column.axis)
ENERGIES = ("energy", "energy_before", "energy_after")


@dataclass(frozen=True)
class TextTable:
    """A table: names and units of its columns, and `pieces`, each of some rows of numbers and texts; there are
    `count` of them.
    """

    columns: Sequence[tuple[str, str]]
    pieces: Iterable[Iterable[Sequence]]
    count: int = 1

    def text(self) -> Iterator[str]:
        """Pieces of CSV: the names with units in brackets, then a line for each row; numbers with all their digits."""
        yield _csv([[f"{name} ({unit})" if unit else name for name, unit in self.columns]])
        yield from map(_csv, self.pieces)


def series_table(trajectory: Trajectory, quantities: Sequence[str]) -> TextTable:
    """Quantities by their names: the time, and a column for each component. Raises UsageError."""
    found = asked_for(trajectory, quantities)
    columns = [("time", "s"), *((name, one.unit) for one in found for name in one.columns)]

    def rows(window: slice) -> list[list]:
        parts = [np.asarray(one.of(window), np.float64) for one in found]
        time = np.asarray(trajectory.time[window])
        return np.column_stack([time, *(part.reshape(len(time), -1) for part in parts)]).tolist()

    parts = list(windows(trajectory))
    return TextTable(columns, map(rows, parts), len(parts))


def event_table(trajectory: Trajectory) -> TextTable:
    """All events in order of time, those of contact as well: a row each; what does not apply is empty."""
    units = {name: plain_unit(column.units) for name, column in OF_EVENT.items() if column.dtype == "f8"}
    names = ["time", "cause", *WORDS, *(f"{name}.{axis}" for name in VECTORS for axis in XYZ), *ENERGIES]
    columns = [(name, (units | {"energy": "J"}).get(name.partition(".")[0], "")) for name in names]
    return TextTable(columns, ([_event_row(event)] for event in trajectory.events), len(trajectory.events))


def _event_row(event: Event | ContactEvent) -> list:
    """One event; `first` and `second` are the names of shapes."""
    shapes = dict(zip(("first", "second"), getattr(event, "shapes", ("", "")), strict=True))
    words = [shapes.get(name, "") or getattr(event, name, "") for name in WORDS]
    numbers = [part for name in VECTORS for part in getattr(event, name, ("", "", ""))]
    return [event.time, event.cause, *words, *numbers, *(getattr(event, name, "") for name in ENERGIES)]


def readings_table(read: Readings) -> TextTable:
    """What a sensor or a controller gave at its own samples: the time, and a column for each component."""
    columns = [("time", "s")]
    for name, unit in read.units.items():
        columns += [(f"{name}.{axis}" if axis else name, plain_unit(unit)) for axis in read.components(name) or ("",)]
    count = len(read.time)
    return TextTable(
        columns, [np.column_stack([read.time, *(one.reshape(count, -1) for one in read.values())]).tolist()]
    )


def motion_table(trajectory: Trajectory, frame: str, time: float | None = None) -> TextTable:
    """The motion of all bodies relative to a frame at all samples, or at one time (s): a row for each body and sample.

    What was not recorded and cannot be derived is empty. Raises NotRecordedError if that is all, UsageError outside the
    trajectory.
    """
    first = sample_of(trajectory, 0)
    if all(known(motion_of(first, k, frame), name) is None for k in range(len(first)) for name in LABELS):
        raise NotRecordedError(f"no motion was recorded ({trajectory.header.record_text})")
    units = units_of(trajectory.header, frame)
    columns = [("time", "s"), ("body", ""), *((label, units[name]) for name in LABELS for label in LABELS[name])]
    if time is not None:
        return TextTable(columns, [_motion_rows(state_at(trajectory, time), frame)])
    parts = [(window, _pieces_of(trajectory, window)) for window in windows(trajectory)]

    def pieces() -> Iterator[Iterable[list]]:
        for window, some in parts:
            part = trajectory.part(window)
            yield from (_motion_rows(part.part(piece), frame) for piece in some)

    return TextTable(columns, pieces(), sum(len(some) for _, some in parts))


def _pieces_of(trajectory: Trajectory, window: slice) -> list[slice]:
    """The samples of a window, in pieces: as numbers of Python they take ten times the memory of an array."""
    length, count = max(1, MOST_LINES // len(trajectory)), len(range(*window.indices(len(trajectory.time))))
    return [slice(begin, begin + length) for begin in range(0, count, length)]


def _motion_rows(bodies: Trajectory | State, frame: str) -> Iterator[list]:
    """Rows by sample, then by body in the order of the scene."""
    times, tables = np.atleast_1d(bodies.time).tolist(), []
    for index in range(len(bodies)):
        motion = motion_of(bodies, index, frame)
        columns = [_cells(known(motion, name), len(times), len(labels)) for name, labels in LABELS.items()]
        tables.append([list(chain(*cells)) for cells in zip(*columns, strict=True)])
    for k, time in enumerate(times):
        yield from ([time, path, *table[k]] for path, table in zip(bodies.paths, tables, strict=True))


def _cells(quantity: np.ndarray | None, count: int, width: int) -> list[list]:
    """The numbers of each sample; empty cells if they are not known."""
    return [[""] * width] * count if quantity is None else np.reshape(quantity, (count, width)).tolist()


def _csv(rows: Iterable[Sequence]) -> str:
    lines = io.StringIO()
    csv.writer(lines, lineterminator="\n").writerows(rows)
    return lines.getvalue()
