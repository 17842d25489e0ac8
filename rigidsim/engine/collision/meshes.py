"""The places of a mesh and a convex shape: a tree of boxes finds the triangles near the shape.

The places are where the distance of the shape and the surface has a local minimum. Of one triangle that is the nearest
point, if its normal is one of the surface there: inside the triangle its own; on an edge or at a corner one of the
Voronoi region of that, where no triangle beside is nearer (Ericson, Real-Time Collision Detection, 2005, section 5.1).
So an edge between two triangles of one plane, or at the bottom of a valley, never touches anything. Where a shape lies
on a triangle, the places are the corners of its face over the triangle, and where edges cross, but for edges between
triangles of one plane: on each such plane a box has the places that it has on a floor, with the same names. A shape
that overlaps a triangle has a place in any case: if none of these overlaps, its points below the plane of the triangle.

A sphere and a triangle have a closed form. Other cores meet the plane of a triangle by their support function, and its
edges as those of a flat hull, in their own axes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rigidsim.engine.collision.convex import (
    ADVANCING,
    FREE,
    GAP,
    MOST_LEAVES,
    OF_A,
    TURNING,
    UNCOVERED,
    WAY,
    mixed,
    on_triangle,
    out_of_B,
    support,
    thinness,
)
from rigidsim.engine.collision.features import find_nearest
from rigidsim.engine.collision.manifolds import FLAT as LYING
from rigidsim.engine.collision.manifolds import (
    TAGS,
    TOLERANCE,
    ConvexPair,
    bend_at,
    combined,
    frame_of,
    lay_manifold,
    lay_polygon,
    normal_of,
    power_of_two,
    put_single,
    write_core,
)
from rigidsim.engine.collision.pairs import (
    CENTRE,
    NO_BEND,
    UNIT,
    PlacedShape,
    ShapePair,
    along,
    axes_of,
    components,
    deepest,
    pair_of,
    put_place,
    write_place,
)
from rigidsim.engine.model import contact_layout as at
from rigidsim.engine.model.contact_layout import FLAT, PLACE
from rigidsim.jit import inlined, routine
from rigidsim.physics.distances import HALF_SPACE, HULL, MESH, POINT
from rigidsim.physics.vector import add, cross, dot, negated, norm, scaled, sub

NO_ROW = -1
TOO_MANY = -1
INSIDE, EDGE, CORNER = 0, 1, 2  # where the nearest point of a triangle is
BESIDE = 1e-9  # share of a corner below which a point is on the edge across it
TURNED = 1e-6  # sine: how far a normal may be outside of its Voronoi region
SAME = 1e-7  # of the bounding radius: two places nearer than this are one
OWN = 1e-9  # of the sizes: how far a point may be outside of a polygon
SLACK = 0.1  # of the reach of a ball: how much farther leaves are remembered
STEEP = 100.0  # a gap counts against a place as so many times that distance from the others
NAMES = 4 * TAGS  # of each triangle, edge and corner
LOWEST = 8192.0  # in the name of the point that alone is nearest to a plane; more than there are corners


class MeshPair(NamedTuple):
    """A convex shape and a mesh: the kind of its core, the axes of both, and its centre in those of the mesh, m. The
    shape may be a ball about a corner of another mesh, which is at `core` from the centre of that, m, world axes.
    """

    kind: int
    pair: ShapePair
    axes_i: tuple
    axes_j: tuple
    centre: tuple
    core: tuple


class FacedTriangle(NamedTuple):
    """A triangle as a shape faces it, in the axes of the shape and about its centre, m: the corners; the normal on the
    side of the shape, and 1.0, or -1.0 if that is the back; the point of the core that is nearest to the plane, the
    number of that corner, and the gap of the core there.
    """

    corners: tuple
    n: tuple
    side: float
    lowest: tuple
    corner: int
    above: float


class TrianglePlane(NamedTuple):
    """The plane of a triangle, at this level along the third axis of a frame in the axes of a shape; and the pair."""

    level: float
    axes: tuple
    frame: tuple
    pair: ShapePair


@routine
def meet_mesh(shape_i: PlacedShape, shape_j: PlacedShape, reach, places: PLACE, w):
    """All places of a convex shape and a mesh, the second one; of many the deepest and those far from each other."""
    kind, value_i, value_j, pair = shape_i.kind, shape_i.value, shape_j.value, pair_of(shape_i, shape_j, reach)
    mesh, axes_i, axes_j = w.mesh, axes_of(shape_i.pose), axes_of(shape_j.pose)
    centre, node = negated(components(axes_j, pair.d)), w.mesh.meshes.node
    whole = MeshPair(kind, pair, axes_i, axes_j, centre, CENTRE)
    place_unturned(axes_i, axes_j, w)
    write_core(kind, value_i, 1.0, w.core[0])
    low, high = box_around(whole, w)
    mesh.motion[FREE], mesh.motion[GAP], mesh.behind[0].gap, mesh.motion[UNCOVERED] = np.inf, np.inf, np.inf, 0.0
    far, ball = value_i.radius + value_j.radius + reach, kind == POINT and mesh.motion[ADVANCING] < 0.5 and reach > 0.0
    top, count = begin_at_leaves(centre, far, int(value_j.tree), w) if ball else TOO_MANY, 0
    if top == TOO_MANY:
        mesh.stack[0], top = int(value_j.tree), 1
    again = False
    while top > 0:
        top -= 1
        row = node[mesh.stack[top]]
        if meets_box(low, high, row.low, row.high) and not (ball and outside(centre, row.low, row.high) >= far * far):
            first, size = int(row.first), int(row.count)
            if size == 0:
                mesh.stack[top], mesh.stack[top + 1] = first + 1, first
                top += 2
            for m in range(first, first + size):
                if kind == POINT:
                    count = meet_ball(m, whole, 0, count, w)
                elif again:
                    note_crossed(m, whole, w)
                else:
                    count = meet_solid(m, whole, count, w)
                count = leave_room(count, pair, mesh)
        if top == 0 and not again and mesh.motion[UNCOVERED] > 0.5 and deepest(count, mesh.found) >= 0.0:
            mesh.stack[0], top, again = int(value_j.tree), 1, True
    w.features.known = 0.0
    if kind == POINT:
        count = leave_behind(count, value_i.radius + value_j.radius, mesh)
    else:
        count = leave_crossed(leave_far_sides(count, mesh), whole, w)
    return keep_best(count, value_i.bound, mesh, places)


@inlined
def place_unturned(axes_i, axes_j, w):
    """Triangles are laid in the axes of the other shape, about its centre."""
    w.mesh.turn.x = components(axes_i, axes_j[0])
    w.mesh.turn.y = components(axes_i, axes_j[1])
    w.mesh.turn.z = components(axes_i, axes_j[2])
    w.relative.p, w.relative.x, w.relative.y, w.relative.z = CENTRE, UNIT[0], UNIT[1], UNIT[2]


@inlined
def extent(kind, e, w):
    """From where to where the core of the first shape reaches along an axis of the mesh, from its centre."""
    high, _ = support(kind, w.core[0], w.corner, e)
    low, _ = support(kind, w.core[0], w.corner, negated(e))
    return dot(low, e), dot(high, e)


@inlined
def box_around(whole, w):
    """The box in the axes of the mesh in which triangles may be near, also on the way if the shape advances."""
    turn, (x, y, z) = w.mesh.turn, whole.centre
    (a, b), (c, d), (e, f) = extent(whole.kind, turn.x, w), extent(whole.kind, turn.y, w), extent(whole.kind, turn.z, w)
    return box_along((x + a, y + c, z + e), (x + b, y + d, z + f), whole, w.mesh)


@inlined
def box_along(low, high, whole, mesh):
    """The same of a part of the first shape, around which that box is."""
    pair, motion, way = whole.pair, mesh.motion, CENTRE
    more = pair.first.radius + pair.second.radius + pair.reach
    if motion[ADVANCING] > 0.5:
        way = components(whole.axes_j, (motion[WAY], motion[WAY + 1], motion[WAY + 2]))
        more += motion[TURNING]
    x, y, z = way
    bottom = (low[0] + min(x, 0.0) - more, low[1] + min(y, 0.0) - more, low[2] + min(z, 0.0) - more)
    top = (high[0] + max(x, 0.0) + more, high[1] + max(y, 0.0) + more, high[2] + max(z, 0.0) + more)
    return bottom, top


@inlined
def meets_box(low, high, bottom, top):
    """Whether two boxes meet."""
    x = low[0] <= top[0] and bottom[0] <= high[0]
    return x and low[1] <= top[1] and bottom[1] <= high[1] and low[2] <= top[2] and bottom[2] <= high[2]


@inlined
def next_leaf(top, low, high, mesh):
    """Go on with the search of a tree for a box: (how many nodes are left on the stack, the first triangle of the next
    leaf that meets it, the one after its last).
    """
    first, size = 0, 0
    while top > 0 and size == 0:
        top -= 1
        row = mesh.meshes.node[mesh.stack[top]]
        if meets_box(low, high, row.low, row.high):
            first, size = int(row.first), int(row.count)
            if size == 0:
                mesh.stack[top], mesh.stack[top + 1] = first + 1, first
                top += 2
    return top, first, first + size


@inlined
def outside(x, low, high):
    """The squared distance of a point from a box."""
    a, b, c = max(low[0] - x[0], x[0] - high[0]), max(low[1] - x[1], x[1] - high[1]), max(low[2] - x[2], x[2] - high[2])
    a, b, c = max(a, 0.0), max(b, 0.0), max(c, 0.0)
    return a * a + b * b + c * c


@inlined
def least(a, b, c):
    """The lowest corner of the box around three points."""
    return min(a[0], b[0], c[0]), min(a[1], b[1], c[1]), min(a[2], b[2], c[2])


@routine
def begin_at_leaves(centre, far, root, w):
    """Put the leaves of a tree that a sphere of radius `far` may meet on the stack; returns how many, or
    TOO_MANY to remember.

    All leaves that a larger sphere meets are remembered, so a ball that moves by less than their difference needs no
    search. They are looked at in the order of the search, and by the same tests.
    """
    mesh, slot = w.mesh, int(w.features.shape_A + w.features.shape_B) % len(w.mesh.leaves)
    row = mesh.leaves[slot]
    if row.root != root or not norm(sub(centre, row.centre)) + far <= row.radius:
        row.root, row.centre, row.radius = root, centre, (1.0 + SLACK) * far
        row.count = find_leaves(centre, row.radius, root, slot, mesh)
    count = int(row.count)
    for k in range(count):
        mesh.stack[k] = mesh.leaf[slot, count - 1 - k]
    return count


@inlined
def find_leaves(centre, radius, root, slot, mesh):
    """Note the leaves of a tree that are nearer to a point than the radius; returns how many there are, or TOO_MANY."""
    mesh.stack[0], top, count = root, 1, 0
    while top > 0:
        top -= 1
        node = mesh.stack[top]
        row = mesh.meshes.node[node]
        if outside(centre, row.low, row.high) < radius * radius:
            if row.count == 0:
                mesh.stack[top], mesh.stack[top + 1] = int(row.first) + 1, int(row.first)
                top += 2
            else:
                if count == MOST_LEAVES:
                    return TOO_MANY
                mesh.leaf[slot, count] = node
                count += 1
    return count


@inlined
def corners_of(m, w):
    """The corners of a triangle, in the axes and about the centre of its mesh."""
    vertex, facet = w.mesh.meshes.vertex, w.mesh.meshes.facet[m]
    i, j, k = facet.corner
    return vertex[i].xyz, vertex[j].xyz, vertex[k].xyz


@inlined
def are_searched(kind_i, kind_j):
    """Whether triangles are searched for a pair of shapes; on a plane a mesh is its hull."""
    return (kind_i == MESH or kind_j == MESH) and kind_i != HALF_SPACE and kind_j != HALF_SPACE


@inlined
def begin_advance(kind_i, kind_j, way, turning, w):
    """Let the next search look along a way of the second shape relative to the first, m, with turns that move a point
    by so much, if one is a mesh that is searched; whether it is.
    """
    of_mesh = False
    if w is not None and w.mesh is not None:
        of_mesh = are_searched(kind_i, kind_j)
        sign, motion = -1.0 if kind_j == MESH else 1.0, w.mesh.motion
        motion[ADVANCING], motion[TURNING] = 1.0 if of_mesh else 0.0, turning
        motion[WAY], motion[WAY + 1], motion[WAY + 2] = sign * way[0], sign * way[1], sign * way[2]
    return of_mesh


@inlined
def end_advance(w):
    """The largest part of that way in which it surely touches nothing, and the smallest gap."""
    free, gap = np.inf, np.inf
    if w is not None and w.mesh is not None:
        w.mesh.motion[ADVANCING] = 0.0
        free, gap = w.mesh.motion[FREE], w.mesh.motion[GAP]
    return free, gap


@inlined
def free_part(n, gap, axes, motion):
    """The part of the motion in which a shape surely does not touch a triangle: their gap along a normal from the shape
    over the most that closes it.
    """
    closing = components(axes, (motion[WAY], motion[WAY + 1], motion[WAY + 2]))
    most = max(dot(closing, n), 0.0) + motion[TURNING]
    return max(gap, 0.0) / most if most > 0.0 else np.inf


# --- the features of a triangle


@inlined
def feature_at(u, v, s):
    """Where a point with these shares is: INSIDE, EDGE or CORNER; the number of that edge or corner."""
    a, b, c = u > BESIDE, v > BESIDE, s > BESIDE
    kind, number = INSIDE, 0
    if a and b and not c:
        kind, number = EDGE, 0
    elif b and c and not a:
        kind, number = EDGE, 1
    elif c and a and not b:
        kind, number = EDGE, 2
    elif not (a and b and c):
        kind, number = CORNER, 0 if a else (1 if b else 2)
    return kind, number


@inlined
def way_from_edge(x, begin, end):
    """The way from the line of an edge to a point, across the edge."""
    axis, way = sub(end, begin), sub(x, begin)
    return sub(way, scaled(dot(way, axis) / dot(axis, axis), axis))


@routine
def has_normal(m, kind, number, n, tolerance, meshes):
    """Whether n, in the axes of the mesh, is in the Voronoi region of an edge or a corner of a triangle, or outside of
    it by less than the tolerance, a sine.
    """
    facet, vertex, found = meshes.facet[m], meshes.vertex, True
    if kind == EDGE:
        other = facet[at.FACET.place("across") + number]
        if other != NO_ROW:
            begin = vertex[facet[at.FACET.place("corner") + number]].xyz
            end = vertex[facet[at.FACET.place("corner") + (number + 1) % 3]].xyz
            way = way_from_edge(vertex[other].xyz, begin, end)
            found = dot(n, way) <= tolerance * norm(way)
    elif kind == CORNER:
        own = facet[at.FACET.place("corner") + number]
        for k in range(meshes.ring[own], meshes.ring[own + 1]):
            way = sub(vertex[meshes.beside[k]].xyz, vertex[own].xyz)
            found = found and dot(n, way) <= tolerance * norm(way)
    return found


@inlined
def name_of(m, kind, number, meshes):
    """The name of a plane, an edge or a corner, the same for all triangles that have it."""
    facet = meshes.facet[m]
    own = facet.plane
    if kind == EDGE:
        own = facet[at.FACET.place("edge") + number]
    elif kind == CORNER:
        own = facet[at.FACET.place("corner") + number]
    return 1.0 * NAMES * own + TAGS * kind


# --- a ball


@routine
def meet_ball(m, whole, begin, count, w):
    """The place of a ball and a triangle; returns how many places there are now, of which this ball's begin there."""
    _, pair, _, axes_j, centre, core = whole
    mesh, normal, reach = w.mesh, w.mesh.meshes.normal[m].xyz, pair.reach
    (p, q, r), radii = corners_of(m, w), pair.first.radius + pair.second.radius
    a, b, c = sub(p, centre), sub(q, centre), sub(r, centre)
    far, advances = radii + reach, mesh.motion[ADVANCING] > 0.5
    high = negated(least(negated(a), negated(b), negated(c)))
    if outside(CENTRE, least(a, b, c), high) >= far * far and not advances:
        return count
    u, v, s = on_triangle(a, b, c)
    x, height, (kind, number) = mixed(u, v, s, a, b, c), -dot(normal, a), feature_at(u, v, s)
    side = 1.0 if height >= 0.0 else -1.0
    n, distance = scaled(side, normal), abs(height)
    if kind != INSIDE:
        length = norm(x)
        if length - radii >= reach and not advances:
            return count
        n = scaled(-1.0 / length, x) if length > 0.0 else n
        if not has_normal(m, kind, number, n, TURNED, mesh.meshes):
            if advances:
                note_free(negated(n), length - radii, axes_j, mesh.motion)
            return count
        is_flat = mesh.meshes.facet[m, at.FACET.place("bend") + number] == FLAT
        if (kind == EDGE and is_flat) or abs(dot(n, normal)) > 1.0 - 0.5 * TURNED * TURNED:
            kind, n = INSIDE, scaled(side, normal)
        else:
            distance = length
    if advances:
        note_free(negated(n), distance - radii, axes_j, mesh.motion)
    name, outward = name_of(m, kind, number, mesh.meshes), negated(along(axes_j, n))
    if pair.second.sides < 1.5 and dot(n, normal) < -TURNED:
        if kind == INSIDE and distance < mesh.behind[0].gap and distance - radii < reach:
            write_place(mesh.behind[0], negated(outward), -distance, core, pair, name)
            mesh.behind[0].gap = distance
        return count
    if put_place(mesh.place, 0, outward, distance, core, pair, name) == 0:
        return count
    mesh.place[0].bend_first, mesh.place[0].bend_second = NO_BEND, NO_BEND
    return add_found(1, 0.0, begin, count, mesh)


