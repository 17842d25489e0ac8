"""Access to bodies by path: over a trajectory, or at one time."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from difflib import get_close_matches
from functools import cached_property

import numpy as np

from rigidsim.arguments import clipped, number
from rigidsim.engine.relative_motion import RelativeMotion
from rigidsim.errors import NotRecordedError, UsageError
from rigidsim.shown import in_notebook
from rigidsim.trajectory.derived import DerivedMotions
from rigidsim.trajectory.fields import term_fields
from rigidsim.trajectory.header import Header, Place
from rigidsim.trajectory.motion import Motion, below, concatenated, read_only, seen_from, time_span

SHOWN_BODIES = 6


class BodyHistory:
    """One body: its motion relative to its parent (`local`), to the world, and to any other body."""

    def __init__(self, bodies: BodyMapping, index: int):
        self._bodies, self._index = bodies, index

    def __repr__(self) -> str:
        place = f"{self.kind} in {self.parent or 'the world'}"
        return f"<BodyHistory {self.path!r}: {place}, {time_span(self._bodies.time)}>"

    @property
    def path(self) -> str:
        """The body's path, `tank/turret`."""
        return self._bodies.header.paths[self._index]

    @property
    def parent(self) -> str:
        """The path of the parent at t = 0; empty for the world."""
        return self._bodies.header.parents[self._index]

    @property
    def kind(self) -> str:
        """The kind of motion at t = 0: free, fixed or prescribed."""
        return self._bodies.header.kinds[self._index]

    def place_at(self, time: float) -> Place:
        """The path of the parent and the kind of motion at a time (s)."""
        return self._bodies.header.places_at(number(time, "time"))[self._index]

    def parent_at(self, time: float) -> str:
        """The path of the parent at a time (s); empty for the world."""
        return self.place_at(time).parent

    def carrier_at(self, time: float) -> str:
        """The free body that carries this body at a time (s), itself if it is free; empty if there is none."""
        return self._bodies.header.carrier_at(self.path, number(time, "time"))

    @property
    def local(self) -> Motion:
        """The motion relative to the parent, in the axes and length units of the parent."""
        return self._bodies.motion("local", self._index)

    @property
    def world(self) -> Motion:
        """The motion in the world, in m."""
        return self._bodies.motion("world", self._index)

    def term(self, name: str) -> np.ndarray:
        """One term of the acceleration relative to the parent, in the parent's axes, (time, 3): `applied`, `gravity`,
        `linear`, `euler`, `centrifugal`, `coriolis`, in scenes with contact `contact`, in m/s2, ... Recorded with
        `terms=True`.
        """
        known = [field.name.removeprefix("terms/") for field in term_fields(bool(self._bodies.header.shapes))]
        if name not in known:
            raise UsageError(f"there is no term {clipped(name)}; choose one of {', '.join(known)}")
        if f"terms/{name}" not in self._bodies.arrays:
            raise UsageError(
                "only trajectories of simulate(scene, terms=True), of `run --terms` and with simulation.record: [terms]"
                " have terms"
            )
        rows = self._bodies.header.recorded_rows(f"terms/{name}")
        if rows is not None and self._index not in rows:
            raise NotRecordedError(f"the terms of '{self.path}' were not recorded ({self._bodies.header.record_text})")
        return self._bodies.column(f"terms/{name}", self._index)

    def seen_from(self, other: str) -> Motion:
        """The motion relative to another body, in its axes and length units; `"world"` for the world.

        Composed along the tree via the nearest common ancestor, so that large world coordinates cost no digits.
        """
        return self._bodies.relative(self.path, other)


