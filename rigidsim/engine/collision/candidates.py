"""The broad phase: a list of the pairs of shapes that may meet, kept from step to step.

Each shape has an allowance, the distance that it may move before the list is made anew; of a shape that rests it is
zero. A list contains every pair that may meet while all shapes stay within their allowances, in order of the shapes'
numbers; the narrow phase drops the others. So no result depends on when the list was made, and it is not part of a
checkpoint.

The shapes are sorted by where their spheres begin along the axis of widest spread, and each is compared with those that
began before it and have not ended (sort and sweep: Baraff, Dynamic Simulation of Non-Penetrating Rigid Bodies, 1992).
These are kept in strips across the axis of second widest spread, by their centres. Strips share a limited number of
lists by their remainders, so the extent of the scene does not matter: a list may hold shapes that are far away. A strip
is as wide as the sphere of the largest shape in it; those that are larger are in a list of their own, so one far larger
than the rest costs one pass over them; if it is a box or a mesh that rests, such as a floor, only shapes near the box
itself are listed. Planes are compared with all shapes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rigidsim.engine.collision.pairs import axes_of, between, components
from rigidsim.engine.model import contact_layout as at
from rigidsim.engine.model.arrays import Contacts, floats, integers, made
from rigidsim.engine.model.contact_layout import POSE, SOLID
from rigidsim.engine.model.layout import TRIPLE, copy_rows
from rigidsim.jit import inlined, routine
from rigidsim.physics.contact import IGNORED
from rigidsim.physics.distances import BOX, MESH, nearest_in_box
from rigidsim.physics.elementary import sqrt
from rigidsim.physics.functions import floored
from rigidsim.physics.vector import dot, norm, sub

GAPS = (1750, 701, 301, 132, 57, 23, 10, 4, 1)  # Ciura, On the best case of Shellsort (2001)
NOTHING = -1
# An allowance is this part of the bounding radius and the motion of a few steps: a longer list is made less often.
SKIN, STEPS = 0.1, 3.0
WIDEST = 0.05  # of the bounding radius: all pairs are listed that come as near as this to each other


class Candidates(NamedTuple):
    """The list, the poses and allowances that it was made with, and working arrays."""

    pair: np.ndarray = integers("pairs", 2)  # first and second shape, in order
    # How many there are, or would be if the list had room for them.
    count: np.ndarray = integers(1)  # type: ignore[assignment]  # hides a method of tuples
    listed: POSE = floats("shapes")
    allowance: np.ndarray = floats("shapes")  # negative before the first list, infinite for a plane that moves
    margin: np.ndarray = floats(1)
    order: np.ndarray = integers("shapes")  # by where they begin along the axis
    begin: np.ndarray = floats("shapes")  # where they begin
    extent: np.ndarray = floats("shapes", 5)  # centre, radius with allowance, and begin, in this order
    first: np.ndarray = integers("shapes + 4")  # of strips, and one of large shapes: place in this order of the last
    following: np.ndarray = integers("shapes")  # of the one before it in its list
    tally: np.ndarray = integers("shapes + 1")
    unsorted: np.ndarray = integers("pairs", 2)


def make_candidates(contacts: Contacts, capacity: int) -> Candidates:
    """An empty list, which is stale, with room for so many pairs."""
    candidates = made(Candidates, {"shapes": len(contacts.shape), "pairs": capacity})
    forget_candidates(candidates)
    return candidates


def forget_candidates(candidates: Candidates) -> None:
    """Let the list be stale."""
    candidates.order[:], candidates.allowance[:] = np.arange(len(candidates.order)), -1.0


@inlined
def are_held_apart(i, leader_j, contacts):
    """Whether a joint or a loop holds a shape apart from all with this leader."""
    found = False
    for k in range(contacts.shape[i, at.SHAPE.apart], contacts.shape[i, at.SHAPE.last_apart]):
        found = found or contacts.apart[k] == leader_j
    return found


@inlined
def may_meet(i, j, contacts) -> bool:
    """Whether two shapes, wherever they are, have anything to do with each other."""
    shape, n_moved = contacts.shape, contacts.n_moved
    return (
        shape[i, at.SHAPE.leader] != shape[j, at.SHAPE.leader]
        and (shape[i, at.SHAPE.body] < n_moved or shape[j, at.SHAPE.body] < n_moved)
        and contacts.action[shape[i, at.SHAPE.surfaces], shape[j, at.SHAPE.surfaces]] != IGNORED
        and not are_held_apart(i, shape[j, at.SHAPE.leader], contacts)
    )


@inlined
def _near(i, j, shape, value, candidates) -> bool:
    """Whether shape j may reach shape i, where that is a box that rests, or the box around a mesh that does."""
    kind = shape[i, at.SHAPE.kind]
    if (kind != BOX and kind != MESH) or candidates.allowance[i] != 0.0:
        return True
    x = components(axes_of(candidates.listed[i]), between(candidates.listed[i], candidates.listed[j]))
    reach = value[i, at.SOLID.radius] + value[j, at.SOLID.bound] + candidates.allowance[j] + candidates.margin[0]
    return norm(sub(x, nearest_in_box(x, SOLID(value[i]).half))) < reach


@inlined
def widest(listed, value, other):
    """The axis along which the centres have the largest variance, of all but one."""
    best, largest = 0, -1.0
    for c in range(3):
        total, square, n = 0.0, 0.0, 0
        origin = listed[0, c]
        for i in range(len(listed)):
            if value[i, at.SOLID.bound] < np.inf:
                x = listed[i, c] - origin
                total, square, n = total + x, square + x * x, n + 1
        variance = square - total * total / max(n, 1)
        if c != other and variance > largest:
            best, largest = c, variance
    return best


@inlined
def sort_along(axis, value, candidates):
    """Sort all shapes, from the order of the last list, which is almost right. Planes begin at infinity."""
    order, begin, extent = candidates.order, candidates.begin, candidates.extent
    for i in range(len(order)):
        radius = value[i, at.SOLID.bound] + candidates.allowance[i] + 0.5 * candidates.margin[0]
        begin[i] = candidates.listed[i, axis] - radius if radius < np.inf else np.inf
    for g in range(len(GAPS)):
        gap = GAPS[g]
        for k in range(gap, len(order)):
            i, m = order[k], k
            while m >= gap and begin[i] < begin[order[m - gap]]:
                order[m] = order[m - gap]
                m -= gap
            order[m] = i
    for k in range(len(order)):
        i = order[k]
        radius = value[i, at.SOLID.bound] + candidates.allowance[i] + 0.5 * candidates.margin[0]
        for c in range(3):
            extent[k, c] = candidates.listed[i, c]
        extent[k, 3], extent[k, 4] = radius, begin[i]


@inlined
def _width_of_strips(extent):
    """Four times a mean radius, in which a few giants or grains do not count for much; planes are the last."""
    total, n = 0.0, 0
    for k in range(len(extent)):
        if extent[k, 3] < np.inf:
            total, n = total + sqrt(extent[k, 3]), n + 1
    return 4.0 * (total / n) * (total / n) if total > 0.0 else 1.0


@inlined
def _remainder(number, n):
    """Of a strip's number, a double; of one that is not finite, 0."""
    k = int(number - n * floored(number / n)) if abs(number) < np.inf else 0
    return k if 0 <= k < n else 0


