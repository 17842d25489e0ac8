"""`rigidsim inspect`: what is in this trajectory?"""

from __future__ import annotations

import json

import click

from rigidsim.cli.console import show


@click.command(short_help="Show what a trajectory file holds.")
@click.argument("trajectory", type=click.Path())
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
def inspect(trajectory, as_json):
    """Show the hierarchy, sampling, drift, extremes and provenance of TRAJECTORY, an HDF5 file."""
    from rigidsim.report.inspect import Inspection
    from rigidsim.trajectory import load

    with load(trajectory) as opened:
        inspection = Inspection.of(opened, trajectory)
    show(json.dumps(inspection.as_dict()) if as_json else inspection)
