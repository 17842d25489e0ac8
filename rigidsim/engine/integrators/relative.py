"""Rotations relative to the parent, in its axes, for methods that step those: conversion of the state."""

from __future__ import annotations

from typing import NamedTuple

from rigidsim.engine.dynamics.drive import drive
from rigidsim.engine.dynamics.kinds import place
from rigidsim.engine.model import layout as at
from rigidsim.engine.model.layout import FRAME, RATE, RELATIVE, STAGE, STATE, TRIPLE, add_to_sums
from rigidsim.jit import inlined, lanewise
from rigidsim.physics.quaternion import conjugate, exp_cubic, exp_full, product, renormalised, rotate_back
from rigidsim.physics.vector import add, scaled


class RelativeRows(NamedTuple):
    """The rows of a free body that steps relative to its parent: the state and its rate, both frames, the rotation
    vector Omega of the step, and the rotation and rate relative to the parent.
    """

    state: STATE
    rate: RATE
    parent: FRAME
    frame: FRAME
    turn: TRIPLE
    local: RELATIVE


@inlined
def relative_rows(i, block):
    """Those of a moved row."""
    scratch, node = block.scratch, block.model.moved_node[i]
    return RelativeRows(
        block.state[i], scratch.rate[i], scratch.frame[block.model.node[node].parent], scratch.frame[node + 1],
        scratch.turn[i], scratch.sum[i],
    )  # fmt: skip


@lanewise
def enter_parent(rows: RelativeRows, lane):
    """q_PB = q_WP* q_WB."""
    q_PW = conjugate(rows.parent.q)
    rows.local.q = product(q_PW, rows.state.q)


@lanewise
def turn_cubic(rows: RelativeRows, lane):
    """q' = exp(Omega/2) q with the truncated, normalised exponential."""
    increment = exp_cubic(scaled(0.5, rows.turn.xyz))
    rows.local.q = renormalised(product(increment, rows.local.q))


@lanewise
def turn_full(rows: RelativeRows, lane):
    """q' = exp(Omega/2) q."""
    increment = exp_full(scaled(0.5, rows.turn.xyz))
    rows.local.q = renormalised(product(increment, rows.local.q))


@lanewise
def leave_parent(state: STAGE, local: RELATIVE, parent: FRAME, lane):
    """q_WB = q_WP q_PB and omega_B = R_PB^T (omega_PB + R_WP^T omega_WP)."""
    q_WP, q_PB = parent.q, local.q
    omega_P = add(local.omega, rotate_back(q_WP, parent.omega))
    state.q = renormalised(product(q_WP, q_PB))
    state.omega = rotate_back(q_PB, omega_P)


@lanewise
def move_joint(state: STATE, rate: RATE, h, share, lane):
    """A joint: v' = v + h a, x' = x + h (v + share h a); a ball joint turns by h (omega + share h alpha), body axes."""
    v, omega = state.v, state.omega
    add_to_sums(state, p=scaled(h, add(v, scaled(share * h, rate.a))))
    add_to_sums(state, v=scaled(h, rate.a))
    turn = scaled(h, add(omega, scaled(share * h, rate.alpha)))
    add_to_sums(state, omega=scaled(h, rate.alpha), work=h * rate.power)
    state.q = renormalised(product(state.q, exp_cubic(scaled(0.5, turn))))


@inlined
def leave_parents(t_end, block):
    """The rotation in the world of every free body at the end of a step, parents first, from the local rows in
    `scratch.sum`.
    """
    model, state, scratch, lanes = block.model, block.state, block.scratch, block.lanes
    drive(t_end, block)
    for node in model.active:
        if model.node[node].kind == at.FREE:
            i = model.node[node].row
            leave_parent(state[i], scratch.sum[i], scratch.frame[model.node[node].parent], lanes)
        place(node, t_end, block)
