"""`rigidsim run`: simulate a scene and write a trajectory file."""

from __future__ import annotations

import json
from pathlib import Path

import click

from rigidsim.cli.console import print_result
from rigidsim.cli.scene_argument import STANDARD, read_scene
from rigidsim.cli.warnings import print_warnings, report_warnings, strict_option
from rigidsim.errors import SimulationError, StorageError, UsageError

OUTPUTS = Path("outputs")


def overrides(sets: tuple[str, ...], **simulation: str | None) -> list[str]:
    """Scene overrides from `--set` and from the options for keys of `simulation`, which take precedence."""
    given = [f"simulation.{key}={value}" for key, value in simulation.items() if value is not None]
    return [*sets, *given]


def _require_file(_context: click.Context, _parameter: click.Parameter, output: str | None) -> str | None:
    if output == STANDARD:
        hint = "name a file; `rigidsim inspect FILE --csv` prints its samples to standard output"
        raise UsageError(f"-o -: an HDF5 file cannot be written to standard output; {hint}")
    if output == "":
        raise UsageError("-o: the name of the trajectory file is empty")
    return output


def output_path(scene: str, output: str | None) -> Path:
    """The path of the trajectory file: as given, or outputs/NAME.h5."""
    if output:
        return Path(output)
    try:
        OUTPUTS.mkdir(exist_ok=True)
    except OSError as error:
        raise StorageError(f"cannot create the folder {OUTPUTS}: {error.strerror}; use -o to write elsewhere") from None
    return OUTPUTS / f"{'stdin' if scene == STANDARD else Path(scene).stem}.h5"


def _integrators(_context: click.Context, _parameter: click.Parameter, begin: str) -> list[str]:
    from rigidsim.scene.schema.integrators import MODELS

    return [name for name in MODELS if name.startswith(begin)]


@click.command(short_help="Simulate a scene and write its trajectory.")
@click.argument("scene", type=click.Path())
@click.option("-o", "--output", type=click.Path(), callback=_require_file,
              help="Trajectory file.  [default: outputs/SCENE.h5]")  # fmt: skip
@click.option("--set", "sets", metavar="PATH=VALUE", multiple=True, help="Override a value: bodies.tank.mass=4e4")
@click.option("--duration", metavar="TIME", help="Simulated time: 10, '2 min'.")
@click.option("--step", metavar="TIME", help="Time step: 1e-3, '1 ms'.")
@click.option("--integrator", metavar="NAME", shell_complete=_integrators,
              help="rkmk4, or with options: '{name: magnus, terms: 4}'.")  # fmt: skip
@click.option("--record-every", metavar="TIME", help="Time between samples.")
@click.option("--terms", is_flag=True, help="Record the terms of all accelerations, for `explain`.")
@click.option("--force", is_flag=True, help="Overwrite an existing trajectory file.")
@strict_option
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON.")
@click.option("-q", "--quiet", is_flag=True, help="Print neither progress nor summary.")
def run(scene, output, sets, duration, step, integrator, record_every, terms, force, strict, as_json, quiet):
    """Simulate SCENE, a YAML file or - for standard input, and write its trajectory as an HDF5 file.

    \b
    rigidsim run scene.yaml
    rigidsim run scene.yaml --step "0.5 ms" --set bodies.tank.mass=4e4 -o heavy.h5
    generate_scene | rigidsim run - -o made.h5
    """
    from rigidsim._jit import without_blas

    changed = overrides(sets, duration=duration, step=step, integrator=integrator, record_every=record_every)
    read = read_scene(scene, changed)
    report_warnings(read, strict)

    def summarise(report) -> None:
        if as_json:
            print_result(json.dumps(report.as_dict()))
        elif not quiet:
            print_result(report)
        print_warnings(report.warnings, strict)

    with without_blas():
        from rigidsim.report.run import run_to_file

        report = run_to_file(read, output_path(scene, output), terms=terms, force=force, quiet=quiet, show=summarise)
    if strict and report.warnings:
        raise click.exceptions.Exit(SimulationError.exit_code)
