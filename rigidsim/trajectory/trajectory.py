"""Named access to a history, or to a single instant of one."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path

import numpy as np

from rigidsim.arguments import clipped, number, refuse
from rigidsim.engine.chain import Chain
from rigidsim.errors import UsageError
from rigidsim.trajectory.events import Event, digest_of
from rigidsim.trajectory.fields import Block, fields
from rigidsim.trajectory.header import Header, Place
from rigidsim.trajectory.motion import Motion, concatenated, hung_below, seen_from, straddling

DIAGNOSTICS = "diagnostics/"


class BodyHistory:
    """One body: its motion relative to the parent (`local`), in the world, and from any other body's frame."""

    def __init__(self, bodies: _Bodies, index: int):
        self._bodies, self._index = bodies, index

    @property
    def path(self) -> str:
        """The body's path, `tank/turret`."""
        return self._bodies.header.paths[self._index]

    @property
    def parent(self) -> str:
        """The parent's path at the start; empty for the world."""
        return self._bodies.header.parents[self._index]

    @property
    def kind(self) -> str:
        """Free, fixed or prescribed, at the start."""
        return self._bodies.header.kinds[self._index]

    def place_at(self, time: float) -> Place:
        """The parent's path, and free, fixed or prescribed, at a time (s)."""
        trees = self._bodies.header.trees()
        # 0.7 is meant by the 0.7000000000000001 that 70 steps of 0.01 are.
        time = number(time, "time")
        reached = time + 1e-12 * abs(time)
        places = next((places for begin, places in reversed(trees) if begin <= reached), None)
        return places[self._index] if places else refuse("time", "a number", time)

    def parent_at(self, time: float) -> str:
        """The parent's path at a time (s); empty for the world."""
        return self.place_at(time).parent

    def carrier_at(self, time: float) -> str:
        """The free body that takes it along at a time (s), itself if it is free; empty if there is none."""
        path = self.path
        while path and (place := self._bodies[path].place_at(time)).kind != "free":
            path = place.parent
        return path

    @property
    def local(self) -> Motion:
        """Relative to the parent, in its axes and its units of length."""
        return self._bodies.motion("local", self._index)

    @property
    def world(self) -> Motion:
        """In the world, m."""
        return self._bodies.motion("world", self._index)

    def seen_from(self, other: str) -> Motion:
        """The motion in another body's frame, in its axes and its units of length; `"world"` is the world's.

        Composed along the tree up to the nearest common ancestor, so that nothing is lost to large world coordinates.
        """
        return self._bodies.relative(self.path, other)


class _Bodies:
    """What a history and a single instant share: arrays with the body as the last axis but one."""

    def __init__(self, header: Header, time: np.ndarray | float, arrays: Mapping[str, np.ndarray]):
        self.header, self.time, self.arrays = header, time, arrays

    @property
    def paths(self) -> tuple[str, ...]:
        """Paths of all bodies, parents first, in the scene's order."""
        return self.header.paths

    def __iter__(self) -> Iterator[str]:
        return iter(self.header.paths)

    def __len__(self) -> int:
        return len(self.header.paths)

    def __getitem__(self, path: str) -> BodyHistory:
        return BodyHistory(self, self._index(path))

    def _index(self, path: str) -> int:
        try:
            return self.header.paths.index(path)
        except ValueError:
            close = get_close_matches(path, self.header.paths, n=1) if isinstance(path, str) else []
            hint = f"did you mean '{close[0]}'?" if close else f"bodies: {', '.join(self.header.paths[:10])}"
            raise UsageError(f"there is no body {clipped(path)}; {hint}") from None

    def motion(self, frame: str, index: int) -> Motion:
        path = self.header.paths[index]
        breaks = tuple(change.time for change in self.header.changes if change.body == path) if frame == "local" else ()
        return Motion(self.time, lambda name: np.asarray(self.arrays[f"{frame}/{name}"][..., index, :]), breaks)

    def relative(self, path: str, other: str) -> Motion:
        self._index(path)
        if not isinstance(other, str) or other != "world":
            self._index(other)
        trees = self.header.trees()
        if len(trees) == 1:
            return self._relative(path, other, trees[0][1], ...)
        time = np.atleast_1d(self.time)
        begins = [int(np.searchsorted(time, begin)) for begin, _ in trees]
        pieces = [
            self._relative(path, other, places, slice(begin, end))
            for (_, places), begin, end in zip(trees, begins, [*begins[1:], len(time)], strict=True)
            if end > begin
        ]
        return pieces[0] if np.ndim(self.time) == 0 else concatenated(self.time, pieces)

    def _relative(self, path: str, other: str, places: Sequence[Place], samples) -> Motion:
        """While the tree is as `places` says, at these samples."""
        lineage, other_lineage = self._lineage(path, places), self._lineage(other, places)
        while lineage and other_lineage and lineage[0] == other_lineage[0]:
            lineage.pop(0), other_lineage.pop(0)
        chains = [self._chain(line, places, samples) for line in (lineage, other_lineage)]
        return seen_from(*chains, self.time if np.ndim(self.time) == 0 else self.time[samples])

    def _lineage(self, path: str, places: Sequence[Place]) -> list[int]:
        """The body and its ancestors, outermost first; none for the world."""
        line: list[int] = []
        while path not in ("", "world"):
            line.insert(0, self.header.paths.index(path))
            path = places[line[0]].parent
        return line

    def _chain(self, lineage: Sequence[int], places: Sequence[Place], samples) -> Chain:
        chain = Chain.identity()
        for index in reversed(lineage):
            above = self.header.scale_of(places[index].parent)
            local = self.motion("local", index)
            if np.ndim(self.time):
                local = local.part(samples)
            chain = hung_below(chain, local, self.header.scale[index] / above)
        return chain


