"""Model (constants), State (what varies) and the scratch arrays of one block, as kernels receive them.

Arrays of floats with two dimensions hold values, which may differ from lane to lane; all others are structure, which
the lanes of a block share.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from rigidsim.engine.laws.declaration import LoadTable
from rigidsim.engine.laws.registry import FOLLOWED, PAIRWISE, SINGLE
from rigidsim.engine.model import layout
from rigidsim.engine.model.contact_layout import BOUND, CONTACT_BODY, FACET, MATERIAL, MEMBER, SHAPE, SOLID, WAY
from rigidsim.engine.model.layout import (
    ACCELERATION,
    ACCELEROMETER,
    APART,
    ARM,
    ARTICULATED,
    BODY,
    COEFFICIENT,
    CONSTRAINT,
    CORRECTION,
    DESIRED,
    DRIVE_AXES,
    EQUATION,
    FACTOR,
    FAULT,
    FOLD,
    FRAME,
    GAINED,
    GUARDS,
    IMPACT,
    JET,
    JOINT,
    JOINT_VALUE,
    KINEMATICS,
    LAW,
    LEDGER,
    LINK,
    LOCAL,
    LOOP,
    LOOP_KINEMATICS,
    LOOP_VALUE,
    MEAN,
    METRIC,
    MOTION,
    NODE,
    OPERATION,
    PACE,
    PACES,
    PAIR,
    POSED,
    PULL,
    PUSH,
    QUATERNION,
    RATE,
    SCALAR,
    SEARCH,
    STAGE,
    START,
    STATE,
    STRENGTH,
    SUMS,
    TANK,
    TRIGGERED,
    TRIPLE,
    UNIT_CONTENT,
    VIEW,
    WINDING,
    WRENCH,
)
from rigidsim.jit import inlined
from rigidsim.jit.layouts import zeros
from rigidsim.jit.rows import Row, rows_of_fields


class Sized(NamedTuple):
    """What a field of a named tuple declares of its array: the type of its numbers, and its sizes, which are numbers,
    names of sizes, or names and what is added to them (`nodes + 1`). A row stands for its columns, of floats in all
    lanes; a field that is annotated with a row has these last.
    """

    numbers: type
    sizes: tuple[int | str | Row, ...]


def floats(*sizes: int | str | Row) -> Any:
    """The declaration of an array of floats."""
    return Sized(np.float64, sizes)


def integers(*sizes: int | str | Row) -> Any:
    """The declaration of an array of integers."""
    return Sized(np.int64, sizes)


def made(kind: Any, sizes: Mapping[str, int], **given: Any) -> Any:
    """A named tuple of arrays of zeros, as its fields declare them, for these sizes (`lanes`: 1 unless it is among
    them); the other fields are given.
    """
    rows, sizes = rows_of_fields(kind), {"lanes": 1, **sizes}

    def size(declared: int | str | Row, numbers: type) -> int:
        if isinstance(declared, Row):
            return declared.width * (sizes["lanes"] if numbers is np.float64 else 1)
        if isinstance(declared, int):
            return declared
        name, _, more = declared.partition(" + ")
        return sizes[name] + int(more or 0)

    for name, (numbers, declared) in kind._field_defaults.items():
        whole = (*declared, rows[name]) if name in rows else declared
        given.setdefault(name, zeros(*(size(each, numbers) for each in whole), kind=numbers))
    return kind(**given)


def leaves(part: object) -> list[np.ndarray]:
    """The arrays of nested tuples."""
    found = []
    for inner in part if isinstance(part, tuple) else (part,):
        if isinstance(inner, np.ndarray):
            found.append(inner)
        elif isinstance(inner, tuple):
            found += leaves(inner)
    return found


class Law(NamedTuple):
    """The loads of one kind: bodies, phases and constants of each. The second end of each is on a moved body."""

    who: LAW  # (load)
    value: np.ndarray  # (load, width of its kind * lanes)


if TYPE_CHECKING:

    class SingleLaws(tuple[Law, ...]):
        """The declared kinds are not known to checkers of types."""

        def __new__(cls, *laws: Law | None) -> Self: ...
        def __getattr__(self, kind: str) -> Law: ...

    PairLaws = SingleLaws
else:
    SingleLaws = NamedTuple("SingleLaws", [(table.name, Law) for table in SINGLE])
    """Loads on single bodies, one table for each kind; in place of a pair, the frame of the axes."""
    PairLaws = NamedTuple("PairLaws", [(table.name, Law) for table in PAIRWISE])
    """Loads that depend on the relative position of two frames, one table for each kind."""


class Relations(NamedTuple):
    """The pairs of frames whose separation is needed, and the path along the tree from the first frame to the
    second.
    """

    linked: np.ndarray  # nodes whose links the paths use
    pair: PAIR  # (pair + 1) the last row ends the links
    way_node: np.ndarray  # (link) node whose link it is
    way_sign: np.ndarray  # (link) 1.0 from parent to child, -1.0 from child to parent


class Mutual(NamedTuple):
    """The free bodies that attract each other; pairs are not stored."""

    member: np.ndarray  # (member) row among the moved bodies, in the order of their paths
    gm: np.ndarray  # (member, lanes) m^3/s^2
    soft: np.ndarray  # (1, lanes) the softening length squared, m^2
    depth: np.ndarray  # (1 + node) of every frame below the world


class Program(NamedTuple):
    """Expressions as a list of operations on registers; result k goes to register `first` + k."""

    code: OPERATION
    constant: np.ndarray  # (constant, lanes) the first registers; t is in the next one
    first: int
    tables: np.ndarray | None = None  # (table, 2) first constant, and number of pieces
    held: np.ndarray | None = None  # (held, 2) constant that is written when something is sampled, and its number


class VariedLoads(NamedTuple):
    """Numbers of loads that expressions give: the values of these loads are written in each evaluation."""

    coefficients: COEFFICIENT


class Expressions(NamedTuple):
    """Loads and prescribed motions given by expressions."""

    scripts: Law  # loads; in place of a pair, the frame of the axes
    script_register: np.ndarray  # (script, 9) registers of the components of force, torque and gravity
    script: Program
    views: VIEW
    drive: Program  # of t only, for prescribed motions, on jets
    driven: POSED
    rate_driven: PACES
    desired: DESIRED  # what they prescribe
    motors: DESIRED  # laws of motors
    drive_axes: DRIVE_AXES  # (driven by expressions)
    varied: VariedLoads | None = None  # other loads of which they give numbers


class Metrics(NamedTuple):
    """Named numbers of the whole run: reductions of the samples, and expressions of the reductions."""

    program: Program  # of the values at a sample
    views: METRIC  # (view + 1) what the program reads; the last row ends the ways
    way_node: np.ndarray  # (link) the nodes from a body and, after them, from its observer up to their common ancestor
    way_scale: np.ndarray  # (link, lanes) unit of length of the node over that of its parent
    mass: np.ndarray  # (view, 10 * lanes) mass (kg), centre of mass (m), inertia (kg m^2), if the view needs them
    folds: FOLD
    counted: np.ndarray  # (reduction, 2) first node of which events are counted, and that after the last
    results: Program  # of the reductions, which are its views
    result: np.ndarray  # (metric) registers of the results


class Accelerometers(NamedTuple):
    """Accelerometers at the origins of nodes, and the gravity there, which is not that at the centre of mass."""

    row: ACCELEROMETER
    uniform: TRIPLE  # (felt) of the gravity of the world, m/s2: the part that the loads on the free body lack
    pulls: Law | None  # of sources, also of bodies that attract each other; the second end is the number here
    relations: Relations | None  # from these sources to the nodes


class Asked(NamedTuple):
    """Vectors of bodies that metrics read and samples do not have otherwise."""

    place: np.ndarray  # (asked) as many as there are
    terms: np.ndarray | None  # rows `ASKED_TERM`
    forces: np.ndarray | None  # rows `ASKED_FORCE`
    acts_on: np.ndarray  # (force, shape) 1 if a shape is on the body on which it acts, or on what is fixed to that
    acts_by: np.ndarray  # (force, shape) the same of the body that exerts it
    felt: Accelerometers | None
    joints: np.ndarray | None  # rows `ASKED_JOINT`
    metres: SCALAR  # (joint) metres in its unit; of angles 1
    reactions: np.ndarray | None  # rows `ASKED_REACTION`
    loops: np.ndarray | None  # the same of loops


class ExpressionScratch(NamedTuple):
    """Scratch arrays for the evaluation of expressions."""

    register: np.ndarray = floats("registers", SCALAR)  # of loads
    jet: np.ndarray = floats("jets", JET)  # of prescribed motions
    pace: PACE = floats("rate_driven")


class Trees(NamedTuple):
    """Contact bodies that are parts of trees of joints: an impulse on one of them changes the motion of all."""

    member: MEMBER  # (member)
    place: np.ndarray  # (contact body + 1) its number among the members, or NO_ROW
    inward: np.ndarray  # moved rows of their trees, those that hang on others before them
    modes: np.ndarray  # the numbers of what has modes there


class Meshes(NamedTuple):
    """The triangles of all meshes, m, each mesh in the axes and about the centre of its core."""

    node: BOUND  # (node) of their trees
    facet: FACET  # (facet) in the order of the leaves
    normal: TRIPLE  # (facet) outward, of length 1
    vertex: TRIPLE  # (vertex)
    ring: np.ndarray  # (vertex + 1) the vertices beside vertex k are ring[k] to ring[k + 1] - 1 of
    beside: np.ndarray  # these


class Rest(NamedTuple):
    """When a contact body that forces move may sleep."""

    speed: np.ndarray  # (contact body) the mean speed of its surface below which it rests, m/s; 0 if it never sleeps
    reach: np.ndarray  # (contact body) largest distance of a point of its surface from the centre of mass, m
    fixed: np.ndarray  # (contact body) 1 if nothing moves its parent in the world
    shape: np.ndarray  # (contact body) its first shape, which stands for it in events


class Contacts(NamedTuple):
    """Shapes in the order of the paths of their nodes and, on one node, of the file; contact bodies: those moved by
    forces first, then the others, both in the order of paths.
    """

    shape: SHAPE  # (shape)
    shape_value: SOLID  # (shape)
    body: CONTACT_BODY  # (contact body)
    way: WAY  # (way) parents first
    action: np.ndarray  # (class, class) IGNORED, COLLIDES or SENSED
    value: MATERIAL  # (class * class)
    n_moved: int  # contact bodies that forces move
    substeps: int
    share: float  # of the gain of velocity in a smooth step that acts on its displacement: 0.5; semi-implicit Euler: 1
    trees: Trees | None  # if bodies on joints can meet others
    apart: np.ndarray  # nodes of leaders from which joints and loops hold others apart
    corner: TRIPLE | None = None  # of all hulls, in the axes of their cores, m; if any core has no closed form
    meshes: Meshes | None = None  # if there are any
    events: np.ndarray | None = None  # how many contacts can last at once, with `contact: events`
    rest: Rest | None = None  # if bodies may sleep
    independent: np.ndarray | None = None  # rows of bodies as in `independent.py`, if there are many


class Fragile(NamedTuple):
    """The joints that are there and can break."""

    row: np.ndarray  # (fragile) of the body
    strength: STRENGTH  # (fragile)


class ConstraintRows(NamedTuple):
    """Rows of J: each is a list of wrenches on moved rows, see `delassus.py`."""

    first: np.ndarray  # (row + 1) wrenches first[k] to first[k + 1] - 1 are those of row k
    held: np.ndarray  # (wrench) the row on which it acts, after the moved ones that of a frame that is held, or NO_ROW
    inward: np.ndarray  # moved rows of the trees on which they act, those that hang on others before them


class Tanks(NamedTuple):
    """The bodies whose mass is a number of the state."""

    row: np.ndarray  # (tank) of the body
    coordinate: np.ndarray  # (tank) its number among the coordinates of all joints
    value: UNIT_CONTENT  # (tank)


class Joints(NamedTuple):
    """How the moved nodes hang. A joint of several coordinates is a chain of joints of one with links without mass
    between them: each link has a row among the moved ones, before that of the body, and a frame and an arm behind those
    of the nodes; `moved_node` has the number of the place.
    """

    joint: JOINT  # (moved)
    value: JOINT_VALUE  # (moved), and after them, if loops hold at stops only, (state)
    inward: np.ndarray  # rows of the trees that joints make, those that hang on others before them
    held: np.ndarray  # frames of the world and of prescribed nodes from which joints hang
    coordinate: np.ndarray  # (coordinate) of all joints of the run: the row that has it, NO_ROW while there is none
    jointed: np.ndarray  # (joint) likewise the row of its body
    fragile: Fragile | None  # if any joints of the run can break
    modes: np.ndarray | None  # rows with stops, dry friction or a motor of a wanted rate, if there are any; last, those
    # of the state that have measured coordinates of loops
    servos: np.ndarray | None  # those of them that a servo without a stiffness moves, if there are any
    rows: ConstraintRows | None  # of all with modes: a torque or force of one in each, on its body and on the parent
    tanks: Tanks | None = None  # if there are any


class Loops(NamedTuple):
    """What is held together beside the joints."""

    loop: LOOP  # (loop)
    value: LOOP_VALUE  # (loop)
    has_couplings: bool | None  # None if no loop of the run is a coupling
    measured: np.ndarray | None  # the loops that hold at stops only, by a coordinate that is measured, if there are any
    rows: ConstraintRows  # of the equations


class Model(NamedTuple):
    """Constants of one block of worlds. Frame 0 is the world, frame i + 1 that of node i."""

    node: NODE
    active: np.ndarray  # nodes whose motion the dynamics needs, parents first; the others are for samples only
    every: np.ndarray  # all nodes, each followed by its descendants
    moved_node: np.ndarray  # (moved) node
    by_path: np.ndarray  # (moved) rows in order of their paths: the order of sums over bodies
    body: BODY  # (moved)
    motion: MOTION  # (driven)
    scale: np.ndarray  # (1 + node, lanes) metres per unit of the frame's own lengths
    normal: TRIPLE  # (1) of the plane that a planar scene is locked to; or no rows

    relations: Relations | None  # of pair laws and expressions
    single: SingleLaws
    pairwise: PairLaws | None
    joints: Joints | None
    loops: Loops | None
    mutual: Mutual | None
    expressions: Expressions | None  # if anything in the scene is given by expressions
    contacts: Contacts | None  # if any shapes can meet
    metrics: Metrics | None  # if the scene has any; never for the stepper, so that it needs no variant for them
    asked: Asked | None  # if metrics or guards read what samples do not have otherwise
    guards: Metrics | None  # of triggers, two numbers each: when it happens, when it may again
    sensing: Metrics | None  # of sensors and controllers: all numbers that they read; never for the stepper

    impulses: Law  # in place of a pair, the frame of the axes; in the order of the phases that begin with them
    due: np.ndarray  # (phase + 1) impulses due[e] to due[e + 1] - 1 act when phase e begins; with guards, those of
    # triggers, a phase each that is none, and one without any
    impulse_number: np.ndarray  # (impulse) its number in the blueprint
    inherits: np.ndarray  # (moved) 1.0 for a body that inherits the jumps of its parent, else 0.0
    edge_step: np.ndarray  # (edge) phases end at t = (edge_step + edge_fraction) * step
    edge_fraction: np.ndarray  # (edge) in [0, 1)
    edge_kind: np.ndarray  # (edge) EDGE_PASSED, EDGE_CROSSED or EDGE_STOPS
    step: float  # s


class ConstraintScratch(NamedTuple):
    """Scratch arrays for constraint rows."""

    push: PUSH = floats("wrenches")
    multiplier: SCALAR = floats("rows")
    delassus: SCALAR = floats("products")  # J M^-1 J^T by rows; of equations below its diagonal L of L D L^T
    diagonal: SCALAR = floats("rows")  # of J M^-1 J^T
    unheld: SCALAR = floats("rows")  # what that would be if nothing held the bodies
    idle: SCALAR = floats("rows")  # as much more, of a row that does not act
    inverse: SCALAR = floats("rows")  # of D


class JointArrays(NamedTuple):
    """Scratch arrays for joints."""

    modes: Switching | None
    tank: TANK | None  # (tank) if there are any
    kinematics: KINEMATICS = floats("moved")
    articulated: ARTICULATED = floats("parents")
    factor: np.ndarray = floats("state", FACTOR)  # as FACTOR or BALL_FACTOR
    acceleration: ACCELERATION = floats("parents")


class Switching(NamedTuple):
    """Scratch arrays for coordinates that have modes, see `modes.py`."""

    rows: ConstraintScratch
    constraint: CONSTRAINT = floats("modes")
    begin: GUARDS = floats("modes")  # at the last time that is known before an event
    end: GUARDS = floats("modes")  # at the first time that is known after it
    tried: GUARDS = floats("modes")  # at the end of a trial
    triggered: TRIGGERED = floats("modes")
    search: SEARCH = floats()
    takes: SCALAR = floats()  # whether a lane takes what was tried
    occurs: SCALAR = floats()  # whether an event is due in a lane
    until: SCALAR = floats()  # how far the trial of a lane may go, s
    changes: SCALAR = floats()  # how much is found in a lane, of anything
    hits: SCALAR = floats()  # whether impacts of a lane are not solved yet
    impact: IMPACT = floats("modes")
    jump: TRIPLE = floats("modes")  # of the rate
    before: STATE = floats("state")  # at the beginning of what may be taken back
    state: STATE = floats("state")  # at the beginning of a step
    first_fault: FAULT = floats("expressed")  # likewise
    fault: FAULT = floats("expressed")  # before a trial
    reached: FAULT = floats("expressed")  # after it


class Corrections(NamedTuple):
    """What happens at an instant, see `corrections.py`."""

    own: CORRECTION = floats("moved")  # of free bodies; of the angular momentum in place of the rate; see `push`
    shift: TRIPLE = floats("moved")  # displacement of the coordinate of a joint; turn of a ball, world axes
    frame: CORRECTION = floats("places + 1")  # of each frame
    is_pushed: np.ndarray = integers("moved")  # whether an impulse acts on a body of a tree, or on what hangs on it
    source: np.ndarray = integers("nodes + 1")  # the frame where the correction of this one began, or NO_ROW
    is_settled: np.ndarray = integers("moved")  # whether `own` is all that happens to the body, which inherits nothing
    is_corrected: np.ndarray = integers("moved")  # whether this was applied already, in lanes (`independent.py`)
    gained: GAINED = floats(layout.GAINS)


class LoopArrays(NamedTuple):
    """Scratch arrays for loops."""

    made: Corrections  # what closes the gaps after a step
    rows: ConstraintScratch
    kinematics: LOOP_KINEMATICS = floats("loops")
    equation: EQUATION = floats("equations")
    alone: SCALAR = floats("equations")  # multipliers without contacts that last
    opened: SCALAR = floats("equations")  # gaps after a step, in parts of what is allowed
    widest: SCALAR = floats(1)  # of these


class StepPart(NamedTuple):
    """A part of a step that is divided, of each lane."""

    begin: SCALAR = floats()  # s
    end: SCALAR = floats()  # s
    length: SCALAR = floats()  # s; 0 in a lane that waits
    parts: SCALAR = floats()  # how many there are in the step
    now: SCALAR = floats()  # the time of a stage, s


class Scratch(NamedTuple):
    """Arrays that an evaluation writes; only `fault` is kept from one step to the next."""

    part: StepPart
    working: ExpressionScratch | None  # of expressions
    joints: JointArrays | None
    loops: LoopArrays | None
    trial: Any  # of a method that chooses its steps
    touching: Any  # what contact records, of its arrays
    lasting: Any  # contacts that last, with `contact: events`, likewise
    guards: Any  # of triggers
    sleep: Any  # bodies that sleep, of the arrays of contact
    independent: Any  # bodies that are stepped side by side, see `independent.py`
    frame: FRAME = floats("places + 1")  # of the world, the nodes, and links without mass
    driven: LOCAL = floats("driven")
    arm: ARM = floats("places")
    link: LINK = floats("nodes")
    apart: APART = floats("pairs")
    unwrapped: WINDING = floats("unwrapped")  # of loads with a winding; after them unused rows, as in the state
    way: TRIPLE = floats(2)  # two bodies' centres of mass relative to their nearest common ancestor
    fault: FAULT = floats("expressed")  # of loads, nodes driven by expressions, rate-driven ones; of loops
    pull: PULL = floats()
    wrench: WRENCH = floats("moved + 1")  # the last is none
    rate: RATE = floats("state")
    stage: np.ndarray = floats("state", STAGE)  # the state at a stage
    start: np.ndarray = floats("state", START)  # what an integrator keeps of the beginning of a step, or as STAGE
    sum: np.ndarray = floats("state", SUMS)  # what the integrator keeps in a step, as SUMS, RELATIVE or TURNING
    turn: TRIPLE = floats("state")  # a stage's rotation vector, or a relative rate
    before: STATE = floats("state")  # the state at the beginning of what may be taken back
    anew: np.ndarray = integers(1)  # 1 if what is to begin is no phase but a jump of what is held between samples
    broken: np.ndarray = integers(1)  # 1 + the row of the joint that breaks now, or 0
    bearing: SCALAR = floats(1)  # the load of a joint in parts of what it bears
    contact_mean: MEAN = floats(0)  # (contact body) of the arrays of contact, if there are any
    contact_work: np.ndarray = floats(2)  # work of contact, J, as a compensated sum; likewise
    terms: TRIPLE = floats(layout.TERMS, "explained", "nodes")  # of one sample, if metrics read any


class WorldBlock(NamedTuple):
    """What is stepped: worlds side by side in a phase."""

    phase: int
    model: Model
    state: np.ndarray
    scratch: Scratch
    lanes: tuple[int, ...]


@inlined
def in_state(state, block):
    """The block in another state."""
    return WorldBlock(block.phase, block.model, state, block.scratch, block.lanes)


KEPT = ("fault",)
"""The arrays of `Scratch` that are kept from one step to the next."""


class MotionSamples(NamedTuple):
    """The motion of every node, an array for each quantity."""

    position: np.ndarray = floats("samples", "nodes", TRIPLE)  # m
    orientation: np.ndarray = floats("samples", "nodes", QUATERNION)
    velocity: np.ndarray = floats("samples", "nodes", TRIPLE)  # m/s
    angular_velocity: np.ndarray = floats("samples", "nodes", TRIPLE)  # rad/s

    def part(self, rows: slice | int) -> MotionSamples:
        """Some of the samples, or one of them without its axis; not a copy."""
        return MotionSamples(*(array[rows] for array in self))


class JointSamples(NamedTuple):
    """What joints and loops do; coordinates are flat, in the order of the file and of the joint."""

    coordinate: SCALAR = floats("articulated", "coordinates")  # rad or m
    rate: SCALAR = floats("articulated", "coordinates")  # rad/s or m/s
    motor: SCALAR = floats("articulated", "coordinates")  # N m or N
    force: TRIPLE = floats("articulated", "jointed")  # of each joint on its body, N, in the parent's axes
    torque: TRIPLE = floats("articulated", "jointed")  # about the joint, N m, likewise
    loop_force: TRIPLE = floats("articulated", "loops")  # of each loop on its second body, N, world axes
    loop_torque: TRIPLE = floats("articulated", "loops")  # about the point there, N m, likewise

    def part(self, rows: slice) -> JointSamples:
        """Some of the samples; not a copy."""
        return JointSamples._make(array[rows] for array in self)


class Samples(NamedTuple):
    """Samples in C-contiguous arrays, those of the datasets of a file. A part that nobody reads has no samples, and is
    not computed.
    """

    local: MotionSamples  # relative to the parent; or no samples
    world: MotionSamples
    joints: JointSamples | None  # if there are any
    ledger: LEDGER = floats("ledgers")  # of the samples, or none
    terms: TRIPLE = floats(layout.TERMS, "explained", "nodes")  # of the samples, NaN except for free bodies; or none
    asked: np.ndarray = floats(
        "samples", "asked", TRIPLE
    )  # the vectors that metrics read besides, each in its own axes

    def part(self, rows: slice) -> Samples:
        """Some of the samples; not a copy."""
        joints = self.joints and self.joints.part(rows)
        more = self.ledger[rows], self.terms[:, rows], self.asked[rows]
        return Samples(self.local.part(rows), self.world.part(rows), joints, *more)


def copied(array: np.ndarray) -> np.ndarray:
    """A copy for kernels."""
    made = zeros(*array.shape)
    made[...] = array
    return made


def table(rows: Sequence[Sequence[int]], width: int) -> np.ndarray:
    """Rows of integers, (row, width)."""
    return np.array(rows, dtype=np.int64).reshape(len(rows), width) if len(rows) else np.empty((0, width), np.int64)


FLOATS = np.dtype(np.float64)  # a comparison with it takes a fifth of one with `np.float64`


def holds_values(part: object) -> bool:
    """Whether the lanes of a block may differ in this part of a model; all else is structure."""
    return isinstance(part, np.ndarray) and part.ndim == 2 and part.dtype == FLOATS


def windings(model: Model) -> Iterator[tuple[LoadTable, np.ndarray]]:
    """The table and the values of each load that has a winding, in the order of the last rows of the state."""
    tables: tuple[LoadTable, ...] = FOLLOWED if model.pairwise else ()
    for table in tables:
        yield from ((table, value) for value in getattr(model.pairwise, table.name).value)


def measured(model: Model) -> int:
    """The number of lengths that are measured: those of loops that hold at stops only."""
    return len(model.loops.measured) if model.loops and model.loops.measured is not None else 0


def followed(model: Model) -> int:
    """The number of the last rows of the state: of loads that have a winding, then of lengths that are measured."""
    return sum(1 for _ in windings(model)) + measured(model)


@inlined
def switches(model):
    """Whether coordinates have modes."""
    return model.joints is not None and model.joints.modes is not None


def n_places(model: Model) -> int:
    """The number of frames but the world's: those of the nodes, and of the links without mass behind them."""
    return max(len(model.node), *(model.moved_node + 1), 0)


