"""Contact points: the places where pairs of candidates touch or may touch within the step.

A fast pair, which moves by more than a quarter of the smaller shape within the step, is examined at the time when it
touches, because its first normal can be that of a face that it will not meet. That time is found by conservative
advancement: the gap divided by a bound of its rate of change is a time in which nothing can touch (Mirtich 1996,
Impulse-based Dynamic Simulation of Rigid Body Systems, section 2.3). The gap at the beginning of the step is then
extrapolated along the normal found there.
"""

from __future__ import annotations

from typing import NamedTuple

from rigidsim.engine.collision.approach import ANY_TURN, TRUSTED, core_size
from rigidsim.engine.collision.candidates import WIDEST
from rigidsim.engine.collision.convex import begin_features, keep_features
from rigidsim.engine.collision.meshes import begin_advance, end_advance
from rigidsim.engine.collision.narrow import meet, placed_shape
from rigidsim.engine.collision.pairs import NO_BEND, axes_of, between, components, deepest
from rigidsim.engine.contact.sleeping import is_idle
from rigidsim.engine.model import contact_layout as c
from rigidsim.engine.model.contact_layout import (
    CENTRE,
    CONTACT_POINT,
    MATERIAL,
    PARTING,
    PLACE,
    POSE,
    SOLID,
    SUNK,
    WHO,
)
from rigidsim.engine.model.layout import TRIPLE
from rigidsim.jit import inlined, routine
from rigidsim.physics.contact import COLLIDES, FACE_SHARE, LINE_SHARE, SENSED, friction_shift
from rigidsim.physics.corrections import turn, turned
from rigidsim.physics.distances import BOX, HALF_SPACE, INFINITY, MESH, nearest_in_box
from rigidsim.physics.elementary import select
from rigidsim.physics.inertia import apply
from rigidsim.physics.quaternion import exp_full, rotate, swing
from rigidsim.physics.supports import largest_radius
from rigidsim.physics.vector import add, cross, dot, norm, rejection, scaled, sub

CLOSE = 1e-6  # of the smaller shape: the gap at which an advance ends
ADVANCES = 40  # at most; where they do not suffice, the last pose is taken
MARGIN = 0.01  # of the smaller shape: contact points are kept while the gap is below it, to keep their impulses
FAST = 0.25  # of the smaller shape: pairs that move by more within a step are examined at the time of touching
RIDES = 0.1  # the ratio of masses below which a body rides on another, and its levers follow that if it turns
# Of the way on which its smooth acceleration takes a body within a step: the levers follow the core of a shape that
# swings by more. What is left out so is of third order in the step.
SWINGS = 1e-3
ROCKS = 0.1  # the same of faces, which hold each other: what they leave out is of second order, and bounded
ROLLS = 0.5  # of the lever of a core: the way of a contact point along it within a step in which levers follow that
SPINS = 1e-6  # rad: friction acts beside the points of a face that spins on another by more within a step
TOUCHING = 1e-6  # of the smaller shape: an overlap below it is a touch
FIRST, SECOND = PLACE.place("first"), PLACE.place("second")
CLOSED = 1e-9  # of the smaller shape: a gap below it is closed
# Of the smaller shape: the overlap that the solver sees of a deeper one, at most; and of a pair that parts gently.
DEEPEST, GENTLEST = 0.02, 0.001
SINKS = 0.1  # of the smaller shape: an overlap above it, of shapes that touched before, is noted
IDLE = -1.0  # in place of the distance of a pair that is left as it is


@inlined
def travelled(start: CENTRE, finish: CENTRE, h, part):
    """Displacement and turn of a body at a part of the step, moving uniformly."""
    return scaled(part, sub(finish.p, start.p)), scaled(0.5 * part * h, add(start.omega, finish.omega))


