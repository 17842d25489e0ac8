"""The places of two convex cores of any kinds, or of one and a plane: one place, or all that carry it where it lies.

The face that a core turns towards the other is the polygon of its points within `FLAT` of the plane across the normal:
corners of a polytope, eight points of the rim of an end, the two ends of a side. Where two polygons meet, the one of
the larger shape gives the normal, and clips the other (Sutherland and Hodgman, Comm. ACM 17, 1974), with a tolerance,
so that exactly aligned ones always have the same places. Two lines that are almost parallel have two places.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rigidsim.engine.collision.convex import (
    MOST_CORNERS,
    OF_A,
    OF_B,
    POLYGON,
    ROOM,
    corner_of,
    has_corner,
    into_B,
    out_of_B,
    separation_along,
    support,
    thinness,
)
from rigidsim.engine.collision.features import (
    APEX,
    END,
    SIDE,
    SMOOTH,
    bend_with,
    find_nearest,
    tensor_out_of_B,
    write_surface,
)
from rigidsim.engine.collision.pairs import (
    NO_BEND,
    PlacedShape,
    ShapePair,
    along,
    axes_of,
    components,
    keep_near,
    pair_of,
    put_place,
    write_place,
)
from rigidsim.engine.model import contact_layout as at
from rigidsim.engine.model.contact_layout import CORE, PLACE, SOLID
from rigidsim.jit import inlined, routine
from rigidsim.physics.distances import CONE, CYLINDER, HULL, across
from rigidsim.physics.elementary import sqrt
from rigidsim.physics.inertia import conjugated
from rigidsim.physics.supports import farthest_on_rim
from rigidsim.physics.vector import add, cross, dot, negated, norm, scaled, sub, transposed

FLAT = 1e-2  # rad: a face, a side or an edge that is turned away from the other core by less lies on it
BACK = 0.1  # of the extent of a core along the normal: corners deeper than that are not of its face
MOST_PLACES_OF_ONE = 8  # of one polygon; a face with more corners has eight of them
PREFERENCE, TOLERANCE = 1e-2, 1e-3  # of the smallest size: what a face may cost; across a face, and in height
BOTTOM, TOP = 16, 17  # names of the ends of a side
TAGS = 16384  # more than there are numbers of edges
OF_SECOND, OF_LINES, SINGLE = TAGS * TAGS, 2 * TAGS * TAGS, 3 * TAGS * TAGS  # in the names of places
ROOT = 0.7071067811865476
COSINES = (1.0, ROOT, 0.0, -ROOT, -1.0, -ROOT, 0.0, ROOT)
SINES = (0.0, ROOT, 1.0, ROOT, 0.0, -ROOT, -1.0, -ROOT)


# --- polygons


@inlined
def put_corner(polygon: POLYGON, begin, count, p, frame, name):
    """Add a corner; returns how many there are."""
    if count < MOST_CORNERS:
        row = polygon[begin + count]
        row.u, row.v, row.w, row.name = dot(p, frame[0]), dot(p, frame[1]), dot(p, frame[2]), 1.0 * name
        count += 1
    return count


@inlined
def placed(p, w, begin):
    """A point of a core in the axes of A."""
    if begin == OF_B:
        p = add(w.relative.p, out_of_B(w.relative, p))
    return p


@routine
def lay_polytope(kind, core: CORE, n, frame, w, begin):
    """The corners of a polytope in the plane across n; of a thin one not those of its back."""
    p, first = support(kind, core, w.corner, n)
    count, most, back, deepest = 0, dot(p, n), False, np.inf
    for k in range(int(core.count) if kind == HULL else 8):
        if kind == HULL or has_corner(core, k):
            x = corner_of(kind, core, w.corner, k)
            below, way = most - dot(x, n), sub(x, p)
            if below * below <= FLAT * FLAT * dot(way, way):
                if k != first and not back:
                    q, _ = support(kind, core, w.corner, negated(n))
                    back, deepest = True, BACK * dot(sub(p, q), n)
                if below <= deepest:
                    count = put_corner(w.polygon, begin, count, placed(x, w, begin), frame, k)
    return count


@routine
def lay_end(core: CORE, top, frame, w, begin):
    """Eight points of the rim of an end, which stay on the body."""
    half, count = core.half, 0
    z = half[2] if top else -half[2]
    for k in range(8):
        x = (half[0] * COSINES[k], half[1] * SINES[k], z)
        count = put_corner(w.polygon, begin, count, placed(x, w, begin), frame, k + (8 if top else 0))
    return count


@routine
def lay_side(kind, core: CORE, n, frame, w, begin):
    """Both ends of the line of a side."""
    half, (x, y, _) = core.half, farthest_on_rim(core.half, n)
    p, top = (x, y, -half[2]), (x, y, half[2])
    if kind == CONE:
        top = (0.0, 0.0, half[2])
    count = put_corner(w.polygon, begin, 0, placed(p, w, begin), frame, BOTTOM)
    return put_corner(w.polygon, begin, count, placed(top, w, begin), frame, TOP)


@inlined
def lies_on(kind, core: CORE, n):
    """Whether an end (END) or the side (SIDE) of a cylinder or a cone is across n; else SMOOTH."""
    half, (x, y, length) = core.half, farthest_on_rim(core.half, n)
    mode, slant = SMOOTH, sqrt(x * x + y * y + 4.0 * half[2] * half[2])
    tilt = abs(n[2]) if kind == CYLINDER else abs(length - 2.0 * half[2] * n[2]) / slant
    if sqrt(n[0] * n[0] + n[1] * n[1]) < FLAT and (kind == CYLINDER or n[2] < 0.0):
        mode = END
    elif tilt < FLAT:
        mode = SIDE
    return mode


@routine
def lay_polygon(kind, core: CORE, n, frame, w, begin):
    """The polygon that a core turns along n, in its own axes, counter-clockwise about the normal of the frame; the
    number of its corners.
    """
    count, mode = 0, SMOOTH
    if kind <= HULL:
        count = lay_polytope(kind, core, n, frame, w, begin)
    elif kind >= CYLINDER:
        mode = lies_on(kind, core, n)
        if mode == END:
            count = lay_end(core, n[2] > 0.0, frame, w, begin)
        elif mode == SIDE:
            count = lay_side(kind, core, n, frame, w, begin)
    if count == 0:
        p, _ = support(kind, core, w.corner, n)
        count = put_corner(w.polygon, begin, 0, placed(p, w, begin), frame, 18)
    sort_polygon(w.polygon, begin, count)
    return thin_out(w.polygon, begin, count)


@inlined
def angle_of(row: POLYGON, u, v):
    """A number that grows with the angle about a middle, 0 to 4."""
    x, y = row.u - u, row.v - v
    length = abs(x) + abs(y)
    part = x / length if length > 0.0 else 1.0
    return 1.0 - part if y >= 0.0 else 3.0 + part


@inlined
def turn_from(start, angle):
    """The part of a turn from one such number to another."""
    return angle - start if angle >= start else angle - start + 4.0


@inlined
def exchange(polygon: POLYGON, i, j):
    """Exchange two corners."""
    for c in range(POLYGON.width):
        x = polygon[i, c]
        polygon[i, c] = polygon[j, c]
        polygon[j, c] = x


@routine
def sort_polygon(polygon: POLYGON, begin, count):
    """Counter-clockwise about the middle, the corner of the smallest number first."""
    u, v, first = 0.0, 0.0, begin
    for k in range(begin, begin + count):
        u, v = u + polygon[k].u / count, v + polygon[k].v / count
        if polygon[k].name < polygon[first].name:
            first = k
    if count > 2:
        exchange(polygon, begin, first)
        start = angle_of(polygon[begin], u, v)
        for k in range(begin + 2, begin + count):
            i = k
            while i > begin + 1 and turn_from(start, angle_of(polygon[i], u, v)) < turn_from(
                start, angle_of(polygon[i - 1], u, v)
            ):
                exchange(polygon, i, i - 1)
                i -= 1


@inlined
def thin_out(polygon: POLYGON, begin, count):
    """Eight corners of more, the same ones of a body as long as these are its face; returns how many there are."""
    if count <= MOST_PLACES_OF_ONE:
        return count
    for k in range(MOST_PLACES_OF_ONE):
        source = begin + k * count // MOST_PLACES_OF_ONE
        for c in range(POLYGON.width):
            polygon[begin + k, c] = polygon[source, c]
    return MOST_PLACES_OF_ONE


@routine
def clip(polygon: POLYGON, reference, n_reference, begin, count, tolerance):
    """Keep of the polygon that begins there what is inside the reference; returns how many corners it has then. A
    corner beyond by less than the tolerance stays where it is. An edge is named by twice the number of the corner at
    which it begins, and by one more in the reference.
    """
    for k in range(begin, begin + count):
        polygon[k].name = 2.0 * polygon[k].name
    for e in range(n_reference):
        count = clip_side(polygon, reference + e, reference + (e + 1) % n_reference, begin, count, tolerance)
    return count


@routine
def clip_side(polygon: POLYGON, p, q, begin, count, tolerance):
    """By the side from corner p to corner q."""
    out_u, out_v, kept = polygon[q].v - polygon[p].v, polygon[p].u - polygon[q].u, 0
    p_u, p_v, side = polygon[p].u, polygon[p].v, 2.0 * polygon[p].name + 1.0
    length, edges = sqrt(out_u * out_u + out_v * out_v), count if count > 2 else count - 1
    if not length > 0.0:
        return count
    for k in range(count):
        here, there = polygon[begin + k], polygon[begin + (k + 1) % count]
        beyond = ((here.u - p_u) * out_u + (here.v - p_v) * out_v) / length
        ahead = ((there.u - p_u) * out_u + (there.v - p_v) * out_v) / length
        inside, next_inside = beyond <= tolerance, ahead <= tolerance
        if inside and kept < MOST_CORNERS:
            row = polygon[ROOM + kept]
            row.u, row.v, row.w, row.name = here.u, here.v, here.w, here.name
            if not next_inside and beyond > 0.0:
                row.name = side
            kept += 1
        if k < edges and inside != next_inside and min(beyond, ahead) <= 0.0 and kept < MOST_CORNERS:
            row, part = polygon[ROOM + kept], beyond / (beyond - ahead)
            row.u, row.v = here.u + part * (there.u - here.u), here.v + part * (there.v - here.v)
            row.w = here.w + part * (there.w - here.w)
            row.name = side if inside else here.name
            kept += 1
    for k in range(kept):
        for c in range(POLYGON.width):
            polygon[begin + k, c] = polygon[ROOM + k, c]
    return kept


@inlined
def normal_of(polygon: POLYGON, begin, count, frame):
    """The unit normal of a polygon, on the side of the frame's, by the sum of its triangles."""
    total, first = (0.0, 0.0, 0.0), polygon[begin]
    for k in range(begin + 1, begin + count - 1):
        a, b = polygon[k], polygon[k + 1]
        x = (a.u - first.u, a.v - first.v, a.w - first.w)
        total = add(total, cross(x, (b.u - first.u, b.v - first.v, b.w - first.w)))
    return unit_of(combined(total, frame))


