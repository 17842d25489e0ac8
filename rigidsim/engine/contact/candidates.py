"""The broad phase: a list of the pairs of shapes that may meet, kept from step to step.

Each shape has an allowance, the distance that it may move before the list is made anew; of a shape that rests it is
zero. A list contains every pair that may meet while all shapes stay within their allowances, in order of the shapes'
numbers; the narrow phase drops the others. So no result depends on when the list was made, and it is not part of a
checkpoint.

A shape far larger than the rest costs one pass over them; if it is a box that rests, such as a floor, only shapes near
the box itself are listed. Planes are compared with all shapes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rigidsim.engine.contact import columns as at
from rigidsim.engine.contact.model import Contacts
from rigidsim.engine.contact.places import between
from rigidsim.engine.contact.sweep import add_planes, sort_along, sweep, widest
from rigidsim.jit import inlined, routine
from rigidsim.physics.vector import norm

# An allowance is this part of the bounding radius and the motion of a few steps: a longer list is made less often.
SKIN, STEPS = 0.1, 3.0
WIDEST = 0.05  # of the bounding radius: all pairs are listed that come as near as this to each other


class Candidates(NamedTuple):
    """The list, the poses and allowances that it was made with, and working arrays."""

    pair: np.ndarray  # (capacity, 2) first and second shape, in order
    count: np.ndarray  # (1) how many there are, or would be if the list had room for them
    listed: np.ndarray  # (shape, POSE_ROWS)
    allowance: np.ndarray  # (shape) negative before the first list, infinite for a plane that moves
    margin: np.ndarray  # (1)
    order: np.ndarray  # (shape) by where they begin along the axis
    begin: np.ndarray  # (shape) where they begin
    extent: np.ndarray  # (shape, 5) centre, radius with allowance, and begin, in this order
    first: np.ndarray  # (lists of strips, and one of large shapes) place in this order of the last one in it
    following: np.ndarray  # (shape) of the one before it in its list
    tally: np.ndarray  # (shape + 1)
    unsorted: np.ndarray  # (capacity, 2)


def make_candidates(contacts: Contacts, capacity: int) -> Candidates:
    """An empty list, which is stale, with room for so many pairs."""
    n = len(contacts.shape)
    pairs = (np.zeros((capacity, 2), np.int64) for _ in range(2))
    order, tally, count = np.arange(n), np.zeros(n + 1, np.int64), np.zeros(1, np.int64)
    listed, allowance, margin = np.zeros((n, at.POSE_ROWS)), np.full(n, -1.0), np.zeros(1)
    begin, extent, first, following = np.zeros(n), np.zeros((n, 5)), np.zeros(n + 4, np.int64), np.zeros(n, np.int64)
    lists = first, following, tally
    return Candidates(next(pairs), count, listed, allowance, margin, order, begin, extent, *lists, next(pairs))


@inlined
def renew_candidates(contacts, pose, travel, margin, candidates) -> bool:
    """Make the list anew if it is stale; False if there is no room, and `count` says how much is needed.

    `travel` bounds the distance that the centre of each shape moves within this step; it is zero only if the shape does
    not turn either. Then the list contains all pairs whose gap is less than margin + travel_i + travel_j now, and
    WIDEST of both bounding radii.
    """
    shape, value = contacts.shape, contacts.shape_value
    if not is_stale(value, pose, travel, margin, candidates):
        return True
    choose_allowances(value, pose, travel, margin, candidates)
    return list_candidates(shape, value, contacts.action, contacts.n_moved, candidates)


@routine
def is_stale(value, pose, travel, margin, candidates) -> bool:
    """Whether some shape may leave its allowance within this step; one that rested has none."""
    listed, allowance = candidates.listed, candidates.allowance
    if not margin <= candidates.margin[0]:
        return True
    for i in range(len(pose)):
        around = WIDEST * value[i, at.V_BOUND] if travel[i] > 0.0 else 0.0
        if not norm(between(listed[i], pose[i])) + travel[i] + around <= allowance[i]:
            return True
        for c in range(at.H_Q, at.POSE_ROWS):
            if allowance[i] == 0.0 and pose[i, c] != listed[i, c]:
                return True
    return False


@routine
def choose_allowances(value, pose, travel, margin, candidates) -> None:
    """Allowances for a list that is made from these poses."""
    candidates.margin[0] = margin
    for i in range(len(value)):
        for c in range(at.POSE_ROWS):
            candidates.listed[i, c] = pose[i, c]
        around = (SKIN + WIDEST) * value[i, at.V_BOUND]
        candidates.allowance[i] = around + STEPS * travel[i] if travel[i] > 0.0 else 0.0


@routine
def list_candidates(shape, value, action, n_moved, candidates) -> bool:
    """All pairs that may meet, sorted; False if there is no room."""
    axis = widest(candidates.listed, value, -1)
    sort_along(axis, value, candidates)
    count = sweep(widest(candidates.listed, value, axis), shape, value, action, n_moved, candidates)
    count = add_planes(count, shape, value, action, n_moved, candidates)
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
    for i in range(len(tally)):
        tally[i] = 0
    for k in range(count):
        tally[source[k, column] + 1] += 1
    for i in range(1, len(tally)):
        tally[i] += tally[i - 1]
    for k in range(count):
        number = source[k, column]
        target[tally[number], 0], target[tally[number], 1] = source[k, 0], source[k, 1]
        tally[number] += 1
