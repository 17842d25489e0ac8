"""Reading the result file of a sweep: results by place in the file, their digests, the scene and the plan.

Nothing is given that was not verified: the description when the file is opened, a column of varied values when it is
first read, and results portion by portion.
"""

from __future__ import annotations

import json
import math
import operator
import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from rigidsim.arguments import clipped, file_path
from rigidsim.blueprints import build_world
from rigidsim.errors import FormatError, StorageError, UsageError
from rigidsim.methods import calling
from rigidsim.scene import Scene
from rigidsim.scene.prepare.overrides import Override
from rigidsim.scene.values.amounts import as_written
from rigidsim.simulation.header import header_of
from rigidsim.sweeps.contents import (
    COMPLETE,
    ERRORS,
    IDENTITY,
    MISSING,
    SAMPLES,
    STATUSES,
    Contents,
    content_hash,
    stored_portions,
    windows,
)
from rigidsim.sweeps.extents import extent_of
from rigidsim.sweeps.recording import KEPT
from rigidsim.sweeps.sensitivity import SobolIndices, sobol_indices_of
from rigidsim.sweeps.stored_layout import stored_layout
from rigidsim.sweeps.unfinished import OLDER, final_path, read_errors, stored_path
from rigidsim.trajectory.checks import stored_types
from rigidsim.trajectory.fields import JOINT, LOOP
from rigidsim.trajectory.header import Header
from rigidsim.trajectory.recorded import PartialArray
from rigidsim.trajectory.stored import OpenedFile, as_format_error, opened
from rigidsim.trajectory.trajectory import State, Trajectory

ALL = slice(None)


def load_sweep(path: str | Path, folder: Path | None = None) -> Sweep:
    """Open the result file of a sweep.

    Parameters
    ----------
    path : str or Path
        Of a sweep that was interrupted, or is under way, the path leads to what is done so far: the status of other
        runs is "missing".
    folder : Path
        A folder that is removed when the result is closed.

    Returns
    -------
    Sweep
        The results, open.

    Raises
    ------
    StorageError
        If the file cannot be read.
    FormatError
        If it is damaged or not the file of a sweep.
    """
    path = stored_path(file_path(path, "the sweep's file"))
    found = opened(path, lock=path == final_path(path))
    try:
        return Sweep(found, path, folder)
    except BaseException:
        found.close()
        raise


def _unpacked(content: bytes) -> Sweep:
    """A sweep in a temporary file of this content, that lasts as long as the result."""
    folder = Path(tempfile.mkdtemp(prefix="rigidsim-"))
    (folder / "sweep.h5").write_bytes(content)
    return load_sweep(folder / "sweep.h5", folder)


def _closed(found: OpenedFile, folder: Path | None) -> None:
    found.close()
    if folder:
        shutil.rmtree(folder, ignore_errors=True)


class Columns(Mapping):
    """Columns of a table, by name; each is read on first access."""

    def __init__(self, read: Mapping[str, Callable[[], np.ndarray]]):
        self._read = read
        self._known: dict[str, np.ndarray] = {}

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self._known:
            self._known[name] = self._read[name]()
        return self._known[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._read)

    def __len__(self) -> int:
        return len(self._read)

    def __repr__(self) -> str:
        return f"<Columns: {', '.join(self._read)}>"


