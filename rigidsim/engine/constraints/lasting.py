"""Contacts that last: the geometry of each, and the forces that keep it (`physics/contact_modes.py` has the equations).

A contact that lasts is a *slot*: a place of two shapes and its mode. A stuck one is three constraint rows, one that
slides is one. The forces follow from the accelerations that there are without contact, and are loads like others: with
them the accelerations are computed again. So they act in each evaluation of the equations of motion, and the step of a
method keeps its order while no mode changes (`transitions.py`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rigidsim.engine.collision.bodies import write_inverse, write_motions, write_poses
from rigidsim.engine.collision.convex import ConvexArrays
from rigidsim.engine.collision.narrow import meet, placed_shape
from rigidsim.engine.collision.pairs import axes_of, components
from rigidsim.engine.constraints.delassus import factorise, load_rows, solve
from rigidsim.engine.constraints.tree_responses import (
    TreeArrays,
    add_jump,
    are_in_one_tree,
    find_mobilities,
    hold_impulses,
    in_trees,
    is_in_tree,
    respond,
)
from rigidsim.engine.constraints.tree_responses import push as push_with_tree
from rigidsim.engine.model import layout as at
from rigidsim.engine.model.arrays import floats, integers
from rigidsim.engine.model.contact_layout import CENTRE, INVERSE, LINE, PLACE, POSE, SOLID
from rigidsim.engine.model.layout import LINK, MEAN, SCALAR, STATE, TRIPLE, copy_rows
from rigidsim.jit import inlined, routine
from rigidsim.jit.rows import Integers, Row
from rigidsim.physics.contact import LINE_SHARE, friction_shift, slip, tangents
from rigidsim.physics.contact_modes import (
    core_distance,
    core_rate,
    drift_of_cores,
    normal_beside_edge,
    normal_between_edges,
    normal_between_points,
    push_of_sliding,
    run_along_edge,
    shared_along,
    slip_bias,
    slip_limit,
    unit_across,
)
from rigidsim.physics.distances import BOX, CONE, CYLINDER, HALF_SPACE, SEGMENT
from rigidsim.physics.inertia import apply
from rigidsim.physics.loops import SMALLEST_SHARE
from rigidsim.physics.quaternion import rotate
from rigidsim.physics.restitution import HELD
from rigidsim.physics.rigid_body import power
from rigidsim.physics.vector import ZERO, add, cross, dot, negated, norm, rejection, scaled, sub

MOST_STAGES = 12  # of a method
MOST_SLOTS, MOST_OF_ISLAND, MOST_OF_PAIR = 64, 8, 2  # an island: slots that bodies which forces move connect
MOST_ROWS = 3 * MOST_OF_ISLAND
FAR = 1e30  # m: as reach, finds the places at any distance
AT_END = 1e-9  # of a half size: a point so near to the end of a core is on its end
SETTLED, MOST_TURNS = 1e-14, 200  # of the direction in which slips grow: its last change, and how often it is renewed
CONVERGES = 0.99  # of the change before: those directions are extrapolated
SHIFTED, CONTRACTS = 1e-12, 0.25  # of the load of two points: what of a part is round-off; by how much errors lessen
EXACT = 1e-16  # of the smaller shape, and of a step: round-off of gaps and of times
CROSSING = 1e-6  # the sine of the angle of two edges that cross
ONE = (0,)  # worlds with contacts have one lane

OPEN, STUCK, SLIDING, GROWING = 0, 1, 2, 3
"""The modes of a contact. The slip of one that is GROWING has no direction of its own yet."""

SLOT = Integers(
    "a contact that lasts: its shapes, the number of the pair in the list of candidates, feature, mode; which"
    " directions of both cores lie in the surfaces; whether the feature was not found; whether its slip goes straight;"
    " the mode of its pair that was logged; whether it is the first (1) or the second (2) of two of a pair, whose"
    " friction acts beside them; the first slot of its island; whether joints let it not slip while its gap is closed",
    first=1, second=1, pair=1, feature=1, mode=1, region=1, lost=1, straight=1, logged=1, beside=1, island=1, bound=1,
)  # fmt: skip
LASTING = Row(
    "values of a contact that lasts: normal from the first shape to the second and its rate, gap, levers, velocity of"
    " the point of contact; the slip there, with that of the surfaces on their bodies, and its rate without forces of"
    " contact; of two points of a pair what the first one bears, at the beginning of a trial, now, a bracket of"
    " that, and the last error; from a point to where its friction acts;"
    " the slip there, across the normal, its rate without and with all forces of contact; the direction"
    " of a slip at the beginning of a trial, now, and its last change;"
    " the force on the second body, and of it what is compared with the limit of friction; friction, restitution; the"
    " work of friction in the logged mode, J",
    normal=3, normal_rate=3, gap=1, lever_A=3, lever_B=3, rate=3, point_slip=3, point_free=3, first_part=1, part=1,
    low_part=1, high_part=1, lack=1, shift=3, slip=3, free=3, slip_rate=3, direction=3, along=3, turned=3, force=3,
    tested=3, friction=1, restitution=1, work=1,
)  # fmt: skip
ROW = Row("a constraint row: its slot; the direction of the slip that it holds, and that of the force", way=3, push=3)

# Counts in `Lasting.size`: slots; whether they are those of the state; whether the step is left to sub-steps, and why;
# whether the last one was; evaluations of this step; events of it; whether the placed bodies are those of the state.
N_LEFT, FIRST_LEFT, WHY_LEFT, LEFT = 0, 1, 2, 3
# Why a step is left to sub-steps: too many places, of one pair or in all; an overlap; too many events; no modes agree.
# Or friction presses bodies together, or joints let no contact force part them, so that no force is decided.
PLACES, OVERLAP, EVENTS, MODES, PRESSES, BLOCKED = 1, 2, 3, 4, 5, 6
N_SLOTS, IS_SETTLED, BEYOND, STEPPED, N_CALLS, N_EVENTS, IS_PLACED, SIZES = 0, 1, 2, 3, 4, 5, 6, 7

LOCATING = Row(
    "the search for an event in a step: what of the step is done, and in how many trials; the longest trial, the most"
    " that the next may be, and this one; what vanishes (`location.py`); the last time and guard, those at the"
    " other end of the bracket, and those that the last ones replaced (`physics/roots.py`); trials; the slot or the"
    " shapes; times in s, from the beginning of the trial",
    done=1, taken=1, longest=1, most=1, length=1, target=1, last=2, other=2, old=2, tried=1, first=1, second=1,
)  # fmt: skip


class Multipliers(NamedTuple):
    """The equations for the multipliers, as `delassus.factorise` wants them."""

    delassus: SCALAR = floats(MOST_ROWS * MOST_ROWS)
    diagonal: SCALAR = floats(MOST_ROWS)
    unheld: SCALAR = floats(MOST_ROWS)
    inverse: SCALAR = floats(MOST_ROWS)
    multiplier: SCALAR = floats(MOST_ROWS)


class Lasting(NamedTuple):
    """Contacts that last, and what finds their forces and events. The first arrays are those of contact."""

    way: LINK
    motion: CENTRE
    pose: POSE
    inverse: INVERSE
    place: PLACE
    mean: MEAN  # by the forces on one body alone
    convex: ConvexArrays | None
    trees: TreeArrays | None
    shift: TRIPLE
    equations: Multipliers
    size: np.ndarray = integers(SIZES)
    slot: SLOT = integers(MOST_SLOTS)
    value: LASTING = floats(MOST_SLOTS)
    old_slot: SLOT = integers(MOST_SLOTS)  # before an event
    old_value: LASTING = floats(MOST_SLOTS)  # before an event, or at the beginning of a trial
    first_slot: SLOT = integers(MOST_SLOTS)  # at the beginning of the step
    first_value: LASTING = floats(MOST_SLOTS)
    first_size: np.ndarray = integers(SIZES)
    first_state: STATE = floats("state")
    first_record: np.ndarray = integers(4)
    first_cause: np.ndarray = floats("causes", 2)
    first_work: np.ndarray = floats(2)
    first_touching: np.ndarray = integers(
        3
    )  # what is remembered of the last step: its counts, and the pairs that touch
    first_pair: np.ndarray = integers("points", 2)
    locating: LOCATING = floats()
    acceleration: LINE = floats("bodies")  # without contact
    force: LINE = floats("bodies")  # of contact, and its torque about the centre
    change: LINE = floats("bodies")  # of the accelerations, by all forces of contact
    row: ROW = floats(MOST_ROWS)
    row_slot: np.ndarray = integers(MOST_ROWS)
    matrix: np.ndarray = floats(MOST_ROWS, MOST_ROWS)
    right: np.ndarray = floats(MOST_ROWS)
    x: np.ndarray = floats(MOST_ROWS)
    power: np.ndarray = floats(MOST_STAGES, MOST_SLOTS + 1)  # at the stages of a step: of friction at each slot, of all
    # forces, W
    work: np.ndarray = floats(MOST_SLOTS + 1)  # of the same in the steps of a trial, J
    left: np.ndarray = floats(LEFT)  # steps left to sub-steps: how many, the time of the first, s, and why
    instant: np.ndarray = floats(2)  # of the last event, s, and how many before it were at that time
    speed: np.ndarray = floats(1)  # the largest at any contact as an event begins, m/s
    rest: np.ndarray = floats(1)  # how long the last impact's bounces go on, s, which are taken as one


# --- geometry


@inlined
def directions_in_surface(kind, value: SOLID, axes, point):
    """(how many directions of a core lie in its surface at a point, that of an edge or across a face, a number that
    tells which): none at a corner or on a curved part, one on an edge, two on a face.
    """
    x, half = components(axes, point), value.half
    ends = (
        1 if abs(x[0]) >= half[0] * (1.0 - AT_END) else 0,
        1 if abs(x[1]) >= half[1] * (1.0 - AT_END) else 0,
        1 if abs(x[2]) >= half[2] * (1.0 - AT_END) else 0,
    )
    if kind == HALF_SPACE:
        return 2, axes[2], 7
    if kind == SEGMENT:
        return 1 - ends[2], axes[2], ends[2]
    if kind == CYLINDER:
        on_side = x[0] * x[0] + x[1] * x[1] >= half[0] * half[0] * (1.0 - 2.0 * AT_END)
        return (0 if ends[2] > 0 else 1) if on_side else 2, axes[2], 2 * ends[2] + (1 if on_side else 0)
    if kind == CONE:  # which touches planes alone, with its apex and with points of its rim
        return 0, axes[2], ends[2] * (1 if x[2] > 0.0 else 2)
    if kind == BOX:
        count = ends[0] + ends[1] + ends[2]
        one = 1 if count == 1 else 0  # of a face the axis across it, of an edge the one along it
        k = 0 if ends[0] == one else (1 if ends[1] == one else 2)
        return 3 - count, axes[0] if k == 0 else (axes[1] if k == 1 else axes[2]), ends[0] + 2 * ends[1] + 4 * ends[2]
    return 0, axes[2], 0


@inlined
def normal_of(n, n_A, e_A, n_B, e_B):
    """The normal that two features have, where those alone decide it: of a face, or of two edges that cross. The normal
    of a place may be that of a face that is nearly the same.
    """
    exact = n
    if n_B == 2:
        exact = e_B
    elif n_A == 2:
        exact = e_A
    elif n_A == 1 and n_B == 1:
        exact = cross(e_A, e_B)
    length, along = norm(exact), dot(exact, n)
    if length < CROSSING:
        return n
    return scaled((1.0 if along > 0.0 else -1.0) / length, exact)


class Cores(NamedTuple):
    """Both cores at a place: how many directions lie in each surface, one of them, levers and bends."""

    n_A: int
    n_B: int
    e_A: tuple
    e_B: tuple
    c_A: tuple
    c_B: tuple
    bend_A: tuple
    bend_B: tuple
    apart: float


@inlined
def normal_and_rate(n, A: CENTRE, B: CENTRE, cores):
    """(n', P'): the rate of the normal, and the velocity of the contact point, relative to the reference frame."""
    v_A, omega_A, v_B, omega_B = A.v, A.omega, B.v, B.omega
    M = core_distance(cores.apart, cores.bend_A, cores.bend_B)
    x = drift_of_cores(v_A, omega_A, cores.c_A, cores.bend_A, v_B, omega_B, cores.c_B, cores.bend_B, n)
    on_A, runs = True, ZERO
    if cores.n_B >= 2:
        n_dot = cross(omega_B, n)
    elif cores.n_A >= 2:
        n_dot, on_A = cross(omega_A, n), False
    elif cores.n_A > 0 and cores.n_B > 0:
        n_dot = normal_between_edges(n, cores.e_A, omega_A, cores.e_B, omega_B)
        runs = scaled(run_along_edge(n, n_dot, cores.e_A, cores.e_B, M, x), cores.e_A)
    elif cores.n_A > 0:
        n_dot, on_A = normal_beside_edge(n, cores.e_A, omega_A, M, x), False
    elif cores.n_B > 0:
        n_dot = normal_beside_edge(n, cores.e_B, omega_B, M, x)
    else:
        n_dot = normal_between_points(n, M, x)
    rate = core_rate(v_B, omega_B, cores.c_B, cores.bend_B, negated(n), negated(n_dot))
    if on_A:
        rate = add(core_rate(v_A, omega_A, cores.c_A, cores.bend_A, n, n_dot), runs)
    return n_dot, rate, on_A


@inlined
def radius_of(k, contacts):
    """The radius of a shape's thickening, none of a plane."""
    return contacts.shape_value[k].radius


