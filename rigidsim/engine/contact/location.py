"""Where in a trial of contacts that last the first event is: the guards of slots and the gaps of other places, and the
search for the time at which one vanishes.
"""

from __future__ import annotations

from rigidsim.engine.contact.lasting import (
    EXACT,
    N_SLOTS,
    OPEN,
    SLIDING,
    STUCK,
    find_places,
    room_of_friction,
    size_of,
    speed_of,
)
from rigidsim.jit import inlined, routine
from rigidsim.physics.vector import add, cross, dot, norm, rejection, scaled, sub

# What vanishes at an event: nothing is sought; a gap; a normal force; the room of friction; a straight slip; or a
# contact goes on to another part of a surface.
NOTHING, GAP, LIFT, FRICTION, STOP, REGION = 0, 1, 2, 3, 4, 5
DIP = 6  # a gap may have closed and opened again in a trial, or a slip that was straight has turned: half the length

TURNED = 1e-7  # of a slip: what is across it
PASSED = 1e-13  # of the smaller shape: an overlap beyond it is one that an event has passed
SLACK = 1e-9  # of the forces at a contact: an excess that is round-off
DIPS = 0.45  # of its rate times the length of a trial: a gap that grows and is smaller may have been closed inside
BEFORE = 16.0  # of the precision of a search: a trial that ends before a change of parts is longer
SHORTEST = 1e-3  # of the longest trial: one so short is not halved


# --- guards


@inlined
def force_scale(row):
    """The size of the forces at a contact, N."""
    return norm(row.force)


@inlined
def guard_at(target, k, lasting):
    """A guard of a slot, negative beyond its event, and what of it is round-off."""
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
    """Whether a slot has such a guard."""
    slot = lasting.slot[k]
    if target == FRICTION:
        return slot.mode == STUCK
    if target == STOP:
        return slot.mode == SLIDING and slot.straight > 0
    return slot.mode != OPEN


@inlined
def guard_before(target, k, lasting):
    """The guard of a slot at the beginning of the trial."""
    row = lasting.old_value[k]
    if target == LIFT:
        return dot(row.normal, row.force)
    if target == FRICTION:
        return room_of_friction(row)
    if target == STOP:
        return norm(rejection(row.normal, row.slip))
    return 1.0


@inlined
def bends(k, contacts, lasting):
    """Whether a slip that began straight has turned in the trial."""
    row, before = lasting.value[k], lasting.old_value[k]
    u, start = rejection(row.normal, row.slip), norm(rejection(before.normal, before.slip))
    across = norm(sub(u, scaled(dot(row.along, u), row.along)))
    return across > TURNED * (start + norm(u)) + 64.0 * EXACT * speed_of(k, contacts, lasting)


@inlined
def slack_of(target, k, lasting):
    """What of a guard is round-off."""
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


@routine
def least_gap(first, second, contacts, lasting):
    """(gap, its rate) of the lowest place of a pair that is no slot, as it is placed now."""
    count, gap, rate = find_places(first, second, 1e30, contacts, lasting), 1e300, 0.0
    for m in range(count):
        place = lasting.place[m]
        if place.gap < gap and not is_slot(first, second, int(place.feature), lasting):
            gap, rate = place.gap, rate_at_place(place, first, second, contacts, lasting)
    return gap, rate


# --- the search


@routine
def find_target(contacts, arrays, lasting):
    """The event that comes first in the trial that was taken, by interpolation: (what, time from its beginning)."""
    search = lasting.locating
    length, soonest, what = search.length, 1e300, NOTHING
    for k in range(lasting.size[N_SLOTS]):
        for target in (LIFT, FRICTION, STOP, REGION):
            if concerns(target, k, lasting):
                after = guard_at(target, k, lasting)
                if target == STOP and bends(k, contacts, lasting) and length > SHORTEST * search.longest:
                    return DIP, 1e299
                if after < -slack_of(target, k, lasting):
                    before = guard_before(target, k, lasting)
                    time = length * before / (before - after) if before > 0.0 else 0.0
                    if time < soonest:
                        soonest, what = time, target
                        search.first, search.second = 1.0 * k, 0.0
                        search.at_low, search.at_high = before, after
    for m in range(arrays.candidates.count[0]):
        first, second = arrays.candidates.pair[m, 0], arrays.candidates.pair[m, 1]
        gap, rate = least_gap(first, second, contacts, lasting)
        passed = PASSED * size_of(first, second, contacts)
        if what == NOTHING and gap + passed < DIPS * rate * length and length > SHORTEST * search.longest:
            soonest, what = 1e299, DIP
        if gap < -passed:
            time = length - gap / rate if rate < 0.0 else 0.5 * length
            time = max(time, 0.0)
            if time < soonest:
                soonest, what = time, GAP
                search.first, search.second = 1.0 * first, 1.0 * second
                search.at_low, search.at_high = 1.0, gap
    return what, soonest


@inlined
def passed_before(h, contacts, arrays, lasting):
    """Another event that is passed before the one that was found at the end of a trial, as `find_target` gives it;
    NOTHING if there is none.
    """
    search = lasting.locating
    first, second, target = search.first, search.second, int(search.target)
    what, time = find_target(contacts, arrays, lasting)
    differs = what != target or search.first != first or search.second != second
    if what != NOTHING and what != DIP and differs and time < search.length - 16.0 * EXACT * h:
        return what, time
    search.first, search.second = first, second
    return NOTHING, time


@inlined
def inside(time, search):
    """A time within the bracket of a search."""
    if time > search.low and time < search.high:
        return time
    return 0.5 * (search.low + search.high)


@inlined
def bracket_gap(h, contacts, lasting):
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
def bracket_guard(h, lasting):
    """Regula falsi (Illinois) for the time at which a guard vanishes; whether it is found."""
    search = lasting.locating
    target, k, this = int(search.target), int(search.first), search.length
    guard = guard_at(target, k, lasting)
    if guard > 0.0:
        search.low, search.at_low = this, guard
        search.at_high = 0.5 * search.at_high if search.side > 0.0 else search.at_high
        search.side = 1.0
    else:
        search.high, search.at_high = this, guard
        search.at_low = 0.5 * search.at_low if search.side < 0.0 else search.at_low
        search.side = -1.0
    near = (1e3 if target == REGION else 4.0) * EXACT * h
    if guard == 0.0 or search.high - search.low <= near:
        if target != REGION:
            return True
        # The event is to find the contact on the other part. Before it gaps are closed on this one: that displaces the
        # bodies a little, and may not change the part again.
        search.length = search.low if search.low > BEFORE * near else search.high
        return this == search.length
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