@inlined
def note_free(n, gap, axes, motion):
    """Note a gap, and the largest part of the motion in which no triangle up to now is touched."""
    motion[GAP] = min(motion[GAP], gap)
    motion[FREE] = min(motion[FREE], free_part(n, gap, axes, motion))


@inlined
def leave_behind(count, radii, mesh):
    """A ball whose centre is behind the surface leaves where it is nearest, and nowhere else. It is in front if the
    surface there is nearer; all places within reach are known.
    """
    return leave_by(mesh.behind[0], 0, radii, mesh) if mesh.behind[0].gap < in_front(0, count, radii, mesh) else count


@inlined
def in_front(begin, count, radii, mesh):
    """The distance of the nearest of the places of a ball, which begin there, from its centre."""
    nearest = np.inf
    for k in range(begin, count):
        nearest = min(nearest, mesh.found[k].gap + radii)
    return nearest


@inlined
def leave_by(row: PLACE, begin, radii, mesh):
    """Put the place by which a ball leaves, of which the gap is the depth of its centre, where its places begin;
    returns how many places there are.
    """
    row.gap = -row.gap - radii
    row.bend_first, row.bend_second = NO_BEND, NO_BEND
    copy_place(row, mesh.found[begin])
    return begin + 1


# --- other convex shapes