@routine
def place_within(value: SOLID, start: CENTRE, finish, h, part, pose: POSE, later: POSE):
    """Pose of a shape at a part of the step, from that at its beginning."""
    if part == 0.0:
        for k in range(c.POSE.width):
            later[k] = pose[k]
        return
    moved, theta = travelled(start, finish, h, part)
    e, lever = turn(theta), rotate(start.q, value.p)
    later.p = add(add(pose.p, moved), swing(e, lever))
    later.q = turned(e, pose.q)


@inlined
def swing_of(k, apart, most, contacts, motions):
    """The most by which the turn of its body, but for what is beyond `most` (rad), moves a point of the core of a shape
    within the step, m; of a plane, one near another shape at this distance.
    """
    return smaller(motions.turn[k], most) * (
        motions.lever[k] + (apart if contacts.shape[k].kind == HALF_SPACE else 0.0)
    )


@inlined
def closing_bound(i, j, apart, most, contacts, motions):
    """The most by which the gap of two shapes can shrink within the step, m; `apart` is the distance of their centres;
    `most` as in `swing_of`: ANY_TURN for the whole step, infinite if the bound is to grow in proportion to time.

    |dx_B - dx_A| + |theta_A| l_A + |theta_B| l_B, l the largest distance of a point of the core from the centre of its
    body.
    """
    a, b = contacts.shape[i].body, contacts.shape[j].body
    start, finish = motions.start, motions.finish
    moved_A = sub(finish[a].p, start[a].p)
    moved_B = sub(finish[b].p, start[b].p)
    swings = swing_of(i, apart, most, contacts, motions) + swing_of(j, apart, most, contacts, motions)
    return norm(sub(moved_B, moved_A)) + swings


@inlined
def closing_along(a, b, place: PLACE, motions):
    """How much nearer two bodies come within the step along the normal of a place, without their turns, m."""
    moved_A = sub(motions.finish[a].p, motions.start[a].p)
    moved_B = sub(motions.finish[b].p, motions.start[b].p)
    return max(0.0, dot(place.normal, sub(moved_A, moved_B)))


@inlined
def smaller(a, b):
    """The smaller of two sizes, which may be infinite."""
    return select(a < b, a, b)


@inlined
def smaller_size(i, j, value):
    """The bounding radius of the smaller one of two shapes, m."""
    return smaller(value[i].bound, value[j].bound)


@routine
def advance_to_touch(i, j, contacts, motions, points, h, apart):
    """Conservative advancement of a fast pair: the part of the step at which it touches and the number of places, with
    the places there; 0 places if it does not touch.

    The shapes are convex, so while a plane separates them they do not touch, and their gap is at least that along its
    normal: this shrinks by the motion along the normal and by the turns. Of a mesh that is said of each triangle.
    """
    shape, value, pose, later = contacts.shape, contacts.shape_value, motions.pose, points.later
    a, b, part, count, size = shape[i].body, shape[j].body, 0.0, 0, smaller_size(i, j, value)
    closing = closing_bound(i, j, apart, INFINITY, contacts, motions)
    farthest = apart + closing
    turning = swing_of(i, farthest, INFINITY, contacts, motions) + swing_of(j, farthest, INFINITY, contacts, motions)
    way_A, way_B = sub(motions.finish[a].p, motions.start[a].p), sub(motions.finish[b].p, motions.start[b].p)
    way = sub(way_B, way_A)
    for _ in range(ADVANCES):
        place_within(value[i], motions.start[a], motions.finish[a], h, part, pose[i], later[0])
        place_within(value[j], motions.start[b], motions.finish[b], h, part, pose[j], later[1])
        reach = (1.0 - part) * closing + CLOSE * size
        kinds, places, convex = (shape[i].kind, shape[j].kind), points.place, points.convex
        of_mesh = begin_advance(kinds[0], kinds[1], scaled(1.0 - part, way), turning, convex)
        shape_i, shape_j = placed_shape(i, contacts, later[0]), placed_shape(j, contacts, later[1])
        count = meet(shape_i, shape_j, reach, places, convex)
        free, least = end_advance(convex)
        if of_mesh:
            if least <= CLOSE * size:
                return part, count
            part += (1.0 - part) * free
            if part >= 1.0:
                return part, 0
            continue
        nearest = 0
        for k in range(1, count):
            nearest = k if points.place[k].gap < points.place[nearest].gap else nearest
        if count == 0 or points.place[nearest].gap <= CLOSE * size:
            return part, count
        gap, rate = points.place[nearest].gap, closing_along(a, b, points.place[nearest], motions) + turning
        if gap >= (1.0 - part) * rate:
            return part, 0
        part += gap / rate
    return part, count


