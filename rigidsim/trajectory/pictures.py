"""Pictures of trajectories: methods that call the packages which draw, imported when they are needed."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any


class Pictures:
    """The drawing methods of a trajectory."""

    def plot(
        self,
        *quantities: str,
        path: str | Sequence[str] = (),
        frame: str | Sequence[str] = (),
        begin: float | None = None,
        end: float | None = None,
        title: str = "",
        size: tuple[float, float] | None = None,
        plane: str = "",
        log: bool = False,
        separate: bool = False,
    ) -> Any:
        """A matplotlib Figure of quantities by name, an overview without any; see docs/plots.md for the names.

        `path` are bodies (`"ball@table"`) of which the path is drawn, `frame` the frames of what has none written,
        `begin` and `end` times (s), `size` width and height (inches), `plane` that of paths, such as `"xz"`; `log` is
        for logarithmic axes, `separate` for a panel for each quantity. A notebook shows the figure;
        `figure.savefig(path)` writes it. Raises UsageError, NotRecordedError; UsageError if matplotlib is missing.
        """
        figures = import_module("rigidsim.plots.figures")
        look = figures.Look(title, size, plane, log, separate)
        paths, frames = ([one] if isinstance(one, str) else list(one) for one in (path, frame))
        return figures.figure_of([("", self)], quantities, paths, frames=frames, begin=begin, end=end, look=look)
