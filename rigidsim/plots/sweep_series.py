"""Quantities of bodies in the runs of a sweep: over time, where samples were recorded, or at the end of each run."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.collections import LineCollection
from matplotlib.lines import Line2D

from rigidsim.analysis.colours import colour_of
from rigidsim.analysis.quantities import NamedQuantity, named
from rigidsim.errors import UsageError
from rigidsim.plots.style import LINES, draw_legend, label_axes, shortened, with_unit
from rigidsim.plots.sweep_panels import FAILED, MAP, MOST_LINES, Measured, colour_scale, draw_colour_bar
from rigidsim.plots.sweep_runs import Runs, SweepAxis
from rigidsim.quantities.vocabulary import BODY, PARENT
from rigidsim.trajectory.trajectory import Trajectory
from rigidsim.tree.nodes import WORLD

MOST_RUNS = 200
"""Runs that are drawn over each other; of more, so many of them, evenly spaced."""
FEW = 30
"""Runs whose lines are not thinner than those of a single one."""
OF_MASSES = ("kinetic_energy", "linear_momentum", "angular_momentum")
"""The quantities of a body that depend on its mass, which may differ from run to run."""


def last_values(runs: Runs, name: str) -> list[Measured]:
    """The components of a quantity in the last states of all runs. Raises UsageError for one that depends on more than
    these states.
    """
    wanted = named(_last_states(runs), name)
    is_of_motion = wanted.frame in (WORLD, PARENT, BODY) and not wanted.name.partition("@")[0].endswith(OF_MASSES)
    if wanted.kind is None or (wanted.body and not is_of_motion):
        hint = "define a metric: --metric last=\"= final(speed('ball', 'table'))\""
        raise UsageError(f"{name} of last states cannot be drawn, only motion in the world and in the parent; {hint}")
    return [
        Measured(f"last {label}", np.where(runs.is_failed, np.nan, column), wanted.unit)
        for label, column in _columns(wanted)
    ]


def _last_states(runs: Runs) -> Trajectory:
    """The last states of all runs in place of samples; all at the latest time, when the tree is that of the end."""
    sweep, (first, *_) = runs.sweep, _readable(runs)
    time = np.full(len(sweep), float(np.max(sweep.runs["end_time"])))
    arrays = {name: sweep.array(name) for name in sweep.datasets}
    return Trajectory(sweep[int(sweep.numbers[first])].header, {"time": time, **arrays})


def _readable(runs: Runs) -> np.ndarray:
    """The places of the runs that began. Raises UsageError if there are none."""
    places = np.flatnonzero(np.isin(runs.sweep.runs["status"], ("complete", "failed")))
    if not len(places):
        raise UsageError(f"none of the {len(runs.sweep):,} runs began; `rigidsim inspect {runs.sweep.path}` says why")
    return places


def _columns(one: NamedQuantity) -> list[tuple[str, np.ndarray]]:
    """Name and values of each component."""
    values, labels = one.of(), [f"{one.label} {name}" for name in one.components] or [one.label]
    return list(zip(labels, values.reshape(len(values), -1).T, strict=True))


@dataclass(frozen=True)
class RunCurves:
    """One component of a quantity over time in some runs: for each, (time, value) and whether it failed."""

    label: str
    curves: list[np.ndarray]
    is_failed: np.ndarray
    number: SweepAxis  # gives the colours; `values` are its values in these runs
    values: np.ndarray
    note: str

    def draw(self, axes: Axes, is_log: bool) -> None:
        """Draw a line for each run, with a legend or a bar of colours."""
        norm, colours = colour_scale(self.number)
        is_few = len(self.number.levels) <= MOST_LINES
        places = np.searchsorted(self.number.levels, self.values).tolist()
        looks = [(colour_of(k), LINES[k % len(LINES)]) for k in places] if is_few else []
        looks = looks or [(colours(norm(value)), "-") for value in self.values.tolist()]
        colors, dashes = map(list, zip(*looks, strict=True))
        width = 1.2 if len(self.curves) < FEW else 0.8
        axes.add_collection(LineCollection(self.curves, colors=colors, linestyles=dashes, linewidths=width))
        axes.autoscale_view()
        if is_log:
            axes.set_yscale("log", nonpositive="mask")
        label_axes(axes, x="time, s", y=self.label, title=self.note)
        levels = self.number.levels.tolist() if is_few and len(self.number.levels) > 1 else []
        handles = [Line2D([], [], color=colour_of(k), linestyle=LINES[k % len(LINES)]) for k in range(len(levels))]
        names = [self.number.text(level) for level in levels]
        if not is_few:
            draw_colour_bar(axes, ScalarMappable(norm, MAP), self.number.label, self.number.words)
        cut = [
            curve[np.isfinite(curve[:, 1])] for curve, failed in zip(self.curves, self.is_failed, strict=True) if failed
        ]
        ends = [curve[-1] for curve in cut if len(curve)]
        if ends:
            handles += axes.plot(*np.array(ends).T, "x", color=FAILED, markersize=5, markeredgewidth=1.4, zorder=5)
            names.append("failed")
        draw_legend(axes, handles, names, "above")


def series_of(runs: Runs, name: str, over: list[SweepAxis]) -> list[RunCurves]:
    """The components of a quantity over time, coloured by a varied number. Raises UsageError."""
    if len(over) > 1:
        raise UsageError(f"{name} is drawn over time, and coloured by one varied number; name one with --over")
    number, places = over[0] if over else _most_varied(runs), _readable(runs)
    chosen = places[np.unique(np.linspace(0, len(places) - 1, min(len(places), MOST_RUNS)).round().astype(int))]
    note = "" if len(chosen) == len(runs.sweep) else f"{len(chosen)} of {len(runs.sweep):,} runs"
    found = []
    for place in chosen.tolist():
        trajectory = runs.sweep[int(runs.sweep.numbers[place])]
        read = named(trajectory, name)
        labels, columns = zip(*_columns(read), strict=True)
        found.append([np.column_stack([trajectory.time, values]) for values in columns])
    return [
        RunCurves(
            with_unit(shortened(label, 44), read.unit),
            list(curves),
            runs.is_failed[chosen],
            number,
            number.values[chosen],
            note,
        )
        for label, curves in zip(labels, zip(*found, strict=True), strict=True)
    ]


def _most_varied(runs: Runs) -> SweepAxis:
    numbers = runs.varied or list(runs.numbers.values())
    if not numbers:
        raise UsageError("the sweep varied nothing")
    return max(numbers, key=lambda number: (not number.words, len(number.levels)))
