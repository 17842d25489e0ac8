"""Contact bodies and their shapes: motion relative to the reference frame, and the rows that the solver works on.

The reference frame of a contact body is the nearest common ancestor of all bodies that it can meet, so no digits are
lost far from the world's origin.
"""

from __future__ import annotations

from rigidsim.engine.dynamics.kinds import link
from rigidsim.engine.model import layout as at
from rigidsim.engine.model.contact_layout import CENTRE, INVERSE, LINE, POSE, SOLID
from rigidsim.engine.model.layout import BODY, FRAME, LINK, TRIPLE
from rigidsim.jit import inlined, routine
from rigidsim.physics.distances import HALF_SPACE
from rigidsim.physics.inertia import rotated
from rigidsim.physics.quaternion import product, rotate
from rigidsim.physics.rigid_body import point_velocity
from rigidsim.physics.vector import add, norm, scaled, sub

LEAST_TRAVEL = 1e-9  # of a shape's size


@routine
def add_link(link_row: LINK, above: TRIPLE, row: TRIPLE, first):
    """The way of a node: that of its parent and its link; without a parent's (`first`) the link alone."""
    p, v = link_row.p, link_row.v
    row.xyz = p if first else add(above.xyz, p)
    row.put(3, v if first else add(above.part(3, 3), v))


@routine
def write_motion(frame: FRAME, way: TRIPLE, com, row: CENTRE):
    """Motion of the centre of a contact body relative to the reference frame, from the way of its origin."""
    q_WB, omega = frame.q, frame.omega
    r = rotate(q_WB, com)
    row.p = add(way.xyz, r)
    row.q = q_WB
    row.v = point_velocity(way.part(3, 3), omega, r)
    row.omega = omega


@inlined
def write_motions(contacts, block, ways, rows, omits=None):
    """Motion of every contact body; all frames are placed. Those of which `omits(node, model, scratch)` is true are
    left out, if it is given.
    """
    model, scratch = block.model, block.scratch
    for k in range(len(contacts.way)):
        node, above = contacts.way[k].node, contacts.way[k].above
        if omits is not None and omits(node, model, scratch):
            continue
        link(node, block)
        add_link(scratch.link[node], ways[max(above, 0)], ways[k], above == at.NO_ROW)
    for b in range(len(contacts.body)):
        body = contacts.body[b]
        if omits is not None and omits(body.node, model, scratch):
            continue
        frame, row = scratch.frame[body.node + 1], body.row
        # The last way has length zero: that of a body that is the reference frame itself.
        way = ways[body.way] if body.way != at.NO_ROW else ways[len(contacts.way)]
        write_motion(frame, way, model.body[row].com if row != at.NO_ROW else (0.0, 0.0, 0.0), rows[b])


@inlined
def is_kept(b, contacts, sleep):
    """Whether a contact body sleeps, and its motion and all that follows from it are those of the last step."""
    return sleep is not None and b < contacts.n_moved and sleep.kept[contacts.body[b].row] > 0


@routine
def write_poses(contacts, value: SOLID, motion: CENTRE, sleep, pose: POSE):
    """Pose of every shape, from the motion of its contact body."""
    shape = contacts.shape
    for k in range(len(shape)):
        if is_kept(shape[k].body, contacts, sleep):
            continue
        body = motion[shape[k].body]
        q_WB = body.q
        pose[k].p = add(body.p, rotate(q_WB, value[k].p))
        pose[k].q = product(q_WB, value[k].q)


@routine
def write_travels(h, contacts, sleep, motions):
    """The turn of each shape within the step (rad), the largest distance of a point of its core from the centre of its
    body, to which the thickening adds nothing (of a plane, that of its centre), and how far its points move at most.

    That is the way of the centre of mass, with the larger of the speeds at both ends, and that by the turn; of a plane
    at 1 m from its centre: whether it moves is all that matters. Only what forces do not move can rest: 0 stands for
    that.
    """
    shape, n_moved = contacts.shape, contacts.n_moved
    turn, lever, travel = motions.turn, motions.lever, motions.travel
    for k in range(len(shape)):
        if is_kept(shape[k].body, contacts, sleep):
            continue
        before, after = motions.start[shape[k].body], motions.finish[shape[k].body]
        own = contacts.shape_value[k]
        is_plane = shape[k].kind == HALF_SPACE
        lever[k] = norm(own.p) + (0.0 if is_plane else norm(own.half))
        if sleep is not None and shape[k].body < n_moved and sleep.stands[shape[k].body] > 0:
            turn[k], travel[k] = 0.0, LEAST_TRAVEL * own.bound
            continue
        moved = norm(sub(after.p, before.p))
        speed = max(norm(before.v), norm(after.v))
        turn[k] = h * max(norm(before.omega), norm(after.omega))
        way = max(moved, h * speed) + turn[k] * (lever[k] + (1.0 if is_plane else 0.0))
        rests = way == 0.0 and turn[k] == 0.0 and shape[k].body >= n_moved
        travel[k] = way if rests or is_plane else max(way, LEAST_TRAVEL * own.bound)


@routine
def write_solver_rows(start: CENTRE, finish: CENTRE, n_sub, vel: LINE, smooth: LINE, moved, kicked):
    """Velocities, and what a sub-step of the smooth motion adds to them."""
    vel[:] = smooth[:] = moved[:] = kicked[:] = 0.0
    for b in range(len(start)):
        before, after = start[b], finish[b]
        v, omega = before.v, before.omega
        vel[b].linear = v
        vel[b].angular = omega
        smooth[b].linear = scaled(1.0 / n_sub, sub(after.v, v))
        smooth[b].angular = scaled(1.0 / n_sub, sub(after.omega, omega))


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
def write_inverse(body: BODY, q_WB, normal: TRIPLE, row: INVERSE):
    """Inverse mass, and inverse inertia in world axes, of a body that forces move; in a planar scene about the plane's
    normal u alone, u u^T/I.
    """
    row.mass = 1.0 / body.mass
    inertia = tensor_in_world(q_WB, body.inverse)
    row.inertia = inertia
    if len(normal) > 0:
        (x, y, z), one = normal[0].xyz, inertia[0]
        row.inertia = (one * x * x, one * y * y, one * z * z, one * x * y, one * x * z, one * y * z)


@inlined
def begin_solver(contacts, body, normal, motions, lines):
    """The rows of the solver, from the motion without contact at both ends of the step."""
    start, finish = motions.start, motions.finish
    write_solver_rows(start, finish, contacts.substeps, lines.vel, lines.smooth, lines.moved, lines.kicked)
    lines.struck[:] = 0.0
    for b in range(len(start)):
        lines.struck[b].q = start[b].q
    for b in range(contacts.n_moved):
        q_WB = start[b].q
        write_inverse(body[contacts.body[b].row], q_WB, normal, lines.inverse[b])


@inlined
def root_of(b, island):
    """The first body of the island of a body: of those that `unite` has connected. The way to it is halved."""
    while island[b] != b:
        island[b] = island[island[b]]
        b = island[b]
    return b


@inlined
def unite(a, b, island):
    """Connect the islands of two bodies."""
    first, second = root_of(a, island), root_of(b, island)
    island[max(first, second)] = min(first, second)