@inlined
def is_far_side(row: PLACE, other: PLACE):
    """Whether a place is on the far side of the mesh: the surface at another place is between its two points."""
    n, first = other.normal, row.first
    surface = add(other.first, scaled(other.gap, n))
    second = add(first, scaled(row.gap, row.normal))
    is_deeper = row.gap < min(other.gap, 0.0) and dot(row.normal, n) < 0.0
    return is_deeper and dot(n, sub(first, surface)) <= 0.0 and dot(n, sub(second, surface)) >= 0.0


@routine
def leave_far_sides(count, mesh):
    """A shape at a thin part of the mesh leaves it where it came in: the way out of the far side, through which all of
    the shape would have to go, is no place. Returns how many places are left.
    """
    left = 0
    for k in range(count):
        mesh.taken[k] = 0.0
        for j in range(count):
            if is_far_side(mesh.found[k], mesh.found[j]):
                mesh.taken[k] = 1.0
    for k in range(count):
        if mesh.taken[k] < 0.5:
            copy_place(mesh.found[k], mesh.found[left])
            left += 1
    return left


@routine
def leave_crossed(count, whole, w):
    """A shape that overlaps a triangle, and none of its places does so, leaves the plane of that triangle: its points
    below are not over the triangle, and the way out beside it leads into the next one. Returns how many places there
    are.
    """
    mesh = w.mesh
    if mesh.behind[0].gap == np.inf or deepest(count, mesh.found) < 0.0:
        return count
    m = int(mesh.behind[0].feature)
    return add_found(cover(m, face(m, whole, w), True, whole, w), 1.0, 0, count, mesh)


