"""Reference solutions over the curves that they are compared with."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from rigidsim.hindsight.quantities import NamedQuantity

CIRCLES = 25
"""At most that many circles on a curve."""


def draw_reference(axes: Axes, time: np.ndarray, values: np.ndarray, color: str) -> None:
    """Open circles at some of these times (s)."""
    some = np.unique(np.linspace(0, len(time) - 1, CIRCLES).round().astype(int))
    axes.plot(time[some], values[some], "o", markerfacecolor="none", markeredgecolor=color, markersize=5, zorder=3)


def reference_of(named: NamedQuantity, time: np.ndarray) -> np.ndarray | None:
    """The values of the scene's own reference solution of a quantity at some times, (time, component); None if it has
    none.
    """
    try:
        from rigidsim.hindsight.oracles import reference
    except ImportError:
        return None
    found = reference(named.trajectory, named.name, time)
    return None if found is None else np.asarray(found, dtype=float).reshape(len(time), -1)


def with_error(values: np.ndarray, expected: np.ndarray, unit: str) -> str:
    """The largest difference, for a legend."""
    error = float(np.nanmax(np.abs(values - expected), initial=0.0))
    return f" (circles: reference, error {error:.2g}{' ' if unit else ''}{unit})"
