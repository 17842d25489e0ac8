"""`rigidsim export`: a trajectory or a sweep as CSV or NetCDF."""

from __future__ import annotations

from pathlib import Path

import click

from rigidsim.cli.arguments import beside, load_result, require_run
from rigidsim.cli.console import print_result
from rigidsim.errors import UsageError

ENDINGS = {"csv": (".csv",), "netcdf": (".nc", ".nc4")}
STDOUT = "-"


def output_path(file: str, output: str | None, to: str | None) -> Path | None:
    """Where to write, None for standard output. Raises UsageError if the format is missing or contradicts the name."""
    if output is None:
        if to is None:
            raise UsageError("name the format with --to csv or --to netcdf, or the file with -o out.csv or -o out.nc")
        return beside(file, ENDINGS[to][0])
    if output == STDOUT:
        if to == "netcdf":
            raise UsageError("NetCDF cannot be written to standard output; name a file with -o out.nc")
        return None
    path = Path(output)
    if to and path.suffix.lower() not in ENDINGS[to]:
        raise UsageError(f"-o {output}: the name of a {to} file must end with {ENDINGS[to][0]}")
    return path


@click.command(short_help="Write a trajectory or a sweep as CSV or NetCDF.")
@click.argument("file", type=click.Path())
@click.argument("quantities", metavar="[QUANTITY]...", nargs=-1)
@click.option("--to", type=click.Choice(list(ENDINGS)), help="Format.  [default: from the name of the output]")
@click.option("-o", "--output", type=click.Path(), help="File to write, .csv or .nc; - for standard output (CSV).  "
              "[default: FILE.csv, FILE.nc]")  # fmt: skip
@click.option("--frame", metavar="BODY", default="world",
              help="CSV without quantities: motion relative to this body.  [default: world]")  # fmt: skip
@click.option("--events", is_flag=True, help="CSV: the table of events. NetCDF: the events together with quantities.")
@click.option("--force", is_flag=True, help="Overwrite an existing file of that kind.")
@click.option("-q", "--quiet", is_flag=True, help="Print neither progress nor summary.")
def export(file, quantities, to, output, frame, events, force, quiet):
    """Write quantities of FILE, a trajectory or the result of a sweep, for other programs, with their units.

    \b
    rigidsim export outputs/scene.h5 --to netcdf              everything that was recorded
    rigidsim export outputs/scene.h5 --to csv                 motion of all bodies, a line for each body and sample
    rigidsim export outputs/scene.h5 ball.position@table kinetic_energy -o ball.csv
    rigidsim export outputs/scene.h5 --events -o events.csv
    rigidsim export outputs/scene-sweep.h5 --to csv           the table of runs

    A quantity is BODY.QUANTITY[.COMPONENT][@FRAME], one of the whole run such as total_energy, or an expression such as
    '= speed("ball") / 2'.
    """
    from rigidsim.sweeps.stored import Sweep

    path = output_path(file, output, to)
    if quantities or events or frame != "world":
        require_run(file, ": quantities, --frame and --events are for one run")
    with load_result(file) as found:
        if isinstance(found, Sweep):
            found.verify()
        if path is None:
            from rigidsim.exports.exporting import table_of

            for piece in table_of(found, quantities, frame, events).text():
                click.echo(piece, nl=False)
            return
        from rigidsim.exports.exporting import export as write
        from rigidsim.runner.making import Making
        from rigidsim.trajectory.destination import IN_SHELL

        with Making(path, "", quiet) as making:
            write(found, path, *quantities, frame=frame, events=events, force=force, progress=making.report,
                  hints=IN_SHELL)  # fmt: skip
    if not quiet:
        print_result(making)
