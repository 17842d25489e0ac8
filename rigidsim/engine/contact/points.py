"""Contact points: the places where pairs of candidates touch or may touch within the step."""

from __future__ import annotations

from rigidsim.engine.contact import columns as c
from rigidsim.engine.contact.advancement import advance_to_touch, closing_bound, place_within, travelled
from rigidsim.engine.contact.candidates import WIDEST
from rigidsim.engine.contact.pairs import meet
from rigidsim.engine.layout import load3, load4, store3
from rigidsim.jit import inlined, routine
from rigidsim.physics.contact import FACE_SHARE, LINE_SHARE, friction_shift
from rigidsim.physics.elementary import select
from rigidsim.physics.quaternion import rotate
from rigidsim.physics.vector import add, cross, dot, norm, rejection, scaled, sub

MARGIN = 0.01  # of the smaller shape: contact points are kept while the gap is below it, to keep their impulses
FAST = 0.25  # of the smaller shape: pairs that move by more within a step are examined at the time of touching
RIDES = 0.1  # the ratio of masses below which a body rides on another, and its levers follow that if it turns
SWINGS = 1e-4  # of its size: the levers follow the core of a shape that swings by more within a step
SPINS = 1e-6  # rad: friction acts beside the points of a face that spins on another by more within a step
TOUCHING = 1e-6  # of the smaller shape: an overlap below it is a touch
CLOSED = 1e-9  # of the smaller shape: a gap below it is closed
# Of the smaller shape: the overlap that the solver sees of a deeper one, at most; and of a pair that parts gently.
DEEPEST, GENTLEST = 0.02, 0.001


@inlined
def smaller(a, b):
    """The smaller of two sizes, which may be infinite."""
    return select(a < b, a, b)


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
def deepest(count, place):
    """The smallest gap of some places."""
    gap = place[0, c.Q_GAP]
    for k in range(1, count):
        gap = min(gap, place[k, c.Q_GAP])
    return gap


@inlined
def keep_parting(i, j, kind, new):
    """Keep a pair among those that overlap for a reason."""
    row = new.parting[new.count[2]]
    row[c.PARTING_FIRST], row[c.PARTING_SECOND], row[c.PARTING_KIND] = i, j, kind
    new.count[2] += 1


@inlined
def parting_of(i, j, before, is_new, gap, size):
    """What becomes of a pair with this gap, that was `before` as in PARTING_KIND; `is_new` if it had no impulse."""
    # What rested on the other shape, as its part or not, overlaps it by what the solver lets it sink.
    shallow = GENTLEST if before == c.SEPARATED else TOUCHING
    if gap >= -shallow * size:
        return c.COLLIDING
    return c.GENTLE if before == c.COLLIDING and is_new and gap < -DEEPEST * size else before


@inlined
def flags_of(swept, action, swapped):
    """The flags of a contact point."""
    sensed = action == c.SENSED
    return (c.SWEPT if swept else 0) + (c.NOTICED if sensed else 0) + (c.SWAPPED if swapped else 0)


@inlined
def write_point(place, part, h, A, B, start_A, finish_A, start_B, finish_B, centre_A, centre_B, row):
    """Normal, gap at the beginning of the step and levers of a contact point; A and B are (sign, column of the point on
    its surface, radius of thickening). The places are those at a part of the step, with the centres of both shapes
    there.
    """
    sign, column_A, radius_A = A
    n = scaled(sign, load3(place, c.Q_NORMAL, 0, 1))
    moved_A, turn_A = travelled(start_A, finish_A, h, part)
    moved_B, turn_B = travelled(start_B, finish_B, h, part)
    r_A = add(sub(centre_A, add(load3(start_A, c.X_P, 0, 1), moved_A)), load3(place, column_A, 0, 1))
    r_B = add(sub(centre_B, add(load3(start_B, c.X_P, 0, 1), moved_B)), load3(place, B, 0, 1))
    closed = sub(add(moved_B, cross(turn_B, r_B)), add(moved_A, cross(turn_A, r_A)))
    store3(row, c.C_NORMAL, 0, 1, n)
    row[c.C_GAP] = place[c.Q_GAP] - dot(n, closed)
    store3(row, c.C_A, 0, 1, r_A)
    store3(row, c.C_B, 0, 1, r_B)
    store3(row, c.C_CORE, 0, 1, sub(r_A, scaled(radius_A, n)))


