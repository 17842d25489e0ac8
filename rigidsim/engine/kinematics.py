"""Pose and rates of a node's frame: in the world, relative to its parent, and in a sample."""

from __future__ import annotations

from rigidsim.engine import layout as at
from rigidsim.engine.layout import load, load3, load4, store3, store4
from rigidsim.jit import routine
from rigidsim.physics.frames import compose_position, compose_rate, compose_velocity, local_rate, stretch
from rigidsim.physics.quaternion import conjugate, product, rotate
from rigidsim.physics.rigid_body import origin_from_com, point_velocity
from rigidsim.physics.vector import negated, scaled

NO_VELOCITY = (0.0, 0.0, 0.0)


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
    """Frame of a free body: the centre of mass is relative to the parent, the rotation to the world; the origin follows
    from both.
    """
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


@routine
def link_driven(parent, arm, link, lanes):
    """A fixed or prescribed node's origin relative to its parent's."""
    n = len(lanes)
    for lane in range(n):
        d, drift = load3(arm, at.A_D, lane, n), load3(arm, at.A_DRIFT, lane, n)
        store3(link, at.K_P, lane, n, d)
        store3(link, at.K_V, lane, n, compose_velocity(NO_VELOCITY, load3(parent, at.F_OMEGA, lane, n), d, drift))


@routine
def link_free(body, frame, parent, arm, link, lanes):
    """A free body's origin relative to its parent's, by way of its centre of mass."""
    n = len(lanes)
    for lane in range(n):
        d, drift = load3(arm, at.A_D, lane, n), load3(arm, at.A_DRIFT, lane, n)
        r = rotate(load4(frame, at.F_Q, lane, n), load3(body, at.B_COM, lane, n))
        v = compose_velocity(NO_VELOCITY, load3(parent, at.F_OMEGA, lane, n), d, drift)
        store3(link, at.K_P, lane, n, origin_from_com(d, r))
        store3(link, at.K_V, lane, n, point_velocity(v, load3(frame, at.F_OMEGA, lane, n), negated(r)))


@routine
def write_local_free(state, body, parent, frame, position, orientation, velocity, angular_velocity, lanes):
    """Write the motion of a free body's origin relative to its parent, from that of its centre of mass, into a
    sample.
    """
    n = len(lanes)
    for lane in range(n):
        q_WP, omega_WP = load4(parent, at.F_Q, lane, n), load3(parent, at.F_OMEGA, lane, n)
        q_PB = product(conjugate(q_WP), load4(state, at.S_Q, lane, n))
        omega_PB = local_rate(omega_WP, q_WP, load3(frame, at.F_OMEGA, lane, n))
        r_P = rotate(q_PB, scaled(1.0 / load(body, at.B_SCALE, lane, n), load3(body, at.B_COM, lane, n)))
        store3(position, 0, lane, n, origin_from_com(load3(state, at.S_P, lane, n), r_P))
        store4(orientation, 0, lane, n, q_PB)
        store3(velocity, 0, lane, n, point_velocity(load3(state, at.S_V, lane, n), omega_PB, negated(r_P)))
        store3(angular_velocity, 0, lane, n, omega_PB)


@routine
def write_local_driven(motion, position, orientation, velocity, angular_velocity, lanes):
    """Write the motion of a driven node relative to its parent into a sample."""
    n = len(lanes)
    for lane in range(n):
        store3(position, 0, lane, n, load3(motion, at.D_P, lane, n))
        store4(orientation, 0, lane, n, load4(motion, at.D_Q, lane, n))
        store3(velocity, 0, lane, n, load3(motion, at.D_V, lane, n))
        store3(angular_velocity, 0, lane, n, load3(motion, at.D_OMEGA, lane, n))


@routine
def write_world(frame, position, orientation, velocity, angular_velocity, lanes):
    """Write the motion of a node's frame in the world into a sample."""
    n = len(lanes)
    for lane in range(n):
        store3(position, 0, lane, n, load3(frame, at.F_P, lane, n))
        store4(orientation, 0, lane, n, load4(frame, at.F_Q, lane, n))
        store3(velocity, 0, lane, n, load3(frame, at.F_V, lane, n))
        store3(angular_velocity, 0, lane, n, load3(frame, at.F_OMEGA, lane, n))
