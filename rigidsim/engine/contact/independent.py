"""Independent bodies: nothing but their own state and constants enters a step of them. A pile consists of them.

They are worlds of one structure with one body each. So several of them are stepped, and corrected by contact, side by
side, in the lanes of a block, as worlds are (`lanes.py`); bits do not depend on the number of lanes.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rigidsim.engine.dynamics.corrections import correct_alone, correct_free
from rigidsim.engine.dynamics.kinds import is_row_asleep
from rigidsim.engine.integrators import step
from rigidsim.engine.laws.registry import SINGLE
from rigidsim.engine.model import layout as at
from rigidsim.engine.model.arrays import (
    Corrections,
    Model,
    Scratch,
    SingleLaws,
    WorldBlock,
    made,
    make_scratch,
    table,
    zeros,
)
from rigidsim.engine.model.layout import ARM, BODY, CORRECTION, FRAME, NUMBERS, STATE
from rigidsim.jit import inlined, lanewise, routine


class Independent(NamedTuple):
    """The independent bodies of a world, and a block that steps some of them at once."""

    row: np.ndarray  # (independent) moved rows
    marks: np.ndarray  # (moved) 1 of these, else 0
    due: np.ndarray  # (independent + lanes) those that are awake, the last one repeated
    node: np.ndarray  # (independent + lanes) their nodes
    model: Model
    state: np.ndarray
    scratch: Scratch
    made: Corrections
    lanes: tuple[int, ...]


def make_independent(model: Model, lanes: tuple[int, ...]) -> Independent | None:
    """The independent bodies of a model and a block of so many lanes; None if one lane is all, or the scene has few."""
    if model.contacts is None or model.contacts.independent is None or len(lanes) == 1:
        return None
    row, marks, block = model.contacts.independent, np.zeros(len(model.body), np.int64), model_of_one(lanes)
    marks[row] = 1
    state, due = zeros(1, STATE.width * len(lanes)), np.zeros(len(row) + len(lanes), np.int64)
    corrections = made(Corrections, {"moved": 1, "places": 1, "nodes": 1, "lanes": len(lanes)})
    return Independent(row, marks, due, due.copy(), block, state, make_scratch(block, lanes, 1), corrections, lanes)


def model_of_one(lanes: tuple[int, ...]) -> Model:
    """Worlds of one free body, whose constants are still to be written."""
    n, first = len(lanes), np.zeros(1, np.int64)
    body = at.NODE.filled(kind=at.FREE)
    parts: dict[str, Any] = dict.fromkeys(Model._fields)
    parts |= {"node": table([body], at.NODE.width), "active": first, "every": first, "moved_node": first}
    parts |= {"body": zeros(1, BODY.width * n), "motion": zeros(0, at.MOTION.width * n), "normal": zeros(0, 3 * n)}
    return Model(**parts | {"single": SingleLaws(*[None] * len(SINGLE))})


@lanewise
def gather(rows, who, kind, row: NUMBERS, lane):
    """One body a lane, from its row of this kind."""
    row.put(0, tuple(rows[who[lane], : kind.width]))


@lanewise
def scatter(rows, who, kind, row: NUMBERS, lane):
    """And back. Lanes that have the same body have the same numbers."""
    rows[who[lane], : kind.width] = row.part(0, kind.width)


@inlined
def find_due(own, scratch):
    """List the independent bodies that are awake. Returns how many there are."""
    n = 0
    for k in own.row:
        if not is_row_asleep(k, scratch):
            own.due[n] = k
            n += 1
    for k in range(n, n + len(own.lanes)):
        own.due[k] = own.due[max(n - 1, 0)]
    return n


@routine
def step_independent(method, t, t_end, h, block):
    """Advance the independent bodies from t to t_end, h = t_end - t (s), each in a lane."""
    own, state, body = block.scratch.independent, block.state, block.model.body
    bodies = WorldBlock(block.phase, own.model, own.state, own.scratch, own.lanes)
    for first in range(0, find_due(own, block.scratch), len(own.lanes)):
        who = own.due[first:]
        gather(body, who, BODY, own.model.body[0], own.lanes)
        gather(state, who, STATE, own.state[0], own.lanes)
        step(method, t[0], t_end[0], h[0], bodies)
        scatter(state, who, STATE, own.state[0], own.lanes)


@inlined
def moves_others(model, scratch):
    """Whether a step has to do with anything else; in steps, expressions record their faults."""
    own = scratch.independent
    return own is None or len(own.row) < len(model.moved_node) or model.expressions is not None


@inlined
def list_corrected(own, moved_node, made):
    """List the bodies to which something happened, where all are independent. Returns how many there are."""
    n = 0
    for k in range(len(moved_node)):
        node = moved_node[k]
        if made.source[node + 1] != at.NO_ROW:
            own.due[n], own.node[n], made.is_corrected[k] = k, node, 1
            n += 1
    for k in range(n, n + len(own.lanes)):
        own.due[k], own.node[k] = own.due[max(n - 1, 0)], own.node[max(n - 1, 0)]
    return n


@routine
def correct_independent(block, made):
    """Apply what happens to the bodies of a world in which all are independent, each in a lane."""
    model, scratch, own, lanes = block.model, block.scratch, block.scratch.independent, block.scratch.independent.lanes
    body, state, arm, frame = own.model.body[0], own.state[0], own.scratch.arm[0], own.scratch.frame[1]
    given, result, gained = own.made.own[0], own.made.frame[1], own.made.gained[at.OF_OTHERS]
    n = list_corrected(own, model.moved_node, made)
    for first in range(0, n, len(lanes)):
        who, node = own.due[first:], own.node[first:]
        gather(model.body, who, BODY, body, lanes)
        gather(block.state, who, STATE, state, lanes)
        gather(made.own, who, CORRECTION, given, lanes)
        gather(scratch.frame[1:], node, FRAME, frame, lanes)
        gather(scratch.arm, node, ARM, arm, lanes)
        own.made.frame[:] = own.made.gained[:] = 0.0
        correct_alone(state, body, given, own.scratch.frame[0], lanes)
        correct_free(state, body, given, arm, frame, result, gained, lanes)
        scatter(block.state, who, STATE, state, lanes)
        scatter(made.frame[1:], node, CORRECTION, result, lanes)
        for lane in range(min(n - first, len(lanes))):
            made.gained[at.OF_OTHERS].value += gained[lane]