@inlined
def list_along(across, contacts, candidates):
    """Note all pairs of shapes other than planes; returns how many there are."""
    extent, first, following, count = candidates.extent, candidates.first, candidates.following, 0
    n, width = len(first) - 1, _width_of_strips(extent)
    first[:] = NOTHING
    for k in range(len(extent)):
        y, radius = extent[k, across] / width, extent[k, 3] / width
        if not radius < np.inf:
            break
        low, high = floored(y - radius - 0.5), floored(y + radius + 0.5)
        lists, start = (int(high - low) + 1 if high - low < n else n), _remainder(low, n)
        for c in range(lists + 1):
            strip = (start + c) % n if c < lists else n
            count = _compare(k, strip, count, contacts, candidates)
        own = _remainder(floored(y), n) if radius <= 0.5 else n
        following[k], first[own] = first[own], k
    return count


@inlined
def _compare(k, strip, count, contacts, candidates):
    """Compare a shape with those of a list, and take out those that have ended."""
    order, extent, first, following = candidates.order, candidates.extent, candidates.first, candidates.following
    shape, value = contacts.shape, contacts.shape_value
    before, m = NOTHING, first[strip]
    while m != NOTHING:
        after = following[m]
        if extent[m, 4] + 2.0 * extent[m, 3] < extent[k, 4]:
            if before == NOTHING:
                first[strip] = after
            else:
                following[before] = after
        else:
            before = m
            d, reach = sub(TRIPLE(extent[m]).xyz, TRIPLE(extent[k]).xyz), extent[k, 3] + extent[m, 3]
            if dot(d, d) < reach * reach:
                i, j = order[k], order[m]
                near = _near(i, j, shape, value, candidates) and _near(j, i, shape, value, candidates)
                if near and may_meet(i, j, contacts):
                    count = _note(i, j, count, candidates)
        m = after
    return count


