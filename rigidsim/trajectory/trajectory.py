"""A trajectory, in memory or in a file."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from rigidsim.arguments import clipped, number
from rigidsim.errors import NotRecordedError, UsageError
from rigidsim.methods import calling
from rigidsim.physics.interpolation import hermite, hermite_rate
from rigidsim.trajectory.bodies import BodyHistory, BodyMapping, State
from rigidsim.trajectory.chunks import DEFAULT
from rigidsim.trajectory.contact_ledger import ContactLedger
from rigidsim.trajectory.contact_points import ContactHistory
from rigidsim.trajectory.digests import content_hash, digest_of_rows, digests_of_events, recorded_columns
from rigidsim.trajectory.events import Events
from rigidsim.trajectory.fields import EVENT_NAMES, FIELDS, JOINT_FIELDS, LOOP_FIELDS, POINT_NAMES, SIDE_NAMES, Block
from rigidsim.trajectory.header import Header
from rigidsim.trajectory.motion import QUANTITIES, Motion, below, seen_from, straddling
from rigidsim.trajectory.readings import Readings
from rigidsim.trajectory.recorded import PartialArray, SomeRows
from rigidsim.trajectory.windows import measured
from rigidsim.tree.motion import RelativeMotion

if TYPE_CHECKING:
    from rigidsim.trajectory.derivatives import Derivative

__all__ = ["BodyHistory", "State", "Trajectory"]

DIAGNOSTICS = "diagnostics/"
COORDINATES, RATES = (field.name for field in JOINT_FIELDS[:2])
NO_DERIVATIVES = "simulate(scene, derivatives=[...]) and `run --derivatives` compute some"
ROWS_AT_ONCE = 4
"""Rows of chunks that are read together to be saved: the chunks of older files have more samples."""


class Trajectory(BodyMapping):
    """A State with a time axis: `trajectory["tank/turret"].world.position` is an array (time, 3).

    `time` has the times of the samples (s), `events` what happened at instants (`Events`), `status` whether the run is
    complete, failed or interrupted, and `message` why it failed. Arrays of a file are read on first access; use the
    trajectory as a context manager, or call `close`. Arrays are read-only. A pickled trajectory contains all samples
    and is loaded into memory.
    """

    time: np.ndarray

    def __init__(
        self,
        header: Header,
        arrays: Mapping[str, Any],
        status: str = "complete",
        stored_hash: str = "",
        close: Callable[[], None] | None = None,
        message: str = "",
        metrics: Mapping[str, float] | None = None,
        contact_ledger: ContactLedger | None = None,
        extremes: Mapping[str, np.ndarray] | None = None,
        older_digests: Mapping[str, bytes] = MappingProxyType({}),
        derivatives: Mapping[str, Callable[[], Any]] = MappingProxyType({}),
    ):
        super().__init__(header, np.asarray(arrays["time"]), arrays)
        self.status = status
        self.message = message  # why the run failed
        self.contact_ledger = contact_ledger  # None if nothing can touch, or it was not recorded
        self.stored_hash = stored_hash  # the content hash stored in the file; empty in memory
        self.extremes = extremes or {}  # those stored in the file: by dataset of vectors the largest norm of each body
        columns = {name: self.arrays[name] for name in (*EVENT_NAMES, *SIDE_NAMES) if name in arrays}
        self.events = Events(header, columns, older_digests)
        self._close, self._metrics = close, metrics
        self._derivatives: dict[str, Any] = dict(derivatives)  # those of a file are functions until they are asked for

    @classmethod
    def from_blocks(cls, header: Header, blocks: Sequence[Block], *rest: Any, **options: Any) -> Trajectory:
        """A trajectory in memory, of the blocks of a simulation; the rest is that of `from_parts`."""
        return cls.from_parts(header, [recorded_samples(header, block) for block in blocks], *rest, **options)

    @classmethod
    def from_parts(
        cls, header: Header, parts: Sequence[Mapping[str, np.ndarray]], *rest: Any, **options: Any
    ) -> Trajectory:
        """A trajectory in memory, of successive samples as `recorded_samples` gives them; the rest is that of
        `from_samples`.
        """
        samples = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
        return cls.from_samples(header, samples, *rest, **options)

    @classmethod
    def from_samples(
        cls,
        header: Header,
        samples: Mapping[str, np.ndarray],
        status: str = "complete",
        events: Events | None = None,
        metrics: Mapping[str, float] | None = None,
        contact_ledger: ContactLedger | None = None,
    ) -> Trajectory:
        """A trajectory in memory, of all samples as `recorded_samples` gives them. The arrays are not copied."""
        arrays: dict[str, Any] = dict(samples)
        for name, rows in (header.recorded or {}).items():
            if rows is not None:
                arrays[name] = PartialArray(samples[name], rows, len(header.paths))
        events = events or Events(header)
        return cls(header, arrays | events.columns, status, metrics=metrics, contact_ledger=contact_ledger)

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of the numbers of the scene with respect to which there are derivatives."""
        return tuple(self._derivatives)

    def derivative(self, parameter: str) -> Derivative:
        """The derivatives with respect to a number of the scene: `derivative("mass")["rod"].world.position`.

        Parameters
        ----------
        parameter : str
            The name of the parameter, or the path of the number in the scene.

        Returns
        -------
        Derivative
            The derivatives of all recorded quantities.
        """
        if parameter not in self._derivatives:
            known = f"there are those of {', '.join(self._derivatives)}" if self._derivatives else NO_DERIVATIVES
            raise UsageError(f"there are no derivatives with respect to {clipped(parameter)}; {known}")
        found = self._derivatives[parameter]
        if callable(found):
            found = self._derivatives[parameter] = found()
        return found

    def with_derivatives(self, derivatives: Mapping[str, Derivative]) -> Trajectory:
        """This trajectory, with the derivatives with respect to these parameters.

        Parameters
        ----------
        derivatives : Mapping[str, Derivative]
            The derivatives by the name of the parameter.

        Returns
        -------
        Trajectory
            A trajectory with the same samples.
        """
        self._derivatives = dict(derivatives)
        return self

    def diagnostic(self, name: str) -> np.ndarray:
        """One of the quantities of the whole run.

        Parameters
        ----------
        name : str
            `kinetic_energy`, `potential_energy`, `work`, `linear_momentum` or `angular_momentum`.

        Returns
        -------
        ndarray
            (time), J, or (time, 3) for a momentum.
        """
        known = [field.name.removeprefix(DIAGNOSTICS) for field in FIELDS if field.name.startswith(DIAGNOSTICS)]
        if name not in known:
            raise UsageError(f"there is no diagnostic {clipped(name)}; choose one of {', '.join(known)}")
        if not self.has_diagnostics:
            raise NotRecordedError(
                f"energies and momenta were not recorded ({self.header.record_text}); add 'diagnostics' there"
            )
        return np.asarray(self.arrays[f"{DIAGNOSTICS}{name}"])

    @property
    def has_diagnostics(self) -> bool:
        """Whether energies and momenta were recorded."""
        return any(field.source == "ledger" and field.name.startswith(DIAGNOSTICS) for field in self.header.fields)

    @property
    def ledger(self) -> np.ndarray:
        """All energies and momenta, (time, column) as the row `LEDGER` has them but for the work of contact."""
        names = [field.name for field in FIELDS if field.name.startswith(DIAGNOSTICS)]
        return np.column_stack([np.asarray(self.arrays[name]) for name in names])

    @property
    def total_energy(self) -> np.ndarray:
        """Kinetic + potential - work, J: constant up to the error of the integrator."""
        return self.diagnostic("kinetic_energy") + self.diagnostic("potential_energy") - self.diagnostic("work")

    @property
    def angular_momentum(self) -> np.ndarray:
        """Spin + orbital, N m s, about the world's origin, (time, 3)."""
        return self.diagnostic("spin_angular_momentum") + self.diagnostic("orbital_angular_momentum")

    def metric(self, expression: str) -> float:
        """The value of a metric over the samples.

        Parameters
        ----------
        expression : str
            Such as `= max(speed("ball"))`. It may use the parameters of the scene.

        Returns
        -------
        float
            In the unit that `metric_unit` gives.

        Raises
        ------
        UsageError
            For an invalid expression or an unknown body.
        """
        from rigidsim.trajectory.metrics import MetricMeter

        return measured(self, MetricMeter(self, expression))[0]

    def metric_unit(self, expression: str) -> str:
        """The unit of a metric, `m/s`; empty for a pure number and if it is not known. See `metric`.

        Parameters
        ----------
        expression : str
            The metric, which begins with `=`.

        Returns
        -------
        str
            The unit, `m/s`; empty if there is none.
        """
        from rigidsim.trajectory.metrics import MetricMeter

        return MetricMeter(self, expression).unit

    @property
    def metrics(self) -> dict[str, float]:
        """The metrics of the scene by their names: of the run, or computed from the samples."""
        if self._metrics is None:
            self._metrics = {name: self.metric(expression) for name, expression in self.header.metrics.items()}
        return dict(self._metrics)

    @property
    def content_hash(self) -> str:
        """SHA-256 of paths, times, samples and events: equal for bitwise equal results."""
        return self._hash_with(self.events)

    @property
    def present_hash(self) -> str:
        """The content hash that a file of the present format has: the stored one, unless an older file has events."""
        if self.stored_hash and not self.events.older_digests:
            return self.stored_hash
        return self._hash_with(Events(self.header, self.events.columns))

    def _hash_with(self, events: Events) -> str:
        rows = {name: digest_of_rows(self.header, name, self.arrays[name]) for name in self.header.dataset_names}
        return content_hash(self.paths, rows | digests_of_events(self.header, events))

    @property
    def contacts(self) -> ContactHistory:
        """Where shapes touched at each sample, recorded with `contacts=True`."""
        if not self.header.shapes:
            raise UsageError("nothing touches in this scene: no two of its shapes can meet, or its contact is off")
        if not self.header.with_contacts:
            raise UsageError(
                "only trajectories of simulate(scene, contacts=True) and of `run --contacts` have contact points"
            )
        return ContactHistory(self.header, self.time, self.arrays)

    @property
    def readings(self) -> dict[str, Readings]:
        """What sensors and controllers gave at their samples, by name: `sat.imu` of the sensor imu on the body sat, or
        the name of a controller.
        """
        return {table.name: Readings(table, self.arrays) for table in self.header.readings}

    def at(self, time: float) -> State:
        """All bodies at one time, interpolated; see `Motion.at`.

        Parameters
        ----------
        time : float
            The time, s.

        Returns
        -------
        State
            It has coordinates of joints and their rates, too. Forces and torques of joints, loops and motors are
            interpolated linearly.
        """
        time = number(time, "time")
        near = self._near(time)
        world = [near.motion("world", i).at(time) for i in range(len(self))]
        local = [near._local_at(i, time, world).kept() for i in range(len(self))]
        if not self.is_whole:
            return State(self.header, float(time), near._joints_at(time), {"local": local, "world": world})
        arrays = near._joints_at(time)
        for frame, found in (("local", local), ("world", world)):
            for name in QUANTITIES:
                arrays[f"{frame}/{name}"] = np.stack([getattr(motion, name) for motion in found], axis=-2)
        return State(self.header, float(time), arrays)

    def _near(self, time: float) -> Trajectory:
        """The samples before and after a time, in memory; all of them if there are none."""
        if len(self.time) < 3 or not self.time[0] <= time <= self.time[-1]:
            return self
        after = int(np.clip(np.searchsorted(self.time, time, side="right"), 1, len(self.time) - 1))
        names = ("time", *(f.name for f in self.header.fields))
        return Trajectory(self.header, {name: self.arrays[name][after - 1 : after + 1] for name in names})

    def _joints_at(self, time: float) -> dict[str, np.ndarray]:
        """What joints and loops do at that time, by dataset."""
        names = [field.name for field in (*JOINT_FIELDS, *LOOP_FIELDS) if field.name in self.arrays]
        found = {name: np.asarray(self.arrays[name]) for name in names}
        i = int(np.searchsorted(self.time, time, side="right")) - 1
        if self.time[i] == time:
            return {name: array[i] for name, array in found.items()}
        h, x = self.time[i + 1] - self.time[i], (time - self.time[i]) / (self.time[i + 1] - self.time[i])
        result = {name: array[i] + x * (array[i + 1] - array[i]) for name, array in found.items()}
        if COORDINATES in found:
            ends = [(array[k], 0.0, 0.0) for array in (found[COORDINATES], found[RATES]) for k in (i, i + 1)]
            result[COORDINATES], result[RATES] = hermite(*ends, h, x)[0], hermite_rate(*ends, h, x)[0]
        return result

    def _local_at(self, index: int, time: float, world: Sequence[Motion]) -> Motion:
        """The motion relative to the parent at that time; computed from the motions in the world if the samples before
        and after are relative to different parents.
        """
        local = self.motion("local", index)
        if not np.any(straddling(local.time, local.breaks, np.asarray(time))):
            return local.at(time)
        ends = [self.paths[index], self[self.paths[index]].parent_at(time)]

        def chains(names: Collection[str]) -> tuple[RelativeMotion, RelativeMotion]:
            one, other = (self._placed(path, world, names) for path in ends)
            return one, other

        return seen_from(chains, time, self.is_whole)

    def _placed(self, path: str, world: Sequence[Motion], names: Collection[str]) -> RelativeMotion:
        if not path:
            return RelativeMotion.identity()
        index = self.paths.index(path)
        return below(RelativeMotion.identity(), world[index], self.header.scale[index], names)

    def part(self, samples: slice | np.ndarray) -> Trajectory:
        """Some of the samples, by a slice or by their numbers in ascending order, without events; each array is read
        when it is needed, and kept.

        Parameters
        ----------
        samples : slice | np.ndarray
            A slice, or numbers of samples in ascending order.

        Returns
        -------
        Trajectory
            A trajectory of these samples.
        """
        arrays: dict[str, Any]
        arrays = {field.name: SomeRows(self.arrays[field.name], samples) for field in self.header.fields}
        return Trajectory(self.header, {**arrays, "time": self.time[samples]}, self.status)

    def window(self, samples: slice) -> Trajectory:
        """Some of the samples, without events; of each array only the columns that are asked for are read, each time
        anew.

        Parameters
        ----------
        samples : slice
            Consecutive samples.

        Returns
        -------
        Trajectory
            A trajectory of these samples.
        """
        arrays = {
            name: SomeRows(self.arrays[name], samples, True) for name in ("time", *(f.name for f in self.header.fields))
        }
        return Trajectory(self.header, arrays, self.status)

    def save(self, path: str | Path, *, force: bool = False, compression: str = DEFAULT) -> None:
        """Write the trajectory to an HDF5 file.

        Parameters
        ----------
        path : str or Path
            The file.
        force : bool
            Replace an existing trajectory.
        compression : str
            none, fast or small.

        Raises
        ------
        StorageError
            If the file exists and `force` is false, or cannot be written.
        """
        from rigidsim.trajectory.writer import Writer

        with Writer(path, self.header, len(self.time), force=force, compression=compression) as writer:
            for piece in self.pieces(ROWS_AT_ONCE * writer.chunk_rows, len(self.time)):
                writer.append_arrays(piece)
            derivatives = {name: self.derivative(name) for name in self.parameters}
            writer.finish(self.status, self.message, self.events, self.metrics, self.contact_ledger, derivatives)

    def pieces(self, n_sample: int, until: int) -> Iterator[dict[str, np.ndarray]]:
        """All datasets up to a number of samples, `n_sample` at a time, with the contact points of these samples; the
        first part has all that sensors and controllers gave.

        Parameters
        ----------
        n_sample : int
            Samples in each piece.
        until : int
            The number of samples in all.
        """
        tables = self.header.table_names
        first_point = self.contacts.begins if self.header.with_contacts else np.zeros(len(self.time) + 1, int)
        for begin in range(0, max(1, until), n_sample):
            end = min(begin + n_sample, until)
            samples, points = slice(begin, end), slice(first_point[begin], first_point[end])
            rows = {name: points if name in POINT_NAMES else slice(None if begin == 0 else 0) for name in tables}
            names = self.header.dataset_names
            yield {name: np.asarray(self.arrays[name][rows.get(name, samples)]) for name in names}

    def __reduce__(self):
        in_memory = {name: a if isinstance(a, PartialArray) else np.asarray(a) for name, a in self.arrays.items()}
        rest = self.message, self._metrics, self.contact_ledger, self.extremes, dict(self.events.older_digests)
        rest = *rest, {name: self.derivative(name) for name in self.parameters}
        return Trajectory, (self.header, in_memory, self.status, self.stored_hash, None, *rest)

    def _description(self) -> str:
        return f"{super()._description()}, {self.status}"

    _repr_html_ = calling("html_of")
    plot, view, video = calling("plot"), calling("view"), calling("video")
    export, to_xarray, to_pandas = calling("export"), calling("to_xarray"), calling("to_pandas")

    def close(self) -> None:
        """Close the file, if there is one; arrays already read stay available."""
        if self._close:
            self._close()

    def __enter__(self) -> Trajectory:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def sample_of(trajectory: Trajectory, k: int) -> State:
    """All bodies at one sample."""
    names = [f"{frame}/{quantity}" for frame in ("local", "world") for quantity in QUANTITIES]
    names += [field.name for field in JOINT_FIELDS]
    arrays = {name: trajectory.arrays[name][k] for name in names if name in trajectory.arrays}
    return State(trajectory.header, float(trajectory.time[k]), arrays)


def recorded_samples(header: Header, block: Block) -> dict[str, np.ndarray]:
    """What is recorded of a block, by dataset; of a dataset with some bodies, their columns."""
    samples = {f.name: f.of(block) for f in header.fields}
    if header.recorded is not None:
        samples = {name: recorded_columns(header, name, values) for name, values in samples.items()}
    return {"time": block.time, **samples, **block.contacts, **block.readings}
