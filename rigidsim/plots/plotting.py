"""`rigidsim.plot`: figures of trajectories and of sweeps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rigidsim.arguments import instance
from rigidsim.errors import UsageError
from rigidsim.plots.figures import Look, figure_of
from rigidsim.plots.style import Picture
from rigidsim.plots.sweeps import sweep_figure
from rigidsim.sweeps.stored import Sweep
from rigidsim.trajectory.trajectory import Trajectory


def plot(
    shown: Trajectory | Mapping[str, Trajectory] | Sweep,
    *quantities: str,
    path: str | Sequence[str] = (),
    frame: str | Sequence[str] = (),
    over: str | Sequence[str] = (),
    begin: float | None = None,
    end: float | None = None,
    title: str = "",
    size: tuple[float, float] | None = None,
    plane: str = "",
    log: bool = False,
    separate: bool = False,
    degrees: bool = False,
) -> Picture:
    """A matplotlib Figure of quantities of a trajectory by name, an overview without any, or of several trajectories
    with names for the legend; see docs/plots.md for the quantities. A notebook shows it; `figure.savefig(path)` writes
    it.

    `path` are bodies (`"ball@table"`) whose paths are drawn, in the plane `plane`, such as `"xz"`. `frame` are the
    frames of names without one, `begin` and `end` times (s), `size` width and height (inches). `log` is for logarithmic
    axes, `separate` for a panel for each quantity, `degrees` for angles in degrees.

    Of a sweep, metrics over one varied number, or two, named by `over`, or quantities over time, `"ball.speed"`, if
    samples were recorded; by default all metrics over all varied numbers.

    Raises UsageError, NotRecordedError; UsageError if matplotlib is missing.
    """
    paths, frames, numbers = ([one] if isinstance(one, str) else list(one) for one in (path, frame, over))
    if isinstance(shown, Sweep):
        of_runs = {"path": paths, "frame": frames, "begin": begin, "end": end, "plane": plane, "separate": separate,
                   "degrees": degrees}  # fmt: skip
        given = [name for name, value in of_runs.items() if value not in (None, [], "", False)]
        if given:
            raise UsageError(f"{', '.join(given)}: not for a sweep, but for a trajectory")
        return sweep_figure(shown, quantities, numbers, title=title, size=size, is_log=log)
    if numbers:
        raise UsageError("over: this is not the result of a sweep")
    instance(shown, Trajectory, "what is plotted", Sweep, Mapping)
    shown = [("", shown)] if isinstance(shown, Trajectory) else list(shown.items())
    look = Look(title, size, plane, log, separate, degrees)
    return figure_of(shown, quantities, paths, frames=frames, begin=begin, end=end, look=look)