@inlined
def rolling_radius(a, b):
    """The smaller radius of curvature of two surfaces, m; 0 stands for a flat one, and for two flat ones."""
    return select(a == 0.0, b, select(b == 0.0, a, smaller(a, b)))


@inlined
def is_before(a, b):
    """Whether one pair of shapes comes before another in the order of pairs."""
    return a[0] < b[0] or (a[0] == b[0] and a[1] < b[1])


@inlined
def is_of(rows, k, count, i, j):
    """Whether row k of count rows exists and belongs to a pair of shapes."""
    return k < count and rows[k, 0] == i and rows[k, 1] == j


@inlined
def keep_parting(i, j, kind, new):
    """Keep a pair among those that overlap for a reason."""
    row = PARTING(new.parting[new.count[2]])
    row.first, row.second, row.kind = i, j, kind
    new.count[2] += 1


@inlined
def parting_of(before, is_new, gap, size):
    """What becomes of a pair with this gap, that was `before` as in PARTING_KIND; `is_new` if it had no impulse."""
    # What rested on the other shape, as its part or not, overlaps it by what the solver lets it sink.
    shallow = GENTLEST if before == c.SEPARATED else TOUCHING
    if gap >= -shallow * size:
        return c.COLLIDING
    return c.GENTLE if before == c.COLLIDING and is_new and gap < -DEEPEST * size else before


@inlined
def flags_of(action, swapped):
    """The flags of the contact points of a pair."""
    return (c.NOTICED if (action == SENSED) else 0) + (c.SWAPPED if swapped else 0)


@inlined
def placed_body(column, start: CENTRE, finish, h, part, centre):
    """Of a body whose shape has this centre at a part of the step: the column of its points in `PLACE`, the way from
    its centre to that of the shape, its displacement and its turn up to then.
    """
    moved, theta = travelled(start, finish, h, part)
    return column, sub(centre, add(start.p, moved)), moved, theta


@inlined
def write_point(place: PLACE, sign, A, B, row: CONTACT_POINT):
    """Normal, gap at the beginning of the step and levers of a contact point of two bodies (`placed_body`)."""
    (column_A, way_A, moved_A, turn_A), (column_B, way_B, moved_B, turn_B) = A, B
    n = scaled(sign, place.normal)
    r_A = add(way_A, place.part(column_A, 3))
    r_B = add(way_B, place.part(column_B, 3))
    closed = sub(add(moved_B, cross(turn_B, r_B)), add(moved_A, cross(turn_A, r_A)))
    row.normal, row.lever_A, row.lever_B = n, r_A, r_B
    row.gap = place.gap - dot(n, closed)


@inlined
def write_core(on_B, radius_A, radius_B, row: CONTACT_POINT):
    """The lever of the core point of the body that a contact point stays on."""
    n = row.normal
    row.core = add(row.lever_B, scaled(radius_B, n)) if on_B else sub(row.lever_A, scaled(radius_A, n))


@inlined
def write_bends(on_B, swapped, place: PLACE, radius_A, radius_B, rolling, row: CONTACT_POINT):
    """The curvature of the cores at a contact point, which counts for rolling friction, too."""
    of_A, of_B = place.bend_first, place.bend_second
    if swapped:
        of_A, of_B = of_B, of_A
    row.bend = of_B if on_B else of_A
    row.rolling = rolling * rolling_radius(radius_A + largest_radius(of_A), radius_B + largest_radius(of_B))


