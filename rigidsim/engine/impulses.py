"""What happens at one instant: impulses, and the cancelling of what children would inherit.

A free body's rotation is its own, so nothing of a parent's jump reaches it; its velocity is relative to the parent, so
it gets the opposite of what it would inherit. Jumps go from the world outwards, parents before children: a body that
keeps its world motion passes no jump on, and what hangs on it needs nothing.
"""

from __future__ import annotations

from rigidsim._jit import compiled_form, inlined, routine
from rigidsim.engine import layout as at
from rigidsim.engine.events import begin_instant, is_absent, note_event, spread, tell_instant
from rigidsim.engine.kinematics import place_nodes
from rigidsim.engine.layout import accumulate, accumulate3, load, load3, load4, load6, store3
from rigidsim.engine.loads import exchange_energy
from rigidsim.engine.observe import observe
from rigidsim.engine.relations import relate
from rigidsim.physics.deltas import cancelling_velocity, inherited_velocity, local_delta_velocity
from rigidsim.physics.impulses import impulse_moment, jump_energy, rate_jump, velocity_jump
from rigidsim.physics.quaternion import rotate, rotate_back
from rigidsim.physics.rigid_body import point_velocity, takes_torque
from rigidsim.physics.vector import add, negated, projection, rejection, scaled


@routine
def gather(value, axes, frame, hit, lanes):
    """An impulse, and its moment about the centre of mass; world axes."""
    n = len(lanes)
    for lane in range(n):
        q_WA, q_WB = load4(axes, at.F_Q, lane, n), load4(frame, at.F_Q, lane, n)
        J = rotate(q_WA, load3(value, at.J_P, lane, n))
        lever = rotate(q_WB, load3(value, at.J_LEVER, lane, n))
        store3(hit, at.HIT_J, lane, n, J)
        store3(hit, at.HIT_K, lane, n, impulse_moment(lever, J, rotate(q_WA, load3(value, at.J_L, lane, n))))


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


@routine
def jump_driven(parent_jump, arm, jump, lanes):
    """A fixed or prescribed node goes along with its parent, beside the jump that it is given."""
    n = len(lanes)
    for lane in range(n):
        dv, domega = load3(parent_jump, at.Y_V, lane, n), load3(parent_jump, at.Y_OMEGA, lane, n)
        inherited = inherited_velocity(dv, domega, load3(arm, at.A_D, lane, n))
        store3(jump, at.Y_V, lane, n, add(load3(jump, at.Y_V, lane, n), inherited))
        store3(jump, at.Y_OMEGA, lane, n, add(load3(jump, at.Y_OMEGA, lane, n), domega))


@routine
def jump_free(state, body, parent, parent_jump, arm, frame, strike, inherits, jump, lanes):
    """What strikes a free body changes its motion; what its parent's jump would do is cancelled, unless it inherits.
    A jump that its frame is given is in its state already.
    """
    n = len(lanes)
    for lane in range(n):
        q_WP, q_WB = load4(parent, at.F_Q, lane, n), load4(frame, at.F_Q, lane, n)
        mass, scale_WP = load(body, at.B_MASS, lane, n), load(body, at.B_SCALE, lane, n)
        inverse, d = load6(body, at.B_INVERSE, lane, n), load3(arm, at.A_D, lane, n)
        dv_P, domega_P = load3(parent_jump, at.Y_V, lane, n), load3(parent_jump, at.Y_OMEGA, lane, n)

        own = velocity_jump(mass, load3(strike, at.STRIKE_J, lane, n))
        own_rate = rate_jump(inverse, rotate_back(q_WB, load3(strike, at.STRIKE_K, lane, n)))
        cancelled = scaled(1.0 - inherits, cancelling_velocity(q_WP, scale_WP, dv_P, domega_P, d))
        dv_PC = add(local_delta_velocity(q_WP, scale_WP, own), cancelled)
        domega_B = add(own_rate, scaled(inherits * takes_torque(inverse), rotate_back(q_WB, domega_P)))

        dv = add(own, scaled(inherits, inherited_velocity(dv_P, domega_P, d)))
        v, omega_B = load3(arm, at.A_VC, lane, n), load3(state, at.S_OMEGA, lane, n)
        energy = jump_energy(mass, load6(body, at.B_INERTIA, lane, n), v, dv, omega_B, domega_B)
        accumulate3(state, at.S_V, at.S_V_LOW, lane, n, dv_PC)
        store3(state, at.S_OMEGA, lane, n, add(omega_B, domega_B))  # for most methods the rate is no sum
        accumulate(state, at.S_WORK, at.S_WORK_LOW, lane, n, energy)

        domega = rotate(q_WB, domega_B)
        dv_origin = point_velocity(dv, domega, negated(rotate(q_WB, load3(body, at.B_COM, lane, n))))
        store3(jump, at.Y_V, lane, n, add(load3(jump, at.Y_V, lane, n), dv_origin))
        store3(jump, at.Y_OMEGA, lane, n, add(load3(jump, at.Y_OMEGA, lane, n), domega))


@inlined
def strike_bodies(instant, era, model, scratch, buffer, lanes):
    """The impulses that are due as this era begins; frames are placed."""
    law = model.impulses
    for k in range(model.due[era], model.due[era + 1]):
        i = law.who[k, at.LAW_SECOND]
        node = model.free_node[i]
        hit = buffer.event_value[note_event(instant, at.EVENT_IMPULSE, model.impulse_number[k], node, buffer)]
        gather(law.value[k], scratch.frame[law.who[k, at.LAW_PAIR]], scratch.frame[node + 1], hit, lanes)
        if len(model.normal) > 0:
            confine_impulse(model.normal[0], hit, lanes)
        strike_body(hit, buffer.strike[i], lanes)
        buffer.source[node + 1] = node + 1


@inlined
def jump(node, model, state, scratch, buffer, lanes):
    """The jump of one node; its parent's is there already."""
    i, parent = model.node[node, at.NODE_ROW], model.node[node, at.NODE_PARENT]
    # The parent's jump and the node's own are different rows, so no array is both read and written in one call.
    arm, own, parent_jump = scratch.arm[node], buffer.jump[node + 1], buffer.jump[parent]
    if model.node[node, at.NODE_KIND] == at.FREE:
        jump_free(
            state[i], model.body[i], scratch.frame[parent], parent_jump, arm, scratch.frame[node + 1],
            buffer.strike[i], model.inherits[i], own, lanes,
        )  # fmt: skip
    else:
        jump_driven(parent_jump, arm, own, lanes)


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
def cross_edge(t, era, model, state, scratch, buffer, lanes):
    """What happens at time t (s), as this era begins."""
    place_nodes(model.active, t, model, state, scratch, lanes)
    relate(model, state, scratch, lanes)
    if era > 0:
        exchange_energy(era, model, state, scratch, lanes)
    if model.due[era + 1] > model.due[era]:
        strike(t, era, model, state, scratch, buffer, lanes)


def cross(t, era, model, state, scratch, buffer, lanes):
    """What happens at time t (s), as this era begins: nothing, in a model that has no buffer for it."""
    if buffer is not None:
        cross_edge(t, era, model, state, scratch, buffer, lanes)


@compiled_form(cross)
def _cross(t, era, model, state, scratch, buffer, lanes):
    if is_absent(buffer):
        return lambda t, era, model, state, scratch, buffer, lanes: None
    return lambda t, era, model, state, scratch, buffer, lanes: cross_edge(t, era, model, state, scratch, buffer, lanes)
