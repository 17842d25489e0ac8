"""Places that are struck at one instant: their impulses, as one problem (law and sources: `physics.restitution`).

The frictionless plastic impulses p >= 0 minimise p . M p/2 + u . p: a least-squares problem with p >= 0, for M is that
of a sum of squares. It is solved by Lawson and Hanson, Solving Least Squares Problems (1974), chapter 23: the place
that approaches fastest is taken in, the places taken in stop, and one that would have to pull is left out again. Where
M is singular many p do that; the smallest is the limit of (M + c 1) p = -u for c -> 0, and the proximal iteration
(M + c 1) p' = c p - u, begun at p = 0, finds it for a c that round-off allows (Rockafellar, Monotone operators and the
proximal point algorithm, 1976). Friction follows by rounds over the places.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rigidsim.engine.collision.approach import SIDE
from rigidsim.engine.constraints.tree_responses import add_jump, is_in_tree
from rigidsim.engine.contact.trees import slip_by
from rigidsim.engine.model import layout as at
from rigidsim.engine.model.arrays import floats, integers
from rigidsim.jit import inlined, routine
from rigidsim.jit.rows import Integers, Row
from rigidsim.physics.contact import slip
from rigidsim.physics.impulses import respond
from rigidsim.physics.inertia import apply, inverse
from rigidsim.physics.restitution import (
    HELD,
    allowed_inverse,
    combined_restitution,
    coupling,
    inverse_effective_mass,
    least_energy,
    plastic_impulse,
)
from rigidsim.physics.vector import ZERO, add, cross, dot, norm, scaled, sub

MOST_AT_ONCE = 64  # places of one problem
MOST_ROUNDS = 500  # of the friction of a problem
SETTLED = 1e-13  # of the largest impulse: rounds end when none changes by more
STOPPED = 1e-13  # of the fastest approach: what is left of it is round-off
# c as a part of the largest M_ii; iterations, of which two or three are usual. Where slow approaches count as zero, the
# slips need not fit together: what does not, over c, shares the load of a face unevenly, and friction then turns it.
PROXIMAL, MOST_PROXIMAL = 1e-6, 8
MOST_CHANGES = 4 * MOST_AT_ONCE  # of the places taken in; round-off cannot make it go on

IMPACT_WHO = Integers(
    "a place: its pair in the problem, feature; the rows of both bodies in the problem",
    pair=1, feature=1, a=1, b=1,
)  # fmt: skip
IMPACT_PLACE = Row(
    "a place: normal, levers, gap; slip before; what is added to the slip of the bodies: that of the surfaces, and"
    " the opposite of an approach that is left to the sub-steps; restitution, friction; frictionless plastic"
    " impulse and its last iterate, whether it is taken in; rebound; impulse; K and its inverse; moments of unit"
    " impulses; slip after the frictionless ones",
    normal=3, lever_A=3, lever_B=3, gap=1, slip=3, added=3, restitution=1, friction=1, plastic=1, before=1, taken=1,
    rebound=1, P=3, K=6, inverse=6, moment_A=3, moment_B=3, after=3,
)  # fmt: skip

N_PLACES, N_BODIES, N_PAIRS, SIZES = 0, 1, 2, 3
MOMENTS, LEVERS = IMPACT_PLACE.place("moment_A"), IMPACT_PLACE.place("lever_A")  # three numbers of A, then of B


class ImpactProblem(NamedTuple):
    """The places struck at one instant, and their bodies."""

    size: np.ndarray = integers(SIZES)  # how many places, bodies and pairs there are
    who: IMPACT_WHO = integers(MOST_AT_ONCE)
    place: IMPACT_PLACE = floats(MOST_AT_ONCE)
    pair: np.ndarray = integers(MOST_AT_ONCE)  # pairs of candidates
    impulse: np.ndarray = floats(MOST_AT_ONCE)  # the sum of the normal impulses of each pair, N s
    energy: np.ndarray = floats(MOST_AT_ONCE)  # kinetic energy of the two bodies of each pair before, J
    body: np.ndarray = integers(2 * MOST_AT_ONCE)  # contact bodies
    side: SIDE = floats(2 * MOST_AT_ONCE)  # their motion, changed by the impulses
    matrix: np.ndarray = floats(MOST_AT_ONCE, MOST_AT_ONCE)  # M
    system: np.ndarray = floats(MOST_AT_ONCE, MOST_AT_ONCE + 1)  # linear equations: the matrix, the right side
    taken: np.ndarray = integers(MOST_AT_ONCE)  # the places taken in


# --- the matrix


@inlined
def sides_of(i, problem):
    """Both bodies of a place."""
    return problem.side[problem.who[i].a], problem.side[problem.who[i].b]


@inlined
def slip_of(i, problem):
    """The slip of a place as its two bodies move now, m/s."""
    (A, B), row = sides_of(i, problem), problem.place[i]
    return slip(A.v, A.omega, row.lever_A, B.v, B.omega, row.lever_B)


@inlined
def normal_slip(i, problem):
    """Along the normal, with what is added."""
    row = problem.place[i]
    return dot(row.normal, add(row.slip, row.added))


@inlined
def bodies_of(i, problem):
    """The contact bodies of a place."""
    return problem.body[problem.who[i].a], problem.body[problem.who[i].b]


@inlined
def fill_delassus_of_place(i, problem, trees):
    """K of a place and its inverse. One that cannot move along its normal at all gets a little of all directions."""
    (A, B), row, (a, b) = sides_of(i, problem), problem.place[i], bodies_of(i, problem)
    r_A, r_B = row.lever_A, row.lever_B
    if trees is not None and (is_in_tree(a, trees.table) or is_in_tree(b, trees.table)):
        x, _ = slip_by(a, b, r_A, r_B, (1.0, 0.0, 0.0), ZERO, trees)
        y, _ = slip_by(a, b, r_A, r_B, (0.0, 1.0, 0.0), ZERO, trees)
        z, _ = slip_by(a, b, r_A, r_B, (0.0, 0.0, 1.0), ZERO, trees)
        least, K = HELD * (x[0] + y[1] + z[2]), (x[0], y[1], z[2], x[1], x[2], y[2])
        more = least if dot(row.normal, apply(K, row.normal)) <= least else 0.0
        K = (x[0] + more, y[1] + more, z[2] + more, x[1], x[2], y[2])
        row.K = K
        row.inverse = allowed_inverse(K, row.normal, least)
    else:
        K = inverse_effective_mass(A.mass + B.mass, A.inertia, r_A, B.inertia, r_B)
        row.K = K
        row.inverse = inverse(K)


@inlined
def prepare_place(i, problem, trees):
    """The slip before, the inverse effective mass, and the moments of unit impulses."""
    row = problem.place[i]
    n, r_A, r_B = row.normal, row.lever_A, row.lever_B
    row.slip = slip_of(i, problem)
    fill_delassus_of_place(i, problem, trees)
    row.moment_A = cross(r_A, n)
    row.moment_B = cross(r_B, n)
    row.plastic, row.taken, row.rebound = 0.0, 0.0, 0.0


@inlined
def shared(i, s, j, t, problem):
    """M_ij by one body that both places have: the first (0) or second one of each."""
    side, row_i, row_j = problem.side[problem.who[i, IMPACT_WHO.a + s]], problem.place[i], problem.place[j]
    a_i, a_j = row_i.part(MOMENTS + 3 * s, 3), row_j.part(MOMENTS + 3 * t, 3)
    return coupling(side.mass, row_i.normal, row_j.normal, side.inertia, a_i, a_j)


@inlined
def add_jumps(b, i, P, problem, trees, jump):
    """Add what an impulse P on B of a place, and the opposite on A, do to the motion of contact body b."""
    row, (first, second) = problem.place[i], bodies_of(i, problem)
    add_jump(b, first, cross(P, row.lever_A), scaled(-1.0, P), trees, jump)
    add_jump(b, second, cross(row.lever_B, P), P, trees, jump)


@inlined
def coupled_by_trees(i, j, problem, trees):
    """M_ij, where bodies of trees may answer together."""
    row, n, jump, (a, b) = problem.place[i], problem.place[j].normal, trees.made.jump, bodies_of(i, problem)
    jump[:] = 0.0
    add_jumps(a, j, n, problem, trees, jump[0])
    add_jumps(b, j, n, problem, trees, jump[1])
    u = slip(
        jump[0].linear, jump[0].angular, row.lever_A,
        jump[1].linear, jump[1].angular, row.lever_B,
    )  # fmt: skip
    return dot(row.normal, u)


@inlined
def write_matrix(problem, trees):
    """M: impulses act on B, and the opposite on A."""
    for i in range(problem.size[N_PLACES]):
        for j in range(i + 1):
            if trees is not None:
                both = coupled_by_trees(i, j, problem, trees)
                problem.matrix[i, j], problem.matrix[j, i] = both, both
                continue
            total = 0.0
            for s, t, sign in ((0, 0, 1.0), (1, 1, 1.0), (0, 1, -1.0), (1, 0, -1.0)):
                if problem.who[i, IMPACT_WHO.a + s] == problem.who[j, IMPACT_WHO.a + t]:
                    total += sign * shared(i, s, j, t, problem)
            problem.matrix[i, j], problem.matrix[j, i] = total, total


# --- frictionless and plastic


@inlined
def normal_after(i, column, problem):
    """The normal slip of a place after the impulses along the normals that are in a column, m/s."""
    after = normal_slip(i, problem)
    for j in range(problem.size[N_PLACES]):
        after += problem.matrix[i, j] * problem.place[j, column]
    return after


@inlined
def fastest_left(c_added, least, problem):
    """The place not taken in that approaches faster than `least`, and fastest, after the impulses, or NO_ROW."""
    best, most = at.NO_ROW, least
    for i in range(problem.size[N_PLACES]):
        if problem.place[i].taken == 0.0:
            after = normal_after(i, IMPACT_PLACE.place("plastic"), problem) - c_added * problem.place[i].before
            if -after > most:
                best, most = i, -after
    return best


@inlined
def solve_taken(c_added, problem):
    """(M + c 1) p' = c p - u of the places taken in, whatever the signs, as the right side of the system; how many."""
    system, taken, count = problem.system, problem.taken, 0
    for i in range(problem.size[N_PLACES]):
        if problem.place[i].taken > 0.0:
            taken[count] = i
            count += 1
    for a in range(count):
        i = taken[a]
        for b in range(count):
            system[a, b] = problem.matrix[i, taken[b]]
        system[a, a] += c_added
        system[a, MOST_AT_ONCE] = c_added * problem.place[i].before - normal_slip(i, problem)
    for k in range(count):
        for a in range(k + 1, count):
            factor = system[a, k] / system[k, k]
            for b in range(k, count):
                system[a, b] -= factor * system[k, b]
            system[a, MOST_AT_ONCE] -= factor * system[k, MOST_AT_ONCE]
    for a in range(count - 1, -1, -1):
        for b in range(a + 1, count):
            system[a, MOST_AT_ONCE] -= system[a, b] * system[b, MOST_AT_ONCE]
        system[a, MOST_AT_ONCE] /= system[a, a]
    return count