@inlined
def face(m, whole, w):
    """A triangle as the shape faces it."""
    kind, pair, _, _, centre, _ = whole
    mesh, (p, q, r) = w.mesh, corners_of(m, w)
    normal = out_of_B(mesh.turn, mesh.meshes.normal[m].xyz)
    a, b, c = (
        out_of_B(mesh.turn, sub(p, centre)),
        out_of_B(mesh.turn, sub(q, centre)),
        out_of_B(mesh.turn, sub(r, centre)),
    )
    height = -dot(normal, a)
    side = -1.0 if height < 0.0 and pair.second.sides > 1.5 else 1.0
    n = scaled(-side, normal)
    lowest, corner = support(kind, w.core[0], w.corner, n)
    return FacedTriangle((a, b, c), n, side, lowest, corner, dot(n, a) - dot(n, lowest))


@routine
def meet_solid(m, whole, count, w):
    """The places of another convex shape and a triangle; returns how many there are now."""
    _, pair, axes_i, _, _, _ = whole
    mesh, radii, facet = w.mesh, pair.first.radius + pair.second.radius, w.mesh.meshes.facet[m]
    motion, faced, free = w.mesh.motion, face(m, whole, w), np.inf
    _, n, _, _, _, above = faced
    if motion[ADVANCING] > 0.5:
        free = free_part(n, above - radii, axes_i, motion)
    elif above - radii >= pair.reach:
        return count
    if (motion[ADVANCING] > 0.5 and free < 1.0) or facet.sharp == 1:
        return meet_edges(m, faced, free, whole, count, w)
    motion[FREE] = min(motion[FREE], free)
    if above < 0.0 and is_beyond(faced, radii, whole, w):
        return count
    n_place = cover(m, faced, False, whole, w)
    if n_place == 0 and above < 0.0:
        motion[UNCOVERED] = 1.0
    return add_found(n_place, 1.0, 0, count, mesh)


