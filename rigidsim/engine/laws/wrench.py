"""Adding forces, torques and powers to the wrench of a body."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rigidsim.engine import layout as at
from rigidsim.engine.layout import load, load3, load4, store, store3
from rigidsim.jit import inlined, routine
from rigidsim.physics.quaternion import rotate
from rigidsim.physics.vector import add, cross, projection, rejection, scaled, sub


class SingleArrays(NamedTuple):
    """The arrays of `Scratch` and `Model` that laws of single bodies use: fewer arrays compile faster."""

    frame: np.ndarray
    arm: np.ndarray
    wrench: np.ndarray
    moved_node: np.ndarray
    body: np.ndarray


class PairArrays(NamedTuple):
    """The arrays that pair laws use."""

    frame: np.ndarray
    apart: np.ndarray
    wound: np.ndarray
    pull: np.ndarray
    wrench: np.ndarray
    pair: np.ndarray
    moved_node: np.ndarray
    body: np.ndarray


@inlined
def single_arrays(model, scratch):
    """The arrays of a model in an evaluation."""
    return SingleArrays(scratch.frame, scratch.arm, scratch.wrench, model.moved_node, model.body)


@inlined
def pair_arrays(model, scratch):
    """The arrays of a model with pair laws in an evaluation."""
    return PairArrays(
        scratch.frame, scratch.apart, scratch.wound, scratch.pull, scratch.wrench,
        model.relations.pair, model.moved_node, model.body,
    )  # fmt: skip


@routine
def begin(body, wrench, lanes):
    """Initialise a wrench: no loads, and the world's uniform gravity."""
    n = len(lanes)
    for lane in range(n):
        none = (0.0, 0.0, 0.0)
        store3(wrench, at.W_F, lane, n, none)
        store3(wrench, at.W_TAU, lane, n, none)
        store3(wrench, at.W_G, lane, n, load3(body, at.B_G, lane, n))
        store(wrench, at.W_POWER, lane, n, 0.0)


@routine
def push(pull, sign, body, frame, value, place, wrench, lanes):
    """Add sign times a force (first three rows of `pull`) at a point of the body, given by `value` at column
    `place`.
    """
    n = len(lanes)
    for lane in range(n):
        f_W = scaled(sign, load3(pull, 0, lane, n))
        lever_B = sub(load3(value, place, lane, n), load3(body, at.B_COM, lane, n))
        tau_W = cross(rotate(load4(frame, at.F_Q, lane, n), lever_B), f_W)
        store3(wrench, at.W_F, lane, n, add(load3(wrench, at.W_F, lane, n), f_W))
        store3(wrench, at.W_TAU, lane, n, add(load3(wrench, at.W_TAU, lane, n), tau_W))


@routine
def turn(pull, sign, wrench, lanes):
    """Add sign times a torque (first three rows of `pull`)."""
    n = len(lanes)
    for lane in range(n):
        tau_W = scaled(sign, load3(pull, 0, lane, n))
        store3(wrench, at.W_TAU, lane, n, add(load3(wrench, at.W_TAU, lane, n), tau_W))


@routine
def count_power(pull, wrench, lanes):
    """Add the power in row 3 of `pull`, which the ledger counts in addition to that of the applied loads."""
    n = len(lanes)
    for lane in range(n):
        store(wrench, at.W_POWER, lane, n, load(wrench, at.W_POWER, lane, n) + load(pull, 3, lane, n))


@routine
def confine(normal, wrench, lanes):
    """In a planar scene: remove the components that would move a body out of the plane or tilt it."""
    n = len(lanes)
    for lane in range(n):
        u = load3(normal, 0, lane, n)
        f, tau, g = (
            load3(wrench, at.W_F, lane, n),
            load3(wrench, at.W_TAU, lane, n),
            load3(wrench, at.W_G, lane, n),
        )
        store3(wrench, at.W_F, lane, n, rejection(u, f))
        store3(wrench, at.W_TAU, lane, n, projection(u, tau))
        store3(wrench, at.W_G, lane, n, rejection(u, g))


@inlined
def acts(law, k, era):
    """Whether load k acts in this era."""
    return law.who[k, at.LAW_BEGIN] <= era < law.who[k, at.LAW_UNTIL]


@inlined
def ends(law, k, arrays):
    """The two frames of load k, and their separation."""
    pair = law.who[k, at.LAW_PAIR]
    return (
        arrays.frame[arrays.pair[pair, at.PAIR_FIRST]],
        arrays.frame[arrays.pair[pair, at.PAIR_SECOND]],
        arrays.apart[pair],
    )


@inlined
def react(law, k, arrays, first_place, second_place, lanes):
    """Add a pair's force at the second end, its opposite at the first if that is on a free body, and its power once."""
    i, j = law.who[k, at.LAW_FIRST], law.who[k, at.LAW_SECOND]
    frame = arrays.frame[arrays.moved_node[j] + 1]
    push(arrays.pull, 1.0, arrays.body[j], frame, law.value[k], second_place, arrays.wrench[j], lanes)
    if i >= 0:
        frame = arrays.frame[arrays.moved_node[i] + 1]
        push(arrays.pull, -1.0, arrays.body[i], frame, law.value[k], first_place, arrays.wrench[i], lanes)
    count_power(arrays.pull, arrays.wrench[j], lanes)
