"""Reading the result file of a sweep."""

from __future__ import annotations

import json
import operator
import shutil
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from rigidsim.arguments import file_path
from rigidsim.engine.compiler import compile_scene
from rigidsim.errors import FormatError, UsageError
from rigidsim.scene import Scene
from rigidsim.scene.values.amounts import Amount
from rigidsim.simulation.header import header_of
from rigidsim.sweeps.contents import COMPLETE, ERRORS, FORMAT, STATUSES, VARIED, content_hash, digest_of
from rigidsim.sweeps.frames import as_figure, as_pandas, as_xarray
from rigidsim.sweeps.sensitivity import SobolIndices, sobol_indices_of
from rigidsim.trajectory.fields import FIELDS
from rigidsim.trajectory.stored import as_format_error, opened
from rigidsim.trajectory.trajectory import State, Trajectory

WINDOW_BYTES = 16e6


def load_sweep(path: str | Path, folder: Path | None = None) -> Sweep:
    """Open the result file of a sweep; `folder`, if given, is removed when it is closed.

    Raises StorageError if it cannot be read, FormatError if it is damaged or not the file of a sweep.
    """
    path = file_path(path, "the sweep's file")
    file, raw = opened(path)

    def close() -> None:
        file.close()
        raw.close()

    try:
        with as_format_error(path):
            found = str(file.attrs.get("format", ""))
            if found != FORMAT:
                raise FormatError(f"{path} is not the result file of a sweep: its format is '{found or 'unknown'}'")
            return Sweep(file, path, close, folder)
    except BaseException:
        close()
        raise


def _closed(close: Callable[[], None], folder: Path | None) -> None:
    close()
    if folder:
        shutil.rmtree(folder, ignore_errors=True)


