"""What a Model is assembled from, at t = 0 and at each reparenting: numbers, strings, tuples, arrays; the schedule.

Bodies are given by the numbers of their frames. Omitted values have their defaults, including those that depend on the
motion at t = 0.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable
from types import SimpleNamespace
from typing import Any, NamedTuple, Protocol

import numpy as np

from rigidsim.engine.assembly.meshes import TriangleSurface
from rigidsim.engine.integrators import trials_of
from rigidsim.engine.laws.declaration import LoadTable
from rigidsim.engine.laws.registry import BY_NAME, FOLLOWED
from rigidsim.engine.model import layout
from rigidsim.engine.model.arrays import Model, Program
from rigidsim.physics.distances import Core
from rigidsim.physics.vector import rejection
from rigidsim.tree.history import TreeChange, in_order, instant_of, joint_types
from rigidsim.tree.nodes import Tree, links_of

START = (0, 0.0)


class Schedule:
    """Edges, as steps and fractions, in order; phase k lies between edge k - 1 and edge k. At `stops` there is an event
    or an exchange of energy, not only a change of constant loads. Reparentings by triggers have no finite time.
    """

    def __init__(
        self,
        step: float,
        times: Iterable[float],
        stops: Iterable[float],
        reparentings: tuple[TreeChange, ...],
    ):
        self.step, self.reparentings = step, reparentings
        changing = {instant_of(event.time, step) for event in reparentings if event.time < math.inf}
        stopping = {instant_of(t, step) for t in stops} | changing
        instants = {instant_of(t, step) for t in times} | stopping
        self.instants = sorted(instant for instant in instants if instant > START)
        kinds = dict.fromkeys(stopping, layout.EDGE_CROSSED) | dict.fromkeys(changing, layout.EDGE_STOPS)
        self._kinds = [kinds.get(instant, layout.EDGE_PASSED) for instant in self.instants]

    @property
    def n_phase(self) -> int:
        """The number of phases; the last one has no end."""
        return len(self.instants) + 1

    def phase(self, t: float) -> int:
        """The phase that holds, or begins, at a time (s)."""
        return self.phase_at(instant_of(t, self.step))

    def phase_at(self, instant: tuple[int, float]) -> int:
        """The phase that holds, or begins, at an instant: a step, and a part of it."""
        return bisect_right(self.instants, instant)

    def span(self, during: tuple[float, float] | None) -> tuple[int, int]:
        """The phases [begin, until) of a window; None stands for the whole run."""
        return (0, layout.NEVER) if during is None else (self.phase(during[0]), self.phase(during[1]))

    def reparentings_of(self, phase: int) -> list[TreeChange]:
        """The reparentings at the beginning of a phase, in the order of the file."""
        timed = (event for event in self.reparentings if event.time < math.inf)
        return [event for event in timed if self.phase(event.time) == phase]

    def is_untimed(self, change: TreeChange) -> bool:
        """Whether a change of the tree that happened has no time in the scene: a joint broke, or it was a trigger's."""
        return change.number == layout.NO_ROW or self.reparentings[change.number].time == math.inf

    def edges(self) -> dict[str, Any]:
        """The edges as fields of a model."""
        return {
            "edge_step": np.array([min(n, layout.NEVER) for n, _ in self.instants], dtype=np.int64),
            "edge_fraction": np.array([fraction for _, fraction in self.instants], dtype=np.float64),
            "edge_kind": np.array(self._kinds, dtype=np.int64),
        }


class LoadRecord(NamedTuple):
    """One force of a scene, defined on the node of a frame."""

    kind: str  # its `type`
    frame: int
    values: SimpleNamespace  # of its keys, with bodies as frames; expressions are in `ScriptTables`
    phases: tuple[int, int]  # it acts in [begin, until)
    label: str  # its location in the scene
    coefficients: tuple[tuple[str, int], ...] = ()  # keys that expressions give, and their numbers in `ScriptTables`


class ImpulseRecord(NamedTuple):
    """One impulse of a scene, defined on the node of a frame."""

    frame: int
    index: int  # type: ignore[assignment]  # in the node's list; hides a method of tuples
    name: str
    values: SimpleNamespace
    phase: int  # it acts when this one begins; see `TriggerRecord.due`


