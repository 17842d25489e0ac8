"""Tables of the state of all bodies at one time, in the world or relative to one of them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from rigidsim.errors import NotRecordedError
from rigidsim.report.table import ALL, ROUNDING, aligned, number, remark, shown_of, without_rounding
from rigidsim.trajectory.header import Header
from rigidsim.trajectory.motion import Motion
from rigidsim.trajectory.trajectory import State, Trajectory, sample_of
from rigidsim.tree.nodes import WORLD, path_of

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
    errors: Mapping[str, float]  # what is known of the rounding of each quantity


@dataclass(frozen=True)
class StateTable:
    """All bodies at a time (s), relative to a frame."""

    time: float
    frame: str
    unit: str  # of length
    bodies: tuple[BodyState, ...]
    recorded: str  # what was recorded, as text
    others: int = 0  # bodies that are left out
    hint: str = ""  # how to see them

    @classmethod
    def of(cls, state: State, frame: str = WORLD, most: int | None = None) -> StateTable:
        """With at most that many bodies, the first; one more if that is all. Raises UsageError if the frame is not a
        body.
        """
        shown, rounding = shown_of(len(state.paths), most), Rounding(state, frame)
        rows = []
        tree = state.header.tree_at(state.time)
        for index, node in enumerate(tree.nodes[:shown]):
            motion, parent = motion_of(state, index, frame), tree.parent(node)
            found = (known(motion, name) for name in FIELDS)
            rows.append(BodyState(node.path, path_of(parent), node.kind, *found, rounding.errors(index)))
        unit, others = length_unit(state.header, frame), len(state.paths) - shown
        return cls(float(state.time), frame, unit, tuple(rows), state.header.record_text, others)

    def summary(self) -> list[str]:
        """Positions and velocities; orientations and angular velocities too, if any body rotates."""
        is_rotating = any(body.angular_velocity is None or body.angular_velocity.any() for body in self.bodies)
        return self._noted([*self.translations(), *(["", *self.rotations()] if is_rotating else [])])

    def in_full(self) -> list[str]:
        """Positions, velocities, orientations and angular velocities."""
        return self._noted([*self.translations(), "", *self.rotations()])

    def _noted(self, lines: list[str]) -> list[str]:
        """Tables, with a line about what is blank; if that is all, one line."""
        is_known = [getattr(body, name) is not None for body in self.bodies for name in FIELDS]
        if not any(is_known):
            return [f"at t = {number(self.time)} s: no motion was recorded ({self.recorded})"]
        return lines if all(is_known) else [*lines, "", f"what is blank was not recorded ({self.recorded})"]

    def translations(self) -> list[str]:
        """Table of positions and velocities."""
        per_second = f"{self.unit}/s"
        return self._table(("position", "velocity"), (("x", "y", "z"), ("vx", "vy", "vz")), (self.unit, per_second))

    def rotations(self) -> list[str]:
        """Table of orientations and angular velocities."""
        names = (("qw", "qx", "qy", "qz"), ("omega_x", "omega_y", "omega_z"))
        return self._table(("orientation", "angular_velocity"), names, ("", "rad/s"))

    def cells(self, name: str, width: int) -> list[list[str]]:
        """The numbers of a quantity of this many components, a row for each body; blank if it is not known."""
        there = [body for body in self.bodies if getattr(body, name) is not None]
        vectors, errors = [getattr(body, name) for body in there], [body.errors.get(name, 0.0) for body in there]
        rounded = dict(zip((body.path for body in there), without_rounding(vectors, errors), strict=True))
        return [
            [number(x) for x in rounded[body.path]] if body.path in rounded else [""] * width for body in self.bodies
        ]

    def as_dict(self) -> dict[str, object]:
        """Plain data, for `--json`."""
        bodies = [
            {"path": body.path, "parent": body.parent, "kind": body.kind}
            | {name: None if (v := getattr(body, name)) is None else v.tolist() for name in FIELDS}
            for body in self.bodies
        ]
        units = {"position": self.unit, "orientation": "1", "velocity": f"{self.unit}/s", "angular_velocity": "rad/s"}
        return {"time": self.time, "frame": self.frame, "units": units, "bodies": bodies}

    def _table(self, fields: tuple, names: tuple, units: tuple) -> list[str]:
        frame = "in the world" if self.frame == WORLD else f"relative to {self.frame}"
        header_row = [f"at t = {number(self.time)} s, {frame}"]
        for labels, unit in zip(names, units, strict=True):
            header_row += [f"{label}, {unit}" if unit else label for label in labels]
        columns = [self.cells(name, len(labels)) for name, labels in zip(fields, names, strict=True)]
        rows = [[body.path, *chain(*cells)] for body, *cells in zip(self.bodies, *columns, strict=True)]
        return [*aligned([header_row, *rows]), *remark(self.others, self.hint)]


@dataclass(frozen=True)
class StateReport:
    """The output of `inspect --at`."""

    file: str
    states: StateTable

    @classmethod
    def of(cls, trajectory: Trajectory, file: str, frame: str, time: float, most: int | None = None) -> StateReport:
        """With at most that many bodies. Raises UsageError outside the trajectory."""
        return cls(file, replace(StateTable.of(state_at(trajectory, time), frame, most), hint=ALL))

    def __str__(self) -> str:
        return "\n".join(self.states.in_full())

    def as_dict(self) -> dict[str, object]:
        """Plain data, for `--json`."""
        return {"schema_version": 1, "file": self.file, **self.states.as_dict()}


class Rounding:
    """What is known of the rounding of the bodies of a state, seen from a frame."""

    def __init__(self, state: State, frame: str):
        self._state, header = state, state.header
        settings, gravity = header.section("simulation"), header.section("world").get("gravity")
        step, duration = float(settings.get("step", 0.0)), float(settings.get("duration", 0.0))
        self._unit = 1.0 if frame == WORLD else float(state.header.scale[state.header.row_of[frame]])
        self._fall = math.hypot(*gravity) * step / self._unit if isinstance(gravity, list) else 0.0
        self._rate = 1.0 / duration if duration > 0.0 else 0.0

    def errors(self, index: int) -> dict[str, float]:
        """The rounding of each quantity of a body, even where it is zero: what is seen is composed of the motion
        relative to the parent. Besides, gravity adds g h in each step to the velocity of what lies still, which contact
        takes away; and a rate may turn the body by less than the rounding of an angle in the whole run.
        """
        metres = float(self._state.header.parent_scale[index]) / self._unit
        position, velocity, rate = (self._local(index, f) for f in ("position", "velocity", "angular_velocity"))
        sizes = (metres * position, 1.0, max(metres * velocity, self._fall), max(rate, self._rate))
        return {name: ROUNDING * size for name, size in zip(FIELDS, sizes, strict=True)}

    def _local(self, index: int, quantity: str) -> float:
        """The length of a vector relative to the parent; 0 if it was not recorded."""
        if f"local/{quantity}" not in self._state.arrays:
            return 0.0
        vector = known(self._state.motion("local", index), quantity)
        return 0.0 if vector is None else math.hypot(*vector.tolist())
