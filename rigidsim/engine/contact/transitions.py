"""Steps of contacts that last, divided where a mode changes: a gap closes, a normal force or the room that friction has
reaches zero, a slip stops.

A step is a sequence of trials. Modes are constant in a trial, so the step of the method has its order. One that passes
an event is put back and taken again with another length, until the event is at its end; there impacts act by the law
that they have (`simultaneous.py`), and the modes are chosen anew. A step that this mode of contact has no law for
(`BEYOND`) is put back as a whole, and left to the sub-steps.
"""

from __future__ import annotations

from rigidsim.engine import layout as at
from rigidsim.engine.contact import columns as c
from rigidsim.engine.contact.arrays import LACKS_LOG, LACKS_NOTHING, LACKS_PAIRS
from rigidsim.engine.contact.bodies import LEAST_TRAVEL
from rigidsim.engine.contact.candidates import renew_candidates
from rigidsim.engine.contact.lasting import (
    BEYOND,
    EVENTS,
    FIRST_LEFT,
    GROWING,
    IS_SETTLED,
    LASTING,
    MODES,
    MOST_OF_PAIR,
    MOST_SLOTS,
    N_CALLS,
    N_EVENTS,
    N_LEFT,
    N_SLOTS,
    OPEN,
    OVERLAP,
    PLACES,
    SLIDING,
    SLOT,
    STEPPED,
    STUCK,
    WHY_LEFT,
    add_row,
    answer,
    find_places,
    find_slots,
    keep_slots,
    room_of_friction,
    solve_rows,
    write_now,
    write_slot,
)
from rigidsim.engine.contact.ledger import finish_booking
from rigidsim.engine.contact.log import add_entry, write_origins
from rigidsim.engine.contact.simultaneous import N_BODIES, N_PAIRS, N_PLACES, solve_problem
from rigidsim.engine.contact.strikes import (
    TOGETHER,
    log_pair,
    store_energies,
    sum_normal_impulses,
    surfaces_of,
    work_of,
)
from rigidsim.engine.corrections import begin_corrections, distribute
from rigidsim.engine.evaluate import evaluate, place_nodes
from rigidsim.engine.integrators.rkmk4 import WEIGHT
from rigidsim.engine.layout import copy_rows
from rigidsim.engine.parts import note_turns
from rigidsim.engine.programs import fill
from rigidsim.jit import inlined, routine
from rigidsim.physics.contact import tangents
from rigidsim.physics.contact_modes import time_of_bounces, time_to_stop, unit_across
from rigidsim.physics.inertia import apply
from rigidsim.physics.quaternion import rotate
from rigidsim.physics.step_control import parts_of_step
from rigidsim.physics.vector import add, cross, dot, negated, norm, rejection, scaled, sub

# What vanishes at an event: nothing is sought; a gap; a normal force; the room of friction; a straight slip; or a
# contact goes on to another part of a surface.
NOTHING, GAP, LIFT, FRICTION, STOP, REGION = 0, 1, 2, 3, 4, 5
DIP = 6  # a gap may have closed and opened again in a trial, which is taken again with half the length

PASSED = 1e-13  # of the smaller shape: an overlap beyond it is one that an event has passed
EXACT = 1e-16  # of the smaller shape, and of a step: round-off of gaps and of times
SLACK = 1e-9  # of the forces at a contact: an excess that is round-off
DEEP = 1e-6  # of the smaller shape: an overlap that no event explains
AT_REST = 1e-10  # of the largest speed at a contact as an event begins: a slip or a separation that is round-off
STRIKES = 1e-11  # likewise, before it, an approach that is none
DIPS = 0.45  # of its rate times the length of a trial: a gap that grows and is smaller may have been closed inside
SHORTEST = 1e-3  # of the longest trial: one so short is not halved
FAST = 0.25  # of the smaller shape: a pair that is near comes nearer by no more within a trial
GRADE, STIFF = 0.15, 0.5  # of the time to a curved stop, and of that in which friction turns a slip: longest trials
STRAIGHT = 1e-9  # of the rate of a slip: what is across it does not turn it
NEW = 1e-4  # m/s: a slip below it has no direction of its own
AGREES = 1e-9  # the difference of the direction of a slip that grows from that of its rate
BOUNCES = 1e-4  # of a step: bounces that end within it are taken as one
AT_ONCE = 1e-9  # of a step: a stop so near is now
MOST_AT_ONCE = 50  # events without progress in time
MOST_TRIALS, MOST_EVENTS, MOST_STRIKES, MOST_REVIEWS = 60, 5000, 200, 40


# --- the step


@inlined
def unsettle(scratch):
    """The modes of contact are to be chosen anew: something happened to the state."""
    scratch.lasting.size[IS_SETTLED] = 0


@inlined
def keep_step(state, arrays, lasting):
    """Keep everything as the step begins."""
    copy_rows(0, len(state), state, lasting.first_state)
    copy_rows(0, len(lasting.slot), lasting.slot, lasting.first_slot)
    copy_rows(0, len(lasting.slot), lasting.value, lasting.first_value)
    for k in range(len(lasting.size)):
        lasting.first_size[k] = lasting.size[k]
    for k in range(4):
        lasting.first_record[k] = arrays.record.count[k]
    copy_rows(0, c.CAUSES, arrays.ledger.cause, lasting.first_work)
    for k in range(2):
        lasting.first_work[c.CAUSES, k] = arrays.ledger.work[k]


