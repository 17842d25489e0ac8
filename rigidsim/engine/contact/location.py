"""Where in a trial of contacts that last the first event is: the guards of slots and the gaps of other places, and the
search for the time at which one vanishes.
"""

from __future__ import annotations

from rigidsim.engine.constraints.lasting import (
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
from rigidsim.physics.roots import enclosed, next_guess
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
                        search.last, search.other = (length, after), (0.0, before)
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
                search.last, search.other = (length, gap), (0.0, 1.0)
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
def ends_of(search):
    """The bracket of a search, s: a time before the event and one after it."""
    one, other = search.last[0], search.other[0]
    return min(one, other), max(one, other)


@inlined
def inside(time, search):
    """A time within the bracket of a search."""
    low, high = ends_of(search)
    return time if time > low and time < high else 0.5 * (low + high)


@inlined
def bracket(h, contacts, lasting):
    """Look closer at where a guard vanishes, by Newton's method for a gap, whose rate is known; whether it is found."""
    search = lasting.locating
    target, k, this, near = int(search.target), int(search.first), search.length, 4.0 * EXACT * h
    rate, exact = 0.0, 0.0
    if target == GAP:
        guard, rate = least_gap(k, int(search.second), contacts, lasting)
        exact = EXACT * size_of(k, int(search.second), contacts)
    else:
        guard = guard_at(target, k, lasting)
    if target == REGION:
        near = 1e3 * near
    search.last, search.other, search.old = enclosed((this, guard), search.last, search.other)
    low, high = ends_of(search)
    found = abs(guard) <= exact or high - low <= near
    if not found:
        following = this - guard / rate if rate != 0.0 else next_guess(search.last, search.other, search.old, near)
        search.length = inside(following, search)
        found = abs(following - this) <= near
    if found and target == REGION:
        # The event is to find the contact on the other part. Before it gaps are closed on this one: that displaces the
        # bodies a little, and may not change the part again.
        search.length = low if low > BEFORE * near else high
        return this == search.length
    if found:
        search.length = this
    return found


@inlined
def begin_search(what, time, lasting):
    """Seek an event inside of the trial that was taken."""
    search = lasting.locating
    search.target, search.tried = 1.0 * what, 0.0
    search.length = inside(time, search)