class LoopRecord(NamedTuple):
    """A loop: what of two nodes, given by their frames, is held together. Points are in their coordinates, unit axes in
    their axes, a distance in m. Of a coupling, the coordinates of the joints of both, by their numbers.
    """

    name: str
    type: str  # a key of `layout.LOOP_KINDS`
    first: int
    second: int
    at: tuple = (0.0, 0.0, 0.0)
    to_at: tuple = (0.0, 0.0, 0.0)
    axis: tuple = (0.0, 0.0, 1.0)
    to_axis: tuple = (0.0, 0.0, 1.0)
    length: float = 0.0  # or the second coordinate where the first is zero, rad or m
    size: float = 1.0  # m: the largest of the lengths that it is made of; of a coupling what gaps are measured by
    numbers: tuple[int, int] = (0, 0)
    ratio: float = 1.0  # of the second coordinate to the first, rad or m
    apart: bool = False  # whether the two bodies do not collide
    stops: tuple[float, float, float] | None = None  # where it holds: least, most, m or rad; and the restitution
    keys: tuple[tuple, tuple] = ((), ())  # of these in the scene, below the loop
    across: tuple[tuple, tuple] = ((1.0, 0.0, 0.0),) * 2  # of an angle: of each body, one where it is zero


class ViewRecord(NamedTuple):
    """A motion that an expression reads: its kind, its observer and its body, both as (frame, 0) or (PARENT, frame),
    and the first of its registers. (PARENT, frame) is the present parent of a frame. A metric may read a vector in its
    place: `asked` is its number among those that are asked for.
    """

    kind: int
    observer: tuple[int, int]
    body: tuple[int, int]
    register: int
    asked: int = layout.NO_ROW


class AskedVector(NamedTuple):
    """A vector of a body that samples do not have otherwise: a quantity by its name, and the frame of the body; of a
    force of contact that of the body that exerts it, NO_ROW for all.
    """

    quantity: str
    frame: int
    other: int = layout.NO_ROW


class ScriptTables(NamedTuple):
    """The expressions of all loads."""

    program: Program
    registers: np.ndarray  # (script, 9) registers of the components of force, torque and gravity
    views: tuple[ViewRecord, ...]
    motors: np.ndarray  # node, number of the coordinate in its joint, register
    coefficients: np.ndarray  # registers


class DriveTables(NamedTuple):
    """The prescribed motions; the first column of a table is the number of the node."""

    program: Program
    driven: np.ndarray
    axes: np.ndarray
    rate_driven: np.ndarray
    desired: np.ndarray  # with the number of the coordinate in the joint as second column
    motions: dict[int, list[float]]  # constants of each prescribed node


class ShapeRecord(NamedTuple):
    """A shape that can meet others; its core and velocity are in the units and axes of the node it is defined on."""

    node: int
    number: int  # in the node's list
    surface_class: int
    core: Core
    surface_velocity: tuple
    triangles: TriangleSurface | None = None  # of a mesh, in the axes and about the centre of its core


class ContactPlan(NamedTuple):
    """How the shapes of a scene collide, in any of its trees."""

    summary: dict  # what was chosen, and the values of each two surfaces, for reports
    substeps: int
    shapes: tuple[ShapeRecord, ...]  # in the order of paths and, on one node, of the file
    action: np.ndarray  # (class, class) as in `Contacts`
    value: np.ndarray  # (class * class, PAIR_VALUES)
    sleeps: bool = False  # whether bodies that rest fall asleep


class MetricTables(NamedTuple):
    """The metrics of a scene. Of a view both frames have the second part 0; the world is frame 0."""

    names: tuple[str, ...]
    program: Program  # of the values at a sample
    views: tuple[ViewRecord, ...]
    asked: tuple[AskedVector, ...]
    folds: np.ndarray  # (reduction, width of `FOLD`)
    counted: np.ndarray  # (reduction, 2) first node of which events are counted, and that after the last
    results: Program  # of the reductions
    result: np.ndarray  # (metric) registers


class TriggerRecord(NamedTuple):
    """What happens when a condition becomes true, or at a time."""

    id: str  # its location in the scene
    kind: str  # empty, reparent, impulse, change, state or stop
    number: int  # of the reparenting; of a tank its node
    due: int  # in place of a phase, of its impulses
    every: bool
    delay: float  # s
    time: float | None = None  # s; of a passage between states since the first one began
    setting: int = layout.NO_ROW  # the number of what is set
    passing: tuple[int, int, int] | None = None  # of a machine: its number, and those of the states before and after
    name: str = ""


