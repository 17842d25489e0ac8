"""Paths of bodies in one frame, in a plane or in space, and one quantity over another one."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any, cast

import numpy as np
from matplotlib.axes import Axes
from mpl_toolkits.mplot3d import Axes3D, proj3d

from rigidsim.analysis.colours import colour_of, colours
from rigidsim.analysis.quantities import named, short_name
from rigidsim.plots.history import Request
from rigidsim.plots.labels import names_of, parts_of, shared_name
from rigidsim.plots.references import CIRCLES, draw_reference, error_text, reference_of
from rigidsim.plots.sampling import MOST
from rigidsim.plots.style import DENSE, INK, LINES, draw_legend, label_axes, shortened, with_unit

AXES = "xyz"
FLAT = 0.02
"""A path is in a plane if its extent across is at most this part of the largest extent."""
APART = 0.08
"""The distance of the circles on a path, relative to the extent of the paths."""
LONG = 12.0
"""Ratio of the extents above which a path is not drawn to scale: it would be a line."""
FILLED = 0.84
"""The part of its place that a box in space takes; outside are the numbers of its axes."""
STRAIGHT = 1e9
"""Ratio of the extents above which a path is drawn as the line that it is but for rounding."""


class PathPanel:
    """Paths in one frame, to scale, in the plane in which they are or that is given, or else in space."""

    is_wide, height = False, 3.9

    def __init__(self, requests: Sequence[Request], plane: str = ""):
        self.requests = list(requests)
        self._quantities = [named(r.history.trajectory, f"{r.body}.position@{r.frame}") for r in requests]
        read = [r.history.read(q) for r, q in zip(requests, self._quantities, strict=True)]
        self._points = [points for _, points in read]
        self._closed = [reference_of(q, time, points) for q, (time, points) in zip(self._quantities, read, strict=True)]
        self.plane = plane or plane_of(self._points)
        self.projection = None if self.plane else "3d"

    def draw(self, axes: Axes, is_first: bool) -> None:
        """Draw the paths; the small dot is the begin, the large one the end."""
        columns = [AXES.index(letter) for letter in self.plane or AXES]
        parts = [parts_of(r.history, q) for r, q in zip(self.requests, self._quantities, strict=True)]
        handles, names = [], names_of(parts)
        for (color, line), points in zip(self._styles(), self._points, strict=True):
            handles.append(draw_path(axes, points[:, columns], color, line))
        units = {q.unit for q in self._quantities}
        unit = units.pop() if len(units) == 1 else ""
        first = self.requests[0]
        where = {"world": "in the world", "parent": "relative to the parent"}
        title = where.get(first.frame, f"seen from {shortened(short_name(first.frame))}")
        bodies = {r.body for r in self.requests}
        if len(bodies) == 1:
            title = f"{shortened(short_name(first.body))} {title}"
        across, up = (with_unit(AXES[k], unit) for k in columns[:2])
        label_axes(axes, across, up, title=title)
        if self.plane:
            fit(axes, [points[:, columns] for points in self._points])
        else:
            in_space = cast(Axes3D, axes)
            in_space.set_zlabel(with_unit("z", unit), parse_math=False)
            fit_in_space(in_space, self._points)
        pairs = [(p, closed) for p, closed in zip(self._points, self._closed, strict=True) if closed is not None]
        handles, names = with_references(axes, pairs, handles, names, unit, columns)
        draw_legend(axes, handles, names, "below")

    def _styles(self) -> list[tuple[str, object]]:
        several = len({r.history.number for r in self.requests}) > 1
        bodies = list(dict.fromkeys(r.body for r in self.requests))
        own = {r.history.number: colours(r.history.trajectory.paths) for r in self.requests}
        return [
            (own[r.history.number][r.body], LINES[(r.history.number if several else bodies.index(r.body)) % len(LINES)])
            for r in self.requests
        ]


class PhasePanel:
    """Curves of which both axes are quantities."""

    is_wide, projection, height = False, None, 3.7

    def __init__(self, requests: Sequence[Request]):
        self.requests = list(requests)

    def draw(self, axes: Axes, is_first: bool) -> None:
        """Draw the curves, begin and end marked, and their references."""
        handles, drawn = [], []
        closed: list[tuple[np.ndarray, np.ndarray]] = []
        several = len({r.history.number for r in self.requests}) > 1
        for k, request in enumerate(self.requests):
            time, values = request.history.read(*request.quantities)
            line = request.history.number if several else k
            handles.append(draw_path(axes, values, colour_of(0 if several else k), LINES[line % len(LINES)]))
            drawn.append(values)
            sides = [reference_of(named, time, values[:, [j]]) for j, named in enumerate(request.quantities)]
            known = [side for side in sides if side is not None]
            if len(known) == len(sides):
                closed.append((values, np.concatenate(known, axis=1)))
        x, y = ([parts_of(r.history, r.quantities[way]) for r in self.requests] for way in (0, 1))
        units = [q.unit for q in self.requests[0].quantities]
        label_axes(axes, *map(shared_name, (x, y), units))
        if all(
            one.kind is other.kind and one.unit == other.unit for one, other in (r.quantities for r in self.requests)
        ):
            fit(axes, drawn)
        unit = units[0] if units[0] == units[1] else ""
        draw_legend(axes, *with_references(axes, closed, handles, names_of(y) or names_of(x), unit), "below")


def draw_path(axes: Axes, points: np.ndarray, color: str, line: object):
    """A path (time, 2 or 3), its begin a small dot and its end a large one; the handle for a legend."""
    (drawn,) = axes.plot(*points.T, color=color, linestyle=line, linewidth=DENSE if len(points) > MOST else None)
    whole = points[~np.isnan(points).any(axis=1)]
    if len(whole):
        axes.plot(*whole[:1].T, "o", color=color, markersize=3.5)
        axes.plot(*whole[-1:].T, "o", color=color, markersize=7, markeredgecolor="white", markeredgewidth=0.8)
    return drawn


def with_references(
    axes: Axes,
    pairs: Sequence[tuple[np.ndarray, np.ndarray]],
    handles: list,
    names: list[str],
    unit: str,
    columns: Sequence[int] = (0, 1),
) -> tuple[list, list[str]]:
    """Draw the closed forms of some paths, (points, closed form), of which some columns are shown; handles and names
    for a legend with them. A closed form of only some of these columns has no points that could be drawn.
    """
    pairs = [(points, closed) for points, closed in pairs if np.isfinite(closed[:, columns]).all(axis=1).any()]
    if not pairs:
        return handles, names
    size = extents([points[:, columns] for points, _ in pairs])
    circles = [
        draw_reference(axes, [*closed[:, columns].T], INK, rows_along(closed[:, columns], size)) for _, closed in pairs
    ]
    points, closed = map(np.concatenate, zip(*pairs, strict=True))
    return [*handles[: len(names)], circles[0]], [*names, error_text(points, closed, unit)]


def rows_along(path: np.ndarray, size: np.ndarray) -> np.ndarray:
    """Rows of a path at about equal distances, APART of the extents of a picture, `size`; at most CIRCLES."""
    whole = np.flatnonzero(np.isfinite(path).all(axis=1))
    if not len(whole):
        return whole
    scale = np.maximum(size, size.max() / LONG) if size.max() > 0.0 else 1.0
    way = np.append(0.0, np.cumsum(np.linalg.norm(np.diff(path[whole], axis=0) / scale, axis=1)))
    count = 1 + min(CIRCLES - 1, round(way[-1] / APART))
    return whole[np.unique(np.searchsorted(way, np.linspace(0.0, way[-1], count)).clip(max=len(whole) - 1))]


def plane_of(paths: Sequence[np.ndarray]) -> str:
    """The axes of the plane of all paths, or of planes parallel to each other, `xy`; empty if there is none. Of
    straight paths those along which all of them together extend most, of points xy.
    """
    each, together = np.max([extents([path]) for path in paths], axis=0), extents(paths)
    flat = each <= FLAT * together.max()
    if not flat.any():
        return ""
    kept = sorted(range(3), key=lambda k: (flat[k], -together[k], k))[:2]
    return "".join(AXES[k] for k in sorted(kept))


def extents(paths: Sequence[np.ndarray]) -> np.ndarray:
    """The extent of all paths along each axis; zero for paths without points."""
    points = np.concatenate(paths)
    points = points[np.isfinite(points).all(axis=1)]
    return np.ptp(points, axis=0) if len(points) else np.zeros(points.shape[1])


def fit(axes: Axes, paths: Sequence[np.ndarray]) -> None:
    """Both axes to one scale, unless the paths are much longer than wide: then the title says that they are not."""
    size = extents(paths)
    if LONG * size.min() < size.max() < STRAIGHT * size.min():
        label_axes(axes, title=f"{axes.get_title()}, not to scale".removeprefix(", "))
    else:
        axes.set_aspect("equal", adjustable="datalim")


def shown_part(axes: Axes3D) -> float:
    """The part of its place that the box of axes in space takes, in the direction in which it is larger."""
    limits = axes.get_xlim3d(), axes.get_ylim3d(), axes.get_zlim3d()
    corners = np.array(list(product(*limits))).T
    across, up, _ = proj3d.proj_transform(*corners, axes.get_proj())
    return max(np.ptp(across) / axes.viewLim.width, np.ptp(up) / axes.viewLim.height)


def fit_in_space(axes: Axes3D, paths: Sequence[np.ndarray]) -> None:
    """Three axes to one scale, unless the paths are much longer than wide; no side is below 0.3 of the longest."""
    size = extents(paths)
    size = np.maximum(size, size.max() / STRAIGHT) if size.max() > 0.0 else np.ones(3)
    if size.max() > LONG * size.min():
        label_axes(axes, title=f"{axes.get_title()}, not to scale".removeprefix(", "))
        size = np.ones(3)
    shape = np.clip(size / size.max(), 0.3, 1.0)
    axes.set_box_aspect(shape)
    axes.set_box_aspect(shape, zoom=FILLED / shown_part(axes))
    axes.tick_params(pad=0, labelsize=7.5)
    for letter, part in zip(AXES, shape, strict=True):
        cast(Any, axes).locator_params(axis=letter, nbins=2 + round(3 * part))
        getattr(axes, f"{letter}axis").labelpad = 4 + 9 * (1 - shape.min())
