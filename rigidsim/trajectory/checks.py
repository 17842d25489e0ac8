"""Consistency checks of the metadata of a trajectory file; each raises FormatError."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np

from rigidsim.errors import FormatError
from rigidsim.trajectory.fields import AXES, BODY_TEXTS, KINDS, fields
from rigidsim.trajectory.header import Header
from rigidsim.trajectory.stored import as_format_error
from rigidsim.trajectory.structure import FORMAT

SCALES = ("scale_to_metre", "own_scale_to_metre")


def check_format(file: h5py.File, path: Path) -> None:
    """Check the format name and the order of quaternion components."""
    found = str(file.attrs.get("format", ""))
    if found != FORMAT:
        raise FormatError(
            f"{path} cannot be read by this version of rigidsim, which reads {FORMAT}: {_description(found)}"
        )
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


def own_dataset(file: h5py.File, path: Path, name: str) -> h5py.Dataset:
    """A dataset whose values are stored in this file, not in a linked one."""
    if name not in file:
        raise FormatError(f"{path} is damaged: {name} is missing")
    with as_format_error(path, name):
        found = file[name]
    if not isinstance(found, h5py.Dataset) or found.file != file or found.is_virtual or found.external:
        raise FormatError(f"{path} is damaged: {name} is not an array in this file")
    return found


def check_axes(file: h5py.File, path: Path, n_body: int) -> None:
    """Check the arrays that define the sizes of the others, before anything is allocated by these sizes."""
    n_sample = len(own_dataset(file, path, "time"))
    if n_sample == 0 or n_body == 0:
        raise FormatError(f"{path} is damaged: it has no samples or no bodies")
    for name, size in {"time": n_sample, **dict.fromkeys((*BODY_TEXTS, *SCALES), n_body)}.items():
        dataset = own_dataset(file, path, name)
        is_right = h5py.check_string_dtype(dataset.dtype) if name in BODY_TEXTS else dataset.dtype == np.float64
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


def check_shapes(file: h5py.File, path: Path, with_terms: bool, n_body: int) -> None:
    """Check shape and type of the arrays of samples."""
    sizes = {"time": len(file["time"]), "body": n_body, **{axis: len(labels) for axis, labels in AXES.items()}}
    for f in fields(with_terms):
        dataset, expected = own_dataset(file, path, f.name), tuple(sizes[d] for d in f.dimensions)
        if dataset.shape != expected or dataset.dtype != np.float64:
            found = f"{dataset.dtype} of shape {dataset.shape}, expected float64 of {expected}"
            raise FormatError(f"{path} is damaged: {f.name} is {found}")


def check_time(time: np.ndarray, path: Path) -> None:
    """Check that times are finite and increasing."""
    if not np.all(np.isfinite(time)):
        raise FormatError(f"{path} is damaged: time[{int(np.argmin(np.isfinite(time)))}] is not finite")
    if not np.all(time[1:] > time[:-1]):
        k = 1 + int(np.argmin(time[1:] > time[:-1]))
        raise FormatError(f"{path} is damaged: time[{k}], {time[k]:g} s, is not after time[{k - 1}], {time[k - 1]:g} s")