@inlined
def put_step_back(state, arrays, lasting):
    """Put everything back as it was when the step began."""
    copy_rows(0, len(state), lasting.first_state, state)
    copy_rows(0, len(lasting.slot), lasting.first_slot, lasting.slot)
    copy_rows(0, len(lasting.slot), lasting.first_value, lasting.value)
    for k in range(len(lasting.size)):
        lasting.size[k] = lasting.first_size[k]
    for k in range(4):
        arrays.record.count[k] = lasting.first_record[k]
    copy_rows(0, c.CAUSES, lasting.first_work, arrays.ledger.cause)
    for k in range(2):
        arrays.ledger.work[k] = lasting.first_work[c.CAUSES, k]


@inlined
def begin_lasting(t, h, era, model, state, scratch, arrays, lanes):
    """Begin a step of length h (s) at time t, s."""
    lasting = scratch.lasting
    arrays.lacks[0] = LACKS_NOTHING
    keep_step(state, arrays, lasting)
    note_turns(h, model, state, scratch, lanes)
    search = lasting.locating
    search.done, search.longest, search.target = 0.0, h / parts_of_step(scratch.part[at.PART_COUNT][0]), 1.0 * NOTHING
    search.most = 1e300
    lasting.size[BEYOND], lasting.size[N_EVENTS], lasting.instant[1] = 0, 0, 0.0
    if lasting.size[IS_SETTLED] == 0:
        lasting.size[STEPPED] = 0
        settle(t, h, era, NOTHING, 0, model, state, scratch, arrays, lanes)
        lasting.size[IS_SETTLED] = 1


@inlined
def ends_lasting(t, model, state, scratch, arrays):
    """Whether the step was taken; if not, for lack of room or of a law, it is put back."""
    lasting = scratch.lasting
    why, lacks = lasting.size[BEYOND], arrays.lacks[0]
    if lacks != LACKS_NOTHING or why != 0:
        put_step_back(state, arrays, lasting)
        arrays.lacks[0] = lacks
        if lacks == LACKS_NOTHING:
            lasting.size[N_SLOTS], lasting.size[IS_SETTLED], lasting.size[STEPPED] = 0, 0, 1
            if lasting.left[N_LEFT] == 0.0:
                lasting.left[FIRST_LEFT], lasting.left[WHY_LEFT] = t, 1.0 * why
            lasting.left[N_LEFT] += 1.0
        return False
    write_present(model, scratch, arrays)
    return True


# --- trials


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
def write_travel(h, contacts, lasting, travel):
    """How far each shape goes within h seconds, at twice its speed: accelerations add to it."""
    for k in range(len(contacts.shape)):
        motion, value = lasting.motion[contacts.shape[k].body], contacts.shape_value[k]
        reach = norm(value.p) + (1.0 if value.bound > 1e300 else value.bound)
        way = 2.0 * h * (norm(motion.v) + norm(motion.omega) * reach)
        rests = way == 0.0 and contacts.shape[k].body >= contacts.n_moved
        least = 0.0 if value.bound > 1e300 else LEAST_TRAVEL * value.bound
        travel[k] = 0.0 if rests else max(way, least)


@inlined
def renew_pairs(h, contacts, lasting, arrays):
    """Renew the list of pairs that may touch within h seconds, and find the numbers of those of all slots; whether it
    has room.
    """
    write_travel(h, contacts, lasting, arrays.motions.travel)
    if not renew_candidates(contacts, lasting.pose, arrays.motions.travel, 0.0, arrays.candidates):
        arrays.lacks[0] = LACKS_PAIRS
        return False
    return True


@inlined
def lever_of(k, apart, contacts):
    """The largest distance of a point of a core from the centre of its body; of a plane, near a shape at a distance."""
    value = contacts.shape_value[k]
    return norm(value.p) + (apart if value.bound > 1e300 else norm(value.half))


@inlined
def closing_of(first, second, contacts, lasting):
    """(the velocity of the centre of the second body relative to the first one, and a bound of what turns add to it),
    m/s.
    """
    A, B = lasting.motion[contacts.shape[first].body], lasting.motion[contacts.shape[second].body]
    apart = norm(sub(lasting.pose[second].p, lasting.pose[first].p))
    turning = norm(A.omega) * lever_of(first, apart, contacts) + norm(B.omega) * lever_of(second, apart, contacts)
    return sub(B.v, A.v), turning


@inlined
def limit_by_pairs(length, contacts, lasting, arrays):
    """The longest trial in which no pair that is near passes through the other unseen, s. The shapes are convex, so
    they do not touch while a plane separates them.
    """
    for k in range(arrays.candidates.count[0]):
        first, second = arrays.candidates.pair[k, 0], arrays.candidates.pair[k, 1]
        v, turning = closing_of(first, second, contacts, lasting)
        size, most = size_of(first, second, contacts), norm(v) + turning
        if most * length > FAST * size and not has_slot(first, second, lasting):
            count = find_places(first, second, most * length, contacts, lasting)
            for m in range(count):
                closing = turning - dot(lasting.place[m].normal, v)
                if closing * length > FAST * size:
                    length = max(0.5 * lasting.place[m].gap, FAST * size) / closing
    return length