@inlined
def go_towards(count, problem):
    """Change the impulses towards those of the system, until one would become negative: it is left out; False then."""
    share, out = 1.0, at.NO_ROW
    for a in range(count):
        p, wanted = problem.place[problem.taken[a]].plastic, problem.system[a, MOST_AT_ONCE]
        if wanted <= 0.0 and (out == at.NO_ROW or p < share * (p - wanted)):
            share, out = p / (p - wanted) if p > wanted else 0.0, problem.taken[a]
    for a in range(count):
        row = problem.place[problem.taken[a]]
        row.plastic += share * (problem.system[a, MOST_AT_ONCE] - row.plastic)
    if out != at.NO_ROW:
        problem.place[out].plastic, problem.place[out].taken = 0.0, 0.0
    return out == at.NO_ROW


@inlined
def stop_all(c_added, least, problem):
    """One proximal iteration: no place approaches any longer."""
    count = 0
    for i in range(problem.size[N_PLACES]):
        problem.place[i].before = problem.place[i].plastic
        count += 1 if problem.place[i].taken > 0.0 else 0
    stops = count == 0
    for _ in range(MOST_CHANGES):
        if stops:
            i = fastest_left(c_added, least, problem)
            if i == at.NO_ROW:
                break
            problem.place[i].taken = 1.0
        stops = go_towards(solve_taken(c_added, problem), problem)