@routine
def write_slot(place: PLACE, contacts, lasting, slot: SLOT, row: LASTING):
    """The values of a slot at a place, but for its forces, as the bodies move and accelerate without contact."""
    i, j = slot.first, slot.second
    a, b, n = contacts.shape[i].body, contacts.shape[j].body, place.normal
    A, B, r_i, r_j = lasting.motion[a], lasting.motion[b], radius_of(i, contacts), radius_of(j, contacts)
    on_i, on_j = place.first, place.second
    lever_A = add(sub(lasting.pose[i].p, A.p), on_i)
    lever_B = add(sub(lasting.pose[j].p, B.p), on_j)
    core_i, core_j = sub(on_i, scaled(r_i, n)), add(on_j, scaled(r_j, n))
    axes_i, axes_j = axes_of(lasting.pose[i]), axes_of(lasting.pose[j])
    n_A, e_A, code_A = directions_in_surface(contacts.shape[i].kind, contacts.shape_value[i], axes_i, core_i)
    n_B, e_B, code_B = directions_in_surface(contacts.shape[j].kind, contacts.shape_value[j], axes_j, core_j)
    n = normal_of(n, n_A, e_A, n_B, e_B)
    bend_A, bend_B = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    if lasting.convex is not None:
        bend_A, bend_B = place.bend_first, place.bend_second
    cores = Cores(
        n_A, n_B, e_A, e_B, sub(lever_A, scaled(r_i, n)), add(lever_B, scaled(r_j, n)), bend_A, bend_B,
        r_i + r_j + place.gap,
    )  # fmt: skip
    n_dot, core, on_A = normal_and_rate(n, A, B, cores)
    rate = add(core, scaled(r_i if on_A else -r_j, n_dot))
    v_A, omega_A, v_B, omega_B = A.v, A.omega, B.v, B.omega
    s_A, s_B = rotate(A.q, contacts.shape_value[i].surface), rotate(B.q, contacts.shape_value[j].surface)
    u = add(slip(v_A, omega_A, lever_A, v_B, omega_B, lever_B), sub(s_B, s_A))
    of_A, of_B = lasting.acceleration[a], lasting.acceleration[b]
    bias = add(slip_bias(v_A, omega_A, v_B, omega_B, rate), sub(cross(omega_B, s_B), cross(omega_A, s_A)))
    slot.region = 8 * code_A + code_B
    row.normal, row.normal_rate, row.gap = n, n_dot, place.gap
    row.lever_A, row.lever_B, row.rate = lever_A, lever_B, rate
    row.point_slip = row.slip = u
    free = add(slip(of_A.linear, of_A.angular, lever_A, of_B.linear, of_B.angular, lever_B), bias)
    row.point_free = row.free = free
    row.shift, row.part = ZERO, row.first_part


