"""What contact remembers and records after a step: impulses, pairs that touch, the log, the present contact points."""

from __future__ import annotations

from rigidsim.engine.contact.arrays import LACKS_SAMPLED
from rigidsim.engine.contact.points import is_before
from rigidsim.engine.contact.sleeping import N_CHANGED
from rigidsim.engine.model import contact_layout as c
from rigidsim.engine.model import layout as at
from rigidsim.engine.model.contact_layout import CENTRE, CONTACT_POINT, LINE, WHO
from rigidsim.engine.model.layout import BODY, EVENT, TRIPLE, copy_rows
from rigidsim.jit import inlined, routine
from rigidsim.physics.contact import slip
from rigidsim.physics.inertia import rotated
from rigidsim.physics.quaternion import rotate
from rigidsim.physics.rigid_body import kinetic_energy
from rigidsim.physics.vector import add, cross, dot, norm, scaled, sub

LEAST_PART = 0.1  # of an undivided step: the impulses of shorter ones are not remembered
IMPACT_SPEED = 2.0  # times the gain of speed of both bodies in a step: a first touch above it is an impact


@inlined
def is_active(whose: WHO, row: CONTACT_POINT):
    """Whether an impulse acts at a contact point at the end of the step, or a sensor notices one."""
    total, struck = row.total, whose.marks & c.IMPACT
    return (whose.marks & c.NOTICED) > 0 or (struck == 0 and dot(total, row.normal) > 0.0)


@routine
def keep_impulses(pair, who: WHO, point: CONTACT_POINT, n_point, key, impulse, count):
    """Write the impulses of the last sub-step, for the next step to begin with."""
    n = 0
    for k in range(n_point):
        if point[k].p_n > 0.0 and (who[k].marks & (c.IMPACT | c.NOTICED)) == 0:
            number = who[k].pair
            key[n, 0], key[n, 1], key[n, 2] = pair[number, 0], pair[number, 1], who[k].feature
            for m in range(c.MEMORY_ROWS):
                impulse[n, m] = point[k, c.CONTACT_POINT.p_n + m]
            n += 1
    count[0] = n


@routine
def keep_pairs(pair, who: WHO, point, n_point, touching, count):
    """Write the pairs that touch at the end of the step."""
    n, last = 0, -1
    for k in range(n_point):
        number = who[k].pair
        if number != last and is_active(who[k], point[k]):
            touching[n, 0], touching[n, 1] = pair[number, 0], pair[number, 1]
            n, last = n + 1, number
    count[1] = n


@inlined
def touched(start_A: CENTRE, moved_A: LINE, row: CONTACT_POINT):
    """Where a contact point is at the end of the step, relative to the reference frame."""
    centre = add(start_A.p, moved_A.linear)
    r = row.lever_A
    return add(centre, add(r, cross(moved_A.angular, r)))


@routine
def write_present(pair, n_point, h, motions, moved: LINE, points, record):
    """Write the contact points at the end of the step."""
    who, point, n = points.who, points.value, 0
    for k in range(n_point):
        if is_active(who[k], point[k]):
            number, a, row, value = who[k].pair, who[k].a, record.present[n], record.present_value[n]
            sign = -1.0 if who[k].marks & c.SWAPPED else 1.0
            row.sample, row.feature = c.NOTHING_SAMPLED, who[k].feature
            row.first, row.second = pair[number, 0], pair[number, 1]
            value.point = add(motions.origin[a].xyz, touched(motions.start[a], moved[a], point[k]))
            value.normal = scaled(sign, point[k].normal)
            value.force = scaled(sign / h, point[k].total)
            n += 1
    record.count[2] = n


@inlined
def write_origins(contacts, model, scratch, motions):
    """Position in the world of the reference frame of every contact body, at the end of the step."""
    for b in range(len(contacts.body)):
        row = contacts.body[b].row
        com = model.body[row].com if row != at.NO_ROW else (0.0, 0.0, 0.0)
        frame = scratch.frame[contacts.body[b].node + 1]
        motions.origin[b].xyz = sub(add(frame.p, rotate(frame.q, com)), motions.finish[b].p)


