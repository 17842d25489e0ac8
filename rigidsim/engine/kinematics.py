"""First pass of an evaluation: where every frame is and how it moves, from the world outwards."""

from __future__ import annotations

from rigidsim._jit import inlined, kernel
from rigidsim.engine import layout as at
from rigidsim.engine.layout import load, load3, load4, store3, store4
from rigidsim.physics.frames import compose_position, compose_rate, compose_velocity, stretch
from rigidsim.physics.prescribed import prescribed_position, prescribed_rotation, prescribed_velocity
from rigidsim.physics.quaternion import product, rotate
from rigidsim.physics.rigid_body import origin_from_com, point_velocity
from rigidsim.physics.vector import negated, scaled


@kernel
def prescribe(t, motion, driven, lanes):
    """Local motion of a prescribed node at time t, evaluated from its constants, never accumulated."""
    n = len(lanes)
    for lane in range(n):
        p_0, v_0, a_0 = load3(motion, at.M_P, lane, n), load3(motion, at.M_V, lane, n), load3(motion, at.M_A, lane, n)
        q_0, axis = load4(motion, at.M_Q, lane, n), load3(motion, at.M_AXIS, lane, n)
        rate, rate_dot = load(motion, at.M_RATE, lane, n), load(motion, at.M_RATE_DOT, lane, n)
        store3(driven, at.D_P, lane, n, prescribed_position(p_0, v_0, a_0, t))
        store3(driven, at.D_V, lane, n, prescribed_velocity(v_0, a_0, t))
        store3(driven, at.D_A, lane, n, a_0)
        store4(driven, at.D_Q, lane, n, prescribed_rotation(q_0, axis, rate, rate_dot, t))
        store3(driven, at.D_OMEGA, lane, n, scaled(rate + rate_dot * t, axis))
        store3(driven, at.D_ALPHA, lane, n, scaled(rate_dot, axis))


@kernel
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


@kernel
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
    i = model.row[node]
    parent, arm, frame = scratch.frame[model.parent[node]], scratch.arm[node], scratch.frame[node + 1]
    if model.kind[node] == at.FREE:
        place_free(state[i], model.body[i], parent, arm, frame, lanes)
    else:
        if model.kind[node] == at.PRESCRIBED:
            prescribe(t, model.motion[i], scratch.driven[i], lanes)
        place_driven(scratch.driven[i], model.motion[i], parent, arm, frame, lanes)


@inlined
def place_nodes(nodes, t, model, state, scratch, lanes):
    """Frames of the given nodes, parents first."""
    for node in nodes:
        place(node, t, model, state, scratch, lanes)
