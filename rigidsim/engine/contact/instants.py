"""What happens at an event of contacts that last: impacts of all that approaches, by the law of `simultaneous.py`, then
the modes of all that touches.
"""

from __future__ import annotations

from rigidsim.engine.constraints.lasting import (
    BEYOND,
    EVENTS,
    GROWING,
    LASTING,
    MODES,
    MOST_OF_ISLAND,
    MOST_OF_PAIR,
    MOST_SLOTS,
    N_EVENTS,
    N_SLOTS,
    OPEN,
    OVERLAP,
    PLACES,
    PRESSES,
    SLIDING,
    SLOT,
    STEPPED,
    STUCK,
    body_of,
    find_couples,
    find_islands,
    find_mobilities_of_slots,
    find_places,
    find_slots,
    free_second,
    has_slot,
    keep_slots,
    moves,
    renew_parts,
    room_of_friction,
    shift_frictions,
    size_of,
    speed_of,
    trees_of,
    write_now,
    write_slot,
)
from rigidsim.engine.constraints.loops import close_loops
from rigidsim.engine.contact.arrays import LACKS_LOG
from rigidsim.engine.contact.closing import begin_changes, close_contacts, distribute_changes, push_correction
from rigidsim.engine.contact.impact_problem import (
    TOGETHER,
    log_pair,
    store_energies,
    sum_normal_impulses,
    surfaces_of,
    work_of,
)
from rigidsim.engine.contact.ledger import book_holding, finish_impacts
from rigidsim.engine.contact.location import FRICTION, GAP, LIFT, REGION, SLACK, STOP, force_scale
from rigidsim.engine.contact.log import add_entry, write_origins
from rigidsim.engine.contact.simultaneous import N_BODIES, N_PAIRS, N_PLACES, solve_problem
from rigidsim.engine.contact.trial_lengths import AT_ONCE, renew_pairs
from rigidsim.engine.evaluate import evaluate, place_nodes
from rigidsim.engine.model import contact_layout as c
from rigidsim.engine.model import layout as at
from rigidsim.engine.model.layout import EVENT, copy_numbers
from rigidsim.jit import inlined, routine
from rigidsim.physics.contact_modes import time_of_rebounds
from rigidsim.physics.distances import CURVED, HALF_SPACE
from rigidsim.physics.quaternion import rotate
from rigidsim.physics.vector import add, cross, dot, negated, norm, rejection, sub

DEEP, SUNK = 1e-6, 1e-5  # of the smaller shape: an overlap that no event, and none that sub-steps explain
AT_REST = 1e-10  # of the largest speed at a contact as an event begins: a slip or a separation that is round-off
UNSEEN = 1e-6  # of the gain of speed in a step: AT_REST of it is round-off of that
APPROACHES = 1e-11  # likewise, before it, an approach that is none
NEW = 1e-4  # m/s: a slip below it has no direction of its own
REBOUNDS = 1e-4  # of a step: rebounds that end within it are taken as one
RETURNS = 1e-5  # of a step: what parts and would touch again within it stays closed
MOST_AT_ONCE = 50  # events without progress in time
MOST_EVENTS, MOST_IMPACTS, MOST_REVIEWS = 5000, 200, 40


# --- what touches


