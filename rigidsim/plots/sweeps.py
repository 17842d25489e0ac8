"""Figures of sweeps: metrics over the varied numbers, Sobol indices, runs over time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from rigidsim.arguments import clipped
from rigidsim.errors import UsageError, did_you_mean
from rigidsim.plots.style import Picture, named_legend, styled
from rigidsim.plots.sweep_panels import MOST_LINES, Measured, draw_curves, draw_indices, draw_map
from rigidsim.plots.sweep_runs import Runs, SweepAxis
from rigidsim.plots.sweep_series import last_values, series_of

WIDTH, HEIGHT, BESIDE = 6.4, 4.4, 4.6
"""Width and height, inches, of a single panel; width of one of several."""
MOST_METRICS, MOST_NUMBERS, LEAST_MAP = 6, 4, 4
"""Shown without being asked for; a map has at least so many values in each direction."""
Panel = Callable[[Axes], None]


def sweep_figure(
    sweep: Any,
    names: Sequence[str] = (),
    over: Sequence[str] = (),
    *,
    title: str = "",
    size: tuple[float, float] | None = None,
    is_log: bool = False,
) -> Picture:
    """A figure of metrics of a sweep over one varied number, or two, or of quantities over time, `ball.speed`, if
    samples were recorded; by default of all metrics over all varied numbers. `size` is width and height, inches;
    `is_log` makes the axis of the values logarithmic.

    Raises UsageError for an unknown name, and if there is nothing to draw.
    """
    runs = Runs(sweep)
    shown = [runs.number(name) for name in over]
    if len(shown) > 2 or len(set(map(id, shown))) < len(shown):
        raise UsageError("--over: name one varied number or two different ones")
    with styled():
        panels = _panels(runs, names, shown, is_log)
        return _arranged(panels, title, size)


def _panels(runs: Runs, names: Sequence[str], over: list[SweepAxis], is_log: bool) -> list[list[Panel]]:
    """The panels, row by row."""
    if not names and not runs.sweep.metrics:
        names = _defaults(runs)
    wanted = names or [*runs.sweep.metrics][:MOST_METRICS]
    rows: list[list[Panel]] = []
    for name in wanted:
        if name in runs.sweep.metrics:
            unit = runs.sweep.metric_units.get(name, "")
            measured = Measured(name, np.where(runs.is_failed, np.nan, runs.sweep.metrics[name]), unit)
            rows.append(_of_measured(runs, measured, over, is_log))
        elif runs.sweep.time is not None:
            rows += [[partial(curves.draw, is_log=is_log)] for curves in series_of(runs, name, over)]
        elif runs.sweep.datasets:
            rows += [_of_measured(runs, measured, over, is_log) for measured in last_values(runs, name)]
        else:
            known = [*runs.sweep.metrics]
            hint = did_you_mean(name, known, f"there are: {', '.join(known)}")
            raise UsageError(f"the sweep has no metric {clipped(name)}; {hint}")
    return rows


def _of_measured(runs: Runs, measured: Measured, over: list[SweepAxis], is_log: bool) -> list[Panel]:
    """The panels of a number of each run, over these varied numbers or as fits the plan."""
    if not np.isfinite(measured.values).any():
        raise UsageError(f"{measured.name} has a finite value in none of the {len(runs.sweep):,} runs")
    if not over and runs.has_indices and measured.name in runs.sweep.metrics:
        return [partial(draw_indices, indices=runs.indices[measured.name], metric=measured.name)]
    found: list[Panel] = []
    for numbers in [over] if over else _shown(runs):
        draw = draw_map if len(numbers) == 2 else draw_curves
        found.append(partial(draw, runs=runs, measured=measured, numbers=numbers, is_log=is_log))
    return found


def _shown(runs: Runs) -> list[list[SweepAxis]]:
    """The varied numbers over which a metric is shown if none is named: a map of two with many values each, else curves
    over the one with the most values; over each number if others vary with it.
    """
    varied = runs.varied or list(runs.numbers.values())
    if not varied:
        raise UsageError("the sweep varied nothing")
    most = sorted(varied, key=lambda number: (bool(number.words), -len(number.levels)))
    if runs.is_grid and len(varied) == 2 and not (varied[0].words or varied[1].words):
        if len(most[1].levels) >= LEAST_MAP and len(runs.sweep) > LEAST_MAP**2:
            return [[most[0], most[1]]]
        return [[most[0]]]
    rest = int(np.prod([len(number.levels) for number in most[1:]], dtype=object))
    if runs.is_grid and rest <= MOST_LINES:
        return [[most[0]]]
    return [[number] for number in varied[:MOST_NUMBERS]]


def _defaults(runs: Runs) -> list[str]:
    """What is shown of a sweep without metrics: the speeds of the first bodies."""
    if not runs.sweep.datasets:
        raise UsageError(f"{runs.sweep.path} has neither metrics nor states to draw")
    return [f"{path}.speed" for path in runs.sweep.paths[:2]]


def _arranged(rows: list[list[Panel]], title: str, size: tuple[float, float] | None) -> Picture:
    """Rows of panels; rows with a single panel are put side by side."""
    if all(len(row) == 1 for row in rows) and len(rows) > 1:
        panels = [row[0] for row in rows]
        rows = [panels[k : k + 2] for k in range(0, len(panels), 2)]
    columns = max(map(len, rows))
    width, height = (WIDTH, HEIGHT) if columns == 1 else (BESIDE * columns, 0.84 * HEIGHT * len(rows))
    figure = Picture(figsize=size or (width, height), layout="constrained")
    grid = figure.add_gridspec(len(rows), columns)
    drawn = []
    for k, row in enumerate(rows):
        for column, draw in enumerate(row):
            drawn.append(figure.add_subplot(grid[k, column]))
            draw(drawn[-1])
    _share_legend(figure, drawn)
    figure.finish(title)
    return figure


def _share_legend(figure: Picture, drawn: Sequence[Axes]) -> None:
    """One legend above all panels in place of one for each, if these are the same."""
    legends = [axes.get_legend() for axes in drawn]
    found = [legend for legend in legends if legend is not None]
    if len(drawn) < 2 or len(found) < len(legends):
        return
    names = [[text.get_text() for text in legend.get_texts()] for legend in found]
    if any(other != names[0] for other in names):
        return
    named_legend(figure, found[0].legend_handles, names[0], loc="outside upper left", ncols=5)
    for legend in found:
        legend.remove()
