"""The places of two meshes: corners of each over triangles of the other one, and edges that cross.

Where the distance of two surfaces of triangles has a local minimum, a corner of one is above a triangle, an edge or a
corner of the other one, or the insides of two edges are nearest to each other. A corner is a ball about a point, so the
first is `meet_ball`; its normal has to be one of both surfaces, in the Voronoi regions of `meshes.py`. Two edges have
the common normal of their lines. Where edges overlap, one passes through both triangles beside the other one, so
bodies of which one is behind a surface of the other have no place. If nothing else overlaps, one of these triangles is
enough, of the shortest way out.
"""

from __future__ import annotations

import numpy as np

from rigidsim.engine.collision.convex import ADVANCING, FREE, GAP, WAY, thinness
from rigidsim.engine.collision.manifolds import FLAT as LYING
from rigidsim.engine.collision.manifolds import TAGS
from rigidsim.engine.collision.meshes import (
    BESIDE,
    CORNER,
    EDGE,
    INSIDE,
    NO_ROW,
    MeshPair,
    add_found,
    box_along,
    copy_place,
    corners_of,
    has_normal,
    in_front,
    is_same,
    keep_best,
    leave_by,
    leave_far_sides,
    leave_room,
    meet_ball,
    meets_box,
    name_of,
    next_leaf,
    note_free,
    way_from_edge,
)
from rigidsim.engine.collision.pairs import (
    CENTRE,
    NO_BEND,
    PARALLEL,
    TOLERANCE,
    PlacedShape,
    along,
    axes_of,
    components,
    deepest,
    pair_of,
    turn_over,
    write_place,
)
from rigidsim.engine.model import contact_layout as at
from rigidsim.engine.model.contact_layout import PLACE
from rigidsim.jit import inlined, routine
from rigidsim.physics.distances import POINT, nearest_on_segments
from rigidsim.physics.vector import add, cross, dot, negated, norm, rejection, scaled, sub

DEEP = 0.1  # of the smaller bounding radius: edges that overlap by more have a place only at a rim of both
TILTED = 1e-3  # rad: faces that are turned away from each other by less lie on each other, so their edges cross
SHALLOW = 1e-2  # of the smaller bounding radius, see `shallow`
NAMES = 67108864.0  # 2^26: four kinds of each of 2^24 edges, planes or corners
TIP, RIDGE = at.FACET.place("tip"), at.FACET.place("ridge")


@routine
def meet_meshes(shape_i: PlacedShape, shape_j: PlacedShape, reach, places: PLACE, w):
    """All places of two meshes; of many the deepest and those far from each other."""
    mesh = w.mesh
    mesh.motion[FREE], mesh.motion[GAP], mesh.behind[1].gap = np.inf, np.inf, np.inf
    turn_way(mesh)
    count = lay_mesh(False, pair_on(shape_j, shape_i, reach), 0, w)
    turn_way(mesh)
    turn_over(count, mesh.found)
    count = lay_mesh(True, pair_on(shape_i, shape_j, reach), count, w)
    w.features.known = 0.0
    if mesh.behind[1].gap < np.inf and deepest(count, mesh.found) >= 0.0 and count < len(mesh.found):
        copy_place(mesh.behind[1], mesh.found[count])
        count += 1
    count = leave_far_sides(count, mesh)
    return keep_best(count, min(shape_i.value.bound, shape_j.value.bound), mesh, places)


@inlined
def pair_on(shape_i: PlacedShape, shape_j: PlacedShape, reach):
    """Two meshes as a pair: the first is laid on the second."""
    pair, axes_i, axes_j = pair_of(shape_i, shape_j, reach), axes_of(shape_i.pose), axes_of(shape_j.pose)
    return MeshPair(POINT, pair, axes_i, axes_j, negated(components(axes_j, pair.d)), CENTRE)


@inlined
def turn_way(mesh):
    """Let the way be that of the other mesh."""
    for k in range(WAY, WAY + 3):
        mesh.motion[k] = -mesh.motion[k]


@inlined
def seen(x, whole):
    """A point of the first mesh in the axes and about the centre of the second one."""
    return add(whole.centre, components(whole.axes_j, along(whole.axes_i, x)))


