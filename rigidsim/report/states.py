"""Tables of the state of all bodies at one time, in the world or relative to one of them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from rigidsim.report.table import aligned, number, shortened
from rigidsim.trajectory.header import Header
from rigidsim.trajectory.motion import Motion
from rigidsim.trajectory.trajectory import State, Trajectory

WORLD = "world"
SAME = 1e-12  # relative tolerance for equal times
FIELDS = ("position", "orientation", "velocity", "angular_velocity")


def motion_of(bodies: Trajectory | State, index: int, frame: str) -> Motion:
    """The motion of a body in the world, or relative to another body, in its units of length."""
    return bodies.motion("world", index) if frame == WORLD else bodies.relative(bodies.paths[index], frame)


def length_unit(header: Header, frame: str) -> str:
    """`m`, or the length unit of the frame in metres."""
    scale = 1.0 if frame == WORLD else header.scale_of(frame)
    return "m" if scale == 1.0 else f"{scale:.9g} m"


def sample_of(trajectory: Trajectory, k: int) -> State:
    """All bodies at one sample."""
    names = [f"{where}/{field}" for where in ("local", "world") for field in FIELDS]
    return State(trajectory.header, float(trajectory.time[k]), {name: trajectory.arrays[name][k] for name in names})


def state_at(trajectory: Trajectory, time: float) -> State:
    """The state at a time, interpolated unless it is a sample. Raises UsageError outside the trajectory."""
    nearest = int(np.argmin(np.abs(trajectory.time - time)))
    is_sample = math.isfinite(time) and abs(float(trajectory.time[nearest]) - time) <= SAME * abs(time)
    return sample_of(trajectory, nearest) if is_sample else trajectory.at(time)


@dataclass(frozen=True)
class BodyState:
    """One body: its parent and kind at that time, and its motion."""

    path: str
    parent: str
    kind: str
    position: np.ndarray
    orientation: np.ndarray
    velocity: np.ndarray
    angular_velocity: np.ndarray


@dataclass(frozen=True)
class StateTable:
    """All bodies at a time (s), relative to a frame."""

    time: float
    frame: str
    unit: str  # of length
    bodies: tuple[BodyState, ...]

    @classmethod
    def of(cls, state: State, frame: str = WORLD) -> StateTable:
        """Raises UsageError if the frame is not a body."""
        rows = []
        for index, (path, place) in enumerate(zip(state.paths, state.header.places_at(state.time), strict=True)):
            motion = motion_of(state, index, frame)
            rows.append(BodyState(path, place.parent, place.kind, *(np.asarray(getattr(motion, f)) for f in FIELDS)))
        return cls(float(state.time), frame, length_unit(state.header, frame), tuple(rows))

    def summary(self, most: int) -> list[str]:
        """Positions and velocities; orientations and angular velocities too, if any body rotates."""
        is_rotating = any(body.angular_velocity.any() for body in self.bodies)
        return [*self.translations(most), *(["", *self.rotations(most)] if is_rotating else [])]

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
            | {name: getattr(body, name).tolist() for name in FIELDS}
            for body in self.bodies
        ]
        units = {"position": self.unit, "orientation": "1", "velocity": f"{self.unit}/s", "angular_velocity": "rad/s"}
        return {"time": self.time, "frame": self.frame, "units": units, "bodies": bodies}

    def _table(self, most: int, fields: tuple, names: tuple, units: tuple) -> list[str]:
        frame = "in the world" if self.frame == WORLD else f"relative to {self.frame}"
        header_row = [f"at t = {number(self.time)} s, {frame}"]
        for labels, unit in zip(names, units, strict=True):
            header_row += [f"{label}, {unit}" if unit else label for label in labels]
        rows = [[body.path, *(number(x) for name in fields for x in getattr(body, name))] for body in self.bodies]
        first, *others = aligned([header_row, *rows])
        return [first, *shortened(others, most)]
