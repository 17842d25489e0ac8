"""Steps that are too long for their contacts: ones in which a shape sinks far into another, or passes it.

The sub-steps see the places of the beginning of a step, whose normals stay. Where a thin disc rolls on its rim, or a
rod turns onto its other end, other places touch within the step. So where the shapes of a pair end is compared with
where they began: the step is put back, and taken in parts, if they overlap by much more, or if the normal turned over.
So it is where inertia, or a body itself, turns far under the impulses: a slender body would gain energy.
"""

from __future__ import annotations

from rigidsim.engine.collision.approach import ANY_TURN, SUNK, is_centred, thinner_half, turn_since
from rigidsim.engine.collision.bodies import is_round, tensor_in_world
from rigidsim.engine.collision.convex import recall_features
from rigidsim.engine.collision.narrow import meet, placed_shape
from rigidsim.engine.constraints.tree_responses import is_in_tree
from rigidsim.engine.contact.division import EVEN, REBOUND, TIMES, TURNS
from rigidsim.engine.model import contact_layout as c
from rigidsim.engine.model.contact_layout import CENTRE, CONTACT_POINT, INVERSE, JOLT, LINE, POSE, WHO
from rigidsim.engine.model.layout import BODY
from rigidsim.jit import inlined, routine
from rigidsim.physics.distances import HALF_SPACE
from rigidsim.physics.elementary import sqrt
from rigidsim.physics.inertia import apply
from rigidsim.physics.quaternion import exp_full, product, rotate
from rigidsim.physics.vector import add, cross, dot, norm, scaled, sub

SMALLER = 0.25  # of a step that is too long: its parts
# Of the inverse effective mass at a place: the growth by its levers in a step that is not divided, beyond which the
# iterations of the solver diverge; and in an even part. The same of the inverse inertia along an angular impulse.
GROWTH, EVEN_GROWTH = 0.9, 0.25
LEAST = 2.0**-12  # of a whole step: its shortest parts


@inlined
def is_moved(b, contacts, acts):
    """Whether contact moved a body of those that forces move; what touches a tree moves all of it."""
    return b < contacts.n_moved and (acts[b] > 0 or is_in_tree(b, contacts.trees))


@inlined
def smooth_turn(h, start: CENTRE, finish: CENTRE, share):
    """The rotation vector of the smooth motion of a body in a step of h seconds, rad."""
    return scaled(h, add(start.omega, scaled(share, sub(finish.omega, start.omega))))


@routine
def end_of(b, h, start: CENTRE, finish: CENTRE, moved: LINE, struck: JOLT, in_tree, share):
    """The place of the centre of a body that contact moved, and its orientation, at the end of a step of h seconds."""
    if in_tree:  # the ramps of trees end where the smooth step does (`begin_linear_velocity`)
        q = product(exp_full(scaled(0.5, moved[b].angular)), start[b].q)
    elif struck[b].count > 0.0:
        q = product(turn_since(h, moved[b].angular, struck[b]), struck[b].q)
    else:
        turn = smooth_turn(h, start[b], finish[b], share)
        q = product(exp_full(scaled(0.5, sub(moved[b].angular, turn))), finish[b].q)
    return add(start[b].p, moved[b].linear), q


@inlined
def place_at_end(k, h, contacts, motions, lines, pose: POSE):
    """Write the pose of a shape at the end of a step of h seconds."""
    b, value = contacts.shape[k].body, contacts.shape_value[k]
    p, q = motions.finish[b].p, motions.finish[b].q
    if is_moved(b, contacts, lines.acts):
        in_tree = is_in_tree(b, contacts.trees)
        p, q = end_of(b, h, motions.start, motions.finish, lines.moved, lines.struck, in_tree, contacts.share)
    pose.p, pose.q = add(p, rotate(q, value.p)), product(q, value.q)


