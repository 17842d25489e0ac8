"""`rigidsim explain`: the terms of a body's acceleration, and the events near a time."""

from __future__ import annotations

import click

from rigidsim.cli.console import print_report
from rigidsim.cli.options import TimeType, json_option


@click.command(short_help="Explain a body's acceleration and its events near a time.")
@click.argument("trajectory", type=click.Path())
@click.argument("body")
@click.option(
    "--at", "time", type=TimeType(), required=True, metavar="TIME", help="0.5 or '500 ms', rounded to a sample."
)
@json_option
def explain(trajectory, body, time, as_json):
    """List the terms of the acceleration of BODY, a path or the end of one, relative to its parent, with the part of
    each force and joint. The output also has the impulses and reparentings near that time that changed its motion, its
    contacts, and the reactions of joints and loops. TRAJECTORY is a file written by `rigidsim run --terms`; only the
    terms need it.

    \b
    rigidsim run scenes/ball_on_turntable.yaml --terms
    rigidsim explain outputs/ball_on_turntable.h5 table/let_go --at 1
    """
    from rigidsim.cli.arguments import load_trajectory
    from rigidsim.report.explain import BodyReport
    from rigidsim.runner.progress import Working

    with Working(f"reading {trajectory}"), load_trajectory(trajectory) as opened:
        report = BodyReport.of(opened, body, time)
    print_report(report, as_json)