class Columns(Mapping):
    """Columns of the table of runs, by name; each is read on first access."""

    def __init__(self, read: Mapping[str, Callable[[], np.ndarray]]):
        self._read, self._known = read, {}

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

    Use it as a context manager, or call `close`.
    """

    def __init__(self, file: h5py.File, path: Path, close: Callable[[], None], folder: Path | None = None):
        self._file, self.path = file, path
        self._close = weakref.finalize(self, _closed, close, folder)
        self.paths = tuple(text.decode() for text in file["body"][()])
        self.time = file["time"][()] if "time" in file else None  # of the samples, s; None for last states
        self.numbers = file["run"][()]  # of the runs in the plan
        self.content_hash = str(file.attrs["content_hash"])
        self.description = str(file["plan"].attrs["text"])
        self.names = tuple(json.loads(file["plan"].attrs["names"]))
        self._columns = {str(item.attrs["long_name"]): item for item in file.get(VARIED, {}).values()}
        self._results = ("runs/end_time", *(f"metrics/{name}" for name in self.metrics), *self.datasets)
        self.sample = str(file["plan"].attrs["sample"])  # how the values were sampled, `sobol:64`; empty if not
        self.units = {name: str(self._columns[name].attrs.get("units", "")) for name in self.names}

    def __len__(self) -> int:
        return len(self.numbers)

    def __repr__(self) -> str:
        return f"<Sweep {self.path}: {self.description}>"

    def __enter__(self) -> Sweep:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; what was read stays."""
        self._close()

    @cached_property
    def runs(self) -> Columns:
        """The table of runs: the varied values, `run`, `seed`, `error`, `end_time` (s), and `status` (complete,
        failed, invalid).
        """
        read = {name: lambda name=name: self._varied(name) for name in self.names}
        read["run"] = lambda: self.numbers
        read["seed"] = lambda: self._file["runs/seed"][()]
        read["status"] = lambda: np.array(STATUSES)[self._file["runs/status"][()]]
        read["error"] = lambda: np.array([text.decode() for text in self._file[ERRORS][()]], dtype=object)
        read["end_time"] = lambda: self._file["runs/end_time"][()]
        return Columns(read)

    @property
    def metrics(self) -> Columns:
        """The metrics of the runs, a column each."""
        group = [name for name in self._file.get("metrics", ()) if name != "run"]
        return Columns({name: lambda name=name: self._file[f"metrics/{name}"][()] for name in group})

    def sensitivity(self) -> dict[str, SobolIndices]:
        """The Sobol indices of each metric with respect to the varied numbers; rows of the sample with failed runs are
        left out.

        Raises UsageError if the plan is not a `saltelli` sample, or if this file has only a part of it.
        """
        plan = self._file["plan"].attrs
        method, _, count = str(plan["sample"]).partition(":")
        if method != "saltelli":
            raise UsageError("Sobol indices need a plan made for them: --sample saltelli:N")
        if len(self) != int(plan["runs"]):
            raise UsageError(f"Sobol indices need all {plan['runs']:,} runs of the plan; this file has {len(self):,}")
        is_complete = self._file["runs/status"][()] == COMPLETE
        return {
            name: sobol_indices_of(self.names, int(count), np.where(is_complete, values, np.nan))
            for name, values in self.metrics.items()
        }

    def _varied(self, name: str) -> np.ndarray:
        values = self._columns[name][()]
        if not self._columns[name].attrs["is_json"]:
            return values
        found = np.empty(len(values), dtype=object)
        found[:] = [json.loads(text) for text in values]
        return found

    def values_text(self, place: int) -> str:
        """The values of a run in words: `spin = 3 rpm, bodies.top.mass = 2`."""
        return ", ".join(f"{name} = {value}" for name, value in self._values_at(place))

    def error_at(self, place: int) -> str:
        """Why a run failed; empty if it did not."""
        return self._file[ERRORS][place].decode()

    @property
    def failed(self) -> np.ndarray:
        """The places, in this file, of the runs that failed or were invalid."""
        return np.flatnonzero(self._file["runs/status"][()] != COMPLETE)

    @property
    def datasets(self) -> tuple[str, ...]:
        """The names of the recorded arrays."""
        return tuple(field.name for field in FIELDS if field.name in self._file)

    def array(self, name: str, runs: slice = slice(None)) -> np.ndarray:
        """A recorded array, (run, ...), named as in a trajectory; (run, time, ...) if there are samples. `runs` are
        places in this file.
        """
        with as_format_error(self.path, name):
            return self._dataset(name)[runs]

    def described(self, name: str) -> tuple[tuple[int, ...], str, str]:
        """The shape of a recorded array, its units and its meaning."""
        found = self._dataset(name)
        return found.shape, str(found.attrs["units"]), str(found.attrs["long_name"])

    def _dataset(self, name: str) -> h5py.Dataset:
        if name not in self.datasets:
            raise UsageError(f"there is no array '{name}'; there are: {', '.join(self.datasets)}")
        return self._file[name]

    def last(self, name: str) -> np.ndarray:
        """A recorded array at the end of each run, (run, ...); of a failed one NaN if it has samples."""
        if self.time is None:
            return self.array(name)
        with as_format_error(self.path, name):
            return self._file[name][:, -1]

    def place(self, index: int) -> int:
        """The place in this file of the run with a number; UsageError if it has none."""
        number = operator.index(index)
        found = number - int(self.numbers[0])
        if not 0 <= found < len(self):
            raise UsageError(f"there is no run {number}; the runs are {self.numbers[0]} to {self.numbers[-1]}")
        return found

    def overrides(self, index: int) -> list[tuple[str, Any]]:
        """The overrides with which a scene is run `index`: those of the sweep, and the values of the run."""
        place = self.place(index)
        stored = [tuple(o) if isinstance(o, list) else o for o in json.loads(self._file["scene"].attrs["overrides"])]
        return [*stored, *self._values_at(place)]

    def _values_at(self, place: int) -> list[tuple[str, Any]]:
        found = []
        for name in self.names:
            column = self._columns[name]
            value = column[place]
            if column.attrs["is_json"]:
                found.append((name, json.loads(value)))
            else:
                found.append((name, str(Amount(float(value), self.units[name])) if self.units[name] else float(value)))
        return found

    @property
    def scene_text(self) -> str:
        """The text of the scene, without overrides."""
        return self._file["scene"]["text"][()].decode()

    def scene_at(self, index: int) -> Scene:
        """The scene of a run, read with its values."""
        scene = self._file["scene"]
        return Scene.from_text(self.scene_text, str(scene.attrs["file"]), self.overrides(index))

    def __getitem__(self, index: int) -> State | Trajectory:
        """The last state of a run, by its number, or its samples; of a failed one, up to the failure."""
        place = self.place(index)
        if not self.datasets:
            raise UsageError(f"{self.path} has metrics only; simulate(sweep.scene_at({index})) repeats the run")
        self._require_intact(place)
        scene = self.scene_at(index)
        header = header_of(scene, compile_scene(scene), False)
        if header.recorded is not None:  # of each dataset all bodies are
            header = replace(header, recorded=dict.fromkeys(self.datasets))
        arrays = {name: self._file[name][place] for name in self.datasets}
        if self.time is None:
            return State(header, float(self._file["runs/end_time"][place]), arrays)
        count = int(np.count_nonzero(self.time <= self._file["runs/end_time"][place]))
        arrays = {name: array[:count] for name, array in arrays.items()} | {"time": self.time[:count]}
        status = STATUSES[self._file["runs/status"][place]]
        return Trajectory(header, arrays, status, message=self.error_at(place))

    def verify(self) -> None:
        """Check all results. Raises FormatError if the file is damaged."""
        digests, runs = self._file["runs/digest"][()], range(int(self.numbers[0]), int(self.numbers[-1]) + 1)
        plan = str(self._file["plan"].attrs["digest"])
        if content_hash(plan, runs, self.paths, self._results, digests) != self.content_hash:
            raise FormatError(f"{self.path} is damaged: its digests do not match its content hash")
        unit, row = int(self._file.attrs["unit"]), sum(self._file[name][:1].nbytes for name in self._results)
        window = max(1, int(WINDOW_BYTES // (row * unit))) * unit
        for begin in range(0, len(self), window):
            self._verify(begin, min(begin + window, len(self)))

    def _require_intact(self, place: int) -> None:
        """Raise FormatError if the unit of a run does not match its digest."""
        unit = int(self._file.attrs["unit"])
        begin = place // unit * unit
        self._verify(begin, min(begin + unit, len(self)))

    def _verify(self, begin: int, end: int) -> None:
        """Check the units from one run to before another."""
        unit, file = int(self._file.attrs["unit"]), self._file
        with as_format_error(self.path):
            arrays = {name: file[name][begin:end] for name in self._results}
            status, texts = file["runs/status"][begin:end], file[ERRORS][begin:end]
            errors = {begin + k: texts[k].decode() for k in np.flatnonzero(status != COMPLETE)}
            stored = file["runs/digest"][begin // unit : -(-end // unit)]
            for number, first in enumerate(range(begin, end, unit)):
                rows = slice(first - begin, min(first + unit, end) - begin)
                parts = {name: array[rows] for name, array in arrays.items()}
                found = digest_of(parts, status[rows], errors, slice(first, min(first + unit, end)))
                if found != stored[number].tobytes():
                    last = self.numbers[min(first + unit, end) - 1]
                    message = f"runs {self.numbers[first]} to {last} do not match their digest"
                    raise FormatError(f"{self.path} is damaged: {message}")

    def plot(self, *names: str, over: str | Sequence[str] = (), **look: Any) -> Any:
        """A matplotlib Figure of metrics over one varied number, or two, or of quantities over time, `"ball.speed"`, if
        samples were recorded; by default of all metrics over all varied numbers. `look` is title, size (inches), log.
        """
        return as_figure(self, names, [over] if isinstance(over, str) else over, **look)

    def to_xarray(self):
        """The results as an `xarray.Dataset` with labelled dimensions; names have "_" in place of "/"."""
        return as_xarray(self, self._file)

    def to_pandas(self):
        """The table of runs as a `pandas.DataFrame`, with a row for each run."""
        return as_pandas(self)
