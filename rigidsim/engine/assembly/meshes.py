"""Meshes: the tree of boxes around their triangles, and which triangles lie beside each other."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from rigidsim.engine.model import layout
from rigidsim.engine.model.arrays import Meshes
from rigidsim.engine.model.contact_layout import BOUND, BOUNDARY, CONCAVE, CONVEX, FACET, FLAT

LEAF = 4  # most triangles of a leaf
LEVEL = 1e-5  # sine of the angle below which two triangles are in one plane


class TriangleSurface:
    """A surface of triangles: vertices (n, 3), faces (m, 3), counter-clockwise as seen from outside; whether it
    collides on both sides.
    """

    def __init__(self, vertices: np.ndarray, faces: np.ndarray, two_sided: bool):
        self.vertices, self.faces, self.two_sided = vertices, faces, two_sided

    @cached_property
    def table(self) -> Meshes:
        """Its tables, in its own unit of length."""
        return _table(self)

    def grown(self, metres: float) -> Meshes:
        """Its tables, m, of which one unit of length is so many."""
        table, node = self.table, self.table.node.copy()
        for part in (BOUND.low, BOUND.high):
            node[:, part] *= metres
        return table._replace(node=node, vertex=metres * table.vertex)


def joined(tables: Sequence[Meshes]) -> tuple[Meshes, list[int]]:
    """The tables of several meshes as one, and the root of the tree of each."""
    found, roots, nodes, facets, vertices, rings = [], [], 0, 0, 0, 0
    for k, table in enumerate(tables):
        node, facet, ring = table.node.copy(), table.facet.copy(), table.ring + rings
        node[:, BOUND.first] += np.where(node[:, BOUND.count] > 0, facets, nodes)
        for part in (FACET.corner, FACET.across):
            facet[:, part] += np.where(facet[:, part] >= 0, vertices, 0)
        ring = ring if k + 1 == len(tables) else ring[:-1]  # the next one begins where this ends
        found.append(table._replace(node=node, facet=facet, ring=ring, beside=table.beside + vertices))
        roots.append(nodes)
        nodes, facets = nodes + len(node), facets + len(facet)
        vertices, rings = vertices + len(table.vertex), rings + len(table.beside)
    return Meshes(*map(np.concatenate, zip(*found, strict=True))), roots


def normals_of(vertices: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """The unit normals (m, 3) of triangles."""
    a, b, c = (vertices.take(faces[:, k], axis=0) for k in range(3))
    normals = np.cross(b - a, c - a)
    return normals / np.linalg.norm(normals, axis=1)[:, None]


def _table(surface: TriangleSurface) -> Meshes:
    vertices, faces = surface.vertices, surface.faces
    normals = normals_of(vertices, faces)
    corners = vertices.take(faces, axis=0)
    node, order = tree_of(corners.min(axis=1), corners.max(axis=1))
    facet = np.zeros((len(faces), FACET.width), np.int64)
    facet[:, FACET.corner] = faces
    begin, end = faces.reshape(-1), np.roll(faces, -1, axis=1).reshape(-1)
    edge, pair, across = _neighbours(faces, begin, end)
    facet[:, FACET.edge], facet[:, FACET.across] = edge.reshape(-1, 3), across.reshape(-1, 3)
    ends = ((k, (k + 1) % 3) for k in range(3))
    bend = np.column_stack([_bend(vertices, normals, faces[:, k], faces[:, e], across[k::3]) for k, e in ends])
    facet[:, FACET.bend] = bend
    facet[:, FACET.plane] = _planes(len(faces), pair, bend.reshape(-1) == FLAT)
    turns = (bend != FLAT) if surface.two_sided else (bend == CONVEX) | (bend == BOUNDARY)
    facet[:, FACET.sharp] = turns.any(axis=1)
    ring, beside = _rings(len(vertices), begin, end)
    for part, numbers, touched in (
        (FACET.ridge, facet[:, FACET.edge], turns),
        (FACET.tip, facet[:, FACET.corner], turns | np.roll(turns, 1, axis=1)),
    ):
        first = _firsts(numbers.take(order, axis=0).reshape(-1), touched.take(order, axis=0).reshape(-1))
        facet[order, part] = first.reshape(-1, 3)
    return Meshes(node, facet.take(order, axis=0), normals.take(order, axis=0), vertices.copy(), ring, beside)


def _neighbours(faces: np.ndarray, begin: np.ndarray, end: np.ndarray) -> tuple[np.ndarray, ...]:
    """Of each edge of each triangle: a number that it shares with the same edge of another one, the place of that edge
    there, and the corner of that triangle across it; NO_ROW if there are not two triangles.
    """
    key = np.minimum(begin, end) * (faces.max(initial=0) + 1) + np.maximum(begin, end)
    _, edge, count = np.unique(key, return_inverse=True, return_counts=True)
    edge = edge.reshape(-1)
    order = np.argsort(edge, kind="stable")
    order = order[count[edge[order]] == 2].reshape(-1, 2)
    pair = np.full(len(key), layout.NO_ROW)
    pair[order[:, 0]], pair[order[:, 1]] = order[:, 1], order[:, 0]
    across = np.where(pair >= 0, np.roll(faces, 1, axis=1).reshape(-1)[pair], layout.NO_ROW)
    return edge, pair, across


def _bend(
    vertices: np.ndarray, normals: np.ndarray, begin: np.ndarray, end: np.ndarray, across: np.ndarray
) -> np.ndarray:
    """How the triangle across one edge of each triangle lies to that, seen from outside of the latter."""
    origin = vertices.take(begin, axis=0)
    along, way = vertices.take(end, axis=0) - origin, vertices.take(across, axis=0) - origin
    with np.errstate(all="ignore"):
        way -= (np.einsum("ij,ij->i", way, along) / np.einsum("ij,ij->i", along, along))[:, None] * along
        sine = np.einsum("ij,ij->i", way, normals) / np.linalg.norm(way, axis=1)
    outward = np.einsum("ij,ij->i", way, np.cross(along, normals)) > 0.0  # else it is folded back
    found = np.where((np.abs(sine) <= LEVEL) & outward, FLAT, np.where(sine < 0.0, CONVEX, CONCAVE))
    return np.where(across >= 0, found, BOUNDARY)


def _planes(count: int, pair: np.ndarray, flat: np.ndarray) -> np.ndarray:
    """For each triangle the first one that flat edges connect it with."""
    first, edge = np.arange(count), np.flatnonzero(flat)
    one, other = edge // 3, pair[edge] // 3
    while np.any(first[one] != first[other]):
        ends = first[one], first[other]
        np.minimum.at(first, np.maximum(*ends), np.minimum(*ends))
        while np.any(first[first] != first):
            first = first[first]
    return first


def _firsts(number: np.ndarray, touched: np.ndarray) -> np.ndarray:
    """Whether each place is the first with its number, of the numbers that have a place which is touched."""
    found = np.zeros(number.max(initial=-1) + 1, bool)
    found[number[touched]] = True
    first = np.zeros(len(number), bool)
    first[np.unique(number, return_index=True)[1]] = True
    return first & found[number]


def _rings(count: int, begin: np.ndarray, end: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The vertices that edges connect with each vertex, one after the other, and where those of each begin."""
    ends = np.sort(np.concatenate([begin * count + end, end * count + begin]))
    ends = ends[np.append(True, ends[1:] != ends[:-1])[: len(ends)]]  # np.unique hashes, which takes ten times as long
    return np.searchsorted(ends, count * np.arange(count + 1)), ends % count


