"""The small motions that loops and contacts leave to a state.

With the difference x = (q, v) of coordinates and rates from a state, and a change p of numbers of the scene, each
holonomic equation is a row G q = -g p of gaps. All equations, also those of rolling, are rows H_q q + H_v v = -h p of
rates. What they leave is

    x = T z + X p,

where z are independent variables out of x, and the others follow by elimination (Gauss-Jordan, full pivots). Rows that
depend on others are left out. Source: Neimark and Fufaev, Dynamics of Nonholonomic Systems (1972), chapters 1 and 3.
"""

from __future__ import annotations

from itertools import islice
from typing import NamedTuple

import numpy as np

from rigidsim.engine.constraints.lasting import LASTING, N_SLOTS, SLOT, STUCK
from rigidsim.engine.model.layout import EQUATION
from rigidsim.engine.time.run import BlockRun
from rigidsim.jit.shadows import Shadows

DEPENDS = 1e-9
"""Of the largest derivative: a row of which the others leave less follows from them."""
NEARLY = 1.0 - 1e-6
"""Of the largest derivative: a pivot, so that rounding does not choose it."""


class HoldingEquations(NamedTuple):
    """The equations that hold a state: their derivatives along K tangents, and the rates that should vanish."""

    gaps: np.ndarray  # (equation, K)
    rates: np.ndarray  # (equation, K)
    left: np.ndarray  # (equation) of rates
    slowest: float  # of the contacts that slide, m/s; infinite without any

    @classmethod
    def of(cls, run: BlockRun, shadows: Shadows) -> HoldingEquations:
        """Those of loops and of contacts that last, after an evaluation: of a contact that sticks or rolls all of its
        slip, of one that slides what is along the normal.
        """
        gaps, rates, left, slowest = [], [], [], np.inf
        if (loops := run._scratch.loops) is not None:
            equation = np.asarray(loops.equation)
            along = shadows.of(equation)
            gaps += [*along[:, EQUATION.gap]]
            rates += [*along[:, EQUATION.rate]]
            left += [*equation[:, EQUATION.rate]]
        if (lasting := run.contacts.arrays and run.contacts.arrays.lasting) is not None:
            values = np.asarray(lasting.value)
            parts = zip(np.asarray(lasting.slot), values, shadows.of(values), strict=True)
            for slot, value, along in islice(parts, int(lasting.size[N_SLOTS])):
                n, slip = value[LASTING.normal], value[LASTING.slip]
                gaps.append(along[LASTING.gap])
                if slot[SLOT.mode] == STUCK and not slot[SLOT.bound]:
                    rates += [*along[LASTING.slip]]
                    left += [*slip]
                else:
                    rates.append(n @ along[LASTING.slip] + slip @ along[LASTING.normal])
                    left.append(n @ slip)
                if slot[SLOT.mode] != STUCK:
                    slowest = min(slowest, float(np.linalg.norm(slip - (n @ slip) * n)))
        k = shadows.k
        return cls(np.array(gaps).reshape(-1, k), np.array(rates).reshape(-1, k), np.array(left), slowest)


class TangentSpace(NamedTuple):
    """x = T z + X p, see above; `kept` are the places of z in x."""

    kept: np.ndarray
    T: np.ndarray
    X: np.ndarray


def tangent_space(
    is_rate: np.ndarray, gaps: np.ndarray, rates: np.ndarray, gaps_by_p: np.ndarray, rates_by_p: np.ndarray
) -> TangentSpace:
    """What equations leave of the variables x, of which `is_rate` tells the rates; `gaps` and `rates` are (equation,
    variable), those by p (equation, number).
    """
    n, n_p = len(is_rate), gaps_by_p.shape[1]
    T, X = np.eye(n), np.zeros((n, n_p))
    for rows, by_p, of in ((gaps, gaps_by_p, ~is_rate), (rates, rates_by_p, is_rate)):
        by_p, rows = by_p + rows @ X, rows @ T
        for column, row, right in _eliminated(rows, by_p, of):
            # x_column = -(row z + right p); the column itself is no part of z any more
            row[column] = 0.0
            X += np.outer(T[:, column], -right)
            T += np.outer(T[:, column], -row)
            T[:, column] = 0.0
    kept = np.flatnonzero(np.any(T != 0.0, axis=0))
    return TangentSpace(kept, T[:, kept], X)


def _eliminated(rows: np.ndarray, by_p: np.ndarray, of: np.ndarray) -> list[tuple[int, np.ndarray, np.ndarray]]:
    """The columns among `of` that equations determine, each with its row, in which the pivot is 1 and the other such
    columns are 0, and that of p.
    """
    left = np.hstack([rows, by_p])
    most, found, free = np.max(np.abs(rows), initial=0.0), [], np.ones(len(rows), dtype=bool)
    while free.any():
        sizes = np.abs(np.where(free[:, None] & of, left[:, : rows.shape[1]], 0.0))
        if not sizes.max(initial=0.0) > DEPENDS * most:
            break
        i, j = np.argwhere(sizes >= NEARLY * sizes.max())[0]
        left[i] /= left[i, j]
        others = np.arange(len(left)) != i
        left[others] -= np.outer(left[others, j], left[i])
        free[i] = False
        found.append((j, i))
    columns = rows.shape[1]
    return [(j, left[i, :columns].copy(), left[i, columns:].copy()) for j, i in found]