class Renumbering(Protocol):
    """The blueprints of a scene with other numbers."""

    def blueprint(self, numbers: tuple[int, ...]) -> Blueprint:
        """That with what these settings set, one after the other. Raises an error in one sentence if there is none."""

    def changed(self, before: tuple[int, ...], after: tuple[int, ...]) -> tuple[tuple[str, str], ...]:
        """The numbers of the resolved scene that differ: their paths, and their values after that as JSON."""


class TriggerTables(NamedTuple):
    """The triggers of a scene, in the order in which they happen at one instant; of each two numbers: one that is
    positive where it happens, and one that is not negative where it may happen again.
    """

    records: tuple[TriggerRecord, ...]
    guards: MetricTables
    renumbering: Renumbering | None = None  # of a scene that sets numbers during the run


class ChannelRecord(NamedTuple):
    """What a sensor measures: `truth` is the first of its numbers, `errors` the first of those of its errors, the bias,
    the noise of a sample, the step of a random walk and the quantum, one row of each; -1 for none.
    """

    name: str
    width: int
    truth: int  # -1 for what a ray gives
    errors: int
    turns: bool  # whether it is an orientation, of which the errors are turns
    held: int  # the first of its numbers among those that are held
    stream: int  # of random numbers


class RayRecord(NamedTuple):
    """The ray of a range finder: from the origin of a node, a unit direction in its axes, the longest range, and the
    shapes that it may hit.
    """

    node: int
    direction: tuple
    longest: float  # m
    metres: float  # in the unit of the node
    shapes: tuple[Target, ...]


class Target(NamedTuple):
    """A shape that a ray may hit: its core and its corners or triangles, in the units and axes of its node."""

    node: int
    metres: float  # in its unit
    core: Core
    triangles: np.ndarray | None  # (triangle, 3 corners, 3) of a hull or a mesh, in the axes of its core


class SensorRecord(NamedTuple):
    """A sensor of a body, given by its path."""

    body: str
    name: str
    every: int  # steps
    channels: tuple[ChannelRecord, ...]
    ray: RayRecord | None = None


class ControllerRecord(NamedTuple):
    """A controller: its law by name, and the numbers that it reads, from `first` on."""

    name: str
    law: str
    every: int  # steps
    delay: int  # steps
    first: int
    count: int  # type: ignore[assignment]  # hides a method of tuples
    held: int  # the first of its outputs among the numbers that are held
    outputs: tuple[str, ...]
    inputs: tuple[str, ...] = ()  # of a function: what it gets, by name; then comes its state
    call: tuple[str, str] = ("", "")  # file:function, and the text of the file


class SensingTables(NamedTuple):
    """The sensors and controllers of a scene; the first number that they read is the seed."""

    sensors: tuple[SensorRecord, ...]  # in the order of paths and, on one body, of the file
    controllers: tuple[ControllerRecord, ...]  # in the order of the file
    n_held: int
    numbers: MetricTables

    @property
    def clocks(self) -> set[int]:
        """The numbers of steps between samples of one of them."""
        return {one.every for one in self.sensors} | {one.every for one in self.controllers}


