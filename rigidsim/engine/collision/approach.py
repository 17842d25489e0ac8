"""How the two shapes of a pair approach each other within a step: where they are, and when they touch.

Within a step a body moves as if nothing touched, along a ramp of velocity, and in addition with the jumps that impacts
gave it up to now; what forces do not move, along the arc about the axis that it turns about. Rows of velocity and
displacement hold a jump dv at the time t as if the body had always moved so: velocity + dv, displacement - t dv. The
rate is that of the smooth step, and what all angular impulses make at the pose of the last one, of which the sub-steps
take the inertia, too.
"""

from __future__ import annotations

from typing import NamedTuple

from rigidsim.engine.collision.convex import ConvexArrays
from rigidsim.engine.collision.meshes import are_searched, begin_advance, end_advance
from rigidsim.engine.collision.narrow import meet, placed_shape
from rigidsim.engine.model.arrays import floats
from rigidsim.engine.model.contact_layout import CENTRE, INVERSE, JOLT, LINE, MOST_PLACES, PLACE, POSE, SOLID
from rigidsim.jit import inlined, routine
from rigidsim.jit.rows import Row
from rigidsim.physics.contact import between_ends, slip
from rigidsim.physics.distances import HALF_SPACE, INFINITY, MESH, POINT
from rigidsim.physics.inertia import apply, rotated
from rigidsim.physics.quaternion import exp_full, product, rotate
from rigidsim.physics.restitution import NEVER, touching_time
from rigidsim.physics.rigid_body import point_acceleration
from rigidsim.physics.vector import add, dot, norm, scaled, sub

SIDE = Row(
    "a side of a pair: the motion of its body at a time within the step, acceleration and angular acceleration,"
    " inverse mass and inverse inertia; the centre of its shape relative to that of the body; displacement and turn"
    " since the beginning of the step; world axes",
    CENTRE, a=3, alpha=3, mass=1, inertia=6, arm=3, way=3, turn=3,
)  # fmt: skip

MOST_CORRECTIONS, NEWTON = 16, 3  # of the time of touching; three are usual; those before the secant is used
FAR = 1e30  # m: as reach, finds the nearest places at any distance
# Of the smaller shape: pairs with a mesh that come nearer by more are advanced at first, until they are near; and
# places of it are found within so much more than they come nearer.
FAST, NEARBY, AROUND, ADVANCES = 0.25, 0.02, 1e-3, 60
# rad: the gap of shapes that turn more, relative to each other, in the time left is followed; it is taken as quadratic
# in time for so much. The time left has at most so many parts.
TRUSTED, PARTS = 0.02, 1000
ANY_TURN = 2.0  # rad: no turn moves a point by more than this times its lever
# Gaps are known to 1e-15 of sizes and coordinates. Places are touching within 1e-10 of the size, so that the corners
# of a box that lands flat touch at once, whatever round-off says.
ROUND_OFF, TOUCHING = 1e-15, 1e-10
LEAST_SPEED = 1e-12  # m/s: round-off of velocities is not an impact
# Of what is left of half the thickness of the thinner shape: an overlap that grows by more within a step is too deep.
SUNK = 0.25


class SmoothMotion(NamedTuple):
    """The motion of all contact bodies within one step."""

    h: float  # length of the step, s
    share: float  # of the gain of velocity that acts on the displacement, as in `Contacts`
    start: CENTRE  # (contact body) at its beginning
    finish: CENTRE  # at its end, if nothing touched
    inverse: INVERSE  # (contact body) inverse mass and inertia at the last impact, or at its beginning
    struck: JOLT  # (contact body) its motion then
    vel: LINE  # (contact body) at its beginning, with the jumps
    moved: LINE  # (contact body) by the jumps


@inlined
def smooth_motion(h, contacts, motions, lines):
    """The motion in a step of h seconds."""
    return SmoothMotion(
        h, contacts.share, motions.start, motions.finish, lines.inverse, lines.struck, lines.vel, lines.moved
    )  # fmt: skip


class Near(NamedTuple):
    """Working arrays of one pair of shapes, as placed at a time within the step."""

    convex: ConvexArrays | None  # if some cores need it
    side: SIDE = floats(2)
    pose: POSE = floats(2)  # of the two shapes
    places: PLACE = floats(MOST_PLACES)


