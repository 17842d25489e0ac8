"""The samples of a trajectory as CSV: one line per body and sample."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

import numpy as np

from rigidsim.report.states import FIELDS, length_unit, motion_of, state_at
from rigidsim.report.windows import windows
from rigidsim.trajectory.trajectory import State, Trajectory


def csv_of(trajectory: Trajectory, frame: str, time: float | None = None) -> Iterator[str]:
    """Pieces of CSV text: the header row, then all samples, or one time (s), relative to a frame.

    Numbers have all their digits and are read back exactly.
    """
    yield _text([_header_row(length_unit(trajectory.header, frame))])
    if time is not None:
        yield _text(_rows(state_at(trajectory, time), frame))
        return
    for window in windows(trajectory):
        names = [f"{where}/{field}" for where in ("local", "world") for field in FIELDS]
        arrays = {name: np.asarray(trajectory.arrays[name][window]) for name in names}
        yield _text(_rows(Trajectory(trajectory.header, {**arrays, "time": trajectory.time[window]}), frame))


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
        columns = [np.reshape(getattr(motion, name), (len(times), -1)) for name in FIELDS]
        tables.append(np.concatenate(columns, axis=1).tolist())
    for k, time in enumerate(times):
        yield from ([time, path, *table[k]] for path, table in zip(bodies.paths, tables, strict=True))


def _text(rows) -> str:
    lines = io.StringIO()
    csv.writer(lines, lineterminator="\n").writerows(rows)
    return lines.getvalue()
