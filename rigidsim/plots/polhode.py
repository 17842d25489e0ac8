"""The polhode: the angular momentum of a body in its own axes, on the sphere of its size.

Without torque the tip stays on the sphere |L| = const and on the ellipsoid L_1^2/2I_1 + L_2^2/2I_2 + L_3^2/2I_3 = E, so
it runs along one of the curves in which such ellipsoids cut the sphere.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from matplotlib.axes import Axes

from rigidsim.analysis.colours import colour_of
from rigidsim.analysis.quantities import named, short_name
from rigidsim.errors import UsageError
from rigidsim.physics.inertia import principal_axes
from rigidsim.physics.quaternion import to_matrix
from rigidsim.plots.history import Request
from rigidsim.plots.style import FAINT, GREY, INK, label_axes, shortened
from rigidsim.trajectory.samples import lump_of

LEVELS = (0.12, 0.35, 0.65, 0.88)
"""Of the way from a separatrix to an axis: the energies of the curves that are drawn."""
EQUAL = 1e-6
"""Moments that differ by less, relative to the largest, are equal."""
PAPER = {"facecolor": "white", "alpha": 0.75, "edgecolor": "none", "pad": 1.0}
STEADY = 0.01
"""|L| varies if its extremes differ by more than this, relative to the largest."""


class PolhodePanel:
    """The sphere, seen so that the path is in front; what is behind is faint."""

    is_wide, projection, height = False, None, 4.2

    def __init__(self, request: Request):
        self.request, history = request, request.history
        lump = lump_of(history.trajectory, request.body)
        if lump.is_point:
            raise UsageError(f"{request.body}.polhode: a particle has no angular momentum of its own")
        moments, turn = principal_axes(lump.inertia)
        self.axes, self.moments = _ordered(np.array(moments), np.array(to_matrix(turn)).reshape(3, 3))
        _, values = history.read(named(history.trajectory, f"{request.body}.angular_momentum@body"))
        size = np.linalg.norm(values, axis=1)
        if not np.nanmax(size, initial=0.0) > 0.0:
            raise UsageError(f"{request.body}.polhode: its angular momentum is zero")
        self.size = float(np.nanmin(size)), float(np.nanmax(size))
        with np.errstate(invalid="ignore"):
            self.path = (values / size[:, np.newaxis]) @ self.axes

    def draw(self, axes: Axes, is_first: bool) -> None:
        """Draw outline, curves of constant energy, axes, and the path."""
        view = view_of(self.path)
        around = np.linspace(0.0, 2 * np.pi, 181)
        axes.fill(np.cos(around), np.sin(around), facecolor="#f6f6f4", edgecolor=GREY, linewidth=0.8, zorder=0)
        for curve in energy_curves(self.moments):
            _draw_on_sphere(axes, curve @ view, color=FAINT, linewidth=0.8)
        for curve in separatrices(self.moments):
            _draw_on_sphere(axes, curve @ view, color=GREY, linewidth=0.9, linestyle=(0, (4, 2)))
        self._draw_axes(axes, view)
        path = self.path @ view
        _draw_on_sphere(axes, path, color=colour_of(0), linewidth=1.9, zorder=3)
        for place, size in ((path[0], 4), (path[-1], 8)):
            axes.plot(*place[:2], "o", color=colour_of(0), markersize=size, markeredgecolor="white", zorder=4,
                      alpha=1.0 if place[2] >= 0 else 0.4)  # fmt: skip
        axes.set_aspect("equal")
        axes.set_axis_off()
        axes.set(xlim=(-1.45, 1.45), ylim=(-1.35, 1.3))
        low, high = self.size
        steady = high - low <= STEADY * high
        words = f"|L| = {high:.4g} N m s" if steady else f"direction of L; |L| = {low:.4g} to {high:.4g} N m s"
        label_axes(axes, title=f"polhode of {shortened(short_name(self.request.body))}, {words}")

    def _draw_axes(self, axes: Axes, view: np.ndarray) -> None:
        """The principal axes as far as they are outside the sphere, with their moments."""
        for k, name in enumerate(axis_names(self.axes)):
            tip = np.eye(3)[k] @ view
            for sign in (1.0, -1.0):
                end = sign * tip
                is_front = end[2] >= 0
                ends = np.array([end[:2], 1.25 * end[:2]])
                axes.plot(
                    *ends.T, color=INK, linewidth=1.0, zorder=2 if is_front else -1, alpha=1.0 if is_front else 0.5
                )
                if is_front:
                    axes.plot(*end[:2], "o", color=INK, markersize=2.5, zorder=2)
            sign = 1.0 if tip[2] >= -1e-9 else -1.0
            words, end = f"{'−' if sign < 0 else ''}{name}\n{self.moments[k]:.4g} kg m²", sign * tip[:2]
            away = end / max(np.hypot(*end), 0.3)
            axes.annotate(words, 1.25 * end, (22 * away[0], 14 * away[1]), textcoords="offset points", ha="center",
                          va="center", fontsize=8, color=INK, bbox=PAPER)  # fmt: skip


def _ordered(moments: np.ndarray, axes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Axes as columns, each along that of x, y, z to which it is nearest, right-handed; and the moments."""
    order = [-1, -1, -1]
    for _ in range(3):
        free = np.array(
            [[abs(axes[i, j]) if order[i] < 0 and j not in order else -1.0 for j in range(3)] for i in range(3)]
        )
        i, j = np.unravel_index(free.argmax(), free.shape)
        order[i] = int(j)
    columns = axes[:, order] * np.sign(np.diag(axes[:, order]) + 0.0)
    if np.linalg.det(columns) < 0.0:
        columns[:, 2] = -columns[:, 2]
    return columns, moments[order]


