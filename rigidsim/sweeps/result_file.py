"""The result file of a sweep as it is: results by place in the file, their digests, the scene and the plan.

Nothing is given that was not verified: the description when the file is opened, a column of varied values when it is
first read, and results unit by unit.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from rigidsim.errors import FormatError, StorageError, UsageError
from rigidsim.scene import Scene
from rigidsim.scene.prepare.overrides import Override
from rigidsim.scene.values.amounts import Amount
from rigidsim.sweeps.contents import CHANGED, COMPLETE, ERRORS, MISSING, Contents, content_hash
from rigidsim.sweeps.stored_layout import stored_layout
from rigidsim.sweeps.unfinished import FORMAT, final_path, read_errors
from rigidsim.sweeps.units import stored_units, windows
from rigidsim.trajectory.fields import FIELDS
from rigidsim.trajectory.stored import as_format_error, opened

ALL = slice(None)


class ResultFile:
    """An open result file. Places count its runs from 0."""

    def __init__(self, file: h5py.File, path: Path):
        """Raises FormatError if the file is damaged, or is not the result file of a sweep."""
        self._file, self.path = file, path
        with as_format_error(path):
            self._layout = stored_layout(file, path)
            self._read_description()
        self.results = self._layout.results
        self.unit = self._layout.unit  # runs that have one digest
        self._intact = np.zeros(self._layout.units, dtype=bool)
        self._known: dict[str, np.ndarray] = {}  # columns of the plan

    def _read_description(self) -> None:
        file, path, datasets = self._file, self.path, self._layout.datasets
        self.paths = tuple(text.decode() for text in datasets["body"][()])
        self.time = datasets["time"][()] if "time" in datasets else None  # of the samples, s; None for last states
        self.numbers = datasets["run"][()]  # of the runs in the plan
        self.content_hash = str(file.attrs["content_hash"]) if self._layout.is_complete else ""
        plan = file["plan"].attrs
        self.description, self.plan_digest, self.seed = str(plan["text"]), str(plan["digest"]), int(plan["seed"])
        self.planned = int(plan["runs"])  # runs of the whole plan, of which this file may have a part
        self.method = str(plan.get("sample", ""))  # of a sample, and its number of points
        self.identity = json.loads(file.attrs["identity"])
        self.names = tuple(self._layout.columns)
        self.units = {name: str(self._column(name).attrs.get("units", "")) for name in self.names}
        self.scene_text = datasets["scene/text"][()].decode()  # without overrides
        scene = file["scene"].attrs
        self._scene_file, stored = str(scene["file"]), json.loads(scene["overrides"])
        self._overrides: list[Override] = [tuple(one) if isinstance(one, list) else one for one in stored]
        self._status_read = _whole_units(datasets["runs/status"][()], self._layout.unit)
        if self.content_hash:
            digests = datasets["runs/digest"][()]
            found = content_hash(self.plan_digest, self._layout.runs, self.paths, self._layout.results, digests)
            if found != self.content_hash:
                raise FormatError(f"{path} is damaged: its digests do not match its content hash")

    def __len__(self) -> int:
        return len(self.numbers)

    def _column(self, name: str) -> h5py.Dataset:
        return self._layout.datasets[self._layout.columns[name]]

    def _stored(self, name: str, places: Any = ALL) -> np.ndarray:
        """Values of a dataset as they are in the file."""
        if not self._file:
            raise UsageError(f"{self.path} was closed before {name} was read")
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
        """Why a run failed; empty if it did not."""
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
        return tuple(field.name for field in FIELDS if field.name in self._layout.datasets)

    def _values_at(self, place: int) -> list[tuple[str, Any]]:
        found = []
        for name in self.names:
            value = self._of_plan(self._layout.columns[name])[place]
            if isinstance(value, bytes):
                found.append((name, json.loads(value)))
            else:
                found.append((name, str(Amount(float(value), self.units[name])) if self.units[name] else float(value)))
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
        """The results of consecutive runs: arrays, statuses, and messages by the numbers of the runs."""
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
        """Raise StorageError unless the file was begun with the same scene, plan and recording."""
        differing = (name for name, value in contents.identity.items() if self.identity.get(name) != value)
        changed = "version" if self._file.attrs["format"] != FORMAT else next(differing, "")
        if changed:
            raise StorageError(f"{path} cannot be resumed: {CHANGED[changed]}; --force begins again")

    def places(self, names: Iterable[str]) -> dict[str, int]:
        """Where datasets begin in the file, bytes."""
        found = {name: self._layout.datasets[name].id.get_offset() for name in names}
        for name, place in found.items():
            if place is None:
                raise FormatError(f"{self.path} is damaged: {name} has no place of its own")
        return found

    def intact(self) -> tuple[np.ndarray, np.ndarray]:
        """How runs ended, those of units that do not match their digests missing; and the digests. The plan is
        verified, too.
        """
        self._verify_plan()
        status = self._status_read.copy()
        for runs in windows(range(len(self)), self.unit, self.run_bytes):
            for rows, is_intact in self._units(runs):
                if not is_intact:
                    status[rows] = MISSING
        return status, self._stored("runs/digest")

    def _require_intact(self, places: slice) -> None:
        """Raise FormatError if the units of some runs do not match their digests. Each is read once."""
        begin, end, _ = places.indices(len(self))
        units = range(begin // self.unit, max(begin // self.unit, -(-end // self.unit)))
        if not self._intact[units.start : units.stop].all():
            whole = range(units.start * self.unit, min(units.stop * self.unit, len(self)))
            for runs in windows(whole, self.unit, self.run_bytes):
                self._verify(runs)

    def _verify(self, runs: range) -> None:
        """Check the units of consecutive runs."""
        for rows, is_intact in self._units(runs):
            if not is_intact and self._status_read[rows.start] != MISSING:
                first, last = self.numbers[rows][0], self.numbers[rows][-1]
                raise FormatError(f"{self.path} is damaged: runs {first} to {last} do not match their digest")
            self._intact[rows.start // self.unit] = True

    def _units(self, runs: range) -> Iterator[tuple[slice, bool]]:
        """The places of the runs of each unit, and whether it matches its digest."""
        if not self._file:
            raise UsageError(f"{self.path} was closed before its results were read")
        with as_format_error(self.path, "results"):
            for unit, is_intact in stored_units(self._layout.datasets, self.results, self.unit, runs, self._messages):
                yield slice(unit.begin, unit.begin + len(unit.status)), is_intact


def _whole_units(status: np.ndarray, unit: int) -> np.ndarray:
    """Statuses, with all of a unit missing if one is: a sweep that is under way writes them unit by unit."""
    is_missing = np.logical_or.reduceat(status == MISSING, np.arange(0, len(status), unit))
    status[np.repeat(is_missing, unit)[: len(status)]] = MISSING
    return status


@contextmanager
def result_file(path: Path, lock: bool = True) -> Iterator[ResultFile]:
    """The result file at a path, open. Raises StorageError if it cannot be read, FormatError if it is damaged."""
    found = opened(path, lock)
    try:
        yield ResultFile(found.file, path)
    finally:
        found.close()
