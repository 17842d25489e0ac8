"""From what is asked for to a figure: panels, their arrangement, their drawing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.gridspec import GridSpec

from rigidsim.analysis.quantities import named
from rigidsim.arguments import numbers, refuse
from rigidsim.errors import UsageError
from rigidsim.plots.history import PlottedHistory, Request
from rigidsim.plots.impacts import ImpactsPanel
from rigidsim.plots.overview import overview, overview_title
from rigidsim.plots.paths import PathPanel, PhasePanel
from rigidsim.plots.polhode import PolhodePanel
from rigidsim.plots.requests import ENERGY, IMPACTS, PATH, PHASE, POLHODE, SERIES, STATES, RequestReader
from rigidsim.plots.series import SeriesPanel
from rigidsim.plots.states import StatesPanel
from rigidsim.plots.style import Picture, label_axes, styled
from rigidsim.plots.terms import TERM_KINDS, terms_panels
from rigidsim.trajectory.trajectory import Trajectory
from rigidsim.trajectory.windows import samples_between

WIDTH, SINGLE, BESIDE = 8.0, 3.2, 4.2
"""Widths and heights, inches: of a figure with a time axis, of its only panel, of a panel that has others beside it."""
MOST_BESIDE = 3
LEAST_INCHES, MOST_INCHES = 0.5, 100.0
PLANES = ("xy", "yx", "xz", "zx", "yz", "zy")
ENERGIES = ("kinetic_energy", "potential_energy", "work")


@dataclass(frozen=True)
class Look:
    """How a figure is drawn: title; width and height, inches; the plane of paths; logarithmic; each quantity apart;
    angles in degrees.
    """

    title: str = ""
    size: tuple[float, float] | None = None
    plane: str = ""
    is_log: bool = False
    is_separate: bool = False
    degrees: bool = False


def figure_of(
    trajectories: Sequence[tuple[str, Trajectory]],
    quantities: Sequence[str] = (),
    paths: Sequence[str] = (),
    *,
    frames: Sequence[str] = (),
    begin: float | None = None,
    end: float | None = None,
    look: Look | None = None,
) -> Picture:
    """A figure of quantities of one or several named trajectories, from one time (s) to another; an overview if none is
    named. `paths` are bodies, with a frame or without. Raises UsageError, NotRecordedError.
    """
    look = look or Look()
    if not (quantities or paths) and not look.title and len(trajectories) == 1:
        look = replace(look, title=overview_title(trajectories[0][1]))
    if look.plane and look.plane not in PLANES:
        raise UsageError(f"the plane must be one of {', '.join(PLANES)}, got {look.plane!r}")
    if look.size is not None:
        sides = numbers(look.size, "the size")
        if sides.shape != (2,) or not np.all((sides >= LEAST_INCHES) & (sides <= MOST_INCHES)):
            refuse("the size", f"width and height, from {LEAST_INCHES:g} to {MOST_INCHES:g} inches", look.size)
    several = len(trajectories) > 1
    histories = [
        PlottedHistory(trajectory, number, name if several else "", samples_between(trajectory, begin, end))
        for number, (name, trajectory) in enumerate(trajectories)
    ]
    wanted = []
    for history in histories:
        asked = quantities, paths
        if not (quantities or paths):
            asked = overview(history.trajectory), ()
        reader = RequestReader(history, frames, look.degrees)
        wanted += [one for written in asked[0] for one in reader.requests(written)]
        wanted += [one for written in asked[1] for one in reader.path(written)]
    with styled():
        return _drawn(panels_of(wanted, look), look)


def panels_of(requests: Iterable[Request], look: Look) -> list[Any]:
    """The panels in the order in which they are asked for; what belongs together is in one."""
    groups: dict[tuple, list[Request]] = {}
    for request in requests:
        key = request.kind, PANELS[request.kind][0](request)
        apart = (len(groups),) if look.is_separate and request.kind == SERIES and key not in groups else ()
        groups.setdefault(key + apart, []).append(request)
    return [panel for (kind, *_), group in groups.items() for panel in PANELS[kind][1](group, look)]


def energy_panels(histories: Sequence[PlottedHistory], is_log: bool = False) -> list[SeriesPanel]:
    """The energies and the work in one panel, the drift of their balance in another."""
    energies = [(history, named(history.trajectory, name)) for history in histories for name in ENERGIES]
    drift = [(history, named(history.trajectory, "energy_drift")) for history in histories]
    return [SeriesPanel(energies, note="energy, J"), SeriesPanel(drift, is_log)]


def _of_one(request: Request) -> tuple:
    return request.body, request.history.number


PANELS: dict[str, tuple[Callable[[Request], Any], Callable[[list[Request], Look], Iterable[Any]]]] = {
    SERIES: (
        lambda request: request.quantities[0].unit,
        lambda group, look: [SeriesPanel([(one.history, one.quantities[0]) for one in group], look.is_log)],
    ),
    PHASE: (lambda request: tuple((q.words, q.unit) for q in request.quantities), lambda group, _: [PhasePanel(group)]),
    PATH: (lambda request: request.frame, lambda group, look: [PathPanel(group, look.plane)]),
    ENERGY: (lambda _: "", lambda group, look: energy_panels([one.history for one in group], look.is_log)),
    IMPACTS: (_of_one, lambda group, look: [ImpactsPanel(group[0], look.is_log)]),
    STATES: (_of_one, lambda group, _: [StatesPanel(group[0])]),
    POLHODE: (_of_one, lambda group, _: [PolhodePanel(group[0])]),
    **dict.fromkeys(TERM_KINDS, (_of_one, lambda group, _: terms_panels(group[0]))),
}
"""For each kind of request what those of one panel have in common, and the panels of such a group."""


def _drawn(panels: list[Any], look: Look) -> Picture:
    """Pictures side by side above, curves over time below each other on one time axis."""
    pictures, wide = [p for p in panels if not p.is_wide], [p for p in panels if p.is_wide]
    columns = min(len(pictures), MOST_BESIDE) or 1
    rows = [pictures[k : k + columns] for k in range(0, len(pictures), columns)]
    above = sum(max(p.height for p in row) for row in rows)
    below = sum(SINGLE if len(panels) == 1 else p.height for p in wide) + 0.4 * bool(wide)
    width = max(WIDTH * bool(wide), BESIDE * columns + 0.6 * (columns == 1))
    title = 0.3 * bool(look.title)
    figure = Picture(figsize=look.size or (width, above + below + title), layout="constrained")
    engine: Any = figure.get_layout_engine()
    engine.set(w_pad=0.06, h_pad=0.06)
    parts = [part for part in ((above, _draw_pictures, rows), (below, _draw_wide, wide)) if part[0]]
    places = figure.subfigures(len(parts), 1, squeeze=False, height_ratios=[height for height, _, _ in parts])[:, 0]
    for place, (_, draw, shown) in zip(places, parts, strict=True):
        draw(place, shown)
    figure.finish(look.title)
    if rows:
        figure.draw_without_rendering()  # limits that follow from equal scales are known before the margins are
    return figure


def _draw_pictures(figure: Any, rows: list[list[Any]]) -> None:
    columns = len(rows[0])
    grid = GridSpec(len(rows), 2 * columns, figure=figure)
    for number, row in enumerate(rows):
        shift = columns - len(row)  # a row that is not full is in the middle
        for k, panel in enumerate(row):
            place = grid[number, 2 * k + shift : 2 * k + shift + 2]
            panel.draw(figure.add_subplot(place, projection=panel.projection), False)


def _draw_wide(figure: Any, panels: list[Any]) -> None:
    grid = GridSpec(len(panels), 1, figure=figure, height_ratios=[panel.height for panel in panels])
    drawn: list[Axes] = []
    for k, panel in enumerate(panels):
        axes = figure.add_subplot(grid[k], sharex=drawn[0] if drawn else None)
        drawn.append(axes)
        panel.draw(axes, k == 0)
        axes.tick_params(labelbottom=k == len(panels) - 1)
    label_axes(drawn[-1], x="time, s")
    figure.align_ylabels(drawn)
