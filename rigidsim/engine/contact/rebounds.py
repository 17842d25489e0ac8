"""Impacts with restitution on bodies of trees: the step ends where they happen.

What an impulse does to a tree is known in one pose, so a step within which such a pair touches fast enough to rebound
is put back and taken again up to that time. The time comes from the ramps of velocity; then from the gap at the end of
the shorter step, by Newton's method, until it is closed. The tree is struck there, after the correction of that part
of the step, by the law of all impacts (`physics.restitution`) with the responses of trees; the rest of the step is
another. A part has a least length, so a step has not more than `1 / LEAST_PART` of them; what touches sooner again is
struck where that part ends. Impulses displace nothing, so a time that is a little wrong costs no energy.
"""

from __future__ import annotations

from rigidsim.engine.collision.approach import (
    FAR,
    ROUND_OFF,
    TOUCHING,
    SmoothMotion,
    find_places,
    least_speed,
    next_touch,
    place_pair,
    sizes,
    smooth_motion,
    soonest,
)
from rigidsim.engine.collision.bodies import begin_solver, tensor_in_world, write_motions
from rigidsim.engine.collision.convex import recall_features
from rigidsim.engine.constraints.loops import close_loops
from rigidsim.engine.constraints.tree_responses import find_mobilities, is_in_tree
from rigidsim.engine.contact.division import REBOUND, TIMES, longest
from rigidsim.engine.contact.impact_problem import pairs_of, points_of, threshold_of
from rigidsim.engine.contact.impacts import find_contact_islands, resolve_impacts, speed_factor
from rigidsim.engine.contact.joint_constraints import (
    ROUNDS,
    begin_instant,
    compare_constraints,
    end_constraints,
    have_constraints,
    leave_stops,
)
from rigidsim.engine.contact.ledger import begin_booking, book_holding, book_impacts, finish_impacts
from rigidsim.engine.contact.log import log_impacts, write_origins
from rigidsim.engine.contact.trees import acts_on_tree, add_impulses_of_loops, add_impulses_of_members
from rigidsim.engine.dynamics.corrections import begin_corrections, distribute
from rigidsim.engine.evaluate import place_nodes
from rigidsim.engine.model import contact_layout as c
from rigidsim.engine.model import layout as at
from rigidsim.engine.model.contact_layout import CENTRE, JOLT, LINE
from rigidsim.jit import inlined, routine
from rigidsim.physics.inertia import apply
from rigidsim.physics.restitution import NEVER
from rigidsim.physics.vector import dot, sub

LEAST_PART = 1e-3  # of a whole step
CLOSED = 1e-12  # of a whole step: an impact so near to the end of a part is at its end
MOST_TIMES = 8  # that one part is taken; four are usual
INSTANT = 1e-6  # of a whole step: what touches so soon after a part is struck at its end


@inlined
def can_rebound(arrays):
    """Whether something on a tree may rebound from anything."""
    return arrays.trees is not None and arrays.impacts is not None


@inlined
def is_at_rebound(arrays):
    """Whether the step ends where something on a tree rebounds."""
    return can_rebound(arrays) and arrays.part[REBOUND] > 0.0


# --- when


@inlined
def approach_at_end(first, second, threshold, motion, contacts, near):
    """(time, speed, present) as of `next_touch`, of the pose in which `motion` begins; the time may be negative."""
    place_pair(first, second, 0.0, motion, contacts, near)
    count = find_places(first, second, FAR, contacts, near)
    size, extent = sizes(first, second, contacts, near)
    touching = TOUCHING * size + 10.0 * ROUND_OFF * extent
    wait, _, speed, late, _ = soonest(first, second, 0.0, count, touching, threshold, contacts, near)
    return wait, late, speed


@routine
def first_rebound(at_end, pairs, points, motion, work):
    """When the first pair of a tree with restitution touches, s from the beginning of the motion, or `NEVER`. Those
    that approach fast are kept out of the sub-steps, which would brake them.
    """
    contacts, who = pairs.contacts, points.who
    find_contact_islands(contacts, points, work)
    soon, last, is_fast = NEVER, at.NO_ROW, False
    for m in range(points.number):
        k = who[m].pair
        if points.value[m].restitution == 0.0 or who[m].marks & c.NOTICED or not acts_on_tree(who[m], contacts.trees):
            continue
        if k != last:
            first, second = pairs.pair[k, 0], pairs.pair[k, 1]
            threshold = threshold_of(first, second, speed_factor(k, pairs, work), 0.0, pairs)
            recall_features(k, work.near.convex)
            if at_end:
                time, speed, present = approach_at_end(first, second, threshold, motion, contacts, work.near)
            else:
                time, speed, present = next_touch(first, second, 0.0, True, threshold, motion, contacts, work.near)
            least = least_speed(0.0, threshold)
            rests = present >= -least and (present <= least or time == NEVER)
            is_fast = speed > least and not rests
            if is_fast and time < soon:
                soon = time
            last = k
        if is_fast:
            who[m].marks |= c.IMPACT
    return soon


@routine
def write_line(motion: CENTRE, vel: LINE, struck: JOLT):
    """The velocities of bodies as those of the solver, and their orientations."""
    for b in range(len(motion)):
        v, omega = motion[b].v, motion[b].omega
        vel[b].linear, vel[b].angular = v, omega
        struck[b].q = motion[b].q


