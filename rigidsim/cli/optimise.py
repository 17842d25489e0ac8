"""`rigidsim optimise`: numbers of a scene for which a metric is smallest or largest."""

from __future__ import annotations

from typing import Any

import click

from rigidsim.cli.arguments import importing, read_scene, shown_name
from rigidsim.cli.console import print_report, print_result, print_warnings, report_warnings, strict_option
from rigidsim.cli.found import checked_scene, write_scene
from rigidsim.cli.options import json_option, overrides, scene_options
from rigidsim.cli.run import output_path, outputs_folder
from rigidsim.errors import SimulationError, UsageError


def _bounds(_context: click.Context, parameter: click.Parameter, given: tuple[str, ...]) -> dict[str, str | None]:
    """The bounds by the names of the numbers; None for a name alone."""
    found: dict[str, str | None] = {}
    for text in given:
        name, equals, bounds = (part.strip() for part in text.partition("="))
        if not name or (equals and not bounds):
            raise UsageError(f"{parameter.opts[0]}: '{text}' is not of the form reach=0.5:2, or reach")
        if name in found:
            raise UsageError(f"{parameter.opts[0]}: '{name}' is given twice")
        found[name] = bounds or None
    return found


@click.command(short_help="Find numbers with which a metric is smallest or largest.")
@click.argument("scene", type=click.Path())
@scene_options
@click.option("--vary", metavar="NUMBER=LOW:HIGH", multiple=True, callback=_bounds,
              help="Number to find, within bounds: reach=0.5:2, 'reach=0.5 m:2 m', reach=log:0.5:2 to vary its "
                   "logarithm, reach=0.5: or reach; repeatable.")  # fmt: skip
@click.option("--minimise", "--minimize", metavar='"= ..."', help="Expression of metrics that is to be smallest.")
@click.option("--maximise", "--maximize", metavar='"= ..."', help="Expression of metrics that is to be largest.")
@click.option("--subject-to", "subject_to", metavar='"= ... < ..."', multiple=True,
              help="Condition, a comparison of metrics with <, <=, >, >= or ==; repeatable.")  # fmt: skip
@click.option("--max-runs", "max_runs", type=click.IntRange(1), metavar="N",
              help="Runs to make at most.  [default: 300, or max_runs of the scene]")  # fmt: skip
@click.option("-o", "--output", type=click.Path(),
              help="Scene with the numbers to write.  [default: SCENE-optimised.yaml beside SCENE]")  # fmt: skip
@click.option("--force", is_flag=True, help="Overwrite existing files.")
@strict_option
@json_option
def optimise(scene, sets, vary, minimise, maximise, subject_to, max_runs, output, force, strict, as_json, metrics,
             **settings):  # fmt: skip
    """Find numbers of SCENE for which an expression of metrics is smallest or largest, by sequential quadratic
    programming with exact derivatives. It begins with the numbers of the scene, and finds the nearest optimum. Or
    `optimise` in the scene has the settings.

    \b
    rigidsim optimise throw.yaml --vary angle=10:80 --maximise "= final(x('ball'))"
    rigidsim optimise crane.yaml --vary reach=0.5:2 --minimise "= final(energy)" --subject-to "= max(speed('load')) < 3"
    rigidsim optimise throw.yaml

    Writes the scene with the numbers, and its run to outputs/SCENE-optimised.h5.
    """
    read = read_scene(scene, overrides(sets, metrics, **settings))
    given = _settings(vary, minimise, maximise, subject_to) | {"max_runs": max_runs}
    report_warnings(read.warnings, strict)
    with importing():
        from rigidsim.fitting.optimise import optimise as optimised
        from rigidsim.report.optimise import OptimumReport
        from rigidsim.runner.compiling import compiling
        from rigidsim.runner.progress import Working
        from rigidsim.trajectory.destination import IN_SHELL, TRAJECTORY, check_output

    text_path, run_path = checked_scene(output, force, scene, "-optimised"), output_path(scene, None, "-optimised")
    outputs_folder()
    check_output(run_path, TRAJECTORY, force, IN_SHELL)
    with compiling(as_json), Working(f"optimising {shown_name(scene)}", as_json):
        found = optimised(read, **given)
    report = OptimumReport(shown_name(scene), found)
    write_scene(text_path, read, found.overrides)
    found.trajectory.save(run_path, force=force)
    print_report(report, as_json)
    print_warnings(report.warnings, strict)
    if not as_json:
        print_result(f"\n{text_path}\n{run_path}")
    if strict and report.warnings:
        raise click.exceptions.Exit(SimulationError.exit_code)


def _settings(vary: dict, minimise: str | None, maximise: str | None, subject_to: tuple[str, ...]) -> dict[str, Any]:
    """The arguments of `rigidsim.optimise`; none if the scene has the settings."""
    if not (vary or minimise or maximise or subject_to):
        return {}
    if not vary or not (minimise or maximise):
        raise UsageError("--vary names the numbers to find, --minimise or --maximise what for; give both")
    return {"vary": vary, "minimise": minimise, "maximise": maximise, "subject_to": subject_to}
