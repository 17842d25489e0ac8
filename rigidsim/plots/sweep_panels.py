"""The panels of a figure of a sweep: a metric over one varied number or two, and its Sobol indices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import fill
from typing import Any

import matplotlib
import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.collections import PolyCollection
from matplotlib.colors import LogNorm, Normalize
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from rigidsim.analysis.colours import colour_of
from rigidsim.plots.style import FAINT, GREY, INK, LINES, draw_legend, label_axes, shortened, with_unit
from rigidsim.plots.sweep_runs import Runs, SweepAxis, short_path
from rigidsim.report.wording import counted

MAP = "viridis"
FAILED, EMPTY = INK, "#f2f2f2"
MOST_LINES = 7
"""Lines that are distinguished by colours and dashes; more are coloured by the value of one number."""
MOST_DRAWN = 5000
"""Points that are drawn one by one in SVG and PDF; more become an image."""
MOST_MARKED = 60
"""Points of a line that have markers."""


@dataclass(frozen=True)
class Measured:
    """A number of each run, and what it is called."""

    name: str
    values: np.ndarray
    unit: str = ""

    @property
    def label(self) -> str:
        """The name of an axis."""
        return with_unit(shortened(self.name, 44), self.unit)


def draw_curves(axes: Axes, runs: Runs, measured: Measured, numbers: list[SweepAxis], is_log: bool) -> None:
    """A line for each combination of the other numbers, or points if these are samples or too many."""
    (x,) = numbers
    others = runs.others(numbers)
    groups = runs.groups(others) if runs.is_grid or not others else []
    label_axes(axes, y=measured.label)
    if is_log:
        axes.set_yscale("log", nonpositive="mask")
    handles: list[Artist] = []
    names: list[str] = []
    if groups and len(groups) <= MOST_LINES:
        drawn = [
            _line(axes, x, measured, rows, colour_of(k), LINES[k % len(LINES)]) for k, (_, rows) in enumerate(groups)
        ]
        handles, names = (drawn, [name for name, _ in groups]) if len(groups) > 1 else ([], [])
    elif groups and len(others) == 1:
        norm, colours = colour_scale(others[0])
        for value, (_, rows) in zip(others[0].levels.tolist(), groups, strict=True):
            _line(axes, x, measured, rows, colours(norm(value)), "-").set(marker="", linewidth=1.0)
        draw_colour_bar(axes, ScalarMappable(norm, MAP), others[0].label, others[0].words)
    else:
        size = 14.0 if len(x.values) < 500 else 6.0
        axes.scatter(
            x.values, measured.values, s=size, color=colour_of(0), alpha=0.55, linewidths=0,
            rasterized=len(x.values) > MOST_DRAWN,
        )  # fmt: skip
    x.set_axis(axes, "x")
    failed, absent = _mark_failed(axes, runs, x), _note_absent(runs, measured)
    draw_legend(axes, [*handles, *failed[0], *absent[0]], [*names, *failed[1], *absent[1]], "above")


def _line(axes: Axes, x: SweepAxis, measured: Measured, rows: np.ndarray, color: Any, dashes: Any):
    rows = rows[np.argsort(x.values[rows], kind="stable")]
    style = "" if x.words else dashes
    marker = "o" if len(rows) <= MOST_MARKED or x.words else ""
    (drawn,) = axes.plot(
        x.values[rows], measured.values[rows], linestyle=style, marker=marker, markersize=3.5, color=color
    )
    return drawn


def colour_scale(number: SweepAxis) -> tuple[Normalize, Any]:
    """The scale of colours for the values of a number, and the map."""
    low, high = float(number.levels[0]), float(number.levels[-1])
    return (LogNorm if number.is_log else Normalize)(low, high), matplotlib.colormaps[MAP]


def draw_colour_bar(axes: Axes, drawn: ScalarMappable, label: str, words: Sequence[str] = ()) -> None:
    """The colours of values, beside the axes; of places among words, with these."""
    bar = axes.figure.colorbar(drawn, ax=axes, pad=0.02)
    bar.ax.yaxis.set_label_text(label, parse_math=False)
    bar.outline.set_visible(False)
    if words:
        bar.set_ticks(range(len(words)), labels=[shortened(word, 18) for word in words])


def _mark_failed(axes: Axes, runs: Runs, x: SweepAxis) -> tuple[list, list[str]]:
    """Crosses on the lower edge at the values of runs that failed; for the legend."""
    values = np.unique(x.values[runs.is_failed])
    if not len(values):
        return [], []
    (drawn,) = axes.plot(
        values, np.full(len(values), 0.0), "x", color=FAILED, markersize=6, markeredgewidth=1.6, clip_on=False,
        transform=axes.get_xaxis_transform(), zorder=5,
    )  # fmt: skip
    return [drawn], [runs.failures]


def _note_absent(runs: Runs, measured: Measured) -> tuple[list, list[str]]:
    """A line of the legend without a mark: how many runs have no value though they did not fail."""
    count = int((~np.isfinite(measured.values) & ~runs.is_failed).sum())
    return ([Line2D([], [], linestyle="")], [f"{counted(count, 'run')} without a value"]) if count else ([], [])


def draw_map(axes: Axes, runs: Runs, measured: Measured, numbers: list[SweepAxis], is_log: bool) -> None:
    """The metric in colours over two numbers; the mean over the others. Without a grid, coloured points."""
    x, y = numbers
    x.set_axis(axes, "x")
    y.set_axis(axes, "y")
    if not runs.is_grid:
        _draw_points(axes, runs, measured, x, y, is_log)
        return
    cells = _Cells(runs, measured, x, y)
    axes.set_facecolor(EMPTY)
    axes.grid(False)
    image = np.ma.masked_invalid(cells.means)
    drawn = axes.pcolormesh(x.edges(), y.edges(), image, cmap=MAP, norm=_norm(cells.means, is_log), rasterized=True)
    _hatch(axes, x, y, cells.failed)
    others = ", ".join(shortened(other.short) for other in runs.others(numbers))
    draw_colour_bar(axes, drawn, measured.label + (f", mean over {others}" if others else ""))
    handles, names = [], []
    if cells.failed.any():
        handles.append(Patch(facecolor="white", edgecolor=FAILED, hatch="////", linewidth=0.0))
        names.append(runs.failures)
    if cells.missing.any():
        handles.append(Patch(facecolor=EMPTY, edgecolor=FAINT))
        names.append("no value")
    draw_legend(axes, handles, names, "above")


class _Cells:
    """The means of a metric over the runs of each combination of two numbers, (y, x); which of these failed, and which
    have no value for another reason.
    """

    def __init__(self, runs: Runs, measured: Measured, x: SweepAxis, y: SweepAxis):
        shape = len(y.levels), len(x.levels)
        place, size = y.places * shape[1] + x.places, shape[0] * shape[1]
        good = np.isfinite(measured.values)
        count = np.bincount(place[good], minlength=size)
        total = np.bincount(place[good], measured.values[good], size)
        means = np.divide(total, count, out=np.full(size, np.nan), where=count > 0)
        failed = np.bincount(place[runs.is_failed], minlength=size) > 0
        self.means = means.reshape(shape)
        self.failed = (failed & (count == 0)).reshape(shape)
        self.missing = (~failed & (count == 0)).reshape(shape)


def _norm(values: np.ndarray, is_log: bool) -> Normalize | None:
    """The scale of the colours; linear without a positive value."""
    positive = values[np.isfinite(values) & (values > 0.0)]
    return LogNorm(positive.min(), positive.max()) if is_log and len(positive) else None


def _hatch(axes: Axes, x: SweepAxis, y: SweepAxis, cells: np.ndarray) -> None:
    across, up = x.edges(), y.edges()
    corners = [
        [(across[i], up[j]), (across[i + 1], up[j]), (across[i + 1], up[j + 1]), (across[i], up[j + 1])]
        for j, i in np.argwhere(cells).tolist()
    ]
    axes.add_collection(
        PolyCollection(corners, facecolor="white", edgecolor=FAILED, hatch="////", linewidth=0.0), autolim=False
    )


def _draw_points(axes: Axes, runs: Runs, measured: Measured, x: SweepAxis, y: SweepAxis, is_log: bool) -> None:
    good = np.isfinite(measured.values)
    size = 22.0 if len(good) < 500 else 9.0
    drawn = axes.scatter(
        x.values[good], y.values[good], c=measured.values[good], s=size, cmap=MAP,
        norm=_norm(measured.values, is_log), linewidths=0, rasterized=len(good) > MOST_DRAWN,
    )  # fmt: skip
    draw_colour_bar(axes, drawn, measured.label)
    handles, names = _note_absent(runs, measured)
    if runs.is_failed.any():
        (cross,) = axes.plot(x.values[runs.is_failed], y.values[runs.is_failed], "x", color=FAILED, markersize=5)
        handles, names = [cross, *handles], [runs.failures, *names]
    draw_legend(axes, handles, names, "above")


def draw_indices(axes: Axes, indices: Any, metric: str) -> None:
    """First-order and total Sobol indices of a metric as bars, with their 95 % bounds."""
    label_axes(axes, x=f"part of the variance of {shortened(metric)}")
    axes.set_axisbelow(True)
    count = len(indices.names)
    places = np.arange(count)[::-1].astype(float)
    handles = []
    for kind, shift, color, hatch in (("first", 0.19, colour_of(0), ""), ("total", -0.19, colour_of(4), "//")):
        value, low, high = (getattr(indices, kind + end) for end in ("", "_low", "_high"))
        known = np.nan_to_num(value)
        bars = axes.barh(places + shift, known, 0.36, color=color, hatch=hatch, edgecolor="white", linewidth=0.5)
        ends = np.nan_to_num(np.stack([value - low, high - value])).clip(0.0)
        axes.errorbar(known, places + shift, xerr=ends, fmt="none", ecolor=INK, elinewidth=1.1, capsize=3)
        handles.append(bars[0])
    axes.set_yticks(places, [shortened(short_path(name)) for name in indices.names])
    for tick in axes.get_yticklabels():
        tick.set_parse_math(False)
    axes.grid(False, axis="y")
    axes.axvline(0.0, color=GREY, linewidth=0.8)
    axes.set_xlim(min(0.0, float(np.nan_to_num(indices.first_low).min())) - 0.02, max(1.02, axes.get_xlim()[1]))
    draw_legend(axes, handles, ["first order", "total, with 95 % bounds"], "above")
    if indices.remark:
        label_axes(axes, x=f"{axes.get_xlabel()}\n{fill(indices.remark, 70)}")
