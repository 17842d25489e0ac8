"""Tables: quantities with a line for each sample, and events."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from rigidsim.exports.labelled import plain_unit
from rigidsim.exports.recorded import asked_for
from rigidsim.hindsight.quantities import NamedQuantity
from rigidsim.trajectory.events import ContactEvent, Event
from rigidsim.trajectory.fields import AXES, EVENT_COLUMNS, SIDE_TABLES
from rigidsim.trajectory.trajectory import Trajectory
from rigidsim.trajectory.windows import windows

XYZ = AXES["xyz"]
WORDS = ("id", "name", "body", "receiver", "parent_before", "parent_after", "motion", "first", "second")
OF_EVENT = {column.name.rpartition("/")[2]: column for column in (*EVENT_COLUMNS, *SIDE_TABLES["received"])}
VECTORS = tuple(name for name, column in OF_EVENT.items() if column.axis)
ENERGIES = ("energy", "energy_before", "energy_after")


@dataclass(frozen=True)
class TextTable:
    """A table in pieces: `names` and `units` of the columns, and `rows`, lists of numbers and texts."""

    names: Sequence[str]
    units: Sequence[str]
    pieces: Iterable[Sequence[Sequence]]

    def text(self) -> Iterator[str]:
        """Pieces of CSV: the names with units in brackets, then a line for each row; numbers with all their digits."""
        yield _csv([[f"{name} ({unit})" if unit else name for name, unit in zip(self.names, self.units, strict=True)]])
        yield from map(_csv, self.pieces)


def series_table(trajectory: Trajectory, quantities: Sequence[str]) -> TextTable:
    """Quantities by their names: the time, and a column for each component. Raises UsageError."""
    found = asked_for(trajectory, quantities)
    columns = [(name, one.unit) for one in found for name in _column_names(one)]
    names, units = zip(("time", "s"), *columns, strict=True)

    def rows(window: slice) -> list[list]:
        parts = [np.asarray(one.of(window).values, np.float64) for one in found]
        time = np.asarray(trajectory.time[window])
        return np.column_stack([time, *(part.reshape(len(time), -1) for part in parts)]).tolist()

    return TextTable(names, units, map(rows, windows(trajectory)))


def _column_names(one: NamedQuantity) -> list[str]:
    """The names of the components: `ball.position.x@table`."""
    if one.kind is None or not one.components:
        return [one.name]
    name, at, frame = one.name.partition("@")
    return [f"{name}.{component}{at}{frame}" for component in one.components]


def event_table(trajectory: Trajectory) -> TextTable:
    """All events in order of time, those of contact as well: a row each; what does not apply is empty."""
    units = {name: plain_unit(column.units) for name, column in OF_EVENT.items() if column.dtype == "f8"}
    names = ["time", "cause", *WORDS, *(f"{name}.{axis}" for name in VECTORS for axis in XYZ), *ENERGIES]
    row_of_units = [(units | {"energy": "J"}).get(name.partition(".")[0], "") for name in names]
    rows = (_event_row(event) for event in trajectory.events)
    return TextTable(names, row_of_units, ([row] for row in rows))


def _event_row(event: Event | ContactEvent) -> list:
    """One event; `first` and `second` are the names of shapes."""
    shapes = dict(zip(("first", "second"), getattr(event, "shapes", ("", "")), strict=True))
    words = [shapes.get(name, "") or getattr(event, name, "") for name in WORDS]
    numbers = [part for name in VECTORS for part in getattr(event, name, ("", "", ""))]
    return [event.time, event.cause, *words, *numbers, *(getattr(event, name, "") for name in ENERGIES)]


def _csv(rows: Iterable[Sequence]) -> str:
    lines = io.StringIO()
    csv.writer(lines, lineterminator="\n").writerows(rows)
    return lines.getvalue()
