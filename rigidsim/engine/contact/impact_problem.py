"""What is struck at one instant: the places of all pairs that belong to one problem, and what their impulses do.

One problem are the places that approach at that instant faster than contact's threshold, connected through bodies that
forces move: a table on four legs, a ball between two others. A cradle is not, for its other balls do not yet approach.
Pairs without restitution that touch belong to it in any case, as what strikes one of them stops with all of them; a
slow approach of theirs is left to the sub-steps.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rigidsim.engine.collision.approach import (
    ROUND_OFF,
    SIDE,
    closing_of,
    find_places,
    least_speed,
    levers,
    momentum_at,
    place_pair,
    sizes,
    soonest,
)  # fmt: skip
from rigidsim.engine.collision.bodies import tensor_in_world
from rigidsim.engine.collision.convex import note_features, recall_features
from rigidsim.engine.collision.pairs import deepest
from rigidsim.engine.constraints.tree_responses import InTrees
from rigidsim.engine.constraints.tree_responses import push as push_with_tree
from rigidsim.engine.contact.division import undivided
from rigidsim.engine.contact.simultaneous import (
    IMPACT_PLACE,
    IMPACT_WHO,
    LEVERS,
    MOST_AT_ONCE,
    N_BODIES,
    N_PAIRS,
    N_PLACES,
    sides_of,
    slip_of,
)  # fmt: skip
from rigidsim.engine.model import contact_layout as c
from rigidsim.engine.model import layout as at
from rigidsim.engine.model.arrays import Contacts
from rigidsim.engine.model.contact_layout import CENTRE, CONTACT_POINT, JOLT, WHO
from rigidsim.engine.model.layout import BODY, EVENT, RECORD, TRIPLE
from rigidsim.jit import inlined, routine
from rigidsim.physics.contact import slip
from rigidsim.physics.contact_energy import impact_energy
from rigidsim.physics.inertia import apply
from rigidsim.physics.quaternion import rotate, rotate_back
from rigidsim.physics.rigid_body import kinetic_energy, point_velocity
from rigidsim.physics.vector import add, cross, dot, norm, rejection, scaled, sub

# Of the smaller shape: places that are nearer when one of them is struck are struck with it.
TOGETHER = 1e-8
SURFACE = 1e-9  # of the smaller shape: places that overlap by more are not struck at the surface


class StepPairs(NamedTuple):
    """What may meet what in a step."""

    nominal: float  # as `undivided`, s
    contacts: Contacts
    body: BODY  # the constants of bodies
    plane: TRIPLE  # the normal of a planar scene, or no row
    pair: np.ndarray  # candidates: their shapes
    n_pair: int  # so many of them
    trees: InTrees | None  # what impulses do to trees, if the step is an instant at which they are struck


class StepPoints(NamedTuple):
    """The first contact points of an array; those of a pair follow one another."""

    who: WHO
    value: CONTACT_POINT
    number: int


@inlined
def pairs_of(trees, model, arrays):
    """What may meet in a step."""
    candidates, nominal = arrays.candidates, undivided(model.step, arrays.part)
    return StepPairs(nominal, model.contacts, model.body, model.normal, candidates.pair, candidates.count[0], trees)


@inlined
def points_of(n_point, arrays):
    """The contact points of a step, so many."""
    return StepPoints(arrays.points.who, arrays.points.value, n_point)


@inlined
def surfaces_of(first, second, contacts):
    """Coefficients of restitution and of friction of two shapes."""
    i, j, n = contacts.shape[first].surfaces, contacts.shape[second].surfaces, len(contacts.action)
    value = contacts.value[i * n + j]
    return value.restitution, value.friction


@inlined
def gravity_on(k, contacts, body: BODY):
    """The uniform gravity on the body of a shape, m/s2; 0 on one that forces do not move."""
    row = contacts.body[contacts.shape[k].body].row
    return norm(body[row].g) if row != at.NO_ROW else 0.0


@inlined
def threshold_of(first, second, speed_factor, weak, pairs):
    """What `least_speed` needs to know of two shapes."""
    contacts, body = pairs.contacts, pairs.body
    gravity = max(gravity_on(first, contacts, body), gravity_on(second, contacts, body))
    return gravity, pairs.nominal * speed_factor, weak


# --- the problem


@inlined
def add_body(b, side: SIDE, problem):
    """The row of a contact body in the problem."""
    count = problem.size[N_BODIES]
    for k in range(count):
        if problem.body[k] == b:
            return k
    problem.body[count] = b
    for m in range(SIDE.width):
        problem.side[count, m] = side[m]
    problem.size[N_BODIES] = count + 1
    return count


@inlined
def surface_slip(first, second, contacts, near):
    """The velocity of the second shape's surface on its body minus that of the first one's, m/s."""
    moves_A = rotate(near.side[0].q, contacts.shape_value[first].surface)
    return sub(rotate(near.side[1].q, contacts.shape_value[second].surface), moves_A)


@inlined
def along_plane(n, plane: TRIPLE):
    """A normal in a planar scene, whose bodies only move across the plane's normal; zero if nothing of it is left."""
    if len(plane) == 0:
        return n
    n = rejection(plane[0].xyz, n)
    length = norm(n)
    return scaled(1.0 / length if length > 0.0 else 0.0, n)


