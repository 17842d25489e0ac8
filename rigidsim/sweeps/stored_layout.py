"""The datasets of a result file, found and checked before any of them is used."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import h5py
import numpy as np

from rigidsim.engine.model.layout import LOOP_KINDS
from rigidsim.errors import FormatError
from rigidsim.sweeps.contents import (
    ATTRIBUTE,
    DIGEST_BYTES,
    ERRORS,
    INVALID,
    MISSING,
    OF_COLUMN,
    SAMPLES,
    VARIED,
    column_digest,
    description_digest,
    dtype_of,
)
from rigidsim.sweeps.recording import KEPT
from rigidsim.sweeps.unfinished import FORMAT, HELD, OLDER, final_path
from rigidsim.trajectory.checks import (
    check_format,
    has_object,
    own_dataset,
    own_object,
    stored_dataset,
    stored_types,
)
from rigidsim.trajectory.destination import SWEEP
from rigidsim.trajectory.fields import AXES, JOINT, LOOP, TYPES
from rigidsim.trajectory.recorded import labels_of
from rigidsim.tree.joints import IS_ANGLE

METRICS = "metrics"
TEXT = "text"


class StoredLayout(NamedTuple):
    """What a result file has. `results` are the names of the arrays of which the digests of portions are made,
    `columns` those of the varied values by the names of the numbers.
    """

    runs: range  # of the plan
    portion: int  # runs that have one digest
    is_complete: bool  # and not a copy in which failed runs are tried again
    datasets: Mapping[str, h5py.Dataset]
    columns: Mapping[str, str]
    results: tuple[str, ...]

    @property
    def portions(self) -> int:
        """The number of portions."""
        return -(-len(self.runs) // self.portion)

    def require_intact(self, name: str, path: Path) -> None:
        """Raise FormatError if the values of a column do not match their digest, unless the file has none."""
        found = self.datasets[name]
        if OF_COLUMN in found.attrs and column_digest(found) != found.attrs[OF_COLUMN]:
            raise FormatError(f"{path} is damaged: {name} does not match its sha256")


def stored_layout(file: h5py.File, path: Path) -> StoredLayout:
    """Find and check everything but the values of results. Raises FormatError."""
    check_format(file, path, SWEEP, (OLDER, FORMAT, HELD))
    runs, portion = _runs(file, path)
    for name in json.loads(file.attrs["results"]) if file.attrs["format"] != OLDER else ():
        own_dataset(file, path, name)
    datasets: dict[str, h5py.Dataset] = {}

    def add(name: str, shape: tuple[int, ...], dtype: str) -> None:
        datasets[name] = stored_dataset(file, path, name, shape, dtype)

    def length_of(name: str, dtype: str) -> int:
        add(name, (own_dataset(file, path, name).size,), dtype)
        return datasets[name].size

    count, of_run = len(runs), (len(runs),)
    for name, dtype in {"run": "i8", "runs/seed": "u8", "runs/status": "u1", "runs/end_time": "f8"}.items():
        add(name, of_run, dtype)
    add("runs/digest", (-(-count // portion), DIGEST_BYTES), "u1")
    for name in ("scene/text", "scene/resolved"):
        add(name, (), TEXT)
    sizes = {"body": length_of("body", TEXT)} | {name: len(labels) for name, labels in AXES.items()}
    for axis in TYPES:
        if has_object(file, path, axis):
            add(TYPES[axis], (length_of(axis, TEXT),), TEXT)
    sizes |= _sizes_of_held(file, path)
    if has_object(file, path, "time"):
        sizes["time"] = length_of("time", "f8")
        add(SAMPLES, of_run, dtype_of(SAMPLES))
    samples = (SAMPLES,) if "time" in sizes else ()
    columns = _columns(file, path)
    for place in columns.values():
        add(place, of_run, TEXT if own_dataset(file, path, place).attrs["is_json"] else "f8")
    metrics = tuple(_metrics(file, path))
    for name in metrics:
        add(name, of_run, "f8")
    fields = [field for field in KEPT.values() if has_object(file, path, field.name)]
    for field in fields:
        add(field.name, (count, *(sizes[d] for d in field.dimensions if d != "time" or samples)), "f8")
    is_complete = _is_complete(file, path) and path == final_path(path)
    if is_complete:
        add(ERRORS, of_run, TEXT)
    results = ("runs/end_time", *samples, *metrics, *(field.name for field in fields))
    found = StoredLayout(runs, portion, is_complete, datasets, columns, results)
    _check_description(found, file, path)
    return found


def _sizes_of_held(file: h5py.File, path: Path) -> dict[str, int]:
    """The numbers of joints, of their coordinates, and of loops."""
    held = {axis: stored_types(file, axis) for axis in TYPES}
    known: dict[str, Mapping[str, Any]] = {JOINT: IS_ANGLE, LOOP: LOOP_KINDS}
    for axis, types in held.items():
        if not set(types.values()) <= known[axis].keys():
            raise FormatError(f"{path} is damaged: {TYPES[axis]} has types that do not exist")
    return {axis: len(labels) for axis, labels in labels_of((), held[JOINT], held[LOOP]).items() if axis != "body"}


def _runs(file: h5py.File, path: Path) -> tuple[range, int]:
    """The runs of the plan that the file has, and how many are in a portion."""
    identity, words = json.loads(file.attrs["identity"]), None
    if isinstance(identity, dict):
        words = re.fullmatch(r"(\d{1,16}) to (\d{1,16})", str(identity.get("runs", "")))
    if not words or not int(words[1]) < int(words[2]):
        raise FormatError(f"{path} is damaged: its identity does not say which runs it has")
    portion = int(file.attrs["unit"])
    if portion < 1:
        raise FormatError(f"{path} is damaged: its unit is {portion}")
    return range(int(words[1]), int(words[2])), portion


def _is_complete(file: h5py.File, path: Path) -> bool:
    status, has_hash = str(file.attrs["status"]), "content_hash" in file.attrs
    if has_hash != (status == "complete"):
        raise FormatError(
            f"{path} is damaged: its status is {status[:60]!r}, {'with' if has_hash else 'without'} a content hash"
        )
    return has_hash


def _columns(file: h5py.File, path: Path) -> dict[str, str]:
    """The datasets of varied values by the names of the numbers, in the order of the plan."""
    own_object(file, path, "plan")
    own_object(file, path, "scene")
    names = json.loads(file["plan"].attrs["names"])
    places = (f"{VARIED}/{name}" for name in own_object(file, path, VARIED) if name != "run")
    found = {str(own_dataset(file, path, place).attrs["long_name"]): place for place in places}
    return {name: found[name] for name in names}


def _metrics(file: h5py.File, path: Path) -> Iterator[str]:
    """The datasets of metrics, in the order of the scene; the axis beside them has its own type."""
    if has_object(file, path, METRICS):
        for name in own_object(file, path, METRICS):
            if name != "run" or own_dataset(file, path, f"{METRICS}/{name}").dtype != np.int64:
                yield f"{METRICS}/{name}"


def _check_description(found: StoredLayout, file: h5py.File, path: Path) -> None:
    """Check what can be read at once: the numbers of the runs, how they ended, and all that is no result."""
    if not np.array_equal(found.datasets["run"][()], np.arange(found.runs.start, found.runs.stop)):
        raise FormatError(f"{path} is damaged: run does not have the numbers of its runs")
    status = found.datasets["runs/status"][()]
    if (status > INVALID).any() or (found.is_complete and (status == MISSING).any()):
        raise FormatError(f"{path} is damaged: runs/status has values that it cannot have")
    if file.attrs["format"] == OLDER:
        return
    columns = [found.datasets[place] for place in found.columns.values()]
    if not all(OF_COLUMN in column.attrs for column in (*columns, found.datasets["runs/seed"])):
        raise FormatError(f"{path} is damaged: {OF_COLUMN} of a column is missing")
    arrays = {name: found.datasets[name] for name in found.results if "/" in name and not name.startswith("runs/")}
    if description_digest(file, columns, arrays) != file.attrs[ATTRIBUTE]:
        raise FormatError(f"{path} is damaged: its description does not match {ATTRIBUTE}")