@inlined
def mobility_along(k, contacts, lasting):
    """What a unit force along the slip of a slot does to that, 1/kg."""
    d = lasting.value[k].along
    return dot(d, answer(k, k, d, contacts, lasting))


@inlined
def time_to_turn(k, contacts, lasting):
    """In how long friction turns the slip of a slot, s."""
    row = lasting.value[k]
    N, S = max(dot(row.normal, row.force), 0.0), norm(rejection(row.normal, row.slip))
    rate = row.friction * N * mobility_along(k, contacts, lasting)
    return S / rate if rate > 0.0 else 1e300


@inlined
def limit_by_slips(h, length, contacts, lasting):
    """The longest trial that resolves all slips, s; it ends at 0 where one stops now."""
    for k in range(lasting.size[N_SLOTS]):
        slot, row = lasting.slot[k], lasting.value[k]
        if slot.mode == SLIDING and row.friction > 0.0:
            n, u = row.normal, rejection(row.normal, row.slip)
            S, x = norm(u), rejection(n, row.slip_rate)
            d = unit_across(n, u, row.along)
            rate, across = dot(d, x), norm(rejection(d, x))
            stop, turns = time_to_stop(S, rate), time_to_turn(k, contacts, lasting)
            slot.straight = 1 if across <= STRAIGHT * abs(rate) and stop >= 0.0 and stop <= 4.0 * length else 0
            if slot.straight > 0:
                row.direction = d
            if stop >= 0.0 and stop <= AT_ONCE * h:
                return 0.0, k
            if slot.straight == 0:
                length = min(length, STIFF * turns)
                if stop >= 0.0 and GRADE * stop < length:
                    length = max(GRADE * stop, AT_ONCE * h)
    return length, at.NO_ROW


@inlined
def next_trial(t, t_end, h, era, model, state, scratch, arrays, lanes):
    """Set the times of the next trial of a step from t to t_end = t + h, s. Returns its length, 0 if all is done."""
    lasting, contacts = scratch.lasting, model.contacts
    search = lasting.locating
    while search.done < h and lasting.size[BEYOND] == 0 and arrays.lacks[0] == LACKS_NOTHING:
        if int(search.target) == NOTHING:
            length, stops = limit_by_slips(h, min(search.longest, search.most, h - search.done), contacts, lasting)
            if stops != at.NO_ROW:
                settle(t + search.done, h, era, STOP, stops, model, state, scratch, arrays, lanes)
                continue
            if lasting.size[N_SLOTS] == 0:
                place_nodes(model.active, t + search.done, model, state, scratch, lanes)
                write_now(model, scratch, lanes)
            if not renew_pairs(length, contacts, lasting, arrays):
                return 0.0
            length = limit_by_pairs(length, contacts, lasting, arrays)
            if length > (1.0 - AT_ONCE) * (h - search.done):
                length = h - search.done
            search.length = length
            copy_rows(0, len(state), state, scratch.before)
            keep_slots(lasting, lasting.old_slot, lasting.old_value)
        part = scratch.part
        fill(part[at.PART_BEGIN], t + search.done, lanes)
        is_last = search.length >= h - search.done
        fill(part[at.PART_END], t_end if is_last else t + search.done + search.length, lanes)
        fill(part[at.PART_LENGTH], search.length, lanes)
        lasting.size[N_CALLS] = 0
        return search.length
    return 0.0


# --- margins


@inlined
def force_scale(row):
    """The size of the forces at a contact, N."""
    return norm(row.force)


@inlined
def margin_at(target, k, lasting):
    """A margin of a slot, negative beyond its event, and what of it is round-off."""
    slot, row = lasting.slot[k], lasting.value[k]
    if target == LIFT:
        return dot(row.normal, row.force)
    if target == FRICTION:
        return room_of_friction(row)
    if target == STOP:
        return dot(row.along, row.slip)
    return -1.0 if slot.lost > 0 or slot.region != lasting.old_slot[k].region else 1.0


@inlined
def concerns(target, k, lasting):
    """Whether a slot has such a margin."""
    slot = lasting.slot[k]
    if target == FRICTION:
        return slot.mode == STUCK
    if target == STOP:
        return slot.mode == SLIDING and slot.straight > 0
    return slot.mode != OPEN


@inlined
def margin_before(target, k, lasting):
    """The margin of a slot at the beginning of the trial."""
    row = lasting.old_value[k]
    if target == LIFT:
        return dot(row.normal, row.force)
    if target == FRICTION:
        return room_of_friction(row)
    if target == STOP:
        return norm(rejection(row.normal, row.slip))
    return 1.0


@inlined
def slack_of(target, k, lasting):
    """What of a margin is round-off."""
    before, now = lasting.old_value[k], lasting.value[k]
    return 0.0 if target >= STOP else SLACK * max(force_scale(before), force_scale(now))


@inlined
def is_slot(first, second, feature, lasting):
    """Whether a place is one of a slot."""
    for k in range(lasting.size[N_SLOTS]):
        slot = lasting.slot[k]
        if slot.first == first and slot.second == second and slot.feature == feature:
            return True
    return False