@inlined
def add_place(m, sides, law, shapes, pairs, near, problem):
    """Add one place of the pair that was added last, with its law: restitution, friction, the slip of the surfaces, and
    what `least_speed` needs.
    """
    (first, second), (e, mu, moves, threshold) = shapes, law
    i, place = problem.size[N_PLACES], near.places[m]
    n = along_plane(place.normal, pairs.plane)
    if dot(n, n) == 0.0:
        return
    row, who = problem.place[i], problem.who[i]
    r_A, r_B = levers(place, near)
    who.pair, who.feature = problem.size[N_PAIRS] - 1, int(place.feature)
    who.a, who.b = sides
    row.normal = n
    row.lever_A = r_A
    row.lever_B = r_B
    row.gap, row.restitution, row.friction = place.gap, e, mu
    u_n, (_, pull) = dot(n, slip_of(i, problem)), closing_of(place, first, second, pairs.contacts, near)
    is_slow = u_n < 0.0 and -u_n <= least_speed(pull, threshold)
    row.added = add(scaled(-u_n if is_slow else 0.0, n), rejection(n, moves))
    problem.size[N_PLACES] = i + 1


@inlined
def nearness(nominal, size, extent, near):
    """The gap below which places are struck together, m: what a whole step adds to it from rest, a h^2/2 with the
    relative acceleration of both bodies. So far places at rest overlap before the sub-steps part them, and an edge that
    lands flat while another one rests is turned.
    """
    A, B = near.side[0], near.side[1]
    return TOGETHER * size + 20.0 * ROUND_OFF * extent + 0.5 * nominal * nominal * norm(sub(B.a, A.a))


@inlined
def join(k, is_first, may_overlap, now, pairs, motion, near, problem):
    """Add a pair to the problem if it touches and approaches fast enough, or touches and is the first or without
    restitution.

    Returns (whether it is added, its speed of approach, whether that is too slow for its restitution); it is not added
    if there is no room.
    """
    first, second, contacts = pairs.pair[k, 0], pairs.pair[k, 1], pairs.contacts
    place_pair(first, second, now, motion, contacts, near)
    size, extent = sizes(first, second, contacts, near)
    touching = nearness(pairs.nominal, size, extent, near)
    recall_features(k, near.convex)
    count = find_places(first, second, touching, contacts, near)
    note_features(k, near.convex)
    threshold = threshold_of(first, second, 1.0, 0.0, pairs)
    _, _, speed, _, excess = soonest(first, second, 0.0, count, touching, threshold, contacts, near)
    e, mu = surfaces_of(first, second, contacts)
    is_slow, rebounds, joins = excess <= 1.0, e * excess > 1.0, is_first or e == 0.0
    is_hidden = count > 0 and deepest(count, near.places) < -touching and not may_overlap
    if count == 0 or is_hidden or (is_slow and not joins) or problem.size[N_PLACES] + count > MOST_AT_ONCE:
        return False, speed, False
    problem.pair[problem.size[N_PAIRS]] = k
    problem.size[N_PAIRS] += 1
    a = add_body(contacts.shape[first].body, near.side[0], problem)
    b = add_body(contacts.shape[second].body, near.side[1], problem)
    law = e if rebounds else 0.0, mu, surface_slip(first, second, contacts, near), threshold
    for m in range(count):
        add_place(m, (a, b), law, (first, second), pairs, near, problem)
    return True, speed, e > 0.0 and not (is_slow or rebounds)


