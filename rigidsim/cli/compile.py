"""`rigidsim compile`: compile ahead of time what scenes need."""

from __future__ import annotations

import json
from pathlib import Path

import click

from rigidsim.cli.arguments import STANDARD, importing, read_scene, shown_name
from rigidsim.cli.console import print_result
from rigidsim.cli.examples import shipped_scenes
from rigidsim.errors import UsageError
from rigidsim.report.wording import counted


@click.command(name="compile", short_help="Compile ahead of time what scenes need.")
@click.argument("scenes", metavar="[SCENE]...", nargs=-1, type=click.Path())
@click.option("--all", "every", is_flag=True, help="All example scenes.")
@click.option("--set", "sets", metavar="PATH=VALUE", multiple=True, help="Override a value: bodies.tank.mass=4e4")
@click.option("--json", "as_json", is_flag=True, help="Print the kernels as JSON.")
def compile_command(scenes, every, sets, as_json):
    """Compile all code that `run` and `sweep` of each SCENE need, so that they begin at once: before a lecture, or in
    the image for the workers of a cluster.

    The code is kept in the cache (RIGIDSIM_CACHE_DIR) of this user, for this version of rigidsim, Python, llvmlite and
    this kind of processor. Scenes that differ in numbers only have the same code.
    """
    if not (scenes or every):
        raise UsageError("no scene was named; name some, or use --all for the example scenes")
    if scenes.count(STANDARD) > 1:
        raise UsageError("standard input can be given only once")
    files = [*scenes, *(map(str, shipped_scenes().values()) if every else ())]
    read = [(shown_name(file) if file in scenes else Path(file).stem, read_scene(file, sets)) for file in files]
    with importing():
        from rigidsim.runner.compiling import compiling
        from rigidsim.simulation.compiling import compile_scene, folder_for_code

    folder, kernels = folder_for_code(), []
    for name, scene in read:
        with compiling(as_json):
            found = list(compile_scene(scene))
        for lanes, made in found:
            kernel = {"scene": name, "kernel": made.name, "lanes": lanes, "from_cache": made.before}
            kernels.append(kernel | {"seconds": made.seconds})
            if not as_json:
                spent = "from the cache" if made.before else f"{made.seconds:.2f} s"
                print_result(f"{name}: {made.name}, {counted(lanes, 'lane')}: {spent}")
    seconds, cached = (sum(one[key] for one in kernels) for key in ("seconds", "from_cache"))
    if as_json:
        print_result(json.dumps({"schema_version": 1, "folder": str(folder), "seconds": seconds, "kernels": kernels}))
    else:
        compiled = f"{len(kernels) - cached} kernels compiled in {seconds:.2f} s"
        print_result(f"{compiled}, {cached} from the cache; kept in {folder}")
