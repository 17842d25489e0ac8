"""Two convex cores of any kinds: normal, separation and nearest points to round-off, from the features that meet.

A feature of a core is a point a(n) that follows the outward normal n, and up to two generators e along which it goes on
where n is perpendicular to them: a corner, an edge or a face of a polytope; a curved patch or a rim, a side, an end or
an apex of a round core. Newton's method solves the conditions of the nearest points,

    a(n) + sum l_i e_i + s n = b(-n) + sum m_j g_j,   e_i . n = g_j . n = 0,   |n| = 1,

for the normal n, the separation s (negative: the depth) and the places l, m along the generators: one text for cores
that are apart and that overlap, and well-conditioned where they touch. The result is proven by the support functions,
which give a separation along n of their own, and by the points, which lie in their features. If it is not, other
features are tried, and at last the axes of the cores, of which that of largest separation is taken.

What is found is remembered: a pair begins with the features that were found last, in this step or in the one before.
"""

from __future__ import annotations

from rigidsim.engine.collision.convex import (
    APART,
    FAR,
    SURFACE,
    TOUCHING,
    corner_of,
    expand,
    find_simplex,
    into_B,
    make_tetrahedron,
    on_triangle,
    out_of_B,
    separation_along,
    thinness,
)
from rigidsim.engine.model.contact_layout import CORE
from rigidsim.jit import inlined, routine
from rigidsim.physics.distances import CONE, CYLINDER, ELLIPSOID, HULL, across
from rigidsim.physics.elementary import sqrt
from rigidsim.physics.inertia import apply, conjugated
from rigidsim.physics.supports import bend_of_ellipsoid, bend_of_rim, farthest_on_ellipsoid, farthest_on_rim
from rigidsim.physics.vector import ZERO, add, cross, dot, negated, norm, scaled, sub, transposed

SMOOTH, SIDE, END, APEX, NO_MODE = 0, 1, 2, 3, -1
MOST_TURNS = 12  # of Newton's method; two are usual
PROVEN = 1e-13  # largest difference of the separations, in the unit of the pair
ALONG = 1e-12  # squared sine: two generators at a smaller angle give no normal
INSIDE = 1e-11  # how far beyond its feature a point may be, relative to it
DEEPEST = 0.02  # in the unit: features of a deeper overlap are looked for anew, as others may be less deep
SINGULAR = 1e-13  # in the unit: radii of curvature below it leave the normal open
STILL = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


# --- surfaces


@inlined
def write_polytope(kind, core: CORE, corner, numbers, count, row: SURFACE):
    """A corner, or the one at which an edge or a face begins, and the ways to the others."""
    p = corner_of(kind, core, corner, int(numbers[0]))
    row.p, row.bend, row.turn, row.count = p, STILL, ZERO, count - 1.0
    if count > 1.5:
        row.first = sub(corner_of(kind, core, corner, int(numbers[1])), p)
    if count > 2.5:
        row.second = sub(corner_of(kind, core, corner, int(numbers[2])), p)


@inlined
def write_round(kind, core: CORE, mode, n, row: SURFACE):
    """A feature of a cylinder or a cone."""
    half, (x, y, length) = core.half, farthest_on_rim(core.half, n)
    xx, yy, xy = bend_of_rim(half, x, y, length)
    top = kind == CYLINDER and n[2] > 0.0
    row.p, row.bend, row.turn, row.count = (0.0, 0.0, half[2] if top else -half[2]), STILL, ZERO, 0.0
    if mode == END:
        row.first, row.second, row.count = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), 2.0
    elif mode == APEX:
        row.p = (0.0, 0.0, half[2])
    elif mode == SIDE and kind == CONE:
        row.p, row.first, row.turn, row.count = (0.0, 0.0, half[2]), (x, y, -2.0 * half[2]), (xx, yy, xy), 1.0
    else:
        row.p, row.bend = (x, y, half[2] if top else -half[2]), (xx, yy, 0.0, xy, 0.0, 0.0)
        if mode == SIDE:
            row.p, row.first, row.count = (x, y, 0.0), (0.0, 0.0, 1.0), 1.0


