"""Warnings about contact: shapes that cannot collide, bodies that sink into each other, entries without effect."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rigidsim.scene.hierarchy.meetings import MOST_RATIO, Meetings
from rigidsim.scene.hierarchy.nodes import Hierarchy
from rigidsim.scene.hierarchy.outlines import described
from rigidsim.scene.text.document import Path


def contact_notes(hierarchy: Hierarchy) -> Iterator[tuple[Path, str]]:
    """Everything about contact that may not be meant, as (path, sentence)."""
    meetings = Meetings(hierarchy.scene)
    if meetings.unsupported:
        yield _left_out(meetings)
    if meetings.settings.substeps is None and meetings.ratio > MOST_RATIO:
        message = (
            f"free bodies that can collide have a ratio of masses of {meetings.ratio:.3g}; above {MOST_RATIO:g} a light"
            " body under a heavy one is pressed into what it lies on; a smaller step helps, and a written substeps ends"
            " this warning"
        )
        yield ("simulation", "contact"), message
    if meetings.settings.mode != "off" and meetings.surfaces.entries:
        yield from _idle_pairs(meetings)


def _idle_pairs(meetings: Meetings) -> Iterator[tuple[Path, str]]:
    """Entries of `world.contacts` for bodies that can never touch."""
    surfaces = meetings.surfaces
    possible = np.zeros((len(surfaces.all),) * 2, dtype=bool)
    for one, other in meetings.possible_pairs():
        possible[one, other] = possible[other, one] = True
    for index, entry in enumerate(surfaces.entries):
        place = ("world", "contacts", index, "between")
        sides = [surfaces.members(path) for path in entry.between]
        bare = [side for side, members in enumerate(sides) if not len(members)]
        for side in bare:
            yield (*place, side), f"there is no shape on '{entry.between[side]}' or below it, so this has no effect"
        if not bare and not possible[np.ix_(*sides)].any():
            one, other = entry.between
            reason = "they are planes, parts of one body, or both not moved by forces"
            yield place, f"'{one}' and '{other}' can never touch, so this has no effect: {reason}"


def _left_out(meetings: Meetings) -> tuple[Path, str]:
    """The first shape that takes no part in contact, and how many there are."""
    shape = meetings.surfaces.shapes[min(meetings.unsupported)]
    count = len(meetings.unsupported) - 1
    more = f", nor can {count} further shape{'s' if count > 1 else ''}" if count else ""
    place = (*shape.node.place, "shapes", shape.number)
    return place, f"{described(shape.shape)} cannot collide in this version{more}; write collide: false"
