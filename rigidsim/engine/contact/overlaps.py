"""Shapes that overlap in some pose: found by columns of numbers, measured by the routines of the narrow phase."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from rigidsim.engine.contact import columns as at
from rigidsim.engine.contact.model import Contacts
from rigidsim.engine.contact.pairs import meet
from rigidsim.physics.quaternion import rotate

TOUCHING = 1e-6
"""Shapes that overlap by less than this part of the smaller one touch."""
CHUNK, MOST_PAIRS, MOST_MEASURED = 500_000, 50_000, 100
"""Number of pairs that are compared at once, of neighbours at most, and of pairs that are measured, the likely deepest
first.
"""
PARALLEL = 1e-8  # sine of the angle between axes below which their cross product is not used
UNIT = np.eye(3)


class Overlap(NamedTuple):
    """Two shapes and the depth by which they overlap, m."""

    first: int
    second: int
    depth: float


@np.errstate(all="ignore")
def overlaps(contacts: Contacts, pose: np.ndarray) -> list[Overlap]:
    """The deepest overlaps of shapes that collide, in these poses (shape, POSE_ROWS), the deepest first."""
    axes = np.stack([np.stack(rotate(tuple(pose[:, at.H_Q :].T), tuple(unit)), axis=-1) for unit in UNIT], axis=1)
    pairs = np.concatenate([*_neighbours(contacts, pose), np.zeros((0, 2), dtype=np.int64)])[:MOST_PAIRS]
    least = TOUCHING * contacts.shape_value[pairs, at.V_BOUND].min(axis=1)
    gap = _gaps(contacts, pose, axes, pairs, -least)
    deep = np.flatnonzero(gap < -least)
    found = []
    for k in deep[np.argsort(gap[deep], kind="stable")][:MOST_MEASURED]:
        depth = _depth(contacts, pose, *pairs[k])
        if depth > least[k]:
            found.append(Overlap(*map(int, pairs[k]), depth))
    return sorted(found, key=lambda overlap: -overlap.depth)


def _depth(contacts: Contacts, pose: np.ndarray, i: int, j: int) -> float:
    """The depth of two shapes in each other, m; negative if they are apart."""
    kind, value = contacts.shape[:, at.SHAPE_KIND].tolist(), contacts.shape_value
    places = np.zeros((at.MOST_PLACES, at.PLACE_ROWS))
    count = meet(kind[i], value[i], pose[i], kind[j], value[j], pose[j], 0.0, places)
    return float(-places[:count, at.Q_GAP].min(initial=0.0))


def _neighbours(contacts: Contacts, pose: np.ndarray) -> Iterator[np.ndarray]:
    """Pairs of shapes of which the bounding spheres overlap, (pair, 2), and those with planes."""
    bound = contacts.shape_value[:, at.V_BOUND]
    solid, planes = np.flatnonzero(np.isfinite(bound)), np.flatnonzero(~np.isfinite(bound))
    for plane in planes:
        yield _that_collide(contacts, np.stack([np.minimum(solid, plane), np.maximum(solid, plane)], axis=-1))
    p = pose[solid, at.H_P : at.H_P + 3]
    x = p[:, np.argmax(np.ptp(p, axis=0))] if len(p) else np.zeros(0)
    order = np.argsort(x - bound[solid], kind="stable")
    solid, p, x = solid[order], p[order], x[order]
    # Each is compared with those that begin before it ends.
    last = np.searchsorted(x - bound[solid], x + bound[solid])
    count, first, total = np.maximum(last - np.arange(len(x)) - 1, 0), 0, 0
    while first < len(x) and total < MOST_PAIRS:
        until = first + max(1, int(np.searchsorted(np.cumsum(count[first:]), CHUNK)))
        one = np.repeat(np.arange(first, min(until, len(x))), count[first:until])
        begin = np.cumsum(count[first:until]) - count[first:until]
        other = one + 1 + np.arange(len(one)) - np.repeat(begin, count[first:until])
        near = np.linalg.norm(p[one] - p[other], axis=1) < bound[solid[one]] + bound[solid[other]]
        pairs = np.sort(np.stack([solid[one[near]], solid[other[near]]], axis=-1), axis=1)
        yield (kept := _that_collide(contacts, pairs))
        first, total = until, total + len(kept)


def _that_collide(contacts: Contacts, pairs: np.ndarray) -> np.ndarray:
    body, surface = contacts.shape[pairs, at.SHAPE_BODY], contacts.shape[pairs, at.SHAPE_CLASS]
    collides = contacts.action[surface[:, 0], surface[:, 1]] == at.COLLIDES
    return pairs[collides & (body[:, 0] != body[:, 1]) & (body.min(axis=1) < contacts.n_moved)]


def _gaps(contacts: Contacts, pose: np.ndarray, axes: np.ndarray, pairs: np.ndarray, limit: np.ndarray) -> np.ndarray:
    """A lower bound of the gap of each pair: along the normal of a plane, else the largest distance along the line of
    centres, the axes of both and their cross products (Gottschalk, Lin, Manocha, OBBTree, 1996). Axes are tried until
    the bound reaches the limit of the pair.
    """
    i, j = pairs.T
    d = pose[j, at.H_P : at.H_P + 3] - pose[i, at.H_P : at.H_P + 3]
    kinds, best = contacts.shape[:, at.SHAPE_KIND], np.full(len(pairs), -np.inf)
    for plane, other, sign in ((i, j, 1.0), (j, i, -1.0)):
        outward = axes[plane, 2]
        along = sign * _dot(d, outward) - _extent(contacts, axes, other, outward)
        best = np.where(kinds[plane] == at.PLANE, along, best)
    left = np.flatnonzero((kinds[i] != at.PLANE) & (kinds[j] != at.PLANE))
    for a, b in ((None, None), *((a, None) for a in range(3)), *((None, b) for b in range(3)), *np.ndindex(3, 3)):
        first, second = axes[i[left], a or 0], axes[j[left], b or 0]
        u = (
            d[left]
            if a is None and b is None
            else first
            if b is None
            else second
            if a is None
            else np.cross(first, second)
        )
        length = np.linalg.norm(u, axis=1)
        u = u / np.where(length > 0.0, length, 1.0)[:, None]
        reach = _extent(contacts, axes, i[left], u) + _extent(contacts, axes, j[left], u)
        is_axis = length > (0.0 if a is None and b is None else PARALLEL)
        best[left] = np.where(is_axis, np.fmax(best[left], np.abs(_dot(d[left], u)) - reach), best[left])
        left = left[best[left] < limit[left]]
    return best


def _dot(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.einsum("kc,kc->k", a, b)


def _extent(contacts: Contacts, axes: np.ndarray, shapes: np.ndarray, u: np.ndarray) -> np.ndarray:
    """How far shapes reach from their centres along unit vectors, m."""
    half, radius = contacts.shape_value[shapes, at.V_HALF : at.V_HALF + 3], contacts.shape_value[shapes, at.V_RADIUS]
    return np.abs(np.einsum("kac,kc->ka", axes[shapes], u) * half).sum(axis=1) + radius
