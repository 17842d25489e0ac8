"""The loops of a scene on its tree, and how far they are from being closed at t = 0."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, count
from typing import Any, NamedTuple

from rigidsim.physics.quaternion import rotate, rotate_back
from rigidsim.physics.vector import add, cross, dot, norm, scaled, sub
from rigidsim.scene.hierarchy.nodes import Hierarchy, SceneNode, in_body_axes
from rigidsim.scene.hierarchy.start import Starts
from rigidsim.scene.schema.joints import JointAxis
from rigidsim.scene.schema.loops import DistanceLoop, HingeLoop, Loop
from rigidsim.scene.values.rotation import Vector, unit
from rigidsim.tree.motion import seen
from rigidsim.tree.nodes import Tree

SLOW = 1e-6  # rad/s: a millionth of it is no rate but the rounding of what rests


class Closing(NamedTuple):
    """A loop at t = 0. Vectors in the axes of the first body, m and s; there the second body has the rate omega."""

    loop: Loop
    first: SceneNode | None  # None is the world
    second: SceneNode | None
    way: Vector  # from the first point to the second
    rate: Vector  # of the way
    axis: Vector
    to_axis: Vector  # in the axes of the second body
    turned: Vector  # that axis in those of the first
    omega: Vector
    size: Any  # the largest of the lengths that the loop is made of, m; 1 if all are 0
    pace: Any  # the largest of the speeds of which the rate is the sum, m/s; at least that of turns in the world, that
    # of SLOW ones, and 1e-6 of that in the world

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


def closings(hierarchy: Hierarchy, starts: Starts) -> Iterator[Closing]:
    """The loops of a scene, whose bodies are known, in the order of the file."""
    for loop in hierarchy.scene.world.loops:
        yield _closing(loop, hierarchy, starts)


def _closing(loop: Loop, hierarchy: Hierarchy, starts: Starts) -> Closing:
    frames = [hierarchy.frame_of(path) for path in loop.between]
    nodes, metres = [hierarchy.node(frame) for frame in frames], [hierarchy.metres(frame) for frame in frames]

    def link(node: SceneNode) -> tuple:
        motion = starts[node.frame]
        return (node.position, node.orientation, node.scale), motion.local_v, motion.local_omega

    p, q, v, omega = seen(hierarchy, frames[1], frames[0], link)
    at, to_at = scaled(metres[0], loop.at), rotate(q, scaled(metres[1], loop.to_at))
    axis = _axis(getattr(loop, "axis", None), nodes[0], starts)
    to_axis = rotate_back(q, axis) if not getattr(loop, "to_axis", None) else _axis(loop.to_axis, nodes[1], starts)
    reaches = [norm(scaled(metres[k], x)) for k, x in enumerate((loop.at, loop.to_at)) if nodes[k]]
    swept, paces = cross(omega, to_at), [norm(starts[frame].v) for frame in frames]
    turns = [norm(starts[frame].omega) for frame in frames]
    places = [norm(scaled(node.parent_metres, node.position)) for node in nodes if node]
    size = max(*reaches, *places, getattr(loop, "length", None) or 0.0) or 1.0
    return Closing(
        loop=loop,
        first=nodes[0],
        second=nodes[1],
        way=sub(add(scaled(metres[0], p), to_at), at),
        rate=add(scaled(metres[0], v), swept),
        axis=axis,
        to_axis=to_axis,
        turned=rotate(q, to_axis),
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
    carriers = (tree.carrier(node) for node in named if node is not None)
    return {carrier.index for carrier in carriers if carrier is not None}


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
    return names
