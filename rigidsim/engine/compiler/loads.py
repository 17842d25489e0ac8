"""The loads of a free body and of all that is fixed to it, and the eras in which they act."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rigidsim.engine import layout
from rigidsim.engine.model import zeros
from rigidsim.physics.quaternion import rotate
from rigidsim.physics.vector import scaled, sub
from rigidsim.scene.mass import fixed_parts

AXES = {"body": layout.AXES_BODY, "parent": layout.AXES_PARENT, "world": layout.AXES_WORLD}
NO_TURN = (1.0, 0.0, 0.0, 0.0)
ON_GRID = 1e-9  # an edge this close to a grid point, in steps, is on it


class Load(NamedTuple):
    """A constant load, its axes, and when it acts (None: always)."""

    row: np.ndarray
    axes: int
    during: tuple[float, float] | None


def carried_loads(carrier, com, scale: float) -> list[Load]:
    """Loads on a free body, its own and those on its fixed parts; `com` in the carrier's coordinates, `scale` metres
    each.
    """
    loads, placements = [], {}
    for names, part, placement in fixed_parts(carrier):
        placements[names] = placement
        for force in part.forces:
            # `at` left out is the centre of mass: the whole's for the carrier, the part's own for a fixed part.
            own = placement.point(part.center_of_mass) if names else com
            point = own if force.at is None else placement.point(force.at)
            axes, turn = AXES[force.frame], NO_TURN
            if names and force.frame != "world":
                # Body and parent axes of a fixed part both turn with the carrier.
                axes = layout.AXES_BODY
                turn = (placement if force.frame == "body" else placements[names[:-1]]).rotation
            row = zeros(layout.LOAD_ROWS)
            row[layout.L_F : layout.L_F + 3] = rotate(turn, force.force)
            row[layout.L_TAU : layout.L_TAU + 3] = rotate(turn, force.torque)
            row[layout.L_LEVER : layout.L_LEVER + 3] = scaled(scale, sub(point, com))
            loads.append(Load(row, axes, force.during))
    return loads


def grid_place(t: float, step: float) -> tuple[int, float]:
    """(n, fraction) with t = (n + fraction) step; on the grid if within a billionth of a step."""
    ratio = t / step
    n = round(ratio)
    if abs(ratio - n) <= ON_GRID * max(1.0, abs(ratio)):
        return n, 0.0
    return math.floor(ratio), ratio - math.floor(ratio)


def eras(
    windows: Sequence[tuple[float, float] | None], step: float
) -> tuple[np.ndarray, np.ndarray, list[tuple[int, int]]]:
    """Edges at which a load begins or ends, as steps and fractions, and the eras [from, until) of each window."""
    start = (0, 0.0)
    places = [None if w is None else (grid_place(w[0], step), grid_place(w[1], step)) for w in windows]
    edges = sorted({edge for place in places if place for edge in place if edge > start})
    era = {edge: i + 1 for i, edge in enumerate(edges)}
    spans = [(0, layout.NEVER) if p is None else (era.get(p[0], 0), era.get(p[1], 0)) for p in places]
    steps = np.array([n for n, _ in edges], dtype=np.int64)
    return steps, np.array([fraction for _, fraction in edges], dtype=np.float64), spans
