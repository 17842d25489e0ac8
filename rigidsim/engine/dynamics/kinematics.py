"""Pose and rates of a node's frame: in the world, relative to its parent, and in a sample."""

from __future__ import annotations

from typing import NamedTuple

from rigidsim.engine.model.layout import ARM, BODY, FRAME, LINK, LOCAL, MOTION, QUATERNION, STAGE, TRIPLE
from rigidsim.jit import inlined, lanewise
from rigidsim.physics.frames import compose_position, compose_rate, compose_velocity, local_rate, stretch
from rigidsim.physics.quaternion import conjugate, product, rotate
from rigidsim.physics.rigid_body import origin_from_com, point_velocity
from rigidsim.physics.vector import add, negated, scaled

NO_VELOCITY = (0.0, 0.0, 0.0)


@lanewise
def place_driven(driven: LOCAL, motion: MOTION, parent: FRAME, arm: ARM, frame: FRAME, lane):
    """Frame of a fixed or prescribed node: the composition of its parent's with its local motion."""
    q_WP, p_WP = parent.q, parent.p
    v_WP, omega_WP = parent.v, parent.omega
    scale_WP = motion.scale
    d = stretch(q_WP, scale_WP, driven.p)
    drift = stretch(q_WP, scale_WP, driven.v)
    arm.d = d
    arm.drift = drift
    frame.q = product(q_WP, driven.q)
    frame.p = compose_position(p_WP, d)
    frame.v = compose_velocity(v_WP, omega_WP, d, drift)
    frame.omega = compose_rate(omega_WP, q_WP, driven.omega)


@lanewise
def arm_of_free(state: STAGE, body: BODY, parent: FRAME, arm: ARM, lane):
    """Arm of a free body's centre of mass, and its rates, from the motion in the parent's axes."""
    d = stretch(parent.q, body.scale, state.p)
    drift = stretch(parent.q, body.scale, state.v)
    arm.d = d
    arm.drift = drift
    arm.v = compose_velocity(NO_VELOCITY, parent.omega, d, drift)
    arm.v_WC = compose_velocity(parent.v, parent.omega, d, drift)


@lanewise
def arm_in_world_axes(stage: STAGE, parent: FRAME, arm: ARM, lane):
    """The same from a stage of a step in world axes: p = d, v = d'."""
    arm.d = stage.p
    arm.v = stage.v
    arm.v_WC = add(parent.v, stage.v)


@lanewise
def place_free(state: STAGE, body: BODY, parent: FRAME, arm: ARM, frame: FRAME, lane):
    """Frame of a free body: the centre of mass is relative to the parent, the rotation to the world; the origin follows
    from both.
    """
    q_WB = state.q
    omega_WB = rotate(q_WB, state.omega)
    r = rotate(q_WB, body.com)
    frame.q = q_WB
    frame.p = origin_from_com(compose_position(parent.p, arm.d), r)
    frame.v = point_velocity(arm.v_WC, omega_WB, negated(r))
    frame.omega = omega_WB


@lanewise
def link_driven(parent: FRAME, arm: ARM, link: LINK, lane):
    """A fixed or prescribed node's origin relative to its parent's."""
    d, drift = arm.d, arm.drift
    link.p = d
    link.v = compose_velocity(NO_VELOCITY, parent.omega, d, drift)


@lanewise
def link_free(body: BODY, frame: FRAME, arm: ARM, link: LINK, lane):
    """A moved body's origin relative to its parent's, by way of its centre of mass."""
    r = rotate(frame.q, body.com)
    link.p = origin_from_com(arm.d, r)
    link.v = point_velocity(arm.v, frame.omega, negated(r))


class MotionRows(NamedTuple):
    """The rows of a sample that have the motion of a node."""

    position: TRIPLE
    orientation: QUATERNION
    velocity: TRIPLE
    angular_velocity: TRIPLE


@inlined
def motion_rows(sampled, k, node):
    """Those of a node in sample k."""
    return MotionRows(
        sampled.position[k, node], sampled.orientation[k, node], sampled.velocity[k, node],
        sampled.angular_velocity[k, node],
    )  # fmt: skip


@lanewise
def write_local_free(state: STAGE, body: BODY, parent: FRAME, frame: FRAME, motion: MotionRows, lane):
    """Write the motion of a free body's origin relative to its parent, from that of its centre of mass, into a
    sample.
    """
    q_WP, omega_WP = parent.q, parent.omega
    q_PB = product(conjugate(q_WP), state.q)
    omega_PB = local_rate(omega_WP, q_WP, frame.omega)
    r_P = rotate(q_PB, scaled(1.0 / body.scale, body.com))
    motion.position.xyz = origin_from_com(state.p, r_P)
    motion.orientation.wxyz = q_PB
    motion.velocity.xyz = point_velocity(state.v, omega_PB, negated(r_P))
    motion.angular_velocity.xyz = omega_PB


@lanewise
def write_local_driven(driven: LOCAL, motion: MotionRows, lane):
    """Write the motion of a driven node relative to its parent into a sample."""
    motion.position.xyz = driven.p
    motion.orientation.wxyz = driven.q
    motion.velocity.xyz = driven.v
    motion.angular_velocity.xyz = driven.omega


@lanewise
def write_world(frame: FRAME, motion: MotionRows, lane):
    """Write the motion of a node's frame in the world into a sample."""
    motion.position.xyz = frame.p
    motion.orientation.wxyz = frame.q
    motion.velocity.xyz = frame.v
    motion.angular_velocity.xyz = frame.omega