@inlined
def rate_at_place(place, first, second, contacts, lasting):
    """The rate of the gap at a place, m/s."""
    A, B = lasting.motion[contacts.shape[first].body], lasting.motion[contacts.shape[second].body]
    r_A = add(sub(lasting.pose[first].p, A.p), place.first)
    r_B = add(sub(lasting.pose[second].p, B.p), place.second)
    u = sub(add(B.v, cross(B.omega, r_B)), add(A.v, cross(A.omega, r_A)))
    return dot(place.normal, u)


@inlined
def has_slot(first, second, lasting):
    """Whether some slot is one of this pair."""
    for k in range(lasting.size[N_SLOTS]):
        if lasting.slot[k].first == first and lasting.slot[k].second == second:
            return True
    return False


@routine
def least_gap(first, second, contacts, lasting):
    """(gap, its rate) of the lowest place of a pair that is no slot, as it is placed now."""
    count, gap, rate = find_places(first, second, 1e30, contacts, lasting), 1e300, 0.0
    for m in range(count):
        place = lasting.place[m]
        if place.gap < gap and not is_slot(first, second, int(place.feature), lasting):
            gap, rate = place.gap, rate_at_place(place, first, second, contacts, lasting)
    return gap, rate


@routine
def find_target(contacts, arrays, lasting):
    """The event that comes first in the trial that was taken, by interpolation: (what, time from its beginning)."""
    search = lasting.locating
    length, soonest, what = search.length, 1e300, NOTHING
    for k in range(lasting.size[N_SLOTS]):
        for target in (LIFT, FRICTION, STOP, REGION):
            if concerns(target, k, lasting):
                after = margin_at(target, k, lasting)
                if after < -slack_of(target, k, lasting):
                    before = margin_before(target, k, lasting)
                    time = length * before / (before - after) if before > 0.0 else 0.0
                    if time < soonest:
                        soonest, what = time, target
                        search.first, search.second = 1.0 * k, 0.0
                        search.at_low, search.at_high = before, after
    for m in range(arrays.candidates.count[0]):
        first, second = arrays.candidates.pair[m, 0], arrays.candidates.pair[m, 1]
        gap, rate = least_gap(first, second, contacts, lasting)
        if what == NOTHING and gap < DIPS * rate * length and length > SHORTEST * search.longest:
            soonest, what = 1e299, DIP
        if gap < -PASSED * size_of(first, second, contacts):
            time = length - gap / rate if rate < 0.0 else 0.5 * length
            time = max(time, 0.0)
            if time < soonest:
                soonest, what = time, GAP
                search.first, search.second = 1.0 * first, 1.0 * second
                search.at_low, search.at_high = 1.0, gap
    return what, soonest


@inlined
def inside(time, search):
    """A time within the bracket of a search."""
    if time > search.low and time < search.high:
        return time
    return 0.5 * (search.low + search.high)


@inlined
def narrow_gap(h, contacts, lasting):
    """Newton's method for the time at which a gap closes; whether it is found."""
    search = lasting.locating
    first, second, this = int(search.first), int(search.second), search.length
    gap, rate = least_gap(first, second, contacts, lasting)
    if gap < 0.0:
        search.high = this
    else:
        search.low = this
    following = this - gap / rate if rate != 0.0 else this
    near = max(EXACT * h, 4.0 * EXACT * this)
    if abs(gap) <= EXACT * size_of(first, second, contacts) or abs(following - this) <= near:
        return True
    if search.high - search.low <= near:
        return True
    search.length = inside(following, search)
    return False


@inlined
def narrow_margin(h, lasting):
    """Regula falsi (Illinois) for the time at which a margin vanishes; whether it is found."""
    search = lasting.locating
    target, k, this = int(search.target), int(search.first), search.length
    margin = margin_at(target, k, lasting)
    if margin > 0.0:
        search.low, search.at_low = this, margin
        search.at_high = 0.5 * search.at_high if search.side > 0.0 else search.at_high
        search.side = 1.0
    else:
        search.high, search.at_high = this, margin
        search.at_low = 0.5 * search.at_low if search.side < 0.0 else search.at_low
        search.side = -1.0
    near = (1e3 if target == REGION else 4.0) * EXACT * h
    if margin == 0.0 or search.high - search.low <= near:
        return True
    search.length = inside(
        search.low + (search.high - search.low) * search.at_low / (search.at_low - search.at_high), search
    )
    return False


@inlined
def begin_search(what, time, lasting):
    """Seek an event inside of the trial that was taken."""
    search = lasting.locating
    search.target, search.low, search.high, search.side, search.tried = 1.0 * what, 0.0, search.length, 0.0, 0.0
    search.length = inside(time, search)


@inlined
def put_trial_back(state, scratch):
    """The state at the beginning of the trial."""
    lasting = scratch.lasting
    copy_rows(0, len(state), scratch.before, state)
    copy_rows(0, lasting.size[N_SLOTS], lasting.old_slot, lasting.slot)
    copy_rows(0, lasting.size[N_SLOTS], lasting.old_value, lasting.value)