@inlined
def write_surfaces(value_A, value_B, start_A, start_B, pair_value, row):
    """Friction, restitution and slip of the surfaces on their bodies, as of conveyor belts, along the contact plane."""
    of_A, of_B, slip = load3(value_A, c.V_SURFACE, 0, 1), load3(value_B, c.V_SURFACE, 0, 1), (0.0, 0.0, 0.0)
    if dot(of_A, of_A) + dot(of_B, of_B) > 0.0:
        moves_A, moves_B = rotate(load4(start_A, c.X_Q, 0, 1), of_A), rotate(load4(start_B, c.X_Q, 0, 1), of_B)
        slip = rejection(load3(row, c.C_NORMAL, 0, 1), sub(moves_B, moves_A))
    store3(row, c.C_SURFACE, 0, 1, slip)
    row[c.C_FRICTION] = pair_value[c.PAIR_FRICTION]
    row[c.C_ROLLING] = pair_value[c.PAIR_ROLLING] * rolling_radius(value_A[c.V_CURVATURE], value_B[c.V_CURVATURE])
    row[c.C_RESTITUTION] = pair_value[c.PAIR_RESTITUTION]


@inlined
def stays_apart(row, start_A, finish_A, start_B, finish_B, h, margin):
    """Whether the gap of a contact point remains above the margin at both ends of the step."""
    moved_A, turn_A = travelled(start_A, finish_A, h, 1.0)
    moved_B, turn_B = travelled(start_B, finish_B, h, 1.0)
    r_A, r_B, gap = load3(row, c.C_A, 0, 1), load3(row, c.C_B, 0, 1), row[c.C_GAP]
    change = sub(add(moved_B, cross(turn_B, r_B)), add(moved_A, cross(turn_A, r_A)))
    return gap > margin and gap + dot(load3(row, c.C_NORMAL, 0, 1), change) > margin


@inlined
def confine_point(normal, row):
    """In a planar scene: the normal and the slip of the surfaces within the plane, with the gap along that normal.
    Returns whether the point can act: its normal is not that of the plane.
    """
    n = load3(row, c.C_NORMAL, 0, 1)
    within = rejection(load3(normal, 0, 0, 1), n)
    length = norm(within)
    if length < 1e-6:
        return False
    store3(row, c.C_NORMAL, 0, 1, scaled(1.0 / length, within))
    store3(row, c.C_SURFACE, 0, 1, rejection(load3(normal, 0, 0, 1), load3(row, c.C_SURFACE, 0, 1)))
    row[c.C_GAP] /= length
    return True


@inlined
def recall(first, i, j, feature, scale, last, row):
    """The impulses of the last step at this point, if it existed; `first` is the first remembered one of the pair."""
    m = first
    while m < last.count[0] and last.key[m, 0] == i and last.key[m, 1] == j:
        if last.key[m, 2] == feature:
            for k in range(c.MEMORY_ROWS):
                row[c.C_PN + k] = scale * last.impulse[m, k]
            return
        m += 1
    for k in range(c.MEMORY_ROWS):
        row[c.C_PN + k] = 0.0


@inlined
def shift_friction(begin, end, who, point):
    """Let friction against spinning act beside the contact points of one pair, nearer to their centre of pressure: that
    of the impulses of the last step, or of equal ones if there were none.
    """
    weight, moment, is_new = 0.0, (0.0, 0.0, 0.0), True
    for k in range(begin, end):
        is_new = is_new and point[k, c.C_PN] == 0.0
    for k in range(begin, end):
        p = 1.0 if is_new else point[k, c.C_PN]
        weight, moment = weight + p, add(moment, scaled(p, load3(point[k], c.C_A, 0, 1)))
    share, centre = LINE_SHARE if end - begin == 2 else FACE_SHARE, scaled(1.0 / weight, moment)
    for k in range(begin, end):
        r, n = load3(point[k], c.C_A, 0, 1), load3(point[k], c.C_NORMAL, 0, 1)
        store3(point[k], c.C_SHIFT, 0, 1, friction_shift(share, r, centre, n))
        who[k, c.POINT_FLAGS] |= c.BESIDE