@inlined
def collect(h, contacts, lasting, arrays):
    """Make all places that touch slots, in the order of pairs; modes and directions are those of before, if they were
    there.
    """
    n, deep = 0, SUNK if lasting.first_size[STEPPED] > 0 else DEEP
    for m in range(arrays.candidates.count[0]):
        first, second = arrays.candidates.pair[m, 0], arrays.candidates.pair[m, 1]
        size = size_of(first, second, contacts)
        count = find_places(first, second, TOGETHER * size, contacts, lasting)
        for p in range(count):
            if lasting.place[p].gap < -deep * size:
                lasting.size[BEYOND] = OVERLAP
            if n >= MOST_SLOTS:
                lasting.size[BEYOND] = PLACES
            if lasting.size[BEYOND] == 0:
                slot, row = lasting.slot[n], lasting.value[n]
                slot.first, slot.second, slot.pair = first, second, m
                slot.feature, slot.mode, slot.lost, slot.straight = int(lasting.place[p].feature), OPEN, 0, 0
                slot.logged, slot.beside, slot.bound, row.work, row.part, row.first_part = 0, 0, 0, 0.0, 0.5, 0.5
                row.restitution, row.friction = surfaces_of(first, second, contacts)
                row.direction, row.force = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
                write_slot(lasting.place[p], contacts, lasting, slot, row)
                n += 1
    lasting.size[N_SLOTS], lasting.speed[0] = n, 0.0
    for k in range(n):
        gained = h * norm(lasting.value[k].free)
        lasting.speed[0] = max(lasting.speed[0], max(speed_of(k, contacts, lasting), UNSEEN * gained))


@inlined
def recall(what, n_old, contacts, lasting):
    """Take over what is known of contacts that were there before, maybe with another feature."""
    find_couples(lasting)
    for k in range(lasting.size[N_SLOTS]):
        slot, row = lasting.slot[k], lasting.value[k]
        for m in range(n_old):
            old = lasting.old_slot[m]
            same = old.feature == slot.feature or what == REGION
            if old.first == slot.first and old.second == slot.second and same:
                row.direction, row.first_part = lasting.old_value[m].direction, lasting.old_value[m].first_part
                row.part = row.first_part
                slot.mode = old.mode
    shift_frictions(contacts, lasting)


# --- impacts


@inlined
def approach_of(k, lasting):
    """How fast a contact closes, m/s."""
    return -dot(lasting.value[k].normal, lasting.value[k].slip)


@inlined
def fastest_approach(lasting):
    """The slot that closes fastest, if one does by more than round-off."""
    found, most = at.NO_ROW, 0.0
    for k in range(lasting.size[N_SLOTS]):
        u = approach_of(k, lasting)
        if u > most and u > APPROACHES * lasting.speed[0]:
            found, most = k, u
    return found


@inlined
def fill_side(b, problem, contacts, lasting):
    """The row of a contact body in the problem of an impact."""
    count = problem.size[N_BODIES]
    for k in range(count):
        if problem.body[k] == b:
            return k
    motion, side = lasting.motion[b], problem.side[count]
    side.p, side.q, side.v, side.omega = motion.p, motion.q, motion.v, motion.omega
    side.mass, side.inertia = 0.0, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    if b < contacts.n_moved:
        side.mass, side.inertia = lasting.inverse[b].mass, lasting.inverse[b].inertia
    problem.body[count] = b
    problem.size[N_BODIES] = count + 1
    return count


@inlined
def place_of_pair(k, problem):
    """The number of a pair of candidates in the problem, or NO_ROW."""
    for p in range(problem.size[N_PAIRS]):
        if problem.pair[p] == k:
            return p
    return at.NO_ROW


@inlined
def number_of_pair(k, problem):
    """The number of a pair in the problem, to which it is added if it is not there yet."""
    found = place_of_pair(k, problem)
    if found == at.NO_ROW:
        found = problem.size[N_PAIRS]
        problem.pair[found] = k
        problem.size[N_PAIRS] = found + 1
    return found


@inlined
def shares_body(k, problem, contacts, lasting):
    """Whether an impulse on a body of a slot moves one of the problem."""
    for m in range(problem.size[N_BODIES]):
        for s in range(2):
            if moves(problem.body[m], body_of(s, k, contacts, lasting), contacts):
                return True
    return False