class BodyMapping:
    """The common base of trajectory and state: arrays with the body as the last axis but one."""

    def __init__(self, header: Header, time: np.ndarray | float, arrays: Mapping[str, np.ndarray]):
        self.header, self.time = header, read_only(time) if isinstance(time, np.ndarray) else time
        self.arrays = {name: read_only(a) if isinstance(a, np.ndarray) else a for name, a in arrays.items()}

    def __repr__(self) -> str:
        shown = ", ".join(self.paths[:SHOWN_BODIES]) + (", ..." if len(self) > SHOWN_BODIES else "")
        return f"<{type(self).__name__}: {shown}; {self._description()}>"

    def _description(self) -> str:
        return time_span(self.time)

    @property
    def paths(self) -> tuple[str, ...]:
        """Paths of all bodies, parents first, in the order of the scene."""
        return self.header.paths

    def __iter__(self) -> Iterator[str]:
        return iter(self.header.paths)

    def __len__(self) -> int:
        return len(self.header.paths)

    def __getitem__(self, path: str) -> BodyHistory:
        return BodyHistory(self, self._index(path))

    def _index(self, path: str) -> int:
        try:
            return self.header.row_of[path]
        except (KeyError, TypeError):
            close = self._similar(path) if isinstance(path, str) else []
            hint = f"did you mean '{close[0]}'?" if close else f"bodies: {', '.join(self.header.paths[:10])}"
            raise UsageError(f"there is no body {clipped(path)}; {hint}") from None

    def _similar(self, path: str) -> list[str]:
        """A body with that name anywhere in the tree, or else one with a similar path."""
        same = [known for known in self.header.paths if known.rsplit("/", 1)[-1] == path]
        return same[:1] or get_close_matches(path, self.header.paths, n=1)

    @property
    def is_whole(self) -> bool:
        """Whether nothing was left out when it was recorded."""
        return self.header.recorded is None

    def column(self, name: str, index: int) -> np.ndarray:
        """One dataset of one body."""
        return np.asarray(self.arrays[name][..., index, :])

    @cached_property
    def _derived(self) -> DerivedMotions:
        return DerivedMotions(self.header, self.time, self.column)

    def motion(self, frame: str, index: int) -> Motion:
        """The motion of a body in the frame `local` or `world`; what was not recorded is derived where it can be."""
        path = self.header.paths[index]
        breaks = tuple(change.time for change in self.header.changes if change.body == path) if frame == "local" else ()
        if self.is_whole:
            return Motion(self.time, lambda name: self.column(f"{frame}/{name}", index), breaks)
        return Motion(self.time, lambda name: self._derived.read(frame, name, index), breaks)

    def relative(self, path: str, other: str) -> Motion:
        """The motion of a body relative to another one; either may be the world."""
        for name in (path, other):
            if not isinstance(name, str) or name != "world":
                self._index(name)
        trees = self.header.trees()
        pieces = [self._relative(path, other, trees[k][1], samples) for k, samples in self.header.spans(self.time)]
        return pieces[0] if len(pieces) == 1 else concatenated(self.time, pieces)

    def _relative(self, path: str, other: str, places: Sequence[Place], samples) -> Motion:
        """At samples during which the tree is given by `places`."""
        lineage, other_lineage = self._lineage(path, places), self._lineage(other, places)
        while lineage and other_lineage and lineage[0] == other_lineage[0]:
            lineage.pop(0), other_lineage.pop(0)

        def chains(names: Collection[str]) -> list[RelativeMotion]:
            try:
                return [self._chain(line, places, samples, names) for line in (lineage, other_lineage)]
            except NotRecordedError:
                # Fewer digits far from the origin, but what is between them and their common ancestor is not needed.
                with suppress(NotRecordedError):
                    return [self._in_world(line, samples, names) for line in (lineage, other_lineage)]
                raise

        return seen_from(chains, self.time if samples is ... else self.time[samples], self.is_whole)

    def _lineage(self, path: str, places: Sequence[Place]) -> list[int]:
        """The body and its ancestors, outermost first; none for the world."""
        line: list[int] = []
        while path not in ("", "world"):
            line.insert(0, self.header.row_of[path])
            path = places[line[0]].parent
        return line

    def _chain(
        self, lineage: Sequence[int], places: Sequence[Place], samples, names: Collection[str]
    ) -> RelativeMotion:
        chain = RelativeMotion.identity()
        for index in reversed(lineage):
            above = self.header.scale_of(places[index].parent)
            local = self._samples_of(self.motion("local", index), samples)
            chain = below(chain, local, self.header.scale[index] / above, names)
        return chain

    def _in_world(self, lineage: Sequence[int], samples, names: Collection[str]) -> RelativeMotion:
        """The last body of a lineage in the world."""
        chain = RelativeMotion.identity()
        if lineage:
            world = self._samples_of(self.motion("world", lineage[-1]), samples)
            chain = below(chain, world, self.header.scale[lineage[-1]], names)
        return chain

    @staticmethod
    def _samples_of(motion: Motion, samples) -> Motion:
        return motion if samples is ... else motion.part(samples)


class State(BodyMapping):
    """All bodies at one time: `state["tank/turret"].world.position` is an array of three."""

    def __init__(
        self,
        header: Header,
        time: float,
        arrays: Mapping[str, np.ndarray],
        motions: Mapping[str, Sequence[Motion]] | None = None,
    ):
        super().__init__(header, time, arrays)
        self._motions = motions  # of all bodies in each frame, in place of arrays, where some were not recorded

    def _repr_html_(self) -> str:
        return in_notebook("state", self)

    def motion(self, frame: str, index: int) -> Motion:
        """The motion of a body in the frame `local` or `world`."""
        return self._motions[frame][index] if self._motions else super().motion(frame, index)

    def of_all(self, frame: str, quantity: str) -> np.ndarray:
        """One quantity of all bodies, (body, component). Raises NotRecordedError."""
        if self.is_whole:
            return np.asarray(self.arrays[f"{frame}/{quantity}"])
        return np.stack([getattr(self.motion(frame, index), quantity) for index in range(len(self))])
