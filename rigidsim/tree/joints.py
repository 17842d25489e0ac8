"""Joints of the tree: how a body hangs on its parent, and its motion there as a function of the joint's coordinates."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from rigidsim.physics.frames import compose_position, compose_velocity, stretch
from rigidsim.physics.prescribed import turned_further
from rigidsim.physics.quaternion import rotate
from rigidsim.physics.vector import cross, scaled, sub

ZERO, NO_TURN = (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0)


IS_ANGLE = {
    "hinge": (True,),
    "slide": (False,),
    "ball": (),
    "universal": (True, True),
    "cylindrical": (False, True),
    "planar": (False, False, True),
}
"""Of each type of joint, whether its coordinates are angles, in the order in which they move the body."""


PARTS = {"angle": "coordinate", "displacement": "coordinate", "rate": "rate", "motor": "motor"}
"""What is known of a coordinate, by the first word of its names."""
NAMES = (
    "angle",
    "angle_2",
    "displacement",
    "displacement_2",
    *(f"{word}{n}" for word in ("rate", "motor") for n in ("", "_2", "_3")),
)
"""What coordinates, their rates and what motors do are called; the second of a kind has a number."""


def coordinate_called(name: str, type: str) -> int | None:
    """The number of the coordinate that one of these names is about, in a type of joint; None if it has none."""
    word, _, number = name.partition("_")
    meant = [k for k, turns in enumerate(IS_ANGLE[type]) if part_of(name) != "coordinate" or turns == (word == "angle")]
    place = int(number or 1) - 1
    return meant[place] if place < len(meant) else None


def coordinates_of(type: str) -> list[str]:
    """What the coordinates of a type of joint are called."""
    return [name for name in NAMES if part_of(name) == "coordinate" and coordinate_called(name, type) is not None]


def coordinate_rows(joints: Mapping[str, str]) -> dict[str, range]:
    """The rows of the coordinates of each joint among those of all, in order; `joints` are types by path."""
    found, first = {}, 0
    for path, type in joints.items():
        found[path] = range(first, first + len(IS_ANGLE[type]))
        first = found[path].stop
    return found


def key_of(type: str, word: str, number: int) -> tuple[str | int, ...]:
    """The key of a scene under which a joint says something of one of its coordinates, and the place in its list if it
    has several: `motor`, or `motors`, 1. `start` means the coordinate at the start.
    """
    kinds = IS_ANGLE[type]
    if word == "start":
        word = "angle" if kinds[number] else "displacement"
        is_list = kinds.count(kinds[number]) > 1
    else:
        is_list = len(kinds) > 1
    return (word if word.endswith("s") else f"{word}s", number) if is_list else (word,)


def part_of(name: str) -> str:
    """What one of these names means: a coordinate, its rate, or what a motor does."""
    return PARTS[name.partition("_")[0]]


def coordinate_unit(name: str, type: str) -> str:
    """The unit of what one of these names means of a type of joint; L stands for the parent's unit of length."""
    units = {"coordinate": ("L", "rad"), "rate": ("L/s", "rad/s"), "motor": ("N", "N m")}
    return units[part_of(name)][IS_ANGLE[type][coordinate_called(name, type)]]


def has_length(name: str, type: str) -> bool:
    """Whether what one of these names means contains the parent's unit of length."""
    return coordinate_unit(name, type).startswith("L")


def without_joint(kind: str, path: str, what: str = "reactions") -> str:
    """The message about a body that is not on a joint."""
    return f"'{path}' is {kind}: only bodies on joints have {what}"


def without_coordinate(kind: str, path: str, type: str | None, name: str) -> str:
    """The message about a body that has no such coordinate: it is of another kind, or its joint of another type."""
    if type is None:
        return without_joint(kind, path, name)
    known = ", ".join(one for one in NAMES if coordinate_called(one, type) is not None)
    return f"the {type} joint of '{path}' has no {name}; {f'it has {known}' if known else 'its state is its rotation'}"