def make_scratch(model: Model, lanes: tuple[int, ...], n_state: int = 0) -> Scratch:
    """Scratch arrays for a model, and for a state with so many rows if steps are taken. Values that never change are
    set here: the world's frame, the local motion of fixed nodes, the constants of expressions.
    """
    n, expressions = len(lanes), model.expressions
    sizes = {
        "lanes": n,
        "nodes": len(model.node),
        "places": n_places(model),
        "parents": len(model.body) + (len(model.joints.held) if model.joints else 0),
        "driven": len(model.motion),
        "moved": len(model.body),
        "pairs": max(len(one.pair) - 1 if one else 0 for one in relations_of(model)),
        "unwrapped": followed(model),
        "expressed": fault_count(expressions) + (len(model.loops.loop) if model.loops else 0),
        "state": max(n_state, len(model.body)),
        "explained": int(model.asked is not None and model.asked.terms is not None),
    }
    loops = loop_arrays_of(model.loops, sizes) if model.loops else None
    working = working_of(expressions, n) if expressions else None
    jointed = joint_arrays_of(model.joints, sizes) if model.joints else None
    scratch = made(
        Scratch, sizes, part=made(StepPart, sizes), working=working, joints=jointed, loops=loops,
        trial=None, touching=None, lasting=None, guards=None, sleep=None, independent=None,
    )  # fmt: skip
    scratch.frame[0, :n] = 1.0  # the real part of the world's orientation
    set_constants(scratch, model, n)
    return scratch


