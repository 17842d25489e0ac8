"""The same world, expressed otherwise: free bodies below other parents, quaternions of the other sign, turned axes.

Only coordinates change: the frames that loads and expressions name stay what they were, and `parent` becomes the parent
that it meant.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np

from rigidsim.engine.assembly.blueprint import Blueprint, ImpulseRecord, LoadRecord, MetricTables, ViewRecord, World
from rigidsim.engine.assembly.constants import model_of
from rigidsim.engine.assembly.reparent import MotionSnapshot, free_state
from rigidsim.engine.assembly.site import PARENT
from rigidsim.engine.laws.declaration import AXES, CENTER, DIRECTION, END, MEDIUM, TANK, Key
from rigidsim.engine.laws.gravity import SOURCE_KEYS
from rigidsim.engine.laws.registry import BY_NAME
from rigidsim.engine.model import layout
from rigidsim.engine.model.arrays import MotionSamples
from rigidsim.physics.quaternion import product, rotate
from rigidsim.scene import Scene
from rigidsim.scene.hierarchy.start import Starts
from rigidsim.tree.nodes import Node, Tree

ZERO, NO_TURN = (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0)
FRAMES = (AXES, END, MEDIUM, CENTER, TANK)
"""The forms of keys whose value may be a frame."""
AXES_OF_IMPULSE = Key("frame", AXES, "axes of an impulse")
OBSERVER = "(observer)"
"""The path of a frame that is added; no body of a scene can have it."""


class Observer(NamedTuple):
    """A frame in the world: its pose at t = 0, and its motion with constant accelerations, in world axes; the angular
    acceleration is along `axis`, too.
    """

    position: tuple = ZERO  # m
    orientation: tuple = NO_TURN
    velocity: tuple = ZERO  # m/s
    acceleration: tuple = ZERO  # m/s2
    axis: tuple = (0.0, 0.0, 1.0)
    rate: float = 0.0  # rad/s
    rate_dot: float = 0.0  # rad/s2

    @property
    def angular_velocity(self) -> tuple:
        """At t = 0, rad/s."""
        return tuple(self.rate * part for part in self.axis)

    def constants(self) -> list[float]:
        """As those of a prescribed node."""
        return layout.MOTION.filled(
            p=self.position, q=self.orientation, v=self.velocity, a=self.acceleration,
            axis=self.axis, rate=self.rate, rate_dot=self.rate_dot,
        )  # fmt: skip


def movable(world: World) -> list[Node]:
    """The free bodies that can hang elsewhere: those that keep their parent all the time, and do not inherit its
    jumps.
    """
    reparented = {event.body for event in world.blueprint.schedule.reparentings}
    return [node for node in world.tree.free() if not node.inherits and node.index not in reparented]


def seen_by(scene: Scene, world: World, observer: Observer) -> World:
    """The world with all movable bodies below an observer. `world` is that of the scene at t = 0."""
    added, blueprint = _with_observer(world, observer)
    parents = {node.index: added.frame for node in movable(world)}
    motion = (observer.position, observer.orientation, observer.velocity, observer.angular_velocity)
    return _jointed(scene, world, blueprint, [*world.tree.nodes, added], parents, [motion])


def jointed_below(scene: Scene, world: World, host: Node) -> World | None:
    """The world with the movable bodies below one of its bodies, those that are there in the world; None if nothing
    changes.
    """
    above = {node.index for node in world.tree.lineage(host)}
    parents = {
        node.index: host.frame if node.parent != host.frame else 0 for node in movable(world) if node.index not in above
    }
    # A body that hangs on the host later cannot carry it now.
    later = {event.body for event in world.blueprint.schedule.reparentings if event.to in _frames_below(world, parents)}
    if not parents or above & later:
        return None
    return _jointed(scene, world, world.blueprint, list(world.tree.nodes), parents, [])


def _frames_below(world: World, nodes: Collection[int]) -> set[int]:
    """The frames of some nodes and of all that is below them."""
    return {1 + index for node in nodes for index in world.tree.subtree(node)}


def of_other_sign(world: World) -> World:
    """The world with the negatives of all quaternions: the same orientations."""
    nodes = [_of_other_sign(node) for node in world.tree.nodes]
    motions = {}
    for index, row in world.blueprint.drives.motions.items():
        motions[index] = list(row)
        motions[index][layout.MOTION.q] = negated_quaternion(row[layout.MOTION.q])
    state = world.state.copy()
    n_turning = len(world.model.moved_node)
    state[:n_turning, layout.STATE.q] *= -1.0
    rate_driven = slice(n_turning, n_turning + len(world.blueprint.drives.rate_driven))
    state[rate_driven, layout.RATE_DRIVEN.q] *= -1.0
    drives = world.blueprint.drives._replace(motions=motions)
    return _assembled(world.blueprint._replace(drives=drives), Tree.of(nodes), state)


def _of_other_sign(node: Node) -> Node:
    joint = node.joint
    if joint is not None and joint.orientation is not None:
        joint = joint._replace(orientation=negated_quaternion(joint.orientation))
    return replace(node, orientation=negated_quaternion(node.orientation), joint=joint)


def negated_quaternion(q: Collection[float]) -> tuple:
    """The quaternion of the same orientation with the other sign."""
    return tuple(-part for part in q)


def with_stride(world: World, stride: int) -> World:
    """The world with another number of steps between samples, and without metrics."""
    return _assembled(world.blueprint._replace(stride=stride, metrics=None), world.tree, world.state)


def _assembled(blueprint: Blueprint, tree: Tree, state: np.ndarray) -> World:
    return World(blueprint._replace(tree=tree), tree, model_of(blueprint, tree), state)


def _with_observer(world: World, observer: Observer) -> tuple[Node, Blueprint]:
    """The node of an observer, which is the last one, and the blueprint with its motion."""
    added = Node(
        path=OBSERVER,
        index=len(world.tree.nodes),
        parent=0,
        kind="prescribed",
        position=observer.position,
        orientation=observer.orientation,
    )
    drives = world.blueprint.drives
    motions = {**drives.motions, added.index: observer.constants()}
    return added, world.blueprint._replace(drives=drives._replace(motions=motions))


def _jointed(
    scene: Scene, world: World, blueprint: Blueprint, nodes: list[Node], parents: Mapping[int, int], added: list[tuple]
) -> World:
    """The world with free bodies below other frames, and with the same motion at t = 0. `added` are the motions
    (p, q, v, omega) of nodes that the scene does not have, in the world.
    """
    before = Tree.of(nodes)
    instant = _instant(scene, world.tree, before, added)
    changed = list(nodes)
    for index, parent in parents.items():
        metres = before.metres(parent)
        scale = nodes[index].metres / metres
        changed[index] = replace(nodes[index], parent=parent, parent_metres=metres, scale=scale)
    after = Tree.of(changed)
    state, rows = world.state.copy(), world.tree.rows
    for index in parents:
        state[rows[index]] = free_state(after.nodes[index], after, instant, state[rows[index]])
    moved = {1 + index: before.nodes[index].parent for index in parents}
    return _assembled(_with_old_parents(blueprint, moved), after, state)


def _instant(scene: Scene, tree: Tree, with_added: Tree, added: list[tuple]) -> MotionSnapshot:
    """The motion of all nodes at t = 0, before any event."""
    starts = Starts(scene.hierarchy)
    frames = [(node, starts[node.frame]) for node in tree]
    local = [(node.position, node.orientation, frame.local_v, frame.local_omega) for node, frame in frames] + added
    in_world = [(frame.p, frame.q, frame.v, frame.omega) for _, frame in frames] + added
    samples = (MotionSamples(*map(np.array, zip(*motions, strict=True))) for motions in (local, in_world))
    return MotionSnapshot(with_added, *samples)


def _with_old_parents(blueprint: Blueprint, moved: Mapping[int, int]) -> Blueprint:
    """The loads, impulses and expressions of moved frames, with the frames that were their parents in place of
    `parent`.
    """

    def named(one: LoadRecord | ImpulseRecord) -> SimpleNamespace:
        parent = moved.get(one.frame, PARENT)
        found = {key: parent if type(v) is int and v == PARENT else v for key, v in vars(one.values).items()}
        return SimpleNamespace(**found)

    def frame(of: tuple[int, int]) -> tuple[int, int]:
        return (moved[of[1]], 0) if of[0] == PARENT and of[1] in moved else of

    return _renamed(blueprint, named, named, frame)


def _renamed(blueprint: Blueprint, of_load: Callable, of_impulse: Callable, frame: Callable) -> Blueprint:
    """The blueprint with other values of loads and impulses, and other frames that expressions, triggers and sensors
    name. Of what is read at samples, energies have no frame, and forces are in axes of their own.
    """

    def renamed(view: ViewRecord) -> ViewRecord:
        if view.kind in (layout.SEEN_COORDINATE, layout.SEEN_COORDINATE_RATE):
            return view  # of a joint, in whose place of an observer is the number of the coordinate
        return view._replace(observer=frame(view.observer), body=frame(view.body))

    def of_samples(tables: MetricTables) -> MetricTables:
        views = (v if v.body == (0, 0) or v.asked != layout.NO_ROW else renamed(v) for v in tables.views)
        return tables._replace(views=tuple(views))

    views, triggers, sensing = map(renamed, blueprint.scripts.views), blueprint.triggers, blueprint.sensing
    return blueprint._replace(
        triggers=triggers and triggers._replace(guards=of_samples(triggers.guards)),
        sensing=sensing and sensing._replace(numbers=of_samples(sensing.numbers)),
        loads=tuple(load._replace(values=of_load(load)) for load in blueprint.loads),
        impulses=tuple(one._replace(values=of_impulse(one)) for one in blueprint.impulses),
        scripts=blueprint.scripts._replace(views=tuple(views)),
    )


def turned(world: World, q: tuple) -> World:
    """The world turned as a whole: all that hangs on the world hangs on a frame with this orientation, which loads,
    expressions, sources and reparentings that name the world name instead; gravity is turned with it.
    """
    frame = Observer(orientation=q)
    added, blueprint = _with_observer(world, frame)
    schedule = copy.copy(blueprint.schedule)
    schedule.reparentings = tuple(
        event if event.to else event._replace(to=added.frame) for event in blueprint.schedule.reparentings
    )
    tree = Tree.of([*(n if n.parent else replace(n, parent=added.frame) for n in world.tree.nodes), added])
    state, n_moved = world.state.copy(), len(world.model.moved_node)
    state[:n_moved, layout.STATE.q] = [
        product(q, tuple(map(float, row))) for row in world.state[:n_moved, layout.STATE.q]
    ]
    return _assembled(_with_world(blueprint, added.frame, q)._replace(schedule=schedule), tree, state)


def _with_world(blueprint: Blueprint, frame: int, q: tuple) -> Blueprint:
    """What names the world, with another frame in its place; vectors of the world turned."""

    def named(values: SimpleNamespace, keys: Collection[Key]) -> SimpleNamespace:
        forms, found = {key.name: key.form for key in keys}, vars(values)
        of_point = any(forms.get(name) == CENTER and isinstance(value, tuple) for name, value in found.items())

        def changed(form: str | None, value: object) -> object:
            if form in (CENTER, DIRECTION) and of_point and isinstance(value, tuple):
                return rotate(q, value)  # a source at a point of the world
            return frame if form in FRAMES and type(value) is int and value == 0 else value

        return SimpleNamespace(**{name: changed(forms.get(name), value) for name, value in found.items()})

    def seen(of: tuple[int, int]) -> tuple[int, int]:
        return (frame, 0) if of == (0, 0) else of

    renamed = _renamed(
        blueprint,
        lambda load: named(load.values, BY_NAME[load.kind].keys),
        lambda impulse: named(impulse.values, [AXES_OF_IMPULSE]),
        seen,
    )
    return renamed._replace(
        loops=tuple(loop._replace(first=loop.first or frame, second=loop.second or frame) for loop in blueprint.loops),
        gravity=rotate(q, blueprint.gravity),
        source=blueprint.source and named(blueprint.source, SOURCE_KEYS),
        normal=rotate(q, blueprint.normal) if blueprint.normal else (),
    )
