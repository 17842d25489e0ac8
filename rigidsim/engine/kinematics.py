"""First pass of an evaluation: where every frame is and how it moves, from the world outwards."""

from __future__ import annotations

from rigidsim._jit import inlined, routine
from rigidsim.engine import layout as at
from rigidsim.engine.drive import drive, prescribe
from rigidsim.engine.layout import load, load3, load4, store3, store4
from rigidsim.physics.frames import compose_position, compose_rate, compose_velocity, stretch
from rigidsim.physics.quaternion import product, rotate
from rigidsim.physics.rigid_body import origin_from_com, point_velocity
from rigidsim.physics.vector import negated


@routine
def place_driven(driven, motion, parent, arm, frame, lanes):
    """Frame of a fixed or prescribed node: the composition of its parent's with its local motion."""
    n = len(lanes)
    for lane in range(n):
        q_WP, p_WP = load4(parent, at.F_Q, lane, n), load3(parent, at.F_P, lane, n)
        v_WP, omega_WP = load3(parent, at.F_V, lane, n), load3(parent, at.F_OMEGA, lane, n)
        scale_WP = load(motion, at.M_SCALE, lane, n)
        d = stretch(q_WP, scale_WP, load3(driven, at.D_P, lane, n))
        drift = stretch(q_WP, scale_WP, load3(driven, at.D_V, lane, n))
        store3(arm, at.A_D, lane, n, d)
        store3(arm, at.A_DRIFT, lane, n, drift)
        store4(frame, at.F_Q, lane, n, product(q_WP, load4(driven, at.D_Q, lane, n)))
        store3(frame, at.F_P, lane, n, compose_position(p_WP, d))
        store3(frame, at.F_V, lane, n, compose_velocity(v_WP, omega_WP, d, drift))
        store3(frame, at.F_OMEGA, lane, n, compose_rate(omega_WP, q_WP, load3(driven, at.D_OMEGA, lane, n)))


@routine
def place_free(state, body, parent, arm, frame, lanes):
    """Frame of a free body: its centre of mass is composed, its rotation is its own, its origin hangs on the two."""
    n = len(lanes)
    for lane in range(n):
        q_WP, p_WP = load4(parent, at.F_Q, lane, n), load3(parent, at.F_P, lane, n)
        v_WP, omega_WP = load3(parent, at.F_V, lane, n), load3(parent, at.F_OMEGA, lane, n)
        scale_WP = load(body, at.B_SCALE, lane, n)
        d = stretch(q_WP, scale_WP, load3(state, at.S_P, lane, n))
        drift = stretch(q_WP, scale_WP, load3(state, at.S_V, lane, n))
        q_WB = load4(state, at.S_Q, lane, n)
        omega_WB = rotate(q_WB, load3(state, at.S_OMEGA, lane, n))
        v_WC = compose_velocity(v_WP, omega_WP, d, drift)
        r = rotate(q_WB, load3(body, at.B_COM, lane, n))
        store3(arm, at.A_D, lane, n, d)
        store3(arm, at.A_DRIFT, lane, n, drift)
        store3(arm, at.A_VC, lane, n, v_WC)
        store4(frame, at.F_Q, lane, n, q_WB)
        store3(frame, at.F_P, lane, n, origin_from_com(compose_position(p_WP, d), r))
        store3(frame, at.F_V, lane, n, point_velocity(v_WC, omega_WB, negated(r)))
        store3(frame, at.F_OMEGA, lane, n, omega_WB)


@inlined
def place(node, t, model, state, scratch, lanes):
    """Frame of one node; its parent's is there already."""
    i = model.node[node, at.NODE_ROW]
    parent, arm, frame = scratch.frame[model.node[node, at.NODE_PARENT]], scratch.arm[node], scratch.frame[node + 1]
    if model.node[node, at.NODE_KIND] == at.FREE:
        place_free(state[i], model.body[i], parent, arm, frame, lanes)
    else:
        if model.node[node, at.NODE_KIND] == at.PRESCRIBED:
            prescribe(t, model.motion[i], scratch.driven[i], lanes)
        place_driven(scratch.driven[i], model.motion[i], parent, arm, frame, lanes)


@inlined
def place_nodes(nodes, t, model, state, scratch, lanes):
    """Frames of the given nodes, parents first."""
    drive(t, model, state, scratch, lanes)
    for node in nodes:
        place(node, t, model, state, scratch, lanes)
