"""Access to bodies by path: over a trajectory, or at one time."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from rigidsim.arguments import clipped, number
from rigidsim.errors import NotRecordedError, UsageError, did_you_mean
from rigidsim.methods import calling
from rigidsim.trajectory.derived import DerivedMotions
from rigidsim.trajectory.fields import term_fields
from rigidsim.trajectory.header import Header
from rigidsim.trajectory.motion import Motion, below, concatenated, read_only, seen_from, time_span
from rigidsim.tree.joints import without_joint
from rigidsim.tree.motion import RelativeMotion
from rigidsim.tree.nodes import Node, Tree, path_of

SHOWN_BODIES = 6


class Place(NamedTuple):
    """The place of a body in the tree: path of the parent, empty for the world; kind: free, fixed or prescribed."""

    parent: str
    kind: str


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
        """The kind of motion at t = 0: free, jointed, fixed or prescribed."""
        return self._bodies.header.kinds[self._index]

    def place_at(self, time: float) -> Place:
        """The path of the parent and the kind of motion at a time (s).

        Parameters
        ----------
        time : float
            The time, s.

        Returns
        -------
        Place
            The parent and the kind of motion.
        """
        tree = self._bodies.header.tree_at(number(time, "time"))
        node = tree.nodes[self._index]
        return Place(path_of(tree.parent(node)), node.kind)

    def parent_at(self, time: float) -> str:
        """The path of the parent at a time (s); empty for the world.

        Parameters
        ----------
        time : float
            The time, s.

        Returns
        -------
        str
            The path of the parent.
        """
        return self.place_at(time).parent

    def moved_base_at(self, time: float) -> str:
        """The free or jointed body that this one is, or is a part of, at a time (s): the one to which it is fixed,
        directly or through fixed bodies; empty if there is none.

        Parameters
        ----------
        time : float
            The time, s.

        Returns
        -------
        str
            The path of that body.
        """
        tree = self._bodies.header.tree_at(number(time, "time"))
        return path_of(tree.moved_base(tree.nodes[self._index]))

    def free_ancestor_at(self, time: float) -> str:
        """The free body that moves this one at a time (s): itself if it is free, else the nearest free body above it,
        through bodies with prescribed motions, too; empty if there is none.

        Parameters
        ----------
        time : float
            The time, s.

        Returns
        -------
        str
            The path of that body.
        """
        tree = self._bodies.header.tree_at(number(time, "time"))
        return path_of(tree.free_ancestor(tree.nodes[self._index]))

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
        `linear`, `euler`, `centrifugal`, `coriolis`, in scenes with contact `contact`, with joints `joint`, in m/s2,
        ... Recorded with `terms=True`.

        Parameters
        ----------
        name : str
            The name of the term, such as `coriolis`.

        Returns
        -------
        np.ndarray
            The term at each sample, (time, 3), m/s² or rad/s².
        """
        header = self._bodies.header
        fields = term_fields(bool(header.shapes), bool(header.joints))
        known = [field.name.removeprefix("terms/") for field in fields]
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

    @property
    def joint(self) -> JointHistory:
        """The joint between the body and its parent. Raises UsageError if there is none."""
        joints = [*self._bodies.header.joints]
        if self.path not in joints:
            known = ", ".join(joints[:SHOWN_BODIES]) + (", ..." if len(joints) > SHOWN_BODIES else "")
            raise UsageError(f"{without_joint(self.kind, self.path)}; joints: {known or 'none'}")
        return JointHistory(self._bodies, self.path, joints.index(self.path))

    def seen_from(self, other: str) -> Motion:
        """The motion relative to another body, in its axes and length units; `"world"` for the world.

        Composed along the tree via the nearest common ancestor, so that large world coordinates cost no digits.

        Parameters
        ----------
        other : str
            The path of the other body, or `world`.

        Returns
        -------
        Motion
            The motion at all samples.
        """
        return self._bodies.relative(self.path, other)


class JointHistory:
    """A joint: coordinates in the order in which they move the body, none of a ball; what it exerts on the body. Raises
    NotRecordedError for what was left out.
    """

    def __init__(self, bodies: BodyMapping, path: str, number: int):
        self._bodies, self._path, self._number = bodies, path, number

    def __repr__(self) -> str:
        return f"<JointHistory of {self._path!r}: {self.type}, {time_span(self._bodies.time)}>"

    @property
    def type(self) -> str:
        """The type: hinge, slide, screw, ball, universal, cylindrical, planar or weld."""
        return self._bodies.header.joints[self._path]

    @property
    def coordinates(self) -> np.ndarray:
        """(time, coordinate) angles, rad, which count turns, and displacements, m."""
        return self._read("coordinate", self._rows)

    @property
    def rates(self) -> np.ndarray:
        """(time, coordinate) their rates, rad/s or m/s."""
        return self._read("rate", self._rows)

    @property
    def motor(self) -> np.ndarray:
        """(time, coordinate) the torque, N m, or force, N, of motors along the coordinates."""
        return self._read("motor", self._rows)

    @property
    def force(self) -> np.ndarray:
        """(time, 3) the force of the joint on the body, N, in the parent's axes."""
        return self._read("force", self._number, slice(None))

    @property
    def torque(self) -> np.ndarray:
        """(time, 3) the torque of the joint on the body, about the joint, N m, in the parent's axes."""
        return self._read("torque", self._number, slice(None))

    @property
    def _rows(self) -> slice:
        rows = self._bodies.header.coordinates[self._path]
        return slice(rows.start, rows.stop)

    def _read(self, name: str, *place: int | slice) -> np.ndarray:
        if f"joints/{name}" not in self._bodies.arrays:
            reason = self._bodies.header.record_text
            raise NotRecordedError(f"the {name} of the joint of '{self._path}' was not recorded ({reason})")
        return np.asarray(self._bodies.arrays[f"joints/{name}"][(..., *place)])


