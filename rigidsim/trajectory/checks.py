"""What a file says of itself, checked before it is used: format, datasets, the header of a trajectory."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from rigidsim.engine.model.layout import LOOP_KINDS
from rigidsim.errors import FormatError
from rigidsim.trajectory.destination import RESULTS, TRAJECTORY, FileKind
from rigidsim.trajectory.events import Columns, node_of, records_of
from rigidsim.trajectory.fields import (
    AXES,
    BODY_TEXTS,
    COUNT,
    JOINT,
    KINDS,
    LOOP,
    POINT_COLUMNS,
    POINTS,
    SHAPES,
    TYPES,
    ReadingTable,
    TableColumn,
)
from rigidsim.trajectory.header import NO_CONTACT, Change, Header, texts_of
from rigidsim.trajectory.recorded import ROWS, Selection, possible_fields, selection
from rigidsim.trajectory.stored import as_format_error
from rigidsim.trajectory.structure import FORMAT, JOINTED, LOOPED, METRICS, READINGS, SENSED, reading_tables
from rigidsim.tree.joints import IS_ANGLE

WITH_SHAPES = {"rigidsim-trajectory/2": False, "rigidsim-trajectory/3": True}
"""The formats of the oldest versions, and whether shapes can touch. These files have neither checksums nor a
selection.
"""
OLDER = (*WITH_SHAPES, "rigidsim-trajectory/4")
"""The formats in which contact had a table of events of its own."""
CONTACT = {"mode": str, "substeps": int, "bodies": int, "pairs": list, "further_pairs": int}
PAIR = {"between": list, **dict.fromkeys(("restitution", "friction", "rolling_friction"), float), "collide": bool | str}
SCALES = ("scale_to_metre", "own_scale_to_metre")


def check_format(file: h5py.File, path: Path, kind: FileKind, read: Sequence[str]) -> str:
    """The format of a file of results. Raises FormatError unless it is of a kind, and one of those that are read."""
    found = str(file.attrs.get("format", ""))
    if found in read:
        return found
    described = f"its format is {found[:60]!r}" if found else "it has no format name"
    of_kind = next((one for one in RESULTS if found.startswith(one.format)), None)
    if of_kind is kind:
        known = f"{', '.join(read[:-1])} and {read[-1]}"
        raise FormatError(
            f"{path} is from another version of rigidsim: {described}; this version of rigidsim reads {known}"
        )
    if of_kind is not None:
        raise FormatError(f"{path} is {of_kind.name}, not {kind.name}; {of_kind.opens} opens it")
    raise FormatError(f"{path} is not {kind.name}: {described}")


def check_trajectory_format(file: h5py.File, path: Path) -> None:
    """Check the format of a trajectory, and the order of quaternion components."""
    found = check_format(file, path, TRAJECTORY, (*OLDER, FORMAT, JOINTED, LOOPED, SENSED))
    if WITH_SHAPES.get(found, SHAPES in file) != (SHAPES in file):
        expected = "expected" if WITH_SHAPES[found] else "not expected"
        raise FormatError(f"{path} is damaged: its format is {found}, in which an array '{SHAPES}' is {expected}")
    kinds = ((SENSED, READINGS), (LOOPED, LOOP), (JOINTED, JOINT))
    for place, (format, held) in enumerate(kinds):
        may_be = found in (later for later, _ in kinds[:place])
        is_expected = found == format or (may_be and held in file)
        if is_expected != (held in file):
            expected = "expected" if is_expected else "not expected"
            raise FormatError(f"{path} is damaged: its format is {found}, in which an array '{held}' is {expected}")
    order = str(file.attrs["quaternion_order"])
    if order != "wxyz":
        raise FormatError(f"{path} is damaged: quaternion_order is {order[:60]!r}, expected 'wxyz'")


def is_older(file: h5py.File) -> bool:
    """Whether a file is of an older format."""
    return str(file.attrs["format"]) in OLDER


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


def stored_dataset(
    file: h5py.File, path: Path, name: str, shape: tuple[int, ...], dtype: str, is_whole: bool | None = None
) -> h5py.Dataset:
    """A dataset of this shape and type, "text" for strings. If it `is_whole`, the file has all of its values; None
    stands for whether it has no chunks.
    """
    dataset = own_dataset(file, path, name)
    with as_format_error(path, name):
        is_text = h5py.check_string_dtype(dataset.dtype) is not None
        if dataset.shape != shape or (not is_text if dtype == "text" else dataset.dtype != np.dtype(dtype)):
            found = "text" if is_text else dataset.dtype
            expected = f"{dtype if dtype == 'text' else np.dtype(dtype)} of {shape}"
            raise FormatError(f"{path} is damaged: {name} is {found} of shape {dataset.shape}, expected {expected}")
        size = dataset.size * dataset.id.get_type().get_size()
        if (dataset.chunks is None if is_whole is None else is_whole) and dataset.id.get_storage_size() < size:
            raise FormatError(f"{path} is damaged: {name} has fewer values than its shape")
    return dataset


def check_axes(file: h5py.File, path: Path, n_body: int) -> None:
    """Check the arrays that define the sizes of the others, before anything is allocated by these sizes."""
    n_sample = len(own_dataset(file, path, "time"))
    if n_sample == 0 or n_body == 0:
        raise FormatError(f"{path} is damaged: it has no samples or no bodies")
    stored_dataset(file, path, "time", (n_sample,), "f8", is_whole=True)
    texts = dict.fromkeys(BODY_TEXTS, n_body)
    if SHAPES in file:
        texts[SHAPES] = len(own_dataset(file, path, SHAPES))
    for axis in TYPES:
        if axis in file:
            texts |= dict.fromkeys((axis, TYPES[axis]), len(own_dataset(file, path, axis)))
    for name, size in texts.items():
        stored_dataset(file, path, name, (size,), "text", is_whole=True)
    for name in SCALES:
        values = stored_dataset(file, path, name, (n_body,), "f8", is_whole=True)[()]
        if not np.all(np.isfinite(values) & (values > 0.0)):
            raise FormatError(f"{path} is damaged: {name} is {values.tolist()[:10]}, expected positive numbers")


def changes_in(columns: Columns) -> tuple[Change, ...]:
    """The changes of the tree by the reparentings in a table of events."""
    if not columns:
        return ()
    time = np.asarray(columns["events/time"])[columns["events/received/event"]].tolist()
    received = zip(time, records_of(columns, "received"), strict=True)
    return tuple(Change(t, one["body"], one["parent_after"], one["motion"]) for t, one in received if one["motion"])


def header_in(file: h5py.File, path: Path, changes: tuple[Change, ...]) -> Header:
    """The header in a file, with the changes of its tree."""
    paths, parents, kinds = (tuple(text.decode() for text in file[name][()]) for name in BODY_TEXTS)
    scene, metrics = file["scene"], file.get(METRICS, {})
    resolved = scene["resolved"][()]
    if hashlib.sha256(resolved).hexdigest() != scene.attrs["sha256"]:
        raise FormatError(f"{path} is damaged: scene/resolved does not match its sha256")
    header = Header(
        paths=paths,
        parents=parents,
        kinds=kinds,
        scale=file["own_scale_to_metre"][()],
        parent_scale=file["scale_to_metre"][()],
        isolated=_flag(file, path, "isolated"),
        with_terms="terms" in file,
        changes=changes,
        scene_name=str(scene.attrs["name"]),
        texts=texts_of(scene["text"][()].decode(), resolved.decode()),
        provenance=dict(json.loads(scene.attrs["provenance"]).items()),
        contact_settings=_contact(file, path),
        shapes=tuple(text.decode() for text in file[SHAPES][()]) if SHAPES in file else (),
        with_contacts=POINTS in file,
        readings=_readings(file, path),
        joints=stored_types(file, JOINT),
        loops=stored_types(file, LOOP),
        metrics={name: str(one.attrs["expression"]) for name, one in metrics.items()},
        metric_units={name: str(one.attrs["units"]) for name, one in metrics.items() if "units" in one.attrs},
    )
    return replace(header, recorded=_recorded(file, path, header))


def _recorded(file: h5py.File, path: Path, header: Header) -> Selection | None:
    """What was selected, by the datasets in the file; without a selection in the scene, all datasets must be there."""
    resolved = header.scene_resolved
    # Looking for the word is faster than parsing a large scene.
    if '"record"' not in resolved or "record" not in json.loads(resolved).get("simulation", {}):
        return None
    found, n_body = {}, len(header.paths)
    possible = possible_fields(
        bool(header.shapes), header.with_terms, header.with_contacts, header.joints, header.loops
    )
    for name in (field.name for field in possible if field.name in file):
        rows = own_dataset(file, path, name).attrs.get(ROWS)
        found[name] = None if rows is None else recorded_rows(rows, n_body, path, name)
    return selection(found, possible, n_body)


def stored_types(file: h5py.File, axis: str) -> dict[str, str]:
    """The type of joint of each jointed body, by path, or of each loop, by name."""
    if axis not in file:
        return {}
    labels, words = ([text.decode() for text in file[name][()]] for name in (axis, TYPES[axis]))
    return dict(zip(labels, words, strict=True))


def _flag(file: h5py.File, path: Path, name: str) -> bool:
    """An attribute that says yes or no: the digest of the description has no other value of it."""
    value = np.asarray(file.attrs[name])
    if value.shape or value.dtype.kind not in "biu" or value not in (0, 1):
        raise FormatError(f"{path} is damaged: {name} is {str(value)[:60]!r}, expected 0 or 1")
    return bool(value)


def _readings(file: h5py.File, path: Path) -> tuple[ReadingTable, ...]:
    """The tables of sensors and controllers, if the file has any."""
    if READINGS not in file:
        return ()
    try:
        found = reading_tables(json.loads(own_dataset(file, path, READINGS)[()]))
        are_known = all(column.axis in ("", *AXES) for table in found for column in table.columns)
        names = [name for table in found for name in table.names]
    except (ValueError, TypeError):
        are_known, names = False, []
    if not are_known or len(set(names)) < len(names):
        raise FormatError(f"{path} is damaged: {READINGS} does not describe tables of readings")
    return found


def _contact(file: h5py.File, path: Path) -> Mapping[str, Any]:
    """What was chosen for contact; a file in which nothing can touch does not have it."""
    if "scene/contact" not in file:
        return NO_CONTACT.copy()
    contact = json.loads(own_dataset(file, path, "scene/contact")[()])
    check_contact(contact, path)
    return contact


def check_tree(header: Header, path: Path) -> None:
    """Check that body paths are unique, that parents come first, and that events refer to existing bodies."""
    if len(set(header.paths)) < len(header.paths) or not all(name.isprintable() and name for name in header.paths):
        raise FormatError(f"{path} is damaged: its body names are not unique, or are empty or unprintable")
    for shape in header.shapes:
        if node_of(shape) not in header.row_of:
            raise FormatError(f"{path} is damaged: the shape '{shape[:60]}' is not on one of its bodies")
    before = {""}
    for name, parent in zip(header.paths, header.parents, strict=True):
        if parent not in before:
            raise FormatError(f"{path} is damaged: the parent of '{name}' does not come before it")
        before.add(name)
    kinds = {*header.kinds, *(change.kind for change in header.changes)}
    if not kinds <= KINDS:
        raise FormatError(f"{path} is damaged: a kind is not one of {', '.join(sorted(KINDS))}")
    later = {change.body for change in header.changes if change.kind == "jointed"}
    kind_of = zip(header.paths, header.kinds, strict=True)
    jointed = {name for name, kind in kind_of if kind == "jointed" or name in later}
    # A change after the end makes no body jointed, but what an extended run is going to record is there.
    known = [name for name in header.paths if name in header.joints]
    has_all = jointed <= header.joints.keys() and [*header.joints] == known
    if not has_all or not set(header.joints.values()) <= IS_ANGLE.keys():
        raise FormatError(f"{path} is damaged: its joints are not those of its jointed bodies")
    if not set(header.loops.values()) <= LOOP_KINDS.keys():
        raise FormatError(f"{path} is damaged: {TYPES[LOOP]} has types that loops do not have")
    parents = dict(zip(header.paths, header.parents, strict=True))
    for change in header.changes:
        is_known = change.body in parents and change.parent in before and np.isfinite(change.time)
        above = change.parent if is_known else ""
        while above not in ("", change.body):
            above = parents[above]
        parents[change.body] = change.parent
        if not is_known or above:
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
    """Check shape and type of the arrays of samples, and of the table of contact points."""
    sizes = {"time": len(file["time"])} | {name: len(row) for name, row in (AXES | header.labels).items()}
    for f in header.fields:
        stored_dataset(file, path, f.name, tuple(sizes[d] for d in f.dimensions), "f8")
    if header.with_contacts:
        stored_dataset(file, path, COUNT, (len(file["time"]),), "i8")
        check_table(file, path, f"{POINTS}/row", POINT_COLUMNS)
    for table in header.readings:
        rows = len(own_dataset(file, path, table.time))
        stored_dataset(file, path, table.time, (rows,), "f8", is_whole=True)
        for column in table.columns:
            stored_dataset(file, path, column.name, column.shape(rows), column.dtype)


def check_table(file: h5py.File, path: Path, axis: str, columns: tuple[TableColumn, ...]) -> None:
    """Check shape and type of the columns of a table with this axis."""
    rows = len(own_dataset(file, path, axis))
    stored_dataset(file, path, axis, (rows,), "i8", is_whole=True)
    for column in columns:
        stored_dataset(file, path, column.name, column.shape(rows), column.dtype)


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