class State(_Bodies):
    """All bodies at one instant: `state["tank/turret"].world.position` is an array of three."""


class Trajectory(_Bodies):
    """A State with a time axis: `trajectory["tank/turret"].world.position` is an array (time, 3).

    From a file, arrays are read when first asked for; use it as a context manager, or call `close`.
    """

    def __init__(
        self,
        header: Header,
        arrays: Mapping[str, np.ndarray],
        status: str = "complete",
        stored_hash: str = "",
        close: Callable[[], None] | None = None,
        events: tuple[Event, ...] = (),
    ):
        super().__init__(header, np.asarray(arrays["time"]), arrays)
        self.status = status
        self.stored_hash = stored_hash  # the content hash as the file gives it; empty in memory
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
            raise UsageError(f"there is no diagnostic {clipped(name)}; there are: {', '.join(known)}")
        return np.asarray(self.arrays[f"diagnostics/{name}"])

    @property
    def total_energy(self) -> np.ndarray:
        """Kinetic + potential - work, J: constant but for the integrator's error."""
        return self.diagnostic("kinetic_energy") + self.diagnostic("potential_energy") - self.diagnostic("work")

    @property
    def angular_momentum(self) -> np.ndarray:
        """Spin + orbital, N m s, about the world's origin, (time, 3)."""
        return self.diagnostic("spin_angular_momentum") + self.diagnostic("orbital_angular_momentum")

    @property
    def content_hash(self) -> str:
        """SHA-256 of names, times and all samples: equal for equal results, wherever and whenever they were made."""
        digest = hashlib.sha256("\n".join(self.paths).encode())
        for name in self.header.dataset_names:
            digest.update(name.encode() + hashlib.sha256(np.ascontiguousarray(self.arrays[name])).digest())
        digest.update(digest_of(self.events))
        return digest.hexdigest()

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
        """Relative to the parent of that time; from the motions in the world, where the samples before and after are
        relative to different parents.
        """
        local = self.motion("local", index)
        if not np.any(straddling(local, np.asarray(time))):
            return local.at(time)
        parent = self[self.paths[index]].parent_at(time)
        chains = [self._in_world(path, world) for path in (self.paths[index], parent)]
        return seen_from(*chains, time)

    def _in_world(self, path: str, world: Sequence[Motion]) -> Chain:
        if not path:
            return Chain.identity()
        index = self.paths.index(path)
        return hung_below(Chain.identity(), world[index], self.header.scale[index])

    def save(self, path: str | Path, *, force: bool = False) -> None:
        """Write the HDF5 file; StorageError if it exists and `force` is false."""
        from rigidsim.trajectory.writer import Writer

        with Writer(path, self.header, len(self.time), force=force) as writer:
            writer.append_arrays({name: np.asarray(self.arrays[name]) for name in self.header.dataset_names})
            writer.finish(self.status, events=self.events)

    def close(self) -> None:
        """Close the file, if there is one; arrays already read stay."""
        if self._close:
            self._close()

    def __enter__(self) -> Trajectory:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
