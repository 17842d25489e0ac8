"""Impacts with restitution, in order of time within one step, before its sub-steps.

Pairs of shapes that rebound faster than twice what the step adds to the speeds of both bodies are struck: the earliest
first; of those that touch at one instant the one that approaches fastest; then the one listed first. A strike changes
the motion of two bodies, so the pairs of these are looked at again. Slower contacts are left to the solver, without
restitution. Struck points are flagged and keep out of the sub-steps, and so do those of fast pairs that do not touch
within the step: the solver must not brake them, or the next step would see a slower impact.

Several impacts of one body at an instant depend on their order; a cradle of touching spheres has the order of a wave.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rigidsim.engine import layout as at
from rigidsim.engine.contact import columns as c
from rigidsim.engine.contact.approach import SIDE_ROWS, Near, SmoothMotion, next_touch
from rigidsim.engine.contact.joint import JOINT_COLUMNS, SYSTEM_COLUMNS
from rigidsim.engine.contact.model import Contacts
from rigidsim.engine.contact.strikes import strike
from rigidsim.engine.layout import load3, store3
from rigidsim.jit import inlined, routine
from rigidsim.physics.restitution import NEVER
from rigidsim.physics.vector import add, cross, dot, norm, scaled, sub

INSTANT = 1e-10  # of a step: impacts within it are simultaneous
EQUAL = 1e-9  # relative difference of speeds that are taken as equal
LEAST_REBOUND = 1e-12  # m/s: round-off of velocities is not an impact
WEAK = 1e-6  # of the hardest strike of a pair in the step: weaker ones, of a series that converges, are left out
MOST_STRIKES = 32  # of a pair in a step; then it is left to the solver
MOST_AT_LEAST, MOST_FOR_EACH = 256, 4  # of all pairs in a step: so many, and so many more for each candidate

# What becomes of a pair: its points are left to the solver; they keep out of the sub-steps; it is looked at again.
LEFT, APART, LISTED = 0, 1, 2
N_DUE, N_STALE, COUNTS = 0, 1, 2
# Counted: impacts too slow for their restitution; blows whose impulses did not settle.
LEFT_OUT, UNSETTLED, TALLIES = 0, 1, 2


class ImpactArrays(NamedTuple):
    """Working arrays of the impacts of one step, and the log of these."""

    when: np.ndarray  # (pair) when it is struck next, s
    speed: np.ndarray  # (pair) of approach then, m/s
    hardest: np.ndarray  # (pair) of its strikes in this step: speed of approach, m/s
    strikes: np.ndarray  # (pair) up to now
    fate: np.ndarray  # (pair) LEFT or APART
    point_of: np.ndarray  # (pair) its first contact point, or NO_ROW
    due: np.ndarray  # (pair) those that are struck within the step, in no order
    stale: np.ndarray  # (pair) those to look at again
    size: np.ndarray  # (COUNTS) of the two lists
    begin: np.ndarray  # (contact body + 1) its range in pair_of
    pair_of: np.ndarray  # the pairs with restitution of each body that forces move
    turned: np.ndarray  # (contact body, 3) as in `SmoothMotion`
    near: Near
    energy: np.ndarray  # (2) that the normal and the tangential impulses of this step's impacts added, J
    tally: np.ndarray  # (TALLIES) counts of this step
    log: np.ndarray  # (room, LOG_COLUMNS)
    log_value: np.ndarray  # (room, LOG_ROWS) points relative to the reference frame of the two bodies


def make_impacts(contacts: Contacts, n_pair: int, n_log: int) -> ImpactArrays | None:
    """Arrays for so many pairs of candidates, and so many strikes in a step; None if no pair has restitution."""
    collides = contacts.action.reshape(-1) == c.COLLIDES
    if not np.any(contacts.value[collides, c.PAIR_RESTITUTION] > 0.0):
        return None
    n, most = len(contacts.body), c.MOST_PLACES
    times, lists = (np.zeros(n_pair) for _ in range(3)), (np.zeros(n_pair, np.int64) for _ in range(5))
    columns = (c.PLACE_ROWS, JOINT_COLUMNS, SYSTEM_COLUMNS)
    tables = (np.zeros((most, k)) for k in columns)
    near = Near(np.zeros((2, SIDE_ROWS)), np.zeros((2, c.POSE_ROWS)), *tables, np.zeros(2))
    return ImpactArrays(
        *times, *lists, np.zeros(COUNTS, np.int64), np.zeros(n + 1, np.int64), np.zeros(2 * n_pair, np.int64),
        np.zeros((n, 3)), near, np.zeros(2), np.zeros(TALLIES, np.int64),
        np.zeros((n_log, c.LOG_COLUMNS), np.int64), np.zeros((n_log, c.LOG_ROWS)),
    )  # fmt: skip


# --- which pairs are fast enough


@inlined
def surfaces_of(first, second, contacts):
    """Coefficients of restitution and of friction of two shapes; zero if they do not collide."""
    i, j, n = contacts.shape[first, c.SHAPE_CLASS], contacts.shape[second, c.SHAPE_CLASS], len(contacts.action)
    value, collides = contacts.value[i * n + j], contacts.action[i, j] == c.COLLIDES
    return (value[c.PAIR_RESTITUTION], value[c.PAIR_FRICTION]) if collides else (0.0, 0.0)


@inlined
def gain(b, nominal, motion):
    """What a whole step adds to the speed of a body, m/s."""
    dv = sub(load3(motion.finish[b], c.X_V, 0, 1), load3(motion.start[b], c.X_V, 0, 1))
    return nominal / motion.h * norm(dv)


@inlined
def least_rebound(first, second, nominal, contacts, motion):
    """The speed above which two shapes rebound, m/s."""
    A, B = contacts.shape[first, c.SHAPE_BODY], contacts.shape[second, c.SHAPE_BODY]
    return 2.0 * (gain(A, nominal, motion) + gain(B, nominal, motion)) + LEAST_REBOUND


@inlined
def core_size(first, second, contacts):
    """Bounding radius of the smaller core of two shapes, m: how far a point of contact may jump when they turn."""
    a = contacts.shape_value[first, c.V_BOUND] - contacts.shape_value[first, c.V_RADIUS]
    b = contacts.shape_value[second, c.V_BOUND] - contacts.shape_value[second, c.V_RADIUS]
    return min(a, b)


@inlined
def most_approach(who, point, size, motion):
    """About the largest speed at which two shapes approach within the step, m/s, seen from a contact point."""
    u, a, spin = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 0.0
    for s in range(2):
        b, sign, r = who[c.POINT_A + s], 2.0 * s - 1.0, load3(point, c.C_A + 3 * s, 0, 1)
        v, omega = load3(motion.vel[b], c.L_LINEAR, 0, 1), load3(motion.vel[b], c.L_ANGULAR, 0, 1)
        dv = sub(load3(motion.finish[b], c.X_V, 0, 1), load3(motion.start[b], c.X_V, 0, 1))
        domega = sub(load3(motion.finish[b], c.X_OMEGA, 0, 1), load3(motion.start[b], c.X_OMEGA, 0, 1))
        turning = scaled(motion.h, cross(omega, cross(omega, r)))
        u = add(u, scaled(sign, add(v, cross(omega, r))))
        a = add(a, scaled(sign, add(add(dv, cross(domega, r)), turning)))
        spin += norm(omega)
    return norm(a) + 2.0 * size * spin - dot(load3(point, c.C_NORMAL, 0, 1), u)


@inlined
def seek_fast(nominal, contacts, pair, point_who, point, count, motion, work):
    """List the pairs that may be fast enough within the step; their number."""
    work.size[N_STALE] = 0
    last = -1
    for m in range(count):
        e, k = point[m, c.C_RESTITUTION], point_who[m, c.POINT_PAIR]
        if e > 0.0 and k != last and point_who[m, c.POINT_FLAGS] & c.NOTICED == 0:
            least = least_rebound(pair[k, 0], pair[k, 1], nominal, contacts, motion)
            size = core_size(pair[k, 0], pair[k, 1], contacts)
            if e * most_approach(point_who[m], point[m], size, motion) > least:
                work.stale[work.size[N_STALE]] = k
                work.size[N_STALE] += 1
                last = k
    return work.size[N_STALE]


@inlined
def begin_pairs(contacts, pair, n_pair, point_who, count, motion, work):
    """Nothing is known of any pair; the pairs with restitution of each moved body."""
    n = contacts.n_moved
    work.size[N_DUE] = 0
    work.turned[:] = 0.0
    work.begin[:] = 0
    for k in range(n_pair):
        work.when[k], work.strikes[k], work.fate[k], work.point_of[k] = NEVER, 0, LEFT, at.NO_ROW
        work.hardest[k] = 0.0
        if surfaces_of(pair[k, 0], pair[k, 1], contacts)[0] > 0.0:
            for s in range(2):
                b = contacts.shape[pair[k, s], c.SHAPE_BODY]
                work.begin[b] += b < n
    for m in range(count - 1, -1, -1):
        work.point_of[point_who[m, c.POINT_PAIR]] = m
    for b in range(len(work.begin) - 1):
        work.begin[b + 1] += work.begin[b]  # the end of each range, and its beginning when the list is filled
    for k in range(n_pair - 1, -1, -1):
        if surfaces_of(pair[k, 0], pair[k, 1], contacts)[0] > 0.0:
            for s in range(2):
                b = contacts.shape[pair[k, s], c.SHAPE_BODY]
                if b < n:
                    work.begin[b] -= 1
                    work.pair_of[work.begin[b]] = k


# --- the order of strikes


@inlined
def look_again(now, nominal, contacts, pair, motion, work):
    """Find the next strike of the pairs on the list, and empty it."""
    for m in range(work.size[N_STALE]):
        k = work.stale[m]
        first, second = pair[k, 0], pair[k, 1]
        may_overlap = work.point_of[k] != at.NO_ROW
        time, speed = next_touch(first, second, now, may_overlap, motion, contacts, work.near)
        least = least_rebound(first, second, nominal, contacts, motion)
        rebounds = surfaces_of(first, second, contacts)[0] * speed > least and speed > WEAK * work.hardest[k]
        is_due = time < NEVER and rebounds and work.strikes[k] < MOST_STRIKES
        if is_due and work.when[k] == NEVER:
            work.due[work.size[N_DUE]] = k
            work.size[N_DUE] += 1
        work.when[k], work.speed[k] = time if is_due else NEVER, speed
        work.fate[k] = APART if is_due or (time == NEVER and (rebounds or work.strikes[k] > 0)) else LEFT
    work.size[N_STALE] = 0


@inlined
def earliest(h, work):
    """The pair to strike next, or NO_ROW."""
    m, first, fastest, best = 0, NEVER, 0.0, at.NO_ROW
    while m < work.size[N_DUE]:
        if work.when[work.due[m]] < NEVER:
            first = min(first, work.when[work.due[m]])
            m += 1
        else:
            work.size[N_DUE] -= 1
            work.due[m] = work.due[work.size[N_DUE]]
    for m in range(work.size[N_DUE]):
        if work.when[work.due[m]] <= first + INSTANT * h:
            fastest = max(fastest, work.speed[work.due[m]])
    for m in range(work.size[N_DUE]):
        k = work.due[m]
        if work.when[k] <= first + INSTANT * h and work.speed[k] >= (1.0 - EQUAL) * fastest:
            best = k if best == at.NO_ROW or k < best else best
    return best


@inlined
def list_neighbours(k, contacts, pair, work):
    """Put the pairs of both bodies of a pair on the list, each once."""
    for s in range(2):
        b = contacts.shape[pair[k, s], c.SHAPE_BODY]
        for m in range(work.begin[b], work.begin[b + 1]):
            other = work.pair_of[m]
            if work.fate[other] != LISTED:
                work.fate[other] = LISTED
                work.stale[work.size[N_STALE]] = other
                work.size[N_STALE] += 1


@inlined
def book(m, P, point_who, point):
    """Add the impulse of a strike to the first contact point of its pair, if it has one."""
    if m != at.NO_ROW:
        sign = -1.0 if point_who[m, c.POINT_FLAGS] & c.SWAPPED else 1.0
        store3(point[m], c.C_TOTAL, 0, 1, add(load3(point[m], c.C_TOTAL, 0, 1), scaled(sign, P)))


@inlined
def flag_points(point_who, count, work):
    """Keep the points of struck pairs, and of those that still approach fast, out of the sub-steps."""
    for m in range(count):
        if work.fate[point_who[m, c.POINT_PAIR]] == APART:
            point_who[m, c.POINT_FLAGS] |= c.STRUCK


@routine
def strike_contacts(
    impacts, t, h, nominal, contacts, pair, n_pair, point_who, point, count, start, finish, inverse, vel, moved, body,
    plane,
):  # fmt: skip
    """Impacts of the step of h s from t; returns how many there were, or -1 if the log has no room for them.

    pair: the first n_pair candidates; point_who and point: the first count contact points, those of a pair one after
    another; start and finish: motions of the contact bodies at the beginning of the step and, if nothing touched, at
    its end; inverse: at the beginning; vel and moved: what is changed, on entry the velocities at the beginning, and
    zero; body: the constants of bodies; plane: the normal of a planar scene, or no row; nominal: a whole step, s.
    """
    impacts.energy[:] = 0.0
    work, motion = impacts, SmoothMotion(h, contacts.share, start, finish, inverse, vel, moved, impacts.turned)
    if seek_fast(nominal, contacts, pair, point_who, point, count, motion, work) == 0:
        return 0
    begin_pairs(contacts, pair, n_pair, point_who, count, motion, work)
    now, done, most = 0.0, 0, MOST_AT_LEAST + MOST_FOR_EACH * n_pair
    while True:
        look_again(now, nominal, contacts, pair, motion, work)
        k = earliest(motion.h, work)
        if k == at.NO_ROW:
            break
        if done == len(work.log):
            return -1
        now = max(now, work.when[k])
        e, mu = surfaces_of(pair[k, 0], pair[k, 1], contacts)
        log, log_value = work.log[done], work.log_value[done]
        P = (0.0, 0.0, 0.0)
        if done < most:
            P = strike(pair[k, 0], pair[k, 1], now, e, mu, body, plane, contacts, motion, log, log_value, work.near)
        if dot(P, P) > 0.0:
            book(work.point_of[k], P, point_who, point)
            log_value[c.G_TIME] += t
            done += 1
            work.strikes[k] += 1
            work.hardest[k] = max(work.hardest[k], work.speed[k])
            list_neighbours(k, contacts, pair, work)
            work.energy[0] += work.near.energy[0]
            work.energy[1] += work.near.energy[1]
        else:
            work.when[k], work.fate[k] = NEVER, LEFT
    flag_points(point_who, count, work)
    return done
