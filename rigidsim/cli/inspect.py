"""`rigidsim inspect`: the contents of a trajectory file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rigidsim.cli.arguments import importing, require_run
from rigidsim.cli.console import print_report
from rigidsim.cli.options import TimeType, json_option, metric_option
from rigidsim.errors import UsageError

if TYPE_CHECKING:
    from rigidsim.trajectory import Trajectory


@click.command(short_help="Show the contents of a trajectory or a sweep as text, JSON or CSV.")
@click.argument("trajectory", type=click.Path())
@click.argument("quantities", nargs=-1, metavar="[QUANTITY]...")
@click.option(
    "--at",
    "time",
    type=TimeType(),
    metavar="TIME",
    help="Show all bodies, or the quantities, at a time: 0.5, '500 ms'.",
)
@click.option("--frame", metavar="BODY", default="world", help="Show motion relative to this body.  [default: world]")
@click.option("--csv", "as_csv", is_flag=True, help="Print the samples as CSV, one line per body and sample.")
@click.option("--verify", is_flag=True, help="Read everything and compare it with the content hash.")
@click.option("--all", "is_all", is_flag=True, help="Show all rows of long tables.")
@metric_option
@json_option
def inspect(trajectory, quantities, time, frame, as_csv, verify, is_all, metrics, as_json):
    """Show the contents of TRAJECTORY, an HDF5 file: bodies, first and last state, largest values, drift, events,
    datasets, provenance. With --at, the state of all bodies at one time, interpolated. The options can be combined. Of
    the result file of a sweep: varied values, failures, statistics.

    With QUANTITY, only that over the run: first, least, greatest and last value, and a sparkline of each component.
    With --at, its value at that time, linear between samples.
    BODY.position, BODY.speed, BODY.angular_velocity.z@parent, kinetic_energy, energy_drift or an expression. Of a
    sweep, metrics over each varied number.

    \b
    rigidsim inspect outputs/scene.h5
    rigidsim inspect outputs/scene.h5 ball.speed ball.position@table kinetic_energy '= x("ball") / 2'
    rigidsim inspect outputs/scene.h5 ball.speed arm.motor --at 0.5
    rigidsim inspect outputs/scene.h5 --at 0.5 --frame table --json
    rigidsim inspect outputs/scene.h5 --csv > scene.csv
    rigidsim inspect outputs/scene.h5 --metric top='= max(speed("ball"))'
    """
    from rigidsim.sweeps.unfinished import is_sweep

    if as_csv and as_json:
        raise UsageError("--csv and --json exclude each other; use one of them")
    if metrics and (as_csv or time is not None):
        raise UsageError("--metric is for a whole trajectory; use it without --csv and --at")
    is_of_run = as_csv or time is not None or frame != "world" or bool(metrics)
    if quantities and (as_csv or frame != "world" or metrics):
        hint = "a quantity names its own frame, as in ball.position@table"
        raise UsageError(f"quantities are shown without --frame, --csv and --metric; leave these out; {hint}")
    if is_of_run:
        require_run(trajectory, ": --at, --frame, --csv and --metric are for one run")
    if is_sweep(Path(trajectory)):
        from rigidsim.report.sweep_inspection import inspect_metrics, inspect_sweep
        from rigidsim.runner.progress import Working

        with Working(f"reading {trajectory}"):
            report = inspect_metrics(trajectory, quantities) if quantities else inspect_sweep(trajectory)
        print_report(report, as_json)
    elif as_csv:
        _print_csv(trajectory, frame, time)
    else:
        print_report(_of_trajectory(trajectory, quantities, time, frame, verify, metrics, is_all or as_json), as_json)


def _print_csv(file: str, frame: str, time: float | None) -> None:
    """All of the file is verified before anything is printed."""
    from rigidsim.exports.tables import motion_table
    from rigidsim.report.inspect import require_intact
    from rigidsim.runner.progress import Working

    with _opened(file, frame) as trajectory:
        with Working(f"reading {file}"):
            require_intact(trajectory, file)
        for piece in motion_table(trajectory, frame, time).text():
            click.echo(piece, nl=False)


def _of_trajectory(
    file: str, names: tuple[str, ...], time: float | None, frame: str, verify: bool, metrics: dict, is_all: bool
):
    with importing():
        from rigidsim.report.inspect import Inspection, require_intact
        from rigidsim.report.sparklines import quantities_report, values_report
        from rigidsim.report.states import state_report
        from rigidsim.report.table import MOST_ROWS
        from rigidsim.runner.progress import Working

    with Working(f"reading {file}"), _opened(file, frame) as trajectory:
        if time is None and not names:
            return Inspection.of(trajectory, file, frame, metrics, verify=verify, is_all=is_all)
        if verify:
            require_intact(trajectory, file)
        if names and time is not None:
            return values_report(trajectory, file, names, time)
        if names:
            return quantities_report(trajectory, file, names)
        assert time is not None
        return state_report(trajectory, file, frame, time, None if is_all else MOST_ROWS)


@contextmanager
def _opened(file: str, frame: str) -> Iterator[Trajectory]:
    """The trajectory of a file, with a body of that name."""
    from rigidsim.trajectory.reader import load

    with load(file) as trajectory:
        if frame != "world":
            _ = trajectory[frame]  # raises UsageError if there is no such body
        yield trajectory
