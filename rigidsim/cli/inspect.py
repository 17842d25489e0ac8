"""`rigidsim inspect`: the contents of a trajectory file."""

from __future__ import annotations

import json
from pathlib import Path

import click

from rigidsim.cli.console import print_result
from rigidsim.cli.options import TimeType, json_option, metric_option
from rigidsim.errors import UsageError


@click.command(short_help="Show the contents of a trajectory or a sweep as text, JSON or CSV.")
@click.argument("trajectory", type=click.Path())
@click.option(
    "--at", "time", type=TimeType(), metavar="TIME", help="Show all bodies at a time, interpolated: 0.5, '500 ms'."
)
@click.option("--frame", metavar="BODY", default="world", help="Show motion relative to this body.  [default: world]")
@click.option("--csv", "as_csv", is_flag=True, help="Print the samples as CSV, one line per body and sample.")
@metric_option
@json_option
def inspect(trajectory, time, frame, as_csv, metrics, as_json):
    """Show the contents of TRAJECTORY, an HDF5 file: bodies, first and last state, largest values, drift, events,
    datasets, provenance. With --at, the state of all bodies at one time. The options can be combined. Of the result
    file of a sweep: varied values, failures, statistics.

    \b
    rigidsim inspect outputs/scene.h5
    rigidsim inspect outputs/scene.h5 --at 0.5 --frame table --json
    rigidsim inspect outputs/scene.h5 --csv > scene.csv
    rigidsim inspect outputs/scene.h5 --metric top='= max(speed("ball"))'
    """
    from rigidsim.report.inspect import Inspection, require_intact
    from rigidsim.report.samples import csv_of
    from rigidsim.report.states import StateTable, state_at
    from rigidsim.sweeps.unfinished import is_sweep
    from rigidsim.trajectory.reader import load

    if as_csv and as_json:
        raise UsageError("--csv and --json exclude each other; use one of them")
    if metrics and (as_csv or time is not None):
        raise UsageError("--metric is for a whole trajectory; use it without --csv and --at")
    if is_sweep(Path(trajectory)):
        if as_csv or time is not None or frame != "world" or metrics:
            hint = f"rigidsim run SCENE --from {trajectory} --index N makes the trajectory of a run"
            raise UsageError(
                f"{trajectory} is the result file of a sweep: --at, --frame, --csv and --metric are for one run; {hint}"
            )
        from rigidsim.report.sweep_inspection import SweepInspection

        inspection = SweepInspection.of(trajectory)
        print_result(json.dumps(inspection.as_dict()) if as_json else inspection)
        return
    with load(trajectory) as opened:
        if frame != "world":
            _ = opened[frame]  # raises UsageError if there is no such body
        if as_csv:
            require_intact(opened, trajectory)
            for piece in csv_of(opened, frame, time):
                click.echo(piece, nl=False)
            return
        if time is None:
            inspection = Inspection.of(opened, trajectory, frame, metrics)
            print_result(json.dumps(inspection.as_dict()) if as_json else inspection)
            return
        require_intact(opened, trajectory)
        states = StateTable.of(state_at(opened, time), frame)
    if as_json:
        print_result(json.dumps({"schema_version": 1, "file": trajectory, **states.as_dict()}))
    else:
        print_result("\n".join(states.in_full()))
