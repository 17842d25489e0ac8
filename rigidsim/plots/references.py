"""Closed forms of the scene over the curves that they are compared with."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from rigidsim.analysis.oracles import reference
from rigidsim.analysis.quantities import NamedQuantity
from rigidsim.plots.style import with_unit
from rigidsim.quantities.units import si_unit
from rigidsim.quantities.vocabulary import WXYZ
from rigidsim.trajectory.trajectory import Trajectory

CIRCLES = 25
"""At most that many circles on a curve."""


def draw_reference(axes: Axes, coordinates: Sequence[np.ndarray], color: str, rows: np.ndarray | None = None) -> Line2D:
    """Open circles at some rows of a closed form, by default of one over time; the handle for a legend."""
    if rows is None:
        rows = np.unique(np.linspace(0, len(coordinates[0]) - 1, CIRCLES).round().astype(int))
    points = [each[rows] for each in coordinates]
    return axes.plot(*points, "o", markerfacecolor="none", markeredgecolor=color, markersize=5, zorder=3)[0]


def reference_of(named: NamedQuantity, time: np.ndarray, values: np.ndarray) -> np.ndarray | None:
    """The scene's own closed form of a quantity at some times (s), beside its values, (time, component); NaN where it
    has none, None if it has none at all. A parent that never changes may be called `parent` or by its path. Of q and -q
    it is the nearer one, and of angles that differ by turns.
    """
    if named.name.startswith("="):
        return None
    for name in (named.name, *_other_names(named)):
        found = reference(named.trajectory, name, time)
        if found is not None:
            found = np.asarray(found, dtype=float).reshape(len(time), -1) / named.si_units
            return _nearest(named, found, values)
    return None


def _nearest(named: NamedQuantity, found: np.ndarray, values: np.ndarray) -> np.ndarray:
    if named.components == WXYZ:
        return np.where(np.sum(found * values, axis=1, keepdims=True) < 0.0, -found, found)
    if si_unit(named.unit) != "rad":
        return found
    half = np.pi / named.si_units
    return values + np.remainder(found - values + half, 2 * half) - half


def _other_names(named: NamedQuantity) -> list[str]:
    """The same quantity with its parent called `parent`, or by its path."""
    parent = lasting_parent(named.trajectory, named.body) if named.body and named.kind and named.kind.is_seen else ""
    if not parent:
        return []
    plain = named.name.rpartition("@")[0] if named.name.endswith(f"@{named.frame}") else named.name
    if named.frame == parent:
        return [f"{plain}@parent"]
    return [f"{plain}@{parent}"] if named.frame == "parent" else []


def lasting_parent(trajectory: Trajectory, body: str) -> str:
    """The parent of a body, `world` or a path; empty if it changes."""
    header = trajectory.header
    changes = any(change.body == body for change in header.changes)
    return "" if changes else header.parents[header.row_of[body]] or "world"


def error_text(values: np.ndarray, expected: np.ndarray, unit: str) -> str:
    """The name of the circles in a legend, with the largest difference."""
    with np.errstate(invalid="ignore"):
        errors = np.abs(values - expected)
    if not np.isfinite(errors).any():
        return "closed form"
    return f"closed form,\nlargest error {with_unit(f'{np.nanmax(errors):.1e}', unit).replace(',', '')}"
