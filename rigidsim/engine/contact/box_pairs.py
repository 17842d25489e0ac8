"""Two boxes: separating axes, faces clipped by faces, and nearest features.

The axes of largest separation (Gottschalk, Lin, Manocha, SIGGRAPH 1996) say which faces or edges meet. A face is
preferred to an edge, and the larger box's to the other's, unless that costs `PREFERENCE` of the thinner box: boxes that
rest on each other keep their places. Of a face, the other box's face that is turned most towards it is clipped by the
sides (Sutherland and Hodgman, Comm. ACM 17, 1974), with a tolerance, so that exactly aligned boxes always have four
places. Boxes that are apart may be nearer at a corner than along any of these axes; then all features are compared.
"""

from __future__ import annotations

import numpy as np

from rigidsim.engine.contact import columns as at
from rigidsim.engine.contact.boxes import PARALLEL, UNIT, corner, edge_of, most, nearest_to_box
from rigidsim.engine.contact.places import NO_DISTANCE, along, axes_of, between, components, half_of, put_place
from rigidsim.engine.layout import load3, store3
from rigidsim.jit import inlined, routine
from rigidsim.physics.distances import direction, nearest_in_box, nearest_on_segments, reach_along
from rigidsim.physics.elementary import with_sign
from rigidsim.physics.vector import add, cross, dot, negated, norm, scaled, sub

PREFERENCE = 1e-2  # of the thinnest size
TOLERANCE = 1e-3  # of the smaller bounding radius, across a face; of the thinnest size, in height
SMALL = 1e-9  # of the bounding radii: round-off
POINT_U, POINT_V, POINT_HEIGHT, POINT_EDGE, POINT_SIZE = 0, 1, 2, 3, 4  # a corner of a polygon above a face
EDGE_FEATURE, NEAREST_FEATURE = 100_000, 200_000


@inlined
def two_boxes(value_i, pose_i, value_j, pose_j, reach, places):
    """All places of two boxes."""
    d, axes_i, axes_j = between(pose_i, pose_j), axes_of(pose_i), axes_of(pose_j)
    a, b, x = half_of(value_i), half_of(value_j), components(axes_i, d)
    turn = (components(axes_i, axes_j[0]), components(axes_i, axes_j[1]), components(axes_i, axes_j[2]))
    radii, thin = value_i[at.V_RADIUS] + value_j[at.V_RADIUS], 2.0 * min(min(a[0], a[1], a[2]), min(b[0], b[1], b[2]))
    face, by_face, by_faces = _widest_face(x, turn, a, b, PREFERENCE * thin)
    if by_faces - radii >= reach:
        return 0
    edge, by_edge, normal = _widest_edge(x, turn, a, b)
    if by_edge - radii >= reach:
        return 0
    count, tolerance = 0, TOLERANCE * min(value_i[at.V_BOUND], value_j[at.V_BOUND])
    if by_edge <= by_face + PREFERENCE * thin:
        count = _face_places(face, value_i, axes_i, value_j, axes_j, d, tolerance, places)
    by_edges = count == 0
    if by_edges and edge >= 0:
        count = _edge_place(edge, normal, x, turn, axes_i, d, value_i, value_j, places)
    shift, apart = 0.0, max(by_faces, by_edge)
    if apart > 0.0:
        lowest = _lowest(count, places) + radii
        if lowest > apart + SMALL * (value_i[at.V_BOUND] + value_j[at.V_BOUND]):
            core, way = _nearest(x, turn, a, b)
            normal, distance = direction(way, NO_DISTANCE, UNIT[2])
            shift = lowest - distance
            if by_edges or shift > TOLERANCE * thin:
                normal, core, feature = along(axes_i, normal), along(axes_i, core), 1.0 * NEAREST_FEATURE
                return put_place(places, 0, normal, distance, core, d, value_i, value_j, reach, feature)
    return _keep_near(count, places, max(shift, 0.0), reach)


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
def _face_places(face, value_i, axes_i, value_j, axes_j, d, tolerance, places):
    """The corners of the incident face that are above the reference face, and where its edges cross the sides."""
    k, of_second = face % 3, face >= 3
    axes, half, other, size = axes_i, half_of(value_i), axes_j, half_of(value_j)
    way = d
    if of_second:
        axes, half, other, size, way = axes_j, half_of(value_j), axes_i, half_of(value_i), negated(d)
    sign = with_sign(1.0, dot(way, axes[k]))
    outward, p, q = scaled(sign, axes[k]), (k + 1) % 3, (k + 2) % 3
    lying = components(other, outward)
    j = most(lying)
    up = -with_sign(1.0, lying[j])
    middle = add(way, scaled(up * size[j], other[j]))
    _lay(places, middle, size, other, j, axes[p], axes[q], outward, half[k])
    count = _clip(_clip(4, places, 0, half[p], tolerance), places, 1, half[q], tolerance)
    if count == 0:
        return 0
    feature = 64.0 * (6 * (2 * face + (sign > 0.0)) + 2 * j + (up > 0.0))
    last = int(places[count - 1, POINT_EDGE])
    for m in range(count):
        u, v, height = load3(places[m], POINT_U, 0, 1)
        following = int(places[m, POINT_EDGE])
        name, last = feature + 8 * last + following, following
        core = add(add(scaled(u, axes[p]), scaled(v, axes[q])), scaled(half[k], outward))
        normal = outward
        if of_second:
            core, normal = add(add(d, core), scaled(height, outward)), negated(outward)
        put_place(places, m, normal, height, core, d, value_i, value_j, np.inf, name)
    return count