@inlined
def _note(i, j, count, candidates):
    """Add a pair to the unsorted ones, if there is room."""
    if count < len(candidates.pair):
        candidates.pair[count, 0], candidates.pair[count, 1] = min(i, j), max(i, j)
    return count + 1


@inlined
def add_planes(count, contacts, candidates):
    """Note all pairs of a plane and a shape of another kind; returns how many pairs there are now."""
    value, listed, allowance = contacts.shape_value, candidates.listed, candidates.allowance
    for j in range(len(value)):
        if value[j, at.SOLID.bound] == np.inf:
            outward = axes_of(listed[j])[2]
            for i in range(len(value)):
                height = dot(between(listed[j], listed[i]), outward)
                near = height < value[i, at.SOLID.bound] + allowance[i] + allowance[j] + candidates.margin[0]
                if value[i, at.SOLID.bound] < np.inf and near and may_meet(i, j, contacts):
                    count = _note(i, j, count, candidates)
    return count


@inlined
def renew_candidates(contacts, pose, travel, margin, candidates) -> bool:
    """Make the list anew if it is stale; False if there is no room, and `count` says how much is needed.

    `travel` bounds the distance that the centre of each shape moves within this step; it is zero only if the shape does
    not turn either. Then the list contains all pairs whose gap is less than margin + travel_i + travel_j now, and
    WIDEST of both bounding radii.
    """
    value = contacts.shape_value
    if not is_stale(value, pose, travel, margin, candidates):
        return True
    choose_allowances(value, pose, travel, margin, candidates)
    return list_candidates(contacts, candidates)


@routine
def is_stale(value, pose, travel, margin, candidates) -> bool:
    """Whether some shape may leave its allowance within this step; one that rested has none."""
    listed, allowance = candidates.listed, candidates.allowance
    if not margin <= candidates.margin[0]:
        return True
    for i in range(len(pose)):
        around = WIDEST * value[i, at.SOLID.bound] if travel[i] > 0.0 else 0.0
        if not norm(between(listed[i], pose[i])) + travel[i] + around <= allowance[i]:
            return True
        for c in range(at.POSE.place("q"), at.POSE.width):
            if allowance[i] == 0.0 and pose[i, c] != listed[i, c]:
                return True
    return False


@routine
def choose_allowances(value, pose, travel, margin, candidates) -> None:
    """Allowances for a list that is made from these poses."""
    candidates.margin[0] = margin
    copy_rows(0, len(value), pose, candidates.listed)
    for i in range(len(value)):
        around = (SKIN + WIDEST) * value[i, at.SOLID.bound]
        candidates.allowance[i] = around + STEPS * travel[i] if travel[i] > 0.0 else 0.0


@routine
def list_candidates(contacts, candidates) -> bool:
    """All pairs that may meet, sorted; False if there is no room."""
    value = contacts.shape_value
    axis = widest(candidates.listed, value, -1)
    sort_along(axis, value, candidates)
    count = list_along(widest(candidates.listed, value, axis), contacts, candidates)
    count = add_planes(count, contacts, candidates)
    candidates.count[0] = count
    if count > len(candidates.pair):
        candidates.allowance[:] = -1.0
        return False
    _sort_by(1, count, candidates.pair, candidates.unsorted, candidates.tally)
    _sort_by(0, count, candidates.unsorted, candidates.pair, candidates.tally)
    return True


@inlined
def _sort_by(column, count, source, target, tally):
    """Sort by one number of the pairs, keeping the order of equal ones (counting sort)."""
    tally[:] = 0
    for k in range(count):
        tally[source[k, column] + 1] += 1
    for i in range(1, len(tally)):
        tally[i] += tally[i - 1]
    for k in range(count):
        number = source[k, column]
        target[tally[number], 0], target[tally[number], 1] = source[k, 0], source[k, 1]
        tally[number] += 1