def axis_names(axes: np.ndarray) -> list[str]:
    """x, y, z for axes (columns) that are those of the body; else 1, 2, 3."""
    return list("xyz") if np.allclose(axes, np.eye(3), atol=1e-6) else list("123")


def view_of(path: np.ndarray) -> np.ndarray:
    """(3, 3) columns right, up and towards the viewer, who looks at where the path begins and is, from aside."""
    whole = path[np.isfinite(path).all(axis=1)]
    middle = whole.mean(axis=0) + whole[0] if len(whole) else np.zeros(3)
    signs = np.where(middle < -1e-3, -1.0, 1.0)
    away = signs * np.array([0.66, 0.52, 0.54])
    towards = away / np.linalg.norm(away)
    pole = np.array([0.0, 0.0, 1.0])
    up = pole - (pole @ towards) * towards
    up /= np.linalg.norm(up)
    return np.stack([np.cross(up, towards), up, towards], axis=1)


def energy_curves(moments: np.ndarray) -> Iterator[np.ndarray]:
    """Curves of constant energy on the unit sphere, (point, 3), about each axis of least and of greatest moment."""
    inverse = 1.0 / np.asarray(moments, dtype=float)
    low, middle, high = np.argsort(inverse)
    for pole, other in ((high, low), (low, high)):
        if abs(inverse[pole] - inverse[middle]) <= EQUAL * inverse.max():
            continue
        for part in LEVELS:
            level = inverse[middle] + part * (inverse[pole] - inverse[middle])
            yield from _level_curve(inverse, level, pole, (middle, other))


def separatrices(moments: np.ndarray) -> Iterator[np.ndarray]:
    """The two great circles through the axis of the middle moment, (point, 3); none if two moments are equal."""
    inverse = 1.0 / np.asarray(moments, dtype=float)
    low, middle, high = np.argsort(inverse)
    up, down = inverse[high] - inverse[middle], inverse[middle] - inverse[low]
    if min(up, down) <= EQUAL * inverse.max():
        return
    around = np.linspace(0.0, 2 * np.pi, 361)
    for sign in (1.0, -1.0):
        way = np.zeros(3)
        way[high], way[low] = np.sqrt(down / (up + down)), sign * np.sqrt(up / (up + down))
        yield np.cos(around)[:, np.newaxis] * np.eye(3)[middle] + np.sin(around)[:, np.newaxis] * way


def _level_curve(inverse: np.ndarray, level: float, pole: int, others: tuple[int, int]) -> Iterator[np.ndarray]:
    """Both curves sum_k u_k^2 inverse_k = level on the unit sphere about an axis: its poles are the extreme ones."""
    around = np.linspace(0.0, 2 * np.pi, 181)
    reach = inverse[pole] - level
    curve = np.zeros((len(around), 3))
    for k, wave in zip(others, (np.cos(around), np.sin(around)), strict=True):
        curve[:, k] = np.sqrt(reach / (inverse[pole] - inverse[k])) * wave
    rest = np.sqrt(np.maximum(0.0, 1.0 - np.sum(curve * curve, axis=1)))
    for sign in (1.0, -1.0):
        curve[:, pole] = sign * rest
        yield curve.copy()


def _draw_on_sphere(axes: Axes, curve: np.ndarray, **style):
    """A curve (point, 3) in the axes of the view; what is behind the sphere is faint."""
    front = curve[:, 2] >= 0.0
    behind = style | {"alpha": 0.25, "zorder": style.get("zorder", 1) - 0.5}
    axes.plot(*np.where(front[:, np.newaxis], np.nan, curve)[:, :2].T, **behind)
    return axes.plot(*np.where(front[:, np.newaxis], curve, np.nan)[:, :2].T, **style)[0]
