"""Quantities over time: those of one unit in one panel."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from rigidsim.analysis.colours import colour_of, colours
from rigidsim.analysis.quantities import NamedQuantity
from rigidsim.errors import UsageError
from rigidsim.plots.history import PlottedHistory
from rigidsim.plots.labels import Parts, names_of, parts_of, shared_name
from rigidsim.plots.marks import draw_marks
from rigidsim.plots.references import draw_reference, error_text, reference_of
from rigidsim.plots.sampling import MOST
from rigidsim.plots.style import DENSE, LINES, MOST_NAMED, draw_legend, label_axes

BAND = 0.25
"""How opaque the standard deviation of a curve is."""
CONSTANT = 1e-12
"""Values that differ by less, relative to the largest, are drawn as one."""
Entry = tuple[PlottedHistory, NamedQuantity]


class SeriesPanel:
    """Curves over time, which share a unit. `title` is written above, `note` names the axis in place of what the curves
    share.
    """

    is_wide, projection, height = True, None, 1.9

    def __init__(self, entries: Sequence[Entry], is_log: bool = False, title: str = "", note: str = ""):
        self.entries, self.is_log, self.title, self.note = list(entries), is_log, title, note

    def draw(self, axes: Axes, is_first: bool) -> None:
        """Draw the curves, their references, the events of their bodies, and a legend."""
        parts = [parts_of(h, named, c) for h, named in self.entries for c in named.components or ("",)]
        styles, names = self._styles(parts), names_of(parts)
        lines: list[Line2D] = []
        absolute, closed = False, []
        for history, named in self.entries:
            time, values = history.read(named)
            expected, band = reference_of(named, time, values), None if self.is_log else history.band(named, time)
            if self.is_log:
                absolute |= bool(np.any(values < 0.0))
                values, expected = np.abs(values), None if expected is None else np.abs(expected)
            for column in range(values.shape[1]):
                color, style = styles[len(lines)]
                width = DENSE if len(time) > MOST or len(parts) > MOST_NAMED else None
                lines += axes.plot(time, values[:, column], color=color, linestyle=style, linewidth=width)
                if band is not None:
                    low, high = values[:, column] - band[:, column], values[:, column] + band[:, column]
                    axes.fill_between(time, low, high, color=color, alpha=BAND, linewidth=0.0)
                if expected is not None and np.isfinite(expected[:, column]).any():
                    circles = draw_reference(axes, (time, expected[:, column]), color)
                    closed.append((values[:, column], expected[:, column]))
        self._finish(axes, shared_name(parts, self.entries[0][1].unit), absolute)
        lines, marks = lines[: len(names)], self._mark(axes, is_first)
        if closed:
            values, expected = map(np.concatenate, zip(*closed, strict=True))
            lines, names = [*lines, circles], [*names, error_text(values, expected, named.unit)]
        draw_legend(axes, [*lines, *marks.values()], [*names, *marks])

    def _styles(self, parts: list[Parts]) -> list[tuple[str, object]]:
        """Colour and line of each curve: of bodies their own colours; of several trajectories one line each."""
        files = [history.number for history, named in self.entries for _ in named.components or ("",)]
        curves = list(dict.fromkeys(part._replace(file="") for part in parts))
        own = colours(self.entries[0][0].trajectory.paths)
        by_body = len({curve.body for curve in curves}) == len(curves) > 1
        found = []
        for part, file in zip(parts, files, strict=True):
            k = curves.index(part._replace(file=""))
            color = own.get(part.body, colour_of(k)) if by_body else colour_of(k)
            found.append((color, LINES[(file if len(set(files)) > 1 else k) % len(LINES)]))
        return found

    def _finish(self, axes: Axes, name: str, absolute: bool) -> None:
        name = self.note or name
        if self.is_log:
            if not any((np.asarray(line.get_ydata(), float) > 0.0).any() for line in axes.lines):
                raise UsageError(f"{name or 'the curves'}: zero everywhere, which a logarithmic axis cannot show")
            axes.set_yscale("log", nonpositive="mask")
            name = f"absolute value of {name}" if absolute else name
        elif (values := _finite(axes)).size and np.ptp(values) <= CONSTANT * np.abs(values).max():
            middle = float(values.mean())
            axes.set_ylim(middle - (0.1 * abs(middle) or 1.0), middle + (0.1 * abs(middle) or 1.0))
        label_axes(axes, y=textwrap.fill(name, 26, break_long_words=False), title=self.title)
        axes.margins(x=0)

    def _mark(self, axes: Axes, is_first: bool) -> dict[str, Artist]:
        marks: dict[str, Artist] = {}
        for history in dict.fromkeys(history.number for history, _ in self.entries):
            entries = [(h, named) for h, named in self.entries if h.number == history]
            bodies = {named.body for _, named in entries}
            marks |= draw_marks(axes, entries[0][0], set() if "" in bodies else bodies, is_first and not self.title)
        return marks


def _finite(axes: Axes) -> np.ndarray:
    values = np.concatenate([np.asarray(line.get_ydata(), dtype=float) for line in axes.lines])
    return values[np.isfinite(values)]
