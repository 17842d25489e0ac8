"""What is struck at one instant: the places of all pairs that belong to one problem, and what their impulses do.

One problem are the places that approach at that instant faster than contact's threshold, connected through bodies that
forces move: a table on four legs, a ball between two others. A cradle is not, for its other balls do not yet approach.
Pairs without restitution that touch belong to it in any case, as what strikes one of them stops with all of them; a
slow approach of theirs is left to the sub-steps.
"""

from __future__ import annotations

from rigidsim.engine import layout as at
from rigidsim.engine.contact import columns as c
from rigidsim.engine.contact.approach import (
    M_INERTIA,
    M_MASS,
    M_TURN,
    M_WAY,
    ROUND_OFF,
    SIDE_ROWS,
    TOUCHING,
    closing_of,
    find_places,
    least_speed,
    levers,
    place_pair,
    sizes,
    soonest,
)  # fmt: skip
from rigidsim.engine.contact.points import deepest
from rigidsim.engine.contact.simultaneous import (
    MOST_STRUCK,
    N_BODIES,
    N_PAIRS,
    N_PLACES,
    STRUCK_A,
    STRUCK_B,
    STRUCK_FEATURE,
    STRUCK_PAIR,
    T_A,
    T_ADDED,
    T_B,
    T_FRICTION,
    T_GAP,
    T_NORMAL,
    T_P,
    T_RESTITUTION,
    T_SLIP,
    slip_of,
)  # fmt: skip
from rigidsim.engine.layout import load3, load4, load6, store3, store4, store6
from rigidsim.jit import inlined, routine
from rigidsim.physics.contact import slip
from rigidsim.physics.contact_energy import impact_energy
from rigidsim.physics.inertia import apply
from rigidsim.physics.quaternion import rotate, rotate_back
from rigidsim.physics.rigid_body import kinetic_energy, point_velocity
from rigidsim.physics.vector import add, cross, dot, norm, rejection, scaled, sub

SURFACE = 1e-9  # of the smaller shape: places that overlap by more are not struck at the surface


@inlined
def surfaces_of(first, second, contacts):
    """Coefficients of restitution and of friction of two shapes."""
    i, j, n = contacts.shape[first, c.SHAPE_CLASS], contacts.shape[second, c.SHAPE_CLASS], len(contacts.action)
    value = contacts.value[i * n + j]
    return value[c.PAIR_RESTITUTION], value[c.PAIR_FRICTION]


@inlined
def gravity_on(k, contacts, body):
    """The uniform gravity on the body of a shape, m/s2; 0 on one that forces do not move."""
    row = contacts.body[contacts.shape[k, c.SHAPE_BODY], c.BODY_ROW]
    return norm(load3(body[row], at.B_G, 0, 1)) if row != at.NO_ROW else 0.0


@inlined
def calm_of(first, second, nominal, weak, contacts, body):
    """What `least_speed` needs to know of two shapes."""
    return max(gravity_on(first, contacts, body), gravity_on(second, contacts, body)), nominal, weak


# --- the problem


@inlined
def add_body(b, side, problem):
    """The row of a contact body in the problem."""
    count = problem.size[N_BODIES]
    for k in range(count):
        if problem.body[k] == b:
            return k
    problem.body[count] = b
    for m in range(SIDE_ROWS):
        problem.side[count, m] = side[m]
    problem.size[N_BODIES] = count + 1
    return count


@inlined
def surface_slip(first, second, contacts, near):
    """The velocity of the second shape's surface on its body minus that of the first one's, m/s."""
    moves_A = rotate(load4(near.side[0], c.X_Q, 0, 1), load3(contacts.shape_value[first], c.V_SURFACE, 0, 1))
    moves_B = rotate(load4(near.side[1], c.X_Q, 0, 1), load3(contacts.shape_value[second], c.V_SURFACE, 0, 1))
    return sub(moves_B, moves_A)


