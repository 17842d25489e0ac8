"""States of machines over time, as bands."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.axes import Axes
from matplotlib.patches import Patch

from rigidsim.analysis.colours import colour_of
from rigidsim.errors import UsageError
from rigidsim.plots.history import Request
from rigidsim.plots.style import draw_legend, label_axes, shortened
from rigidsim.scene.schema.changes import STATES
from rigidsim.trajectory.trajectory import Trajectory

HEIGHT, ROW = 0.55, 0.35
"""Inches of a panel, and of each machine."""
THICK = 0.7
"""Of a band, in rows."""
LETTER = 0.012
"""The width of a letter in a band, in spans of time."""


def states_of(trajectory: Trajectory, machine: str) -> Iterator[tuple[float, float, str]]:
    """Each state in which a machine was: its begin and end (s), and its name."""
    place, end = f"{STATES}.{machine}", float(trajectory.time[-1])
    begun = [
        (event.time, event.name)
        for event in trajectory.events.scheduled
        if event.id == place or event.id.startswith(f"{place}.")
    ]
    for (begin, name), (until, _) in zip(begun, [*begun[1:], (end, "")], strict=True):
        if until > begin or until == end:
            yield begin, until, name


class StatesPanel:
    """A band for each machine of a trajectory, with a colour for each of its states."""

    is_wide, projection = True, None

    def __init__(self, request: Request):
        self._history = request.history
        self._machines = request.history.trajectory.header.resolved.get(STATES, {})
        if not self._machines:
            raise UsageError("the scene has no state machines, so there are no states")
        self.height = HEIGHT + ROW * len(self._machines)

    def draw(self, axes: Axes, _is_first: bool) -> None:
        """Draw the bands, the first machine at the top, with the names of states in them and in the legend."""
        names = list(dict.fromkeys(name for states in self._machines.values() for name in states))
        begin, end = self._history.span
        for row, machine in enumerate(self._machines):
            for first, last, name in states_of(self._history.trajectory, machine):
                first, last = max(first, begin), min(last, end)
                if last < first:
                    continue
                axes.broken_barh([(first, last - first)], (row - THICK / 2, THICK), color=colour_of(names.index(name)))
                if last - first > LETTER * len(name) * (end - begin):
                    axes.text((first + last) / 2, row, name, ha="center", va="center", fontsize=7.5, color="white",
                              parse_math=False, clip_on=True)  # fmt: skip
        axes.set_yticks(range(len(self._machines)), [shortened(machine, 16) for machine in self._machines])
        axes.set_ylim(len(self._machines) - 0.5, -0.5)
        axes.set_xlim(begin, end)
        axes.grid(visible=False)
        label_axes(axes, y=self._history.name)
        handles = [Patch(color=colour_of(k)) for k in range(len(names))]
        draw_legend(axes, handles, names if len(names) > 1 else [])
