"""`rigidsim compile`: compile ahead of time what scenes need."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from rigidsim.cli.arguments import STANDARD, importing, read_scene, shown_name
from rigidsim.cli.console import print_result
from rigidsim.cli.examples import shipped_scenes
from rigidsim.errors import UsageError

if TYPE_CHECKING:
    from rigidsim.simulation.compiling import CompiledKernel


class Compiled(NamedTuple):
    """A kernel that a scene needs."""

    scene: str
    kernel: CompiledKernel

    def as_dict(self) -> dict[str, object]:
        """The kernel as JSON shows it."""
        lanes, made = self.kernel
        return {
            "scene": self.scene,
            "kernel": made.name,
            "lanes": lanes,
            "from_cache": made.before,
            "seconds": made.seconds,
        }

    def __str__(self) -> str:
        lanes, made = self.kernel
        spent = "from the cache" if made.before else f"{made.seconds:.2f} s"
        return f"{self.scene}: {made.name}, {lanes} {'lane' if lanes == 1 else 'lanes'}: {spent}"


def summary(compiled: list[Compiled], folder: Path) -> str:
    """How many kernels were made, and where they are."""
    kernels = [one.kernel.made for one in compiled]
    cached, spent = sum(made.before for made in kernels), sum(made.seconds for made in kernels)
    return f"{len(kernels) - cached} kernels compiled in {spent:.2f} s, {cached} from the cache; kept in {folder}"


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
        from rigidsim.running.compiling import compiling
        from rigidsim.simulation.compiling import compile_scene, folder_for_code

    folder, compiled = folder_for_code(), []
    for name, scene in read:
        with compiling(as_json):
            found = [Compiled(name, kernel) for kernel in compile_scene(scene)]
        compiled += found
        if not as_json:
            print_result("\n".join(map(str, found)))
    if as_json:
        spent = sum(one.kernel.made.seconds for one in compiled)
        kernels = [one.as_dict() for one in compiled]
        result = {"schema_version": 1, "folder": str(folder), "seconds": spent, "kernels": kernels}
        print_result(json.dumps(result))
    else:
        print_result(summary(compiled, folder))
