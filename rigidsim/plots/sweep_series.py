"""Quantities of bodies in the runs of a sweep: over time, where samples were recorded, or at the end of each run."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.lines import Line2D

from rigidsim.errors import UsageError
from rigidsim.hindsight.colours import colour_of
from rigidsim.hindsight.quantities import NamedQuantity, Quantity, named
from rigidsim.plots.style import LINES, draw_legend, label_axes, shortened, with_unit
from rigidsim.plots.sweep_panels import FAILED, MOST_LINES, Measured, colour_scale, draw_colour_bar
from rigidsim.plots.sweep_runs import Runs, VariedNumber
from rigidsim.scene.values.quantity_names import BODY, PARENT, WORLD
from rigidsim.trajectory.trajectory import Trajectory

MOST_RUNS = 200
"""Runs that are drawn over each other; of more, so many of them, evenly spaced."""
OF_MASSES = ("kinetic_energy", "linear_momentum", "angular_momentum")
"""The quantities of a body that depend on its mass, which may differ from run to run."""


def last_values(runs: Runs, name: str) -> list[Measured]:
    """The components of a quantity in the last states of all runs. Raises UsageError for one that depends on more than
    these states.
    """
    found = _last_states(runs)
    wanted = named(found, name)
    is_of_motion = wanted.frame in (WORLD, PARENT, BODY) and not wanted.name.partition("@")[0].endswith(OF_MASSES)
    if wanted.kind is None or (wanted.body and not is_of_motion):
        hint = "define a metric: --metric last=\"= final(speed('ball', 'table'))\""
        raise UsageError(f"{name} of last states cannot be drawn, only motion in the world and in the parent; {hint}")
    values = wanted.of()
    return [
        Measured(f"last {label}", np.where(runs.is_failed, np.nan, column), values.unit)
        for label, column in _columns(values)
    ]


def _last_states(runs: Runs) -> Trajectory:
    """The last states of all runs in place of samples; all at the latest time, when the tree is that of the end."""
    sweep, first = runs.sweep, runs.sweep[int(runs.sweep.numbers[0])]
    time = np.full(len(sweep), float(np.max(sweep.runs["end_time"])))
    return Trajectory(first.header, {"time": time, **{name: sweep.array(name) for name in sweep.datasets}})


def _columns(found: Quantity) -> list[tuple[str, np.ndarray]]:
    """Name and values of each component."""
    if not found.components:
        return [(found.label, found.values)]
    return [(f"{found.label} {name}", found.values[:, k]) for k, name in enumerate(found.components)]


def series_panels(runs: Runs, name: str, over: list[VariedNumber], is_log: bool) -> list[Callable[[Axes], None]]:
    """A panel for each component of a quantity: it over time in each run, coloured by a varied number."""
    if len(over) > 1:
        raise UsageError(f"{name} is drawn over time, and coloured by one varied number; name one with --over")
    number = over[0] if over else _most_varied(runs)
    chosen = _chosen(len(runs.sweep))
    curves = [_curve(runs, place, name) for place in chosen.tolist()]
    first = curves[0]
    return [
        lambda axes, k=k: _draw(axes, runs, chosen, [(time, found[k][1]) for time, found, _ in curves], first, k, number, is_log)
        for k in range(len(first[1]))
    ]  # fmt: skip


def _most_varied(runs: Runs) -> VariedNumber:
    numbers = runs.varied or list(runs.numbers.values())
    if not numbers:
        raise UsageError("the sweep varied nothing")
    return max(numbers, key=lambda number: (not number.words, len(number.levels)))


def _chosen(count: int) -> np.ndarray:
    """The places of the runs that are drawn."""
    return np.unique(np.linspace(0, count - 1, min(count, MOST_RUNS)).round().astype(int))


def _curve(runs: Runs, place: int, name: str) -> tuple[np.ndarray, list[tuple[str, np.ndarray]], str]:
    """Times, components and unit of a quantity of one run."""
    trajectory = runs.sweep[int(runs.sweep.numbers[place])]
    wanted: NamedQuantity = named(trajectory, name)
    found = wanted.of()
    return np.asarray(trajectory.time), _columns(found), found.unit


def _draw(
    axes: Axes, runs: Runs, chosen: np.ndarray, curves: list, first: tuple, k: int, number: VariedNumber, is_log: bool
) -> None:
    is_few = len(number.levels) <= MOST_LINES
    norm, colours = colour_scale(number)
    values = number.values[chosen]
    colors = [
        colour_of(place) if is_few else colours(norm(value))
        for place, value in zip(number.places[chosen], values, strict=True)
    ]
    dashes = [LINES[place % len(LINES)] if is_few else "-" for place in number.places[chosen].tolist()]
    width = 1.2 if len(chosen) < 30 else 0.8
    lines = [np.column_stack(curve) for curve in curves]
    axes.add_collection(LineCollection(lines, colors=colors, linestyles=dashes, linewidths=width))
    axes.autoscale_view()
    if is_log:
        axes.set_yscale("log", nonpositive="mask")
    label_axes(axes, x="time, s", y=with_unit(shortened(first[1][k][0], 44), first[2]), title=_left_out(runs, chosen))
    handles, names = [], []
    if is_few:
        handles = [
            Line2D([], [], color=colour_of(j), linestyle=LINES[j % len(LINES)]) for j in range(len(number.levels))
        ]
        names = [number.text(level) for level in number.levels.tolist()] if len(number.levels) > 1 else []
    else:
        draw_colour_bar(axes, number, norm)
    ends = [line[-1] for line, place in zip(lines, chosen, strict=True) if runs.is_failed[place] and len(line)]
    if ends:
        handles += axes.plot(*np.array(ends).T, "x", color=FAILED, markersize=5, markeredgewidth=1.4, zorder=5)
        names.append("failed")
    draw_legend(axes, handles[: len(names)] if len(handles) == len(names) else handles[-1:], names, "above")


def _left_out(runs: Runs, chosen: np.ndarray) -> str:
    return "" if len(chosen) == len(runs.sweep) else f"{len(chosen)} of {len(runs.sweep):,} runs"
