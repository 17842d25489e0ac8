"""Boxes against spheres, capsules and planes, and the nearest points of a segment and a box."""

from __future__ import annotations

import numpy as np

from rigidsim.engine.contact import columns as at
from rigidsim.engine.contact.places import CENTRE, NO_DISTANCE, along, axes_of, between, components, half_of, put_place
from rigidsim.jit import inlined, routine
from rigidsim.physics.distances import direction, nearest_in_box, nearest_on_segments, reach_along, way_out_of_box
from rigidsim.physics.elementary import with_sign
from rigidsim.physics.vector import add, cross, dot, negated, norm, scaled, sub

UNIT = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
FLAT = 1e-2  # rad; a capsule that meets a face, or lies along an edge, at a smaller angle has two places
PARALLEL = 1e-6  # sine; a smaller angle between two edges gives no axis


@inlined
def corner(number, half):
    """A corner of a box: bit k of its number is 1 where coordinate k is positive."""
    return (
        half[0] * (2.0 * (number & 1) - 1.0),
        half[1] * (2.0 * (number >> 1 & 1) - 1.0),
        half[2] * (2.0 * (number >> 2 & 1) - 1.0),
    )


@inlined
def sphere_and_box(value_i, pose_i, value_j, pose_j, reach, places):
    """The nearest point of the box; a centre inside leaves by the nearest face."""
    d, axes, half = between(pose_i, pose_j), axes_of(pose_j), half_of(value_j)
    x = negated(components(axes, d))
    nearest = nearest_in_box(x, half)
    outward, depth = way_out_of_box(nearest, half)
    normal, distance = direction(sub(nearest, x), NO_DISTANCE, negated(outward))
    if distance <= NO_DISTANCE:
        distance = -depth
    return put_place(places, 0, along(axes, normal), distance, CENTRE, d, value_i, value_j, reach, 0.0)


@inlined
def box_on_plane(value_i, pose_i, value_j, outward, d, reach, places):
    """The corners of the face that is turned most towards the plane."""
    axes, half, count = axes_of(pose_i), half_of(value_i), 0
    m = components(axes, outward)
    k = most(m)
    for number in range(8):
        if (number >> k & 1) == (1 if m[k] < 0.0 else 0):
            core = along(axes, corner(number, half))
            height = dot(sub(core, d), outward)
            count = put_place(places, count, negated(outward), height, core, d, value_i, value_j, reach, float(number))
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
    if low > high or not (limits == 2 or lies):
        return s, s
    return min(low, s), max(high, s)


@inlined
def capsule_and_box(value_i, pose_i, value_j, pose_j, reach, places):
    """The nearest points; of a capsule that lies on a face or along an edge both ends of the part that lies there."""
    d, axes, half, h = between(pose_i, pose_j), axes_of(pose_j), half_of(value_j), value_i[at.V_HALF + 2]
    x, u = negated(components(axes, d)), components(axes, axes_of(pose_i)[2])
    separation, outward = _separation(x, u, h, half)
    if separation - value_i[at.V_RADIUS] - value_j[at.V_RADIUS] >= reach:
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
        t = high if end else low
        core = scaled(t, u)
        distance = dot(sub(y, add(x, core)), normal)
        count = put_place(
            places, count, along(axes, normal), distance, along(axes, core), d, value_i, value_j, reach, float(end)
        )
    return count
