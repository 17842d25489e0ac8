"""The sweep of the broad phase: every pair of shapes whose bounding spheres, with allowances, overlap.

The shapes are sorted by where their spheres begin along the axis of widest spread, and each is compared with those that
began before it and have not ended (sort and sweep: Baraff, Dynamic Simulation of Non-Penetrating Rigid Bodies, 1992).
These are kept in strips across the axis of second widest spread, by their centres. Strips share a limited number of
lists by their remainders, so the extent of the scene does not matter: a list may hold shapes that are far away. A strip
is as wide as the sphere of the largest shape in it; those that are larger are in a list of their own.
"""

from __future__ import annotations

import numpy as np

from rigidsim.engine.contact import columns as at
from rigidsim.engine.contact.places import axes_of, between, components, half_of
from rigidsim.engine.layout import load3
from rigidsim.jit import inlined
from rigidsim.physics.distances import nearest_in_box
from rigidsim.physics.elementary import sqrt
from rigidsim.physics.functions import floored
from rigidsim.physics.vector import dot, norm, sub

GAPS = (1750, 701, 301, 132, 57, 23, 10, 4, 1)  # Ciura, On the best case of Shellsort (2001)
NOTHING = -1


@inlined
def may_meet(i, j, shape, action, n_moved) -> bool:
    """Whether two shapes, wherever they are, have anything to do with each other."""
    a, b = shape[i, at.SHAPE_BODY], shape[j, at.SHAPE_BODY]
    return (
        shape[i, at.SHAPE_MOVER] != shape[j, at.SHAPE_MOVER]
        and (a < n_moved or b < n_moved)
        and action[shape[i, at.SHAPE_CLASS], shape[j, at.SHAPE_CLASS]] != at.IGNORED
    )


@inlined
def _near(i, j, shape, value, candidates) -> bool:
    """Whether shape j may reach shape i, where that is a box that rests."""
    if shape[i, at.SHAPE_KIND] != at.BOX or candidates.allowance[i] != 0.0:
        return True
    x = components(axes_of(candidates.listed[i]), between(candidates.listed[i], candidates.listed[j]))
    reach = value[i, at.V_RADIUS] + value[j, at.V_BOUND] + candidates.allowance[j] + candidates.margin[0]
    return norm(sub(x, nearest_in_box(x, half_of(value[i])))) < reach


@inlined
def widest(listed, value, other):
    """The axis along which the centres have the largest variance, of all but one."""
    best, largest = 0, -1.0
    for c in range(3):
        total, square, n = 0.0, 0.0, 0
        origin = listed[0, c]
        for i in range(len(listed)):
            if value[i, at.V_BOUND] < np.inf:
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
        radius = value[i, at.V_BOUND] + candidates.allowance[i] + 0.5 * candidates.margin[0]
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
        radius = value[i, at.V_BOUND] + candidates.allowance[i] + 0.5 * candidates.margin[0]
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
def sweep(across, shape, value, action, n_moved, candidates):
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
            count = _compare(k, strip, count, shape, value, action, n_moved, candidates)
        own = _remainder(floored(y), n) if radius <= 0.5 else n
        following[k], first[own] = first[own], k
    return count


@inlined
def _compare(k, strip, count, shape, value, action, n_moved, candidates):
    """Compare a shape with those of a list, and take out those that have ended."""
    order, extent, first, following = candidates.order, candidates.extent, candidates.first, candidates.following
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
            d, reach = sub(load3(extent[m], 0, 0, 1), load3(extent[k], 0, 0, 1)), extent[k, 3] + extent[m, 3]
            if dot(d, d) < reach * reach:
                i, j = order[k], order[m]
                near = _near(i, j, shape, value, candidates) and _near(j, i, shape, value, candidates)
                if near and may_meet(i, j, shape, action, n_moved):
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
def add_planes(count, shape, value, action, n_moved, candidates):
    """Note all pairs of a plane and a shape of another kind; returns how many pairs there are now."""
    listed, allowance = candidates.listed, candidates.allowance
    for j in range(len(shape)):
        if value[j, at.V_BOUND] == np.inf:
            outward = axes_of(listed[j])[2]
            for i in range(len(shape)):
                height = dot(between(listed[j], listed[i]), outward)
                near = height < value[i, at.V_BOUND] + allowance[i] + allowance[j] + candidates.margin[0]
                if value[i, at.V_BOUND] < np.inf and near and may_meet(i, j, shape, action, n_moved):
                    count = _note(i, j, count, candidates)
    return count
