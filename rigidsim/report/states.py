"""Tables of the state of all bodies at one time, in the world or relative to one of them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import islice

import numpy as np

from rigidsim.errors import NotRecordedError
from rigidsim.report.table import aligned, number, shortened
from rigidsim.trajectory.header import Header
from rigidsim.trajectory.motion import Motion
from rigidsim.trajectory.trajectory import State, Trajectory, sample_of

WORLD = "world"
SAME = 1e-12  # relative tolerance for equal times
FIELDS = ("position", "orientation", "velocity", "angular_velocity")


def motion_of(bodies: Trajectory | State, index: int, frame: str) -> Motion:
    """The motion of a body in the world, or relative to another body, in its units of length."""
    return bodies.motion("world", index) if frame == WORLD else bodies.relative(bodies.paths[index], frame)


def known(motion: Motion, quantity: str) -> np.ndarray | None:
    """A quantity of a motion; None if it was not recorded and cannot be derived."""
    try:
        return np.asarray(getattr(motion, quantity))
    except NotRecordedError:
        return None


def length_unit(header: Header, frame: str) -> str:
    """`m`, or the length unit of the frame in metres."""
    return header.length_unit("" if frame == WORLD else frame)


def state_at(trajectory: Trajectory, time: float) -> State:
    """The state at a time, interpolated unless it is a sample. Raises UsageError outside the trajectory."""
    nearest = int(np.argmin(np.abs(trajectory.time - time)))
    is_sample = math.isfinite(time) and abs(float(trajectory.time[nearest]) - time) <= SAME * abs(time)
    return sample_of(trajectory, nearest) if is_sample else trajectory.at(time)


@dataclass(frozen=True)
class BodyState:
    """One body: its parent and kind at that time, and its motion; None for what is not known, because it was not
    recorded.
    """

    path: str
    parent: str
    kind: str
    position: np.ndarray | None
    orientation: np.ndarray | None
    velocity: np.ndarray | None
    angular_velocity: np.ndarray | None


@dataclass(frozen=True)
class StateTable:
    """All bodies at a time (s), relative to a frame."""

    time: float
    frame: str
    unit: str  # of length
    bodies: tuple[BodyState, ...]
    recorded: str  # what was recorded, as text

    @classmethod
    def of(cls, state: State, frame: str = WORLD, most: int | None = None) -> StateTable:
        """With at most that many bodies, the first. Raises UsageError if the frame is not a body."""
        rows = []
        about = islice(zip(state.paths, state.header.places_at(state.time), strict=True), most)
        for index, (path, place) in enumerate(about):
            motion = motion_of(state, index, frame)
            rows.append(BodyState(path, place.parent, place.kind, *(known(motion, f) for f in FIELDS)))
        unit = length_unit(state.header, frame)
        return cls(float(state.time), frame, unit, tuple(rows), state.header.record_text)

    def summary(self, most: int) -> list[str]:
        """Positions and velocities; orientations and angular velocities too, if any body rotates."""
        is_rotating = any(body.angular_velocity is None or body.angular_velocity.any() for body in self.bodies)
        return self._noted([*self.translations(most), *(["", *self.rotations(most)] if is_rotating else [])])

    def in_full(self) -> list[str]:
        """All positions, velocities, orientations and angular velocities."""
        most = len(self.bodies)
        return self._noted([*self.translations(most), "", *self.rotations(most)])

    def _noted(self, lines: list[str]) -> list[str]:
        """Tables, with a line about what is blank; if that is all, one line."""
        is_known = [getattr(body, name) is not None for body in self.bodies for name in FIELDS]
        if not any(is_known):
            return [f"at t = {number(self.time)} s: no motion was recorded ({self.recorded})"]
        return lines if all(is_known) else [*lines, "", f"what is blank was not recorded ({self.recorded})"]

    def translations(self, most: int) -> list[str]:
        """Table of positions and velocities."""
        per_second = f"{self.unit}/s"
        return self._table(
            most, ("position", "velocity"), (("x", "y", "z"), ("vx", "vy", "vz")), (self.unit, per_second)
        )

    def rotations(self, most: int) -> list[str]:
        """Table of orientations and angular velocities."""
        names = (("qw", "qx", "qy", "qz"), ("omega_x", "omega_y", "omega_z"))
        return self._table(most, ("orientation", "angular_velocity"), names, ("", "rad/s"))

    def as_dict(self) -> dict[str, object]:
        """Plain data, for `--json`."""
        bodies = [
            {"path": body.path, "parent": body.parent, "kind": body.kind}
            | {name: None if (v := getattr(body, name)) is None else v.tolist() for name in FIELDS}
            for body in self.bodies
        ]
        units = {"position": self.unit, "orientation": "1", "velocity": f"{self.unit}/s", "angular_velocity": "rad/s"}
        return {"time": self.time, "frame": self.frame, "units": units, "bodies": bodies}

    def _table(self, most: int, fields: tuple, names: tuple, units: tuple) -> list[str]:
        frame = "in the world" if self.frame == WORLD else f"relative to {self.frame}"
        header_row = [f"at t = {number(self.time)} s, {frame}"]
        for labels, unit in zip(names, units, strict=True):
            header_row += [f"{label}, {unit}" if unit else label for label in labels]
        widths = [len(labels) for labels in names]
        rows = [
            [
                body.path,
                *(cell for name, width in zip(fields, widths, strict=True) for cell in _cells(body, name, width)),
            ]
            for body in self.bodies
        ]
        first, *others = aligned([header_row, *rows])
        return [first, *shortened(others, most)]


@dataclass(frozen=True)
class StateReport:
    """The output of `inspect --at`."""

    file: str
    states: StateTable

    @classmethod
    def of(cls, trajectory: Trajectory, file: str, frame: str, time: float) -> StateReport:
        """Raises UsageError outside the trajectory."""
        return cls(file, StateTable.of(state_at(trajectory, time), frame))

    def __str__(self) -> str:
        return "\n".join(self.states.in_full())

    def as_dict(self) -> dict[str, object]:
        """Plain data, for `--json`."""
        return {"schema_version": 1, "file": self.file, **self.states.as_dict()}


def _cells(body: BodyState, name: str, width: int) -> list[str]:
    """The numbers of a vector; blank if it is not known."""
    vector = getattr(body, name)
    return [""] * width if vector is None else [number(x) for x in vector]