@inlined
def add_place(k, e, problem, contacts, lasting):
    """Add a slot to the problem of an impact."""
    i, slot, value = problem.size[N_PLACES], lasting.slot[k], lasting.value[k]
    row, who, a, b = problem.place[i], problem.who[i], contacts.shape[slot.first].body, contacts.shape[slot.second].body
    who.pair, who.feature = number_of_pair(slot.pair, problem), slot.feature
    who.a, who.b = fill_side(a, problem, contacts, lasting), fill_side(b, problem, contacts, lasting)
    row.normal, row.lever_A, row.lever_B, row.gap = value.normal, value.lever_A, value.lever_B, value.gap
    s_A = rotate(lasting.motion[a].q, contacts.shape_value[slot.first].surface)
    s_B = rotate(lasting.motion[b].q, contacts.shape_value[slot.second].surface)
    row.restitution, row.friction, row.added = e, value.friction, rejection(value.normal, sub(s_B, s_A))
    slot.lost = 1
    problem.size[N_PLACES] = i + 1


@inlined
def restitution_of(k, step, lasting):
    """The restitution of an approach, 0 if the rebounds after it end within a moment; that is noted."""
    row = lasting.value[k]
    e, u = row.restitution, max(approach_of(k, lasting), 0.0)
    pull = -free_second(row)
    if e < 1.0 and e > 0.0 and pull > 0.0:
        rest = time_of_rebounds(e * u, pull, e)
        if rest <= REBOUNDS * step:
            lasting.rest[0] = rest
            return 0.0
    return e


@inlined
def gather(k, step, problem, contacts, lasting):
    """The problem of all that is struck together with a slot: what approaches, what touches without restitution, and
    all places of a pair that is struck, connected through bodies that forces move.
    """
    problem.size[:] = 0
    for m in range(lasting.size[N_SLOTS]):
        lasting.slot[m].lost = 0
    add_place(k, restitution_of(k, step, lasting), problem, contacts, lasting)
    grows = True
    while grows:
        grows = False
        for m in range(lasting.size[N_SLOTS]):
            if lasting.slot[m].lost == 0 and shares_body(m, problem, contacts, lasting):
                approaches = approach_of(m, lasting) > APPROACHES * lasting.speed[0]
                e = restitution_of(m, step, lasting) if approaches else lasting.value[m].restitution
                if approaches or e == 0.0 or place_of_pair(lasting.slot[m].pair, problem) != at.NO_ROW:
                    add_place(m, e, problem, contacts, lasting)
                    grows = True


@inlined
def work_of_frame(b, P, model, scratch):
    """The work of an impulse on a body that forces move by the motion of its reference frame in the world, J."""
    if b >= model.contacts.n_moved:
        return 0.0
    return dot(P, sub(scratch.arm[model.contacts.body[b].node].v_WC, scratch.lasting.motion[b].v))


@inlined
def deliver(now, block, arrays):
    """Let the impulses of a problem act, book and log them."""
    model, scratch = block.model, block.scratch
    contacts, lasting, made, problem = model.contacts, scratch.lasting, arrays.corrections, arrays.impacts.problem
    record, ledger = arrays.record, arrays.ledger
    sum_normal_impulses(problem)
    ledger.step[:] = 0.0
    begin_changes(made, contacts, lasting)
    for i in range(problem.size[N_PLACES]):
        normal, tangential, driven = work_of(i, problem)
        ledger.step[c.W_RESTITUTION] += normal
        ledger.step[c.W_IMPACT_FRICTION] += tangential
        ledger.step[c.W_DRIVEN] += driven
        row, who = problem.place[i], problem.who[i]
        a, b, P = problem.body[who.a], problem.body[who.b], row.P
        ledger.step[c.W_DRIVEN] += work_of_frame(a, negated(P), model, scratch) + work_of_frame(b, P, model, scratch)
        if a < contacts.n_moved:
            push_correction(a, negated(P), cross(P, row.lever_A), False, contacts, lasting, made)
        if b < contacts.n_moved:
            push_correction(b, P, cross(row.lever_B, P), False, contacts, lasting, made)
    for p in range(problem.size[N_PAIRS]):
        if problem.impulse[p] > 0.0:
            k = add_entry(at.CAUSE_IMPACT, 0, 0, now, record)
            log_pair(p, now, arrays.candidates.pair, problem, record.log[k], record.log_value[k])
            entry, first = record.log_value[k], record.log[k].first
            entry.point = add(entry.point, arrays.motions.origin[contacts.shape[first].body].xyz)
    by_impulses = 0.0
    if contacts.trees is not None:
        by_impulses = book_holding(contacts, block, made.shift, lasting.trees, ledger.step)
    distribute_changes(block, made)
    finish_impacts(by_impulses, model, made, ledger)
    if model.loops is not None:
        close_loops(now, block)