@inlined
def unit_of(x):
    """The direction of a vector other than zero."""
    return scaled(1.0 / norm(x), x)


@inlined
def combined(x, frame):
    """The vector with these components along the frame."""
    return add(scaled(x[0], frame[0]), add(scaled(x[1], frame[1]), scaled(x[2], frame[2])))


@inlined
def frame_of(n):
    """Two axes across a normal, and the normal."""
    t = across(n)
    return t, cross(n, t), n


# --- one core and a plane


@inlined
def write_core(kind, value: SOLID, unit, row: CORE):
    """A core in a unit of length."""
    row.half, row.first, row.count, row.unit = scaled(unit, value.half), value.first, value.count, unit


@routine
def convex_on_plane(shape_i: PlacedShape, shape_j: PlacedShape, reach, places: PLACE, w):
    """The point below all others, or the corners of the face or line that lies on the plane."""
    kind, value_i, pair = shape_i.kind, shape_i.value, pair_of(shape_i, shape_j, reach)
    outward, axes = axes_of(shape_j.pose)[2], axes_of(shape_i.pose)
    write_core(kind, value_i, 1.0, w.core[0])
    n = negated(components(axes, outward))
    lowest, number = support(kind, w.core[0], w.corner, n)
    frame, height = frame_of(n), dot(sub(along(axes, lowest), pair.d), outward)
    count, least = lay_polygon(kind, w.core[0], n, frame, w, OF_A), np.inf
    bend = of_side = NO_BEND
    if kind > HULL:
        bend = of_side = bend_at(kind, lowest[2] > 0.0, n, axes, w)
        if kind == CONE and count == 2:
            of_side = bend_at(kind, False, n, axes, w)
    for k in range(count):
        row = w.polygon[k]
        core = along(axes, combined((row.u, row.v, row.w), frame))
        above = dot(sub(core, pair.d), outward)
        least = min(least, above)
        write_place(places[k], negated(outward), above, core, pair, row.name)
        is_curved = count == 2 and not (kind == CONE and row.name == TOP)
        places[k].bend_first, places[k].bend_second = of_side if is_curved else NO_BEND, NO_BEND
    if count > 1 and least - height <= TOLERANCE * thinness(value_i.half):
        return keep_near(count, places, max(least - height, 0.0), reach)
    core, name = along(axes, lowest), 1.0 * (SINGLE + max(number, 0))
    places[0].bend_first, places[0].bend_second = bend, NO_BEND
    return put_place(places, 0, negated(outward), height, core, pair, name)


