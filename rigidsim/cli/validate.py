"""`rigidsim validate`: check a scene."""

from __future__ import annotations

import json
from collections import Counter

import click

from rigidsim.cli.console import print_result
from rigidsim.cli.scene_argument import read_scene, shown_name
from rigidsim.cli.warnings import report_warnings, strict_option
from rigidsim.errors import SceneError


@click.command(short_help="Check a scene without simulating it.")
@click.argument("scene", type=click.Path())
@click.option("--set", "sets", metavar="PATH=VALUE", multiple=True, help="Override a value: bodies.tank.mass=4e4")
@strict_option
@click.option("--json", "as_json", is_flag=True, help="Print the result and all problems as JSON.")
def validate(scene, sets, strict, as_json):
    """Check SCENE, a YAML file or - for standard input, and print all errors with file, line, column and a
    suggestion.
    """
    try:
        read = read_scene(scene, sets)
    except SceneError as error:
        if as_json:
            problems = [problem.as_dict() for problem in error.problems]
            print_result(json.dumps({"schema_version": 1, "valid": False, "problems": problems}))
            raise click.exceptions.Exit(error.exit_code) from None
        raise
    kinds = Counter(body.kind for _, body, _ in read.walk())
    simulation = read.simulation
    steps = round(simulation.duration / simulation.step)
    if as_json:
        summary = {"bodies": dict(kinds), "steps": steps, "warnings": list(read.warnings)}
        valid = not (strict and read.warnings)
        print_result(json.dumps({"schema_version": 1, "valid": valid, "problems": [], **summary}))
        if not valid:
            raise click.exceptions.Exit(SceneError.exit_code)
        return
    report_warnings(read, strict)
    bodies = ", ".join(f"{count} {kind}" for kind, count in kinds.items())
    print_result(f"{shown_name(scene)}: valid; {bodies}; {steps} steps of {simulation.step:g} s")
