"""Forces computed by Python functions. The stepper then runs as uncompiled Python, with the same bits.

Measured: 0.2 ms per body-step with `rkmk4`, 0.07 with `euler`, where compiled code takes 0.3 and 0.1 us.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from rigidsim.engine.model.arrays import Model
from rigidsim.errors import SimulationError, UsageError
from rigidsim.jit.rows import RowView
from rigidsim.physics.vector import add


class NodeMotion(NamedTuple):
    """The motion of a node's origin in the world: m, unit quaternion (w, x, y, z), m/s, rad/s."""

    position: np.ndarray
    orientation: np.ndarray
    velocity: np.ndarray
    angular_velocity: np.ndarray


Callback = Callable[[float, Mapping[str, NodeMotion]], tuple]
"""(t, motions by path) -> (force, torque): N at the centre of mass and N m about it, world axes."""


class NodeMotions(Mapping):
    """The motions of all nodes at an instant, by path; each is read on access."""

    def __init__(self, rows: Mapping[str, int], frame: RowView):
        self._rows, self._frame = rows, frame

    def __getitem__(self, path: str) -> NodeMotion:
        row = self._frame[self._rows[path]]
        return NodeMotion(*map(np.array, (row.p, row.q, row.v, row.omega)))

    def __iter__(self):
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)


class Call(NamedTuple):
    """One function and the free body it acts on; called in every evaluation of the equations of motion."""

    path: str
    row: int
    function: Callback
    frame_rows: Mapping[str, int]

    def __call__(self, t: float | np.ndarray, block) -> None:
        t = float(np.ravel(t)[0])  # of the one lane
        try:
            given = self.function(t, NodeMotions(self.frame_rows, block.scratch.frame))
        except Exception as error:
            name = getattr(self.function, "__qualname__", repr(self.function))
            error.add_note(f"in the callback {name} of '{self.path}' at t = {t:.9g} s")
            raise
        force, torque = self._checked(t, given)
        wrench = block.scratch.wrench[self.row]
        wrench.f = add(wrench.f, tuple(force))
        wrench.tau = add(wrench.tau, tuple(torque))

    def _checked(self, t: float, given) -> np.ndarray:
        try:
            vectors = np.asarray(given, dtype=np.float64)
        except (TypeError, ValueError):
            vectors = np.empty(0)
        if vectors.shape != (2, 3):
            raise UsageError(f"the callback of '{self.path}' returned {given!r}; expected two vectors, (force, torque)")
        if not np.isfinite(vectors).all():
            raise SimulationError(
                f"the callback of '{self.path}' returned {given!r} at t = {t:.9g} s; force and torque must be finite"
            )
        return vectors


class CallbackModel(Model):
    """A model with callbacks; compiled code cannot call them."""

    callbacks: tuple[Call, ...] = ()


def with_callbacks(model: Model, calls: tuple[Call, ...]) -> CallbackModel:
    """The model with callbacks. All nodes become active, because a callback may read the motion of any of them, and
    nothing sleeps.
    """
    contacts = model.contacts and model.contacts._replace(rest=None)
    called = CallbackModel(*model._replace(active=model.every, contacts=contacts))
    called.callbacks = calls
    return called


def calls_of(functions: Mapping[str, Callback], paths: tuple[str, ...], model: Model) -> tuple[Call, ...]:
    """The callbacks with the rows they read and write; UsageError for a path that is not a free body."""
    moved = enumerate(model.moved_node)  # with links of joints, which are no nodes
    free = {paths[node]: row for row, node in moved if node < len(paths)}
    for path in functions:
        if path not in free:
            raise UsageError(f"callbacks: '{path}' is not a free body; free bodies: {', '.join(free)}")
    frame_rows = {path: node + 1 for node, path in enumerate(paths)}
    return tuple(Call(path, free[path], function, frame_rows) for path, function in functions.items())