@inlined
def find_places(first, second, reach, contacts, lasting):
    """The places of two shapes with gaps below reach, as they are placed now; their number."""
    if lasting.convex is not None:
        lasting.convex.features.known = 0.0
    shape_i = placed_shape(first, contacts, lasting.pose[first])
    shape_j = placed_shape(second, contacts, lasting.pose[second])
    return meet(shape_i, shape_j, reach, lasting.place, lasting.convex)


@inlined
def find_slots(contacts, lasting):
    """The geometry of all slots; one whose feature is no longer there is lost, and stays as it was."""
    first, second, count = at.NO_ROW, at.NO_ROW, 0
    for k in range(lasting.size[N_SLOTS]):
        slot = lasting.slot[k]
        if slot.first != first or slot.second != second:
            first, second = slot.first, slot.second
            count = find_places(first, second, FAR, contacts, lasting)
        slot.lost = 1
        for m in range(count):
            if int(lasting.place[m].feature) == slot.feature:
                slot.lost = 0
                write_slot(lasting.place[m], contacts, lasting, slot, lasting.value[k])
    shift_frictions(contacts, lasting)


# --- where friction acts


@inlined
def find_couples(lasting):
    """Note which slots are two of one pair, with friction."""
    for k in range(lasting.size[N_SLOTS]):
        lasting.slot[k].beside = 0
    for k in range(1, lasting.size[N_SLOTS]):
        one, other = lasting.slot[k - 1], lasting.slot[k]
        if one.first == other.first and one.second == other.second and lasting.value[k].friction > 0.0:
            one.beside, other.beside = 1, 2


