"""Adding forces, torques and powers to the wrench of a body."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rigidsim.engine.layout import APART, ARM, BODY, FRAME, NUMBERS, PAIR, PULL, TRIPLE, WINDING, WRENCH
from rigidsim.jit import inlined, lanewise
from rigidsim.physics.quaternion import rotate
from rigidsim.physics.vector import add, cross, projection, rejection, scaled, sub


class SingleArrays(NamedTuple):
    """The arrays of `Scratch` and `Model` that laws of single bodies use: fewer arrays compile faster."""

    frame: FRAME
    arm: ARM
    wrench: WRENCH
    moved_node: np.ndarray
    body: BODY


class PairArrays(NamedTuple):
    """The arrays that pair laws use."""

    frame: FRAME
    apart: APART
    wound: WINDING
    pull: PULL
    wrench: WRENCH
    pair: PAIR
    moved_node: np.ndarray
    body: BODY


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


@lanewise
def begin(body: BODY, wrench: WRENCH, lane):
    """Initialise a wrench: no loads, and the world's uniform gravity."""
    none = (0.0, 0.0, 0.0)
    wrench.f = none
    wrench.tau = none
    wrench.g = body.g
    wrench.power = 0.0


@lanewise
def push(pull: PULL, sign, body: BODY, frame: FRAME, value: NUMBERS, place, wrench: WRENCH, lane):
    """Add sign times a force (first three rows of `pull`) at a point of the body, given by `value` at column
    `place`.
    """
    f_W = scaled(sign, pull.f)
    lever_B = sub(value.part(place, 3), body.com)
    tau_W = cross(rotate(frame.q, lever_B), f_W)
    wrench.f = add(wrench.f, f_W)
    wrench.tau = add(wrench.tau, tau_W)


@lanewise
def turn(pull: PULL, sign, wrench: WRENCH, lane):
    """Add sign times a torque (first three rows of `pull`)."""
    tau_W = scaled(sign, pull.f)
    wrench.tau = add(wrench.tau, tau_W)


@lanewise
def count_power(pull: PULL, wrench: WRENCH, lane):
    """Add the power in row 3 of `pull`, which the ledger counts in addition to that of the applied loads."""
    wrench.power += pull.power


@lanewise
def confine(normal: TRIPLE, wrench: WRENCH, lane):
    """In a planar scene: remove the components that would move a body out of the plane or tilt it."""
    u = normal.xyz
    f, tau, g = (wrench.f, wrench.tau, wrench.g)
    wrench.f = rejection(u, f)
    wrench.tau = projection(u, tau)
    wrench.g = rejection(u, g)


@inlined
def acts(law, k, era):
    """Whether load k acts in this era."""
    return law.who[k].begin <= era < law.who[k].until


@inlined
def ends(law, k, arrays):
    """The two frames of load k, and their separation."""
    pair = law.who[k].pair
    return (
        arrays.frame[arrays.pair[pair].first],
        arrays.frame[arrays.pair[pair].second],
        arrays.apart[pair],
    )


@inlined
def react(law, k, arrays, first_place, second_place, lanes):
    """Add a pair's force at the second end, its opposite at the first if that is on a free body, and its power once."""
    i, j = law.who[k].first, law.who[k].second
    frame = arrays.frame[arrays.moved_node[j] + 1]
    push(arrays.pull, 1.0, arrays.body[j], frame, law.value[k], second_place, arrays.wrench[j], lanes)
    if i >= 0:
        frame = arrays.frame[arrays.moved_node[i] + 1]
        push(arrays.pull, -1.0, arrays.body[i], frame, law.value[k], first_place, arrays.wrench[i], lanes)
    count_power(arrays.pull, arrays.wrench[j], lanes)
