"""Winding angles of torsion springs at a sample, with full turns counted over the samples before it."""

from __future__ import annotations

import numpy as np

from rigidsim.engine.assembly.blueprint import Blueprint, LoadRecord
from rigidsim.engine.laws.declaration import unit
from rigidsim.engine.model import layout
from rigidsim.jit.layouts import zeros
from rigidsim.physics.forces import twist
from rigidsim.physics.quaternion import conjugate, product, rotate_back
from rigidsim.physics.vector import dot, sub
from rigidsim.trajectory.trajectory import Trajectory

AT_REST = ((1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0))


def winding_rows(blueprint: Blueprint, trajectory: Trajectory, sample: int) -> list[np.ndarray]:
    """The state of each load with a winding, in the order of the state of a model; after them rows of zeros for
    lengths that are measured.

    Full turns between samples are counted by interpolating the angular velocity linearly; with samples too far apart
    some are missed.
    """
    lengths = [zeros(layout.STATE.width) for _ in blueprint.measured]
    return [*(_row(load, trajectory, sample) for load in blueprint.followed), *lengths]


def _row(load: LoadRecord, trajectory: Trajectory, sample: int) -> np.ndarray:
    row, spring = zeros(layout.STATE.width), load.values
    if getattr(spring, "axis", None) is not None:
        one, other = (_turning(trajectory, frame, sample) for frame in (spring.to, load.frame))
        time = np.asarray(trajectory.time[: sample + 1])
        row[layout.UNWRAPPED.last] = _unwrapped(spring.rest, unit(spring.axis), one, other, time)
    return row


def _turning(trajectory: Trajectory, frame: int, sample: int) -> tuple:
    """(q, omega) of a frame in the world, as columns over the samples up to this one."""
    if frame == 0:
        return AT_REST
    world = trajectory.motion("world", frame - 1)
    return tuple(tuple(quantity[: sample + 1].T) for quantity in (world.orientation, world.angular_velocity))


def _unwrapped(rest: tuple, axis: tuple, first: tuple, second: tuple, time: np.ndarray) -> float:
    """The angle about the axis (rad) at the last time, counting full turns; it starts within half a turn of rest."""
    (q_W1, omega_1), (q_W2, omega_2) = first, second
    phi, gradient = twist(rest, axis, product(conjugate(q_W1), q_W2))
    phi, rate = (np.broadcast_to(x, time.shape) for x in (phi, dot(gradient, rotate_back(q_W2, sub(omega_2, omega_1)))))
    expected = np.concatenate([[0.0], np.cumsum(0.5 * (rate[1:] + rate[:-1]) * np.diff(time))])
    return float((np.unwrap(phi - expected) + expected)[-1])