@inlined
def along_plane(n, plane):
    """A normal in a planar scene, whose bodies only move across the plane's normal; zero if nothing of it is left."""
    if len(plane) == 0:
        return n
    n = rejection(load3(plane[0], 0, 0, 1), n)
    length = norm(n)
    return scaled(1.0 / length if length > 0.0 else 0.0, n)


@inlined
def add_place(m, a, b, e, mu, moves, calm, first, second, plane, contacts, near, problem):
    """Add one place of the pair that was added last; `moves` is the slip of the surfaces."""
    i, place = problem.size[N_PLACES], near.places[m]
    n = along_plane(load3(place, c.Q_NORMAL, 0, 1), plane)
    if dot(n, n) == 0.0:
        return
    row, who = problem.place[i], problem.who[i]
    r_A, r_B = levers(place, near)
    who[STRUCK_PAIR], who[STRUCK_FEATURE] = problem.size[N_PAIRS] - 1, int(place[c.Q_FEATURE])
    who[STRUCK_A], who[STRUCK_B] = a, b
    store3(row, T_NORMAL, 0, 1, n)
    store3(row, T_A, 0, 1, r_A)
    store3(row, T_B, 0, 1, r_B)
    row[T_GAP], row[T_RESTITUTION], row[T_FRICTION] = place[c.Q_GAP], e, mu
    u_n, (_, pull) = dot(n, slip_of(i, problem)), closing_of(place, first, second, contacts, near)
    is_slow = u_n < 0.0 and -u_n <= least_speed(pull, calm)
    store3(row, T_ADDED, 0, 1, add(scaled(-u_n if is_slow else 0.0, n), rejection(n, moves)))
    problem.size[N_PLACES] = i + 1


@inlined
def join(k, joins, may_overlap, now, nominal, pair, contacts, body, plane, motion, near, problem):
    """Add a pair to the problem if it touches and approaches fast enough, or touches and `joins` anyway.

    Returns (whether it is added, its speed of approach, whether that is slow, whether it rebounds); it is not added if
    there is no room.
    """
    first, second = pair[k, 0], pair[k, 1]
    place_pair(first, second, now, motion, contacts, near)
    size, extent = sizes(first, second, contacts, near)
    touching = TOUCHING * size + 20.0 * ROUND_OFF * extent
    count = find_places(first, second, touching, contacts, near)
    calm = calm_of(first, second, nominal, 0.0, contacts, body)
    _, _, speed, _, excess = soonest(first, second, 0.0, count, touching, calm, contacts, near)
    e, mu = surfaces_of(first, second, contacts)
    is_slow, rebounds = excess <= 1.0, e * excess > 1.0
    is_hidden = count > 0 and deepest(count, near.places) < -touching and not may_overlap
    if count == 0 or is_hidden or (is_slow and not joins) or problem.size[N_PLACES] + count > MOST_STRUCK:
        return False, speed, is_slow, rebounds
    problem.pair[problem.size[N_PAIRS]] = k
    problem.size[N_PAIRS] += 1
    a = add_body(contacts.shape[first, c.SHAPE_BODY], near.side[0], problem)
    b = add_body(contacts.shape[second, c.SHAPE_BODY], near.side[1], problem)
    moves = surface_slip(first, second, contacts, near)
    for m in range(count):
        add_place(m, a, b, e if rebounds else 0.0, mu, moves, calm, first, second, plane, contacts, near, problem)
    return True, speed, is_slow, rebounds


# --- what impulses do


