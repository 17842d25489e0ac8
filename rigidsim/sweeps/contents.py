"""The layout of the result file of a sweep: which datasets there are, of which sizes, and their digests."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path

import h5py
import numpy as np

from rigidsim.scene import Scene
from rigidsim.scene.text.plain import plain_data
from rigidsim.sweeps.description import ATTRIBUTE, OF_COLUMN, WINDOW, column_digest, description_digest
from rigidsim.sweeps.plan import Plan
from rigidsim.sweeps.recording import Recording
from rigidsim.sweeps.unfinished import FORMAT
from rigidsim.trajectory.fields import AXES
from rigidsim.trajectory.provenance import provenance
from rigidsim.trajectory.recorded import ROWS
from rigidsim.trajectory.structure import TEXT, attach

ERRORS = "runs/error"
VARIED = "runs/varied"
SAMPLES = "runs/samples"
COLUMNS = ("run", "seed", "status", "error", "end_time", "samples")
"""The columns of the table of runs besides those of the varied numbers."""
MISSING, COMPLETE, FAILED, INVALID = range(4)
STATUSES = ("missing", "complete", "failed", "invalid")
DIGEST_BYTES = 32
MOST_UNIT_RUNS, UNIT_BYTES = 64, 4e6


def dtype_of(array: str) -> str:
    """The type of an array of results."""
    return "i8" if array == SAMPLES else "f8"


def unit_runs(recording: Recording, has_contact: bool) -> int:
    """Runs that are committed together: a power of two, few if they are large or slow."""
    if has_contact:
        return 1
    fitting = int(max(1, min(MOST_UNIT_RUNS, UNIT_BYTES // recording.run_bytes)))
    return 1 << (fitting.bit_length() - 1)


@dataclass(frozen=True)
class Contents:
    """What a result file is about; `runs` are those of the plan that it has, `unit` the number of runs in a unit."""

    scene: Scene
    plan: Plan
    runs: range
    recording: Recording
    unit: int
    record: str  # "metrics", "final", or the time between samples as it was given

    @property
    def units(self) -> int:
        """The number of units."""
        return -(-len(self.runs) // self.unit)

    def unit_runs(self, number: int) -> slice:
        """The runs of a unit, numbered from 0 in the file."""
        return slice(number * self.unit, min((number + 1) * self.unit, len(self.runs)))

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
        per_run = 8 + 1 + 8 * len(self.plan.names) + DIGEST_BYTES / self.unit
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
            "unit": str(self.unit),
            "version": provenance()["rigidsim"],
        }


CHANGED = {
    "record": "something else was recorded (--record)",
    "scene": "the scene has changed since",
    "plan": "the plan is another one",
    "runs": "it is another part of the plan",
    "recording": "its runs have other bodies or times",
    "unit": "its runs are divided otherwise",
    "version": "it was made by another version of rigidsim",
}


def create(file: h5py.File, contents: Contents) -> None:
    """Create everything but the results, with arrays of the final size."""
    file.attrs["format"], file.attrs["status"] = FORMAT, "running"
    file.attrs["quaternion_order"] = "wxyz"
    file.attrs["identity"] = json.dumps(contents.identity)
    file.attrs["unit"] = contents.unit
    file.attrs["results"] = json.dumps([*contents.arrays])
    _create_scene(file, contents)
    scales = _create_axes(file, contents)
    varied = _create_plan(file, contents, scales["run"])
    names = contents.recording.metrics
    if names:
        file.create_group("metrics", track_order=True)  # the digests follow the order of the scene
    columns = {name: _contiguous(file, f"metrics/{name}", (len(contents.runs),), "f8") for name in names}
    for name, dataset in columns.items():  # after all of them: a link to the axis must not take the name of one
        dataset.attrs["long_name"] = str(contents.scene.metrics.get(name, name))  # it may be a varied value
        attach(dataset, 0, "run", scales["run"])
    arrays = {f"metrics/{name}": dataset for name, dataset in columns.items()}
    for rows in contents.recording.rows:
        dataset = _contiguous(file, rows.name, (len(contents.runs), *rows.shape), "f8")
        arrays[rows.name] = dataset
        for i, dimension in enumerate(("run", *rows.dimensions)):
            attach(dataset, i, dimension, scales[dimension])
        dataset.attrs["units"], dataset.attrs["long_name"] = rows.field.units, rows.field.long_name
        if rows.absent:
            dataset.attrs[ROWS] = [k for k in range(len(contents.recording.paths)) if k not in rows.absent]
    file.attrs[ATTRIBUTE] = description_digest(file, varied, arrays)


def _overrides(scene: Scene) -> str:
    return json.dumps([one if isinstance(one, str) else (one[0], plain_data(one[1])) for one in scene.overrides])


def _create_scene(file: h5py.File, contents: Contents) -> None:
    scene, group = contents.scene, file.create_group("scene")
    group.attrs["name"], group.attrs["file"] = (
        scene.name,
        str(Path(scene.file).absolute()) if scene.name else scene.file,
    )
    group.attrs["overrides"] = _overrides(scene)
    group.attrs["provenance"] = json.dumps(provenance())
    group.create_dataset("text", data=scene.source, dtype=TEXT)
    group.create_dataset("resolved", data=json.dumps(scene.resolved(), indent=1), dtype=TEXT)


def _create_axes(file: h5py.File, contents: Contents) -> dict[str, h5py.Dataset]:
    run = _contiguous(file, "run", (len(contents.runs),), "i8")
    for begin in range(0, len(contents.runs), WINDOW):
        part = contents.runs[begin : begin + WINDOW]
        run[begin : begin + len(part)] = np.arange(part.start, part.stop)
    scales = {"run": run, "body": file.create_dataset("body", data=list(contents.recording.paths), dtype=TEXT)}
    if contents.recording.times is not None:
        scales["time"] = file.create_dataset("time", data=np.array(contents.recording.times))
        scales["time"].attrs["units"] = "s"
    for axis, labels in AXES.items():
        scales[axis] = file.create_dataset(axis, data=list(labels), dtype=TEXT)
    described = {"run": "number of the run in the plan", "body": "path of the node", "time": "time since the start"}
    for name, scale in scales.items():
        scale.make_scale(name)
        if name in described:
            scale.attrs["long_name"] = described[name]
    return scales


def _create_plan(file: h5py.File, contents: Contents, run: h5py.Dataset) -> list[h5py.Dataset]:
    """Create the table of runs; its columns of varied values, which are complete."""
    plan, count = contents.plan, len(contents.runs)
    group = file.create_group("plan")
    group.attrs["text"], group.attrs["digest"], group.attrs["seed"] = plan.describe(), plan.digest, plan.seed
    group.attrs["names"], group.attrs["runs"] = json.dumps([*plan.names]), plan.runs
    group.attrs["sample"] = plan.sample
    columns = {name: _create_column(file, name, plan, contents.runs) for name in plan.names}
    seed = columns["seed"] = _contiguous(file, "runs/seed", (count,), "u8")
    seed.attrs["long_name"] = "seed of the run"
    status = columns["status"] = _contiguous(file, "runs/status", (count,), "u1", filled=True)
    status.attrs["flag_values"], status.attrs["flag_meanings"] = np.arange(4, dtype="u1"), " ".join(STATUSES)
    time = columns["end_time"] = _contiguous(file, "runs/end_time", (count,), "f8")
    time.attrs["units"], time.attrs["long_name"] = "s", "time of the last state, which is finite"
    if SAMPLES in contents.arrays:
        samples = columns["samples"] = _contiguous(file, SAMPLES, (count,), dtype_of(SAMPLES))
        samples.attrs["long_name"] = "number of samples of the run; the others are NaN"
    _contiguous(file, "runs/digest", (contents.units, DIGEST_BYTES), "u1")
    for begin in range(0, count, WINDOW):
        part = contents.runs[begin : begin + WINDOW]
        rows = slice(begin, begin + len(part))
        seed[rows] = plan.seeds(part)
        for name, values in plan.values(part).items():
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
    if not is_number:
        dataset = file.create_dataset(place, (len(runs),), TEXT)
    else:
        dataset = _contiguous(file, place, (len(runs),), "f8")
        if plan.units[name]:
            dataset.attrs["units"] = plan.units[name]
    dataset.attrs["long_name"] = name
    dataset.attrs["is_json"] = np.int8(not is_number)
    return dataset


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
    and the digests of all units: equal for equal bits.
    """
    names = "\n".join((plan, f"{runs.start} to {runs.stop}", *paths, *arrays))
    return sha256(names.encode() + digests.tobytes()).hexdigest()