class Coordinate(NamedTuple):
    """One degree of freedom of a joint: an angle about an axis, or a displacement along it; rad or m, and s."""

    turns: bool  # whether it is an angle
    axis: tuple  # unit vector, in the body's axes at zero
    start: Any = 0.0  # at t = 0
    rate: Any = 0.0  # at t = 0
    stiffness: Any = 0.0  # of a spring in the joint: N m/rad or N/m
    rest: Any = 0.0  # the coordinate at which that spring is relaxed
    damping: Any = 0.0  # N m s/rad or N s/m
    law: Any = None  # torque or force of a motor, N m or N
    course: Any = None  # the coordinate as a function of time, if a motor prescribes it: rad, or the parent's lengths
    low: Any = -math.inf  # limits: stops
    high: Any = math.inf
    restitution: Any = 0.0  # of an impact at a limit
    friction: Any = 0.0  # dry friction, N m or N
    wanted: Any = 0.0  # rate that a motor wants
    largest: Any = 0.0  # the largest torque or force with which it does, N m or N; 0 without such a motor

    @property
    def has_modes(self) -> bool:
        """Whether it can be at a stop or held, so that it moves otherwise at one time than at another."""
        return bool(self.friction or self.largest or self.low > -math.inf or self.high < math.inf)


class Joint(NamedTuple):
    """How a jointed body hangs on its parent: from its pose at zero it is moved by one coordinate after the other,
    q_PB = q_0 exp(u1 x1 / 2) exp(u2 x2 / 2), each about the joint or along its axis as the ones before have turned it.
    A ball joint has no coordinates but the body's own rotation.
    """

    type: str  # one of those of `IS_ANGLE`
    position: tuple = ZERO  # pose in the parent with all coordinates zero
    orientation: tuple = NO_TURN
    at: tuple = ZERO  # the joint in the body's coordinates
    coordinates: tuple[Coordinate, ...] = ()
    stiffness: Any = 0.0  # of a ball joint: of a spring to the pose at zero, N m/rad
    damping: Any = 0.0  # of a ball joint, N m s/rad
    collide: bool = False  # whether the body can touch what it hangs on

    @property
    def starts(self) -> list[tuple[Any, Any]]:
        """The coordinates and their rates at t = 0."""
        return [(coordinate.start, coordinate.rate) for coordinate in self.coordinates]

    def moved(self, motion: Sequence[tuple[Any, Any]], scale: Any, metres: Any) -> tuple[tuple, tuple, tuple, tuple]:
        """(p_PB, q_PB, v_PB, omega_PB) from coordinates and their rates (x, x'), numbers or columns; rad and m, lengths
        of the result in units of the parent, which are `metres`. `scale` is the body's.
        """
        q, omega, p, v = self.orientation, ZERO, ZERO, ZERO
        for coordinate, (x, rate), (q, omega) in zip(self.coordinates, motion, self._turned(motion), strict=True):
            if not coordinate.turns:
                along = scaled(1.0 / metres, rotate(q, coordinate.axis))
                d = scaled(x, along)
                p, v = compose_position(p, d), compose_velocity(v, omega, d, scaled(rate, along))
        return self.held(q, omega, scale, p, v)

    def directions(self, motion: Sequence[tuple[Any, Any]]) -> list[tuple]:
        """The axes of the coordinates in the parent's axes, as those before have turned them."""
        return [rotate(q, one.axis) for one, (q, _) in zip(self.coordinates, self._turned(motion), strict=True)]

    def _turned(self, motion: Sequence[tuple[Any, Any]]) -> list[tuple]:
        """Orientation and angular velocity in the parent after each coordinate."""
        found, turned = [], (self.orientation, ZERO, ZERO)
        for coordinate, (x, rate) in zip(self.coordinates, motion, strict=True):
            if coordinate.turns:
                turned = turned_further(turned, coordinate.axis, (x, rate, 0.0))
            found.append(turned[:2])
        return found

    def held(self, q: tuple, omega: tuple, scale: Any, p: tuple = ZERO, v: tuple = ZERO) -> tuple:
        """(p_PB, q_PB, v_PB, omega_PB) of a body whose joint is displaced by p and has the velocity v, turned about the
        joint to q at the rate omega; all relative to the parent.
        """
        pivot, arm = stretch(self.orientation, scale, self.at), stretch(q, scale, self.at)
        origin = sub(compose_position(self.position, pivot), arm)
        return compose_position(origin, p), q, sub(v, cross(omega, arm)), omega
