"""`rigidsim import`: a robot of another program as a scene."""

from __future__ import annotations

from pathlib import Path

import click

from rigidsim.cli.arguments import STANDARD, beside, importing
from rigidsim.cli.console import print_message, print_result
from rigidsim.report.wording import counted


@click.command("import", short_help="Make a scene of a URDF or MJCF file.")
@click.argument("file", type=click.Path())
@click.option("-o", "--output", type=click.Path(), help="Scene to write; - for standard output.  [default: FILE.yaml]")
@click.option("--base", type=click.Choice(["fixed", "free"]), default="fixed", show_default=True,
              help="URDF: whether the root link rests in the world.")  # fmt: skip
@click.option(
    "--within",
    type=click.Path(),
    metavar="FOLDER",
    help="Of what FILE names (includes, meshes), open files in FOLDER only.  [default: that of FILE]",
)
@click.option("--force", is_flag=True, help="Overwrite an existing scene.")
def import_command(file, output, base, within, force):
    """Make a scene of FILE, a robot in URDF or MJCF: bodies, joints, inertias and shapes.

    \b
    rigidsim import robot.urdf -o robot.yaml
    rigidsim import humanoid.xml -o - | rigidsim validate -

    Each kind of what the scene has no counterpart for is named in one line. What is wrong with the file is an error
    with its line, and no scene is written.
    """
    with importing():
        from rigidsim.imports import read_robot
        from rigidsim.trajectory.destination import IN_SHELL, SCENE, as_storage_error, check_output

    to_stdout = output == STANDARD
    path = Path("scene.yaml") if to_stdout else Path(output or beside(file, ".yaml"))
    if not to_stdout:
        check_output(path, SCENE, force, IN_SHELL)
    robot = read_robot(Path(file), path.parent, base, within=Path(within) if within else None)
    text = robot.checked(str(path))
    for line in robot.left_out.lines():
        print_message(f"left out: {line}")
    if to_stdout:
        click.echo(text, nl=False)
        return
    with as_storage_error(path):
        path.write_text(text, encoding="utf-8")
    print_result(f"{path}: {counted(len(robot.origins), 'body', 'bodies')}")
