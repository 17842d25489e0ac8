"""`rigidsim decompose`: a concave solid as convex hulls, which collide."""

from __future__ import annotations

from pathlib import Path

import click

from rigidsim.cli.arguments import beside, importing
from rigidsim.cli.console import print_result
from rigidsim.report.wording import counted


@click.command(short_help="Make a scene of a mesh as convex hulls.")
@click.argument("file", type=click.Path())
@click.option("-o", "--output", type=click.Path(), help="Scene to write.  [default: FILE.yaml]")
@click.option("--concavity", type=click.FloatRange(0.01, 1.0), default=0.05, show_default=True,
              help="Largest distance between hulls and solid, of the size of the solid.")  # fmt: skip
@click.option("--most", type=click.IntRange(0, 1000), default=0, help="Most hulls; 0 for as many as that needs.")
@click.option("--density", type=click.FloatRange(0.0, min_open=True), default=1000.0, show_default=True,
              help="Density of the solid, kg/m^3.")  # fmt: skip
@click.option("--force", is_flag=True, help="Overwrite an existing scene.")
def decompose(file, output, concavity, most, density, force):
    """Make a scene of the solid in FILE (STL, OBJ, PLY, OFF), cut into convex hulls, which collide.

    \b
    rigidsim decompose bracket.stl
    rigidsim decompose gear.obj -o gear.yaml --concavity 0.02 --density 7850

    The body has the mass, centre of mass and inertia of the solid. Other scenes can include it, as
    {include: {file: bracket.yaml}}.
    """
    with importing():
        from rigidsim.imports.decomposition import decomposed
        from rigidsim.trajectory.destination import IN_SHELL, SCENE, as_storage_error, check_output

    path = Path(output or beside(file, ".yaml"))
    check_output(path, SCENE, force, IN_SHELL)
    text, count = decomposed(Path(file), str(path), concavity, most, density)
    with as_storage_error(path):
        path.write_text(text, encoding="utf-8")
    print_result(f"{path}: {counted(count, 'hull')}")
