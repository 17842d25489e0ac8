"""`rigidsim explain`: which term bends the path, and why did this jump?"""

from __future__ import annotations

import json

import click

from rigidsim.cli.console import show
from rigidsim.cli.options import Time, json_option


@click.command(short_help="Say which term bends a body's path, and why it jumped.")
@click.argument("trajectory", type=click.Path())
@click.argument("body")
@click.option("--at", "time", type=Time(), required=True, metavar="TIME", help="0.5, '500 ms'; the nearest sample.")
@json_option
def explain(trajectory, body, time, as_json):
    """Say in words and numbers where the acceleration of BODY in TRAJECTORY comes from, as seen from its parent, and
    what impulses or changes of the tree near that time did to it.

    \b
    rigidsim run scenes/ball_on_turntable.yaml --terms
    rigidsim explain outputs/ball_on_turntable.h5 table/let_go --at 1
    """
    from rigidsim.report.explain import Account
    from rigidsim.trajectory.reader import load

    with load(trajectory) as opened:
        account = Account.of(opened, body, time)
    show(json.dumps(account.as_dict()) if as_json else account)