@inlined
def _lay(places, middle, size, axes, j, axis_u, axis_v, outward, height):
    """The four corners of face j of a box as a polygon above another face: two coordinates, height, following edge."""
    a, b = scaled(size[(j + 1) % 3], axes[(j + 1) % 3]), scaled(size[(j + 2) % 3], axes[(j + 2) % 3])
    for m in range(4):
        point = add(middle, scaled(-1.0 if m == 1 or m == 2 else 1.0, a))
        point = add(point, scaled(-1.0 if m >= 2 else 1.0, b))
        store3(places[m], 0, 0, 1, (dot(point, axis_u), dot(point, axis_v), dot(point, outward) - height))
        places[m, POINT_EDGE] = m


@inlined
def _clip(count, places, column, half, tolerance):
    """Clip a polygon by the two sides |u| <= half; it moves to the second half of the rows and back."""
    count = _clip_side(count, places, 0, POINT_SIZE, column, 1.0, half, tolerance, 4 + 2 * column)
    return _clip_side(count, places, POINT_SIZE, 0, column, -1.0, half, tolerance, 5 + 2 * column)


@routine
def _clip_side(count, places, source, target, column, sign, half, tolerance, side):
    """Clip a polygon by one side. A corner beyond it by less than the tolerance stays where it is."""
    kept = 0
    for m in range(count):
        here, there = places[m, source : source + POINT_SIZE], places[(m + 1) % count, source : source + POINT_SIZE]
        beyond, next_beyond = sign * here[column] - half, sign * there[column] - half
        inside, next_inside = beyond <= tolerance, next_beyond <= tolerance
        if inside and kept < len(places):
            row = places[kept, target : target + POINT_SIZE]
            store3(row, 0, 0, 1, load3(here, 0, 0, 1))
            row[POINT_EDGE] = side if not next_inside and beyond > 0.0 else here[POINT_EDGE]
            kept += 1
        if inside != next_inside and min(beyond, next_beyond) <= 0.0 and kept < len(places):
            row = places[kept, target : target + POINT_SIZE]
            part, start = beyond / (beyond - next_beyond), load3(here, 0, 0, 1)
            store3(row, 0, 0, 1, add(start, scaled(part, sub(load3(there, 0, 0, 1), start))))
            row[POINT_EDGE] = side if inside else here[POINT_EDGE]
            kept += 1
    return kept


@inlined
def _edge_place(edge, normal, x, turn, axes_i, d, value_i, value_j, places):
    """Where two edges pass each other."""
    k, j, a, b = edge // 3, edge % 3, half_of(value_i), half_of(value_j)
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
    return put_place(places, 0, normal, distance, core, d, value_i, value_j, np.inf, 1.0 * (EDGE_FEATURE + name))


@inlined
def _signs(x):
    return (x[0] > 0.0) + 2 * (x[1] > 0.0) + 4 * (x[2] > 0.0)


@inlined
def _nearest(x, turn, a, b):
    """The nearest points of two boxes that do not overlap, in the first one's axes: the first one's, and the way."""
    least, core, best = np.inf, UNIT[2], UNIT[2]
    for number in range(12):
        middle, axis, length = edge_of(number, b)
        start, u = add(x, along(turn, middle)), along(turn, axis)
        s, y = nearest_to_box(start, u, length, a)
        way = sub(add(start, scaled(s, u)), y)
        if dot(way, way) < least:
            least, core, best = dot(way, way), y, way
    for number in range(8):
        p = corner(number, a)
        local = components(turn, sub(p, x))
        way = along(turn, sub(nearest_in_box(local, b), local))
        if dot(way, way) < least:
            least, core, best = dot(way, way), p, way
    return core, best


@inlined
def _lowest(count, places):
    lowest = np.inf
    for m in range(count):
        lowest = min(lowest, places[m, at.Q_GAP])
    return lowest


@inlined
def _keep_near(count, places, shift, reach):
    """Lessen all gaps by `shift`, and drop the places whose gap is not below reach."""
    kept = 0
    for m in range(count):
        row, target = places[m], places[kept]
        if row[at.Q_GAP] - shift < reach:
            for c in range(at.PLACE_ROWS):
                target[c] = row[c]
            target[at.Q_GAP] -= shift
            normal, second = load3(row, at.Q_NORMAL, 0, 1), load3(row, at.Q_SECOND, 0, 1)
            store3(target, at.Q_SECOND, 0, 1, sub(second, scaled(shift, normal)))
            kept += 1
    return kept