@inlined
def place_contacts(now, block):
    """Place all frames and slots; accelerations without contact are those of before."""
    place_nodes(block.model.active, now, block)
    write_now(block)
    find_slots(block.model.contacts, block.scratch.lasting)


@inlined
def resolve_instant(now, block, arrays):
    """All impacts at an instant, one problem after the other, until nothing approaches; whether there were any."""
    model = block.model
    contacts, lasting, problem = model.contacts, block.scratch.lasting, arrays.impacts.problem
    struck, count = False, 0
    lasting.rest[0] = 0.0
    k = fastest_approach(lasting)
    if k != at.NO_ROW and model.loops is not None:  # what their rates are inside of a step is no part of an impact
        close_loops(now, block)
        place_contacts(now, block)
    while k != at.NO_ROW and count < MOST_IMPACTS:
        gather(k, model.step, problem, contacts, lasting)
        store_energies(contacts, model.body, problem)
        solve_problem(problem, trees_of(contacts, lasting))
        deliver(now, block, arrays)
        place_contacts(now, block)
        struck, count = True, count + 1
        k = fastest_approach(lasting)
    if k != at.NO_ROW:
        lasting.size[BEYOND] = EVENTS
    return struck


# --- modes


@inlined
def parts(k, h, lasting):
    """Whether a contact opens. One that would close again within a moment does not, as the corner that the other one's
    blow lifts off, each time more slowly, where an edge lands.
    """
    leaves, pull = -approach_of(k, lasting), -free_second(lasting.value[k])
    return leaves > AT_REST * lasting.speed[0] and 2.0 * leaves > RETURNS * h * pull


@inlined
def first_modes(h, what, first, second, feature, struck, lasting):
    """The modes of all slots by their slips; that of the one at which an event was found follows from that. If it lifts
    off, other places of its pair that were open stay open: where two lift off at once, neither takes up the load of the
    other one.
    """
    for k in range(lasting.size[N_SLOTS]):
        slot, row = lasting.slot[k], lasting.value[k]
        speed, was = lasting.speed[0], slot.mode
        u = rejection(row.normal, row.slip)
        of_pair = slot.first == first and slot.second == second
        here = of_pair and slot.feature == feature
        stays_open = of_pair and was == OPEN and not struck
        if parts(k, h, lasting) or (what == LIFT and (here or stays_open)):
            slot.mode = OPEN
        elif norm(u) > AT_REST * speed and not (was == GROWING and norm(u) <= NEW) and not (here and what == STOP):
            slot.mode = SLIDING
        elif here and what == FRICTION:
            slot.mode = GROWING
            row.direction = negated(rejection(row.normal, row.tested))
        elif was == GROWING and not here:
            slot.mode = GROWING
        else:
            slot.mode = STUCK


@inlined
def stick_slow(lasting):
    """Let the slow slips stick, which sub-steps leave where friction pressed bodies together; whether there are any."""
    found = False
    for k in range(lasting.size[N_SLOTS]):
        if lasting.slot[k].mode == SLIDING and norm(rejection(lasting.value[k].normal, lasting.value[k].slip)) <= NEW:
            lasting.slot[k].mode, found = STUCK, True
    return found