@inlined
def write_surfaces(
    value_A: SOLID, value_B: SOLID, start_A: CENTRE, start_B: CENTRE, pair_value: MATERIAL, row: CONTACT_POINT
):
    """Friction, restitution and slip of the surfaces on their bodies, as of conveyor belts, along the contact plane."""
    of_A, of_B, slip = value_A.surface, value_B.surface, (0.0, 0.0, 0.0)
    if dot(of_A, of_A) + dot(of_B, of_B) > 0.0:
        moves_A, moves_B = rotate(start_A.q, of_A), rotate(start_B.q, of_B)
        slip = rejection(row.normal, sub(moves_B, moves_A))
    row.surface = slip
    row.friction = pair_value.friction
    row.rolling = pair_value.rolling * rolling_radius(value_A.radius, value_B.radius)
    row.restitution = pair_value.restitution


@inlined
def stays_apart(row: CONTACT_POINT, start_A, finish_A, start_B, finish_B, h, size, margin):
    """Whether the gap of a contact point remains above the margin at both ends of the step, and that of other features,
    which shapes that turn far bring nearer. size: of the smaller core, m.
    """
    if row.gap <= margin:  # turns bring other features nearer only
        return False
    moved_A, turn_A = travelled(start_A, finish_A, h, 1.0)
    moved_B, turn_B = travelled(start_B, finish_B, h, 1.0)
    r_A, r_B, gap = row.lever_A, row.lever_B, row.gap
    change = sub(add(moved_B, cross(turn_B, r_B)), add(moved_A, cross(turn_A, r_A)))
    angle = norm(sub(turn_B, turn_A))
    gap -= 2.0 * size * angle if angle > TRUSTED else 0.0
    return gap > margin and gap + dot(row.normal, change) > margin


@inlined
def confine_point(normal: TRIPLE, row: CONTACT_POINT):
    """In a planar scene: the normal and the slip of the surfaces within the plane, with the gap along that normal.
    Returns whether the point can act: its normal is not that of the plane.
    """
    within = rejection(normal.xyz, row.normal)
    length = norm(within)
    if length < 1e-6:
        return False
    row.normal = scaled(1.0 / length, within)
    row.surface = rejection(normal.xyz, row.surface)
    row.gap /= length
    return True


@inlined
def recall(first, i, j, feature, scale, last, row):
    """The impulses of the last step at this point, if it existed; `first` is the first remembered one of the pair."""
    m = first
    while m < last.count[0] and last.key[m, 0] == i and last.key[m, 1] == j:
        if last.key[m, 2] == feature:
            for k in range(c.MEMORY_ROWS):
                row[c.CONTACT_POINT.p_n + k] = scale * last.impulse[m, k]
            return
        m += 1
    for k in range(c.MEMORY_ROWS):
        row[c.CONTACT_POINT.p_n + k] = 0.0


@inlined
def shift_friction(begin, end, who: WHO, point: CONTACT_POINT):
    """Let friction against spinning act beside the contact points of one pair, nearer to their centre of pressure: that
    of the impulses of the last step, or of equal ones if there were none.
    """
    weight, moment, is_new = 0.0, (0.0, 0.0, 0.0), True
    for k in range(begin, end):
        is_new = is_new and point[k].p_n == 0.0
    for k in range(begin, end):
        p = 1.0 if is_new else point[k].p_n
        weight, moment = weight + p, add(moment, scaled(p, point[k].lever_A))
    share, centre = LINE_SHARE if end - begin == 2 else FACE_SHARE, scaled(1.0 / weight, moment)
    for k in range(begin, end):
        r, n = point[k].lever_A, point[k].normal
        point[k].shift = friction_shift(share, r, centre, n)
        who[k].marks |= c.BESIDE


@inlined
def spins(point: CONTACT_POINT, turn):
    """Whether a relative turn within the step (rad) spins about the normal of a contact point."""
    return abs(dot(turn, point.normal)) > SPINS


