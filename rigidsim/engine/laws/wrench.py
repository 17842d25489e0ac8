"""Adding forces, torques and powers to the wrench of a body."""

from __future__ import annotations

from typing import NamedTuple

from rigidsim.engine.model.layout import APART, BODY, FRAME, NUMBERS, PULL, TRIPLE, WINDING, WRENCH
from rigidsim.jit import inlined, lanewise
from rigidsim.physics.quaternion import rotate
from rigidsim.physics.vector import add, cross, projection, rejection, scaled, sub


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
    tau_W = cross(rotate(frame.q, sub(value.part(place, 3), body.com)), f_W)
    wrench.f = add(wrench.f, f_W)
    wrench.tau = add(wrench.tau, tau_W)


@lanewise
def turn(pull: PULL, sign, wrench: WRENCH, lane):
    """Add sign times a torque (first three rows of `pull`)."""
    wrench.tau = add(wrench.tau, scaled(sign, pull.f))


@lanewise
def count_power(pull: PULL, wrench: WRENCH, lane):
    """Add the power in row 3 of `pull`, which the ledger counts in addition to that of the applied loads."""
    wrench.power += pull.power


@lanewise
def confine(normal: TRIPLE, wrench: WRENCH, lane):
    """In a planar scene: remove the components that would move a body out of the plane or tilt it."""
    u = normal.xyz
    wrench.f = rejection(u, wrench.f)
    wrench.tau = projection(u, wrench.tau)
    wrench.g = rejection(u, wrench.g)


@inlined
def acts(law, k, phase):
    """Whether load k acts in this phase."""
    return law.who[k].begin <= phase < law.who[k].until


class LoadRows(NamedTuple):
    """The rows of a load between two frames: these, the second relative to the first, the body at the second, and the
    winding.
    """

    first: FRAME
    second: FRAME
    apart: APART
    body: BODY
    unwrapped: WINDING  # None if the load has none


@inlined
def rows_of_load(law, k, block, winds=False):
    """Those of load k, of a kind that has a winding or has none."""
    model, scratch, who = block.model, block.scratch, law.who[k]
    pair, unwrapped = model.relations.pair[who.pair], scratch.unwrapped[who.followed] if winds else None
    first, second = scratch.frame[pair.first], scratch.frame[pair.second]
    return LoadRows(first, second, scratch.apart[who.pair], model.body[who.second], unwrapped)


@inlined
def react(law, k, block, first_place, second_place):
    """Add a pair's force at the second end, its opposite at the first if that is on a free body, and its power once."""
    scratch = block.scratch
    pull = scratch.pull
    for sign, i, place in ((1.0, law.who[k].second, second_place), (-1.0, law.who[k].first, first_place)):
        if i >= 0:
            frame = scratch.frame[block.model.moved_node[i] + 1]
            push(pull, sign, block.model.body[i], frame, law.value[k], place, scratch.wrench[i], block.lanes)
    count_power(pull, scratch.wrench[law.who[k].second], block.lanes)
