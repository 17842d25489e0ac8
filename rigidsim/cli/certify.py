"""`rigidsim certify`: one scene, expressed in several ways that must give the same motion."""

from __future__ import annotations

import click

from rigidsim.cli.arguments import importing, read_scene, shown_name
from rigidsim.cli.console import print_report
from rigidsim.cli.options import json_option
from rigidsim.errors import SimulationError


@click.command(short_help="Check that a scene moves the same however it is expressed.")
@click.argument("scene", type=click.Path())
@click.option("--set", "sets", metavar="PATH=VALUE", multiple=True, help="Override a value: simulation.duration=2")
@json_option
def certify(scene, sets, as_json):
    """Run SCENE as it is written, with half and a quarter of its step, and expressed in other ways. It is turned as a
    whole; its bodies are placed below a frame that is turned, moves, spins or accelerates, or below another body;
    quaternions get the other sign; bodies another order. All must give the same paths in the world, as far as the step
    allows.

    The exit code is 0 if the step is short enough, at least three ways agree with the scene and none differs; else 4.

    \b
    rigidsim certify scene.yaml
    rigidsim certify scene.yaml --set simulation.duration=2
    """
    read = read_scene(scene, sets)
    with importing():
        from rigidsim.certify.certifying import certify as certify_scene
        from rigidsim.report.certificate import SHOWN_BODIES, CertificateReport
        from rigidsim.runner.compiling import compiling
        from rigidsim.runner.progress import Working

    with compiling(as_json), Working(f"certifying {shown_name(scene)}"):
        found = certify_scene(read)
    report = CertificateReport(shown_name(scene), found, None if as_json else SHOWN_BODIES)
    print_report(report, as_json)
    if not found.is_certified:
        raise click.exceptions.Exit(SimulationError.exit_code)