# --- what impulses do


@inlined
def begin_jolt(h, inertia, start: CENTRE, finish: CENTRE, struck: JOLT):
    """The angular momentum of the smooth motion of a body; inertia: in its own axes."""
    L = apply(tensor_in_world(start.q, inertia), start.omega)
    struck.L = L
    struck.torque = scaled(1.0 / h, sub(apply(tensor_in_world(finish.q, inertia), finish.omega), L))


@inlined
def push(b, t, r, P, side: SIDE, pairs, motion):
    """An impulse P on a body at r from its centre, t s after the beginning of the step. `side`: its motion then. The
    angular acceleration after it is I^-1 (tau - omega x L).
    """
    if b >= pairs.contacts.n_moved:
        return
    vel, moved, struck = motion.vel[b], motion.moved[b], motion.struck[b]
    start, finish = motion.start[b], motion.finish[b]
    if struck.count == 0.0:
        begin_jolt(motion.h, pairs.body[pairs.contacts.body[b].row].inertia, start, finish, struck)
    dv, alpha = scaled(motion.inverse[b].mass, P), scaled(1.0 / motion.h, sub(finish.omega, start.omega))
    struck.dL = add(struck.dL, cross(r, P))
    L = momentum_at(t, struck)
    omega = apply(side.inertia, L)
    vel.linear = add(vel.linear, dv)
    moved.linear = sub(moved.linear, scaled(t, dv))
    change = sub(omega, add(vel.angular, scaled(t, alpha)))
    vel.angular = add(vel.angular, change)
    moved.angular = sub(moved.angular, scaled(t, change))
    motion.inverse[b].inertia = side.inertia
    struck.count += 1.0
    struck.q = side.q
    struck.theta = side.turn
    struck.time = t
    struck.alpha = sub(apply(side.inertia, sub(struck.torque, cross(omega, L))), alpha)


@inlined
def push_with_trees(motion, problem, trees):
    """The impulses of all places at an instant at which trees are struck: the motion of all bodies then jumps."""
    for i in range(problem.size[N_PLACES]):
        who, row = problem.who[i], problem.place[i]
        P = row.P
        push_with_tree(problem.body[who.a], cross(P, row.lever_A), scaled(-1.0, P), motion.vel, trees)
        push_with_tree(problem.body[who.b], cross(row.lever_B, P), P, motion.vel, trees)
    for b in range(len(motion.start)):
        omega = motion.vel[b].angular
        motion.start[b].omega = omega
        motion.finish[b].omega = omega


@inlined
def push_bodies(t, pairs, motion, problem):
    """The impulses of all places, t s after the beginning of the step."""
    if pairs.trees is not None:
        push_with_trees(motion, problem, pairs.trees)
        return
    for i in range(problem.size[N_PLACES]):
        who, row = problem.who[i], problem.place[i]
        P = row.P
        for s in range(2):
            m = who[IMPACT_WHO.a + s]
            r = row.part(LEVERS + 3 * s, 3)
            push(problem.body[m], t, r, scaled(2.0 * s - 1.0, P), problem.side[m], pairs, motion)


@inlined
def kinetic(b, side: SIDE, contacts, body: BODY):
    """Kinetic energy of a body that forces move, relative to the reference frame, J; 0 of others."""
    row = contacts.body[b].row
    if row == at.NO_ROW:
        return 0.0
    omega_B = rotate_back(side.q, side.omega)
    mass, inertia = body[row].mass, body[row].inertia
    return kinetic_energy(mass, inertia, side.v, omega_B)


@inlined
def store_energies(contacts, body, problem):
    """The kinetic energy of the bodies of each pair, before the impulses."""
    for i in range(problem.size[N_PLACES]):
        total = 0.0
        for s in range(2):
            m = problem.who[i, IMPACT_WHO.a + s]
            total += kinetic(problem.body[m], problem.side[m], contacts, body)
        problem.energy[problem.who[i].pair] = total