@inlined
def normal_second(row):
    """The second derivative of the gap of a slot, with the forces of contact, m/s2."""
    return dot(row.normal, row.slip_rate) + dot(row.normal_rate, row.point_slip)


@routine
def review(lasting):
    """Change the mode of the slot that contradicts its own the most: one that would pull opens, one beyond the limit of
    friction begins to slide, one that is open and closes is held again; if it would pull as it sticks, its slip grows.
    Returns whether one did.
    """
    worst, found, following = 0.0, at.NO_ROW, OPEN
    scale, rate = 0.0, 0.0
    for k in range(lasting.size[N_SLOTS]):
        scale = max(scale, force_scale(lasting.value[k]))
        rate = max(rate, norm(lasting.value[k].free))
    for k in range(lasting.size[N_SLOTS]):
        slot, row = lasting.slot[k], lasting.value[k]
        if slot.mode == OPEN:
            closes = -normal_second(row)
            slips = norm(rejection(row.normal, row.slip)) > AT_REST * lasting.speed[0]
            most = 0 if slips else 1  # of how often it was held again before
            if (
                closes > SLACK * rate
                and slot.straight <= most
                and closes / rate > worst
                and approach_of(k, lasting) >= -APPROACHES * lasting.speed[0]
            ):
                worst, found = closes / rate, k
                following = SLIDING if slips else (STUCK if slot.straight == 0 else GROWING)
        else:
            N, room = dot(row.normal, row.force), room_of_friction(row)
            if SLACK * scale < -N and -N / scale > worst:
                worst, found, following = -N / scale, k, OPEN
            elif slot.mode == STUCK and room < -SLACK * scale and -room / scale > worst:
                worst, found, following = -room / scale, k, GROWING
    if found == at.NO_ROW:
        return False
    slot, row = lasting.slot[found], lasting.value[found]
    if following == GROWING:
        row.direction = rejection(row.normal, row.slip_rate if slot.mode == OPEN else negated(row.tested))
    if slot.mode == OPEN:
        slot.straight += 1
    slot.mode = following
    return True


@inlined
def drop_open(lasting):
    """Only closed contacts are slots."""
    n = 0
    for k in range(lasting.size[N_SLOTS]):
        if lasting.slot[k].mode != OPEN:
            if n < k:
                copy_numbers(SLOT.width, lasting.slot[k], lasting.slot[n])
                copy_numbers(LASTING.width, lasting.value[k], lasting.value[n])
            lasting.slot[n].straight = 0
            n += 1
    lasting.size[N_SLOTS] = n
    find_couples(lasting)


# --- the instant


@inlined
def relative_turning(k, contacts, lasting):
    """(how fast the second body of a slot turns relative to the first, across the normal and along it, m/s at the
    size of the smaller shape; the same of the angular acceleration, m/s2).
    """
    slot, n = lasting.slot[k], lasting.value[k].normal
    a, b, size = (
        contacts.shape[slot.first].body,
        contacts.shape[slot.second].body,
        size_of(slot.first, slot.second, contacts),
    )
    omega = sub(lasting.motion[b].omega, lasting.motion[a].omega)
    free = sub(lasting.acceleration[b].angular, lasting.acceleration[a].angular)
    alpha = add(free, sub(lasting.change[b].angular, lasting.change[a].angular))
    across, rate_across = size * norm(rejection(n, omega)), size * norm(rejection(n, alpha))
    return across, size * abs(dot(n, omega)), rate_across, size * abs(dot(n, alpha))