@routine
def write_surface(kind, core: CORE, corner, mode, numbers, count, n, row: SURFACE):
    """The feature of a core at the outward normal n, in its own axes."""
    if kind <= HULL:
        write_polytope(kind, core, corner, numbers, count, row)
    elif kind == ELLIPSOID:
        p, length = farthest_on_ellipsoid(core.half, n)
        row.p, row.bend, row.turn, row.count = p, bend_of_ellipsoid(core.half, p, length), ZERO, 0.0
    else:
        write_round(kind, core, mode, n, row)


@inlined
def write_surfaces(kinds, n, w):
    """Those of both cores, each in its own axes."""
    f = w.features
    numbers_A, numbers_B = f.corner_A, f.corner_B
    for c in range(3):
        w.active[0, c], w.active[1, c] = numbers_A[c], numbers_B[c]
    write_surface(kinds[0], w.core[0], w.corner, f.mode_A, w.active[0], f.count_A, n, w.surface[0])
    of_B = negated(into_B(w.relative, n))
    write_surface(kinds[1], w.core[1], w.corner, f.mode_B, w.active[1], f.count_B, of_B, w.surface[1])


@inlined
def bend_with(row: SURFACE, share):
    """The derivative by n of a point with this share of the first generator."""
    (xx, yy, zz, xy, xz, yz), (t_x, t_y, t_xy) = row.bend, row.turn
    return (xx + share * t_x, yy + share * t_y, zz, xy + share * t_xy, xz, yz)


@inlined
def tensor_out_of_B(relative, t):
    """A tensor (xx yy zz xy xz yz) of B in the axes of A."""
    return conjugated(transposed((relative.x, relative.y, relative.z)), t)


# --- Newton's method


@inlined
def point_of(row: SURFACE, shares, first):
    """The point of a feature with these shares of its generators."""
    p = row.p
    if row.count > 0.5:
        p = add(p, scaled(shares[first], row.first))
    if row.count > 1.5:
        p = add(p, scaled(shares[first + 1], row.second))
    return p


@inlined
def generator(w, k, c_A):
    """Generator k of both features, in the axes of A, with its sign in the equations."""
    A, B = w.surface[0], w.surface[1]
    if k < c_A:
        return A.first if k == 0 else A.second
    return negated(out_of_B(w.relative, B.first if k == c_A else B.second))


@inlined
def stiffness(separation, w):
    """H: the derivative of a(n) - b(-n) + s n by n, in the axes of A, as (xx yy zz xy xz yz)."""
    A, B, share = w.surface[0], w.surface[1], w.share
    c_A, c_B = int(A.count), int(B.count)
    of_A = bend_with(A, share[0] if c_A > 0 else 0.0)
    of_B = tensor_out_of_B(w.relative, bend_with(B, share[c_A] if c_B > 0 else 0.0))
    return (
        of_A[0] + of_B[0] + separation, of_A[1] + of_B[1] + separation, of_A[2] + of_B[2] + separation,
        of_A[3] + of_B[3], of_A[4] + of_B[4], of_A[5] + of_B[5],
    )  # fmt: skip


