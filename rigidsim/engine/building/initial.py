"""Poses and rates at t = 0, from the several forms in which a scene can give them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rigidsim.engine import layout
from rigidsim.engine.assembly.plane import lock_rate
from rigidsim.engine.assembly.tree import Tree
from rigidsim.engine.building.bodies import InitialBody
from rigidsim.engine.building.driven import driven_motion, is_driven
from rigidsim.physics.frames import (
    compose_position,
    compose_rate,
    compose_velocity,
    local_rate,
    local_velocity,
    stretch,
)
from rigidsim.physics.quaternion import product, rotate, rotate_back
from rigidsim.physics.rigid_body import point_velocity
from rigidsim.physics.vector import add, dot, norm, scaled
from rigidsim.structures.columns import numbers_table

ZERO = (0.0, 0.0, 0.0)


class InitialMotion(NamedTuple):
    """A node's origin at t = 0: pose and rates in the world, and relative to the parent."""

    q: tuple = (1.0, 0.0, 0.0, 0.0)
    p: tuple = ZERO
    v: tuple = ZERO
    omega: tuple = ZERO
    scale: float = 1.0  # metres per unit of its own lengths
    local_p: tuple = ZERO
    local_q: tuple = (1.0, 0.0, 0.0, 0.0)
    local_v: tuple = ZERO
    local_omega: tuple = ZERO
    parent_scale: float = 1.0  # metres per unit of the parent's lengths
    omega_B: tuple = ZERO  # relative to the world, body axes


def in_parent_axes(vector, q_PB, q_WP) -> tuple:
    """A vector that is given with a frame, in the parent's axes, at t = 0."""
    if vector.frame == "body":
        return rotate(q_PB, vector.start)
    return rotate_back(q_WP, vector.start) if vector.frame == "world" else vector.start


def relative_velocity(body: InitialBody, parent: InitialMotion, d) -> tuple:
    """v_PB of the node's origin, in the parent's axes and units of length."""
    motion = body.spec.prescribed
    if motion and motion.position is not None:
        return driven_motion(body.spec, 0.0)[0][1]
    given = motion.velocity if motion else body.spec.velocity
    v_P = in_parent_axes(given, body.orientation, parent.q)
    if given.relative_to == "world":
        return local_velocity(parent.v, parent.omega, parent.q, parent.scale, d, rotate(parent.q, v_P))
    return v_P


def relative_rate(body: InitialBody, parent: InitialMotion, turns: bool) -> tuple:
    """omega_PB in the parent's axes; a particle (`turns` false) does not rotate in the world."""
    if not turns:
        return local_rate(parent.omega, parent.q, ZERO)
    motion = body.spec.prescribed
    if motion and motion.orientation is not None:
        return driven_motion(body.spec, 0.0)[1][1]
    given = motion.angular_velocity if motion else body.spec.angular_velocity
    omega_P = in_parent_axes(given, body.orientation, parent.q)
    if given.relative_to == "world":
        return local_rate(parent.omega, parent.q, rotate(parent.q, omega_P))
    return omega_P


def initial_frame(body: InitialBody, parent: InitialMotion, turns: bool) -> InitialMotion:
    """The frame of a node whose parent's frame is known; `turns` is false for a particle."""
    d = stretch(parent.q, parent.scale, body.position)
    v_PB, omega_PB = relative_velocity(body, parent, d), relative_rate(body, parent, turns)
    omega_P = add(omega_PB, rotate_back(parent.q, parent.omega))
    return InitialMotion(
        q=product(parent.q, body.orientation),
        p=compose_position(parent.p, d),
        v=compose_velocity(parent.v, parent.omega, d, stretch(parent.q, parent.scale, v_PB)),
        omega=compose_rate(parent.omega, parent.q, omega_PB),
        scale=parent.scale * body.spec.scale,
        local_p=body.position,
        local_q=body.orientation,
        local_v=v_PB,
        local_omega=omega_PB,
        parent_scale=parent.scale,
        omega_B=rotate_back(body.orientation, omega_P) if turns else ZERO,
    )


def com_state(frame: InitialMotion, com) -> list[float]:
    """State of a free body: its centre of mass, from its origin; `com` in body coordinates."""
    r_P = stretch(frame.local_q, frame.scale / frame.parent_scale, com)
    row = [0.0] * layout.STATE_ROWS
    row[layout.S_P : layout.S_P + 3] = add(frame.local_p, r_P)
    row[layout.S_Q : layout.S_Q + 4] = frame.q
    row[layout.S_V : layout.S_V + 3] = point_velocity(frame.local_v, frame.local_omega, r_P)
    row[layout.S_OMEGA : layout.S_OMEGA + 3] = frame.omega_B
    return row


def prescribed_constants(body: InitialBody) -> list[float]:
    """Constants of a prescribed node, in the parent's axes, without the parent's unit of length."""
    row = [0.0] * layout.MOTION_ROWS
    row[layout.M_P : layout.M_P + 3] = body.position
    # Rotations given by expressions are applied after the body's own orientation.
    row[layout.M_Q : layout.M_Q + 4] = body.spec.orientation if is_driven(body.spec) else body.orientation
    motion, q_PB = body.spec.prescribed, body.orientation
    if motion.position is None and not motion.velocity.varies:
        row[layout.M_V : layout.M_V + 3] = in_parent_axes(motion.velocity, q_PB, None)
        row[layout.M_A : layout.M_A + 3] = in_parent_axes(motion.acceleration, q_PB, None)
    if motion.orientation is None and not motion.angular_velocity.varies:
        omega = in_parent_axes(motion.angular_velocity, q_PB, None)
        alpha = in_parent_axes(motion.angular_acceleration, q_PB, None)
        along = omega if norm(omega) > 0.0 else alpha
        size = max(norm(omega), norm(alpha))
        axis = scaled(1.0 / norm(along), along) if size > 0.0 else (0.0, 0.0, 1.0)
        row[layout.M_AXIS : layout.M_AXIS + 3] = axis
        row[layout.M_RATE] = dot(axis, omega)
        row[layout.M_RATE_DOT] = dot(axis, alpha)
    return row


def initial_frames(tree: Tree, bodies: list[InitialBody]) -> list[InitialMotion]:
    """The motion of every frame at t = 0, that of the world first."""
    frames = [InitialMotion()]
    for node, body in zip(tree.nodes, bodies, strict=True):
        turns = not (node.is_free() and tree.composite(node).mass.is_point)
        frames.append(initial_frame(body, frames[node.parent], turns))
    return frames


def initial_state(tree: Tree, bodies: list[InitialBody], paced: list[list[float]], n_followed: int) -> np.ndarray:
    """The state at t = 0: of every free body, of nodes whose rates are functions of time, and of loads with a winding,
    which is within half a turn of rest.
    """
    frames, rows = initial_frames(tree, bodies), []
    for node in tree.free():
        row = com_state(frames[node.frame], tree.composite(node).mass.center)
        if node.normal:
            lock_rate(row, node.normal)
        rows.append(row)
    rows += [*paced, *[[0.0] * layout.STATE_ROWS] * n_followed]
    return numbers_table(rows, layout.STATE_ROWS)
