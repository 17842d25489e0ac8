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
    """A matplotlib Figure of quantities by name. A notebook shows it; `figure.savefig(path)` writes it.

    Parameters
    ----------
    shown : Trajectory, mapping of names to Trajectory, or Sweep
        The names are those of the legend.
    *quantities : str
        Names as in docs/plots.md. Without any, an overview. Of a sweep, metrics, or quantities over time if samples
        were recorded; by default all metrics.
    path : str or sequence of str
        Bodies (`"ball@table"`) whose paths are drawn.
    frame : str or sequence of str
        The frames of names without one.
    over : str or sequence of str
        One or two varied numbers of a sweep; by default all.
    begin, end : float
        Times, s.
    title : str
        The title of the figure.
    size : tuple of float
        Width and height, inches.
    plane : str
        The plane of paths, such as `"xz"`.
    log : bool
        Logarithmic axes.
    separate : bool
        A panel for each quantity.
    degrees : bool
        Angles in degrees.

    Returns
    -------
    Picture
        A figure of matplotlib.

    Raises
    ------
    UsageError
        For an unknown quantity, or if matplotlib is missing.
    NotRecordedError
        If a quantity was not recorded.
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
    named = [("", shown)] if isinstance(shown, Trajectory) else list(shown.items())
    look = Look(title, size, plane, log, separate, degrees)
    return figure_of(named, quantities, paths, frames=frames, begin=begin, end=end, look=look)