@inlined
def stays_on_B(place: PLACE, swapped, slid):
    """Whether a contact point stays on the core of B, if that slides so on A."""
    on_first, on_second = place.stays == c.ON_FIRST, place.stays == c.ON_SECOND
    if place.stays == c.ON_EDGES:
        on_first = abs(dot(slid, place.edge_first)) <= abs(dot(slid, place.edge_second))
        on_second = not on_first
    return on_first if swapped else on_second


@inlined
def swings(stays, on_B, A, B, slid, least, motions):
    """Whether the core that a contact point stays on swings, or slides on A, so far within the step that the levers
    have to follow it: by more than this.
    """
    way = motions.turn[A] * motions.lever[A]
    if on_B:
        way = motions.turn[B] * motions.lever[B] + norm(slid)
    return stays != c.NOWHERE and way > least


@inlined
def rolls_far(row: CONTACT_POINT, turn):
    """Whether a contact point goes on along its curved core so far within the step, as on the rim of a disc that lies
    almost flat, that its derivative does not say where: the point then stays on the body.
    """
    way, core = apply(row.bend, cross(turn, row.normal)), row.core
    return dot(way, way) > ROLLS * ROLLS * dot(core, core)


@inlined
def swung(n, theta):
    """A normal in the middle of the step, in which the face that it belongs to turns by theta."""
    return rotate(exp_full(scaled(0.25, theta)), n)


class Manifold(NamedTuple):
    """The contact manifold of a pair: two shapes, the number of the pair, that of its places, and the part of the step
    at which these were found.
    """

    i: int
    j: int
    number: int
    size: int
    part: float


@inlined
def add_points(manifold, n_point, first, margin, most, h, model, arrays):
    """Make contact points of the places of one pair after `n_point` others; their impulses are remembered from row
    `first` on. `most`: the deepest overlap that the solver sees, m. Returns the number of points after it.
    """
    i, j, number, count, part = manifold
    contacts, normal, motions, points, last = model.contacts, model.normal, arrays.motions, arrays.points, arrays.last
    begin, shape, value, later = n_point, contacts.shape, contacts.shape_value, points.later
    w_i, w_j = arrays.lines.inverse[shape[i].body].mass, arrays.lines.inverse[shape[j].body].mass
    swapped = w_i < w_j  # B is the heavier one
    A, B = (j, i) if swapped else (i, j)
    a, b = shape[A].body, shape[B].body
    start_A, finish_A, start_B, finish_B = motions.start[a], motions.finish[a], motions.start[b], motions.finish[b]
    sign, column_A, column_B = (-1.0, SECOND, FIRST) if swapped else (1.0, FIRST, SECOND)
    turn_A, turn_B = travelled(start_A, finish_A, h, 1.0)[1], travelled(start_B, finish_B, h, 1.0)[1]
    classes = shape[i].surfaces, shape[j].surfaces
    rides = dot(turn_B, turn_B) > 0.0 and min(w_i, w_j) <= RIDES * max(w_i, w_j)
    flags, slides = flags_of(contacts.action[classes], swapped), scaled(h, sub(start_B.v, start_A.v))
    least = (ROCKS if count > 2 else SWINGS) * h * norm(sub(finish_A.v, start_A.v))
    core, pair_value = core_size(i, j, contacts), contacts.value[classes[0] * len(contacts.action) + classes[1]]
    place_within(value[A], start_A, finish_A, h, part, motions.pose[A], later[0])
    place_within(value[B], start_B, finish_B, h, part, motions.pose[B], later[1])
    of_A = placed_body(column_A, start_A, finish_A, h, part, later[0].p)
    of_B = placed_body(column_B, start_B, finish_B, h, part, later[1].p)
    scale = h / last.step[0] if last.step[0] > 0.0 else 0.0
    for k in range(count):
        row, place = points.value[n_point], points.place[k]
        write_point(place, sign, of_A, of_B, row)
        slid = rejection(row.normal, slides)
        on_B = stays_on_B(place, swapped, slid)
        write_core(on_B, value[A].radius, value[B].radius, row)
        write_surfaces(value[A], value[B], start_A, start_B, pair_value, row)
        if points.convex is not None:
            write_bends(on_B, swapped, place, value[A].radius, value[B].radius, pair_value.rolling, row)
            if rolls_far(row, sub(turn_B, turn_A)):
                row.bend = NO_BEND
        acts = len(normal) == 0 or confine_point(normal[0], row)
        if not acts or stays_apart(row, start_A, finish_A, start_B, finish_B, h, core, margin):
            continue
        if flags & c.NOTICED and row.gap > 0.0:
            continue
        row.gap, row.closed = max(row.gap, -most), CLOSED * smaller_size(i, j, value)
        feature = int(place.feature)
        recall(first, i, j, feature, scale, last, row)
        row.shift = row.total = (0.0, 0.0, 0.0)
        whose = points.who[n_point]
        whose.a, whose.b, whose.pair = a, b, number
        follows = rides or swings(place.stays, on_B, A, B, slid, least, motions)
        if follows and on_B:
            row.normal = swung(row.normal, turn_A)
        whose.feature, whose.marks = feature, flags + (c.FOLLOWING if follows else 0) + (c.ON_B if on_B else 0)
        n_point += 1
    if n_point > begin + 1 and spins(points.value[begin], sub(turn_B, turn_A)):
        shift_friction(begin, n_point, points.who, points.value)
    return n_point


