"""Contact bodies and their shapes: motion relative to the reference frame, and the rows that the solver works on.

The reference frame of a contact body is the nearest common ancestor of all bodies that it can meet, so no digits are
lost far from the world's origin.
"""

from __future__ import annotations

from rigidsim.engine import layout as at
from rigidsim.engine.contact import columns as c
from rigidsim.engine.kinds import link
from rigidsim.engine.layout import load3, load4, load6, store3, store4
from rigidsim.jit import inlined, routine
from rigidsim.physics.inertia import rotated
from rigidsim.physics.quaternion import product, rotate
from rigidsim.physics.rigid_body import point_velocity
from rigidsim.physics.vector import add, norm, scaled, sub

LEAST_TRAVEL = 1e-9  # of a shape's size


@routine
def add_link(link_row, above, row, first):
    """The way of a node: that of its parent and its link; without a parent's (`first`) the link alone."""
    p, v = load3(link_row, at.K_P, 0, 1), load3(link_row, at.K_V, 0, 1)
    store3(row, 0, 0, 1, p if first else add(load3(above, 0, 0, 1), p))
    store3(row, 3, 0, 1, v if first else add(load3(above, 3, 0, 1), v))


@routine
def write_motion(frame, way, com, row):
    """Motion of the centre of a contact body relative to the reference frame, from the way of its origin."""
    q_WB, omega = load4(frame, at.F_Q, 0, 1), load3(frame, at.F_OMEGA, 0, 1)
    r = rotate(q_WB, com)
    store3(row, c.X_P, 0, 1, add(load3(way, 0, 0, 1), r))
    store4(row, c.X_Q, 0, 1, q_WB)
    store3(row, c.X_V, 0, 1, point_velocity(load3(way, 3, 0, 1), omega, r))
    store3(row, c.X_OMEGA, 0, 1, omega)


@inlined
def write_motions(contacts, model, scratch, ways, rows, lanes):
    """Motion of every contact body; all frames are placed."""
    for k in range(len(contacts.way)):
        node, above = contacts.way[k, c.WAY_NODE], contacts.way[k, c.WAY_ABOVE]
        link(node, model, scratch, lanes)
        add_link(scratch.link[node], ways[max(above, 0)], ways[k], above == at.NO_ROW)
    for b in range(len(contacts.body)):
        body = contacts.body[b]
        frame, row = scratch.frame[body[c.BODY_NODE] + 1], body[c.BODY_ROW]
        # The last way has length zero: that of a body that is the reference frame itself.
        way = ways[body[c.BODY_WAY]] if body[c.BODY_WAY] != at.NO_ROW else ways[len(contacts.way)]
        com = load3(model.body[row], at.B_COM, 0, 1) if row != at.NO_ROW else (0.0, 0.0, 0.0)
        write_motion(frame, way, com, rows[b])


@routine
def write_poses(shape, value, motion, pose):
    """Pose of every shape, from the motion of its contact body."""
    for k in range(len(shape)):
        body = motion[shape[k, c.SHAPE_BODY]]
        q_WB = load4(body, c.X_Q, 0, 1)
        store3(pose[k], c.H_P, 0, 1, add(load3(body, c.X_P, 0, 1), rotate(q_WB, load3(value[k], c.V_P, 0, 1))))
        store4(pose[k], c.H_Q, 0, 1, product(q_WB, load4(value[k], c.V_Q, 0, 1)))