@inlined
def motion_of(k, contacts, motions, lines):
    """How far the body of a shape went in a step, m, and a bound of how far its turn moved the core of the shape, m."""
    b, lever = contacts.shape[k].body, motions.lever[k]
    if not is_moved(b, contacts, lines.acts):
        return sub(motions.finish[b].p, motions.start[b].p), motions.turn[k] * lever
    most = ANY_TURN if lines.struck[b].count > 0.0 else norm(lines.moved[b].angular)
    return lines.moved[b].linear, min(most, ANY_TURN) * lever


@inlined
def nearest_of(i, j, pose, other, reach, contacts, points):
    """(gap, normal) of the nearest place of two shapes; that of no place is `reach`."""
    place = points.place
    shape_i, shape_j = placed_shape(i, contacts, pose), placed_shape(j, contacts, other)
    count = meet(shape_i, shape_j, reach, place, points.convex)
    gap, n = reach, (0.0, 0.0, 0.0)
    for k in range(count):
        if place[k].gap < gap:
            gap, n = place[k].gap, place[k].normal
    return gap, n


@routine
def passes(k, i, j, h, contacts, motions, lines, points):
    """Whether the shapes of candidate k overlap by much more at the end of the step than at its beginning, or passed
    each other. The more they overlap, the less it may grow: little near half the thickness. A surface that is
    lost, though the motion is too short to leave its reach, was passed: the middle of the shape is behind a mesh
    that collides on one side.
    """
    thin, (way_i, turned_i), (way_j, turned_j) = (
        thinner_half(i, j, contacts), motion_of(i, contacts, motions, lines), motion_of(j, contacts, motions, lines)
    )  # fmt: skip
    most = norm(sub(way_j, way_i)) + turned_i + turned_j
    if not most > SUNK * thin:
        return False
    place_at_end(i, h, contacts, motions, lines, points.later[0])
    place_at_end(j, h, contacts, motions, lines, points.later[1])
    reach = 2.0 * most
    recall_features(k, points.convex)
    before, n_before = nearest_of(i, j, motions.pose[i], motions.pose[j], reach, contacts, points)
    gap, n = nearest_of(i, j, points.later[0], points.later[1], reach, contacts, points)
    overlap = max(-before, 0.0)
    sinks = gap < -overlap - SUNK * max(thin - overlap, SUNK * thin)
    is_behind = before < most and gap == reach
    return sinks or is_behind or dot(n, n_before) < 0.0


@inlined
def can_pass(i, j, contacts):
    """Whether two shapes may pass each other: no two spheres, and no plane: a half space has no other side."""
    planes = contacts.shape[i].kind == HALF_SPACE or contacts.shape[j].kind == HALF_SPACE
    return not planes and not (is_centred(i, contacts) and is_centred(j, contacts))


@routine
def any_passes(h, n_point, contacts, pair, motions, lines, points):
    """Whether some pair with contact points does (`passes`) in this step of h seconds."""
    who, last = points.who, -1
    for m in range(n_point):
        k = who[m].pair
        if k == last or who[m].marks & c.NOTICED:
            continue
        last = k
        i, j = pair[k, 0], pair[k, 1]
        if can_pass(i, j, contacts) and passes(k, i, j, h, contacts, motions, lines, points):
            return True
    return False


@inlined
def inverse_mass(r, n, inertia):
    """What a unit impulse along n at the lever r adds to the speed there, by the turn alone, 1/kg."""
    moment = cross(r, n)
    return dot(moment, apply(inertia, moment))


@inlined
def grown_mass(whose: WHO, row: CONTACT_POINT, theta, inverse: INVERSE):
    """By how much the inverse effective mass of a contact point grows where its levers follow a core that turns by
    theta, while the inertia is that of the beginning of the step, relative to that at the beginning.
    """
    A, B, n = inverse[whose.a], inverse[whose.b], row.normal
    of_A, of_B = inverse_mass(row.lever_A, n, A.inertia), inverse_mass(row.lever_B, n, B.inertia)
    moved, now = cross(theta, row.core), A.mass + B.mass + of_A + of_B
    if whose.marks & c.ON_B:
        return (inverse_mass(add(row.lever_B, moved), n, B.inertia) - of_B) / now
    return (inverse_mass(add(row.lever_A, moved), n, A.inertia) - of_A) / now