@inlined
def left_of(problem):
    """The fastest motion that p leaves at places taken in, or approach at others, m/s."""
    most = 0.0
    for i in range(problem.size[N_PLACES]):
        after = normal_after(i, IMPACT_PLACE.place("plastic"), problem)
        most = max(most, abs(after) if problem.place[i].taken > 0.0 else -after)
    return most


@routine
def stop_without_friction(problem):
    """The frictionless plastic impulses, N s, the smallest that do it; whether any acts."""
    n, largest, fastest = problem.size[N_PLACES], 0.0, 0.0
    for i in range(n):
        largest = max(largest, problem.matrix[i, i])
        fastest = max(fastest, -normal_slip(i, problem))
    if n == 1:
        problem.place[0].plastic = fastest / largest
    else:
        for _ in range(MOST_PROXIMAL):
            stop_all(PROXIMAL * largest, STOPPED * fastest, problem)
            if left_of(problem) <= STOPPED * fastest:
                break
    return fastest > 0.0


# --- restitution and friction


@inlined
def write_rebounds(problem):
    """Q = e p of all places."""
    returned, compressed = 0.0, 0.0
    for i in range(problem.size[N_PLACES]):
        row = problem.place[i]
        work = -row.plastic * normal_slip(i, problem)
        returned += row.restitution * row.restitution * work
        compressed += work
    e = combined_restitution(returned, compressed)
    for i in range(problem.size[N_PLACES]):
        row = problem.place[i]
        row.rebound = (row.restitution if problem.size[N_PLACES] == 1 else e) * row.plastic


