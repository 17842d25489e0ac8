"""`rigidsim plot` of the result file of a sweep."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rigidsim.cli.console import print_result
from rigidsim.cli.warnings import print_warnings
from rigidsim.errors import UsageError


def plot_sweep(
    file: str,
    names: Sequence[str],
    over: Sequence[str],
    path: Path,
    *,
    others: Mapping[str, Any],
    as_list: bool,
    force: bool,
    dpi: float,
    **look: Any,
) -> None:
    """Draw metrics of a sweep, or quantities of its runs over time, into a picture; or list their names. `others` are
    the options for trajectories, `look` title, size and is_log.
    """
    given = [option for option, value in others.items() if value]
    if given:
        hint = f"`rigidsim run SCENE --from {file} --index N` makes the trajectory of one run"
        raise UsageError(f"{', '.join(given)}: not for the result file of a sweep, which {file} is; {hint}")
    from rigidsim.sweeps.stored import load_sweep

    with load_sweep(file) as sweep:
        if as_list:
            listed = [*sweep.metrics, *(f"--over {name}" for name in sweep.names)]
            print_result("\n".join(listed))
            return
        from rigidsim.plots.saving import check_picture, save_picture
        from rigidsim.plots.sweeps import sweep_figure
        from rigidsim.report.progress import Working
        from rigidsim.trajectory.destination import IN_SHELL

        check_picture(path, force, IN_SHELL)
        with Working(f"drawing {path}"):
            figure = sweep_figure(sweep, names, over, **look)
            save_picture(figure, path, force=force, dpi=dpi, hints=IN_SHELL)
        print_warnings(filter(None, [figure.note]), strict=False)
    print_result(path)
