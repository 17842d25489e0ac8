"""`rigidsim view`: a page that shows a trajectory in space."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from rigidsim.cli.arguments import beside, load_trajectory
from rigidsim.cli.console import print_message, print_result
from rigidsim.cli.options import begin_option, end_option
from rigidsim.errors import UsageError

if TYPE_CHECKING:
    from rigidsim.views.view import View


@click.command(short_help="Show a trajectory in space, as one HTML page.")
@click.argument("file", type=click.Path())
@click.option("-o", "--output", type=click.Path(), help="HTML file.  [default: FILE.html]")
@click.option("--frame", metavar="BODY", default="world", help="Look from this body, at first.  [default: world]")
@click.option("--follow", metavar="BODY", default="", help="Let the camera follow this body, at first; world: none.")
@begin_option
@end_option
@click.option("--fps", type=float, default=60, show_default=True, help="Most frames for each second of playing.")
@click.option("--open", "is_opened", is_flag=True, help="Open the page in the browser.")
@click.option("--force", is_flag=True, help="Overwrite an existing page.")
def view(file, output, is_opened, force, **shown):
    """Write one HTML page that shows FILE, a trajectory, with the bodies and their paths in space as seen from any of
    them. It needs no network, nor rigidsim. Of a scene file (.yaml) it shows the start.

    \b
    rigidsim view outputs/scene.h5
    rigidsim view outputs/scene.h5 --frame table --open
    rigidsim view outputs/scene.h5 --from 1 --to "2500 ms" --follow ball -o ball.html
    """
    from rigidsim.trajectory.destination import IN_SHELL
    from rigidsim.views.view import check_page

    path = Path(output) if output is not None else beside(file, ".html")
    check_page(path, force, IN_SHELL)
    write_page(file, path, force, **shown)
    print_result(path)
    if is_opened:
        import webbrowser

        webbrowser.open(path.resolve().as_uri())


def write_page(file: str | Path, page: Path, force: bool, **shown) -> None:
    """Write the page of a file, and tell what is not shown as it is."""
    from rigidsim.runner.progress import Working
    from rigidsim.trajectory.destination import IN_SHELL
    from rigidsim.views.view import save_page

    with Working(f"making {page}"):
        made = _view_of(file, **shown)
        save_page(made.html, page, force, IN_SHELL)
    for note in made.notes:
        print_message(f"note: {note}")


def _view_of(file: str | Path, **shown) -> View:
    """The view of a trajectory file, or of a scene file."""
    from rigidsim.views.view import view

    if Path(file).suffix not in (".yaml", ".yml"):
        with load_trajectory(str(file)) as opened:
            return view(opened, **shown)
    from rigidsim.scene import Scene

    if shown["begin"] is not None or shown["end"] is not None or shown["follow"]:
        hint = f"rigidsim run {file}"
        raise UsageError(f"{file} is a scene; --from, --to and --follow are for its trajectory: {hint}")
    return view(Scene.from_file(file), shown["frame"])