def joint_arrays_of(joints: Joints, sizes: dict[str, int]) -> JointArrays:
    """Scratch arrays for joints."""
    tank = zeros(len(joints.tanks.row), TANK.width * sizes["lanes"]) if joints.tanks else None
    return made(JointArrays, sizes, modes=switching_of(joints, sizes), tank=tank)


def switching_of(joints: Joints, sizes: dict[str, int]) -> Switching | None:
    """Scratch arrays for coordinates that have modes, if there are any."""
    if joints.modes is None or joints.rows is None:
        return None
    return made(Switching, sizes | {"modes": len(joints.modes)}, rows=rows_of(joints.rows, sizes))


def loop_arrays_of(loops: Loops, sizes: dict[str, int]) -> LoopArrays:
    """Scratch arrays for loops."""
    more = {"loops": len(loops.loop), "equations": len(loops.rows.first) - 1}
    return made(LoopArrays, sizes | more, made=made(Corrections, sizes), rows=rows_of(loops.rows, sizes))


def rows_of(rows: ConstraintRows, sizes: dict[str, int]) -> ConstraintScratch:
    """Scratch arrays for constraint rows."""
    n = len(rows.first) - 1
    return made(ConstraintScratch, sizes | {"rows": n, "wrenches": len(rows.held), "products": n * n})


