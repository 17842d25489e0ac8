"""`rigidsim validate`: is this scene right?"""

from __future__ import annotations

import json
from collections import Counter

import click

from rigidsim.cli.console import show
from rigidsim.cli.scene_argument import read_scene, shown_name
from rigidsim.cli.warnings import strict_option, tell_warnings
from rigidsim.errors import SceneError


@click.command(short_help="Check a scene without simulating it.")
@click.argument("scene", type=click.Path())
@click.option("--set", "sets", metavar="PATH=VALUE", multiple=True, help="Change a value: bodies.tank.mass=4e4")
@strict_option
@click.option("--json", "as_json", is_flag=True, help="Print the verdict and all problems as JSON.")
def validate(scene, sets, strict, as_json):
    """Check SCENE, a YAML file or - for standard input, and say what is wrong with it, all at once: file, line, column,
    and what to do.
    """
    try:
        read = read_scene(scene, sets)
    except SceneError as error:
        if as_json:
            problems = [problem.as_dict() for problem in error.problems]
            show(json.dumps({"schema_version": 1, "valid": False, "problems": problems}))
            raise click.exceptions.Exit(error.exit_code) from None
        raise
    kinds = Counter(body.kind for _, body, _ in read.walk())
    simulation = read.simulation
    steps = round(simulation.duration / simulation.step)
    if as_json:
        told = {"bodies": dict(kinds), "steps": steps, "warnings": list(read.warnings)}
        valid = not (strict and read.warnings)
        show(json.dumps({"schema_version": 1, "valid": valid, "problems": [], **told}))
        if not valid:
            raise click.exceptions.Exit(SceneError.exit_code)
        return
    tell_warnings(read, strict)
    bodies = ", ".join(f"{count} {kind}" for kind, count in kinds.items())
    show(f"{shown_name(scene)}: valid; {bodies}; {steps} steps of {simulation.step:g} s")
