"""`rigidsim recover`: make a trajectory of what a killed run left."""

from __future__ import annotations

from pathlib import Path

import click

from rigidsim.cli.arguments import importing
from rigidsim.cli.console import print_result


@click.command(short_help="Make a trajectory of what a killed run left.")
@click.argument("file", type=click.Path())
@click.option("--force", is_flag=True, help="Overwrite an existing trajectory file.")
def recover(file, force):
    """Make FILE of what a killed run left: the samples up to its last checkpoint, with status interrupted. `rigidsim
    run --resume` of the same version goes on with it.

    \b
    rigidsim recover outputs/scene.h5
    """
    with importing():
        from rigidsim.report.wording import counted
        from rigidsim.runner.continuing import recovered

    samples, time, otherwise = recovered(Path(file), force)
    after = f"it {otherwise}, so no run goes on with it" if otherwise else "`rigidsim run --resume` goes on with it"
    print_result(f"{file}: {counted(samples, 'sample')}, 0 to {time:g} s; {after}")
