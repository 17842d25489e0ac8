"""Joints of the tree: how a body hangs on its parent, and its motion there as a function of the joint's coordinates."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from rigidsim.physics.elementary import arc_tangent
from rigidsim.physics.frames import compose_position, compose_velocity, stretch
from rigidsim.physics.prescribed import turned_further
from rigidsim.physics.quaternion import canonical, conjugate, product, rotate
from rigidsim.physics.vector import cross, dot, norm, rejection, scaled, sub

ZERO, NO_TURN = (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0)
Body = TypeVar("Body", bound=Hashable)

TURN, SLIDE, SCREW, ATTITUDE, CONTENT = "turn", "slide", "screw", "attitude", "content"
"""How a body moves: by an angle about an axis, by a displacement along it, by an angle with a displacement in
proportion, or by any rotation about the joint. A content moves nothing: it is the mass of the body.
"""
MOTIONS = {
    "hinge": (TURN,),
    "slide": (SLIDE,),
    "screw": (SCREW,),
    "ball": (ATTITUDE,),
    "universal": (TURN, TURN),
    "cylindrical": (SLIDE, TURN),
    "planar": (SLIDE, SLIDE, TURN),
    "weld": (),
    "tank": (CONTENT,),
}
"""The types of joints: the motions that each allows, in the order in which they move the body."""
IS_ANGLE = {
    type: tuple(one not in (SLIDE, CONTENT) for one in ones if one != ATTITUDE) for type, ones in MOTIONS.items()
}
"""Of each type, whether its coordinates are angles."""


OF_TANKS = MASS, FLOW = ("mass", "flow")
"""What the coordinate of a tank, its mass, and the rate of that are called; the loads make the rate."""
PARTS = {
    "angle": "coordinate", "displacement": "coordinate", MASS: "coordinate", "rate": "rate", FLOW: "rate",
    "motor": "motor",
}  # fmt: skip
"""What is known of a coordinate, by the first word of its names."""
NAMES = (
    "angle",
    "angle_2",
    "displacement",
    "displacement_2",
    *(f"{word}{n}" for word in ("rate", "motor") for n in ("", "_2", "_3")),
    *OF_TANKS,
)
"""What coordinates, their rates and what motors do are called; the second of a kind has a number."""


def coordinate_called(name: str, type: str) -> int | None:
    """The number of the coordinate that one of these names is about, in a type of joint; None if it has none."""
    if (name in OF_TANKS) != (CONTENT in MOTIONS[type]):
        return None
    if name in OF_TANKS:
        return 0
    word, _, number = name.partition("_")
    meant = [k for k, turns in enumerate(IS_ANGLE[type]) if part_of(name) != "coordinate" or turns == (word == "angle")]
    place = int(number or 1) - 1
    return meant[place] if place < len(meant) else None


def coordinate_number(name: str, type: str) -> int:
    """The number of the coordinate that one of these names is about, in a type of joint that has it."""
    found = coordinate_called(name, type)
    assert found is not None
    return found


def coordinates_of(type: str) -> list[str]:
    """What the coordinates of a type of joint are called."""
    return [name for name in NAMES if part_of(name) == "coordinate" and coordinate_called(name, type) is not None]


def coordinate_rows(types: Mapping[Body, str]) -> dict[Body, range]:
    """The places of the coordinates of each body among all, given the types of joints of the bodies that are ever on
    one, in the order of the file.
    """
    found, first = {}, 0
    for body, type in types.items():
        found[body] = range(first, first + len(IS_ANGLE[type]))
        first = found[body].stop
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
    if name in OF_TANKS:
        return "kg" if name == MASS else "kg/s"
    units = {"coordinate": ("L", "rad"), "rate": ("L/s", "rad/s"), "motor": ("N", "N m")}
    return units[part_of(name)][IS_ANGLE[type][coordinate_number(name, type)]]


def has_length(name: str, type: str) -> bool:
    """Whether what one of these names means contains the parent's unit of length."""
    return coordinate_unit(name, type).startswith("L")


def without_joint(kind: str, path: str) -> str:
    """The message about a body that is not on a joint."""
    return f"'{path}' is {kind}, not on a joint"


def changing_mass(path: str, what: str) -> str:
    """The message about an energy or a momentum of a tank alone."""
    return f"the mass of the tank '{path}' changes; in this version its {what} are known as part of those of the run"


def without_coordinate(kind: str, path: str, type: str | None, name: str) -> str:
    """The message about a body that has no such coordinate: it is of another kind, or its joint of another type."""
    if type is None and name in OF_TANKS:
        return f"'{path}' is {kind}, not a tank, so its mass does not change"
    if type is None:
        return f"{without_joint(kind, path)}, so it has no {name}"
    known = ", ".join(one for one in NAMES if coordinate_called(one, type) is not None)
    if not known:
        known = "its state is its rotation" if ATTITUDE in MOTIONS[type] else "it does not move"
        return f"the {type} joint of '{path}' has no {name}; {known}"
    return f"the {type} joint of '{path}' has no {name}; it has {known}"


