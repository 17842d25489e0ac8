"""What holds bodies, for pictures: joints, and the rods, springs and dampers between points of two bodies."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from rigidsim.engine.assembly.site import Site
from rigidsim.engine.laws.declaration import COIL, DASHPOT
from rigidsim.engine.laws.registry import BY_NAME
from rigidsim.physics.quaternion import rotate
from rigidsim.physics.vector import add, scaled
from rigidsim.scene.hierarchy.loops import loop_closures
from rigidsim.scene.hierarchy.nodes import Hierarchy
from rigidsim.scene.hierarchy.start import Starts
from rigidsim.scene.schema.loops import BodyLoop, DistanceLoop, HingeLoop, PointLoop
from rigidsim.scene.values.rotation import Vector
from rigidsim.tree.history import History
from rigidsim.tree.joints import Joint
from rigidsim.tree.nodes import Node
from rigidsim.views.poses import WORLD_ROW

ROD = "rod"
COILS, LEADS = 7, 0.15
"""Of a spring: its turns, and the straight part at each end relative to its length."""


def _zigzag() -> list[tuple[float, float]]:
    turns = [(LEADS + (1 - 2 * LEADS) * (k + 0.5) / (2 * COILS), 1.0 - 2.0 * (k % 2)) for k in range(2 * COILS)]
    return [(0.0, 0.0), (LEADS, 0.0), *turns, (1.0 - LEADS, 0.0), (1.0, 0.0)]


SYMBOLS = {
    ROD: [[(0.0, 0.0), (1.0, 0.0)]],
    COIL: [_zigzag()],
    DASHPOT: [
        [(0.0, 0.0), (0.5, 0.0)],
        [(0.5, 0.7), (0.5, -0.7)],  # the piston
        [(0.36, 1.0), (0.62, 1.0), (0.62, -1.0), (0.36, -1.0)],  # the cylinder
        [(0.62, 0.0), (1.0, 0.0)],
    ],
}
"""How each kind of link is drawn: lines through points, of which the first number is the part of the way from one end
to the other, and the second the distance from the straight line, relative to half the width of the symbol.
"""


def is_between(time: float, begin: float, until: float | None) -> bool:
    """Whether a time is within a span, which ends never if `until` is None."""
    return begin <= time and (until is None or time < until)


class ShownJoint(NamedTuple):
    """A joint, or a loop that is one, from one time (s) to another, None if to the end: its point (m) and an axis, of a
    ball joint and a weld None, in the axes of the body `on`, which is `body` or what that hangs on.
    """

    body: int
    on: int
    point: Vector
    axis: Vector | None
    begin: float
    until: float | None

    def is_there(self, time: float) -> bool:
        """Whether it is there at a time (s)."""
        return is_between(time, self.begin, self.until)


class ShownLink(NamedTuple):
    """A line between a point (m) of a body and a point of another, or of the same, in their axes, from one time (s) to
    another, None if to the end. A rod of one body goes from its centre of mass to where something holds it.
    """

    kind: str
    body: int
    point: Vector
    other: int
    other_point: Vector
    begin: float
    until: float | None

    def is_there(self, time: float) -> bool:
        """Whether it is there at a time (s)."""
        return is_between(time, self.begin, self.until)

    @property
    def ends(self) -> tuple[tuple[int, Vector], tuple[int, Vector]]:
        """Its points, each with its body."""
        return (self.body, self.point), (self.other, self.other_point)


def links_of(hierarchy: Hierarchy, history: History, shown: set[int]) -> tuple[list[ShownJoint], list[ShownLink]]:
    """The joints and links of bodies that are shown, of a scene with this history."""
    joints = [*_joints(history), *_loop_joints(hierarchy)]
    held = [*_from_zero(history), *_loops(hierarchy)]
    forces = list(_forces(hierarchy))
    links = [*(link for has_length, link in held if has_length), *forces]
    links += _arms(hierarchy, joints, [*(link for _, link in held), *forces])
    known = shown | {WORLD_ROW}
    return (
        [joint for joint in joints if {joint.body, joint.on} <= known],
        [link for link in links if {link.body, link.other} <= known],
    )


def _jointed(history: History) -> Iterator[tuple[Node, Joint, float, float | None]]:
    """Each body on a joint, with the joint, and from when to when (s) it hangs there."""
    places = {row: [(0.0, node)] for row, node in enumerate(history[0])}
    for change in history.changes:
        places[change.body].append((change.time, history.at(change.time).nodes[change.body]))
    for held in places.values():
        for (begin, node), until in zip(held, [*(time for time, _ in held[1:]), None], strict=True):
            if node.joint is not None:
                yield node, node.joint, begin, until


def _joints(history: History) -> Iterator[ShownJoint]:
    """Axes about which bodies turn, or else slide. The first of two is fixed in the parent; it is left out where the
    pose at zero is not given.
    """
    for node, joint, begin, until in _jointed(history):
        point, coordinates = scaled(node.metres, joint.at), joint.coordinates
        axes: list[tuple | None] = [one.axis for one in coordinates if one.turns]
        axes = axes or [one.axis for one in coordinates] or [None]
        yield ShownJoint(node.index, node.index, point, axes[-1], begin, until)
        for axis in axes[:-1] if joint.has_begun else ():
            turned = rotate(joint.orientation, axis)
            yield ShownJoint(node.index, node.parent - 1, _place(node, joint), turned, begin, until)


def _from_zero(history: History) -> Iterator[tuple[bool, ShownLink]]:
    """For each joint the line from where its point is at zero, in what it hangs on, to that point on the body, and
    whether it has a length: joints that only turn have none.
    """
    for node, joint, begin, until in _jointed(history):
        if joint.has_begun:
            point = scaled(node.metres, joint.at)
            slides = not all(one.turns for one in joint.coordinates)
            yield slides, ShownLink(ROD, node.parent - 1, _place(node, joint), node.index, point, begin, until)


def _place(node: Node, joint: Joint) -> Vector:
    """The point of a joint at zero in what it hangs on, m."""
    point = rotate(joint.orientation, scaled(node.metres, joint.at))
    return add(scaled(node.parent_metres, joint.position), point)


def _loop_joints(hierarchy: Hierarchy) -> Iterator[ShownJoint]:
    """The points that loops hold together."""
    for closing in loop_closures(hierarchy, Starts(hierarchy)):
        if isinstance(closing.loop, PointLoop | HingeLoop):
            row, point = _point(hierarchy, closing.loop.between[0], closing.loop.at)
            axis = closing.axis if isinstance(closing.loop, HingeLoop) else None
            yield ShownJoint(row, row, point, axis, 0.0, None)


def _loops(hierarchy: Hierarchy) -> Iterator[tuple[bool, ShownLink]]:
    """For each loop the line between its points, and whether it has a length."""
    for loop in hierarchy.scene.world.loops:
        if not isinstance(loop, BodyLoop):
            continue  # of a coupling the joints are drawn
        ends = zip(loop.between, (loop.at, loop.to_at), strict=True)
        (first, at), (second, to_at) = (_point(hierarchy, path, point) for path, point in ends)
        yield isinstance(loop, DistanceLoop), ShownLink(ROD, first, at, second, to_at, 0.0, None)


def _forces(hierarchy: Hierarchy) -> Iterator[ShownLink]:
    for node in hierarchy:
        for force in node.body.forces:
            if symbol := BY_NAME[force.type].symbol:
                begin, until = force.during or (0.0, None)
                ends = _point(hierarchy, node.path, force.at), _point(hierarchy, force.to, force.to_at)
                (one, at), (other, to_at) = ends
                yield ShownLink(symbol, one, at, other, to_at, begin, until)


def _point(hierarchy: Hierarchy, path: str, at: Any) -> tuple[int, Vector]:
    """The row of a body, and a point of it (m) that is given in its coordinates; by default where forces act."""
    frame = hierarchy.frame_of(path)
    if at is None:
        found = Site(hierarchy, frame).end()
        return found.frame - 1, found.point
    return frame - 1, scaled(hierarchy.metres(frame), at)


def _arms(hierarchy: Hierarchy, joints: list[ShownJoint], links: list[ShownLink]) -> Iterator[ShownLink]:
    """From the centre of mass of each body to all that holds it, or hangs on it. What rests in the world has none."""
    ends = [(joint.on, joint.point, joint.begin, joint.until) for joint in joints]
    ends += [(*end, link.begin, link.until) for link in links for end in link.ends]
    for row, point, begin, until in dict.fromkeys(ends):
        if row != WORLD_ROW and hierarchy.base(hierarchy.nodes[row]) is not None:
            node = hierarchy.nodes[row]
            centre = scaled(node.metres, node.center)
            if centre != point:
                yield ShownLink(ROD, row, centre, row, point, begin, until)
