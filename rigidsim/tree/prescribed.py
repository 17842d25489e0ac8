"""Motions that are prescribed: the pose of a node in its parent, and its rates, at any time."""

from __future__ import annotations

from typing import Any, NamedTuple

from rigidsim.physics.prescribed import prescribed_position, prescribed_rotation, prescribed_velocity, turned_further
from rigidsim.physics.quaternion import product
from rigidsim.physics.vector import scaled
from rigidsim.tree.nodes import NO_TURN, ZERO

Columns = dict[str, tuple]
"""Components by quantity: position, orientation, velocity, angular_velocity; numbers, or columns of a time axis."""


def jet_of(part: Any, t: Any) -> tuple:
    """Value, first and second derivative with respect to time of a number or a function of time, at times t (s)."""
    return part.jet(t) if hasattr(part, "jet") else (part, 0.0, 0.0)


class Prescribed(NamedTuple):
    """A motion relative to the parent, in its axes and units of length, with the bits of the stepper: accelerations are
    constant from the pose at t = 0, apart from what functions of time give. Those have `jet(t)`; numbers are constant.
    """

    position: tuple = ZERO
    orientation: tuple = NO_TURN
    velocity: tuple = ZERO
    acceleration: tuple = ZERO
    axis: tuple = (0.0, 0.0, 1.0)  # of the rate and its constant change, rad/s and rad/s2
    rate: float = 0.0
    rate_dot: float = 0.0
    path: tuple = ()  # the position as functions of time
    turns: tuple = ()  # three unit axes and angles as functions of time, the outermost first, after `orientation`
    speeds: tuple = ()  # the velocity as functions of time: the position is then known at t = 0 only
    rates: tuple = ()  # the angular velocity as functions of time

    @property
    def has_poses(self) -> bool:
        """Whether functions of time give the position or the orientation."""
        return bool(self.path or self.turns)

    @property
    def has_rates(self) -> bool:
        """Whether functions of time give the velocity or the angular velocity."""
        return bool(self.speeds or self.rates)

    def moved(self, t: Any) -> tuple:
        """(p, v, a) of a path at times t."""
        return tuple(zip(*(jet_of(part, t) for part in self.path), strict=True))

    def turned(self, t: Any) -> tuple:
        """(q, omega, alpha) of turns at times t; q is their product with `orientation`."""
        found = (NO_TURN, ZERO, ZERO)
        for axis, angle in self.turns:
            found = turned_further(found, axis, jet_of(angle, t))
        q, omega, alpha = found
        return product(q, self.orientation), omega, alpha

    def start(self) -> tuple:
        """(p, q) at t = 0."""
        position = self.moved(0.0)[0] if self.path else self.position
        return position, self.turned(0.0)[0] if self.turns else self.orientation

    def at(self, t: Any) -> Columns:
        """The motion at times t, without a pose that follows from rates: the stepper accumulates that."""
        found = {}
        if self.path:
            found["position"], found["velocity"], _ = self.moved(t)
        elif self.speeds:
            found["velocity"] = tuple(jet_of(part, t)[0] for part in self.speeds)
        else:
            found["position"] = prescribed_position(self.position, self.velocity, self.acceleration, t)
            found["velocity"] = prescribed_velocity(self.velocity, self.acceleration, t)
        if self.turns:
            found["orientation"], found["angular_velocity"], _ = self.turned(t)
        elif self.rates:
            found["angular_velocity"] = tuple(jet_of(part, t)[0] for part in self.rates)
        else:
            found["orientation"] = prescribed_rotation(self.orientation, self.axis, self.rate, self.rate_dot, t)
            found["angular_velocity"] = scaled(self.rate + self.rate_dot * t, self.axis)
        return found
