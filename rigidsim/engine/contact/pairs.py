"""The narrow phase: the places at which two shapes are nearest to each other.

A shape is a core, thickened by a radius; so nearest points of cores, and the depth of one in the other where they
overlap, give all pairs. A pair has up to `MOST_PLACES` places: where one lies on the other, enough of them to carry it.
"""

from __future__ import annotations

from rigidsim.engine.contact import columns as at
from rigidsim.engine.contact.box_pairs import two_boxes
from rigidsim.engine.contact.boxes import box_on_plane, capsule_and_box, sphere_and_box
from rigidsim.engine.contact.places import CENTRE, NO_DIRECTION, NO_DISTANCE, axes_of, between, put_place, turn_over
from rigidsim.jit import inlined, routine
from rigidsim.physics.distances import across, clamped, common_normal, direction, nearest_on_segments
from rigidsim.physics.vector import add, cross, dot, negated, norm, scaled, sub

UP = (0.0, 0.0, 1.0)
PARALLEL = 1e-2  # rad; capsules at a smaller angle touch along a line


@inlined
def meet(kind_i, value_i, pose_i, kind_j, value_j, pose_j, reach, places):
    """Find the places of two shapes with gaps below reach; returns their number. Two planes have none.

    The order of the places, and their features, depend only on which parts of the two shapes are nearest.
    """
    if kind_i == at.SPHERE and kind_j == at.SPHERE:
        return meet_spheres(value_i, pose_i, value_j, pose_j, reach, places)
    return meet_others(kind_i, value_i, pose_i, kind_j, value_j, pose_j, reach, places)


@inlined
def meet_spheres(value_i, pose_i, value_j, pose_j, reach, places):
    """Two spheres: one place on the line through their centres. Concentric ones part along z."""
    d = between(pose_i, pose_j)
    most = value_i[at.V_RADIUS] + value_j[at.V_RADIUS] + reach
    if not (most > 0.0 and dot(d, d) < most * most):
        return 0
    normal, distance = direction(d, NO_DISTANCE, UP)
    return put_place(places, 0, normal, distance, CENTRE, d, value_i, value_j, reach, 0.0)


@routine
def meet_others(kind_i, value_i, pose_i, kind_j, value_j, pose_j, reach, places):
    """Pairs other than two spheres: the simpler shape is taken first."""
    turned = kind_i > kind_j
    if turned:
        kind_i, value_i, pose_i, kind_j, value_j, pose_j = kind_j, value_j, pose_j, kind_i, value_i, pose_i
    count = _meet_in_order(kind_i, value_i, pose_i, kind_j, value_j, pose_j, reach, places)
    if turned:
        turn_over(count, places)
    return count


@inlined
def _meet_in_order(kind_i, value_i, pose_i, kind_j, value_j, pose_j, reach, places):
    if kind_j == at.PLANE:
        return _meet_plane(kind_i, value_i, pose_i, value_j, pose_j, reach, places)
    d, most = between(pose_i, pose_j), value_i[at.V_BOUND] + value_j[at.V_BOUND] + reach
    if not dot(d, d) < most * most:
        return 0
    if kind_j == at.CAPSULE:
        if kind_i == at.SPHERE:
            return _sphere_and_capsule(value_i, pose_i, value_j, pose_j, reach, places)
        return _two_capsules(value_i, pose_i, value_j, pose_j, reach, places)
    if kind_i == at.SPHERE:
        return sphere_and_box(value_i, pose_i, value_j, pose_j, reach, places)
    if kind_i == at.CAPSULE:
        return capsule_and_box(value_i, pose_i, value_j, pose_j, reach, places)
    return two_boxes(value_i, pose_i, value_j, pose_j, reach, places)


@inlined
def _meet_plane(kind_i, value_i, pose_i, value_j, pose_j, reach, places):
    if kind_i == at.PLANE:
        return 0
    d, outward = between(pose_i, pose_j), axes_of(pose_j)[2]
    if not -dot(d, outward) - value_i[at.V_BOUND] < reach:
        return 0
    if kind_i == at.SPHERE:
        return put_place(places, 0, negated(outward), -dot(d, outward), CENTRE, d, value_i, value_j, reach, 0.0)
    if kind_i == at.BOX:
        return box_on_plane(value_i, pose_i, value_j, outward, d, reach, places)
    return _capsule_on_plane(value_i, pose_i, value_j, outward, d, reach, places)


@inlined
def _capsule_on_plane(value_i, pose_i, value_j, outward, d, reach, places):
    """Both ends."""
    axis, half, count = axes_of(pose_i)[2], value_i[at.V_HALF + 2], 0
    for end in range(2 if half > 0.0 else 1):
        core = scaled(half * (2.0 * end - 1.0), axis)
        height = dot(sub(core, d), outward)
        count = put_place(places, count, negated(outward), height, core, d, value_i, value_j, reach, float(end))
    return count


@inlined
def _sphere_and_capsule(value_i, pose_i, value_j, pose_j, reach, places):
    """The nearest point of the segment; a centre on it leaves across it."""
    d, axis, half = between(pose_i, pose_j), axes_of(pose_j)[2], value_j[at.V_HALF + 2]
    way = add(d, scaled(clamped(-dot(d, axis), half), axis))
    least = NO_DIRECTION * (half + value_i[at.V_RADIUS] + value_j[at.V_RADIUS])
    normal, distance = direction(way, least, across(axis))
    return put_place(places, 0, normal, distance, CENTRE, d, value_i, value_j, reach, 0.0)


@inlined
def _two_capsules(value_i, pose_i, value_j, pose_j, reach, places):
    """The nearest points of the segments; of almost parallel ones both ends of the part that they have side by side."""
    d, u_i, u_j = between(pose_i, pose_j), axes_of(pose_i)[2], axes_of(pose_j)[2]
    h_i, h_j = value_i[at.V_HALF + 2], value_j[at.V_HALF + 2]
    s, t = nearest_on_segments(d, u_i, h_i, u_j, h_j)
    least = NO_DIRECTION * (h_i + h_j + value_i[at.V_RADIUS] + value_j[at.V_RADIUS])
    way = sub(add(d, scaled(t, u_j)), scaled(s, u_i))
    normal, distance = direction(way, least, common_normal(u_i, u_j, d))
    middle, width = dot(d, u_i), h_j * abs(dot(u_i, u_j))
    low, high = clamped(middle - width, h_i), clamped(middle + width, h_i)
    if low < high and norm(cross(u_i, u_j)) < PARALLEL:
        count = 0
        for end in range(2):
            s = high if end else low
            t = clamped(dot(sub(scaled(s, u_i), d), u_j), h_j)
            core = scaled(s, u_i)
            distance = dot(sub(add(d, scaled(t, u_j)), core), normal)
            count = put_place(places, count, normal, distance, core, d, value_i, value_j, reach, 1.0 + end)
        return count
    return put_place(places, 0, normal, distance, scaled(s, u_i), d, value_i, value_j, reach, 0.0)
