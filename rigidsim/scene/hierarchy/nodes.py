"""The tree of a scene at t = 0, which all else takes it from: checks, warnings, the compiler; and its history."""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

from rigidsim.containers.optional import not_none
from rigidsim.physics.quaternion import product, rotate, rotate_back
from rigidsim.physics.vector import dot, norm, scaled
from rigidsim.scene.hierarchy.mass import own_mass
from rigidsim.scene.schema.body import Body, Mount
from rigidsim.scene.schema.joints import JointAxis
from rigidsim.scene.schema.scene import Reparenting, SceneData
from rigidsim.scene.text.document import Path
from rigidsim.scene.values.rotation import IDENTITY, Quaternion, Vector, unit
from rigidsim.scene.values.vectors import FramedVector, PrescribedVector
from rigidsim.tree.history import History, TreeChange, in_order, instant_of
from rigidsim.tree.joints import Joint, key_of
from rigidsim.tree.nodes import ZERO, Node, Tree, preorder
from rigidsim.tree.prescribed import Columns, Prescribed

BARE = [field.name for field in fields(Node)]
"""What a node has apart from what the scene says of it."""
STILL = ((1.0, 0.0, 0.0), 0.0)
"""An axis and an angle, in place of a turn that is left out."""


@dataclass(eq=False, kw_only=True, slots=True)
class SceneNode(Node):
    """A node of a scene, with its location in the file and its body. Its mass is known in a tree that is `weighed`."""

    place: Path
    body: Body
    prescribed: Prescribed | None

    def given(self, key: str) -> bool:
        """Whether the scene has this key, rather than its default."""
        return key in self.body.model_fields_set

    def in_joint(self, word: str, number: int) -> Path:
        """Where the body says something of a coordinate of its joint; see `key_of`."""
        return ("motion", not_none(self.joint).type, *key_of(not_none(self.joint).type, word, number))

    def motion_at(self, time: Any) -> Columns:
        """The motion relative to the parent at some times (s), as far as it follows from the scene: of a fixed or
        prescribed node, until it is reparented.
        """
        if self.prescribed is not None:
            return self.prescribed.at(time)
        if self.is_moved():
            return {}
        return {"position": self.position, "orientation": self.orientation, "velocity": ZERO, "angular_velocity": ZERO}


class Hierarchy(Tree[SceneNode]):
    """The tree of a scene at t = 0, with the scene."""

    def __init__(self, scene: SceneData, nodes: Sequence[SceneNode]):
        super().__init__(preorder(nodes))
        self.scene = scene
        self.starts: dict[int, Any] = {}  # what `Starts` has found

    @classmethod
    def of_scene(cls, scene: SceneData) -> Hierarchy:
        """The tree of a scene of which each part is valid on its own."""
        nodes: dict[str, SceneNode] = {}
        turns: dict[str | None, Quaternion] = {None: IDENTITY}  # of each body in the world
        for path, body, above in scene.walk():
            node = _node(len(nodes), path, body, nodes[above] if above else None, turns[above])
            nodes[path], turns[path] = node, product(turns[above], node.orientation)
            if scene.world.normal:
                nodes[path] = replace(node, normal=rotate_back(turns[path], scene.world.normal))
        return cls(scene, list(nodes.values()))

    def weighed(self) -> Hierarchy:
        """The same tree with the mass of each node; all that the scene says about masses is valid."""
        return Hierarchy(self.scene, [_weighed(node) for node in self])

    def bare(self) -> Tree:
        """The same tree without what the scene says of each node."""
        order: Any = copy.copy(self.order)
        for node in self.nodes:
            order.replace(node.index, Node(**{name: getattr(node, name) for name in BARE}))
        return Tree(order, self._composites)

    @cached_property
    def reparentings(self) -> tuple[TreeChange, ...]:
        """The changes of the tree in the order of the file; those of triggers have no finite time."""
        return tuple(
            TreeChange(
                _time_of(event), self[event.body].index, to, event.kind, number, new_joint(event, self.metres(to))
            )
            for number, event in enumerate(self.scene.reparent)
            for to in (self.frame_of(event.to),)
        )

    @cached_property
    def joint_types(self) -> dict[str, str]:
        """The type of joint of each body that is on one at some time, by its path."""
        found = {node.path: node.joint.type for node in self if node.joint is not None}
        return found | {event.body: event.joint[0] for event in self.scene.reparent if event.joint}

    def keeps_joint(self, node: SceneNode) -> bool:
        """Whether a body is on its joint for the whole run."""
        is_there = node.joint is not None and not node.joint.breaks
        return is_there and all(event.body != node.path for event in self.scene.reparent)

    @cached_property
    def changes(self) -> list[TreeChange]:
        """The changes of the tree in a run, in the order in which it makes them."""
        step, end = self.scene.simulation.step, self.scene.simulation.duration
        timed = (change for change in self.reparentings if change.time < math.inf)
        return in_order((c for c in timed if instant_of(c.time, step) <= instant_of(end, step)), step)

    @cached_property
    def history(self) -> History:
        """The trees of a run; all reparentings must be valid."""
        return History(self, self.changes)

    def _with_fired(self, fired: Sequence[TreeChange]) -> Iterator[Tree]:
        for tree in self.history:
            yield tree
            after = tree
            for change in fired:
                made = (change.body, change.to, change.kind)
                yield tree.moved(*made, joint=change.joint)
                after = after.moved(*made, joint=change.joint)
                yield after

    def possible_trees(self) -> Iterator[Tree]:
        """All trees of a run, also after triggers, one alone and one after the other; and, of each in which joints can
        break, that in which they have done so.
        """
        fired = [change for change in self.reparentings if change.time == math.inf]
        for tree in self._with_fired(fired):
            yield tree
            fragile = [node for node in tree if node.joint is not None and node.joint.breaks]
            for node in fragile:
                tree = tree.moved(node.index, node.parent, "free")
            if fragile:
                yield tree


