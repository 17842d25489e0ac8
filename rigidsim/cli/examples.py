"""`rigidsim examples`: the example scenes shipped with the package."""

from __future__ import annotations

import shutil
from pathlib import Path

import click

from rigidsim.cli.options import completing
from rigidsim.errors import StorageError, UsageError, did_you_mean


def shipped_scenes() -> dict[str, Path]:
    """Name -> file of every example scene: inside the installed package, or next to it in a source checkout."""
    package = Path(__file__).parents[1]
    folder = package / "scenes" if (package / "scenes").is_dir() else package.parent / "scenes"
    return {file.stem: file for file in sorted(folder.glob("*.yaml"))}


@click.group(invoke_without_command=True, short_help="List or copy the example scenes.")
@click.pass_context
def examples(context):
    """List the example scenes; `examples copy NAME` copies one to the current folder."""
    if context.invoked_subcommand is None:
        context.invoke(list_examples)


@examples.command("list")
def list_examples():
    """List the example scenes with their titles."""
    from rigidsim.scene.text.reader import read_file

    scenes = shipped_scenes()
    width = max(map(len, scenes), default=0)
    for name, file in scenes.items():
        click.echo(f"{name:<{width}}  {read_file(file).data['title']}")


@examples.command("copy")
@click.argument("names", nargs=-1, shell_complete=completing(shipped_scenes))
@click.option("--all", "every", is_flag=True, help="Copy all example scenes.")
@click.option("-o", "--output", type=click.Path(), default=".", help="Folder to copy to.  [default: current]")
@click.option("--force", is_flag=True, help="Overwrite existing files.")
def copy_examples(names, every, output, force):
    """Copy example scenes by NAME, with their data."""
    from rigidsim.trajectory.destination import IN_SHELL, FileKind, check_output

    scenes, folder = shipped_scenes(), Path(output)
    wanted = list(scenes) if every else [name.removesuffix(".yaml") for name in names]
    if not wanted:
        raise UsageError(f"no example was named; name one of {', '.join(scenes)}, or use --all")
    for name in wanted:
        if name not in scenes:
            hint = did_you_mean(name, scenes, f"the examples are {', '.join(scenes)}")
            raise UsageError(f"there is no example '{name}'; {hint}")
    if not folder.is_dir():
        raise StorageError(f"the folder {folder} does not exist")
    kind, hints = (
        FileKind("a scene", "scenes", (".yaml", ".csv", ".obj")),
        IN_SHELL._replace(elsewhere="or -o to name another folder"),
    )
    for name in wanted:
        for source in sorted(scenes[name].parent.glob(f"{name}.*"), key=scenes[name].__ne__):
            target = folder / source.name
            check_output(target, kind, force, hints)
            try:
                shutil.copyfile(source, target)
            except OSError as error:
                raise StorageError(f"cannot write {target}: {error.strerror}") from error
            click.echo(target)
