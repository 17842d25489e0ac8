"""The samples of a trajectory as CSV: one line per body and sample."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from itertools import chain

import numpy as np

from rigidsim.errors import NotRecordedError
from rigidsim.report.states import FIELDS, known, length_unit, motion_of, state_at
from rigidsim.trajectory.trajectory import State, Trajectory, sample_of
from rigidsim.trajectory.windows import windows

MOST_LINES = 1 << 15
"""Lines of a piece of text."""
WIDTHS = dict(zip(FIELDS, (3, 4, 3, 3), strict=True))


def csv_of(trajectory: Trajectory, frame: str, time: float | None = None) -> Iterator[str]:
    """Pieces of CSV text: the header row, then all samples, or one time (s), relative to a frame.

    Numbers have all their digits and are read back exactly. What was not recorded and cannot be derived is empty;
    NotRecordedError if that is all.
    """
    first = sample_of(trajectory, 0)
    if all(known(motion_of(first, k, frame), name) is None for k in range(len(first)) for name in FIELDS):
        raise NotRecordedError(f"no motion was recorded ({trajectory.header.record_text})")
    yield _text([_header_row(length_unit(trajectory.header, frame))])
    if time is not None:
        yield _text(_rows(state_at(trajectory, time), frame))
        return
    for window, pieces in pieces_of(trajectory):
        part = trajectory.part(window)
        yield from (_text(_rows(part.part(piece), frame)) for piece in pieces)


def pieces_of(trajectory: Trajectory) -> Iterator[tuple[slice, list[slice]]]:
    """Windows of samples, and in each the samples of every piece of text: as numbers of Python they take ten times the
    memory of an array.
    """
    length = max(1, MOST_LINES // len(trajectory))
    for window in windows(trajectory):
        count = len(range(*window.indices(len(trajectory.time))))
        yield window, [slice(begin, begin + length) for begin in range(0, count, length)]


def _header_row(unit: str) -> list[str]:
    columns = {unit: "xyz", "": ("qw", "qx", "qy", "qz"), f"{unit}/s": ("vx", "vy", "vz"),
               "rad/s": ("omega_x", "omega_y", "omega_z")}  # fmt: skip
    named = [f"{name} ({of})" if of else name for of, names in columns.items() for name in names]
    return ["time (s)", "body", *named]


def _rows(bodies: Trajectory | State, frame: str) -> Iterator[list]:
    """Rows by sample, then by body in the order of the scene."""
    times = np.atleast_1d(bodies.time).tolist()
    tables = []
    for index in range(len(bodies)):
        motion = motion_of(bodies, index, frame)
        columns = [_cells(known(motion, name), len(times), width) for name, width in WIDTHS.items()]
        tables.append([list(chain(*cells)) for cells in zip(*columns, strict=True)])
    for k, time in enumerate(times):
        yield from ([time, path, *table[k]] for path, table in zip(bodies.paths, tables, strict=True))


def _cells(quantity: np.ndarray | None, count: int, width: int) -> list[list]:
    """The numbers of each sample; empty cells if they are not known."""
    return [[""] * width] * count if quantity is None else np.reshape(quantity, (count, width)).tolist()


def _text(rows) -> str:
    lines = io.StringIO()
    csv.writer(lines, lineterminator="\n").writerows(rows)
    return lines.getvalue()
