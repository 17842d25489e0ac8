"""The narrow phase: the places at which two shapes are nearest to each other.

A shape is a core, thickened by a radius; so nearest points of cores, and the depth of one in the other where they
overlap, give all pairs. A pair has up to `MOST_PLACES` places: where one lies on the other, enough of them to carry it.

*Two boxes.* The axes of largest separation (Gottschalk, Lin, Manocha, SIGGRAPH 1996) say which faces or edges meet. A
face is preferred to an edge, and the larger box's to the other's, unless that costs `PREFERENCE` of the thinner box:
boxes that rest on each other keep their places. Of a face, the other box's face that is turned most towards it is
clipped by the sides (Sutherland and Hodgman, Comm. ACM 17, 1974), with a tolerance, so that exactly aligned boxes
always have four places. Boxes that are apart may be nearer at a corner than along any of these axes; then all features
are compared.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rigidsim.engine.model import contact_layout as at
from rigidsim.engine.model.contact_layout import PLACE, POSE, SOLID
from rigidsim.engine.model.layout import NUMBERS, TRIPLE
from rigidsim.jit import inlined, routine
from rigidsim.physics.distances import (
    CONE,
    above_cone,
    above_cylinder,
    across,
    clamped,
    common_normal,
    direction,
    nearest_in_box,
    nearest_on_segments,
    reach_along,
    way_out_of_box,
)
from rigidsim.physics.elementary import sqrt, with_sign
from rigidsim.physics.quaternion import to_matrix
from rigidsim.physics.supports import bend_of_parallel
from rigidsim.physics.vector import add, cross, dot, negated, norm, scaled, sub, transposed

# Below this part of the sizes a distance between cores gives no direction: it is round-off.
NO_DIRECTION = 1e-10
NO_DISTANCE = 1e-150  # squares of smaller numbers underflow
CENTRE = (0.0, 0.0, 0.0)
UNIT = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
FLAT = 1e-2  # rad; a capsule that meets a face, an edge or a capsule at a smaller angle lies on it, and has two places
SHORT = 1e-6  # of half a capsule: where less of it lies on something, it touches at one point
FLUSH = 1e-3  # of half a capsule: a place so near to its end has the name of the end
PARALLEL = 1e-6  # sine; a smaller angle between two edges gives no axis
PREFERENCE = 1e-2  # of the thinnest size
TOLERANCE = 1e-3  # of the smaller bounding radius, across a face; of the thinnest size, in height
SMALL = 1e-9  # of the bounding radii: round-off
POINT_U, POINT_V, POINT_HEIGHT, POINT_EDGE, POINT_SIZE = 0, 1, 2, 3, 4  # a corner of a polygon above a face
EDGE_FEATURE, NEAREST_FEATURE = 100_000, 200_000
NO_BEND = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


class PlacedShape(NamedTuple):
    """A shape where it is: the kind of its core, its sizes, and its pose."""

    kind: int
    value: SOLID
    pose: POSE


class ShapePair(NamedTuple):
    """Two shapes of which places are found: the way from the centre of the first to that of the second (m, world axes),
    their sizes, and the gap below which there is a place, m.
    """

    d: tuple
    first: SOLID
    second: SOLID
    reach: float


@inlined
def between(pose_i: POSE, pose_j: POSE):
    """From the centre of the first shape to that of the second."""
    return sub(pose_j.p, pose_i.p)


@inlined
def axes_of(pose: POSE):
    """The three axes of a shape, in world axes."""
    return transposed(to_matrix(pose.q))


@inlined
def components(axes, x):
    """The components of a vector along the axes."""
    return (dot(axes[0], x), dot(axes[1], x), dot(axes[2], x))


@inlined
def along(axes, x):
    """The vector with these components along the axes."""
    return add(add(scaled(x[0], axes[0]), scaled(x[1], axes[1])), scaled(x[2], axes[2]))


@inlined
def pair_of(shape_i: PlacedShape, shape_j: PlacedShape, reach):
    """Two placed shapes as a pair."""
    return ShapePair(between(shape_i.pose, shape_j.pose), shape_i.value, shape_j.value, reach)


@inlined
def gap_at(distance, pair: ShapePair):
    """The gap of two shapes, m, where their cores are so far apart."""
    return distance - pair.first.radius - pair.second.radius


@inlined
def write_place(row: PLACE, normal, distance, core, pair: ShapePair, feature, stays=at.ON_FIRST):
    """Write a place. `distance` is that of the cores along the normal, `core` the point of the first one, from its
    centre. Both points lie on the normal, so the impulses there have the same moment.
    """
    gap, first = gap_at(distance, pair), add(core, scaled(pair.first.radius, normal))
    row.normal = normal
    row.gap = gap
    row.first = first
    row.second = sub(add(first, scaled(gap, normal)), pair.d)
    row.feature, row.stays = feature, 1.0 * stays


@inlined
def put_place(places: PLACE, count, normal, distance, core, pair: ShapePair, feature, stays=at.ON_FIRST):
    """Add a place, if its gap is below reach; returns how many there are now. The rest as in `write_place`."""
    if not gap_at(distance, pair) < pair.reach:
        return count
    write_place(places[count], normal, distance, core, pair, feature, stays)
    return count + 1


@inlined
def turn_over(count, places: PLACE):
    """Exchange the two shapes in all places."""
    for k in range(count):
        row = places[k]
        first = row.first
        row.normal = negated(row.normal)
        row.first = row.second
        row.second = first
        edge, stays = row.edge_first, row.stays
        row.edge_first = row.edge_second
        row.edge_second = edge
        bend = row.bend_first
        row.bend_first = row.bend_second
        row.bend_second = bend
        if stays < at.ON_LIGHTER:
            row.stays = at.ON_SECOND - stays


@inlined
def corner(number, half):
    """A corner of a box: bit k of its number is 1 where coordinate k is positive."""
    return (
        half[0] * (2.0 * (number & 1) - 1.0),
        half[1] * (2.0 * (number >> 1 & 1) - 1.0),
        half[2] * (2.0 * (number >> 2 & 1) - 1.0),
    )


@inlined
def sphere_and_box(shape_i: PlacedShape, shape_j: PlacedShape, reach, places):
    """The nearest point of the box; a centre inside leaves by the nearest face."""
    pair, axes, half = pair_of(shape_i, shape_j, reach), axes_of(shape_j.pose), shape_j.value.half
    x = negated(components(axes, pair.d))
    nearest = nearest_in_box(x, half)
    outward, depth = way_out_of_box(nearest, half)
    normal, distance = direction(sub(nearest, x), NO_DISTANCE, negated(outward))
    if distance <= NO_DISTANCE:
        distance = -depth
    return put_place(places, 0, along(axes, normal), distance, CENTRE, pair, 0.0)


@inlined
def sphere_and_round(kind, shape_i: PlacedShape, shape_j: PlacedShape, reach, places: PLACE):
    """The nearest point of a cylinder or a cone with a round base, in the plane of its axis and the centre."""
    pair, axes, half = pair_of(shape_i, shape_j, reach), axes_of(shape_j.pose), shape_j.value.half
    x, y, z = negated(components(axes, pair.d))
    rho = sqrt(x * x + y * y)
    u, v = 1.0, 0.0
    if rho > NO_DISTANCE:
        u, v = x / rho, y / rho
    above = above_cone if kind == CONE else above_cylinder
    n_r, n_z, height, r = above(rho, z, half[0], half[2])
    normal, row = along(axes, (-n_r * u, -n_r * v, -n_z)), places[0]
    row.bend_first, row.bend_second = NO_BEND, bend_of_parallel(r, n_r, along(axes, (-v, u, 0.0)))
    return put_place(places, 0, normal, height, CENTRE, pair, 0.0)


@inlined
def box_on_plane(shape_i: PlacedShape, shape_j: PlacedShape, reach, places):
    """The corners of the face that is turned most towards the plane."""
    pair, outward = pair_of(shape_i, shape_j, reach), axes_of(shape_j.pose)[2]
    axes, half, count = axes_of(shape_i.pose), shape_i.value.half, 0
    m = components(axes, outward)
    k = most(m)
    for number in range(8):
        if (number >> k & 1) == (1 if m[k] < 0.0 else 0):
            core = along(axes, corner(number, half))
            height = dot(sub(core, pair.d), outward)
            count = put_place(places, count, negated(outward), height, core, pair, float(number))
    return count


@inlined
def most(m):
    """Which component is the largest in size."""
    x, y, z = abs(m[0]), abs(m[1]), abs(m[2])
    return 0 if x >= y and x >= z else (1 if y >= z else 2)


@inlined
def edge_of(number, half):
    """Middle, direction and half length of one of the twelve edges of a box."""
    k, corners = number >> 2, number & 3
    a = 2.0 * (corners & 1) - 1.0
    b = 2.0 * (corners >> 1) - 1.0
    m, n = (k + 1) % 3, (k + 2) % 3
    return add(scaled(a * half[m], UNIT[m]), scaled(b * half[n], UNIT[n])), UNIT[k], half[k]


@inlined
def _is_farther(x, u, h, half, least):
    """Whether the box around a segment is farther than this from a box in its own axes: the square of the distance."""
    size = h + half[0] + half[1] + half[2]
    beside = (half[0] + h * abs(u[0]), half[1] + h * abs(u[1]), half[2] + h * abs(u[2]))
    way = sub(x, nearest_in_box(x, add(beside, (SMALL * size, SMALL * size, SMALL * size))))
    return dot(way, way) > least


@routine
def nearest_to_box(x, u, h, half):
    """The nearest points x + s u and y of a segment, |s| <= h, and a box in its own axes that do not overlap: (s, y).

    They are an end of the segment and a point of the box, or on the segment and an edge.
    """
    least, best, nearest = np.inf, 0.0, (0.0, 0.0, 0.0)
    for end in range(2):
        s = h * (2.0 * end - 1.0)
        p = add(x, scaled(s, u))
        y = nearest_in_box(p, half)
        way = sub(y, p)
        if dot(way, way) < least:
            least, best, nearest = dot(way, way), s, y
    for number in range(12):
        middle, axis, length = edge_of(number, half)
        if _is_farther(sub(x, middle), u, h, scaled(length, axis), least):
            continue
        s, t = nearest_on_segments(sub(middle, x), u, h, axis, length)
        y = add(middle, scaled(t, axis))
        way = sub(y, add(x, scaled(s, u)))
        if dot(way, way) < least:
            least, best, nearest = dot(way, way), s, y
    return best, nearest


@inlined
def _separation(x, u, h, half):
    """The largest separation of a segment and a box in its own axes, and its direction, from the box outwards."""
    largest, outward = -np.inf, UNIT[0]
    for k in range(6):
        m = UNIT[k] if k < 3 else cross(UNIT[k - 3], u)
        length = norm(m)
        if length > PARALLEL:
            m = scaled(with_sign(1.0, dot(m, x)) / length, m)
            separation = dot(m, x) - reach_along(m, half) - h * abs(dot(m, u))
            if separation > largest:
                largest, outward = separation, m
    return largest, outward


@inlined
def _beside(x, u, h, half, normal, s):
    """The part of a segment beside the face or edge that it meets along this normal; at least the point s."""
    low, high, limits, lies = -h, h, 0, False
    for k in range(3):
        if abs(normal[k]) < FLAT:
            limits, lies = limits + 1, lies or abs(u[k]) > 1.0 - 0.5 * FLAT * FLAT
            if u[k] != 0.0:
                a, b = (-half[k] - x[k]) / u[k], (half[k] - x[k]) / u[k]
                low, high = max(low, min(a, b)), min(high, max(a, b))
            elif abs(x[k]) > half[k]:
                low, high = h, -h
    if low > high or max(high, s) - min(low, s) <= SHORT * h or not (limits == 2 or lies):
        return s, s
    return min(low, s), max(high, s)


@inlined
def capsule_and_box(shape_i: PlacedShape, shape_j: PlacedShape, reach, places):
    """The nearest points; of a capsule that lies on a face or along an edge both ends of the part that lies there."""
    pair, axes = pair_of(shape_i, shape_j, reach), axes_of(shape_j.pose)
    half, h = pair.second.half, pair.first.half[2]
    x, u = negated(components(axes, pair.d)), components(axes, axes_of(shape_i.pose)[2])
    separation, outward = _separation(x, u, h, half)
    if gap_at(separation, pair) >= reach:
        return 0
    s, y = nearest_to_box(x, u, h, half)
    if separation > 0.0:
        normal, _ = direction(sub(y, add(x, scaled(s, u))), NO_DISTANCE, negated(outward))
    else:
        normal = negated(outward)
        along_it = dot(outward, u)
        s = 0.0 if abs(along_it) < PARALLEL else -with_sign(h, along_it)
        y = sub(add(x, scaled(s, u)), scaled(dot(outward, add(x, scaled(s, u))) - reach_along(outward, half), outward))
    low, high = _beside(x, u, h, half, normal, s)
    count = 0
    for end in range(2 if low < high else 1):
        at_end, m, there = high if end else low, normal, y
        core, stays = scaled(at_end, u), at.ON_FIRST if abs(at_end) == h else at.NOWHERE
        if separation > 0.0 and at_end != s:  # its own nearest point: where s crosses an edge, normals differ
            there = nearest_in_box(add(x, core), half)
            m, _ = direction(sub(there, add(x, core)), NO_DISTANCE, normal)
        distance, place = dot(sub(there, add(x, core)), m), along(axes, core)
        name = _name_on_segment(at_end, h, end, low == high)
        count = put_place(places, count, along(axes, m), distance, place, pair, name, stays)
    return count


@inlined
def _name_on_segment(s, h, end, is_single):
    """The feature of a place on a segment: an end of it, or what is flush with it, keeps its own, also while more of
    the segment lies on something and where that part ends.
    """
    if abs(s) >= (1.0 - FLUSH) * h:
        return 1.0 if s > 0.0 else 0.0
    return 4.0 if is_single else 2.0 + end


@inlined
def two_boxes(shape_i: PlacedShape, shape_j: PlacedShape, reach, places):
    """All places of two boxes."""
    pair, axes_i, axes_j = pair_of(shape_i, shape_j, reach), axes_of(shape_i.pose), axes_of(shape_j.pose)
    value_i, value_j = pair.first, pair.second
    a, b, x = value_i.half, value_j.half, components(axes_i, pair.d)
    turn = (components(axes_i, axes_j[0]), components(axes_i, axes_j[1]), components(axes_i, axes_j[2]))
    radii, thin = value_i.radius + value_j.radius, 2.0 * min(min(a[0], a[1], a[2]), min(b[0], b[1], b[2]))
    face, by_face, by_faces = _widest_face(x, turn, a, b, PREFERENCE * thin)
    if by_faces - radii >= reach:
        return 0
    shallow = reach >= 0.0 and by_faces <= 0.0 and by_face >= -PREFERENCE * thin
    size = value_i.bound + value_j.bound
    by_faces_alone = shallow and _overlap(x, turn, a, b, SMALL * size)
    edge, by_edge, normal = -1, -np.inf, UNIT[2]
    if not by_faces_alone:
        edge, by_edge, normal = _widest_edge(x, turn, a, b)
        if by_edge - radii >= reach:
            return 0
    count, tolerance = 0, TOLERANCE * min(value_i.bound, value_j.bound)
    if by_edge <= by_face + PREFERENCE * thin:
        count = _face_places(face, pair, axes_i, axes_j, tolerance, places)
    by_edges = count == 0
    if by_edges and by_faces_alone:
        edge, by_edge, normal = _widest_edge(x, turn, a, b)
    if by_edges and edge >= 0:
        count = _edge_place(edge, normal, x, turn, axes_i, pair, places)
    shift, apart = 0.0, max(by_faces, by_edge)
    if apart > 0.0:
        lowest = deepest(count, places) + radii
        if lowest > apart + SMALL * size:
            core, way = _nearest(x, turn, a, b)
            normal, distance = direction(way, NO_DISTANCE, UNIT[2])
            shift = lowest - distance
            if by_edges or shift > TOLERANCE * thin:
                normal, core, feature = along(axes_i, normal), along(axes_i, core), 1.0 * NEAREST_FEATURE
                return put_place(places, 0, normal, distance, core, pair, feature, at.NOWHERE)
    return keep_near(count, places, max(shift, 0.0), reach)


@inlined
def _widest_face(x, turn, a, b, slack):
    """The face that separates two boxes most, 0 to 2 of the first, 3 to 5 of the second box; its separation; and the
    largest one: the larger box's face is chosen if it separates less by no more than `slack`.
    """
    best_a, best_b, largest_a, largest_b = 0, 0, -np.inf, -np.inf
    for k in range(3):
        by_a = abs(x[k]) - a[k] - (b[0] * abs(turn[0][k]) + b[1] * abs(turn[1][k]) + b[2] * abs(turn[2][k]))
        by_b = abs(dot(x, turn[k])) - b[k] - reach_along(turn[k], a)
        if by_a > largest_a:
            best_a, largest_a = k, by_a
        if by_b > largest_b:
            best_b, largest_b = k, by_b
    first_is_larger = a[0] + a[1] + a[2] >= b[0] + b[1] + b[2]
    largest = max(largest_a, largest_b)
    if largest_b > largest_a + (slack if first_is_larger else -slack):
        return 3 + best_b, largest_b, largest
    return best_a, largest_a, largest


@inlined
def _overlap(x, turn, a, b, margin):
    """Whether the point of the second box that is nearest to the centre of the first one lies in this, deeper than the
    margin: then no axis separates them, and one along which a face overlaps little is as good as any of two edges.
    """
    y = nearest_in_box(negated(components(turn, x)), b)
    p = add(x, along(turn, y))
    return abs(p[0]) < a[0] - margin and abs(p[1]) < a[1] - margin and abs(p[2]) < a[2] - margin


@routine
def _widest_edge(x, turn, a, b):
    """The pair of edges (3 k + l) that separates two boxes most, its separation, the normal from first to second."""
    best, largest, normal = -1, -np.inf, UNIT[2]
    for k in range(3):
        for j in range(3):
            m = cross(UNIT[k], turn[j])
            length = norm(m)
            if length > PARALLEL:
                m = scaled(with_sign(1.0, dot(m, x)) / length, m)
                separation = dot(m, x) - reach_along(m, a) - reach_along(components(turn, m), b)
                if separation > largest:
                    best, largest, normal = 3 * k + j, separation, m
    return best, largest, normal


@inlined
def _face_places(face, pair: ShapePair, axes_i, axes_j, tolerance, places: PLACE):
    """The corners of the incident face that are above the reference face, and where its edges cross the sides."""
    k, of_second = face % 3, face >= 3
    axes, half, other, size = axes_i, pair.first.half, axes_j, pair.second.half
    way = pair.d
    if of_second:
        axes, half, other, size, way = axes_j, pair.second.half, axes_i, pair.first.half, negated(pair.d)
    sign = with_sign(1.0, dot(way, axes[k]))
    outward, p, q = scaled(sign, axes[k]), (k + 1) % 3, (k + 2) % 3
    lying = components(other, outward)
    j = most(lying)
    up, m, n = -with_sign(1.0, lying[j]), (j + 1) % 3, (j + 2) % 3
    middle, frame = add(way, scaled(up * size[j], other[j])), (axes[p], axes[q], outward)
    _lay(places, middle, scaled(size[m], other[m]), scaled(size[n], other[n]), frame, half[k])
    count = 4
    if not _lies_within(places, half[p], half[q], tolerance):
        count = _clip(_clip(4, places, 0, half[p], tolerance), places, 1, half[q], tolerance)
        if count == 0:
            return 0
    feature = 64.0 * (6 * (2 * face + (sign > 0.0)) + 2 * j + (up > 0.0))
    last = int(places[count - 1, POINT_EDGE])
    for m in range(count):
        u, v, height = NUMBERS(places[m]).part(POINT_U, 3)
        following = int(places[m, POINT_EDGE])
        # A corner stays on its box; of two edges that cross, incident ones are 0 to 3, sides of the reference 4 to 7.
        incident, reference = last if last < 4 else following, following if last < 4 else last
        stays = at.ON_EDGES
        if incident >= 4 or reference < 4:
            stays = at.ON_SECOND if of_second == (incident >= 4) else at.ON_FIRST
        edge_of_other, edge = other[(j + 1 + (incident & 1)) % 3], axes[q if reference < 6 else p]
        name, last = feature + 8 * last + following, following
        core = add(add(scaled(u, axes[p]), scaled(v, axes[q])), scaled(half[k], outward))
        normal = outward
        if of_second:
            core, normal = add(add(pair.d, core), scaled(height, outward)), negated(outward)
        write_place(places[m], normal, height, core, pair, name, stays)
        places[m].edge_first, places[m].edge_second = (edge_of_other, edge) if of_second else (edge, edge_of_other)
    return count


@inlined
def _lay(places: TRIPLE, middle, a, b, frame, height):
    """The four corners of a face of a box, +-a +-b from its middle, as a polygon above another face, so high along the
    frame: two coordinates, height, following edge.
    """
    for m in range(4):
        point = add(middle, scaled(-1.0 if m == 1 or m == 2 else 1.0, a))
        point = add(point, scaled(-1.0 if m >= 2 else 1.0, b))
        u, v, w = components(frame, point)
        places[m].xyz = (u, v, w - height)
        places[m, POINT_EDGE] = m


@inlined
def _lies_within(places, half_u, half_v, tolerance):
    """Whether no corner of a face is beyond one of the four sides, so that nothing is to be clipped."""
    u, v = 0.0, 0.0
    for m in range(4):
        u, v = max(u, abs(places[m, POINT_U])), max(v, abs(places[m, POINT_V]))
    return u - half_u <= tolerance and v - half_v <= tolerance


@inlined
def _clip(count, places, column, half, tolerance):
    """Clip a polygon by the two sides |u| <= half; it moves to the second half of the rows and back."""
    count = _clip_side(count, places, 0, 4 + 2 * column, half, tolerance)
    return _clip_side(count, places, POINT_SIZE, 5 + 2 * column, half, tolerance)


@routine
def _clip_side(count, places: TRIPLE, source, side, half, tolerance):
    """Clip the polygon at these columns by side 4 (u <= half), 5 (-u <= half), 6 or 7 (v likewise), to the other ones.
    A corner beyond it by less than the tolerance stays where it is.
    """
    kept, target, column, sign = 0, POINT_SIZE - source, side // 2 - 2, 1.0 - 2.0 * (side % 2)
    for m in range(count):
        here, there = places[m, source : source + POINT_SIZE], places[(m + 1) % count, source : source + POINT_SIZE]
        beyond, next_beyond = sign * here[column] - half, sign * there[column] - half
        inside, next_inside = beyond <= tolerance, next_beyond <= tolerance
        if inside and kept < len(places):
            row = places[kept, target : target + POINT_SIZE]
            row.xyz = here.xyz
            row[POINT_EDGE] = side if not next_inside and beyond > 0.0 else here[POINT_EDGE]
            kept += 1
        if inside != next_inside and min(beyond, next_beyond) <= 0.0 and kept < len(places):
            row = places[kept, target : target + POINT_SIZE]
            part, start = beyond / (beyond - next_beyond), here.xyz
            row.xyz = add(start, scaled(part, sub(there.xyz, start)))
            row[POINT_EDGE] = side if inside else here[POINT_EDGE]
            kept += 1
    return kept


@inlined
def _edge_place(edge, normal, x, turn, axes_i, pair: ShapePair, places: PLACE):
    """Where two edges pass each other; returns the number of places, 1."""
    k, j, a, b = edge // 3, edge % 3, pair.first.half, pair.second.half
    n_a, n_b = normal, negated(components(turn, normal))
    on_a = (with_sign(a[0], n_a[0]), with_sign(a[1], n_a[1]), with_sign(a[2], n_a[2]))
    on_b = (with_sign(b[0], n_b[0]), with_sign(b[1], n_b[1]), with_sign(b[2], n_b[2]))
    first, second = sub(on_a, scaled(on_a[k], UNIT[k])), sub(on_b, scaled(on_b[j], UNIT[j]))
    d_edges = sub(add(x, along(turn, second)), first)
    s, t = nearest_on_segments(d_edges, UNIT[k], a[k], turn[j], b[j])
    name = 64 * edge + 8 * _signs(first) + _signs(second)
    core = along(axes_i, add(first, scaled(s, UNIT[k])))
    distance, normal = dot(d_edges, normal), along(axes_i, normal)
    if distance > 0.0:  # larger than along the normal, if the nearest features are others
        distance = norm(sub(add(d_edges, scaled(t, turn[j])), scaled(s, UNIT[k])))
    feature = 1.0 * (EDGE_FEATURE + name)
    places[0].edge_first, places[0].edge_second = axes_i[k], along(axes_i, turn[j])
    write_place(places[0], normal, distance, core, pair, feature, at.ON_EDGES)
    return 1


@inlined
def _signs(x):
    return (x[0] > 0.0) + 2 * (x[1] > 0.0) + 4 * (x[2] > 0.0)


@inlined
def _nearest(x, turn, a, b):
    """The nearest points of two boxes that do not overlap, in the first one's axes: the first one's, and the way."""
    square, core, best = np.inf, UNIT[2], UNIT[2]
    for number in range(8):
        p = corner(number, a)
        local = components(turn, sub(p, x))
        way = along(turn, sub(nearest_in_box(local, b), local))
        if dot(way, way) < square:
            square, core, best = dot(way, way), p, way
    least = np.inf
    for number in range(12):
        middle, axis, length = edge_of(number, b)
        start, u = add(x, along(turn, middle)), along(turn, axis)
        if _is_farther(start, u, length, a, min(least, square)):
            continue
        s, y = nearest_to_box(start, u, length, a)
        way = sub(add(start, scaled(s, u)), y)
        if dot(way, way) < least and dot(way, way) <= square:
            least, core, best = dot(way, way), y, way
    return core, best


@inlined
def deepest(count, places: PLACE):
    """The smallest gap of some places."""
    gap = np.inf
    for m in range(count):
        gap = min(gap, places[m].gap)
    return gap


@inlined
def keep_near(count, places: PLACE, shift, reach):
    """Lessen all gaps by `shift`, and drop the places whose gap is not below reach."""
    kept = 0
    for m in range(count):
        row, target = places[m], places[kept]
        if row.gap - shift < reach:
            if kept < m:
                for c in range(at.PLACE.width):
                    target[c] = row[c]
            target.gap -= shift
            target.second = sub(row.second, scaled(shift, row.normal))
            kept += 1
    return kept


@inlined
def sphere_on_plane(shape_i: PlacedShape, shape_j: PlacedShape, reach, places):
    """The point below the centre."""
    pair, outward = pair_of(shape_i, shape_j, reach), axes_of(shape_j.pose)[2]
    return put_place(places, 0, negated(outward), -dot(pair.d, outward), CENTRE, pair, 0.0)


@inlined
def capsule_on_plane(shape_i: PlacedShape, shape_j: PlacedShape, reach, places):
    """Both ends."""
    pair, outward = pair_of(shape_i, shape_j, reach), axes_of(shape_j.pose)[2]
    axis, half, count = axes_of(shape_i.pose)[2], pair.first.half[2], 0
    for end in range(2 if half > 0.0 else 1):
        core = scaled(half * (2.0 * end - 1.0), axis)
        height = dot(sub(core, pair.d), outward)
        count = put_place(places, count, negated(outward), height, core, pair, float(end))
    return count


@inlined
def sphere_and_capsule(shape_i: PlacedShape, shape_j: PlacedShape, reach, places):
    """The nearest point of the segment; a centre on it leaves across it."""
    pair, axis, half = pair_of(shape_i, shape_j, reach), axes_of(shape_j.pose)[2], shape_j.value.half[2]
    way = add(pair.d, scaled(clamped(-dot(pair.d, axis), half), axis))
    normal, distance = direction(way, NO_DIRECTION * (half + pair.first.radius + pair.second.radius), across(axis))
    return put_place(places, 0, normal, distance, CENTRE, pair, 0.0)


@inlined
def two_capsules(shape_i: PlacedShape, shape_j: PlacedShape, reach, places):
    """The nearest points of the segments; of almost parallel ones both ends of the part that they have side by side."""
    pair, u_i, u_j = pair_of(shape_i, shape_j, reach), axes_of(shape_i.pose)[2], axes_of(shape_j.pose)[2]
    d, h_i, h_j = pair.d, pair.first.half[2], pair.second.half[2]
    s, t = nearest_on_segments(d, u_i, h_i, u_j, h_j)
    least = NO_DIRECTION * (h_i + h_j + pair.first.radius + pair.second.radius)
    normal, distance = direction(sub(add(d, scaled(t, u_j)), scaled(s, u_i)), least, common_normal(u_i, u_j, d))
    middle, width = dot(d, u_i), h_j * abs(dot(u_i, u_j))
    low, high = clamped(middle - width, h_i), clamped(middle + width, h_i)
    if high - low > SHORT * h_i and norm(cross(u_i, u_j)) < FLAT:
        count = 0
        for end in range(2):
            s = high if end else low
            t = clamped(dot(sub(scaled(s, u_i), d), u_j), h_j)
            core = scaled(s, u_i)
            distance = dot(sub(add(d, scaled(t, u_j)), core), normal)
            name = 1.0 + end
            count = put_place(places, count, normal, distance, core, pair, name, at.NOWHERE)
        return count
    return put_place(places, 0, normal, distance, scaled(s, u_i), pair, 0.0, at.NOWHERE)


@inlined
def meet_spheres(shape_i: PlacedShape, shape_j: PlacedShape, reach, places):
    """Two spheres: one place on the line through their centres. Concentric ones part along z."""
    pair = pair_of(shape_i, shape_j, reach)
    most = pair.first.radius + pair.second.radius + reach
    if not (most > 0.0 and dot(pair.d, pair.d) < most * most):
        return 0
    normal, distance = direction(pair.d, NO_DISTANCE, UNIT[2])
    return put_place(places, 0, normal, distance, CENTRE, pair, 0.0, at.ON_LIGHTER)