@routine
def is_node_near(node, whole, mesh):
    """Whether a node of the tree of the first mesh may be near the box around the second one."""
    row, half = mesh.meshes.node[node], whole.pair.second.half
    h = scaled(0.5, sub(row.high, row.low))
    x = seen(scaled(0.5, add(row.low, row.high)), whole)
    a, b, c = (
        scaled(h[0], components(whole.axes_j, whole.axes_i[0])),
        scaled(h[1], components(whole.axes_j, whole.axes_i[1])),
        scaled(h[2], components(whole.axes_j, whole.axes_i[2])),
    )
    r = (abs(a[0]) + abs(b[0]) + abs(c[0]), abs(a[1]) + abs(b[1]) + abs(c[1]), abs(a[2]) + abs(b[2]) + abs(c[2]))
    low, high = box_along(sub(x, r), add(x, r), whole, mesh)
    return meets_box(low, high, negated(half), half)


@routine
def lay_mesh(with_edges, whole, count, w):
    """The places of the corners of the first mesh and the triangles of the second one, and those of edges of both;
    returns how many places there are now.
    """
    mesh, top = w.mesh, 1
    mesh.outer[0] = int(whole.pair.first.tree)
    while top > 0:
        top -= 1
        n = mesh.outer[top]
        if is_node_near(n, whole, mesh):
            first, size = int(mesh.meshes.node[n].first), int(mesh.meshes.node[n].count)
            if size == 0:
                mesh.outer[top], mesh.outer[top + 1] = first + 1, first
                top += 2
            for m in range(first, first + size):
                for k in range(3):
                    if mesh.meshes.facet[m, TIP + k] == 1:
                        count = lay_corner(m, k, not with_edges, whole, count, w)
                    if with_edges and mesh.meshes.facet[m, RIDGE + k] == 1:
                        count = lay_edge(m, k, whole, count, w)
                    count = leave_room(count, whole.pair, mesh)
    return count


# --- a corner


@routine
def lay_corner(m, k, is_second, whole, count, w):
    """The places of a corner of the first mesh and the second one; returns how many places there are now."""
    mesh, begin, top = w.mesh, count, 1
    corner = mesh.meshes.vertex[mesh.meshes.facet[m, at.FACET.place("corner") + k]].xyz
    x = seen(corner, whole)
    ball = MeshPair(POINT, whole.pair, whole.axes_i, whole.axes_j, x, along(whole.axes_i, corner))
    low, high = box_along(x, x, whole, mesh)
    mesh.stack[0], mesh.behind[2].gap = int(whole.pair.second.tree), np.inf
    while top > 0:
        top, first, end = next_leaf(top, low, high, mesh)
        for n in range(first, end):
            count = meet_ball(n, ball, begin, count, w)
            if whole.pair.second.sides < 1.5:
                note_sunk(m, k, n, ball, w)
    count = leave_sunk(begin, count, whole.pair, mesh)
    return keep_own(m, k, is_second, whole, begin, count, mesh)


@routine
def note_sunk(m, k, n, ball, w):
    """Note the nearest triangle that a corner is behind, if the corner has its normal. A corner over the rim counts as
    over the triangle, so solids with aligned edges carry each other.
    """
    mesh, pair, normal = w.mesh, ball.pair, w.mesh.meshes.normal[n].xyz
    p, q, r = corners_of(n, w)
    depth, radii = dot(normal, sub(p, ball.centre)), pair.first.radius + pair.second.radius
    if depth < 0.0 or depth >= min(mesh.behind[2].gap, radii + pair.reach):
        return
    inside = min(beside(p, q, normal, ball.centre), beside(q, r, normal, ball.centre))
    if min(inside, beside(r, p, normal, ball.centre)) < -rim_of(pair):
        return
    outward = negated(along(ball.axes_j, normal))
    if has_normal(m, CORNER, k, components(ball.axes_i, outward), LYING, mesh.meshes):
        write_place(mesh.behind[2], outward, -depth, ball.core, pair, name_of(n, INSIDE, 0, mesh.meshes))
        mesh.behind[2].gap = depth