@inlined
def add_entry(kind, first, second, t, record):
    """Add an entry to the log. Returns its row."""
    k = record.count[0]
    row = record.log[k]
    row.cause, row.first, row.second = kind, first, second
    record.log_value[k, :] = 0.0
    record.log_value[k].time = t
    record.count[0] = k + 1
    return k


@routine
def log_sleepers(t, contacts, record, sleep):
    """Log the bodies that fell asleep or woke since this was last done, at time t, s."""
    if sleep.counts[N_CHANGED] == 0:
        return
    for b in range(contacts.n_moved):
        if sleep.changed[b] != 0:
            add_entry(sleep.changed[b], contacts.rest.shape[b], contacts.rest.shape[b], t, record)
            sleep.changed[b] = 0
    sleep.counts[N_CHANGED] = 0


@inlined
def energy_of(body: BODY, motion: CENTRE, v, omega):
    """Kinetic energy of a free body relative to its reference frame, J."""
    return kinetic_energy(body.mass, rotated(motion.q, body.inertia), v, omega)


@inlined
def velocities(b, motions, lines):
    """Velocity and rate of a contact body without the impulses of contact points in this step: those of the smooth
    step, and what impacts changed.
    """
    return add(motions.finish[b].v, lines.kicked[b].linear), add(motions.finish[b].omega, lines.kicked[b].angular)


@inlined
def add_energy(b, contacts, body, motions, lines, value: EVENT):
    """Add the kinetic energy of a contact body, before the impulses of contact points, to an entry."""
    row = contacts.body[b].row
    if row != at.NO_ROW:
        v, omega = velocities(b, motions, lines)
        value.energy_before += energy_of(body[row], motions.start[b], v, omega)


@inlined
def energy_gained(row: CONTACT_POINT, a, b, motions, lines):
    """P . (u + u')/2, J: the energy that an impulse P at a contact point adds, with the slips before and after all
    impulses of the step. So the parts of several contacts of one body add up to the whole.
    """
    (v_A, omega_A), (v_B, omega_B) = velocities(a, motions, lines), velocities(b, motions, lines)
    r_A, r_B, A, B = row.lever_A, row.lever_B, lines.vel[a], lines.vel[b]
    before = slip(v_A, omega_A, r_A, v_B, omega_B, r_B)
    return 0.5 * dot(row.total, add(before, slip(A.linear, A.angular, r_A, B.linear, B.angular, r_B)))


@inlined
def gain_of_speed(start: CENTRE, finish: CENTRE):
    """|v* - v0| of a body in the smooth step, m/s."""
    return norm(sub(finish.v, start.v))


@inlined
def closing_speed(row: CONTACT_POINT, finish_A: CENTRE, finish_B: CENTRE):
    """The speed at which the surfaces at a contact point approach each other without contact, m/s."""
    return -dot(row.normal, slip(finish_A.v, finish_A.omega, row.lever_A, finish_B.v, finish_B.omega, row.lever_B))


@routine
def log_first_touch(t, number, k, n_point, nominal, model, arrays):
    """Log that a pair begins to touch, and an impact if its first point approached fast enough. `k` is that point;
    `nominal` the length of an undivided step over that of this one.
    """
    pair, motions, lines, record = arrays.candidates.pair, arrays.motions, arrays.lines, arrays.record
    who, point, i, j = arrays.points.who, arrays.points.value, pair[number, 0], pair[number, 1]
    origin, finish = motions.origin[who[k].a], motions.finish
    a, b, swapped = who[k].a, who[k].b, who[k].marks & c.SWAPPED
    sign, row = (-1.0 if swapped else 1.0), point[k]
    place = add(origin.xyz, touched(motions.start[a], lines.moved[a], row))
    began = record.log_value[add_entry(at.CAUSE_BEGAN, i, j, t, record)]
    began.point = place
    began.normal = scaled(sign, row.normal)
    gain = nominal * (gain_of_speed(motions.start[a], finish[a]) + gain_of_speed(motions.start[b], finish[b]))
    if who[k].marks & (c.NOTICED | c.LOGGED) or closing_speed(row, finish[a], finish[b]) <= IMPACT_SPEED * gain:
        return
    struck = record.log_value[add_entry(at.CAUSE_IMPACT, i, j, t, record)]
    struck.point = place
    struck.normal = began.normal
    impulse, gained, m = (0.0, 0.0, 0.0), 0.0, k
    while m < n_point and who[m].pair == number:
        impulse = add(impulse, scaled(sign, point[m].total))
        gained += energy_gained(point[m], a, b, motions, lines)
        m += 1
    struck.impulse = impulse
    add_energy(a, model.contacts, model.body, motions, lines, struck)
    add_energy(b, model.contacts, model.body, motions, lines, struck)
    struck.energy_after = struck.energy_before + gained


