"""How the two shapes of a pair approach each other within a step: where they are, and when they touch.

Within a step a body moves as if nothing touched, along a ramp of velocity, and in addition with the jumps that impacts
gave it up to now; what forces do not move, along the arc about the axis that it turns about. Rows of velocity and
displacement hold a jump dv at the time t as if the body had always moved so: velocity + dv, displacement - t dv. The
rate is that of the smooth step, and what all angular impulses make at the pose of the last one, of which the sub-steps
take the inertia, too.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rigidsim.engine.contact import columns as c
from rigidsim.engine.contact.pairs import meet
from rigidsim.engine.layout import load3, load4, load6, store3, store4
from rigidsim.jit import inlined, routine
from rigidsim.physics.contact import between_ends, slip
from rigidsim.physics.inertia import apply, rotated
from rigidsim.physics.quaternion import exp_full, product, rotate
from rigidsim.physics.restitution import NEVER, touching_time
from rigidsim.physics.rigid_body import point_acceleration
from rigidsim.physics.vector import add, dot, norm, scaled, sub

# A side of a pair: the motion of its body at a time within the step, acceleration and angular acceleration, inverse
# mass and inverse inertia; the centre of its shape relative to that of the body; displacement and turn since the
# beginning of the step. World axes.
M_A, M_ALPHA, M_MASS, M_INERTIA, M_ARM, M_WAY, M_TURN, SIDE_ROWS = c.MOTION_ROWS, 16, 19, 20, 26, 29, 32, 35

MOST_CORRECTIONS, NEWTON = 16, 3  # of the time of touching; three are usual; those before the secant is used
FAR = 1e30  # m: as reach, finds the nearest places at any distance
# Gaps are known to 1e-15 of sizes and coordinates. Places are touching within 1e-10 of the size, so that the corners
# of a box that lands flat touch at once, whatever round-off says.
ROUND_OFF, TOUCHING = 1e-15, 1e-10
LEAST_SPEED = 1e-12  # m/s: round-off of velocities is not an impact


class SmoothMotion(NamedTuple):
    """The motion of all contact bodies within one step."""

    h: float  # length of the step, s
    share: float  # of the gain of velocity that acts on the displacement, as in `Contacts`
    start: np.ndarray  # (contact body, MOTION_ROWS) at its beginning
    finish: np.ndarray  # at its end, if nothing touched
    began: np.ndarray  # (contact body, INVERSE_ROWS) inverse mass and inertia at its beginning
    inverse: np.ndarray  # (contact body, INVERSE_ROWS) at the last impact, or at its beginning
    attitude: np.ndarray  # (contact body, 4) orientation then
    vel: np.ndarray  # (contact body, LINE_ROWS) at its beginning, with the jumps
    moved: np.ndarray  # (contact body, LINE_ROWS) by the jumps
    turned: np.ndarray  # (contact body, 3) angular impulses of the jumps, world axes, N m s


class Near(NamedTuple):
    """Working arrays of one pair of shapes, as placed at a time within the step."""

    side: np.ndarray  # (2, SIDE_ROWS)
    pose: np.ndarray  # (2, POSE_ROWS) of the two shapes
    places: np.ndarray  # (MOST_PLACES, PLACE_ROWS)


@routine
def place_side(t, h, share, start, finish, inverse, vel, moved, turned, value, side, pose):
    """The motion of one body at t s after the beginning of the step, and the pose of its shape there."""
    a = scaled(1.0 / h, sub(load3(finish, c.X_V, 0, 1), load3(start, c.X_V, 0, 1)))
    alpha = scaled(1.0 / h, sub(load3(finish, c.X_OMEGA, 0, 1), load3(start, c.X_OMEGA, 0, 1)))
    v, rate = load3(vel, c.L_LINEAR, 0, 1), load3(vel, c.L_ANGULAR, 0, 1)
    way = add(load3(moved, c.L_LINEAR, 0, 1), scaled(t, add(v, scaled(share * t, a))))
    v_end, v_now = load3(finish, c.X_V, 0, 1), add(v, scaled(t, a))
    if inverse[c.I_MASS] == 0.0 and dot(v, v) + dot(v_end, v_end) > 0.0:
        dx = sub(load3(finish, c.X_P, 0, 1), load3(start, c.X_P, 0, 1))
        way, v_now, a = between_ends(t, h, v, load3(start, c.X_OMEGA, 0, 1), dx, v_end)
    theta = add(load3(moved, c.L_ANGULAR, 0, 1), scaled(t, add(rate, scaled(share * t, alpha))))
    turn = exp_full(scaled(0.5, theta))
    p, q = add(load3(start, c.X_P, 0, 1), way), product(turn, load4(start, c.X_Q, 0, 1))
    inertia = rotated(turn, load6(inverse, c.I_INERTIA, 0, 1))
    smooth = add(load3(start, c.X_OMEGA, 0, 1), scaled(t, alpha))
    arm = rotate(q, load3(value, c.V_P, 0, 1))
    store3(side, c.X_P, 0, 1, p)
    store4(side, c.X_Q, 0, 1, q)
    store3(side, c.X_V, 0, 1, v_now)
    store3(side, c.X_OMEGA, 0, 1, add(smooth, apply(inertia, load3(turned, 0, 0, 1))))
    store3(side, M_A, 0, 1, a)
    store3(side, M_ALPHA, 0, 1, alpha)
    side[M_MASS] = inverse[c.I_MASS]
    for k in range(6):
        side[M_INERTIA + k] = inertia[k]
    store3(side, M_ARM, 0, 1, arm)
    store3(side, M_WAY, 0, 1, way)
    store3(side, M_TURN, 0, 1, theta)
    store3(pose, c.H_P, 0, 1, add(p, arm))
    store4(pose, c.H_Q, 0, 1, product(q, load4(value, c.V_Q, 0, 1)))


@inlined
def place_pair(first, second, t, motion, contacts, near):
    """Both sides of a pair of shapes at t s after the beginning of the step."""
    for s in range(2):
        i = first if s == 0 else second
        b = contacts.shape[i, c.SHAPE_BODY]
        place_side(
            t, motion.h, motion.share, motion.start[b], motion.finish[b], motion.began[b], motion.vel[b],
            motion.moved[b], motion.turned[b], contacts.shape_value[i], near.side[s], near.pose[s],
        )  # fmt: skip


@inlined
def find_places(first, second, reach, contacts, near):
    """The places where two shapes, as placed now, are nearer than reach; their number."""
    kind_i, kind_j = contacts.shape[first, c.SHAPE_KIND], contacts.shape[second, c.SHAPE_KIND]
    value_i, value_j = contacts.shape_value[first], contacts.shape_value[second]
    return meet(kind_i, value_i, near.pose[0], kind_j, value_j, near.pose[1], reach, near.places)


@inlined
def sizes(first, second, contacts, near):
    """(size, extent), m: of the smaller shape; and of the numbers that a gap is the difference of."""
    a, b = contacts.shape_value[first, c.V_BOUND], contacts.shape_value[second, c.V_BOUND]
    size = a if a < b else b
    return size, size + norm(load3(near.pose[0], c.H_P, 0, 1)) + norm(load3(near.pose[1], c.H_P, 0, 1))


@inlined
def levers(place, near):
    """Of the middle between the surfaces, from the centres of both bodies: one point, so no moment comes of nothing."""
    half = scaled(0.5 * place[c.Q_GAP], load3(place, c.Q_NORMAL, 0, 1))
    of_first = add(load3(near.side[0], M_ARM, 0, 1), load3(place, c.Q_FIRST, 0, 1))
    of_second = add(load3(near.side[1], M_ARM, 0, 1), load3(place, c.Q_SECOND, 0, 1))
    return add(of_first, half), sub(of_second, half)


@inlined
def slip_at(r_A, r_B, near):
    """Of the second body's point relative to the first one's."""
    A, B = near.side[0], near.side[1]
    v_A, omega_A = load3(A, c.X_V, 0, 1), load3(A, c.X_OMEGA, 0, 1)
    return slip(v_A, omega_A, r_A, load3(B, c.X_V, 0, 1), load3(B, c.X_OMEGA, 0, 1), r_B)


@inlined
def core_acceleration(side, r):
    """Of the point of a body at r from its centre."""
    omega, alpha = load3(side, c.X_OMEGA, 0, 1), load3(side, M_ALPHA, 0, 1)
    return point_acceleration(load3(side, M_A, 0, 1), omega, alpha, r)


@inlined
def closing_of(place, first, second, contacts, near):
    """(u, a): the rate of the gap, and about its derivative: that of the cores, for a round surface slides along."""
    n = load3(place, c.Q_NORMAL, 0, 1)
    r_A, r_B = levers(place, near)
    a_A = core_acceleration(near.side[0], sub(r_A, scaled(contacts.shape_value[first, c.V_RADIUS], n)))
    a_B = core_acceleration(near.side[1], add(r_B, scaled(contacts.shape_value[second, c.V_RADIUS], n)))
    return dot(n, slip_at(r_A, r_B, near)), dot(n, sub(a_B, a_A))


@inlined
def least_speed(a, calm):
    """The speed that an approach, and a rebound, have to exceed, m/s: twice what a whole step adds to it by the
    relative acceleration a along the normal, but not less than by gravity: of two bodies that fall together a is zero.

    calm: uniform gravity on the two bodies (m/s2), the whole step (s), a speed that is too slow in any case (m/s).
    """
    gravity, nominal, weak = calm
    return max(2.0 * nominal * max(abs(a), gravity) + LEAST_SPEED, weak)


@inlined
def soonest(first, second, left, count, touching, calm, contacts, near):
    """(wait, gap, speed, late, excess) of the places found: how long until the first gap closes, and that gap, of those
    that do not touch already and approach slowly; the speeds with which those that touch approach now, -NEVER if none
    does, and with which any approaches when the time left is over; the largest ratio of speeds to the least.
    """
    wait, gap, speed, late, excess = NEVER, 0.0, -NEVER, -NEVER, 0.0
    for k in range(count):
        place = near.places[k]
        u, a = closing_of(place, first, second, contacts, near)
        root, least, touches = touching_time(place[c.Q_GAP], u, a), least_speed(a, calm), place[c.Q_GAP] <= touching
        if root < wait and not (touches and -u <= least):
            wait, gap = root, place[c.Q_GAP]
        if touches:
            speed, excess = max(speed, -u), max(excess, -u / least)
        late = max(late, -(u + a * left))
    return wait, gap, speed, late, excess


@inlined
def centre_at(b, t, motion):
    """(position, velocity, acceleration) of the centre of a body that forces move, t s after the step began."""
    v_end, v = load3(motion.finish[b], c.X_V, 0, 1), load3(motion.vel[b], c.L_LINEAR, 0, 1)
    a = scaled(1.0 / motion.h, sub(v_end, load3(motion.start[b], c.X_V, 0, 1)))
    way = add(load3(motion.moved[b], c.L_LINEAR, 0, 1), scaled(t, add(v, scaled(motion.share * t, a))))
    return add(load3(motion.start[b], c.X_P, 0, 1), way), add(v, scaled(t, a)), a


@inlined
def reach_of(k, contacts):
    """The largest distance of a point of a shape from the centre of its body, m."""
    return norm(load3(contacts.shape_value[k], c.V_P, 0, 1)) + contacts.shape_value[k, c.V_BOUND]


@inlined
def are_far(first, second, now, motion, contacts):
    """Whether two bodies that forces move are too far from each other to touch in the rest of the step."""
    a, b = contacts.shape[first, c.SHAPE_BODY], contacts.shape[second, c.SHAPE_BODY]
    if a >= contacts.n_moved or b >= contacts.n_moved:
        return False
    (p_A, v_A, a_A), (p_B, v_B, a_B), left = centre_at(a, now, motion), centre_at(b, now, motion), motion.h - now
    apart = norm(sub(p_B, p_A)) - reach_of(first, contacts) - reach_of(second, contacts)
    return apart > left * (norm(sub(v_B, v_A)) + left * norm(sub(a_B, a_A)))


@inlined
def goes_straight(k, side, contacts):
    """Whether no turn moves a shape: a sphere around the centre of its body, or a plane that does not turn. The gap of
    two such shapes is never smaller than along the normal of now.
    """
    p, omega = load3(contacts.shape_value[k], c.V_P, 0, 1), load3(side, c.X_OMEGA, 0, 1)
    is_sphere, is_plane = contacts.shape[k, c.SHAPE_KIND] == c.SPHERE, contacts.shape[k, c.SHAPE_KIND] == c.PLANE
    return (is_sphere and dot(p, p) == 0.0) or (is_plane and dot(omega, omega) == 0.0)


@inlined
def next_touch(first, second, now, may_overlap, calm, motion, contacts, near):
    """(time, speed, present): when two shapes touch, from now to the end of the step, and how fast they approach then;
    how fast they approach at present, -NEVER if they do not touch.

    If they do not touch within the step, or only slowly, the time is NEVER, and the speed that with which they approach
    at its end. Each correction moves both bodies to the time found before, and takes the gaps there as quadratic in
    time; later ones use the secant, as the place of an edge on a face slides. If none closes so, the end of the step is
    looked at, too: shapes that turn may touch elsewhere. Places that touch at rest do not hide others.
    """
    t, found, speed, late, present, is_last = now, NEVER, 0.0, 0.0, 0.0, False
    gap, last, last_gap = 0.0, now, 0.0
    for attempt in range(MOST_CORRECTIONS):
        place_pair(first, second, t, motion, contacts, near)
        count = find_places(first, second, FAR, contacts, near)
        size, extent = sizes(first, second, contacts, near)
        touching = TOUCHING * size + 10.0 * ROUND_OFF * extent
        wait, gap, speed, late, _ = soonest(first, second, motion.h - t, count, touching, calm, contacts, near)
        found = NEVER
        if attempt == 0:
            present = speed
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