@inlined
def push_body(side: SIDE, r, P):
    """An impulse P on a body at r from its centre."""
    dv, turn = respond(side.mass, side.inertia, r, P, (0.0, 0.0, 0.0))
    side.v = add(side.v, dv)
    side.omega = add(side.omega, turn)


@inlined
def push_place(i, P, problem, trees):
    """P on B, and the opposite on A."""
    row = problem.place[i]
    if trees is not None:
        jump = trees.made.jump
        for m in range(problem.size[N_BODIES]):
            jump[:] = 0.0
            add_jumps(problem.body[m], i, P, problem, trees, jump[0])
            problem.side[m].v = add(problem.side[m].v, jump[0].linear)
            problem.side[m].omega = add(problem.side[m].omega, jump[0].angular)
        return
    push_body(problem.side[problem.who[i].a], row.lever_A, scaled(-1.0, P))
    push_body(problem.side[problem.who[i].b], row.lever_B, P)


@inlined
def renew_impulse(i, problem, trees):
    """The impulse of a place from the slip that the others leave; how much it changed, N s."""
    row = problem.place[i]
    n, K, P = row.normal, row.K, row.P
    u = sub(add(slip_of(i, problem), row.added), apply(K, P))
    k_n, inverse_K = dot(n, apply(K, n)), row.inverse
    renewed = plastic_impulse(k_n, inverse_K, n, u, row.rebound, row.friction)
    change = sub(renewed, P)
    push_place(i, change, problem, trees)
    row.P = renewed
    return norm(change)


@inlined
def settle_friction(problem, trees):
    """Rounds over all places, from the frictionless impulses; whether they settled."""
    for _ in range(MOST_ROUNDS):
        most, largest = 0.0, 0.0
        for i in range(problem.size[N_PLACES]):
            most = max(most, renew_impulse(i, problem, trees))
            largest = max(largest, norm(problem.place[i].P))
        if most <= SETTLED * largest or problem.size[N_PLACES] == 1:
            return True
    return False


@inlined
def go_back(problem, trees):
    """Take the impulses of least energy on the way d from the frictionless ones to the present ones."""
    work, change = 0.0, 0.0
    for i in range(problem.size[N_PLACES]):
        row = problem.place[i]
        n, before = row.normal, row.after
        d, of_d = sub(row.P, scaled(row.plastic, n)), sub(slip_of(i, problem), before)
        work += dot(d, add(before, row.added)) + row.rebound * dot(n, of_d)  # d . K Q = Q . K d
        change += dot(d, of_d)
    back = least_energy(work, change) - 1.0
    for i in range(problem.size[N_PLACES]):
        row = problem.place[i]
        P = row.P
        d = scaled(back, sub(P, scaled(row.plastic, row.normal)))
        row.P = add(P, d)
        push_place(i, d, problem, trees)


@routine
def solve_problem(problem, trees):
    """The impulses of all places, and the motion of their bodies afterwards; (whether any acts, whether the
    rounds settled). `trees`: what bodies of trees do, or None if none is struck.
    """
    settled, slides = True, False
    for i in range(problem.size[N_PLACES]):
        prepare_place(i, problem, trees)
    write_matrix(problem, trees)
    if not stop_without_friction(problem):
        return False, True
    write_rebounds(problem)
    for i in range(problem.size[N_PLACES]):
        row = problem.place[i]
        slides = slides or row.friction > 0.0
        P = scaled(row.plastic, row.normal)
        row.P = P
        push_place(i, P, problem, trees)
    if slides:
        for i in range(problem.size[N_PLACES]):
            problem.place[i].after = slip_of(i, problem)
        settled = settle_friction(problem, trees)
        if not settled:
            go_back(problem, trees)
    for i in range(problem.size[N_PLACES]):
        row = problem.place[i]
        Q = scaled(row.rebound, row.normal)
        row.P = add(row.P, Q)
        push_place(i, Q, problem, trees)
    return True, settled