@inlined
def look_at_end(now, era, model, state, scratch, lanes):
    """Evaluate the state at the end of a trial."""
    calls = scratch.lasting.size[N_CALLS]
    evaluate(now, era, model, state, scratch, lanes)
    scratch.lasting.size[N_CALLS] = calls
    if scratch.lasting.size[N_SLOTS] == 0:
        write_now(model, scratch, lanes)


@inlined
def end_trial(t, t_end, h, era, model, state, scratch, arrays, lanes):
    """Look at the state at the end of a trial: take it, or put it back and say how long the next one is."""
    lasting, contacts = scratch.lasting, model.contacts
    search = lasting.locating
    is_last = search.length >= h - search.done
    now = t_end if is_last else t + search.done + search.length
    look_at_end(now, era, model, state, scratch, lanes)
    what, index = int(search.target), int(search.first)
    if what != NOTHING:
        search.tried += 1.0
        found = narrow_gap(h, contacts, lasting) if what == GAP else narrow_margin(h, lasting)
        if not found and search.tried < MOST_TRIALS:
            put_trial_back(state, scratch)
            return
    else:
        what, time = find_target(contacts, arrays, lasting)
        search.most = 1e300
        if what == DIP:
            search.most = 0.5 * search.length
            put_trial_back(state, scratch)
            if lasting.size[N_SLOTS] > 0:
                evaluate(t + search.done, era, model, state, scratch, lanes)
            return
        if what != NOTHING:
            begin_search(what, time, lasting)
            put_trial_back(state, scratch)
            if time <= 0.0 and what != GAP:
                index = int(search.first)
                search.target = 1.0 * NOTHING
                evaluate(t + search.done, era, model, state, scratch, lanes)
                settle(t + search.done, h, era, what, index, model, state, scratch, arrays, lanes)
            return
    for k in range(lasting.size[N_SLOTS]):
        along = lasting.value[k].along
        lasting.value[k].direction = along
    note_work(scratch.part[at.PART_LENGTH][0], lasting, arrays.ledger)
    search.done = h if is_last else search.done + scratch.part[at.PART_LENGTH][0]
    search.target = 1.0 * NOTHING
    if what != REGION:
        close_contacts(now, era, model, state, scratch, arrays, lanes)
    if what != NOTHING:
        settle(now, h, era, what, index, model, state, scratch, arrays, lanes)
    else:
        renew_growing(now, h, era, model, state, scratch, arrays, lanes)


@inlined
def renew_growing(now, h, era, model, state, scratch, arrays, lanes):
    """Give slips that grew a direction of their own; choose anew where one does not grow."""
    lasting, contacts = scratch.lasting, model.contacts
    for k in range(lasting.size[N_SLOTS]):
        slot, row = lasting.slot[k], lasting.value[k]
        if slot.mode == GROWING:
            u = rejection(row.normal, row.slip)
            S, along = norm(u), dot(row.along, u)
            agrees = norm(sub(u, scaled(along, row.along))) <= AGREES * S
            stiff = STIFF * time_to_turn(k, contacts, lasting) < lasting.locating.longest
            if along < -AT_REST * speed_of(k, contacts, lasting):
                settle(now, h, era, STOP, k, model, state, scratch, arrays, lanes)
                return
            if S > NEW and not (stiff and agrees):
                slot.mode = SLIDING


@inlined
def note_work(h, lasting, ledger):
    """Book the work of contact in a trial of h seconds, by the weights of the stages of the method."""
    friction, driven = 0.0, 0.0
    if lasting.size[N_CALLS] == 0:
        return
    for k in range(4):
        friction += h * WEIGHT[k] * lasting.power[k, 0]
        driven += h * WEIGHT[k] * lasting.power[k, 1]
    ledger.step[:] = 0.0
    ledger.step[c.W_FRICTION], ledger.step[c.W_DRIVEN] = friction, driven
    finish_booking(friction + driven, ledger)


# --- projection


@inlined
def rows_of_velocities(contacts, lasting):
    """The rows whose slip is zero; how many there are, and the largest slip in parts of the speeds."""
    n_row, most = 0, 0.0
    for k in range(lasting.size[N_SLOTS]):
        slot, row, speed = lasting.slot[k], lasting.value[k], speed_of(k, contacts, lasting)
        n, u = row.normal, row.slip
        if slot.mode == OPEN:
            continue
        lasting.right[n_row] = -dot(n, u)
        n_row = add_row(n_row, k, n, n, lasting)
        left = abs(dot(n, u))
        if slot.mode == STUCK:
            t, b = tangents(n)
            lasting.right[n_row], lasting.right[n_row + 1] = -dot(t, u), -dot(b, u)
            n_row = add_row(add_row(n_row, k, t, t, lasting), k, b, b, lasting)
            left = norm(u)
        most = max(most, left / speed if speed > 0.0 else 0.0)
    return n_row, most


@inlined
def rows_of_gaps(contacts, lasting):
    """The rows of gaps; how many there are, and the largest in parts of the sizes."""
    n_row, most = 0, 0.0
    for k in range(lasting.size[N_SLOTS]):
        slot, row = lasting.slot[k], lasting.value[k]
        if slot.mode != OPEN:
            lasting.right[n_row] = -row.gap
            most = max(most, abs(row.gap) / size_of(slot.first, slot.second, contacts))
            n_row = add_row(n_row, k, row.normal, row.normal, lasting)
    return n_row, most