@inlined
def spins(point, turn):
    """Whether a relative turn within the step (rad) spins about the normal of a contact point."""
    return abs(dot(turn, load3(point, c.C_NORMAL, 0, 1))) > SPINS


@inlined
def swings(A, B, contacts, motions):
    """Whether the core of shape A swings so far within the step that its levers at shape B have to follow it: one that
    the contact stays at.
    """
    stays = contacts.shape[A, c.SHAPE_KIND] == c.SPHERE or contacts.shape[B, c.SHAPE_KIND] == c.PLANE
    return stays and motions.turn[A] * motions.lever[A] > SWINGS * contacts.shape_value[A, c.V_BOUND]


@inlined
def add_points(i, j, number, counts, part, first, h, sizes, contacts, normal, inverse, motions, points, last):
    """Make contact points of the places of one pair. `counts`: of points up to now, and of places; `sizes`: of the
    smaller shape, the margin, the deepest overlap that the solver sees. Returns the number of points after it.
    """
    (n_point, count), (size, margin, most) = counts, sizes
    begin = n_point
    shape, value, later = contacts.shape, contacts.shape_value, points.later
    w_i, w_j = inverse[shape[i, c.SHAPE_BODY], c.I_MASS], inverse[shape[j, c.SHAPE_BODY], c.I_MASS]
    swapped = w_i < w_j  # B is the heavier one
    A, B = (j, i) if swapped else (i, j)
    a, b = shape[A, c.SHAPE_BODY], shape[B, c.SHAPE_BODY]
    start_A, finish_A, start_B, finish_B = motions.start[a], motions.finish[a], motions.start[b], motions.finish[b]
    sign, column_A, column_B = (-1.0, c.Q_SECOND, c.Q_FIRST) if swapped else (1.0, c.Q_FIRST, c.Q_SECOND)
    turn_A, turn_B = travelled(start_A, finish_A, h, 1.0)[1], travelled(start_B, finish_B, h, 1.0)[1]
    classes = shape[i, c.SHAPE_CLASS], shape[j, c.SHAPE_CLASS]
    rides = dot(turn_B, turn_B) > 0.0 and min(w_i, w_j) <= RIDES * max(w_i, w_j)
    flags = flags_of(rides or swings(A, B, contacts, motions), contacts.action[classes], swapped)
    pair_value = contacts.value[classes[0] * len(contacts.action) + classes[1]]
    place_within(value[A], start_A, finish_A, h, part, motions.pose[A], later[0])
    place_within(value[B], start_B, finish_B, h, part, motions.pose[B], later[1])
    centre_A, centre_B = load3(later[0], c.H_P, 0, 1), load3(later[1], c.H_P, 0, 1)
    scale = h / last.step[0] if last.step[0] > 0.0 else 0.0
    for k in range(count):
        row, place = points.value[n_point], points.place[k]
        of_A = (sign, column_A, value[A, c.V_RADIUS])
        write_point(place, part, h, of_A, column_B, start_A, finish_A, start_B, finish_B, centre_A, centre_B, row)
        write_surfaces(value[A], value[B], start_A, start_B, pair_value, row)
        acts = len(normal) == 0 or confine_point(normal[0], row)
        if not acts or stays_apart(row, start_A, finish_A, start_B, finish_B, h, margin):
            continue
        if flags & c.NOTICED and row[c.C_GAP] > 0.0:
            continue
        row[c.C_GAP], row[c.C_CLOSED] = max(row[c.C_GAP], -most), CLOSED * size
        feature = int(place[c.Q_FEATURE])
        recall(first, i, j, feature, scale, last, row)
        store3(row, c.C_SHIFT, 0, 1, (0.0, 0.0, 0.0))
        store3(row, c.C_TOTAL, 0, 1, (0.0, 0.0, 0.0))
        whose = points.who[n_point]
        whose[c.POINT_A], whose[c.POINT_B], whose[c.POINT_PAIR] = a, b, number
        whose[c.POINT_FEATURE], whose[c.POINT_FLAGS] = feature, flags
        n_point += 1
    if n_point > begin + 1 and spins(points.value[begin], sub(turn_B, turn_A)):
        shift_friction(begin, n_point, points.who, points.value)
    return n_point


