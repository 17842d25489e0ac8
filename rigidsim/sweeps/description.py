"""The digests of what the result file of a sweep has besides results: the scene, the plan and its values, the axes, and
what each dataset means. They are complete before the first run.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any

import h5py
import numpy as np

from rigidsim.trajectory.recorded import ROWS

ATTRIBUTE, OF_COLUMN = "description_sha256", "sha256"
ROOT = ("format", "quaternion_order", "identity", "unit", "results")
SCENE = ("name", "file", "overrides", "provenance")
PLAN = ("text", "digest", "seed", "names", "runs", "sample")
WINDOW = 1 << 16  # rows


def column_digest(column: h5py.Dataset) -> str:
    """SHA-256, in hexadecimal, of the numbers of a column, little-endian, or of its texts, each with a line feed."""
    digest = sha256()
    for values in windows_of(column):
        digest.update(values if values.dtype.kind != "O" else b"".join(text + b"\n" for text in values))
    return digest.hexdigest()


def windows_of(column: h5py.Dataset) -> Iterator[np.ndarray]:
    """The values of a column, some at a time."""
    return (column[begin : begin + WINDOW] for begin in range(0, len(column), WINDOW))


def description_digest(file: h5py.File, columns: Sequence[h5py.Dataset], arrays: Mapping[str, h5py.Dataset]) -> str:
    """SHA-256, in hexadecimal, of a JSON object with sorted keys: `columns` have the varied values, `arrays` the
    recorded motion and the metrics, by their names.
    """
    scene, time = file["scene"], file.get("time")
    described = {
        "root": _attributes(file, ROOT),
        "scene": {**_attributes(scene, SCENE), "text": _text(scene["text"]), "resolved": _text(scene["resolved"])},
        "plan": _attributes(file["plan"], PLAN),
        "body": [text.decode() for text in file["body"][()]],
        "time": None if time is None else column_digest(time),
        "seed": str(file["runs/seed"].attrs[OF_COLUMN]),
        "columns": [_attributes(column, ("long_name", "units", "is_json", OF_COLUMN)) for column in columns],
        "arrays": {name: _attributes(array, ("long_name", "units", ROWS)) for name, array in arrays.items()},
    }
    return sha256(json.dumps(described, sort_keys=True).encode()).hexdigest()


def _attributes(found: Any, names: tuple[str, ...]) -> dict[str, Any]:
    """The attributes of an object that it has, as plain data."""
    return {name: np.asarray(found.attrs[name]).tolist() for name in names if name in found.attrs}


def _text(dataset: h5py.Dataset) -> str:
    return sha256(dataset[()]).hexdigest()