@inlined
def shift_frictions(contacts, lasting):
    """Let friction of two points of one pair act between them, as far from their centre of pressure as that of an even
    pressure on their line.
    """
    for k in range(1, lasting.size[N_SLOTS]):
        if lasting.slot[k].beside == 2:
            first, second = lasting.value[k - 1], lasting.value[k]
            shift_friction(k - 1, second.part, first, second, contacts, lasting)
            shift_friction(k, second.part, first, second, contacts, lasting)


@inlined
def shift_friction(k, part, first: LASTING, second: LASTING, contacts, lasting):
    """Where friction of one of two points acts, of which the first one bears this part of the load; its slip."""
    slot, row = lasting.slot[k], lasting.value[k]
    n, n_dot = row.normal, row.normal_rate
    centre = add(scaled(part, first.lever_A), scaled(1.0 - part, second.lever_A))
    centre_rate = add(scaled(part, first.rate), scaled(1.0 - part, second.rate))
    s = friction_shift(LINE_SHARE, row.lever_A, centre, n)
    s_dot = sub(friction_shift(LINE_SHARE, row.rate, centre_rate, n), scaled(dot(s, n_dot), n))
    a, b = contacts.shape[slot.first].body, contacts.shape[slot.second].body
    omega = sub(lasting.motion[b].omega, lasting.motion[a].omega)
    alpha = sub(lasting.acceleration[b].angular, lasting.acceleration[a].angular)
    row.shift = s
    row.slip = add(row.point_slip, rejection(n, cross(omega, s)))
    row.free = add(row.point_free, rejection(n, add(cross(alpha, s), cross(omega, s_dot))))


@inlined
def part_by_forces(k, lasting):
    """What the first of two points bears of the load of both, of which slot k is the second."""
    first, second = lasting.value[k - 1], lasting.value[k]
    N_1, N_2 = max(dot(first.normal, first.force), 0.0), max(dot(second.normal, second.force), 0.0)
    return N_1 / (N_1 + N_2) if N_1 + N_2 > 0.0 else 0.5


@inlined
def renew_parts(lasting):
    """Keep the parts of loads at the end of a trial, with which each evaluation of the next one begins."""
    for k in range(1, lasting.size[N_SLOTS]):
        if lasting.slot[k].beside == 2:
            lasting.value[k].first_part = part_by_forces(k, lasting)


@inlined
def begin_parts(lasting):
    """Begin to find what the first of two points bears: by the part at the beginning of the trial."""
    for k in range(1, lasting.size[N_SLOTS]):
        if lasting.slot[k].beside == 2:
            row = lasting.value[k]
            row.low_part, row.high_part, row.lack = 0.0, 1.0, 1e300


@inlined
def correct_parts(contacts, lasting):
    """Let friction act by the parts p of loads that follow from it, f(p) = p; whether there was more to do than
    round-off. f is continuous and from 0 to 1, so there is a solution. p' = f(p) finds it, or halving of its bracket
    near a stop, where the direction of a slip depends much on where friction acts.
    """
    changes = False
    for k in range(1, lasting.size[N_SLOTS]):
        row = lasting.value[k]
        if lasting.slot[k].beside == 2 and row.high_part - row.low_part > SHIFTED:
            following = part_by_forces(k, lasting)
            lack = following - row.part
            if lack > 0.0:
                row.low_part = row.part
            else:
                row.high_part = row.part
            if abs(lack) > CONTRACTS * row.lack or following <= row.low_part or following >= row.high_part:
                following = 0.5 * (row.low_part + row.high_part)
            row.lack = abs(lack)
            if row.lack > SHIFTED:
                row.part, changes = following, True
    if changes:
        shift_frictions(contacts, lasting)
        for k in range(lasting.size[N_SLOTS]):
            row, slot = lasting.value[k], lasting.slot[k]
            if slot.beside > 0 and slot.mode == SLIDING and slot.straight == 0:
                row.along = unit_across(row.normal, row.slip, row.along)
    return changes


@inlined
def moment_of(row: LASTING, r, f):
    """The moment of a force of a slot about a centre from which the point of contact is at r."""
    return add(cross(r, f), cross(row.shift, rejection(row.normal, f)))