@inlined
def correct(n, separation, w):
    """One turn of Newton's method: (whether there is one, the change of n, that of the separation); the shares change.

    The linear equations H dn + n ds + g dl + h dm = r, n . dn = 0, g . dn = -g . n, h . dn = -h . n are solved in the
    basis reciprocal to n and the generators g, h. A feature less has any direction across n in place of a generator,
    along which the change of n follows from the first equation.
    """
    c_A, c_B = int(w.surface[0].count), int(w.surface[1].count)
    count, H, g = c_A + c_B, stiffness(separation, w), across(n)
    if count > 0:
        g = generator(w, 0, c_A)
    h = cross(n, g)
    if count > 1:
        h = generator(w, 1, c_A)
    area = cross(g, h)
    volume, least = dot(n, area), ALONG * dot(g, g) * dot(h, h)
    if not volume * volume > least:
        return False, ZERO, 0.0
    of_n, of_g, of_h = scaled(1.0 / volume, area), scaled(1.0 / volume, cross(h, n)), scaled(1.0 / volume, cross(n, g))
    b = add(w.relative.p, out_of_B(w.relative, point_of(w.surface[1], w.share, c_A)))
    r = sub(b, add(point_of(w.surface[0], w.share, 0), scaled(separation, n)))
    H_g, H_h, x, y = apply(H, of_g), apply(H, of_h), -dot(g, n), -dot(h, n)
    if count == 1:
        along = dot(of_h, H_h)
        if not abs(along) > SINGULAR * dot(of_h, of_h):
            return False, ZERO, 0.0
        y = (dot(of_h, r) - x * dot(of_h, H_g)) / along
    elif count == 0:
        xx, xy, yy = dot(of_g, H_g), dot(of_g, H_h), dot(of_h, H_h)
        square = xx * yy - xy * xy
        if not abs(square) > SINGULAR * max(abs(xx), abs(yy)):
            return False, ZERO, 0.0
        x, y = (
            (yy * dot(of_g, r) - xy * dot(of_h, r)) / square,
            (xx * dot(of_h, r) - xy * dot(of_g, r)) / square,
        )  # fmt: skip
    r = sub(r, add(scaled(x, H_g), scaled(y, H_h)))
    w.share[0], w.share[1] = w.share[0] + dot(of_g, r), w.share[1] + dot(of_h, r)
    return True, add(scaled(x, of_g), scaled(y, of_h)), dot(of_n, r)


@inlined
def is_inside(kind, core: CORE, mode, count, shares, first):
    """Whether a point is in its own feature."""
    x, y = shares[first] if count > 0 else 0.0, shares[first + 1] if count > 1 else 0.0
    half, inside = core.half, True
    if kind <= HULL:
        inside = x >= -INSIDE and y >= -INSIDE and x + y <= 1.0 + INSIDE
    elif mode == END:
        u, v = x / half[0], y / half[1]
        inside = u * u + v * v <= 1.0 + INSIDE
    elif mode == SIDE:
        low, high = (0.0, 1.0) if kind == CONE else (-half[2], half[2])
        inside = x >= low - INSIDE and x <= high + INSIDE
    return inside


@routine
def iterate(kinds, w):
    """Newton's method from the features, normal and separation in `features`, to those of `nearest`; whether it
    converged. `surface` has the features at that normal.
    """
    n, separation, last = w.features.normal, w.features.separation, 0.0
    w.share[:] = 0.0
    for _ in range(MOST_TURNS):
        write_surfaces(kinds, n, w)
        if w.surface[0].count + w.surface[1].count > 2.5:
            break
        found, dn, ds = correct(n, separation, w)
        if not found:
            break
        n, separation = add(n, dn), separation + ds
        n = scaled(1.0 / norm(n), n)
        change = abs(dn[0]) + abs(dn[1]) + abs(dn[2]) + abs(ds)
        # Quadratic convergence: the next change is about change^3/last^2. The first turn knows no shares, and so not H.
        if (
            change <= 4e-16
            or change * change * change <= 4e-16 * last * last
            or (change <= 1e-13 and change >= 0.5 * last and last > 0.0)
        ):
            w.nearest.normal, w.nearest.separation = n, separation
            write_surfaces(kinds, n, w)
            return True
        if not change < 4.0:
            break
        last = change
    return False


@routine
def solve_flat(w):
    """The equations of two flat features with two generators g, h between them, a face and a corner or two edges, in
    closed form: n = g x h/|g x h|, on the side of the guess. Whether they are not parallel.
    """
    n, found, c_A = w.features.normal, w.nearest, int(w.surface[0].count)
    g, h = generator(w, 0, c_A), generator(w, 1, c_A)
    area = cross(g, h)
    square = dot(area, area)
    if not square > ALONG * dot(g, g) * dot(h, h):
        return False
    d = sub(add(w.relative.p, out_of_B(w.relative, w.surface[1].p)), w.surface[0].p)
    w.share[0], w.share[1] = dot(cross(d, h), area) / square, dot(cross(g, d), area) / square
    n = scaled((1.0 if dot(area, n) > 0.0 else -1.0) / sqrt(square), area)
    found.normal, found.separation = n, dot(n, d)
    return True


