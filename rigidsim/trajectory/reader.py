"""Reading the HDF5 file: what it is, whether it is whole, and its arrays on demand."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import h5py
import numpy as np

from rigidsim.arguments import file_path
from rigidsim.errors import FormatError, StorageError, UsageError
from rigidsim.trajectory.events import Event, columns_of, events_from
from rigidsim.trajectory.fields import AXES, BODY_TEXTS, KINDS, fields
from rigidsim.trajectory.header import Change, Header
from rigidsim.trajectory.trajectory import Trajectory
from rigidsim.trajectory.writer import FORMAT

DAMAGES = (OSError, KeyError, ValueError, TypeError, RuntimeError, AttributeError, MemoryError)
"""What h5py and HDF5 raise for a file whose bytes make no sense."""


def load(path: str | Path) -> Trajectory:
    """Open a trajectory file.

    Raises StorageError if it cannot be read, FormatError if it is damaged or not a rigidsim trajectory. Damage inside
    an array is found when that array is read.
    """
    path = file_path(path, "the trajectory's file")
    file = _opened(path)
    try:
        with _damage_told(path):
            return _trajectory(file, path)
    except BaseException:
        file.close()
        raise


def _opened(path: Path) -> h5py.File:
    try:
        if path.is_dir():
            raise StorageError(f"{path} is a folder, not a trajectory file")
        if path.exists() and not path.is_file():
            raise StorageError(f"{path} is not a regular file")
        with path.open("rb"):  # says what is wrong more plainly than HDF5
            pass
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise StorageError(f"{path} cannot be read: {reason}") from None
    try:
        return h5py.File(path, "r")
    except OSError as error:
        if "unable to lock file" in str(error):
            raise StorageError(f"{path} cannot be read: another program is writing it") from None
        raise FormatError(f"{path} is not an HDF5 file, or it is damaged") from error


@contextmanager
def _damage_told(path: Path, what: str = "") -> Iterator[None]:
    """The complaints of h5py about a damaged file, as ours."""
    try:
        yield
    except DAMAGES as error:
        reason = (str(error).splitlines() or [""])[0][:200]
        place = f"{what}: " if what else ""
        raise FormatError(f"{path} is damaged: {place}{type(error).__name__}: {reason}") from error


class StoredArray:
    """A dataset, read when and where it is indexed."""

    def __init__(self, dataset: h5py.Dataset, path: Path):
        self._dataset, self._path = dataset, path
        self.shape, self.dtype = dataset.shape, dataset.dtype

    def __getitem__(self, key) -> np.ndarray:
        if not self._dataset:
            raise UsageError(f"{self._path} was closed before this was read")
        with _damage_told(self._path, self._dataset.name.lstrip("/")):
            return self._dataset[key]

    def __array__(self, dtype=None, copy=None) -> np.ndarray:
        return np.asarray(self[()], dtype=dtype)


def _trajectory(file: h5py.File, path: Path) -> Trajectory:
    _check_format(str(file.attrs.get("format", "")), path)
    n_body = len(_own(file, path, "body"))
    _check_axes(file, path, n_body)
    paths, parents, kinds = (tuple(text.decode() for text in file[name][()]) for name in BODY_TEXTS)
    _check_tree(paths, parents, path)
    if not set(kinds) <= KINDS:
        raise FormatError(f"{path} is damaged: kind is none of {', '.join(sorted(KINDS))}")
    scene = file["scene"]
    resolved = scene["resolved"][()]
    if hashlib.sha256(resolved).hexdigest() != scene.attrs["sha256"]:
        raise FormatError(f"{path} is damaged: scene/resolved does not agree with its sha256")
    events = _events(file, path)
    header = Header(
        paths=paths,
        parents=parents,
        kinds=kinds,
        scale=file["own_scale_to_metre"][()],
        parent_scale=file["scale_to_metre"][()],
        isolated=bool(file.attrs["isolated"]),
        with_terms="terms" in file,
        changes=tuple(
            Change(event.time, event.body, event.parent_after, event.motion)
            for event in events
            if event.cause == "reparent"
        ),
        scene_name=str(scene.attrs["name"]),
        scene_text=scene["text"][()].decode(),
        scene_resolved=resolved.decode(),
        provenance=json.loads(scene.attrs["provenance"]),
    )
    _check_shapes(file, path, header.with_terms, n_body)
    arrays = {name: StoredArray(file[name], path) for name in header.dataset_names}
    status, content_hash = str(file.attrs["status"]), str(file.attrs["content_hash"])
    return Trajectory(header, arrays, status, content_hash, close=file.close, events=events)


def _events(file: h5py.File, path: Path) -> tuple[Event, ...]:
    """What happened at instants; nothing, in a file that has no such group."""
    if "events" not in file:
        return ()
    columns = {}
    for name in columns_of(()):
        values = _own(file, path, f"events/{name}")[()]
        columns[name] = [text.decode() for text in values] if values.dtype == object else values
    return events_from(columns)


def _check_format(found: str, path: Path) -> None:
    if found == FORMAT:
        return
    name, _, number = found.partition("/")
    if not found:
        told = "it names no format"
    elif name == FORMAT.partition("/")[0] and number.isdecimal():
        told = f"its format is {found[:60]!r}, of another version of rigidsim"
    else:
        told = f"its format is {found[:60]!r}"
    raise FormatError(f"{path} is not a trajectory that this version reads ({FORMAT}): {told}")


def _own(file: h5py.File, path: Path, name: str) -> h5py.Dataset:
    """A dataset whose values lie in this very file."""
    if name not in file:
        raise FormatError(f"{path} is damaged: {name} is missing")
    found = file[name]
    if not isinstance(found, h5py.Dataset) or found.file != file or found.is_virtual or found.external:
        raise FormatError(f"{path} is damaged: {name} is not an array in this file")
    return found


def _check_axes(file: h5py.File, path: Path, n_body: int) -> None:
    """The arrays that say how large the others are. Nothing is allocated by a size that has no bytes behind it."""
    n_sample = len(_own(file, path, "time"))
    if n_sample == 0 or n_body == 0:
        raise FormatError(f"{path} is damaged: it has no samples, or no bodies")
    sizes = {"time": n_sample, **dict.fromkeys((*BODY_TEXTS, "scale_to_metre", "own_scale_to_metre"), n_body)}
    for name, size in sizes.items():
        dataset = _own(file, path, name)
        is_right = h5py.check_string_dtype(dataset.dtype) if name in BODY_TEXTS else dataset.dtype == np.float64
        if dataset.shape != (size,) or not is_right:
            told = f"{dataset.dtype} of shape {dataset.shape}"
            raise FormatError(f"{path} is damaged: {name} is {told}, expected {size} values")
        if dataset.id.get_storage_size() < size * dataset.dtype.itemsize:
            raise FormatError(f"{path} is damaged: {name} has fewer values than it says")


def _check_tree(paths: tuple[str, ...], parents: tuple[str, ...], path: Path) -> None:
    if len(set(paths)) < len(paths) or not all(name.isprintable() and name for name in paths):
        raise FormatError(f"{path} is damaged: its bodies have no proper names")
    before = {""}
    for name, parent in zip(paths, parents, strict=True):
        if parent not in before:
            raise FormatError(f"{path} is damaged: the parent of '{name}' does not come before it")
        before.add(name)


def _check_shapes(file: h5py.File, path: Path, with_terms: bool, n_body: int) -> None:
    sizes = {"time": len(file["time"]), "body": n_body, **{axis: len(labels) for axis, labels in AXES.items()}}
    for f in fields(with_terms):
        dataset, expected = _own(file, path, f.name), tuple(sizes[d] for d in f.dimensions)
        if dataset.shape != expected or dataset.dtype != np.float64:
            told = f"{dataset.dtype} of shape {dataset.shape}, expected float64 of {expected}"
            raise FormatError(f"{path} is damaged: {f.name} is {told}")
