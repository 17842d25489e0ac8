"""Tables of the state of all bodies at one time, in the world or relative to one of them."""

from __future__ import annotations

import math
from itertools import chain
from pathlib import Path

import numpy as np

from rigidsim.errors import NotRecordedError
from rigidsim.report.sections import Report, Section
from rigidsim.report.table import ALL, ROUNDING, aligned, number, remark, shown_of, without_rounding
from rigidsim.trajectory.header import Header
from rigidsim.trajectory.motion import Motion
from rigidsim.trajectory.trajectory import State, Trajectory, sample_of
from rigidsim.tree.nodes import WORLD, path_of

SAME = 1e-12  # relative tolerance for equal times
LABELS = {
    "position": ("x", "y", "z"),
    "orientation": ("qw", "qx", "qy", "qz"),
    "velocity": ("vx", "vy", "vz"),
    "angular_velocity": ("omega_x", "omega_y", "omega_z"),
}
"""The quantities of a motion, and what their columns are called."""


def motion_of(bodies: Trajectory | State, index: int, frame: str) -> Motion:
    """The motion of a body in the world, or relative to another body, in its units of length."""
    return bodies.motion("world", index) if frame == WORLD else bodies.relative(bodies.paths[index], frame)


def known(motion: Motion, quantity: str) -> np.ndarray | None:
    """A quantity of a motion; None if it was not recorded and cannot be derived."""
    try:
        return np.asarray(getattr(motion, quantity))
    except NotRecordedError:
        return None


def units_of(header: Header, frame: str) -> dict[str, str]:
    """The units of the quantities relative to a frame, with the unit of length of that; empty for orientations."""
    length = header.length_unit("" if frame == WORLD else frame)
    return dict(zip(LABELS, (length, "", f"{length}/s", "rad/s"), strict=True))


def state_at(trajectory: Trajectory, time: float) -> State:
    """The state at a time, interpolated unless it is a sample. Raises UsageError outside the trajectory."""
    nearest = int(np.argmin(np.abs(trajectory.time - time)))
    is_sample = math.isfinite(time) and abs(float(trajectory.time[nearest]) - time) <= SAME * abs(time)
    return sample_of(trajectory, nearest) if is_sample else trajectory.at(time)


def in_question(header: Header) -> set[str]:
    """The bodies that the metrics and oracles of a scene name."""
    # A section that is not there would have all others read.
    metrics, oracles = (header.section(k) if f'"{k}"' in header.scene_resolved else {} for k in ("metrics", "oracle"))
    texts, names = [str(text) for text in (metrics or {}).values()], tuple(oracles or {})
    return {
        path
        for path in header.paths
        if any(f'"{path}"' in text for text in texts) or any(name.startswith(f"{path}.") for name in names)
    }


class StateTable:
    """The bodies at one time, relative to a frame: at most that many, those that metrics and oracles name before others
    (`in_question`), in the order of the scene; one more if that is all; `hint` says how to see the others. Of each
    quantity `values` has those of each body, None for what is not known, because it was not recorded. Raises UsageError
    if the frame is not a body.
    """

    def __init__(self, state: State, frame: str = WORLD, most: int | None = None, hint: str = ""):
        self.time, self.frame, self._hint, self._header = float(state.time), frame, hint, state.header
        self._tree, self.units = state.header.tree_at(state.time), units_of(state.header, frame)
        nodes = self._tree.nodes
        count = shown_of(len(nodes), most)
        asked = in_question(state.header) if count < len(nodes) else set()
        shown = sorted(sorted(range(len(nodes)), key=lambda k: nodes[k].path not in asked)[:count])
        self.nodes = [nodes[k] for k in shown]
        motions, rounding = [motion_of(state, k, frame) for k in shown], Rounding(state, frame)
        self.values = {name: [known(motion, name) for motion in motions] for name in LABELS}
        self._errors = [rounding.errors(k) for k in shown]

    @property
    def others(self) -> int:
        """The number of bodies that are left out."""
        return len(self._tree.nodes) - len(self.nodes)

    def lines(self, in_full: bool = False) -> list[str]:
        """Positions and velocities; orientations and angular velocities too, if any body rotates or `in_full`; with a
        line about what is blank, or nothing else if that is all.
        """
        recorded = self._header.record_text
        is_known = [value is not None for values in self.values.values() for value in values]
        if not any(is_known):
            return [f"at t = {number(self.time)} s: no motion was recorded ({recorded})"]
        has_rates = in_full or any(rate is None or rate.any() for rate in self.values["angular_velocity"])
        rotations = ["", *self._table("orientation", "angular_velocity")] if has_rates else []
        blank = [] if all(is_known) else ["", f"what is blank was not recorded ({recorded})"]
        return [*self._table("position", "velocity"), *rotations, *blank]

    def head(self, *names: str) -> list[str]:
        """The labels of the columns of some quantities, with their units."""
        units = ((label, self.units[name]) for name in names for label in LABELS[name])
        return [f"{label}, {unit}" if unit else label for label, unit in units]

    def rows(self, *names: str) -> list[list[str]]:
        """The numbers of some quantities, a row for each body; blank for what is not known."""
        return [[*chain(*cells)] for cells in zip(*map(self._cells, names), strict=True)]

    def _cells(self, name: str) -> list[list[str]]:
        known = {k: value for k, value in enumerate(self.values[name]) if value is not None}
        there, vectors = [*known], [*known.values()]
        errors = [self._errors[k][name] for k in there]
        rounded = dict(zip(there, without_rounding(vectors, errors), strict=True))
        blank = [""] * len(LABELS[name])
        return [[number(x) for x in rounded[k]] if k in rounded else blank for k in range(len(self.nodes))]

    def as_dict(self) -> dict[str, object]:
        """What JSON has."""
        bodies = [
            {"path": node.path, "parent": path_of(self._tree.parent(node)), "kind": node.kind}
            | {name: values[k] for name, values in self.values.items()}
            for k, node in enumerate(self.nodes)
        ]
        units = {name: unit or "1" for name, unit in self.units.items()}
        return {"time": self.time, "frame": self.frame, "units": units, "bodies": bodies}

    def _table(self, *names: str) -> list[str]:
        frame = "in the world" if self.frame == WORLD else f"relative to {self.frame}"
        head = [f"at t = {number(self.time)} s, {frame}", *self.head(*names)]
        rows = ([node.path, *row] for node, row in zip(self.nodes, self.rows(*names), strict=True))
        return [*aligned([head, *rows]), *remark(self.others, self._hint)]


def state_report(trajectory: Trajectory, file: str | Path, frame: str, time: float, most: int | None = None) -> Report:
    """The output of `inspect --at`, with at most that many bodies. Raises UsageError outside the trajectory."""
    states = StateTable(state_at(trajectory, time), frame, most, ALL)
    return Report(Section({"file": str(file), **states.as_dict()}, states.lines(in_full=True)))


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
        return {name: ROUNDING * size for name, size in zip(LABELS, sizes, strict=True)}

    def _local(self, index: int, quantity: str) -> float:
        """The length of a vector relative to the parent; 0 if it was not recorded."""
        if f"local/{quantity}" not in self._state.arrays:
            return 0.0
        vector = known(self._state.motion("local", index), quantity)
        return 0.0 if vector is None else math.hypot(*vector.tolist())
