"""Impulses at one instant."""

from __future__ import annotations

from rigidsim.engine.constraints.loops import close_loops
from rigidsim.engine.dynamics.corrections import distribute
from rigidsim.engine.dynamics.kinds import is_of_joint, is_root
from rigidsim.engine.dynamics.relations import relate
from rigidsim.engine.evaluate import place_nodes
from rigidsim.engine.events.buffer import begin_instant, complete_instant, record_event, record_reached_bodies
from rigidsim.engine.loads.summing import exchange_energy
from rigidsim.engine.model import layout as at
from rigidsim.engine.model.layout import BODY, CORRECTION, FRAME, HIT, IMPULSE, TRIPLE
from rigidsim.engine.outputs.observe import observe
from rigidsim.jit import inlined, lanewise, routine
from rigidsim.physics.impulses import moment, velocity_jump
from rigidsim.physics.quaternion import rotate
from rigidsim.physics.rigid_body import takes_torque
from rigidsim.physics.vector import add, projection, rejection, scaled


@lanewise
def gather(value: IMPULSE, axes: FRAME, frame: FRAME, body: BODY, hit: HIT, lane):
    """Write an impulse, where it acts, and its moment about the centre of mass; world axes."""
    q_WA, q_WB = axes.q, frame.q
    J = rotate(q_WA, value.j)
    lever = rotate(q_WB, value.lever)
    K = moment(lever, J, rotate(q_WA, value.k))
    turns = takes_torque(body.inverse)
    hit.point = add(add(frame.p, rotate(q_WB, body.com)), lever)
    hit.impulse = J
    hit.angular_impulse = scaled(turns, K)
    hit.constraint_angular_impulse = scaled(1.0 - turns, K)


@lanewise
def confine_impulse(normal: TRIPLE, hit: HIT, lane):
    """In a planar scene: split an impulse into the part that acts, and the rest, absorbed by the plane constraint,
    which would move the body out of the plane or tilt it.
    """
    u = normal.xyz
    J, K = hit.impulse, hit.angular_impulse
    hit.impulse = rejection(u, J)
    hit.angular_impulse = projection(u, K)
    hit.constraint_impulse = projection(u, J)
    hit.constraint_angular_impulse = add(hit.constraint_angular_impulse, rejection(u, K))


@lanewise
def add_impulse(hit: HIT, body: BODY, own: CORRECTION, lane):
    """Add an impulse and its moment to what happens to its body."""
    own.v = add(own.v, velocity_jump(body.mass, hit.impulse))
    own.omega = add(own.omega, hit.angular_impulse)


@lanewise
def take_moment(hit: HIT, lane):
    """Let the whole moment act: joints balance one on a point mass."""
    hit.angular_impulse = add(hit.angular_impulse, hit.constraint_angular_impulse)
    hit.constraint_angular_impulse = (0.0, 0.0, 0.0)


@lanewise
def push(hit: HIT, own: CORRECTION, lane):
    """Add an impulse and its moment to those on a body that joints hold; what they do, all of its tree decides
    (`engine/dynamics/responses.py`).
    """
    own.v = add(own.v, hit.impulse)
    own.omega = add(own.omega, hit.angular_impulse)


@inlined
def add_impulses(instant, due, block, buffer):
    """Record the impulses that are due as this phase begins, and sum those on each body; frames are placed."""
    model, lanes = block.model, block.lanes
    law = model.impulses
    for k in range(model.due[due], model.due[due + 1]):
        i = law.who[k].second
        node = model.moved_node[i]
        hit = buffer.event_value[record_event(instant, at.CAUSE_IMPULSE, model.impulse_number[k], node, buffer)]
        axes, frame = block.scratch.frame[law.who[k].pair], block.scratch.frame[node + 1]
        gather(law.value[k], axes, frame, model.body[i], hit, lanes)
        if is_of_joint(i, model):
            take_moment(hit, lanes)
        if len(model.normal) > 0:
            confine_impulse(model.normal[0], hit, lanes)
        if is_of_joint(i, model) or is_root(i, model):
            push(hit, buffer.made.own[i], lanes)
            buffer.made.is_pushed[i] = 1
        else:
            add_impulse(hit, model.body[i], buffer.made.own[i], lanes)
            buffer.made.source[node + 1] = node + 1


@routine
def apply_impulses(t, block, due, buffer):
    """Apply and record the impulses that are due with a phase at the instant t (s), with samples before and after, of
    the loads of the present phase.
    """
    model = block.model
    observe(t, block, buffer.pair, 0)
    place_nodes(model.active, t, block)
    instant = begin_instant(buffer)
    add_impulses(instant, due, block, buffer)
    distribute(model.active, block, buffer.made)
    record_reached_bodies(model.active, instant, model, buffer)
    if model.loops is not None:
        close_loops(t, block)
    observe(t, block, buffer.pair, 1)
    complete_instant(t, instant, model, buffer, block.lanes)


@inlined
def cross_edge(due, t, block, buffer):
    """Everything at time t (s): the exchange of stored energy, if it is due that this phase begins; and the impulses
    that are due with it, or that a trigger fires.
    """
    model = block.model
    place_nodes(model.active, t, block)
    relate(block)
    if due > 0 and due == block.phase:
        exchange_energy(block)
    if model.due[due + 1] > model.due[due]:
        apply_impulses(t, block, due, buffer)