class Coordinate(NamedTuple):
    """One degree of freedom of a joint: an angle about an axis, or a displacement along it; rad or m, and s. That of a
    screw is an angle.
    """

    turns: bool  # whether it is an angle
    axis: tuple  # unit vector, in the body's axes at zero
    start: Any = 0.0  # at t = 0
    rate: Any = 0.0  # at t = 0
    stiffness: Any = 0.0  # of a spring in the joint: N m/rad or N/m
    rest: Any = 0.0  # the coordinate at which that spring is relaxed
    damping: Any = 0.0  # N m s/rad or N s/m
    law: Any = None  # torque or force of a motor, N m or N
    desired: Any = None  # a function of time that a motor prescribes or follows: rad, or the parent's lengths
    low: Any = -math.inf  # limits: stops
    high: Any = math.inf
    restitution: Any = 0.0  # of an impact at a limit
    friction: Any = 0.0  # dry friction, N m or N
    wanted: Any = 0.0  # rate that a motor wants
    armature: Any = 0.0  # inertia of a rotor that turns with the coordinate, kg m^2 or kg
    lead: Any = None  # of a screw: what it displaces along the axis, m/rad
    largest: Any = 0.0  # the largest torque or force with which it does, N m or N; 0 without such a motor
    tracking: Any = 0.0  # of a servo that wants a rate: one over the time constant of its error, 1/s
    servo_stiffness: Any = 0.0  # of a servo that exerts a torque: N m/rad or N/m
    servo_damping: Any = 0.0  # N m s/rad or N s/m
    servo_limit: Any = 0.0  # the largest torque or force of these, N m or N
    holds: bool = False  # whether it is the mass of the body, which moves nothing; its axis is zero

    @property
    def is_prescribed(self) -> bool:
        """Whether a motor alone says how it moves, whatever that takes."""
        return self.desired is not None and not (self.largest or self.servo_limit)

    @property
    def tracks(self) -> bool:
        """Whether a servo wants a rate that brings it to a function of time."""
        return self.desired is not None and bool(self.largest)

    @property
    def slides(self) -> bool:
        """Whether it displaces the body along the axis."""
        return not self.turns or self.lead is not None

    @property
    def advance(self) -> Any:
        """What a unit of it displaces along the axis, m."""
        return (self.lead if self.turns else 1.0) if self.slides else 0.0

    @property
    def has_modes(self) -> bool:
        """Whether it can be at a stop or held, so that it moves otherwise at one time than at another."""
        return bool(self.friction or self.largest or self.low > -math.inf or self.high < math.inf)

    def within(self, x: float) -> float:
        """The value nearest to x, rad or m, that the limits allow."""
        return min(max(x, self.low), self.high)