@routine
def bound_closing(contacts, pair, n_pair, motions, points):
    """By how much each pair can close within the step, and the most of these for each contact body."""
    motions.agitation[:] = 0.0
    for number in range(n_pair):
        i, j = pair[number, 0], pair[number, 1]
        apart = norm(sub(load3(motions.pose[j], c.H_P, 0, 1), load3(motions.pose[i], c.H_P, 0, 1)))
        closing = closing_bound(i, j, apart, contacts, motions)
        points.apart[number], points.closing[number] = apart, closing
        a, b = contacts.shape[i, c.SHAPE_BODY], contacts.shape[j, c.SHAPE_BODY]
        motions.agitation[a] = max(motions.agitation[a], closing)
        motions.agitation[b] = max(motions.agitation[b], closing)


@inlined
def margin_of(i, j, size, contacts, motions):
    """The gap below which a pair has contact points: small at rest, and larger for bodies that others may strike in
    this step, as they may be thrown against their neighbours.
    """
    a, b = contacts.shape[i, c.SHAPE_BODY], contacts.shape[j, c.SHAPE_BODY]
    return min(MARGIN * size + motions.agitation[a] + motions.agitation[b], WIDEST * size)


@routine
def find_points(h, contacts, normal, inverse, pair, n_pair, motions, points, last, new):
    """Make the contact points of all candidates. Returns their number, or -1 if there is no room."""
    shape, value, pose = contacts.shape, contacts.shape_value, motions.pose
    n_point, m, p, new.count[2] = 0, 0, 0, 0
    bound_closing(contacts, pair, n_pair, motions, points)
    for number in range(n_pair):
        i, j, apart, closing = pair[number, 0], pair[number, 1], points.apart[number], points.closing[number]
        size = smaller(value[i, c.V_BOUND], value[j, c.V_BOUND])
        part, margin = 0.0, margin_of(i, j, size, contacts, motions)
        if apart - value[i, c.V_BOUND] - value[j, c.V_BOUND] > closing + margin:
            continue
        if closing > FAST * size:
            part, count = advance_to_touch(i, j, contacts, motions, points, h, closing, apart, size)
        else:
            kinds, reach = (shape[i, c.SHAPE_KIND], shape[j, c.SHAPE_KIND]), closing + margin
            count = meet(kinds[0], value[i], pose[i], kinds[1], value[j], pose[j], reach, points.place)
        if count == 0:
            continue
        while m < last.count[0] and is_before(last.key[m], pair[number]):
            m += 1
        while p < last.count[2] and is_before(last.parting[p], pair[number]):
            p += 1
        before = last.parting[p, c.PARTING_KIND] if is_of(last.parting, p, last.count[2], i, j) else c.COLLIDING
        is_new = not is_of(last.key, m, last.count[0], i, j)
        kind = parting_of(i, j, before, is_new, deepest(count, points.place), size)
        if kind != c.COLLIDING:
            keep_parting(i, j, kind, new)
        if kind == c.SEPARATED:
            continue
        if n_point + count > len(points.value):
            return -1
        most = (GENTLEST if kind == c.GENTLE else DEEPEST) * size
        n_point = add_points(
            i, j, number, (n_point, count), part, m, h, (size, margin, most), contacts, normal, inverse, motions,
            points, last,
        )  # fmt: skip
    return n_point
