"""A trajectory, in memory or in a file."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

from rigidsim.arguments import clipped, number
from rigidsim.engine.relative_motion import RelativeMotion
from rigidsim.errors import UsageError
from rigidsim.trajectory.bodies import BodyHistory, BodyMapping, State
from rigidsim.trajectory.digests import content_hash, digest_of_rows
from rigidsim.trajectory.events import Event
from rigidsim.trajectory.fields import Block, fields
from rigidsim.trajectory.header import Header
from rigidsim.trajectory.motion import Motion, below, seen_from, straddling

__all__ = ["BodyHistory", "State", "Trajectory"]

DIAGNOSTICS = "diagnostics/"


class Trajectory(BodyMapping):
    """A State with a time axis: `trajectory["tank/turret"].world.position` is an array (time, 3).

    `time` has the times of the samples (s), `events` what happened at instants, `status` whether the run is complete,
    failed or interrupted, and `message` why it failed. Arrays of a file are read on first access; use the trajectory as
    a context manager, or call `close`. Arrays are read-only. A pickled trajectory contains all samples and is loaded
    into memory.
    """

    def __init__(
        self,
        header: Header,
        arrays: Mapping[str, np.ndarray],
        status: str = "complete",
        stored_hash: str = "",
        close: Callable[[], None] | None = None,
        events: tuple[Event, ...] = (),
        message: str = "",
    ):
        super().__init__(header, np.asarray(arrays["time"]), arrays)
        self.status = status
        self.message = message  # why the run failed
        self.stored_hash = stored_hash  # the content hash stored in the file; empty in memory
        self.events = events
        self._close = close

    @classmethod
    def from_blocks(
        cls, header: Header, blocks: Sequence[Block], status: str = "complete", events: tuple[Event, ...] = ()
    ) -> Trajectory:
        """A trajectory in memory."""
        arrays = {f.name: np.concatenate([f.of(block) for block in blocks]) for f in fields(header.with_terms)}
        arrays["time"] = np.concatenate([block.time for block in blocks])
        return cls(header, arrays, status, events=events)

    def diagnostic(self, name: str) -> np.ndarray:
        """One of `kinetic_energy`, `potential_energy`, `work` (time), or a momentum (time, 3)."""
        known = [
            field.removeprefix(DIAGNOSTICS) for field in self.header.dataset_names if field.startswith(DIAGNOSTICS)
        ]
        if name not in known:
            raise UsageError(f"there is no diagnostic {clipped(name)}; choose one of {', '.join(known)}")
        return np.asarray(self.arrays[f"{DIAGNOSTICS}{name}"])

    @property
    def total_energy(self) -> np.ndarray:
        """Kinetic + potential - work, J: constant up to the error of the integrator."""
        return self.diagnostic("kinetic_energy") + self.diagnostic("potential_energy") - self.diagnostic("work")

    @property
    def angular_momentum(self) -> np.ndarray:
        """Spin + orbital, N m s, about the world's origin, (time, 3)."""
        return self.diagnostic("spin_angular_momentum") + self.diagnostic("orbital_angular_momentum")

    @property
    def content_hash(self) -> str:
        """SHA-256 of paths, times, samples and events: equal for bitwise equal results."""
        rows = {name: digest_of_rows(self.arrays[name]) for name in self.header.dataset_names}
        return content_hash(self.paths, rows, self.events)

    def at(self, time: float) -> State:
        """All bodies at one time (s), interpolated; see `Motion.at`."""
        time = number(time, "time")
        world = [self.motion("world", i).at(time) for i in range(len(self))]
        local = [self._local_at(i, time, world) for i in range(len(self))]
        arrays = {}
        for frame, found in (("local", local), ("world", world)):
            for name in ("position", "orientation", "velocity", "angular_velocity"):
                arrays[f"{frame}/{name}"] = np.stack([getattr(motion, name) for motion in found], axis=-2)
        return State(self.header, float(time), arrays)

    def _local_at(self, index: int, time: float, world: Sequence[Motion]) -> Motion:
        """The motion relative to the parent at that time; computed from the motions in the world if the samples before
        and after are relative to different parents.
        """
        local = self.motion("local", index)
        if not np.any(straddling(local, np.asarray(time))):
            return local.at(time)
        parent = self[self.paths[index]].parent_at(time)
        chains = [self._in_world(path, world) for path in (self.paths[index], parent)]
        return seen_from(*chains, time)

    def _in_world(self, path: str, world: Sequence[Motion]) -> RelativeMotion:
        if not path:
            return RelativeMotion.identity()
        index = self.paths.index(path)
        return below(RelativeMotion.identity(), world[index], self.header.scale[index])

    def save(self, path: str | Path, *, force: bool = False) -> None:
        """Write the trajectory to an HDF5 file; StorageError if it exists and `force` is false."""
        from rigidsim.trajectory.writer import Writer

        with Writer(path, self.header, len(self.time), force=force) as writer:
            writer.append_arrays({name: np.asarray(self.arrays[name]) for name in self.header.dataset_names})
            writer.finish(self.status, self.message, self.events)

    def __reduce__(self):
        in_memory = {name: np.asarray(array) for name, array in self.arrays.items()}
        return Trajectory, (self.header, in_memory, self.status, self.stored_hash, None, self.events, self.message)

    def _description(self) -> str:
        return f"{super()._description()}, {self.status}"

    def close(self) -> None:
        """Close the file, if there is one; arrays already read stay available."""
        if self._close:
            self._close()

    def __enter__(self) -> Trajectory:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