class Sweep:
    """The results of a sweep: `sweep.runs["spin"]` is a column of varied values, `sweep.runs["status"]` how each run
    ended, `sweep.array("world/position")` the recorded arrays (run, ..., body, xyz), `sweep[17]` one run.

    Use it as a context manager, or call `close`. Places count the runs of the file from 0.
    """

    def __init__(self, found: OpenedFile, path: Path, folder: Path | None = None):
        """Raises FormatError if the file is damaged, or is not the result file of a sweep."""
        self._file, self.path = found.file, path
        with as_format_error(path):
            self._layout = stored_layout(self._file, path)
            self._read_description()
        self._folder = folder
        self.results = self._layout.results
        self.portion = self._layout.portion  # runs that have one digest
        self._intact = np.zeros(self._layout.portions, dtype=bool)
        self._known: dict[str, np.ndarray] = {}  # columns of the plan
        self._close = weakref.finalize(self, _closed, found, folder)

    def _read_description(self) -> None:
        file, path, datasets = self._file, self.path, self._layout.datasets
        self.paths = tuple(text.decode() for text in datasets["body"][()])
        # Types by path and by name, if anything of joints or loops was recorded.
        self.joints, self.loops = (stored_types(file, axis) for axis in (JOINT, LOOP))
        self.time = datasets["time"][()] if "time" in datasets else None  # of the samples, s; None for last states
        self.numbers = datasets["run"][()]  # of the runs in the plan
        self.content_hash = str(file.attrs["content_hash"]) if self._layout.is_complete else ""
        plan = file["plan"].attrs
        self.description, self.plan_digest, self.seed = str(plan["text"]), str(plan["digest"]), int(plan["seed"])
        self.planned = int(plan["runs"])  # runs of the whole plan, of which this file may have a part
        self.method = str(plan.get("sample", ""))  # of a sample, and its number of points
        self.identity = json.loads(file.attrs["identity"])
        self.names = tuple(self._layout.columns)
        metrics = (name for name in self._layout.results if name.startswith("metrics/"))
        found = {name.removeprefix("metrics/"): str(datasets[name].attrs.get("units", "")) for name in metrics}
        self.metric_units = {name: unit for name, unit in found.items() if unit}  # of those that have one
        self.units = {name: str(self._column(name).attrs.get("units", "")) for name in self.names}
        self.scene_text = datasets["scene/text"][()].decode()  # without overrides
        scene = file["scene"].attrs
        self._scene_file, stored = str(scene["file"]), json.loads(scene["overrides"])
        self._overrides: list[Override] = [tuple(one) if isinstance(one, list) else one for one in stored]
        self._status_read = _whole_portions(datasets["runs/status"][()], self._layout.portion)
        if self.content_hash:
            digests = datasets["runs/digest"][()]
            now = content_hash(self.plan_digest, self._layout.runs, self.paths, self._layout.results, digests)
            if now != self.content_hash:
                raise FormatError(f"{path} is damaged: its digests do not match its content hash")

    def __len__(self) -> int:
        return len(self.numbers)

    def __repr__(self) -> str:
        return f"<Sweep {self.path}: {self.description}>"

    def __enter__(self) -> Sweep:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> tuple:
        """A sweep is pickled as the path of its file; one in a temporary file with the file itself."""
        if self._folder is None:
            return load_sweep, (final_path(self.path).absolute(),)
        if self.is_closed:
            raise UsageError(f"{self.path} was closed, and its temporary file is gone; pickle a sweep before that")
        return _unpacked, (self.path.read_bytes(),)

    def close(self) -> None:
        """Close the file; what was read stays."""
        self._close()

    @property
    def is_closed(self) -> bool:
        """Whether the file was closed, so that nothing more can be read."""
        return not self._file

    _repr_html_ = calling("html_of")
    plot, to_xarray, to_pandas = calling("plot"), calling("to_xarray"), calling("to_pandas")

    @cached_property
    def runs(self) -> Columns:
        """The table of runs: the varied values, `run`, `seed`, `error`, `end_time` (s), `status` (complete, failed,
        invalid; missing if the sweep is not complete), and `samples`, their number, if there are any.
        """
        read: dict[str, Callable[[], np.ndarray]] = {name: partial(self._varied, name) for name in self.names}
        read["run"] = lambda: self.numbers
        read["seed"] = lambda: self._of_plan("runs/seed")
        read["status"] = lambda: np.array(STATUSES)[self._status()]
        read["error"] = self._errors
        read["end_time"] = lambda: self._done("runs/end_time")
        if self.time is not None:
            read["samples"] = lambda: self._done(SAMPLES)
        return Columns(read)

    @property
    def metrics(self) -> Columns:
        """The metrics of the runs, a column each."""
        names = [name.removeprefix("metrics/") for name in self.results if name.startswith("metrics/")]
        return Columns({name: partial(self._done, f"metrics/{name}") for name in names})

    def sensitivity(self) -> dict[str, SobolIndices]:
        """The Sobol indices of each metric with respect to the varied numbers; rows of the sample with failed runs are
        left out.

        Raises UsageError if the plan is not a `saltelli` sample, or if this file has only a part of it.
        """
        method, _, count = self.method.partition(":")
        if method != "saltelli":
            raise UsageError("Sobol indices need a plan made for them: --sample saltelli:N")
        if len(self) != self.planned:
            raise UsageError(f"Sobol indices need all {self.planned:,} runs of the plan; this file has {len(self):,}")
        is_complete = self._status() == COMPLETE
        return {
            name: sobol_indices_of(self.names, int(count), np.where(is_complete, values, np.nan))
            for name, values in self.metrics.items()
        }

    def values_text(self, place: int) -> str:
        """The values of a run in words: `spin = 3 rpm, bodies.top.mass = 2`.

        Parameters
        ----------
        place : int
            The place of the run in the file.

        Returns
        -------
        str
            The values by name, as text.
        """
        return ", ".join(f"{name} = {value}" for name, value in self._values_at(place))

    def array(self, name: str, runs: slice = slice(None)) -> np.ndarray:
        """A recorded array, (run, ...), named as in a trajectory; (run, time, ...) if there are samples. `runs` are
        places in this file.

        Parameters
        ----------
        name : str
            The name of the array.
        runs : slice, optional
            The runs; by default all.

        Returns
        -------
        np.ndarray
            The values of these runs, (run, ...).
        """
        self._require_recorded(name)
        return self._done(name, runs)

    def described(self, name: str) -> tuple[tuple[str, ...], tuple[int, ...], str, str]:
        """The names of the dimensions of a recorded array, its shape, its units and its meaning.

        Parameters
        ----------
        name : str
            The name of the array.

        Returns
        -------
        tuple[tuple[str, ...], tuple[int, ...], str, str]
            Dimensions, shape, units, meaning.
        """
        self._require_recorded(name)
        field = KEPT[name]
        dimensions = tuple(one for one in field.dimensions if one != "time" or self.time is not None)
        return ("run", *dimensions), self._layout.datasets[name].shape, field.units, field.long_name

    def _require_recorded(self, name: str) -> None:
        if name not in self.datasets:
            raise UsageError(f"there is no array '{name}'; there are: {', '.join(self.datasets)}")

    def last(self, name: str) -> np.ndarray:
        """A recorded array at the end of each run, (run, ...); of a failed one NaN if it has samples.

        Parameters
        ----------
        name : str
            The name of the array.

        Returns
        -------
        np.ndarray
            The last values, (run, ...).
        """
        if self.time is None:
            return self.array(name)
        is_complete = self._status() == COMPLETE
        ends, shape = np.where(is_complete, self.runs["samples"] - 1, 0), self.described(name)[1]
        found = np.full((len(self), *shape[2:]), np.nan)
        for end in np.unique(ends[is_complete]).tolist():
            places = (ends == end) & is_complete
            found[places] = self._stored(name, np.s_[:, end])[places]
        return found

    def place(self, index: int) -> int:
        """The place in this file of the run with a number; UsageError if it has none.

        Parameters
        ----------
        index : int
            The number of the run in the plan.

        Returns
        -------
        int
            Its row in the arrays.
        """
        try:
            number = operator.index(index)
        except TypeError:
            hint = f"; sweep.runs[{clipped(index)}] is a column" if isinstance(index, str) else ""
            raise UsageError(f"expected the number of a run, got {clipped(index)}{hint}") from None
        found = number - int(self.numbers[0])
        if not 0 <= found < len(self):
            raise UsageError(f"there is no run {number}; the runs are {self.numbers[0]} to {self.numbers[-1]}")
        return found

    def overrides(self, index: int) -> list[Override]:
        """The overrides with which a scene is run `index`: those of the sweep, and the values of the run.

        Parameters
        ----------
        index : int
            The number of the run in the plan.

        Returns
        -------
        list[Override]
            Values by path, as `Scene.from_file` takes them.
        """
        return [*self._overrides, *self._values_at(self.place(index))]

    def scene_at(self, index: int) -> Scene:
        """The scene of a run, read with its values.

        Parameters
        ----------
        index : int
            The number of the run in the plan.

        Returns
        -------
        Scene
            The scene with the values of this run.
        """
        return self.scene.with_overrides(self._values_at(self.place(index)))

    def __getitem__(self, index: int) -> State | Trajectory:
        """The last state of a run, by its number, or its samples; of a failed one, up to the failure."""
        place = self.place(index)
        if not self.datasets:
            raise UsageError(f"{self.path} has metrics only; simulate(sweep.scene_at({index})) repeats the run")
        status = self._status(slice(place, place + 1))[0]
        if status == MISSING:
            raise UsageError(f"run {index} is not done yet; resume=True or --resume continues the sweep")
        scene = self.scene_at(index)
        world = build_world(scene)
        header = header_of(scene, world, False)
        if any(field.name not in self.datasets for field in header.fields):  # terms and contact points
            header = replace(header, recorded={name: header.recorded_rows(name) for name in self.datasets})
        if self.time is None:
            arrays = {name: self._of_bodies(name, self._stored(name, place)[None], header) for name in self.datasets}
            last = {name: array[0] for name, array in arrays.items()}
            return State(header, float(self._stored("runs/end_time", place)), last)
        count = int(self._stored(SAMPLES, place))
        arrays = {
            name: self._of_bodies(name, self._stored(name, np.s_[place, :count]), header) for name in self.datasets
        }
        arrays["time"] = extent_of(world).times[:count]
        return Trajectory(header, arrays, STATUSES[status], message=self.error_at(place))

    def _of_bodies(self, name: str, array: np.ndarray, header: Header) -> np.ndarray | PartialArray:
        """(sample, body, ...) of one run, with the bodies of a trajectory."""
        rows = header.recorded_rows(name)
        if rows is None:
            return array
        places = [self.paths.index(header.paths[row]) for row in rows.tolist()]
        return PartialArray(array[:, places], rows, len(header.paths))

    def _column(self, name: str) -> h5py.Dataset:
        return self._layout.datasets[self._layout.columns[name]]

    def _require_open(self, what: str) -> None:
        if self.is_closed:
            raise UsageError(f"{self.path} was closed before reading {what}")

    def _stored(self, name: str, places: Any = ALL) -> np.ndarray:
        """Values of a dataset as they are in the file."""
        self._require_open(name)
        with as_format_error(self.path, name):
            return self._layout.datasets[name][places]

    def _done(self, name: str, runs: slice = ALL) -> np.ndarray:
        """An array of results at some places; of runs that are missing NaN, or 0 if it has integers."""
        status = self._status(runs)
        values, is_missing = self._stored(name, runs), status == MISSING
        if is_missing.any():
            values[is_missing] = np.nan if values.dtype.kind == "f" else 0
        return values

    def _status(self, runs: slice = ALL) -> np.ndarray:
        """How runs ended, at some places."""
        self._require_intact(runs)
        return self._status_read[runs]

    @cached_property
    def _messages(self) -> Mapping[int, str]:
        """The messages of the runs that have one, as they are in the file."""
        if not self._layout.is_complete:
            return read_errors(final_path(self.path))
        failed = np.flatnonzero(self._status_read > COMPLETE).tolist()
        texts = self._stored(ERRORS) if failed else ()
        with as_format_error(self.path, ERRORS):
            return {place: texts[place].decode() for place in failed}

    @property
    def failed(self) -> np.ndarray:
        """The places, in this file, of the runs that failed or were invalid."""
        return np.flatnonzero(self._status() > COMPLETE)

    def _errors(self) -> np.ndarray:
        """Why each run failed; empty if it did not."""
        found = np.full(len(self), "", dtype=object)
        for place in self.failed.tolist():
            found[place] = self._messages.get(place, "")
        return found

    def error_at(self, place: int) -> str:
        """Why a run failed; empty if it did not.

        Parameters
        ----------
        place : int
            The place of the run in the file.

        Returns
        -------
        str
            The message.
        """
        return self._messages.get(place, "") if self._status(slice(place, place + 1))[0] > COMPLETE else ""

    def _of_plan(self, name: str) -> np.ndarray:
        """A column of the plan, verified when it is first read."""
        if name not in self._known:
            values = self._stored(name)
            with as_format_error(self.path, name):
                self._layout.require_intact(name, self.path)
            self._known[name] = values
        return self._known[name]

    def _varied(self, name: str) -> np.ndarray:
        values = self._of_plan(self._layout.columns[name])
        if values.dtype != object:
            return values
        found = np.empty(len(values), dtype=object)
        found[:] = [json.loads(text) for text in values]
        return found

    @property
    def datasets(self) -> tuple[str, ...]:
        """The names of the recorded arrays."""
        return tuple(name for name in KEPT if name in self._layout.datasets)

    def _values_at(self, place: int) -> list[tuple[str, Any]]:
        found = []
        for name in self.names:
            value = self._of_plan(self._layout.columns[name])[place]
            read = json.loads if isinstance(value, bytes) else float
            found.append((name, as_written(read(value), self.units[name])))
        return found

    @property
    def scene(self) -> Scene:
        """The scene, read again, without the values of any run."""
        return Scene.from_text(self.scene_text, self._scene_file, self._overrides)

    @property
    def record(self) -> str:
        """What was recorded: "metrics", "final", or the time between samples as it was given."""
        return self.identity["record"]

    @property
    def run_bytes(self) -> int:
        """Bytes of the results of one run."""
        found = (self._layout.datasets[name] for name in self.results)
        return sum(dataset.dtype.itemsize * math.prod(dataset.shape[1:]) for dataset in found)

    def rows(self, places: slice) -> tuple[dict[str, np.ndarray], np.ndarray, dict[int, str]]:
        """The results of consecutive runs: arrays, statuses, and messages by the numbers of the runs.

        Parameters
        ----------
        places : slice
            Consecutive places in the file.

        Returns
        -------
        tuple[dict[str, np.ndarray], np.ndarray, dict[int, str]]
            Arrays by name, statuses, and messages by number of run.
        """
        status = self._status(places)
        arrays = {name: self._stored(name, places) for name in self.results}
        runs = zip(self.numbers[places].tolist(), range(*places.indices(len(self))), strict=True)
        errors = {run: self._messages[place] for run, place in runs if place in self._messages}
        return arrays, status, errors

    def verify(self) -> None:
        """Check all results and the plan. Raises FormatError if the file is damaged."""
        self._verify_plan()
        self._require_intact(ALL)

    def trust(self) -> None:
        """Leave out the check of results that this process has written, or has checked, a moment ago."""
        self._intact[:] = True

    def _verify_plan(self) -> None:
        for name in (*self._layout.columns.values(), "runs/seed"):
            self._of_plan(name)

    def require_same(self, contents: Contents, path: Path) -> None:
        """Raise StorageError unless the file was begun with the same scene, plan and recording.

        Parameters
        ----------
        contents : Contents
            Scene, plan and recording.
        path : Path
            The file, for the message.
        """
        differing = (name for name, value in contents.identity.items() if self.identity.get(name) != value)
        changed = "version" if self._file.attrs["format"] == OLDER else next(differing, "")
        if changed:
            raise StorageError(f"{path} cannot be resumed: {IDENTITY[changed]} has changed since; --force begins again")

    def places(self, names: Iterable[str]) -> dict[str, int]:
        """Where datasets begin in the file, bytes.

        Parameters
        ----------
        names : Iterable[str]
            Names of datasets.

        Returns
        -------
        dict[str, int]
            The place of each, bytes.
        """
        found = {name: self._layout.datasets[name].id.get_offset() for name in names}
        for name, place in found.items():
            if place is None:
                raise FormatError(f"{self.path} is damaged: {name} has no place of its own")
        return found

    def intact(self) -> tuple[np.ndarray, np.ndarray]:
        """How runs ended, those of portions that do not match their digests missing; and the digests. The plan is
        verified, too.
        """
        self._verify_plan()
        status = self._status_read.copy()
        for runs in windows(range(len(self)), self.portion, self.run_bytes):
            for rows, is_intact in self._portions(runs):
                if not is_intact:
                    status[rows] = MISSING
        return status, self._stored("runs/digest")

    def _require_intact(self, places: slice) -> None:
        """Raise FormatError if the portions of some runs do not match their digests. Each is read once."""
        begin, end, _ = places.indices(len(self))
        portions = range(begin // self.portion, max(begin // self.portion, -(-end // self.portion)))
        if not self._intact[portions.start : portions.stop].all():
            whole = range(portions.start * self.portion, min(portions.stop * self.portion, len(self)))
            for runs in windows(whole, self.portion, self.run_bytes):
                self._verify(runs)

    def _verify(self, runs: range) -> None:
        """Check the portions of consecutive runs."""
        for rows, is_intact in self._portions(runs):
            if not is_intact and self._status_read[rows.start] != MISSING:
                first, last = self.numbers[rows][0], self.numbers[rows][-1]
                raise FormatError(f"{self.path} is damaged: runs {first} to {last} do not match their digest")
            self._intact[rows.start // self.portion] = True

    def _portions(self, runs: range) -> Iterator[tuple[slice, bool]]:
        """The places of the runs of each portion, and whether it matches its digest."""
        self._require_open("its results")
        with as_format_error(self.path, "results"):
            for portion, is_intact in stored_portions(
                self._layout.datasets, self.results, self.portion, runs, self._messages
            ):
                yield slice(portion.begin, portion.begin + len(portion.status)), is_intact


def _whole_portions(status: np.ndarray, portion: int) -> np.ndarray:
    """Statuses, with all of a portion missing if one is: a sweep that is under way writes them portion by portion."""
    is_missing = np.logical_or.reduceat(status == MISSING, np.arange(0, len(status), portion))
    status[np.repeat(is_missing, portion)[: len(status)]] = MISSING
    return status