@inlined
def driven_work(i, problem):
    """What bodies that forces do not move, and surfaces that move on their bodies, do at a place to the bodies that
    forces move, J: its impulse at their velocities.
    """
    row, P = problem.place[i], problem.place[i].P
    work = -dot(rejection(row.normal, P), row.added)
    for s in range(2):
        side, r = problem.side[problem.who[i, IMPACT_WHO.a + s]], row.part(LEVERS + 3 * s, 3)
        work += (1.0 - 2.0 * s) * dot(P, point_velocity(side.v, side.omega, r)) if side.mass == 0.0 else 0.0
    return work


@inlined
def work_of(i, problem):
    """What the impulse of a place adds to the energy of bodies, J: the parts along the normal and across it at the slip
    of the surfaces, and what drives these.
    """
    row = problem.place[i]
    n, P, driven = row.normal, row.P, driven_work(i, problem)
    mean = scaled(0.5, add(row.slip, slip_of(i, problem)))
    mean = add(mean, rejection(n, row.added))
    normal, tangential = impact_energy(n, P, mean)
    return normal, tangential, driven


@inlined
def sum_normal_impulses(problem):
    """The sum of the normal impulses of each pair of the problem, N s."""
    problem.impulse[:] = 0.0
    for i in range(problem.size[N_PLACES]):
        problem.impulse[problem.who[i].pair] += dot(problem.place[i].normal, problem.place[i].P)


@routine
def log_pair(p, t, pair, problem, log: RECORD, log_value: EVENT):
    """A line of the log for one pair of the problem: its impulse, where that acts in the mean, and its energy."""
    point, normal, total, weight, gained = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), problem.impulse[p], 0.0
    for i in range(problem.size[N_PLACES]):
        if problem.who[i].pair == p:
            row, side = problem.place[i], problem.side[problem.who[i].a]
            n, P = row.normal, row.P
            of_normal, of_friction, driven = work_of(i, problem)
            total, gained = add(total, P), gained + (of_normal + of_friction + driven)
            normal = add(normal, scaled(dot(n, P), n))
            point = add(point, scaled(dot(n, P), add(side.p, row.lever_A)))
    k = problem.pair[p]
    log.cause, log.first, log.second = at.CAUSE_IMPACT, pair[k, 0], pair[k, 1]
    log_value.time = t
    log_value.point = scaled(1.0 / weight, point)
    log_value.normal = scaled(1.0 / norm(normal), normal)
    log_value.impulse = total
    log_value.energy_before, log_value.energy_after = problem.energy[p], problem.energy[p] + gained


@inlined
def displacement_at(i, problem):
    """The slip that the displacements since the beginning of the step make at a place, m."""
    (A, B), row = sides_of(i, problem), problem.place[i]
    return slip(A.way, A.turn, row.lever_A, B.way, B.turn, row.lever_B)


@inlined
def renew_points(p, first_point, size, radius, points, problem):
    """The contact points of a pair become the places where it was struck, for the sub-steps, if it stays in them: they
    were those of the beginning of the step. Those that overlap stay: they rest. `size`: of the smaller shape; `radius`:
    of the thickening of both.
    """
    for i in range(problem.size[N_PLACES]):
        row, m = problem.place[i], first_point
        if problem.who[i].pair != p or row.gap < -SURFACE * size:
            continue
        while m < points.number and points.who[m].pair == problem.pair[p]:
            if points.who[m].feature == problem.who[i].feature:
                write_impact_place(row, displacement_at(i, problem), radius, points.who[m], points.value[m])
            m += 1


@inlined
def write_impact_place(row: IMPACT_PLACE, moved, radius, whose: WHO, point: CONTACT_POINT):
    """Normal, levers and gap at the beginning of the step of one point, whose bodies may be exchanged."""
    swapped = (whose.marks & c.SWAPPED) > 0
    whose.marks -= whose.marks & c.FOLLOWING  # levers that follow start with the step
    n, r_A, r_B = row.normal, row.lever_A, row.lever_B
    point.gap = row.gap - dot(n, moved)
    n, first, second = (scaled(-1.0, n), r_B, r_A) if swapped else (n, r_A, r_B)
    point.normal = n
    point.lever_A = first
    point.lever_B = second
    point.core = sub(first, scaled(radius[1] if swapped else radius[0], n))
