"""What happens at one instant: impulses, and the cancelling of what children would inherit.

A free body's rotation is its own, so nothing of a parent's jump reaches it; its velocity is relative to the parent, so
it gets the opposite of what it would inherit. Jumps go from the world outwards, parents before children: a body that
keeps its world motion passes no jump on, and what hangs on it needs nothing.
"""

from __future__ import annotations

from rigidsim._jit import inlined, kernel, routine
from rigidsim.engine import layout as at
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
def gather(value, axes, frame, strike, lanes):
    """Add an impulse, and its moment about the centre of mass, to what strikes a body; world axes."""
    n = len(lanes)
    for lane in range(n):
        q_WA, q_WB = load4(axes, at.F_Q, lane, n), load4(frame, at.F_Q, lane, n)
        J = rotate(q_WA, load3(value, at.J_P, lane, n))
        lever = rotate(q_WB, load3(value, at.J_LEVER, lane, n))
        K = impulse_moment(lever, J, rotate(q_WA, load3(value, at.J_L, lane, n)))
        store3(strike, at.Y_V, lane, n, add(load3(strike, at.Y_V, lane, n), J))
        store3(strike, at.Y_OMEGA, lane, n, add(load3(strike, at.Y_OMEGA, lane, n), K))


@routine
def confine_strike(normal, strike, lanes):
    """In a planar scene the plane takes up what would move a body out of it, or tilt it."""
    n = len(lanes)
    for lane in range(n):
        u = load3(normal, 0, lane, n)
        J, K = load3(strike, at.Y_V, lane, n), load3(strike, at.Y_OMEGA, lane, n)
        store3(strike, at.Y_V, lane, n, rejection(u, J))
        store3(strike, at.Y_OMEGA, lane, n, projection(u, K))


@routine
def jump_driven(parent_jump, arm, jump, lanes):
    """A fixed or prescribed node goes along with its parent."""
    n = len(lanes)
    for lane in range(n):
        dv, domega = load3(parent_jump, at.Y_V, lane, n), load3(parent_jump, at.Y_OMEGA, lane, n)
        store3(jump, at.Y_V, lane, n, inherited_velocity(dv, domega, load3(arm, at.A_D, lane, n)))
        store3(jump, at.Y_OMEGA, lane, n, domega)


@routine
def jump_free(state, body, parent, parent_jump, arm, frame, strike, inherits, jump, lanes):
    """What strikes a free body changes its motion; what its parent's jump would do is cancelled, unless it inherits."""
    n = len(lanes)
    for lane in range(n):
        q_WP, q_WB = load4(parent, at.F_Q, lane, n), load4(frame, at.F_Q, lane, n)
        mass, scale_WP = load(body, at.B_MASS, lane, n), load(body, at.B_SCALE, lane, n)
        inverse, d = load6(body, at.B_INVERSE, lane, n), load3(arm, at.A_D, lane, n)
        dv_P, domega_P = load3(parent_jump, at.Y_V, lane, n), load3(parent_jump, at.Y_OMEGA, lane, n)

        own = velocity_jump(mass, load3(strike, at.Y_V, lane, n))
        own_rate = rate_jump(inverse, rotate_back(q_WB, load3(strike, at.Y_OMEGA, lane, n)))
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
        r = rotate(q_WB, load3(body, at.B_COM, lane, n))
        store3(jump, at.Y_V, lane, n, point_velocity(dv, domega, negated(r)))
        store3(jump, at.Y_OMEGA, lane, n, domega)


@inlined
def strike_bodies(era, model, state, scratch, lanes):
    """The impulses of the instant at which this era begins; frames are placed."""
    law = model.impulses
    scratch.strike[:] = 0.0
    scratch.jump[:] = 0.0
    for k in range(len(law.who)):
        if law.who[k, at.LAW_BEGIN] == era:
            i = law.who[k, at.LAW_SECOND]
            frame = scratch.frame[model.free_node[i] + 1]
            gather(law.value[k], scratch.frame[law.who[k, at.LAW_PAIR]], frame, scratch.strike[i], lanes)
    if len(model.normal) > 0:
        for i in range(len(model.free_node)):
            confine_strike(model.normal[0], scratch.strike[i], lanes)
    # The parent's jump and the node's own are different rows, so no array is both read and written in one call.
    for node in model.active:
        i, parent = model.node[node, at.NODE_ROW], model.node[node, at.NODE_PARENT]
        arm, jump, parent_jump = scratch.arm[node], scratch.jump[node + 1], scratch.jump[parent]
        if model.node[node, at.NODE_KIND] == at.FREE:
            jump_free(
                state[i], model.body[i], scratch.frame[parent], parent_jump, arm, scratch.frame[node + 1],
                scratch.strike[i], model.inherits[i], jump, lanes,
            )  # fmt: skip
        else:
            jump_driven(parent_jump, arm, jump, lanes)


@kernel
def cross_edge(t, era, model, state, scratch, records, k, lanes):
    """What happens at time t (s), when this era begins. With impulses, rows k and k + 1 of `records` get a sample of
    the motion before and after; k is negative where there are none.
    """
    place_nodes(model.active, t, model, state, scratch, lanes)
    relate(model, state, scratch, lanes)
    if era > 0:
        exchange_energy(era, model, state, scratch, lanes)
    if k >= 0:
        for instant in range(2):
            if instant == 1:
                place_nodes(model.active, t, model, state, scratch, lanes)
                strike_bodies(era, model, state, scratch, lanes)
            observe(t, era, model, state, scratch, records, k + instant, lanes)