class Joint(NamedTuple):
    """How a jointed body hangs on its parent: from its pose at zero it is moved by one coordinate after the other,
    q_PB = q_0 exp(u1 x1 / 2) exp(u2 x2 / 2), each about the joint or along its axis as the ones before have turned it.
    A ball joint has no coordinates but the body's own rotation, a weld none at all. Of a joint that is made during the
    run, position or orientation may be None: those for which the coordinates are zero then, see `beginning`.
    """

    type: str  # one of those of `IS_ANGLE`
    position: tuple | None = ZERO  # pose in the parent with all coordinates zero
    orientation: tuple | None = NO_TURN
    at: tuple = ZERO  # the joint in the body's coordinates
    coordinates: tuple[Coordinate, ...] = ()
    stiffness: Any = 0.0  # of a ball joint: of a spring to the pose at zero, N m/rad
    damping: Any = 0.0  # of a ball joint, N m s/rad
    breaks: tuple = ()  # the largest force, N, and torque about the joint, N m, that it bears; empty if it never breaks
    collide: bool = False  # whether the body can touch what it hangs on

    @property
    def has_attitude(self) -> bool:
        """Whether the rotation of its body is any, and a state of its own."""
        return ATTITUDE in MOTIONS[self.type]

    @property
    def has_begun(self) -> bool:
        """Whether its pose at zero is known."""
        return self.position is not None and self.orientation is not None

    @property
    def starts(self) -> list[tuple[Any, Any]]:
        """The coordinates and their rates at t = 0."""
        return [(coordinate.start, coordinate.rate) for coordinate in self.coordinates]

    @property
    def is_tank(self) -> bool:
        """Whether its coordinate is the mass of its body."""
        return CONTENT in MOTIONS[self.type]

    @property
    def has_loads(self) -> bool:
        """Whether a spring, a damper, friction, a stop or a motor acts in the joint."""
        acts = (one.stiffness or one.damping or one.law is not None for one in self.coordinates)
        return bool(self.stiffness or self.damping or any(acts) or self.has_modes)

    @property
    def has_modes(self) -> bool:
        """Whether any of its coordinates has modes."""
        return any(one.has_modes for one in self.coordinates)

    def moved(self, motion: Sequence[tuple[Any, Any]], scale: Any, metres: Any) -> tuple[tuple, tuple, tuple, tuple]:
        """(p_PB, q_PB, v_PB, omega_PB) from coordinates and their rates (x, x'), numbers or columns; rad and m, lengths
        of the result in units of the parent, which are `metres`. `scale` is the body's.
        """
        q, omega, p, v = self.orientation, ZERO, ZERO, ZERO
        for coordinate, (x, rate), (q, omega) in zip(self.coordinates, motion, self._turned(motion), strict=True):
            if coordinate.slides:
                along = scaled(coordinate.advance / metres, rotate(q, coordinate.axis))
                d = scaled(x, along)
                p, v = compose_position(p, d), compose_velocity(v, omega, d, scaled(rate, along))
        assert q is not None
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

    def beginning(self, p: tuple, q: tuple, motion: Sequence[tuple[Any, Any]], scale: Any, metres: Any) -> Joint:
        """The joint with the pose at zero for which its body has the pose (p, q) in the parent at these coordinates, as
        far as that pose is not given; p in units of the parent.
        """
        found = self
        if self.orientation is None:
            turned = self._replace(position=ZERO, orientation=NO_TURN)._turned(motion)
            found = self._replace(orientation=product(q, conjugate(turned[-1][0] if turned else NO_TURN)))
        if self.position is None:
            found = found._replace(position=ZERO)
            found = found._replace(position=sub(p, found._origin(q, motion, scale, metres)))
        return found

    def coordinates_at(self, p: tuple, q: tuple, scale: float, metres: float) -> list[float]:
        """The coordinates for which the pose (p, q) in the parent comes nearest to one that the joint allows, angles
        from -pi to pi: displacements of the joint along the axes, and the twist about each axis that brings the next
        one, or the body, where it is; of a screw with as many turns as the displacement says; of what is beyond a
        limit, that limit.
        """
        displaced, found = sub(p, self.held(q, ZERO, scale)[0]), []
        for one, angle in zip(self.coordinates, self.angles_at(q), strict=True):
            along = metres * dot(displaced, rotate(self.orientation, one.axis)) if one.slides else 0.0
            if one.lead:
                angle = angle + 2.0 * math.pi * round((along / one.lead - angle) / (2.0 * math.pi))
            found.append(one.within(angle if one.turns else along))
        return found

    def angles_at(self, q: tuple) -> list[float]:
        """Likewise those of the coordinates that are angles, from -pi to pi, whatever their limits; 0 of the others."""
        left, found = canonical(product(conjugate(self.orientation), q)), []
        for k, one in enumerate(self.coordinates):
            if not one.turns:
                found.append(0.0)
                continue
            w, x, y, z = left
            angle = 2.0 * arc_tangent(dot((x, y, z), one.axis), w)
            if k + 1 < len(self.coordinates):
                next_axis = self.coordinates[k + 1].axis
                here, there = rejection(one.axis, next_axis), rejection(one.axis, rotate(left, next_axis))
                angle = arc_tangent(dot(one.axis, cross(here, there)), dot(here, there))
            found.append(angle)
            back = self._replace(orientation=NO_TURN, coordinates=(one,))._turned([(-angle, 0.0)])
            left = canonical(product(back[0][0], left))
        return found

    def gap(self, p: tuple, q: tuple, found: Sequence[float], scale: float, metres: float) -> tuple[float, float]:
        """What is left between the pose (p, q) and that at these coordinates: m and rad."""
        motion = [(x, 0.0) for x in found]
        there = q if self.has_attitude else self.moved(motion, scale, metres)[1]
        _, x, y, z = product(conjugate(there), q)
        return metres * norm(sub(p, self._origin(q, motion, scale, metres))), 2.0 * norm((x, y, z))

    def _origin(self, q: tuple, motion: Sequence[tuple[Any, Any]], scale: Any, metres: Any) -> tuple:
        """The origin of the body when it is turned to q, and the joint displaced as these coordinates say."""
        displaced, turned = ZERO, self._turned(motion)
        for one, (x, _), (q_here, _) in zip(self.coordinates, motion, turned, strict=True):
            if one.slides:
                along = one.advance * x / metres
                displaced = compose_position(displaced, scaled(along, rotate(q_here, one.axis)))
        return self.held(q, ZERO, scale, displaced)[0]