@inlined
def push(b, t, r, P, side, motion):
    """An impulse P on a body at r from its centre, t s after the beginning of the step. `side`: its motion then."""
    dL, dv = cross(r, P), scaled(motion.inverse[b, c.I_MASS], P)
    L = add(load3(motion.turned[b], 0, 0, 1), dL)
    turn = apply(load6(side, M_INERTIA, 0, 1), L)
    for k in range(3):
        motion.vel[b, c.L_LINEAR + k] += dv[k]
        motion.moved[b, c.L_LINEAR + k] -= t * dv[k]
        motion.turned[b, k] = L[k]
        change = motion.start[b, c.X_OMEGA + k] + turn[k] - motion.vel[b, c.L_ANGULAR + k]
        motion.vel[b, c.L_ANGULAR + k] += change
        motion.moved[b, c.L_ANGULAR + k] -= t * change
    store6(motion.inverse[b], c.I_INERTIA, 0, 1, load6(side, M_INERTIA, 0, 1))
    store4(motion.attitude[b], 0, 0, 1, load4(side, c.X_Q, 0, 1))


@inlined
def push_bodies(t, motion, problem):
    """The impulses of all places, t s after the beginning of the step."""
    for i in range(problem.size[N_PLACES]):
        who, row = problem.who[i], problem.place[i]
        P = load3(row, T_P, 0, 1)
        for s in range(2):
            m = who[STRUCK_A + s]
            r = load3(row, T_A + 3 * s, 0, 1)
            push(problem.body[m], t, r, scaled(2.0 * s - 1.0, P), problem.side[m], motion)


@inlined
def kinetic(b, side, contacts, body):
    """Kinetic energy of a body that forces move, relative to the reference frame, J; 0 of others."""
    row = contacts.body[b, c.BODY_ROW]
    if row == at.NO_ROW:
        return 0.0
    omega_B = rotate_back(load4(side, c.X_Q, 0, 1), load3(side, c.X_OMEGA, 0, 1))
    mass, inertia = body[row, at.B_MASS], load6(body[row], at.B_INERTIA, 0, 1)
    return kinetic_energy(mass, inertia, load3(side, c.X_V, 0, 1), omega_B)


@inlined
def store_energies(contacts, body, problem):
    """The kinetic energy of the bodies of each pair, before the impulses."""
    for i in range(problem.size[N_PLACES]):
        total = 0.0
        for s in range(2):
            m = problem.who[i, STRUCK_A + s]
            total += kinetic(problem.body[m], problem.side[m], contacts, body)
        problem.energy[problem.who[i, STRUCK_PAIR]] = total


@inlined
def driven_work(i, problem):
    """What bodies that forces do not move, and surfaces that move on their bodies, do at a place to the bodies that
    forces move, J: its impulse at their velocities.
    """
    row, P = problem.place[i], load3(problem.place[i], T_P, 0, 1)
    work = -dot(rejection(load3(row, T_NORMAL, 0, 1), P), load3(row, T_ADDED, 0, 1))
    for s in range(2):
        side, r = problem.side[problem.who[i, STRUCK_A + s]], load3(row, T_A if s == 0 else T_B, 0, 1)
        v = point_velocity(load3(side, c.X_V, 0, 1), load3(side, c.X_OMEGA, 0, 1), r)
        work += (1.0 - 2.0 * s) * dot(P, v) if side[M_MASS] == 0.0 else 0.0
    return work


@inlined
def work_of(i, problem):
    """What the impulse of a place adds to the energy of bodies, J: the parts along the normal and across it at the slip
    of the surfaces, and what drives these.
    """
    row = problem.place[i]
    n, P, driven = load3(row, T_NORMAL, 0, 1), load3(row, T_P, 0, 1), driven_work(i, problem)
    mean = scaled(0.5, add(load3(row, T_SLIP, 0, 1), slip_of(i, problem)))
    mean = add(mean, rejection(n, load3(row, T_ADDED, 0, 1)))
    normal, tangential = impact_energy(n, P, mean)
    return normal, tangential, driven


@inlined
def normal_impulse_of(p, problem):
    """The sum of the normal impulses of a pair of the problem, N s."""
    total = 0.0
    for i in range(problem.size[N_PLACES]):
        if problem.who[i, STRUCK_PAIR] == p:
            total += dot(load3(problem.place[i], T_NORMAL, 0, 1), load3(problem.place[i], T_P, 0, 1))
    return total