@inlined
def find_from_features(kinds, w):
    """Normal, separation and shares from the features, normal and separation in `features`; False without a result."""
    f = w.features
    if kinds[0] <= HULL and kinds[1] <= HULL and f.count_A + f.count_B == 4.0:
        write_surfaces(kinds, f.normal, w)
        if solve_flat(w):
            return True
    return iterate(kinds, w)


@routine
def polish(kinds, w):
    """The nearest points by the features of `features`; whether they are proven."""
    if not find_from_features(kinds, w):
        return False
    found, f = w.nearest, w.features
    n, separation = found.normal, found.separation
    c_A, c_B = int(w.surface[0].count), int(w.surface[1].count)
    a = point_of(w.surface[0], w.share, 0)
    found.a, found.b = a, add(a, scaled(separation, n))
    found.slack = abs(separation - separation_along(kinds, n, w))
    inside = is_inside(kinds[0], w.core[0], f.mode_A, c_A, w.share, 0)
    inside = inside and is_inside(kinds[1], w.core[1], f.mode_B, c_B, w.share, c_A)
    if not (inside and found.slack <= PROVEN):
        return False
    f.normal, f.separation, f.known = n, separation, 1.0
    return True


# --- features from the simplex


@inlined
def mode_of(kind, core: CORE, n, turn):
    """The mode to try in a turn, by how n lies; NO_MODE if there are no more."""
    if kind != CYLINDER and kind != CONE:
        return SMOOTH if turn == 0 else NO_MODE
    half, (x, y, length) = core.half, farthest_on_rim(core.half, n)
    across, first = sqrt(n[0] * n[0] + n[1] * n[1]), SMOOTH
    if kind == CYLINDER:
        first = END if across < 0.02 else (SIDE if abs(n[2]) < 0.02 else SMOOTH)
    else:
        way = (length - 2.0 * half[2] * n[2]) / sqrt(x * x + y * y + 4.0 * half[2] * half[2])
        low = across < 0.02 and n[2] < 0.0
        first = END if low else (SIDE if abs(way) < 0.02 else (APEX if way < 0.0 else SMOOTH))
    # The likeliest first, then the others in their order.
    order = turn - 1 if turn - 1 < first else turn
    mode = first if turn == 0 else order
    return NO_MODE if kind == CYLINDER and mode == APEX else mode


@inlined
def take_corners(w, count, of_A):
    """Write the numbers of the distinct corners of a core among the chosen vertices; returns how many there are."""
    n, a, b, c = 0, -1.0, -1.0, -1.0
    for k in range(count):
        row = w.vertex[w.chosen[k]]
        number = row.i if of_A else row.j
        if number != a and number != b and number != c and n < 3:
            a, b, c = number if n == 0 else a, number if n == 1 else b, number if n == 2 else c
            n += 1
    if of_A:
        w.features.corner_A = (a, b, c)
    else:
        w.features.corner_B = (a, b, c)
    return n


@inlined
def take_features(kinds, count, w):
    """Write the corners of polytopes; of parallel features any part will do, so one becomes a corner."""
    n_A, n_B = take_corners(w, count, True), take_corners(w, count, False)
    if kinds[0] <= HULL and kinds[1] <= HULL and n_A + n_B > 4:
        if n_A >= 3:
            n_B = 1
        else:
            n_A = 1
    w.features.count_A, w.features.count_B = 1.0 * n_A, 1.0 * n_B