@inlined
def correct_bodies(n, moves, contacts, lasting, made):
    """Add what the multipliers of n rows do to the corrections of bodies: displacements, or changes of velocity."""
    for i in range(n):
        k, f = lasting.row_slot[i], scaled(lasting.x[i], lasting.row[i].push)
        row, slot = lasting.value[k], lasting.slot[k]
        for s in range(2):
            b = contacts.shape[slot.second if s == 1 else slot.first].body
            if b < contacts.n_moved:
                P, r = (f, row.lever_B) if s == 1 else (negated(f), row.lever_A)
                push_correction(b, P, r, moves, contacts, lasting, made)


@inlined
def push_correction(b, P, r, moves, contacts, lasting, made):
    """An impulse on a body, or the displacement that goes with it."""
    row, node, inverse = contacts.body[b].row, contacts.body[b].node, lasting.inverse[b]
    own, L = made.own[row], cross(r, P)
    made.is_settled[row], made.source[node + 1] = 1, node + 1
    if moves:
        own.p, own.turn = add(own.p, scaled(inverse.mass, P)), add(own.turn, apply(inverse.inertia, L))
    else:
        own.v, own.omega = add(own.v, scaled(inverse.mass, P)), add(own.omega, L)


@inlined
def close_contacts(now, era, model, state, scratch, arrays, lanes):
    """Close the gaps of all closed contacts and end their slips, where more than round-off is left: the smallest
    displacement and change of velocities, measured by the mass matrix. The state was evaluated.
    """
    lasting, contacts, made = scratch.lasting, model.contacts, arrays.corrections
    n_gap, widest = rows_of_gaps(contacts, lasting)
    if n_gap == 0:
        return
    n_slip, fastest = 0, 0.0
    begin_corrections(made)
    if widest > EXACT:
        solve_rows(n_gap, contacts, lasting)
        correct_bodies(n_gap, True, contacts, lasting, made)
    n_slip, fastest = rows_of_velocities(contacts, lasting)
    if fastest > EXACT:
        solve_rows(n_slip, contacts, lasting)
        correct_bodies(n_slip, False, contacts, lasting, made)
    if widest > EXACT or fastest > EXACT:
        distribute(model.active, model, state, scratch, made, lanes)
        arrays.ledger.step[:] = 0.0
        finish_booking(made.gained[at.OF_OTHERS].value + made.gained[at.INHERITED].value, arrays.ledger)
        look_at_end(now, era, model, state, scratch, lanes)


# --- what happens at an event


@inlined
def collect(contacts, lasting, arrays):
    """Make all places that touch slots, in the order of pairs; modes and directions are those of before, if they were
    there.
    """
    n = 0
    for m in range(arrays.candidates.count[0]):
        first, second = arrays.candidates.pair[m, 0], arrays.candidates.pair[m, 1]
        size = size_of(first, second, contacts)
        count = find_places(first, second, TOGETHER * size, contacts, lasting)
        for p in range(count):
            if lasting.place[p].gap < -DEEP * size:
                lasting.size[BEYOND] = OVERLAP
            if n >= MOST_SLOTS:
                lasting.size[BEYOND] = PLACES
            if lasting.size[BEYOND] == 0:
                slot, row = lasting.slot[n], lasting.value[n]
                slot.first, slot.second, slot.pair = first, second, m
                slot.feature, slot.mode, slot.lost, slot.straight = int(lasting.place[p].feature), OPEN, 0, 0
                row.restitution, row.friction = surfaces_of(first, second, contacts)
                row.direction, row.force = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
                write_slot(lasting.place[p], contacts, lasting, slot, row)
                n += 1
    lasting.size[N_SLOTS], lasting.speed[0] = n, 0.0
    for k in range(n):
        lasting.speed[0] = max(lasting.speed[0], speed_of(k, contacts, lasting))


@inlined
def recall(what, n_old, lasting):
    """Take over the directions of slips of contacts that were there before, maybe with another feature."""
    for k in range(lasting.size[N_SLOTS]):
        slot, row = lasting.slot[k], lasting.value[k]
        for m in range(n_old):
            old = lasting.old_slot[m]
            same = old.feature == slot.feature or what == REGION
            if old.first == slot.first and old.second == slot.second and same:
                row.direction = lasting.old_value[m].direction
                slot.mode = old.mode


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
        if u > most and u > STRIKES * lasting.speed[0]:
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
def number_of_pair(k, problem):
    """The number of a pair of candidates in the problem."""
    for p in range(problem.size[N_PAIRS]):
        if problem.pair[p] == k:
            return p
    problem.pair[problem.size[N_PAIRS]] = k
    problem.size[N_PAIRS] += 1
    return problem.size[N_PAIRS] - 1


