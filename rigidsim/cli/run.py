"""`rigidsim run`: simulate a scene and write a trajectory file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from rigidsim.cli.arguments import STANDARD, importing, read_scene
from rigidsim.cli.console import print_report, print_result, print_warnings, report_warnings, strict_option
from rigidsim.cli.options import TimeType, names_option, overrides, require_file, scene_options
from rigidsim.errors import SimulationError, StorageError, UsageError

OUTPUTS = Path("outputs")


def run_of_sweep(source: str | None, index: int | None) -> tuple[list[str | tuple[str, Any]], str | None]:
    """The overrides of a run of a sweep, and the text of its scene; none without a sweep."""
    if (source is None) != (index is None):
        raise UsageError("--from names the result file of a sweep, --index the number of a run in it; give both")
    if source is None or index is None:
        return [], None
    from rigidsim.sweeps.stored import load_sweep

    with load_sweep(source) as sweep:
        return sweep.overrides(index), sweep.scene_text


def output_path(scene: str, output: str | None, what: str = "") -> Path:
    """The path of the file: as given, or outputs/NAME.h5, NAME being that of the scene and what it is."""
    return Path(output) if output else OUTPUTS / f"{'stdin' if scene == STANDARD else Path(scene).stem}{what}.h5"


def outputs_folder() -> Path:
    """The folder for files without a path of their own; it is made if it does not exist."""
    try:
        OUTPUTS.mkdir(exist_ok=True)
    except OSError as error:
        raise StorageError(f"cannot create the folder {OUTPUTS}: {error.strerror}; use -o to write elsewhere") from None
    return OUTPUTS


def start_of(resume: bool, extend: float | None, force: bool, duration: str | None) -> str:
    """Where the run starts: anew, resumed or extended."""
    if force and (resume or extend is not None):
        raise UsageError("--force begins again, --resume and --extend continue; use one of them")
    if extend is not None and (resume or duration is not None):
        raise UsageError("--extend gives the duration, of a complete run; leave out --resume and --duration")
    return "resumed" if resume else "anew" if extend is None else "extended"


def named_as(*suffixes: str, what: str, example: str) -> Callable[..., str | None]:
    """A check of the name of a file that an option makes, if one is given."""

    def check(_context: click.Context, parameter: click.Parameter, given: str | None) -> str | None:
        if given and Path(given).suffix.lower() not in suffixes:
            hint = f"name {example} file, or write {parameter.opts[0]} after the scene"
            raise UsageError(f"{parameter.opts[0]} {given}: this is not the name of a {what}; {hint}")
        return given

    return check


def made_besides(trajectory: Path, picture: str | None, page: str | None, force: bool) -> dict[Path, Callable]:
    """The files that are made of the trajectory, and what makes each; an error before the run if that is impossible."""
    from rigidsim.trajectory.destination import IN_SHELL

    found: dict[Path, Callable] = {}
    if picture is not None:
        from rigidsim.plots.saving import check_picture

        path = Path(picture) if picture else trajectory.with_suffix(".png")
        if path == trajectory:
            raise UsageError(f"--plot {path}: this is the trajectory file; name another one")
        check_picture(path, force, IN_SHELL)
        found[path] = _draw
    if page is not None:
        from rigidsim.cli.view import write_page
        from rigidsim.views.page import three
        from rigidsim.views.view import check_page

        path = Path(page) if page else trajectory.with_suffix(".html")
        check_page(path, force, IN_SHELL)
        three()
        found[path] = write_page
    return found


def _draw(trajectory: Path, picture: Path, force: bool) -> None:
    """Draw an overview of a trajectory file."""
    from rigidsim.plots.plotting import plot
    from rigidsim.plots.saving import save_picture
    from rigidsim.runner.progress import Working
    from rigidsim.trajectory.destination import IN_SHELL
    from rigidsim.trajectory.reader import load

    with Working(f"drawing {picture}"), load(trajectory) as opened:
        save_picture(plot(opened), picture, force=force, hints=IN_SHELL)


@click.command(short_help="Simulate a scene and write its trajectory.")
@click.argument("scene", type=click.Path())
@click.option("-o", "--output", type=click.Path(), callback=require_file,
              help="Trajectory file.  [default: outputs/SCENE.h5]")  # fmt: skip
@scene_options
@click.option(
    "--from", "source", type=click.Path(), metavar="SWEEP", help="Repeat a run of the result file of a sweep."
)
@click.option("--index", type=int, metavar="N", help="The number of that run.")
@click.option("--record-every", metavar="TIME", help="Time between samples.")
@click.option("--compression", type=click.Choice(["none", "fast", "small"]), default="small", show_default=True,
              help="Compression of the trajectory file.")  # fmt: skip
@click.option("--terms", is_flag=True, help="Record the terms of all accelerations, for `explain`.")
@click.option("--contacts", is_flag=True, help="Record all contact points and their forces at each sample.")
@names_option("--derivatives", "Record the derivatives with respect to numbers of the scene: inertia,bodies.rod.mass")
@click.option("--plot", "plot", is_flag=False, flag_value="", metavar="[FILE]", is_eager=True,
              callback=named_as(".png", ".svg", ".pdf", what="picture", example="a .png, .svg or .pdf"),
              help="Draw an overview, too: .png, .svg or .pdf.  [default: the trajectory's name, .png]")  # fmt: skip
@click.option("--view", "view", is_flag=False, flag_value="", metavar="[FILE]", is_eager=True,
              callback=named_as(".html", ".htm", what="page", example="an .html"),
              help="Write a page that shows it in space, too.  [default: the trajectory's name, .html]")  # fmt: skip
@click.option("--resume", is_flag=True, help="Go on with a run that was interrupted; where nothing was kept, begin.")
@click.option("--extend", type=TimeType(), metavar="TIME", help="Go on with a complete run for this time: 10, '2 min'.")
@click.option("--force", is_flag=True, help="Overwrite an existing trajectory file.")
@strict_option
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON.")
@click.option("-v", "--verbose", is_flag=True, help="Print the values of contact of each two surfaces, too.")
@click.option("-q", "--quiet", is_flag=True, help="Print neither progress nor summary.")
def run(
    scene, output, sets, source, index, compression, terms, contacts, derivatives, metrics, plot, view, resume, extend,
    force, strict, as_json, verbose, quiet, **settings,
):  # fmt: skip
    """Simulate SCENE, a YAML file or - for standard input, and write its trajectory as an HDF5 file.

    \b
    rigidsim run scene.yaml
    rigidsim run scene.yaml --step "0.5 ms" --set bodies.tank.mass=4e4 -o heavy.h5
    rigidsim run scene.yaml --plot --view
    rigidsim run scene.yaml --metric top='= max(speed("ball"))'
    rigidsim run scene.yaml --derivatives inertia,bodies.rod.mass
    rigidsim run scene.yaml --resume
    rigidsim run scene.yaml --extend "10 s"
    generate_scene | rigidsim run - -o made.h5
    rigidsim run scene.yaml --from outputs/scene-sweep.h5 --index 17
    """
    path, start = output_path(scene, output), start_of(resume, extend, force, settings["duration"])
    if extend is not None:
        with importing():
            from rigidsim.runner.continuing import extended_duration
        settings["duration"] = extended_duration(path, extend)
    values, text = run_of_sweep(source, index)
    read = read_scene(scene, [*values, *overrides(sets, metrics, **settings)])
    if text not in (None, read.source):
        hint = "its text is load_sweep(path).scene_text"
        raise UsageError(f"--from {source}: the scene has changed since the sweep; {hint}")
    report_warnings(read.warnings, strict)
    path = path if output else outputs_folder() / path.name

    with importing():
        from rigidsim.runner.run import RunStart, run_to_file

    def summarise(report) -> None:
        if verbose and not (as_json or quiet):
            print_result(report.text(in_full=True))
        else:
            print_report(report, as_json, quiet)
        print_warnings(report.warnings, strict)

    besides = made_besides(path, plot, view, force)
    recorded = {"terms": terms, "contacts": contacts, "compression": compression, "derivatives": derivatives}
    report = run_to_file(
        read, path, **recorded, force=force, start=RunStart(start), quiet=quiet, **({"most": None} if as_json else {}),
        show=summarise, warn=lambda overlaps: report_warnings(overlaps, strict),
    )  # fmt: skip
    for file, make in besides.items():
        make(path, file, force)
    if besides and not (quiet or as_json):
        print_result("\n".join(["", *map(str, besides)]))
    if strict and report.warnings:
        raise click.exceptions.Exit(SimulationError.exit_code)
