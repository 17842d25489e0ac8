"""`rigidsim linearize` and `rigidsim equilibrium`: linear motion about a state, and states of rest."""

from __future__ import annotations

from pathlib import Path

import click

from rigidsim.cli.arguments import importing, read_scene, shown_name
from rigidsim.cli.console import print_report, print_result
from rigidsim.cli.found import checked_scene, write_scene
from rigidsim.cli.options import TimeType, json_option, names_option, overrides, scene_options
from rigidsim.errors import UsageError


@click.command(short_help="Linear motion about a state: frequencies, damping, matrices.")
@click.argument("scene", type=click.Path())
@scene_options
@click.option("--at", type=TimeType(), default=0.0, metavar="TIME", show_default=True,
              help="Time of the state in the run: 2, '500 ms'.")  # fmt: skip
@names_option("--inputs", "Numbers of the scene as inputs: load,bodies.rod.mass")
@click.option("--output", "outputs", metavar="QUANTITY", multiple=True,
              help="Quantity as output: rod.angle; repeatable.")  # fmt: skip
@click.option("--matrices", is_flag=True, help="Print the matrices A, B, C and D, too.")
@click.option("--page", type=click.Path(), metavar="FILE", help="Page to write that shows the modes in space, .html.")
@click.option("--force", is_flag=True, help="Overwrite an existing page.")
@json_option
def linearize(scene, sets, at, inputs, outputs, matrices, page, force, metrics, as_json, **settings):
    """Show the linear motion of SCENE about its state at a time: natural frequencies, damping ratios, shapes of modes;
    with --json or --matrices also x' = A x + B p, y = C x + D p.

    \b
    rigidsim linearize scene.yaml
    rigidsim linearize scene.yaml --at 2 --inputs load --output rod.angle --matrices
    rigidsim linearize scene.yaml --page modes.html
    """
    read = read_scene(scene, overrides(sets, metrics, **settings))
    with importing():
        from rigidsim.report.linear import LinearReport
        from rigidsim.runner.compiling import compiling
        from rigidsim.sensitivities.linear import linearize as linear_model
    if page:
        from rigidsim.trajectory.destination import IN_SHELL
        from rigidsim.views.view import check_page, save_page, view

        check_page(Path(page), force, IN_SHELL)
    with compiling(as_json):
        found = linear_model(read, at, inputs, outputs)
    print_report(LinearReport(shown_name(scene), found, matrices), as_json)
    if page:
        save_page(view(found).html, Path(page), force, IN_SHELL)
        if not as_json:
            print_result(page)


@click.command(short_help="Find numbers of a scene with which it is at rest.")
@click.argument("scene", type=click.Path())
@scene_options
@names_option("--vary", "Numbers to find: tilt,bodies.rod.motion.hinge.angle")
@click.option("-o", "--output", type=click.Path(), metavar="FILE", help="Scene with these numbers to write.")
@click.option("--force", is_flag=True, help="Overwrite an existing scene.")
@json_option
def equilibrium(scene, sets, vary, output, force, metrics, as_json, **settings):
    """Find numbers of SCENE with which nothing accelerates at its start, by Newton's method from the numbers that it
    has. Show them, and the modes of the motion about this state.

    \b
    rigidsim equilibrium scene.yaml --vary tilt
    rigidsim equilibrium scene.yaml --vary tilt,bend -o resting.yaml
    """
    if not vary:
        raise UsageError("name the numbers to find with --vary")
    read = read_scene(scene, overrides(sets, metrics, **settings))
    with importing():
        from rigidsim.report.linear import EquilibriumReport
        from rigidsim.runner.compiling import compiling
        from rigidsim.sensitivities.linear import equilibrium as rest_of
    path = checked_scene(output, force) if output else None
    with compiling(as_json):
        found = rest_of(read, vary)
    if path:
        write_scene(path, read, found.overrides)
    print_report(EquilibriumReport(shown_name(scene), found), as_json)
    if output and not as_json:
        print_result(output)
