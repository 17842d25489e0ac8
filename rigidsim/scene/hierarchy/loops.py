"""The loops of a scene on its tree, and how far they are from being closed at t = 0."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, count
from typing import Any, NamedTuple

from rigidsim.containers.optional import not_none
from rigidsim.physics.contact import tangents
from rigidsim.physics.loops import CLOSED, least_turned, swing_angle
from rigidsim.physics.quaternion import rotate, rotate_back
from rigidsim.physics.vector import add, cross, dot, norm, scaled, sub
from rigidsim.scene.hierarchy.nodes import Hierarchy, SceneNode, in_body_axes
from rigidsim.scene.hierarchy.start import Starts
from rigidsim.scene.schema.joints import JointAxis
from rigidsim.scene.schema.loops import AngleLoop, BodyLoop, Coupling, DistanceLoop, HingeLoop, Loop, SwingLoop
from rigidsim.scene.values.rotation import Vector, unit
from rigidsim.scene.values.vectors import ZERO
from rigidsim.tree.joints import IS_ANGLE, Coordinate, coordinate_called
from rigidsim.tree.motion import seen
from rigidsim.tree.nodes import Node, Tree

SLOW = 1e-6  # rad/s: a millionth of it is no rate but the rounding of what rests


class LoopClosure(NamedTuple):
    """A loop at t = 0. Vectors in the axes of the first body, m and s; there the second body has the rate omega."""

    loop: BodyLoop | AngleLoop
    first: SceneNode | None  # None is the world
    second: SceneNode | None
    way: Vector  # from the first point to the second
    rate: Vector  # of the way
    axis: Vector
    to_axis: Vector  # in the axes of the second body
    turned: Vector  # that axis in those of the first
    turn: tuple  # of the second body, relative to the first
    omega: Vector
    size: Any  # the largest of the lengths that the loop is made of, m; 1 if all are 0
    pace: Any  # the largest of the speeds of which the rate is the sum, m/s; at least that of turns in the world, that
    # of SLOW ones, and 1e-6 of that in the world

    @property
    def has_limits(self) -> bool:
        """Whether the loop holds nothing until what it measures is at a limit."""
        return getattr(self.loop, "stops", None) is not None

    @property
    def across(self) -> tuple[Vector, Vector]:
        """A direction of the second body at right angles to its axis, and the one that it is turned from by the least
        rotation between the axes, in the axes of the first.
        """
        across = tangents(self.to_axis)[0]
        return least_turned(self.turned, self.axis, rotate(self.turn, across)), across

    @property
    def measured(self) -> Any:
        """What has limits, m or rad."""
        if isinstance(self.loop, DistanceLoop):
            return norm(self.way)
        return swing_angle(self.axis, self.turned, ZERO, ZERO)[1] if isinstance(self.loop, SwingLoop) else 0.0

    @property
    def beyond(self) -> Any:
        """How far that is above the upper limit, or, negative, below the lower one."""
        low, high, _ = self.loop.stops  # type: ignore[union-attr]  # of loops with limits
        return max(self.measured - high, 0.0) + min(self.measured - low, 0.0)

    @property
    def length(self) -> Any:
        """The distance that is held, m; 0 of points that coincide."""
        if not isinstance(self.loop, DistanceLoop):
            return 0.0
        return norm(self.way) if self.loop.length is None else self.loop.length

    @property
    def gap(self) -> Any:
        """How far the points are from where they should be, m."""
        return abs(norm(self.way) - self.length)

    @property
    def speed(self) -> Any:
        """The rate at which they depart from there, m/s."""
        away = norm(self.way)
        is_directed = isinstance(self.loop, DistanceLoop) and away > 0.0
        return abs(dot(self.way, self.rate)) / away if is_directed else norm(self.rate)

    @property
    def angle(self) -> Any:
        """The sine of the angle between the two axes."""
        return norm(cross(self.axis, self.turned))

    @property
    def turning(self) -> Any:
        """The rate at which the second axis turns away from the first, rad/s."""
        return norm(cross(self.omega, self.axis)) if isinstance(self.loop, HingeLoop) else 0.0

    @property
    def opens(self) -> bool:
        """Whether the points of the loop move away from each other; a distance that has limits may change."""
        return not self.has_limits and bool(self.speed > CLOSED * self.pace)

    @property
    def turns_away(self) -> bool:
        """Whether the axes of the loop turn away from each other."""
        return bool(self.turning > CLOSED * max(norm(self.omega), SLOW))

    def rates(self) -> Iterator[Any]:
        """The rates at which the loop opens, which are linear in those of the coordinates."""
        if self.has_limits:
            return
        if isinstance(self.loop, DistanceLoop):
            yield dot(self.way, self.rate) / norm(self.way)
            return
        yield from self.rate
        if isinstance(self.loop, HingeLoop):
            yield from cross(self.omega, self.axis)

    def gaps(self) -> Iterator[Any]:
        """The gaps of the loop in parts of its size, and those of its axes; how far it is beyond a limit."""
        if self.has_limits:
            yield self.beyond / (self.size if isinstance(self.loop, DistanceLoop) else 1.0)
            return
        if isinstance(self.loop, DistanceLoop):
            yield (norm(self.way) - self.length) / self.size
            return
        yield from (x / self.size for x in self.way)
        if isinstance(self.loop, HingeLoop):
            yield from cross(self.axis, self.turned)


class Coupled(NamedTuple):
    """A coupling of two coordinates at t = 0, rad or m, and s."""

    loop: Coupling
    first: SceneNode
    second: SceneNode
    numbers: tuple[int, int]  # of the coordinates in their joints

    @property
    def coordinates(self) -> tuple[Coordinate, Coordinate]:
        """Both coordinates."""
        a, b = self.numbers
        return not_none(self.first.joint).coordinates[a], not_none(self.second.joint).coordinates[b]

    @property
    def metres(self) -> tuple[Any, Any]:
        """What the unit is in which each coordinate is written, rad or m."""
        first, second = self.coordinates
        return 1.0 if first.turns else self.first.parent_metres, 1.0 if second.turns else self.second.parent_metres

    @property
    def ratio(self) -> Any:
        """Of the second coordinate to the first, rad or m."""
        first, second = self.metres
        return self.loop.ratio * second / first

    @property
    def length(self) -> Any:
        """The second coordinate where the first one is zero, rad or m."""
        given = self.loop.displacement if self.loop.angle is None else self.loop.angle
        return self._departure if given is None else self.metres[1] * given

    @property
    def _departure(self) -> Any:
        """The second coordinate less the ratio times the first."""
        first, second = self.coordinates
        return second.start - self.ratio * first.start

    @property
    def size(self) -> Any:
        """The rad or m of which gaps are parts."""
        first, second = self.coordinates
        if second.turns:
            return 1.0
        return abs(self.ratio) if first.turns else max(abs(second.start), abs(self.length)) or 1.0

    @property
    def gap(self) -> Any:
        """How far the second coordinate is from where it should be, rad or m."""
        return abs(self._departure - self.length)

    @property
    def speed(self) -> Any:
        """The rate at which it departs from there, rad/s or m/s."""
        return abs(next(self.rates()))

    @property
    def opens(self) -> bool:
        """Whether the rates do not fit together."""
        first, second = self.coordinates
        return bool(self.speed > CLOSED * max(abs(second.rate), abs(self.ratio * first.rate), SLOW))

    @property
    def turns_away(self) -> bool:
        """Whether axes do not fit together: there are none."""
        return False

    def rates(self) -> Iterator[Any]:
        """The rate of the gap, which is linear in those of the coordinates."""
        first, second = self.coordinates
        yield second.rate - self.ratio * first.rate

    def gaps(self) -> Iterator[Any]:
        """The gap in parts of its size."""
        yield (self._departure - self.length) / self.size


def loop_closures(hierarchy: Hierarchy, starts: Starts) -> Iterator[LoopClosure | Coupled]:
    """The loops of a scene, whose bodies are known, in the order of the file."""
    for loop in hierarchy.scene.world.loops:
        if isinstance(loop, Coupling):
            yield _coupled(loop, hierarchy)
        elif isinstance(loop, BodyLoop | AngleLoop):
            yield _closing(loop, hierarchy, starts)


def coupled_numbers(loop: Coupling, types: Sequence[str]) -> list[int | None]:
    """The numbers of the coordinates that a coupling has, in joints of these types; None for one that is not there."""
    if loop.coordinates is not None:
        return [coordinate_called(name, type) for name, type in zip(loop.coordinates, types, strict=True)]
    return [0 if len(IS_ANGLE[type]) == 1 else None for type in types]


def _coupled(loop: Coupling, hierarchy: Hierarchy) -> Coupled:
    first, second = (hierarchy[path] for path in loop.between)
    a, b = coupled_numbers(loop, [not_none(first.joint).type, not_none(second.joint).type])
    assert a is not None and b is not None
    return Coupled(loop, first, second, (a, b))


def _closing(loop: BodyLoop | AngleLoop, hierarchy: Hierarchy, starts: Starts) -> LoopClosure:
    frames = [hierarchy.frame_of(path) for path in loop.between]
    nodes, metres = [hierarchy.node(frame) for frame in frames], [hierarchy.metres(frame) for frame in frames]

    def link(node: Node) -> tuple:
        motion = starts[node.frame]
        return (node.position, node.orientation, node.scale), motion.local_v, motion.local_omega

    p, q, v, omega = seen(hierarchy, frames[1], frames[0], link)
    at, to_at = scaled(metres[0], loop.at), rotate(q, scaled(metres[1], loop.to_at))
    axis = _axis(getattr(loop, "axis", None), nodes[0], starts)
    to_axis = getattr(loop, "to_axis", None)
    to_axis = _axis(to_axis, nodes[1], starts) if to_axis else rotate_back(q, axis)
    reaches = [norm(scaled(metres[k], x)) for k, x in enumerate((loop.at, loop.to_at)) if nodes[k]]
    swept, paces = cross(omega, to_at), [norm(starts[frame].v) for frame in frames]
    turns = [norm(starts[frame].omega) for frame in frames]
    places = [norm(scaled(node.parent_metres, node.position)) for node in nodes if node]
    size = max(*reaches, *places, getattr(loop, "length", None) or 0.0) or 1.0
    return LoopClosure(
        loop=loop,
        first=nodes[0],
        second=nodes[1],
        way=sub(add(scaled(metres[0], p), to_at), at),
        rate=add(scaled(metres[0], v), swept),
        axis=axis,
        to_axis=to_axis,
        turned=rotate(q, to_axis),
        turn=q,
        omega=omega,
        size=size,
        pace=max(norm(scaled(metres[0], v)), norm(swept), size * max(*turns, SLOW), 1e-6 * max(paces)),
    )


def _axis(axis: JointAxis | None, node: SceneNode | None, starts: Starts) -> Vector:
    """A unit axis in the axes of its body."""
    if axis is None:
        return (0.0, 0.0, 1.0)
    if node is None:
        return unit(axis.value)
    return in_body_axes(axis, node.orientation, starts[node.parent].q)


def ends_on(tree: Tree, loops: Sequence[Loop]) -> set[int]:
    """The numbers of the moved bodies on which loops have ends."""
    named = (tree.get(path) for loop in loops for path in loop.between)
    moved_bases = (tree.moved_base(node) for node in named if node is not None)
    return {moved_base.index for moved_base in moved_bases if moved_base is not None}


def joined_frames(hierarchy: Hierarchy) -> list[tuple[int, int]]:
    """The frames of the ends of loops whose bodies do not collide."""
    loops = (loop for loop in hierarchy.scene.world.loops if not loop.collides)
    return [(hierarchy.frame_of(one), hierarchy.frame_of(other)) for one, other in (loop.between for loop in loops)]


def loop_names(loops: Sequence[Loop]) -> list[str]:
    """The names of loops: those that are given; of the others both ends, with a number where several
    would have one name.
    """
    names = [loop.name for loop in loops]
    for index, loop in enumerate(loops):
        if loop.name is None:
            ends = "-".join(loop.between)
            numbered = (f"{ends}-{number}" for number in count(2))
            names[index] = next(name for name in chain([ends], numbered) if name not in names)
    return [name for name in names if name is not None]