@inlined
def rim_of(pair):
    """How far a corner may be beside a triangle that it counts as over, and a crossing beyond the end of an edge that
    has sunk into a notch, m.
    """
    return TOLERANCE * min(pair.first.bound, pair.second.bound)


@inlined
def shallow(pair):
    """The overlap below which corners and edges need not be inside, m."""
    thin = min(thinness(pair.first.half), thinness(pair.second.half))
    return min(SHALLOW * min(pair.first.bound, pair.second.bound), 0.5 * thin)


@inlined
def beside(p, q, normal, x):
    """How far a point is inside of an edge of a triangle."""
    return dot(cross(normal, sub(q, p)), sub(x, p)) / norm(sub(q, p))


@inlined
def leave_sunk(begin, count, pair, mesh):
    """A corner inside of the solid, or on its surface within the tolerance of a rim, leaves by that triangle."""
    radii, depth = pair.first.radius + pair.second.radius, mesh.behind[2].gap
    nearest = in_front(begin, count, radii, mesh)
    if depth < nearest or (depth < shallow(pair) and nearest < rim_of(pair)):
        count = leave_by(mesh.behind[2], begin, radii, mesh)
    return count


@inlined
def keep_own(m, k, is_second, whole, begin, count, mesh):
    """Keep those of the places of a corner of which the normal is one of its own surface, and give them names."""
    own, left = name_of(m, CORNER, k, mesh.meshes) / TAGS, begin
    for n in range(begin, count):
        row = mesh.found[n]
        is_new = has_normal(m, CORNER, k, components(whole.axes_i, row.normal), LYING, mesh.meshes)
        for j in range(begin):
            is_new = is_new and not is_same(row, mesh.found[j])
        if is_new:
            other = row.feature / TAGS
            copy_place(row, mesh.found[left])
            mesh.found[left].feature = NAMES * other + own if is_second else NAMES * own + other
            left += 1
    return left


# --- two edges


@inlined
def ends_of(m, k, meshes):
    """Both ends of an edge of a triangle, and the third corner."""
    facet, corner, vertex = meshes.facet[m], at.FACET.place("corner"), meshes.vertex
    begin, end, third = facet[corner + k], facet[corner + (k + 1) % 3], facet[corner + (k + 2) % 3]
    return vertex[begin].xyz, vertex[end].xyz, vertex[third].xyz


@inlined
def beyond(m, k, meshes):
    """The corner of the triangle across an edge, or that of its own if there is none."""
    other = meshes.facet[m, at.FACET.place("across") + k]
    return meshes.vertex[other if other != NO_ROW else meshes.facet[m, at.FACET.place("corner") + (k + 2) % 3]].xyz


@routine
def in_region(m, k, n, meshes):
    """Whether n, in the axes of the mesh, is in the Voronoi region of an edge."""
    begin, end, third = ends_of(m, k, meshes)
    way = way_from_edge(third, begin, end)
    return dot(n, way) <= TILTED * norm(way) and has_normal(m, EDGE, k, n, TILTED, meshes)


@routine
def pierces(p, q, a, b, c):
    """Whether the segment p q passes through the triangle a b c: the tetrahedra of its line and the edges have one
    orientation, and its ends are on different sides.
    """
    d, n, pa, pb, pc = sub(q, p), cross(sub(b, a), sub(c, a)), sub(a, p), sub(b, p), sub(c, p)
    x, y, z = dot(d, cross(pa, pb)), dot(d, cross(pb, pc)), dot(d, cross(pc, pa))
    inside = (x >= 0.0 and y >= 0.0 and z >= 0.0) or (x <= 0.0 and y <= 0.0 and z <= 0.0)
    return inside and dot(n, pa) * dot(n, sub(q, a)) > 0.0


@routine
def lay_edge(m, k, whole, count, w):
    """The places of an edge of the first mesh and those of the second one; returns how many places there are now."""
    mesh, top = w.mesh, 1
    p, q, _ = ends_of(m, k, mesh.meshes)
    p, q = seen(p, whole), seen(q, whole)
    low = (min(p[0], q[0]), min(p[1], q[1]), min(p[2], q[2]))
    low, high = box_along(low, (max(p[0], q[0]), max(p[1], q[1]), max(p[2], q[2])), whole, mesh)
    mesh.stack[0] = int(whole.pair.second.tree)
    while top > 0:
        top, first, end = next_leaf(top, low, high, mesh)
        for n in range(first, end):
            for e in range(3):
                if mesh.meshes.facet[n, RIDGE + e] == 1:
                    count = meet_edges(m, k, n, e, (p, q), whole, count, mesh)
    return count


