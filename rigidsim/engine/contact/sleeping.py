"""Islands of bodies that rest: they fall asleep, and then neither the smooth step nor contact looks at them.

A body rests while no point of its surface moves, relative to the parent, by more than `Rest.speed` times REST_TIME. So
it may vibrate, but not creep faster than `speed`. An island is a set of bodies that forces move and that touch each
other; what forces do not move, such as a floor, connects nothing. It falls asleep when all its bodies have rested for
REST_TIME, and nothing prescribed that touches it moves relative to it. A body that sleeps keeps its state relative to
its parent, with zero velocity, and what contact remembers of it.

An island wakes as a whole: when an impulse acts on a body of it, of contact with one that is awake or at an instant;
when something prescribed that it touches moves relative to it; and when its parent turns or its acceleration changes. A
step in which that is found is put back, and taken again with the island awake. A change of the tree wakes all.

Only free bodies sleep that carry nothing, whose parents forces do not move, and on which no load but uniform gravity
ever acts (`assembly/contacts.py`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rigidsim.engine.collision.bodies import is_kept, root_of, unite
from rigidsim.engine.evaluate import place_nodes
from rigidsim.engine.model import contact_layout as c
from rigidsim.engine.model import layout as at
from rigidsim.engine.model.arrays import floats, integers
from rigidsim.engine.model.contact_layout import CENTRE, POSE
from rigidsim.engine.model.layout import ARM, MEAN, STATE, TRIPLE, add_to_sums, copy_rows
from rigidsim.jit import inlined, routine
from rigidsim.physics.quaternion import conjugate, product, rotate
from rigidsim.physics.rigid_body import kinetic_energy
from rigidsim.physics.vector import add, dot, norm, scaled, sub

REST_TIME = 0.5  # s
STEADY = 1e-3  # of gravity: by less the acceleration of a parent may differ from that with which a body fell asleep
STILL = 1e-6  # of the speed of a body at rest: what moves more slowly relative to it does not move
PRESENT_FIRST = 1  # the place of the first shape in a row of `SAMPLED`


class Sleep(NamedTuple):
    """Which bodies sleep. `asleep`, `still`, `anchor`, `known`, `pulled` and `changed` are kept from step to step."""

    asleep: np.ndarray = integers("moved")  # 1 for the row of a body that sleeps
    still: np.ndarray = floats("bodies")  # for how long it has rested, s
    anchor: POSE = floats("bodies")  # since then, relative to the parent, in its units; orientation in the world
    known: np.ndarray = integers("bodies")  # whether `pulled` is known
    pulled: TRIPLE = floats("bodies")  # acceleration of the parent when it fell asleep, m/s2, world axes
    stands: np.ndarray = integers("bodies")  # 1 for what sleeps, or is driven, and stands still in this step
    kept: np.ndarray = integers("moved")  # 1 for the row of one of which all that follows from its state is known
    counts: np.ndarray = integers(3)  # bodies that sleep, 1 if some woke in this step, entries of `changed`
    changed: np.ndarray = integers("bodies")  # CAUSE_SLEEPS or CAUSE_WAKES where that is still to be logged, else 0
    before: TRIPLE = floats("bodies")  # velocity in the world at the beginning of the step, m/s
    root: np.ndarray = integers("bodies")  # of its island
    awake: np.ndarray = integers("bodies")  # whether an island, by its root, wakes or stays awake
    present: c.SAMPLED = integers("points")  # of the last step, of pairs that sleep
    present_value: c.SAMPLED_POINT = floats("points")


N_ASLEEP, WOKE, N_CHANGED = 0, 1, 2


@inlined
def any_asleep(arrays):
    """Whether some body sleeps."""
    return arrays.sleep is not None and arrays.sleep.counts[N_ASLEEP] > 0


@inlined
def woke(arrays):
    """Whether the step is to be taken again, as some island woke in it."""
    return arrays.sleep is not None and arrays.sleep.counts[WOKE] > 0


@inlined
def is_asleep(b, contacts, sleep):
    """Whether a contact body sleeps."""
    return b < contacts.n_moved and sleep.asleep[contacts.body[b].row] > 0


@inlined
def moves_relative(A: CENTRE, B: CENTRE, least):
    """Whether one of two bodies that do not move by forces moves relative to the other."""
    omega_A, omega_B, v = A.omega, B.omega, sub(A.v, B.v)
    return dot(omega_A, omega_A) + dot(omega_B, omega_B) > 0.0 or norm(v) > least


@inlined
def move_relative(a, b, contacts, motions):
    """Whether two contact bodies that sleep or are driven move relative to each other in this step."""
    least = STILL * max(contacts.rest.speed[a], contacts.rest.speed[b])
    start, finish = motions.start, motions.finish
    return moves_relative(start[a], start[b], least) or moves_relative(finish[a], finish[b], least)


@inlined
def is_idle(i, j, contacts, motions, sleep):
    """Whether contact between two shapes is left as it is: one sleeps, and the other sleeps or does not move."""
    a, b = contacts.shape[i].body, contacts.shape[j].body
    if sleep.stands[a] + sleep.stands[b] == 2:
        return True
    is_a, is_b = is_asleep(a, contacts, sleep), is_asleep(b, contacts, sleep)
    rest = (is_a and (is_b or b >= contacts.n_moved)) or (is_b and a >= contacts.n_moved)
    return rest and not move_relative(a, b, contacts, motions)


@inlined
def is_still(row):
    """Whether the row of a body has no velocity; to one that sleeps an impulse gives one, and so do methods that step
    all rows.
    """
    return dot(row.v, row.v) + dot(row.omega, row.omega) == 0.0


@routine
def note_standing(contacts, start: CENTRE, finish: CENTRE, sleep):
    """Note which bodies sleep, or are driven, and stand still: any two of these are left as they are. Returns whether
    all do.
    """
    n = 0
    for b in range(len(start)):
        if not is_kept(b, contacts, sleep):
            rests = b >= contacts.n_moved or is_asleep(b, contacts, sleep)
            sleep.stands[b] = 1 if rests and is_still(start[b]) and is_still(finish[b]) else 0
        n += sleep.stands[b]
    return n == len(start)


@inlined
def are_idle(n, rows, contacts, motions, sleep):
    """Whether all of these pairs are left as they are."""
    k = 0
    while k < n and is_idle(rows[k, 0], rows[k, 1], contacts, motions, sleep):
        k += 1
    return k == n


@routine
def nothing_meets(contacts, pair, n_pair, motions, last, sleep):
    """Whether all pairs that may meet, and all that are remembered, are left as they are."""
    k, known = 0, 0 if len(last.features) == 0 else last.known[0]
    while k < known and is_idle(int(last.features[k].shape_A), int(last.features[k].shape_B), contacts, motions, sleep):
        k += 1
    return (
        k == known
        and are_idle(n_pair, pair, contacts, motions, sleep)
        and are_idle(last.count[0], last.key, contacts, motions, sleep)
        and are_idle(last.count[1], last.pair, contacts, motions, sleep)
        and are_idle(last.count[2], last.parting, contacts, motions, sleep)
    )


@routine
def write_no_push(contacts, mean: MEAN, sleep):
    """Contact accelerates no body that is awake."""
    for b in range(len(mean)):
        if not is_asleep(b, contacts, sleep):
            mean[b].a = mean[b].alpha = (0.0, 0.0, 0.0)


# --- islands


@routine
def find_islands(contacts, pair, n_pair, root):
    """The islands of the bodies that forces move, by pairs of shapes that touch; each has its first body as root."""
    for b in range(len(root)):
        root[b] = b
    for k in range(n_pair):
        a, b = contacts.shape[pair[k, 0]].body, contacts.shape[pair[k, 1]].body
        if a < contacts.n_moved and b < contacts.n_moved:
            unite(a, b, root)


@inlined
def note_change(b, cause, sleep):
    """Note that a body falls asleep or wakes, to be logged."""
    sleep.changed[b] = cause
    sleep.counts[N_CHANGED] += 1


@routine
def wake(contacts, last, sleep):
    """Wake the islands of which a body is marked in `awake`; bodies that are awake connect nothing."""
    root, awake = sleep.root, sleep.awake
    for b in range(len(root)):
        root[b] = b
    for k in range(last.count[1]):
        a, b = contacts.shape[last.pair[k, 0]].body, contacts.shape[last.pair[k, 1]].body
        if is_asleep(a, contacts, sleep) and is_asleep(b, contacts, sleep):
            unite(a, b, root)
    for b in range(contacts.n_moved):
        if awake[b] > 0:
            awake[root_of(b, root)] = 1
    for b in range(contacts.n_moved):
        if awake[root_of(b, root)] > 0 and is_asleep(b, contacts, sleep):
            sleep.asleep[contacts.body[b].row] = 0
            sleep.still[b] = 0.0
            sleep.known[b] = 0
            sleep.counts[N_ASLEEP] -= 1
            note_change(b, at.CAUSE_WAKES, sleep)


# --- waking


@inlined
def begin_call(arrays):
    """Nothing that follows from the state is known as a kernel begins."""
    if arrays is not None and arrays.sleep is not None:
        arrays.sleep.stands[:] = 0


@routine
def find_kept(contacts, state: STATE, sleep):
    """Find the bodies that sleep and of which nothing has changed since the last step."""
    for b in range(contacts.n_moved):
        row = contacts.body[b].row
        stays = sleep.asleep[row] > 0 and sleep.stands[b] > 0 and contacts.rest.fixed[b] > 0
        sleep.kept[row] = 1 if stays and is_still(STATE(state[row])) else 0


@routine
def begin_sleepers(contacts, arm: ARM, state: STATE, last, sleep):
    """Wake what an impulse hit before this step, and keep the velocities of all that sleep, at the beginning of it."""
    found = False
    sleep.counts[WOKE] = 0
    for b in range(contacts.n_moved):
        sleep.awake[b] = 0
        if is_asleep(b, contacts, sleep) and not is_kept(b, contacts, sleep):
            if not is_still(STATE(state[contacts.body[b].row])):
                sleep.awake[b] = 1
                found = True
            sleep.before[b].xyz = arm[contacts.body[b].node].v_WC
    if found:
        wake(contacts, last, sleep)


@inlined
def is_unsteady(b, h, block, sleep):
    """Whether the parent of a body that sleeps turns, or accelerates otherwise than before."""
    model, scratch, own = block.model, block.scratch, block.model.contacts.body[b]
    parent, g = scratch.frame[model.node[own.node].parent], model.body[own.row].g
    omega, v = parent.omega, scratch.arm[own.node].v_WC
    a = scaled(1.0 / h, sub(v, sleep.before[b].xyz))
    if sleep.known[b] == 0:
        sleep.known[b] = 1
        sleep.pulled[b].xyz = a
    change = sub(a, sleep.pulled[b].xyz)
    return dot(omega, omega) > 0.0 or dot(change, change) > STEADY * STEADY * dot(g, g)


@inlined
def take_again(found, contacts, last, sleep):
    """Wake the marked islands, if any were `found`, and have the step taken again. Returns whether there are any."""
    if found:
        wake(contacts, last, sleep)
        sleep.counts[WOKE] = 1
    return found


@routine
def wakes_by_motion(h, all_stand, block, motions, last, sleep):
    """Wake what sleeps on a parent that is not steady, or touches something driven that moves. Returns whether anything
    does.
    """
    contacts, found = block.model.contacts, False
    for b in range(contacts.n_moved):
        sleep.awake[b] = 0
        if is_asleep(b, contacts, sleep) and not is_kept(b, contacts, sleep) and is_unsteady(b, h, block, sleep):
            sleep.awake[b] = 1
            found = True
    for k in range(0 if all_stand else last.count[1]):
        a, b = contacts.shape[last.pair[k, 0]].body, contacts.shape[last.pair[k, 1]].body
        for one, other in ((a, b), (b, a)):
            if (
                other >= contacts.n_moved
                and is_asleep(one, contacts, sleep)
                and move_relative(one, other, contacts, motions)
            ):
                sleep.awake[one] = 1
                found = True
    return take_again(found, contacts, last, sleep)


@routine
def wakes_by_touch(contacts, acts, last, sleep):
    """Wake that on which an impulse of contact acted in this step. Returns whether there was any."""
    found = False
    for b in range(contacts.n_moved):
        sleep.awake[b] = 0
        if acts[b] > 0 and is_asleep(b, contacts, sleep):
            sleep.awake[b] = 1
            found = True
    return take_again(found, contacts, last, sleep)


# --- what is left as it is


@routine
def put_back_sleepers(contacts, before, state: STATE, sleep):
    """The state of what sleeps as it was before the smooth step, for methods that step all rows; frames follow it."""
    for b in range(contacts.n_moved):
        row = contacts.body[b].row
        if sleep.asleep[row] > 0 and not (sleep.kept[row] > 0 and is_still(STATE(state[row]))):
            copy_rows(row, row + 1, before, state)
            sleep.kept[row] = 0


class PairTable(NamedTuple):
    """Rows of pairs of shapes in the order of pairs, and how many are in use; the numbers of the shapes are in columns
    `first` and the next one. With numbers to each row, or None.
    """

    size: int
    first: int
    row: np.ndarray
    value: np.ndarray | None = None


@inlined
def pair_at(table, k):
    """The shapes of row k."""
    return table.row[k, table.first], table.row[k, table.first + 1]


@inlined
def comes_after(pair, other):
    """Whether a pair comes after another in the order of pairs."""
    return pair[0] > other[0] or (pair[0] == other[0] and pair[1] > other[1])


@inlined
def copy_entry(k, source, scale, to, target):
    """Copy row k of a table to a row of another; its numbers times `scale`."""
    for j in range(target.row.shape[1]):
        target.row[to, j] = source.row[k, j]
    if target.value is not None:
        for j in range(target.value.shape[1]):
            target.value[to, j] = scale * source.value[k, j]


@routine
def merge(new, old, scale, contacts, motions, sleep):
    """Add the rows of the last step of pairs that are left as they are, their numbers times `scale`, to those of this
    step. Returns how many rows there are.
    """
    total = new.size
    for k in range(old.size):
        i, j = pair_at(old, k)
        if is_idle(i, j, contacts, motions, sleep):
            total += 1
    to, n = total - 1, new.size - 1
    for m in range(old.size):
        k = old.size - 1 - m
        i, j = pair_at(old, k)
        if is_idle(i, j, contacts, motions, sleep):
            while n >= 0 and comes_after(pair_at(new, n), (i, j)):
                copy_entry(n, new, 1.0, to, new)
                to, n = to - 1, n - 1
            copy_entry(k, old, scale, to, new)
            to -= 1
    return total


@inlined
def remember_sleepers(replaced, contacts, motions, last, new, sleep):
    """Add what contact remembers of pairs that are left as they are to what the next step needs; impulses, if those of
    this step have `replaced` those of the last one.
    """
    if replaced:
        scale = new.step[0] / last.step[0] if last.step[0] > 0.0 else 0.0
        impulses = PairTable(new.count[0], 0, new.key, new.impulse)
        before = PairTable(last.count[0], 0, last.key, last.impulse)
        new.count[0] = merge(impulses, before, scale, contacts, motions, sleep)
    pairs, before = PairTable(new.count[1], 0, new.pair), PairTable(last.count[1], 0, last.pair)
    new.count[1] = merge(pairs, before, 1.0, contacts, motions, sleep)


@inlined
def way_of(b, h, contacts, arm: ARM, sleep):
    """The way in the world of a body that sleeps, in a step of length h, s."""
    return scaled(0.5 * h, add(sleep.before[b].xyz, arm[contacts.body[b].node].v_WC))


@routine
def move_present(h, contacts, arm: ARM, present: c.SAMPLED, value: c.SAMPLED_POINT, count, sleep):
    """Let contact points move along with what sleeps in a step of length h, s."""
    for k in range(count):
        a, b = contacts.shape[present[k].first].body, contacts.shape[present[k].second].body
        if is_asleep(a, contacts, sleep) and sleep.stands[a] == 0:
            value[k].point = add(value[k].point, way_of(a, h, contacts, arm, sleep))
        elif is_asleep(b, contacts, sleep) and sleep.stands[b] == 0:
            value[k].point = add(value[k].point, way_of(b, h, contacts, arm, sleep))


@inlined
def keep_present(h, contacts, arm: ARM, record, sleep):
    """Keep the contact points of the last step, moved along with what sleeps in this one, of length h, s."""
    copy_rows(0, record.count[2], record.present, sleep.present)
    copy_rows(0, record.count[2], record.present_value, sleep.present_value)
    move_present(h, contacts, arm, sleep.present, sleep.present_value, record.count[2], sleep)


@inlined
def add_present(n_before, contacts, motions, record, sleep):
    """Add those of pairs that are left as they are to the contact points of this step."""
    present = PairTable(record.count[2], PRESENT_FIRST, record.present, record.present_value)
    before = PairTable(n_before, PRESENT_FIRST, sleep.present, sleep.present_value)
    record.count[2] = merge(present, before, 1.0, contacts, motions, sleep)


@routine
def add_work_on_sleepers(h, block, state: STATE, ledger, sleep):
    """The work of what carries those that sleep along, without that of gravity: m v . (dv - g h)."""
    contacts, body, total = block.model.contacts, block.model.body, 0.0
    for b in range(contacts.n_moved):
        if is_asleep(b, contacts, sleep) and not is_kept(b, contacts, sleep):
            row, v_before = contacts.body[b].row, sleep.before[b].xyz
            v = block.scratch.arm[contacts.body[b].node].v_WC
            gained = sub(sub(v, v_before), scaled(h, body[row].g))
            work = 0.5 * body[row].mass * dot(add(v, v_before), gained)
            add_to_sums(state[row], work=work)
            total += work
    add_to_sums(ledger.work, value=total)
    add_to_sums(ledger.cause[c.W_DRIVEN], value=total)


# --- falling asleep


@routine
def count_still(h, block, state: STATE, sleep):
    """Count for how long each body has rested after a step of length h, s. Returns whether any may fall asleep."""
    model, contacts, rest, found = block.model, block.model.contacts, block.model.contacts.rest, False
    for b in range(contacts.n_moved):
        if rest.speed[b] > 0.0 and not is_asleep(b, contacts, sleep):
            row, place = contacts.body[b].row, contacts.body[b].node
            turns = block.scratch.frame[model.node[place].parent].omega
            p, q, anchor = state[row].p, state[row].q, sleep.anchor[b]
            _, x, y, z = product(conjugate(anchor.q), q)
            moved = model.body[row].scale * norm(sub(p, anchor.p)) + 2.0 * rest.reach[b] * norm((x, y, z))
            if moved < rest.speed[b] * REST_TIME and dot(turns, turns) == 0.0:
                sleep.still[b] += h
            else:
                sleep.still[b] = 0.0
                anchor.p, anchor.q = p, q
            found = found or sleep.still[b] >= REST_TIME
    return found


@routine
def choose_sleepers(block, motions, last, sleep):
    """Mark the bodies of all islands that fall asleep by 2. Returns how many there are."""
    contacts, root, awake, n = block.model.contacts, sleep.root, sleep.awake, 0
    find_islands(contacts, last.pair, last.count[1], root)
    awake[:] = 0
    for b in range(contacts.n_moved):
        if sleep.still[b] < REST_TIME:
            awake[root_of(b, root)] = 1
    for k in range(last.count[1]):
        a, b = contacts.shape[last.pair[k, 0]].body, contacts.shape[last.pair[k, 1]].body
        one, other = min(a, b), max(a, b)
        if one < contacts.n_moved <= other and is_driven_past(one, motions.start[other], motions.start[one], block):
            awake[root_of(one, root)] = 1
    for b in range(contacts.n_moved):
        row = contacts.body[b].row
        if sleep.asleep[row] == 0 and awake[root_of(b, root)] == 0:
            sleep.asleep[row] = 2
            n += 1
    sleep.counts[N_ASLEEP] += n
    return n


@inlined
def is_driven_past(b, driven: CENTRE, own: CENTRE, block):
    """Whether something driven moved, at the beginning of the step, relative to the parent of a body that rests."""
    model, scratch, contacts = block.model, block.scratch, block.model.contacts
    row, place, omega = contacts.body[b].row, contacts.body[b].node, driven.omega
    q_WP, before = scratch.frame[model.node[place].parent].q, scratch.before[row]
    v = scaled(model.body[row].scale, rotate(q_WP, before.v))
    gap = sub(driven.v, sub(own.v, v))
    return dot(omega, omega) > 0.0 or norm(gap) > STILL * contacts.rest.speed[b]


@routine
def put_to_rest(block, state: STATE, ledger, sleep):
    """Stop the bodies that fall asleep: the kinetic energy that they lose is booked as friction."""
    model, scratch, contacts, total = block.model, block.scratch, block.model.contacts, 0.0
    for b in range(contacts.n_moved):
        row, place = contacts.body[b].row, contacts.body[b].node
        if sleep.asleep[row] == 2:
            sleep.asleep[row] = 1
            sleep.known[b] = 0
            note_change(b, at.CAUSE_SLEEPS, sleep)
            own, of, none = state[row], model.body[row], (0.0, 0.0, 0.0)
            v_WC, rate = scratch.arm[place].v_WC, own.omega
            left = sub(v_WC, scaled(of.scale, rotate(scratch.frame[model.node[place].parent].q, own.v)))
            work = kinetic_energy(of.mass, of.inertia, left, none) - kinetic_energy(of.mass, of.inertia, v_WC, rate)
            own.v = own.v_low = own.omega = own.omega_low = none
            add_to_sums(own, work=work)
            total += work
    add_to_sums(ledger.work, value=total)
    add_to_sums(ledger.cause[c.W_FRICTION], value=total)


@inlined
def pass_over(h, all_stand, block, arrays):
    """End a step of length h (s) in which contact has nothing to do."""
    contacts, record, sleep = block.model.contacts, arrays.record, arrays.sleep
    if not all_stand:
        move_present(h, contacts, block.scratch.arm, record.present, record.present_value, record.count[2], sleep)
    add_work_on_sleepers(h, block, block.state, arrays.ledger, sleep)
    write_no_push(contacts, arrays.mean, sleep)
    arrays.last.landing[0] = 0


@inlined
def let_sleep(t, h, block, arrays):
    """Let islands fall asleep after a step of length h that ended at time t, s."""
    sleep = arrays.sleep
    if count_still(h, block, block.state, sleep) and choose_sleepers(block, arrays.motions, arrays.last, sleep) > 0:
        place_nodes(block.model.active, t, block)
        put_to_rest(block, block.state, arrays.ledger, sleep)