@inlined
def mode_of_pair(k, contacts, lasting):
    """The mode of a pair to which slot k and those after it belong: it slides where any of them does; else it rests
    where the bodies do not turn relative to each other, rolls on a rounded surface, and sticks on a corner or an edge.
    """
    first, second, rate, m = lasting.slot[k].first, lasting.slot[k].second, 0.0, k
    while m < lasting.size[N_SLOTS] and lasting.slot[m].first == first and lasting.slot[m].second == second:
        if lasting.slot[m].mode != STUCK:
            return at.CAUSE_SLIDES
        rate, m = max(rate, norm(lasting.value[m].free)), m + 1
    across, along, rate_across, rate_along = relative_turning(k, contacts, lasting)
    least, least_rate = AT_REST * lasting.speed[0], SLACK * rate
    rolls = across > least or rate_across > least_rate
    if rolls and is_rounded(first, second, contacts):
        return at.CAUSE_ROLLS
    return at.CAUSE_STICKS if rolls or along > least or rate_along > least_rate else at.CAUSE_RESTS


@inlined
def is_rounded(first, second, contacts):
    """Whether bodies roll on each other there: a core that bends or is thickened touches."""
    for k in (first, second):
        if contacts.shape[k].kind != HALF_SPACE and contacts.shape_value[k].radius > 0.0:
            return True
        for kind in CURVED:
            if contacts.shape[k].kind == kind:
                return True
    return False


@inlined
def work_of_pair(first, second, n, slot: SLOT, value: LASTING):
    """(the mode of a pair that was logged, 0 if none; the work of friction since then, J), from n slots."""
    mode, work = 0, 0.0
    for k in range(n):
        if slot[k].first == first and slot[k].second == second:
            mode, work = slot[k].logged, work + value[k].work
    return mode, work


@inlined
def log_ended(first, second, now, n_old, lasting, record):
    """Log that a pair no longer touches, with the work of friction in its last mode."""
    entry = record.log_value[add_entry(at.CAUSE_ENDED, first, second, now, record)]
    _, entry.energy_after = work_of_pair(first, second, n_old, lasting.old_slot, lasting.old_value)


@inlined
def log_modes(now, n_old, contacts, lasting, arrays):
    """Log the modes of pairs that begin, with the work of friction in those that end."""
    last_first, last_second = at.NO_ROW, at.NO_ROW
    for k in range(lasting.size[N_SLOTS]):
        slot, row = lasting.slot[k], lasting.value[k]
        if slot.first == last_first and slot.second == last_second:
            slot.logged = lasting.slot[k - 1].logged
            continue
        last_first, last_second = slot.first, slot.second
        before, work = work_of_pair(slot.first, slot.second, n_old, lasting.old_slot, lasting.old_value)
        slot.logged, row.work = mode_of_pair(k, contacts, lasting), work
        if slot.logged != before:
            entry = arrays.record.log_value[add_entry(slot.logged, slot.first, slot.second, now, arrays.record)]
            write_place(k, entry, contacts, lasting, arrays)
            entry.energy_after, row.work = work, 0.0


@inlined
def write_place(k, entry: EVENT, contacts, lasting, arrays):
    """Where a slot is, in an entry of the log."""
    row, a = lasting.value[k], contacts.shape[lasting.slot[k].first].body
    entry.point = add(arrays.motions.origin[a].xyz, add(lasting.motion[a].p, row.lever_A))
    entry.normal = row.normal


@inlined
def log_pairs(now, n_old, contacts, lasting, arrays):
    """Log the pairs that begin to touch, and those that no longer do; then the modes of contact that begin."""
    record, old, count = arrays.record, arrays.last, 0
    for m in range(old.count[1]):
        if not has_slot(old.pair[m, 0], old.pair[m, 1], lasting):
            log_ended(old.pair[m, 0], old.pair[m, 1], now, n_old, lasting, record)
    for k in range(lasting.size[N_SLOTS]):
        slot, known = lasting.slot[k], False
        for m in range(old.count[1]):
            known = known or (old.pair[m, 0] == slot.first and old.pair[m, 1] == slot.second)
        for m in range(count):
            known = known or (arrays.next.pair[m, 0] == slot.first and arrays.next.pair[m, 1] == slot.second)
        if not known:
            entry = record.log_value[add_entry(at.CAUSE_BEGAN, slot.first, slot.second, now, record)]
            write_place(k, entry, contacts, lasting, arrays)
            arrays.next.pair[count, 0], arrays.next.pair[count, 1] = slot.first, slot.second
            count += 1
    n, last_first, last_second = 0, at.NO_ROW, at.NO_ROW
    for k in range(lasting.size[N_SLOTS]):
        slot = lasting.slot[k]
        if slot.first != last_first or slot.second != last_second:
            last_first, last_second = slot.first, slot.second
            old.pair[n, 0], old.pair[n, 1] = last_first, last_second
            n += 1
    old.count[0], old.count[1] = 0, n
    log_modes(now, n_old, contacts, lasting, arrays)


