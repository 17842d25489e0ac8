"""Warnings about a step that is too long for the fastest rotation, or for a free flight in a rotating frame."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator
from itertools import islice

import numpy as np

from rigidsim.physics.quaternion import rotate
from rigidsim.scene.hierarchy.nodes import Hierarchy, SceneNode
from rigidsim.scene.hierarchy.start import Starts, largest, turned
from rigidsim.scene.notes.frame_use import Stay, frames_that_matter, stays
from rigidsim.scene.notes.stability import ALLOWED_ERROR, MOST_STEPS, flight_error, shorter
from rigidsim.scene.text.document import Path

LARGEST_TURN = 0.5
"""Radians per step, of a body or of the phase of a spring: at this value the error of `rkmk4` is about 1e-4 rad per
turn, and that of the other methods much larger.
"""
ADVISED_TURN = 0.1
LOOKS = 500  # at which rates are evaluated


def step_notes(hierarchy: Hierarchy) -> Iterator[tuple[Path, str]]:
    """Each free body and each used frame that rotates by more than LARGEST_TURN per step, at t = 0 or by its prescribed
    motion, and each frame in which free flights have a large error, with a sufficient step.
    """
    step, rates = hierarchy.scene.simulation.step, _Rates(hierarchy)
    matter = frames_that_matter(hierarchy) if any(node.body.prescribed for node in hierarchy) else set()
    flown = _flown_in(hierarchy)
    for node in hierarchy:
        path, kind = node.path, node.kind
        fastest = rates.fastest(node) if kind == "free" or (kind == "prescribed" and path in matter) else 0.0
        if fastest * step > LARGEST_TURN:
            turn = math.degrees(fastest * step)
            advised = ADVISED_TURN / fastest
            yield node.place, f"it rotates by {turn:.3g} degrees per step of {step:g} s; use at most {advised:.1g} s"
        else:
            found = (_flight_note(hierarchy, *rates.during(stay)) for stay in flown.get(path, ()))
            yield from ((node.place, message) for message in islice(filter(None, found), 1))


def _flown_in(hierarchy: Hierarchy) -> dict[str, dict[Stay, None]]:
    """The times at which free bodies are in each moving frame; nodes fixed to a frame are part of it."""
    found: dict[str, dict[Stay, None]] = defaultdict(dict)  # each once, in order
    for stay in stays(hierarchy):
        frame = stay.frame.holder
        if frame is not None:
            found[frame.path].setdefault(stay._replace(frame=frame))
    return found


def _flight_note(hierarchy: Hierarchy, largest: float, total: float) -> str | None:
    step, method = hierarchy.scene.simulation.step, hierarchy.scene.simulation.integrator
    if largest == 0.0 or (error := flight_error(method, largest * step, total)) <= ALLOWED_ERROR:
        return None
    advised = shorter(
        step, lambda h: flight_error(method, largest * h, total) <= ALLOWED_ERROR, total / largest / MOST_STEPS
    )
    turn, size = math.degrees(largest * step), f"{100 * error:.2g} %" if error < 1 else "more than 100 %"
    message = (
        f"it rotates by {turn:.3g} degrees per step of {step:g} s, and free flights in this frame are wrong by {size}"
    )
    way_out = "use another parent" if advised is None else f"use at most {advised:g} s, or another parent"
    return f"{message} of their distance; {way_out}"


class _Rates:
    """Rates of rotation of frames, as far as the scene determines them without a run; of free bodies, those at t =
    0.
    """

    def __init__(self, hierarchy: Hierarchy):
        self._start = Starts(hierarchy)
        self._times = np.linspace(0.0, hierarchy.scene.simulation.duration, LOOKS)

    def fastest(self, node: SceneNode) -> float:
        """The largest angular velocity: of a prescribed frame relative to its parent, of a free body in the world."""
        if node.body.prescribed is not None:
            return largest(np.sqrt(sum(part * part for part in turned(node.body, self._times)[1])))
        return math.hypot(*(node.body.angular_velocity.start if node.parent is None else self._start[node.path].omega))

    def during(self, stay: Stay) -> tuple[float, float]:
        """The largest rate in the world (rad/s) and the total rotation (rad) of a frame in a span of time."""
        if stay.frame.kind == "free":
            rate = math.hypot(*self._start[stay.frame.path].omega)
            return rate, rate * (stay.end - stay.begin)
        sizes = np.sqrt(np.sum(self._in_world(stay.frame) ** 2, axis=0))
        inside = np.interp(np.linspace(stay.begin, stay.end, LOOKS), self._times, np.nan_to_num(sizes))
        return largest(inside), float(np.mean(inside)) * (stay.end - stay.begin)

    def _in_world(self, node: SceneNode | None) -> np.ndarray:
        """The rate of a frame in the world at each time, in its axes at t = 0: (3, time)."""
        if node is None:
            return np.zeros((3, LOOKS))
        if node.kind == "free":
            return np.repeat(self._start[node.path].omega, LOOKS).reshape(3, LOOKS)
        spin = 0.0
        if node.body.prescribed is not None:
            spin = np.array(rotate(self._start.above(node).q, turned(node.body, self._times)[1]))
        return self._in_world(node.parent) + spin