@inlined
def travel(b, t, motion):
    """(displacement, velocity, acceleration) of the centre of a body that forces move, t s after the step began."""
    v, a = motion.vel[b].linear, scaled(1.0 / motion.h, sub(motion.finish[b].v, motion.start[b].v))
    way = add(motion.moved[b].linear, scaled(t, add(v, scaled(motion.share * t, a))))
    return way, add(v, scaled(t, a)), a


@inlined
def turn_since(t, theta, struck: JOLT):
    """exp(theta'/2), the turn of a body since it was struck last, up to the time t (s). theta: the rotation vector that
    rates and displacements make since the beginning of the step, rad.
    """
    left = t - struck.time
    return exp_full(scaled(0.5, add(sub(theta, struck.theta), scaled(0.5 * left * left, struck.alpha))))


@inlined
def momentum_at(t, struck: JOLT):
    """The angular momentum of a body that was struck, t s after the beginning of the step, N m s: that of the smooth
    motion goes in a straight line from its beginning to its end, and impulses add to it.
    """
    return add(add(struck.L, scaled(t, struck.torque)), struck.dL)


@routine
def place_side(t, b, motion, value: SOLID, side: SIDE, pose: POSE):
    """The motion of body b at t s after the beginning of the step, and the pose of its shape there. What forces do not
    move goes along its arc, but at an instant, where both ends are one pose: that says its velocity alone.
    """
    h, start, finish, inverse = motion.h, motion.start[b], motion.finish[b], motion.inverse[b]
    v, moved, rate, whole = motion.vel[b].linear, motion.moved[b], motion.vel[b].angular, sub(finish.p, start.p)
    way, v_now, a = travel(b, t, motion)
    if inverse.mass == 0.0 and dot(whole, whole) > 0.0:
        way, v_now, a = between_ends(t, h, v, start.omega, whole, finish.v)
    alpha = scaled(1.0 / h, sub(finish.omega, start.omega))
    theta = add(moved.angular, scaled(t, add(rate, scaled(motion.share * t, alpha))))
    turn = turn_since(t, theta, motion.struck[b])
    p, q, inertia = add(start.p, way), product(turn, motion.struck[b].q), rotated(turn, inverse.inertia)
    arm = rotate(q, value.p)
    side.p, side.q, side.v, side.a = p, q, v_now, a
    side.alpha = add(alpha, motion.struck[b].alpha)
    if motion.struck[b].count > 0.0:
        side.omega = apply(inertia, momentum_at(t, motion.struck[b]))
    else:
        side.omega = add(start.omega, scaled(t, alpha))
    side.mass, side.inertia = inverse.mass, inertia
    side.arm, side.way, side.turn = arm, way, theta
    pose.p, pose.q = add(p, arm), product(q, value.q)


@inlined
def place_pair(first, second, t, motion, contacts, near):
    """Both sides of a pair of shapes at t s after the beginning of the step."""
    for s in range(2):
        i = first if s == 0 else second
        place_side(t, contacts.shape[i].body, motion, contacts.shape_value[i], near.side[s], near.pose[s])


@inlined
def find_places(first, second, reach, contacts, near):
    """The places where two shapes, as placed now, are nearer than reach; their number. The search begins with the
    features in `near.convex`.
    """
    shape_i, shape_j = placed_shape(first, contacts, near.pose[0]), placed_shape(second, contacts, near.pose[1])
    return meet(shape_i, shape_j, reach, near.places, near.convex)


@inlined
def sizes(first, second, contacts, near):
    """(size, extent), m: of the smaller shape; and of the numbers that a gap is the difference of."""
    a, b = contacts.shape_value[first].bound, contacts.shape_value[second].bound
    size = a if a < b else b
    return size, size + norm(near.pose[0].p) + norm(near.pose[1].p)


@inlined
def levers(place: PLACE, near):
    """Of the middle between the surfaces, from the centres of both bodies: one point, so no moment comes of nothing."""
    half = scaled(0.5 * place.gap, place.normal)
    return add(add(near.side[0].arm, place.first), half), sub(add(near.side[1].arm, place.second), half)


@inlined
def slip_at(r_A, r_B, near):
    """Of the second body's point relative to the first one's."""
    A, B = near.side[0], near.side[1]
    return slip(A.v, A.omega, r_A, B.v, B.omega, r_B)


