"""`rigidsim inspect`: what is in this trajectory?"""

from __future__ import annotations

import json

import click

from rigidsim.cli.console import show
from rigidsim.cli.options import Time, json_option
from rigidsim.errors import UsageError


@click.command(short_help="Show what a trajectory file holds, as text, JSON or CSV.")
@click.argument("trajectory", type=click.Path())
@click.option("--at", "time", type=Time(), metavar="TIME", help="All bodies at a time: 0.5, '500 ms'; interpolated.")
@click.option("--frame", metavar="BODY", default="world", help="As this body sees it.  [default: world]")
@click.option("--csv", "as_csv", is_flag=True, help="The samples as CSV: a line for each body of each sample.")
@json_option
def inspect(trajectory, time, frame, as_csv, as_json):
    """Show what TRAJECTORY, an HDF5 file, holds: the hierarchy, first and last motion, extremes, drift, events,
    datasets, provenance. With --at, the motion of all bodies at one time. The options go together.

    \b
    rigidsim inspect outputs/scene.h5
    rigidsim inspect outputs/scene.h5 --at 0.5 --frame table --json
    rigidsim inspect outputs/scene.h5 --csv > scene.csv
    """
    from rigidsim.report.inspect import Inspection, require_whole
    from rigidsim.report.samples import csv_of
    from rigidsim.report.states import States, state_at
    from rigidsim.trajectory.reader import load

    if as_csv and as_json:
        raise UsageError("--csv and --json are two forms of the same; give one of them")
    with load(trajectory) as opened:
        if frame != "world":
            _ = opened[frame]  # says what is wrong with it
        if as_csv:
            require_whole(opened, trajectory)
            for piece in csv_of(opened, frame, time):
                click.echo(piece, nl=False)
            return
        if time is None:
            inspection = Inspection.of(opened, trajectory, frame)
            show(json.dumps(inspection.as_dict()) if as_json else inspection)
            return
        require_whole(opened, trajectory)
        states = States.of(state_at(opened, time), frame)
    if as_json:
        show(json.dumps({"schema_version": 1, "file": trajectory, **states.as_dict()}))
    else:
        show("\n".join([*states.places(len(states.bodies)), "", *states.turns(len(states.bodies))]))
