"""`rigidsim assemble`: the parts of a sweep as one file."""

from __future__ import annotations

import click

from rigidsim.cli.console import print_report
from rigidsim.cli.options import require_file


@click.command(short_help="Join the parts of a sweep.")
@click.argument("parts", type=click.Path(), nargs=-1, required=True)
@click.option("-o", "--output", type=click.Path(), callback=require_file, required=True,
              help="Result file of the whole sweep.")  # fmt: skip
@click.option("--force", is_flag=True, help="Overwrite an existing result file.")
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON.")
@click.option("-q", "--quiet", is_flag=True, help="Print no summary.")
def assemble(parts, output, force, as_json, quiet):
    """Write one result file of PARTS, the result files of all parts of a sweep (`rigidsim sweep --part K/N`), in any
    order. It is the file that the sweep would have without --part, with the same content hash.

    \b
    rigidsim sweep scene.yaml --vary spin=0:60:13 --part 1/2
    rigidsim sweep scene.yaml --vary spin=0:60:13 --part 2/2
    rigidsim assemble outputs/scene-sweep-*-of-2.h5 -o outputs/scene-sweep.h5

    The exit code is 7 if some runs failed, as that of `rigidsim sweep`.
    """
    from rigidsim.runner.sweep import assemble_to_file

    report = assemble_to_file(parts, output, force)
    print_report(report, as_json, quiet)
    report.require_success()