@inlined
def height_above(i, j, value, motions, contacts):
    """A bound of the gap of shape j from shape i, if that is a plane, a box or a mesh, by the box around it; else
    negative.
    """
    kind, pose = contacts.shape[i].kind, motions.pose
    if kind != HALF_SPACE and kind != BOX and kind != MESH:
        return -1.0
    axes, r = axes_of(pose[i]), between(pose[i], pose[j])
    if kind == HALF_SPACE:
        return dot(r, axes[2]) - value[j].bound
    x = components(axes, r)
    return norm(sub(x, nearest_in_box(x, value[i].half))) - value[i].radius - value[j].bound


@inlined
def may_near(i, j, apart, closing, contacts, motions):
    """Whether two shapes may come as near as WIDEST to each other within the step. All pairs that may are candidates,
    whenever the list of these was made.
    """
    value = contacts.shape_value
    least = closing + WIDEST * smaller_size(i, j, value)
    return (
        apart - value[i].bound - value[j].bound <= least
        and height_above(i, j, value, motions, contacts) <= least
        and height_above(j, i, value, motions, contacts) <= least
    )


@routine
def bound_closing(contacts, pair, n_pair, motions, points, sleep):
    """By how much each pair can close within the step, and for each contact body the most of those that may meet."""
    motions.agitation[:] = 0.0
    for number in range(n_pair):
        i, j = pair[number, 0], pair[number, 1]
        if sleep is not None and is_idle(i, j, contacts, motions, sleep):
            points.apart[number], points.closing[number] = IDLE, 0.0
            continue
        apart = norm(sub(motions.pose[j].p, motions.pose[i].p))
        closing = closing_bound(i, j, apart, ANY_TURN, contacts, motions)
        points.apart[number], points.closing[number] = apart, closing
        a, b = contacts.shape[i].body, contacts.shape[j].body
        raises = closing > motions.agitation[a] or closing > motions.agitation[b]
        if raises and may_near(i, j, apart, closing, contacts, motions):
            motions.agitation[a] = max(motions.agitation[a], closing)
            motions.agitation[b] = max(motions.agitation[b], closing)


@inlined
def margin_of(i, j, size, contacts, motions):
    """The gap below which a pair has contact points: small at rest, and larger for bodies that others may strike in
    this step, as they may be thrown against their neighbours.
    """
    a, b = contacts.shape[i].body, contacts.shape[j].body
    return min(MARGIN * size + motions.agitation[a] + motions.agitation[b], WIDEST * size)


