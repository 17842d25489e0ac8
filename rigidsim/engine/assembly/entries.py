"""One load after another, and how they become arrays."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rigidsim.engine import layout
from rigidsim.engine.model import Law, table
from rigidsim.physics.vector import scaled

WIDTHS = {
    "constants": layout.LOAD_ROWS,
    "fields": layout.FIELD_ROWS,
    "springs": layout.SPRING_ROWS,
    "torsions": layout.TORSION_ROWS,
    "drags": layout.DRAG_ROWS,
    "attractions": layout.ATTRACTION_ROWS,
    "gradients": layout.ATTRACTION_ROWS,
    "scripts": layout.SCRIPT_ROWS,
    "impulses": layout.IMPULSE_ROWS,
}


class Entry(NamedTuple):
    """One load of some kind; see `Law`."""

    pair: int
    first: int
    second: int
    span: tuple[int, int]
    value: np.ndarray


def law_of(entries: Sequence[Entry], width: int) -> Law:
    """Entries as arrays."""
    return Law(
        who=table([(entry.pair, entry.first, entry.second, *entry.span) for entry in entries], 5),
        value=np.array([entry.value for entry in entries], dtype=np.float64).reshape(len(entries), width),
    )


def unit(v) -> tuple:
    """The direction of a vector that does not vanish, without overflow on the way."""
    largest = max(map(abs, v))
    small = scaled(1.0 / largest, v)
    return scaled(1.0 / math.sqrt(sum(c * c for c in small)), small)
