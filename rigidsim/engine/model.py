"""Model (constants), State (what varies) and the scratch arrays of one block, as kernels receive them.

Arrays of floats with two dimensions hold values, which may differ from lane to lane; all others are structure, which
the lanes of a block share.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from rigidsim.engine import layout
from rigidsim.engine.laws.declaration import Table
from rigidsim.engine.laws.registry import FOLLOWED, PAIRWISE, SINGLE


class Law(NamedTuple):
    """One kind of load: what each acts on, when, and its constants. A moved body carries the second end of each."""

    # (law, LAW_COLUMNS) pair of frames, row of the moved body at its first end or NOBODY, at its second, first era, the
    # one after, number among what is followed
    who: np.ndarray
    value: np.ndarray  # (law, rows of its kind * lanes)


SingleLaws = NamedTuple("SingleLaws", [(table.name, Law) for table in SINGLE])
"""Loads on single bodies, kind by kind: instead of a pair, the frame of the axes."""
PairLaws = NamedTuple("PairLaws", [(table.name, Law) for table in PAIRWISE])
"""Loads that depend on where two frames are from each other, kind by kind."""


class Relations(NamedTuple):
    """The pairs of frames whose separation is needed, and the ways along the tree from the one to the other."""

    linked: np.ndarray  # nodes whose links the ways use
    pair: np.ndarray  # (pair + 1, 3) first and second frame, and the first way; the last row ends the ways
    way_node: np.ndarray  # (way) node whose link is passed
    way_sign: np.ndarray  # (way) 1.0 outwards, -1.0 inwards


class Mutual(NamedTuple):
    """The free bodies that attract each other; their pairs are made as they are needed."""

    member: np.ndarray  # (member) row among the moved bodies, in the order of their paths
    gm: np.ndarray  # (member, lanes) m^3/s^2
    soft: np.ndarray  # (1, lanes) the softening length squared, m^2; no row without a group
    depth: np.ndarray  # (1 + node) of every frame below the world


class Program(NamedTuple):
    """Expressions as a list of operations on registers; result k goes to register `first` + k."""

    code: np.ndarray  # (operation, 4) what, and the registers of the operands
    constant: np.ndarray  # (constant, lanes) the first registers; t is in the one after them
    first: int


class Expressions(NamedTuple):
    """What expressions give: loads, and prescribed motions."""

    scripts: Law  # loads: instead of a pair, the frame of the axes
    script_register: np.ndarray  # (script, 9) where force, torque and gravity are found
    script: Program
    views: np.ndarray  # (view, 3) what the expressions look at: SEEN_POSITION, ...; pair; first of its registers
    drive: Program  # of t alone, for prescribed motions, on jets
    driven: np.ndarray  # (driven by expressions, 7) row among the driven nodes, registers of position and three angles
    paced: np.ndarray  # (paced, 9) row among the driven nodes; registers of velocity and angular velocity; which apply
    drive_axes: np.ndarray  # (driven by expressions, 9 * lanes) the unit axes of the three turns, the first outermost


class Working(NamedTuple):
    """What evaluating expressions writes."""

    register: np.ndarray  # (register, lanes) of loads
    jet: np.ndarray  # (register, 3 * lanes) of prescribed motions: value, first and second derivative
    pace: np.ndarray  # (paced, PACE_ROWS * lanes)


class Model(NamedTuple):
    """Constants of one block of worlds. Frame 0 is the world, frame i + 1 that of node i."""

    # (node, 4) frame of the parent; FREE, FIXED, PRESCRIBED or DRIVEN; row among moved or driven nodes; row of the
    # moved body that carries it through fixed ones, which may be itself, or NOBODY
    node: np.ndarray
    active: np.ndarray  # nodes whose motion the dynamics needs, parents first; the others are for samples only
    every: np.ndarray  # all nodes, each followed by all that hangs on it
    moved_node: np.ndarray  # (moved) node
    by_path: np.ndarray  # (moved) rows in order of their paths: the order of sums over bodies
    body: np.ndarray  # (moved, BODY_ROWS * lanes)
    motion: np.ndarray  # (driven, MOTION_ROWS * lanes)
    scale: np.ndarray  # (1 + node, lanes) metres per unit of the frame's own lengths
    normal: np.ndarray  # (1, 3 * lanes) of the plane that a planar scene is locked to; or no rows

    relations: Relations | None  # of pair laws and expressions
    single: SingleLaws
    pairwise: PairLaws | None
    mutual: Mutual | None  # given with the pair laws, so that it makes no further kind of model
    expressions: Expressions | None  # what is given by expressions, if anything in the scene is

    impulses: Law  # instead of a pair, the frame of the axes; in the order of the eras that begin with them
    due: np.ndarray  # (era + 1) impulses due[e] to due[e + 1] - 1 act when era e begins
    impulse_number: np.ndarray  # (impulse) which of the blueprint's it is
    inherits: np.ndarray  # (moved) 1.0 for a body that a jump of its parent carries along, else 0.0
    edge_step: np.ndarray  # (edge) eras end at t = (edge_step + edge_fraction) * step
    edge_fraction: np.ndarray  # (edge) in [0, 1)
    edge_kind: np.ndarray  # (edge) EDGE_PASSED, EDGE_CROSSED or EDGE_STOPS
    step: float  # s


class Scratch(NamedTuple):
    """What one evaluation writes; carries nothing from step to step but `fault`."""

    frame: np.ndarray  # (1 + node, FRAME_ROWS * lanes)
    driven: np.ndarray  # (driven, DRIVEN_ROWS * lanes)
    arm: np.ndarray  # (node, ARM_ROWS * lanes)
    link: np.ndarray  # (node, LINK_ROWS * lanes)
    apart: np.ndarray  # (pair, APART_ROWS * lanes)
    wound: np.ndarray  # (what is followed, WINDING_ROWS * lanes)
    way: np.ndarray  # (2, 3 * lanes) of two bodies' centres of mass from where their lineages meet
    working: Working | None  # of expressions
    fault: np.ndarray  # (script + driven by expressions + paced, FAULT_ROWS * lanes)
    pull: np.ndarray  # (4 * lanes) a pair's force or torque, and a power
    wrench: np.ndarray  # (moved, WRENCH_ROWS * lanes)
    rate: np.ndarray  # (state, RATE_ROWS * lanes)
    stage: np.ndarray  # (state, STAGE_ROWS * lanes) the state at a stage
    other_stage: np.ndarray  # (state, STAGE_ROWS * lanes) and at the next
    sum: np.ndarray  # (state, STAGE_ROWS * lanes) weighted sum of the stages' rates
    turn: np.ndarray  # (state, 3 * lanes) a stage's rotation vector, or a relative rate


class Samples(NamedTuple):
    """A history: one row a sample."""

    local: np.ndarray  # (sample, node, SAMPLE_ROWS * lanes) relative to the parent
    world: np.ndarray  # (sample, node, SAMPLE_ROWS * lanes)
    ledger: np.ndarray  # (sample, LEDGER_ROWS * lanes)
    terms: np.ndarray  # (sample, node, TERM_ROWS * lanes), not a number but for free bodies; or no rows at all


def zeros(*shape: int) -> np.ndarray:
    """The one layout kernels are compiled for: C-contiguous float64."""
    return np.zeros(shape, dtype=np.float64)


def table(rows: Sequence[Sequence[int]], width: int) -> np.ndarray:
    """Rows of integers, (row, width)."""
    return np.array(rows, dtype=np.int64).reshape(len(rows), width)


def windings(model: Model) -> Iterator[tuple[Table, np.ndarray]]:
    """The kind and the values of each load that has a winding, in the order of the last rows of the state."""
    for table in FOLLOWED if model.pairwise else ():
        yield from ((table, value) for value in getattr(model.pairwise, table.name).value)


def followed(model: Model) -> int:
    """How many those are."""
    return sum(1 for _ in windings(model))


def make_scratch(model: Model, lanes: tuple[int, ...]) -> Scratch:
    """Scratch arrays for a model; what never changes is set here once: the world's frame, fixed nodes' local motion,
    the constants of expressions.
    """
    n, n_node, n_moved, n_driven = len(lanes), len(model.node), len(model.body), len(model.motion)
    n_state = n_moved + paced_count(model) + followed(model)
    scratch = Scratch(
        frame=zeros(n_node + 1, layout.FRAME_ROWS * n),
        driven=zeros(n_driven, layout.DRIVEN_ROWS * n),
        arm=zeros(n_node, layout.ARM_ROWS * n),
        link=zeros(n_node, layout.LINK_ROWS * n),
        apart=zeros(len(model.relations.pair) - 1 if model.relations else 0, layout.APART_ROWS * n),
        wound=zeros(followed(model), layout.WINDING_ROWS * n),
        way=zeros(2, 3 * n),
        working=working_of(model.expressions, n) if model.expressions else None,
        fault=zeros(fault_count(model.expressions), layout.FAULT_ROWS * n),
        pull=zeros(4 * n),
        wrench=zeros(n_moved, layout.WRENCH_ROWS * n),
        rate=zeros(n_state, layout.RATE_ROWS * n),
        stage=zeros(n_state, layout.STAGE_ROWS * n),
        other_stage=zeros(n_state, layout.STAGE_ROWS * n),
        sum=zeros(n_state, layout.STAGE_ROWS * n),
        turn=zeros(n_state, 3 * n),
    )
    scratch.frame[0, layout.F_Q * n : (layout.F_Q + 1) * n] = 1.0
    pose = (layout.M_Q + 4) * n  # position and orientation lead both rows
    scratch.driven[:, :pose] = model.motion[:, :pose]
    return scratch


def working_of(given: Expressions, n: int) -> Working:
    """Scratch arrays for expressions; their constants are set here once."""
    n_script, n_drive = (program.first + len(program.code) for program in (given.script, given.drive))
    working = Working(zeros(n_script, n), zeros(n_drive, 3 * n), zeros(len(given.paced), layout.PACE_ROWS * n))
    working.register[: len(given.script.constant)] = given.script.constant
    working.jet[: len(given.drive.constant), :n] = given.drive.constant
    return working


def fault_count(given: Expressions | None) -> int:
    """How many loads and motions there are whose expressions can fail."""
    return len(given.scripts.who) + len(given.driven) + len(given.paced) if given else 0


def paced_count(model: Model) -> int:
    """How many nodes have a pose that is state, because their rates are expressions."""
    return len(model.expressions.paced) if model.expressions else 0


def make_samples(model: Model, n_sample: int, with_terms: bool, lanes: tuple[int, ...]) -> Samples:
    """Room for a number of samples."""
    n, n_node = len(lanes), len(model.node)
    terms = zeros(n_sample if with_terms else 0, n_node, layout.TERM_ROWS * n)
    terms.fill(np.nan)
    return Samples(
        local=zeros(n_sample, n_node, layout.SAMPLE_ROWS * n),
        world=zeros(n_sample, n_node, layout.SAMPLE_ROWS * n),
        ledger=zeros(n_sample, layout.LEDGER_ROWS * n),
        terms=terms,
    )