@inlined
def bend_at(kind, on_top, n, axes, w):
    """The derivative of the farthest point of the first core by the normal, in world axes; `on_top` may be an apex."""
    mode = APEX if kind == CONE and on_top else SMOOTH
    write_surface(kind, w.core[0], w.corner, mode, w.active[0], 1.0, n, w.surface[0])
    return conjugated(transposed(axes), w.surface[0].bend)


# --- two cores


class ConvexPair(NamedTuple):
    """Two convex shapes whose nearest points are known in the axes of the first one, in a unit of length, m."""

    pair: ShapePair
    axes: tuple
    size: float


@inlined
def power_of_two(x):
    """The smallest power of two that is not below x."""
    unit = 1.0
    while unit < x:
        unit *= 2.0
    while unit >= 2.0 * x:
        unit *= 0.5
    return unit


@routine
def meet_convex(shape_i: PlacedShape, shape_j: PlacedShape, reach, places: PLACE, w):
    """All places of two convex shapes."""
    pair, axes_i, axes_j = pair_of(shape_i, shape_j, reach), axes_of(shape_i.pose), axes_of(shape_j.pose)
    value_i, value_j, kinds = pair.first, pair.second, (shape_i.kind, shape_j.kind)
    size = power_of_two(value_i.bound + value_j.bound)
    unit, radii = 1.0 / size, value_i.radius + value_j.radius
    write_core(shape_i.kind, value_i, unit, w.core[0])
    write_core(shape_j.kind, value_j, unit, w.core[1])
    w.relative.p = scaled(unit, components(axes_i, pair.d))
    w.relative.x = components(axes_i, axes_j[0])
    w.relative.y = components(axes_i, axes_j[1])
    w.relative.z = components(axes_i, axes_j[2])
    if not find_nearest(kinds, unit * (reach + radii), w):
        return 0
    whole, thin = ConvexPair(pair, axes_i, size), unit * min(thinness(value_i.half), thinness(value_j.half))
    count = lay_manifold(kinds, value_i.bound >= value_j.bound, thin, whole, places, w)
    if count == 0:
        count = put_single(kinds, whole, places, w)
    return count


