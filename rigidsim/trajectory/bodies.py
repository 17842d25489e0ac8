"""Access to bodies by path: over a trajectory, or at one time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches

import numpy as np

from rigidsim.arguments import clipped, number
from rigidsim.engine.relative_motion import RelativeMotion
from rigidsim.errors import UsageError
from rigidsim.trajectory.fields import TERM_FIELDS
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
        path = self.path
        while path and (place := self._bodies[path].place_at(time)).kind != "free":
            path = place.parent
        return path

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
        `linear`, `euler`, `centrifugal`, `coriolis` in m/s2, ... Recorded with `terms=True`.
        """
        known = [field.name.removeprefix("terms/") for field in TERM_FIELDS]
        if name not in known:
            raise UsageError(f"there is no term {clipped(name)}; choose one of {', '.join(known)}")
        if f"terms/{name}" not in self._bodies.arrays:
            raise UsageError("only trajectories of simulate(scene, terms=True) and of `run --terms` have terms")
        return np.asarray(self._bodies.arrays[f"terms/{name}"][..., self._index, :])

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
        """At samples during which the tree is given by `places`."""
        lineage, other_lineage = self._lineage(path, places), self._lineage(other, places)
        while lineage and other_lineage and lineage[0] == other_lineage[0]:
            lineage.pop(0), other_lineage.pop(0)
        chains = [self._chain(line, places, samples) for line in (lineage, other_lineage)]
        return seen_from(*chains, self.time if np.ndim(self.time) == 0 else self.time[samples])

    def _lineage(self, path: str, places: Sequence[Place]) -> list[int]:
        """The body and its ancestors, outermost first; none for the world."""
        line: list[int] = []
        while path not in ("", "world"):
            line.insert(0, self.header.row_of[path])
            path = places[line[0]].parent
        return line

    def _chain(self, lineage: Sequence[int], places: Sequence[Place], samples) -> RelativeMotion:
        chain = RelativeMotion.identity()
        for index in reversed(lineage):
            above = self.header.scale_of(places[index].parent)
            local = self.motion("local", index)
            if np.ndim(self.time):
                local = local.part(samples)
            chain = below(chain, local, self.header.scale[index] / above)
        return chain


class State(BodyMapping):
    """All bodies at one time: `state["tank/turret"].world.position` is an array of three."""
