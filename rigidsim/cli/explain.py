"""`rigidsim explain`: which term bends the path?"""

from __future__ import annotations

import json

import click

from rigidsim.cli.console import show


@click.command(short_help="Say which term bends a body's path.")
@click.argument("trajectory", type=click.Path())
@click.argument("body")
@click.option("--at", "time", type=float, required=True, metavar="TIME", help="Time, s; the nearest sample is taken.")
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
def explain(trajectory, body, time, as_json):
    """Say in words and numbers where the acceleration of BODY in TRAJECTORY comes from, as seen from its parent.

    \b
    rigidsim run scenes/ball_on_turntable.yaml --terms
    rigidsim explain outputs/ball_on_turntable.h5 table/let_go --at 1
    """
    from rigidsim.report.explain import Explanation
    from rigidsim.trajectory import load

    with load(trajectory) as opened:
        explanation = Explanation.of(opened, body, time)
    show(json.dumps(explanation.as_dict()) if as_json else explanation)