@routine
def write_travels(shape, value, n_moved, start, finish, h, turn, lever, travel):
    """The turn of each shape within the step (rad), the largest distance of a point of its core from the centre of its
    body, to which the thickening adds nothing (of a plane, that of its centre), and how far its points move at most.

    That is the way of the centre of mass, with the larger of the speeds at both ends, and that by the turn; of a plane
    at 1 m from its centre: whether it moves is all that matters. Only what forces do not move can rest: 0 stands for
    that.
    """
    for k in range(len(shape)):
        before, after, own = start[shape[k, c.SHAPE_BODY]], finish[shape[k, c.SHAPE_BODY]], value[k]
        is_plane = shape[k, c.SHAPE_KIND] == c.PLANE
        moved = norm(sub(load3(after, c.X_P, 0, 1), load3(before, c.X_P, 0, 1)))
        speed = max(norm(load3(before, c.X_V, 0, 1)), norm(load3(after, c.X_V, 0, 1)))
        turn[k] = h * max(norm(load3(before, c.X_OMEGA, 0, 1)), norm(load3(after, c.X_OMEGA, 0, 1)))
        lever[k] = norm(load3(own, c.V_P, 0, 1)) + (0.0 if is_plane else norm(load3(own, c.V_HALF, 0, 1)))
        way = max(moved, h * speed) + turn[k] * (lever[k] + (1.0 if is_plane else 0.0))
        rests = way == 0.0 and turn[k] == 0.0 and shape[k, c.SHAPE_BODY] >= n_moved
        travel[k] = way if rests or is_plane else max(way, LEAST_TRAVEL * own[c.V_BOUND])


@routine
def write_solver_rows(start, finish, n_sub, vel, smooth, moved, kicked):
    """Velocities, and what a sub-step of the smooth motion adds to them."""
    n = len(start)
    for b in range(n + 1):
        for lane in range(c.LINE_ROWS):
            vel[b, lane] = smooth[b, lane] = moved[b, lane] = kicked[b, lane] = 0.0
    for b in range(n):
        before, after = start[b], finish[b]
        v, omega = load3(before, c.X_V, 0, 1), load3(before, c.X_OMEGA, 0, 1)
        store3(vel[b], c.L_LINEAR, 0, 1, v)
        store3(vel[b], c.L_ANGULAR, 0, 1, omega)
        store3(smooth[b], c.L_LINEAR, 0, 1, scaled(1.0 / n_sub, sub(load3(after, c.X_V, 0, 1), v)))
        store3(smooth[b], c.L_ANGULAR, 0, 1, scaled(1.0 / n_sub, sub(load3(after, c.X_OMEGA, 0, 1), omega)))


@inlined
def is_round(tensor):
    """Whether a tensor is a number times unity."""
    xx, yy, zz, xy, xz, yz = tensor
    return xx == yy and yy == zz and xy == 0.0 and xz == 0.0 and yz == 0.0


@inlined
def tensor_in_world(q_WB, tensor_B):
    """A tensor of a body in world axes; that of a round body is the same in all axes, to the last bit."""
    return tensor_B if is_round(tensor_B) else rotated(q_WB, tensor_B)


@routine
def write_inverse(body, q_WB, normal, row):
    """Inverse mass, and inverse inertia in world axes, of a body that forces move; in a planar scene about the plane's
    normal u alone, u u^T/I.
    """
    row[c.I_MASS] = 1.0 / body[at.B_MASS]
    inertia = tensor_in_world(q_WB, load6(body, at.B_INVERSE, 0, 1))
    for k in range(6):
        row[c.I_INERTIA + k] = inertia[k]
    if len(normal) > 0:
        for k in range(6):
            i, j = (k, k) if k < 3 else ((0, k - 2) if k < 5 else (1, 2))
            row[c.I_INERTIA + k] = inertia[0] * normal[0, i] * normal[0, j]


@inlined
def begin_solver(contacts, body, normal, motions, lines):
    """The rows of the solver, from the motion without contact at both ends of the step."""
    start, finish = motions.start, motions.finish
    write_solver_rows(start, finish, contacts.substeps, lines.vel, lines.smooth, lines.moved, lines.kicked)
    for b in range(contacts.n_moved):
        q_WB = load4(start[b], c.X_Q, 0, 1)
        store4(lines.attitude[b], 0, 0, 1, q_WB)
        write_inverse(body[contacts.body[b, c.BODY_ROW]], q_WB, normal, lines.inverse[b])