@inlined
def take_face(kinds, count, w):
    """The face of A - B nearest to the origin, for cores that overlap: normal, separation, the number of its vertices
    with a share, in `chosen`; (0, 0) of those without a depth.
    """
    s, n, separation, kept = w.vertex, (0.0, 0.0, 1.0), 0.0, 0
    if make_tetrahedron(kinds, count, w) == 4:
        row = w.face[expand(kinds, w)]
        n, separation = row.out, -row.d
        i, j, k, foot = int(row.i), int(row.j), int(row.k), scaled(row.d, row.out)
        p, q, r = on_triangle(sub(s[i].w, foot), sub(s[j].w, foot), sub(s[k].w, foot))
        s[i].share, s[j].share, s[k].share = p, q, r
        for m in range(3):
            v = i if m == 0 else (j if m == 1 else k)
            if s[v].share > 1e-9:
                w.chosen[kept] = v
                kept += 1
    return n, separation, kept


@inlined
def try_modes(kinds, n, separation, w):
    """Newton's method from all modes of both cores; whether one is proven."""
    f, proven = w.features, False
    for i in range(4):
        mode_A = mode_of(kinds[0], w.core[0], n, i)
        for j in range(4):
            mode_B = mode_of(kinds[1], w.core[1], negated(into_B(w.relative, n)), j)
            if not proven and mode_A != NO_MODE and mode_B != NO_MODE:
                f.mode_A, f.mode_B, f.normal, f.separation = 1.0 * mode_A, 1.0 * mode_B, n, separation
                proven = polish(kinds, w)
    return proven


@inlined
def widest_axis(kinds, n, w):
    """The direction of largest separation, of n and the axes of both cores both ways: those of faces and ends."""
    best, largest = n, separation_along(kinds, n, w)
    for k in range(12):
        sign = 1.0 if k < 6 else -1.0
        axis = k % 3
        e = (sign if axis == 0 else 0.0, sign if axis == 1 else 0.0, sign if axis == 2 else 0.0)
        if k % 6 >= 3:
            e = out_of_B(w.relative, e)
        separation = separation_along(kinds, e, w)
        if separation > largest:
            best, largest = e, separation
    return best, largest


@inlined
def settle(kinds, n, count, w):
    """Without a proof: the widest of the known directions, and the points by the weights of the vertices."""
    found, f, a = w.nearest, w.features, ZERO
    n, separation = widest_axis(kinds, n, w)
    for k in range(count):
        row = w.vertex[w.chosen[k]]
        a = add(a, scaled(row.share, row.a))
    found.normal, found.separation, found.slack = n, separation, 0.0
    found.a, found.b = a, add(a, scaled(separation, n))
    f.normal, f.separation, f.known = n, separation, 0.0
    f.mode_A, f.mode_B = 1.0 * mode_of(kinds[0], w.core[0], n, 0), 0.0
    f.mode_B = 1.0 * mode_of(kinds[1], w.core[1], negated(into_B(w.relative, n)), 0)
    write_surfaces(kinds, n, w)


@inlined
def deepest_known(w):
    """The deepest overlap of known features, in the unit: of a thin core half its thickness, beyond which the way out
    of its other side may be shorter.
    """
    return min(DEEPEST, 0.5 * min(thinness(w.core[0].half), thinness(w.core[1].half)))


@routine
def find_nearest(kinds, reach, w):
    """Write `nearest` and `features` of two cores; False if they are farther than `reach` from each other, in the
    unit.
    """
    f, p = w.features, w.relative.p
    if f.known > 0.5 and polish(kinds, w) and f.separation > -deepest_known(w):
        return f.separation < reach
    start = negated(p) if dot(p, p) > 0.0 else (1.0, 0.0, 0.0)
    count, v, state = find_simplex(kinds, start, reach, w)
    f.known, n, separation = 0.0, (0.0, 0.0, 1.0), 0.0
    if state == FAR:
        return False
    for k in range(count):
        w.chosen[k] = k
    if state == APART:
        separation = norm(v)
        n = scaled(-1.0 / separation, v)
    if state == TOUCHING:
        n, separation, count = take_face(kinds, count, w)
        by_axis, width = widest_axis(kinds, n, w)
        if width > separation + 1e-6:
            n, separation = by_axis, width
    take_features(kinds, count, w)
    if not try_modes(kinds, n, separation, w):
        settle(kinds, n, count, w)
    return f.separation < reach