@inlined
def shares_body(k, problem, contacts, lasting):
    """Whether a body of a slot that forces move is in the problem."""
    slot = lasting.slot[k]
    for m in range(problem.size[N_BODIES]):
        b = problem.body[m]
        if b < contacts.n_moved and (b == contacts.shape[slot.first].body or b == contacts.shape[slot.second].body):
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
    """The restitution of an approach, 0 if the bounces after it end within a moment; that is noted."""
    row = lasting.value[k]
    e, u = row.restitution, max(approach_of(k, lasting), 0.0)
    pull = -(dot(row.normal, row.free) + dot(row.normal_rate, row.slip))
    if e < 1.0 and e > 0.0 and pull > 0.0:
        rest = time_of_bounces(e * u, pull, e)
        if rest <= BOUNCES * step:
            lasting.rest[0] = rest
            return 0.0
    return e


@inlined
def gather(k, step, problem, contacts, lasting):
    """The problem of all that is struck together with a slot: what approaches, and what touches without restitution,
    connected through bodies that forces move.
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
                approaches = approach_of(m, lasting) > STRIKES * lasting.speed[0]
                e = restitution_of(m, step, lasting) if approaches else lasting.value[m].restitution
                if approaches or e == 0.0:
                    add_place(m, e, problem, contacts, lasting)
                    grows = True


@inlined
def deliver(now, model, state, scratch, arrays, lanes):
    """Let the impulses of a problem act, book and log them."""
    contacts, lasting, made, problem = model.contacts, scratch.lasting, arrays.corrections, arrays.impacts.problem
    record, ledger = arrays.record, arrays.ledger
    sum_normal_impulses(problem)
    ledger.step[:] = 0.0
    begin_corrections(made)
    for i in range(problem.size[N_PLACES]):
        normal, tangential, driven = work_of(i, problem)
        ledger.step[c.W_RESTITUTION] += normal
        ledger.step[c.W_IMPACT_FRICTION] += tangential
        ledger.step[c.W_DRIVEN] += driven
        row, who = problem.place[i], problem.who[i]
        a, b, P = problem.body[who.a], problem.body[who.b], row.P
        if a < contacts.n_moved:
            push_correction(a, negated(P), row.lever_A, False, contacts, lasting, made)
        if b < contacts.n_moved:
            push_correction(b, P, row.lever_B, False, contacts, lasting, made)
    for p in range(problem.size[N_PAIRS]):
        if problem.impulse[p] > 0.0:
            k = add_entry(at.CAUSE_IMPACT, 0, 0, now, record)
            log_pair(p, now, arrays.candidates.pair, problem, record.log[k], record.log_value[k])
            entry, first = record.log_value[k], record.log[k].first
            entry.point = add(entry.point, arrays.motions.origin[contacts.shape[first].body].xyz)
    distribute(model.active, model, state, scratch, made, lanes)
    finish_booking(made.gained[at.OF_OTHERS].value + made.gained[at.INHERITED].value, ledger)


@inlined
def place_contacts(now, model, state, scratch, lanes):
    """Place all frames and slots; accelerations without contact are those of before."""
    place_nodes(model.active, now, model, state, scratch, lanes)
    write_now(model, scratch, lanes)
    find_slots(model.contacts, scratch.lasting)


@inlined
def strike_all(now, model, state, scratch, arrays, lanes):
    """All impacts at an instant, one problem after the other, until nothing approaches; whether there were any."""
    contacts, lasting, problem = model.contacts, scratch.lasting, arrays.impacts.problem
    struck, count = False, 0
    lasting.rest[0] = 0.0
    k = fastest_approach(lasting)
    while k != at.NO_ROW and count < MOST_STRIKES:
        gather(k, model.step, problem, contacts, lasting)
        store_energies(contacts, model.body, problem)
        solve_problem(problem, None)
        deliver(now, model, state, scratch, arrays, lanes)
        place_contacts(now, model, state, scratch, lanes)
        struck, count = True, count + 1
        k = fastest_approach(lasting)
    if k != at.NO_ROW:
        lasting.size[BEYOND] = EVENTS
    return struck


@inlined
def first_modes(what, first, second, feature, contacts, lasting):
    """The modes of all slots by their slips; that of the one at which an event was found follows from that."""
    for k in range(lasting.size[N_SLOTS]):
        slot, row = lasting.slot[k], lasting.value[k]
        speed, was = lasting.speed[0], slot.mode
        u = rejection(row.normal, row.slip)
        here = slot.first == first and slot.second == second and slot.feature == feature
        if -approach_of(k, lasting) > AT_REST * speed or (here and what == LIFT):
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
def normal_second(row):
    """The second derivative of the gap of a slot, with the forces of contact, m/s2."""
    return dot(row.normal, row.slip_rate) + dot(row.normal_rate, row.slip)


@routine
def review(turn, lasting):
    """Change the mode of the slot that contradicts its own the most: one that would pull opens, one beyond the limit of
    friction begins to slide, one that is open and closes is held again. Returns whether one did.
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
            if (
                closes > SLACK * rate
                and slot.straight == 0
                and closes / rate > worst
                and approach_of(k, lasting) >= 0.0
            ):
                worst, found, following = closes / rate, k, STUCK
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
        row.direction = negated(rejection(row.normal, row.tested))
    if following == STUCK:
        slot.straight = 1  # once
    slot.mode = following
    return True


