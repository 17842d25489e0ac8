"""Model (constants), State (what varies) and the scratch arrays of one block, as kernels receive them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rigidsim.engine import layout


class Model(NamedTuple):
    """Constants of one block of worlds. Nodes come parents first; frame 0 is the world, frame i + 1 that of node i."""

    parent: np.ndarray  # (node) frame of the parent
    kind: np.ndarray  # (node) FREE, FIXED or PRESCRIBED
    row: np.ndarray  # (node) row among the free bodies, or among the driven nodes
    active: np.ndarray  # nodes whose motion the dynamics needs; the others are computed for samples only
    every: np.ndarray  # all nodes
    free_node: np.ndarray  # (free) node
    by_path: np.ndarray  # (free) rows in order of their paths: the order of sums over bodies
    body: np.ndarray  # (free, BODY_ROWS * lanes)
    motion: np.ndarray  # (driven, MOTION_ROWS * lanes)
    first_load: np.ndarray  # (free + 1) body i has loads first_load[i] to first_load[i + 1] - 1
    load_axes: np.ndarray  # (load) AXES_BODY, AXES_PARENT or AXES_WORLD
    load_from: np.ndarray  # (load) first era in which it acts
    load_until: np.ndarray  # (load) first era in which it no longer acts
    load: np.ndarray  # (load, LOAD_ROWS * lanes)
    edge_step: np.ndarray  # (edge) eras end at t = (edge_step + edge_fraction) * step
    edge_fraction: np.ndarray  # (edge) in [0, 1)
    step: float  # s


class Scratch(NamedTuple):
    """What one evaluation writes; carries nothing from step to step."""

    frame: np.ndarray  # (1 + node, FRAME_ROWS * lanes)
    driven: np.ndarray  # (driven, DRIVEN_ROWS * lanes)
    arm: np.ndarray  # (node, ARM_ROWS * lanes)
    wrench: np.ndarray  # (free, WRENCH_ROWS * lanes)
    rate: np.ndarray  # (free, RATE_ROWS * lanes)
    stage: np.ndarray  # (free, STATE_ROWS * lanes) the state at a stage
    other_stage: np.ndarray  # (free, STATE_ROWS * lanes) and at the next
    sum: np.ndarray  # (free, STATE_ROWS * lanes) weighted sum of the stages' rates
    turn: np.ndarray  # (free, 3 * lanes) a stage's rotation vector, or a relative rate


class Samples(NamedTuple):
    """A history: one row a sample."""

    local: np.ndarray  # (sample, node, SAMPLE_ROWS * lanes) relative to the parent
    world: np.ndarray  # (sample, node, SAMPLE_ROWS * lanes)
    ledger: np.ndarray  # (sample, LEDGER_ROWS * lanes)
    terms: np.ndarray  # (sample, node, TERM_ROWS * lanes), not a number but for free bodies; or no rows at all


def zeros(*shape: int) -> np.ndarray:
    """The one layout kernels are compiled for: C-contiguous float64."""
    return np.zeros(shape, dtype=np.float64)


def make_scratch(model: Model, lanes: tuple[int, ...]) -> Scratch:
    """Scratch arrays for a model; the world's frame is set here once, fixed nodes' local motion too."""
    n, n_node, n_free, n_driven = len(lanes), len(model.kind), len(model.body), len(model.motion)
    scratch = Scratch(
        frame=zeros(n_node + 1, layout.FRAME_ROWS * n),
        driven=zeros(n_driven, layout.DRIVEN_ROWS * n),
        arm=zeros(n_node, layout.ARM_ROWS * n),
        wrench=zeros(n_free, layout.WRENCH_ROWS * n),
        rate=zeros(n_free, layout.RATE_ROWS * n),
        stage=zeros(n_free, layout.STATE_ROWS * n),
        other_stage=zeros(n_free, layout.STATE_ROWS * n),
        sum=zeros(n_free, layout.STATE_ROWS * n),
        turn=zeros(n_free, 3 * n),
    )
    scratch.frame[0, layout.F_Q * n : (layout.F_Q + 1) * n] = 1.0
    pose = (layout.M_Q + 4) * n  # position and orientation lead both rows
    scratch.driven[:, :pose] = model.motion[:, :pose]
    return scratch


def make_samples(model: Model, n_sample: int, with_terms: bool, lanes: tuple[int, ...]) -> Samples:
    """Room for a number of samples."""
    n, n_node = len(lanes), len(model.kind)
    terms = zeros(n_sample if with_terms else 0, n_node, layout.TERM_ROWS * n)
    terms.fill(np.nan)
    return Samples(
        local=zeros(n_sample, n_node, layout.SAMPLE_ROWS * n),
        world=zeros(n_sample, n_node, layout.SAMPLE_ROWS * n),
        ledger=zeros(n_sample, layout.LEDGER_ROWS * n),
        terms=terms,
    )