@routine
def allowed_part(h, n_point, points, first: LINE, inverse: INVERSE):
    """The part of a step of h seconds in which the levers of all points with an impulse follow their cores well enough;
    1.0 if they do so in all of it. The bodies turn as `first`.
    """
    part, who, value = 1.0, points.who, points.value
    for m in range(n_point):
        whose, row = who[m], value[m]
        if not whose.marks & c.FOLLOWING or dot(row.total, row.total) == 0.0:
            continue
        theta = scaled(h, first[whose.b if whose.marks & c.ON_B else whose.a].angular)
        growth = grown_mass(whose, row, theta, inverse)
        if growth > GROWTH:
            part = min(part, sqrt(EVEN_GROWTH / growth))
    return part


@routine
def turned_growth(h, b, body: BODY, contacts, motions, lines):
    """By how much the energy that the angular impulse of contact on a body stands for, L I^-1 L, grows as the body
    turns in a step of h seconds: the sub-steps have the inverse inertia of its beginning or of the last impact.
    """
    vel, finish, struck, kicked = lines.vel[b], motions.finish[b], lines.struck[b], lines.kicked[b]
    jump = sub(sub(vel.angular, finish.omega), kicked.angular)
    L = apply(tensor_in_world(struck.q, body.inertia), jump)
    _, q = end_of(b, h, motions.start, motions.finish, lines.moved, lines.struck, False, contacts.share)
    now = dot(L, jump)
    return dot(L, apply(tensor_in_world(q, body.inverse), L)) / now - 1.0 if now > 0.0 else 0.0


@routine
def turned_part(h, model, motions, lines):
    """The part of a step of h seconds in which inverse inertias stay about the same along the angular impulses on free
    bodies (`turned_growth`); 1.0 if they do so in all of it.
    """
    part, contacts = 1.0, model.contacts
    for b in range(contacts.n_moved):
        body = model.body[contacts.body[b].row]
        if lines.acts[b] > 0 and not is_round(body.inverse) and not is_in_tree(b, contacts.trees):
            growth = turned_growth(h, b, body, contacts, motions, lines)
            if growth > GROWTH:
                part = min(part, sqrt(EVEN_GROWTH / growth))
    return part


@routine
def any_turns(h, contacts, motions, lines):
    """Whether impulses of the sub-steps turned a body with other shapes than spheres around its centre far in a step of
    h seconds, beyond its smooth turn.
    """
    for k in range(len(contacts.shape)):
        b = contacts.shape[k].body
        if is_moved(b, contacts, lines.acts) and lines.struck[b].count == 0.0 and not is_centred(k, contacts):
            turn = sub(lines.moved[b].angular, smooth_turn(h, motions.start[b], motions.finish[b], contacts.share))
            if norm(turn) > TURNS:
                return True
    return False


@inlined
def is_too_long(h, n_point, model, arrays):
    """Whether the step of h seconds, which was solved, has to be put back and taken in smaller parts."""
    part, share = arrays.part, h / model.step
    if arrays.impacts is None or SMALLER * share < LEAST:
        return False
    pair, contacts = arrays.candidates.pair, model.contacts
    follows = allowed_part(h, n_point, arrays.points, arrays.lines.first, arrays.lines.inverse)
    follows = min(follows, turned_part(h, model, arrays.motions, arrays.lines))
    if follows < 1.0:
        part[EVEN] = max(share * follows, LEAST)
        return True
    motions, lines = arrays.motions, arrays.lines
    if not (
        any_turns(h, contacts, motions, lines) or any_passes(h, n_point, contacts, pair, motions, lines, arrays.points)
    ):
        return False
    part[EVEN] = SMALLER * share
    part[REBOUND] = part[TIMES] = 0.0  # a rebound on a tree is sought anew
    return True