# --- equations


@inlined
def add_row(n, k, way, push, lasting):
    """Add a constraint row of a slot; how many there are now."""
    row = lasting.row[n]
    row.way, row.push = way, push
    lasting.row_slot[n] = k
    return n + 1


@inlined
def free_second(row: LASTING):
    """The second derivative of the gap of a slot without forces of contact, m/s2."""
    return dot(row.normal, row.point_free) + dot(row.normal_rate, row.point_slip)


@inlined
def body_of(s, k, contacts, lasting):
    """The contact body of the first (s = 0) or second shape of a slot."""
    return contacts.shape[lasting.slot[k].second if s == 1 else lasting.slot[k].first].body


@inlined
def moves(a, b, contacts):
    """Whether a force on one of two contact bodies moves the other one: they are the same, or parts of one tree."""
    if a >= contacts.n_moved or b >= contacts.n_moved:
        return False
    return a == b or are_in_one_tree(a, b, contacts.trees)


@inlined
def is_on_tree(k, contacts, lasting):
    """Whether a slot is on a body of a tree."""
    first, second = body_of(0, k, contacts, lasting), body_of(1, k, contacts, lasting)
    return is_in_tree(first, contacts.trees) or is_in_tree(second, contacts.trees)


@inlined
def connects(i, j, contacts, lasting):
    """Whether a force at one of two slots moves a body of the other one."""
    for s in range(2):
        for t in range(2):
            if moves(body_of(s, i, contacts, lasting), body_of(t, j, contacts, lasting), contacts):
                return True
    return False


@routine
def find_islands(contacts, lasting):
    """Give each slot the number of the first one of its island; the most slots that one has."""
    count, most, joins = lasting.size[N_SLOTS], 0, True
    for k in range(count):
        lasting.slot[k].island = k
    while joins:
        joins = False
        for i in range(count):
            for j in range(i):
                a, b = lasting.slot[i].island, lasting.slot[j].island
                if a != b and connects(i, j, contacts, lasting):
                    lasting.slot[i].island = min(a, b)
                    lasting.slot[j].island = min(a, b)
                    joins = True
    for k in range(count):
        members = 0
        for m in range(k, count):
            members += 1 if lasting.slot[m].island == k else 0
        most = max(most, members)
    return most


@inlined
def write_rows(island, contacts, lasting):
    """The rows of the closed contacts of an island for their accelerations, with the right-hand sides; how many there
    are.
    """
    n_row = 0
    for k in range(island, lasting.size[N_SLOTS]):
        mode, row = lasting.slot[k].mode, lasting.value[k]
        if lasting.slot[k].island != island:
            continue
        n, free, second = row.normal, row.free, free_second(row)
        if mode == STUCK and lasting.slot[k].bound == 0:
            t, b = tangents(n)
            lasting.right[n_row], lasting.right[n_row + 1], lasting.right[n_row + 2] = (
                -second,
                -dot(t, free),
                -dot(b, free),
            )
            n_row = add_row(add_row(add_row(n_row, k, n, n, lasting), k, t, t, lasting), k, b, b, lasting)
        elif mode != OPEN:
            mu = 0.0 if mode == STUCK else row.friction
            lasting.right[n_row] = -second
            n_row = add_row(n_row, k, n, push_of_sliding(n, mu, row.along), lasting)
    return n_row


@inlined
def trees_of(contacts, lasting):
    """What is known of trees, or None."""
    return in_trees(contacts.trees, lasting.trees, lasting.inverse, False)


@inlined
def alone(b, f, t, lasting):
    """(a, alpha) of a contact body by a force and a torque on it, if nothing holds it."""
    inverse = lasting.inverse[b]
    return scaled(inverse.mass, f), apply(inverse.inertia, t)


@inlined
def response_of(a, b, f, t, contacts, lasting):
    """(a, alpha) of contact body a by a force and a torque on b, which is the same or part of the same tree."""
    if contacts.trees is None:
        return alone(a, f, t, lasting)
    jump = lasting.trees.jump[0]
    jump.linear, jump.angular = ZERO, ZERO
    add_jump(a, b, t, f, trees_of(contacts, lasting), jump)
    return jump.linear, jump.angular


@inlined
def response(i, j, push, contacts, lasting):
    """The slip at slot i that a unit force along `push` at slot j makes, m/s2 per N."""
    found, of_i, of_j = ZERO, lasting.value[i], lasting.value[j]
    for s in range(2):
        for t in range(2):
            a, b = body_of(s, i, contacts, lasting), body_of(t, j, contacts, lasting)
            if moves(a, b, contacts):
                r_i = of_i.lever_B if s == 1 else of_i.lever_A
                r_j = of_j.lever_B if t == 1 else of_j.lever_A
                linear, turn = response_of(a, b, push, moment_of(of_j, r_j, push), contacts, lasting)
                beside = rejection(of_i.normal, cross(turn, of_i.shift))
                part = add(linear, add(cross(turn, r_i), beside))
                found = add(found, scaled(1.0 if s == t else -1.0, part))
    return found


@routine
def bind_slots(contacts, lasting):
    """Note which slots cannot slip while their gaps are closed, as that of a pendulum of one coordinate: friction is
    not decided there, and none acts. The motion that is left, of all along the surface, is round-off.
    """
    for k in range(lasting.size[N_SLOTS]):
        if is_on_tree(k, contacts, lasting):
            n = lasting.value[k].normal
            t, b = tangents(n)
            K_n, K_t = response(k, k, n, contacts, lasting), response(k, k, t, contacts, lasting)
            K_b = response(k, k, b, contacts, lasting)
            all_of_it, k_n = dot(t, K_t) + dot(b, K_b), dot(n, K_n)
            by_gap = dot(t, K_n) * dot(n, K_t) + dot(b, K_n) * dot(n, K_b)
            left = all_of_it - (by_gap / k_n if k_n > HELD * all_of_it else 0.0)
            lasting.slot[k].bound = 1 if left <= HELD * all_of_it else 0