@inlined
def log_impacts(impacts, count, contacts, origins: TRIPLE, record):
    """Log the impacts of this step, with their points in the world."""
    for k in range(count):
        first, second = impacts.log[k].first, impacts.log[k].second
        entry = record.log_value[add_entry(at.CAUSE_IMPACT, first, second, 0.0, record)]
        for m in range(at.EVENT.width):
            entry[m] = impacts.log_value[k, m]
        entry.point = add(entry.point, origins[contacts.shape[first].body].xyz)


@routine
def log_touches(t, n_point, nominal, model, arrays):
    """Compare the pairs that touch with those of the step before, in their order, and log what begins and ends."""
    pair, points, record, old, new = arrays.candidates.pair, arrays.points, arrays.record, arrays.last, arrays.next
    k, m = 0, 0
    for n in range(new.count[1]):
        while m < old.count[1] and is_before(old.pair[m], new.pair[n]):
            add_entry(at.CAUSE_ENDED, old.pair[m, 0], old.pair[m, 1], t, record)
            m += 1
        if m < old.count[1] and not is_before(new.pair[n], old.pair[m]):
            m += 1
            continue
        while is_before(pair[points.who[k].pair], new.pair[n]) or not is_active(points.who[k], points.value[k]):
            k += 1
        number = points.who[k].pair
        log_first_touch(t, number, k, n_point, nominal, model, arrays)
    while m < old.count[1]:
        add_entry(at.CAUSE_ENDED, old.pair[m, 0], old.pair[m, 1], t, record)
        m += 1


@inlined
def remember(h, part, n_point, pair, points, last, new):
    """What the next step needs of this one, which is this part of an undivided step. The impulses of a short part say
    too little about those of a longer step, so they do not replace those that are remembered.
    """
    who, point = points.who, points.value
    if part < LEAST_PART:
        copy_rows(0, last.count[0], last.key, new.key)
        copy_rows(0, last.count[0], last.impulse, new.impulse)
        new.count[0], new.step[0] = last.count[0], last.step[0]
    else:
        keep_impulses(pair, who, point, n_point, new.key, new.impulse, new.count)
        new.step[0] = h
    keep_pairs(pair, who, point, n_point, new.pair, new.count)


@inlined
def forget_last_step(last, new):
    """What this step remembers takes the place of what the last one did."""
    copy_rows(0, new.count[0], new.key, last.key)
    copy_rows(0, new.count[0], new.impulse, last.impulse)
    copy_rows(0, new.count[1], new.pair, last.pair)
    copy_rows(0, new.count[2], new.parting, last.parting)
    if len(last.features) > 0:
        last.known[0] = new.known[0]
        copy_rows(0, new.known[0], new.features, last.features)
    for k in range(3):
        last.count[k] = new.count[k]
    last.step[0], last.landing[0] = new.step[0], new.landing[0]


@inlined
def sample_contacts(arrays, k):
    """Write the present contact points as those of sample k, if they are recorded. Returns whether there was room."""
    record = arrays.record
    count = record.count
    if len(record.sampled) == 0 or count[3] == k:
        return True
    if count[1] + count[2] > len(record.sampled):
        arrays.lacks[0] = LACKS_SAMPLED
        return False
    for m in range(count[2]):
        row, value = record.sampled[count[1] + m], record.sampled_value[count[1] + m]
        for j in range(c.SAMPLED.width):
            row[j] = record.present[m, j]
        for j in range(c.SAMPLED_POINT.width):
            value[j] = record.present_value[m, j]
        row.sample = k
    count[1] += count[2]
    count[3] = k
    return True
