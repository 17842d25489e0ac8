"""How a force takes its place among what acts on a body."""

from __future__ import annotations

from rigidsim._jit import inlined, routine
from rigidsim.engine import layout as at
from rigidsim.engine.layout import load, load3, load4, store, store3
from rigidsim.physics.quaternion import rotate
from rigidsim.physics.vector import add, cross, projection, rejection, scaled, sub


@routine
def begin(body, wrench, lanes):
    """No load yet; gravity is the world's uniform one."""
    n = len(lanes)
    for lane in range(n):
        none = (0.0, 0.0, 0.0)
        store3(wrench, at.W_F, lane, n, none)
        store3(wrench, at.W_TAU, lane, n, none)
        store3(wrench, at.W_G, lane, n, load3(body, at.B_G, lane, n))
        store(wrench, at.W_POWER, lane, n, 0.0)


@routine
def push(pull, sign, body, frame, value, place, wrench, lanes):
    """Add sign times a force (first three rows of `pull`) at a point of the body that `value` holds at `place`."""
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
    """Add the power in row 3 of `pull` to what the ledger counts beside the applied loads."""
    n = len(lanes)
    for lane in range(n):
        store(wrench, at.W_POWER, lane, n, load(wrench, at.W_POWER, lane, n) + load(pull, 3, lane, n))


@routine
def confine(normal, wrench, lanes):
    """In a planar scene the plane takes up what would move a body out of it, or tilt it."""
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
def ends(law, k, model, scratch):
    """The two frames of load k, and their separation."""
    pair = law.who[k, at.LAW_PAIR]
    return (
        scratch.frame[model.relations.pair[pair, at.PAIR_FIRST]],
        scratch.frame[model.relations.pair[pair, at.PAIR_SECOND]],
        scratch.apart[pair],
    )


@inlined
def react(law, k, pull, model, scratch, first_place, second_place, lanes):
    """A pair's force on the second end, its opposite on the first if a free body carries it, and the power once."""
    i, j = law.who[k, at.LAW_FIRST], law.who[k, at.LAW_SECOND]
    frame = scratch.frame[model.moved_node[j] + 1]
    push(pull, 1.0, model.body[j], frame, law.value[k], second_place, scratch.wrench[j], lanes)
    if i >= 0:
        frame = scratch.frame[model.moved_node[i] + 1]
        push(pull, -1.0, model.body[i], frame, law.value[k], first_place, scratch.wrench[i], lanes)
    count_power(pull, scratch.wrench[j], lanes)
