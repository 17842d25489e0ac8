"""`rigidsim fit`: estimate numbers of a scene from measurements."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rigidsim.cli.arguments import importing, read_scene, shown_name
from rigidsim.cli.console import print_report, print_result, print_warnings, report_warnings, strict_option
from rigidsim.cli.found import checked_scene, write_scene
from rigidsim.cli.options import by_name, json_option, names_option, overrides, scene_options
from rigidsim.cli.run import named_as, output_path, outputs_folder
from rigidsim.errors import SimulationError, UsageError

if TYPE_CHECKING:
    from rigidsim.fitting.estimate import Fit


def _pairs(example: str):
    """The callback of an option QUANTITY=VALUE."""
    return lambda _context, parameter, given: by_name(parameter.opts[0], given, example)


@click.command(short_help="Estimate numbers of a scene from measurements.")
@click.argument("scene", type=click.Path())
@scene_options
@click.option("--data", type=click.Path(), multiple=True,
              help="CSV file with names in its first line, or the HDF5 file of a run; repeatable: experiments that "
                   "share the numbers.")  # fmt: skip
@names_option("--vary", "Numbers to estimate: inertia,bodies.rod.mass")
@click.option("--column", "columns", metavar="QUANTITY=COLUMN", multiple=True, callback=_pairs("rod.angle=phi"),
              help="Column that measures a quantity, with its unit: 'rod.angle[deg]=phi'; repeatable.  "
                   "[default: columns with names of quantities]")  # fmt: skip
@click.option("--sigma", "sigmas", metavar="QUANTITY=SIZE", multiple=True, callback=_pairs("rod.angle='0.1 deg'"),
              help="Standard deviation of the measurements: rod.angle='0.1 deg'; repeatable.  [default: from the "
                   "residuals]")  # fmt: skip
@click.option("--time", "time", metavar="COLUMN", default="", help="Column of times, s.  [default: time or t]")
@click.option("--loss", type=click.Choice(["linear", "soft_l1", "huber", "cauchy"]), default="linear",
              show_default=True, help="How large residuals count; the others let outliers count less.")  # fmt: skip
@click.option("-o", "--output", type=click.Path(),
              help="Scene with the estimated numbers to write.  [default: SCENE-fitted.yaml beside SCENE]")  # fmt: skip
@click.option("--plot", "plot", is_flag=False, flag_value="", metavar="[FILE]",
              callback=named_as(".png", ".svg", ".pdf", what="picture", example="a .png, .svg or .pdf"),
              help="Draw measurements, run and residuals, too.  [default: outputs/SCENE-fitted.png]")  # fmt: skip
@click.option("--force", is_flag=True, help="Overwrite existing files.")
@strict_option
@json_option
def fit(
    scene, sets, data, vary, columns, sigmas, time, loss, output, plot, force, strict, as_json, metrics, **settings
):
    """Estimate numbers of SCENE from measurements, by least squares with exact derivatives. The scene has what is
    known of them first, or `fit` in the scene has all of it: data, bounds, priors, own numbers of each experiment.

    \b
    rigidsim fit scene.yaml --data swing.csv --vary inertia,stiffness
    rigidsim fit scene.yaml --data swing.csv --vary inertia --column 'rod.angle[deg]=phi' --sigma rod.angle='0.1 deg'
    rigidsim fit scene.yaml --plot

    Writes the scene with the estimated numbers, and the run of each experiment to outputs/SCENE-fitted.h5.
    """
    read = read_scene(scene, overrides(sets, metrics, **settings))
    given = _settings(data, vary, columns, sigmas, time, loss)
    report_warnings(read.warnings, strict)
    with importing():
        from rigidsim.fitting.estimate import fit as fitted
        from rigidsim.report.fit import FitReport
        from rigidsim.runner.compiling import compiling
        from rigidsim.runner.progress import Working
        from rigidsim.trajectory.destination import IN_SHELL, TRAJECTORY, check_output

    text_path = checked_scene(output, force, scene, "-fitted")
    count = len(data) or (len(read.fit.data) if read.fit else 1)
    runs = [output_path(scene, None, f"-fitted{f'-{k + 1}' * (count > 1)}") for k in range(count)]
    outputs_folder()
    for path in runs:
        check_output(path, TRAJECTORY, force, IN_SHELL)
    picture = None if plot is None else _checked_picture(plot or str(runs[0].with_suffix(".png")), force)
    with compiling(as_json), Working(f"fitting {shown_name(scene)}", as_json):
        found = fitted(read, **given)
    report = FitReport(shown_name(scene), found)
    write_scene(text_path, read, found.overrides)
    for path, run in zip(runs, found.trajectories, strict=True):
        run.save(path, force=force)
    if picture:
        _draw(found, picture, force)
    print_report(report, as_json)
    print_warnings(report.warnings, strict)
    if not as_json:
        print_result("\n".join(["", *map(str, [text_path, *runs, *filter(None, [picture])])]))
    if strict and report.warnings:
        raise click.exceptions.Exit(SimulationError.exit_code)


def _settings(data, vary, columns, sigmas, time, loss) -> dict[str, Any]:
    """The arguments of `rigidsim.fit`; none if the scene has the settings."""
    if not (data or vary):
        if columns or sigmas or time or loss != "linear":
            raise UsageError("--column, --sigma, --time and --loss belong to --data and --vary")
        return {}
    from rigidsim.quantities.names import name_and_unit

    if not (data and vary):
        raise UsageError("--data names the files of measurements, --vary the numbers to estimate; give both")
    known = {name_and_unit(quantity)[0]: quantity for quantity in columns}
    spreads = {known.get(name_and_unit(name)[0], name): size for name, size in sigmas.items()}
    names = dict.fromkeys([*columns, *spreads])
    each = {
        name: {"column": columns.get(name, name), **({"sigma": spreads[name]} if name in spreads else {})}
        for name in names
    }
    shared = {"time": time, **({"columns": each} if each else {})}
    return {"data": [{"file": file, **shared} for file in data], "vary": vary, "loss": loss}


def _checked_picture(name: str, force: bool) -> Path:
    from rigidsim.plots.saving import check_picture
    from rigidsim.trajectory.destination import IN_SHELL

    check_picture(Path(name), force, IN_SHELL)
    return Path(name)


def _draw(found: Fit, path: Path, force: bool) -> None:
    from rigidsim.plots.fit import fit_figure
    from rigidsim.plots.saving import save_picture
    from rigidsim.trajectory.destination import IN_SHELL

    save_picture(fit_figure(found), path, force=force, hints=IN_SHELL)
