"""The layout of a trajectory file: attributes, the scene, axes, an array for each field, events."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence

import h5py
import numpy as np

from rigidsim.trajectory.events import NUMBERS, OTHERS, VECTORS, Event, columns_of
from rigidsim.trajectory.fields import AXES, Field, fields
from rigidsim.trajectory.header import Header

FORMAT = "rigidsim-trajectory/2"
CHUNK_ROWS = 4096
CHUNK_VALUES = 32_768
TEXT = h5py.string_dtype()
EVENT_AXIS = {"": "event", **{f"{kind}/": "row" for kind in OTHERS}}
"""The axis of each group of events."""


def create(root: h5py.File, header: Header, n_sample: int) -> None:
    """Create everything but the samples, with arrays of the final size."""
    root.attrs["format"] = FORMAT
    root.attrs["status"] = "running"
    root.attrs["quaternion_order"] = "wxyz"
    root.attrs["isolated"] = np.int8(header.isolated)
    _create_scene(root, header)
    scales = _create_axes(root, header, n_sample)
    changed = [header.scale_of(change.parent) for change in header.changes]
    unscaled = bool(np.all(np.array([*header.parent_scale, *changed]) == 1.0))
    for field in fields(header.with_terms):
        _create_field(root, field, scales, n_sample, unscaled)


def _create_scene(root: h5py.File, header: Header) -> None:
    group = root.create_group("scene")
    group.attrs["name"] = header.scene_name
    group.attrs["sha256"] = hashlib.sha256(header.scene_resolved.encode()).hexdigest()
    group.attrs["provenance"] = json.dumps(dict(header.provenance))
    group.create_dataset("text", data=header.scene_text, dtype=TEXT)
    group.create_dataset("resolved", data=header.scene_resolved, dtype=TEXT)


def _create_axes(root: h5py.File, header: Header, n_sample: int) -> dict[str, h5py.Dataset]:
    time = root.create_dataset("time", (n_sample,), "f8", maxshape=(None,), chunks=(CHUNK_ROWS,), fletcher32=True)
    time.attrs["units"], time.attrs["long_name"] = "s", "time since the start"
    scales = {"time": time, "body": root.create_dataset("body", data=list(header.paths), dtype=TEXT)}
    for axis, labels in AXES.items():
        scales[axis] = root.create_dataset(axis, data=list(labels), dtype=TEXT)
    for name, scale in scales.items():
        scale.make_scale(name)
    scales["body"].attrs["long_name"] = "path of the node"
    per_body = {
        "parent": (np.array(header.parents, dtype=object), TEXT, "", "path of the parent; empty for the world"),
        "kind": (np.array(header.kinds, dtype=object), TEXT, "", "free, fixed or prescribed"),
        "scale_to_metre": (header.parent_scale, "f8", "m", "metres per unit of the lengths in /local at the start"),
        "own_scale_to_metre": (header.scale, "f8", "m", "metres per unit of the node's own coordinates"),
    }
    for name, (values, dtype, units, long_name) in per_body.items():
        dataset = root.create_dataset(name, data=values, dtype=dtype)
        dataset.dims[0].attach_scale(scales["body"])
        dataset.attrs["long_name"] = long_name
        if units:
            dataset.attrs["units"] = units
    return scales


def _create_field(
    root: h5py.File, field: Field, scales: dict[str, h5py.Dataset], n_sample: int, unscaled: bool
) -> None:
    shape = (n_sample, *(scales[d].shape[0] for d in field.dimensions[1:]))
    dataset = root.create_dataset(
        field.name, shape, "f8", maxshape=(None, *shape[1:]), chunks=_chunks(shape),
        compression="gzip", compression_opts=1, shuffle=True, fletcher32=True,
    )  # fmt: skip
    for i, dimension in enumerate(field.dimensions):
        attach(dataset, i, dimension, scales[dimension])
    in_parent_units = field.name in ("local/position", "local/velocity") and not unscaled
    dataset.attrs["units"] = field.units.replace("m", "1", 1) if in_parent_units else field.units
    dataset.attrs["long_name"] = field.long_name + (
        ", in units of the parent, which are scale_to_metre[body] metres at the start" if in_parent_units else ""
    )


def attach(dataset: h5py.Dataset, i: int, dimension: str, scale: h5py.Dataset) -> None:
    """Attach an axis to a dimension. A link in the group of the dataset makes it a coordinate there."""
    dataset.dims[i].attach_scale(scale)
    if dimension not in dataset.parent:
        dataset.parent[dimension] = scale


def _chunks(shape: tuple[int, ...]) -> tuple[int, ...]:
    """One component per chunk, many samples and as many bodies as fit: columns compress twice as well as rows."""
    rows = min(shape[0], CHUNK_ROWS)
    if len(shape) < 3:
        return (rows, *(1 for _ in shape[1:]))
    return (rows, max(1, min(shape[1], CHUNK_VALUES // rows)), 1)


def write_events(root: h5py.File, events: Sequence[Event]) -> None:
    """Write the events as one array per attribute, along an event axis."""
    group, columns = root.create_group("events"), columns_of(events)
    described = {**NUMBERS, **VECTORS}
    for kind, vectors in OTHERS.items():
        described |= {f"{kind}/{name}": meaning for name, meaning in vectors.items()}
    scales = {}
    for prefix, axis in EVENT_AXIS.items():
        length = len(columns[f"{prefix}body"])
        scales[prefix] = group.create_dataset(f"{prefix}{axis}", data=np.arange(length))
        scales[prefix].make_scale(axis)
    for name, values in columns.items():
        dataset = group.create_dataset(name, data=values, dtype=TEXT if isinstance(values, list) else None)
        prefix = name[: name.rfind("/") + 1]
        dataset.dims[0].attach_scale(scales[prefix])
        if name in described:
            dataset.attrs["units"], dataset.attrs["long_name"] = described[name]
            if values.ndim == 2:
                attach(dataset, 1, "xyz", root["xyz"])
