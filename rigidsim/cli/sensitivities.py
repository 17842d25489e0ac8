"""`rigidsim sensitivities`: how metrics depend on numbers of a scene."""

from __future__ import annotations

import click

from rigidsim.cli.arguments import importing, read_scene, shown_name
from rigidsim.cli.console import print_report
from rigidsim.cli.options import by_name, json_option, names_option, overrides, scene_options
from rigidsim.errors import UsageError

SHARE = 1e-3  # of a parameter without a spread, by which `--check` displaces it


@click.command(short_help="Show how metrics depend on numbers of a scene.")
@click.argument("scene", type=click.Path())
@scene_options
@names_option("--by", "Numbers of the scene: e,bodies.rod.mass")
@click.option("--spread", "spreads", metavar="NAME=SIZE", multiple=True,
              callback=lambda _context, _parameter, given: by_name("--spread", given, "e=1%"),
              help="Standard deviation of a number: e=1%, mass='20 g'; repeatable.  [default: that in the scene]",
              )  # fmt: skip
@click.option("--check", is_flag=True, help="Compare with runs in which each number is displaced to both sides.")
@json_option
def sensitivities(scene, sets, by, spreads, check, metrics, as_json, **settings):
    """Run SCENE with derivatives. Show for each metric its derivative and its elasticity with respect to each number,
    and the standard deviation that those of the numbers give it. Show how far a number may change, to first order,
    before an impact grazes or events change their order, and for how long a chaotic motion is predictable.

    \b
    rigidsim sensitivities scene.yaml --by e,g
    rigidsim sensitivities scene.yaml --spread e=1% --spread bodies.ball.mass="5 g"
    rigidsim sensitivities scene.yaml --by e --check --metric top='= max(speed("ball"))'
    """
    read = read_scene(scene, overrides(sets, metrics, **settings))
    names = list(dict.fromkeys([*by, *spreads, *read.uncertain]))
    if not names:
        raise UsageError("name numbers of the scene with --by, or with --spread and their standard deviations")
    with importing():
        from rigidsim.report.sensitivities import SensitivityReport
        from rigidsim.runner.compiling import compiling
        from rigidsim.runner.progress import Working
        from rigidsim.sensitivities.parameters import spread_of, spreads_of
        from rigidsim.sensitivities.spread import displaced, predictability, reach_of, sigma_of
        from rigidsim.sensitivities.varied import Varied

    if not read.metrics:
        raise UsageError("""the scene has no metrics; add one: --metric top='= max(speed("ball"))'""")
    varied = Varied(read, names, "sensitivities")
    sizes = spreads_of(read, varied.parameters)
    sizes |= {one.name: spread_of(one, spreads[one.name]) for one in varied.parameters if one.name in spreads}
    with compiling(as_json), Working(f"running {shown_name(scene)}", as_json):
        found = varied.run()
        others = displaced(varied, found, sizes, SHARE) if check else []
    rates = {metric: {name: found.derivative(name).metrics[metric] for name in names} for metric in found.metrics}
    sigmas = {metric: sigma_of(rates[metric], sizes) for metric in found.metrics}
    reaches = {name: reach_of(found, found.derivative(name)) for name in names}
    growth = predictability(map(found.derivative, names))
    print_report(SensitivityReport(shown_name(scene), found, sizes, sigmas, reaches, others, growth), as_json)