@inlined
def core_acceleration(side: SIDE, r):
    """Of the point of a body at r from its centre."""
    return point_acceleration(side.a, side.omega, side.alpha, r)


@inlined
def closing_of(place: PLACE, first, second, contacts, near):
    """(u, a): the rate of the gap, and about its derivative: that of the cores, for a round surface slides along."""
    n = place.normal
    r_A, r_B = levers(place, near)
    a_A = core_acceleration(near.side[0], sub(r_A, scaled(contacts.shape_value[first].radius, n)))
    a_B = core_acceleration(near.side[1], add(r_B, scaled(contacts.shape_value[second].radius, n)))
    return dot(n, slip_at(r_A, r_B, near)), dot(n, sub(a_B, a_A))


@inlined
def is_centred(k, contacts):
    """Whether a shape is a sphere around the centre of mass of its body, which no turn moves."""
    p = contacts.shape_value[k].p
    return contacts.shape[k].kind == POINT and dot(p, p) == 0.0


@inlined
def turn_left(first, second, left, contacts, near):
    """How far two shapes turn relative to each other in the time left, rad, but for what a turn does not move."""
    of_first, of_second = near.side[0].omega, near.side[1].omega
    of_first = scaled(0.0 if is_centred(first, contacts) else 1.0, of_first)
    return left * norm(sub(scaled(0.0 if is_centred(second, contacts) else 1.0, of_second), of_first))


@inlined
def least_speed(a, threshold):
    """The speed that an approach, and a rebound, have to exceed, m/s: twice what a whole step adds to it by the
    relative acceleration a along the normal, but not less than by gravity: of two bodies that fall together a is zero.

    threshold: uniform gravity on the two bodies (m/s2), the whole step (s), a speed that is too slow in any case (m/s).
    """
    gravity, nominal, weak = threshold
    return max(2.0 * nominal * max(abs(a), gravity) + LEAST_SPEED, weak)


@inlined
def soonest(first, second, left, count, touching, threshold, contacts, near):
    """(wait, gap, speed, late, excess) of the places found: how long until the first gap closes, and that gap, of those
    that do not touch already and approach slowly; the speeds with which those that touch approach now, -NEVER if none
    does, and with which any approaches when the time left is over; the largest ratio of speeds to the least.
    """
    wait, gap, speed, late, excess = NEVER, 0.0, -NEVER, -NEVER, 0.0
    for k in range(count):
        place = near.places[k]
        u, a = closing_of(place, first, second, contacts, near)
        root, least = touching_time(place.gap, u, a), least_speed(a, threshold)
        touches = place.gap <= touching
        if root < wait and not (touches and -u <= least):
            wait, gap = root, place.gap
        if touches:
            speed, excess = max(speed, -u), max(excess, -u / least)
        late = max(late, -(u + a * left))
    return wait, gap, speed, late, excess


@inlined
def reach_of(k, contacts):
    """The largest distance of a point of a shape from the centre of its body, m."""
    return norm(contacts.shape_value[k].p) + contacts.shape_value[k].bound


@inlined
def core_size(first, second, contacts):
    """Bounding radius of the smaller core of two shapes, m: how far a point of contact may jump when they turn."""
    a = contacts.shape_value[first].bound - contacts.shape_value[first].radius
    b = contacts.shape_value[second].bound - contacts.shape_value[second].radius
    return min(a, b)


@inlined
def half_thickness(k, contacts):
    """Of a shape, where it is thinnest, m; infinite for a plane or a mesh."""
    kind, value = contacts.shape[k].kind, contacts.shape_value[k]
    if kind == HALF_SPACE:
        return INFINITY
    x, y, z = value.half
    return INFINITY if kind == MESH else value.radius + min(x, min(y, z))


@inlined
def thinner_half(first, second, contacts):
    """Half the thickness of the thinner one of two shapes, m."""
    return min(half_thickness(first, contacts), half_thickness(second, contacts))


@inlined
def deep(first, second, contacts):
    """By how much the overlap of two shapes that only touch may grow within a step, m."""
    return SUNK * thinner_half(first, second, contacts)


