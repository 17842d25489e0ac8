"""Consistency checks of the metadata of a trajectory file; each raises FormatError."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np

from rigidsim.errors import FormatError
from rigidsim.trajectory import contact_fields as of
from rigidsim.trajectory.fields import AXES, BODY_TEXTS, KINDS, Column
from rigidsim.trajectory.file_kinds import SWEEP
from rigidsim.trajectory.header import Header
from rigidsim.trajectory.recorded import ROWS
from rigidsim.trajectory.stored import as_format_error
from rigidsim.trajectory.structure import FORMAT

WITH_SHAPES = {"rigidsim-trajectory/2": False, "rigidsim-trajectory/3": True}
"""The formats of older versions, and whether shapes can touch. These files have neither checksums nor a selection."""
CONTACT = {"mode": str, "substeps": int, "bodies": int, "pairs": list, "further_pairs": int}
PAIR = {"between": list, **dict.fromkeys(("restitution", "friction", "rolling_friction"), float), "collide": bool | str}
SCALES = ("scale_to_metre", "own_scale_to_metre")


def check_format(file: h5py.File, path: Path) -> None:
    """Check the format name and the order of quaternion components."""
    found = str(file.attrs.get("format", ""))
    if found.startswith(SWEEP.format):
        raise FormatError(f"{path} is {SWEEP.name}, not a trajectory; rigidsim.load_sweep opens it")
    if found not in (FORMAT, *WITH_SHAPES):
        known = f"{', '.join(WITH_SHAPES)} and {FORMAT}"
        raise FormatError(
            f"{path} cannot be read by this version of rigidsim, which reads {known}: {_description(found)}"
        )
    if WITH_SHAPES.get(found, of.SHAPES in file) != (of.SHAPES in file):
        expected = "expected" if WITH_SHAPES[found] else "not expected"
        raise FormatError(f"{path} is damaged: its format is {found}, in which an array '{of.SHAPES}' is {expected}")
    order = str(file.attrs["quaternion_order"])
    if order != "wxyz":
        raise FormatError(f"{path} is damaged: quaternion_order is {order[:60]!r}, expected 'wxyz'")


def _description(found: str) -> str:
    name, _, number = found.partition("/")
    if not found:
        return "the file has no format name"
    if name == FORMAT.partition("/")[0] and number.isdecimal():
        return f"the format of the file is {found[:60]!r}, from another version of rigidsim"
    return f"the format of the file is {found[:60]!r}"


def own_object(file: h5py.File, path: Path, name: str) -> h5py.Group | h5py.Dataset:
    """A group or dataset of this file. No link leads to it that would have to be followed: not to other files, which
    may be devices, and not in a circle.
    """
    found = file
    with as_format_error(path, name):
        for part in name.split("/"):
            if not isinstance(found, h5py.Group) or not found.id.links.exists(part.encode()):
                raise FormatError(f"{path} is damaged: {name} is missing")
            if found.id.links.get_info(part.encode()).type != h5py.h5l.TYPE_HARD:
                raise FormatError(f"{path} is damaged: {name} is a link to elsewhere")
            found = found[part]
    return found


def own_dataset(file: h5py.File, path: Path, name: str) -> h5py.Dataset:
    """A dataset whose values are stored in this file, not in a linked one."""
    found = own_object(file, path, name)
    with as_format_error(path, name):
        if not isinstance(found, h5py.Dataset) or found.is_virtual or found.external:
            raise FormatError(f"{path} is damaged: {name} is not an array in this file")
    return found


def has_object(file: h5py.File, path: Path, name: str) -> bool:
    """Whether a file has a group or dataset of this name, or a link in its place."""
    group, _, last = name.rpartition("/")
    if group and not has_object(file, path, group):
        return False
    found = own_object(file, path, group) if group else file
    with as_format_error(path, name):
        return isinstance(found, h5py.Group) and found.id.links.exists(last.encode())


def stored_dataset(file: h5py.File, path: Path, name: str, shape: tuple[int, ...], dtype: str) -> h5py.Dataset:
    """A dataset of this shape and type, "text" for strings, all values of which the file has."""
    dataset = own_dataset(file, path, name)
    with as_format_error(path, name):
        is_text = h5py.check_string_dtype(dataset.dtype) is not None
        if dataset.shape != shape or (not is_text if dtype == "text" else dataset.dtype != np.dtype(dtype)):
            found = "text" if is_text else dataset.dtype
            expected = f"{dtype if dtype == 'text' else np.dtype(dtype)} of {shape}"
            raise FormatError(f"{path} is damaged: {name} is {found} of shape {dataset.shape}, expected {expected}")
        size = dataset.size * dataset.id.get_type().get_size()
        if dataset.chunks is None and dataset.id.get_storage_size() < size:
            raise FormatError(f"{path} is damaged: {name} has fewer values than its shape")
    return dataset


def check_axes(file: h5py.File, path: Path, n_body: int) -> None:
    """Check the arrays that define the sizes of the others, before anything is allocated by these sizes."""
    n_sample = len(own_dataset(file, path, "time"))
    if n_sample == 0 or n_body == 0:
        raise FormatError(f"{path} is damaged: it has no samples or no bodies")
    sizes = {"time": n_sample, **dict.fromkeys((*BODY_TEXTS, *SCALES), n_body)}
    if of.SHAPES in file:
        sizes[of.SHAPES] = len(own_dataset(file, path, of.SHAPES))
    for name, size in sizes.items():
        dataset = own_dataset(file, path, name)
        is_text = name in (*BODY_TEXTS, of.SHAPES)
        is_right = h5py.check_string_dtype(dataset.dtype) if is_text else dataset.dtype == np.float64
        if dataset.shape != (size,) or not is_right:
            found = f"{dataset.dtype} of shape {dataset.shape}"
            raise FormatError(f"{path} is damaged: {name} is {found}, expected {size} values")
        if dataset.id.get_storage_size() < size * dataset.dtype.itemsize:
            raise FormatError(f"{path} is damaged: {name} has fewer values than its shape")
    for name in SCALES:
        values = file[name][()]
        if not np.all(np.isfinite(values) & (values > 0.0)):
            raise FormatError(f"{path} is damaged: {name} is {values.tolist()[:10]}, expected positive numbers")


def check_tree(header: Header, path: Path) -> None:
    """Check that body paths are unique, that parents come first, and that events refer to existing bodies."""
    if len(set(header.paths)) < len(header.paths) or not all(name.isprintable() and name for name in header.paths):
        raise FormatError(f"{path} is damaged: its body names are not unique, or are empty or unprintable")
    for shape in header.shapes:
        if of.node_of(shape) not in header.row_of:
            raise FormatError(f"{path} is damaged: the shape '{shape[:60]}' is not on one of its bodies")
    before = {""}
    for name, parent in zip(header.paths, header.parents, strict=True):
        if parent not in before:
            raise FormatError(f"{path} is damaged: the parent of '{name}' does not come before it")
        before.add(name)
    kinds = {*header.kinds, *(change.kind for change in header.changes)}
    if not kinds <= KINDS:
        raise FormatError(f"{path} is damaged: a kind is not one of {', '.join(sorted(KINDS))}")
    for change in header.changes:
        if change.body not in header.paths or change.parent not in before or not np.isfinite(change.time):
            raise FormatError(
                f"{path} is damaged: its events reparent '{change.body}' to '{change.parent}' at t = {change.time:g} s"
            )


def recorded_rows(rows: object, n_body: int, path: Path, name: str) -> list[int]:
    """The rows in the attribute `recorded_bodies` of a dataset, after checking them."""
    values = np.asarray(rows)
    if values.ndim != 1 or values.dtype.kind != "i" or not len(values):
        raise FormatError(f"{path} is damaged: {ROWS} of {name} is not a list of rows")
    if values[0] < 0 or values[-1] >= n_body or not np.all(values[1:] > values[:-1]):
        raise FormatError(f"{path} is damaged: {ROWS} of {name} are not rows of its {n_body} bodies, in order")
    return values.tolist()


def check_samples(file: h5py.File, path: Path, header: Header) -> None:
    """Check shape and type of the arrays of samples, and of the tables of contact."""
    sizes = {"time": len(file["time"]), "body": len(header.paths)} | {name: len(row) for name, row in AXES.items()}
    for f in header.fields:
        _check_array(file, path, f.name, tuple(sizes[d] for d in f.dimensions), "f8")
    if of.EVENTS in file:
        _check_table(file, path, f"{of.EVENTS}/{of.ROW}", of.EVENT_COLUMNS)
    if header.with_contacts:
        _check_array(file, path, of.COUNT, (len(file["time"]),), "i8")
        _check_table(file, path, f"{of.POINTS}/{of.ROW}", of.POINT_COLUMNS)


def _check_table(file: h5py.File, path: Path, axis: str, columns: tuple[Column, ...]) -> None:
    rows = len(own_dataset(file, path, axis))
    _check_array(file, path, axis, (rows,), "i8")
    if file[axis].id.get_storage_size() < 8 * rows:
        raise FormatError(f"{path} is damaged: {axis} has fewer values than its shape")
    for column in columns:
        _check_array(file, path, column.name, column.shape(rows), column.dtype)


def _check_array(file: h5py.File, path: Path, name: str, shape: tuple[int, ...], dtype: str) -> None:
    dataset, expected = own_dataset(file, path, name), np.dtype(dtype)
    if dataset.shape != shape or dataset.dtype != expected:
        found = f"{dataset.dtype} of shape {dataset.shape}, expected {expected} of {shape}"
        raise FormatError(f"{path} is damaged: {name} is {found}")


def check_contact(contact: object, path: Path) -> None:
    """Check that a summary of contact has the entries that are shown."""

    def has(entry: dict, kinds: dict) -> bool:
        return all(isinstance(entry.get(key), kind) for key, kind in kinds.items())

    pairs = contact["pairs"] if isinstance(contact, dict) and has(contact, CONTACT) else [None]
    is_right = all(isinstance(pair, dict) and has(pair, PAIR) and len(pair["between"]) == 2 for pair in pairs)
    if not is_right:
        raise FormatError(f"{path} is damaged: scene/contact is not a summary of contact")


def check_time(time: np.ndarray, path: Path) -> None:
    """Check that times are finite and increasing."""
    if not np.all(np.isfinite(time)):
        raise FormatError(f"{path} is damaged: time[{int(np.argmin(np.isfinite(time)))}] is not finite")
    if not np.all(time[1:] > time[:-1]):
        k = 1 + int(np.argmin(time[1:] > time[:-1]))
        raise FormatError(f"{path} is damaged: time[{k}], {time[k]:g} s, is not after time[{k - 1}], {time[k - 1]:g} s")
