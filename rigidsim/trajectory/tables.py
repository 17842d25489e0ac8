"""The layout of the tables of contact in a trajectory file: its events, the contact points of samples."""

from __future__ import annotations

from collections.abc import Sequence

import h5py
import numpy as np

from rigidsim.trajectory import contact_fields as of
from rigidsim.trajectory.chunks import filters
from rigidsim.trajectory.fields import Column
from rigidsim.trajectory.header import Header
from rigidsim.trajectory.structure import TABLE_ROWS, TEXT, attach


def create_tables(root: h5py.File, header: Header, n_sample: int, rows: int, compression: str) -> None:
    """Create the names of the shapes that can touch, if there are any, to which the tables refer; and what is written
    with the samples: the contact points, without rows, and their number at each sample.
    """
    if header.shapes:
        names = root.create_dataset(of.SHAPES, data=list(header.shapes), dtype=TEXT)
        names.make_scale(of.SHAPES)
        names.attrs["long_name"] = "name of each shape that can touch: path of its node, number there"
    if header.with_contacts:
        _create_table(root, of.POINTS, of.POINT_COLUMNS, 0, compression)
        count = root.create_dataset(
            of.COUNT, (n_sample,), "i8", maxshape=(None,), chunks=(rows,), **filters(compression)
        )
        attach(count, 0, "time", root["time"])
        _describe(count, of.COUNT_COLUMN)


def complete_points(root: h5py.File, rows: int) -> None:
    """Give the table of contact points its number of rows, and its axis, a counter."""
    axis = root[f"{of.POINTS}/{of.ROW}"]
    for dataset in (axis, *(root[name] for name in of.POINT_NAMES)):
        dataset.resize(rows, axis=0)
    axis[:] = np.arange(rows)


def create_contact_events(root: h5py.File, rows: int, compression: str) -> None:
    """Create the table of the events of contact."""
    _create_table(root, of.EVENTS, of.EVENT_COLUMNS, rows, compression)
    kind = root[f"{of.EVENTS}/kind"]
    kind.attrs["flag_values"] = np.arange(len(of.MEANINGS), dtype=np.int8)
    kind.attrs["flag_meanings"] = " ".join(of.MEANINGS)
    root[f"{of.EVENTS}/{of.ROW}"][:] = np.arange(rows)


def _create_table(root: h5py.File, group: str, columns: Sequence[Column], rows: int, compression: str) -> None:
    """Create a table of that many rows: its axis, and a dataset for each column. The axis is not compressed: its size
    in the file bounds the number of rows.
    """
    options = {"fletcher32": True, "chunks": (TABLE_ROWS,), "maxshape": (None,)}
    axis = root.create_dataset(f"{group}/{of.ROW}", (rows,), "i8", **options)
    axis.make_scale(of.ROW)
    for column in columns:
        shape = column.shape(rows)
        dataset = root.create_dataset(
            column.name, shape, column.dtype, maxshape=(None, *shape[1:]), chunks=(TABLE_ROWS, *(1 for _ in shape[1:])),
            **filters(compression),
        )  # fmt: skip
        dataset.dims[0].attach_scale(axis)
        if column.axis:
            attach(dataset, 1, column.axis, root[column.axis])
        _describe(dataset, column)


def _describe(dataset: h5py.Dataset, column: Column) -> None:
    dataset.attrs["units"], dataset.attrs["long_name"] = column.units, column.long_name
