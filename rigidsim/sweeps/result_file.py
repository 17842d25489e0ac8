"""The result file of a sweep as it is: results by place in the file, their digests, the scene and the plan."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from rigidsim.errors import FormatError
from rigidsim.scene import Scene
from rigidsim.scene.prepare.overrides import Override
from rigidsim.scene.values.amounts import Amount
from rigidsim.sweeps.contents import COMPLETE, ERRORS, MISSING, SAMPLES, VARIED, content_hash
from rigidsim.sweeps.unfinished import final_path, read_errors
from rigidsim.sweeps.units import stored_units, windows
from rigidsim.trajectory.fields import FIELDS
from rigidsim.trajectory.stored import as_format_error


class ResultFile:
    """An open result file. Places count its runs from 0."""

    def __init__(self, file: h5py.File, path: Path):
        self._file, self.path = file, path
        self.paths = tuple(text.decode() for text in file["body"][()])
        self.time = file["time"][()] if "time" in file else None  # of the samples, s; None for last states
        self.numbers = file["run"][()]  # of the runs in the plan
        self.content_hash = str(file.attrs.get("content_hash", ""))  # empty while runs are missing
        plan = file["plan"].attrs
        self.description, self.plan_digest, self.seed = str(plan["text"]), str(plan["digest"]), int(plan["seed"])
        self.planned = int(plan["runs"])  # runs of the whole plan, of which this file may have a part
        self.method = str(plan.get("sample", ""))  # of a sample, and its number of points
        self.identity = json.loads(file.attrs["identity"])
        self.unit = int(file.attrs["unit"])  # runs that have one digest
        self.names = tuple(json.loads(plan["names"]))
        self._columns = {str(item.attrs["long_name"]): item for item in file.get(VARIED, {}).values()}
        samples = (SAMPLES,) if SAMPLES in file else ()
        metrics = (f"metrics/{name}" for name, item in file.get("metrics", {}).items() if item != file["run"])
        self.results = ("runs/end_time", *samples, *metrics, *self.datasets)
        self._status = file["runs/status"][()]
        self.units = {name: str(self._columns[name].attrs.get("units", "")) for name in self.names}

    def __len__(self) -> int:
        return len(self.numbers)

    def _done(self, name: str, runs: slice = slice(None)) -> np.ndarray:
        """An array of results at some places; of runs that are missing NaN, or 0 if it has integers."""
        values, is_missing = self._file[name][runs], self._status[runs] == MISSING
        if is_missing.any():
            values[is_missing] = np.nan if values.dtype.kind == "f" else 0
        return values

    @cached_property
    def _errors(self) -> Mapping[int, str]:
        """The messages of the runs that have one."""
        if ERRORS not in self._file:
            return read_errors(final_path(self.path))
        texts = self._file[ERRORS][()] if len(self.failed) else ()
        return {place: texts[place].decode() for place in self.failed.tolist()}

    @property
    def failed(self) -> np.ndarray:
        """The places, in this file, of the runs that failed or were invalid."""
        return np.flatnonzero(self._status > COMPLETE)

    def _varied(self, name: str) -> np.ndarray:
        values = self._columns[name][()]
        if not self._columns[name].attrs["is_json"]:
            return values
        found = np.empty(len(values), dtype=object)
        found[:] = [json.loads(text) for text in values]
        return found

    @property
    def datasets(self) -> tuple[str, ...]:
        """The names of the recorded arrays."""
        return tuple(field.name for field in FIELDS if field.name in self._file)

    @property
    def _overrides(self) -> list[Override]:
        stored = json.loads(self._file["scene"].attrs["overrides"])
        return [tuple(override) if isinstance(override, list) else override for override in stored]

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

    @property
    def scene(self) -> Scene:
        """The scene, read again, without the values of any run."""
        return Scene.from_text(self.scene_text, str(self._file["scene"].attrs["file"]), self._overrides)

    @property
    def record(self) -> str:
        """What was recorded: "metrics", "final", or the time between samples as it was given."""
        return self.identity["record"]

    @property
    def run_bytes(self) -> int:
        """Bytes of the results of one run."""
        return sum(self._file[name].dtype.itemsize * math.prod(self._file[name].shape[1:]) for name in self.results)

    def rows(self, places: slice) -> tuple[dict[str, np.ndarray], np.ndarray, dict[int, str]]:
        """The results of consecutive runs: arrays, statuses, and messages by the numbers of the runs."""
        with as_format_error(self.path):
            arrays = {name: self._file[name][places] for name in self.results}
        runs = zip(self.numbers[places].tolist(), range(*places.indices(len(self))), strict=True)
        errors = {run: self._errors[place] for run, place in runs if place in self._errors}
        return arrays, self._status[places], errors

    def verify(self) -> None:
        """Check all results. Raises FormatError if the file is damaged."""
        if self.content_hash:
            digests, runs = self._file["runs/digest"][()], range(int(self.numbers[0]), int(self.numbers[-1]) + 1)
            if content_hash(self.plan_digest, runs, self.paths, self.results, digests) != self.content_hash:
                raise FormatError(f"{self.path} is damaged: its digests do not match its content hash")
        for runs in windows(len(self), self.unit, self.run_bytes):
            self._verify(runs)

    def _require_intact(self, place: int) -> None:
        """Raise FormatError if the unit of a run does not match its digest."""
        begin = place // self.unit * self.unit
        self._verify(range(begin, min(begin + self.unit, len(self))))

    def _verify(self, runs: range) -> None:
        """Check the units of consecutive runs."""
        with as_format_error(self.path):
            for unit, is_intact in stored_units(self._file, self.results, self.unit, runs, self._errors):
                if unit.is_done and not is_intact:
                    first, last = self.numbers[unit.begin], self.numbers[unit.begin + len(unit.status) - 1]
                    raise FormatError(f"{self.path} is damaged: runs {first} to {last} do not match their digest")
