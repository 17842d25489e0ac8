"""Shapes that overlap in some pose, found by the broad and the narrow phase of a step."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rigidsim.engine.collision.candidates import list_candidates, make_candidates
from rigidsim.engine.collision.convex import forget_features, make_convex
from rigidsim.engine.collision.narrow import meet, placed_shape
from rigidsim.engine.collision.pairs import deepest
from rigidsim.engine.contact.points import TOUCHING, smaller_size
from rigidsim.engine.model import contact_layout as at
from rigidsim.engine.model.arrays import Contacts
from rigidsim.jit.kernels import kernel
from rigidsim.physics.contact import COLLIDES

MOST_PAIRS = 50_000
"""Number of pairs that are measured at most: in a heap in one place each two overlap."""


class Overlap(NamedTuple):
    """Two shapes and the depth by which they overlap, m."""

    first: int
    second: int
    depth: float


def overlaps(contacts: Contacts, pose: np.ndarray) -> list[Overlap]:
    """The overlaps of shapes that collide, in these poses (shape, width of `POSE`), the deepest first."""
    candidates = make_candidates(contacts, MOST_PAIRS)
    candidates.listed[:], candidates.allowance[:] = pose, 0.0
    depth, places = np.zeros(MOST_PAIRS), np.zeros((at.MOST_PLACES, at.PLACE.width))
    measure_overlaps(contacts, candidates, places, depth, make_convex(contacts))
    order = np.argsort(-depth, kind="stable")[: np.count_nonzero(depth)]
    return [Overlap(int(candidates.pair[k, 0]), int(candidates.pair[k, 1]), float(depth[k])) for k in order]


@kernel
def measure_overlaps(contacts, candidates, places, depth, convex):
    """List the pairs of shapes that may overlap in the poses `listed`, and write by how much they do (m): 0 if they
    are apart, touch, or do not collide.
    """
    shape, value, pose = contacts.shape, contacts.shape_value, candidates.listed
    list_candidates(contacts, candidates)
    for k in range(min(candidates.count[0], len(depth))):
        i, j = candidates.pair[k, 0], candidates.pair[k, 1]
        if convex is not None:
            forget_features(i, j, convex.features)
        if contacts.action[shape[i].surfaces, shape[j].surfaces] == COLLIDES:
            shape_i, shape_j = placed_shape(i, contacts, pose[i]), placed_shape(j, contacts, pose[j])
            count = meet(shape_i, shape_j, 0.0, places, convex)
            size = smaller_size(i, j, value)
            if count > 0 and deepest(count, places) < -TOUCHING * size:
                depth[k] = -deepest(count, places)
