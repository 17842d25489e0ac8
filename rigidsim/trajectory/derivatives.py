"""Derivatives of a trajectory with respect to a number of its scene, in memory and in the file."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from rigidsim.errors import FormatError, NotRecordedError, UsageError
from rigidsim.trajectory.bodies import BodyMapping
from rigidsim.trajectory.checks import own_object, stored_dataset
from rigidsim.trajectory.digests import digest_of_summary
from rigidsim.trajectory.fields import EVENT_COLUMNS, EVENT_NAMES, FIELDS
from rigidsim.trajectory.header import Header
from rigidsim.trajectory.motion import Motion
from rigidsim.trajectory.recorded import PartialArray

GROUP, METRICS, VALUE, SIGMA = "derivatives", "metrics/", "value", "standard_deviation"
COMPRESSED = {"compression": "gzip", "shuffle": True, "fletcher32": True}
SMALL = 256  # numbers; so few are not worth compressing


class Derivative(BodyMapping):
    """The derivatives with respect to a parameter, per SI unit of it: of bodies by path, as a trajectory has them, of
    `metrics`, and of `events` by the names of their columns. `value` is that of the parameter, SI units, and `sigma`
    its standard deviation, 0 if the scene gives none.

    Of a quaternion these are the four derivatives of its components. At the instant of an event the derivative goes
    along with the event.
    """

    def __init__(
        self,
        header: Header,
        time: np.ndarray,
        parameter: str,
        value: float,
        arrays: Mapping[str, np.ndarray],
        metrics: Mapping[str, float],
        sigma: float = 0.0,
    ):
        wide: dict[str, Any] = dict(arrays)
        for name, array in arrays.items():
            rows = header.recorded_rows(name) if name not in EVENT_NAMES else None
            if rows is not None:
                wide[name] = PartialArray(array, rows, len(header.paths))
        super().__init__(header, time, wide)
        self.parameter, self.value, self.sigma, self.metrics = parameter, value, sigma, dict(metrics)
        self.stored = dict(arrays)
        self.events = {name.partition("/")[2]: arrays[name] for name in EVENT_NAMES if name in arrays}

    def __repr__(self) -> str:
        return f"<Derivative with respect to {self.parameter} = {self.value:g}: {self._description()}>"

    def motion(self, frame: str, index: int) -> Motion:
        """The derivatives of the motion of a body in the frame `local` or `world`."""
        path = self.header.paths[index]
        breaks = tuple(change.time for change in self.header.changes if change.body == path) if frame == "local" else ()

        def read(name: str) -> np.ndarray:
            dataset = f"{frame}/{name}"
            rows = self.header.recorded_rows(dataset) if dataset in self.arrays else ()
            if rows is not None and index not in rows:
                raise NotRecordedError(f"{dataset} of '{path}' was not recorded ({self.header.record_text})")
            return self.column(dataset, index)

        return Motion(self.time, read, breaks)

    def relative(self, path: str, other: str) -> Motion:
        """Relative motions are no sums of those in the world."""
        raise UsageError("a derivative has motions in the world and relative to the parent only")

    def diagnostic(self, name: str) -> np.ndarray:
        """The derivative of an energy or momentum, as `Trajectory.diagnostic` has it."""
        if f"diagnostics/{name}" not in self.arrays:
            raise UsageError(f"there is no derivative of a diagnostic '{name}'")
        return np.asarray(self.arrays[f"diagnostics/{name}"])


def write_derivatives(root: h5py.File, derivatives: Mapping[str, Derivative], content_hash: str) -> None:
    """Write the derivatives, with digests that belong to this file: /derivatives/PARAMETER/DATASET."""
    units = {one.name: one.units for one in FIELDS} | {one.name: one.units for one in EVENT_COLUMNS}
    for parameter, one in derivatives.items():
        group, values = root.create_group(f"{GROUP}/{parameter}", track_order=True), _values(one)
        group.attrs["sha256"] = digest_of_summary(values, content_hash)
        for name, array in values.items():
            made = group.create_dataset(name, data=array, **(COMPRESSED if array.size > SMALL else {}))
            own = {VALUE: parameter, SIGMA: f"standard deviation of {parameter}"}
            made.attrs["long_name"] = own.get(name, f"derivative of /{name} with respect to {parameter}")
            if units.get(name):
                made.attrs["units"] = f"{units[name]} per SI unit of {parameter}"


def _values(one: Derivative) -> dict[str, np.ndarray]:
    """All numbers of a derivative, by dataset."""
    metrics = {f"{METRICS}{name}": np.asarray(rate, np.float64) for name, rate in one.metrics.items()}
    arrays = {name: np.ascontiguousarray(array) for name, array in one.stored.items()}
    own = {VALUE: np.asarray(one.value, np.float64)}
    if one.sigma:
        own[SIGMA] = np.asarray(one.sigma, np.float64)
    return {**own, **arrays, **metrics}


def derivatives_in(file: h5py.File, path: Path, header: Header, time: Any, stored_hash: str) -> dict:
    """What reads the derivatives in a file, by the names of their parameters."""
    if GROUP not in file:
        return {}
    group = own_object(file, path, GROUP)
    if not isinstance(group, h5py.Group):
        raise FormatError(f"{path} is damaged: {GROUP} is not a group")
    return {name: partial(_read, file, path, header, time, name, stored_hash) for name in group}


def _read(
    file: h5py.File, path: Path, header: Header, time: np.ndarray, parameter: str, stored_hash: str
) -> Derivative:
    """The derivatives with respect to a parameter. Raises FormatError if they do not match their digest."""
    place, n_event = f"{GROUP}/{parameter}", len(file["events/time"]) if "events/time" in file else 0
    shapes: dict[str, tuple[int, ...]] = dict.fromkeys((VALUE, *({SIGMA} & {*file[place]})), ())
    shapes |= {name: file[name].shape for name in header.dataset_names if name in file[place]}
    shapes |= {name: (n_event, *file[name].shape[1:]) for name in EVENT_NAMES if name in file[place]}
    shapes |= {f"{METRICS}{name}": () for name in header.metrics}
    for name, rows in ((name, header.recorded_rows(name)) for name in shapes if name in header.dataset_names):
        if rows is not None:
            shapes[name] = (shapes[name][0], len(rows), *shapes[name][2:])
    values = {name: stored_dataset(file, path, f"{place}/{name}", shape, "f8")[()] for name, shape in shapes.items()}
    if own_object(file, path, place).attrs.get("sha256") != digest_of_summary(values, stored_hash):
        raise FormatError(f"{path} is damaged: {place} does not match its sha256")
    metrics = {name: float(values[f"{METRICS}{name}"]) for name in header.metrics}
    arrays = {name: x for name, x in values.items() if name not in (VALUE, SIGMA) and not name.startswith(METRICS)}
    return Derivative(header, time, parameter, float(values[VALUE]), arrays, metrics, float(values.get(SIGMA, 0.0)))
