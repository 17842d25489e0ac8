"""Impacts, in order of time within one step, before its sub-steps.

Pairs of shapes that approach faster than twice what the step adds to their speed are struck, the earliest first,
together with all others that are struck at that instant (`impact_problem.py`). An impact changes the motion of bodies,
so the pairs of these are looked at again. Slower contacts are left to the solver. So is what does not rebound in a
large island: its impacts are solved by more rounds of the sub-steps. Pairs that rebounded, and fast pairs that do not
touch within the step, keep out of the sub-steps: the solver must not brake them, or the next step would see a slower
impact. A pair that was struck and did not rebound stays in them, with the places where it was struck.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rigidsim.engine.collision.approach import (
    LEAST_SPEED,
    Near,
    are_far,
    core_size,
    deep,
    least_speed,
    next_touch,
)
from rigidsim.engine.collision.bodies import root_of, unite
from rigidsim.engine.collision.convex import ConvexArrays, note_features, recall_features
from rigidsim.engine.constraints.tree_responses import is_in_tree
from rigidsim.engine.contact.division import any_whirls
from rigidsim.engine.contact.impact_problem import (
    join,
    log_pair,
    push_bodies,
    renew_points,
    store_energies,
    sum_normal_impulses,
    surfaces_of,
    threshold_of,
    work_of,
)
from rigidsim.engine.contact.simultaneous import (
    MOST_AT_ONCE,
    N_PAIRS,
    N_PLACES,
    ImpactProblem,
    solve_problem,
)
from rigidsim.engine.contact.trees import acts_on_tree
from rigidsim.engine.model import contact_layout as c
from rigidsim.engine.model import layout as at
from rigidsim.engine.model.arrays import Contacts, floats, integers, made
from rigidsim.engine.model.contact_layout import CONTACT_POINT, JOLT, LINE, WHO
from rigidsim.engine.model.layout import EVENT, RECORD
from rigidsim.jit import inlined, routine
from rigidsim.physics.contact import COLLIDES, slip
from rigidsim.physics.elementary import sqrt
from rigidsim.physics.restitution import NEVER
from rigidsim.physics.vector import add, cross, dot, norm, scaled, sub

INSTANT = 1e-10  # of a step: impacts within it are simultaneous
EQUAL = 1e-9  # relative difference of speeds that are taken as equal, far above round-off
# Of the hardest impact of a pair in the step: slower ones, of a series that converges, are left out, and what separates
# slower does not separate. Of the largest impulse of a problem: smaller ones are not logged.
WEAK = 1e-6
PATIENT = 4.0  # times the least speed: a pair with restitution that approaches so is struck even without a rebound
MOST_IMPACTS = 32  # of a pair in a step; then it is left to the solver
MOST_AT_LEAST, MOST_FOR_EACH = 256, 4  # of all pairs in a step: so many, and so many more for each candidate

ROUNDS = 6  # of a sub-step, after an impact to a large island
# After an impact without rebound: most rounds of a sub-step; most contacts; what of the change of velocity by the
# smooth motion in a sub-step is settled; for how many steps.
LANDING, MOST_LANDED, LANDED, LANDING_STEPS = 40, 32, 1e-7, 24
# A body tips on an edge, of fewer points than a face, if it turns there faster than this part of what the smooth motion
# adds to its speed in a step: slower turns change how the edge shares its load by less than the second order.
TIPS, FACE = 1e-3, 4
IMPACT = 4.0  # times what the smooth motion adds to the speed of a body in a step: the approach of such an impact

# What becomes of a pair: its points are left to the solver; they keep out of the sub-steps; it is looked at again.
LEFT, APART, LISTED = 0, 1, 2
# Lengths of lists, and how many contact points were struck in this step and stay.
N_DUE, N_STALE, N_LANDED, COUNTS = 0, 1, 2, 3
# Counted: impacts too slow for their restitution; impacts whose impulses did not settle.
LEFT_OUT, UNSETTLED, TALLIES = 0, 1, 2
# In place of the number of impacts: the log has no room; a body that was struck turns far in the rest of the step.
NO_ROOM, FAST_TURN = -1, -2


class ImpactArrays(NamedTuple):
    """Working arrays of the impacts of one step, and the log of these."""

    near: Near
    problem: ImpactProblem
    when: np.ndarray = floats("pairs")  # when it is struck next, s
    speed: np.ndarray = floats("pairs")  # of approach then, m/s
    hardest: np.ndarray = floats("pairs")  # of its impacts in this step: speed of approach, m/s
    n_impact: np.ndarray = integers("pairs")  # up to now; MOST_IMPACTS if it is left to the solver
    status: np.ndarray = integers("pairs")  # LEFT, APART or LISTED
    point_of: np.ndarray = integers("pairs")  # its first contact point, or NO_ROW
    due: np.ndarray = integers("pairs")  # those that are struck within the step, in no order
    stale: np.ndarray = integers("pairs")  # those to look at again
    seen: np.ndarray = integers("pairs")  # the number of the last problem that it was looked at for
    queue: np.ndarray = integers("pairs")  # those to look at for a problem
    size: np.ndarray = integers(COUNTS)  # of the lists
    begin: np.ndarray = integers("bodies + 1")  # its range in pair_of
    pair_of: np.ndarray = integers("ends")  # the pairs that collide of each body that forces move
    island: np.ndarray = integers("bodies + 1")  # a body of the same island, or itself
    island_size: np.ndarray = integers("bodies + 1")  # contact points of the island of which it is the first body
    ended: JOLT = floats("bodies + 1")  # as `struck` of a motion that begins at the end of a part of a step
    struck: np.ndarray = floats(1)  # when a body was struck that turns far afterwards, s
    energy: np.ndarray = floats(3)  # that this step's impacts added, J, as of `work_of`
    counted: np.ndarray = integers(TALLIES)  # in this step
    log: RECORD = integers("log")
    log_value: EVENT = floats("log")  # points relative to the reference frame of the two bodies


def make_impacts(
    contacts: Contacts, n_pair: int, n_log: int, convex: ConvexArrays | None = None
) -> ImpactArrays | None:
    """Arrays for so many pairs of candidates, and so many impacts in a step; None if nothing collides."""
    if not np.any(contacts.action == COLLIDES):
        return None
    sizes = {"bodies": len(contacts.body), "pairs": n_pair, "ends": 2 * n_pair, "log": n_log}
    return made(ImpactArrays, sizes, near=made(Near, {}, convex=convex), problem=made(ImpactProblem, {}))


# --- which pairs are fast enough


@inlined
def collide(first, second, contacts):
    """Whether impulses act between two shapes."""
    of_first, of_second = contacts.shape[first].surfaces, contacts.shape[second].surfaces
    return contacts.action[of_first, of_second] == COLLIDES


@inlined
def find_contact_islands(contacts, points, work):
    """Contact points by island: the bodies that forces move which they connect."""
    island, size, n, who, last = work.island, work.island_size, contacts.n_moved, points.who, at.NO_ROW
    for b in range(len(island)):
        island[b], size[b] = b, 0
    for m in range(points.number):
        size[who[m].a] += 1
        if who[m].pair != last and who[m].b < n:
            unite(who[m].a, who[m].b, island)
        last = who[m].pair
    for b in range(n):
        root = root_of(b, island)
        size[root] += size[b] if root != b else 0


@inlined
def is_in_large_island(a, work):
    """Whether a body is part of an island that is too large to be solved as one problem."""
    return work.island_size[root_of(a, work.island)] > MOST_AT_ONCE


@inlined
def speeds_of(b, motion):
    """Of a body: its velocity and rate, what the smooth motion adds to both in the step, and the size of its rate."""
    v, omega, start, finish = motion.vel[b].linear, motion.vel[b].angular, motion.start[b], motion.finish[b]
    return v, omega, sub(finish.v, start.v), sub(finish.omega, start.omega), norm(omega)


@inlined
def speeds_at(body, r, h):
    """The velocity of a point of a body, and what it gains in the step."""
    v, omega, dv, domega, _ = body
    u = cross(omega, r)
    return add(v, u), add(add(dv, cross(domega, r)), scaled(h, cross(omega, u)))


@inlined
def bound_of_approach(A, B, r_A, r_B, size, h):
    """A bound of `most_approach` at all points that are so near to the centres of the bodies, m."""
    (v_A, _, dv_A, domega_A, rate_A), (v_B, _, dv_B, domega_B, rate_B) = A, B
    by_A = r_A * (rate_A + h * rate_A * rate_A + norm(domega_A))
    by_B = r_B * (rate_B + h * rate_B * rate_B + norm(domega_B))
    return norm(sub(v_B, v_A)) + norm(sub(dv_B, dv_A)) + by_A + by_B + 2.0 * size * (rate_A + rate_B)


@inlined
def farthest(begin, end, point: CONTACT_POINT):
    """The longest levers of some contact points, m."""
    of_A, of_B = 0.0, 0.0
    for m in range(begin, end):
        r_A, r_B = point[m].lever_A, point[m].lever_B
        of_A, of_B = max(of_A, dot(r_A, r_A)), max(of_B, dot(r_B, r_B))
    return sqrt(of_A), sqrt(of_B)


@inlined
def most_approach(A, B, point: CONTACT_POINT, size, h):
    """About the largest speed at which two shapes approach within the step, m/s, seen from a contact point."""
    (u_A, a_A), (u_B, a_B) = speeds_at(A, point.lever_A, h), speeds_at(B, point.lever_B, h)
    return norm(sub(a_B, a_A)) + 2.0 * size * (A[4] + B[4]) - dot(point.normal, sub(u_B, u_A))


@inlined
def speed_factor(k, pairs, work):
    """How many times faster than the least speed a pair has to approach to be struck. With restitution: so fast that it
    rebounds, or PATIENT times; in a large island in any case so that it rebounds.
    """
    pair, contacts = pairs.pair, pairs.contacts
    e, _ = surfaces_of(pair[k, 0], pair[k, 1], contacts)
    a, b = contacts.shape[pair[k, 0]].body, contacts.shape[pair[k, 1]].body
    if e == 0.0:
        return 1.0
    return 1.0 / e if is_in_large_island(min(a, b), work) else min(1.0 / e, PATIENT)


@inlined
def waits(who: WHO, pairs):
    """Whether a contact is one of a tree, which is struck at instants that end a step only."""
    return pairs.trees is None and acts_on_tree(who, pairs.contacts.trees)


@inlined
def is_left_to_solver(m, points, pairs, work):
    """Whether the pair of a contact point is left to the solver: it waits, or it does not rebound in a large island."""
    is_plastic = points.value[m].restitution == 0.0
    return waits(points.who[m], pairs) or (is_plastic and is_in_large_island(points.who[m].a, work))


@inlined
def seek_fast(pairs, points, motion, work):
    """List the pairs that may be fast enough within the step; their number."""
    work.size[N_STALE] = 0
    end = 0
    while end < points.number:
        begin, who, k = end, points.who[end], points.who[end].pair
        while end < points.number and points.who[end].pair == k:
            end += 1
        if who.marks & c.NOTICED or is_left_to_solver(begin, points, pairs, work):
            continue
        first, second = pairs.pair[k, 0], pairs.pair[k, 1]
        least = least_speed(0.0, threshold_of(first, second, speed_factor(k, pairs, work), 0.0, pairs))
        A, B, size = speeds_of(who.a, motion), speeds_of(who.b, motion), core_size(first, second, pairs.contacts)
        r_A, r_B = farthest(begin, end, points.value)
        if (1.0 + EQUAL) * bound_of_approach(A, B, r_A, r_B, size, motion.h) <= least:
            continue
        for m in range(begin, end):
            if most_approach(A, B, points.value[m], size, motion.h) > least:
                work.stale[work.size[N_STALE]] = k
                work.size[N_STALE] += 1
                break
    return work.size[N_STALE]


@inlined
def begin_pairs(pairs, points, work):
    """Nothing is known of any pair, but which are left to the solver; the pairs that collide of each moved body."""
    contacts, pair, n_pair, n = pairs.contacts, pairs.pair, pairs.n_pair, pairs.contacts.n_moved
    work.size[N_DUE] = 0
    work.begin[:] = 0
    for k in range(n_pair):
        work.when[k], work.n_impact[k], work.status[k], work.point_of[k] = NEVER, 0, LEFT, at.NO_ROW
        work.hardest[k], work.seen[k] = 0.0, -1
        if collide(pair[k, 0], pair[k, 1], contacts):
            for s in range(2):
                b = contacts.shape[pair[k, s]].body
                work.begin[b] += 1 if b < n else 0
    for m in range(points.number - 1, -1, -1):
        k = points.who[m].pair
        work.point_of[k] = m
        if is_left_to_solver(m, points, pairs, work):
            work.n_impact[k] = MOST_IMPACTS
    for b in range(len(work.begin) - 1):
        work.begin[b + 1] += work.begin[b]  # the end of each range, and its beginning when the list is filled
    for k in range(n_pair - 1, -1, -1):
        if collide(pair[k, 0], pair[k, 1], contacts):
            for s in range(2):
                b = contacts.shape[pair[k, s]].body
                if b < n:
                    work.begin[b] -= 1
                    work.pair_of[work.begin[b]] = k


# --- the order of impacts


@inlined
def look_at(k, now, pairs, motion, work):
    """Find the next impact of a pair, and what becomes of it until then."""
    first, second, hardest, contacts = pairs.pair[k, 0], pairs.pair[k, 1], work.hardest[k], pairs.contacts
    if work.n_impact[k] >= MOST_IMPACTS or are_far(first, second, now, motion, contacts):
        work.when[k], work.status[k] = NEVER, LEFT
        return
    may_overlap = work.point_of[k] != at.NO_ROW
    threshold = threshold_of(first, second, speed_factor(k, pairs, work), WEAK * hardest, pairs)
    recall_features(k, work.near.convex)
    time, speed, present = next_touch(first, second, now, may_overlap, threshold, motion, contacts, work.near)
    note_features(k, work.near.convex)
    least, is_due = least_speed(0.0, threshold), time < NEVER
    if is_due and work.when[k] == NEVER:
        work.due[work.size[N_DUE]] = k
        work.size[N_DUE] += 1
    leaves, rests = hardest > 0.0 and present < -WEAK * hardest, present >= -least
    work.when[k], work.speed[k] = time, speed
    work.status[k] = APART if is_due or leaves or (speed > least and not rests) else LEFT


@inlined
def look_again(now, pairs, motion, work):
    """Look at the pairs on the list, and empty it."""
    for m in range(work.size[N_STALE]):
        look_at(work.stale[m], now, pairs, motion, work)
    work.size[N_STALE] = 0


@inlined
def earliest(h, work):
    """The pair with the next impact, or NO_ROW."""
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


# --- one instant


@inlined
def list_pairs(b, mark, value, listed, count, work):
    """Put the pairs of a body on a list, each once: those that have not this mark yet; its length."""
    for m in range(work.begin[b], work.begin[b + 1]):
        other = work.pair_of[m]
        if mark[other] != value:
            mark[other], listed[count] = value, other
            count += 1
    return count


@inlined
def list_neighbours(k, mark, value, listed, count, pairs, work):
    """`list_pairs` of both bodies of a pair, and of all that move with one in its tree."""
    trees = pairs.trees
    for s in range(2):
        b = pairs.contacts.shape[pairs.pair[k, s]].body
        if trees is not None and is_in_tree(b, trees.table):
            member = trees.table.member
            place = trees.table.place[b]
            for n in range(member[place].begin, member[place].end):
                count = list_pairs(member[n].body, mark, value, listed, count, work)
        else:
            count = list_pairs(b, mark, value, listed, count, work)
    return count


@inlined
def gather(k, number, now, pairs, motion, work):
    """The problem of all that is struck together with a pair; the fastest approach, m/s."""
    problem, near = work.problem, work.near
    problem.size[:] = 0
    work.seen[k], work.queue[0] = number, k
    count, m, fastest = 1, 0, 0.0
    while m < count:
        other = work.queue[m]
        touches = work.point_of[other] != at.NO_ROW
        if work.n_impact[other] < MOST_IMPACTS:
            added, speed, left_out = join(other, m == 0, touches, now, pairs, motion, near, problem)
            if added:
                fastest = max(fastest, speed)
                work.counted[LEFT_OUT] += 1 if left_out else 0
                count = list_neighbours(other, work.seen, number, work.queue, count, pairs, work)
        m += 1
    return fastest


@inlined
def after_impact_at(t, now, fastest, done, pairs, points, motion, work):
    """Log the impulses of a problem, and list the pairs to look at again; how many lines the log has now."""
    problem, largest, pair, value = work.problem, 0.0, pairs.pair, pairs.contacts.shape_value
    push_bodies(now, pairs, motion, problem)
    sum_normal_impulses(problem)
    for p in range(problem.size[N_PAIRS]):
        largest = max(largest, problem.impulse[p])
    for i in range(problem.size[N_PLACES]):
        normal, tangential, driven = work_of(i, problem)
        work.energy[0] += normal
        work.energy[1] += tangential
        work.energy[2] += driven
    for p in range(problem.size[N_PAIRS]):
        k, P_n = problem.pair[p], problem.impulse[p]
        if P_n > 0.0:
            if P_n > WEAK * largest:
                log_pair(p, t + now, pair, problem, work.log[done], work.log_value[done])
                done += 1
            work.n_impact[k] += 1
            work.hardest[k] = max(work.hardest[k], fastest)
            if work.point_of[k] != at.NO_ROW:
                first, second = value[pair[k, 0]], value[pair[k, 1]]
                size, radii = min(first.bound, second.bound), (first.radius, second.radius)
                renew_points(p, work.point_of[k], size, radii, points, problem)
            work.size[N_STALE] = list_neighbours(k, work.status, LISTED, work.stale, work.size[N_STALE], pairs, work)
    return done


@inlined
def begins_inside(whose: WHO, row: CONTACT_POINT, pairs, motion):
    """Whether the straight motion of the sub-steps, which is that after the impacts, begins deep inside, where the
    bodies never were: from there on the point only parts.
    """
    a, b, pair = whose.a, whose.b, pairs.pair[whose.pair]
    if motion.struck[a].count + motion.struck[b].count == 0.0:
        return False
    A, B = motion.moved[a], motion.moved[b]
    jump = dot(row.normal, slip(A.linear, A.angular, row.lever_A, B.linear, B.angular, row.lever_B))
    return jump < -max(row.gap, 0.0) - deep(pair[0], pair[1], pairs.contacts)


@inlined
def flag_points(pairs, points, motion, work):
    """Keep the points of struck pairs, and of those that still approach fast, out of the sub-steps; the impacts of all
    struck ones are logged.
    """
    for m in range(points.number):
        k = points.who[m].pair
        if work.status[k] == APART or begins_inside(points.who[m], points.value[m], pairs, motion):
            points.who[m].marks |= c.IMPACT
        if work.hardest[k] > 0.0:
            points.who[m].marks |= c.LOGGED
            work.size[N_LANDED] += 0 if work.status[k] == APART else 1


@inlined
def approach_of(n_sub, whose: WHO, row: CONTACT_POINT, vel: LINE, smooth: LINE):
    """The speed at which a contact closes as the step begins, and what the smooth motion adds to speeds in it, m/s."""
    A, B = whose.a, whose.b
    u = slip(
        vel[A].linear, vel[A].angular, row.lever_A,
        vel[B].linear, vel[B].angular, row.lever_B,
    )  # fmt: skip
    return -dot(row.normal, u), n_sub * max(norm(smooth[A].linear), norm(smooth[B].linear))


@inlined
def is_impact(n_sub, h, whose: WHO, row: CONTACT_POINT, vel: LINE, smooth: LINE):
    """Whether a contact would close within the step of h seconds, and many times faster than the smooth motion makes
    bodies in it.
    """
    approach, gain = approach_of(n_sub, whose, row, vel, smooth)
    return approach > IMPACT * gain + LEAST_SPEED and h * approach > row.gap


@inlined
def turns_on(b, lever, gain, vel: LINE):
    """Whether a body turns on a point fast enough, beside the gain of speed in a step, to share its load anew."""
    omega = vel[b].angular
    return dot(omega, omega) * dot(lever, lever) > TIPS * TIPS * gain * gain


@inlined
def tips(begin, end, h, n_sub, points, vel, smooth: LINE):
    """Whether a pair with these points, of several, bears a load at places that share it anew: it begins to do so at
    one of them; or there are two or three, as of an edge, and a body turns on them.
    """
    loaded, is_new = 0, False
    for m in range(begin, end):
        whose, row = points.who[m], points.value[m]
        if row.p_n > 0.0:
            loaded += 1
        else:
            approach, gain = approach_of(n_sub, whose, row, vel, smooth)
            if row.gap <= h * (approach + gain):
                loaded, is_new = loaded + 1, is_new or row.gap > row.closed
    whose, row = points.who[begin], points.value[begin]
    _, gain = approach_of(n_sub, whose, row, vel, smooth)
    turns = turns_on(whose.a, row.lever_A, gain, vel) or turns_on(whose.b, row.lever_B, gain, vel)
    return loaded > 1 and (is_new or (loaded < FACE and turns))


@inlined
def any_tips(h, n_sub, in_trees, points, vel, smooth: LINE):
    """Whether some pair does (`tips`), those of bodies `in_trees` apart: they have rounds of their own."""
    begin, who = 0, points.who
    for m in range(1, points.number + 1):
        if m == points.number or who[m].pair != who[begin].pair:
            whose = who[begin]
            acts = whose.marks & (c.NOTICED | c.IMPACT) == 0 and not acts_on_tree(whose, in_trees)
            if m > begin + 1 and acts and tips(begin, m, h, n_sub, points, vel, smooth):
                return True
            begin = m
    return False


@routine
def rounds_of(h, n_sub, in_trees, points, vel, smooth: LINE, landing, work):
    """(rounds, least): how often all contacts are corrected and relaxed in each sub-step, and the change of velocity
    below which that ends. Once; if there are few contacts, after an impact without rebound until what has landed bears
    its load, and while a body tips on an edge, as its points would share their load by their order; several times if a
    impact has to pass through a large island. `landing`: steps left since such an impact.
    """
    solid, gain, who = 0, 0.0, points.who
    for m in range(points.number):
        solid += 1 if who[m].marks & c.NOTICED == 0 else 0
    if solid <= MOST_LANDED and (landing > 0 or any_tips(h, n_sub, in_trees, points, vel, smooth)):
        for b in range(len(smooth)):
            gain = max(gain, norm(smooth[b].linear))
        return max(2, min(LANDING, 4 * MOST_LANDED // max(solid, 1))), LANDED * gain
    for m in range(points.number):
        if is_in_large_island(who[m].a, work):
            acts = who[m].marks & (c.NOTICED | c.IMPACT) == 0
            if acts and is_impact(n_sub, h, who[m], points.value[m], vel, smooth):
                work.counted[UNSETTLED] += 1
                return ROUNDS, -1.0
    return 1, -1.0


@routine
def resolve_impacts(t, pairs, points, motion, work):
    """Impacts of the step that begins at t (s) with this motion, which they change; returns how many there were,
    NO_ROOM if the log has none for them, FAST_TURN if a body that was struck turns far in the rest of the step:
    `work.struck` says when.

    On entry `vel` and `inverse` of the motion are those at the beginning, `moved` is zero, and no body was `struck`.
    """
    problem, trees = work.problem, pairs.trees
    work.energy[:] = 0.0
    work.counted[:] = 0
    work.size[:] = 0
    find_contact_islands(pairs.contacts, points, work)
    if seek_fast(pairs, points, motion, work) == 0:
        return 0
    begin_pairs(pairs, points, work)
    now, done, number, most = 0.0, 0, 0, MOST_AT_LEAST + MOST_FOR_EACH * pairs.n_pair
    while True:
        look_again(now, pairs, motion, work)
        k = earliest(motion.h, work)
        if k == at.NO_ROW:
            break
        now, acts, fastest = max(now, work.when[k]), False, 0.0
        if done < most:
            fastest = gather(k, number, now, pairs, motion, work)
            number += 1
            if done + problem.size[N_PAIRS] > len(work.log):
                return NO_ROOM if trees is None else done
            store_energies(pairs.contacts, pairs.body, problem)
            acts, settled = solve_problem(problem, trees)
            work.counted[UNSETTLED] += 0 if settled else 1
        if acts:
            done = after_impact_at(t, now, fastest, done, pairs, points, motion, work)
            if trees is None and any_whirls(now, motion.h, motion.vel, pairs.contacts, problem):
                work.struck[0] = now
                return FAST_TURN
        if not acts or work.status[k] != LISTED:
            work.when[k], work.status[k] = NEVER, LEFT
    flag_points(pairs, points, motion, work)
    return done
