"""`rigidsim diff`: where two trajectory files differ."""

from __future__ import annotations

import click

from rigidsim.cli.arguments import importing, load_trajectory
from rigidsim.cli.console import print_report
from rigidsim.cli.options import json_option

DIFFERENT = 1
"""The exit code if the results differ, as that of `diff` and `cmp`."""


@click.command(short_help="Say where two trajectories differ.")
@click.argument("first", type=click.Path())
@click.argument("second", type=click.Path())
@json_option
def diff(first, second, as_json):
    """Compare two trajectory files. The output names the inputs that differ (keys of the scene, versions, the machine).
    It then has the first number of the motion that differs, with its distance in units in the last place (ULP). Last
    are the largest distance and angle between a body in one and in the other. Samples of the same time are compared.

    The exit code is 0 if the results are bitwise equal, 1 if they differ.

    \b
    rigidsim run scene.yaml -o a.h5
    rigidsim run scene.yaml -o b.h5 --set simulation.integrator=magnus2
    rigidsim diff a.h5 b.h5
    """
    with importing():
        from rigidsim.report.diff import Diff
        from rigidsim.runner.progress import Working

    with Working(f"comparing {first} and {second}"), load_trajectory(first) as ours, load_trajectory(second) as theirs:
        found = Diff(ours, theirs, (first, second))
    print_report(found, as_json)
    if not found.are_equal:
        raise click.exceptions.Exit(DIFFERENT)