@routine
def settle(now, h, block, what, index, arrays):
    """What happens at an instant: impacts of all that approaches, then the modes of all that touches. `what` vanishes
    at slot `index`.
    """
    contacts, lasting = block.model.contacts, block.scratch.lasting
    lasting.size[N_EVENTS] += 1
    lasting.instant[1] = lasting.instant[1] + 1.0 if abs(now - lasting.instant[0]) <= AT_ONCE * h else 0.0
    lasting.instant[0] = now
    if lasting.size[N_EVENTS] > MOST_EVENTS or lasting.instant[1] > MOST_AT_ONCE:
        lasting.size[BEYOND] = EVENTS
        return
    if arrays.record.count[0] + MOST_IMPACTS + 4 * MOST_SLOTS > len(arrays.record.log):
        arrays.lacks[0] = LACKS_LOG
        return
    first, second, feature, tested = at.NO_ROW, at.NO_ROW, at.NO_ROW, (0.0, 0.0, 0.0)
    if what > GAP:
        first, second = lasting.slot[index].first, lasting.slot[index].second
        feature, tested = lasting.slot[index].feature, lasting.value[index].tested
    n_old = lasting.size[N_SLOTS]
    keep_slots(lasting, lasting.old_slot, lasting.old_value)
    lasting.size[N_SLOTS] = 0
    evaluate(now, block)
    write_now(block)
    write_origins(contacts, block.model, block.scratch, arrays.motions)
    if not renew_pairs(h, contacts, lasting, arrays):
        return
    collect(h, contacts, lasting, arrays)
    if lasting.size[BEYOND] != 0:
        return
    if find_islands(contacts, lasting) > MOST_OF_ISLAND:
        lasting.size[BEYOND] = PLACES
        return
    find_mobilities_of_slots(block)
    recall(what, n_old, contacts, lasting)
    for k in range(lasting.size[N_SLOTS]):
        slot = lasting.slot[k]
        if what == FRICTION and slot.first == first and slot.second == second and slot.feature == feature:
            lasting.value[k].tested = tested
    if what == REGION:
        close_contacts(now, block, arrays)
    struck = resolve_instant(now, block, arrays)
    first_modes(h, what, first, second, feature, struck, lasting)
    evaluate(now, block)
    if lasting.size[BEYOND] == PRESSES and stick_slow(lasting):
        lasting.size[BEYOND] = 0
        evaluate(now, block)
    close_contacts(now, block, arrays)
    turn = 0
    while turn < MOST_REVIEWS and review(lasting):
        evaluate(now, block)
        turn += 1
    if turn == MOST_REVIEWS:
        lasting.size[BEYOND] = MODES
    drop_open(lasting)
    find_islands(contacts, lasting)
    renew_parts(lasting)
    for k in range(MOST_OF_PAIR, lasting.size[N_SLOTS]):
        one, other = lasting.slot[k - MOST_OF_PAIR], lasting.slot[k]
        if one.first == other.first and one.second == other.second:
            lasting.size[BEYOND] = PLACES
    log_pairs(now + lasting.rest[0], n_old, contacts, lasting, arrays)
