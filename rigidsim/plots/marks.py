"""Events on a time axis: lines at impulses and reparentings, ticks at impacts of shapes, at stops of joints, and where
modes of contact begin.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes

from rigidsim.analysis.quantities import short_name
from rigidsim.plots.history import PlottedHistory
from rigidsim.plots.style import FAINT, GREY, shortened
from rigidsim.scene.schema.changes import STATES
from rigidsim.trajectory.events import ENDS, IMPACT, RESTS, ROLLS, SLIDES, STICKS, Event, node_of
from rigidsim.trajectory.trajectory import Trajectory

MOST_LINES, MOST_TICKS = 12, 600
STOP_COLOUR = "#b8860b"
TICKS = {
    "impacts": (IMPACT, "|", GREY), "slides": (SLIDES, 5, GREY), "rolls": (ROLLS, "o", GREY),
    "sticks": (STICKS, "^", GREY), "rests": (RESTS, "s", GREY), "parts": (ENDS, "x", GREY),
}  # fmt: skip
"""The events of contact that have ticks: kind, marker, colour. Ends of contact have some where modes have."""
LASTING = SLIDES, ROLLS, STICKS, RESTS
"""The modes of contact that last."""


def impacts_of(trajectory: Trajectory, bodies: Collection[str], kind: int = IMPACT) -> np.ndarray:
    """The rows of the impacts, or of another kind, in `trajectory.events.contact` that concern some bodies or what is
    fixed to them; of all if no body is given.
    """
    contact, header = trajectory.events.contact, trajectory.header
    if not len(contact):
        return np.zeros(0, dtype=int)
    impacts = (
        contact.kind == kind if kind != ENDS or np.isin(contact.kind, LASTING).any() else np.zeros(len(contact), bool)
    )
    if bodies:
        on = np.zeros(len(contact.shapes), bool)
        for tree in header.history:
            wholes = zip(contact.shapes, header.bodies_of_shapes(tree), strict=True)
            on |= [node_of(shape) in bodies or whole in bodies for shape, whole in wholes]
        impacts &= on[contact.first] | on[contact.second]
    return np.flatnonzero(impacts)


def draw_marks(axes: Axes, history: PlottedHistory, bodies: Collection[str], with_names: bool) -> dict[str, Artist]:
    """Dashed lines at the impulses and reparentings of some bodies, of all if none is given, and ticks at impacts of
    shapes and at stops. The ticks are returned by what they mean, for a legend.
    """
    begin, end = history.span
    scheduled = [
        event
        for event in history.trajectory.events.scheduled
        if begin <= event.time <= end and (not bodies or _is_of(event, bodies))
    ]
    for event in [event for event in scheduled if event.cause != "stop"][:MOST_LINES]:
        axes.axvline(event.time, color=FAINT, linestyle="--", linewidth=0.9, zorder=0)
        if with_names and not event.id.startswith(f"{STATES}."):  # which bands show
            what = event.id if event.force is None else f"{short_name(event.body)} breaks off"
            name = shortened(event.name or what, 22)
            axes.annotate(
                name, (event.time, 1.0), (2, 2), xycoords=axes.get_xaxis_transform(), textcoords="offset points",
                fontsize=7.5, color=GREY, parse_math=False, annotation_clip=False,
            )  # fmt: skip
    ticks: dict[str, Any] = {
        name: (_times(history, impacts_of(history.trajectory, bodies, kind)), marker, colour)
        for name, (kind, marker, colour) in TICKS.items()
    }
    stopped = np.array([event.time for event in scheduled if event.cause == "stop"])
    ticks["impacts at stops"] = (stopped, "|", STOP_COLOUR)
    return {name: _ticks(axes, _apart(time, end - begin), *look) for name, (time, *look) in ticks.items() if len(time)}


def _is_of(event: Event, bodies: Collection[str]) -> bool:
    """Whether something happened to one of these bodies, or a number of it has changed."""
    return bool({event.body, event.receiver} & set(bodies) or (event.changed and any(map(event.concerns, bodies))))


def _times(history: PlottedHistory, rows: np.ndarray) -> np.ndarray:
    """The times of some events of contact within the span of a picture."""
    time, (begin, end) = history.trajectory.events.contact.time[rows] if len(rows) else np.zeros(0), history.span
    return time[(begin <= time) & (time <= end)]


def _apart(time: np.ndarray, span: float) -> np.ndarray:
    """The times, or if they are very many, as many of them as a picture resolves."""
    if len(time) <= MOST_TICKS:
        return time
    step = span / MOST_TICKS
    return step * np.unique(np.round(time / step))


def _ticks(axes: Axes, time: np.ndarray, marker: str, colour: str) -> Artist:
    size = 7 if marker == "|" else 4
    look: dict[str, Any] = {
        "marker": marker,
        "linestyle": "none",
        "color": colour,
        "markersize": size,
        "markeredgewidth": 0.9,
    }
    below: dict[str, Any] = {"transform": axes.get_xaxis_transform(), "clip_on": False, "zorder": 1}
    (drawn,) = axes.plot(time, np.zeros(len(time)), **look, **below)
    return drawn
