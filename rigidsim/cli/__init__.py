"""The command line. Each command parses, calls one function, prints; heavy imports happen inside the commands."""

from __future__ import annotations

import sys
import traceback

import click

from rigidsim import __version__
from rigidsim.cli.console import drop_output, prepare_streams, tell
from rigidsim.cli.examples import examples
from rigidsim.cli.explain import explain
from rigidsim.cli.inspect import inspect
from rigidsim.cli.integrators import integrators
from rigidsim.cli.run import run
from rigidsim.cli.schema import schema
from rigidsim.cli.validate import validate
from rigidsim.errors import RigidsimError, SceneError, StorageError, out_of_memory

EPILOG = """\b
Exit codes: 0 ok, 1 a bug of ours, 2 usage, 3 invalid scene, 4 the simulation failed,
5 a file could not be read or written, 6 damaged or foreign file; 128 + n ended by signal n:
129 hang-up, 130 Ctrl-C, 143 terminated (`run` keeps its samples), 141 nobody reads the output.
With --strict, warnings about the scene end with 3 and warnings about the result with 4.
Every option can be given as an environment variable, RIGIDSIM_RUN_OUTPUT for `run --output`."""


NOBODY_READS = 128 + 13  # as if SIGPIPE had ended it


@click.group(epilog=EPILOG, context_settings={"auto_envvar_prefix": "RIGIDSIM", "help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "-V", "--version", message="rigidsim %(version)s")
def cli() -> None:
    """Rigid bodies in a hierarchy of moving frames.

    \b
    rigidsim examples copy flipping_axis        get a scene to start from
    rigidsim run flipping_axis.yaml             simulate it
    rigidsim inspect outputs/flipping_axis.h5   see what came out
    """


def _remember(context: click.Context, _parameter: click.Parameter, debug: bool) -> None:
    context.obj["debug"] |= debug


def _allow_debug(command: click.Command) -> None:
    """`--debug` may stand before the command and after it."""
    option = click.Option(["--debug"], is_flag=True, is_eager=True, expose_value=False, callback=_remember,
                          help="Show the traceback of an error.")  # fmt: skip
    command.params.append(option)


for command in (run, validate, inspect, explain, examples, integrators, schema):
    cli.add_command(command)
for command in (cli, *cli.commands.values(), *examples.commands.values()):
    _allow_debug(command)


def main() -> None:
    """Run the command line and leave with its exit code; no traceback without --debug."""
    prepare_streams()
    settings = {"debug": False}
    try:
        code = _answer(settings)
    except BrokenPipeError:
        code = NOBODY_READS
    drop_output()
    sys.exit(code)


def _answer(settings: dict[str, bool]) -> int:
    """The exit code of the command, any failure told."""
    stdout = sys.stdout
    try:
        code = cli.main(prog_name="rigidsim", standalone_mode=False, obj=settings)
        return code if isinstance(code, int) else 0
    except BrokenPipeError:
        raise
    except SystemExit as leaving:
        # Click's own answer to a closed pipe: it replaces the streams and leaves with 1.
        return leaving.code if sys.stdout is stdout else NOBODY_READS
    except BaseException as error:
        if settings["debug"]:
            traceback.print_exc()
        return _told(error)


def _told(error: BaseException) -> int:
    """Say what went wrong; the exit code."""
    error = out_of_memory(error) if isinstance(error, MemoryError) else error
    if isinstance(error, RigidsimError):
        tell(_labelled(str(error), error.exit_code))
        return error.exit_code
    if isinstance(error, click.ClickException):
        error.show()
        return error.exit_code
    if isinstance(error, click.Abort | KeyboardInterrupt):
        tell("interrupted")
        return 130
    if isinstance(error, OSError):
        tell(f"error: {error.filename or 'output'}: {error.strerror or error}")
        return StorageError.exit_code
    tell(f"internal error: {type(error).__name__}: {error}\nthis is a bug in rigidsim; --debug shows where")
    return RigidsimError.exit_code


def _labelled(message: str, code: int) -> str:
    """Problems of a scene already say that they are errors, and an interruption is none."""
    return message if code == SceneError.exit_code or code > 128 else f"error: {message}"