@inlined
def lay_both(kinds, frame, w):
    """The polygons of both cores along the normal; how many corners they have."""
    n = w.nearest.normal
    n_A = lay_polygon(kinds[0], w.core[0], n, frame, w, OF_A)
    return n_A, lay_polygon(kinds[1], w.core[1], negated(into_B(w.relative, n)), frame, w, OF_B)


@inlined
def lay_manifold(kinds, first_is_larger, thin, whole, places, w):
    """The places of two faces or lines that meet; 0 if one point does."""
    frame = frame_of(w.nearest.normal)
    n_A, n_B = lay_both(kinds, frame, w)
    count = 0
    if n_A == 2 and n_B == 2:
        count = lay_lines(frame, whole, places, w)
    elif n_A > 1 and n_B > 1:
        by_A = n_A > 2 and (first_is_larger or n_B < 3)
        count = lay_face(kinds, by_A, thin, whole, places, w)
        if count == 0 and n_A > 2 and n_B > 2:
            count = lay_face(kinds, not by_A, thin, whole, places, w)
    return count


@routine
def lay_face(kinds, by_A, thin, whole, places, w):
    """The places on the face of A or of B; 0 if the other core is not on it."""
    frame, lowest = frame_of(w.nearest.normal), w.nearest.separation
    n_A, n_B = lay_both(kinds, frame, w)
    reference, n_reference, incident, count = (OF_A, n_A, OF_B, n_B) if by_A else (OF_B, n_B, OF_A, n_A)
    face = normal_of(w.polygon, reference, n_reference, frame)
    width = separation_along(kinds, face, w)
    if lowest - width > PREFERENCE * thin:
        return 0
    frame = frame_of(face)
    lay_both(kinds, frame, w)
    level = w.polygon[reference].w
    for k in range(reference, reference + n_reference):
        level = max(level, w.polygon[k].w) if by_A else min(level, w.polygon[k].w)
    count = clip(w.polygon, reference, n_reference, incident, count, TOLERANCE * thin)
    return put_manifold(by_A, incident, count, (level, max(width, lowest), TOLERANCE * thin), frame, whole, places, w)


