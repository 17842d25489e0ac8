"""The layout of a trajectory file: attributes, the scene, axes, an array for each field."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

import h5py
import numpy as np

from rigidsim.trajectory.chunks import DEFAULT, chunk_shape, filters
from rigidsim.trajectory.fields import AXES, COORDINATE, JOINT, LOOP, TYPES, Field, ReadingTable, TableColumn
from rigidsim.trajectory.header import NO_CONTACT, Header
from rigidsim.trajectory.recorded import ROWS, labels_of

FORMAT, JOINTED, LOOPED, SENSED = (f"rigidsim-trajectory/{number}" for number in (5, 6, 7, 8))
"""The format, and those of trajectories with joints, with loops, and with sensors or controllers, which older versions
cannot read.
"""
READINGS = "scene/readings"
"""The tables of sensors and controllers, as JSON."""
TABLE_ROWS = 4096
"""Rows of a chunk of a table whose rows are not samples."""
TEXT = h5py.string_dtype()
CHECKSUMS, METRICS = "checksums", "metrics"
OF_TIME = ("time since the start", "s")


def create(root: h5py.File, header: Header, n_sample: int, rows: int, compression: str) -> None:
    """Create everything but the samples, with arrays of the final size, in chunks of that many samples."""
    root.attrs["format"] = format_of(header)
    root.attrs["status"] = "running"
    root.attrs["quaternion_order"] = "wxyz"
    root.attrs["isolated"] = np.int8(header.isolated)
    create_scene(root, header.scene_name, header.scene_text, header.scene_resolved, header.provenance)
    if header.contact_settings != NO_CONTACT:
        root["scene"].create_dataset("contact", data=json.dumps(dict(header.contact_settings)), dtype=TEXT)
    if header.readings:
        root.create_dataset(READINGS, data=json.dumps([_plain_table(table) for table in header.readings]), dtype=TEXT)
    time = root.create_dataset("time", (n_sample,), "f8", maxshape=(None,), chunks=(rows,), **filters("none"))
    scales = create_axes(root, {"time": described(time, *OF_TIME)}, header.paths, header.joints, header.loops)
    _create_tree(root, header, scales["body"])
    for field in header.fields:
        _create_field(root, field, scales, (n_sample, rows), compression, header)


def format_of(header: Header) -> str:
    """The format of a trajectory with this header."""
    kinds = ((SENSED, header.readings), (LOOPED, header.loops), (JOINTED, header.joints))
    return next((format for format, held in kinds if held), FORMAT)


def _plain_table(table: ReadingTable) -> list:
    columns = [[c.name.rpartition("/")[2], c.axis, c.units, c.long_name] for c in table.columns]
    return [table.group, columns]


def reading_tables(written: Any) -> tuple[ReadingTable, ...]:
    """The tables of sensors and controllers, from what a file has of them. Raises ValueError and TypeError."""
    return tuple(
        ReadingTable(group, tuple(TableColumn(f"{group}/{name}", "f8", *map(str, rest)) for name, *rest in columns))
        for group, columns in written
    )


def create_scene(root: h5py.File, name: str, text: str, resolved: str, provenance: Mapping[str, str]) -> h5py.Group:
    """Write what a scene is, as it was given and with all values."""
    group = root.create_group("scene")
    group.attrs["name"] = name
    group.attrs["sha256"] = hashlib.sha256(resolved.encode()).hexdigest()
    group.attrs["provenance"] = json.dumps(dict(provenance))
    group.create_dataset("text", data=text, dtype=TEXT)
    group.create_dataset("resolved", data=resolved, dtype=TEXT)
    return group


LABELS = {
    "body": "path of the node",
    JOINT: "path of the jointed body",
    COORDINATE: "path of the body, and the number of the coordinate if it has several",
    LOOP: "name of the loop",
}
"""What the labels of dimensions are."""


def create_axes(
    root: h5py.File,
    first: Mapping[str, h5py.Dataset],
    paths: Sequence[str],
    joints: Mapping[str, str],
    loops: Mapping[str, str],
) -> dict[str, h5py.Dataset]:
    """Make axes of the first datasets, and those of bodies, of joints and loops, whose types are given, and of
    components.
    """
    scales = dict(first)
    for axis, labels in (labels_of(paths, joints, loops) | AXES).items():
        if labels or axis == "body":
            scales[axis] = root.create_dataset(axis, data=list(labels), dtype=TEXT)
    for name, scale in scales.items():
        scale.make_scale(name)
    for axis in LABELS.keys() & scales.keys():
        described(scales[axis], LABELS[axis])
    for axis, types in ((JOINT, joints), (LOOP, loops)):
        if types:
            dataset = root.create_dataset(TYPES[axis], data=list(types.values()), dtype=TEXT)
            dataset.dims[0].attach_scale(scales[axis])
            described(dataset, f"type of the {axis}")
    return scales


def described(dataset: h5py.Dataset, long_name: str, units: str = "") -> h5py.Dataset:
    """The dataset, with what it means and the unit of its numbers, if they have one."""
    if units:
        dataset.attrs["units"] = units
    dataset.attrs["long_name"] = long_name
    return dataset


def _create_tree(root: h5py.File, header: Header, body: h5py.Dataset) -> None:
    per_body = {
        "parent": (np.array(header.parents, dtype=object), TEXT, "", "path of the parent; empty for the world"),
        "kind": (np.array(header.kinds, dtype=object), TEXT, "", "free, jointed, fixed or prescribed"),
        "scale_to_metre": (header.parent_scale, "f8", "m", "metres per unit of the lengths in /local at the start"),
        "own_scale_to_metre": (header.scale, "f8", "m", "metres per unit of the node's own coordinates"),
    }
    for name, (values, dtype, units, long_name) in per_body.items():
        dataset = root.create_dataset(name, data=values, dtype=dtype)
        dataset.dims[0].attach_scale(body)
        described(dataset, long_name, units)


def _create_field(
    root: h5py.File,
    field: Field,
    scales: dict[str, h5py.Dataset],
    samples: tuple[int, int],
    compression: str,
    header: Header,
) -> None:
    """Create a dataset; `samples` are their number, and that of a chunk."""
    (n_sample, rows), bodies = samples, header.recorded_rows(field.name)
    shape = (n_sample, *(scales[d].shape[0] for d in field.dimensions[1:]))
    dataset = root.create_dataset(
        field.name, shape, "f8", maxshape=(None, *shape[1:]), chunks=chunk_shape(shape, rows),
        fillvalue=None if bodies is None else np.nan, **filters(compression),
    )  # fmt: skip
    if bodies is not None:
        dataset.attrs[ROWS] = bodies
    for i, dimension in enumerate(field.dimensions):
        attach(dataset, i, dimension, scales[dimension])
    described(dataset, *in_file(field, header))


def is_as_created(dataset: h5py.Dataset, rows: int, compression: str) -> bool:
    """Whether a dataset of samples can grow, and has chunks of so many samples and the filters of a compression."""
    made = filters(compression)
    has_filters = all((getattr(dataset, key) or None) == made.get(key) for key in filters(DEFAULT))
    return dataset.maxshape[0] is None and dataset.chunks == chunk_shape(dataset.shape, rows) and has_filters


def in_file(field: Field, header: Header) -> tuple[str, str]:
    """The long name and the units of a dataset; those of local motion depend on the scales of parents."""
    changed = [header.scale_of(change.parent) for change in header.changes]
    is_scaled = bool(np.any(np.array([*header.parent_scale, *changed]) != 1.0))
    if field.name not in ("local/position", "local/velocity") or not is_scaled:
        return field.long_name, field.units
    meaning = f"{field.long_name}, in units of the parent, which are scale_to_metre[body] metres at the start"
    return meaning, field.units.replace("m", "1", 1)


def attach(dataset: h5py.Dataset, i: int, dimension: str, scale: h5py.Dataset) -> None:
    """Attach an axis to a dimension. A link in the group of the dataset makes it a coordinate there."""
    dataset.dims[i].attach_scale(scale)
    if dimension not in dataset.parent:
        dataset.parent[dimension] = scale


def write_checksums(root: h5py.File, checksums: Mapping[str, np.ndarray]) -> None:
    """Write the checksums of the chunks of each dataset, with which a part of it can be verified without the rest."""
    for name, sums in checksums.items():
        dataset = root.create_dataset(f"{CHECKSUMS}/{name}", data=sums)
        described(dataset, f"Fletcher-32 of each chunk of /{name} as stored, 0 if it is not stored")
        dimension = f"{CHECKSUMS}/chunk_{len(sums)}"
        if dimension not in root:
            root.create_dataset(dimension, (len(sums),), "f4", chunks=True).make_scale(
                f"This is a netCDF dimension but not a netCDF variable. {len(sums):10}"
            )
        dataset.dims[0].attach_scale(root[dimension])


def write_summary(
    root: h5py.File, group: str, meanings: Mapping[str, tuple[str, str]], values: Mapping[str, np.ndarray], digest: str
) -> h5py.Group:
    """Write numbers about all samples, with units and meanings, and a digest that belongs to this file."""
    made = root.create_group(group, track_order=True)
    made.attrs["sha256"] = digest
    for name, value in values.items():
        described(made.create_dataset(name, data=value), *meanings[name])
    return made


def write_metrics(root: h5py.File, header: Header, metrics: Mapping[str, float]) -> None:
    """Write the values of metrics, each with its expression and its unit, if it has one; nothing if there are none."""
    group: Any = root.create_group(METRICS, track_order=True) if metrics else {}
    for name, value in metrics.items():
        dataset = group.create_dataset(name, data=np.float64(value))
        dataset.attrs["expression"] = header.metrics[name]
        if name in header.metric_units:
            dataset.attrs["units"] = header.metric_units[name]