@inlined
def is_beyond(faced, radii, whole, w):
    """Whether all of a shape is farther behind the plane of a triangle than it reaches: it is in front of the other
    side of the mesh, of which no place is found.
    """
    highest, _ = support(whole.kind, w.core[0], w.corner, negated(faced.n))
    return dot(faced.n, sub(highest, faced.corners[0])) - radii >= whole.pair.reach


@inlined
def find_triangle(unit, faced, wanted, whole, w):
    """The nearest features of a shape and a triangle, in a unit of 1/m; False if they are farther than wanted."""
    (kind, pair, _, _, _, _), first, row = whole, len(w.corner) - 3, w.core[1]
    w.corner[first].xyz, w.corner[first + 1].xyz, w.corner[first + 2].xyz = faced.corners
    write_core(kind, pair.first, unit, w.core[0])
    row.half, row.first, row.count, row.unit = CENTRE, 1.0 * first, 3.0, unit
    w.features.known = 0.0
    near = find_nearest((kind, HULL), wanted, w)
    write_core(kind, pair.first, 1.0, w.core[0])
    return near


@inlined
def unit_for(faced, pair):
    """The size of a shape and a triangle, m: a power of two."""
    a, b, c = faced.corners
    return power_of_two(pair.first.bound + max(norm(a), norm(b), norm(c)))


