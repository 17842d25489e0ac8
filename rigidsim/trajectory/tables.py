"""The tables of a trajectory file, whose rows are not samples: events, and the contact points of samples."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from rigidsim.engine.model.layout import OF_CONTACT
from rigidsim.errors import FormatError
from rigidsim.trajectory.checks import check_table, own_dataset, stored_dataset
from rigidsim.trajectory.chunks import filters
from rigidsim.trajectory.events import Columns, in_order, no_side_rows, scheduled_in
from rigidsim.trajectory.fields import (
    CAUSES,
    COUNT,
    COUNT_COLUMN,
    EVENT_COLUMNS,
    POINT_COLUMNS,
    POINT_NAMES,
    POINTS,
    SHAPES,
    SIDE_TABLES,
    WITHOUT_ROWS,
    TableColumn,
    sides_in,
)
from rigidsim.trajectory.header import Header
from rigidsim.trajectory.structure import OF_TIME, TABLE_ROWS, TEXT, attach, described

ROW, EVENT = "row", "event"
"""The axes of tables, counters."""


def create_tables(root: h5py.File, header: Header, n_sample: int, rows: int, compression: str) -> None:
    """Create the names of the shapes that can touch, if there are any, to which the tables refer; and what is written
    with the samples: the contact points, without rows, and their number at each sample.
    """
    if header.shapes:
        names = root.create_dataset(SHAPES, data=list(header.shapes), dtype=TEXT)
        described(names, "name of each shape that can touch: path of its node, number there").make_scale(SHAPES)
    if header.with_contacts:
        _create_table(root, f"{POINTS}/{ROW}", POINT_COLUMNS, 0, compression)
        count = root.create_dataset(COUNT, (n_sample,), "i8", maxshape=(None,), chunks=(rows,), **filters(compression))
        attach(described(count, COUNT_COLUMN.long_name, COUNT_COLUMN.units), 0, "time", root["time"])
    for table in header.readings:
        time = root.create_dataset(table.time, (0,), "f8", maxshape=(None,), chunks=(TABLE_ROWS,), fletcher32=True)
        described(time, *OF_TIME).make_scale(table.time)
        for column in table.columns:
            _create_column(root, column, time, 0, compression)


def complete_points(root: h5py.File, rows: int) -> None:
    """Give the table of contact points its number of rows, and its axis, a counter."""
    axis = root[f"{POINTS}/{ROW}"]
    for dataset in (axis, *(root[name] for name in POINT_NAMES)):
        dataset.resize(rows, axis=0)
    axis[:] = np.arange(rows)


def complete_readings(root: h5py.File, header: Header, rows: Mapping[str, int]) -> None:
    """Give the tables of readings their numbers of rows."""
    for name in (name for table in header.readings for name in table.names):
        root[name].resize(rows[name], axis=0)


def _create_table(root: h5py.File, axis: str, columns: Sequence[TableColumn], rows: int, compression: str) -> None:
    """Create a table of that many rows: its axis, and a dataset for each column. The axis is not compressed: its size
    in the file bounds the number of rows.
    """
    options = {"fletcher32": True, "chunks": (TABLE_ROWS,), "maxshape": (None,)}
    scale = root.create_dataset(axis, data=np.arange(rows), dtype="i8", **options)
    scale.make_scale(axis.rpartition("/")[2])
    for column in columns:
        _create_column(root, column, scale, rows, compression)


def _create_column(root: h5py.File, column: TableColumn, scale: h5py.Dataset, rows: int, compression: str) -> None:
    """Create a column of a table with this axis."""
    shape = column.shape(rows)
    dataset = root.create_dataset(
        column.name, shape, column.dtype, maxshape=(None, *shape[1:]), chunks=(TABLE_ROWS, *(1 for _ in shape[1:])),
        **filters(compression),
    )  # fmt: skip
    _complete_column(root, dataset, column, scale)


def _complete_column(root: h5py.File, dataset: h5py.Dataset, column: TableColumn, scale: h5py.Dataset) -> None:
    """Attach the axes of a column, and describe it."""
    dataset.dims[0].attach_scale(scale)
    if column.axis:
        attach(dataset, 1, column.axis, root[column.axis])
    if column.long_name:
        described(dataset, column.long_name, column.units)


# --- events


def write_events(root: h5py.File, columns: Columns, digests: Mapping[str, bytes], compression: str) -> None:
    """Write the table of events with its side tables, and the digests of its columns; nothing if nothing happened."""
    if not columns:
        return
    _create_table(root, f"events/{EVENT}", EVENT_COLUMNS, columns["events/time"].shape[0], compression)
    for column in EVENT_COLUMNS:
        root[column.name][...] = np.asarray(columns[column.name])
        root[column.name].attrs["sha256"] = digests[column.name].hex()
    cause = root["events/cause"]
    cause.attrs["flag_values"] = np.arange(len(CAUSES), dtype=np.int8)
    cause.attrs["flag_meanings"] = " ".join(CAUSES)
    for side, side_columns in sides_in(columns).items():
        scale = root.create_dataset(f"events/{side}/{ROW}", data=np.arange(len(columns[f"events/{side}/event"])))
        scale.make_scale(ROW)
        for column in side_columns:
            values, is_text = columns[column.name], column.dtype == "text"
            dataset = root.create_dataset(
                column.name, data=values.astype(object) if is_text else values, dtype=TEXT if is_text else column.dtype
            )
            _complete_column(root, dataset, column, scale)


def read_side_tables(file: h5py.File, path: Path) -> dict[str, np.ndarray]:
    """What the side tables of events have; empty if nothing happened."""
    if "events" not in file:
        return {}
    check_table(file, path, f"events/{EVENT}", EVENT_COLUMNS)
    count = len(file[f"events/{EVENT}"])
    found = no_side_rows()
    for side in SIDE_TABLES:
        if side not in WITHOUT_ROWS or f"events/{side}" in file:
            found |= _side_table(file, path, side, count)
    if np.any(np.diff(found["events/received/event"]) <= 0):
        raise FormatError(f"{path} is damaged: the events in events/received are not in order")
    return found


def _side_table(file: h5py.File, path: Path, side: str, n_event: int) -> dict[str, np.ndarray]:
    rows = len(own_dataset(file, path, f"events/{side}/event"))
    found = {c.name: _values(file, path, c.name, c.shape(rows), c.dtype) for c in SIDE_TABLES[side]}
    check_rows(found[f"events/{side}/event"], n_event, f"events/{side}")
    return found


def check_rows(event: np.ndarray, count: int, name: str) -> None:
    """Raise ValueError if a side table refers to an event that is not there."""
    for number in event.tolist():
        if not 0 <= number < count:
            raise ValueError(f"{name} refers to event {number} of {count}")


def _values(file: h5py.File, path: Path, name: str, shape: tuple[int, ...], dtype: str) -> np.ndarray:
    dataset = stored_dataset(file, path, name, shape, dtype)
    return np.array(dataset.asstr()[()], dtype=str).reshape(shape) if dtype == "text" else dataset[()]


# --- events of rigidsim-trajectory/2 to /4


def read_older_events(file: h5py.File, path: Path) -> tuple[dict[str, np.ndarray], dict[str, bytes]]:
    """The table of events in a file of an older version, and what its content hash has of them: the digests of the
    columns of contact by their names then, and the impulses and reparentings as JSON.
    """
    if "events" not in file:
        return {}, {}
    scheduled, (contact, hashed) = _older_scheduled(file, path), _older_contact(file, path)
    columns = in_order([table for table in (scheduled, contact) if table and len(table["events/time"])])
    if len(scheduled["events/time"]):
        hashed[""] = json.dumps([_older_digested(event.as_dict()) for event in scheduled_in(scheduled)]).encode()
    return columns, hashed


ADDED = ("constraint_impulse", "constraint_angular_impulse")
"""What the first versions did not have; it counts in the hash where it is not zero."""


def _older_digested(event: Mapping[str, Any]) -> dict[str, object]:
    return {name: value for name, value in event.items() if name not in ADDED or any(value)}


def _older_scheduled(file: h5py.File, path: Path) -> dict[str, np.ndarray]:
    """The table of impulses and reparentings, whose columns were in the group of all events."""
    count = len(own_dataset(file, path, "events/time"))
    table = {column.name: np.zeros(column.shape(count), column.dtype) for column in EVENT_COLUMNS} | no_side_rows()
    for name, old in (("time", "time"), ("impulse", "impulse"), ("energy_after", "energy")):
        table[f"events/{name}"] = _values(file, path, f"events/{old}", table[f"events/{name}"].shape, "f8")
    causes = _values(file, path, "events/cause", (count,), "text").tolist()
    table["events/cause"] = np.array([CAUSES.index(cause) for cause in causes], dtype="i1")
    table["events/first"] -= 1
    table["events/second"] -= 1
    table["events/received/event"] = np.arange(count)
    for column in SIDE_TABLES["received"][1:]:
        old = column.name.replace("/received", "")
        shape, is_there = column.shape(count), old.rpartition("/")[2] not in ADDED or old in file
        table[column.name] = _values(file, path, old, shape, column.dtype) if is_there else np.zeros(shape)
    return table | _side_table(file, path, "protected", count) | _side_table(file, path, "carried", count)


def _older_contact(file: h5py.File, path: Path) -> tuple[dict[str, np.ndarray], dict[str, bytes]]:
    """The table of events of contact, and the digests of its columns."""
    if "contact" not in file["events"]:
        return {}, {}
    count, table, digests = len(own_dataset(file, path, "events/contact/time")), no_side_rows(), {}
    for column in EVENT_COLUMNS:
        old = column.name.replace("events/", "events/contact/").replace("cause", "kind")
        values = _values(file, path, old, column.shape(count), column.dtype)
        digests[old] = hashlib.sha256(np.ascontiguousarray(values).data).digest()
        if file[old].attrs.get("sha256", digests[old].hex()) != digests[old].hex():
            raise FormatError(f"{path} is damaged: {old} does not match its sha256")
        table[column.name] = values
    table["events/cause"] = np.array(OF_CONTACT, "i1")[table["events/cause"]]
    return table, digests