@inlined
def least_response(j, contacts, lasting):
    """Of a row on a tree, what is no motion: joints hold the bodies along it. It is a part of the motion of bodies that
    nothing holds.
    """
    k, push, total = lasting.row_slot[j], lasting.row[j].push, 0.0
    if is_on_tree(k, contacts, lasting):
        for s in range(2):
            b, row = body_of(s, k, contacts, lasting), lasting.value[k]
            if b < contacts.n_moved:
                t = moment_of(row, row.lever_B if s == 1 else row.lever_A, push)
                a, alpha = alone(b, push, t, lasting)
                total += dot(push, a) + dot(t, alpha)
    return HELD * total


@inlined
def loaded(j, lasting):
    """Whether a row is that of a gap."""
    return dot(lasting.row[j].way, lasting.value[lasting.row_slot[j]].normal) > 0.5


@routine
def solve_rows(n, contacts, lasting):
    """The multipliers of n rows in `x`, of least norm where rows depend on each other: x = K^T y, K K^T y = right."""
    K, x, made = lasting.matrix, lasting.x, lasting.equations
    for j in range(n):
        push, slot, added = lasting.row[j].push, at.NO_ROW, ZERO
        least = 0.0 if contacts.trees is None else least_response(j, contacts, lasting)
        for i in range(n):
            if lasting.row_slot[i] != slot:  # rows of one slot follow each other
                slot = lasting.row_slot[i]
                added = response(slot, lasting.row_slot[j], push, contacts, lasting)
            K[i, j] = dot(lasting.row[i].way, added)
        made.unheld[j].value = least * least / SMALLEST_SHARE
        if not K[j, j] > least and (least == 0.0 or loaded(j, lasting)):
            # Painleve: friction presses the bodies together faster than the normal force parts them. Or nothing can.
            lasting.size[BEYOND] = PRESSES if K[j, j] < -least or least == 0.0 else BLOCKED
            x[:] = 0.0
            return
    if n == 1:
        x[0] = lasting.right[0] / K[0, 0]
        return
    for i in range(n):
        x[i] = 0.0
        for j in range(i + 1):
            total = 0.0
            for k in range(n):
                total += K[i, k] * K[j, k]
            made.delassus[n * i + j].value = total
    factorise(made, n, ONE)
    for _ in range(2):
        for i in range(n):
            left = lasting.right[i]
            for k in range(n):
                left -= K[i, k] * x[k]
            made.multiplier[i].value = left
        solve(made, n, ONE)
        for k in range(n):
            for i in range(n):
                x[k] += K[i, k] * made.multiplier[i].value


@inlined
def clear_forces(lasting):
    """No force of contact."""
    lasting.force[:] = 0.0
    for k in range(lasting.size[N_SLOTS]):
        lasting.value[k].force = ZERO


@inlined
def push_side(b, row: LASTING, r, f, lasting):
    """A force of a slot on a body, from whose centre the point of contact is at r."""
    line = lasting.force[b]
    line.linear = add(line.linear, f)
    line.angular = add(line.angular, moment_of(row, r, f))


@inlined
def add_forces(n, contacts, lasting):
    """The forces of n rows on slots and bodies."""
    for i in range(n):
        k = lasting.row_slot[i]
        f, row = scaled(lasting.x[i], lasting.row[i].push), lasting.value[k]
        row.force = add(row.force, f)
        push_side(contacts.shape[lasting.slot[k].first].body, row, row.lever_A, negated(f), lasting)
        push_side(contacts.shape[lasting.slot[k].second].body, row, row.lever_B, f, lasting)


@inlined
def apply_rows(contacts, lasting):
    """The forces of all rows, of one island after the other, and the accelerations that they make."""
    clear_forces(lasting)
    for k in range(lasting.size[N_SLOTS]):
        if lasting.slot[k].island == k:
            n = write_rows(k, contacts, lasting)
            solve_rows(n, contacts, lasting)
            add_forces(n, contacts, lasting)
    lasting.change[:] = 0.0
    for b in range(contacts.n_moved):
        line, change = lasting.force[b], lasting.change[b]
        if contacts.trees is None:
            change.linear, change.angular = alone(b, line.linear, line.angular, lasting)
        else:
            push_with_tree(b, line.angular, line.linear, lasting.change, trees_of(contacts, lasting))


@inlined
def write_slip_rates(contacts, lasting):
    """The rates of all slips, with the forces of contact."""
    for k in range(lasting.size[N_SLOTS]):
        row = lasting.value[k]
        A, B = lasting.change[body_of(0, k, contacts, lasting)], lasting.change[body_of(1, k, contacts, lasting)]
        beside = rejection(row.normal, cross(sub(B.angular, A.angular), row.shift))
        made = slip(A.linear, A.angular, row.lever_A, B.linear, B.angular, row.lever_B)
        row.slip_rate = add(row.free, add(made, beside))


@inlined
def point_slips(lasting):
    """The directions of the slips that have one; one that goes straight keeps it."""
    for k in range(lasting.size[N_SLOTS]):
        row, slot = lasting.value[k], lasting.slot[k]
        keeps = slot.straight > 0 or slot.mode != SLIDING
        row.along = unit_across(row.normal, row.direction if keeps else row.slip, row.direction)