@inlined
def are_far(first, second, now, motion, contacts):
    """Whether two bodies that forces move are too far from each other to touch in the rest of the step."""
    a, b = contacts.shape[first].body, contacts.shape[second].body
    if a >= contacts.n_moved or b >= contacts.n_moved:
        return False
    (way_A, v_A, a_A), (way_B, v_B, a_B), left = travel(a, now, motion), travel(b, now, motion), motion.h - now
    p_A, p_B = add(motion.start[a].p, way_A), add(motion.start[b].p, way_B)
    apart = norm(sub(p_B, p_A)) - reach_of(first, contacts) - reach_of(second, contacts)
    return apart > left * (norm(sub(v_B, v_A)) + left * norm(sub(a_B, a_A)))


@inlined
def goes_straight(k, side: SIDE, contacts):
    """Whether no turn moves a shape: a sphere around the centre of its body, or a plane that does not turn. The gap of
    two such shapes is never smaller than along the normal of now.
    """
    omega, is_plane = side.omega, contacts.shape[k].kind == HALF_SPACE
    return is_centred(k, contacts) or (is_plane and dot(omega, omega) == 0.0)


@inlined
def gap_of(count, near):
    """The smallest gap of the places found."""
    gap = NEVER
    for k in range(count):
        gap = min(gap, near.places[k].gap)
    return gap


@inlined
def closing_in(first, second, left, contacts, near):
    """(way, more): of the second shape relative to the first in the time left at their present velocities, and how much
    farther their accelerations and turns may move a point of one of them, m.
    """
    A, B = near.side[0], near.side[1]
    way, more = scaled(left, sub(B.v, A.v)), left * left * norm(sub(B.a, A.a))
    for s in range(2):
        side, k = near.side[s], first if s == 0 else second
        reach = reach_of(k, contacts)
        if reach < FAR:
            more += left * (norm(side.omega) + left * norm(side.alpha)) * reach
        elif dot(side.omega, side.omega) + dot(side.alpha, side.alpha) > 0.0:
            more = FAR
    return way, more


@inlined
def reach_for(first, second, left, size, contacts, near):
    """Whether triangles are searched: only those are looked at that may be touched in the time left; and the gap below
    which places are found, m.
    """
    of_mesh = are_searched(contacts.shape[first].kind, contacts.shape[second].kind)
    way, more = closing_in(first, second, left, contacts, near)
    return of_mesh, norm(way) + more + AROUND * size if of_mesh else FAR


@routine
def advance(first, second, now, size, motion, contacts, near):
    """Conservative advancement of a convex shape and a mesh: the time at which they are near each other; the end of the
    step or a later time if they are not within it.
    """
    t = now
    for _ in range(ADVANCES):
        place_pair(first, second, t, motion, contacts, near)
        way, more = closing_in(first, second, motion.h - t, contacts, near)
        begin_advance(contacts.shape[first].kind, contacts.shape[second].kind, way, more, near.convex)
        find_places(first, second, norm(way) + more + NEARBY * size, contacts, near)
        free, gap = end_advance(near.convex)
        if gap <= NEARBY * size:
            break
        t += (motion.h - t) * free
        if t >= motion.h:
            break
    return t


@inlined
def free_share(first, second, left, size, count, contacts, near):
    """The share of the time left in which two shapes surely do not touch, of which the nearest places are found.
    Between the faces of convex shapes, the motion along the normal has to close the gap.
    """
    way, more = closing_in(first, second, left, contacts, near)
    if begin_advance(contacts.shape[first].kind, contacts.shape[second].kind, way, more, near.convex):
        find_places(first, second, norm(way) + more + NEARBY * size, contacts, near)
        share, _ = end_advance(near.convex)
        return share
    gap, closing = NEVER, more
    for k in range(count):
        if near.places[k].gap < gap:
            gap, closing = near.places[k].gap, more + max(-dot(near.places[k].normal, way), 0.0)
    return gap / closing if closing > 0.0 else NEVER


@inlined
def sunk_for(first, second, count, touching, threshold, contacts, near):
    """For how long the places found that overlap and approach fast have overlapped, s, by their speeds; 0 if there are
    none: what rests, the sub-steps keep apart.
    """
    time = 0.0
    for k in range(count):
        gap = near.places[k].gap
        if gap < -touching:
            u, a = closing_of(near.places[k], first, second, contacts, near)
            if -u > least_speed(a, threshold):
                time = max(time, gap / u)
    return time