@inlined
def lay_lines(frame, whole, places: PLACE, w):
    """Both ends of the part that two almost parallel lines have side by side; 0 if they cross."""
    pair, axes, size = whole
    p, q, r, s = w.polygon[OF_A], w.polygon[OF_A + 1], w.polygon[OF_B], w.polygon[OF_B + 1]
    u, v, x, y = q.u - p.u, q.v - p.v, s.u - r.u, s.v - r.v
    length, width = sqrt(u * u + v * v), sqrt(x * x + y * y)
    if not abs(u * y - v * x) <= FLAT * length * width:
        return 0
    u, v = u / length, v / length
    begin, end = (r.u - p.u) * u + (r.v - p.v) * v, (s.u - p.u) * u + (s.v - p.v) * v
    low, high, least = max(0.0, min(begin, end)), min(length, max(begin, end)), np.inf
    if not low < high:
        return 0
    for k in range(2):
        t = high if k == 1 else low
        level, share = p.w + t / length * (q.w - p.w), (t - begin) / (end - begin)
        above = r.w + share * (s.w - r.w) - level
        least = min(least, above)
        core = scaled(size, along(axes, combined((p.u + t * u, p.v + t * v, level), frame)))
        name = 1.0 * (OF_LINES + k)
        write_place(places[k], along(axes, frame[2]), size * above, core, pair, name, at.NOWHERE)
        places[k].bend_first, places[k].bend_second = NO_BEND, NO_BEND
    return keep_near(2, places, size * max(0.0, least - w.nearest.separation), pair.reach)


@inlined
def put_manifold(by_A, begin, count, levels, frame, whole, places: PLACE, w):
    """Places at the corners of the clipped polygon, their gaps above the face of the other; 0 if that misses the
    nearest points.
    """
    (pair, axes, size), (level, separation, tolerance) = whole, levels
    count, least, normal = min(count, len(places)), np.inf, along(axes, frame[2])
    last = w.polygon[begin + max(count - 1, 0)].name
    for k in range(count):
        row = w.polygon[begin + k]
        above = row.w - level if by_A else level - row.w
        least = min(least, above)
        core = scaled(size, along(axes, combined((row.u, row.v, level if by_A else row.w), frame)))
        name = last * TAGS + row.name + (0.0 if by_A else 1.0 * OF_SECOND)
        of_reference = (int(last) & 1) + (int(row.name) & 1)
        on_first = (of_reference == 2) if by_A else (of_reference == 0)
        stays = at.NOWHERE if of_reference == 1 else (at.ON_FIRST if on_first else at.ON_SECOND)
        write_place(places[k], normal, size * above, core, pair, name, stays)
        places[k].bend_first, places[k].bend_second = NO_BEND, NO_BEND
        last = row.name
    if count == 0 or least - separation > tolerance:
        return 0
    return keep_near(count, places, size * max(least - separation, 0.0), pair.reach)


@inlined
def put_single(kinds, whole, places: PLACE, w):
    """One place at the nearest points."""
    pair, axes, size = whole
    found, f, A, B = w.nearest, w.features, w.surface[0], w.surface[1]
    c_A, c_B, stays = int(A.count), int(B.count), at.ON_LIGHTER
    if c_A != c_B:
        stays = at.ON_FIRST if c_A < c_B else at.ON_SECOND
    elif c_A == 1:
        stays = at.ON_EDGES
    number_A, number_B = f.corner_A[0] if kinds[0] <= HULL else 0.0, f.corner_B[0] if kinds[1] <= HULL else 0.0
    name = SINGLE + TAGS * max(number_A, 0.0) + max(number_B, 0.0)
    row, bend_A, bend_B = places[0], NO_BEND, NO_BEND
    if stays == at.ON_EDGES:
        row.edge_first = unit_of(along(axes, A.first))
        row.edge_second = unit_of(along(axes, out_of_B(w.relative, B.first)))
    if kinds[0] > HULL:
        bend_A = conjugated(transposed(axes), bend_with(A, w.share[0] if 0 < c_A < 3 - c_B else 0.0))
    if kinds[1] > HULL:
        of_B = bend_with(B, w.share[c_A] if 0 < c_B < 3 - c_A else 0.0)
        bend_B = conjugated(transposed(axes), tensor_out_of_B(w.relative, of_B))
    row.bend_first, row.bend_second = grown(size, bend_A), grown(size, bend_B)
    normal, core = along(axes, found.normal), scaled(size, along(axes, found.a))
    return put_place(places, 0, normal, size * found.separation, core, pair, name, stays)


@inlined
def grown(size, t):
    """A tensor in metres."""
    return (size * t[0], size * t[1], size * t[2], size * t[3], size * t[4], size * t[5])
