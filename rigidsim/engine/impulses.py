"""Impulses at one instant, and how velocity jumps are passed to descendants.

Jumps are passed from parents to children: a body that keeps its motion in the world does not pass a jump on, so its
descendants need no change.
"""

from __future__ import annotations

from rigidsim.engine import layout as at
from rigidsim.engine.evaluate import place_nodes
from rigidsim.engine.events import begin_instant, complete_instant, record_event, spread
from rigidsim.engine.kinds import jump
from rigidsim.engine.layout import load3, load4, load6, store3
from rigidsim.engine.loads import exchange_energy
from rigidsim.engine.observe import observe
from rigidsim.engine.relations import relate
from rigidsim.jit import inlined, routine
from rigidsim.physics.impulses import impulse_moment
from rigidsim.physics.quaternion import rotate
from rigidsim.physics.rigid_body import takes_torque
from rigidsim.physics.vector import add, projection, rejection, scaled


@routine
def gather(value, axes, frame, body, hit, lanes):
    """Write an impulse, and its moment about the centre of mass; world axes."""
    n = len(lanes)
    for lane in range(n):
        q_WA, q_WB = load4(axes, at.F_Q, lane, n), load4(frame, at.F_Q, lane, n)
        J = rotate(q_WA, load3(value, at.IMPULSE_J, lane, n))
        lever = rotate(q_WB, load3(value, at.IMPULSE_LEVER, lane, n))
        K = impulse_moment(lever, J, rotate(q_WA, load3(value, at.IMPULSE_K, lane, n)))
        turns = takes_torque(load6(body, at.B_INVERSE, lane, n))
        store3(hit, at.HIT_J, lane, n, J)
        store3(hit, at.HIT_K, lane, n, scaled(turns, K))
        store3(hit, at.HIT_REST_K, lane, n, scaled(1.0 - turns, K))


@routine
def confine_impulse(normal, hit, lanes):
    """In a planar scene: split an impulse into the part that acts, and the rest, absorbed by the plane constraint,
    which would move the body out of the plane or tilt it.
    """
    n = len(lanes)
    for lane in range(n):
        u = load3(normal, 0, lane, n)
        J, K = load3(hit, at.HIT_J, lane, n), load3(hit, at.HIT_K, lane, n)
        store3(hit, at.HIT_J, lane, n, rejection(u, J))
        store3(hit, at.HIT_K, lane, n, projection(u, K))
        store3(hit, at.HIT_REST_J, lane, n, projection(u, J))
        store3(hit, at.HIT_REST_K, lane, n, add(load3(hit, at.HIT_REST_K, lane, n), rejection(u, K)))


@routine
def add_impulse(hit, total, lanes):
    """Add an impulse and its moment to those on its body."""
    n = len(lanes)
    for lane in range(n):
        J, K = load3(hit, at.HIT_J, lane, n), load3(hit, at.HIT_K, lane, n)
        store3(total, at.TOTAL_J, lane, n, add(load3(total, at.TOTAL_J, lane, n), J))
        store3(total, at.TOTAL_K, lane, n, add(load3(total, at.TOTAL_K, lane, n), K))


@inlined
def add_impulses(instant, era, model, scratch, buffer, lanes):
    """Record the impulses that are due as this era begins, and sum those on each body; frames are placed."""
    law = model.impulses
    for k in range(model.due[era], model.due[era + 1]):
        i = law.who[k, at.LAW_SECOND]
        node = model.moved_node[i]
        hit = buffer.event_value[record_event(instant, at.CAUSE_IMPULSE, model.impulse_number[k], node, buffer)]
        axes, frame = scratch.frame[law.who[k, at.LAW_PAIR]], scratch.frame[node + 1]
        gather(law.value[k], axes, frame, model.body[i], hit, lanes)
        if len(model.normal) > 0:
            confine_impulse(model.normal[0], hit, lanes)
        add_impulse(hit, buffer.total[i], lanes)
        buffer.source[node + 1] = node + 1


@inlined
def pass_jumps(nodes, instant, model, state, scratch, buffer, lanes):
    """Apply impulses and the jumps of frames to all nodes that they reach, parents first."""
    for node in nodes:
        if spread(node, instant, model, buffer):
            jump(node, model, state, scratch, buffer, lanes)


@routine
def apply_impulses(t, era, model, state, scratch, buffer, lanes):
    """Apply and record the impulses at the instant t (s) at which this era begins, with samples before and after."""
    observe(t, era, model, state, scratch, buffer.pair, 0, lanes)
    place_nodes(model.active, t, model, state, scratch, lanes)
    instant = begin_instant(buffer)
    add_impulses(instant, era, model, scratch, buffer, lanes)
    pass_jumps(model.active, instant, model, state, scratch, buffer, lanes)
    observe(t, era, model, state, scratch, buffer.pair, 1, lanes)
    complete_instant(t, instant, model, buffer, lanes)


@inlined
def cross_edge(buffer, t, era, model, state, scratch, lanes):
    """Everything at time t (s), as this era begins: the exchange of stored energy, and impulses."""
    place_nodes(model.active, t, model, state, scratch, lanes)
    relate(model, state, scratch, lanes)
    if era > 0:
        exchange_energy(era, model, state, scratch, lanes)
    if model.due[era + 1] > model.due[era]:
        apply_impulses(t, era, model, state, scratch, buffer, lanes)