def _time_of(event: Reparenting) -> float:
    """The time of a reparenting, s; infinite if a trigger says when it is."""
    return math.inf if event.time is None else event.time


def in_parent_axes(vector: FramedVector | PrescribedVector | JointAxis, q_PB: tuple, q_WP: tuple = IDENTITY) -> Vector:
    """A vector that is given with a frame, in the parent's axes, at t = 0."""
    if vector.frame == "body":
        return rotate(q_PB, vector.start)
    return rotate_back(q_WP, vector.start) if vector.frame == "world" else vector.start


def in_body_axes(axis: JointAxis, q_PB: tuple, q_WP: tuple) -> Vector:
    """A direction that is given with a frame, as a unit vector in the body's axes."""
    if axis.frame == "body":
        return unit(axis.value)
    return unit(rotate_back(q_PB, in_parent_axes(axis, q_PB, q_WP)))


def _node(index: int, path: str, body: Body, above: SceneNode | None, q_WP: tuple) -> SceneNode:
    metres, prescribed = above.metres if above else 1.0, _prescribed(body) if body.prescribed else None
    joint = _joint(body.joint, body.position, body.orientation, metres, q_WP) if body.joint else None
    position, orientation = prescribed.start() if prescribed else (body.position, body.orientation)
    if joint is not None:
        position, orientation, *_ = joint.moved(joint.starts, body.scale, metres)
    return SceneNode(
        path=path,
        index=index,
        parent=above.frame if above else 0,
        kind=body.kind,
        position=position,
        orientation=orientation,
        scale=body.scale,
        parent_metres=metres,
        metres=body.scale * metres,
        center=body.center_of_mass,
        falls=body.gravity,
        inherits=body.inherit_impulses,
        joint=joint,
        place=(*(above.place if above else ()), _key_of(body, above), path.rpartition("/")[2]),
        body=body,
        prescribed=prescribed,
    )


def _key_of(body: Body, above: SceneNode | None) -> str:
    """The key under which a body is written."""
    return "sensors" if isinstance(body, Mount) else "children" if above else "bodies"


def _weighed(node: SceneNode) -> SceneNode:
    if not node.body.has_mass:
        return node
    mass = own_mass(node.body, node.metres)
    return replace(node, mass=mass, center=mass.center)


def new_joint(event: Reparenting, metres: Any) -> Joint | None:
    """The joint by which a body hangs after a reparenting, if it does; `metres` is the new parent's unit of length."""
    return _joint(event.joint, event.position, event.orientation, metres, IDENTITY) if event.joint else None


def _joint(joint: tuple, position: Any, orientation: Any, metres: Any, q_WP: tuple) -> Joint:
    """A joint as it is given, of a body with this pose at zero, of which the parent's unit of length and orientation in
    the world are given.
    """
    type, given = joint

    def in_body(axis: JointAxis) -> Vector:
        return in_body_axes(axis, orientation or IDENTITY, q_WP)

    found = Joint(type, position, orientation, given.at, given.coordinates(in_body, metres), collide=given.collide)
    if given.breaks is not None:
        found = found._replace(breaks=given.breaks.in_numbers())
    if type != "ball":
        return found
    return found._replace(stiffness=given.spring.stiffness, damping=given.damping)


def _prescribed(body: Body) -> Prescribed:
    """The motion of a prescribed body, in the parent's axes and units of length."""
    motion = not_none(body.prescribed)
    turns = motion.orientation.turns if motion.orientation else ()
    found = Prescribed(
        position=body.position,
        orientation=body.orientation,
        path=motion.position or (),
        turns=(*turns, *[STILL] * (3 - len(turns))) if turns else (),
        speeds=motion.velocity.value if motion.velocity.varies else (),
        rates=motion.angular_velocity.value if motion.angular_velocity.varies else (),
    )
    position, q_PB = found.start()
    found = found._replace(position=position)
    if not (found.path or found.speeds):
        v, a = (in_parent_axes(vector, q_PB) for vector in (motion.velocity, motion.acceleration))
        found = found._replace(velocity=v, acceleration=a)
    if not (found.turns or found.rates):
        spin = motion.angular_velocity, motion.angular_acceleration
        omega, alpha = (in_parent_axes(vector, q_PB) for vector in spin)
        along = omega if norm(omega) > 0.0 else alpha
        size = max(norm(omega), norm(alpha))
        axis = scaled(1.0 / norm(along), along) if size > 0.0 else (0.0, 0.0, 1.0)
        found = found._replace(axis=axis, rate=dot(axis, omega), rate_dot=dot(axis, alpha))
    return found