class Blueprint(NamedTuple):
    """One world as described in the scene, and the settings of its run."""

    tree: Tree  # at t = 0
    loads: tuple[LoadRecord, ...]  # in the order of paths and, on one node, of the file
    impulses: tuple[ImpulseRecord, ...]  # in the same order
    loops: tuple[LoopRecord, ...]
    scripts: ScriptTables
    drives: DriveTables
    gravity: tuple  # m/s2, uniform
    source: Any  # of the gravity of the world, the values of its keys; None if there is none
    mutual: SimpleNamespace | None
    normal: tuple  # of the plane of a planar scene; else empty
    schedule: Schedule
    method: NamedTuple
    n_step: int
    stride: int  # steps between samples
    labels: tuple[str, ...]  # location of each expression that can fail
    contacts: ContactPlan | None  # if any shapes can meet
    metrics: MetricTables | None  # if the scene has any
    triggers: TriggerTables | None = None  # likewise
    sensing: SensingTables | None = None  # likewise

    @property
    def n_due(self) -> int:
        """The number of phases; with triggers also of the impulses of each of these, and none."""
        return self.schedule.n_phase + (len(self.triggers.records) + 1 if self.triggers else 0)

    @property
    def asked(self) -> tuple[AskedVector, ...]:
        """The vectors that metrics, triggers, sensors and controllers ask for: those of each begin with those of the
        ones before.
        """
        reading = (self.sensing and self.sensing.numbers, self.triggers and self.triggers.guards, self.metrics)
        return next((one.asked for one in reading if one), ())

    @property
    def loop_types(self) -> dict[str, str]:
        """The type of each loop, by name."""
        return {loop.name: loop.type for loop in self.loops}

    @property
    def changes(self) -> list[TreeChange]:
        """The changes of the tree that the scene describes, in the order of time."""
        timed = (change for change in self.schedule.reparentings if change.time < math.inf)
        return in_order(timed, self.schedule.step)

    @property
    def joint_types(self) -> dict[int, str]:
        """The type of joint of each node that is on one at some time of the run, by its number."""
        return joint_types(self.tree, self.schedule.reparentings)

    @property
    def has_fragile(self) -> bool:
        """Whether any joint can break."""
        joints = (*(node.joint for node in self.tree.nodes), *(change.joint for change in self.schedule.reparentings))
        return any(joint is not None and joint.breaks for joint in joints)

    @property
    def has_pairs(self) -> bool:
        """Whether any load depends on the relative position of two frames. A reparenting does not change this, so a run
        needs one variant of the stepper.
        """
        of_world = self.mutual is not None or self.source is not None
        return of_world or any(BY_NAME[load.kind].table.is_pair for load in self.loads)

    def has(self, table: LoadTable) -> bool:
        """Whether models have a table of loads: a rare one only if any load is in it."""
        return not table.is_rare or any(BY_NAME[load.kind].table is table for load in self.loads)

    @property
    def followed(self) -> list[LoadRecord]:
        """The loads whose winding is part of the state, in the order of the last rows of the state."""
        return [load for table in FOLLOWED for load in self.loads if BY_NAME[load.kind].table is table]

    @property
    def measured(self) -> list[LoopRecord]:
        """The loops that hold at stops only, in the order of the last rows of the state."""
        return [loop for loop in self.loops if loop.stops]


class World(NamedTuple):
    """One world, ready to run: constants and state, and the blueprint and tree they were assembled from."""

    blueprint: Blueprint
    tree: Tree  # at present
    model: Model
    state: np.ndarray  # (state, width of `STATE`): moved rows, rate-driven nodes, followed loads, measured lengths

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths of all nodes."""
        return tuple(node.path for node in self.tree.nodes)

    @property
    def state_labels(self) -> tuple[str, ...]:
        """The owner of each row of the state: the path of a body, or the location of a load."""
        paths = self.paths
        rate_driven = (paths[index] for index in self.blueprint.drives.rate_driven[:, 0])
        followed = (load.label for load in self.blueprint.followed)
        steps = ("the integrator",) if trials_of(self.blueprint.method) else ()
        moved = (node.path for node in self.tree.moved_nodes() for _ in range(1 + links_of(node)))
        return (*moved, *rate_driven, *steps, *followed, *(loop.name for loop in self.blueprint.measured))

    @property
    def isolated(self) -> bool:
        """Whether there are no external forces, so that momentum is conserved."""
        return is_isolated(self.blueprint, self.tree, self.model)


def is_isolated(blueprint: Blueprint, tree: Tree, model: Model) -> bool:
    """Whether the bodies of a tree act on each other only, without external forces."""
    moved, g = tree.moved_nodes(), blueprint.gravity
    if blueprint.normal:
        g = rejection(blueprint.normal, g)
    falls = any(g) and any(node.falls for node in moved)
    # A body that inherits the velocity change of its parent receives momentum from outside.
    has_jumps = bool(blueprint.schedule.reparentings) or blueprint.contacts is not None
    is_inheriting = has_jumps and any(node.inherits for node in moved)
    is_held = model.contacts is not None and model.contacts.n_moved < len(model.contacts.body)
    scripts = (model.expressions.scripts,) if model.expressions else ()
    laws = (*model.single, *filter(None, model.pairwise or ()), *scripts, model.impulses)
    is_internal = all((law.who[:, [layout.LAW.first, layout.LAW.second]] >= 0).all() for law in laws if len(law.who))
    hangs = model.joints is not None and (model.joints.joint[:, layout.JOINT.root] == len(model.moved_node)).any()
    loses = model.joints is not None and model.joints.tanks is not None
    return bool(is_internal and not (falls or is_inheriting or is_held or hangs or loses))