@routine
def log_pair(p, t, pair, problem, log, log_value):
    """A line of the log for one pair of the problem: its impulse, where that acts in the mean, and its energy."""
    point, normal, total, weight, gained = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 0.0, 0.0
    for i in range(problem.size[N_PLACES]):
        if problem.who[i, STRUCK_PAIR] == p:
            row, side = problem.place[i], problem.side[problem.who[i, STRUCK_A]]
            n, P = load3(row, T_NORMAL, 0, 1), load3(row, T_P, 0, 1)
            of_normal, of_friction, driven = work_of(i, problem)
            total, gained, weight = add(total, P), gained + (of_normal + of_friction + driven), weight + dot(n, P)
            normal = add(normal, scaled(dot(n, P), n))
            place = add(load3(side, c.X_P, 0, 1), load3(row, T_A, 0, 1))
            point = add(point, scaled(dot(n, P), place))
    k = problem.pair[p]
    log[c.LOG_KIND], log[c.LOG_FIRST], log[c.LOG_SECOND] = c.IMPACT, pair[k, 0], pair[k, 1]
    log_value[c.G_TIME] = t
    store3(log_value, c.G_POINT, 0, 1, scaled(1.0 / weight, point))
    store3(log_value, c.G_NORMAL, 0, 1, scaled(1.0 / norm(normal), normal))
    store3(log_value, c.G_IMPULSE, 0, 1, total)
    log_value[c.G_BEFORE], log_value[c.G_AFTER] = problem.energy[p], problem.energy[p] + gained


@inlined
def displacement_at(i, problem):
    """The slip that the displacements since the beginning of the step make at a place, m."""
    A, B, row = problem.side[problem.who[i, STRUCK_A]], problem.side[problem.who[i, STRUCK_B]], problem.place[i]
    return slip(
        load3(A, M_WAY, 0, 1), load3(A, M_TURN, 0, 1), load3(row, T_A, 0, 1),
        load3(B, M_WAY, 0, 1), load3(B, M_TURN, 0, 1), load3(row, T_B, 0, 1),
    )  # fmt: skip


@inlined
def renew_points(p, first_point, size, radius, point_who, point, count, problem):
    """The contact points of a pair become the places where it was struck, for the sub-steps, if it stays in them: they
    were those of the beginning of the step. Those that overlap stay: they rest. `size`: of the smaller shape; `radius`:
    of the thickening of both.
    """
    for i in range(problem.size[N_PLACES]):
        row, m = problem.place[i], first_point
        if problem.who[i, STRUCK_PAIR] != p or row[T_GAP] < -SURFACE * size:
            continue
        while m < count and point_who[m, c.POINT_PAIR] == problem.pair[p]:
            if point_who[m, c.POINT_FEATURE] == problem.who[i, STRUCK_FEATURE]:
                write_struck(row, displacement_at(i, problem), radius, point_who[m], point[m])
            m += 1


@inlined
def write_struck(row, moved, radius, whose, point):
    """Normal, levers and gap at the beginning of the step of one point, whose bodies may be exchanged."""
    swapped = (whose[c.POINT_FLAGS] & c.SWAPPED) > 0
    whose[c.POINT_FLAGS] -= whose[c.POINT_FLAGS] & c.SWEPT  # levers that follow start with the step
    n, r_A, r_B = load3(row, T_NORMAL, 0, 1), load3(row, T_A, 0, 1), load3(row, T_B, 0, 1)
    point[c.C_GAP] = row[T_GAP] - dot(n, moved)
    n, first, second = (scaled(-1.0, n), r_B, r_A) if swapped else (n, r_A, r_B)
    store3(point, c.C_NORMAL, 0, 1, n)
    store3(point, c.C_A, 0, 1, first)
    store3(point, c.C_B, 0, 1, second)
    store3(point, c.C_CORE, 0, 1, sub(first, scaled(radius[1] if swapped else radius[0], n)))
