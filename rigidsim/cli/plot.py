"""`rigidsim plot`: figures of trajectories, and of sweeps."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click

from rigidsim.cli.arguments import beside, load_result, load_trajectory
from rigidsim.cli.console import print_result, print_warnings
from rigidsim.cli.options import begin_option, end_option
from rigidsim.errors import UsageError

SIZE = re.compile(r"\s*(\d+\.?\d*)\s*[xX×]\s*(\d+\.?\d*)\s*(in|cm|mm)?\s*")
INCHES = {"in": 1.0, "cm": 1 / 2.54, "mm": 1 / 25.4}


def _size(_context: click.Context, _parameter: click.Parameter, written: str | None) -> tuple[float, float] | None:
    """Width and height, inches."""
    if written is None:
        return None
    found = SIZE.fullmatch(written)
    if not found or not all(float(found[k]) > 0.0 for k in (1, 2)):
        raise UsageError(f"--size {written}: write width and height such as 8x5 (inches) or 20x12cm")
    inches = INCHES[found[3] or "in"]
    return float(found[1]) * inches, float(found[2]) * inches


def split_arguments(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """The files, which come first, and what is asked for of them. Raises UsageError if there is no file."""
    count = 0
    while count < len(arguments) and (arguments[count].endswith(".h5") or Path(arguments[count]).is_file()):
        count += 1
    files, others = list(arguments[:count]), list(arguments[count:])
    if not files:
        raise UsageError(f"{arguments[0]} is no file; name a trajectory first, such as outputs/scene.h5")
    late = [one for one in others if one.endswith(".h5")]
    if late:
        raise UsageError(f"{late[0]}: files come before quantities")
    return files, others


def names_of(files: Sequence[str]) -> list[str]:
    """What the files are called in a legend: their stems, or their paths where those are equal."""
    stems = [Path(file).stem for file in files]
    return stems if len(set(stems)) == len(stems) else list(files)


@click.command(short_help="Draw quantities of trajectories: curves over time, paths, energies, polhodes.")
@click.argument("arguments", metavar="FILE... [QUANTITY...]", nargs=-1, required=True)
@click.option("-o", "--output", type=click.Path(), help="Picture: .png, .svg or .pdf.  [default: FILE.png]")
@click.option("--path", "paths", metavar="BODY[@FRAME]", multiple=True, help="Draw the path of a body; repeatable.")
@click.option("--against", metavar="QUANTITY", help="Draw all quantities over this one instead of time.")
@click.option("--frame", "frames", metavar="FRAME", multiple=True,
              help="Frame of what has no @FRAME: world, parent, body or the path of a body; repeatable.")  # fmt: skip
@begin_option
@end_option
@click.option("--plane", metavar="xy|xz|yz|...", default="",
              help="Draw paths in this plane.  [default: that of the paths, or in space]")  # fmt: skip
@click.option("--over", metavar="NAME", multiple=True,
              help="Of a sweep: draw metrics over this varied number, or over two.")  # fmt: skip
@click.option("--log", "is_log", is_flag=True, help="Logarithmic axes for curves over time, and for metrics.")
@click.option("--separate", is_flag=True, help="Each quantity in a panel of its own.")
@click.option("--degrees", is_flag=True, help="Angles in degrees; also for one quantity: 'door.angle[deg]'.")
@click.option("--title", default="", help="Title of the figure.")
@click.option("--size", metavar="WxH", callback=_size, help="Width and height: 8x5 (inches), 20x12cm.")
@click.option("--dpi", type=click.FloatRange(10, 2000), default=150, show_default=True, help="Pixels per inch.")
@click.option("--list", "as_list", is_flag=True, help="List the quantities of the trajectory, and draw nothing.")
@click.option("--force", is_flag=True, help="Overwrite an existing picture.")
def plot(
    arguments, output, paths, against, frames, begin, end, plane, over, is_log, separate, degrees, title, size, dpi,
    as_list, force,
):  # fmt: skip
    """Draw QUANTITIES of one or several trajectory FILES into one picture; without any, an overview. Of the result file
    of a sweep, draw metrics over the varied numbers.

    \b
    rigidsim plot outputs/scene.h5
    rigidsim plot outputs/scene.h5 ball.speed ball.position.z
    rigidsim plot a.h5 b.h5 ball.speed -o compared.svg
    rigidsim plot outputs/scene.h5 ball.path ball.path@table
    rigidsim plot outputs/scene.h5 ball.position.x:ball.velocity.x
    rigidsim plot outputs/scene-sweep.h5 top_speed --over mass --over spin

    \b
    BODY.QUANTITY[.COMPONENT][@FRAME]   over time; --list shows them all
    QUANTITY, '= speed("ball") / 2'     of the whole run; any expression
    X:Y                                 Y over X
    BODY.path[@FRAME]                   the path, in the plane or in space
    energy                              energies, work, and the drift of their sum
    BODY.terms                          what bends the path and turns the body (run --terms);
                                        BODY.linear_terms or BODY.angular_terms: one of both
    BODY.polhode                        angular momentum in the body's axes
    BODY.contact, impacts, BODY.impacts forces of contact (run --contacts), impulses
    states                              the states of machines

    FRAME is world, parent, body (the body's own axes) or the path of a body. The end of a path is enough where it is
    unique; * and ? stand for any text in it: 'marble_*.speed'.
    """
    files, quantities = split_arguments(arguments)
    path = Path(output) if output else beside(files[0], ".png")
    options = {"--path": paths, "--against": against, "--frame": frames, "--from": begin is not None,
               "--to": end is not None, "--plane": plane, "--separate": separate, "--degrees": degrees}  # fmt: skip
    if against:
        if not quantities:
            raise UsageError(f"--against {against}: name the quantities to draw over it")
        quantities = [f"{against}:{quantity}" for quantity in quantities]
    with ExitStack() as stack:
        shown = _opened(files, over, [option for option, value in options.items() if value], stack)
        if as_list:
            print_result("\n".join(_listed(shown)))
            return
        from rigidsim.plots.plotting import plot as figure_of
        from rigidsim.plots.saving import save_picture
        from rigidsim.runner.progress import Working
        from rigidsim.trajectory.destination import IN_SHELL

        with Working(f"drawing {path}"):
            figure = figure_of(shown, *quantities, path=paths, frame=frames, over=over, begin=begin, end=end,
                               title=title, size=size, plane=plane, log=is_log, separate=separate,
                               degrees=degrees)  # fmt: skip
            save_picture(figure, path, force=force, dpi=dpi, hints=IN_SHELL)
        print_warnings(filter(None, [figure.note]), strict=False)
    print_result(path)


def _opened(files: Sequence[str], over: Sequence[str], given: Sequence[str], stack: ExitStack) -> Any:
    """The sweep in a file, or the trajectories in several by their names. Raises UsageError for options that do not
    fit.
    """
    from rigidsim.trajectory import Trajectory

    found = [stack.enter_context(load_trajectory(file) if len(files) > 1 else load_result(file)) for file in files]
    is_sweep = not isinstance(found[0], Trajectory)
    if is_sweep and given:
        hint = f"`rigidsim run SCENE --from {files[0]} --index N` makes the trajectory of one run"
        raise UsageError(f"{', '.join(given)}: not for the result file of a sweep, which {files[0]} is; {hint}")
    if over and not is_sweep:
        raise UsageError(f"--over {over[0]}: {files[0]} is not the result file of a sweep")
    return found[0] if is_sweep else dict(zip(names_of(files), found, strict=True))


def _listed(shown: Any) -> list[str]:
    """The names of what can be drawn of a sweep, or of the first of some trajectories."""
    if not isinstance(shown, dict):
        return [*shown.metrics, *(f"--over {name}" for name in shown.names)]
    from rigidsim.analysis.quantities import names

    return list(names(next(iter(shown.values()))))
