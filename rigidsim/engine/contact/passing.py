"""Steps that are too long for their contacts: ones in which a shape sinks far into another, or passes it.

The sub-steps see the places of the beginning of a step, whose normals stay. Where a thin disc rolls on its rim, or a
rod turns onto its other end, other places touch within the step. So where the shapes of a pair end is compared with
where they began: the step is put back, and taken in parts, if they overlap by much more, or if the normal turned over.
"""

from __future__ import annotations

from rigidsim.engine.contact import columns as c
from rigidsim.engine.contact.approach import deep, is_centred, turn_since
from rigidsim.engine.contact.columns import CENTRE, CONTACT_POINT, JOLT, LINE, POSE, WHO
from rigidsim.engine.contact.division import EVEN, EVEN_TURN, TURNS
from rigidsim.engine.contact.narrow import meet
from rigidsim.engine.contact.trees import acts_on_tree
from rigidsim.jit import inlined, routine
from rigidsim.physics.distances import HALF_SPACE
from rigidsim.physics.inertia import apply
from rigidsim.physics.quaternion import conjugate, exp_full, log, product, rotate
from rigidsim.physics.vector import add, cross, dot, norm, scaled, sub

SMALLER = 0.25  # of a step that is too long: its parts
LEAST = 2.0**-12  # of a whole step: its shortest parts


@routine
def end_of(b, h, start: CENTRE, finish: CENTRE, moved: LINE, struck: JOLT, acts, share):
    """The place of the centre of a contact body, and its orientation, at the end of a step of h seconds."""
    if b >= len(acts) or acts[b] == 0:
        return finish[b].p, finish[b].q
    if struck[b].count > 0.0:
        q = product(turn_since(h, moved[b].angular, struck[b]), struck[b].q)
    else:
        turn = scaled(h, add(start[b].omega, scaled(share, sub(finish[b].omega, start[b].omega))))
        q = product(exp_full(scaled(0.5, sub(moved[b].angular, turn))), finish[b].q)
    return add(start[b].p, moved[b].linear), q


@inlined
def place_at_end(k, h, contacts, motions, lines, pose: POSE):
    """The pose of a shape at the end of a step of h seconds; how far its body went, and a bound of how far turns moved
    the points of its core, m.
    """
    b, value = contacts.shape[k].body, contacts.shape_value[k]
    p, q = end_of(b, h, motions.start, motions.finish, lines.moved, lines.struck, lines.acts, contacts.share)
    pose.p, pose.q = add(p, rotate(q, value.p)), product(q, value.q)
    turn = norm(scaled(2.0, log(product(q, conjugate(motions.start[b].q)))))
    return sub(p, motions.start[b].p), turn * motions.lever[k]


@inlined
def nearest_of(i, j, pose, other, reach, contacts, points):
    """(gap, normal) of the nearest place of two shapes; that of no place is `reach`."""
    shape, value, place = contacts.shape, contacts.shape_value, points.place
    if points.convex is not None:
        points.convex.features.known = 0.0
    count = meet(shape[i].kind, value[i], pose, shape[j].kind, value[j], other, reach, place, points.convex)
    gap, n = reach, (0.0, 0.0, 0.0)
    for k in range(count):
        if place[k].gap < gap:
            gap, n = place[k].gap, place[k].normal
    return gap, n


@routine
def passes(i, j, h, contacts, motions, lines, points):
    """Whether two shapes overlap by much more at the end of the step than at its beginning, or passed each other."""
    allowed = deep(i, j, contacts)
    way_i, turned_i = place_at_end(i, h, contacts, motions, lines, points.later[0])
    way_j, turned_j = place_at_end(j, h, contacts, motions, lines, points.later[1])
    most = norm(sub(way_j, way_i)) + turned_i + turned_j
    if not most > allowed:
        return False
    reach = 2.0 * most
    gap, n = nearest_of(i, j, points.later[0], points.later[1], reach, contacts, points)
    before, n_before = nearest_of(i, j, motions.pose[i], motions.pose[j], reach, contacts, points)
    return gap < min(before, 0.0) - allowed or dot(n, n_before) < 0.0


@inlined
def can_pass(i, j, contacts):
    """Whether two shapes may pass each other: no two spheres, and no plane."""
    planes = contacts.shape[i].kind == HALF_SPACE or contacts.shape[j].kind == HALF_SPACE
    return not planes and not (is_centred(i, contacts) and is_centred(j, contacts))


@routine
def any_passes(h, n_point, contacts, pair, motions, lines, points):
    """Whether some pair with contact points does (`passes`) in this step of h seconds."""
    who, last = points.who, -1
    for m in range(n_point):
        k = who[m].pair
        if k == last or who[m].marks & c.NOTICED or acts_on_tree(who[m], contacts.trees):
            continue
        last = k
        i, j = pair[k, 0], pair[k, 1]
        if can_pass(i, j, contacts) and passes(i, j, h, contacts, motions, lines, points):
            return True
    return False


@inlined
def rolls(whose: WHO, row: CONTACT_POINT, first: LINE):
    """How fast a contact point goes on along the curved core that its levers follow, relative to the lever of that,
    rad/s.
    """
    if whose.marks & (c.NOTICED | c.STRUCK) or not whose.marks & c.FOLLOWING:
        return 0.0
    theta, lever = sub(first[whose.b].angular, first[whose.a].angular), norm(row.core)
    rate = norm(apply(row.bend, cross(theta, row.normal)))
    return rate / lever if lever > 0.0 else 0.0


@routine
def fastest_roll(n_point, points, first: LINE):
    """The fastest of all points (`rolls`), rad/s."""
    fastest = 0.0
    for m in range(n_point):
        fastest = max(fastest, rolls(points.who[m], points.value[m], first))
    return fastest


@inlined
def is_too_long(h, n_point, model, arrays):
    """Whether the step of h seconds, which was solved, has to be put back and taken in smaller parts."""
    part, share = arrays.part, h / model.step
    if arrays.impacts is None or SMALLER * share < LEAST:
        return False
    pair, contacts = arrays.candidates.pair, model.contacts
    if arrays.points.convex is not None:
        rolled = h * fastest_roll(n_point, arrays.points, arrays.lines.first)
        if rolled > TURNS:
            part[EVEN] = max(share * EVEN_TURN / rolled, LEAST)
            return True
    if not any_passes(h, n_point, contacts, pair, arrays.motions, arrays.lines, arrays.points):
        return False
    part[EVEN] = SMALLER * share
    return True