@inlined
def drop_open(lasting):
    """Only closed contacts are slots."""
    n = 0
    for k in range(lasting.size[N_SLOTS]):
        if lasting.slot[k].mode != OPEN:
            if n < k:
                copy_row(SLOT.width, lasting.slot[k], lasting.slot[n])
                copy_row(LASTING.width, lasting.value[k], lasting.value[n])
            lasting.slot[n].straight = 0
            n += 1
    lasting.size[N_SLOTS] = n


@inlined
def copy_row(width, source, target):
    """Copy one row to another of the same array."""
    for m in range(width):
        target[m] = source[m]


@inlined
def log_pairs(now, contacts, lasting, arrays):
    """Log the pairs that begin to touch, and those that no longer do."""
    record, old, count = arrays.record, arrays.last, 0
    for m in range(old.count[1]):
        if not has_slot(old.pair[m, 0], old.pair[m, 1], lasting):
            add_entry(at.CAUSE_ENDED, old.pair[m, 0], old.pair[m, 1], now, record)
    for k in range(lasting.size[N_SLOTS]):
        slot, row, known = lasting.slot[k], lasting.value[k], False
        for m in range(old.count[1]):
            known = known or (old.pair[m, 0] == slot.first and old.pair[m, 1] == slot.second)
        for m in range(count):
            known = known or (arrays.next.pair[m, 0] == slot.first and arrays.next.pair[m, 1] == slot.second)
        if not known:
            entry = record.log_value[add_entry(at.CAUSE_BEGAN, slot.first, slot.second, now, record)]
            a = contacts.shape[slot.first].body
            entry.point = add(arrays.motions.origin[a].xyz, add(lasting.motion[a].p, row.lever_A))
            entry.normal = row.normal
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


@inlined
def write_present(model, scratch, arrays):
    """Write the contact points at the end of the step."""
    record, lasting, contacts = arrays.record, scratch.lasting, model.contacts
    if lasting.size[N_SLOTS] > 0:
        write_origins(contacts, model, scratch, arrays.motions)
    for k in range(lasting.size[N_SLOTS]):
        slot, value = lasting.slot[k], lasting.value[k]
        a, row, point = contacts.shape[slot.first].body, record.present[k], record.present_value[k]
        row.sample, row.first, row.second, row.feature = c.NOTHING_SAMPLED, slot.first, slot.second, slot.feature
        point.point = add(arrays.motions.origin[a].xyz, add(lasting.motion[a].p, value.lever_A))
        point.normal, point.force = value.normal, value.force
    record.count[2] = lasting.size[N_SLOTS]


@routine
def settle(now, h, era, what, index, model, state, scratch, arrays, lanes):
    """What happens at an instant: impacts of all that approaches, then the modes of all that touches. `what` vanishes
    at slot `index`.
    """
    contacts, lasting = model.contacts, scratch.lasting
    lasting.size[N_EVENTS] += 1
    lasting.instant[1] = lasting.instant[1] + 1.0 if abs(now - lasting.instant[0]) <= AT_ONCE * h else 0.0
    lasting.instant[0] = now
    if lasting.size[N_EVENTS] > MOST_EVENTS or lasting.instant[1] > MOST_AT_ONCE:
        lasting.size[BEYOND] = EVENTS
        return
    if arrays.record.count[0] + MOST_STRIKES + 4 * MOST_SLOTS > len(arrays.record.log):
        arrays.lacks[0] = LACKS_LOG
        return
    first, second, feature, tested = at.NO_ROW, at.NO_ROW, at.NO_ROW, (0.0, 0.0, 0.0)
    if what > GAP:
        first, second = lasting.slot[index].first, lasting.slot[index].second
        feature, tested = lasting.slot[index].feature, lasting.value[index].tested
    n_old = lasting.size[N_SLOTS]
    keep_slots(lasting, lasting.old_slot, lasting.old_value)
    lasting.size[N_SLOTS] = 0
    evaluate(now, era, model, state, scratch, lanes)
    write_now(model, scratch, lanes)
    write_origins(contacts, model, scratch, arrays.motions)
    if not renew_pairs(h, contacts, lasting, arrays):
        return
    collect(contacts, lasting, arrays)
    if lasting.size[BEYOND] != 0:
        return
    recall(what, n_old, lasting)
    for k in range(lasting.size[N_SLOTS]):
        slot = lasting.slot[k]
        if what == FRICTION and slot.first == first and slot.second == second and slot.feature == feature:
            lasting.value[k].tested = tested
    if what == REGION:
        close_contacts(now, era, model, state, scratch, arrays, lanes)
    strike_all(now, model, state, scratch, arrays, lanes)
    first_modes(what, first, second, feature, contacts, lasting)
    evaluate(now, era, model, state, scratch, lanes)
    close_contacts(now, era, model, state, scratch, arrays, lanes)
    turn = 0
    while turn < MOST_REVIEWS and review(turn, lasting):
        evaluate(now, era, model, state, scratch, lanes)
        turn += 1
    if turn == MOST_REVIEWS:
        lasting.size[BEYOND] = MODES
    drop_open(lasting)
    for k in range(MOST_OF_PAIR, lasting.size[N_SLOTS]):
        one, other = lasting.slot[k - MOST_OF_PAIR], lasting.slot[k]
        if one.first == other.first and one.second == other.second:
            lasting.size[BEYOND] = PLACES
    log_pairs(now + lasting.rest[0], contacts, lasting, arrays)
