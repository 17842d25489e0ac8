"""Rotations relative to the parent, in its axes, for methods that step those: conversion of the state there and back.

`local` is a row with the relative rate omega_PB in its first three columns and q_PB from at.S_Q on.
"""

from __future__ import annotations

from rigidsim.engine import layout as at
from rigidsim.engine.drive import drive
from rigidsim.engine.kinds import is_moved, place
from rigidsim.engine.layout import load3, load4, store3, store4
from rigidsim.jit import inlined, routine
from rigidsim.physics.quaternion import conjugate, exp_cubic, exp_full, product, renormalised, rotate_back
from rigidsim.physics.vector import add, scaled


@routine
def enter_parent(state, parent, local, lanes):
    """q_PB = q_WP* q_WB."""
    n = len(lanes)
    for lane in range(n):
        q_PW = conjugate(load4(parent, at.F_Q, lane, n))
        store4(local, at.S_Q, lane, n, product(q_PW, load4(state, at.S_Q, lane, n)))


@routine
def turn_cubic(local, turn, lanes):
    """q' = exp(Omega/2) q with the truncated, normalised exponential."""
    n = len(lanes)
    for lane in range(n):
        increment = exp_cubic(scaled(0.5, load3(turn, 0, lane, n)))
        store4(local, at.S_Q, lane, n, renormalised(product(increment, load4(local, at.S_Q, lane, n))))


@routine
def turn_full(local, turn, lanes):
    """q' = exp(Omega/2) q."""
    n = len(lanes)
    for lane in range(n):
        increment = exp_full(scaled(0.5, load3(turn, 0, lane, n)))
        store4(local, at.S_Q, lane, n, renormalised(product(increment, load4(local, at.S_Q, lane, n))))


@routine
def leave_parent(state, local, parent, lanes):
    """q_WB = q_WP q_PB and omega_B = R_PB^T (omega_PB + R_WP^T omega_WP)."""
    n = len(lanes)
    for lane in range(n):
        q_WP, q_PB = load4(parent, at.F_Q, lane, n), load4(local, at.S_Q, lane, n)
        omega_P = add(load3(local, 0, lane, n), rotate_back(q_WP, load3(parent, at.F_OMEGA, lane, n)))
        store4(state, at.S_Q, lane, n, renormalised(product(q_WP, q_PB)))
        store3(state, at.S_OMEGA, lane, n, rotate_back(q_PB, omega_P))


@inlined
def leave_parents(t_end, model, state, scratch, lanes):
    """The rotation in the world of every free body at the end of a step, parents first, from the local rows in
    `scratch.sum`.
    """
    drive(t_end, model, state, scratch, lanes)
    for node in model.active:
        if is_moved(node, model):
            i = model.node[node, at.NODE_ROW]
            leave_parent(state[i], scratch.sum[i], scratch.frame[model.node[node, at.NODE_PARENT]], lanes)
        place(node, t_end, model, state, scratch, lanes)