@routine
def note_crossed(m, whole, w):
    """Note a triangle that the shape overlaps, and that is left by the shortest way of these."""
    faced, behind = face(m, whole, w), w.mesh.behind[0]
    unit = 1.0 / unit_for(faced, whole.pair)
    is_nearer = 0.0 < -faced.above < behind.gap and dot(faced.n, faced.corners[0]) >= 0.0
    if is_nearer and find_triangle(unit, faced, 0.0, whole, w):
        behind.gap, behind.feature = -faced.above, 1.0 * m


@routine
def meet_edges(m, faced, free, whole, count, w):
    """Those with a triangle of which edges or corners may be touched."""
    kind, pair, axes_i, _, _, _ = whole
    value_i, reach, triangle = pair.first, pair.reach, faced.corners
    mesh, motion, radii = w.mesh, w.mesh.motion, value_i.radius + pair.second.radius
    size = unit_for(faced, pair)
    normal, unit, kinds = scaled(-faced.side, faced.n), 1.0 / size, (kind, HULL)
    wanted = np.inf if motion[ADVANCING] > 0.5 else unit * (reach + radii)
    if not find_triangle(unit, faced, wanted, whole, w):
        return count
    n, separation = w.nearest.normal, size * w.nearest.separation
    if motion[ADVANCING] > 0.5:
        motion[GAP] = min(motion[GAP], separation - radii)
        free = max(free, free_part(n, separation - radii, axes_i, motion))
        motion[FREE] = min(motion[FREE], free)
        if separation - radii >= reach:
            return count
    cosine = -dot(n, normal)
    lies = abs(cosine) > 1.0 - 0.5 * LYING * LYING
    found = is_normal(m, cosine, size, triangle, whole, w)
    n_place, crosses = 0, not found and separation < 0.0 and dot(faced.n, triangle[0]) >= 0.0
    if (found and lies) or crosses:
        n_place = cover(m, faced, False, whole, w)
    if n_place > 0:
        return add_found(n_place, 1.0, 0, count, mesh)
    if crosses and -faced.above < mesh.behind[0].gap:
        mesh.behind[0].gap, mesh.behind[0].feature = -faced.above, 1.0 * m
    if not found:
        return count
    write_core(kind, value_i, unit, w.core[0])
    of_places = ConvexPair(pair, axes_i, size)
    kind_T, number, _ = feature_of(size, triangle, w)
    if not lies:
        n_place = lay_manifold(kinds, True, unit * thinness(value_i.half), of_places, mesh.place, w)
    name, which = name_of(m, kind_T, number, mesh.meshes), n_place > 0
    if n_place == 0:
        n_place = put_single(kinds, of_places, mesh.place, w)
    write_core(kind, value_i, 1.0, w.core[0])
    for k in range(n_place):
        mesh.place[k].feature = name + (k if which else 32.0 + max(w.features.corner_A[0], 0.0))
    return add_found(n_place, 1.0, 0, count, mesh)


@inlined
def feature_of(size, triangle, w):
    """The feature of the triangle that has the nearest point, and whether that is on it."""
    a, b, c = triangle
    x = scaled(size, w.nearest.b)
    u, v, s = on_triangle(sub(a, x), sub(b, x), sub(c, x))
    kind, number = feature_at(u, v, s)
    return kind, number, norm(sub(x, mixed(u, v, s, a, b, c)))


@inlined
def is_normal(m, cosine, size, triangle, whole, w):
    """Whether the normal of the nearest points is one of the surface there, on a side that collides."""
    found = True
    if whole.pair.second.sides < 1.5 and cosine < -TURNED:
        found = False
    elif abs(cosine) < 1.0 - 0.5 * TURNED * TURNED:
        kind, number, _ = feature_of(size, triangle, w)
        outward = negated(components(whole.axes_j, along(whole.axes_i, w.nearest.normal)))
        found = kind != INSIDE and has_normal(m, kind, number, outward, TURNED, w.mesh.meshes)
    return found


# --- a face, a line or a point above a triangle