def set_constants(scratch: Scratch, model: Model, n: int) -> None:
    """Set what scratch arrays of n lanes have from the numbers of a model."""
    pose = layout.MOTION.columns("q", n).stop  # position and orientation lead both rows
    scratch.driven[:, :pose] = model.motion[:, :pose]
    given, working = model.expressions, scratch.working
    if given is not None and working is not None:
        working.register[: len(given.script.constant)] = given.script.constant
        working.jet[: len(given.drive.constant), :n] = given.drive.constant
    if scratch.guards is not None and model.guards is not None:
        constant = model.guards.program.constant
        scratch.guards.register[: len(constant)] = constant


def working_of(given: Expressions, n: int) -> ExpressionScratch:
    """Scratch arrays for expressions."""
    registers, jets = (program.first + len(program.code) for program in (given.script, given.drive))
    sizes = {"lanes": n, "registers": registers, "jets": jets, "rate_driven": len(given.rate_driven)}
    return made(ExpressionScratch, sizes)


def fault_count(given: Expressions | None) -> int:
    """The number of loads and motions that are given by expressions."""
    if given is None:
        return 0
    motions = given.driven, given.rate_driven, given.desired, given.motors
    coefficients = given.varied.coefficients if given.varied else ()
    return len(given.scripts.who) + sum(map(len, (*motions, coefficients)))


def relations_of(model: Model) -> tuple[Relations | None, Relations | None]:
    """The pairs of frames of the loads, and those of accelerometers."""
    return model.relations, model.asked.felt.relations if model.asked and model.asked.felt else None


def make_samples(
    model: Model,
    n_sample: int,
    with_terms: bool,
    lanes: tuple[int, ...],
    local: bool = True,
    ledger: bool = True,
    joints: bool = True,
) -> Samples:
    """Arrays for a number of samples: of motion in the world and of the parts that are wanted."""
    sizes = {
        "lanes": len(lanes),
        "nodes": len(model.node),
        "samples": n_sample,
        "ledgers": n_sample if ledger else 0,
        "explained": n_sample if with_terms else 0,
        "articulated": n_sample if joints else 0,
        "asked": len(model.asked.place) if model.asked else 0,
    }
    done = None
    if model.joints is not None:
        loops = len(model.loops.loop) if model.loops else 0
        sizes |= {"coordinates": len(model.joints.coordinate), "jointed": len(model.joints.jointed), "loops": loops}
        done = made(JointSamples, sizes)
    relative = made(MotionSamples, sizes | ({} if local else {"samples": 0}))
    return made(Samples, sizes, local=relative, world=made(MotionSamples, sizes), joints=done)
