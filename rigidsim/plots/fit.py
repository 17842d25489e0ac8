"""The picture of a fit: measurements and the fitted run, and residuals below, with the impacts marked."""

from __future__ import annotations

import textwrap

import numpy as np
from matplotlib.axes import Axes

from rigidsim.analysis.colours import colour_of
from rigidsim.analysis.quantities import named
from rigidsim.fitting.estimate import Fit
from rigidsim.fitting.residuals import Compared
from rigidsim.plots.history import PlottedHistory
from rigidsim.plots.marks import draw_marks
from rigidsim.plots.style import INK, Picture, draw_legend, label_axes, styled, with_unit

WIDTH, HEIGHT = 8.0, 3.6


def fit_figure(fit: Fit) -> Picture:
    """A matplotlib Figure of a fit: each measured quantity with the fitted run, and its residuals over their standard
    deviations, with the impacts and other events of the run.
    """
    rows = [(k, i) for k, each in enumerate(fit.experiments) for i in range(len(each.measured))]
    with styled():
        figure = Picture(figsize=(WIDTH, HEIGHT * len(rows)), layout="constrained")
        axes = figure.subplots(2 * len(rows), 1, sharex=False, height_ratios=[2, 1] * len(rows), squeeze=False)[:, 0]
        for (k, i), above, below in zip(rows, axes[::2], axes[1::2], strict=True):
            _draw(fit, k, i, above, below)
        figure.finish(fit.scene.title)
    return figure


def _draw(fit: Fit, k: int, i: int, above: Axes, below: Axes) -> None:
    run, each = fit.trajectories[k], fit.experiments[k]
    one, sigma = each.measured[i], fit.sigmas[k][i]
    wanted = named(run, one.quantity)
    time = one.time + _offset(fit, k)
    (points,) = above.plot(time, one.values, ".", color=colour_of(1), markersize=3)
    (line,) = above.plot(run.time, wanted.of(), color=colour_of(0), linewidth=1.0)
    label_axes(above, y=textwrap.fill(with_unit(one.quantity, wanted.unit), 26), title=_title(fit, each))
    below.plot(time, fit.readings[k][i].residuals / sigma, ".", color=colour_of(1), markersize=3)
    below.axhline(0.0, color=INK, linewidth=0.8)
    label_axes(below, x="time, s", y="residual / sigma")
    marks: dict = {}
    for axes in (above, below):
        axes.set_xlim(float(np.min(time)), float(np.max(time)))
        marks = draw_marks(axes, PlottedHistory(run, 0, "", slice(None)), {wanted.body} - {""}, False)
    draw_legend(above, [points, line, *marks.values()], ["measured", "fitted run", *marks])


def _title(fit: Fit, each: Compared) -> str:
    return each.label if len(fit.experiments) > 1 else ""


def _offset(fit: Fit, k: int) -> float:
    """What is added to the times of the data of an experiment, s."""
    own = {one.name: fit.values[one.label] for one in fit.unknowns if one.experiment == k}
    return fit.experiments[k].split(own | {n: 0.0 for n in fit.experiments[k].names if n not in own})[1]