@inlined
def turning_rate(k, contacts, lasting):
    """mu N (K_tt + K_bb), m/s2: a bound of what friction changes in the rate of a slip as its direction turns."""
    row = lasting.value[k]
    (t, b), N = tangents(row.normal), max(dot(row.normal, row.force), 0.0)
    mobility = dot(t, response(k, k, t, contacts, lasting)) + dot(b, response(k, k, b, contacts, lasting))
    return row.friction * N * mobility


@inlined
def turn_to_growth(turn, contacts, lasting):
    """Point the slips that grow along their rates u'; the largest change. u' = u'_0 - mu N K d depends on d, and
    u' + c d in place of u' makes the iteration contract for any c >= mu N |K|. After each third turn the directions are
    extrapolated by the ratio of the last two changes (Aitken).
    """
    most, both, first = 0.0, 0.0, 0.0
    for k in range(lasting.size[N_SLOTS]):
        if lasting.slot[k].mode == GROWING:
            row = lasting.value[k]
            held = scaled(turning_rate(k, contacts, lasting), row.along)
            d = unit_across(row.normal, add(row.slip_rate, held), row.along)
            change = sub(d, row.along)
            both, first = both + dot(change, row.turned), first + dot(row.turned, row.turned)
            most = max(most, norm(change))
            row.along, row.turned = d, change
    if turn % 3 == 2 and both > 0.0 and both < CONVERGES * first:
        for k in range(lasting.size[N_SLOTS]):
            if lasting.slot[k].mode == GROWING:
                row = lasting.value[k]
                way = scaled(both / (first - both), row.turned)
                row.along = unit_across(row.normal, add(row.along, way), row.along)
    return most


@inlined
def share_forces(lasting):
    """What is compared with the limit of friction: of two stuck points of one pair, whose forces along their line are
    not decided one by one, as if they shared these by their normal forces.
    """
    for k in range(lasting.size[N_SLOTS]):
        lasting.value[k].tested = lasting.value[k].force
    for k in range(1, lasting.size[N_SLOTS]):
        one, other = lasting.slot[k - 1], lasting.slot[k]
        if one.first == other.first and one.second == other.second and one.mode == STUCK and other.mode == STUCK:
            first, second = lasting.value[k - 1], lasting.value[k]
            n, f_1, f_2 = first.normal, first.force, second.force
            e = unit_across(n, sub(second.lever_A, first.lever_A), n)
            more = shared_along(e, f_1, dot(n, f_1), f_2, dot(n, f_2))
            first.tested, second.tested = add(f_1, more), sub(f_2, more)


@routine
def find_forces(contacts, lasting):
    """The forces of all slots, whose geometry is known."""
    point_slips(lasting)
    begin_parts(lasting)
    for turn in range(MOST_TURNS):
        apply_rows(contacts, lasting)
        write_slip_rates(contacts, lasting)
        if turn_to_growth(turn, contacts, lasting) <= SETTLED and not correct_parts(contacts, lasting):
            break
    share_forces(lasting)


@inlined
def room_of_friction(row: LASTING):
    """What is left of the friction of a stuck contact, N."""
    n, f = row.normal, row.tested
    N = dot(n, f)
    return slip_limit(row.friction, N, rejection(n, f))


@inlined
def can_stick(k, contacts, lasting):
    """Whether friction can hold a point that slides, and the contact does not pull then."""
    slot, row = lasting.slot[k], lasting.value[k]
    slot.mode = STUCK
    apply_rows(contacts, lasting)
    share_forces(lasting)
    slot.mode = SLIDING
    return dot(row.normal, row.force) >= 0.0 and room_of_friction(row) >= 0.0


@routine
def is_undecided(k, contacts, lasting):
    """Whether the slip of one of two points of a pair would be reversed by its own friction reversed: that changes what
    both points bear, and so where friction acts. Then neither direction lasts, and the point sticks, if friction can
    hold it; else its slip passes zero.
    """
    row = lasting.value[k]
    second = k if lasting.slot[k].beside == 2 else k + 1
    part, along = lasting.value[second].part, row.along
    row.along = negated(along)
    apply_rows(contacts, lasting)
    lasting.value[second].part = part_by_forces(second, lasting)
    shift_frictions(contacts, lasting)
    reverses = dot(row.slip, along) < 0.0
    row.along, lasting.value[second].part = along, part
    shift_frictions(contacts, lasting)
    reverses = reverses and can_stick(k, contacts, lasting)
    apply_rows(contacts, lasting)
    write_slip_rates(contacts, lasting)
    share_forces(lasting)
    return reverses


# --- in an evaluation


@inlined
def write_now(block):
    """Motion, poses and accelerations of all contact bodies, as the frames are placed."""
    model, scratch = block.model, block.scratch
    contacts, lasting = model.contacts, scratch.lasting
    write_motions(contacts, block, lasting.way, lasting.motion)
    write_poses(contacts, contacts.shape_value, lasting.motion, None, lasting.pose)
    for b in range(len(contacts.body)):
        node, line = contacts.body[b].node, lasting.acceleration[b]
        line.linear, line.angular = scratch.frame[node + 1].a, scratch.frame[node + 1].alpha
        if b < contacts.n_moved:
            line.linear = scratch.arm[node].a_WC
            write_inverse(model.body[contacts.body[b].row], lasting.motion[b].q, model.normal, lasting.inverse[b])


