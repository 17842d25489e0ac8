"""How long a trial of contacts that last may be: no pair passes another one unseen, and every slip is resolved."""

from __future__ import annotations

from rigidsim.engine.collision.bodies import LEAST_TRAVEL
from rigidsim.engine.collision.candidates import renew_candidates
from rigidsim.engine.constraints.lasting import N_SLOTS, SLIDING, find_places, has_slot, is_undecided, response, size_of
from rigidsim.engine.contact.arrays import LACKS_PAIRS
from rigidsim.engine.model import layout as at
from rigidsim.jit import inlined
from rigidsim.physics.contact_modes import time_to_stop, unit_across
from rigidsim.physics.vector import dot, norm, rejection, sub

FAST = 0.25  # of the smaller shape: a pair that is near comes nearer by no more within a trial
GRADE, STIFF = 0.15, 0.5  # of the time to a curved stop, and of that in which friction turns a slip: longest trials
STRAIGHT = 1e-9  # of the rate of a slip: what is across it does not turn it
AT_ONCE = 1e-9  # of a step: a stop so near is now
BRIEF = 1e-6  # of a step: a slip that turns, and that friction can end within it, stops now
NEAR = 0.1  # of a step: a slip that friction turns in less time may have no direction that lasts


# --- pairs that are near


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


# --- slips


@inlined
def mobility_along(k, contacts, lasting):
    """What a unit force along the slip of a slot does to that, 1/kg."""
    d = lasting.value[k].along
    return dot(d, response(k, k, d, contacts, lasting))


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
            if stop >= 0.0 and (stop <= AT_ONCE * h or (slot.straight == 0 and max(stop, turns) <= BRIEF * h)):
                return 0.0, k
            if slot.beside > 0 and slot.straight == 0 and turns < NEAR * h and is_undecided(k, contacts, lasting):
                return 0.0, k
            if slot.straight == 0:
                length = min(length, STIFF * turns)
                if stop >= 0.0 and GRADE * stop < length:
                    length = max(GRADE * stop, AT_ONCE * h)
    return length, at.NO_ROW
