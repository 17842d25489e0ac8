"""Model (constants), State (what varies) and the scratch arrays of one block, as kernels receive them.

Arrays of floats with two dimensions hold values, which may differ from lane to lane; all others are structure, which
the lanes of a block share.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from rigidsim.engine import layout
from rigidsim.engine.contact.columns import CONTACT_BODY, MATERIAL, SHAPE, SOLID, WAY
from rigidsim.engine.laws.declaration import Table
from rigidsim.engine.laws.registry import FOLLOWED, PAIRWISE, SINGLE
from rigidsim.engine.layout import (
    APART,
    ARM,
    BODY,
    DRIVE_AXES,
    FAULT,
    FOLD,
    FRAME,
    LAW,
    LEDGER,
    LINK,
    LOCAL,
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
    RATE,
    TRIPLE,
    VIEW,
    WINDING,
    WRENCH,
)


class Law(NamedTuple):
    """The loads of one kind: bodies, eras and constants of each. The second end of each is on a moved body."""

    who: LAW  # (load)
    value: np.ndarray  # (load, width of its kind * lanes)


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


class Expressions(NamedTuple):
    """Loads and prescribed motions given by expressions."""

    scripts: Law  # loads; in place of a pair, the frame of the axes
    script_register: np.ndarray  # (script, 9) registers of the components of force, torque and gravity
    script: Program
    views: VIEW
    drive: Program  # of t only, for prescribed motions, on jets
    driven: POSED
    paced: PACES
    drive_axes: DRIVE_AXES  # (driven by expressions)


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


class Working(NamedTuple):
    """Scratch arrays for the evaluation of expressions."""

    register: np.ndarray  # (register, lanes) of loads
    jet: np.ndarray  # (register, 3 * lanes) of prescribed motions: value, first and second derivative
    pace: PACE


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
    mutual: Mutual | None
    expressions: Expressions | None  # if anything in the scene is given by expressions
    contacts: Contacts | None  # if any shapes can meet
    metrics: Metrics | None  # if the scene has any; never for the stepper, so that it needs no variant for them

    impulses: Law  # in place of a pair, the frame of the axes; in the order of the eras that begin with them
    due: np.ndarray  # (era + 1) impulses due[e] to due[e + 1] - 1 act when era e begins
    impulse_number: np.ndarray  # (impulse) its number in the blueprint
    inherits: np.ndarray  # (moved) 1.0 for a body that inherits the jumps of its parent, else 0.0
    edge_step: np.ndarray  # (edge) eras end at t = (edge_step + edge_fraction) * step
    edge_fraction: np.ndarray  # (edge) in [0, 1)
    edge_kind: np.ndarray  # (edge) EDGE_PASSED, EDGE_CROSSED or EDGE_STOPS
    step: float  # s


class Scratch(NamedTuple):
    """Arrays that an evaluation writes; only `fault` is kept from one step to the next."""

    frame: FRAME  # (1 + node)
    driven: LOCAL
    arm: ARM  # (node)
    link: LINK  # (node)
    apart: APART  # (pair)
    wound: WINDING  # (load with a winding)
    way: TRIPLE  # (2) two bodies' centres of mass relative to their nearest common ancestor
    working: Working | None  # of expressions
    fault: FAULT  # (script + driven by expressions + paced)
    pull: PULL  # one row
    wrench: WRENCH  # (moved)
    rate: RATE  # (state)
    stage: np.ndarray  # (state, width of STAGE * lanes) the state at a stage
    start: np.ndarray  # (state, width of STAGE or START * lanes) what an integrator keeps of the beginning of a step
    sum: np.ndarray  # (state, width of SUMS, RELATIVE or TURNING * lanes) what the integrator keeps in a step
    turn: TRIPLE  # (state) a stage's rotation vector, or a relative rate
    contact_mean: MEAN  # (contact body)
    contact_work: np.ndarray  # (2) work of contact, J, as a compensated sum


LINE = 8  # doubles in a line of the cache

KEPT = ("fault",)
"""The arrays of `Scratch` that are kept from one step to the next."""


class MotionSamples(NamedTuple):
    """The motion of every node, an array for each quantity."""

    position: np.ndarray  # (sample, node, 3 * lanes) m
    orientation: np.ndarray  # (sample, node, 4 * lanes)
    velocity: np.ndarray  # (sample, node, 3 * lanes) m/s
    angular_velocity: np.ndarray  # (sample, node, 3 * lanes) rad/s

    def part(self, rows: slice | int) -> MotionSamples:
        """Some of the samples, or one of them without its axis; not a copy."""
        return MotionSamples(*(array[rows] for array in self))


class Samples(NamedTuple):
    """Samples in C-contiguous arrays, those of the datasets of a file. A part that nobody reads has no samples, and is
    not computed.
    """

    local: MotionSamples  # relative to the parent; or no samples
    world: MotionSamples
    ledger: LEDGER  # (sample), or no samples
    terms: TRIPLE  # (TERMS, sample, node), NaN except for free bodies; or no samples

    def part(self, rows: slice) -> Samples:
        """Some of the samples; not a copy."""
        return Samples(self.local.part(rows), self.world.part(rows), self.ledger[rows], self.terms[:, rows])


def zeros(*shape: int) -> np.ndarray:
    """An array for kernels: C-contiguous float64, from the beginning of a line of the cache, so that no vector of eight
    lanes lies in two of them.
    """
    size = math.prod(shape)
    room = np.zeros(size + LINE - 1)
    first = -room.ctypes.data // room.itemsize % LINE
    return room[first : first + size].reshape(shape)


def copied(array: np.ndarray) -> np.ndarray:
    """A copy for kernels."""
    made = zeros(*array.shape)
    made[...] = array
    return made


def table(rows: Sequence[Sequence[int]], width: int) -> np.ndarray:
    """Rows of integers, (row, width)."""
    return np.array(rows, dtype=np.int64).reshape(len(rows), width)


def windings(model: Model) -> Iterator[tuple[Table, np.ndarray]]:
    """The table and the values of each load that has a winding, in the order of the last rows of the state."""
    for table in FOLLOWED if model.pairwise else ():
        yield from ((table, value) for value in getattr(model.pairwise, table.name).value)


def followed(model: Model) -> int:
    """The number of loads that have a winding."""
    return sum(1 for _ in windings(model))


def make_scratch(model: Model, lanes: tuple[int, ...]) -> Scratch:
    """Scratch arrays for a model. Values that never change are set here: the world's frame, the local motion of fixed
    nodes, the constants of expressions.
    """
    n, n_node, n_moved, n_driven = len(lanes), len(model.node), len(model.body), len(model.motion)
    n_state = n_moved + paced_count(model) + followed(model)
    scratch = Scratch(
        frame=zeros(n_node + 1, layout.FRAME.width * n),
        driven=zeros(n_driven, layout.LOCAL.width * n),
        arm=zeros(n_node, layout.ARM.width * n),
        link=zeros(n_node, layout.LINK.width * n),
        apart=zeros(len(model.relations.pair) - 1 if model.relations else 0, layout.APART.width * n),
        wound=zeros(followed(model), layout.WINDING.width * n),
        way=zeros(2, 3 * n),
        working=working_of(model.expressions, n) if model.expressions else None,
        fault=zeros(fault_count(model.expressions), layout.FAULT.width * n),
        pull=zeros(layout.PULL.width * n),
        wrench=zeros(n_moved, layout.WRENCH.width * n),
        rate=zeros(n_state, layout.RATE.width * n),
        stage=zeros(n_state, layout.STAGE.width * n),
        start=zeros(n_state, layout.STAGE.width * n),
        sum=zeros(n_state, layout.SUMS.width * n),
        turn=zeros(n_state, 3 * n),
        contact_mean=zeros(0, layout.MEAN.width),
        contact_work=zeros(2),
    )
    scratch.frame[0, :n] = 1.0  # the real part of the world's orientation
    set_constants(scratch, model, n)
    return scratch


def set_constants(scratch: Scratch, model: Model, n: int) -> None:
    """Set what scratch arrays of n lanes have from the numbers of a model."""
    pose = layout.MOTION.columns("q", n).stop  # position and orientation lead both rows
    scratch.driven[:, :pose] = model.motion[:, :pose]
    if model.expressions:
        given, working = model.expressions, scratch.working
        working.register[: len(given.script.constant)] = given.script.constant
        working.jet[: len(given.drive.constant), :n] = given.drive.constant


def working_of(given: Expressions, n: int) -> Working:
    """Scratch arrays for expressions."""
    n_script, n_drive = (program.first + len(program.code) for program in (given.script, given.drive))
    return Working(zeros(n_script, n), zeros(n_drive, 3 * n), zeros(len(given.paced), layout.PACE.width * n))


def fault_count(given: Expressions | None) -> int:
    """The number of loads and motions that are given by expressions."""
    return len(given.scripts.who) + len(given.driven) + len(given.paced) if given else 0


def paced_count(model: Model) -> int:
    """The number of paced nodes: their pose is part of the state, because their rates are expressions."""
    return len(model.expressions.paced) if model.expressions else 0


def make_samples(
    model: Model, n_sample: int, with_terms: bool, lanes: tuple[int, ...], local: bool = True, ledger: bool = True
) -> Samples:
    """Arrays for a number of samples: of motion in the world and of the parts that are wanted."""
    n, n_node = len(lanes), len(model.node)

    def motion(count: int) -> MotionSamples:
        return MotionSamples(*(zeros(count, n_node, width * n) for width in layout.MOTION_WIDTHS))

    return Samples(
        local=motion(n_sample if local else 0),
        world=motion(n_sample),
        ledger=zeros(n_sample if ledger else 0, layout.LEDGER.width * n),
        terms=zeros(layout.TERMS, n_sample if with_terms else 0, n_node, 3 * n),
    )
