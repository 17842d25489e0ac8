"""Two convex cores of any kinds: which of their features are nearest, by support functions alone.

Cores that are apart: the algorithm of Gilbert, Johnson and Keerthi (IEEE J. Robotics Automation 4, 1988) on the set of
differences A - B, until the gap between its upper and lower bound is `NEAR` of the distance. Cores that overlap: the
expanding polytope of van den Bergen (2001). Both find the corners of A - B around the nearest point, of which
`features.py` makes it exact. All is in the axes of A, and in a unit of length in which both cores are smaller than 1.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rigidsim.engine.model.arrays import Contacts, Meshes, floats, integers, made
from rigidsim.engine.model.contact_layout import CORE, FEATURES, MOST_PLACES, NEAREST, PLACE, RELATIVE_POSE
from rigidsim.engine.model.layout import TRIPLE
from rigidsim.jit import inlined, routine
from rigidsim.jit.rows import Row
from rigidsim.physics.distances import CONE, CYLINDER, ELLIPSOID, HULL
from rigidsim.physics.supports import farthest_on_ellipsoid, farthest_on_rim
from rigidsim.physics.vector import add, cross, dot, negated, norm, scaled, sub

VERTEX = Row(
    "a point of A - B: itself, the points of A and of B, the numbers of their corners or -1; its weight in the nearest"
    " point",
    w=3, a=3, b=3, i=1, j=1, share=1,
)  # fmt: skip
FACE = Row("a face of a polytope: its vertices, outward normal, distance from the origin; 1.0 if it is there",
    i=1, j=1, k=1, out=3, d=1, alive=1,
)  # fmt: skip
SURFACE = Row(
    "a feature of a core at a normal n: a point, its derivative by n (xx yy zz xy xz yz); generators along which it"
    " goes on, how many there are, and the derivative (xx yy xy) of the first by n",
    p=3, bend=6, first=3, second=3, count=1, turn=3,
)  # fmt: skip
POLYGON = Row(
    "a corner of the face that a core turns towards another: along two axes across the normal, along the normal; the"
    " number of the corner, or of the edge that begins there",
    u=1, v=1, w=1, name=1,
)  # fmt: skip
LEAVES = Row(
    "what is remembered of a ball and a mesh: the root of its tree, a sphere in its axes, how many leaves that meets",
    root=1, centre=3, radius=1, count=1,
)  # fmt: skip

MOST_VERTICES, MOST_FACES, MOST_TURNS = 80, 160, 64
MOST_CORNERS = 32  # of a polygon
OF_A, OF_B, ROOM = 0, MOST_CORNERS, 2 * MOST_CORNERS  # where the polygons begin, and room to clip one
NEAR = 1e-7  # relative duality gap at which features are taken
SAME = 1e-26  # squared distance, in the unit: the cores touch
APART, TOUCHING, FAR = 0, 1, 2  # what is found: a distance, an overlap, or nothing within reach


MOST_LEAVES = 16  # of the tree of a mesh that are remembered
MOST_FOUND = 128  # places of two shapes, of which the best are kept
ADVANCING, WAY, TURNING, FREE, GAP, UNCOVERED, MOTION_PARTS = 0, 1, 4, 5, 6, 7, 8


class MeshArrays(NamedTuple):
    """Working arrays of a mesh and another shape, and the triangles of all meshes."""

    meshes: Meshes
    turn: RELATIVE_POSE = floats()  # the axes of the mesh in those of the other shape
    stack: np.ndarray = integers(64)  # nodes to look at; a tree of 2^62 leaves has no deeper branch
    outer: np.ndarray = integers(64)  # and those of the first of two meshes
    found: PLACE = floats(MOST_FOUND)
    place: PLACE = floats(MOST_PLACES)  # of one triangle
    # Where a sphere would leave whose centre is behind the surface; of another shape, which overlaps triangles beside
    # their places, the number of that which it leaves by the shortest way, and that way. Of edges of two meshes, one of
    # which passes through a triangle beside the other one, the place of the shortest way; and that of a corner of one.
    behind: PLACE = floats(3)
    taken: np.ndarray = floats(MOST_FOUND)  # by how much each place is worth keeping
    # If `ADVANCING`: the way of the other shape relative to the mesh, world axes, and how much nearer turns may bring a
    # point of it, m; the largest part of both in which it surely touches nothing; the smallest gap. `UNCOVERED`: is the
    # shape below the plane of a triangle, and nothing of that over the triangle?
    motion: np.ndarray = floats(MOTION_PARTS)
    # Leaves near a ball, with the root of their tree, and the centre and radius of a sphere: all that are as near.
    leaf: np.ndarray = integers("shapes", MOST_LEAVES)
    leaves: LEAVES = floats("shapes")


class ConvexArrays(NamedTuple):
    """Working arrays of one pair of cores, and the corners of all hulls."""

    corner: TRIPLE  # (corner) of all hulls, in the axes of their cores, m; and of one triangle, if there are meshes
    mesh: MeshArrays | None
    core: CORE = floats(2)  # A and B
    relative: RELATIVE_POSE = floats()
    features: FEATURES = floats()  # to begin with, then those found
    found: FEATURES = floats("pairs")  # (candidate) those that the step has found last
    nearest: NEAREST = floats()
    surface: SURFACE = floats(2)
    active: TRIPLE = floats(2)  # the numbers of the corners of the features of A and of B
    vertex: VERTEX = floats(MOST_VERTICES)
    face: FACE = floats(MOST_FACES)
    edge: np.ndarray = integers(2 * MOST_FACES, 2)
    chosen: np.ndarray = integers(4)  # the vertices around the nearest point
    share: np.ndarray = floats(2)  # along the generators of A, then of B
    polygon: POLYGON = floats(3 * MOST_CORNERS)


def make_convex(contacts: Contacts, n_pair: int = 0) -> ConvexArrays | None:
    """Arrays for the cores of these contacts, of which so many pairs are candidates; None if none needs them."""
    if contacts.corner is None:
        return None
    sizes, corner, mesh = {"pairs": n_pair, "shapes": len(contacts.shape)}, contacts.corner, None
    if contacts.meshes is not None:
        corner = np.concatenate([corner, np.zeros((3, TRIPLE.width))])
        mesh = made(MeshArrays, sizes, meshes=contacts.meshes)
    return made(ConvexArrays, sizes, corner=corner, mesh=mesh)


@inlined
def thinness(half):
    """The smallest size of a core that has one, from its half sizes."""
    x, y, z = half
    return 2.0 * min(x if x > 0.0 else np.inf, y if y > 0.0 else np.inf, z if z > 0.0 else np.inf)


# --- features that are remembered


@inlined
def copy_features(source: FEATURES, target: FEATURES):
    """Copy those of a pair."""
    for c in range(FEATURES.width):
        target[c] = source[c]


@inlined
def forget_features(i, j, features: FEATURES):
    """Begin anew with a pair of shapes."""
    features.shape_A, features.shape_B, features.known = i, j, 0.0


@inlined
def begin_features(i, j, number, k, last, w):
    """Take over the features of a candidate from the last step, if it had any; k is the first row that may have them.
    Returns the first row that a later candidate may have. The step has found none yet.
    """
    count, rows = last.known[0], last.features
    while k < count and (rows[k].shape_A < i or (rows[k].shape_A == i and rows[k].shape_B < j)):
        k += 1
    forget_features(i, j, w.features)
    forget_features(i, j, w.found[number])
    if k < count and rows[k].shape_A == i and rows[k].shape_B == j:
        copy_features(rows[k], w.features)
    return k


@inlined
def keep_features(number, new, w):
    """Keep the features of a candidate for later in the step, and for the next step if they are known."""
    note_features(number, w)
    if w.features.known > 0.5:
        copy_features(w.features, new.features[new.known[0]])
        new.known[0] += 1


@inlined
def recall_features(number, w):
    """Begin with the features of a candidate that the step has found last."""
    if w is not None:
        copy_features(w.found[number], w.features)


@inlined
def note_features(number, w):
    """Keep the features of a candidate for later in the step."""
    if w is not None:
        copy_features(w.features, w.found[number])


# --- support functions


@inlined
def has_corner(core: CORE, k):
    """Whether a number is that of a corner of a point, segment or box: bit c is 1 where coordinate c is positive."""
    x, y, z = core.half
    return (x > 0.0 or k & 1 == 0) and (y > 0.0 or k & 2 == 0) and (z > 0.0 or k & 4 == 0)


@inlined
def corner_of(kind, core: CORE, corner, k):
    """A corner of a polytope."""
    x, y, z = core.half
    p = (x * (2.0 * (k & 1) - 1.0), y * (2.0 * (k >> 1 & 1) - 1.0), z * (2.0 * (k >> 2 & 1) - 1.0))
    if kind == HULL:
        p = scaled(core.unit, corner[int(core.first) + k].xyz)
    return p


@routine
def farthest_corner(core: CORE, corner, n):
    """The number of the corner of a hull farthest along n."""
    first, best, most = int(core.first), 0, -np.inf
    for k in range(int(core.count)):
        along = dot(corner[first + k].xyz, n)
        if along > most:
            best, most = k, along
    return best


@routine
def support(kind, core: CORE, corner: TRIPLE, n):
    """The point of a core farthest along n, and the number of its corner, or -1."""
    half, p, k = core.half, (0.0, 0.0, 0.0), -1
    if kind <= HULL:
        if kind == HULL:
            k = farthest_corner(core, corner, n)
        else:
            k = (n[0] > 0.0 and half[0] > 0.0) + 2 * (n[1] > 0.0 and half[1] > 0.0)
            k += 4 * (n[2] > 0.0 and half[2] > 0.0)
        p = corner_of(kind, core, corner, k)
    elif kind == ELLIPSOID:
        p, _ = farthest_on_ellipsoid(half, n)
    else:
        x, y, length = farthest_on_rim(half, n)
        p = (x, y, half[2] if kind == CYLINDER and n[2] > 0.0 else -half[2])
        if kind == CONE and half[2] * n[2] >= length - half[2] * n[2]:
            p = (0.0, 0.0, half[2])
    return p, k


@inlined
def into_B(relative: RELATIVE_POSE, n):
    """A direction in the axes of B."""
    x, y, z = relative.x, relative.y, relative.z
    return (dot(x, n), dot(y, n), dot(z, n))


@inlined
def out_of_B(relative: RELATIVE_POSE, u):
    """And back: x, y, z are the axes of B."""
    return add(scaled(u[0], relative.x), add(scaled(u[1], relative.y), scaled(u[2], relative.z)))


@inlined
def vertex_along(kinds, n, w, vertex: VERTEX):
    """The point of A - B farthest along n."""
    a, i = support(kinds[0], w.core[0], w.corner, n)
    b, j = support(kinds[1], w.core[1], w.corner, negated(into_B(w.relative, n)))
    b = add(w.relative.p, out_of_B(w.relative, b))
    vertex.a, vertex.b, vertex.w = a, b, sub(a, b)
    vertex.i, vertex.j, vertex.share = 1.0 * i, 1.0 * j, 0.0


@routine
def separation_along(kinds, n, w):
    """How far B is beyond A along n."""
    a, _ = support(kinds[0], w.core[0], w.corner, n)
    b, _ = support(kinds[1], w.core[1], w.corner, negated(into_B(w.relative, n)))
    return dot(n, add(w.relative.p, out_of_B(w.relative, b))) - dot(n, a)


# --- the nearest point of a simplex


@inlined
def on_segment(a, b):
    """Weights of the point of a segment nearest to the origin."""
    ab = sub(b, a)
    length, t = dot(ab, ab), 0.0
    if length > 0.0:
        t = min(1.0, max(0.0, -dot(a, ab) / length))
    return 1.0 - t, t


@routine
def on_triangle(a, b, c):
    """Weights of the point of a triangle nearest to the origin. Ericson (2005), section 5.1.5."""
    ab, ac = sub(b, a), sub(c, a)
    d1, d2, d3, d4, d5, d6 = -dot(ab, a), -dot(ac, a), -dot(ab, b), -dot(ac, b), -dot(ab, c), -dot(ac, c)
    n = cross(ab, ac)
    x, y, z = dot(n, cross(b, c)), dot(n, cross(c, a)), dot(n, cross(a, b))
    u, v, w = 1.0, 0.0, 0.0
    if d1 <= 0.0 and d2 <= 0.0:
        u, v, w = 1.0, 0.0, 0.0
    elif d3 >= 0.0 and d4 <= d3:
        u, v, w = 0.0, 1.0, 0.0
    elif d6 >= 0.0 and d5 <= d6:
        u, v, w = 0.0, 0.0, 1.0
    elif z <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        u, v = on_segment(a, b)
    elif y <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        u, w = on_segment(a, c)
    elif x <= 0.0 and d4 >= d3 and d5 >= d6:
        v, w = on_segment(b, c)
        u = 0.0
    elif x + y + z > 0.0:
        u, v, w = x / (x + y + z), y / (x + y + z), z / (x + y + z)
    return u, v, w


@inlined
def mixed(p, q, r, a, b, c):
    """The point with these weights."""
    return add(scaled(p, a), add(scaled(q, b), scaled(r, c)))


@routine
def nearest_in_tetrahedron(s: VERTEX):
    """Write the shares of four vertices; the nearest point, and whether they hold the origin."""
    least, v, inside = np.inf, s[0].w, True
    ab, ac, ad = sub(s[1].w, s[0].w), sub(s[2].w, s[0].w), sub(s[3].w, s[0].w)
    flat = abs(dot(ab, cross(ac, ad))) <= 1e-13 * norm(ab) * norm(ac) * norm(ad)
    for m in range(4):
        i, j, k = (m + 1) % 4, (m + 2) % 4, (m + 3) % 4
        n = cross(sub(s[j].w, s[i].w), sub(s[k].w, s[i].w))
        if flat or -dot(n, s[i].w) * dot(n, sub(s[m].w, s[i].w)) < 0.0:
            inside = False
            p, q, r = on_triangle(s[i].w, s[j].w, s[k].w)
            x = mixed(p, q, r, s[i].w, s[j].w, s[k].w)
            if dot(x, x) < least:
                least, v = dot(x, x), x
                s[i].share, s[j].share, s[k].share, s[m].share = p, q, r, 0.0
    return v, inside


@routine
def nearest_in_simplex(s: VERTEX, count):
    """Write the shares; the nearest point, and whether four vertices hold the origin."""
    inside, v = False, s[0].w
    if count == 1:
        s[0].share = 1.0
    elif count == 2:
        p, q = on_segment(s[0].w, s[1].w)
        s[0].share, s[1].share = p, q
        v = add(scaled(p, s[0].w), scaled(q, s[1].w))
    elif count == 3:
        p, q, r = on_triangle(s[0].w, s[1].w, s[2].w)
        s[0].share, s[1].share, s[2].share = p, q, r
        v = mixed(p, q, r, s[0].w, s[1].w, s[2].w)
    else:
        v, inside = nearest_in_tetrahedron(s)
    return v, inside


@inlined
def drop_unused(s: VERTEX, count):
    """Keep the vertices with a share; returns how many there are."""
    kept = 0
    for k in range(count):
        if s[k].share > 0.0:
            for c in range(VERTEX.width):
                s[kept, c] = s[k, c]
            kept += 1
    return kept


@inlined
def is_known(s: VERTEX, count):
    """Whether the vertex after these is one of them."""
    known = False
    for k in range(count):
        d = sub(s[k].w, s[count].w)
        known = known or dot(d, d) == 0.0
    return known


@routine
def find_simplex(kinds, start, reach, w):
    """The vertices of A - B around the point nearest to the origin, in `vertex` with their shares: their number, that
    point, and APART, TOUCHING, or FAR if it is farther than `reach`.
    """
    s = w.vertex
    vertex_along(kinds, start, w, s[0])
    s[0].share = 1.0
    count, v, state = 1, s[0].w, APART
    for _ in range(MOST_TURNS):
        square = dot(v, v)
        if square <= SAME:
            state = TOUCHING
            break
        vertex_along(kinds, negated(v), w, s[count])
        below = dot(v, s[count].w)
        if below > 0.0 and below * below > reach * reach * square and reach > 0.0:
            state = FAR
            break
        if square - below <= NEAR * square or is_known(s, count):
            break
        x, holds = nearest_in_simplex(s, count + 1)
        if holds:
            count, state = 4, TOUCHING
            break
        if dot(x, x) >= square:
            nearest_in_simplex(s, count)
            break
        count, v = drop_unused(s, count + 1), x
    return count, v, state


# --- the expanding polytope


@inlined
def lay_face(w, f, i, j, k):
    """A face, outwards where the origin is inside."""
    s, row = w.vertex, w.face[f]
    n = cross(sub(s[j].w, s[i].w), sub(s[k].w, s[i].w))
    length = norm(n)
    if length > 0.0:
        n = scaled(1.0 / length, n)
    row.i, row.j, row.k, row.out, row.alive = 1.0 * i, 1.0 * j, 1.0 * k, n, 1.0
    row.d = dot(n, s[i].w) if length > 0.0 else np.inf


@inlined
def probe(s: VERTEX, count, axis):
    """A direction in which a simplex of few vertices, which holds the origin, may be extended."""
    sign = 1.0 if axis < 3 else -1.0
    n = (
        sign if axis % 3 == 0 else 0.0,
        sign if axis % 3 == 1 else 0.0,
        sign if axis % 3 == 2 else 0.0,
    )  # fmt: skip
    if count == 2:
        n = cross(sub(s[1].w, s[0].w), n)
    elif count == 3:
        n = scaled(sign, cross(sub(s[1].w, s[0].w), sub(s[2].w, s[0].w)))
    return n


@routine
def make_tetrahedron(kinds, count, w):
    """Four vertices from fewer; returns how many there are."""
    s = w.vertex
    for axis in range(6):
        n = probe(s, count, axis)
        if count < 4 and dot(n, n) > 0.0:
            vertex_along(kinds, n, w, s[count])
            way = sub(s[count].w, s[0].w)
            is_new = dot(way, way) > 1e-20
            if count == 2:
                c = cross(way, sub(s[1].w, s[0].w))
                is_new = is_new and dot(c, c) > 1e-24
            elif count == 3:
                c = cross(sub(s[1].w, s[0].w), sub(s[2].w, s[0].w))
                is_new = is_new and abs(dot(way, c)) > 1e-14 * norm(c)
            count += 1 if is_new else 0
    return count


@inlined
def lay_tetrahedron(w):
    """Its four faces."""
    s = w.vertex
    if dot(sub(s[3].w, s[0].w), cross(sub(s[1].w, s[0].w), sub(s[2].w, s[0].w))) > 0.0:
        for c in range(VERTEX.width):
            x = s[1, c]
            s[1, c] = s[2, c]
            s[2, c] = x
    lay_face(w, 0, 0, 1, 2)
    lay_face(w, 1, 0, 3, 1)
    lay_face(w, 2, 0, 2, 3)
    lay_face(w, 3, 1, 3, 2)


@inlined
def note_edge(edge, count, i, j):
    """Add an edge of the horizon, or take out the same one from the other side; returns how many there are."""
    for m in range(count):
        if edge[m, 0] == j and edge[m, 1] == i:
            edge[m, 0], edge[m, 1] = edge[count - 1, 0], edge[count - 1, 1]
            return count - 1
    if count < len(edge):
        edge[count, 0], edge[count, 1] = i, j
        return count + 1
    return count


@routine
def take_out_faces(w, n_face, vertex):
    """Take out the faces that a vertex is beyond; returns the number of edges around the hole."""
    count = 0
    for f in range(n_face):
        row = w.face[f]
        if row.alive > 0.0 and dot(row.out, sub(w.vertex[vertex].w, w.vertex[int(row.i)].w)) > 1e-14:
            row.alive = 0.0
            count = note_edge(w.edge, count, int(row.i), int(row.j))
            count = note_edge(w.edge, count, int(row.j), int(row.k))
            count = note_edge(w.edge, count, int(row.k), int(row.i))
    return count


@inlined
def fill_hole(w, n_face, n_edge, vertex):
    """Faces from all edges to a vertex; returns the number of places of faces."""
    free = 0
    for m in range(n_edge):
        while free < n_face and w.face[free].alive > 0.0:
            free += 1
        if free < MOST_FACES:
            lay_face(w, free, w.edge[m, 0], w.edge[m, 1], vertex)
            n_face = max(n_face, free + 1)
    return n_face


@inlined
def nearest_face(face: FACE, n_face):
    """The face nearest to the origin."""
    best, least = 0, np.inf
    for f in range(n_face):
        if face[f].alive > 0.0 and face[f].d < least:
            best, least = f, face[f].d
    return best


@routine
def expand(kinds, w):
    """From a tetrahedron that holds the origin to the face of A - B nearest to it."""
    lay_tetrahedron(w)
    n_face, best, exact = 4, 0, kinds[0] <= HULL and kinds[1] <= HULL
    for n_vertex in range(4, MOST_VERTICES - 1):
        best = nearest_face(w.face, n_face)
        n, least = w.face[best].out, w.face[best].d
        vertex_along(kinds, n, w, w.vertex[n_vertex])
        gain = dot(n, w.vertex[n_vertex].w) - least
        if least == np.inf or gain <= (1e-12 if exact else 1e-6) * max(least, 1e-2):
            break
        n_edge = take_out_faces(w, n_face, n_vertex)
        if n_edge == 0:
            break
        n_face = fill_hole(w, n_face, n_edge, n_vertex)
        best = nearest_face(w.face, n_face)
    return face_with_foot(w, n_face, best)


@inlined
def face_with_foot(w, n_face, best):
    """Of the faces in one plane with this one the one that has the foot of the origin."""
    s, least, least_way, chosen = w.vertex, w.face[best].d, np.inf, best
    foot = scaled(least, w.face[best].out)
    for f in range(n_face):
        row = w.face[f]
        if row.alive > 0.0 and row.d <= least + 1e-9:
            a, b, c = sub(s[int(row.i)].w, foot), sub(s[int(row.j)].w, foot), sub(s[int(row.k)].w, foot)
            p, q, r = on_triangle(a, b, c)
            x = mixed(p, q, r, a, b, c)
            if dot(x, x) < least_way:
                least_way, chosen = dot(x, x), f
    return chosen
