"""What happens at one instant: impulses strike bodies, and what jumps takes along what hangs on it.

Jumps go from the world outwards, parents before children: a body that keeps its world motion passes no jump on, and
what hangs on it needs nothing.
"""

from __future__ import annotations

from rigidsim._jit import inlined, routine
from rigidsim.engine import layout as at
from rigidsim.engine.evaluate import place_nodes
from rigidsim.engine.events import begin_instant, note_event, spread, tell_instant
from rigidsim.engine.kinds import jump
from rigidsim.engine.layout import load3, load4, store3
from rigidsim.engine.loads import exchange_energy
from rigidsim.engine.observe import observe
from rigidsim.engine.relations import relate
from rigidsim.physics.impulses import impulse_moment
from rigidsim.physics.quaternion import rotate
from rigidsim.physics.vector import add, projection, rejection


@routine
def gather(value, axes, frame, hit, lanes):
    """An impulse, and its moment about the centre of mass; world axes."""
    n = len(lanes)
    for lane in range(n):
        q_WA, q_WB = load4(axes, at.F_Q, lane, n), load4(frame, at.F_Q, lane, n)
        J = rotate(q_WA, load3(value, at.IMPULSE_J, lane, n))
        lever = rotate(q_WB, load3(value, at.IMPULSE_LEVER, lane, n))
        store3(hit, at.HIT_J, lane, n, J)
        store3(hit, at.HIT_K, lane, n, impulse_moment(lever, J, rotate(q_WA, load3(value, at.IMPULSE_K, lane, n))))


@routine
def confine_impulse(normal, hit, lanes):
    """In a planar scene the plane takes up what would move a body out of it, or tilt it."""
    n = len(lanes)
    for lane in range(n):
        u = load3(normal, 0, lane, n)
        J, K = load3(hit, at.HIT_J, lane, n), load3(hit, at.HIT_K, lane, n)
        store3(hit, at.HIT_J, lane, n, rejection(u, J))
        store3(hit, at.HIT_K, lane, n, projection(u, K))
        store3(hit, at.HIT_REST_J, lane, n, projection(u, J))
        store3(hit, at.HIT_REST_K, lane, n, rejection(u, K))


@routine
def strike_body(hit, strike, lanes):
    """Add an impulse and its moment to those on its body."""
    n = len(lanes)
    for lane in range(n):
        J, K = load3(hit, at.HIT_J, lane, n), load3(hit, at.HIT_K, lane, n)
        store3(strike, at.STRIKE_J, lane, n, add(load3(strike, at.STRIKE_J, lane, n), J))
        store3(strike, at.STRIKE_K, lane, n, add(load3(strike, at.STRIKE_K, lane, n), K))


@inlined
def strike_bodies(instant, era, model, scratch, buffer, lanes):
    """The impulses that are due as this era begins; frames are placed."""
    law = model.impulses
    for k in range(model.due[era], model.due[era + 1]):
        i = law.who[k, at.LAW_SECOND]
        node = model.moved_node[i]
        hit = buffer.event_value[note_event(instant, at.CAUSE_IMPULSE, model.impulse_number[k], node, buffer)]
        gather(law.value[k], scratch.frame[law.who[k, at.LAW_PAIR]], scratch.frame[node + 1], hit, lanes)
        if len(model.normal) > 0:
            confine_impulse(model.normal[0], hit, lanes)
        strike_body(hit, buffer.strike[i], lanes)
        buffer.source[node + 1] = node + 1


@inlined
def pass_jumps(nodes, instant, model, state, scratch, buffer, lanes):
    """From the world outwards, parents first: what strikes bodies, and the jumps that frames are given, change the
    motion of all that they reach.
    """
    for node in nodes:
        if spread(node, instant, model, buffer):
            jump(node, model, state, scratch, buffer, lanes)


@routine
def strike(t, era, model, state, scratch, buffer, lanes):
    """The impulses of the instant t (s) at which this era begins, with a sample of the motion before and after."""
    observe(t, era, model, state, scratch, buffer.pair, 0, lanes)
    place_nodes(model.active, t, model, state, scratch, lanes)
    instant = begin_instant(buffer)
    strike_bodies(instant, era, model, scratch, buffer, lanes)
    pass_jumps(model.active, instant, model, state, scratch, buffer, lanes)
    observe(t, era, model, state, scratch, buffer.pair, 1, lanes)
    tell_instant(t, instant, model, buffer, lanes)


@inlined
def cross_edge(buffer, t, era, model, state, scratch, lanes):
    """What happens at time t (s), as this era begins."""
    place_nodes(model.active, t, model, state, scratch, lanes)
    relate(model, state, scratch, lanes)
    if era > 0:
        exchange_energy(era, model, state, scratch, lanes)
    if model.due[era + 1] > model.due[era]:
        strike(t, era, model, state, scratch, buffer, lanes)