@inlined
def note_powers(contacts, scratch, lasting):
    """Note the powers of friction and of all forces, for this stage of a step."""
    whole, stage = 0.0, lasting.size[N_CALLS]
    lasting.size[N_CALLS] = stage + 1
    if stage >= len(lasting.power):
        return
    for k in range(lasting.size[N_SLOTS]):
        row = lasting.value[k]
        lasting.power[stage, k] = dot(rejection(row.normal, row.force), row.slip)
    for b in range(contacts.n_moved):
        node, line = contacts.body[b].node, lasting.force[b]
        whole += power(line.linear, scratch.arm[node].v_WC, line.angular, scratch.frame[node + 1].omega)
    lasting.power[stage, MOST_SLOTS] = whole


@inlined
def begin_powers(lasting):
    """A step begins, whose first stage is the next evaluation."""
    lasting.size[N_CALLS] = 0


@inlined
def add_works(h, weights, lasting):
    """Add the works of a step of h seconds to those of the trial, by the weights of the stages of the method."""
    if lasting.size[N_CALLS] > 0:
        for k in range(lasting.size[N_SLOTS]):
            lasting.work[k] += work_of_stages(h, weights, k, lasting)
        lasting.work[MOST_SLOTS] += work_of_stages(h, weights, MOST_SLOTS, lasting)


@inlined
def work_of_stages(h, weights, column, lasting):
    """The work of a power in a step of h seconds, J."""
    work = 0.0
    for k, weight in enumerate(weights):
        work += h * weight * lasting.power[k, column]
    return work


@inlined
def find_mobilities_of_slots(block):
    """What unit wrenches on contact bodies of trees do to these, if a slot is on any; whether one is."""
    contacts, lasting, found = block.model.contacts, block.scratch.lasting, False
    if contacts.trees is not None:
        for k in range(lasting.size[N_SLOTS]):
            found = found or is_on_tree(k, contacts, lasting)
        if found:
            find_mobilities(contacts, block, lasting.shift, lasting.trees)
    return found


@inlined
def respond_by_loops(contacts, block):
    """Add to the loads what loops exert in answer to the forces of contact, and that to their multipliers."""
    scratch = block.scratch
    made, lasting = scratch.loops, scratch.lasting
    respond(hold_impulses, (lasting.force,), contacts, block, lasting.shift)
    load_rows(block.model.loops.rows, made.rows, scratch, block.lanes)
    for k in range(len(made.equation)):
        made.rows.multiplier[k].value = made.rows.multiplier[k].value + made.alone[k].value


@inlined
def write_means(contacts, lasting):
    """The accelerations by contact of each body alone, for samples."""
    for b in range(contacts.n_moved):
        line, mean = lasting.force[b], lasting.mean[b]
        mean.a, mean.alpha = alone(b, line.linear, line.angular, lasting)


@inlined
def hold_contacts(block):
    """Add the forces of contacts that last to the loads; the accelerations without them are known. Returns whether
    there are any.
    """
    model, scratch = block.model, block.scratch
    contacts, lasting = model.contacts, scratch.lasting
    if lasting.size[N_SLOTS] == 0:
        if lasting.size[STEPPED] == 0:
            lasting.mean[:] = 0.0
        return False
    write_now(block)
    if model.loops is not None:
        copy_rows(0, len(scratch.loops.alone), scratch.loops.rows.multiplier, scratch.loops.alone)
    is_weighed = find_mobilities_of_slots(block)
    find_slots(contacts, lasting)
    if contacts.trees is not None:
        bind_slots(contacts, lasting)
    find_forces(contacts, lasting)
    write_means(contacts, lasting)
    for b in range(contacts.n_moved):
        line, wrench = lasting.force[b], scratch.wrench[contacts.body[b].row]
        wrench.f, wrench.tau = add(wrench.f, line.linear), add(wrench.tau, line.angular)
    note_powers(contacts, scratch, lasting)
    if model.loops is not None and contacts.trees is not None and is_weighed:
        respond_by_loops(contacts, block)
    return True


@inlined
def lasts(scratch):
    """Whether contacts have modes that change at events."""
    return scratch.lasting is not None


@inlined
def is_left(lasting):
    """Whether this step is left to sub-steps, which is decided once, also if they lack room."""
    return lasting.size[BEYOND] != 0


@inlined
def was_stepped(scratch):
    """Whether the contacts of the last step were those of sub-steps."""
    return scratch.lasting is None or scratch.lasting.size[STEPPED] > 0


@inlined
def keep_slots(lasting, slots, values):
    """Copy the slots."""
    n = lasting.size[N_SLOTS]
    copy_rows(0, n, lasting.slot, slots)
    copy_rows(0, n, lasting.value, values)


# --- of pairs and slots


@inlined
def size_of(first, second, contacts):
    """The size of the smaller shape, m."""
    return min(contacts.shape_value[first].bound, contacts.shape_value[second].bound)


@inlined
def speed_of(k, contacts, lasting):
    """The speeds of both bodies at the points of a slot, m/s, of which round-off is a part."""
    row = lasting.value[k]
    A = lasting.motion[contacts.shape[lasting.slot[k].first].body]
    B = lasting.motion[contacts.shape[lasting.slot[k].second].body]
    of_A, of_B = norm(A.v) + norm(A.omega) * norm(row.lever_A), norm(B.v) + norm(B.omega) * norm(row.lever_B)
    return of_A + of_B


@inlined
def has_slot(first, second, lasting):
    """Whether some slot is one of this pair."""
    for k in range(lasting.size[N_SLOTS]):
        if lasting.slot[k].first == first and lasting.slot[k].second == second:
            return True
    return False
