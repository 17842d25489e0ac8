"""Winding angles of torsion springs at a sample, with full turns counted over the samples before it."""

from __future__ import annotations

import numpy as np

from rigidsim.engine import layout
from rigidsim.engine.compiler.initial import relative_pose
from rigidsim.engine.compiler.tree import Node, Tree
from rigidsim.engine.laws.declaration import unit
from rigidsim.engine.laws.registry import BY_NAME, FOLLOWED
from rigidsim.engine.model import zeros
from rigidsim.physics.forces import twist
from rigidsim.physics.quaternion import conjugate, product, rotate_back
from rigidsim.physics.vector import dot, sub
from rigidsim.trajectory.trajectory import Trajectory

AT_REST = ((1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0))


def winding_rows(start: Tree, trajectory: Trajectory, sample: int) -> list[np.ndarray]:
    """The state of each load that is followed, in the order of a model's; `start` is the tree at t = 0.

    Full turns between samples are counted by interpolating the angular velocity linearly; with samples too far apart
    some are missed.
    """
    nodes = sorted(start.nodes, key=lambda node: node.path)
    written = [(node, force, BY_NAME[force.type].table) for node in nodes for force in node.spec.forces]
    return [
        _row(start, node, force, trajectory, sample)
        for table in FOLLOWED
        for node, force, of_force in written
        if of_force is table
    ]


def _row(start: Tree, node: Node, force, trajectory: Trajectory, sample: int) -> np.ndarray:
    row = zeros(layout.STATE_ROWS)
    if getattr(force, "axis", None) is not None:
        first = start.frame_of(force.to)
        rest = relative_pose(start, first, node.frame)[1] if force.rest is None else force.rest
        ends = (_turning(trajectory, frame, sample) for frame in (first, node.frame))
        row[layout.S_WOUND] = _wound(rest, unit(force.axis), *ends, np.asarray(trajectory.time[: sample + 1]))
    return row


def _turning(trajectory: Trajectory, frame: int, sample: int) -> tuple:
    """(q, omega) of a frame in the world, as columns over the samples up to this one."""
    if frame == 0:
        return AT_REST
    columns = (trajectory.arrays[f"world/{name}"] for name in ("orientation", "angular_velocity"))
    return tuple(tuple(np.asarray(column[: sample + 1, frame - 1]).T) for column in columns)


def _wound(rest: tuple, axis: tuple, first: tuple, second: tuple, time: np.ndarray) -> float:
    """The angle about the axis (rad) at the last of these times, counting full turns from within half a turn of rest."""
    (q_W1, omega_1), (q_W2, omega_2) = first, second
    phi, gradient = twist(rest, axis, product(conjugate(q_W1), q_W2))
    phi, rate = (np.broadcast_to(x, time.shape) for x in (phi, dot(gradient, rotate_back(q_W2, sub(omega_2, omega_1)))))
    expected = np.concatenate([[0.0], np.cumsum(0.5 * (rate[1:] + rate[:-1]) * np.diff(time))])
    return float((np.unwrap(phi - expected) + expected)[-1])
