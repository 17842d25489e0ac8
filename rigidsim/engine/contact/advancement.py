"""Conservative advancement: when a fast pair touches within the step.

A fast pair, which moves by more than a quarter of the smaller shape within the step, is examined at the time when it
touches, because its first normal can be that of a face that it will not meet. That time is found by conservative
advancement: the gap divided by a bound of its rate of change is a time in which nothing can touch (Mirtich 1996,
Impulse-based Dynamic Simulation of Rigid Body Systems, section 2.3). The gap at the beginning of the step is then
extrapolated along the normal found there.
"""

from __future__ import annotations

from rigidsim.engine.contact import columns as c
from rigidsim.engine.contact.pairs import meet
from rigidsim.engine.layout import load3, load4, store3, store4
from rigidsim.jit import inlined, routine
from rigidsim.physics.corrections import swing, turn, turned
from rigidsim.physics.quaternion import rotate
from rigidsim.physics.vector import add, dot, norm, scaled, sub

CLOSE = 1e-6  # of the smaller shape: the gap at which an advance ends
ADVANCES = 40  # at most; where they do not suffice, the last pose is taken


@inlined
def travelled(start, finish, h, part):
    """Displacement and turn of a body at a part of the step, moving uniformly."""
    moved = scaled(part, sub(load3(finish, c.X_P, 0, 1), load3(start, c.X_P, 0, 1)))
    rate = add(load3(start, c.X_OMEGA, 0, 1), load3(finish, c.X_OMEGA, 0, 1))
    return moved, scaled(0.5 * part * h, rate)


@routine
def place_within(value, start, finish, h, part, pose, later):
    """Pose of a shape at a part of the step, from that at its beginning."""
    if part == 0.0:
        for k in range(c.POSE_ROWS):
            later[k] = pose[k]
        return
    moved, theta = travelled(start, finish, h, part)
    e, lever = turn(theta), rotate(load4(start, c.X_Q, 0, 1), load3(value, c.V_P, 0, 1))
    store3(later, c.H_P, 0, 1, add(add(load3(pose, c.H_P, 0, 1), moved), swing(e, lever)))
    store4(later, c.H_Q, 0, 1, turned(e, load4(pose, c.H_Q, 0, 1)))


@inlined
def swing_of(k, apart, contacts, motions):
    """The most by which the turn of its body moves a point of the core of a shape within the step, m; of a plane, one
    near another shape at this distance.
    """
    far = apart if contacts.shape[k, c.SHAPE_KIND] == c.PLANE else 0.0
    return motions.turn[k] * (motions.lever[k] + far)


@inlined
def closing_bound(i, j, apart, contacts, motions):
    """The most by which the gap of two shapes can shrink within the step, m; `apart` is the distance of their centres.

    |dx_B - dx_A| + |theta_A| l_A + |theta_B| l_B, l the largest distance of a point of the core from the centre of its
    body.
    """
    a, b = contacts.shape[i, c.SHAPE_BODY], contacts.shape[j, c.SHAPE_BODY]
    start, finish = motions.start, motions.finish
    moved_A = sub(load3(finish[a], c.X_P, 0, 1), load3(start[a], c.X_P, 0, 1))
    moved_B = sub(load3(finish[b], c.X_P, 0, 1), load3(start[b], c.X_P, 0, 1))
    swings = swing_of(i, apart, contacts, motions) + swing_of(j, apart, contacts, motions)
    return norm(sub(moved_B, moved_A)) + swings


@inlined
def closing_along(a, b, place, motions):
    """How much nearer two bodies come within the step along the normal of a place, without their turns, m."""
    moved_A = sub(load3(motions.finish[a], c.X_P, 0, 1), load3(motions.start[a], c.X_P, 0, 1))
    moved_B = sub(load3(motions.finish[b], c.X_P, 0, 1), load3(motions.start[b], c.X_P, 0, 1))
    return max(0.0, dot(load3(place, c.Q_NORMAL, 0, 1), sub(moved_A, moved_B)))


@routine
def advance_to_touch(i, j, contacts, motions, points, h, closing, apart, size):
    """Conservative advancement of a fast pair: the part of the step at which it touches and the number of places, with
    the places there; 0 places if it does not touch. `closing` bounds how much nearer the shapes come in the step.

    The shapes are convex, so while a plane separates them they do not touch, and their gap is at least that along its
    normal: this shrinks by the motion along the normal and by the turns.
    """
    shape, value, pose, later = contacts.shape, contacts.shape_value, motions.pose, points.later
    a, b, part, count = shape[i, c.SHAPE_BODY], shape[j, c.SHAPE_BODY], 0.0, 0
    turning = swing_of(i, apart + closing, contacts, motions) + swing_of(j, apart + closing, contacts, motions)
    for _ in range(ADVANCES):
        place_within(value[i], motions.start[a], motions.finish[a], h, part, pose[i], later[0])
        place_within(value[j], motions.start[b], motions.finish[b], h, part, pose[j], later[1])
        reach = (1.0 - part) * closing + CLOSE * size
        count = meet(
            shape[i, c.SHAPE_KIND], value[i], later[0], shape[j, c.SHAPE_KIND], value[j], later[1], reach, points.place
        )
        nearest = 0
        for k in range(1, count):
            nearest = k if points.place[k, c.Q_GAP] < points.place[nearest, c.Q_GAP] else nearest
        if count == 0 or points.place[nearest, c.Q_GAP] <= CLOSE * size:
            return part, count
        gap, rate = points.place[nearest, c.Q_GAP], closing_along(a, b, points.place[nearest], motions) + turning
        if gap >= (1.0 - part) * rate:
            return part, 0
        part += gap / rate
    return part, count
