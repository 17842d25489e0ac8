"""What the result file of a sweep has: which datasets there are, of which sizes, and the digests of all of it.

Results have digests by portions: a few consecutive runs that are committed, verified and hashed together. What there is
besides results, the scene, the plan and its values, the axes, and what each dataset means, is complete before the first
run, and has a digest of its own.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import h5py
import numpy as np

from rigidsim.scene import Scene
from rigidsim.scene.text.plain import plain_data
from rigidsim.simulation.header import metric_units
from rigidsim.sweeps.layouts import Plan
from rigidsim.sweeps.recording import Recording
from rigidsim.sweeps.unfinished import FORMAT, HELD
from rigidsim.trajectory.checks import stored_types
from rigidsim.trajectory.chunks import fitting_rows, windows_of
from rigidsim.trajectory.fields import TYPES
from rigidsim.trajectory.provenance import provenance
from rigidsim.trajectory.recorded import ROWS
from rigidsim.trajectory.structure import OF_TIME, TEXT, attach, create_axes, create_scene, described

ERRORS = "runs/error"
VARIED = "runs/varied"
SAMPLES = "runs/samples"
COLUMNS = ("run", "seed", "status", "error", "end_time", "samples")
"""The columns of the table of runs besides those of the varied numbers."""
MISSING, COMPLETE, FAILED, INVALID = range(4)
STATUSES = ("missing", "complete", "failed", "invalid")
DIGEST_BYTES = 32
MOST_PORTION_RUNS, PORTION_BYTES = 64, 4e6
ATTRIBUTE, OF_COLUMN = "description_sha256", "sha256"
ROOT = ("format", "quaternion_order", "identity", "unit", "results")
SCENE = ("name", "file", "overrides", "provenance")
PLAN = ("text", "digest", "seed", "names", "runs", "sample")
WINDOW = 1 << 16  # rows
WINDOW_BYTES = 16e6


def dtype_of(array: str) -> str:
    """The type of an array of results."""
    return "i8" if array == SAMPLES else "f8"


def portion_runs(recording: Recording, has_contact: bool) -> int:
    """Runs that are committed together: a power of two, few if they are large or slow."""
    if has_contact:
        return 1
    return min(MOST_PORTION_RUNS, fitting_rows(recording.run_bytes, PORTION_BYTES))


@dataclass(frozen=True)
class Contents:
    """What a result file is about; `runs` are those of the plan that it has, `portion` the runs in a portion."""

    scene: Scene
    plan: Plan
    runs: range
    recording: Recording
    portion: int
    record: str  # "metrics", "final", or the time between samples as it was given

    @property
    def portions(self) -> int:
        """The number of portions."""
        return -(-len(self.runs) // self.portion)

    def portion_runs(self, first: int, last: int | None = None) -> slice:
        """The runs of a portion, or of all up to a later one, numbered from 0 in the file."""
        end = (first if last is None else last) + 1
        return slice(first * self.portion, min(end * self.portion, len(self.runs)))

    def most_portions(self, most_runs: int, most_bytes: float) -> int:
        """How many portions have at most so many runs and bytes of results; at least one."""
        return max(1, int(min(most_runs, most_bytes // self.recording.run_bytes)) // self.portion)

    @cached_property
    def arrays(self) -> dict[str, tuple[int, ...]]:
        """The datasets of results, and the shape of one run in each."""
        samples = {SAMPLES: ()} if self.recording.times is not None else {}
        metrics = {f"metrics/{name}": () for name in self.recording.metrics}
        return {"runs/end_time": (), **samples, **metrics, **{rows.name: rows.shape for rows in self.recording.rows}}

    @property
    def written(self) -> tuple[str, ...]:
        """The datasets that are written run by run."""
        return (*self.arrays, "runs/digest", "runs/status")

    @property
    def size(self) -> int:
        """Bytes of all datasets, without the texts."""
        per_run = 8 + 1 + 8 * len(self.plan.names) + DIGEST_BYTES / self.portion
        return int(len(self.runs) * (per_run + self.recording.run_bytes))

    @cached_property
    def identity(self) -> dict[str, str]:
        """What must be equal for runs to belong to one file."""
        scene, recording = self.scene, self.recording
        times = np.array(recording.times or ()).tobytes()
        written = (scene.source, _overrides(scene), json.dumps(scene.resolved()))
        return {
            "record": self.record,
            "scene": sha256("\0".join(written).encode()).hexdigest(),
            "plan": self.plan.digest,
            "runs": f"{self.runs.start} to {self.runs.stop}",
            "recording": sha256("\0".join([*recording.paths, *self.arrays]).encode() + times).hexdigest(),
            "unit": str(self.portion),
            "version": provenance()["rigidsim"],
        }


IDENTITY = {
    "record": "what was recorded (--record)",
    "scene": "the scene",
    "plan": "the plan",
    "runs": "the part of the plan",
    "recording": "the bodies or times of its runs",
    "unit": "how its runs are divided",
    "version": "the version of rigidsim",
}
"""The entries of the identity of a result file, in words."""


def create(file: h5py.File, contents: Contents) -> None:
    """Create everything but the results, with arrays of the final size."""
    file.attrs["format"] = HELD if contents.recording.joints or contents.recording.loops else FORMAT
    file.attrs["status"] = "running"
    file.attrs["quaternion_order"] = "wxyz"
    file.attrs["identity"] = json.dumps(contents.identity)
    file.attrs["unit"] = contents.portion
    file.attrs["results"] = json.dumps([*contents.arrays])
    scene, resolved = contents.scene, json.dumps(contents.scene.resolved(), indent=1)
    group = create_scene(file, scene.name, scene.source, resolved, provenance())
    group.attrs["file"] = str(Path(scene.file).absolute()) if scene.name else scene.file
    group.attrs["overrides"] = _overrides(scene)
    scales = _create_axes(file, contents)
    varied = _create_plan(file, contents, scales["run"])
    names, units = contents.recording.metrics, metric_units(contents.scene)
    if names:
        file.create_group("metrics", track_order=True)  # the digests follow the order of the scene
    columns = {name: _contiguous(file, f"metrics/{name}", (len(contents.runs),), "f8") for name in names}
    for name, dataset in columns.items():  # after all of them: a link to the axis must not take the name of one
        meaning = str(contents.scene.metrics.get(name, name))  # it may be a varied value
        attach(described(dataset, meaning, units.get(name, "")), 0, "run", scales["run"])
    arrays = {f"metrics/{name}": dataset for name, dataset in columns.items()}
    for rows in contents.recording.rows:
        dataset = arrays[rows.name] = _contiguous(file, rows.name, (len(contents.runs), *rows.shape), "f8")
        for i, dimension in enumerate(("run", *rows.dimensions)):
            attach(dataset, i, dimension, scales[dimension])
        described(dataset, rows.field.long_name, rows.field.units)
        if rows.absent:
            dataset.attrs[ROWS] = [k for k in range(len(contents.recording.paths)) if k not in rows.absent]
    file.attrs[ATTRIBUTE] = description_digest(file, varied, arrays)


def _overrides(scene: Scene) -> str:
    return json.dumps([one if isinstance(one, str) else (one[0], plain_data(one[1])) for one in scene.overrides])


def _create_axes(file: h5py.File, contents: Contents) -> dict[str, h5py.Dataset]:
    first = {"run": _contiguous(file, "run", (len(contents.runs),), "i8")}
    for rows in windows_of(len(contents.runs), 1, WINDOW):
        first["run"][rows] = np.arange(contents.runs[0] + rows.start, contents.runs[0] + rows.stop)
    described(first["run"], "number of the run in the plan")
    if contents.recording.times is not None:
        first["time"] = described(file.create_dataset("time", data=np.array(contents.recording.times)), *OF_TIME)
    recording = contents.recording
    return create_axes(file, first, recording.paths, recording.joints, recording.loops)


def _create_plan(file: h5py.File, contents: Contents, run: h5py.Dataset) -> list[h5py.Dataset]:
    """Create the table of runs; its columns of varied values, which are complete."""
    plan, count = contents.plan, len(contents.runs)
    group = file.create_group("plan")
    group.attrs["text"], group.attrs["digest"], group.attrs["seed"] = plan.describe(), plan.digest, plan.seed
    group.attrs["names"], group.attrs["runs"] = json.dumps([*plan.names]), plan.runs
    group.attrs["sample"] = plan.sample
    columns = {name: _create_column(file, name, plan, contents.runs) for name in plan.names}
    columns["seed"] = described(_contiguous(file, "runs/seed", (count,), "u8"), "seed of the run")
    status = columns["status"] = _contiguous(file, "runs/status", (count,), "u1", filled=True)
    status.attrs["flag_values"], status.attrs["flag_meanings"] = np.arange(4, dtype="u1"), " ".join(STATUSES)
    end_time = _contiguous(file, "runs/end_time", (count,), "f8")
    columns["end_time"] = described(end_time, "time of the last state, which is finite", "s")
    if SAMPLES in contents.arrays:
        samples = _contiguous(file, SAMPLES, (count,), dtype_of(SAMPLES))
        columns["samples"] = described(samples, "number of samples of the run; the others are NaN")
    _contiguous(file, "runs/digest", (contents.portions, DIGEST_BYTES), "u1")
    for rows in windows_of(count, 1, WINDOW):
        columns["seed"][rows] = plan.seeds(contents.runs[rows])
        for name, values in plan.values(contents.runs[rows]).items():
            columns[name][rows] = values if isinstance(values, np.ndarray) else [json.dumps(v) for v in values]
    for name in (*plan.names, "seed"):
        columns[name].attrs[OF_COLUMN] = column_digest(columns[name])
    for dataset in columns.values():
        attach(dataset, 0, "run", run)
    return [columns[name] for name in plan.names]


def _create_column(file: h5py.File, name: str, plan: Plan, runs: range) -> h5py.Dataset:
    """The values of a varied number; words and lists as JSON."""
    is_number = isinstance(plan.values(range(runs.start, runs.start + 1))[name], np.ndarray)
    place = f"{VARIED}/{name.replace('/', '.')}"
    shape = (len(runs),)
    dataset = _contiguous(file, place, shape, "f8") if is_number else file.create_dataset(place, shape, TEXT)
    dataset.attrs["is_json"] = np.int8(not is_number)
    return described(dataset, name, plan.units[name])


def _contiguous(file: h5py.File, name: str, shape: tuple[int, ...], dtype: str, filled: bool = False) -> h5py.Dataset:
    """A dataset that has its place in the file from the beginning."""
    dcpl = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    dcpl.set_layout(h5py.h5d.CONTIGUOUS)
    dcpl.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
    dcpl.set_fill_time(h5py.h5d.FILL_TIME_ALLOC if filled else h5py.h5d.FILL_TIME_NEVER)
    group = file.require_group(name.rpartition("/")[0] or "/")
    space = h5py.h5s.create_simple(shape)
    made = h5py.h5d.create(group.id, name.rpartition("/")[2].encode(), h5py.h5t.py_create(np.dtype(dtype)), space, dcpl)
    return h5py.Dataset(made)


def content_hash(plan: str, runs: range, paths: Sequence[str], arrays: Iterable[str], digests: np.ndarray) -> str:
    """SHA-256, in hexadecimal, of the digest of the plan, the runs, the paths of the bodies, the names of the arrays
    and the digests of all portions: equal for equal bits.
    """
    names = "\n".join((plan, f"{runs.start} to {runs.stop}", *paths, *arrays))
    return sha256(names.encode() + digests.tobytes()).hexdigest()


def column_digest(column: h5py.Dataset) -> str:
    """SHA-256, in hexadecimal, of the numbers of a column, little-endian, or of its texts, each with a line feed."""
    digest = sha256()
    for rows in windows_of(len(column), 1, WINDOW):
        values = column[rows]
        digest.update(values if values.dtype.kind != "O" else b"".join(text + b"\n" for text in values))
    return digest.hexdigest()


def description_digest(file: h5py.File, columns: Sequence[h5py.Dataset], arrays: Mapping[str, h5py.Dataset]) -> str:
    """SHA-256, in hexadecimal, of a JSON object with sorted keys: `columns` have the varied values, `arrays` the
    recorded motion and the metrics, by their names.
    """
    scene, time = file["scene"], file.get("time")
    metadata = {
        "root": _attributes(file, ROOT),
        "scene": {**_attributes(scene, SCENE), "text": _text(scene["text"]), "resolved": _text(scene["resolved"])},
        "plan": _attributes(file["plan"], PLAN),
        "body": [text.decode() for text in file["body"][()]],
        "time": None if time is None else column_digest(time),
        "seed": str(file["runs/seed"].attrs[OF_COLUMN]),
        "columns": [_attributes(column, ("long_name", "units", "is_json", OF_COLUMN)) for column in columns],
        "arrays": {name: _attributes(array, ("long_name", "units", ROWS)) for name, array in arrays.items()},
    }
    metadata |= {axis: stored_types(file, axis) for axis in TYPES if axis in file}
    return sha256(json.dumps(metadata, sort_keys=True).encode()).hexdigest()


def _attributes(found: Any, names: tuple[str, ...]) -> dict[str, Any]:
    """The attributes of an object that it has, as plain data."""
    return {name: np.asarray(found.attrs[name]).tolist() for name in names if name in found.attrs}


def _text(dataset: h5py.Dataset) -> str:
    return sha256(dataset[()]).hexdigest()


class Portion(NamedTuple):
    """Results of consecutive runs: of each an entry in each array."""

    number: int
    begin: int  # the first run, numbered from 0 in the file
    arrays: Mapping[str, np.ndarray]  # by dataset
    status: np.ndarray
    errors: Mapping[int, str]  # by run, numbered from 0 in the file

    @property
    def digest(self) -> bytes:
        """SHA-256 of the results."""
        digest = sha256(np.ascontiguousarray(self.status).data)
        for array in self.arrays.values():
            digest.update(np.ascontiguousarray(array).data)
        for place in np.flatnonzero(self.status != COMPLETE).tolist():
            digest.update(self.errors.get(self.begin + place, "").encode())
        return digest.digest()


def portions_of(
    begin: int, size: int, arrays: Mapping[str, np.ndarray], status: np.ndarray, errors: Mapping[int, str]
) -> Iterator[Portion]:
    """The portions of `size` runs in the results of consecutive runs, the first of which begins a portion."""
    for first in range(0, len(status), size):
        rows = slice(first, first + size)
        some = {run: errors[run] for run in range(begin + first, begin + first + len(status[rows])) if run in errors}
        parts = {name: array[rows] for name, array in arrays.items()}
        yield Portion((begin + first) // size, begin + first, parts, status[rows], some)


def windows(runs: range, size: int, run_bytes: int) -> Iterator[range]:
    """Consecutive runs, the first of which begins a portion, in parts of whole portions that take little memory."""
    return (runs[window] for window in windows_of(len(runs), run_bytes, WINDOW_BYTES, of=size))


def stored_portions(
    datasets: Mapping[str, h5py.Dataset], names: Sequence[str], size: int, runs: range, errors: Mapping[int, str]
) -> Iterator[tuple[Portion, bool]]:
    """The portions of consecutive runs in a file, and whether the numbers of each match its digest there."""
    rows = slice(runs.start, runs.stop)
    status = datasets["runs/status"][rows]  # first: if the sweep is under way, it is written last
    digests = datasets["runs/digest"][runs.start // size : -(-runs.stop // size)]
    arrays = {name: datasets[name][rows] for name in names}
    for portion, digest in zip(portions_of(runs.start, size, arrays, status, errors), digests, strict=True):
        yield portion, portion.digest == digest.tobytes()