@routine
def cover(m, faced, all_of_it, whole, w):
    """Write the places of what a shape turns towards the plane of a triangle, in `place`: corners of it over the
    triangle, or all; where its edges cross those of the triangle; corners of that below its face. Returns their number.
    """
    kind, pair, axes_i, _, _, _ = whole
    (a, b, c), n, _, lowest, corner, above = faced
    value_i, frame, bend, size = pair.first, frame_of(n), NO_BEND, pair.first.bound
    count = lay_polygon(kind, w.core[0], n, frame, w, OF_A)
    level, most, face = dot(n, a), -np.inf, w.polygon
    for k in range(count):
        most = max(most, face[k].w)
    if kind > HULL:
        bend = bend_at(kind, lowest[2] > 0.0, n, axes_i, w)
    shift = level - most - above
    if count < 2 or shift > TOLERANCE * thinness(value_i.half):
        face[0].u, face[0].v, face[0].w = dot(lowest, frame[0]), dot(lowest, frame[1]), dot(lowest, n)
        face[0].name = LOWEST + max(corner, 0)
        count, shift = 1, 0.0
    shift = max(shift, 0.0)
    lay_triangle(a, b, c, frame, w.mesh)
    plane = TrianglePlane(level + shift, axes_i, frame, ShapePair(pair.d, value_i, pair.second, pair.reach + shift))
    margin = np.inf if all_of_it else OWN * size
    n_place = put_corners(m, count, margin, plane, bend if count <= 2 else NO_BEND, w)
    n_place = put_crossings(m, n_place, count, plane, w)
    if count > 2:
        n_place = put_corners_below(m, n_place, count, plane, w)
    return n_place


@inlined
def lay_triangle(a, b, c, frame, mesh):
    """The corners of the triangle along the frame, in the first rows of `taken`."""
    for k in range(3):
        p = a if k == 0 else (b if k == 1 else c)
        mesh.taken[2 * k], mesh.taken[2 * k + 1] = dot(p, frame[0]), dot(p, frame[1])


@inlined
def turn_of(mesh):
    """1.0 if the triangle is counter-clockwise as seen along the frame, else -1.0."""
    t = mesh.taken
    return 1.0 if (t[2] - t[0]) * (t[5] - t[1]) - (t[3] - t[1]) * (t[4] - t[0]) >= 0.0 else -1.0


@inlined
def inside_of(k, u, v, turn, mesh):
    """How far a point is inside of edge k of the triangle."""
    t, j = mesh.taken, (k + 1) % 3
    x, y = t[2 * j] - t[2 * k], t[2 * j + 1] - t[2 * k + 1]
    return turn * (x * (v - t[2 * k + 1]) - y * (u - t[2 * k])) / norm((x, y, 0.0))


@inlined
def put_above(count, u, v, height, name, stays, plane, w):
    """Put a place of the shape at u, v of the frame, so far along its normal; returns how many there are now."""
    level, axes, frame, pair = plane
    core, normal = along(axes, combined((u, v, height), frame)), along(axes, frame[2])
    if count == len(w.mesh.place):
        return count
    w.mesh.place[count].bend_first, w.mesh.place[count].bend_second = NO_BEND, NO_BEND
    return put_place(w.mesh.place, count, normal, level - height, core, pair, name, stays)


@inlined
def put_corners(m, count, margin, plane, bend, w):
    """The corners of the polygon over the triangle, or beside it within a margin; returns how many places there are."""
    turn, n_place, name = turn_of(w.mesh), 0, name_of(m, INSIDE, 0, w.mesh.meshes)
    for k in range(count):
        row, inside = w.polygon[k], np.inf
        for e in range(3):
            inside = min(inside, inside_of(e, row.u, row.v, turn, w.mesh))
        if inside >= -margin:
            before = n_place
            n_place = put_above(n_place, row.u, row.v, row.w, name + row.name, at.ON_FIRST, plane, w)
            if n_place > before:
                w.mesh.place[before].bend_first = bend
    return n_place


@inlined
def put_crossings(m, n_place, count, plane, w):
    """Where edges of the polygon cross those of the triangle that are not between triangles of one plane."""
    mesh, turn = w.mesh, turn_of(w.mesh)
    for e in range(3):
        if mesh.meshes.facet[m, at.FACET.place("bend") + e] != FLAT:
            name = name_of(m, EDGE, e, mesh.meshes)
            for k in range(count if count > 2 else count - 1):
                row, following = w.polygon[k], w.polygon[(k + 1) % count]
                x, y = inside_of(e, row.u, row.v, turn, mesh), inside_of(e, following.u, following.v, turn, mesh)
                if x * y < 0.0:
                    s = x / (x - y)
                    u, v = row.u + s * (following.u - row.u), row.v + s * (following.v - row.v)
                    first = inside_of((e + 1) % 3, u, v, turn, mesh)
                    second = inside_of((e + 2) % 3, u, v, turn, mesh)
                    if first > 0.0 and second > 0.0 and n_place < len(mesh.place):
                        before, height = n_place, row.w + s * (following.w - row.w)
                        which = name + 32.0 + row.name
                        n_place = put_above(n_place, u, v, height, which, at.ON_EDGES, plane, w)
                        if n_place > before:
                            write_edges(before, e, row, following, plane, mesh)
    return n_place


