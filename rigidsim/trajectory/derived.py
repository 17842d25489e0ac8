"""Motions that were not recorded, derived from those that were and from the scene.

The motion of fixed and prescribed nodes relative to their parents follows from the scene, that of jointed ones from
their coordinates. The motion relative to the
parent follows from those of body and parent in the world, and that in the world from the one relative to the parent and
those of all ancestors. Each quantity is derived from as few others as possible, by the formulas of the engine.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rigidsim.containers.optional import not_none
from rigidsim.errors import NotRecordedError
from rigidsim.physics.frames import (
    compose_position,
    compose_rate,
    compose_velocity,
    local_rate,
    local_velocity,
    stretch,
    stretch_back,
)
from rigidsim.physics.quaternion import conjugate, product
from rigidsim.physics.vector import sub
from rigidsim.trajectory.header import Header
from rigidsim.trajectory.motion import columns, rows
from rigidsim.tree.nodes import Node

MOST_KEPT = 64
"""Number of quantities of parents that are kept for the next child."""
Columns = tuple[np.ndarray, ...]


class _Missing(LookupError):
    """A quantity can neither be read nor derived."""


class DerivedMotions:
    """The motions of all bodies of a trajectory or a state; `column` reads a recorded dataset of one body, `coordinate`
    one of one coordinate, if it was recorded.
    """

    def __init__(
        self,
        header: Header,
        time: Any,
        column: Callable[[str, int], np.ndarray],
        coordinate: Callable[[str, int], np.ndarray | None],
    ):
        self._header, self._time, self._column, self._coordinate = header, time, column, coordinate
        self._kept: dict[tuple, Columns] = {}

    def read(self, frame: str, quantity: str, index: int) -> np.ndarray:
        """A quantity of a body in the frame `local` or `world`, (time, component). Raises NotRecordedError."""
        if self.is_recorded(frame, quantity, index):
            return self._column(f"{frame}/{quantity}", index)
        pieces = []
        for number, samples in self._header.history.spans(self._time):
            span = _Span(self, self._header, number, samples)
            time = self._time if samples is ... else self._time[samples]
            try:
                found = rows(span.of(frame, quantity, index))
            except _Missing:
                raise self._refusal(frame, quantity, index) from None
            pieces.append(np.broadcast_to(found, (*np.shape(time), found.shape[-1])))
        return pieces[0] if len(pieces) == 1 else np.concatenate(pieces)

    def is_recorded(self, frame: str, quantity: str, index: int) -> bool:
        """Whether a quantity of a body was recorded."""
        recorded = self._header.recorded
        assert recorded is not None
        some = recorded.get(f"{frame}/{quantity}", ())
        return some is None or index in some

    def recorded(self, frame: str, quantity: str, index: int) -> Columns:
        """A recorded quantity of a body."""
        if not self.is_recorded(frame, quantity, index):
            raise _Missing
        return columns(self._column(f"{frame}/{quantity}", index))

    def from_scene(self, quantity: str, path: str) -> Columns:
        """A quantity relative to the parent that does not depend on the state."""
        node = self._header.scene.hierarchy[path]
        found = self._on_joint(node) if node.joint is not None else node.motion_at(self._time)
        if quantity not in found:
            raise _Missing
        return found[quantity]

    def _on_joint(self, node: Node) -> dict[str, Columns]:
        """The motion that the coordinates of a joint give; that of a ball has none."""
        rows = self._header.coordinates[node.path]
        numbers = [(self._coordinate("joints/coordinate", row), self._coordinate("joints/rate", row)) for row in rows]
        if not_none(node.joint).has_attitude or any(column is None for pair in numbers for column in pair):
            return {}
        moved = not_none(node.joint).moved(numbers, node.scale, node.parent_metres)
        return dict(zip(("position", "orientation", "velocity", "angular_velocity"), moved, strict=True))

    def kept(self, key: tuple, find: Callable[[], Columns]) -> Columns:
        """What `find` finds; kept for a while."""
        if key not in self._kept:
            found = find()
            if len(self._kept) >= MOST_KEPT:
                self._kept.clear()
            self._kept[key] = found
        return self._kept[key]

    def _refusal(self, frame: str, quantity: str, index: int) -> NotRecordedError:
        return NotRecordedError(
            f"{frame}.{quantity} of '{self._header.paths[index]}' was not recorded and cannot be derived from what was"
            f" ({self._header.record_text}); add '{frame}/{quantity}' of this body there"
        )


class _Span:
    """The samples during which one tree holds. All its methods return columns, or raise _Missing."""

    def __init__(self, motions: DerivedMotions, header: Header, number: int, samples):
        self._motions, self._header, self._number, self._samples = motions, header, number, samples
        self._tree = header.history[number]

    def of(self, frame: str, quantity: str, index: int) -> Columns:
        """A quantity of a body in the frame `local` or `world`."""
        try:
            return self._given(frame, quantity, index)
        except _Missing:
            return self._composed(frame, quantity, index)

    def _composed(self, frame: str, quantity: str, index: int) -> Columns:
        """From the same quantity in the other frame, and the motion of the parent in the world."""
        is_local = frame == "local"
        given, parent = self._given("world" if is_local else "local", quantity, index), self._tree.nodes[index].parent
        if not parent:
            return given
        q, s = self._above("orientation", parent), self._tree.metres(parent)
        if quantity == "orientation":
            return product(conjugate(q), given) if is_local else product(q, given)
        if quantity == "position":
            p = self._above("position", parent)
            return stretch_back(q, s, sub(given, p)) if is_local else compose_position(p, stretch(q, s, given))
        omega = self._above("angular_velocity", parent)
        if quantity == "angular_velocity":
            return local_rate(omega, q, given) if is_local else compose_rate(omega, q, given)
        d, v = stretch(q, s, self.of("local", "position", index)), self._above("velocity", parent)
        if is_local:
            return local_velocity(v, omega, q, s, d, given)
        return compose_velocity(v, omega, d, stretch(q, s, given))

    def _above(self, quantity: str, parent: int) -> Columns:
        """A quantity of a parent, given by its frame, in the world."""
        key = (self._number, quantity, parent)
        return self._motions.kept(key, lambda: self.of("world", quantity, parent - 1))

    def _given(self, frame: str, quantity: str, index: int) -> Columns:
        """As recorded; relative to the parent also from the scene."""
        try:
            return self._during(self._motions.recorded(frame, quantity, index))
        except _Missing:
            node = self._tree.nodes[index]
            is_changed = node is not self._header.history[0].nodes[index]
            if frame == "world" or is_changed or node.is_free():
                raise
            return self._during(self._motions.from_scene(quantity, node.path))

    def _during(self, whole: Columns) -> Columns:
        """The part of columns that belongs to these samples; constants are numbers."""
        return tuple(part if self._samples is ... or np.ndim(part) == 0 else part[self._samples] for part in whole)