def tree_of(low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A tree of boxes (node, width of BOUND) around boxes (n, 3), and their order in its leaves: the nodes of each
    level are divided at the median along their longest side (Kay and Kajiya, SIGGRAPH 1986).
    """
    order, spans, levels = np.arange(len(low)), np.array([[0, len(low)]]), []
    middle = 0.5 * (low + high)
    ranks = np.column_stack([np.unique(along, return_inverse=True)[1] for along in middle.T])
    while len(spans):
        levels.append(spans)
        inner = spans[spans[:, 1] - spans[:, 0] > LEAF]
        place, node = _within(inner)
        if len(inner):
            order[place] = order[place][_sorted_along_longest(middle, ranks, order[place], node, inner)]
        half = (inner[:, 0] + inner[:, 1]) // 2
        spans = np.column_stack([inner[:, 0], half, half, inner[:, 1]]).reshape(-1, 2)
    rows, following = [], len(np.concatenate(levels))
    lower = upper = np.zeros((0, 3))
    for spans in reversed(levels):
        row, size = np.zeros((len(spans), BOUND.width)), spans[:, 1] - spans[:, 0]
        leaf = size <= LEAF
        row[leaf, BOUND.first], row[leaf, BOUND.count] = spans[leaf, 0], size[leaf]
        row[~leaf, BOUND.first] = following + 2 * np.arange(np.count_nonzero(~leaf))
        place, _ = _within(spans[leaf])
        starts = np.cumsum(size[leaf]) - size[leaf]
        for part, source, inner, least in ((BOUND.low, low, lower, np.minimum), (BOUND.high, high, upper, np.maximum)):
            row[leaf, part] = least.reduceat(source.take(order[place], axis=0), starts) if len(starts) else 0.0
            row[~leaf, part] = least(inner[0::2], inner[1::2])
        lower, upper, following = row[:, BOUND.low], row[:, BOUND.high], following - len(spans)
        rows.append(row)
    return np.concatenate(rows[::-1]), order


def _within(spans: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """All places within spans, and the number of the span of each."""
    size = spans[:, 1] - spans[:, 0]
    node = np.repeat(np.arange(len(spans)), size)
    return np.arange(len(node)) + (spans[:, 0] - np.cumsum(size) + size)[node], node


def _sorted_along_longest(
    middle: np.ndarray, ranks: np.ndarray, order: np.ndarray, node: np.ndarray, spans: np.ndarray
) -> np.ndarray:
    """The order of points by the nodes that they are in, in a node along its longest side, and as given where they are
    level: `ranks` are those of the coordinates. The keys of a sort have the three in one integer.
    """
    size = spans[:, 1] - spans[:, 0]
    starts = np.cumsum(size) - size
    points = middle.take(order, axis=0)
    sides = np.maximum.reduceat(points, starts) - np.minimum.reduceat(points, starts)
    axis = np.argmax(sides, axis=1)
    first, most = starts[node], int(size.max())
    key = (node * len(middle) + ranks[order, axis[node]]) * most + np.arange(len(order)) - first
    return np.sort(key) % most + first