class BodyMapping:
    """The common base of trajectory and state: arrays with the body as the last axis but one."""

    time: Any  # (time) of a trajectory, one number of a state, s

    def __init__(self, header: Header, time: np.ndarray | float, arrays: Mapping[str, Any]):
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
            # A body with that name anywhere in the tree comes before one with a similar path.
            paths = self.header.paths
            same = next((known for known in paths if known.rsplit("/", 1)[-1] == path), path)
            hint = self.header.loop_hint(path) or did_you_mean(same, paths, f"bodies: {', '.join(paths[:10])}")
            raise UsageError(f"there is no body {clipped(path)}; {hint}") from None

    @property
    def is_whole(self) -> bool:
        """Whether nothing was left out when it was recorded."""
        return self.header.recorded is None

    def column(self, name: str, index: int) -> np.ndarray:
        """One dataset of one body.

        Parameters
        ----------
        name : str
            The dataset, such as `world/position`.
        index : int
            The number of the body.

        Returns
        -------
        np.ndarray
            The values at all samples, (time, component) or (time).
        """
        return np.asarray(self.arrays[name][..., index, :])

    def _coordinate(self, name: str, row: int) -> np.ndarray | None:
        """A dataset of one coordinate of a joint; None if it was not recorded."""
        return np.asarray(self.arrays[name][..., row]) if name in self.arrays else None

    @cached_property
    def _derived(self) -> DerivedMotions:
        return DerivedMotions(self.header, self.time, self.column, self._coordinate)

    def motion(self, frame: str, index: int) -> Motion:
        """The motion of a body in the frame `local` or `world`; what was not recorded is derived where it can be.

        Parameters
        ----------
        frame : str
            `local` or `world`.
        index : int
            The number of the body.

        Returns
        -------
        Motion
            The motion at all samples.
        """
        path = self.header.paths[index]
        breaks = tuple(change.time for change in self.header.changes if change.body == path) if frame == "local" else ()
        if self.is_whole:
            return Motion(self.time, lambda name: self.column(f"{frame}/{name}", index), breaks)
        return Motion(self.time, lambda name: self._derived.read(frame, name, index), breaks)

    def relative(self, path: str, other: str) -> Motion:
        """The motion of a body relative to another one; either may be the world.

        Parameters
        ----------
        path : str
            The path of the body.
        other : str
            The path of the other body, or `world`.

        Returns
        -------
        Motion
            Relative to the other body, in its axes and units of length.
        """
        for name in (path, other):
            if not isinstance(name, str) or name != "world":
                self._index(name)
        history = self.header.history
        pieces = [self._relative(path, other, history[k], samples) for k, samples in history.spans(self.time)]
        return pieces[0] if len(pieces) == 1 else concatenated(self.time, pieces)

    def _relative(self, path: str, other: str, tree: Tree, samples) -> Motion:
        """At samples during which a tree holds."""
        other_branch, branch = tree.branches(tree.frame_of(other), tree.frame_of(path))

        def chains(names: Collection[str]) -> Any:
            try:
                return [self._chain("local", line, samples, names) for line in (branch, other_branch)]
            except NotRecordedError:
                # Fewer digits far from the origin, but what is between them and their common ancestor is not needed.
                with suppress(NotRecordedError):
                    return [self._chain("world", line[:1], samples, names) for line in (branch, other_branch)]
                raise

        return seen_from(chains, self.time if samples is ... else self.time[samples], self.is_whole)

    def _chain(self, frame: str, branch: Sequence[Node], samples, names: Collection[str]) -> RelativeMotion:
        """The motion of the first node of a branch in the parent of the last; in the world, of this node alone."""
        chain = RelativeMotion.identity()
        for node in branch:
            motion, scale = self.motion(frame, node.index), node.scale if frame == "local" else node.metres
            chain = below(chain, motion if samples is ... else motion.part(samples), scale, names)
        return chain


class State(BodyMapping):
    """All bodies at one time: `state["tank/turret"].world.position` is an array of three."""

    time: float

    def __init__(
        self,
        header: Header,
        time: float,
        arrays: Mapping[str, np.ndarray],
        motions: Mapping[str, Sequence[Motion]] | None = None,
    ):
        super().__init__(header, time, arrays)
        self._motions = motions  # of all bodies in each frame, in place of arrays, where some were not recorded

    _repr_html_ = calling("html_of")

    def motion(self, frame: str, index: int) -> Motion:
        """The motion of a body in the frame `local` or `world`.

        Parameters
        ----------
        frame : str
            `local` or `world`.
        index : int
            The number of the body.

        Returns
        -------
        Motion
            The motion at the time of the state.
        """
        return self._motions[frame][index] if self._motions else super().motion(frame, index)

    def of_all(self, frame: str, quantity: str) -> np.ndarray:
        """One quantity of all bodies, (body, component). Raises NotRecordedError.

        Parameters
        ----------
        frame : str
            `local` or `world`.
        quantity : str
            `position`, `orientation`, `velocity` or `angular_velocity`.

        Returns
        -------
        np.ndarray
            A row for each body.
        """
        if self.is_whole:
            return np.asarray(self.arrays[f"{frame}/{quantity}"])
        return np.stack([getattr(self.motion(frame, index), quantity) for index in range(len(self))])
