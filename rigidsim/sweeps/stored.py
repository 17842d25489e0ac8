"""Reading the result file of a sweep."""

from __future__ import annotations

import operator
import shutil
import weakref
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from rigidsim.arguments import file_path
from rigidsim.engine.building import build_world
from rigidsim.errors import UsageError
from rigidsim.scene import Scene
from rigidsim.scene.prepare.overrides import Override
from rigidsim.shown import in_notebook
from rigidsim.simulation.header import header_of
from rigidsim.sweeps.contents import COMPLETE, MISSING, SAMPLES, STATUSES
from rigidsim.sweeps.extents import extent_of
from rigidsim.sweeps.frames import Columns, as_figure, as_pandas, as_xarray
from rigidsim.sweeps.result_file import ResultFile
from rigidsim.sweeps.sensitivity import SobolIndices, sobol_indices_of
from rigidsim.sweeps.unfinished import final_path, stored_path
from rigidsim.trajectory.fields import FIELDS
from rigidsim.trajectory.header import Header
from rigidsim.trajectory.recorded import PartialArray
from rigidsim.trajectory.stored import opened
from rigidsim.trajectory.trajectory import State, Trajectory


def load_sweep(path: str | Path, folder: Path | None = None) -> Sweep:
    """Open the result file of a sweep; `folder`, if given, is removed when it is closed. Of a sweep that was
    interrupted, or is under way, the path leads to what is done so far: the status of other runs is "missing".

    Raises StorageError if it cannot be read, FormatError if it is damaged or not the file of a sweep.
    """
    path = stored_path(file_path(path, "the sweep's file"))
    file, raw = opened(path, lock=path == final_path(path))

    def close() -> None:
        file.close()
        raw.close()

    try:
        return Sweep(file, path, close, folder)
    except BaseException:
        close()
        raise


def _closed(close: Callable[[], None], folder: Path | None) -> None:
    close()
    if folder:
        shutil.rmtree(folder, ignore_errors=True)


class Sweep(ResultFile):
    """The results of a sweep: `sweep.runs["spin"]` is a column of varied values, `sweep.runs["status"]` how each run
    ended, `sweep.array("world/position")` the recorded arrays (run, ..., body, xyz), `sweep[17]` one run.

    Use it as a context manager, or call `close`.
    """

    def __init__(self, file: h5py.File, path: Path, close: Callable[[], None], folder: Path | None = None):
        super().__init__(file, path)
        self._close = weakref.finalize(self, _closed, close, folder)

    def __repr__(self) -> str:
        return f"<Sweep {self.path}: {self.description}>"

    def __enter__(self) -> Sweep:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; what was read stays."""
        self._close()

    @property
    def is_closed(self) -> bool:
        """Whether the file was closed, so that nothing more can be read."""
        return not self._file

    def _repr_html_(self) -> str:
        return in_notebook("sweep", self)

    @cached_property
    def runs(self) -> Columns:
        """The table of runs: the varied values, `run`, `seed`, `error`, `end_time` (s), `status` (complete, failed,
        invalid; missing if the sweep is not complete), and `samples`, their number, if there are any.
        """
        read = {name: lambda name=name: self._varied(name) for name in self.names}
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
        return Columns({name: lambda name=name: self._done(f"metrics/{name}") for name in names})

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
        """The values of a run in words: `spin = 3 rpm, bodies.top.mass = 2`."""
        return ", ".join(f"{name} = {value}" for name, value in self._values_at(place))

    def array(self, name: str, runs: slice = slice(None)) -> np.ndarray:
        """A recorded array, (run, ...), named as in a trajectory; (run, time, ...) if there are samples. `runs` are
        places in this file.
        """
        self._require_recorded(name)
        return self._done(name, runs)

    def described(self, name: str) -> tuple[tuple[str, ...], tuple[int, ...], str, str]:
        """The names of the dimensions of a recorded array, its shape, its units and its meaning."""
        self._require_recorded(name)
        (field,) = (field for field in FIELDS if field.name == name)
        dimensions = tuple(one for one in field.dimensions if one != "time" or self.time is not None)
        return ("run", *dimensions), self._layout.datasets[name].shape, field.units, field.long_name

    def _require_recorded(self, name: str) -> None:
        if name not in self.datasets:
            raise UsageError(f"there is no array '{name}'; there are: {', '.join(self.datasets)}")

    def last(self, name: str) -> np.ndarray:
        """A recorded array at the end of each run, (run, ...); of a failed one NaN if it has samples."""
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
        """The place in this file of the run with a number; UsageError if it has none."""
        number = operator.index(index)
        found = number - int(self.numbers[0])
        if not 0 <= found < len(self):
            raise UsageError(f"there is no run {number}; the runs are {self.numbers[0]} to {self.numbers[-1]}")
        return found

    def overrides(self, index: int) -> list[Override]:
        """The overrides with which a scene is run `index`: those of the sweep, and the values of the run."""
        return [*self._overrides, *self._values_at(self.place(index))]

    def scene_at(self, index: int) -> Scene:
        """The scene of a run, read with its values."""
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
        if header.recorded is not None:  # terms and contact points are not kept
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

    def plot(self, *names: str, over: str | Sequence[str] = (), **look: Any) -> Any:
        """A matplotlib Figure of metrics over one varied number, or two, or of quantities over time, `"ball.speed"`, if
        samples were recorded; by default of all metrics over all varied numbers. `look` is title, size (inches), log.
        """
        return as_figure(self, names, [over] if isinstance(over, str) else over, **look)

    def to_xarray(self):
        """The results as an `xarray.Dataset` with labelled dimensions; names have "_" in place of "/". A metric with
        the name of a varied number is called `metrics_NAME`, here and in `to_pandas`.
        """
        return as_xarray(self)

    def to_pandas(self):
        """The table of runs as a `pandas.DataFrame`, with a row for each run."""
        return as_pandas(self)