@inlined
def time_of_rebound(h, at_end, n_point, model, arrays):
    """`first_rebound` of a step of h seconds, from its beginning by the ramps, or from its end."""
    motions, lines, work, share = arrays.motions, arrays.lines, arrays.impacts, model.contacts.share
    pairs, points = pairs_of(None, model, arrays), points_of(n_point, arrays)
    if not at_end:
        return first_rebound(False, pairs, points, smooth_motion(h, model.contacts, motions, lines), work)
    write_line(motions.finish, lines.first, work.ended)
    ended = SmoothMotion(
        h, share, motions.finish, motions.finish, lines.inverse, work.ended, lines.first, lines.moved
    )  # fmt: skip
    return h + first_rebound(True, pairs, points, ended, work)


@inlined
def rebounds_earlier(h, n_point, model, arrays):
    """Whether an impact with restitution on a tree in the step of h seconds divides it: it is to be taken again up to
    that. Of a step that was taken so the time is corrected.
    """
    if not can_rebound(arrays):
        return False
    part, nominal = arrays.part, model.step
    at_end = part[REBOUND] > 0.0
    time = time_of_rebound(h, at_end, n_point, model, arrays)
    if not at_end and time > h:
        return False
    wanted = max(time, min(h, LEAST_PART * nominal)) / nominal
    part[REBOUND], part[TIMES] = min(wanted, longest(part)), part[TIMES] + 1.0
    return abs(part[REBOUND] * nominal - h) > CLOSED * nominal and time < NEVER and part[TIMES] <= MOST_TIMES


# --- the impact


@inlined
def write_jumps(contacts, block, motions, lines, made, trees, step):
    """The jumps of all contact bodies, and the work that the motion of the reference frame does by them."""
    model = block.model
    for b in range(contacts.n_moved):
        row, node = contacts.body[b].row, contacts.body[b].node
        v_frame = sub(block.scratch.arm[node].v_WC, lines.first[b].linear)
        if is_in_tree(b, trees.table):
            step[c.W_DRIVEN] += dot(trees.made.total[b].linear, v_frame)
            continue
        dv, domega = sub(lines.vel[b].linear, lines.first[b].linear), sub(lines.vel[b].angular, lines.first[b].angular)
        if dot(dv, dv) + dot(domega, domega) > 0.0:
            own, constants = made.own[row], model.body[row]
            made.is_settled[row], made.source[node + 1] = 1, node + 1
            own.v = dv
            own.omega = apply(tensor_in_world(motions.start[b].q, constants.inertia), domega)
            step[c.W_DRIVEN] += constants.mass * dot(dv, v_frame)
    add_impulses_of_members(contacts, model, made, trees.made)
    if model.loops is not None:
        add_impulses_of_loops(contacts, block, made, trees.made)


@inlined
def resolve_impacts_on_trees(t, n_point, trees, block, arrays):
    """The impulses of all impacts at time t (s), with what is held now. Returns how many impacts there are."""
    model = block.model
    contacts, motions, lines = model.contacts, arrays.motions, arrays.lines
    write_motions(contacts, block, motions.way, motions.start)
    at.copy_rows(0, len(motions.start), motions.start, motions.finish)
    find_mobilities(contacts, block, arrays.corrections.shift, arrays.trees)
    begin_solver(contacts, model.body, model.normal, motions, lines)
    at.copy_rows(0, len(lines.vel), lines.vel, lines.first)
    arrays.trees.total[:] = 0.0
    motion = smooth_motion(INSTANT * model.step, contacts, motions, lines)
    pairs, points = pairs_of(trees, model, arrays), points_of(n_point, arrays)
    return resolve_impacts(t, pairs, points, motion, arrays.impacts)


@inlined
def resolve_until_held(t, n_point, trees, block, arrays):
    """Strike trees again, with other coordinates released from their stops, until no stop pulls. Returns how many
    impacts there are.
    """
    contacts, points, made, struck = block.model.contacts, arrays.points, arrays.trees, 0
    begin_instant(t, contacts, block)
    at.copy_rows(0, n_point, points.value, made.point)
    for number in range(ROUNDS):
        struck = resolve_impacts_on_trees(t, n_point, trees, block, arrays)
        shift = arrays.corrections.shift
        leaves = struck == 0 and number == 0 and leave_stops(contacts, block)
        if leaves:
            at.copy_rows(0, n_point, made.point, points.value)
            continue
        if struck == 0 or not compare_constraints(0.0, number, contacts, block, shift, made):
            break
        at.copy_rows(0, n_point, made.point, points.value)
    return struck


@inlined
def rebound(t, n_point, trees, block, arrays):
    """The impacts of all that touches fast at time t (s), where a part of a step has ended."""
    model = block.model
    place_nodes(model.active, t, block)
    if have_constraints(model):
        struck = resolve_until_held(t, n_point, trees, block, arrays)
    else:
        struck = resolve_impacts_on_trees(t, n_point, trees, block, arrays)
    if struck > 0:
        hand_back(t, struck, trees, block, arrays)
    if have_constraints(model):
        end_constraints(t, model.contacts, block)


@inlined
def hand_back(t, struck, trees, block, arrays):
    """Apply and record the impulses of so many impacts at time t, s."""
    model = block.model
    contacts, motions, lines = model.contacts, arrays.motions, arrays.lines
    made, ledger, work = arrays.corrections, arrays.ledger, arrays.impacts
    write_origins(contacts, model, block.scratch, motions)
    log_impacts(work, struck, contacts, motions.origin, arrays.record)
    begin_booking(work, ledger)
    book_impacts(work, ledger)
    by_impulses = book_holding(contacts, block, made.shift, arrays.trees, ledger.step)
    begin_corrections(made)
    write_jumps(contacts, block, motions, lines, made, trees, ledger.step)
    distribute(model.active, block, made)
    finish_impacts(by_impulses, model, made, ledger)
    if model.loops is not None:
        close_loops(t, block)