@inlined
def fit(m, k, n, e, normal, whole, meshes):
    """Whether a direction from the first mesh to the second one, in the axes of that, is a normal of both edges."""
    own = components(whole.axes_i, along(whole.axes_j, normal))
    return in_region(m, k, own, meshes) and in_region(n, e, negated(normal), meshes)


@inlined
def crossed(m, k, n, e, ends, whole, meshes):
    """Through how many of the triangles beside one of two edges the other one passes: two where they overlap at a rim
    of both.
    """
    (p, q), (a, b, c) = ends, ends_of(n, e, meshes)
    _, _, third = ends_of(m, k, meshes)
    of_other = int(pierces(p, q, a, b, c)) + int(pierces(p, q, a, b, beyond(n, e, meshes)))
    of_one = int(pierces(a, b, p, q, seen(third, whole)))
    return max(of_other, of_one + int(pierces(a, b, p, q, seen(beyond(m, k, meshes), whole))))


@routine
def meet_edges(m, k, n, e, ends, whole, count, mesh):
    """The place of two edges; returns how many places there are now."""
    (p, q), (a, b, _), pair, meshes = ends, ends_of(n, e, mesh.meshes), whole.pair, mesh.meshes
    one, other = scaled(0.5, sub(q, p)), scaled(0.5, sub(b, a))
    h_1, h_2 = norm(one), norm(other)
    u_1, u_2 = scaled(1.0 / h_1, one), scaled(1.0 / h_2, other)
    normal = cross(u_1, u_2)
    sine, middle = norm(normal), add(p, one)
    if sine < PARALLEL:
        return count
    d = sub(add(a, other), middle)
    s, t = nearest_on_segments(d, u_1, h_1, u_2, h_2)
    normal, advances = scaled(1.0 / sine, normal), mesh.motion[ADVANCING] > 0.5
    distance, radii = dot(normal, d), pair.first.radius + pair.second.radius
    beyond_ends = norm(rejection(normal, sub(add(d, scaled(t, u_2)), scaled(s, u_1))))
    inside = beyond_ends <= BESIDE * (h_1 + h_2)
    if beyond_ends > rim_of(pair) or (abs(distance) - radii >= pair.reach and not advances):
        return count
    normal, distance = scaled(1.0 if distance >= 0.0 else -1.0, normal), abs(distance)
    if advances and inside:
        note_free(normal, distance - radii, whole.axes_j, mesh.motion)
    row, passed = mesh.place[0], 2
    if not (inside and fit(m, k, n, e, normal, whole, meshes)):
        normal, distance, closed = negated(normal), -distance, max(pair.first.sides, pair.second.sides) < 1.5
        if not (inside or closed) or not fit(m, k, n, e, normal, whole, meshes):
            return count
        passed = 2 if -distance < shallow(pair) else crossed(m, k, n, e, ends, whole, meshes)
    if passed == 0 or not distance - radii < pair.reach:
        return count
    core = add(pair.d, along(whole.axes_j, add(middle, scaled(s, u_1))))
    name = (NAMES * name_of(m, EDGE, k, meshes) + name_of(n, EDGE, e, meshes)) / TAGS
    write_place(row, along(whole.axes_j, normal), distance, core, pair, name, at.ON_EDGES)
    row.edge_first, row.edge_second = along(whole.axes_j, u_1), along(whole.axes_j, u_2)
    row.bend_first, row.bend_second = NO_BEND, NO_BEND
    if passed == 2:
        return add_found(1, 1.0, 0, count, mesh)
    is_shallow = -distance < DEEP * min(pair.first.bound, pair.second.bound)
    if is_shallow and (mesh.behind[1].gap == np.inf or row.gap > mesh.behind[1].gap):
        copy_place(row, mesh.behind[1])
    return count