@routine
def follow(first, second, now, threshold, motion, contacts, near):
    """(time, speed) of `next_touch` for shapes that turn far in the time left, so that other features come near.

    A part of the time left goes as far as nothing can touch (conservative advancement), or as gaps are quadratic in
    time. The root of one is the next time, if it comes sooner. If the shapes overlap at a time, the instant at which
    they touched is before it, and Newton's method, or else halving, encloses it. Of shapes that overlap all the time,
    it is about that at which they begin to approach fast.
    """
    t, before, until, found, speed, late = now, now, NEVER, NEVER, 0.0, 0.0
    overlap, sank = False, False
    for _ in range(2 * PARTS):
        place_pair(first, second, t, motion, contacts, near)
        size, extent = sizes(first, second, contacts, near)
        left, touching = motion.h - t, TOUCHING * size + 10.0 * ROUND_OFF * extent
        _, reach = reach_for(first, second, left, size, contacts, near)
        count = find_places(first, second, reach, contacts, near)
        wait, gap, speed, late, _ = soonest(first, second, left, count, touching, threshold, contacts, near)
        since = sunk_for(first, second, count, touching, threshold, contacts, near)
        if since > 0.0:
            if t == now:
                break
            until = t
            if until - before <= (1.0 / PARTS if overlap else ROUND_OFF) * motion.h:
                found = t
                break
            t = until - since if not sank and until - since > before else 0.5 * (before + until)
            sank = True
            continue
        if wait < NEVER and (gap <= touching or t + wait == t):
            found = t
            break
        if t >= motion.h:
            break
        turn = turn_left(first, second, left, contacts, near)
        part = left * (TRUSTED / turn) if turn > TRUSTED else left
        part = max(part, motion.h / PARTS)
        if wait > part:
            wait = max(part, left * free_share(first, second, left, size, count, contacts, near))
        later = t + wait if t + wait < until else 0.5 * (t + until)
        before, overlap, sank, t = t, gap_of(count, near) < -touching, False, min(later, motion.h)
    return found, speed if found < NEVER else late


@inlined
def next_touch(first, second, now, may_overlap, threshold, motion, contacts, near):
    """(time, speed, present): when two shapes touch, from now to the end of the step, and how fast they approach then;
    how fast they approach at present, -NEVER if they do not touch.

    If they do not touch within the step, or only slowly, the time is NEVER, and the speed that with which they approach
    at its end. Each correction moves both bodies to the time found before, and takes the gaps there as quadratic in
    time; later ones use the secant, as the place of an edge on a face slides. If none closes so, the end of the step is
    looked at, too: shapes that turn may touch elsewhere. Shapes that turn far are followed. Places that touch at rest
    do not hide others.
    """
    t, found, speed, late, present, is_last = now, NEVER, 0.0, 0.0, 0.0, False
    gap, last, last_gap = 0.0, now, 0.0
    for attempt in range(MOST_CORRECTIONS):
        place_pair(first, second, t, motion, contacts, near)
        size, extent = sizes(first, second, contacts, near)
        of_mesh, reach = reach_for(first, second, motion.h - t, size, contacts, near)
        count = find_places(first, second, reach, contacts, near)
        touching = TOUCHING * size + 10.0 * ROUND_OFF * extent
        wait, gap, speed, late, _ = soonest(first, second, motion.h - t, count, touching, threshold, contacts, near)
        found = NEVER
        if attempt == 0:
            present = speed
            if turn_left(first, second, motion.h - now, contacts, near) > TRUSTED:
                found, late = follow(first, second, now, threshold, motion, contacts, near)
                speed = late
                break
            if of_mesh and reach > FAST * size and gap_of(count, near) > touching:
                t = advance(first, second, now, size, motion, contacts, near)
                if t >= motion.h:
                    break
                if t > now:
                    continue
        if attempt > NEWTON and wait < NEVER and (t - last) * (gap - last_gap) < 0.0:
            wait = -gap * (t - last) / (gap - last_gap)
        last, last_gap = t, gap
        if (is_last and wait > motion.h - t) or (t == now and gap < -touching and not may_overlap):
            break
        if wait > motion.h - t:
            if goes_straight(first, near.side[0], contacts) and goes_straight(second, near.side[1], contacts):
                break
            t, is_last = motion.h, True
            continue
        later = max(now, t + wait)
        if abs(gap) <= touching or later == t:
            found = t
        if abs(gap) <= ROUND_OFF * extent or later == t:
            break
        t = later
    return found, speed if found < NEVER else late, present