@inlined
def note_sunk(row: SUNK, t, i, j, depth, size):
    """Note a pair that overlaps by this depth."""
    row.time, row.first, row.second, row.depth, row.share = t, i, j, depth, depth / size


@inlined
def note_depth(t, i, j, depth, size, sunk: SUNK):
    """Note the first pair that overlaps deeply, and the deepest one."""
    if depth > SINKS * size:
        if sunk[c.FIRST_SUNK].share == 0.0:
            note_sunk(sunk[c.FIRST_SUNK], t, i, j, depth, size)
        if depth > sunk[c.DEEPEST_SUNK].share * size:
            note_sunk(sunk[c.DEEPEST_SUNK], t, i, j, depth, size)


@inlined
def leave_pair(i, j, number, f, p, last, new, convex):
    """Keep what is known of a pair that is left as it is, but for its impulses; returns the next rows of features and
    of pairs that overlap for a reason.
    """
    if convex is not None:
        f = begin_features(i, j, number, f, last, convex)
        keep_features(number, new, convex)
    while p < last.count[2] and is_before(last.parting[p], (i, j)):
        p += 1
    if is_of(last.parting, p, last.count[2], i, j):
        keep_parting(i, j, last.parting[p].kind, new)
    return f, p


@routine
def find_points(t, h, model, arrays):
    """Make the contact points of all candidates in a step of length h from time t, s. Returns their number, or -1 if
    there is no room.
    """
    contacts, motions, points, last, new = model.contacts, arrays.motions, arrays.points, arrays.last, arrays.next
    shape, value, pose, pair = contacts.shape, contacts.shape_value, motions.pose, arrays.candidates.pair
    n_point, m, p, n_pair, new.count[2] = 0, 0, 0, arrays.candidates.count[0], 0
    convex, f = points.convex, 0
    if convex is not None:
        new.known[0] = 0
    for number in range(n_pair):
        i, j, apart, closing = pair[number, 0], pair[number, 1], points.apart[number], points.closing[number]
        if arrays.sleep is not None and apart == IDLE:
            f, p = leave_pair(i, j, number, f, p, last, new, convex)
            continue
        size = smaller_size(i, j, value)
        part, margin = 0.0, margin_of(i, j, size, contacts, motions)
        if convex is not None:
            f = begin_features(i, j, number, f, last, convex)
        if apart - value[i].bound - value[j].bound > closing + margin:
            continue
        if closing > FAST * size:
            part, count = advance_to_touch(i, j, contacts, motions, points, h, apart)
        else:
            shape_i, shape_j = placed_shape(i, contacts, pose[i]), placed_shape(j, contacts, pose[j])
            count = meet(shape_i, shape_j, closing + margin, points.place, points.convex)
        if convex is not None:
            keep_features(number, new, convex)
        if count == 0:
            continue
        while m < last.count[0] and is_before(last.key[m], pair[number]):
            m += 1
        while p < last.count[2] and is_before(last.parting[p], pair[number]):
            p += 1
        before = last.parting[p].kind if is_of(last.parting, p, last.count[2], i, j) else c.COLLIDING
        is_new = not is_of(last.key, m, last.count[0], i, j)
        gap = deepest(count, points.place)
        kind = parting_of(before, is_new, gap, size)
        if kind != c.COLLIDING:
            keep_parting(i, j, kind, new)
        if kind == c.SEPARATED:
            continue
        if n_point + count >= len(points.value):
            return -1
        if kind == c.COLLIDING and contacts.action[shape[i].surfaces, shape[j].surfaces] == COLLIDES:
            note_depth(t, i, j, -gap, size, arrays.ledger.sunk)
        most = (GENTLEST if kind == c.GENTLE else DEEPEST) * size
        manifold = Manifold(i, j, number, count, part)
        n_point = add_points(manifold, n_point, m, margin, most, h, model, arrays)
    return n_point