@inlined
def write_edges(place, e, row, following, plane, mesh):
    """The directions of both edges that cross at a place."""
    axes, frame, t, j = plane.axes, plane.frame, mesh.taken, (e + 1) % 3
    of_first = (following.u - row.u, following.v - row.v, following.w - row.w)
    of_second = (t[2 * j] - t[2 * e], t[2 * j + 1] - t[2 * e + 1], 0.0)
    mesh.place[place].edge_first = along(axes, combined(scaled(1.0 / norm(of_first), of_first), frame))
    mesh.place[place].edge_second = along(axes, combined(scaled(1.0 / norm(of_second), of_second), frame))


@inlined
def put_corners_below(m, n_place, count, plane, w):
    """The corners of the triangle below the face of the shape, but for those in the middle of a plane."""
    mesh, frame = w.mesh, plane.frame
    out, first = normal_of(w.polygon, OF_A, count, frame), w.polygon[0]
    for k in range(3):
        u, v, inside = mesh.taken[2 * k], mesh.taken[2 * k + 1], True
        facet = mesh.meshes.facet[m]
        before, after = facet[at.FACET.place("bend") + (k + 2) % 3], facet[at.FACET.place("bend") + k]
        for e in range(count):
            p, q = w.polygon[e], w.polygon[(e + 1) % count]
            inside = inside and (q.u - p.u) * (v - p.v) - (q.v - p.v) * (u - p.u) > 0.0
        if inside and not (before == FLAT and after == FLAT):
            # The plane through the first corner across `out`, in components along the frame.
            x, y, z = dot(out, frame[0]), dot(out, frame[1]), dot(out, frame[2])
            height = first.w - (x * (u - first.u) + y * (v - first.v)) / z
            name = name_of(m, CORNER, k, mesh.meshes) + 64.0 + mesh.meshes.facet[m, at.FACET.plane] % 4096
            n_place = put_above(n_place, u, v, height, name, at.ON_SECOND, plane, w)
    return n_place


# --- the places of all triangles


@inlined
def copy_place(source: PLACE, target: PLACE):
    """Copy a place."""
    for c in range(PLACE.width):
        target[c] = source[c]


@inlined
def put_in_order(row: PLACE, count, places: PLACE):
    """Put a place among so many that are in the order of their names."""
    k = count
    while k > 0 and places[k - 1].feature > row.feature:
        copy_place(places[k - 1], places[k])
        k -= 1
    copy_place(row, places[k])


@inlined
def is_same(row: PLACE, other: PLACE):
    """Whether two places have one point and one normal."""
    way, turn = sub(other.first, row.first), cross(other.normal, row.normal)
    near = SAME * (norm(row.first) + norm(other.first))
    same = dot(way, way) <= near * near and dot(turn, turn) <= TURNED * TURNED
    return same and dot(other.normal, row.normal) > 0.0


@routine
def add_found(n_place, by_point, begin, count, mesh):
    """Add the places of one triangle to those of others, which begin there, but for those that are there; returns how
    many there are. Two are one place if they have one name, or one point and one normal.
    """
    for k in range(n_place):
        row, known = mesh.place[k], NO_ROW
        for j in range(begin, count):
            other = mesh.found[j]
            same = other.feature == row.feature or (by_point > 0.5 and is_same(row, other))
            known = j if same else known
        if known == NO_ROW and count < len(mesh.found):
            copy_place(row, mesh.found[count])
            count += 1
        elif known != NO_ROW and row.gap < mesh.found[known].gap:
            feature = mesh.found[known].feature
            copy_place(row, mesh.found[known])
            mesh.found[known].feature = feature
    return count


@inlined
def leave_room(count, pair, mesh):
    """Keep the best of the places found if there may be no room for those of one more triangle."""
    if count > len(mesh.found) - len(mesh.place):
        count = keep_best(count, min(pair.first.bound, pair.second.bound), mesh, mesh.place)
        for k in range(count):
            copy_place(mesh.place[k], mesh.found[k])
    return count


@routine
def keep_best(count, size, mesh, places: PLACE):
    """Copy the places in the order of their names; of more than there is room for the deepest one, and again and again
    the one that is farthest from those taken, less a multiple of its gap.
    """
    if count <= len(places):
        for k in range(count):
            put_in_order(mesh.found[k], k, places)
        return count
    for k in range(count):
        mesh.taken[k] = 4.0 * size - STEEP * mesh.found[k].gap
    for n in range(len(places)):
        best = 0
        for k in range(1, count):
            best = k if mesh.taken[k] > mesh.taken[best] else best
        put_in_order(mesh.found[best], n, places)
        for k in range(count):
            row = mesh.found[k]
            apart = norm(sub(row.first, mesh.found[best].first)) - STEEP * max(row.gap, 0.0)
            mesh.taken[k] = min(mesh.taken[k], apart)
        mesh.taken[best] = -np.inf
    return len(places)
